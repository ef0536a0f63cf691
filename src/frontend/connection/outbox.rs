//! The messages that wait for the writer: responses always, events only while the client keeps up.

use bytes::Bytes;
use pintle_base::transport::{Outgoing, SendPermit};
use serde_json::Value;
use std::collections::VecDeque;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The number of waiting messages above which no more requests are read, so that back-pressure slows a client that sends without reading.
const MAX_WAITING: usize = 1024;

/// The time for a client to read the last messages after the engine was told to stop.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Messages on their way to the writer. Empty while the client keeps up.
#[derive(Debug)]
pub(crate) struct Outbox {
    outgoing: Outgoing,
    waiting: VecDeque<Bytes>,
}

impl Outbox {
    pub(crate) fn new(outgoing: Outgoing) -> Self {
        Self { outgoing, waiting: VecDeque::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Returns true if more requests should be read.
    pub(crate) fn takes_more(&self) -> bool {
        self.waiting.len() < MAX_WAITING
    }

    /// Sends a message, at once if there is room.
    pub(crate) fn push(&mut self, message: impl Into<Bytes>) {
        let message = message.into();
        if self.waiting.is_empty()
            && let Some(room) = self.outgoing.try_reserve(message.len())
        {
            self.outgoing.send(room, message);
        } else {
            self.waiting.push_back(message);
        }
    }

    pub(crate) fn push_json(&mut self, message: &Value) {
        self.push(message.to_string().into_bytes());
    }

    pub(crate) fn push_all(&mut self, messages: impl IntoIterator<Item = impl Into<Bytes>>) {
        for message in messages {
            self.push(message);
        }
    }

    /// Waits for room for the first waiting message, to pass to [`Self::send_first`]; `None` when the writer is gone. Cancel-safe.
    pub(super) fn room_for_first(&self) -> impl Future<Output = Option<SendPermit>> + Send + use<> {
        let bytes = self.waiting.front().map_or(0, Bytes::len);
        let outgoing = self.outgoing.clone();
        async move { outgoing.reserve(bytes).await }
    }

    /// Sends the first waiting message.
    pub(super) fn send_first(&mut self, room: Option<SendPermit>) {
        match (room, self.waiting.pop_front()) {
            (Some(room), Some(first)) => {
                self.outgoing.send(room, first);
            }
            (Some(_), None) => {}
            // The writer is gone, and with it the reader.
            (None, _) => self.waiting.clear(),
        }
    }

    /// Waits until everything is written or the client is gone; with `in_haste` at most [`FLUSH_TIMEOUT`].
    pub(crate) async fn finish(&mut self, hangup: &CancellationToken, in_haste: bool) {
        let flushed = async {
            while !self.is_empty() {
                let room = self.room_for_first().await;
                self.send_first(room);
            }
            self.outgoing.flushed().await;
        };
        let timeout = async {
            if in_haste {
                tokio::time::sleep(FLUSH_TIMEOUT).await;
            } else {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = flushed => {}
            () = hangup.cancelled() => {}
            () = timeout => {}
        }
    }
}
