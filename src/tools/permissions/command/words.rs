//! A command's words, as the shell passes them to a program.

use super::{braces, sums};
use std::fmt;
use tree_sitter::Node;

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// Exactly this text.
    Text(String),
    /// A pattern that the shell expands to paths.
    Glob(String),
    /// Known only when the command runs; with the source text.
    Unknown {
        /// The source.
        source: String,
        /// True if the word is not split, because it is quoted.
        is_one: bool,
    },
}

impl Word {
    /// Returns the text, if it is known.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Glob(_) | Self::Unknown { .. } => None,
        }
    }

    /// Returns the text as far as it is known to be a path: for a pattern the directories before the first special character, for an
    /// unknown word nothing.
    pub(super) fn fixed_prefix(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Glob(pattern) => {
                let special = pattern.find(['*', '?', '[']).unwrap_or(pattern.len());
                let fixed = pattern.get(..special).unwrap_or_default();
                let folder = fixed.rfind('/').map_or(0, |at| at + 1);
                match fixed.get(..folder) {
                    Some("") | None => ".",
                    Some(folder) => folder,
                }
            }
            Self::Unknown { .. } => "",
        }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) if needs_quotes(text) => {
                write!(f, "'{}'", text.replace('\'', r"'\''"))
            }
            Self::Text(text) | Self::Glob(text) => f.write_str(text),
            Self::Unknown { source, .. } => f.write_str(source),
        }
    }
}

fn needs_quotes(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+~^".contains(c);
    text.is_empty() || !text.chars().all(is_plain)
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Quoted(String),
    Bare(String),
    Unknown { is_quoted: bool },
}

/// Reads a node's word, which braces may make several: `src/{a,b}.rs`.
pub(super) fn words(node: Node<'_>, source: &str) -> Vec<Word> {
    let parts = parts(node, source);
    match braces::expand(&parts) {
        Some(expanded) => expanded.iter().map(|parts| finish(parts, node, source)).collect(),
        None => vec![finish(&parts, node, source)],
    }
}

/// Reads a node's word, for places in which braces are not expanded, or mean an error.
pub(super) fn word(node: Node<'_>, source: &str) -> Word {
    finish(&parts(node, source), node, source)
}

fn parts(node: Node<'_>, source: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    collect(node, source, &mut parts);
    parts
}

fn finish(parts: &[Part], node: Node<'_>, source: &str) -> Word {
    let unknown = |is_one| Word::Unknown { source: slice(node, source).to_owned(), is_one };
    // `$"…"` is a text to be translated.
    let is_dollar = |part: &Part| matches!(part, Part::Bare(raw) if raw.ends_with('$'));
    if parts
        .iter()
        .zip(parts.iter().skip(1))
        .any(|(part, next)| is_dollar(part) && matches!(next, Part::Quoted(_)))
    {
        return unknown(false);
    }
    let mut text = String::new();
    let (mut is_pattern, mut bare) = (false, String::new());
    for part in parts {
        match part {
            Part::Unknown { .. } => {
                let is_one = parts.iter().all(|part| match part {
                    Part::Unknown { is_quoted } => *is_quoted,
                    Part::Quoted(_) | Part::Bare(_) => true,
                });
                return unknown(is_one && !bare.contains(['*', '?', '[', '{']));
            }
            Part::Quoted(quoted) => text.push_str(quoted),
            Part::Bare(raw) => {
                let Some((unescaped, has_pattern)) = unescape(raw) else { return unknown(false) };
                is_pattern |= has_pattern;
                text.push_str(&unescaped);
                bare.push_str(raw);
            }
        }
    }
    // `{}` alone is not a brace expansion; `a{b,c}` and `{1..9}` are.
    if bare.contains('{') && text != "{}" {
        return unknown(false);
    }
    // Another user's home.
    if matches!(parts.first(), Some(Part::Bare(raw)) if raw.starts_with('~') && !raw.starts_with("~/") && raw != "~")
    {
        return unknown(false);
    }
    // A quoted tilde is a plain character; the prefix distinguishes such a path from the home directory.
    if matches!(parts.first(), Some(Part::Quoted(quoted)) if quoted.starts_with('~')) {
        text.insert_str(0, "./");
    }
    if is_pattern { Word::Glob(text) } else { Word::Text(text) }
}

