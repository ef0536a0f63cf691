//! Here-documents, which bash and the grammar may take for different ones: pure.
//!
//! The grammar takes backquotes and sums in them for text, and does not join lines that end in a backslash. So a body is read once more, line
//! by line as bash reads it.

use super::words;
use tree_sitter::Node;

/// A here-document's parts in the grammar.
struct Parts<'a> {
    /// The word behind `<<`, with its quotes.
    opener: &'a str,
    /// The rest of that word's line.
    rest: &'a str,
    body: &'a str,
    /// The line that ends it.
    end: &'a str,
    /// All remaining text.
    after: &'a str,
    is_indented: bool,
}

/// Returns why bash's reading of this here-document is uncertain; `None` if it is known.
pub(super) fn doubt(node: Node<'_>, source: &str) -> Option<&'static str> {
    let Some(parts) = parts(node, source) else {
        return Some("contains an unusual here-document");
    };
    let (name, is_expanded) = name(parts.opener);
    if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c)) {
        return Some("has a here-document with an unusual delimiter");
    }
    // The body begins on the next line, and no line before its last one ends it.
    let is_line = parts.rest.find('\n').is_some_and(|at| at + 1 == parts.rest.len());
    let is_whole = parts.body.is_empty() || parts.body.ends_with('\n');
    let is_ended = without_tabs(parts.end, parts.is_indented) == name
        && (parts.after.is_empty() || parts.after.starts_with('\n'));
    let lines = lines(parts.body, is_expanded);
    let ends_before = lines.iter().any(|line| without_tabs(line, parts.is_indented) == name);
    if !is_line || parts.rest.ends_with("\\\n") || !is_whole || !is_ended || ends_before {
        return Some("has a here-document with an ambiguous end");
    }
    if !is_expanded {
        return None;
    }
    let is_joined = lines.len() < parts.body.lines().count();
    if is_joined && parts.body.contains(['$', '`']) {
        return Some("has a here-document that joins lines and expands variables");
    }
    if parts.body.replace("\\\\", "").replace("\\`", "").contains('`') {
        return Some("runs a command in backquotes inside a here-document");
    }
    (parts.body.contains("$((") || parts.body.contains("$[")).then_some("computes with variables")
}

fn parts<'a>(node: Node<'_>, source: &'a str) -> Option<Parts<'a>> {
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    let child = |kind: &str| children.iter().find(|child| child.kind() == kind);
    let (start, body) = (child("heredoc_start")?, child("heredoc_body")?);
    let end = child("heredoc_end")?;
    Some(Parts {
        opener: words::slice(*start, source),
        rest: source.get(start.end_byte()..body.start_byte())?,
        body: words::slice(*body, source),
        end: words::slice(*end, source),
        after: source.get(end.end_byte()..)?,
        is_indented: words::slice(node, source).starts_with("<<-"),
    })
}

/// Returns the word that ends a here-document, and whether bash expands variables in it.
fn name(opener: &str) -> (&str, bool) {
    let quoted = ['\'', '"'].into_iter().find_map(|quote| {
        let inner = opener.strip_prefix(quote)?;
        inner.strip_suffix(quote)
    });
    match quoted.or_else(|| opener.strip_prefix('\\')) {
        Some(name) => (name, false),
        None => (opener, true),
    }
}

/// Splits a body into lines. If it is expanded, a backslash at the end of a line joins it to the next one.
fn lines(body: &str, is_expanded: bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in body.lines() {
        let backslashes = line.len() - line.trim_end_matches('\\').len();
        let goes_on = is_expanded && backslashes % 2 == 1;
        let text = if goes_on { line.strip_suffix('\\').unwrap_or(line) } else { line };
        match lines.last_mut().filter(|_| is_open) {
            Some(last) => last.push_str(text),
            None => lines.push(text.to_owned()),
        }
        is_open = goes_on;
    }
    lines
}

fn without_tabs(line: &str, is_indented: bool) -> &str {
    if is_indented { line.trim_start_matches('\t') } else { line }
}
