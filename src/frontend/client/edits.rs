//! Edits that tools make in the client's editor: calls to send, and requests without a response.

use super::Client;
use pintle_agent::{Documents, EditCall};
use pintle_base::transport::envelope::Id;
use pintle_protocol::document::ApplyEditResult;
use std::collections::BTreeMap;
use tokio::sync::{mpsc, oneshot};

/// Capacity of the edit channel. One edit is in progress at a time, with its withdrawal behind it; a tool that finds the channel full
/// waits.
const CAPACITY: usize = 8;

/// Takes an edit's result.
pub(crate) type Reply = oneshot::Sender<Result<ApplyEditResult, String>>;

/// The edits in a client's editor, each with a note of the frontend.
#[derive(Debug)]
pub(crate) struct Edits<T = ()> {
    documents: Option<Documents>,
    owner: u64,
    calls_tx: mpsc::Sender<EditCall>,
    calls: mpsc::Receiver<EditCall>,
    open: BTreeMap<String, (T, Reply)>,
}

impl<T> Edits<T> {
    pub(crate) fn new(client: &Client) -> Self {
        let (calls_tx, calls) = mpsc::channel(CAPACITY);
        let documents = client.engine.editors().map(|editors| editors.documents.clone());
        Self { documents, owner: client.id.0, calls_tx, calls, open: BTreeMap::new() }
    }

    /// Returns the channel that tools send edits to.
    pub(crate) fn sender(&self) -> mpsc::Sender<EditCall> {
        self.calls_tx.clone()
    }

    /// Routes edits of the client's documents to this editor.
    pub(crate) fn connect(&self) {
        if let Some(documents) = &self.documents {
            documents.connect(self.owner, self.sender());
        }
    }

    /// Waits for the next call. Cancel-safe.
    pub(crate) async fn next(&mut self) -> EditCall {
        match self.calls.recv().await {
            Some(call) => call,
            None => std::future::pending().await,
        }
    }

    /// Notes an edit that is sent by this request.
    pub(crate) fn insert(&mut self, id: String, note: T, reply: Reply) {
        self.open.insert(id, (note, reply));
    }

    /// Takes a request's edit.
    pub(crate) fn take(&mut self, id: &Id) -> Option<(T, Reply)> {
        match id {
            Id::Str(id) => self.open.remove(id),
            Id::Null | Id::Number(_) => None,
        }
    }

    /// Fails the open edits, since the client no longer responds. Its documents stay as last reported.
    pub(crate) fn mute(&mut self) {
        self.open.clear();
        if let Some(documents) = &self.documents {
            documents.mute(self.owner);
        }
    }

    /// Fails all edits, and forgets the client's documents.
    pub(crate) fn close(&mut self) {
        self.calls.close();
        while self.calls.try_recv().is_ok() {}
        self.open.clear();
        if let Some(documents) = &self.documents {
            documents.disconnect(self.owner);
        }
    }
}
