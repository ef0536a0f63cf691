//! The agent's edits of open documents, made by the client with `workspace/applyEdit`.
//!
//! Each edit names the version of the text that it was made for, so that a client with a newer version refuses it; the change is then
//! merged with the newer text. The protocol has no request to save: a document that was saved before is left with unsaved changes, and the
//! user is informed.

use super::documents::OpenDocuments;
use super::wire::{self, Reply};
use crate::client::{self, Client};
use ls_types as lsp;
use pintle_agent::EditCall;
use pintle_base::transport::envelope::{self, Id};
use pintle_protocol::document::{
    ApplyEditParams, ApplyEditResult, DocumentEdit, DocumentVersion, Position, TextEdit,
};
use std::path::Path;

/// The documents that an edit changes.
#[derive(Debug)]
struct Edited {
    /// Each with the version that the edit was made for.
    versions: Vec<(String, i64)>,
    /// Those without unsaved changes.
    saved: Vec<String>,
}

/// A client's response to an edit.
#[derive(Debug)]
pub(super) struct EditResponse {
    /// A message for the user.
    pub(super) message: Option<Vec<u8>>,
    /// True if the client has made the edit but has not yet reported the new text.
    pub(super) is_unreported: bool,
}

/// The agent's edits in this client, by the ids of their requests.
#[derive(Debug)]
pub(super) struct Edits(client::Edits<Edited>);

impl Edits {
    pub(super) fn new(client: &Client) -> Self {
        Self(client::Edits::new(client))
    }

    /// Routes the agent's edits to the client. Without this, no document with unsaved text is changed.
    pub(super) fn connect(&self) {
        self.0.connect();
    }

    /// Waits for the next call. Cancel-safe.
    pub(super) async fn next(&mut self) -> EditCall {
        self.0.next().await
    }

    pub(super) fn mute(&mut self) {
        self.0.mute();
    }

    pub(super) fn close(&mut self) {
        self.0.close();
    }

    /// Returns the message for a call.
    pub(super) fn send(&mut self, call: EditCall, documents: &OpenDocuments) -> Option<Vec<u8>> {
        match call {
            EditCall::Make { id, params, reply } => {
                let id = format!("edit-{id}");
                match workspace_edit(&params, documents) {
                    Ok(edit) => {
                        let request = envelope::request(&id, "workspace/applyEdit", &edit);
                        self.0.insert(id, Edited::new(&params), reply);
                        Some(request)
                    }
                    Err(why) => {
                        // The caller may be gone by now.
                        let _ = reply.send(Err(why));
                        None
                    }
                }
            }
            // Clients of this protocol send their texts without a request, so they are never asked to read one.
            EditCall::Read { reply, .. } => {
                drop(reply);
                None
            }
            EditCall::Withdraw(id) => {
                let id = format!("edit-{id}");
                self.0.take(&Id::Str(id.clone())).map(|_| wire::withdrawal(id))
            }
        }
    }

    /// Consumes a response to an edit; returns any other response.
    pub(super) fn responded(
        &mut self,
        id: &Id,
        outcome: Reply,
        documents: &OpenDocuments,
    ) -> Result<EditResponse, Reply> {
        let Some((Edited { versions, saved }, reply)) = self.0.take(id) else {
            return Err(outcome);
        };
        let result = outcome.and_then(|raw| {
            let result: lsp::ApplyWorkspaceEditResponse =
                serde_json::from_str(raw.get()).map_err(|error| error.to_string())?;
            Ok(ApplyEditResult {
                is_applied: result.applied,
                failure_reason: result.failure_reason,
                versions: versions.iter().map(|known| version(known, documents)).collect(),
            })
        });
        let is_applied = result.as_ref().is_ok_and(|result| result.is_applied);
        // The caller may be gone by now.
        let _ = reply.send(result);
        let mut versions = versions.iter();
        Ok(EditResponse {
            message: (is_applied && !saved.is_empty()).then(|| unsaved(&saved)),
            is_unreported: is_applied && versions.any(|known| reported(known, documents).is_none()),
        })
    }
}

impl Edited {
    fn new(params: &ApplyEditParams) -> Self {
        let versions = params.edits.iter().map(|edit| (edit.path.clone(), edit.version)).collect();
        let saved = params.edits.iter().filter(|edit| edit.save);
        Self { versions, saved: saved.map(|edit| edit.path.clone()).collect() }
    }
}

/// Returns the version after an edit: one that the client has already reported, or the next one, which it will report soon.
fn version(known: &(String, i64), documents: &OpenDocuments) -> DocumentVersion {
    let version = reported(known, documents).unwrap_or(known.1 + 1);
    DocumentVersion { path: known.0.clone(), version }
}

/// Returns the version that the client has reported since an edit of this version.
fn reported((path, before): &(String, i64), documents: &OpenDocuments) -> Option<i64> {
    documents.of_path(path).map(|document| document.version).filter(|told| told > before)
}

fn unsaved(paths: &[String]) -> Vec<u8> {
    let names: Vec<_> = paths
        .iter()
        .map(|path| Path::new(path).file_name().unwrap_or_default().to_string_lossy())
        .collect();
    let text = format!(
        "pintle changed {}, which is unsaved: commands of the agent see the change after you save it",
        names.join(", ")
    );
    wire::show(lsp::MessageType::INFO, &text)
}

fn workspace_edit(
    params: &ApplyEditParams,
    documents: &OpenDocuments,
) -> Result<lsp::ApplyWorkspaceEditParams, String> {
    let edits: Result<Vec<_>, String> = params
        .edits
        .iter()
        .map(|edit| {
            let closed = || format!("{} is no longer open", edit.path);
            let uri = documents.of_path(&edit.path).ok_or_else(closed)?.uri.clone();
            document_edit(uri, edit)
        })
        .collect();
    let edit = lsp::WorkspaceEdit {
        document_changes: Some(lsp::DocumentChanges::Edits(edits?)),
        ..lsp::WorkspaceEdit::default()
    };
    Ok(lsp::ApplyWorkspaceEditParams { label: Some(params.label.clone()), edit })
}

fn document_edit(uri: lsp::Uri, edit: &DocumentEdit) -> Result<lsp::TextDocumentEdit, String> {
    let too_long = |_| format!("{} is too long for an editor", edit.path);
    let version = Some(i32::try_from(edit.version).map_err(too_long)?);
    let edits: Result<Vec<_>, String> = edit
        .changes
        .iter()
        .map(|change| text_edit(change).map(lsp::OneOf::Left).map_err(too_long))
        .collect();
    Ok(lsp::TextDocumentEdit {
        text_document: lsp::OptionalVersionedTextDocumentIdentifier { uri, version },
        edits: edits?,
    })
}

fn text_edit(edit: &TextEdit) -> Result<lsp::TextEdit, std::num::TryFromIntError> {
    let position = |at: Position| -> Result<lsp::Position, std::num::TryFromIntError> {
        Ok(lsp::Position::new(u32::try_from(at.line)?, u32::try_from(at.character)?))
    };
    let (start, end) = (position(edit.range.start)?, position(edit.range.end)?);
    Ok(lsp::TextEdit { range: lsp::Range { start, end }, new_text: edit.text.clone() })
}
