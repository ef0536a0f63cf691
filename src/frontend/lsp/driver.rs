//! The connection's driver: the parts of its state, and the messages that change them.

use super::commands::{Carried, SessionCommand};
use super::documents::OpenDocuments;
use super::edits::Edits;
use super::progress::Progress;
use super::questions::{Answered, Questions, Responded};
use super::review::Changes;
use super::rewind::Rewinds;
use super::session::{Opened, Opener};
use super::start::Offers;
use super::views::{Draft, Views};
use super::wire::{self, HandlerResult};
use crate::connection::{self, Ended, InFlight, Outbox, Protocol};
use crate::native::dispatch::{error_object, error_response};
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::FuturesUnordered;
use jsonrpsee::types::ErrorObjectOwned;
use ls_types as lsp;
use pintle_agent::{
    Answer, EditCall, Editors, Error, Feed, SessionHandle, SubscriberId, Transcript,
};
use pintle_base::transport::envelope::{self, Envelope, Id, Invalid};
use pintle_base::transport::{Incoming, Outgoing};
use pintle_protocol::content::Input;
use pintle_protocol::error;
use pintle_protocol::event::QueuedInput;
use pintle_protocol::history::SessionRewindResult;
use pintle_protocol::ids::{SessionId, TurnId};
use pintle_protocol::methods::{QueuePolicy, TurnInterrupt, TurnInterruptParams};
use pintle_protocol::review::ReviewListResult;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use tokio::sync::mpsc;

/// The capacity of the channel of edits. One is in progress at a time, with its withdrawal behind it; a tool that finds it full waits.
const EDITS_CAPACITY: usize = 8;

/// The stage of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Not initialized.
    New,
    Ready,
    /// After `shutdown`; only `exit` is accepted.
    ShutDown,
}

/// The state of a connection.
pub(super) struct Driver {
    pub(super) opener: Opener,
    pub(super) stage: Stage,
    pub(super) offers: Offers,
    pub(super) outbox: Outbox,
    pub(super) in_flight: InFlight,
    /// Commands for the session that have not begun: one is carried out at a time.
    waiting: VecDeque<(Id, SessionCommand)>,
    is_carrying_out: bool,
    /// The handlers of requests, and answers on their way to sessions.
    pub(super) running: FuturesUnordered<BoxFuture<'static, Outcome>>,
    pub(super) session: Option<SessionHandle>,
    /// The sub-agents of the session.
    subagents: BTreeMap<SessionId, SessionHandle>,
    adopted: mpsc::Receiver<SessionHandle>,
    pub(super) documents: OpenDocuments,
    edits: Edits,
    edits_tx: mpsc::Sender<EditCall>,
    edit_calls: mpsc::Receiver<EditCall>,
    pub(super) questions: Questions,
    pub(super) rewinds: Rewinds,
    pub(super) changes: Changes,
    pub(super) views: Views,
    /// The event of the last verdict that was given here.
    pub(super) last_verdict: Option<u64>,
    pub(super) progress: Progress,
    /// The last message of the model in the running turn.
    pub(super) last_message: String,
}

/// The outcome of a request handler.
pub(super) enum Outcome {
    Response(Id, HandlerResult<Value>),
    /// A command of the session's.
    Carried(Id, Box<Carried>),
    /// An answer has reached its session.
    NoResponse,
    /// The open changes of the session.
    Reviewed(Result<ReviewListResult, Error>),
    /// The session has gone back in its history.
    Rewound(Result<SessionRewindResult, Error>),
    /// The transcript of a session is written.
    Grown(SessionId, Result<Transcript, Error>),
    /// A file with the change of this question is written.
    ChangeShown(Result<PathBuf, String>, u64),
    /// The document for a message is written.
    DraftWritten(Option<Id>, Result<Draft, Error>),
    /// The message in a document.
    DraftRead(Id, Draft, Result<String, Error>),
}

