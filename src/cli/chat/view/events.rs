//! Events as text: for a user, laid out and coloured; for a program, plain.

use super::{Out, Reader, Streamed, Turn, View, parsed};
use crate::cli::chat::reply::Reply;
use crate::cli::chat::{cards, hunks};
use crate::cli::sessions::{lines, one_line};
use pintle_protocol::content::Input;
use pintle_protocol::event::{
    AnyRecord, DeltaField, Event, EventRecord, ItemDelta, Notice, StateValue, TransientEvent,
};
use pintle_protocol::files::{ChangedBy, FilesChanged};
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{Item, ItemBody};
use serde_json::{Value, json};

impl View {
    pub(super) fn event(&mut self, params: &Value, out: &mut Vec<Out>) {
        if params["sessionId"] != json!(self.session) {
            return; // a sub-agent's
        }
        match parsed::<AnyRecord>(params) {
            Some(AnyRecord::Durable(record)) => self.durable(&record, out),
            Some(AnyRecord::Transient(record)) => match record.event {
                TransientEvent::ItemDelta(delta) => self.delta(&delta, out),
                TransientEvent::Notice(notice) => self.notice(&notice, out),
                TransientEvent::State(state) => self.turn_is(state.value),
                TransientEvent::Context(context) => self.status.context(&context),
                TransientEvent::StepUsage(_) => {}
            },
            // Of an engine that is newer.
            None => {}
        }
    }

    pub(super) fn durable(&mut self, record: &EventRecord, out: &mut Vec<Out>) {
        let EventRecord { cause, event, .. } = record;
        match event {
            Event::InputAccepted(input) => {
                self.status.queued(self.status.queued_count() + 1);
                if let Some(client) = cause.as_ref().and_then(|cause| cause.client_id.clone()) {
                    self.items.authors.insert(input.item_id.clone(), client);
                }
            }
            Event::QueueChanged { queue } => self.status.queued(queue.len()),
            Event::TurnStarted { .. } => self.turn_is(StateValue::Running),
            Event::StepCompleted(step) => self.status.step(step),
            Event::ConfigChanged(config) => self.status.config(config),
            Event::ItemStarted { item } | Event::ItemUpdated { item } => self.began(item),
            Event::ApprovalRequested(approval) => {
                self.waits_for("permission", &approval.title, out);
            }
            Event::QuestionRequested(question) => self.waits_for("an answer", &question.text, out),
            _ => {}
        }
        if self.reader == Reader::User && self.for_user(event, out) {
            return;
        }
        match event {
            Event::TurnCompleted(_) => self.turn_is(StateValue::Idle),
            Event::ItemCompleted { item } if self.is_printed(item, out) => return,
            _ => {}
        }
        let Some(text) = lines(record) else { return };
        let author = match event {
            Event::ItemCompleted { item } => self.items.authors.remove(&item.id),
            _ => None,
        };
        match author {
            // The user has just typed it.
            Some(client) if client == self.client && self.reader == Reader::User => {}
            Some(client) if client != self.client => {
                self.print_line(&format!("[{}]\n{text}", one_line(&client)), out);
            }
            Some(_) | None => self.print_line(&text, out),
        }
    }

    /// Prints how to answer a request that a program's lines cannot answer.
    fn waits_for(&mut self, what: &str, title: &str, out: &mut Vec<Out>) {
        if let (Reader::Program, Some(session)) = (self.reader, self.session.clone()) {
            let title = one_line(title);
            let text =
                format!("! waiting for {what}: {title}; answer with `pintle attach {session}`");
            self.print_line(&text, out);
        }
    }

    fn began(&mut self, item: &Item) {
        if item.body.as_agent_message().is_some() {
            self.items.messages.insert(item.id.clone());
        } else if let Some(call) = item.body.as_tool_call() {
            self.status.call(Some(&call.title));
            self.items.calls.entry(item.id.clone()).or_default();
        }
    }

