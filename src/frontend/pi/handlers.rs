//! One handler per command: from its fields to commands of the engine, and to its response.

use super::Dialect;
use super::driver::{Compacting, Driver, error_text};
use super::history;
use super::line::{
    Bash, Command, CommandLine, Head, Message, Prompt, QueueMode, StreamingBehavior, fields,
};
use super::models::{self, ModelName};
use super::sessions::OpenSession;
use crate::client;
use pintle_agent::{self as agent, ErrorKind};
use pintle_protocol::config::ConfigOption;
use pintle_protocol::content::Input;
use pintle_protocol::event::{Delivery, QueuedInput, StateValue};
use pintle_protocol::export::{ExportFormat, SessionExportParams};
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::methods::{
    ConfigList, Disposition, QueueRemove, SessionParams, TurnStart, TurnStartParams,
    TurnStartResult, TurnSteerParams, TurnSteerResult, WhenBusy,
};
use pintle_protocol::queue::{QueueRemoveParams, QueueRemoveResult};
use pintle_protocol::session::SessionResult;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The error for a prompt that arrives while a turn runs and does not specify how to handle that.
const BUSY: &str = "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.";

/// The error for a prompt that arrives during a compaction.
const COMPACTING: &str = "Cannot submit a prompt while compaction is in progress. Wait for compaction to finish and retry.";

impl Driver {
    pub(super) async fn command(&mut self, line: CommandLine) {
        let CommandLine { head, command } = line;
        let is_current = self.sessions.options.preferences.dialect == Dialect::Current;
        // The client has not received the end yet, or it arrived while the command was on its way.
        let has_crossed =
            std::mem::take(&mut self.has_just_ended) || self.open.translator.is_running();
        let response = match command {
            Command::Prompt(prompt) => self.prompt(&head, prompt).await,
            Command::Steer(message) => self.steer(&head, message, has_crossed).await,
            Command::FollowUp(message) => self.follow_up(&head, message, has_crossed).await,
            Command::Abort => return self.abort(head).await,
            Command::ClearQueue if is_current => self.clear_queue(&head).await,
            Command::NewSession(new) => {
                let model = Some(self.open.model.clone());
                let created = self.sessions.create(new.parent_session, model).await;
                self.switched(&head, created, json!({ "cancelled": false })).await
            }
            Command::GetState => self.state(&head).await,
            Command::GetMessages => head.data(json!({ "messages": self.messages() })),
            Command::SetModel(set) => {
                self.set_model(&head, &format!("{}/{}", set.provider, set.model_id)).await
            }
            Command::CycleModel => self.cycle_model(&head).await,
            Command::GetAvailableModels => {
                head.data(json!({ "models": models::available(&self.models()) }))
            }
            Command::SetThinkingLevel(level) => self.set_level(&head, &level).await,
            Command::CycleThinkingLevel => self.cycle_level(&head).await,
            Command::GetAvailableThinkingLevels if is_current => {
                head.data(json!({ "levels": self.levels() }))
            }
            Command::SetSteeringMode(mode) => {
                self.sessions.options.preferences.steering = mode;
                self.set_queue_mode(&head, "steerMode", mode).await
            }
            Command::SetFollowUpMode(mode) => {
                self.sessions.options.preferences.follow_up = mode;
                self.set_queue_mode(&head, "followUpMode", mode).await
            }
            Command::Compact(instructions) => return self.compact(head, instructions).await,
            Command::SetAutoCompaction(enabled) => self.set_compaction(&head, enabled).await,
            Command::SetAutoRetry(enabled) => {
                self.retries = enabled;
                head.done()
            }
            Command::AbortRetry => {
                if let Ok(snapshot) = self.snapshot().await
                    && snapshot.state.value == StateValue::Retrying
                {
                    self.interrupt().await;
                }
                head.done()
            }
            Command::Bash(bash) => return self.bash(head, bash, is_current),
            Command::AbortBash => {
                self.shells.stop();
                head.done()
            }
            Command::GetSessionStats => self.stats(&head).await,
            Command::ExportHtml(path) => self.export(&head, path).await,
            Command::SwitchSession(path) => {
                let path = self.open.cwd.join(path);
                let opened = client::reopening(|| self.sessions.open_path(&path)).await;
                self.switched(&head, opened, json!({ "cancelled": false })).await
            }
            Command::Fork(entry) => self.fork(&head, &entry).await,
            Command::Clone => self.clone_session(&head).await,
            Command::GetForkMessages => head.data(history::fork_messages(self.open.mirror.lines())),
            Command::GetEntries(since) if is_current => {
                let (lines, leaf) = (self.open.mirror.lines(), self.open.mirror.leaf());
                match history::entries(lines, since.as_deref(), leaf) {
                    Ok(entries) => head.data(entries),
                    Err(error) => head.failed(&error),
                }
            }
            Command::GetTree if is_current => {
                head.data(history::tree(self.open.mirror.lines(), self.open.mirror.leaf()))
            }
            Command::GetLastAssistantText => {
                head.data(history::last_text(self.open.mirror.lines(), self.open.mirror.leaf()))
            }
            Command::SetSessionName(name) => self.set_name(&head, &name).await,
            Command::GetCommands => self.commands(&head).await,
            Command::UiResponse(response) => {
                if let Some((session, answer)) = self.dialogs.take(response) {
                    let _ = session.tell(answer).await;
                }
                return;
            }
            // The legacy Pi does not have these commands.
            Command::ClearQueue
            | Command::GetAvailableThinkingLevels
            | Command::GetEntries(_)
            | Command::GetTree => {
                let name = head.command.clone().unwrap_or_default();
                head.failed(&format!("Unknown command: {name}"))
            }
        };
        self.out.push_json(&response);
    }

