//! Finds the programs in a command's text, with tree-sitter's bash grammar.

use super::conditional::{self, Conditional};
use super::sums;
use super::words::{self, Word};
use super::{Analysis, MAX_COMMAND_BYTES, Program, Target, differences, heredoc, wrappers};
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::Duration;
use tokio::time::Instant;
use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// The maximum nesting of shells inside shells, and of blocks inside blocks.
const MAX_SHELLS: usize = 8;
const MAX_DEPTH: usize = 200;

/// The longest time that one parse may take. The longest valid commands take a quarter of it; a text made for the purpose, such as
/// `x=(x=(…`, keeps the parser's error recovery busy for half a minute.
const MAX_TIME: Duration = Duration::from_secs(1);

thread_local! {
    /// Making a parser costs more than a parse.
    static PARSER: RefCell<Option<Parser>> = RefCell::new(new_parser());
}

fn new_parser() -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    Some(parser)
}

/// Characters that end a command, or begin one.
const SEPARATORS: [char; 15] =
    [';', '|', '&', '(', ')', '{', '}', '<', '>', '`', '$', '"', '\'', '\n', '\\'];

/// Adds a command's parts to the analysis; `shells` is the number of shells around it.
pub(super) fn parse(line: &str, analysis: &mut Analysis, shells: usize) {
    if parse_whole(line, analysis, shells) {
        return;
    }
    // The grammar may have lost a program after the error, and rules that restrict it still apply.
    for piece in line.split(SEPARATORS).filter(|piece| !piece.trim().is_empty()) {
        let mut found = Analysis::default();
        parse_whole(piece, &mut found, shells);
        for program in found.programs {
            if !analysis.programs.contains(&program) {
                analysis.programs.push(program);
            }
        }
    }
}

/// Like `parse`, as far as the grammar understands the command. Returns false for invalid syntax.
fn parse_whole(line: &str, analysis: &mut Analysis, shells: usize) -> bool {
    if shells > MAX_SHELLS {
        analysis.doubt("nests shells too deeply");
        return true;
    }
    if line.len() > MAX_COMMAND_BYTES {
        analysis.doubt(format!("is longer than {} KB", MAX_COMMAND_BYTES / 1024));
        return true;
    }
    if let Some(odd) = line.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        analysis.doubt(format!("contains the control character U+{:04X}", u32::from(odd)));
        return true;
    }
    if differences::joins_lines(line) {
        analysis.doubt("continues a word or an operator on the next line");
    }
    let Some(tree) = tree(line) else {
        analysis.doubt("cannot be parsed within a second");
        return false;
    };
    let is_valid = !tree.root_node().has_error();
    if !is_valid {
        analysis.doubt("is not valid shell syntax");
    }
    let mut walk = Walk { source: line, analysis, shells };
    walk.statement(tree.root_node(), 0);
    is_valid
}

/// Parses a command. Returns none after [`MAX_TIME`].
fn tree(line: &str) -> Option<Tree> {
    // The shell takes every byte beyond ASCII for a part of a word. The grammar takes some for blanks, and its scanner
    // reads outside of its tables for others (`""{` and a character of a higher plane): it is shown letters instead,
    // in the same places.
    let ascii: Vec<u8> =
        line.bytes().map(|byte| if byte.is_ascii() { byte } else { b'x' }).collect();
    let end = Instant::now() + MAX_TIME;
    let mut go_on = |_: &_| {
        if Instant::now() < end { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut go_on);
    PARSER.with_borrow_mut(|parser| {
        let parser = parser.as_mut()?;
        parser.reset();
        parser.parse_with_options(
            &mut |at, _| ascii.get(at..).unwrap_or_default(),
            None,
            Some(options),
        )
    })
}

struct Walk<'a> {
    source: &'a str,
    analysis: &'a mut Analysis,
    shells: usize,
}

