//! The connection's state, and what changes it: messages that come, and what comes of requests.

use super::Options;
use super::asks::{Answered, Asks};
use super::files::{FileCall, Files};
use super::open::Open;
use super::replay::Page;
use super::requests::{self, Desk, Done};
use super::terminals::{Made, Taken, TerminalNews, Terminals};
use super::wire;
use crate::agent::{AnswerCommand, Feed, QueueCommand, QueueEdit, SessionHandle, TurnCommand};
use crate::frontend::connection::{self, Ended, InFlight, Outbox, Protocol};
use crate::frontend::native::connection::Connection;
use crate::frontend::native::dispatch::{Table, error_object};
use crate::transport::envelope::{self, Envelope, Invalid};
use crate::transport::{Incoming, Outgoing};
use agent_client_protocol_schema::v1 as acp;
use futures_util::future::{BoxFuture, FutureExt, OptionFuture};
use futures_util::stream::FuturesUnordered;
use jsonrpsee::types::{ErrorObjectOwned, Id};
use pintle_protocol::capability::ClientCapabilities;
use pintle_protocol::error;
use pintle_protocol::ids::SessionId;
use pintle_protocol::methods::QueuePolicy;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tokio::sync::mpsc;

/// What the client wants, in the order in which it came.
pub(super) enum Wish {
    Request { id: Id<'static>, method: String, params: Option<Box<RawValue>> },
    Cancel(SessionId),
}

/// How far a connection has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// It was not initialized.
    New,
    Ready,
    /// No more sessions are opened until the client authenticates.
    LoggedOut,
}

/// Everything that one connection remembers.
pub(super) struct Driver {
    pub(super) desk: Desk,
    pub(super) outbox: Outbox,
    pub(super) sessions: BTreeMap<SessionId, Open>,
    /// Sub-agents' sessions, with that of the client's to which they belong.
    pub(super) parents: BTreeMap<SessionId, SessionId>,
    pub(super) children: BTreeMap<SessionId, SessionHandle>,
    pub(super) adopted: mpsc::Receiver<SessionHandle>,
    pub(super) pages: mpsc::Receiver<Page>,
    pub(super) asks: Asks,
    /// The client's files, where it offers both ways.
    pub(super) files: Option<Files>,
    /// The client's terminals, where commands run in them.
    pub(super) terminals: Option<Terminals>,
    pub(super) may_use_terminals: bool,
    pub(super) running: FuturesUnordered<BoxFuture<'static, Done>>,
    /// The engine's own methods.
    pub(super) own: (Arc<Connection>, Table),
    pub(super) stage: Stage,
    in_flight: InFlight,
    pub(super) waiting: VecDeque<Wish>,
    /// The request that is being answered: the next begins after it.
    pub(super) busy: Option<Id<'static>>,
    /// A session is being told from its beginning: what happens meanwhile waits, so that nothing is told twice or out of its order.
    pub(super) is_loading: bool,
}

/// A result of the connection's own work.
pub(super) enum Wake {
    Done(Done),
    Page(Page),
    Terminal(TerminalNews),
    File(FileCall),
}

impl Protocol for Driver {
    type Done = Wake;

    fn outbox(&mut self) -> &mut Outbox {
        &mut self.outbox
    }

    fn takes_events(&self) -> bool {
        !self.is_loading
    }

    async fn next(&mut self) -> Wake {
        let terminals = self.terminals.as_mut().map(Terminals::next);
        let files = self.files.as_mut().map(Files::next);
        tokio::select! {
            biased;
            done = connection::first_ready(&mut self.running) => Wake::Done(done),
            Some(page) = self.pages.recv(), if self.outbox.is_empty() => Wake::Page(page),
            Some(news) = OptionFuture::from(terminals) => Wake::Terminal(news),
            Some(call) = OptionFuture::from(files) => Wake::File(call),
        }
    }

    fn ready_response(&mut self) -> Option<Wake> {
        connection::take_ready(&mut self.running).map(Wake::Done)
    }

    fn follows_events(done: &Wake) -> bool {
        match done {
            // The call that looks at a file is told before the request for it.
            Wake::Done(Done::Closed(..)) | Wake::File(_) => true,
            // A terminal is released before the result of its command is told.
            Wake::Done(_) | Wake::Page(_) | Wake::Terminal(_) => false,
        }
    }

    async fn done(&mut self, done: Wake) {
        match done {
            Wake::Done(done) => self.finish(done),
            Wake::Page(page) => self.send_all(page),
            Wake::Terminal(news) => self.ask_for_terminal(news),
            Wake::File(call) => self.ask_for_file(call),
        }
    }