/// A result of the connection's own work.
pub(super) enum Done {
    Outcome(Outcome),
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
            outcome = connection::first_ready(&mut self.running) => Done::Outcome(outcome),
            Some(call) = self.edit_calls.recv() => Done::Edit(call),
        }
    }

    fn ready_response(&mut self) -> Option<Done> {
        connection::take_ready(&mut self.running).map(Done::Outcome)
    }

    fn follows_events(done: &Done) -> bool {
        match done {
            // The report of a call that edits precedes its edit.
            Done::Edit(_) => true,
            Done::Outcome(_) => false,
        }
    }

    async fn done(&mut self, done: Done) {
        match done {
            Done::Outcome(outcome) => self.finish(outcome),
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
                self.reject(&invalid);
                None
            }
        }
    }

    async fn events(&mut self, events: Vec<Feed>) {
        self.hand_on(events);
    }

    async fn input_ended(&mut self) {
        // An edit would wait in vain for its response.
        if let Some(Editors { documents, .. }) = self.opener.engine.editors() {
            documents.mute(self.opener.id.0);
        }
        self.edits = Edits::default();
    }

    fn is_busy(&self) -> bool {
        !self.in_flight.is_empty() || !self.running.is_empty()
    }

    fn sessions(&self) -> (Vec<SessionHandle>, SubscriberId) {
        (self.session.iter().cloned().collect(), self.opener.id)
    }

    fn closing(&mut self) {
        // Calls that wait for the editor fail now.
        self.edit_calls.close();
        while self.edit_calls.try_recv().is_ok() {}
        self.edits = Edits::default();
        if let Some(Editors { documents, .. }) = self.opener.engine.editors() {
            documents.disconnect(self.opener.id.0);
        }
    }

    async fn closed(&mut self) {}
}

impl Driver {
    pub(super) fn new(
        opener: Opener,
        outgoing: Outgoing,
        adopted: mpsc::Receiver<SessionHandle>,
    ) -> Self {
        let (edits_tx, edit_calls) = mpsc::channel(EDITS_CAPACITY);
        let documents = OpenDocuments::new(opener.engine.clone(), opener.id.0);
        Self {
            opener,
            stage: Stage::New,
            offers: Offers::default(),
            outbox: Outbox::new(outgoing),
            in_flight: InFlight::default(),
            waiting: VecDeque::new(),
            is_carrying_out: false,
            running: FuturesUnordered::new(),
            session: None,
            subagents: BTreeMap::new(),
            adopted,
            documents,
            edits: Edits::default(),
            edits_tx,
            edit_calls,
            questions: Questions::default(),
            rewinds: Rewinds::default(),
            changes: Changes::default(),
            views: Views::default(),
            last_verdict: None,
            progress: Progress::default(),
            last_message: String::new(),
        }
    }

    pub(super) fn send_all(&mut self, messages: impl IntoIterator<Item = Vec<u8>>) {
        self.outbox.push_all(messages);
    }

    pub(super) fn respond(&mut self, id: &Id, result: HandlerResult<impl serde::Serialize>) {
        self.in_flight.remove(id);
        self.outbox.push(match result {
            Ok(result) => wire::response(id, &result),
            Err(error) => error_response(id, error),
        });
    }

    fn reject(&mut self, invalid: &Invalid) {
        let name = if invalid.code == error::PARSE_ERROR { "parseError" } else { "invalidRequest" };
        let error = error_object(invalid.code, &invalid.message, name, None);
        self.outbox.push(error_response(&invalid.id, error));
    }

    /// Has the client make the agent's edits, if it can apply them to the version that they were made for. Otherwise no document with
    /// unsaved text is changed.
    pub(super) fn connect_editor(&self) {
        if let (true, Some(editors)) = (self.offers.edits, self.opener.engine.editors()) {
            editors.documents.connect(self.opener.id.0, self.edits_tx.clone());
        }
    }

    /// Has the session carry a command out after those before it.
    pub(super) fn carry_out(&mut self, id: Id, command: SessionCommand) {
        self.waiting.push_back((id, command));
        self.begin_next();
    }

    fn begin_next(&mut self) {
        if self.is_carrying_out {
            return;
        }
        let Some((id, command)) = self.waiting.pop_front() else { return };
        self.is_carrying_out = true;
        let carried = command.run(self.opener.clone(), self.session.clone());
        self.running.push(carried.map(|carried| Outcome::Carried(id, Box::new(carried))).boxed());
    }

    /// Withdraws a request that has not begun.
    pub(super) fn cancel(&mut self, params: Option<&RawValue>) {
        let Ok(lsp::CancelParams { id: cancelled }) = wire::read(params) else { return };
        let is_it =
            |id: &Id| serde_json::to_value(id).ok() == serde_json::to_value(&cancelled).ok();
        let Some(at) = self.waiting.iter().position(|(id, _)| is_it(id)) else { return };
        if let Some((id, _)) = self.waiting.remove(at) {
            self.respond(&id, HandlerResult::<Value>::Err(wire::cancelled()));
        }
    }

