//! Translates a session's events into Pi's. Pure: records in, lines out.
//!
//! A turn of the engine is a run of Pi's (`agent_*`), and a step with its calls one of Pi's turns (`turn_*`). Follow-ups belong to the same
//! run. Messages are taken from the session's file if they are there, so that events and file agree.
#![warn(
    clippy::wildcard_enum_match_arm,
    reason = "a new form of items and a new transient event must be shown in this protocol"
)]

mod ends;

use super::Dialect;
use super::line::put;
use super::message::{self, Voice};
use super::models::ModelName;
use super::queue::Queue;
use super::reply::{Kind, Reply};
use pintle_protocol::event::{
    Delivery, Event, EventRecord, Notice, NoticeLevel, TransientEvent, TransientRecord,
};
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::item::{Compaction, CompactionReason, Item, ItemStatus, ToolCall};
use pintle_session::pi::{Apis, usage_to_pi};
use pintle_session::presentation::Form;
use serde_json::{Value, json};

/// Notice code for a command that a user ran and the model does not see.
pub(super) const USER_SHELL: &str = "ran";

/// The translation state of one session.
#[derive(Debug)]
pub(super) struct Translator {
    dialect: Dialect,
    apis: Apis,
    voice: Voice,
    pub(super) queue: Queue,
    run: Option<Run>,
    reply: Option<Reply>,
    /// The next reply's usage, reported before its first item.
    usage: Option<Value>,
    /// A reply that was cut; a later event gives the reason.
    cut: Option<Value>,
    calls: Option<Calls>,
    /// The turn of a requested compaction, which is not a run in Pi.
    pub(super) quiet: Option<TurnId>,
    retry: Option<u32>,
    /// The failure whose retry was cancelled because retries are off.
    pub(super) given_up: Option<String>,
    /// The last compaction's result.
    pub(super) compacted: Option<Result<Value, String>>,
    name: Option<String>,
    level: String,
}

/// A run, from `agent_start` to `agent_end`.
#[derive(Debug, Default)]
struct Run {
    messages: Vec<Value>,
    is_turn_open: bool,
}

/// An ended reply's calls.
#[derive(Debug)]
struct Calls {
    message: Value,
    /// Those that have not started, in order: id, name and arguments.
    waiting: Vec<(ItemId, String, Value)>,
    open: Vec<ItemId>,
    results: Vec<Value>,
}

impl Translator {
    pub(super) fn new(dialect: Dialect, apis: Apis, name: Option<String>, level: String) -> Self {
        Self {
            dialect,
            apis,
            voice: Voice::default(),
            queue: Queue::default(),
            run: None,
            reply: None,
            usage: None,
            cut: None,
            calls: None,
            quiet: None,
            retry: None,
            given_up: None,
            compacted: None,
            name,
            level,
        }
    }

    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Sends the session's name if it has changed.
    pub(super) fn set_name(&mut self, name: Option<String>, out: &mut Vec<Vec<u8>>) {
        if name == self.name {
            return;
        }
        let mut event = json!({ "type": "session_info_changed" });
        if let Some(name) = &name {
            put(&mut event, "name", name.as_str());
        }
        self.name = name;
        push(out, &event);
    }

    /// Sends the thinking level if it has changed.
    pub(super) fn set_level(&mut self, level: &str, out: &mut Vec<Vec<u8>>) {
        if level != self.level {
            level.clone_into(&mut self.level);
            push(out, &json!({ "type": "thinking_level_changed", "level": level }));
        }
    }

    /// Returns true during a run, as reported to the client.
    pub(super) fn is_running(&self) -> bool {
        self.run.is_some()
    }

    /// Sends the queue.
    pub(super) fn send_queue(&mut self, out: &mut Vec<Vec<u8>>) {
        push(out, &self.queue.update());
    }

    /// Sends the streamed text so far.
    pub(super) fn flush(&mut self, out: &mut Vec<Vec<u8>>) {
        if let Some(reply) = &mut self.reply {
            reply.flush(false, out);
        }
    }

    pub(super) fn transient(&mut self, record: &TransientRecord, out: &mut Vec<Vec<u8>>) {
        match &record.event {
            TransientEvent::ItemDelta(delta) => {
                if let Some(reply) = &mut self.reply {
                    reply.delta(delta, out);
                }
            }
            TransientEvent::StepUsage(step) => {
                let usage = usage_to_pi(&step.usage, step.cost_nano_usd);
                match &mut self.reply {
                    Some(reply) => reply.set_usage(usage),
                    None => self.usage = Some(usage),
                }
            }
            TransientEvent::Notice(notice) => notify(notice, out),
            TransientEvent::State(_) | TransientEvent::Context(_) => {}
        }
    }

