//! A session of ours as a session file of Pi's, version 3, a line at a time.
//!
//! Invariants: every line's parent is the line before it on its way, the last line is on the way that the model knows, results stand
//! behind their reply in the order of its calls, and what came from Pi goes back as it came.
#![warn(
    clippy::wildcard_enum_match_arm,
    reason = "a new event must be given its line in a file of Pi"
)]

mod failed;
mod prompt;
mod stops;

use super::fields::Fields;
use super::line::{Apis, Origin, hook_message, iso, name, new_id, origin, result};
use super::thread::Thread;
use super::ways::{Ways, target};
use super::{VERSION, blocks, line};
use crate::history::replay::{Kept, Read, Replayed, Skeleton};
use crate::llm::{Effort, ModelRef};
use crate::store::{Entry, Header};
use failed::{Copied, Fate};
use pintle_protocol::event::{Event, EventRecord, StepCompleted};
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{Compaction, Item, ItemBody};
use prompt::Told;
use serde_json::json;
use std::collections::{BTreeMap, HashMap, HashSet};
use stops::Stop;

/// Writes the lines of a session.
#[derive(Debug)]
pub struct Writer {
    ways: Ways,
    /// What held after the events that the history goes back to.
    stops: BTreeMap<u64, Stop>,
    /// The lines that events with names stand for.
    named: BTreeMap<u64, String>,
    /// The history went back, and no line is there yet.
    is_behind: bool,
    last_id: Option<String>,
    used: HashSet<String>,
    /// The messages that a model reads, by the ids of their lines; a result's is marked.
    messages: Thread<(String, bool)>,
    /// Items that the next reply may name.
    items: HashMap<ItemId, Item>,
    /// The calls of the last reply, in order, with the lines of their results as far as they have come.
    calls: Vec<Waiting>,
    /// Provider, model and effort, as last written.
    model: Option<(String, String)>,
    effort: Option<String>,
    /// When the last line was written, in milliseconds since 1970.
    last_ms: u64,
    is_named_by_items: bool,
    has_prompts: bool,
    apis: Apis,
    fate: Fate,
    copied: Option<Copied>,
    told: Told,
}

#[derive(Debug, Clone)]
struct Waiting {
    item: ItemId,
    call_id: String,
    name: String,
    result: Result,
}

/// What is known of a call's result.
#[derive(Debug, Clone)]
enum Result {
    /// Nothing.
    Open,
    /// There was none in the file that it came from.
    Missing,
    /// Its line, without ids.
    Line { line: Fields, ms: u64 },
    /// Its line is written, with this id.
    Written(String),
}

impl Writer {
    /// A writer of a journal that has these ways.
    pub fn new(ways: Ways) -> Self {
        Self {
            ways,
            stops: BTreeMap::new(),
            named: BTreeMap::new(),
            is_behind: false,
            last_id: None,
            used: HashSet::new(),
            messages: Thread::default(),
            items: HashMap::new(),
            calls: Vec::new(),
            model: None,
            effort: None,
            last_ms: 0,
            is_named_by_items: false,
            has_prompts: false,
            apis: Apis::default(),
            fate: Fate::default(),
            copied: None,
            told: Told::default(),
        }
    }

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

    /// Adds what an entry says of a journal that grows. An entry that goes back in the history, or names a place in it, wants a new
    /// writer, which knows of that place before it comes to it.
    pub fn follow(&mut self, entry: &Entry, out: &mut String) {
        self.ways.last = entry.seq;
        self.entry(entry, out);
    }

    /// Calls are named by their items, as the events of the session name them, and not by their provider.
    #[must_use]
    pub fn named_by_items(mut self) -> Self {
        self.is_named_by_items = true;
        self
    }

    /// System prompts are written too, where the journal knows their tools.
    #[must_use]
    pub fn with_prompts(mut self) -> Self {
        self.has_prompts = true;
        self
    }