    fn messages(&self) -> Vec<Value> {
        let mirror = &self.open.mirror;
        history::messages(mirror.lines(), mirror.leaf(), self.dialect())
    }

    fn dialect(&self) -> Dialect {
        self.sessions.options.preferences.dialect
    }

    async fn snapshot(&mut self) -> Result<SessionResult, agent::Error> {
        self.open.handle.ask(|reply| agent::SubscriptionCommand::Snapshot { reply }).await
    }

    /// Returns the session's options, which other clients may have set.
    async fn options(&mut self) -> Result<Vec<ConfigOption>, agent::Error> {
        Ok(self.open.handle.call::<ConfigList>(SessionParams::default()).await?.options)
    }

    /// Returns the response to an accepted message, with its disposition; the legacy Pi omits that.
    fn accepted(&self, head: &Head, disposition: &str) -> Value {
        match self.sessions.options.preferences.dialect {
            Dialect::Current => head.data(json!({ "disposition": disposition })),
            Dialect::Legacy => head.done(),
        }
    }

    async fn prompt(&mut self, head: &Head, prompt: Prompt) -> Value {
        if self.compacting.is_some() {
            return head.failed(COMPACTING);
        }
        let Prompt { message, streaming_behavior } = prompt;
        let input = message.into_input();
        let when_busy = match streaming_behavior {
            None => WhenBusy::Reject,
            Some(StreamingBehavior::FollowUp) => WhenBusy::Queue,
            Some(StreamingBehavior::Steer) => match self.steer_running(input.clone()).await {
                Ok(true) => return self.accepted(head, "queued"),
                Ok(false) => WhenBusy::Reject,
                Err(error) => return head.failed(&error_text(&error)),
            },
        };
        let mut started = self.start_with_held(input.clone()).await.map(|()| Disposition::Started);
        let is_busy = matches!(&started, Err(error) if matches!(error.kind, ErrorKind::Busy(_)));
        if is_busy && when_busy == WhenBusy::Queue {
            started = self.start(input, when_busy).await;
        }
        match started {
            Ok(Disposition::Queued) => self.accepted(head, "queued"),
            Ok(Disposition::Started) => self.accepted(head, "started"),
            Err(error) if matches!(error.kind, ErrorKind::Busy(_)) => head.failed(BUSY),
            Err(error) => head.failed(&error_text(&error)),
        }
    }