    /// Translates an event, given the entries that it added to the session's file.
    #[expect(clippy::wildcard_enum_match_arm, reason = "Pi has no word for the rest")]
    pub(super) fn durable(
        &mut self,
        record: &EventRecord,
        entries: &[Value],
        out: &mut Vec<Vec<u8>>,
    ) {
        if let Some(reply) = &mut self.reply {
            reply.flush(true, out);
        }
        match &record.event {
            Event::TurnStarted { model } => self.turn_started(model, record, out),
            Event::InputAccepted(input)
                if input.delivery != Delivery::Prompt && self.queue.add(input.clone()) =>
            {
                self.send_queue(out);
            }
            Event::InputRemoved { inputs, .. } => {
                let removed = inputs.iter().filter(|input| self.queue.take(&input.item_id));
                if removed.count() > 0 {
                    self.send_queue(out);
                }
            }
            Event::QueueChanged { queue } => {
                self.queue.replace(queue.clone());
                self.send_queue(out);
            }
            Event::ItemStarted { item } => self.item_started(item, record, out),
            Event::ItemUpdated { item } => {
                let Some(call) = own_call(item) else { return };
                if let (Some(_), Some(reply)) = (&call.input, &mut self.reply) {
                    reply.end_call(&item.id, call.input.as_ref(), out);
                } else if item.status == ItemStatus::Running {
                    self.start_call(&item.id, out);
                }
            }
            // In Pi a call has started when it asks.
            Event::ApprovalRequested(approval) => self.start_call(&approval.item_id, out),
            Event::ItemCompleted { item } => self.item_completed(item, record, entries, out),
            Event::StepCompleted(step) => {
                self.step_completed(step.stop.is_none(), record, entries, out);
            }
            Event::RetryScheduled(retry) => self.retry_scheduled(retry, record, entries, out),
            Event::TurnCompleted(end) => self.turn_completed(end, record, entries, out),
            Event::PromptMade(_) => self.prompted(record, entries, out),
            Event::SessionUpdated(updated) => self.set_name(updated.title.clone(), out),
            Event::Notice(notice) if notice.code != USER_SHELL => notify(notice, out),
            _ => {}
        }
    }

    fn turn_started(&mut self, model: &str, record: &EventRecord, out: &mut Vec<Vec<u8>>) {
        let model = ModelName::read(model);
        self.voice = Voice {
            api: self.apis.for_provider(model.provider).to_owned(),
            provider: model.provider.to_owned(),
            model: model.id.to_owned(),
        };
        if record.turn_id != self.quiet && self.run.is_none() {
            self.open_run(out);
        }
    }

    fn open_run(&mut self, out: &mut Vec<Vec<u8>>) -> &mut Run {
        if self.run.is_none() {
            push(out, &json!({ "type": "agent_start" }));
        }
        self.run.get_or_insert_default()
    }

    fn open_turn(&mut self, out: &mut Vec<Vec<u8>>) -> &mut Run {
        let run = self.open_run(out);
        if !std::mem::replace(&mut run.is_turn_open, true) {
            push(out, &json!({ "type": "turn_start" }));
        }
        run
    }

    /// Sends a message that is complete when it begins.
    fn complete_message(&mut self, message: &Value, out: &mut Vec<Vec<u8>>) {
        push(out, &json!({ "type": "message_start", "message": message }));
        push(out, &json!({ "type": "message_end", "message": message }));
        if let Some(run) = &mut self.run {
            run.messages.push(message.clone());
        }
    }

    /// Sends the system prompt; the legacy Pi does not.
    fn prompted(&mut self, record: &EventRecord, entries: &[Value], out: &mut Vec<Vec<u8>>) {
        let is_shown = self.dialect == Dialect::Current && record.turn_id != self.quiet;
        if let Some(prompt) = message_by(entries, "system").filter(|_| is_shown) {
            self.open_turn(out);
            self.complete_message(&prompt, out);
        }
    }

    fn open_reply(&mut self, ms: u64, out: &mut Vec<Vec<u8>>) -> &mut Reply {
        if self.reply.is_none() {
            self.open_turn(out);
        }
        let (dialect, voice, usage) = (self.dialect, &self.voice, &mut self.usage);
        self.reply.get_or_insert_with(|| {
            let mut reply = Reply::new(dialect, voice.clone(), ms);
            if let Some(usage) = usage.take() {
                reply.set_usage(usage);
            }
            let message = reply.message(message::pending(dialect));
            push(out, &json!({ "type": "message_start", "message": message }));
            reply
        })
    }

    fn item_started(&mut self, item: &Item, record: &EventRecord, out: &mut Vec<Vec<u8>>) {
        let kind = match Form::from(&item.body) {
            Form::Message(_) => Kind::Text,
            Form::Reasoning(_) => Kind::Thinking,
            Form::Work(_) => match own_call(item) {
                Some(call) => Kind::Call { name: call.tool_name.clone() },
                None => return,
            },
            Form::Compaction(compaction) => {
                let reason = reason(compaction);
                return push(out, &json!({ "type": "compaction_start", "reason": reason }));
            }
            Form::UserMessage(_) | Form::Note(_) => return,
        };
        self.open_reply(record.ts_ms, out).begin(&item.id, kind, out);
    }

