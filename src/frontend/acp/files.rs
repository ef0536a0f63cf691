//! The client's files: tools read and write files through the editor, if it supports both.
//!
//! A client that supports only one of them is not used at all: text read from one place and written to another would be corrupted.
//! Invariant: a change is applied to the text that the client shows at that moment, or not at all.

use agent_client_protocol_schema::v1 as acp;
use futures_util::FutureExt;
use futures_util::future::{AbortHandle, Abortable, BoxFuture};
use futures_util::stream::{FuturesUnordered, StreamExt};
use pintle_agent::{Documents, EditCall, edited_text};
use pintle_base::transport::envelope::{self, Id};
use pintle_protocol::document::{ApplyEditParams, ApplyEditResult, DocumentEdit, DocumentVersion};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

/// Capacity of the file request channel. Senders wait for a response anyway.
const CALLS_CAPACITY: usize = 16;

/// The time limit for a response. An editor answers from memory; one that does not is stuck, or has forgotten the request.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);

/// A request about files, or the end of one.
#[derive(Debug)]
pub(super) enum FileRequest {
    Call(FileCall),
    /// The request with this id has no response in time.
    Overdue(String),
}

/// A file to read or to write.
#[derive(Debug)]
pub(super) struct FileCall {
    pub(super) path: String,
    /// The text to write; `None` reads.
    content: Option<String>,
    reply: oneshot::Sender<Result<String, String>>,
}

/// A request to the client without a response.
#[derive(Debug)]
struct Pending {
    is_read: bool,
    reply: oneshot::Sender<Result<String, String>>,
    until: Instant,
}

/// The files of one client.
pub(super) struct Files {
    owner: u64,
    documents: Documents,
    edits: mpsc::Receiver<EditCall>,
    calls: mpsc::Receiver<FileCall>,
    calls_tx: mpsc::Sender<FileCall>,
    edits_in_progress: FuturesUnordered<BoxFuture<'static, ()>>,
    edit_handles: BTreeMap<u64, AbortHandle>,
    pending: BTreeMap<String, Pending>,
    count: u64,
    /// [`RESPONSE_TIMEOUT`], unless a test is shorter of time.
    timeout: Duration,
}

impl Files {
    /// Makes tools read and write files through this client.
    pub(super) fn connect(documents: &Documents, owner: u64) -> Self {
        let (edits_tx, edits) = mpsc::channel(CALLS_CAPACITY);
        let (calls_tx, calls) = mpsc::channel(CALLS_CAPACITY);
        documents.connect_asked(owner, edits_tx);
        Self {
            owner,
            documents: documents.clone(),
            edits,
            calls,
            calls_tx,
            edits_in_progress: FuturesUnordered::new(),
            edit_handles: BTreeMap::new(),
            pending: BTreeMap::new(),
            count: 0,
            timeout: RESPONSE_TIMEOUT,
        }
    }

    /// Fails pending and later calls: the client is gone, and its unsaved text is not overwritten.
    pub(super) fn disconnect(&mut self) {
        self.documents.mute(self.owner);
        self.edits.close();
        self.pending.clear();
        self.edits_in_progress.clear();
    }

