//! A session's subscribers: one bounded feed each, and the behavior when it is full.
//!
//! Invariant: a session never waits for a subscriber. A full feed loses deltas, and holds back durable events until there is room
//! again; then the subscriber is notified once of the range it missed, which it reads from the journal, and learns which questions are open
//! and the latest state.

use crate::clients::{CallId, ClientCall, Extensions};
use crate::command::{Feed, Record, SessionQuestions, Subscriber, Transient};
use pintle_protocol::event::TransientEvent;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::error::TrySendError;

/// The time that a session which closes waits for a subscriber that is behind.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A subscriber, the last event number sent to it, and what its feed had no room for.
#[derive(Debug)]
pub(super) struct Subscription {
    pub(super) subscriber: Subscriber,
    last_sent_seq: u64,
    owed: Owed,
}

/// What a full feed had no room for.
#[derive(Debug, Default)]
struct Owed {
    /// Durable events were held back, and all later ones are.
    has_events: bool,
    has_questions: bool,
    /// The latest of each kind of transient event that is shown until the next one.
    latest: Vec<Arc<Transient>>,
}

impl Owed {
    fn is_empty(&self) -> bool {
        !self.has_events && !self.has_questions && self.latest.is_empty()
    }

    /// Replaces an earlier event of the same kind.
    fn replace(&mut self, record: &Arc<Transient>) {
        self.forget(&record.value.event);
        self.latest.push(Arc::clone(record));
    }

    fn forget(&mut self, event: &TransientEvent) {
        self.latest.retain(|owed| owed.value.event.kind() != event.kind());
    }
}

impl Subscription {
    pub(super) fn new(subscriber: Subscriber, seq: u64) -> Self {
        Self { subscriber, last_sent_seq: seq, owed: Owed::default() }
    }

    /// Sends a durable event, or records that it was held back. Returns `false` if the receiver is gone.
    pub(super) fn durable(&mut self, record: &Arc<Record>) -> bool {
        if self.owed.has_events {
            return !self.subscriber.feed.is_closed();
        }
        if !self.subscriber.filter.takes(&record.value.event) {
            self.last_sent_seq = record.value.seq;
            return !self.subscriber.feed.is_closed();
        }
        match self.subscriber.feed.try_send(Feed::Durable(Arc::clone(record))) {
            Ok(()) => {
                self.last_sent_seq = record.value.seq;
                true
            }
            Err(TrySendError::Full(_)) => {
                self.owed.has_events = true;
                true
            }
            Err(TrySendError::Closed(_)) => false,
        }
    }

    /// Hands on the open questions, whatever the filter: they are asked, and not shown.
    pub(super) fn questions(&mut self, questions: &Arc<SessionQuestions>) {
        let feed = Feed::Questions(Arc::clone(questions));
        self.owed.has_questions =
            self.owed.has_events || self.subscriber.feed.try_send(feed).is_err();
    }

    /// Hands on a transient event if there is room. Half of the channel is kept from deltas; the latest state is sent later at the latest.
    pub(super) fn transient(&mut self, record: &Arc<Transient>) {
        let Subscriber { feed, filter, .. } = &self.subscriber;
        let event = &record.value.event;
        if !filter.takes_transient(event) {
            return;
        }
        let is_kept = is_shown_until_the_next(event);
        let has_room = is_kept || feed.capacity() > feed.max_capacity() / 2;
        let sent = !self.owed.has_events
            && has_room
            && feed
                .try_send(match (event, filter.max_latency) {
                    (TransientEvent::ItemDelta(_), Some(latency)) => {
                        Feed::Held(Arc::clone(record), latency)
                    }
                    (_, _) => Feed::Transient(Arc::clone(record)),
                })
                .is_ok();
        match (is_kept, sent) {
            (true, false) => self.owed.replace(record),
            (true, true) => self.owed.forget(event),
            (false, _) => {}
        }
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
        !self.owed.is_empty()
    }

    /// Waits until a lagging subscriber has room again. Cancel-safe. Never completes for one that does not lag.
    pub(super) async fn has_room(&self) {
        if self.is_behind() {
            // An error means that the receiver is gone; the next event detects that.
            let _ = self.subscriber.feed.reserve().await;
        } else {
            std::future::pending::<()>().await;
        }
    }

    /// Notifies a lagging subscriber of the events it missed before the session ends. This is the only place that waits for a subscriber,
    /// and only briefly: nothing runs any more.
    pub(super) async fn tell_at_the_end(&mut self, questions: &Arc<SessionQuestions>, head: u64) {
        let told = async {
            while self.is_behind() && !self.subscriber.feed.is_closed() {
                self.has_room().await;
                self.catch_up(questions, head);
            }
        };
        let _ = tokio::time::timeout(LAST_WORDS, told).await;
    }

    /// Sends a lagging subscriber the missed parts, as far as there is room now: the range of missed events, the open questions, then the latest
    /// transient events.
    pub(super) fn catch_up(&mut self, questions: &Arc<SessionQuestions>, head_seq: u64) {
        let Self { subscriber: Subscriber { feed, .. }, last_sent_seq, owed } = self;
        let has_room = |next: Feed| !matches!(feed.try_send(next), Err(TrySendError::Full(_)));
        if owed.has_events {
            let session_id = questions.session_id.clone();
            if !has_room(Feed::Lagged { session_id, last_sent_seq: *last_sent_seq, head_seq }) {
                return;
            }
            *last_sent_seq = head_seq;
            // Those that were asked or answered in the meantime are among the missed events.
            (owed.has_events, owed.has_questions) = (false, true);
        }
        if owed.has_questions && !has_room(Feed::Questions(Arc::clone(questions))) {
            return;
        }
        owed.has_questions = false;
        owed.latest.retain_mut(|record| {
            Transient::change(record).after = head_seq;
            !has_room(Feed::Transient(Arc::clone(record)))
        });
    }
}

/// Returns true for an event that clients show until the next one of its kind, so that a dropped one would be shown wrongly for good.
fn is_shown_until_the_next(event: &TransientEvent) -> bool {
    match event {
        TransientEvent::State(_) | TransientEvent::Context(_) => true,
        TransientEvent::ItemDelta(_) | TransientEvent::StepUsage(_) | TransientEvent::Notice(_) => {
            false
        }
    }
}
