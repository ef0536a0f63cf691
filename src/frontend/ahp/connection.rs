//! A client's connection: passes the client's messages to the host, and the host's messages to the client.

use super::host::{HostHandle, HostMessage};
use super::outlet::{ConnectionId, Outlet};
use crate::client::Scope;
use crate::connection::{self, Ended, Outbox, Protocol};
use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::FuturesUnordered;
use pintle_agent::{Feed, SessionHandle, SubscriberId};
use pintle_base::transport::{Incoming, Outgoing};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// The messages that wait for a client at most. One that reads more slowly is disconnected, and reads on from its last number when it is back.
const OUT_CAPACITY: usize = 4096;

/// A client's connection.
pub(super) struct Connection {
    id: ConnectionId,
    host: HostHandle,
    outbox: Outbox,
    out: mpsc::Receiver<Bytes>,
    waiting: Arc<AtomicUsize>,
    scope: Scope,
    /// Until the sessions are idle, once there is no more input.
    finishing: FuturesUnordered<BoxFuture<'static, ()>>,
}

/// A result of work that the connection started.
pub(super) enum Done {
    Message(Bytes),
    Finished,
}

impl Connection {
    pub(super) async fn join(
        host: HostHandle,
        outgoing: Outgoing,
        hangup: CancellationToken,
        scope: Scope,
    ) -> Self {
        let (tx, out) = mpsc::channel(OUT_CAPACITY);
        let id = ConnectionId::next();
        let waiting = Arc::<AtomicUsize>::default();
        let outlet = Outlet { out: tx, waiting: Arc::clone(&waiting) };
        host.tell(HostMessage::Joined { id, out: outlet, hangup }).await;
        let finishing = FuturesUnordered::new();
        Self { id, host, outbox: Outbox::new(outgoing), out, waiting, scope, finishing }
    }
}

impl Protocol for Connection {
    type Done = Done;

    fn outbox(&mut self) -> &mut Outbox {
        &mut self.outbox
    }

    async fn next(&mut self) -> Done {
        tokio::select! {
            biased;
            Some(message) = self.out.recv(), if self.outbox.is_empty() => Done::Message(message),
            () = connection::first_ready(&mut self.finishing) => Done::Finished,
        }
    }

    async fn done(&mut self, done: Done) {
        match done {
            Done::Message(message) => {
                self.waiting.fetch_sub(message.len(), Ordering::Relaxed);
                self.outbox.push(message);
            }
            Done::Finished => {}
        }
    }

    async fn message(&mut self, message: Incoming) -> Option<Ended> {
        self.host.tell(HostMessage::Message { id: self.id, message }).await;
        None
    }

    async fn events(&mut self, _: Vec<Feed>) {}

    async fn input_ended(&mut self) {
        let (host, scope) = (self.host.clone(), self.scope);
        let finished = async move {
            let (reply, done) = oneshot::channel();
            host.tell(HostMessage::Finish { waits_for_turns: scope == Scope::Alone, reply }).await;
            let _ = done.await;
        };
        self.finishing.push(finished.boxed());
    }

    fn is_busy(&self) -> bool {
        !self.finishing.is_empty()
    }

    fn sessions(&self) -> (Vec<SessionHandle>, SubscriberId) {
        // They are the host's.
        (Vec::new(), SubscriberId(0))
    }

    fn closing(&mut self) {}

    async fn closed(&mut self) {
        // When this returns, the events of closed sessions have been translated.
        let (reply, done) = oneshot::channel();
        self.host.tell(HostMessage::Finish { waits_for_turns: false, reply }).await;
        let _ = done.await;
        while let Ok(message) = self.out.try_recv() {
            self.outbox.push(message);
        }
        self.host.tell(HostMessage::Left { id: self.id }).await;
    }
}