impl Walk<'_> {
    /// Takes a node that may contain commands.
    fn statement(&mut self, node: Node<'_>, depth: usize) {
        if depth > MAX_DEPTH {
            return self.analysis.doubt("nests too deeply");
        }
        self.analysis.expands_itself |= EXPANDING.contains(&node.kind());
        if differences::are_torn(node, self.source) {
            self.analysis
                .doubt("contains quotes, backslashes or braces that the parser cannot analyze");
        }
        match node.kind() {
            "expansion" if differences::hides_substitutions(node, self.source) => {
                self.analysis.doubt("contains a substitution inside an expansion");
            }
            "regex" if differences::hides_in_regex(node, self.source) => {
                self.analysis.doubt("contains a substitution inside a regular expression");
            }
            "command_substitution" if differences::is_escaped(node, self.source) => {
                self.analysis.doubt("contains escaped characters in backquotes");
            }
            "command" => return self.command(node, depth),
            "declaration_command" | "unset_command" => return self.declaration(node, depth),
            "variable_assignment" => return self.assignment_alone(node, depth),
            "file_redirect" => self.file_redirect(node),
            // A name that a loop or a parameter expansion gives a value.
            "for_statement" => self.loop_variable(node),
            "comment" => self.comment(node),
            "heredoc_redirect" => {
                if let Some(doubt) = heredoc::doubt(node, self.source) {
                    self.analysis.doubt(doubt);
                }
            }
            // Arithmetic runs the commands in its variables' values: `x='a[$(id)]'; echo $((x))`.
            "arithmetic_expansion" => self.arithmetic(node),
            "compound_statement" if words::slice(node, self.source).starts_with("((") => {
                self.arithmetic(node);
            }
            "test_command" => self.test(node),
            "function_definition" => self.function(node),
            "expansion" => self.expansion(node),
            "subscript" => self.subscript(node),
            kind if KNOWN.contains(&kind) || !node.is_named() => {}
            kind => self.analysis.doubt(format!("contains {}", kind.replace('_', " "))),
        }
        self.children(node, depth);
    }

    fn children(&mut self, node: Node<'_>, depth: usize) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.statement(child, depth + 1);
        }
    }

    /// A program with assignments, arguments and redirections.
    fn command(&mut self, node: Node<'_>, depth: usize) {
        let mut program = Program::default();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "variable_assignment" => {
                    program.assignments.push(self.assignment(child));
                    self.children(child, depth + 1);
                }
                "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
                    self.statement(child, depth + 1);
                }
                "comment" => self.comment(child),
                kind => {
                    // A name with braces is not known, nor is what another shell makes of them.
                    if kind == "command_name" || self.shells > 0 {
                        program.words.push(words::word(child, self.source));
                    } else {
                        program.words.extend(words::words(child, self.source));
                    }
                    // Substitutions inside the word.
                    self.inside_word(child, depth + 1);
                }
            }
        }
        self.add(program);
    }

    /// Handles substitutions inside a word.
    fn inside_word(&mut self, node: Node<'_>, depth: usize) {
        if depth > MAX_DEPTH {
            return self.analysis.doubt("nests too deeply");
        }
        match node.kind() {
            "command_substitution"
            | "process_substitution"
            | "arithmetic_expansion"
            | "expansion" => {
                self.statement(node, depth);
            }
            _ => {
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    self.inside_word(child, depth + 1);
                }
            }
        }
    }

    /// `export A=b`, `local x`, `unset y`.
    fn declaration(&mut self, node: Node<'_>, depth: usize) {
        let mut program = Program::default();
        let keyword = node.child(0).map(|child| words::slice(child, self.source));
        program.words.push(Word::Text(keyword.unwrap_or_default().to_owned()));
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let word = if child.kind() == "variable_assignment" {
                self.assignment(child)
            } else {
                words::word(child, self.source)
            };
            program.words.push(word);
            self.inside_word(child, depth + 1);
        }
        self.add(program);
    }

    fn assignment_alone(&mut self, node: Node<'_>, depth: usize) {
        let assignment = self.assignment(node);
        self.children(node, depth + 1);
        self.add(Program { assignments: vec![assignment], ..Program::default() });
    }

    /// Returns the word `name=value`.
    fn assignment(&mut self, node: Node<'_>) -> Word {
        let source = words::slice(node, self.source).to_owned();
        let unknown = Word::Unknown { source, is_one: true };
        let name = node.child_by_field_name("name");
        let name = name.filter(|name| name.kind() == "variable_name");
        let Some(name) = name.map(|name| words::slice(name, self.source)) else { return unknown };
        let value = match node.child_by_field_name("value") {
            None => Word::Text(String::new()),
            Some(value) => words::word(value, self.source),
        };
        let is_plain = words::slice(node, self.source)
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('='));
        match value {
            Word::Text(value) if is_plain => Word::Text(format!("{name}={value}")),
            Word::Text(_) | Word::Glob(_) | Word::Unknown { .. } => unknown,
        }
    }

    /// After an escaped blank or line end, `#` continues a word.
    fn comment(&mut self, node: Node<'_>) {
        let before = self.source.get(..node.start_byte()).unwrap_or_default();
        let before = before.strip_suffix([' ', '\t', '\n']).unwrap_or(before);
        if before.ends_with('\\') {
            self.analysis.doubt("contains a comment that may be part of a word");
        }
    }

    fn file_redirect(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let operator = node
            .children(&mut cursor)
            .find(|child| !child.is_named())
            .map(|child| words::slice(child, self.source))
            .unwrap_or_default();
        let mut cursor = node.walk();
        let targets = node.children_by_field_name("destination", &mut cursor);
        let mut count = 0;
        for target in targets {
            count += 1;
            let target = match words::word(target, self.source) {
                Word::Text(text) => Target::Path(text),
                Word::Glob(_) | Word::Unknown { .. } => Target::Unknown,
            };
            let is_descriptor = |target: &Target| {
                let text = target.path().unwrap_or("x");
                text == "-" || text.chars().all(|c| c.is_ascii_digit())
            };
            match operator {
                ">&" | "<&" | ">&-" | "<&-" if is_descriptor(&target) => {}
                "<" => self.analysis.reads.push(target),
                _ => self.analysis.writes.push(target),
            }
        }
        if count == 0 && !matches!(operator, ">&-" | "<&-") {
            self.analysis.doubt("has a redirection without a target");
        }
    }

    fn loop_variable(&mut self, node: Node<'_>) {
        if let Some(name) = node.child_by_field_name("variable") {
            let name = words::slice(name, self.source);
            self.add_assignment_of(name);
        }
    }

    /// `${name:=value}` assigns, `${name@P}` expands the value as a prompt, `${name:x}` computes with `x`.
    fn expansion(&mut self, node: Node<'_>) {
        let text = words::slice(node, self.source);
        if text.starts_with("${!") {
            self.analysis.doubt("expands a variable indirectly");
        }
        let parameter = node.named_child(0);
        let end =
            parameter.map_or(node.start_byte() + "${".len(), |parameter| parameter.end_byte());
        let rest = self.source.get(end..node.end_byte()).unwrap_or_default();
        if rest.contains('@') && rest != "@}" {
            self.analysis.doubt("transforms a variable");
        }
        let is_known = |c: char| c.is_ascii_digit() || " :-()}".contains(c);
        match rest.strip_prefix(':') {
            Some(rest) if rest.starts_with(['-', '=', '?', '+']) => {}
            Some(rest) if !rest.chars().all(is_known) => {
                self.analysis.doubt("computes with variables");
            }
            Some(_) | None => {}
        }
        let name = match parameter {
            Some(element) if element.kind() == "subscript" => element.child_by_field_name("name"),
            name => name,
        };
        if let Some(name) = name.filter(|name| name.kind() == "variable_name")
            && text.contains('=')
        {
            let name = words::slice(name, self.source);
            self.add_assignment_of(name);
        }
    }

    /// `${name[0]}` reads an element. An index anywhere else, and one that the shell computes, is treated as unknown: computing runs the
    /// commands in the values of variables.
    fn subscript(&mut self, node: Node<'_>) {
        let is_read = node.parent().is_some_and(|parent| parent.kind() == "expansion");
        let index = node.child_by_field_name("index");
        let index = index.map(|index| words::slice(index, self.source)).unwrap_or_default();
        let is_literal = !index.is_empty() && index.chars().all(|c| c.is_ascii_digit());
        if !is_read || !(is_literal || matches!(index, "@" | "*")) {
            self.analysis.doubt("computes an index");
        }
    }

    fn arithmetic(&mut self, node: Node<'_>) {
        let source = words::slice(node, self.source);
        let sum = source.strip_prefix('$').unwrap_or(source);
        // `0x1f` has letters, but no variable.
        if sums::value(source).is_none()
            && sum.contains(|c: char| c.is_alphabetic() || "$`_".contains(c))
        {
            self.analysis.doubt("computes with variables");
        }
    }

    /// A test is harmless by itself. If bash may evaluate its operands, it counts as a program that has not been allowed yet.
    fn test(&mut self, node: Node<'_>) {
        if conditional::holds_literal_expansion(node, self.source) {
            self.analysis.doubt("tests a string that contains an expansion");
        }
        if Conditional::new(node, self.source).may_evaluate() {
            let source = words::slice(node, self.source);
            let name = if source.starts_with("[[") { "[[" } else { "[" };
            let rest = source.strip_prefix(name).unwrap_or_default().trim_start().to_owned();
            let rest = Word::Unknown { source: rest, is_one: false };
            self.add(Program {
                words: vec![Word::Text(name.to_owned()), rest],
                ..Program::default()
            });
        }
    }

    fn add_assignment_of(&mut self, name: &str) {
        let word = Word::Unknown { source: format!("{name}="), is_one: true };
        self.add(Program { assignments: vec![word], ..Program::default() });
    }

    /// A function hides a program of the same name; its body is analysed like any other part.
    fn function(&mut self, node: Node<'_>) {
        let name = node.child_by_field_name("name").map(|name| words::slice(name, self.source));
        if !name.is_some_and(|name| name.chars().all(|c| c.is_alphanumeric() || "_-".contains(c))) {
            self.analysis.doubt("defines a function with an unusual name");
        }
    }

    fn add(&mut self, program: Program) {
        wrappers::unwrap(program, self.analysis, self.shells);
    }
}

/// Nodes in which the shell expands patterns or looks at files.
const EXPANDING: [&str; 4] = ["for_statement", "test_command", "array", "case_statement"];

/// Nodes that contain commands or words and do nothing by themselves.
const KNOWN: &[&str] = &[
    "program",
    "list",
    "pipeline",
    "redirected_statement",
    "brace_expression",
    "subshell",
    "compound_statement",
    "if_statement",
    "elif_clause",
    "else_clause",
    "while_statement",
    "do_group",
    "case_statement",
    "case_item",
    "negated_command",
    "test_command",
    "command_substitution",
    "process_substitution",
    "heredoc_redirect",
    "heredoc_start",
    "heredoc_body",
    "heredoc_content",
    "heredoc_end",
    "herestring_redirect",
    "word",
    "string",
    "string_content",
    "raw_string",
    "concatenation",
    "simple_expansion",
    "special_variable_name",
    "variable_name",
    "number",
    "command_name",
    "unary_expression",
    "binary_expression",
    "parenthesized_expression",
    "test_operator",
    "extglob_pattern",
    "regex",
    "file_descriptor",
    "arithmetic_expansion",
];
