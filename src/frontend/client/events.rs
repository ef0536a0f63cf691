//! The events that sessions send to one subscriber, in order.
//!
//! Invariant: after [`Events::complete`] no durable event is missing. Events that a slow subscriber missed are read from the journal before
//! any later event is taken.

use super::merge::merge_deltas;
use futures_util::future::{BoxFuture, FutureExt};
use pintle_agent::{EngineHandle, Feed, PageRange, Record};
use pintle_protocol::ids::SessionId;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

/// The number of events that are received at once, so that adjacent deltas can be merged.
const BATCH: usize = 64;

/// The number of events that are held back at most: a delta for each item that streams is what there is, unless something is wrong.
const MAX_HELD: usize = 256;

/// The number of missed events that are read at once.
const PAGE: usize = 64;

/// Events from a subscriber's sessions.
pub(crate) struct Events {
    feed: mpsc::Receiver<Feed>,
    /// Receives them; empty otherwise.
    received: Vec<Feed>,
    /// Reads missed events; `None` if the client reads them itself.
    engine: Option<EngineHandle>,
    /// The events that can be taken, and behind them deltas that are held back.
    ready: Vec<Feed>,
    /// Number of events that can be taken.
    due: usize,
    /// When the held-back events can be taken too; `None` if there are none.
    held_until: Option<Instant>,
    /// Events behind the gap, or not sorted yet.
    queue: VecDeque<Feed>,
    gap: Option<Gap>,
}

/// Missed events that are being read.
struct Gap {
    session: SessionId,
    /// The last missed event.
    head: u64,
    /// The next page, and the event to continue after if there are more.
    page: BoxFuture<'static, (Vec<Feed>, Option<u64>)>,
}

impl Events {
    /// Includes missed events.
    pub(super) fn complete(feed: mpsc::Receiver<Feed>, engine: EngineHandle) -> Self {
        Self { engine: Some(engine), ..Self::new(feed) }
    }

    /// Passes [`Feed::Lagged`] on instead of reading missed events.
    pub(crate) fn with_lags(self) -> Self {
        Self { engine: None, ..self }
    }

    fn new(feed: mpsc::Receiver<Feed>) -> Self {
        Self {
            feed,
            received: Vec::new(),
            engine: None,
            ready: Vec::new(),
            due: 0,
            held_until: None,
            queue: VecDeque::new(),
            gap: None,
        }
    }

    /// Waits until there are events to take; returns false once the channel is closed. Cancel-safe.
    pub(crate) async fn wait(&mut self) -> bool {
        loop {
            self.sort();
            if self.due > 0 || self.held_until.is_some_and(|time| time <= Instant::now()) {
                return true;
            }
            if self.gap.is_some() {
                self.read_gap().await;
                continue;
            }
            let received = self.feed.recv_many(&mut self.received, BATCH);
            let count = match self.held_until {
                None => received.await,
                Some(time) => match timeout_at(time, received).await {
                    Ok(count) => count,
                    Err(_) => return true,
                },
            };
            if count == 0 {
                self.release();
                return !self.ready.is_empty();
            }
            self.queue.extend(self.received.drain(..));
        }
    }

    /// Takes the events that are ready.
    pub(crate) fn take(&mut self) -> Vec<Feed> {
        if self.held_until.is_some_and(|time| time <= Instant::now()) {
            self.release();
        }
        let held = self.ready.split_off(self.due);
        self.due = 0;
        let mut batch = std::mem::replace(&mut self.ready, held);
        merge_deltas(&mut batch);
        batch
    }

    /// Takes all events sent before now, including missed ones.
    pub(crate) async fn rest(&mut self) -> Vec<Feed> {
        while let Ok(next) = self.feed.try_recv() {
            self.queue.push_back(next);
        }
        self.sort();
        while self.gap.is_some() {
            self.read_gap().await;
            self.sort();
        }
        self.release();
        self.take()
    }

    /// Releases the held-back events.
    fn release(&mut self) {
        self.due = self.ready.len();
        self.held_until = None;
    }

    /// Releases queued events, up to a gap. An event that is not held back releases those before it.
    fn sort(&mut self) {
        while self.gap.is_none()
            && let Some(feed) = self.queue.pop_front()
        {
            match (feed, &self.engine) {
                (Feed::Lagged { session_id, last_sent_seq, head_seq }, Some(engine)) => {
                    self.gap = Some(Gap::new(engine.clone(), session_id, last_sent_seq, head_seq));
                }
                (Feed::Held(record, latency), _) => {
                    let time = Instant::now() + latency;
                    let sooner = self.held_until.map_or(time, |sooner| sooner.min(time));
                    self.held_until = Some(sooner);
                    self.ready.push(Feed::Transient(record));
                }
                (feed, _) => {
                    self.ready.push(feed);
                    self.release();
                }
            }
        }
        if self.ready.len() - self.due > MAX_HELD {
            let mut held = self.ready.split_off(self.due);
            merge_deltas(&mut held);
            let is_too_much = held.len() > MAX_HELD;
            self.ready.append(&mut held);
            if is_too_much {
                self.release();
            }
        }
    }

