//! Writes a session as a Pi session file, version 3, line by line.
//!
//! Invariants: every line's parent is the previous line on its path, the last line is on the current path, results follow their reply in
//! call order, and lines that came from Pi are written back unchanged.
#![warn(
    clippy::wildcard_enum_match_arm,
    reason = "a new event must be given its line in a file of Pi"
)]

mod failed;
mod prompt;
mod saved;

use super::branch_points::{BranchPoints, target};
use super::compaction::compaction_details;
use super::fields::Fields;
use super::line::{Apis, Origin, hook_message, iso, name, new_id, origin, result};
use super::thread::Thread;
use super::{VERSION, blocks, line};
use crate::context::compact;
use crate::history::replay::{ExpandedInput, KeptMessages, Replayed, Skeleton};
use crate::store::{Entry, Header};
use failed::{Copied, TurnState};
use pintle_llm::{Effort, ModelRef};
use pintle_protocol::event::{Event, EventRecord, StepCompleted};
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{ClientNote, Compaction, EngineMessage, Item};
use prompt::PromptState;
use saved::SavedState;
use serde_json::json;
use std::collections::{BTreeMap, HashMap};

/// Writes a session's lines.
#[derive(Debug)]
pub struct Writer {
    branch_points: BranchPoints,
    /// The states after the events to which the history returns.
    saved: BTreeMap<u64, SavedState>,
    /// The lines of labelled events.
    labelled: BTreeMap<u64, String>,
    /// The history went back, and no line follows yet.
    is_behind: bool,
    last_id: Option<String>,
    /// The ids of all lines, each with that of its parent.
    parents: HashMap<String, Option<String>>,
    /// The messages that a model reads, by the ids of their lines; those of results are marked.
    messages: Thread<(String, bool)>,
    /// Items that the next reply may contain.
    items: HashMap<ItemId, Item>,
    /// Calls of the last reply, in order, with the lines of the results received so far.
    calls: Vec<PendingCall>,
    /// The model, as last written.
    model: WrittenModel,
    /// The last line's time, in milliseconds since 1970.
    last_ms: u64,
    options: Options,
    turn: TurnState,
    copied: Option<Copied>,
    prompt: PromptState,
}

/// A writer's options.
#[derive(Debug, Default)]
struct Options {
    /// True if calls are identified by their items, not by their provider.
    is_named_by_items: bool,
    /// True if system prompts are written.
    has_prompts: bool,
    /// Each provider's API.
    apis: Apis,
}

/// The model, as last written.
#[derive(Debug, Clone, Default)]
struct WrittenModel {
    /// Provider and id.
    name: Option<(String, String)>,
    effort: Option<String>,
}

#[derive(Debug, Clone)]
struct PendingCall {
    item: ItemId,
    call_id: String,
    name: String,
    result: Result,
}

/// A call result's state.
#[derive(Debug, Clone)]
enum Result {
    /// No result yet.
    Open,
    /// The original file had none.
    Missing,
    /// Its line, without ids.
    Line { line: Fields, ms: u64 },
    /// Its line is written, with this id.
    Written(String),
}

impl Writer {
    /// Creates a writer for a journal with these branch points.
    pub fn new(branch_points: BranchPoints) -> Self {
        Self {
            branch_points,
            saved: BTreeMap::new(),
            labelled: BTreeMap::new(),
            is_behind: false,
            last_id: None,
            parents: HashMap::new(),
            messages: Thread::default(),
            items: HashMap::new(),
            calls: Vec::new(),
            model: WrittenModel::default(),
            last_ms: 0,
            options: Options::default(),
            turn: TurnState::default(),
            copied: None,
            prompt: PromptState::default(),
        }
    }

    /// Writes the first line.
    pub fn begin(&mut self, header: &Header, out: &mut String) {
        let head = json!({
            "type": "session",
            "version": VERSION,
            "id": header.session_id,
            "timestamp": iso(header.created_ms),
            "cwd": header.cwd,
        });
        Fields::parse(&head).push_line(out);
    }

    /// Writes an entry of a journal that grows. An entry that rewinds the history or adds a label needs a new writer, which knows the event
    /// before it comes to it.
    pub fn follow(&mut self, entry: &Entry, out: &mut String) {
        self.branch_points.last = entry.seq;
        self.entry(entry, out);
    }

    /// Identifies calls by their items, as the session's events do, and not by their provider.
    #[must_use]
    pub fn named_by_items(mut self) -> Self {
        self.options.is_named_by_items = true;
        self
    }

