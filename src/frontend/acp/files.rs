//! The client's files: what tools read and change goes through the editor, where it offers both ways.
//!
//! A client that offers one way only is not asked at all: what is read there and written elsewhere would be corrupted. Invariant: a
//! change is made to the text that the client shows at that moment, or not at all.

use crate::agent::{Documents, EditCall, edited_text};
use crate::transport::envelope;
use agent_client_protocol_schema::v1 as acp;
use futures_util::FutureExt;
use futures_util::future::{AbortHandle, Abortable, BoxFuture};
use futures_util::stream::{FuturesUnordered, StreamExt};
use jsonrpsee::types::Id;
use pintle_protocol::document::{ApplyEditParams, ApplyEditResult, DocumentEdit, DocumentVersion};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use tokio::sync::{mpsc, oneshot};

/// The capacity of the channel of requests for files. Those who ask wait for a response anyway.
const CALLS_CAPACITY: usize = 16;

/// A file to read or to write.
#[derive(Debug)]
pub(super) struct FileCall {
    pub(super) path: String,
    /// The text to write; `None` reads.
    content: Option<String>,
    reply: oneshot::Sender<Result<String, String>>,
}

/// What was asked of the client and is not answered.
#[derive(Debug)]
struct Pending {
    is_read: bool,
    reply: oneshot::Sender<Result<String, String>>,
}

/// The files of one client.
pub(super) struct Files {
    owner: u64,
    documents: Documents,
    edits: mpsc::Receiver<EditCall>,
    calls: mpsc::Receiver<FileCall>,
    asks: mpsc::Sender<FileCall>,
    changing: FuturesUnordered<BoxFuture<'static, ()>>,
    stops: BTreeMap<u64, AbortHandle>,
    waiting: BTreeMap<String, Pending>,
    count: u64,
}

impl Files {
    /// Has tools ask this client.
    pub(super) fn connect(documents: &Documents, owner: u64) -> Self {
        let (edits_tx, edits) = mpsc::channel(CALLS_CAPACITY);
        let (asks, calls) = mpsc::channel(CALLS_CAPACITY);
        documents.connect_asked(owner, edits_tx);
        Self {
            owner,
            documents: documents.clone(),
            edits,
            calls,
            asks,
            changing: FuturesUnordered::new(),
            stops: BTreeMap::new(),
            waiting: BTreeMap::new(),
            count: 0,
        }
    }

    /// Whoever waits for the client learns that it is gone, and so does who asks later: what it shows unsaved is not written over.
    pub(super) fn disconnect(&mut self) {
        self.documents.mute(self.owner);
        self.edits.close();
        self.waiting.clear();
        self.changing.clear();
    }

    /// The next file to read or to write. Cancel-safe.
    pub(super) async fn next(&mut self) -> FileCall {
        loop {
            tokio::select! {
                Some(call) = self.calls.recv() => return call,
                Some(()) = self.changing.next() => {}
                edit = self.edits.recv() => match edit {
                    Some(EditCall::Read { path, reply }) => {
                        return FileCall { path, content: None, reply };
                    }
                    Some(EditCall::Make { id, params, reply }) => self.make(id, params, reply),
                    Some(EditCall::Withdraw(id)) => {
                        if let Some(stop) = self.stops.remove(&id) {
                            stop.abort();
                        }
                    }
                    None => std::future::pending().await,
                }
            }
        }
    }

    fn make(
        &mut self,
        id: u64,
        params: ApplyEditParams,
        reply: oneshot::Sender<Result<ApplyEditResult, String>>,
    ) {
        let (documents, owner, asks) = (self.documents.clone(), self.owner, self.asks.clone());
        let (stop, registration) = AbortHandle::new_pair();
        let made = async move {
            let made = change(&documents, owner, &asks, &params).await;
            // Nobody waits for one that was withdrawn.
            let _ = reply.send(made);
        };
        self.stops.insert(id, stop);
        self.changing.push(Abortable::new(made, registration).map(drop).boxed());
    }

