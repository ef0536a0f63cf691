//! What waits to be written, in any frontend: answers always, events only while the client keeps up.

use crate::transport::Outgoing;
use serde_json::Value;
use std::collections::VecDeque;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How many messages may wait here before no more requests are read: a client that sends without reading
/// is held back by its own pipe then.
const MAX_WAITING: usize = 1024;

/// How long a client may take to read the last messages when the engine was told to stop.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Messages on their way to the writer. It is empty as long as the client keeps up.
#[derive(Debug)]
pub(super) struct Outbox {
    outgoing: Outgoing,
    waiting: VecDeque<Vec<u8>>,
}

impl Outbox {
    pub(super) fn new(outgoing: Outgoing) -> Self {
        Self { outgoing, waiting: VecDeque::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether more requests should be read.
    pub(super) fn takes_more(&self) -> bool {
        self.waiting.len() < MAX_WAITING
    }

    /// Sends a message, at once if there is room.
    pub(super) fn push(&mut self, message: Vec<u8>) {
        if self.waiting.is_empty()
            && let Some(room) = self.outgoing.try_room_for(message.len())
        {
            self.outgoing.send(room, message);
        } else {
            self.waiting.push_back(message);
        }
    }

    pub(super) fn push_json(&mut self, message: &Value) {
        self.push(message.to_string().into_bytes());
    }

    pub(super) fn push_all(&mut self, messages: impl IntoIterator<Item = Vec<u8>>) {
        for message in messages {
            self.push(message);
        }
    }

    /// Waits for room for the first message that waits, and sends it. Cancel-safe.
    pub(super) async fn drain(&mut self) {
        let Some(first) = self.waiting.front() else { return };
        match self.outgoing.room_for(first.len()).await {
            Some(room) => {
                if let Some(first) = self.waiting.pop_front() {
                    self.outgoing.send(room, first);
                }
            }
            // The writer is gone, and so is whoever read.
            None => self.waiting.clear(),
        }
    }

    /// Waits until everything was written, or the client is gone. Where the engine was told to stop, a client that does not read is not
    /// waited for long.
    pub(super) async fn last_words(&mut self, hangup: &CancellationToken, in_haste: bool) {
        let flushed = async {
            while !self.is_empty() {
                self.drain().await;
            }
            self.outgoing.flushed().await;
        };
        let patience = async {
            if in_haste {
                tokio::time::sleep(LAST_WORDS).await;
            } else {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = flushed => {}
            () = hangup.cancelled() => {}
            () = patience => {}
        }
    }
}