    async fn message(&mut self, message: Incoming) -> Option<Ended> {
        self.take(message);
        None
    }

    async fn events(&mut self, events: Vec<Feed>) {
        self.hand_on(events);
    }

    async fn input_ended(&mut self) {
        self.no_more_answers();
    }

    fn until_idle(&mut self) -> Option<BoxFuture<'static, ()>> {
        let is_answered = self.busy.is_none() && self.waiting.is_empty() && self.running.is_empty();
        let sessions = || self.sessions.values().map(|open| open.handle.clone()).collect();
        is_answered.then(|| connection::until_idle(sessions(), self.desk.id).boxed())
    }

    fn closing(&mut self) {
        self.no_more_answers();
    }

    async fn closed(&mut self) {
        self.answer_all();
    }
}

impl Driver {
    pub(super) fn new(
        desk: Desk,
        outgoing: Outgoing,
        adopted: mpsc::Receiver<SessionHandle>,
        pages: mpsc::Receiver<Page>,
        options: &Options,
    ) -> Self {
        // Nothing is subscribed to there, so nothing is ever sent.
        let (edits, _) = mpsc::channel(1);
        let own = Connection::new(
            desk.engine.clone(),
            desk.id,
            desk.feed.clone(),
            edits,
            options.cwd.clone(),
        );
        own.initialize(ClientCapabilities::default());
        let own = Arc::new(own);
        Self {
            outbox: Outbox::new(outgoing),
            own: (Arc::clone(&own), Table::new(own)),
            desk,
            adopted,
            pages,
            sessions: BTreeMap::new(),
            parents: BTreeMap::new(),
            children: BTreeMap::new(),
            asks: Asks::default(),
            files: None,
            terminals: None,
            may_use_terminals: options.client_terminals,
            running: FuturesUnordered::new(),
            stage: Stage::New,
            in_flight: InFlight::default(),
            waiting: VecDeque::new(),
            busy: None,
            is_loading: false,
        }
    }

    pub(super) fn send_all(&mut self, messages: impl IntoIterator<Item = Vec<u8>>) {
        for message in messages.into_iter().filter(|message| !message.is_empty()) {
            self.outbox.push(message);
        }
    }

    pub(super) fn answer(&mut self, id: &Id<'static>, message: Vec<u8>) {
        self.in_flight.remove(id);
        self.outbox.push(message);
    }

    pub(super) fn refuse(&mut self, id: &Id<'static>, error: &ErrorObjectOwned) {
        self.answer(id, wire::refusal(id, error));
    }

    /// Answers prompts that are still open at the end.
    pub(super) fn answer_all(&mut self) {
        let answers: Vec<_> = self.sessions.values_mut().flat_map(Open::closed).collect();
        for (id, answer) in answers {
            self.answer(&id, answer);
        }
    }

    // ----- what comes

    pub(super) fn take(&mut self, came: Incoming) {
        match envelope::read(came) {
            Ok(Envelope::Request { id, method, params }) => self.request(id, method, params),
            Ok(Envelope::Notification { method, params }) => {
                self.notified(&method, params.as_deref());
            }
            Ok(Envelope::Response { id, outcome }) => self.responded(&id, outcome),
            Err(invalid) => self.reject(&invalid),
        }
    }

    fn reject(&mut self, invalid: &Invalid) {
        let name = if invalid.code == error::PARSE_ERROR { "parseError" } else { "invalidRequest" };
        let error = error_object(invalid.code, &invalid.message, name, None);
        self.outbox.push(wire::refusal(&invalid.id, &error));
    }

    fn request(&mut self, id: Id<'static>, method: String, params: Option<Box<RawValue>>) {
        let refusal = if let Some(refusal) = self.in_flight.refusal(&id) {
            refusal
        } else if self.stage == Stage::New && method != "initialize" && self.busy.is_none() {
            let hint = "send `initialize` with `protocolVersion` 1 first";
            let message = "the connection is not initialized";
            error_object(error::INVALID_REQUEST, message, "notInitialized", Some(hint))
        } else {
            self.in_flight.insert(id.clone());
            self.waiting.push_back(Wish::Request { id, method, params });
            return self.begin_next();
        };
        self.outbox.push(wire::refusal(&id, &refusal));
    }

