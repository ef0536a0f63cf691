//! Builds turns, steps and calls: a Pi message becomes the events that this engine would have recorded.
//!
//! Invariant: every turn that starts ends, and every call has a result before the next message.

use super::import::Draft;
use super::thread::{End, Thread};
use super::{blocks, private_with};
use crate::history::replay::{Bone, Skeleton};
use pintle_protocol::content::{Content, Usage, add_cost};
use pintle_protocol::event::{
    Event, StepCompleted, StopReason, TurnCompleted, TurnError, TurnStatus,
};
use pintle_protocol::history::HistoryRewound;
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::item::{Item, ItemBody, ItemStatus, TextBody, ToolCall, ToolResult};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// The result for a call that has none in the file.
const UNKNOWN: &str = "Interrupted, outcome unknown: the imported session contains no result for this call. Check its effects before you continue.";

/// The result for a call in a cut reply.
const NOT_RUN: &str = "Not run: the reply was cut before this call began.";

/// An open turn.
#[derive(Debug)]
struct Turn {
    id: TurnId,
    began_ms: u64,
    steps: u32,
    usage: Usage,
    cost_nano_usd: Option<u64>,
}

/// A call that waits for its result, or for those before it.
#[derive(Debug, Clone)]
struct PendingCall {
    item: Item,
    /// Its id in the file.
    id: String,
    /// The reply's entry.
    index: usize,
}

/// A message between a call and its result: its entry, its time, its event.
type HeldMessage = (usize, u64, Event, Option<Box<RawValue>>);

/// The state after an event to which the history returns.
#[derive(Debug, Clone)]
pub(super) struct SavedState {
    seq: u64,
    messages: End,
    model: String,
    calls: Vec<PendingCall>,
    held: Vec<HeldMessage>,
}

/// Builds events.
pub(super) struct Turns<'a> {
    pub(super) new_id: &'a mut dyn FnMut() -> String,
    pub(super) drafts: Vec<Draft>,
    /// The messages that a model reads, by the indexes of their entries; those of results are marked.
    pub(super) messages: Thread<(usize, bool)>,
    /// The model, with its effort.
    pub(super) model: String,
    pub(super) cwd: String,
    turn: Option<Turn>,
    calls: Vec<PendingCall>,
    /// Messages between a call and its result.
    held: Vec<HeldMessage>,
    call_ids: HashSet<String>,
    index: usize,
    pub(super) now_ms: u64,
}

impl<'a> Turns<'a> {
    pub(super) fn new(new_id: &'a mut dyn FnMut() -> String, model: String, cwd: String) -> Self {
        Self {
            new_id,
            drafts: Vec::new(),
            messages: Thread::default(),
            model,
            cwd,
            turn: None,
            calls: Vec::new(),
            held: Vec::new(),
            call_ids: HashSet::new(),
            index: 0,
            now_ms: 0,
        }
    }

    /// Sets the entry whose events follow.
    pub(super) fn at(&mut self, index: usize, ms: Option<u64>) {
        self.index = index;
        self.now_ms = ms.unwrap_or(self.now_ms);
    }

    pub(super) fn push(&mut self, event: Event, private: Option<Box<RawValue>>) {
        let turn_id = self.turn.as_ref().map(|turn| turn.id.clone());
        self.drafts.push(Draft { ts_ms: self.now_ms, turn_id, event, private });
    }

    pub(super) fn item(&mut self, body: ItemBody, status: ItemStatus) -> Item {
        let item = Item::new(ItemId::new((self.new_id)()), status, self.now_ms, body);
        let turn_id = self.turn.as_ref().map(|turn| turn.id.clone());
        Item { turn_id, duration_ms: Some(0), ..item }
    }

    /// Returns the last event's number.
    pub(super) fn last_seq(&self) -> u64 {
        self.drafts.len() as u64
    }

    /// Returns the current state, to resume from later.
    pub(super) fn save(&self) -> SavedState {
        SavedState {
            seq: self.last_seq(),
            messages: self.messages.end(),
            model: self.model.clone(),
            calls: self.calls.clone(),
            held: self.held.clone(),
        }
    }

