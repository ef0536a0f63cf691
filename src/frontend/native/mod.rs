//! The native protocol: JSON-RPC 2.0, driven over any [`Link`].
//!
//! One task serves a connection. Requests begin in the order in which they came, each when the one before has been
//! answered; those marked as reads in `dispatch` may overlap. A session sends its response before the
//! events that a command causes, and this task sends responses that are ready before events, so a client always sees
//! them in that order. The exceptions are `session/close` and `shutdown`: their responses follow the last events of the
//! sessions that they close.

pub(in crate::frontend) mod connection;
pub(in crate::frontend) mod dispatch;
mod documents;
mod extend;
pub(in crate::frontend) mod feed;
mod handlers;
mod history;
mod questions;
mod stored;
mod told;

use crate::agent::{
    AnswerCommand, EditCall, Editors, EngineHandle, Feed, SubscriberId, SubscriptionCommand,
    TurnCommand,
};
use crate::frontend::in_flight::InFlight;
use crate::frontend::outbox::Outbox;
use crate::transport::envelope::{self, Envelope, Invalid};
use crate::transport::{Incoming, Link};
use connection::Connection;
use dispatch::{Order, Table};
use documents::Edits;
use futures_util::future::{BoxFuture, FutureExt, OptionFuture, join_all};
use futures_util::stream::{FuturesUnordered, StreamExt};
use jsonrpsee::types::Id;
use pintle_protocol::error;
use pintle_protocol::methods::{CancelParams, CancelRequest, Exit, Notification};
use questions::Questions;
use serde_json::value::RawValue;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// How many events may wait for this task. It takes them at once unless the client is slow; then sessions drop deltas and
/// hold back the rest. Small enough that a client which never reads costs little memory.
const FEED_CAPACITY: usize = 1024;

/// How many edits of documents may wait for this task. They come one at a time.
const EDIT_CAPACITY: usize = 4;

/// How many events are taken at once, so that neighbours can be merged.
const FEED_BATCH: usize = 64;

/// How a connection is set up.
#[derive(Debug, Clone)]
pub struct Options {
    /// The working directory of a session that names none.
    pub cwd: PathBuf,
    /// Cancel it to interrupt what runs and end in order.
    pub stop: CancellationToken,
}

/// Why a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The client's input ended, and what ran has finished.
    EndOfInput,
    /// `exit` after `shutdown`.
    Exit,
    /// `exit` without `shutdown`.
    ExitInHaste,
    /// Nobody reads our output any more.
    HungUp,
    /// The stop token fired.
    Stopped,
}

/// A request that waits for its turn.
struct Waiting {
    id: Id<'static>,
    method: String,
    params: Option<Box<RawValue>>,
}

/// A request that was answered.
struct Answered {
    id: Id<'static>,
    order: Order,
    response: Vec<u8>,
}

struct Driver {
    table: Table,
    connection: Arc<Connection>,
    outbox: Outbox,
    questions: Questions,
    edits: Edits,
    in_flight: InFlight,
    /// What tells of documents, ahead of what came after it.
    documents: VecDeque<Waiting>,
    waiting: VecDeque<Waiting>,
    /// A request that must be answered before the next begins is being answered.
    is_busy: bool,
    /// The same for what tells of documents.
    is_document_busy: bool,
    /// The response to a request that closed sessions. It waits for the events that were sent before it.
    closed: Option<Answered>,
    running: FuturesUnordered<BoxFuture<'static, Answered>>,
}

/// What the driver wakes up for.
enum Happened {
    Answered(Answered),
    Room,
    Fed,
    Edit(EditCall),
    Came(Incoming),
    InputEnded,
    Idle,
    HungUp,
    Stopped,
}