    fn finish(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::NoResponse => {}
            Outcome::Response(id, result) => self.respond(&id, result),
            Outcome::Reviewed(list) => self.reviewed(list),
            Outcome::Rewound(rewound) => self.rewound(rewound),
            Outcome::Grown(session, grown) => self.grown(&session, grown),
            Outcome::ChangeShown(written, number) => self.change_shown(written, number),
            Outcome::DraftWritten(id, written) => self.draft_written(id, written),
            Outcome::DraftRead(id, draft, text) => self.draft_read(id, &draft, text),
            Outcome::Carried(id, carried) => {
                let Carried { opened, is_left, returned, told, proposal, result } = *carried;
                self.is_carrying_out = false;
                if is_left {
                    self.session = None;
                    self.subagents.clear();
                    self.last_verdict = None;
                    self.views.forget_transcript();
                    self.read_changes();
                }
                let verdict = result.as_ref().ok().and_then(|result| result["verdict"].as_u64());
                self.last_verdict = verdict.or(self.last_verdict);
                self.respond(&id, result);
                self.send_all(told.map(|text| wire::show(lsp::MessageType::WARNING, &text)));
                if let Some(proposal) = proposal {
                    self.propose(proposal);
                }
                if let Some(opened) = opened {
                    self.opened(opened);
                }
                if !returned.is_empty() {
                    self.send_all([taken_back(&returned)]);
                }
                self.begin_next();
            }
        }
    }

    fn opened(&mut self, opened: Opened) {
        let Opened { session, snapshot } = opened;
        for approval in &snapshot.approvals {
            let request = self.questions.permission(session.clone(), approval);
            self.send_all(request);
        }
        for question in &snapshot.questions {
            let request = self.questions.question(session.clone(), question);
            self.send_all(request);
        }
        self.session = Some(session);
        self.read_changes();
    }

    /// Takes the handles of new sub-agents.
    pub(super) fn adopt(&mut self) {
        while let Ok(handle) = self.adopted.try_recv() {
            self.subagents.insert(handle.id.clone(), handle);
        }
    }

    /// Returns the handle of the session or of one of its sub-agents.
    pub(super) fn asking(&self, id: &SessionId) -> Option<SessionHandle> {
        let own = self.session.as_ref().filter(|session| session.id == *id);
        own.or_else(|| self.subagents.get(id)).cloned()
    }

    /// Stops a turn whose progress a person has cancelled. What is queued behind it stays.
    pub(super) fn stop(&mut self, turn: TurnId) {
        let Some(session) = self.session.clone() else { return };
        let stopped = async move {
            let (turn_id, queue) = (Some(turn), QueuePolicy::Keep);
            let stop = TurnInterruptParams { session_id: None, turn_id, queue };
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

    fn responded(&mut self, id: &Id, outcome: Result<Box<RawValue>, String>) {
        let outcome = match self.edits.responded(id, outcome, &self.documents) {
            Ok(message) => return self.send_all(message),
            Err(outcome) => outcome,
        };
        let outcome = match self.questions.responded(id, outcome) {
            Ok(Responded::Answer(answered)) => {
                let Answered { session, answer, message } = *answered;
                self.send_all(message);
                return self.tell(session, answer);
            }
            Ok(Responded::Show { text, number }) => return self.show_change(text, number),
            Err(outcome) => outcome,
        };
        let Err(outcome) = self.rewind_chosen(id, outcome) else { return };
        if Progress::has_asked(id) {
            let begun = self.progress.responded(id, outcome.is_ok());
            return self.send_all(begun);
        }
        if let Err(error) = outcome {
            tracing::debug!("the client rejected {id:?}: {error}");
        }
    }

    /// Returns the error of a request that cannot be accepted.
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

/// A message about queued messages that were taken back.
fn taken_back(returned: &[QueuedInput]) -> Vec<u8> {
    let texts =
        returned.iter().flat_map(|queued| &queued.content).filter_map(|block| match block {
            Input::Text { text } => Some(text.as_str()),
            _ => None,
        });
    let texts: Vec<&str> = texts.collect();
    let text = format!("pintle: not sent, since the turn was stopped:\n{}", texts.join("\n"));
    wire::show(lsp::MessageType::INFO, &text)
}