    /// Prints an event for a user. Returns false for events whose text is the same for a program.
    fn for_user(&mut self, event: &Event, out: &mut Vec<Out>) -> bool {
        match event {
            Event::ItemCompleted { item } => match &item.body {
                ItemBody::AgentMessage(body) => {
                    self.items.messages.remove(&item.id);
                    self.message_ended(&item.id, &body.text, out);
                    true
                }
                ItemBody::ToolCall(call) => {
                    self.status.call(None);
                    let changed = self.items.calls.remove(&item.id).unwrap_or_default();
                    let mut text = cards::call(item, call, &self.known.cwd, self.look);
                    let is_shown = |path: &String| call.changes().iter().any(|c| c.path == *path);
                    let rest: Vec<String> =
                        changed.into_iter().filter(|path| !is_shown(path)).collect();
                    text += &cards::changed_files("  changed", &rest, &self.known.cwd, self.look);
                    self.print(&text, out);
                    true
                }
                // The response to `shell/run` shows it.
                ItemBody::Job(job) => job.by_user,
                ItemBody::UserMessage(_) => {
                    self.status.queued(self.status.queued_count().saturating_sub(1));
                    false
                }
                _ => false,
            },
            Event::InputRemoved { inputs, is_handled } => {
                self.status.queued(self.status.queued_count().saturating_sub(inputs.len()));
                for input in inputs.iter().filter(|_| !is_handled) {
                    let text = Input::texts(&input.content);
                    self.print_line(&format!("! not read by the model: {}", text.trim_end()), out);
                }
                true
            }
            Event::FilesChanged(changed) => {
                self.files_changed(changed, out);
                true
            }
            Event::ReviewDecided(decision) => {
                if let Some(text) = hunks::decided(decision) {
                    self.print_line(&format!("* {text}"), out);
                }
                true
            }
            Event::Notice(notice) => {
                self.notice(notice, out);
                true
            }
            Event::TurnCompleted(turn) => {
                self.status.turn_ended(turn);
                if let Some(text) = cards::turn(turn, self.look) {
                    self.print(&format!("{text}\n\n"), out);
                }
                false
            }
            _ => false,
        }
    }

    /// Prints which files were changed, with the call that changed them if it still runs.
    fn files_changed(&mut self, changed: &FilesChanged, out: &mut Vec<Out>) {
        let paths = changed.changes.iter().map(|change| change.path.clone());
        if let ChangedBy::Call { item_id, .. } = &changed.by
            && let Some(files) = self.items.calls.get_mut(item_id)
        {
            files.extend(paths);
            return;
        }
        let paths: Vec<String> = paths.collect();
        let text = cards::changed_files("* changed", &paths, &self.known.cwd, self.look);
        self.print(&text, out);
    }

    fn notice(&mut self, notice: &Notice, out: &mut Vec<Out>) {
        let hint = notice.hint.as_ref().filter(|_| self.reader == Reader::User);
        let hint = hint.map(|hint| format!("\n  {}", one_line(hint))).unwrap_or_default();
        self.print_line(&format!("! {}{hint}", one_line(&notice.message)), out);
    }

    pub(super) fn turn_is(&mut self, state: StateValue) {
        self.status.state(state);
        self.turn = match (state, self.turn) {
            (StateValue::Idle, _) => Turn::None,
            (_, Turn::Stopping) => Turn::Stopping,
            (_, Turn::None | Turn::Running) => Turn::Running,
        };
    }

    /// Prints a message's remaining lines for a user.
    fn message_ended(&mut self, item: &ItemId, text: &str, out: &mut Vec<Out>) {
        let streamed = self.items.streamed.take_if(|streamed| streamed.item == *item);
        let (mut reply, printed) =
            streamed.map(|streamed| (streamed.reply, streamed.text)).unwrap_or_default();
        let rest = if let Some(rest) = text.strip_prefix(&printed) {
            rest
        } else {
            // A piece was lost: all of it, from the start.
            reply = Reply::default();
            text
        };
        let mut lines = reply.push(rest, self.look);
        lines += &reply.end(self.look);
        if !text.trim().is_empty() {
            lines.push('\n');
        }
        self.print(&lines, out);
    }

    /// Prints a streamed message's remaining text for a program. Returns true if nothing remains to print.
    fn is_printed(&mut self, item: &Item, out: &mut Vec<Out>) -> bool {
        let Some(body) = item.body.as_agent_message() else { return false };
        self.items.messages.remove(&item.id);
        let Some(streamed) = self.items.streamed.take_if(|streamed| streamed.item == item.id)
        else {
            return false;
        };
        let rest = body.text.strip_prefix(&streamed.text);
        self.print(rest.unwrap_or_default().trim_end(), out);
        self.end_line(out);
        rest.is_some()
    }

    fn delta(&mut self, delta: &ItemDelta, out: &mut Vec<Out>) {
        if delta.field != DeltaField::Text || !self.items.messages.contains(&delta.item_id) {
            return;
        }
        if self.items.streamed.as_ref().is_none_or(|streamed| streamed.item != delta.item_id) {
            self.end_line(out);
            let item = delta.item_id.clone();
            self.items.streamed =
                Some(Streamed { item, text: String::new(), reply: Reply::default() });
        }
        let (look, reader) = (self.look, self.reader);
        let Some(streamed) = &mut self.items.streamed else { return };
        // A piece with the number 0 is all of it so far.
        let fresh = if delta.n > 0 {
            delta.text.as_str()
        } else {
            delta.text.strip_prefix(streamed.text.as_str()).unwrap_or_default()
        };
        let text = match reader {
            Reader::User => streamed.reply.push(fresh, look),
            Reader::Program => fresh.to_owned(),
        };
        streamed.text.push_str(fresh);
        self.print(&text, out);
    }
}
