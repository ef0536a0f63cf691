//! The connection's driver: its state, in parts, and the messages that change them.
//!
//! Parts return [`Effects`]; only the driver sends messages and starts work.

use super::commands::{Commands, SessionCommand};
use super::documents::OpenDocuments;
use super::edits::{EditResponse, Edits};
use super::effects::{Carried, Effects, Outcome, Sent};
use super::progress::Progress;
use super::questions::{Questions, Responded};
use super::review::Changes;
use super::rewind::{self, Rewinds};
use super::session::{Current, Opened, Opener};
use super::start::Offers;
use super::views::Views;
use super::wire::{self, Reply};
use crate::client::{Subagents, UserQuestion};
use crate::connection::{self, Ended, Outbox, Protocol};
use crate::rpc::HandlerResult;
use crate::rpc::{self, InFlight};
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::FuturesUnordered;
use jsonrpsee::types::ErrorObjectOwned;
use ls_types as lsp;
use pintle_agent::{Answer, EditCall, Error, Feed, SessionHandle, SubscriberId};
use pintle_base::transport::envelope::{self, Envelope, Id};
use pintle_base::transport::{Incoming, Outgoing};
use pintle_protocol::content::Input;
use pintle_protocol::event::QueuedInput;
use pintle_protocol::history::SessionRewindResult;
use pintle_protocol::ids::TurnId;
use pintle_protocol::methods::{QueuePolicy, TurnInterrupt, TurnInterruptParams};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// A connection's stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Not initialized.
    New,
    Ready,
    /// After `shutdown`; only `exit` is accepted.
    ShutDown,
}

/// A connection's state.
pub(super) struct Driver {
    pub(super) opener: Opener,
    pub(super) stage: Stage,
    pub(super) offers: Offers,
    pub(super) outbox: Outbox,
    pub(super) in_flight: InFlight,
    commands: Commands,
    /// The handlers of requests, and answers on their way to sessions.
    pub(super) running: FuturesUnordered<BoxFuture<'static, Outcome>>,
    pub(super) current: Current,
    pub(super) documents: OpenDocuments,
    pub(super) edits: Edits,
    pub(super) questions: Questions,
    rewinds: Rewinds,
    pub(super) changes: Changes,
    pub(super) views: Views,
    pub(super) progress: Progress,
}

/// A result of work that the connection started.
pub(super) enum Done {
    Outcome(Box<Outcome>),
    /// An edit is to be made in the client.
    Edit(EditCall),
}

impl Protocol for Driver {
    type Done = Done;

    fn outbox(&mut self) -> &mut Outbox {
        &mut self.outbox
    }

    async fn next(&mut self) -> Done {
        tokio::select! {
            biased;
            outcome = connection::first_ready(&mut self.running) => Done::Outcome(Box::new(outcome)),
            call = self.edits.next() => Done::Edit(call),
        }
    }

    fn ready_response(&mut self) -> Option<Done> {
        connection::take_ready(&mut self.running).map(|outcome| Done::Outcome(Box::new(outcome)))
    }

    fn follows_events(done: &Done) -> bool {
        match done {
            // A call's progress is reported before its edit.
            Done::Edit(_) => true,
            Done::Outcome(_) => false,
        }
    }

    async fn done(&mut self, done: Done) {
        match done {
            Done::Outcome(outcome) => self.finish(*outcome),
            Done::Edit(call) => {
                let request = self.edits.send(call, &self.documents);
                self.send_all(request);
            }
        }
    }

    async fn message(&mut self, message: Incoming) -> Option<Ended> {
        match envelope::read(message) {
            Ok(Envelope::Request { id, method, params }) => {
                self.request(&id, &method, params.as_deref());
                None
            }
            Ok(Envelope::Notification { method, params }) => {
                self.notified(&method, params.as_deref()).await
            }
            Ok(Envelope::Response { id, outcome }) => {
                self.responded(&id, outcome);
                None
            }
            Err(invalid) => {
                self.outbox.push(rpc::rejection(&invalid));
                None
            }
        }
    }

    async fn events(&mut self, events: Vec<Feed>) {
        self.forward(events);
    }

    async fn input_ended(&mut self) {
        // An edit's response would never arrive.
        self.edits.mute();
    }

    fn is_busy(&self) -> bool {
        !self.in_flight.is_empty() || !self.running.is_empty()
    }

    fn sessions(&self) -> (Vec<SessionHandle>, SubscriberId) {
        (self.current.session.iter().cloned().collect(), self.opener.client.id)
    }

