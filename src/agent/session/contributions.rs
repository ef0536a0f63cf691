//! The contributions of clients: pending calls of their hooks and tools, diagnostics; and hooks of the settings that
//! only watch.

use crate::clients::{CallId, CallReply, CallRequest, SubscriberId};
use crate::turn::diagnostics::Reports;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use pintle_protocol::event::Notice;
use tokio::sync::{mpsc, watch};

/// The contributions of clients, and the hooks that only watch.
#[derive(Debug, Default)]
pub(super) struct Contributions {
    pub(super) calls: PendingCalls,
    /// The diagnostics of an editor; the running turn looks at them.
    pub(super) reports: watch::Sender<Reports>,
    /// Hooks that only watch and still run; each returns what went wrong.
    pub(super) watching_hooks: FuturesUnordered<BoxFuture<'static, Vec<Notice>>>,
}

/// The capacity of the channel for calls of hooks. The session takes them at once; a hook that finds this full waits.
const CALL_CAPACITY: usize = 16;

/// The calls of clients that have no answer yet, and the way for hooks to make one.
#[derive(Debug)]
pub(super) struct PendingCalls {
    pub(super) open: Vec<OpenCall>,
    requests: mpsc::Receiver<CallRequest>,
    pub(super) requests_tx: mpsc::Sender<CallRequest>,
}

impl Default for PendingCalls {
    fn default() -> Self {
        let (requests_tx, requests) = mpsc::channel(CALL_CAPACITY);
        Self { open: Vec::new(), requests, requests_tx }
    }
}

impl PendingCalls {
    /// Waits for a hook that calls its client. Cancel-safe.
    pub(super) async fn next(&mut self) -> CallRequest {
        match self.requests.recv().await {
            Some(request) => request,
            // It never ends, since a sender is kept here.
            None => std::future::pending().await,
        }
    }
}

/// A call that waits for its client.
#[derive(Debug)]
pub(super) struct OpenCall {
    pub(super) id: CallId,
    pub(super) to: SubscriberId,
    pub(super) reply: CallReply,
}
