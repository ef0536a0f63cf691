//! What a session hands on: one bounded channel to each subscriber, and what happens when it is full.
//!
//! Invariant: a session never waits for a subscriber. A full channel loses transient events, and
//! holds back durable ones until there is room again; then the subscriber is told once which it missed, and reads
//! them from the journal.

use super::client_calls::{CallId, ClientCall, Extensions};
use super::command::SessionHandle;
use pintle_protocol::event::{EventRecord, TransientRecord};
use pintle_protocol::ids::SessionId;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

/// How long a session that closes waits for a subscriber that is behind.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Names a subscriber, unique in the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubscriberId(pub u64);

/// What a subscriber receives.
#[derive(Debug, Clone)]
pub enum Feed {
    /// A durable event; it is in the journal.
    Durable(Arc<Record>),
    /// A transient event.
    Transient(Arc<TransientRecord>),
    /// Something that this client offered to do.
    Call(Arc<ClientCall>),
    /// The answer to a call is not waited for any more.
    CallWithdrawn(CallId),
    /// The durable events in between were not handed on; those after `head_seq` are.
    Lagged {
        /// The session.
        session_id: SessionId,
        /// The last one that was handed on.
        last_sent_seq: u64,
        /// The last one that was not.
        head_seq: u64,
    },
}

/// A durable event, as a value and as the JSON text that the journal holds.
#[derive(Debug)]
pub struct Record {
    /// The value.
    pub value: EventRecord,
    /// The JSON text.
    pub json: Box<str>,
}

/// Is handed the sub-agents of a session that it watches, so that it can answer their questions and steer them.
#[derive(Clone)]
pub struct Adopt(Arc<dyn Fn(SessionHandle) + Send + Sync>);

impl Adopt {
    /// Calls this, which must not wait.
    pub fn new(adopt: impl Fn(SessionHandle) + Send + Sync + 'static) -> Self {
        Self(Arc::new(adopt))
    }

    pub(super) fn call(&self, handle: SessionHandle) {
        (self.0)(handle);
    }
}

impl std::fmt::Debug for Adopt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Adopt")
    }
}

/// Somebody who watches a session.
#[derive(Debug, Clone)]
pub struct Subscriber {
    /// Who it is.
    pub id: SubscriberId,
    /// Where to.
    pub feed: mpsc::Sender<Feed>,
    /// Whether it can answer questions of permission.
    pub can_approve: bool,
    /// Whether it can answer questions of the model.
    pub can_answer: bool,
    /// The hooks and tools that it gives.
    pub extensions: Arc<Extensions>,
    /// Takes the handles of sub-agents, before anything of theirs is handed on.
    pub adopt: Option<Adopt>,
}

/// A subscriber, with how far it has been served.
#[derive(Debug)]
pub(super) struct Served {
    pub(super) subscriber: Subscriber,
    last_sent_seq: u64,
    is_behind: bool,
}

impl Served {
    pub(super) fn new(subscriber: Subscriber, seq: u64) -> Self {
        Self { subscriber, last_sent_seq: seq, is_behind: false }
    }

    /// Hands on a durable event, or notes that it was held back. `false` when nobody receives any more.
    pub(super) fn durable(&mut self, record: &Arc<Record>) -> bool {
        if self.is_behind {
            return !self.subscriber.feed.is_closed();
        }
        match self.subscriber.feed.try_send(Feed::Durable(Arc::clone(record))) {
            Ok(()) => {
                self.last_sent_seq = record.value.seq;
                true
            }
            Err(TrySendError::Full(_)) => {
                self.is_behind = true;
                true
            }
            Err(TrySendError::Closed(_)) => false,
        }
    }

    /// Hands on a transient event if there is room. Half of the channel is kept for durable ones.
    pub(super) fn transient(&self, record: &Arc<TransientRecord>) {
        let feed = &self.subscriber.feed;
        if !self.is_behind && feed.capacity() > feed.max_capacity() / 2 {
            let _ = self.subscriber.feed.try_send(Feed::Transient(Arc::clone(record)));
        }
    }

    /// Hands on a call; `false` when there is no room for it.
    pub(super) fn call(&self, call: Arc<ClientCall>) -> bool {
        self.subscriber.feed.try_send(Feed::Call(call)).is_ok()
    }

    /// Says that a call is not waited for. One that has no room for this answers in vain.
    pub(super) fn withdraw(&self, id: CallId) {
        let _ = self.subscriber.feed.try_send(Feed::CallWithdrawn(id));
    }

    /// Whether it can still be called.
    pub(super) fn is_called(&self) -> bool {
        let Extensions { hooks, tools } = &*self.subscriber.extensions;
        let gives = !hooks.is_empty() || !tools.is_empty();
        gives && !self.subscriber.feed.is_closed()
    }

    /// Waits until one that is behind has room again. Cancel-safe. Never ends for one that is not.
    pub(super) async fn has_room(&self) {
        if self.is_behind {
            // An error means that nobody receives any more; the next event takes note of that.
            let _ = self.subscriber.feed.reserve().await;
        } else {
            std::future::pending::<()>().await;
        }
    }

    /// Tells one that is behind what it missed before the session goes. This is the one place that waits for a
    /// subscriber, and not for long: nothing runs any more.
    pub(super) async fn tell_at_the_end(&mut self, session_id: &SessionId, head_seq: u64) {
        let _ = tokio::time::timeout(LAST_WORDS, self.has_room_or_kept_up()).await;
        self.catch_up(session_id, head_seq);
    }

    async fn has_room_or_kept_up(&self) {
        if self.is_behind {
            self.has_room().await;
        }
    }

    /// Tells one that is behind what it missed, if there is room now.
    pub(super) fn catch_up(&mut self, session_id: &SessionId, head_seq: u64) {
        if !self.is_behind {
            return;
        }
        let lagged = Feed::Lagged {
            session_id: session_id.clone(),
            last_sent_seq: self.last_sent_seq,
            head_seq,
        };
        if !matches!(self.subscriber.feed.try_send(lagged), Err(TrySendError::Full(_))) {
            self.is_behind = false;
            self.last_sent_seq = head_seq;
        }
    }
}
