//! The session client behind every frontend: subscription, sub-agents, open questions, edits and closing. A frontend translates between this
//! client and its wire format.

mod edits;
mod events;
mod merge;
mod questions;
mod subagents;

pub(crate) use edits::Edits;
pub(crate) use events::Events;
pub(crate) use questions::{Changes, Open, Questions, UserQuestion};
pub(crate) use subagents::Subagents;

use futures_util::future::join_all;
use pintle_agent::{
    Adopt, Command, EngineHandle, Error, EventSelection, Feed, OpenConfig, SessionHandle,
    Subscriber, SubscriberId, SubscriptionCommand, TurnCommand,
};
use pintle_protocol::ids::SessionId;
use pintle_protocol::session::SessionResult;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Capacity of a subscriber's channel. The connection's task empties it at once unless the client is slow; then sessions drop deltas and
/// withhold durable events. Small enough that a client which never reads costs little memory.
const FEED_CAPACITY: usize = 1024;

/// Capacity of the sub-agent channel. Sub-agents are received before their events.
const ADOPTED_CAPACITY: usize = 256;

/// Which sessions a connection's end affects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The engine serves this client alone: its sessions are closed.
    Alone,
    /// The engine serves other clients too: the connection leaves its sessions, and running work continues.
    Shared,
}

/// A session client. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) engine: EngineHandle,
    pub(crate) id: SubscriberId,
    pub(crate) scope: Scope,
    feed: mpsc::Sender<Feed>,
    adopted: mpsc::Sender<(SessionId, SessionHandle)>,
}

impl Client {
    /// Returns a client, with the events and sub-agents of the sessions that it subscribes to.
    pub(crate) fn new(engine: EngineHandle, scope: Scope) -> (Self, Events, Subagents) {
        let (feed_tx, feed) = mpsc::channel(FEED_CAPACITY);
        let (adopted_tx, adopted) = mpsc::channel(ADOPTED_CAPACITY);
        let events = Events::complete(feed, engine.clone());
        let id = SubscriberId::next();
        let client = Self { engine, id, scope, feed: feed_tx, adopted: adopted_tx };
        (client, events, Subagents::new(adopted))
    }

    /// This client as a subscriber that answers approvals and questions and provides no hooks and no tools.
    pub(crate) fn subscriber(&self, filter: EventSelection) -> Subscriber {
        let adopted = self.adopted.clone();
        Subscriber {
            id: self.id,
            feed: self.feed.clone(),
            filter,
            can_approve: true,
            can_answer: true,
            extensions: Arc::default(),
            // If the channel is full, the sub-agent's questions cannot be shown; they are denied then.
            adopt: Some(Adopt::new(move |parent, handle| {
                drop(adopted.try_send((parent.clone(), handle)));
            })),
        }
    }

    /// Closes a session: with a shared engine, it stays open for other watchers.
    ///
    /// # Errors
    /// Fails if the session is closed already, or its journal cannot be written.
    pub(crate) async fn close(&self, session: &SessionHandle) -> Result<(), Error> {
        match self.scope {
            Scope::Alone => session.ask(|reply| Command::Close { reply }).await,
            Scope::Shared => {
                session.ask(|reply| Command::Leave { id: self.id, finishes: false, reply }).await
            }
        }
    }
}

/// Subscribes to a session and returns its state.
///
/// # Errors
/// Fails if the session is closed.
pub(crate) async fn subscribe(
    session: &SessionHandle,
    subscriber: Subscriber,
    from_seq: Option<u64>,
) -> Result<SessionResult, Error> {
    session.ask(|reply| SubscriptionCommand::Subscribe { subscriber, from_seq, reply }).await
}

/// Opens a session and begins to use it, as [`reopening`] does.
///
/// # Errors
/// Fails if the session cannot be opened, or `begin` fails.
pub(crate) async fn open<T, F: Future<Output = Result<T, Error>>>(
    engine: &EngineHandle,
    id: SessionId,
    config: OpenConfig,
    begin: impl Fn(SessionHandle) -> F,
) -> Result<(SessionHandle, T), Error> {
    reopening(|| async {
        let session = engine.open(id.clone(), config.clone()).await?;
        let begun = begin(session.clone()).await?;
        Ok((session, begun))
    })
    .await
}

/// Opens a session by `open`, and once more if it is closed in between: a shared engine closes a session when its last client leaves.
///
/// # Errors
/// Fails if `open` fails.
pub(crate) async fn reopening<T, F: Future<Output = Result<T, Error>>>(
    open: impl Fn() -> F,
) -> Result<T, Error> {
    match open().await {
        Err(error) if error.is_closed_session() => open().await,
        opened => opened,
    }
}

/// Returns a session's state.
///
/// # Errors
/// Fails if the session is closed.
pub(crate) async fn snapshot(session: &SessionHandle) -> Result<SessionResult, Error> {
    session.ask(|reply| SubscriptionCommand::Snapshot { reply }).await
}

/// Leaves these sessions. Running turns continue.
pub(crate) async fn leave(sessions: Vec<SessionHandle>, id: SubscriberId) {
    let each = sessions.into_iter().map(|session| async move {
        // A closed session has no clients.
        let _ = session.ask(|reply| Command::Leave { id, finishes: true, reply }).await;
    });
    join_all(each).await;
}

/// Waits until these sessions are idle. This client no longer answers their questions.
pub(crate) async fn until_idle(sessions: Vec<SessionHandle>, id: SubscriberId) {
    let each = sessions.into_iter().map(|session| async move {
        // A closed session is idle.
        let _ = session.tell(SubscriptionCommand::StopAnswering { id }).await;
        let _ = session.ask(|reply| TurnCommand::WhenIdle { reply }).await;
    });
    join_all(each).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_agent::{Action, ErrorKind};
    use std::cell::Cell;

    #[tokio::test]
    async fn a_session_that_closes_meanwhile_is_opened_once_more() {
        let closed = || Error::new(ErrorKind::NotFound, "closed").hint(Action::OpenSession);
        let missing = || Error::new(ErrorKind::NotFound, "missing");
        let rows = [
            (vec![Ok(())], 1, None),
            (vec![Err(closed()), Ok(())], 2, None),
            (vec![Err(closed()), Err(missing())], 2, Some("missing")),
            (vec![Err(closed()), Err(closed()), Ok(())], 2, Some("closed")),
            (vec![Err(missing()), Ok(())], 1, Some("missing")),
        ];
        for (results, tries, error) in rows {
            let calls = Cell::new(0);
            let opened = reopening(|| {
                let result = results[calls.get()].clone();
                calls.set(calls.get() + 1);
                async { result }
            });
            let opened = opened.await.map_err(|error| error.message);
            assert_eq!((calls.get(), opened.err().as_deref()), (tries, error), "{results:?}");
        }
    }
}
