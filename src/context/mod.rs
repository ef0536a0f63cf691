//! The model's view: the system prompt, the conversation, and how room is made in it.

pub mod agents;
pub mod compact;
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
pub mod room;
pub mod rules;
pub mod skills;
pub mod templates;
pub mod title;

/// A piece of text between marks that say what it is.
fn tag(name: &str, attributes: &[(&str, &str)], body: &str) -> String {
    let attribute = |(key, value): &(&str, &str)| {
        format!(" {key}=\"{}\"", value.replace('"', "&quot;").replace('\n', " "))
    };
    let begin = attributes.iter().fold(name.to_owned(), |begin, one| begin + &attribute(one));
    format!("<{begin}>\n{}\n</{name}>", body.trim_end_matches('\n'))
}

/// A line of an index: the first words of a description, on one line.
fn in_a_line(text: &str, max_chars: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(max_chars) {
        None => line,
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
    }
}
