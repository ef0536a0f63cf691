//! Translates a session's events into Pi's. Pure: records in, lines out.
//!
//! A turn of ours is a run of Pi's (`agent_*`), a step with its calls is one of its turns (`turn_*`). Follow-ups go on in the same run.
//! Messages are those of the session's file, as far as it has them, so that events and file say the same.
#![warn(
    clippy::wildcard_enum_match_arm,
    reason = "a new event or item must be given its form in this protocol"
)]

mod ends;

use super::Dialect;
use super::line::put;
use super::message::{self, Voice};
use super::models::Named;
use super::queue::Queue;
use super::reply::{Kind, Reply};
use crate::pi::{Apis, usage_to_pi};
use pintle_protocol::event::{
    Delivery, Event, EventRecord, Notice, NoticeLevel, TransientEvent, TransientRecord,
};
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::item::{Compaction, CompactionReason, Item, ItemBody};
use serde_json::{Value, json};

/// What the notice of a command is called that a person ran and the model does not see.
pub(super) const RAN: &str = "ran";

/// Translates the events of one session into those of Pi.
#[derive(Debug)]
pub(super) struct Translator {
    dialect: Dialect,
    apis: Apis,
    voice: Voice,
    pub(super) queue: Queue,
    run: Option<Run>,
    reply: Option<Reply>,
    /// What the next reply has taken before it says anything.
    usage: Option<Value>,
    /// A reply that has ended without an end of its own; what follows says why.
    cut: Option<Value>,
    calls: Option<Calls>,
    /// The turn that sums up and answers nobody.
    pub(super) quiet: Option<TurnId>,
    retry: Option<u32>,
    /// A retry that was not wanted: why there was to be one.
    pub(super) given_up: Option<String>,
    /// What the last summing up came to.
    pub(super) summed_up: Option<Result<Value, String>>,
    name: Option<String>,
    level: String,
}

/// From `agent_start` to `agent_end`.
#[derive(Debug, Default)]
struct Run {
    messages: Vec<Value>,
    is_turn_open: bool,
}

