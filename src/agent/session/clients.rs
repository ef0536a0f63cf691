//! Calls to clients that registered hooks or tools, and hooks at session-level points.

use super::Session;
use crate::clients::{
    CallBody, CallId, CallReply, ClientCall, ClientCalls, Extensions, SubscriberId,
};
use crate::command::{ClientCommand, Reply};
use crate::error::{Error, ErrorKind};
use crate::hooks::{Hooks, Ran};
use crate::session::contributions::OpenCall;
use pintle_protocol::event::{Event, Notice};
use pintle_protocol::hook::{HookPoint, HookRun, ToolCallParams};
use pintle_protocol::ids::ItemId;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The time limit for hooks when the session ends.
const END_GRACE: Duration = Duration::from_secs(5);

impl Session {
    pub(super) async fn client_command(&mut self, command: ClientCommand) {
        match command {
            ClientCommand::Extend { id, extensions, reply } => {
                self.extend(id, extensions, reply).await;
            }
            ClientCommand::Diagnostics { id, report, reply } => {
                let _ = reply.send(self.take_report(id, report));
            }
        }
    }

    /// Returns a turn's hooks: configured ones first, then client hooks.
    pub(super) fn turn_hooks(&self) -> Hooks {
        let clients = self.log.subscribers.iter();
        let clients = clients.flat_map(|served| &served.subscriber.extensions.hooks);
        let own = self.hooks();
        Hooks {
            list: own.list.iter().chain(clients).cloned().collect(),
            clients: Some(ClientCalls(self.contributions.calls.requests_tx.clone())),
            ..own
        }
    }

    /// Returns the hooks that apply outside of turns: the configured ones.
    fn hooks(&self) -> Hooks {
        Hooks {
            list: Arc::clone(&self.services.hooks),
            here: Arc::clone(&self.services.here),
            cwd: PathBuf::from(&self.log.journal.header().cwd),
            owner: self.log.id.to_string(),
            clients: None,
        }
    }

    /// Returns the clients' hooks and tools.
    pub(super) fn extensions(&self) -> impl Iterator<Item = &Extensions> {
        self.log.subscribers.iter().map(|served| &*served.subscriber.extensions)
    }

    pub(super) async fn extend(
        &mut self,
        id: SubscriberId,
        extensions: Arc<Extensions>,
        reply: Reply<()>,
    ) {
        if let Some(served) = self.log.subscription_mut(id) {
            served.subscriber.extensions = Arc::clone(&extensions);
        }
        let _ = reply.send(Ok(()));
        for handle in self.subagents.handles() {
            let extensions = Arc::clone(&extensions);
            let _ = handle.ask(|reply| ClientCommand::Extend { id, extensions, reply }).await;
        }
    }

    /// Calls a client.
    pub(super) fn call_client(&mut self, to: SubscriberId, body: CallBody, reply: CallReply) {
        self.withdraw_calls();
        let id = CallId(self.services.ambient.new_id());
        let session_id = self.log.id.clone();
        let served = self.log.subscription(to).filter(|served| served.is_called());
        let call = Arc::new(ClientCall { id: id.clone(), session_id, body });
        match served.map(|served| served.call(call)) {
            Some(true) => self.contributions.calls.open.push(OpenCall { id, to, reply }),
            Some(false) => {
                let _ = reply.send(Err("belongs to a client that is not reading".to_owned()));
            }
            None => {
                let _ = reply.send(Err("belongs to a client that has disconnected".to_owned()));
            }
        }
    }

    /// Calls the newest tool of a name.
    pub(super) fn call_tool(
        &mut self,
        item_id: ItemId,
        tool: String,
        arguments: Value,
        reply: CallReply,
    ) {
        let given = self.log.subscribers.iter().flat_map(|served| {
            let tools = served.subscriber.extensions.tools.iter();
            tools.map(|known| (known, served.subscriber.id))
        });
        let named = given.filter(|(known, _)| known.shape.name == tool);
        let Some((_, to)) = named.max_by_key(|(known, _)| known.serial) else {
            let _ = reply.send(Err("belongs to a client that has disconnected".to_owned()));
            return;
        };
        let params =
            ToolCallParams { session_id: self.log.id.clone(), item_id, tool_name: tool, arguments };
        self.call_client(to, CallBody::Tool(params), reply);
    }

