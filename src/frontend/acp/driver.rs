//! The connection's driver: its state, in parts, and the messages that change them.

use super::Options;
use super::editor::{Editor, EditorCall};
use super::handlers::{self, Outcome, RequestContext};
use super::questions::{Answered, Questions};
use super::replay::Page;
use super::session::OpenSession;
use super::sessions::Sessions;
use super::terminals::{Made, Taken};
use crate::client::Subagents;
use crate::connection::{self, Ended, Outbox, Protocol};
use crate::methods::Table;
use crate::methods::connection::Connection;
use crate::rpc::{self, InFlight, Lane, is_id};
use agent_client_protocol_schema::v1 as acp;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::FuturesUnordered;
use jsonrpsee::types::ErrorObjectOwned;
use pintle_agent::{Feed, SessionHandle, SubscriberId};
use pintle_base::transport::envelope::{self, Envelope, Id};
use pintle_base::transport::{Incoming as Message, Outgoing};
use pintle_protocol::capability::ClientCapabilities;
use pintle_protocol::error;
use pintle_protocol::ids::SessionId;
use pintle_protocol::methods::{QueuePolicy, QueueRemove, TurnInterrupt, TurnInterruptParams};
use pintle_protocol::queue::QueueRemoveParams;
use serde_json::value::RawValue;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::mpsc;

/// A connection's stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Not initialized.
    New,
    Ready,
    /// No session can be opened until the client authenticates again.
    LoggedOut,
}

/// A request or a notification that begins after those before it.
pub(super) enum Incoming {
    Request { id: Id, method: String, params: Option<Box<RawValue>> },
    Cancel(SessionId),
}

/// A connection's state.
pub(super) struct Driver {
    pub(super) ctx: RequestContext,
    pub(super) stage: Stage,
    pub(super) outbox: Outbox,
    pub(super) in_flight: InFlight,
    pub(super) lane: Lane<Incoming>,
    /// The running request loads or resumes a session: events wait, so that none is lost, sent twice or out of order.
    pub(super) is_loading: bool,
    /// The handlers of requests, and answers on their way to sessions.
    pub(super) running: FuturesUnordered<BoxFuture<'static, Outcome>>,
    pub(super) sessions: Sessions,
    /// Pages for session replays in progress.
    pub(super) pages: mpsc::Receiver<Page>,
    pub(super) questions: Questions,
    pub(super) editor: Editor,
    /// The native methods.
    pub(super) methods: Table,
}

/// A result of work that the connection started.
pub(super) enum Done {
    Outcome(Outcome),
    Page(Page),
    Call(EditorCall),
}

impl Protocol for Driver {
    type Done = Done;

    fn outbox(&mut self) -> &mut Outbox {
        &mut self.outbox
    }

    fn takes_events(&self) -> bool {
        !self.is_loading
    }

    async fn next(&mut self) -> Done {
        tokio::select! {
            biased;
            done = connection::first_ready(&mut self.running) => Done::Outcome(done),
            Some(page) = self.pages.recv(), if self.outbox.is_empty() => Done::Page(page),
            call = self.editor.next() => Done::Call(call),
        }
    }

    fn ready_response(&mut self) -> Option<Done> {
        connection::take_ready(&mut self.running).map(Done::Outcome)
    }

    fn follows_events(done: &Done) -> bool {
        match done {
            // The update about a call that reads a file precedes the request for the file.
            Done::Outcome(Outcome::Closed(..)) | Done::Call(EditorCall::File(_)) => true,
            // A terminal is released before its command's result is sent.
            Done::Outcome(_)
            | Done::Page(_)
            | Done::Call(EditorCall::Terminal(_) | EditorCall::FileOverdue(_)) => false,
        }
    }

    async fn done(&mut self, done: Done) {
        match done {
            Done::Outcome(done) => self.finish(done),
            Done::Page(page) => self.send_all(page),
            Done::Call(EditorCall::Terminal(request)) => {
                let request = self.editor.request_terminal(request);
                self.send_all(request);
            }
            Done::Call(EditorCall::FileOverdue(id)) => {
                let cancelled = self.editor.give_up_file(id);
                self.send_all(cancelled);
            }
            Done::Call(EditorCall::File(call)) => {
                if let Some(session) = self.sessions.working_on(Path::new(&call.path)) {
                    let requests = self.editor.request_file(&session, call);
                    self.send_all(requests);
                }
            }
        }
    }

    async fn message(&mut self, message: Message) -> Option<Ended> {
        self.take(message);
        None
    }

    async fn events(&mut self, events: Vec<Feed>) {
        self.forward(events);
    }

    async fn input_ended(&mut self) {
        self.editor.disconnect();
    }

    fn is_busy(&self) -> bool {
        !self.lane.is_empty() || !self.running.is_empty()
    }

    fn sessions(&self) -> (Vec<SessionHandle>, SubscriberId) {
        (self.sessions.iter().map(|open| open.handle.clone()).collect(), self.ctx.client.id)
    }

    fn closing(&mut self) {
        self.editor.disconnect();
    }

    async fn closed(&mut self) {
        self.respond_to_open_prompts();
    }
}

impl Driver {
    pub(super) fn new(
        ctx: RequestContext,
        outgoing: Outgoing,
        subagents: Subagents,
        pages: mpsc::Receiver<Page>,
        options: &Options,
    ) -> Self {
        // This table has no subscriptions to edits and no logins, so nothing is ever sent.
        let (edits, _) = mpsc::channel(1);
        let (login_pages, _) = mpsc::channel(1);
        let connection =
            Connection::new(ctx.client.clone(), edits, login_pages, options.cwd.clone());
        connection.initialize(None, ClientCapabilities::default());
        Self {
            ctx,
            stage: Stage::New,
            outbox: Outbox::new(outgoing),
            in_flight: InFlight::default(),
            lane: Lane::default(),
            is_loading: false,
            running: FuturesUnordered::new(),
            sessions: Sessions::new(subagents),
            pages,
            questions: Questions::new(),
            editor: Editor::new(options.client_terminals),
            methods: Table::new(Arc::new(connection)),
        }
    }