    fn item_completed(
        &mut self,
        item: &Item,
        record: &EventRecord,
        entries: &[Value],
        out: &mut Vec<Vec<u8>>,
    ) {
        match Form::from(&item.body) {
            Form::UserMessage(content) => {
                self.open_turn(out);
                if self.queue.take(&item.id) {
                    self.send_queue(out);
                }
                let message = message_by(entries, "user");
                let message = message.unwrap_or_else(
                    || json!({ "role": "user", "content": content, "timestamp": record.ts_ms }),
                );
                self.complete_message(&message, out);
            }
            Form::Note(_) => {
                let custom = entries.iter().find(|entry| is_kind(entry, "custom_message"));
                if let (Some(entry), true) = (custom, self.run.is_some()) {
                    let mut message = json!({ "role": "custom" });
                    for key in ["customType", "content", "display"] {
                        put(&mut message, key, entry.get(key).cloned().unwrap_or_default());
                    }
                    put(&mut message, "timestamp", record.ts_ms);
                    self.complete_message(&message, out);
                }
            }
            Form::Message(text) | Form::Reasoning(text) => {
                if let Some(reply) = &mut self.reply {
                    reply.end_text(&item.id, text, out);
                }
            }
            Form::Work(_) => match (own_call(item), &mut self.reply) {
                // The reply was cut, so the call never ran.
                (Some(call), Some(reply)) => reply.end_call(&item.id, call.input.as_ref(), out),
                (Some(call), None) => self.call_completed(item, call, entries, out),
                (None, _) => {}
            },
            Form::Compaction(compaction) => {
                self.compaction_completed(item, compaction, entries, out);
            }
        }
    }

    fn step_completed(
        &mut self,
        is_cut: bool,
        record: &EventRecord,
        entries: &[Value],
        out: &mut Vec<Vec<u8>>,
    ) {
        let reply = self.open_reply(record.ts_ms, out);
        reply.end(out);
        let waiting: Vec<_> = reply
            .calls()
            .map(|(id, name, arguments)| (id.clone(), name.to_owned(), arguments.clone()))
            .collect();
        let message = message_by(entries, "assistant").unwrap_or_else(|| reply.message("stop"));
        if is_cut {
            self.cut = Some(message);
            self.reply = None;
            return;
        }
        self.reply_ended(&message, out);
        if let Some(attempt) = self.retry.take() {
            push(out, &json!({ "type": "auto_retry_end", "success": true, "attempt": attempt }));
        }
        let open = waiting.iter().map(|(id, ..)| id.clone()).collect();
        self.calls = Some(Calls { message, waiting, open, results: Vec::new() });
        self.end_turn_if_done(out);
    }

    /// Sends a call's start, unless it was sent. Calls start in their order.
    fn start_call(&mut self, id: &ItemId, out: &mut Vec<Vec<u8>>) {
        let Some(calls) = &mut self.calls else { return };
        let Some(at) = calls.waiting.iter().position(|(waiting, ..)| waiting == id) else { return };
        for (id, name, arguments) in calls.waiting.drain(..=at) {
            push(
                out,
                &json!({
                    "type": "tool_execution_start", "toolCallId": id, "toolName": name, "args": arguments,
                }),
            );
        }
    }

    fn reply_ended(&mut self, message: &Value, out: &mut Vec<Vec<u8>>) {
        self.reply = None;
        push(out, &json!({ "type": "message_end", "message": message }));
        if let Some(run) = &mut self.run {
            run.messages.push(message.clone());
        }
    }
}

fn push(out: &mut Vec<Vec<u8>>, event: &Value) {
    out.push(event.to_string().into_bytes());
}

fn reason(compaction: &Compaction) -> &'static str {
    match compaction.reason {
        CompactionReason::Threshold => "threshold",
        CompactionReason::Overflow => "overflow",
        CompactionReason::Requested => "manual",
    }
}

fn is_kind(entry: &Value, kind: &str) -> bool {
    entry.get("type").is_some_and(|name| name == kind)
}

/// Returns an entry's message, if it has this role.
fn message_of(entry: &Value, role: &str) -> Option<Value> {
    let message = entry.get("message")?;
    message.get("role").is_some_and(|name| name == role).then(|| message.clone())
}

fn message_by(entries: &[Value], role: &str) -> Option<Value> {
    entries.iter().find_map(|entry| message_of(entry, role))
}

fn notify(notice: &Notice, out: &mut Vec<Vec<u8>>) {
    let kind = match notice.level {
        NoticeLevel::Info => "info",
        NoticeLevel::Warning => "warning",
        NoticeLevel::Error => "error",
    };
    let hint = notice.hint.as_ref().map(|hint| format!("\n{hint}")).unwrap_or_default();
    push(
        out,
        &json!({
            "type": "extension_ui_request",
            "id": format!("notice-{}", notice.code),
            "method": "notify",
            "message": format!("{}{hint}", notice.message),
            "notifyType": kind,
        }),
    );
}

/// Returns the call, if the item is one that has a result in Pi, which has no provider tools, jobs or sub-agents.
fn own_call(item: &Item) -> Option<&ToolCall> {
    item.body.as_tool_call().filter(|call| !call.by_provider)
}