    /// Reads a page of missed events. Cancel-safe.
    async fn read_gap(&mut self) {
        let Some(gap) = &mut self.gap else { return };
        let (missed, rest) = (&mut gap.page).await;
        if !missed.is_empty() {
            self.ready.extend(missed);
            self.release();
        }
        if let (Some(Gap { session, head, .. }), Some(after), Some(engine)) =
            (self.gap.take(), rest, &self.engine)
        {
            self.gap = Some(Gap::new(engine.clone(), session, after, head));
        }
    }
}

impl Gap {
    fn new(engine: EngineHandle, session: SessionId, after: u64, head: u64) -> Self {
        let page = read(engine, session.clone(), after, head).boxed();
        Self { session, head, page }
    }
}

/// Reads a page of the events after `after`, up to `head`. Also returns the event to continue after, if there are more.
async fn read(
    engine: EngineHandle,
    session: SessionId,
    after: u64,
    head: u64,
) -> (Vec<Feed>, Option<u64>) {
    let page = match engine.page(session, PageRange::After(after), PAGE).await {
        Ok((page, _)) => page,
        Err(error) => {
            tracing::error!("failed to read missed events: {error}");
            return (Vec::new(), None);
        }
    };
    let mut missed = Vec::with_capacity(page.events.len());
    for raw in page.events {
        match Record::read(raw) {
            Ok(record) if record.value.seq <= head => missed.push(Feed::Durable(Arc::new(record))),
            Ok(_) => {}
            Err(error) => tracing::error!("failed to read a missed event: {error}"),
        }
    }
    (missed, (page.last > after && page.last < head).then_some(page.last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_agent::Transient;
    use pintle_protocol::event::{DeltaField, ItemDelta, TransientEvent, TransientRecord};
    use pintle_protocol::event::{SessionState, StateValue};
    use pintle_protocol::ids::ItemId;
    use std::time::Duration;

    fn transient(session: &str, event: TransientEvent) -> Arc<Transient> {
        let session_id = SessionId::new(session);
        Arc::new(Transient::new(TransientRecord { session_id, after: 1, turn_id: None, event }))
    }

    fn delta(session: &str, n: u64) -> Arc<Transient> {
        let delta = ItemDelta {
            item_id: ItemId::new("i"),
            field: DeltaField::Text,
            path: None,
            n,
            to: None,
            text: format!("{n}"),
        };
        transient(session, TransientEvent::ItemDelta(delta))
    }

    fn state() -> Arc<Transient> {
        let state = SessionState {
            value: StateValue::Idle,
            blocked_on: Vec::new(),
            background: Vec::new(),
        };
        transient("s", TransientEvent::State(state))
    }

    fn shown(batch: &[Feed]) -> String {
        let each = batch.iter().map(|feed| match feed {
            Feed::Transient(record) => match &record.value.event {
                TransientEvent::ItemDelta(delta) => delta.text.clone(),
                _ => "state".to_owned(),
            },
            other => format!("{other:?}"),
        });
        each.collect::<Vec<_>>().join(" ")
    }

    /// Short, and the only wait of this test.
    const SHORT: Duration = Duration::from_millis(5);

    /// The test hangs if this is waited for.
    const LONG: Duration = Duration::from_secs(1_000_000);

    #[tokio::test]
    async fn deltas_are_held_back_no_longer_than_allowed_and_never_behind_another_event() {
        let (tx, feed) = mpsc::channel(1000);
        let mut events = Events::new(feed);
        let send = |feed: Feed| tx.try_send(feed).unwrap();

        // The least time counts, whatever lies before and behind it.
        let began = Instant::now();
        send(Feed::Held(delta("s", 0), LONG));
        send(Feed::Held(delta("t", 0), SHORT));
        send(Feed::Held(delta("s", 1), LONG));
        assert!(events.wait().await);
        assert_eq!(shown(&events.take()), "01 0");
        assert!(began.elapsed() >= SHORT);

        // Another event immediately releases the events held back before it, and none behind it.
        send(Feed::Held(delta("s", 4), LONG));
        send(Feed::Transient(state()));
        send(Feed::Held(delta("s", 5), LONG));
        assert_eq!(events.wait().now_or_never(), Some(true));
        assert_eq!(shown(&events.take()), "4 state");
        send(Feed::Held(delta("s", 6), LONG));
        assert_eq!(events.wait().now_or_never(), None);

        // The rest is all there is.
        assert_eq!(shown(&events.rest().await), "56");

        // Deltas that cannot be merged are not held back in any number.
        for n in 0..=MAX_HELD as u64 {
            // tokio lets a task that never waits receive no more after a while.
            tokio::task::yield_now().await;
            assert_eq!(events.wait().now_or_never(), None);
            send(Feed::Held(delta("s", n * 2), LONG));
        }
        assert_eq!(events.wait().now_or_never(), Some(true));
        assert_eq!(events.take().len(), MAX_HELD + 1);

        // Closing the channel releases the remaining events.
        send(Feed::Held(delta("s", 7), LONG));
        drop(tx);
        assert!(events.wait().await);
        assert_eq!(shown(&events.take()), "7");
        assert!(!events.wait().await);
    }
}