    /// The request for a file, and those that nobody waits for any more.
    pub(super) fn request(&mut self, session: &acp::SessionId, call: FileCall) -> Vec<Vec<u8>> {
        let mut messages = self.given_up();
        self.count += 1;
        let id = format!("f{}", self.count);
        let FileCall { path, content, reply } = call;
        let is_read = content.is_none();
        messages.push(match content {
            None => {
                let read = acp::ReadTextFileRequest::new(session.clone(), path);
                envelope::request(&id, "fs/read_text_file", &read)
            }
            Some(content) => {
                let write = acp::WriteTextFileRequest::new(session.clone(), path, content);
                envelope::request(&id, "fs/write_text_file", &write)
            }
        });
        self.waiting.insert(id, Pending { is_read, reply });
        messages
    }

    fn given_up(&mut self) -> Vec<Vec<u8>> {
        let gone = self.waiting.iter().filter(|(_, waiting)| waiting.reply.is_closed());
        let gone: Vec<String> = gone.map(|(id, _)| id.clone()).collect();
        let withdraw = |id: String| {
            self.waiting.remove(&id);
            let params = acp::CancelRequestNotification::new(acp::RequestId::Str(id));
            super::wire::notification("$/cancel_request", &params)
        };
        gone.into_iter().map(withdraw).collect()
    }

    /// Takes an answer of the client, if it is one to these requests; gives it back otherwise.
    pub(super) fn answered(
        &mut self,
        id: &Id<'_>,
        outcome: Result<Box<RawValue>, String>,
    ) -> Option<Result<Box<RawValue>, String>> {
        let waiting = match id {
            Id::Str(id) => self.waiting.remove(id.as_ref()),
            Id::Null | Id::Number(_) => None,
        };
        let Some(Pending { is_read, reply }) = waiting else { return Some(outcome) };
        let text = |raw: Box<RawValue>| -> Result<String, String> {
            let read: acp::ReadTextFileResponse =
                serde_json::from_str(raw.get()).map_err(|error| error.to_string())?;
            Ok(read.content)
        };
        let answer = if is_read { outcome.and_then(text) } else { outcome.map(|_| String::new()) };
        // Nobody waits for one that came too late.
        let _ = reply.send(answer);
        None
    }
}

async fn ask(
    asks: &mpsc::Sender<FileCall>,
    path: &str,
    content: Option<String>,
) -> Result<String, String> {
    let gone = || "the editor is gone".to_owned();
    let (reply, answer) = oneshot::channel();
    let call = FileCall { path: path.to_owned(), content, reply };
    asks.send(call).await.map_err(|_| gone())?;
    answer.await.unwrap_or_else(|_| Err(gone()))
}

/// Makes changes: of all files or of none, as far as the client lets it.
async fn change(
    documents: &Documents,
    owner: u64,
    asks: &mpsc::Sender<FileCall>,
    params: &ApplyEditParams,
) -> Result<ApplyEditResult, String> {
    let mut wanted: Vec<(&DocumentEdit, String, String)> = Vec::new();
    for edit in &params.edits {
        let known = documents.asked_text(owner, &edit.path);
        let (version, known) =
            known.ok_or_else(|| format!("{} is not known any more", edit.path))?;
        // A file that is made is in no editor yet.
        let shown = if version == 0 { String::new() } else { ask(asks, &edit.path, None).await? };
        if version != edit.version || shown != *known {
            // Somebody has typed meanwhile: the change is put together with that.
            documents.told_text(owner, &edit.path, shown, true);
            return Ok(ApplyEditResult {
                is_applied: false,
                failure_reason: None,
                versions: Vec::new(),
            });
        }
        let after = edited_text(&known, edit);
        wanted.push((edit, shown, after));
    }
    for (at, (edit, _, after)) in wanted.iter().enumerate() {
        let Err(why) = ask(asks, &edit.path, Some(after.clone())).await else { continue };
        for (edit, before, _) in wanted.iter().take(at).filter(|(edit, ..)| edit.version > 0) {
            // What cannot be taken back is told by the files themselves.
            let _ = ask(asks, &edit.path, Some(before.clone())).await;
        }
        return Err(why);
    }
    let versions = wanted.into_iter().map(|(edit, _, after)| DocumentVersion {
        path: edit.path.clone(),
        version: documents.told_text(owner, &edit.path, after, !edit.save),
    });
    Ok(ApplyEditResult { is_applied: true, failure_reason: None, versions: versions.collect() })
}