    /// Replies came over these wires.
    #[must_use]
    pub fn over(mut self, apis: &Apis) -> Self {
        self.apis = apis.clone();
        self
    }

    /// Adds what an entry says.
    pub fn entry(&mut self, entry: &Entry, out: &mut String) {
        // What is written meanwhile is not part of it.
        if entry.seq > self.ways.last {
            return;
        }
        self.keep_stops(entry.seq);
        let Some(record) = &entry.record else { return };
        let origin = origin(entry.private.as_deref());
        match &record.event {
            Event::SessionCreated(created) => {
                self.copied = Copied::of(created, record);
                if matches!(origin, Origin::Ours) {
                    self.model(&created.model, record, out);
                    if let Some(title) = &created.title {
                        let line = json!({ "type": "session_info", "name": title });
                        self.line(Fields::of(&line), record, out);
                    }
                }
            }
            Event::ConfigChanged(changed) => match origin {
                Origin::Ours => self.model(&changed.model, record, out),
                Origin::Made => {}
                Origin::Line(line) => {
                    self.line(line, record, out);
                }
            },
            Event::Notice(_) => {
                if let Origin::Line(line) = origin {
                    self.hear(&line);
                    self.line(line, record, out);
                }
            }
            Event::TurnStarted { model } => self.fate = Fate::begun(model),
            Event::PromptMade(_) => self.prompt(entry.private.as_deref(), record, out),
            Event::RetryScheduled(retry) => self.failed_once(&retry.message, record, out),
            Event::TurnCompleted(end) => self.turn_ended(end, record, out),
            Event::ItemStarted { item } => {
                self.fate.goes_on();
                self.note(item);
            }
            Event::ItemUpdated { item } => self.note(item),
            Event::ItemCompleted { item } => self.item(item, entry, record, origin, out),
            Event::StepCompleted(step) => self.step(step, entry, record, origin, out),
            Event::HistoryRewound(rewound) => {
                self.settle(out);
                if let Some(to) = target(rewound, entry.seq) {
                    self.go_on_from(to);
                }
            }
            Event::LabelChanged(changed) => {
                let line = match (origin, self.named.get(&changed.seq)) {
                    (Origin::Line(line), _) => line,
                    (Origin::Ours, Some(id)) => match &changed.label {
                        Some(label) => Fields::of(
                            &json!({ "type": "label", "targetId": id, "label": label }),
                        ),
                        None => Fields::of(&json!({ "type": "label", "targetId": id })),
                    },
                    // What stands before the first line has no name in Pi.
                    (Origin::Ours, None) | (Origin::Made, _) => return,
                };
                self.line(line, record, out);
            }
            Event::SessionClosed {}
            | Event::InputAccepted(_)
            | Event::InputRemoved { .. }
            | Event::QueueChanged { .. }
            | Event::ApprovalRequested(_)
            | Event::ApprovalResolved(_)
            | Event::QuestionRequested(_)
            | Event::QuestionResolved(_)
            | Event::PlanUpdated(_)
            | Event::FilesChanged(_)
            | Event::ReviewDecided(_)
            | Event::ReviewQueued(_)
            | Event::SessionUpdated(_)
            // What the model reads no longer stays in the file; Pi makes room by its own rules.
            | Event::ContextPruned(_) => {}
        }
    }

