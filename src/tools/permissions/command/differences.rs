//! Commands that bash parses differently from the grammar. They count as not understood, so pintle asks.

use super::words;
use tree_sitter::Node;

/// Returns true if the grammar splits a word that is one for bash, such as `"a"\\b` or a word continued on the next line.
pub(super) fn are_torn(node: Node<'_>, source: &str) -> bool {
    const WORDS: [&str; 14] = [
        "ansi_c_string",
        "arithmetic_expansion",
        "brace_expression",
        "command_name",
        "command_substitution",
        "concatenation",
        "expansion",
        "extglob_pattern",
        "number",
        "raw_string",
        "simple_expansion",
        "string",
        "translated_string",
        "word",
    ];
    const BEFORE: [&str; 3] = ["file_redirect", "process_substitution", "variable_assignment"];
    if !["command", "declaration_command", "file_redirect", "for_statement"].contains(&node.kind())
    {
        return false;
    }
    let is_word = |kind| WORDS.contains(&kind);
    let mut cursor = node.walk();
    let mut last: Option<Node<'_>> = None;
    node.named_children(&mut cursor).any(|word| {
        let Some(before) = last.replace(word) else { return false };
        let gap = source.get(before.end_byte()..word.start_byte()).unwrap_or_default();
        if gap == " " {
            return false;
        }
        let gap = gap.replace("\\\n", "");
        (gap.is_empty() || gap.contains(|c| !matches!(c, ' ' | '\t')))
            && is_word(word.kind())
            && (is_word(before.kind()) || BEFORE.contains(&before.kind()))
    })
}

/// Returns true if bash may join two lines into syntax that the grammar misses: `$\\⏎(id)` is a substitution. [`are_torn`] finds plain words.
pub(super) fn joins_lines(line: &str) -> bool {
    const JOINT: &str = "\\\n";
    let mut rest = line;
    let mut before = None;
    while let Some((text, behind)) = rest.split_once(JOINT) {
        before = text.chars().next_back().or(before);
        let after = behind.trim_start_matches(JOINT).chars().next();
        let is_apart = |c: Option<char>| c.is_none_or(|c| matches!(c, ' ' | '\t' | '\n'));
        let begins = before.is_some_and(|c| "$([{<>!`\"'".contains(c));
        let continues = after.is_some_and(|c| "$([{<>`\"'".contains(c));
        let ends_command = before.is_some_and(|c| matches!(c, '&' | '|' | ';'));
        if !is_apart(before) && !is_apart(after) && !ends_command && (begins || continues) {
            return true;
        }
        rest = behind;
    }
    false
}

/// Returns true if the grammar takes a substitution inside an expansion for plain text: in a pattern, after an operator, or between quotes
/// that bash takes literally.
pub(super) fn hides_substitutions(expansion: Node<'_>, source: &str) -> bool {
    let text = unseen(expansion, source);
    let text = text.strip_prefix("${").unwrap_or(&text);
    text.contains(['$', '`']) || text.contains("<(") || text.contains(">(")
}

/// Returns true if the grammar takes a substitution inside a regular expression for plain text.
pub(super) fn hides_in_regex(regex: Node<'_>, source: &str) -> bool {
    let text = unseen(regex, source);
    ["`", "$(", "${", "$[", "<(", ">("].iter().any(|begin| text.contains(begin))
}

/// Returns a node's text without the substitutions that the grammar found.
fn unseen(node: Node<'_>, source: &str) -> String {
    let mut seen = Vec::new();
    substitutions(node, &mut seen, true);
    let (mut text, mut at) = (String::new(), node.start_byte());
    for node in seen {
        text.push_str(source.get(at..node.start_byte()).unwrap_or_default());
        text.push(' ');
        at = node.end_byte();
    }
    text.push_str(source.get(at..node.end_byte()).unwrap_or_default());
    text
}

/// Collects the outermost substitutions below a node, in order.
fn substitutions<'t>(node: Node<'t>, seen: &mut Vec<Node<'t>>, is_root: bool) {
    const SEEN: [&str; 5] = [
        "arithmetic_expansion",
        "command_substitution",
        "expansion",
        "process_substitution",
        "simple_expansion",
    ];
    if !is_root && SEEN.contains(&node.kind()) {
        seen.push(node);
        return;
    }
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        substitutions(child, seen, false);
    }
}

/// Returns true for a substitution in backquotes that contains escaped characters: bash removes the backslashes before it reads the command.
pub(super) fn is_escaped(substitution: Node<'_>, source: &str) -> bool {
    let text = words::slice(substitution, source);
    text.starts_with('`') && text.contains('\\')
}