    /// Waits for the next file to read or write, or for a request to end without a response. Cancel-safe.
    pub(super) async fn next(&mut self) -> FileRequest {
        let first = self.pending.iter().min_by_key(|(_, pending)| pending.until);
        let first = first.map(|(id, pending)| (id.clone(), pending.until));
        let overdue = async {
            match first {
                Some((id, until)) => {
                    tokio::time::sleep_until(until).await;
                    id
                }
                None => std::future::pending().await,
            }
        };
        let mut overdue = std::pin::pin!(overdue);
        loop {
            tokio::select! {
                id = &mut overdue => return FileRequest::Overdue(id),
                Some(call) = self.calls.recv() => return FileRequest::Call(call),
                Some(()) = self.edits_in_progress.next() => {}
                edit = self.edits.recv() => match edit {
                    Some(EditCall::Read { path, reply }) => {
                        return FileRequest::Call(FileCall { path, content: None, reply });
                    }
                    Some(EditCall::Make { id, params, reply }) => self.make(id, params, reply),
                    Some(EditCall::Withdraw(id)) => {
                        if let Some(stop) = self.edit_handles.remove(&id) {
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
        let (documents, owner, calls_tx) =
            (self.documents.clone(), self.owner, self.calls_tx.clone());
        let (stop, registration) = AbortHandle::new_pair();
        let edit = async move {
            let result = change(&documents, owner, &calls_tx, &params).await;
            // A withdrawn edit has no receiver.
            let _ = reply.send(result);
        };
        self.edit_handles.insert(id, stop);
        self.edits_in_progress.push(Abortable::new(edit, registration).map(drop).boxed());
    }

    /// Returns the request for a file, and cancellations of those whose callers are gone.
    pub(super) fn request(&mut self, session: &acp::SessionId, call: FileCall) -> Vec<Vec<u8>> {
        let mut messages = self.cancel_abandoned();
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
        let until = Instant::now() + self.timeout;
        self.pending.insert(id, Pending { is_read, reply, until });
        messages
    }

    /// Fails a request without a response in time, and returns its cancellation.
    pub(super) fn give_up(&mut self, id: String) -> Option<Vec<u8>> {
        let Pending { is_read, reply, .. } = self.pending.remove(&id)?;
        let seconds = self.timeout.as_secs();
        let what = if is_read {
            format!("the editor has not answered fs/read_text_file within {seconds} s")
        } else {
            format!(
                "the editor has not answered fs/write_text_file within {seconds} s; it may have written the file"
            )
        };
        // The caller may be gone by now.
        let _ = reply.send(Err(what));
        Some(cancellation(id))
    }

    fn cancel_abandoned(&mut self) -> Vec<Vec<u8>> {
        let abandoned = self.pending.iter().filter(|(_, call)| call.reply.is_closed());
        let abandoned: Vec<String> = abandoned.map(|(id, _)| id.clone()).collect();
        let withdraw = |id: String| {
            self.pending.remove(&id);
            cancellation(id)
        };
        abandoned.into_iter().map(withdraw).collect()
    }

    /// Consumes a response to one of these requests; returns any other.
    pub(super) fn responded(
        &mut self,
        id: &Id,
        outcome: Result<Box<RawValue>, String>,
    ) -> Option<Result<Box<RawValue>, String>> {
        let call = match id {
            Id::Str(id) => self.pending.remove(id),
            Id::Null | Id::Number(_) => None,
        };
        let Some(Pending { is_read, reply, .. }) = call else { return Some(outcome) };
        let text = |raw: Box<RawValue>| -> Result<String, String> {
            let read: acp::ReadTextFileResponse =
                serde_json::from_str(raw.get()).map_err(|error| error.to_string())?;
            Ok(read.content)
        };
        let result = if is_read { outcome.and_then(text) } else { outcome.map(|_| String::new()) };
        // The caller may be gone by now.
        let _ = reply.send(result);
        None
    }
}

fn cancellation(id: String) -> Vec<u8> {
    let params = acp::CancelRequestNotification::new(acp::RequestId::Str(id));
    super::wire::notification("$/cancel_request", &params)
}

async fn ask(
    calls_tx: &mpsc::Sender<FileCall>,
    path: &str,
    content: Option<String>,
) -> Result<String, String> {
    let gone = || "the editor has disconnected".to_owned();
    let (reply, response) = oneshot::channel();
    let call = FileCall { path: path.to_owned(), content, reply };
    calls_tx.send(call).await.map_err(|_| gone())?;
    response.await.unwrap_or_else(|_| Err(gone()))
}

/// Applies changes: to all files or to none, as far as the client permits.
async fn change(
    documents: &Documents,
    owner: u64,
    calls_tx: &mpsc::Sender<FileCall>,
    params: &ApplyEditParams,
) -> Result<ApplyEditResult, String> {
    let mut changes: Vec<(&DocumentEdit, String, String)> = Vec::new();
    for edit in &params.edits {
        let text = documents.asked_text(owner, &edit.path);
        let (version, text) = text.ok_or_else(|| format!("{} is no longer open", edit.path))?;
        // A new file is not open in any editor.
        let shown =
            if version == 0 { String::new() } else { ask(calls_tx, &edit.path, None).await? };
        if version != edit.version || shown != *text {
            // The file was edited meanwhile: the change is merged with its new text.
            documents.told_text(owner, &edit.path, shown, true);
            return Ok(ApplyEditResult {
                is_applied: false,
                failure_reason: None,
                versions: Vec::new(),
            });
        }
        let after = edited_text(&text, edit);
        changes.push((edit, shown, after));
    }
    for (at, (edit, _, after)) in changes.iter().enumerate() {
        let Err(error) = ask(calls_tx, &edit.path, Some(after.clone())).await else { continue };
        for (edit, before, _) in changes.iter().take(at).filter(|(edit, ..)| edit.version > 0) {
            // If undoing fails too, the tools see it when they read the files.
            let _ = ask(calls_tx, &edit.path, Some(before.clone())).await;
        }
        return Err(error);
    }
    let versions = changes.into_iter().map(|(edit, _, after)| DocumentVersion {
        path: edit.path.clone(),
        version: documents.told_text(owner, &edit.path, after, !edit.save),
    });
    Ok(ApplyEditResult { is_applied: true, failure_reason: None, versions: versions.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_editor_that_does_not_answer_fails_the_call() {
        let session = acp::SessionId::new("s");
        for (content, want) in [
            (None, "the editor has not answered fs/read_text_file within 1 s"),
            (Some("new".to_owned()), "it may have written the file"),
        ] {
            let mut files = Files::connect(&Documents::default(), 1);
            files.timeout = Duration::from_secs(1);
            let calls_tx = files.calls_tx.clone();
            let serve = async {
                let FileRequest::Call(call) = files.next().await else { panic!("no call") };
                assert_eq!(files.request(&session, call).len(), 1);
                let FileRequest::Overdue(id) = files.next().await else { panic!("an answer") };
                let cancelled = files.give_up(id).unwrap();
                assert!(String::from_utf8(cancelled).unwrap().contains("$/cancel_request"));
            };
            let (answer, ()) = tokio::join!(ask(&calls_tx, "/a", content), serve);
            let error = answer.unwrap_err();
            assert!(error.contains(want), "{error}");
        }
    }
}
