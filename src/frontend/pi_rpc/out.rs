//! Lines on their way to the writer. It is empty as long as the client keeps up; while it is not, no events and, when it is long, no
//! commands are taken.

use crate::transport::Outgoing;
use serde_json::Value;
use std::collections::VecDeque;

/// How many lines may wait before no more commands are read.
const MAX_WAITING: usize = 1024;

#[derive(Debug)]
pub(super) struct Out {
    outgoing: Outgoing,
    waiting: VecDeque<Vec<u8>>,
}

impl Out {
    pub(super) fn new(outgoing: Outgoing) -> Self {
        Self { outgoing, waiting: VecDeque::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn takes_more(&self) -> bool {
        self.waiting.len() < MAX_WAITING
    }

    pub(super) fn send(&mut self, value: &Value) {
        self.push(value.to_string().into_bytes());
    }

    pub(super) fn extend(&mut self, lines: Vec<Vec<u8>>) {
        for line in lines {
            self.push(line);
        }
    }

    /// Sends a line, at once if there is room.
    fn push(&mut self, line: Vec<u8>) {
        if self.waiting.is_empty()
            && let Some(room) = self.outgoing.try_room_for(line.len())
        {
            self.outgoing.send(room, line);
        } else {
            self.waiting.push_back(line);
        }
    }

    /// Waits for room for the first line that waits, and sends it. Cancel-safe.
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

    /// Waits until everything was written.
    pub(super) async fn flushed(&mut self) {
        while !self.is_empty() {
            self.drain().await;
        }
        self.outgoing.flushed().await;
    }
}