    /// Resumes from an earlier state. A turn that was open there belongs to another branch from here on. The ids of all calls stay in use.
    pub(super) fn resume_from(&mut self, state: &SavedState, ms: Option<u64>) {
        self.end(TurnStatus::Completed, None, None);
        self.now_ms = ms.unwrap_or(self.now_ms);
        let (dropped, restored) = self.difference(self.last_seq(), state.seq);
        let rewound = HistoryRewound { to_seq: state.seq, dropped, restored, merged: None };
        self.push(Event::HistoryRewound(rewound), None);
        let SavedState { messages, model, calls, held, .. } = state.clone();
        self.messages.go_to(messages);
        (self.model, self.calls, self.held) = (model, calls, held);
    }

    /// Returns the items that are only on the path to `from`, and the items only on the path to `to`.
    fn difference(&self, mut from: u64, mut to: u64) -> (Vec<ItemId>, Vec<ItemId>) {
        let (mut only_from, mut only_to) = (Vec::new(), Vec::new());
        while from != to {
            let (seq, items) =
                if from > to { (&mut from, &mut only_from) } else { (&mut to, &mut only_to) };
            let before = *seq - 1;
            let draft = usize::try_from(before).ok().and_then(|at| self.drafts.get(at));
            *seq = match draft.map(|draft| &draft.event) {
                Some(Event::HistoryRewound(rewound)) => rewound.to_seq,
                Some(Event::ItemCompleted { item }) => {
                    items.push(item.id.clone());
                    before
                }
                Some(_) | None => before,
            };
        }
        // A call may have ended on both paths.
        let both: HashSet<ItemId> = {
            let others: HashSet<&ItemId> = only_to.iter().collect();
            only_from.iter().filter(|id| others.contains(id)).cloned().collect()
        };
        for items in [&mut only_from, &mut only_to] {
            items.retain(|id| !both.contains(id));
            items.reverse();
        }
        (only_from, only_to)
    }

    /// Starts a turn and returns its id.
    pub(super) fn begin(&mut self) -> TurnId {
        self.end(TurnStatus::Completed, None, None);
        let id = TurnId::new((self.new_id)());
        self.turn = Some(Turn {
            id: id.clone(),
            began_ms: self.now_ms,
            steps: 0,
            usage: Usage::default(),
            cost_nano_usd: None,
        });
        id
    }

    /// Ends the open turn, if any.
    pub(super) fn end(
        &mut self,
        status: TurnStatus,
        stop: Option<StopReason>,
        error: Option<TurnError>,
    ) {
        self.settle();
        let Some(turn) = &self.turn else { return };
        let completed = TurnCompleted {
            status,
            stop: stop.or((status == TurnStatus::Completed).then_some(StopReason::EndTurn)),
            error,
            usage: turn.usage,
            cost_nano_usd: turn.cost_nano_usd,
            steps: turn.steps,
            denials: 0,
            structured: None,
            duration_ms: self.now_ms.saturating_sub(turn.began_ms),
        };
        self.push(Event::TurnCompleted(completed), None);
        self.turn = None;
    }

    /// Adds a message that the model reads; between a call and its result it has to wait.
    pub(super) fn message(&mut self, event: Event, private: Option<Box<RawValue>>) {
        if self.calls.iter().any(|call| call.item.status == ItemStatus::Running) {
            self.held.push((self.index, self.now_ms, event, private));
            return;
        }
        self.settle();
        self.messages.push((self.index, false));
        self.push(event, private);
    }

