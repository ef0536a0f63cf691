//! System prompts as Pi's system messages: the first has all sections and tools, later ones only the changes.
//!
//! Only prompts whose tools are in the journal are written; older journals do not have them.

use super::super::fields::Fields;
use super::Writer;
use crate::context::prompt::BETWEEN;
use pintle_protocol::event::EventRecord;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// The private part of a prompt's entry.
#[derive(Deserialize)]
struct StoredPrompt {
    system: String,
    /// The sections: each name, with its length in bytes.
    #[serde(default)]
    sections: Vec<(String, usize)>,
    tools: Vec<Map<String, Value>>,
}

/// The prompt as Pi's messages have described it so far.
#[derive(Debug, Clone, Default)]
pub(super) struct PromptState {
    sections: Map<String, Value>,
    tools: Vec<Map<String, Value>>,
}

impl PromptState {
    /// Applies a message of Pi's.
    fn apply(&mut self, message: &Value) {
        for (name, text) in message.get("sections").and_then(Value::as_object).into_iter().flatten()
        {
            if text.is_null() {
                self.sections.shift_remove(name);
            } else {
                self.sections.insert(name.clone(), text.clone());
            }
        }
        let list = |key: &str| message.get(key).and_then(Value::as_array).into_iter().flatten();
        for removed in list("toolsRemoved") {
            self.tools.retain(|tool| tool.get("name") != removed.get("name"));
        }
        for new in list("toolsAdded").filter_map(Value::as_object) {
            self.tools.retain(|tool| tool.get("name") != new.get("name"));
            self.tools.push(new.clone());
        }
    }

    /// Returns the whole prompt as a message.
    pub(super) fn full_message(&self, ms: u64) -> Option<Value> {
        if self.sections.is_empty() && self.tools.is_empty() {
            return None;
        }
        let mut message = message(&self.sections, ms);
        put_list(&mut message, "toolsAdded", &self.tools);
        Some(message)
    }

    /// Returns the message that changes it into another one.
    fn change_to(&self, new: &Self, ms: u64) -> Option<Value> {
        let dropped = self.sections.keys().filter(|name| !new.sections.contains_key(*name));
        let mut sections: Map<String, Value> =
            dropped.map(|name| (name.clone(), Value::Null)).collect();
        let changed =
            new.sections.iter().filter(|(name, text)| self.sections.get(*name) != Some(text));
        sections.extend(changed.map(|(name, text)| (name.clone(), text.clone())));
        let added: Vec<_> =
            new.tools.iter().filter(|tool| !self.tools.contains(tool)).cloned().collect();
        let has = |tool: &Map<String, Value>| {
            new.tools.iter().any(|new| new.get("name") == tool.get("name"))
        };
        let removed = self.tools.iter().filter(|tool| !has(tool));
        let removed: Vec<Map<String, Value>> = removed
            .map(|tool| {
                tool.iter()
                    .filter(|(key, _)| *key == "name")
                    .map(|(key, name)| (key.clone(), name.clone()))
                    .collect()
            })
            .collect();
        if sections.is_empty() && added.is_empty() && removed.is_empty() {
            return None;
        }
        let mut message = message(&sections, ms);
        put_list(&mut message, "toolsAdded", &added);
        put_list(&mut message, "toolsRemoved", &removed);
        Some(message)
    }
}

fn message(sections: &Map<String, Value>, ms: u64) -> Value {
    json!({ "role": "system", "content": "", "sections": sections, "timestamp": ms })
}

fn put_list(message: &mut Value, key: &str, list: &[Map<String, Value>]) {
    if let (Value::Object(message), false) = (message, list.is_empty()) {
        message.insert(key.to_owned(), list.iter().cloned().map(Value::Object).collect());
    }
}

impl StoredPrompt {
    /// Returns the sections by name; a prompt without sections has one.
    fn into_state(self) -> PromptState {
        let Self { system, sections: lengths, tools } = self;
        let mut sections = Map::new();
        let mut rest = system.as_str();
        for (name, bytes) in &lengths {
            let Some((text, behind)) = rest.split_at_checked(*bytes) else { break };
            sections.insert(name.clone(), text.into());
            rest = behind.strip_prefix(BETWEEN).unwrap_or(behind);
        }
        if sections.is_empty() {
            sections.insert("preamble".to_owned(), system.trim_end().into());
        }
        PromptState { sections, tools }
    }
}

impl Writer {
    /// Writes a prompt.
    pub(super) fn prompt(
        &mut self,
        private: Option<&RawValue>,
        record: &EventRecord,
        out: &mut String,
    ) {
        let stored = private.and_then(|raw| serde_json::from_str::<StoredPrompt>(raw.get()).ok());
        let Some(stored) = stored.filter(|_| self.options.has_prompts) else { return };
        let new = stored.into_state();
        if let Some(message) = self.prompt.change_to(&new, record.ts_ms) {
            self.settle(out);
            self.line(
                Fields::parse(&json!({ "type": "message", "message": message })),
                record,
                out,
            );
        }
        self.prompt = new;
    }

    /// Applies a line of Pi's that may change the prompt.
    pub(super) fn note_prompt(&mut self, line: &Fields) {
        let message = line.get("message").filter(|_| self.options.has_prompts);
        let message = message.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok());
        if let Some(message) =
            message.filter(|message| message.get("role") == Some(&json!("system")))
        {
            self.prompt.apply(&message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(sections: &[(&str, &str)], tools: &[(&str, &str)]) -> PromptState {
        let sections = sections.iter().map(|(name, text)| ((*name).to_owned(), json!(text)));
        let tool = |(name, what): &(&str, &str)| {
            let fields = [("name", *name), ("description", *what)];
            fields.into_iter().map(|(key, text)| (key.to_owned(), json!(text))).collect()
        };
        PromptState { sections: sections.collect(), tools: tools.iter().map(tool).collect() }
    }

    #[test]
    fn what_a_message_says_is_what_has_changed_and_who_hears_it_knows_all() {
        let before = prompt(&[("a", "1"), ("b", "2")], &[("read", "x"), ("bash", "y")]);
        for (name, after, want) in [
            ("nothing", before.clone(), None),
            (
                "a text",
                prompt(&[("a", "1"), ("b", "3")], &[("read", "x"), ("bash", "y")]),
                Some(json!({"sections": {"b": "3"}})),
            ),
            (
                "a section is gone and another comes",
                prompt(&[("a", "1"), ("c", "2")], &[("read", "x"), ("bash", "y")]),
                Some(json!({"sections": {"b": null, "c": "2"}})),
            ),
            (
                "tools",
                prompt(&[("a", "1"), ("b", "2")], &[("read", "new"), ("edit", "z")]),
                Some(json!({
                    "sections": {},
                    "toolsAdded": [{"name": "read", "description": "new"}, {"name": "edit", "description": "z"}],
                    "toolsRemoved": [{"name": "bash"}],
                })),
            ),
        ] {
            let message = before.change_to(&after, 7);
            let mut applied = before.clone();
            applied.apply(&message.clone().unwrap_or_default());
            assert_eq!((applied.sections, applied.tools), (after.sections, after.tools), "{name}");
            let said = message.map(|mut message| {
                let fields = message.as_object_mut().unwrap();
                let said = ["role", "content", "timestamp"].map(|key| fields.shift_remove(key));
                assert_eq!(said, [json!("system"), json!(""), json!(7)].map(Some), "{name}");
                message
            });
            assert_eq!(said, want, "{name}");
        }
    }
}
