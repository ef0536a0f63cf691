//! The events that sessions send to one subscriber, in order.
//!
//! Invariant: after [`Events::complete`] no durable event is missing. Events that a slow subscriber missed are read from the journal before
//! any later event is taken.

use super::merge::merge_deltas;
use crate::agent::{EngineHandle, Feed, PageRange, Record};
use futures_util::future::{BoxFuture, FutureExt};
use pintle_protocol::ids::SessionId;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::mpsc;

/// The number of events that are received at once, so that adjacent deltas can be merged.
const BATCH: usize = 64;

/// The number of missed events that are read at once.
const PAGE: usize = 64;

/// The events of a subscriber's sessions.
pub(in crate::frontend) struct Events {
    feed: mpsc::Receiver<Feed>,
    /// Reads missed events; `None` if the client reads them itself.
    engine: Option<EngineHandle>,
    /// The events that can be taken.
    ready: Vec<Feed>,
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
    pub(in crate::frontend) fn complete(feed: mpsc::Receiver<Feed>, engine: EngineHandle) -> Self {
        Self { engine: Some(engine), ..Self::as_fed(feed) }
    }

    /// Passes [`Feed::Lagged`] on instead of reading missed events.
    pub(in crate::frontend) fn as_fed(feed: mpsc::Receiver<Feed>) -> Self {
        Self { feed, engine: None, ready: Vec::new(), queue: VecDeque::new(), gap: None }
    }

    /// Waits until there are events to take; returns false once the channel is closed. Cancel-safe.
    pub(in crate::frontend) async fn wait(&mut self) -> bool {
        loop {
            self.sort();
            if !self.ready.is_empty() {
                return true;
            }
            if self.gap.is_some() {
                self.read_gap().await;
                continue;
            }
            let mut batch = Vec::with_capacity(BATCH);
            if self.feed.recv_many(&mut batch, BATCH).await == 0 {
                return false;
            }
            self.queue.extend(batch);
        }
    }

    /// Takes the events that are ready.
    pub(in crate::frontend) fn take(&mut self) -> Vec<Feed> {
        let mut batch = std::mem::take(&mut self.ready);
        merge_deltas(&mut batch);
        batch
    }

    /// Takes all events sent before now, including missed ones.
    pub(in crate::frontend) async fn rest(&mut self) -> Vec<Feed> {
        while let Ok(next) = self.feed.try_recv() {
            self.queue.push_back(next);
        }
        self.sort();
        while self.gap.is_some() {
            self.read_gap().await;
            self.sort();
        }
        self.take()
    }

    /// Moves queued events, up to a gap, to those that can be taken.
    fn sort(&mut self) {
        while self.gap.is_none()
            && let Some(feed) = self.queue.pop_front()
        {
            match (feed, &self.engine) {
                (Feed::Lagged { session_id, last_sent_seq, head_seq }, Some(engine)) => {
                    self.gap = Some(Gap::new(engine.clone(), session_id, last_sent_seq, head_seq));
                }
                (feed, _) => self.ready.push(feed),
            }
        }
    }

    /// Reads a page of missed events. Cancel-safe.
    async fn read_gap(&mut self) {
        let Some(gap) = &mut self.gap else { return };
        let (missed, rest) = (&mut gap.page).await;
        self.ready.extend(missed);
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
            tracing::error!("missed events cannot be read: {error}");
            return (Vec::new(), None);
        }
    };
    let mut missed = Vec::with_capacity(page.events.len());
    for raw in page.events {
        match Record::read(raw) {
            Ok(record) if record.value.seq <= head => missed.push(Feed::Durable(Arc::new(record))),
            Ok(_) => {}
            Err(error) => tracing::error!("a missed event cannot be read: {error}"),
        }
    }
    (missed, (page.last > after && page.last < head).then_some(page.last))
}