    /// Adds a reply of a model.
    pub(super) fn reply(&mut self, message: &Map<String, Value>, line: &str) {
        self.settle();
        let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
        let origin = format!("{}/{}", text("provider"), text("model"));
        let stop = blocks::stop(text("stopReason"));
        if self.turn.is_none() {
            self.begin();
            let model = self.model.clone();
            self.push(Event::TurnStarted { model }, None);
        }
        let (usage, cost) = blocks::usage(message.get("usage"));
        let (step, turn_usage, turn_cost) = self.count(usage, cost);
        let mut bones = Vec::new();
        let mut calls = Vec::new();
        let content = message.get("content").and_then(Value::as_array);
        for block in content.into_iter().flatten().filter_map(Value::as_object) {
            let (bone, call) = self.block(block, text("api"), step, stop.is_some());
            bones.extend(bone);
            calls.extend(call);
        }
        let has_blocks = !bones.is_empty();
        let stop_reason = stop.unwrap_or(StopReason::Other);
        let skeleton = Skeleton { origin, stop: stop_reason, blocks: bones, effort: None };
        let fields = if has_blocks { serde_json::to_string(&skeleton).ok() } else { None };
        let private = private_with(fields.as_deref().unwrap_or("{}"), line);
        let completed = StepCompleted {
            step,
            stop,
            usage,
            turn_usage,
            cost_nano_usd: cost,
            turn_cost_nano_usd: turn_cost,
        };
        self.push(Event::StepCompleted(completed), private);
        if has_blocks {
            self.messages.push((self.index, false));
        }
        self.calls = calls;
        for number in 0..self.calls.len() {
            let Some(call) = self.calls.get_mut(number) else { break };
            call.item.status = ItemStatus::Running;
            let item = call.item.clone();
            self.push(Event::ItemUpdated { item }, None);
        }
        match stop {
            None if text("stopReason") == "aborted" => {
                self.end(TurnStatus::Interrupted, None, None);
            }
            None => {
                let error = TurnError {
                    code: "imported".to_owned(),
                    message: message
                        .get("errorMessage")
                        .and_then(Value::as_str)
                        .unwrap_or("the provider failed")
                        .to_owned(),
                    hint: None,
                    retryable: false,
                    http_status: None,
                };
                self.end(TurnStatus::Failed, None, Some(error));
            }
            Some(stop) if self.calls.is_empty() => {
                self.end(TurnStatus::Completed, Some(stop), None);
            }
            Some(_) => {}
        }
    }

    fn count(&mut self, usage: Usage, cost: Option<u64>) -> (u32, Usage, Option<u64>) {
        let Some(turn) = &mut self.turn else { return (1, usage, cost) };
        turn.steps += 1;
        turn.usage += usage;
        add_cost(&mut turn.cost_nano_usd, cost);
        (turn.steps, turn.usage, turn.cost_nano_usd)
    }

    /// Adds a block of a reply as items; returns its part of the skeleton, and the call that waits.
    fn block(
        &mut self,
        block: &Map<String, Value>,
        api: &str,
        step: u32,
        is_whole: bool,
    ) -> (Option<Bone>, Option<PendingCall>) {
        let text = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
        let opaque = blocks::opaque(api, block);
        let body = |text: &str| TextBody { text: text.to_owned() };
        match text("type") {
            "text" if !text("text").is_empty() => {
                let item =
                    self.text_item(ItemBody::AgentMessage(body(text("text"))), step, is_whole);
                (Some(Bone::Text { item, opaque }), None)
            }
            "thinking" => {
                let is_redacted = block.get("redacted").and_then(Value::as_bool).unwrap_or(false);
                let shown = if is_redacted { "" } else { text("thinking") };
                let item = (!shown.is_empty())
                    .then(|| self.text_item(ItemBody::Reasoning(body(shown)), step, is_whole));
                // Cut reasoning has no signature, and no provider accepts it without one.
                let is_kept =
                    (is_whole || opaque.is_some()) && (item.is_some() || opaque.is_some());
                (is_kept.then_some(Bone::Reasoning { item, opaque }), None)
            }
            "toolCall" => {
                let (item, id, arguments) = self.call(block, step, is_whole);
                if !is_whole {
                    return (None, None);
                }
                let is_new = self.call_ids.insert(id.clone());
                let call_id = if is_new { id.clone() } else { self.unique_call_id(&id) };
                // An object is serialized again in the same form as in the item.
                let arguments = (!arguments.is_object()).then(|| arguments.to_string());
                let bone = Bone::Call { item: item.id.clone(), call_id, arguments, opaque };
                (Some(bone), Some(PendingCall { item, id, index: self.index }))
            }
            _ => (None, None),
        }
    }

