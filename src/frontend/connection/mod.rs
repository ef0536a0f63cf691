//! The connection loop that every interactive frontend shares.
//!
//! One task serves a client: it reads messages, completes the protocol's own work, delivers the events of sessions, and closes everything
//! in order. A [`Protocol`] supplies only the meaning of messages and events.
//!
//! Invariants: a response precedes the events that its request causes, since ready responses are sent before events; the response to a
//! request that closes a session follows that session's last event; while the client does not read, no events are taken, and once too many
//! responses wait, no messages either.

mod outbox;

pub(crate) use outbox::Outbox;

use crate::client::{Events, Scope, leave, until_idle};

use futures_util::future::{BoxFuture, FutureExt, OptionFuture};
use futures_util::stream::{FuturesUnordered, StreamExt};
use pintle_agent::{EngineHandle, Feed, SessionHandle, SubscriberId};
use pintle_base::transport::{Incoming, SendPermit};
use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The time that requests under way get when a client leaves an engine that others share.
const LAST_REQUESTS: Duration = Duration::from_secs(1);

/// The reason for which a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The client's input ended, and everything that ran has finished.
    EndOfInput,
    /// `exit` after `shutdown`.
    Exit,
    /// `exit` without a `shutdown` before it.
    ExitInHaste,
    /// The output has no reader any more.
    HungUp,
    /// The stop token fired.
    Stopped,
}

impl Ended {
    /// Returns true if a client that does not read is not waited for.
    fn is_hasty(self) -> bool {
        match self {
            Self::ExitInHaste | Self::HungUp | Self::Stopped => true,
            Self::EndOfInput | Self::Exit => false,
        }
    }
}

/// Connection options.
#[derive(Debug, Clone)]
pub struct Options {
    /// The default working directory for sessions.
    pub cwd: PathBuf,
    /// Cancel it to interrupt running turns and close in order.
    pub stop: CancellationToken,
    /// Which sessions the connection's end affects.
    pub scope: Scope,
}

/// Defines what client messages and session events mean in one protocol.
pub(crate) trait Protocol: Send {
    /// A result of work that the protocol started, such as a response or a client's call.
    type Done: Send;

    /// Returns the messages that wait for the writer.
    fn outbox(&mut self) -> &mut Outbox;

    /// Returns false while events must wait.
    fn takes_events(&self) -> bool {
        true
    }

    /// Waits for the next result of the protocol's work. Cancel-safe.
    fn next(&mut self) -> impl Future<Output = Self::Done> + Send;

    /// Takes a response that is ready, without waiting.
    fn ready_response(&mut self) -> Option<Self::Done> {
        None
    }

    /// Returns true if the events so far precede the message of this result.
    fn follows_events(_: &Self::Done) -> bool {
        false
    }

    /// Handles a result of the protocol's work.
    fn done(&mut self, done: Self::Done) -> impl Future<Output = ()> + Send;

    /// Handles a message of the client. Returns the reason if the message ends the connection.
    fn message(&mut self, message: Incoming) -> impl Future<Output = Option<Ended>> + Send;

    /// Sends events to the client.
    fn events(&mut self, events: Vec<Feed>) -> impl Future<Output = ()> + Send;

    /// Handles the end of input: the client will not respond any more.
    fn input_ended(&mut self) -> impl Future<Output = ()> + Send;

    /// Returns true once an `exit` that followed a `shutdown` in progress can take effect: the requests before it have their responses.
    fn has_exited(&self) -> bool {
        false
    }

    /// Returns true while work that the protocol started, such as a request, is in progress.
    fn is_busy(&self) -> bool;

    /// Returns the sessions that the client has open, and the client's id in them.
    fn sessions(&self) -> (Vec<SessionHandle>, SubscriberId);

    /// Handles the connection's end; its sessions are closed next.
    fn closing(&mut self);

    /// Runs after the sessions are closed and their events sent.
    fn closed(&mut self) -> impl Future<Output = ()> + Send;
}

/// A connection's inputs.
pub(crate) struct Inputs {
    /// The client's messages.
    pub(crate) incoming: mpsc::Receiver<Incoming>,
    /// Events from its sessions.
    pub(crate) events: Events,
    /// Cancelled when the output has no reader any more.
    pub(crate) hangup: CancellationToken,
    /// Cancelled to interrupt running turns and close in order.
    pub(crate) stop: CancellationToken,
    /// Which sessions the connection's end affects.
    pub(crate) scope: Scope,
}

/// The next thing for the connection's loop to handle.
enum DriverEvent<D> {
    Done(D),
    Room(Option<SendPermit>),
    Events,
    Message(Incoming),
    InputEnded,
    Idle,
    HungUp,
    Stopped,
}