/// Serves one connection to its end, then closes the engine's sessions in order.
pub async fn serve(link: Link, engine: EngineHandle, options: Options) -> Ended {
    static NEXT_SUBSCRIBER: AtomicU64 = AtomicU64::new(1);
    let Link { mut incoming, outgoing, hangup } = link;
    let (feed_tx, mut feed) = mpsc::channel(FEED_CAPACITY);
    let subscriber = SubscriberId(NEXT_SUBSCRIBER.fetch_add(1, Ordering::Relaxed));
    let (edits_tx, mut edits) = mpsc::channel(EDIT_CAPACITY);
    let connection =
        Arc::new(Connection::new(engine.clone(), subscriber, feed_tx, edits_tx, options.cwd));
    let mut driver = Driver {
        table: Table::new(Arc::clone(&connection)),
        connection,
        outbox: Outbox::new(outgoing),
        questions: Questions::default(),
        edits: Edits::default(),
        in_flight: InFlight::default(),
        documents: VecDeque::new(),
        waiting: VecDeque::new(),
        is_busy: false,
        is_document_busy: false,
        closed: None,
        running: FuturesUnordered::new(),
    };
    let mut batch = Vec::with_capacity(FEED_BATCH);
    let mut has_input = true;
    let mut idle: Option<BoxFuture<'static, ()>> = None;

    let ended = loop {
        if !has_input && idle.is_none() && driver.in_flight.is_empty() {
            idle = Some(when_idle(&driver.connection).boxed());
        }
        let happened = tokio::select! {
            biased;
            () = hangup.cancelled() => Happened::HungUp,
            () = options.stop.cancelled() => Happened::Stopped,
            Some(answered) = driver.running.next() => Happened::Answered(answered),
            () = driver.outbox.drain(), if !driver.outbox.is_empty() => Happened::Room,
            _ = feed.recv_many(&mut batch, FEED_BATCH), if driver.outbox.is_empty() => Happened::Fed,
            Some(call) = edits.recv() => Happened::Edit(call),
            () = OptionFuture::from(idle.as_mut()).map(drop), if idle.is_some() => Happened::Idle,
            came = incoming.recv(), if has_input && driver.outbox.takes_more() => {
                came.map_or(Happened::InputEnded, Happened::Came)
            }
        };
        match happened {
            Happened::Answered(answered) => driver.answered(answered),
            Happened::Room => {}
            Happened::Fed => driver.feed(&mut batch),
            Happened::Edit(call) => driver.edits.send(call, &mut driver.outbox),
            Happened::Came(came) => {
                if let Some(ended) = driver.take(came) {
                    break ended;
                }
            }
            Happened::InputEnded => {
                has_input = false;
                driver.nobody_answers(&engine);
            }
            Happened::Idle => break Ended::EndOfInput,
            Happened::HungUp => break Ended::HungUp,
            Happened::Stopped => break Ended::Stopped,
        }
        driver.finish_closing(&mut feed);
    };
    // Whoever waits for the editor learns that it is gone.
    drop(edits);
    driver.edits = Edits::default();
    driver.close(&engine, &mut feed, &hangup, ended).await;
    ended
}

/// Nobody answers questions any more; waits until what runs in this connection's sessions has finished.
fn when_idle(connection: &Connection) -> impl Future<Output = ()> + Send + use<> {
    let id = connection.subscriber;
    let sessions = connection.sessions();
    async move {
        let each = sessions.into_iter().map(|session| async move {
            // A session that is closed is idle.
            let _ = session.tell(SubscriptionCommand::StopAnswering { id }).await;
            let _ = session.ask(|reply| TurnCommand::WhenIdle { reply }).await;
        });
        join_all(each).await;
    }
}

impl Driver {
    /// The client's input has ended: an edit would wait for an answer in vain.
    fn nobody_answers(&mut self, engine: &EngineHandle) {
        if let Some(Editors { documents, .. }) = engine.editors() {
            documents.mute(self.connection.subscriber.0);
        }
        self.edits = Edits::default();
    }

    /// Takes a message. Returns how the connection ends, when the message ends it.
    fn take(&mut self, came: Incoming) -> Option<Ended> {
        match envelope::read(came) {
            Ok(Envelope::Request { id, method, params }) => self.request(id, method, params),
            Ok(Envelope::Notification { method, params }) => {
                return self.notification(&method, params.as_deref());
            }
            Ok(Envelope::Response { id, outcome }) => {
                let outcome = self.edits.answered(&id, outcome);
                let answered = outcome.and_then(|outcome| self.questions.answered(&id, outcome));
                let Some((session, answer)) = answered else {
                    tracing::debug!("a response to no request: {id:?}");
                    return None;
                };
                // A full command channel waits for the session, which never waits for us.
                let told = async move {
                    let _ = session.tell(AnswerCommand::Returned(answer)).await;
                    Answered { id: Id::Null, order: Order::Read, response: Vec::new() }
                };
                self.running.push(told.boxed());
            }
            Err(invalid) => self.reject(&invalid),
        }
        None
    }

    fn reject(&mut self, invalid: &Invalid) {
        let code = match invalid.code {
            error::PARSE_ERROR => "parseError",
            _ => "invalidRequest",
        };
        let error = dispatch::error_object(invalid.code, &invalid.message, code, None);
        self.outbox.push(dispatch::error_response(invalid.id.clone(), error));
    }

    fn request(&mut self, id: Id<'static>, method: String, params: Option<Box<RawValue>>) {
        let refusal = self.in_flight.refusal(&id).or_else(|| self.table.refusal(&method));
        if let Some(refusal) = refusal {
            self.outbox.push(dispatch::error_response(id, refusal));
            return;
        }
        self.in_flight.insert(id.clone());
        let waiting = Waiting { id, method, params };
        match Order::of(&waiting.method) {
            Order::Document => self.documents.push_back(waiting),
            Order::Serial | Order::Closing | Order::Read => self.waiting.push_back(waiting),
        }
        self.begin_next();
    }

    /// The next request that need not wait for another.
    fn next(&mut self) -> Option<Waiting> {
        if self.is_document_busy {
            return None;
        }
        let others = || if self.is_busy { None } else { self.waiting.pop_front() };
        self.documents.pop_front().or_else(others)
    }

