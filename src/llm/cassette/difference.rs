//! Difference of two requests, line by line: each text of a body is split into its lines, each identified by its place. Pure.

use pintle_base::text::line_diff;
use pintle_base::text::visible::visible_line;
use serde_json::Value;
use std::fmt::Write;

/// Maximum number of lines shown of each side.
const MAX_LINES: usize = 4;

/// Maximum number of characters shown of a line.
const MAX_CHARS: usize = 160;

/// Request line: the place of its text in the body, as in `messages/0/content`, and the line.
pub(super) type Line = (String, String);

/// Returns a request's lines.
pub(super) fn lines(path: &str, body: &Value) -> Vec<Line> {
    let mut all = vec![("path".to_owned(), path.to_owned())];
    add(&mut all, "", body);
    all
}

fn add(all: &mut Vec<Line>, place: &str, value: &Value) {
    let below = |name: &str| {
        if place.is_empty() { name.to_owned() } else { format!("{place}/{name}") }
    };
    match value {
        Value::String(text) => {
            all.extend(text.split('\n').map(|line| (place.to_owned(), line.to_owned())));
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                add(all, &below(&at.to_string()), item);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                add(all, &below(name), field);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            all.push((place.to_owned(), value.to_string()));
        }
    }
}

/// Returns the number of lines that two requests have in common at their beginning and at their end.
fn common(recorded: &[Line], sent: &[Line]) -> (usize, usize) {
    let first = recorded.iter().zip(sent).take_while(|(a, b)| a == b).count();
    let rest = recorded.len().min(sent.len()) - first;
    let backwards = recorded.iter().rev().zip(sent.iter().rev());
    (first, backwards.take(rest).take_while(|(a, b)| a == b).count())
}

/// Returns the similarity of two requests: higher is nearer.
pub(super) fn alike(recorded: &[Line], sent: &[Line]) -> usize {
    let (first, last) = common(recorded, sent);
    first + last
}

/// Returns the lines that differ, a few of each side.
pub(super) fn shown(recorded: &[Line], sent: &[Line]) -> String {
    let [old, new] = [recorded, sent].map(|lines| {
        let joined = lines.iter().map(|(place, line)| format!("{place}\n{line}"));
        joined.collect::<Vec<_>>()
    });
    let [old, new] = [&old, &new].map(|lines| lines.iter().map(String::as_str).collect::<Vec<_>>());
    let (mut removed, mut added) = (Side::new('-'), Side::new('+'));
    let mut text = String::new();
    for change in line_diff::changes(&old, &new) {
        removed.add(&mut text, recorded.get(change.old).unwrap_or_default());
        added.add(&mut text, sent.get(change.new).unwrap_or_default());
    }
    removed.finish(&mut text);
    added.finish(&mut text);
    text.truncate(text.trim_end().len());
    text
}

/// The lines of one side.
struct Side {
    sign: char,
    count: usize,
}

impl Side {
    fn new(sign: char) -> Self {
        Self { sign, count: 0 }
    }

    fn add(&mut self, text: &mut String, lines: &[Line]) {
        for (place, line) in lines {
            self.count += 1;
            if self.count > MAX_LINES {
                continue;
            }
            let short: String = line.chars().take(MAX_CHARS).collect();
            let cut = if short.len() < line.len() { "…" } else { "" };
            let _ = writeln!(text, "{} {place}: {}{cut}", self.sign, visible_line(&short));
        }
    }

    fn finish(&self, text: &mut String) {
        if let Some(more) = self.count.checked_sub(MAX_LINES).filter(|more| *more > 0) {
            let _ = writeln!(text, "{} … {more} more lines", self.sign);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_differs_is_shown_with_its_place() {
        let recorded = json!({"system": "a\nb\nc", "messages": [{"role": "user", "content": "x"}]});
        let rows = [
            (
                json!({"system": "a\nB\u{1b}\nc", "messages": [{"role": "user", "content": "x"}]}),
                "- system: b\n+ system: B␛",
            ),
            (
                json!({"system": "a\nb\nc\nd\ne\nf\ng\nh", "messages": [{"role": "user", "content": "x"}]}),
                "+ system: d\n+ system: e\n+ system: f\n+ system: g\n+ … 1 more lines",
            ),
            (
                json!({"system": "a\nb\nc", "messages": []}),
                "- messages/0/role: user\n- messages/0/content: x",
            ),
        ];
        let recorded = lines("/v1", &recorded);
        for (body, want) in rows {
            let sent = lines("/v1", &body);
            assert_eq!(shown(&recorded, &sent), want);
            assert!(alike(&recorded, &sent) > alike(&lines("/v2", &json!({})), &sent), "{want}");
        }
    }
}