/// The calls of a reply that has ended.
#[derive(Debug)]
struct Calls {
    message: Value,
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
            summed_up: None,
            name,
            level,
        }
    }

    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Tells another name of the session, if it is another one.
    pub(super) fn renamed(&mut self, name: Option<String>, out: &mut Vec<Vec<u8>>) {
        if name == self.name {
            return;
        }
        let mut told = json!({ "type": "session_info_changed" });
        if let Some(name) = &name {
            put(&mut told, "name", name.as_str());
        }
        self.name = name;
        tell(out, &told);
    }

    /// Tells another thinking level, if it is another one.
    pub(super) fn leveled(&mut self, level: &str, out: &mut Vec<Vec<u8>>) {
        if level != self.level {
            level.clone_into(&mut self.level);
            tell(out, &json!({ "type": "thinking_level_changed", "level": level }));
        }
    }

    /// Tells what waits.
    pub(super) fn queued(&mut self, out: &mut Vec<Vec<u8>>) {
        tell(out, &self.queue.update());
    }

    /// Tells what has streamed so far.
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
            TransientEvent::StepUsage(told) => {
                let usage = usage_to_pi(&told.usage, told.cost_nano_usd);
                match &mut self.reply {
                    Some(reply) => reply.took(usage),
                    None => self.usage = Some(usage),
                }
            }
            TransientEvent::Notice(notice) => notify(notice, out),
            TransientEvent::State(_) | TransientEvent::Context(_) => {}
        }
    }

    /// Tells an event, with the entries of the session's file that it made.
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
            Event::TurnStarted { model } => self.began(model, record, out),
            Event::InputAccepted(input)
                if input.delivery != Delivery::Prompt && self.queue.add(input.clone()) =>
            {
                self.queued(out);
            }
            Event::InputRemoved { inputs } => {
                let taken = inputs.iter().filter(|input| self.queue.take(&input.item_id));
                if taken.count() > 0 {
                    self.queued(out);
                }
            }
            Event::QueueChanged { queue } => {
                self.queue.replace(queue.clone());
                self.queued(out);
            }
            Event::ItemStarted { item } => self.item_began(item, record, out),
            Event::ItemUpdated { item } => {
                if let (ItemBody::ToolCall(call), Some(reply)) = (&item.body, &mut self.reply)
                    && call.input.is_some()
                {
                    reply.end_call(&item.id, call.input.as_ref(), out);
                }
            }
            Event::ItemCompleted { item } => self.item_ended(item, record, entries, out),
            Event::StepCompleted(step) => {
                self.step_ended(step.stop.is_none(), record, entries, out);
            }
            Event::RetryScheduled(retry) => self.failed_once(retry, record, entries, out),
            Event::TurnCompleted(end) => self.ended(end, record, entries, out),
            Event::PromptMade(_) => self.prompted(record, entries, out),
            Event::SessionUpdated(updated) => self.renamed(updated.title.clone(), out),
            Event::Notice(notice) if notice.code != RAN => notify(notice, out),
            _ => {}
        }
    }

    fn began(&mut self, model: &str, record: &EventRecord, out: &mut Vec<Vec<u8>>) {
        let named = Named::read(model);
        self.voice = Voice {
            api: self.apis.of(named.provider).to_owned(),
            provider: named.provider.to_owned(),
            model: named.id.to_owned(),
        };
        if record.turn_id != self.quiet && self.run.is_none() {
            self.open_run(out);
        }
    }

    fn open_run(&mut self, out: &mut Vec<Vec<u8>>) -> &mut Run {
        if self.run.is_none() {
            tell(out, &json!({ "type": "agent_start" }));
        }
        self.run.get_or_insert_default()
    }

    fn open_turn(&mut self, out: &mut Vec<Vec<u8>>) -> &mut Run {
        let run = self.open_run(out);
        if !std::mem::replace(&mut run.is_turn_open, true) {
            tell(out, &json!({ "type": "turn_start" }));
        }
        run
    }

    /// Tells a message that is whole when it begins.
    fn said(&mut self, message: &Value, out: &mut Vec<Vec<u8>>) {
        tell(out, &json!({ "type": "message_start", "message": message }));
        tell(out, &json!({ "type": "message_end", "message": message }));
        if let Some(run) = &mut self.run {
            run.messages.push(message.clone());
        }
    }

    /// Tells what the model is told before all else; the legacy Pi did not.
    fn prompted(&mut self, record: &EventRecord, entries: &[Value], out: &mut Vec<Vec<u8>>) {
        let is_told = self.dialect == Dialect::Current && record.turn_id != self.quiet;
        if let Some(prompt) = said_by(entries, "system").filter(|_| is_told) {
            self.open_turn(out);
            self.said(&prompt, out);
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
                reply.took(usage);
            }
            let message = reply.message(message::pending(dialect));
            tell(out, &json!({ "type": "message_start", "message": message }));
            reply
        })
    }

    fn item_began(&mut self, item: &Item, record: &EventRecord, out: &mut Vec<Vec<u8>>) {
        let kind = match &item.body {
            ItemBody::AgentMessage(_) => Kind::Text,
            ItemBody::Reasoning(_) => Kind::Thinking,
            ItemBody::ToolCall(call) => Kind::Call { name: call.tool_name.clone() },
            ItemBody::Compaction(compaction) => {
                let reason = reason(compaction);
                return tell(out, &json!({ "type": "compaction_start", "reason": reason }));
            }
            ItemBody::UserMessage(_)
            | ItemBody::Job(_)
            | ItemBody::Subagent(_)
            | ItemBody::EngineMessage(_) => return,
        };
        self.open_reply(record.ts_ms, out).begin(&item.id, kind, out);
    }

    fn item_ended(
        &mut self,
        item: &Item,
        record: &EventRecord,
        entries: &[Value],
        out: &mut Vec<Vec<u8>>,
    ) {
        match &item.body {
            ItemBody::UserMessage(user) => {
                self.open_turn(out);
                if self.queue.take(&item.id) {
                    self.queued(out);
                }
                let said = said_by(entries, "user");
                let said = said.unwrap_or_else(|| {
                    json!({ "role": "user", "content": user.content, "timestamp": record.ts_ms })
                });
                self.said(&said, out);
            }
            ItemBody::EngineMessage(_) => {
                let custom = entries.iter().find(|entry| is_kind(entry, "custom_message"));
                if let (Some(entry), true) = (custom, self.run.is_some()) {
                    let mut message = json!({ "role": "custom" });
                    for key in ["customType", "content", "display"] {
                        put(&mut message, key, entry.get(key).cloned().unwrap_or_default());
                    }
                    put(&mut message, "timestamp", record.ts_ms);
                    self.said(&message, out);
                }
            }
            ItemBody::AgentMessage(body) | ItemBody::Reasoning(body) => {
                if let Some(reply) = &mut self.reply {
                    reply.end_text(&item.id, &body.text, out);
                }
            }
            ItemBody::ToolCall(call) => match &mut self.reply {
                // It never ran, since its reply was cut.
                Some(reply) => reply.end_call(&item.id, call.input.as_ref(), out),
                None => self.call_ended(item, call, entries, out),
            },
            ItemBody::Compaction(compaction) => self.made_room(item, compaction, entries, out),
            ItemBody::Job(_) | ItemBody::Subagent(_) => {}
        }
    }

    fn step_ended(
        &mut self,
        is_cut: bool,
        record: &EventRecord,
        entries: &[Value],
        out: &mut Vec<Vec<u8>>,
    ) {
        let reply = self.open_reply(record.ts_ms, out);
        reply.end(out);
        let calls: Vec<_> = reply
            .calls()
            .map(|(id, name, arguments)| (id.clone(), name.to_owned(), arguments.clone()))
            .collect();
        let message = said_by(entries, "assistant").unwrap_or_else(|| reply.message("stop"));
        if is_cut {
            self.cut = Some(message);
            self.reply = None;
            return;
        }
        self.reply_ended(&message, out);
        if let Some(attempt) = self.retry.take() {
            tell(out, &json!({ "type": "auto_retry_end", "success": true, "attempt": attempt }));
        }
        for (id, name, arguments) in &calls {
            tell(
                out,
                &json!({
                    "type": "tool_execution_start", "toolCallId": id, "toolName": name, "args": arguments,
                }),
            );
        }
        let open = calls.into_iter().map(|(id, ..)| id).collect();
        self.calls = Some(Calls { message, open, results: Vec::new() });
        self.end_turn_if_done(out);
    }

    fn reply_ended(&mut self, message: &Value, out: &mut Vec<Vec<u8>>) {
        self.reply = None;
        tell(out, &json!({ "type": "message_end", "message": message }));
        if let Some(run) = &mut self.run {
            run.messages.push(message.clone());
        }
    }
}

fn tell(out: &mut Vec<Vec<u8>>, event: &Value) {
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
    entry.get("type").is_some_and(|is| is == kind)
}

/// The message of an entry, if somebody in this role said it.
fn message_of(entry: &Value, role: &str) -> Option<Value> {
    let message = entry.get("message")?;
    message.get("role").is_some_and(|is| is == role).then(|| message.clone())
}

fn said_by(entries: &[Value], role: &str) -> Option<Value> {
    entries.iter().find_map(|entry| message_of(entry, role))
}

fn notify(notice: &Notice, out: &mut Vec<Vec<u8>>) {
    let kind = match notice.level {
        NoticeLevel::Info => "info",
        NoticeLevel::Warning => "warning",
        NoticeLevel::Error => "error",
    };
    let hint = notice.hint.as_ref().map(|hint| format!("\n{hint}")).unwrap_or_default();
    tell(
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