    /// Begins requests that need not wait for another.
    fn begin_next(&mut self) {
        while let Some(Waiting { id, method, params }) = self.next() {
            // Looked at again: the request before it may have been `shutdown`.
            if let Some(refusal) = self.table.refusal(&method) {
                self.in_flight.remove(&id);
                self.outbox.push(dispatch::error_response(id, refusal));
                continue;
            }
            let (order, answer) = self.table.call(id.clone(), &method, params.as_deref());
            match order {
                Order::Serial | Order::Closing => self.is_busy = true,
                Order::Document => self.is_document_busy = true,
                Order::Read => {}
            }
            let answered = async move { Answered { id, order, response: answer.await } };
            self.running.push(answered.boxed());
        }
    }

    fn answered(&mut self, answered: Answered) {
        if answered.order == Order::Closing {
            self.closed = Some(answered);
        } else {
            self.respond(answered);
        }
    }

    /// Sends the response to a request that closed sessions, after the events that these sessions sent before it. Only one
    /// can be pending, because such requests are serial.
    fn finish_closing(&mut self, feed: &mut mpsc::Receiver<Feed>) {
        if let Some(closed) = self.closed.take() {
            let mut batch: Vec<Feed> = std::iter::from_fn(|| feed.try_recv().ok()).collect();
            self.feed(&mut batch);
            self.respond(closed);
        }
    }

    fn respond(&mut self, answered: Answered) {
        let Answered { id, order, response } = answered;
        if !response.is_empty() {
            self.outbox.push(response);
        }
        self.in_flight.remove(&id);
        for (session, asked) in self.connection.take_open_questions() {
            self.questions.ask(session, &asked, &mut self.outbox);
        }
        match order {
            Order::Serial | Order::Closing => self.is_busy = false,
            Order::Document => self.is_document_busy = false,
            Order::Read => {}
        }
        self.begin_next();
    }

    fn notification(&mut self, method: &str, params: Option<&RawValue>) -> Option<Ended> {
        match method {
            Exit::METHOD if self.connection.is_shut_down() => Some(Ended::Exit),
            Exit::METHOD => Some(Ended::ExitInHaste),
            CancelRequest::METHOD | "$/cancel_request" => {
                self.cancel(params);
                None
            }
            _ => {
                tracing::debug!("a notification that means nothing here: {method}");
                None
            }
        }
    }

    /// Withdraws a request that has not begun.
    fn cancel(&mut self, params: Option<&RawValue>) {
        let Some(params) =
            params.and_then(|raw| serde_json::from_str::<CancelParams>(raw.get()).ok())
        else {
            return;
        };
        let place = self
            .waiting
            .iter()
            .position(|waiting| serde_json::to_value(&waiting.id).is_ok_and(|id| id == params.id));
        if let Some(Waiting { id, .. }) = place.and_then(|place| self.waiting.remove(place)) {
            self.in_flight.remove(&id);
            let error = dispatch::error_object(
                error::CANCELLED,
                "the request was cancelled before it began",
                "cancelled",
                None,
            );
            self.outbox.push(dispatch::error_response(id, error));
        }
    }

    /// Hands events to the client. Answers that are ready go first: they were sent before the events they cause.
    fn feed(&mut self, batch: &mut Vec<Feed>) {
        while let Some(Some(answered)) = self.running.next().now_or_never() {
            self.answered(answered);
        }
        feed::merge_deltas(batch);
        for feed in batch.drain(..) {
            match &feed {
                Feed::Call(call) => self.questions.call(call, &self.connection, &mut self.outbox),
                Feed::CallWithdrawn(id) => self.questions.withdraw_call(id, &mut self.outbox),
                Feed::Durable(record) => {
                    self.outbox.push_all(feed::message(&feed));
                    self.questions.watch(&record.value, &self.connection, &mut self.outbox);
                }
                Feed::Transient(_) | Feed::Lagged { .. } => {
                    self.outbox.push_all(feed::message(&feed));
                }
            }
        }
    }

    /// Closes the sessions, and sends what they still have to say to a client that still listens.
    async fn close(
        mut self,
        engine: &EngineHandle,
        feed: &mut mpsc::Receiver<Feed>,
        hangup: &CancellationToken,
        ended: Ended,
    ) {
        if let Some(Editors { documents, .. }) = engine.editors() {
            documents.disconnect(self.connection.subscriber.0);
        }
        let mut closing = std::pin::pin!(engine.shutdown());
        let mut is_closed = false;
        let mut batch = Vec::with_capacity(FEED_BATCH);
        while !is_closed {
            tokio::select! {
                () = &mut closing => is_closed = true,
                _ = feed.recv_many(&mut batch, FEED_BATCH) => self.feed(&mut batch),
            }
        }
        while let Ok(last) = feed.try_recv() {
            batch.push(last);
        }
        self.feed(&mut batch);
        self.finish_closing(feed);
        let in_haste = matches!(ended, Ended::ExitInHaste | Ended::HungUp | Ended::Stopped);
        self.outbox.last_words(hangup, in_haste).await;
    }
}