    pub(super) fn send_all(&mut self, messages: impl IntoIterator<Item = Vec<u8>>) {
        for message in messages.into_iter().filter(|message| !message.is_empty()) {
            self.outbox.push(message);
        }
    }

    pub(super) fn respond(&mut self, id: &Id, message: Vec<u8>) {
        self.in_flight.remove(id);
        self.outbox.push(message);
    }

    pub(super) fn refuse(&mut self, id: &Id, error: &ErrorObjectOwned) {
        self.respond(id, rpc::error_response(id, error));
    }

    /// Responds to prompts that are still open at the end.
    pub(super) fn respond_to_open_prompts(&mut self) {
        let responses: Vec<_> = self.sessions.iter_mut().flat_map(OpenSession::closed).collect();
        for (id, response) in responses {
            self.respond(&id, response);
        }
    }

    pub(super) fn take(&mut self, message: Message) {
        match envelope::read(message) {
            Ok(Envelope::Request { id, method, params }) => self.request(id, method, params),
            Ok(Envelope::Notification { method, params }) => {
                self.notified(&method, params.as_deref());
            }
            Ok(Envelope::Response { id, outcome }) => self.responded(&id, outcome),
            Err(invalid) => self.outbox.push(rpc::rejection(&invalid)),
        }
    }

    fn request(&mut self, id: Id, method: String, params: Option<Box<RawValue>>) {
        let refusal = if let Some(refusal) = self.in_flight.refusal(&id) {
            refusal
        } else if self.stage == Stage::New && method != "initialize" && !self.lane.is_busy() {
            let hint = "send `initialize` with `protocolVersion` 1 first";
            let message = "the connection is not initialized";
            rpc::refusal(error::INVALID_REQUEST, message, "notInitialized", hint)
        } else {
            self.in_flight.insert(id.clone());
            self.lane.push(Incoming::Request { id, method, params });
            return self.begin_next();
        };
        self.outbox.push(rpc::error_response(&id, &refusal));
    }

    fn notified(&mut self, method: &str, params: Option<&RawValue>) {
        match method {
            "session/cancel" => {
                let Ok(params) = handlers::read::<acp::CancelNotification>(params) else { return };
                self.lane.push(Incoming::Cancel(SessionId::new(&*params.session_id.0)));
                self.begin_next();
            }
            "$/cancel_request" | "$/cancelRequest" => self.cancel_request(params),
            _ => tracing::debug!("unknown notification {method}"),
        }
    }

    /// Withdraws a request that has not begun, or stops a prompt's turn.
    fn cancel_request(&mut self, params: Option<&RawValue>) {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Params {
            #[serde(alias = "id")]
            request_id: serde_json::Value,
        }
        let Ok(Params { request_id }) = handlers::read(params) else { return };
        let is_it = |incoming: &Incoming| matches!(incoming, Incoming::Request { id, .. } if is_id(id, &request_id));
        if let Some(Incoming::Request { id, .. }) = self.lane.withdraw(is_it) {
            return self.refuse(&id, &rpc::cancelled());
        }
        let in_session = |open: &OpenSession| {
            let prompt = open.prompts.iter().find(|prompt| is_id(&prompt.id, &request_id))?;
            Some((open.handle.clone(), prompt.turn.clone(), prompt.item.clone()))
        };
        let Some((handle, turn, item)) = self.sessions.iter().find_map(in_session) else { return };
        self.running.push(
            async move {
                let stop = TurnInterruptParams {
                    session_id: None,
                    expected_turn_id: Some(turn),
                    queue: QueuePolicy::Keep,
                };
                let stopped = handle.call::<TurnInterrupt>(stop).await;
                if let (true, Some(item)) =
                    (!stopped.is_ok_and(|stopped| stopped.turn_id.is_some()), item)
                {
                    let item_ids = Some(vec![item]);
                    let remove = QueueRemoveParams { session_id: None, item_ids };
                    // A message that was read meanwhile belongs to a turn that ends by itself.
                    let _ = handle.call::<QueueRemove>(remove).await;
                }
                Outcome::NoResponse
            }
            .boxed(),
        );
    }

    fn runs_in(&mut self, Made { session, item, terminal }: &Made) {
        let Some(open) = self.sessions.get_mut(session) else { return };
        let updates = open.translator.runs_in(item, terminal);
        let messages = open.in_turn(updates, None);
        self.send_all(messages);
    }

    fn responded(&mut self, id: &Id, outcome: Result<Box<RawValue>, String>) {
        let outcome = match self.editor.responded(id, outcome) {
            Taken::NotOurs(outcome) => outcome,
            Taken::Made(made) => return self.runs_in(&made),
            Taken::Done => return,
        };
        match self.questions.take(id, outcome) {
            Answered::Ask(request) => self.outbox.push(request),
            Answered::Tell(session, answer) => {
                // A full command channel waits for the session, which never waits for this connection.
                let sent = async move {
                    let _ = session.tell(answer).await;
                    Outcome::NoResponse
                };
                self.running.push(sent.boxed());
            }
            Answered::NotOurs => tracing::debug!("response to an unknown request: {id:?}"),
        }
    }
}