    /// Returns an id that no other call has.
    fn unique_call_id(&mut self, id: &str) -> String {
        let mut number = 2u64;
        loop {
            let other = format!("{id}_{number}");
            if self.call_ids.insert(other.clone()) {
                return other;
            }
            number += 1;
        }
    }

    fn text_item(&mut self, body: ItemBody, step: u32, is_whole: bool) -> ItemId {
        let status = if is_whole { ItemStatus::Completed } else { ItemStatus::Cancelled };
        let mut item = self.item(body, status);
        item.step = Some(step);
        let id = item.id.clone();
        self.push(Event::ItemCompleted { item }, None);
        id
    }

    fn call(
        &mut self,
        block: &Map<String, Value>,
        step: u32,
        is_whole: bool,
    ) -> (Item, String, Value) {
        let text = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
        let (name, id) = (text("name").to_owned(), text("id").to_owned());
        let arguments = block.get("arguments").cloned().unwrap_or_default();
        let path = arguments.get("path").and_then(Value::as_str);
        let location = path.map(|path| pintle_protocol::item::Location {
            path: std::path::Path::new(&self.cwd).join(path).to_string_lossy().into_owned(),
            line: None,
        });
        let kind = blocks::kind(&name);
        let call = ToolCall {
            title: blocks::title(&name, &arguments),
            locations: location.into_iter().collect(),
            input: Some(arguments.clone()),
            ..ToolCall::new(name, kind)
        };
        let mut item = self.item(ItemBody::ToolCall(Box::new(call)), ItemStatus::Pending);
        item.step = Some(step);
        item.duration_ms = None;
        self.push(Event::ItemStarted { item: item.clone() }, None);
        if is_whole {
            self.push(Event::ItemUpdated { item: item.clone() }, None);
        } else {
            self.close(
                item.clone(),
                ItemStatus::Cancelled,
                failed(NOT_RUN),
                private_with("{}", "null"),
            );
        }
        (item, id, arguments)
    }

    fn close(
        &mut self,
        mut item: Item,
        status: ItemStatus,
        result: ToolResult,
        private: Option<Box<RawValue>>,
    ) {
        item.end(status, self.now_ms);
        if let Some(call) = item.body.as_tool_call_mut() {
            call.output = Some(result);
        }
        self.push(Event::ItemCompleted { item }, private);
    }

    /// Adds a call's result. Returns false if no call waits for it.
    pub(super) fn result(&mut self, message: &Map<String, Value>, line: &str) -> bool {
        let id = message.get("toolCallId").and_then(Value::as_str).unwrap_or_default();
        let is_pending =
            |call: &&mut PendingCall| call.id == id && call.item.status == ItemStatus::Running;
        let Some(call) = self.calls.iter_mut().find(is_pending) else { return false };
        let is_error = message.get("isError").and_then(Value::as_bool).unwrap_or(false);
        let status = if is_error { ItemStatus::Failed } else { ItemStatus::Completed };
        call.item.status = status;
        let item = call.item.clone();
        let content = blocks::content(message.get("content"));
        let result = ToolResult { content, is_error, ..ToolResult::default() };
        self.close(item, status, result, private_with("{}", line));
        true
    }

    /// Closes calls without a result, and adds the messages that were held for them.
    pub(super) fn settle(&mut self) {
        for call in std::mem::take(&mut self.calls) {
            self.messages.push((call.index, true));
            if call.item.status == ItemStatus::Running {
                // Writing the session back omits this result, which was not in the file.
                let private = private_with("{}", "null");
                self.close(call.item, ItemStatus::Cancelled, failed(UNKNOWN), private);
            }
        }
        let now_ms = self.now_ms;
        for (index, ms, event, private) in std::mem::take(&mut self.held) {
            self.messages.push((index, false));
            self.now_ms = ms;
            self.push(event, private);
        }
        self.now_ms = now_ms;
    }
}

fn failed(text: &str) -> ToolResult {
    ToolResult { content: vec![Content::text(text)], is_error: true, ..ToolResult::default() }
}
