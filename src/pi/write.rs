//! A session of ours as a session file of Pi's, version 3, a line at a time.
//!
//! Invariant: every line's parent is the line before it, results stand behind their reply in the order of its calls, and what came
//! from Pi goes back as it came.

use super::fields::Fields;
use super::{KEY, VERSION, blocks};
use crate::context::conversation::{Kept, Read, Replayed, Skeleton};
use crate::llm::{Effort, ModelRef};
use crate::store::{Entry, Header};
use pintle_protocol::event::{Event, EventRecord, StepCompleted};
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{Compaction, Item, ItemBody, ToolCall};
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};

/// Writes the lines of a session.
#[derive(Debug, Default)]
pub struct Writer {
    last_id: Option<String>,
    used: HashSet<String>,
    /// The messages that a model reads, by the ids of their lines; a result's is marked.
    messages: Vec<(String, bool)>,
    /// Items that the next reply may name.
    items: HashMap<ItemId, Item>,
    /// The calls of the last reply, in order, with the lines of their results as far as they have come.
    calls: Vec<Waiting>,
    /// Provider, model and effort, as last written.
    model: Option<(String, String)>,
    effort: Option<String>,
}

#[derive(Debug)]
struct Waiting {
    item: ItemId,
    call_id: String,
    name: String,
    result: Result,
}

/// What is known of a call's result.
#[derive(Debug)]
enum Result {
    /// Nothing.
    Open,
    /// There was none in the file that it came from.
    Missing,
    /// Its line, without ids.
    Line { line: Fields, ms: u64 },
}

/// What the private part of an entry says of Pi.
enum Origin {
    /// Nothing: the event is our own.
    Ours,
    /// It stands for something that was not in the file.
    Made,
    /// The line it came from.
    Line(Fields),
}

impl Writer {
    /// Adds the first line.
    pub fn begin(&mut self, header: &Header, out: &mut String) {
        let head = json!({
            "type": "session",
            "version": VERSION,
            "id": header.session_id,
            "timestamp": iso(header.created_ms),
            "cwd": header.cwd,
        });
        Fields::of(&head).push_line(out);
    }

    /// Adds what an entry says.
    pub fn entry(&mut self, entry: &Entry, out: &mut String) {
        let Some(record) = &entry.record else { return };
        let origin = origin(entry.private.as_deref());
        match &record.event {
            Event::SessionCreated(created) => {
                if matches!(origin, Origin::Ours) {
                    self.model(&created.model, record.ts_ms, out);
                    if let Some(title) = &created.title {
                        let line = json!({ "type": "session_info", "name": title });
                        self.line(Fields::of(&line), record, out);
                    }
                }
            }
            Event::ConfigChanged(changed) => match origin {
                Origin::Ours => self.model(&changed.model, record.ts_ms, out),
                Origin::Made => {}
                Origin::Line(line) => {
                    self.line(line, record, out);
                }
            },
            Event::Notice(_) => {
                if let Origin::Line(line) = origin {
                    self.line(line, record, out);
                }
            }
            Event::ItemStarted { item } | Event::ItemUpdated { item } => self.note(item),
            Event::ItemCompleted { item } => self.item(item, entry, record, origin, out),
            Event::StepCompleted(step) => self.step(step, entry, record, origin, out),
            Event::SessionClosed {}
            | Event::InputAccepted(_)
            | Event::InputRemoved { .. }
            | Event::QueueChanged { .. }
            | Event::TurnStarted { .. }
            | Event::PromptMade(_)
            | Event::TurnCompleted(_)
            | Event::ApprovalRequested(_)
            | Event::ApprovalResolved(_)
            | Event::QuestionRequested(_)
            | Event::QuestionResolved(_)
            | Event::PlanUpdated(_)
            | Event::RetryScheduled(_)
            | Event::FilesChanged(_)
            | Event::ReviewDecided(_)
            | Event::ReviewQueued(_)
            | Event::SessionUpdated(_)
            | Event::HistoryRewound(_)
            | Event::LabelChanged(_)
            // What the model reads no longer stays in the file; Pi makes room by its own rules.
            | Event::ContextPruned(_) => {}
        }
    }

    /// Adds what is left.
    pub fn end(&mut self, out: &mut String) {
        self.settle(out);
    }

    /// Keeps what a reply may name until it is over.
    fn note(&mut self, item: &Item) {
        match &item.body {
            ItemBody::AgentMessage(_) | ItemBody::Reasoning(_) | ItemBody::ToolCall(_) => {
                self.items.insert(item.id.clone(), item.clone());
            }
            ItemBody::UserMessage(_)
            | ItemBody::Job(_)
            | ItemBody::Subagent(_)
            | ItemBody::Compaction(_)
            | ItemBody::EngineMessage(_) => {}
        }
    }