    fn closing(&mut self) {
        // Calls that wait for the editor fail now.
        self.edits.close();
    }

    async fn closed(&mut self) {}
}

impl Driver {
    pub(super) fn new(opener: Opener, subagents: Subagents, outgoing: Outgoing) -> Self {
        let client = &opener.client;
        Self {
            stage: Stage::New,
            offers: Offers::default(),
            outbox: Outbox::new(outgoing),
            in_flight: InFlight::default(),
            commands: Commands::default(),
            running: FuturesUnordered::new(),
            current: Current { session: None, subagents },
            documents: OpenDocuments::new(client.engine.clone(), client.id.0),
            edits: Edits::new(client),
            questions: Questions::new(),
            rewinds: Rewinds::default(),
            changes: Changes::default(),
            views: Views::new(client.engine.clone()),
            progress: Progress::default(),
            opener,
        }
    }

    pub(super) fn send_all(&mut self, messages: impl IntoIterator<Item = Vec<u8>>) {
        self.outbox.push_all(messages);
    }

    pub(super) fn apply(&mut self, effects: Effects) {
        for sent in effects.sent {
            match sent {
                Sent::Message(message) => self.outbox.push(message),
                Sent::Response(id, result) => self.respond(&id, result),
            }
        }
        self.running.extend(effects.work);
    }

    pub(super) fn respond(&mut self, id: &Id, result: HandlerResult<Value>) {
        self.in_flight.remove(id);
        self.outbox.push(match result {
            Ok(result) => rpc::response(id, &result),
            Err(error) => rpc::error_response(id, &error),
        });
    }

    /// Queues a command in the session, after those before it.
    pub(super) fn carry_out(&mut self, id: Id, command: SessionCommand) {
        self.commands.push(id, command);
        self.begin_next();
    }

    fn begin_next(&mut self) {
        let Some((id, command)) = self.commands.begin() else { return };
        let last = self.changes.last_decision;
        let carried = command.run(self.opener.clone(), self.current.session.clone(), last);
        self.running.push(carried.map(|carried| Outcome::Carried(id, Box::new(carried))).boxed());
    }

    /// Withdraws a request that has not begun.
    pub(super) fn cancel(&mut self, params: Option<&RawValue>) {
        let Ok(lsp::CancelParams { id: cancelled }) = wire::read(params) else { return };
        let Ok(cancelled) = serde_json::to_value(cancelled) else { return };
        if let Some(id) = self.commands.withdraw(|id| rpc::is_id(id, &cancelled)) {
            self.respond(&id, Err(wire::cancelled()));
        }
    }