    /// Starts a turn with a message, or queues it behind the running turn.
    async fn start(
        &mut self,
        input: Vec<Input>,
        when_busy: WhenBusy,
    ) -> Result<Disposition, agent::Error> {
        let content = input.clone();
        let start = TurnStartParams { input, when_busy, ..TurnStartParams::default() };
        let TurnStartResult { turn_id, item_id, disposition } =
            self.open.handle.call::<TurnStart>(start).await?;
        if disposition == Disposition::Queued {
            self.queued(turn_id, item_id, Delivery::FollowUp, content);
        }
        Ok(disposition)
    }

    /// Sends a message to the running turn; returns false if none runs.
    async fn steer_running(&mut self, input: Vec<Input>) -> Result<bool, agent::Error> {
        let content = input.clone();
        let steer = TurnSteerParams { input, ..TurnSteerParams::default() };
        let Some(TurnSteerResult { turn_id, item_id, .. }) = self.open.handle.steer(steer).await?
        else {
            return Ok(false);
        };
        self.queued(turn_id, item_id, Delivery::Steer, content);
        Ok(true)
    }

    /// Sends the queue update before the response, as Pi does.
    fn queued(
        &mut self,
        turn_id: TurnId,
        item_id: ItemId,
        delivery: Delivery,
        content: Vec<Input>,
    ) {
        self.queued.insert(item_id.clone());
        let queued =
            QueuedInput { item_id, turn_id, delivery, content, limits: None, output_schema: None };
        if self.open.translator.queue.add(queued) {
            self.send_queue();
        }
    }

    pub(super) fn send_queue(&mut self) {
        let mut lines = Vec::new();
        self.open.translator.send_queue(&mut lines);
        self.out.push_all(lines);
    }

    /// Starts a turn with a message, and queues the held messages behind it.
    async fn start_with_held(&mut self, input: Vec<Input>) -> Result<(), agent::Error> {
        let held = self.open.translator.queue.take_held();
        let behind = held.clone();
        let start = |reply| agent::TurnCommand::StartWith { input, behind, reply };
        let queued = self.open.handle.ask(start).await;
        let count = queued.as_ref().map_or(0, Vec::len);
        for (delivery, input) in held.into_iter().skip(count) {
            self.open.translator.queue.hold(delivery, input);
        }
        for queued in queued? {
            self.queued.insert(queued.item_id.clone());
            if self.open.translator.queue.add(queued) {
                self.send_queue();
            }
        }
        Ok(())
    }

    /// Sends a message to the running turn, or holds it for the next prompt. A message that has crossed the end of its intended run begins
    /// a separate run.
    async fn steer(&mut self, head: &Head, message: Message, has_crossed: bool) -> Value {
        let input = message.into_input();
        match self.steer_running(input.clone()).await {
            Ok(true) => self.accepted(head, "queued"),
            Ok(false) if has_crossed => self.begin(head, input).await,
            Ok(false) => self.hold(head, Delivery::Steer, input),
            Err(error) => head.failed(&error_text(&error)),
        }
    }

    async fn begin(&mut self, head: &Head, input: Vec<Input>) -> Value {
        match self.start_with_held(input).await {
            Ok(()) => self.accepted(head, "started"),
            Err(error) => head.failed(&error_text(&error)),
        }
    }

    /// Queues a message behind the running turn, or holds it for the next prompt; a message that has crossed the end of the run begins a
    /// separate one.
    async fn follow_up(&mut self, head: &Head, message: Message, has_crossed: bool) -> Value {
        let input = message.into_input();
        match self.snapshot().await {
            Ok(snapshot) if snapshot.state.value == StateValue::Idle && has_crossed => {
                self.begin(head, input).await
            }
            Ok(snapshot) if snapshot.state.value == StateValue::Idle => {
                self.hold(head, Delivery::FollowUp, input)
            }
            Ok(_) => match self.start(input, WhenBusy::Queue).await {
                Ok(_) => self.accepted(head, "queued"),
                Err(error) => head.failed(&error_text(&error)),
            },
            Err(error) => head.failed(&error_text(&error)),
        }
    }

