//! A connection's driver: reads the envelope of each message, starts handlers, and sends responses and events.

use super::events;
use super::questions::Questions;
use super::requests::{Request, Requests};
use crate::connection::{self, Ended, Outbox, Protocol};
use crate::methods::{Order, Table};
use crate::rpc;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::FuturesUnordered;
use pintle_agent::{EditCall, Feed, SessionHandle, SubscriberId};
use pintle_base::transport::Incoming;
use pintle_base::transport::envelope::{self, Envelope, Id};
use pintle_protocol::auth::AuthOpenUrlParams;
use pintle_protocol::methods::{AuthOpenUrl, CancelParams, CancelRequest, Exit, Notification};
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A connection's state.
pub(super) struct Driver {
    pub(super) table: Table,
    pub(super) outbox: Outbox,
    pub(super) questions: Questions,
    /// Login pages for the user.
    pub(super) pages: mpsc::Receiver<AuthOpenUrlParams>,
    pub(super) requests: Requests,
    /// The client has sent `exit`, right after a `shutdown` that is in progress.
    pub(super) exits: bool,
    /// The handlers of requests.
    pub(super) running: FuturesUnordered<BoxFuture<'static, Response>>,
    /// Answers on their way to sessions.
    pub(super) answers: FuturesUnordered<BoxFuture<'static, ()>>,
}

/// The response to a request.
pub(super) struct Response {
    id: Id,
    order: Order,
    message: Vec<u8>,
}

/// A result of work that the connection started.
pub(super) enum Done {
    /// A handler has returned.
    Responded(Response),
    /// A session has received an answer.
    Answered,
    /// An edit is to be made in the client.
    Edit(EditCall),
    /// A page that the user should open.
    Page(AuthOpenUrlParams),
}

impl Protocol for Driver {
    type Done = Done;

    fn outbox(&mut self) -> &mut Outbox {
        &mut self.outbox
    }

    async fn next(&mut self) -> Done {
        tokio::select! {
            biased;
            Some(page) = self.pages.recv() => Done::Page(page),
            response = connection::first_ready(&mut self.running) => Done::Responded(response),
            () = connection::first_ready(&mut self.answers) => Done::Answered,
            call = self.questions.edits.next() => Done::Edit(call),
        }
    }

    fn ready_response(&mut self) -> Option<Done> {
        connection::take_ready(&mut self.running).map(Done::Responded)
    }

    fn follows_events(done: &Done) -> bool {
        match done {
            // The update about a call that edits precedes its edit.
            Done::Edit(_) => true,
            Done::Answered | Done::Page(_) => false,
            Done::Responded(response) => response.order == Order::Closing,
        }
    }

    async fn done(&mut self, done: Done) {
        match done {
            Done::Responded(response) => self.responded(response),
            Done::Answered => {}
            Done::Page(page) => self.open_url(&page),
            Done::Edit(call) => self.questions.edit(call, &mut self.outbox),
        }
    }

    async fn message(&mut self, message: Incoming) -> Option<Ended> {
        self.take(message)
    }

    async fn events(&mut self, events: Vec<Feed>) {
        for feed in events {
            match &feed {
                Feed::Call(call) => {
                    self.questions.call(call, &self.table.connection, &mut self.outbox);
                }
                Feed::CallWithdrawn(id) => self.questions.withdraw_call(id, &mut self.outbox),
                Feed::Questions(now) => {
                    self.questions.update(now, &self.table.connection, &mut self.outbox);
                }
                Feed::Durable(_) | Feed::Transient(_) | Feed::Held(..) | Feed::Lagged { .. } => {
                    self.outbox.push_all(events::message(&feed));
                }
            }
        }
    }

    async fn input_ended(&mut self) {
        // An edit's response would never arrive.
        self.questions.edits.mute();
        self.requests.cancel_watches();
    }

    fn has_exited(&self) -> bool {
        self.exits && self.table.connection.is_shut_down() && !self.requests.has_work()
    }