    pub(super) fn call_answered(&mut self, id: &CallId, outcome: Result<Value, String>) {
        if let Some(place) = self.contributions.calls.open.iter().position(|open| open.id == *id) {
            let outcome = outcome.map_err(|error| format!("answered with an error: {error}"));
            let _ = self.contributions.calls.open.remove(place).reply.send(outcome);
        }
    }

    /// Notifies clients of calls whose answer is no longer needed.
    pub(super) fn withdraw_calls(&mut self) {
        let over = self.contributions.calls.open.extract_if(.., |open| open.reply.is_closed());
        for OpenCall { id, to, .. } in over {
            if let Some(served) = self.log.subscription(to) {
                served.withdraw(id);
            }
        }
    }

    /// Fails calls to disconnected clients.
    pub(super) fn fail_calls_of_the_gone(&mut self) {
        let subscribers = &self.log.subscribers;
        let is_gone = |open: &mut OpenCall| {
            !subscribers.iter().any(|s| s.subscriber.id == open.to && s.is_called())
        };
        for open in self.contributions.calls.open.extract_if(.., is_gone) {
            let _ = open.reply.send(Err("belongs to a client that has disconnected".to_owned()));
        }
    }

    fn told_of_session(&self, point: HookPoint) -> HookRun {
        HookRun {
            point,
            session_id: self.log.id.clone(),
            turn_id: None,
            cwd: self.log.journal.header().cwd.clone(),
            input: None,
            images: Vec::new(),
            system: None,
            conversation: None,
            to_seq: None,
            call: None,
            result: None,
            response: None,
            messages: None,
            open_todos: None,
        }
    }

    /// Runs the session-start hooks in parallel with all other work.
    pub(super) fn run_start_hooks(&mut self) {
        let (hooks, point) = (self.hooks(), HookPoint::SessionStart);
        if hooks.has(point, None) {
            let run = self.told_of_session(point);
            self.contributions.watching_hooks.push(Box::pin(async move {
                hooks.run(run, &CancellationToken::new()).await.notices
            }));
        }
    }

    /// Asks the hooks whether the session may continue from another point in its history.
    pub(super) async fn ask_to_switch(&mut self, to_seq: Option<u64>) -> Result<(), Error> {
        let (hooks, point) = (self.hooks(), HookPoint::SessionSwitch);
        if !hooks.has(point, None) {
            return Ok(());
        }
        let run = HookRun { to_seq, ..self.told_of_session(point) };
        let Ran { ruling, notices, .. } = hooks.run(run, &CancellationToken::new()).await;
        self.hooks_failed(notices);
        ruling.denied.map_or(Ok(()), |reason| Err(hook_denied(&reason)))
    }

    /// Runs the session-end hooks, and waits for them briefly.
    pub(super) async fn run_end_hooks(&mut self) {
        let hooks = self.hooks();
        if !hooks.has(HookPoint::SessionEnd, None) {
            return;
        }
        let run = self.told_of_session(HookPoint::SessionEnd);
        let never = CancellationToken::new();
        match tokio::time::timeout(END_GRACE, hooks.run(run, &never)).await {
            Ok(Ran { notices, .. }) => self.hooks_failed(notices),
            Err(_) => self.hooks_failed(vec![Notice {
                level: pintle_protocol::event::NoticeLevel::Warning,
                code: "hookFailed".to_owned(),
                message: format!("the SessionEnd hooks took longer than {} s", END_GRACE.as_secs()),
                hint: Some("have them start long work in the background and exit".to_owned()),
            }]),
        }
    }

    pub(super) fn hooks_failed(&mut self, notices: Vec<Notice>) {
        for notice in notices {
            self.record(None, Event::Notice(notice));
        }
    }
}

/// Returns the error for a command that a hook denied.
pub(crate) fn hook_denied(reason: &str) -> Error {
    Error::new(ErrorKind::Conflict, format!("a hook denied it: {reason}"))
        .hint("a hook from the config file decided this")
}
