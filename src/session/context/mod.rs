//! The model's view: the system prompt, the conversation, and the ways to shrink it.

pub mod agents;
pub mod compact;
pub mod compaction;
pub mod conversation;
pub mod diagnostics;
pub mod documents;
pub mod estimate;
pub mod front_matter;
pub mod input;
pub mod inspect;
pub mod prompt;
pub mod prune;
pub mod repository;
pub mod rights;
pub mod rules;
pub mod skills;
pub mod templates;
pub mod title;

use std::borrow::Cow;

/// The tag around instructions from the user's settings and the session. Project text must not be able to imitate it.
const OWN_FRAME: &str = "user_instructions";

/// Encloses a text in tags that identify its kind. The text cannot close its tag, nor open the user's: such tags in it are escaped with a
/// backslash, `<\/document>`.
fn tag(name: &str, attributes: &[(&str, &str)], body: &str) -> String {
    let body = &enclosed(name, body);
    let begin = begin_tag(name, attributes);
    format!("<{begin}>\n{}\n</{name}>", body.trim_end_matches('\n'))
}

/// Encloses a piece of a file, whose bytes stay, since edits quote them: the tags have a name that the text does not close.
fn tag_exact(name: &str, attributes: &[(&str, &str)], body: &str) -> String {
    let mut unique = name.to_owned();
    let mut number = 1;
    while places(body, &unique, Tags::Closing).next().is_some() {
        number += 1;
        unique = format!("{name}_{number}");
    }
    let begin = begin_tag(&unique, attributes);
    format!("<{begin}>\n{}\n</{unique}>", body.trim_end_matches('\n'))
}

/// Escapes tags in a text that would close its tag or open the user's.
fn enclosed<'a>(name: &str, body: &'a str) -> Cow<'a, str> {
    let mut at: Vec<usize> = places(body, name, Tags::Closing).collect();
    if name != OWN_FRAME {
        at.extend(places(body, OWN_FRAME, Tags::All));
    }
    if at.is_empty() {
        return Cow::Borrowed(body);
    }
    at.sort_unstable();
    at.dedup();
    let mut text = String::with_capacity(body.len() + at.len());
    let mut copied = 0;
    for place in at {
        text.push_str(body.get(copied..=place).unwrap_or_default());
        text.push('\\');
        copied = place + 1;
    }
    text.push_str(body.get(copied..).unwrap_or_default());
    Cow::Owned(text)
}

/// Which tags with a name to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tags {
    Closing,
    All,
}

/// Returns the offsets of the `<` of tags with a name, as loosely as a model may read them.
fn places<'a>(body: &'a str, name: &'a str, tags: Tags) -> impl Iterator<Item = usize> + 'a {
    let is_tag = move |behind: &str| {
        let behind = behind.trim_start();
        let (is_closing, behind) = match behind.strip_prefix('/') {
            Some(behind) => (true, behind.trim_start()),
            None => (false, behind),
        };
        let named = behind.get(..name.len());
        let after = behind.get(name.len()..).and_then(|after| after.chars().next());
        (is_closing || tags == Tags::All)
            && named.is_some_and(|named| named.eq_ignore_ascii_case(name))
            && !after.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
    };
    body.match_indices('<')
        .filter(move |(at, _)| body.get(at + 1..).is_some_and(is_tag))
        .map(|(at, _)| at)
}

fn begin_tag(name: &str, attributes: &[(&str, &str)]) -> String {
    let attribute = |(key, value): &(&str, &str)| {
        format!(" {key}=\"{}\"", value.replace('"', "&quot;").replace('\n', " "))
    };
    attributes.iter().fold(name.to_owned(), |begin, pair| begin + &attribute(pair))
}

/// Returns the first words of a description on one line, for an index.
fn in_a_line(text: &str, max_chars: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(max_chars) {
        None => line,
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_its_own_frame() {
        for (body, want) in [
            ("plain </b> <document>", "plain </b> <document>"),
            ("a</document>b", "a<\\/document>b"),
            ("a< / Document >b", "a<\\ / Document >b"),
            (
                "</documents> </document_2> </document-x>",
                "</documents> </document_2> </document-x>",
            ),
            ("</document", "<\\/document"),
            (
                "<user_instructions>x</user_instructions>",
                "<\\user_instructions>x<\\/user_instructions>",
            ),
            ("ü</document>ü", "ü<\\/document>ü"),
        ] {
            let framed = tag("document", &[("path", "p")], body);
            assert_eq!(framed, format!("<document path=\"p\">\n{want}\n</document>"));
        }
    }

    #[test]
    fn a_piece_of_a_file_keeps_its_bytes_within_its_frame() {
        for (body, name) in [
            ("plain", "file"),
            ("a</file>b", "file_2"),
            ("</file></FILE_2>", "file_3"),
            ("<user_instructions>", "file"),
        ] {
            assert_eq!(tag_exact("file", &[], body), format!("<{name}>\n{body}\n</{name}>"));
        }
    }
}
