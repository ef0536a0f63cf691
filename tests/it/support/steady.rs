//! Values of a run that are the same in every run: ids, times, paths and the machine's own facts stand for themselves.

use super::program::Place;
use serde_json::{Map, Value, json};

/// Names the ids of a run in the order in which it sees them.
pub(crate) struct Steady {
    project: String,
    home: String,
    ids: Vec<String>,
    max_chars: usize,
    max_items: usize,
}

impl Steady {
    pub(crate) fn new(place: &Place) -> Self {
        let home = std::fs::canonicalize(place.home()).unwrap();
        Self {
            project: place.project().to_str().unwrap().to_owned(),
            home: home.to_str().unwrap().to_owned(),
            ids: Vec::new(),
            max_chars: usize::MAX,
            max_items: usize::MAX,
        }
    }

    /// Also cuts longer texts and lists.
    pub(crate) fn cut(self, max_chars: usize, max_items: usize) -> Self {
        Self { max_chars, max_items, ..self }
    }

    pub(crate) fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                let members = members.iter();
                let member =
                    |(key, value): (&String, &Value)| (key.clone(), self.member(key, value));
                Value::Object(members.map(member).collect::<Map<_, _>>())
            }
            Value::Array(items) => {
                items.iter().take(self.max_items).map(|item| self.value(item)).collect()
            }
            Value::String(text) => {
                let text = text.replace(&self.project, "/project");
                let text = text.replace(&self.home, "/home/me/pintle");
                let text = self.named(&text);
                if text.chars().count() <= self.max_chars {
                    return Value::String(text);
                }
                Value::String(text.chars().take(self.max_chars).chain(['…']).collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn member(&mut self, key: &str, value: &Value) -> Value {
        match (key, value) {
            ("durationMs", Value::Number(_)) => json!(5),
            ("expiresInMs", Value::Number(_)) => json!(900_000),
            (_, Value::Number(_)) if key.ends_with("Ms") => json!(1_790_000_000_000_u64),
            ("tokens", Value::Number(_)) => json!(2000),
            ("bytes", Value::Number(_)) => json!(13_000),
            ("ref", Value::String(_)) => json!("output-a1b2c3.log"),
            ("text", Value::String(text)) if text.contains("\n- created: ") => {
                let (before, after) = text.split_once("\n- created: ").unwrap();
                let (_, after) = after.split_once('\n').unwrap();
                let text = format!("{before}\n- created: 2026-09-21 14:26:40 UTC\n{after}");
                self.value(&Value::String(text))
            }
            // Another machine enforces something else.
            ("sandbox", Value::Object(_)) => {
                json!({"grade": "full", "level": "full: Landlock 7, seccomp, namespaces"})
            }
            ("schemaHash", _) => json!("0123456789abcdef"),
            ("path", Value::String(text)) if text.contains("/sessions/") => {
                json!("/home/me/pintle/sessions/project/20260921T142640Z_id-1")
            }
            ("lastSentSeq" | "headSeq", Value::Number(_)) => {
                json!(if key == "headSeq" { 180 } else { 120 })
            }
            (_, value) => self.value(value),
        }
    }

    /// Puts `id-1`, `id-2` … in the places of ids.
    fn named(&mut self, text: &str) -> String {
        const LENGTH: usize = 36;
        let is_id = |piece: &str| {
            let dashes = piece.match_indices('-').map(|(at, _)| at);
            piece.chars().all(|c| c.is_ascii_hexdigit() || c == '-') && dashes.eq([8, 13, 18, 23])
        };
        let mut out = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if let Some(id) = rest.get(..LENGTH).filter(|piece| is_id(piece)) {
                let known = self.ids.iter().position(|known| known == id);
                let at = known.unwrap_or_else(|| {
                    self.ids.push(id.to_owned());
                    self.ids.len() - 1
                });
                out.push_str("id-");
                out.push_str(&(at + 1).to_string());
                rest = &rest[LENGTH..];
            } else {
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        out
    }
}
