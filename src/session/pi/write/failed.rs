//! Replies without a regular end: cut by a failure or by a user, or never started. Pi has a line for each, with the reason.
//!
//! The reason for a cut is known only afterwards, so the reply's line waits until then. Invariant: a turn that answers a message and does
//! not complete has exactly one line with the reason, whatever its origin.

use super::super::fields::Fields;
use super::super::{ABORTED, blocks};
use super::Writer;
use pintle_llm::{Assistant, ModelRef};
use pintle_protocol::content::Usage;
use pintle_protocol::event::{EventRecord, SessionCreated, TurnCompleted, TurnStatus};
use pintle_protocol::item::Item;
use serde_json::{Value, json};

/// The open turn.
#[derive(Debug, Default)]
pub(super) struct TurnState {
    /// The model that replies, as `provider/id`.
    model: String,
    /// True if the turn answers a message.
    is_answering: bool,
    /// Its last reply, which was cut: the message without the reason.
    cut: Option<Cut>,
    /// A line with the reason was written.
    is_reported: bool,
    /// True if a line with the reason for a retry was written.
    is_retrying: bool,
}

#[derive(Debug)]
struct Cut {
    message: Value,
    /// The model reads its content.
    is_read: bool,
}

/// A journal part that was copied from another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Copied {
    last_seq: u64,
    ms: u64,
}

impl Copied {
    pub(super) fn from_fork(created: &SessionCreated, record: &EventRecord) -> Option<Self> {
        let from = created.forked_from.as_ref()?;
        Some(Self { last_seq: from.copied_seq, ms: record.ts_ms })
    }

    /// Returns true if an event only closes a turn that the copy has cut.
    fn closes(self, record: &EventRecord) -> bool {
        record.seq <= self.last_seq && record.ts_ms == self.ms
    }
}

impl TurnState {
    /// Starts a turn.
    pub(super) fn started(model: &str) -> Self {
        Self { model: model.to_owned(), ..Self::default() }
    }

    /// Notes that the turn answers a message.
    pub(super) fn set_answering(&mut self) {
        self.is_answering = true;
    }

    /// Notes that a reply continues, or is complete.
    pub(super) fn continue_reply(&mut self) {
        (self.is_reported, self.is_retrying) = (false, false);
    }

    /// Notes that an original line contains the reason.
    pub(super) fn set_reported(&mut self) {
        self.is_reported = true;
    }
}

impl Writer {
    /// Notes a reply that was cut, with the usage that its provider reported.
    pub(super) fn cut(&mut self, read: Option<&Assistant>, usage: &Usage, cost: Option<u64>) {
        let content = self.content_of_cut(read);
        let message = self.reply_of(&content, usage, cost);
        self.turn.cut = Some(Cut { message, is_read: read.is_some() });
        self.turn.continue_reply();
    }

    /// Writes the line for a failed reply that is retried.
    pub(super) fn retry_scheduled(&mut self, reason: &str, record: &EventRecord, out: &mut String) {
        if self.turn.is_answering {
            self.settle(out);
            self.write_end("error", reason, record, out);
            self.turn.is_retrying = true;
        }
    }

    /// Ends a turn.
    pub(super) fn turn_completed(
        &mut self,
        end: &TurnCompleted,
        record: &EventRecord,
        out: &mut String,
    ) {
        let (stop, reason, is_reported) = match (end.status, &end.error) {
            (TurnStatus::Completed, _) => return,
            (TurnStatus::Interrupted, _) => {
                ("aborted", ABORTED, self.turn.is_reported || self.turn.is_retrying)
            }
            (TurnStatus::Failed, error) => {
                let reason =
                    error.as_ref().map_or("the turn failed", |error| error.message.as_str());
                ("error", reason, self.turn.is_reported)
            }
        };
        let is_of_copy = self.copied.is_some_and(|copied| copied.closes(record));
        let needs_line = self.turn.is_answering && !is_reported && !is_of_copy;
        if self.turn.cut.is_some() || needs_line {
            self.settle(out);
            self.write_end(stop, reason, record, out);
        }
    }

    /// Writes a cut reply without a known reason.
    pub(super) fn end_cut(&mut self, ms: u64, out: &mut String) {
        if let Some(cut) = self.turn.cut.take() {
            let line = line(cut.message, "aborted", ABORTED, ms);
            self.write(line, ms, "cut", out);
        }
    }

    fn write_end(&mut self, stop: &str, reason: &str, record: &EventRecord, out: &mut String) {
        let cut = self.turn.cut.take().unwrap_or_else(|| {
            let message = self.reply_of(&[], &Usage::default(), None);
            Cut { message, is_read: false }
        });
        let line = line(cut.message, stop, reason, record.ts_ms);
        if cut.is_read {
            self.message_line(line, record, out);
        } else {
            self.line(line, record, out);
        }
    }

    /// Returns a cut reply's content, with the calls that never ran.
    fn content_of_cut(&self, read: Option<&Assistant>) -> Vec<Value> {
        let mut items: Vec<&Item> = self.items.values().collect();
        items.sort_by(|a, b| a.id.cmp(&b.id));
        let mut content = read.map(blocks::reply).unwrap_or_default();
        for item in items {
            if let Some(call) = item.body.as_tool_call() {
                let arguments = call.input.clone().filter(Value::is_object);
                let arguments = arguments.unwrap_or_else(|| json!({}));
                content.push(json!({
                    "type": "toolCall", "id": item.id, "name": call.tool_name, "arguments": arguments,
                }));
            } else if let (Some(body), None) = (item.body.as_text(), read) {
                content.push(match item.body.as_agent_message() {
                    Some(_) => json!({ "type": "text", "text": body.text }),
                    None => json!({ "type": "thinking", "thinking": body.text }),
                });
            }
        }
        content
    }

    fn reply_of(&self, content: &[Value], usage: &Usage, cost: Option<u64>) -> Value {
        let model = self.turn.model.parse::<ModelRef>();
        let (provider, model) = model.map_or_else(
            |_| ("pintle".to_owned(), self.turn.model.clone()),
            |model| (model.provider, model.id),
        );
        json!({
            "role": "assistant",
            "content": content,
            "api": self.options.apis.for_provider(&provider),
            "provider": provider,
            "model": model,
            "usage": blocks::usage_to_pi(usage, cost),
        })
    }
}

fn line(mut message: Value, stop: &str, reason: &str, ms: u64) -> Fields {
    if let Value::Object(message) = &mut message {
        message.insert("stopReason".to_owned(), stop.into());
        message.insert("timestamp".to_owned(), ms.into());
        message.insert("errorMessage".to_owned(), reason.into());
    }
    Fields::parse(&json!({ "type": "message", "message": message }))
}