    fn item(
        &mut self,
        item: &Item,
        entry: &Entry,
        record: &EventRecord,
        origin: Origin,
        out: &mut String,
    ) {
        match &item.body {
            ItemBody::UserMessage(message) => {
                self.settle(out);
                let line = match origin {
                    Origin::Made => return,
                    Origin::Line(line) => line,
                    Origin::Ours => {
                        let read = Read::of(&message.content, entry.private.as_deref());
                        Fields::of(&json!({
                            "type": "message",
                            "message": { "role": "user", "content": blocks::to_pi(&read), "timestamp": record.ts_ms },
                        }))
                    }
                };
                self.said(line, record, out);
            }
            ItemBody::EngineMessage(message) => {
                self.settle(out);
                let line = match origin {
                    // The model reads it, so it counts where messages are counted.
                    Origin::Made => {
                        let id = self.last_id.clone().unwrap_or_default();
                        self.messages.push((id, false));
                        return;
                    }
                    Origin::Line(line) => line,
                    Origin::Ours => Fields::of(&json!({
                        "type": "custom_message",
                        "customType": "pintle",
                        "content": message.text,
                        "display": true,
                    })),
                };
                self.said(line, record, out);
            }
            ItemBody::AgentMessage(_) | ItemBody::Reasoning(_) => self.note(item),
            ItemBody::ToolCall(call) => {
                self.note(item);
                let Some(waiting) = self.calls.iter_mut().find(|call| call.item == item.id) else {
                    return;
                };
                waiting.result = match origin {
                    Origin::Made => Result::Missing,
                    Origin::Line(line) => Result::Line { line, ms: record.ts_ms },
                    Origin::Ours => {
                        let line = result(call, waiting, record.ts_ms);
                        Result::Line { line, ms: record.ts_ms }
                    }
                };
            }
            ItemBody::Compaction(summary) => self.compaction(summary, entry, record, origin, out),
            ItemBody::Job(_) | ItemBody::Subagent(_) => {}
        }
    }

    fn step(
        &mut self,
        step: &StepCompleted,
        entry: &Entry,
        record: &EventRecord,
        origin: Origin,
        out: &mut String,
    ) {
        self.settle(out);
        let skeleton = entry.private.as_deref().and_then(|raw| Skeleton::read(raw.get()));
        let Some(Replayed { assistant, calls }) =
            skeleton.map(|skeleton| skeleton.fill(&self.items))
        else {
            self.items.clear();
            // A reply without content is a line of its own in Pi, and no message for the model.
            if let Origin::Line(line) = origin {
                self.line(line, record, out);
            }
            return;
        };
        self.items.clear();
        let line = match origin {
            Origin::Made => return,
            Origin::Line(line) => line,
            Origin::Ours => {
                let (provider, model) =
                    assistant.origin.split_once('/').unwrap_or(("pintle", &assistant.origin));
                Fields::of(&json!({
                    "type": "message",
                    "message": {
                        "role": "assistant",
                        "content": blocks::reply(&assistant),
                        "api": api(provider),
                        "provider": provider,
                        "model": model,
                        "usage": blocks::usage_to_pi(&step.usage, step.cost_nano_usd),
                        "stopReason": blocks::stop_to_pi(step.stop),
                        "timestamp": record.ts_ms,
                    },
                }))
            }
        };
        self.said(line, record, out);
        self.calls = calls
            .into_iter()
            .map(|(item, call_id, name)| Waiting { item, call_id, name, result: Result::Open })
            .collect();
    }

    fn compaction(
        &mut self,
        summary: &Compaction,
        entry: &Entry,
        record: &EventRecord,
        origin: Origin,
        out: &mut String,
    ) {
        let kept = entry.private.as_deref().and_then(|raw| Kept::read(raw.get()));
        let (Some(text), Some(kept)) = (&summary.summary, kept) else { return };
        self.settle(out);
        let cut = self.messages.len().saturating_sub(kept);
        let first = self.messages.get(cut).map(|(id, _)| id.clone());
        let mut line = match origin {
            Origin::Line(line) => line,
            Origin::Ours | Origin::Made => Fields::of(&json!({
                "type": "compaction",
                "summary": text,
                "tokensBefore": summary.tokens_before,
            })),
        };
        line.remove("firstKeptEntryIndex");
        let named = line.text("firstKeptEntryId");
        if !named.is_some_and(|id| self.used.contains(&id)) {
            // With nothing kept it names itself.
            let own = || line.text("id").filter(|id| !self.used.contains(id));
            let id = first.or_else(own).unwrap_or_else(|| new_id(record.seq, &self.used));
            line.insert("firstKeptEntryId", id);
        }
        let id = self.line(line, record, out);
        self.messages.splice(..cut, [(id, false)]);
    }

