//! Framing of messages in both directions, over stdio, sockets or memory.
//!
//! A [`Transport`] is one connection as a frontend sees it: complete messages in, complete messages out. This module does not interpret
//! messages, and only a link's writer touches stdout.

pub mod codec;
pub mod envelope;
pub mod memory;
pub mod socket;
pub mod stdio;
pub mod websocket;

use bytes::Bytes;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

/// The maximum size of a message, in bytes. Prompts with images are a few MiB; a peer that sends more is broken.
pub const MAX_MESSAGE_BYTES: usize = 64 * 1024 * 1024;

/// The number of messages that the reader may be ahead of the frontend. When the queue is full, the reader stops
/// reading and the client's writes block.
pub const INCOMING_CAPACITY: usize = 64;

/// The number of bytes that may wait to be read by a client. When the queue is full, the frontend stops taking
/// events, so sessions merge, drop or hold them back.
pub const OUTGOING_BYTES: usize = 1024 * 1024;

/// The number of messages that may wait to be read by a client: more than fit by size, so that the limit in bytes
/// applies.
const OUTGOING_MESSAGES: usize = 16 * 1024;

/// An item that arrives on a link.
#[derive(Debug, PartialEq, Eq)]
pub enum Incoming {
    /// A complete, unparsed message.
    Message(Vec<u8>),
    /// A message over [`MAX_MESSAGE_BYTES`]; it was skipped.
    TooLarge,
    /// Bytes that are no frame. In header framing nothing after them can be trusted.
    Broken(&'static str),
}

/// A connection as a frontend sees it.
#[derive(Debug)]
pub struct Transport {
    /// Messages from the client; closed at the end of input.
    pub incoming: mpsc::Receiver<Incoming>,
    /// Messages for the client.
    pub outgoing: Outgoing,
    /// Cancelled when the client no longer reads the output.
    pub hangup: CancellationToken,
}

/// The bounded queue before a link's one writer.
#[derive(Debug, Clone)]
pub struct Outgoing {
    tx: mpsc::Sender<Frame>,
    room: Arc<Semaphore>,
}

/// A message on its way out, holding its share of the queue's bytes until it is written.
#[derive(Debug)]
pub struct Frame {
    /// The message, without framing.
    pub message: Bytes,
    _room: OwnedSemaphorePermit,
}

/// A permit to queue one message.
#[derive(Debug)]
pub struct SendPermit(OwnedSemaphorePermit);

impl Outgoing {
    /// A queue and its reading end, for a writer.
    pub fn channel() -> (Self, mpsc::Receiver<Frame>) {
        let (tx, rx) = mpsc::channel(OUTGOING_MESSAGES);
        (Self { tx, room: Arc::new(Semaphore::new(OUTGOING_BYTES)) }, rx)
    }

    /// Waits until there is room for `bytes` in the queue; a message over the whole limit fits when the queue is
    /// empty. Cancel-safe. `None` when the writer has stopped.
    pub async fn reserve(&self, bytes: usize) -> Option<SendPermit> {
        let share = u32::try_from(bytes.clamp(1, OUTGOING_BYTES)).unwrap_or(u32::MAX);
        let permit = Arc::clone(&self.room).acquire_many_owned(share).await.ok()?;
        if self.tx.is_closed() { None } else { Some(SendPermit(permit)) }
    }

    /// Reserves room for `bytes` if there is some now.
    pub fn try_reserve(&self, bytes: usize) -> Option<SendPermit> {
        let share = u32::try_from(bytes.clamp(1, OUTGOING_BYTES)).unwrap_or(u32::MAX);
        Arc::clone(&self.room).try_acquire_many_owned(share).ok().map(SendPermit)
    }

    /// Sends a message to the writer. `false` when the writer has stopped.
    pub fn send(&self, room: SendPermit, message: impl Into<Bytes>) -> bool {
        self.tx.try_send(Frame { message: message.into(), _room: room.0 }).is_ok()
    }

    /// Waits until the writer has written everything or has stopped.
    pub async fn flushed(&self) {
        let whole = u32::try_from(OUTGOING_BYTES).unwrap_or(u32::MAX);
        tokio::select! {
            _ = self.room.acquire_many(whole) => {}
            () = self.tx.closed() => {}
        }
    }
}