    fn notified(&mut self, method: &str, params: Option<&RawValue>) {
        match method {
            "session/cancel" => {
                let Ok(params) = requests::read::<acp::CancelNotification>(params) else { return };
                self.waiting.push_back(Wish::Cancel(SessionId::new(&*params.session_id.0)));
                self.begin_next();
            }
            "$/cancel_request" | "$/cancelRequest" => self.cancel_request(params),
            _ => tracing::debug!("a notification that means nothing here: {method}"),
        }
    }

    /// Withdraws a request that has not begun, or stops the turn of a prompt.
    fn cancel_request(&mut self, params: Option<&RawValue>) {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Params {
            #[serde(alias = "id")]
            request_id: serde_json::Value,
        }
        let Ok(Params { request_id }) = requests::read(params) else { return };
        let is_it = |id: &Id<'_>| serde_json::to_value(id).is_ok_and(|id| id == request_id);
        let waits = |wish: &Wish| matches!(wish, Wish::Request { id, .. } if is_it(id));
        if let Some(Wish::Request { id, .. }) =
            self.waiting.iter().position(waits).and_then(|place| self.waiting.remove(place))
        {
            let message = "the request was cancelled before it began";
            return self.refuse(&id, &error_object(error::CANCELLED, message, "cancelled", None));
        }
        let of_open = |open: &Open| {
            let prompt = open.prompts.iter().find(|prompt| is_it(&prompt.id))?;
            Some((open.handle.clone(), prompt.turn.clone(), prompt.item.clone()))
        };
        let Some((handle, turn, item)) = self.sessions.values().find_map(of_open) else { return };
        self.running.push(
            async move {
                let queue = QueuePolicy::Keep;
                let expected = Some(turn);
                let stopped =
                    handle.ask(|reply| TurnCommand::Interrupt { expected, queue, reply }).await;
                if let (true, Some(item)) =
                    (!stopped.is_ok_and(|stopped| stopped.turn_id.is_some()), item)
                {
                    let edit = QueueEdit::Remove(Some(vec![item]));
                    // One that was read meanwhile is in a turn that ends by itself.
                    let _ = handle.ask(|reply| QueueCommand::Edit { edit, reply }).await;
                }
                Done::Told
            }
            .boxed(),
        );
    }

    /// Asks the client for a file: in the session that works in its folder, since tools do not say for which session they ask.
    pub(super) fn ask_for_file(&mut self, call: FileCall) {
        let score =
            |open: &&Open| (open.is_running(), call.path.starts_with(&open.cwd), open.cwd.len());
        let session = self.sessions.values().max_by_key(score).map(|open| open.id.clone());
        let (Some(session), Some(files)) = (session, &mut self.files) else { return };
        let messages = files.request(&session, call);
        self.send_all(messages);
    }

    /// The client answers nothing any more.
    pub(super) fn no_more_answers(&mut self) {
        if let Some(mut files) = self.files.take() {
            files.disconnect();
        }
        if let Some(mut terminals) = self.terminals.take() {
            terminals.disconnect();
        }
    }

    /// Asks the client to run a command, or what has become of one.
    pub(super) fn ask_for_terminal(&mut self, news: TerminalNews) {
        let request = self.terminals.as_mut().and_then(|terminals| terminals.request(news));
        self.send_all(request);
    }

    fn runs_in(&mut self, Made { session, item, terminal }: &Made) {
        let Some(open) = self.sessions.get_mut(session) else { return };
        let updates = open.story.runs_in(item, terminal);
        let messages = open.in_turn(updates, None);
        self.send_all(messages);
    }

    fn responded(&mut self, id: &Id<'static>, outcome: Result<Box<RawValue>, String>) {
        let outcome = match &mut self.files {
            Some(files) => files.answered(id, outcome),
            None => Some(outcome),
        };
        let Some(outcome) = outcome else { return };
        let taken = match &mut self.terminals {
            Some(terminals) => terminals.answered(id, outcome),
            None => Taken::NotOurs(outcome),
        };
        let outcome = match taken {
            Taken::NotOurs(outcome) => outcome,
            Taken::Made(made) => return self.runs_in(&made),
            Taken::Done => return,
        };
        match self.asks.take(id, outcome) {
            Answered::Ask(request) => self.outbox.push(request),
            Answered::Tell(session, answer) => {
                // A full command channel waits for the session, which never waits for us.
                let told = async move {
                    let _ = session.tell(AnswerCommand::Returned(answer)).await;
                    Done::Told
                };
                self.running.push(told.boxed());
            }
            Answered::NotOurs => tracing::debug!("a response to no request: {id:?}"),
        }
    }
}