    /// Holds a message for the next prompt, since nothing runs.
    fn hold(&mut self, head: &Head, delivery: Delivery, input: Vec<Input>) -> Value {
        self.open.translator.queue.hold(delivery, input);
        self.send_queue();
        self.accepted(head, "queued")
    }

    async fn abort(&mut self, head: Head) {
        let is_waiting =
            self.compacting.as_ref().is_some_and(|compacting| compacting.turn.is_none());
        if is_waiting && let Some(compacting) = self.compacting.take() {
            self.out.push_json(&compacting.head.failed("Compaction cancelled"));
        }
        if self.interrupt().await {
            self.aborts.push(head);
        } else {
            self.out.push_json(&head.done());
        }
    }

    async fn clear_queue(&mut self, head: &Head) -> Value {
        let lists = self.open.translator.queue.lists();
        let all = QueueRemoveParams::default();
        match self.open.handle.call::<QueueRemove>(all).await {
            Ok(QueueRemoveResult { removed }) => {
                for input in removed {
                    self.open.translator.queue.take(&input.item_id);
                }
                self.open.translator.queue.take_held();
                self.send_queue();
                head.data(lists)
            }
            Err(error) => head.failed(&error_text(&error)),
        }
    }

    async fn switched(
        &mut self,
        head: &Head,
        open: Result<OpenSession, agent::Error>,
        data: Value,
    ) -> Value {
        match open {
            Ok(open) => {
                self.switch(open).await;
                head.data(data)
            }
            Err(error) => head.failed(&error_text(&error)),
        }
    }

    async fn state(&mut self, head: &Head) -> Value {
        let snapshot = match self.snapshot().await {
            Ok(snapshot) => snapshot,
            Err(error) => return head.failed(&error_text(&error)),
        };
        let options = match self.options().await {
            Ok(options) => options,
            Err(error) => return head.failed(&error_text(&error)),
        };
        let mode = |id: &str| {
            let option = options.iter().find(|option| option.id == id);
            option.map_or(QueueMode::default(), |option| QueueMode::read(&option.value)).pi_name()
        };
        let open = &self.open;
        let model = ModelName::read(&snapshot.model);
        let state = snapshot.state.value;
        let is_compacting = state == StateValue::Compacting || self.compacting.is_some();
        let messages = history::count(open.mirror.lines(), open.mirror.leaf(), self.dialect());
        let path = open.mirror.path().map(|path| json!(path.to_string_lossy()));
        head.data(fields([
            ("model", Some(models::model(&self.models(), model))),
            ("thinkingLevel", Some(json!(model.level))),
            (
                "isStreaming",
                Some(json!(state != StateValue::Idle && open.translator.quiet.is_none())),
            ),
            ("isCompacting", Some(json!(is_compacting))),
            ("steeringMode", Some(json!(mode("steerMode")))),
            ("followUpMode", Some(json!(mode("followUpMode")))),
            ("sessionFile", path),
            ("sessionId", Some(json!(open.handle.id))),
            ("sessionName", open.translator.name().map(Value::from)),
            ("autoCompactionEnabled", Some(json!(self.compacts))),
            ("messageCount", Some(json!(messages))),
            ("pendingMessageCount", Some(json!(open.translator.queue.len()))),
        ]))
    }

    async fn compact(&mut self, head: Head, instructions: Option<String>) {
        if self.compacting.is_some() {
            return self.out.push_json(&head.failed("Already compacting"));
        }
        if self.open.mirror.is_empty() {
            return self.out.push_json(&head.failed("Nothing to compact (session too small)"));
        }
        let leaf = self.open.mirror.lines().last();
        if leaf.is_some_and(|line| line.head.kind == "compaction") {
            return self.out.push_json(&head.failed("Already compacted"));
        }
        self.compacting = Some(Compacting { head, instructions, turn: None });
        // A running turn is interrupted first; its end begins the compaction.
        if !self.interrupt().await {
            self.begin_compacting().await;
        }
    }