    fn is_busy(&self) -> bool {
        !self.requests.is_empty() || !self.answers.is_empty()
    }

    fn sessions(&self) -> (Vec<SessionHandle>, SubscriberId) {
        (self.table.connection.sessions(), self.table.connection.client.id)
    }

    fn closing(&mut self) {
        // Calls that wait for the editor fail now.
        self.questions.edits.close();
    }

    async fn closed(&mut self) {}
}

impl Driver {
    /// Handles a message. Returns the reason if the message ends the connection.
    fn take(&mut self, message: Incoming) -> Option<Ended> {
        match envelope::read(message) {
            Ok(Envelope::Request { id, method, params }) => self.request(id, method, params),
            Ok(Envelope::Notification { method, params }) => {
                return self.notification(&method, params.as_deref());
            }
            Ok(Envelope::Response { id, outcome }) => {
                if let Some((session, answer)) = self.questions.responded(&id, outcome) {
                    // A full command channel waits for the session, which never waits for this connection.
                    self.answers.push(async move { drop(session.tell(answer).await) }.boxed());
                }
            }
            Err(invalid) => self.outbox.push(rpc::rejection(&invalid)),
        }
        None
    }

    fn request(&mut self, id: Id, method: String, params: Option<Box<RawValue>>) {
        let refusal = self.requests.refusal(&id).or_else(|| self.table.refusal(&method));
        if let Some(refusal) = refusal {
            self.outbox.push(rpc::error_response(&id, &refusal));
            return;
        }
        self.requests.accept(Request { id, method, params });
        self.begin_next();
    }

    /// Starts the requests that need not wait for another.
    fn begin_next(&mut self) {
        while let Some(Request { id, method, params }) = self.requests.next() {
            // Checked again: the request before it may have been `shutdown`.
            if let Some(refusal) = self.table.refusal(&method) {
                self.requests.forget(&id);
                self.outbox.push(rpc::error_response(&id, &refusal));
                continue;
            }
            let cancel = CancellationToken::new();
            let params = params.as_deref();
            let (order, response) = self.table.call(id.clone(), &method, params, cancel.clone());
            self.requests.begun(&id, order, cancel);
            let handler = async move { Response { id, order, message: response.await } };
            self.running.push(handler.boxed());
        }
    }

    fn open_url(&mut self, page: &AuthOpenUrlParams) {
        self.outbox.push(envelope::notification(AuthOpenUrl::METHOD, page));
    }

    fn responded(&mut self, response: Response) {
        let Response { id, order, message } = response;
        // A login's page precedes its response.
        while let Ok(page) = self.pages.try_recv() {
            self.open_url(&page);
        }
        self.outbox.push(message);
        let left = self.table.connection.take_left();
        self.questions.leave(&left, &mut self.outbox);
        self.requests.finished(&id, order);
        self.begin_next();
    }

    fn notification(&mut self, method: &str, params: Option<&RawValue>) -> Option<Ended> {
        match method {
            Exit::METHOD if self.table.connection.is_shut_down() => Some(Ended::Exit),
            Exit::METHOD if self.requests.is_shutting_down() => {
                self.exits = true;
                None
            }
            Exit::METHOD => Some(Ended::ExitInHaste),
            CancelRequest::METHOD | "$/cancel_request" => {
                self.cancel(params);
                None
            }
            _ => {
                tracing::debug!("unknown notification {method}");
                None
            }
        }
    }

    /// Withdraws a request that has not begun, or cancels one that waits for the user.
    fn cancel(&mut self, params: Option<&RawValue>) {
        let Some(params) =
            params.and_then(|raw| serde_json::from_str::<CancelParams>(raw.get()).ok())
        else {
            return;
        };
        if let Some(id) = self.requests.withdraw(&params.id) {
            self.outbox.push(rpc::error_response(&id, &rpc::cancelled()));
        }
    }
}