fn collect(node: Node<'_>, source: &str, parts: &mut Vec<Part>) {
    match node.kind() {
        "command_name" | "concatenation" => {
            let mut end = None;
            for index in 0..node.child_count() {
                let Some(child) = node.child(index) else { continue };
                // A gap inside one word is a part that the grammar skipped.
                if end.is_some_and(|end| end != child.start_byte()) {
                    parts.push(Part::Unknown { is_quoted: false });
                }
                end = Some(child.end_byte());
                collect(child, source, parts);
            }
        }
        // `{1..3}`
        "brace_expression" => parts.push(Part::Bare(slice(node, source).to_owned())),
        "word" | "number" | "variable_name" => {
            let is_leaf = node.named_child_count() == 0;
            parts.push(if is_leaf {
                Part::Bare(slice(node, source).to_owned())
            } else {
                Part::Unknown { is_quoted: false }
            });
        }
        "raw_string" => {
            let text = slice(node, source);
            let inner = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
            parts.push(match inner {
                Some(inner) => Part::Quoted(inner.to_owned()),
                None => Part::Unknown { is_quoted: false },
            });
        }
        "string" => parts.push(string(node, source)),
        // One word, whatever separates words.
        "arithmetic_expansion" => parts.push(match sums::value(slice(node, source)) {
            Some(value) => Part::Quoted(value.to_string()),
            None => Part::Unknown { is_quoted: false },
        }),
        _ => parts.push(Part::Unknown { is_quoted: false }),
    }
}

/// Returns a text in double quotes.
fn string(node: Node<'_>, source: &str) -> Part {
    let mut cursor = node.walk();
    let is_plain = node.named_children(&mut cursor).all(|child| child.kind() == "string_content");
    let text = slice(node, source);
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    let Some(inner) = inner.filter(|_| is_plain) else {
        // `"$@"` is as many words as there are arguments.
        let is_list = ["$@", "${@", "[@]"].iter().any(|list| text.contains(list));
        return Part::Unknown { is_quoted: !is_list };
    };
    let mut out = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('\n') => {}
                Some(escaped @ ('$' | '`' | '"' | '\\')) => out.push(escaped),
                Some(other) => out.extend(['\\', other]),
                None => return Part::Unknown { is_quoted: true },
            },
            // An expansion that the grammar did not see.
            '`' => return Part::Unknown { is_quoted: true },
            '$' => {
                let next = chars.clone().next();
                if next.is_some_and(|next| next.is_alphanumeric() || "{(_@*#?-!$'\"".contains(next))
                {
                    return Part::Unknown { is_quoted: true };
                }
                out.push('$');
            }
            _ => out.push(c),
        }
    }
    Part::Quoted(out)
}

/// Removes the backslashes from an unquoted text, and returns true with it if it is a pattern. `None` if the text contains a character that
/// should not be there unquoted.
fn unescape(raw: &str) -> Option<(String, bool)> {
    let (mut out, mut is_pattern) = (String::new(), false);
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                '\n' => {}
                escaped => out.push(escaped),
            },
            '`' | '"' | '\'' | '(' | ')' | '<' | '>' | '|' | '&' | ';' => return None,
            '$' if chars.clone().next().is_some() => return None,
            '*' | '?' | '[' => {
                is_pattern = true;
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    Some((out, is_pattern))
}

pub(super) fn slice<'a>(node: Node<'_>, source: &'a str) -> &'a str {
    source.get(node.byte_range()).unwrap_or_default()
}
