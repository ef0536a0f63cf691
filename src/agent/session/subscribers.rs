//! A session's subscribers: one bounded feed each, and the behavior when it is full.
//!
//! Invariant: a session never waits for a subscriber. A full feed loses transient events, and holds back durable ones until there is room
//! again; then the subscriber is notified once of the range it missed, and reads it from the journal.

use crate::clients::{CallId, ClientCall, Extensions};
use crate::command::{Feed, Record, Subscriber, Transient, is_about_a_question};
use pintle_protocol::event::TransientEvent;
use pintle_protocol::ids::SessionId;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::error::TrySendError;

/// The time that a session which closes waits for a subscriber that is behind.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A subscriber, and the last event number sent to it.
#[derive(Debug)]
pub(super) struct Subscription {
    pub(super) subscriber: Subscriber,
    last_sent_seq: u64,
    is_behind: bool,
}

impl Subscription {
    pub(super) fn new(subscriber: Subscriber, seq: u64) -> Self {
        Self { subscriber, last_sent_seq: seq, is_behind: false }
    }

    /// Sends a durable event, or records that it was held back. Returns `false` if the receiver is gone.
    pub(super) fn durable(&mut self, record: &Arc<Record>) -> bool {
        let feed = if self.subscriber.filter.takes(&record.value.event) {
            Some(Feed::Durable(Arc::clone(record)))
        } else {
            is_about_a_question(&record.value.event).then(|| Feed::Question(Arc::clone(record)))
        };
        let (Some(feed), false) = (feed, self.is_behind) else {
            if !self.is_behind {
                self.last_sent_seq = record.value.seq;
            }
            return !self.subscriber.feed.is_closed();
        };
        match self.subscriber.feed.try_send(feed) {
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
    pub(super) fn transient(&self, record: &Arc<Transient>) {
        let Subscriber { feed, filter, .. } = &self.subscriber;
        let event = &record.value.event;
        let has_room = !self.is_behind && feed.capacity() > feed.max_capacity() / 2;
        if !has_room || !filter.takes_transient(event) {
            return;
        }
        let record = Arc::clone(record);
        let _ = feed.try_send(match (event, filter.max_latency) {
            (TransientEvent::ItemDelta(_), Some(latency)) => Feed::Held(record, latency),
            (_, _) => Feed::Transient(record),
        });
    }

    /// Sends a call; returns `false` if there is no room for it.
    pub(super) fn call(&self, call: Arc<ClientCall>) -> bool {
        self.subscriber.feed.try_send(Feed::Call(call)).is_ok()
    }

    /// Notifies the client that a call was withdrawn. If its feed is full, its answer will be ignored.
    pub(super) fn withdraw(&self, id: CallId) {
        let _ = self.subscriber.feed.try_send(Feed::CallWithdrawn(id));
    }

    /// Returns true if it can be called.
    pub(super) fn is_called(&self) -> bool {
        let Extensions { hooks, tools } = &*self.subscriber.extensions;
        let gives = !hooks.is_empty() || !tools.is_empty();
        gives && !self.subscriber.feed.is_closed()
    }

    /// Returns true if it lags.
    pub(super) fn is_behind(&self) -> bool {
        self.is_behind
    }

    /// Waits until a lagging subscriber has room again. Cancel-safe. Never completes for one that does not lag.
    pub(super) async fn has_room(&self) {
        if self.is_behind {
            // An error means that the receiver is gone; the next event detects that.
            let _ = self.subscriber.feed.reserve().await;
        } else {
            std::future::pending::<()>().await;
        }
    }

    /// Notifies a lagging subscriber of the events it missed before the session ends. This is the only place that waits for a subscriber,
    /// and only briefly: nothing runs any more.
    pub(super) async fn tell_at_the_end(&mut self, session_id: &SessionId, head_seq: u64) {
        let _ = tokio::time::timeout(LAST_WORDS, self.has_room_or_kept_up()).await;
        self.catch_up(session_id, head_seq);
    }

    async fn has_room_or_kept_up(&self) {
        if self.is_behind {
            self.has_room().await;
        }
    }

    /// Notifies a lagging subscriber of the events it missed, if there is room now.
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
