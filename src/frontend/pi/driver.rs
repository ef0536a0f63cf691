//! A connection's driver: it owns the open session, sends its events, and completes long-running commands.

use super::Options;
use super::line::{self, Head};
use super::mirror::Line;
use super::questions::Dialogs;
use super::sessions::{OpenSession, Sessions};
use super::shell::{self, Shells};
use crate::client::{Changes, Client, Scope, Subagents, UserQuestion};
use crate::connection::{Ended, Outbox, Protocol, until};
use pintle_agent::{
    Error, Feed, SessionHandle, SessionQuestions, SubscriberId, SubscriptionCommand,
};
use pintle_base::transport::{Incoming, MAX_MESSAGE_BYTES, Outgoing};
use pintle_protocol::context::{SessionCompactParams, SessionCompactResult};
use pintle_protocol::event::{
    DeltaField, Event, EventRecord, QueuedInput, TransientEvent, TransientRecord, TurnStatus,
};
use pintle_protocol::ids::{ItemId, SessionId, TurnId};
use pintle_protocol::item::ItemStatus;
use pintle_protocol::methods::{SessionCompact, TurnInterrupt};
use pintle_protocol::turn::{TurnInterruptParams, TurnInterruptResult};
use serde_json::Value;
use std::collections::BTreeSet;
use tokio::time::Instant;

/// A connection's state.
pub(super) struct Driver {
    pub(super) sessions: Sessions,
    pub(super) open: OpenSession,
    pub(super) out: Outbox,
    pub(super) dialogs: Dialogs,
    pub(super) shells: Shells,
    /// True if a run has completed and the client has sent nothing since: its next message may have been meant for that run.
    pub(super) has_just_ended: bool,
    /// The abort commands that wait until nothing runs.
    pub(super) aborts: Vec<Head>,
    pub(super) compacting: Option<Compacting>,
    /// The messages that this client queued in the open session.
    pub(super) queued: BTreeSet<ItemId>,
    pub(super) retries: bool,
    pub(super) compacts: bool,
    subagents: Subagents,
}

/// A requested compaction.
pub(super) struct Compacting {
    pub(super) head: Head,
    pub(super) instructions: Option<String>,
    /// The turn that compacts, once it runs.
    pub(super) turn: Option<TurnId>,
}

/// A result of work that the connection started.
pub(super) enum Done {
    /// A shell command of the user's has printed something, or ended.
    Shell(shell::ShellEvent),
    /// A dialog's deadline has passed.
    Overdue,
    /// Output of calls is due to be sent.
    Printed,
}

impl Protocol for Driver {
    type Done = Done;

    fn outbox(&mut self) -> &mut Outbox {
        &mut self.out
    }

    async fn next(&mut self) -> Done {
        let (overdue, printed) = (self.dialogs.deadline(), self.open.printing.due());
        tokio::select! {
            biased;
            event = self.shells.next(), if !self.shells.is_empty() => Done::Shell(event),
            () = until(overdue) => Done::Overdue,
            () = until(printed), if self.out.is_empty() => Done::Printed,
        }
    }

    async fn done(&mut self, done: Done) {
        match done {
            Done::Shell(event) => self.shell(event),
            Done::Overdue => self.deny_overdue().await,
            Done::Printed => self.send_printed(),
        }
    }

    async fn message(&mut self, message: Incoming) -> Option<Ended> {
        match message {
            Incoming::Message(line) => Box::pin(self.take(&line)).await,
            Incoming::TooLarge => self.too_large(),
            Incoming::Broken(what) => tracing::warn!("{what}"),
        }
        None
    }

    async fn events(&mut self, events: Vec<Feed>) {
        Box::pin(self.forward(events)).await;
    }

    async fn input_ended(&mut self) {
        // Open questions are denied.
        self.dialogs.open.give_up();
        let id = self.sessions.client.id;
        let _ = self.open.handle.tell(SubscriptionCommand::StopAnswering { id }).await;
    }

    fn is_busy(&self) -> bool {
        !self.shells.is_empty() || !self.aborts.is_empty() || self.compacting.is_some()
    }

    fn sessions(&self) -> (Vec<SessionHandle>, SubscriberId) {
        (vec![self.open.handle.clone()], self.sessions.client.id)
    }

    fn closing(&mut self) {
        self.shells.stop();
    }

    async fn closed(&mut self) {
        self.sessions.tidy(&self.open).await;
    }
}

