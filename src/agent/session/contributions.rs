//! Client contributions: pending calls of their hooks and tools, and diagnostics; also the configured watch-only hooks.

use crate::clients::{CallId, CallReply, CallRequest, SubscriberId};
use crate::turn::diagnostics::Reports;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use pintle_protocol::event::Notice;
use tokio::sync::{mpsc, watch};

/// Client contributions, and the watch-only hooks.
#[derive(Debug, Default)]
pub(super) struct Contributions {
    pub(super) calls: PendingCalls,
    /// The editor's diagnostics, read by the running turn.
    pub(super) reports: watch::Sender<Reports>,
    /// Hooks that only watch and still run; each returns what went wrong.
    pub(super) watching_hooks: FuturesUnordered<BoxFuture<'static, Vec<Notice>>>,
}

/// The channel capacity for hook calls. The session takes them immediately; if the channel is full, the hook waits.
const CALL_CAPACITY: usize = 16;

/// The unanswered client calls, and the channel through which hooks make calls.
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
            // Never reached, since a sender is kept here.
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
