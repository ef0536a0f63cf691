//! A client's connection: passes its messages to the host, and what the host has for it to the client.

use super::host::{ConnectionId, HostHandle, ToHost};
use crate::agent::{Feed, SessionHandle, SubscriberId};
use crate::frontend::connection::{self, Ended, Outbox, Protocol, Scope};
use crate::transport::{Incoming, Outgoing};
use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::FuturesUnordered;
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
    scope: Scope,
    /// Until the sessions are idle, once there is no more input.
    finishing: FuturesUnordered<BoxFuture<'static, ()>>,
}

/// A result of the connection's own work.
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
        host.tell(ToHost::Joined { id, out: tx, hangup }).await;
        let finishing = FuturesUnordered::new();
        Self { id, host, outbox: Outbox::new(outgoing), out, scope, finishing }
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
            Done::Message(message) => self.outbox.push(message),
            Done::Finished => {}
        }
    }

    async fn message(&mut self, message: Incoming) -> Option<Ended> {
        self.host.tell(ToHost::Message { id: self.id, message }).await;
        None
    }

    async fn events(&mut self, _: Vec<Feed>) {}

    async fn input_ended(&mut self) {
        let (host, scope) = (self.host.clone(), self.scope);
        let finished = async move {
            let (reply, done) = oneshot::channel();
            host.tell(ToHost::Finish { waits_for_turns: scope == Scope::Alone, reply }).await;
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
        // The events of sessions that were closed have been translated by then.
        let (reply, done) = oneshot::channel();
        self.host.tell(ToHost::Finish { waits_for_turns: false, reply }).await;
        let _ = done.await;
        while let Ok(message) = self.out.try_recv() {
            self.outbox.push(message);
        }
        self.host.tell(ToHost::Left { id: self.id }).await;
    }
}