impl Driver {
    pub(super) async fn new(
        client: Client,
        subagents: Subagents,
        options: Options,
        outgoing: Outgoing,
    ) -> Result<Self, Error> {
        let scope = options.scope;
        let retries = !options.preferences.no_retry;
        let compacts = client.engine.compacts_by_itself();
        let mut sessions = Sessions { client, options };
        let open = Box::pin(sessions.start()).await?;
        // The model was given for the first session only.
        sessions.options.preferences.model = None;
        Ok(Self {
            sessions,
            open,
            out: Outbox::new(outgoing),
            dialogs: Dialogs::new(scope),
            shells: Shells::new(),
            aborts: Vec::new(),
            compacting: None,
            queued: BTreeSet::new(),
            has_just_ended: false,
            retries,
            compacts,
            subagents,
        })
    }

    /// Handles a line.
    pub(super) async fn take(&mut self, line: &[u8]) {
        match line::read(line) {
            Ok(command) => self.command(command).await,
            Err(response) => self.out.push_json(&response),
        }
    }

    pub(super) fn too_large(&mut self) {
        let head = Head { id: None, command: Some("parse".to_owned()) };
        let error = format!("Failed to parse command: the line is over {MAX_MESSAGE_BYTES} bytes");
        self.out.push_json(&head.failed(&error));
    }

    pub(super) fn shell(&mut self, event: shell::ShellEvent) {
        match event {
            shell::ShellEvent::Printed(event) => {
                if self.sessions.options.preferences.dialect == super::Dialect::Current {
                    self.out.push_json(&event);
                }
            }
            shell::ShellEvent::Ended(response) => self.out.push_json(&response),
        }
    }

    pub(super) fn send_printed(&mut self) {
        let mut lines = Vec::new();
        self.open.printing.send(Instant::now(), &mut lines);
        self.out.push_all(lines);
    }

    pub(super) async fn deny_overdue(&mut self) {
        for (session, answer) in self.dialogs.overdue() {
            let _ = session.tell(answer).await;
        }
    }

    /// Sends the lines that events become to the client.
    async fn forward(&mut self, events: Vec<Feed>) {
        self.subagents.adopt();
        for feed in events {
            match feed {
                Feed::Durable(record) => self.durable(&record.value).await,
                Feed::Transient(record) => self.transient(&record.value),
                Feed::Questions(now) => self.questions_changed(&now),
                // This client provides no hooks and no tools; missed events have been read again and are among these.
                _ => {}
            }
        }
        let mut lines = Vec::new();
        self.open.translator.flush(&mut lines);
        self.out.push_all(lines);
    }

    fn transient(&mut self, record: &TransientRecord) {
        if record.session_id != self.open.handle.id {
            return;
        }
        let mut lines = Vec::new();
        match &record.event {
            TransientEvent::ItemDelta(delta) if delta.field == DeltaField::Output => {
                self.open.printing.add(delta, Instant::now(), &mut lines);
            }
            _ => self.open.translator.transient(record, &mut lines),
        }
        self.out.push_all(lines);
    }

    /// Handles a durable event.
    async fn durable(&mut self, record: &EventRecord) {
        let is_own = record.session_id == self.open.handle.id;
        if is_own {
            if record.seq <= self.open.seq {
                return;
            }
            self.open.seq = record.seq;
            self.send(record).await;
        }
        if is_own && matches!(record.event, Event::TurnCompleted(_)) {
            self.turn_ended(record).await;
        }
    }

    /// Opens dialogs for new questions, and forgets obsolete ones.
    fn questions_changed(&mut self, now: &SessionQuestions) {
        let Changes { new, .. } = self.dialogs.open.update(now);
        let Some(session) = self.handle_of(&now.session_id) else { return };
        for asked in new {
            let notice = match asked {
                UserQuestion::Approval(_) => self.dialogs.notice(),
                UserQuestion::Question(_) => None,
            };
            let now_ms = self.sessions.client.engine.now_ms();
            let request = self.dialogs.ask(asked, session.clone(), now_ms);
            for message in notice.iter().chain([&request]) {
                self.out.push_json(message);
            }
        }
    }

    fn handle_of(&self, id: &SessionId) -> Option<SessionHandle> {
        if *id == self.open.handle.id {
            return Some(self.open.handle.clone());
        }
        self.subagents.get(id).cloned()
    }