    /// Writes the results of the last reply's calls, in the order of the calls.
    fn settle(&mut self, out: &mut String) {
        for call in std::mem::take(&mut self.calls) {
            let id = match call.result {
                Result::Line { line, ms } => self.write(line, ms, None, out),
                // Pi gives a call without a result one of its own.
                Result::Open | Result::Missing => self.last_id.clone().unwrap_or_default(),
            };
            self.messages.push((id, true));
        }
    }

    /// Writes a line that is a message for the model.
    fn said(&mut self, line: Fields, record: &EventRecord, out: &mut String) {
        let id = self.line(line, record, out);
        self.messages.push((id, false));
    }

    fn line(&mut self, line: Fields, record: &EventRecord, out: &mut String) -> String {
        self.write(line, record.ts_ms, Some(record.seq), out)
    }

    /// Writes a line behind the last one and returns its id.
    fn write(&mut self, mut given: Fields, ms: u64, seq: Option<u64>, out: &mut String) -> String {
        let own = given.text("id").filter(|id| !self.used.contains(id));
        let id = own.unwrap_or_else(|| new_id(seq.unwrap_or(ms), &self.used));
        self.used.insert(id.clone());
        let kind = given.remove("type");
        let stamp = given.text("timestamp").unwrap_or_else(|| iso(ms));
        for key in ["id", "parentId", "timestamp"] {
            given.remove(key);
        }
        hook_message(&mut given);
        let mut fields = Fields::default();
        fields.insert("type", kind);
        fields.insert("id", &id);
        fields.insert("parentId", self.last_id.take());
        fields.insert("timestamp", stamp);
        fields.extend(given);
        fields.push_line(out);
        self.last_id = Some(id.clone());
        id
    }

    /// Writes what differs from the model as last written.
    fn model(&mut self, model: &str, ms: u64, out: &mut String) {
        let Ok(model) = model.parse::<ModelRef>() else { return };
        let named = (model.provider, model.id);
        if self.model.as_ref() != Some(&named) {
            let line = json!({ "type": "model_change", "provider": named.0, "modelId": named.1 });
            self.model = Some(named);
            self.write(Fields::of(&line), ms, None, out);
        }
        let level = match model.effort {
            None | Some(Effort::None) => "off",
            Some(effort) => effort.name(),
        };
        if self.effort.as_deref() != Some(level) {
            let line = json!({ "type": "thinking_level_change", "thinkingLevel": level });
            self.effort = Some(level.to_owned());
            self.write(Fields::of(&line), ms, None, out);
        }
    }
}

/// What version 2 called a message of an extension.
fn hook_message(fields: &mut Fields) {
    let message = fields.get("message").map(RawValue::get).unwrap_or_default();
    if !message.contains("hookMessage") {
        return;
    }
    if let Ok(mut message) = serde_json::from_str::<Fields>(message)
        && message.text("role").as_deref() == Some("hookMessage")
    {
        message.insert("role", "custom");
        let mut text = String::new();
        message.push_line(&mut text);
        if let Ok(raw) = RawValue::from_string(text.trim_end().to_owned()) {
            fields.insert("message", raw);
        }
    }
}

fn origin(private: Option<&RawValue>) -> Origin {
    let private = private.and_then(|raw| serde_json::from_str::<Fields>(raw.get()).ok());
    match private.as_ref().and_then(|fields| fields.get(KEY)) {
        None => Origin::Ours,
        Some(line) => match serde_json::from_str(line.get()) {
            Ok(line) => Origin::Line(line),
            Err(_) => Origin::Made,
        },
    }
}

fn result(call: &ToolCall, waiting: &Waiting, ms: u64) -> Fields {
    let output = call.output.as_ref();
    Fields::of(&json!({
        "type": "message",
        "message": {
            "role": "toolResult",
            "toolCallId": waiting.call_id,
            "toolName": waiting.name,
            "content": blocks::to_pi(output.map(|output| output.content.as_slice()).unwrap_or_default()),
            "isError": output.is_some_and(|output| output.is_error),
            "timestamp": ms,
        },
    }))
}

/// What Pi calls the wire of a provider; one that it does not know speaks what most do.
fn api(provider: &str) -> &'static str {
    match provider {
        "anthropic" => "anthropic-messages",
        "openai" => "openai-responses",
        "google" => "google-generative-ai",
        _ => "openai-completions",
    }
}

/// Eight hexadecimal digits that no other line has.
fn new_id(seed: u64, used: &HashSet<String>) -> String {
    let mut ids = (0..=u64::MAX).map(|step| {
        let number = seed.wrapping_mul(0x9e37_79b9).wrapping_add(step) & 0xffff_ffff;
        format!("{number:08x}")
    });
    ids.find(|id| !used.contains(id)).unwrap_or_default()
}

fn iso(ms: u64) -> String {
    let stamp = i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    stamp.unwrap_or_default().strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}