    /// Adds what is left.
    pub fn end(&mut self, out: &mut String) {
        self.settle(out);
        self.end_cut(self.last_ms, out);
        // For Pi a session goes on from its last line.
        if self.is_behind {
            let line = json!({ "type": "custom", "customType": "pintle.here", "data": {} });
            self.write(Fields::of(&line), self.last_ms, "here", out);
        }
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
                self.fate.answers();
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
                let ms = record.ts_ms;
                waiting.result = match origin {
                    Origin::Made => Result::Missing,
                    Origin::Line(line) => Result::Line { line, ms },
                    Origin::Ours => {
                        Result::Line { line: result(call, &waiting.call_id, &waiting.name, ms), ms }
                    }
                };
                self.write_results(out);
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
        let replayed = skeleton.map(|skeleton| skeleton.fill(&self.items));
        match (&origin, step.stop) {
            (Origin::Ours, None) => {
                let read = replayed.as_ref().map(|replayed| &replayed.assistant);
                self.cut(read, &step.usage, step.cost_nano_usd);
                self.items.clear();
                return;
            }
            (Origin::Line(_), None) => self.fate.told(),
            (Origin::Ours | Origin::Line(_) | Origin::Made, _) => self.fate.goes_on(),
        }
        self.items.clear();
        let Some(Replayed { mut assistant, mut calls }) = replayed else {
            // A reply without content is a line of its own in Pi, and no message for the model.
            if let Origin::Line(line) = origin {
                self.line(line, record, out);
            }
            return;
        };
        if self.is_named_by_items && matches!(origin, Origin::Ours) {
            line::name_by_items(&mut assistant, &mut calls);
        }
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
                        "api": self.apis.of(provider),
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
        let first = self.messages.back().take(kept).last().map(|(id, _)| id.clone());
        let is_ours = matches!(origin, Origin::Ours);
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
            let id = first.or_else(own).unwrap_or_else(|| new_id(&name(record), &self.used));
            line.insert("firstKeptEntryId", id);
        }
        if let (true, Some(prompt)) = (is_ours && self.has_prompts, self.told.whole(record.ts_ms)) {
            line.insert("systemMessage", prompt);
        }
        let id = self.line(line, record, out);
        self.messages.cut(kept, (id, false));
    }

    /// Writes the results that have come, in the order of the calls; those from Pi in the order that they had there.
    fn write_results(&mut self, out: &mut String) {
        let mut calls = std::mem::take(&mut self.calls);
        let mut is_due = true;
        for call in &mut calls {
            match &call.result {
                Result::Open => is_due = false,
                Result::Line { line, ms } if is_due || line.get("id").is_some() => {
                    let id = self.write(line.clone(), *ms, &format!("{} result", call.item), out);
                    call.result = Result::Written(id);
                }
                Result::Missing | Result::Written(_) | Result::Line { .. } => {}
            }
        }
        self.calls = calls;
    }

    /// Writes what is left of the results of the last reply's calls.
    fn settle(&mut self, out: &mut String) {
        for call in std::mem::take(&mut self.calls) {
            let id = match call.result {
                Result::Line { line, ms } => {
                    self.write(line, ms, &format!("{} result", call.item), out)
                }
                Result::Written(id) => id,
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
        self.write(line, record.ts_ms, &name(record), out)
    }

    /// Writes a line behind the last one and returns its id, which comes from its name where it has none.
    fn write(&mut self, mut given: Fields, ms: u64, name: &str, out: &mut String) -> String {
        let own = given.text("id").filter(|id| !self.used.contains(id));
        let id = own.unwrap_or_else(|| new_id(name, &self.used));
        (self.is_behind, self.last_ms) = (false, ms);
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
    fn model(&mut self, model: &str, record: &EventRecord, out: &mut String) {
        let (ms, event) = (record.ts_ms, name(record));
        let Ok(model) = model.parse::<ModelRef>() else { return };
        let named = (model.provider, model.id);
        if self.model.as_ref() != Some(&named) {
            let line = json!({ "type": "model_change", "provider": named.0, "modelId": named.1 });
            self.model = Some(named);
            self.write(Fields::of(&line), ms, &format!("{event} model"), out);
        }
        let level = match model.effort {
            None | Some(Effort::None) => "off",
            Some(effort) => effort.name(),
        };
        if self.effort.as_deref() != Some(level) {
            let line = json!({ "type": "thinking_level_change", "thinkingLevel": level });
            self.effort = Some(level.to_owned());
            self.write(Fields::of(&line), ms, &format!("{event} level"), out);
        }
    }
}