    /// Writes system prompts too, if the journal has their tools.
    #[must_use]
    pub fn with_prompts(mut self) -> Self {
        self.options.has_prompts = true;
        self
    }

    /// Sets each provider's API.
    #[must_use]
    pub fn with_apis(mut self, apis: &Apis) -> Self {
        self.options.apis = apis.clone();
        self
    }

    /// Writes an entry.
    pub fn entry(&mut self, entry: &Entry, out: &mut String) {
        // Entries appended meanwhile are not written.
        if entry.seq > self.branch_points.last {
            return;
        }
        self.save_states(entry.seq);
        let Some(record) = &entry.record else { return };
        let origin = origin(entry.private.as_deref());
        match &record.event {
            Event::SessionCreated(created) => {
                self.copied = Copied::from_fork(created, record);
                if matches!(origin, Origin::Engine) {
                    self.model(&created.model, record, out);
                    if let Some(title) = &created.title {
                        let line = json!({ "type": "session_info", "name": title });
                        self.line(Fields::parse(&line), record, out);
                    }
                }
            }
            Event::ConfigChanged(changed) => match origin {
                Origin::Engine => self.model(&changed.model, record, out),
                Origin::Synthetic => {}
                Origin::Line(line) => {
                    self.line(line, record, out);
                }
            },
            Event::Notice(_) => {
                if let Origin::Line(line) = origin {
                    self.note_prompt(&line);
                    self.line(line, record, out);
                }
            }
            Event::TurnStarted { model } => self.turn = TurnState::started(model),
            Event::PromptMade(_) => self.prompt(entry.private.as_deref(), record, out),
            Event::RetryScheduled(retry) => self.retry_scheduled(&retry.message, record, out),
            Event::TurnCompleted(end) => self.turn_completed(end, record, out),
            Event::ItemStarted { item } => {
                self.turn.continue_reply();
                self.hold_back(item);
            }
            Event::ItemUpdated { item } => self.hold_back(item),
            Event::ItemCompleted { item } => self.item(item, entry, record, origin, out),
            Event::StepCompleted(step) => self.step(step, entry, record, origin, out),
            Event::HistoryRewound(rewound) => {
                self.settle(out);
                if let Some(to) = target(rewound, entry.seq) {
                    self.resume_from(to);
                }
            }
            Event::LabelChanged(changed) => {
                let line = match (origin, self.labelled.get(&changed.seq)) {
                    (Origin::Line(line), _) => line,
                    (Origin::Engine, Some(id)) => match &changed.label {
                        Some(label) => Fields::parse(
                            &json!({ "type": "label", "targetId": id, "label": label }),
                        ),
                        None => Fields::parse(&json!({ "type": "label", "targetId": id })),
                    },
                    // An event before the first line has no id in Pi.
                    (Origin::Engine, None) | (Origin::Synthetic, _) => return,
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
            | Event::IsolationApplied(_)
            | Event::ReviewDecided(_)
            | Event::ReviewQueued(_)
            | Event::SessionMoved(_)
            | Event::SessionUpdated(_)
            // Pruned results stay in the file; Pi compacts by its own rules.
            | Event::ContextPruned(_) => {}
        }
    }

    /// Writes the remaining lines.
    pub fn end(&mut self, out: &mut String) {
        self.settle(out);
        self.end_cut(self.last_ms, out);
        // In Pi a session continues from its last line.
        if self.is_behind {
            let line = json!({ "type": "custom", "customType": "pintle.here", "data": {} });
            self.write(Fields::parse(&line), self.last_ms, "here", out);
        }
    }

    /// Keeps an item that a reply may contain until the reply ends.
    fn hold_back(&mut self, item: &Item) {
        if item.body.as_text().is_some() || item.body.as_tool_call().is_some() {
            self.items.insert(item.id.clone(), item.clone());
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
        self.hold_back(item);
        if let Some(message) = item.body.as_user_message() {
            self.turn.set_answering();
            self.settle(out);
            let line = match origin {
                Origin::Synthetic => return,
                Origin::Line(line) => line,
                Origin::Engine => {
                    let read = ExpandedInput::expand(&message.content, entry.private.as_deref());
                    Fields::parse(&json!({
                        "type": "message",
                        "message": { "role": "user", "content": blocks::to_pi(&read), "timestamp": record.ts_ms },
                    }))
                }
            };
            self.message_line(line, record, out);
        } else if let Some(EngineMessage { text, note, .. }) = item.body.as_engine_message() {
            // The model does not read it, so it counts as no message.
            if let Some(note) = note.as_ref().filter(|note| note.is_unread) {
                let data = json!({ "text": text, "data": note.data });
                let line = json!({ "type": "custom", "customType": kind(note), "data": data });
                self.line(Fields::parse(&line), record, out);
                return;
            }
            self.settle(out);
            let line = match origin {
                // The model reads it, so it counts as a message.
                Origin::Synthetic => {
                    let id = self.last_id.clone().unwrap_or_default();
                    self.messages.push((id, false));
                    return;
                }
                Origin::Line(line) => line,
                Origin::Engine => Fields::parse(&json!({
                    "type": "custom_message",
                    "customType": note.as_ref().map_or("pintle", kind),
                    "content": text,
                    "display": note.as_ref().is_none_or(|note| !note.is_hidden),
                    "details": note.as_ref().and_then(|note| note.data.clone()),
                })),
            };
            self.message_line(line, record, out);
        } else if let Some(summary) = item.body.as_compaction() {
            self.compaction(summary, entry, record, origin, out);
        } else if let Some(call) = item.body.as_tool_call()
            && let Some(waiting) = self.calls.iter_mut().find(|call| call.item == item.id)
        {
            let ms = record.ts_ms;
            waiting.result = match origin {
                Origin::Synthetic => Result::Missing,
                Origin::Line(line) => Result::Line { line, ms },
                Origin::Engine => {
                    Result::Line { line: result(call, &waiting.call_id, &waiting.name, ms), ms }
                }
            };
            self.write_results(out);
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
            (Origin::Engine, None) => {
                let read = replayed.as_ref().map(|replayed| &replayed.assistant);
                self.cut(read, &step.usage, step.cost_nano_usd);
                self.items.clear();
                return;
            }
            (Origin::Line(_), None) => self.turn.set_reported(),
            (Origin::Engine | Origin::Line(_) | Origin::Synthetic, _) => self.turn.continue_reply(),
        }
        self.items.clear();
        let Some(Replayed { mut assistant, mut calls }) = replayed else {
            // A reply without content is a separate line in Pi, but not a message for the model.
            if let Origin::Line(line) = origin {
                self.line(line, record, out);
            }
            return;
        };
        if self.options.is_named_by_items && matches!(origin, Origin::Engine) {
            line::name_by_items(&mut assistant, &mut calls);
        }
        let line = match origin {
            Origin::Synthetic => return,
            Origin::Line(line) => line,
            Origin::Engine => {
                let (provider, model) =
                    assistant.origin.split_once('/').unwrap_or(("pintle", &assistant.origin));
                Fields::parse(&json!({
                    "type": "message",
                    "message": {
                        "role": "assistant",
                        "content": blocks::reply(&assistant),
                        "api": self.options.apis.for_provider(provider),
                        "provider": provider,
                        "model": model,
                        "usage": blocks::usage_to_pi(&step.usage, step.cost_nano_usd),
                        "stopReason": blocks::stop_to_pi(step.stop),
                        "timestamp": record.ts_ms,
                    },
                }))
            }
        };
        self.message_line(line, record, out);
        self.calls = calls
            .into_iter()
            .map(|(item, call_id, name)| PendingCall { item, call_id, name, result: Result::Open })
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
        let kept = entry.private.as_deref().and_then(|raw| KeptMessages::read(raw.get()));
        let (Some(text), Some(kept)) = (&summary.summary, kept) else { return };
        self.settle(out);
        let first = self.messages.back().take(kept).last().map(|(id, _)| id.clone());
        let is_engine = matches!(origin, Origin::Engine);
        let mut line = match origin {
            Origin::Line(line) => line,
            Origin::Engine | Origin::Synthetic => Fields::parse(&json!({
                "type": "compaction",
                "summary": compact::untitled(text),
                "tokensBefore": summary.tokens_before,
                "details": compaction_details(summary.files.as_ref()),
            })),
        };
        line.remove("firstKeptEntryIndex");
        let first_kept = line.text("firstKeptEntryId");
        // The line that it refers to may have been written again on this path, under another id, or before messages that came earlier.
        let is_right = |id: &str| self.messages_from(id).is_some_and(|messages| messages <= kept);
        if !first_kept.is_some_and(|id| is_right(&id)) {
            // A compaction that keeps nothing refers to itself.
            let own = || line.text("id").filter(|id| !self.is_used(id));
            let new = || new_id(&name(record), |id| self.is_used(id));
            let id = first.or_else(own).unwrap_or_else(new);
            line.insert("firstKeptEntryId", id);
        }
        if let (true, Some(prompt)) =
            (is_engine && self.options.has_prompts, self.prompt.full_message(record.ts_ms))
        {
            line.insert("systemMessage", prompt);
        }
        let id = self.line(line, record, out);
        self.messages.cut(kept, (id, false));
    }

    /// Writes the results received so far, in call order; those from Pi in their original order.
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

    /// Writes the remaining results of the last reply's calls.
    fn settle(&mut self, out: &mut String) {
        for call in std::mem::take(&mut self.calls) {
            let id = match call.result {
                Result::Line { line, ms } => {
                    self.write(line, ms, &format!("{} result", call.item), out)
                }
                Result::Written(id) => id,
                // Pi adds a result to a call without one.
                Result::Open | Result::Missing => self.last_id.clone().unwrap_or_default(),
            };
            self.messages.push((id, true));
        }
    }

    /// Writes a line that is a message for the model.
    fn message_line(&mut self, line: Fields, record: &EventRecord, out: &mut String) {
        let id = self.line(line, record, out);
        self.messages.push((id, false));
    }

    fn line(&mut self, line: Fields, record: &EventRecord, out: &mut String) -> String {
        self.write(line, record.ts_ms, &name(record), out)
    }

    /// Writes a line and returns its id, which is derived from the name if the line has none.
    fn write(&mut self, mut source: Fields, ms: u64, name: &str, out: &mut String) -> String {
        let own = source.text("id").filter(|id| !self.is_used(id));
        let id = own.unwrap_or_else(|| new_id(name, |id| self.is_used(id)));
        (self.is_behind, self.last_ms) = (false, ms);
        self.parents.insert(id.clone(), self.last_id.clone());
        let kind = source.remove("type");
        let stamp = source.text("timestamp").unwrap_or_else(|| iso(ms));
        for key in ["id", "parentId", "timestamp"] {
            source.remove(key);
        }
        hook_message(&mut source);
        let mut fields = Fields::default();
        fields.insert("type", kind);
        fields.insert("id", &id);
        fields.insert("parentId", self.last_id.take());
        fields.insert("timestamp", stamp);
        fields.extend(source);
        fields.push_line(out);
        self.last_id = Some(id.clone());
        id
    }

    fn is_used(&self, id: &String) -> bool {
        self.parents.contains_key(id)
    }

    /// Returns the number of messages from a line on; `None` if it is not on the path from the start to the last line.
    fn messages_from(&self, id: &str) -> Option<usize> {
        // The missing results of a reply's calls are all on the line before them.
        let mut messages = HashMap::<&String, usize>::new();
        for (line, _) in self.messages.back() {
            *messages.entry(line).or_default() += 1;
        }
        let mut count = 0;
        let mut at = self.last_id.as_ref();
        while let Some(line) = at {
            count += messages.get(line).copied().unwrap_or_default();
            if line == id {
                return Some(count);
            }
            at = self.parents.get(line).and_then(Option::as_ref);
        }
        None
    }

    /// Writes model changes since the model was last written.
    fn model(&mut self, model: &str, record: &EventRecord, out: &mut String) {
        let (ms, event) = (record.ts_ms, name(record));
        let Ok(model) = model.parse::<ModelRef>() else { return };
        let current = (model.provider, model.id);
        if self.model.name.as_ref() != Some(&current) {
            let line =
                json!({ "type": "model_change", "provider": current.0, "modelId": current.1 });
            self.model.name = Some(current);
            self.write(Fields::parse(&line), ms, &format!("{event} model"), out);
        }
        let level = match model.effort {
            None | Some(Effort::None) => "off",
            Some(effort) => effort.name(),
        };
        if self.model.effort.as_deref() != Some(level) {
            let line = json!({ "type": "thinking_level_change", "thinkingLevel": level });
            self.model.effort = Some(level.to_owned());
            self.write(Fields::parse(&line), ms, &format!("{event} level"), out);
        }
    }
}

/// Returns a client note's type in Pi's files.
fn kind(note: &ClientNote) -> &str {
    note.kind.as_deref().unwrap_or("pintle")
}
