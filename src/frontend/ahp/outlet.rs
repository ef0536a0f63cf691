//! The way from the host to a client's connection.

use bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use tokio::sync::mpsc;

/// A connection's number, unique in the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ConnectionId(u64);

impl ConnectionId {
    pub(super) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The bytes that wait for a client at most, unless a single message has more.
const MAX_WAITING_BYTES: usize = 32 * 1024 * 1024;

/// The host's handle for sending messages to a client. Never waits.
pub(super) struct Outlet {
    pub(super) out: mpsc::Sender<Bytes>,
    /// The bytes that wait.
    pub(super) waiting: Arc<AtomicUsize>,
}

impl Outlet {
    /// Queues a message; returns false if too much is queued before it.
    pub(super) fn take(&self, message: Bytes) -> bool {
        let size = message.len();
        let before = self.waiting.fetch_add(size, Ordering::Relaxed);
        (before == 0 || before + size <= MAX_WAITING_BYTES) && self.out.try_send(message).is_ok()
    }
}