/// Serves one connection to its end, then closes the engine's sessions in order, or leaves them.
pub(crate) async fn serve<P: Protocol>(
    protocol: &mut P,
    inputs: Inputs,
    engine: &EngineHandle,
) -> Ended {
    let Inputs { mut incoming, mut events, hangup, stop, scope } = inputs;
    // Made once, and not each time that something happens.
    let mut hung_up = pin!(hangup.cancelled());
    let mut stopped = pin!(stop.cancelled());
    let mut has_input = true;
    let mut idle: Option<BoxFuture<'static, ()>> = None;
    let ended = loop {
        if protocol.has_exited() {
            break Ended::Exit;
        }
        if !has_input && idle.is_none() && !protocol.is_busy() {
            let (sessions, id) = protocol.sessions();
            idle = Some(until_idle(sessions, id).boxed());
        }
        let (is_clear, takes_more) = (protocol.outbox().is_empty(), protocol.outbox().takes_more());
        let takes_events = is_clear && protocol.takes_events();
        let room = (!is_clear).then(|| protocol.outbox().room_for_first());
        let event = tokio::select! {
            biased;
            () = &mut hung_up => DriverEvent::HungUp,
            () = &mut stopped => DriverEvent::Stopped,
            done = protocol.next() => DriverEvent::Done(done),
            Some(room) = OptionFuture::from(room), if !is_clear => DriverEvent::Room(room),
            true = events.wait(), if takes_events => DriverEvent::Events,
            () = OptionFuture::from(idle.as_mut()).map(drop), if idle.is_some() => DriverEvent::Idle,
            message = incoming.recv(), if has_input && takes_more => {
                message.map_or(DriverEvent::InputEnded, DriverEvent::Message)
            }
        };
        match event {
            DriverEvent::Done(done) => finish(protocol, done, &mut events).await,
            DriverEvent::Room(room) => protocol.outbox().send_first(room),
            DriverEvent::Events => forward_events(protocol, &mut events).await,
            DriverEvent::Message(message) => {
                if let Some(ended) = protocol.message(message).await {
                    break ended;
                }
            }
            DriverEvent::InputEnded => {
                has_input = false;
                protocol.input_ended().await;
            }
            DriverEvent::Idle => {
                // An event may have started other work.
                let rest = events.rest().await;
                if rest.is_empty() {
                    break Ended::EndOfInput;
                }
                protocol.events(rest).await;
                idle = None;
            }
            DriverEvent::HungUp => break Ended::HungUp,
            DriverEvent::Stopped => break Ended::Stopped,
        }
    };
    protocol.closing();
    match scope {
        Scope::Alone => close(protocol, &mut events, engine.shutdown()).await,
        Scope::Shared => {
            // A session that is being made is left too, and not forgotten.
            let _ = tokio::time::timeout(LAST_REQUESTS, finish_all(protocol, &mut events)).await;
            let (sessions, id) = protocol.sessions();
            close(protocol, &mut events, leave(sessions, id)).await;
        }
    }
    protocol.outbox().finish(&hangup, ended.is_hasty()).await;
    ended
}

/// Waits until all of the protocol's work has ended.
async fn finish_all<P: Protocol>(protocol: &mut P, events: &mut Events) {
    while protocol.is_busy() {
        let done = protocol.next().await;
        finish(protocol, done, events).await;
    }
}

/// Handles a result of the protocol's work, after the events that precede it.
async fn finish<P: Protocol>(protocol: &mut P, done: P::Done, events: &mut Events) {
    if P::follows_events(&done) && protocol.takes_events() {
        let rest = events.rest().await;
        protocol.events(rest).await;
    }
    protocol.done(done).await;
}

/// Sends the events that can be taken. Ready responses go first: they precede the events that their requests cause.
async fn forward_events<P: Protocol>(protocol: &mut P, events: &mut Events) {
    while let Some(done) = protocol.ready_response() {
        finish(protocol, done, events).await;
    }
    let batch = events.take();
    protocol.events(batch).await;
}

/// Waits until the sessions are closed or left, and sends their last events.
async fn close<P: Protocol>(
    protocol: &mut P,
    events: &mut Events,
    closing: impl Future<Output = ()>,
) {
    let mut closing = pin!(closing);
    loop {
        tokio::select! {
            () = &mut closing => break,
            true = events.wait() => forward_events(protocol, events).await,
        }
    }
    while let Some(done) = protocol.ready_response() {
        finish(protocol, done, events).await;
    }
    let rest = events.rest().await;
    protocol.events(rest).await;
    protocol.closed().await;
}

/// Waits for the first future to complete; forever if there is none. Cancel-safe.
pub(crate) async fn first_ready<T>(running: &mut FuturesUnordered<BoxFuture<'static, T>>) -> T {
    match running.next().await {
        Some(ready) => ready,
        None => std::future::pending().await,
    }
}

/// Waits until a time; forever if there is none. Cancel-safe.
pub(crate) async fn until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// Takes a completed future's result without waiting.
pub(crate) fn take_ready<T>(running: &mut FuturesUnordered<BoxFuture<'static, T>>) -> Option<T> {
    running.next().now_or_never().flatten()
}
