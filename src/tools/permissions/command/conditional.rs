//! Conditional expressions, `[ … ]` and `[[ … ]]`, and whether bash evaluates their operands: pure.
//!
//! `[[ x -eq 1 ]]` computes with `x`, and `-v` takes an array element, whose index is computed. Computing with `a[$(id)]` runs `id`, even
//! if that text is the value of a variable.

use super::words::{self, Word};
use tree_sitter::Node;

/// The operators of `[[` that compute both of their sides.
const ARITHMETIC: [&str; 6] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

/// Nodes that consist of operators and operands.
const WHOLE: [&str; 4] =
    ["test_command", "unary_expression", "binary_expression", "parenthesized_expression"];

/// A conditional expression, token by token.
pub(super) struct Conditional<'a> {
    tokens: Vec<Token<'a>>,
    is_extended: bool,
}

/// An operator or an operand.
struct Token<'a> {
    kind: &'a str,
    text: String,
    word: Word,
}

impl<'a> Conditional<'a> {
    /// Wraps an expression node.
    pub(super) fn new(node: Node<'a>, source: &'a str) -> Self {
        let operands = flat(node, |node| WHOLE.contains(&node.kind()));
        Self {
            tokens: operands.into_iter().map(|node| Token::new(node, source)).collect(),
            is_extended: words::slice(node, source).starts_with("[["),
        }
    }

    /// Returns true if bash may evaluate an operand that is not a plain number or name.
    pub(super) fn may_evaluate(&self) -> bool {
        let pairs = || self.tokens.iter().zip(self.tokens.iter().skip(1));
        if self.is_extended {
            // Operators of this form are never quoted and come from no variable.
            return pairs().any(|(left, right)| {
                (left.is_arithmetic() && !right.is_number())
                    || (right.is_arithmetic() && !left.is_number())
                    || (left.text == "-v" && !is_name(&right.text))
            });
        }
        may_evaluate_element(&self.tokens)
    }
}

/// Returns true if the program `test` may evaluate one of these arguments.
pub(super) fn words_may_evaluate(words: &[Word]) -> bool {
    let token = |word: &Word| {
        let text = match word {
            Word::Text(text) | Word::Glob(text) | Word::Unknown { source: text, .. } => text,
        };
        // The structure of a word with known text does not matter.
        let is_sum = matches!(word, Word::Unknown { .. }) && is_sum(text);
        let kind = if is_sum { "arithmetic_expansion" } else { "" };
        Token { kind, text: text.clone(), word: word.clone() }
    };
    may_evaluate_element(&words.iter().map(token).collect::<Vec<_>>())
}

/// Here an operator is any word that looks like one, and an unquoted variable or pattern is several words.
fn may_evaluate_element(tokens: &[Token<'_>]) -> bool {
    let mut pairs = tokens.iter().zip(tokens.iter().skip(1));
    tokens.iter().any(Token::is_several)
        || pairs.any(|(left, right)| left.may_be_a_flag() && !right.is_plain())
}

/// Returns true for `$((1 + 2))` and nothing behind it.
fn is_sum(text: &str) -> bool {
    let inner = text.strip_prefix("$((").and_then(|text| text.strip_suffix("))"));
    inner.is_some_and(|inner| !inner.contains(['$', '`', '"']))
}

/// Returns true if a literal in the expression contains text that bash would expand if it evaluated it.
pub(super) fn holds_literal_expansion(node: Node<'_>, source: &str) -> bool {
    flat(node, |node| node.named_child_count() > 0).into_iter().any(|node| {
        let is_literal = matches!(node.kind(), "raw_string" | "ansi_c_string" | "word");
        is_literal && words::slice(node, source).contains(['$', '`'])
    })
}

/// Returns the nodes below this one, in order, with those accepted by `opens` replaced by their children. Without recursion: an expression
/// nests as deeply as a command is long.
fn flat<'a>(node: Node<'a>, opens: impl Fn(Node<'a>) -> bool) -> Vec<Node<'a>> {
    let mut cursor = node.walk();
    let (mut found, mut waiting) = (Vec::new(), vec![node]);
    while let Some(node) = waiting.pop() {
        if opens(node) {
            let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
            waiting.extend(children.into_iter().rev());
        } else {
            found.push(node);
        }
    }
    found
}

impl<'a> Token<'a> {
    fn new(node: Node<'a>, source: &'a str) -> Self {
        let (kind, text) = (node.kind(), words::slice(node, source).to_owned());
        let is_sign = !node.is_named() || kind == "test_operator";
        let word = if is_sign { Word::Text(text.clone()) } else { words::word(node, source) };
        Self { kind, text, word }
    }

    /// Returns true if it is a number, whatever the values of variables.
    fn is_number(&self) -> bool {
        let text = self.text.trim_matches(['"', '\'']);
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_literal = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
        // The status, the count of arguments, processes, a length, and a sum, which is looked at by itself.
        is_literal
            || matches!(text, "$?" | "$#" | "$$" | "$!")
            || (text.starts_with("${#") && text.ends_with('}') && text.matches('}').count() == 1)
            || self.kind == "arithmetic_expansion"
    }

    fn is_arithmetic(&self) -> bool {
        ARITHMETIC.contains(&self.text.as_str())
    }

    fn is_several(&self) -> bool {
        let is_one = match &self.word {
            Word::Text(_) => true,
            Word::Glob(_) => false,
            Word::Unknown { is_one, .. } => *is_one,
        };
        !is_one && !self.is_number()
    }

    fn may_be_a_flag(&self) -> bool {
        match &self.word {
            Word::Text(text) => text == "-v",
            Word::Glob(_) | Word::Unknown { .. } => !self.is_number(),
        }
    }

    fn is_plain(&self) -> bool {
        self.word.text().is_some_and(|text| !text.contains('[')) || self.is_number()
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