    /// Sends an event of the open session.
    async fn send(&mut self, record: &EventRecord) {
        let mut lines = Vec::new();
        match &record.event {
            Event::ItemCompleted { item } => self.open.printing.end(&item.id, &mut lines),
            Event::ConfigChanged(changed) => {
                self.open.model.clone_from(&changed.model);
                self.open.update_variables(self.sessions.options.preferences.dialect).await;
            }
            Event::RetryScheduled(retry)
                if !self.retries && self.open.translator.quiet.is_none() =>
            {
                self.open.translator.given_up = Some(retry.message.clone());
                self.interrupt().await;
            }
            _ => {}
        }
        let new = self.open.mirror.catch_up(record.seq);
        let entries: Vec<Value> = new.iter().map(Line::entry).collect();
        self.open.translator.durable(record, &entries, &mut lines);
        match &record.event {
            Event::ConfigChanged(changed) => {
                let level = super::models::ModelName::read(&changed.model).level;
                self.open.translator.set_level(level, &mut lines);
            }
            // Its first update follows its start.
            Event::ItemUpdated { item } if item.status == ItemStatus::Running => {
                self.open.printing.begin(item, Instant::now(), &mut lines);
            }
            _ => {}
        }
        self.out.push_all(lines);
    }

    /// Interrupts the running turn. Messages that the model has not read wait for the next prompt. Returns false if nothing ran.
    pub(super) async fn interrupt(&mut self) -> bool {
        let interrupt = TurnInterruptParams::default();
        let interrupted = self.open.handle.call::<TurnInterrupt>(interrupt).await;
        let Ok(TurnInterruptResult { turn_id, returned }) = interrupted else {
            return false;
        };
        // Those of other clients are handed back there.
        let is_held = |input: &QueuedInput| match self.sessions.options.scope {
            Scope::Alone => true,
            Scope::Shared => self.queued.contains(&input.item_id),
        };
        let (held, others) = returned.into_iter().partition(is_held);
        self.open.translator.queue.hold_all(held);
        self.open.translator.queue.take_all(&others);
        turn_id.is_some()
    }

    async fn turn_ended(&mut self, record: &EventRecord) {
        if self.open.translator.queue.has_waiting() {
            return;
        }
        self.has_just_ended = matches!(&record.event, Event::TurnCompleted(end) if end.status == TurnStatus::Completed);
        let is_turn = |compacting: &mut Compacting| {
            compacting.turn.is_some() && compacting.turn == record.turn_id
        };
        if let Some(done) = self.compacting.take_if(is_turn) {
            let response = match self.open.translator.compacted.take() {
                Some(Ok(result)) => done.head.data(result),
                Some(Err(error)) => done.head.failed(&error),
                None if self.aborts.is_empty() => {
                    done.head.failed("Nothing to compact (session too small)")
                }
                None => done.head.failed("Compaction cancelled"),
            };
            self.out.push_json(&response);
        }
        for head in std::mem::take(&mut self.aborts) {
            self.out.push_json(&head.done());
        }
        self.begin_compacting().await;
    }

    /// Begins the requested compaction, now that nothing runs.
    pub(super) async fn begin_compacting(&mut self) {
        let Some(mut compacting) = self.compacting.take_if(|it| it.turn.is_none()) else { return };
        let instructions = compacting.instructions.take();
        let compact = SessionCompactParams { instructions, ..SessionCompactParams::default() };
        self.open.translator.compacted = None;
        match self.open.handle.call::<SessionCompact>(compact).await {
            Ok(SessionCompactResult { turn_id: turn }) => {
                self.open.translator.quiet = Some(turn.clone());
                compacting.turn = Some(turn);
                self.compacting = Some(compacting);
            }
            Err(error) => self.out.push_json(&compacting.head.failed(&error_text(&error))),
        }
    }

    /// Switches to another session.
    pub(super) async fn switch(&mut self, open: OpenSession) {
        let before = std::mem::replace(&mut self.open, open);
        self.dialogs.open.clear();
        if before.handle.id == self.open.handle.id {
            return;
        }
        self.compacting = None;
        self.queued.clear();
        for head in std::mem::take(&mut self.aborts) {
            self.out.push_json(&head.done());
        }
        self.sessions.close(&before).await;
        if self.open.translator.queue.has_left() {
            self.send_queue();
        }
    }
}

/// Returns an error's message with its hint.
pub(super) fn error_text(error: &Error) -> String {
    match &error.hint {
        Some(hint) => format!("{}\n{hint}", error.message),
        None => error.message.clone(),
    }
}