    fn finish(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::NoResponse => {}
            Outcome::Response(id, result) => self.respond(&id, result),
            Outcome::Reviewed(list) => {
                let (effects, is_stale) = self.changes.reviewed(list, &self.documents);
                self.apply(effects);
                if is_stale {
                    self.read_changes();
                }
            }
            Outcome::Rewound(rewound) => self.rewound(rewound),
            Outcome::Grown(session, grown) => {
                let effects = self.views.grown(&session, grown);
                self.apply(effects);
            }
            Outcome::ChangeWritten(written, id) => {
                let shown = self.views.change_written(written);
                let again = self.questions.again(&id);
                self.send_all([shown].into_iter().chain(again));
            }
            Outcome::DraftWritten(id, written) => {
                let effects = self.views.draft_written(id, written);
                self.apply(effects);
            }
            Outcome::DraftRead(id, draft, text) => match self.views.take_draft(&draft, text) {
                Ok(message) => {
                    let input = self.input(message);
                    self.carry_out(id, SessionCommand::Prompt(input));
                }
                Err(error) => self.respond(&id, Err(error)),
            },
            Outcome::Carried(id, carried) => self.carried(&id, *carried),
        }
    }

    fn carried(&mut self, id: &Id, carried: Carried) {
        let Carried { opened, is_left, returned, told, proposal, result } = carried;
        let is_answered = self.commands.finished();
        if is_left {
            let withdrawn = self.questions.leave();
            self.send_all(withdrawn);
            self.current.leave();
            self.changes.last_decision = None;
            self.views.forget_transcript();
            self.read_changes();
        }
        let decision = result.as_ref().ok().and_then(|result| result["decision"].as_u64());
        self.changes.last_decision = decision.or(self.changes.last_decision);
        match result {
            Err(error) if is_answered => {
                self.send_all([wire::show(lsp::MessageType::ERROR, error.message())]);
            }
            Ok(_) if is_answered => {}
            result => self.respond(id, result),
        }
        self.send_all(told.map(|text| wire::show(lsp::MessageType::WARNING, &text)));
        if let Some(proposal) = proposal {
            let request = self.rewinds.ask(proposal);
            self.send_all([request]);
        }
        if let Some(opened) = opened {
            self.opened(opened);
        }
        if !returned.is_empty() {
            self.send_all([taken_back(&returned)]);
        }
        self.begin_next();
    }

    fn opened(&mut self, opened: Opened) {
        let Opened { session, snapshot } = opened;
        for asked in UserQuestion::in_session(&snapshot) {
            let request = self.questions.ask(session.clone(), asked);
            self.send_all(request);
        }
        self.current.session = Some(session);
        self.read_changes();
    }

    pub(super) fn read_changes(&mut self) {
        let effects = self.changes.read(self.current.session.as_ref(), &self.documents);
        self.apply(effects);
    }

    /// Reports a rewind's result, and opens the removed message for editing if the client can show it.
    fn rewound(&mut self, rewound: Result<SessionRewindResult, Error>) {
        let (shown, message) = rewind::rewound(rewound);
        self.send_all([shown]);
        if !self.offers.show_document || message.is_empty() {
            return;
        }
        match self.views.begin_draft(None, None, &message) {
            Ok(effects) => self.apply(effects),
            Err(error) => tracing::warn!("failed to show the message again: {}", error.message()),
        }
    }

    /// Stops a turn whose progress the user has cancelled. Messages queued behind it stay.
    pub(super) fn stop(&mut self, turn: TurnId) {
        let Some(session) = self.current.session.clone() else { return };
        let stopped = async move {
            let stop = TurnInterruptParams {
                session_id: None,
                expected_turn_id: Some(turn),
                queue: QueuePolicy::Keep,
            };
            // A turn that has ended meanwhile need not be stopped.
            let _ = session.call::<TurnInterrupt>(stop).await;
            Outcome::NoResponse
        };
        self.running.push(stopped.boxed());
    }

    pub(super) fn tell(&mut self, session: SessionHandle, answer: Answer) {
        // A full command channel waits for the session, which never waits for this connection.
        let told = async move {
            let _ = session.tell(answer).await;
            Outcome::NoResponse
        };
        self.running.push(told.boxed());
    }

    fn responded(&mut self, id: &Id, reply: Reply) {
        let reply = match self.edits.responded(id, reply, &self.documents) {
            Ok(EditResponse { message, is_unreported }) => {
                // Some clients report nothing while they wait for a response.
                let decision = is_unreported.then(|| self.commands.answer_decision()).flatten();
                if let Some(id) = decision {
                    self.respond(&id, Ok(json!({"queued": true})));
                }
                return self.send_all(message);
            }
            Err(reply) => reply,
        };
        let reply = match self.questions.responded(id, reply) {
            Ok(Responded::Answer(session, answer, message)) => {
                self.send_all(message);
                return self.tell(session, *answer);
            }
            Ok(Responded::Show { text, id }) => {
                let effects = self.views.write_change(text, id);
                return self.apply(effects);
            }
            Err(reply) => reply,
        };
        let reply = match self.rewinds.responded(id, reply) {
            Ok(effects) => return self.apply(effects),
            Err(reply) => reply,
        };
        if Progress::has_asked(id) {
            let begun = self.progress.responded(id, reply.is_ok());
            return self.send_all(begun);
        }
        if let Err(error) = reply {
            tracing::debug!("the client rejected {id:?}: {error}");
        }
    }

    /// Returns the error if a request cannot be accepted.
    pub(super) fn refusal(&self, id: &Id, method: &str) -> Option<ErrorObjectOwned> {
        match self.stage {
            Stage::New if method != "initialize" => Some(wire::not_initialized()),
            Stage::Ready if method == "initialize" => {
                let hint = "send it once";
                Some(wire::invalid_request("the connection is already initialized", hint))
            }
            Stage::ShutDown => {
                Some(wire::invalid_request("the connection is shut down", "send `exit`"))
            }
            Stage::New | Stage::Ready => self.in_flight.refusal(id),
        }
    }
}

/// Returns a message about queued messages that were taken back.
fn taken_back(returned: &[QueuedInput]) -> Vec<u8> {
    let texts = returned.iter().flat_map(|queued| &queued.content).filter_map(Input::as_text);
    let texts: Vec<&str> = texts.collect();
    let text = format!("pintle: not sent, since the turn was stopped:\n{}", texts.join("\n"));
    wire::show(lsp::MessageType::INFO, &text)
}
