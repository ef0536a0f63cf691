//! The model's view: the system prompt, the conversation, and the reduction of its context.

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

/// Encloses a text in tags that name its kind.
fn tag(name: &str, attributes: &[(&str, &str)], body: &str) -> String {
    let attribute = |(key, value): &(&str, &str)| {
        format!(" {key}=\"{}\"", value.replace('"', "&quot;").replace('\n', " "))
    };
    let begin = attributes.iter().fold(name.to_owned(), |begin, pair| begin + &attribute(pair));
    format!("<{begin}>\n{}\n</{name}>", body.trim_end_matches('\n'))
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
