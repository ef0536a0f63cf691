//! Replies without an end of their own: cut by a failure or by a person, or never begun. Pi has a line of each, which says why.
//!
//! Why a reply was cut is known after it, so its line waits until then. Invariant: a turn that answers somebody and ends badly has
//! exactly one line that says so, wherever it came from.

use super::super::fields::Fields;
use super::super::{ABORTED, blocks};
use super::Writer;
use crate::llm::{Assistant, ModelRef};
use pintle_protocol::content::Usage;
use pintle_protocol::event::{EventRecord, SessionCreated, TurnCompleted, TurnStatus};
use pintle_protocol::item::{Item, ItemBody};
use serde_json::{Value, json};

/// The open turn.
#[derive(Debug, Default)]
pub(super) struct Fate {
    /// The model that replies, as `provider/id`.
    model: String,
    /// It answers somebody.
    answers: bool,
    /// Its last reply, which was cut: the message without why.
    cut: Option<Cut>,
    /// A line says how it ended.
    is_told: bool,
    /// A line says why it waits, before another try.
    waits: bool,
}

#[derive(Debug)]
struct Cut {
    message: Value,
    /// The model reads what there is of it.
    is_read: bool,
}

/// The part of a journal that was copied from another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Copied {
    last_seq: u64,
    ms: u64,
}

impl Copied {
    pub(super) fn of(created: &SessionCreated, record: &EventRecord) -> Option<Self> {
        let from = created.forked_from.as_ref()?;
        Some(Self { last_seq: from.copied_seq, ms: record.ts_ms })
    }

    /// True when an event only closes what the copy has cut.
    fn closes(self, record: &EventRecord) -> bool {
        record.seq <= self.last_seq && record.ts_ms == self.ms
    }
}

impl Fate {
    /// A turn begins.
    pub(super) fn begun(model: &str) -> Self {
        Self { model: model.to_owned(), ..Self::default() }
    }

    /// The turn answers somebody.
    pub(super) fn answers(&mut self) {
        self.answers = true;
    }

    /// A reply goes on, or is whole.
    pub(super) fn goes_on(&mut self) {
        (self.is_told, self.waits) = (false, false);
    }

    /// A line from elsewhere says how it ended.
    pub(super) fn told(&mut self) {
        self.is_told = true;
    }
}

impl Writer {
    /// A reply was cut. What its provider counted is known.
    pub(super) fn cut(&mut self, read: Option<&Assistant>, usage: &Usage, cost: Option<u64>) {
        let content = self.content_of_cut(read);
        let message = self.reply_of(&content, usage, cost);
        self.fate.cut = Some(Cut { message, is_read: read.is_some() });
        self.fate.goes_on();
    }

    /// What a provider's failure that is tried again has left.
    pub(super) fn failed_once(&mut self, why: &str, record: &EventRecord, out: &mut String) {
        if self.fate.answers {
            self.settle(out);
            self.say_end("error", why, record, out);
            self.fate.waits = true;
        }
    }

    /// A turn is over.
    pub(super) fn turn_ended(
        &mut self,
        end: &TurnCompleted,
        record: &EventRecord,
        out: &mut String,
    ) {
        let (stop, why, is_told) = match (end.status, &end.error) {
            (TurnStatus::Completed, _) => return,
            (TurnStatus::Interrupted, _) => {
                ("aborted", ABORTED, self.fate.is_told || self.fate.waits)
            }
            (TurnStatus::Failed, error) => {
                let why = error.as_ref().map_or("the turn failed", |error| error.message.as_str());
                ("error", why, self.fate.is_told)
            }
        };
        let is_of_copy = self.copied.is_some_and(|copied| copied.closes(record));
        let is_owed = self.fate.answers && !is_told && !is_of_copy;
        if self.fate.cut.is_some() || is_owed {
            self.settle(out);
            self.say_end(stop, why, record, out);
        }
    }

    /// What is cut and was never said why.
    pub(super) fn end_cut(&mut self, ms: u64, out: &mut String) {
        if let Some(cut) = self.fate.cut.take() {
            let line = line(cut.message, "aborted", ABORTED, ms);
            self.write(line, ms, "cut", out);
        }
    }

    fn say_end(&mut self, stop: &str, why: &str, record: &EventRecord, out: &mut String) {
        let cut = self.fate.cut.take().unwrap_or_else(|| {
            let message = self.reply_of(&[], &Usage::default(), None);
            Cut { message, is_read: false }
        });
        let line = line(cut.message, stop, why, record.ts_ms);
        if cut.is_read {
            self.said(line, record, out);
        } else {
            self.line(line, record, out);
        }
    }

    /// What there is of a reply that was cut, with the calls that never ran.
    fn content_of_cut(&self, read: Option<&Assistant>) -> Vec<Value> {
        let mut items: Vec<&Item> = self.items.values().collect();
        items.sort_by(|one, other| one.id.cmp(&other.id));
        let mut content = read.map(blocks::reply).unwrap_or_default();
        for item in items {
            match &item.body {
                ItemBody::AgentMessage(said) if read.is_none() => {
                    content.push(json!({ "type": "text", "text": said.text }));
                }
                ItemBody::Reasoning(thought) if read.is_none() => {
                    content.push(json!({ "type": "thinking", "thinking": thought.text }));
                }
                ItemBody::ToolCall(call) => {
                    let arguments = call.input.clone().filter(Value::is_object);
                    let arguments = arguments.unwrap_or_else(|| json!({}));
                    content.push(json!({
                        "type": "toolCall", "id": item.id, "name": call.tool_name, "arguments": arguments,
                    }));
                }
                ItemBody::AgentMessage(_)
                | ItemBody::Reasoning(_)
                | ItemBody::UserMessage(_)
                | ItemBody::Job(_)
                | ItemBody::Subagent(_)
                | ItemBody::Compaction(_)
                | ItemBody::EngineMessage(_) => {}
            }
        }
        content
    }

    fn reply_of(&self, content: &[Value], usage: &Usage, cost: Option<u64>) -> Value {
        let model = self.fate.model.parse::<ModelRef>();
        let (provider, model) = model.map_or_else(
            |_| ("pintle".to_owned(), self.fate.model.clone()),
            |model| (model.provider, model.id),
        );
        json!({
            "role": "assistant",
            "content": content,
            "api": self.apis.of(&provider),
            "provider": provider,
            "model": model,
            "usage": blocks::usage_to_pi(usage, cost),
        })
    }
}

fn line(mut message: Value, stop: &str, why: &str, ms: u64) -> Fields {
    if let Value::Object(message) = &mut message {
        message.insert("stopReason".to_owned(), stop.into());
        message.insert("timestamp".to_owned(), ms.into());
        message.insert("errorMessage".to_owned(), why.into());
    }
    Fields::of(&json!({ "type": "message", "message": message }))
}