    fn bash(&mut self, head: Head, bash: Bash, is_current: bool) {
        let exclude_from_context = bash.exclude_from_context && is_current;
        let bash = Bash { exclude_from_context, ..bash };
        let (engine, session) = (self.sessions.client.engine.clone(), self.open.handle.clone());
        let context = (self.open.cwd.clone(), self.open.variables.clone());
        self.shells.run(head, bash, engine, session, context);
    }

    async fn stats(&mut self, head: &Head) -> Value {
        match self.snapshot().await {
            Ok(snapshot) => {
                let mirror = &self.open.mirror;
                let path = mirror.path().map(|path| path.to_string_lossy().into_owned());
                let session = self.open.handle.id.as_str();
                let (lines, context) = (mirror.lines(), &snapshot.context);
                head.data(history::stats(lines, session, path, context, self.dialect()))
            }
            Err(error) => head.failed(&error_text(&error)),
        }
    }

    async fn export(&mut self, head: &Head, path: Option<String>) -> Value {
        if self.open.mirror.path().is_none() {
            return head.failed("Cannot export in-memory session to HTML");
        }
        if self.open.mirror.is_empty() {
            return head.failed("Nothing to export yet - start a conversation first");
        }
        let name =
            format!("pi-session-{}.html", self.open.mirror.file_name().trim_end_matches(".jsonl"));
        let path = self.open.cwd.join(path.unwrap_or(name));
        let format = ExportFormat::Html;
        let params = SessionExportParams { session_id: None, format, path: None, overwrite: false };
        let id = self.open.handle.id.clone();
        let text = match self.sessions.client.engine.export(id, params).await {
            Ok(exported) => exported.text.unwrap_or_default(),
            Err(error) => return head.failed(&error_text(&error)),
        };
        match self.sessions.client.engine.write_local(&path, text.into_bytes()).await {
            Ok(()) => head.data(json!({ "path": path.to_string_lossy() })),
            Err(error) => head.failed(&format!("failed to export the session: {error}")),
        }
    }

    async fn fork(&mut self, head: &Head, entry: &str) -> Value {
        let lines = self.open.mirror.lines();
        let line = lines.iter().find(|line| line.head.id == entry);
        let Some((item, text)) =
            line.and_then(|line| Some((line.item.clone()?, history::message_text(line))))
        else {
            return head.failed("Invalid entry ID for forking");
        };
        let forked = self.sessions.fork(&self.open.handle.id, Some(item), self.file_path());
        let forked = forked.await;
        self.switched(head, forked, json!({ "text": text, "cancelled": false })).await
    }

    async fn clone_session(&mut self, head: &Head) -> Value {
        if self.open.mirror.is_empty() {
            return head.failed("Cannot clone session: no current entry selected");
        }
        let cloned = self.sessions.fork(&self.open.handle.id, None, self.file_path());
        let cloned = cloned.await;
        self.switched(head, cloned, json!({ "cancelled": false })).await
    }

    fn file_path(&self) -> Option<String> {
        self.open.mirror.path().map(|path| path.to_string_lossy().into_owned())
    }

    async fn commands(&mut self, head: &Head) -> Value {
        let cwd = self.open.cwd.to_string_lossy().into_owned();
        let engine = &self.sessions.client.engine;
        let prompts = engine.prompts(&cwd).await.prompts.into_iter();
        let prompts = prompts.map(|prompt| (prompt, "prompt"));
        let skills = engine.skills(&cwd).await.into_iter().map(|skill| (skill, "skill"));
        let commands = prompts.chain(skills).map(|(command, source)| {
            let is_in_project = PathBuf::from(&command.path).starts_with(&self.open.cwd);
            fields([
                ("name", Some(json!(command.name))),
                ("description", command.description.map(Value::from)),
                ("source", Some(json!(source))),
                (
                    "sourceInfo",
                    Some(json!({
                        "path": command.path,
                        "source": "local",
                        "scope": if is_in_project { "project" } else { "user" },
                        "origin": "top-level",
                    })),
                ),
            ])
        });
        head.data(json!({ "commands": commands.collect::<Vec<_>>() }))
    }
}
