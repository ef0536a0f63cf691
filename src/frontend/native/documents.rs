//! The client's open documents: the handlers of its notifications, and the edits sent to it.

use super::connection::Connection;
use super::dispatch::{error_object, refused};
use super::handlers::HandlerResult;
use crate::connection::Outbox;
use pintle_agent::{DocumentProblem, Documents, EditCall};
use pintle_base::transport::envelope::{self, Id};
use pintle_protocol::document::{
    ApplyEditResult, DocumentChangeParams, DocumentCloseParams, DocumentOpenParams,
    DocumentSaveParams,
};
use pintle_protocol::error;
use pintle_protocol::methods::{
    ApplyEdit, CancelParams, CancelRequest, Empty, Notification, Request,
};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::oneshot;

pub(super) async fn open(
    connection: Arc<Connection>,
    params: DocumentOpenParams,
) -> HandlerResult<Empty> {
    let documents = documents(&connection)?;
    if !Path::new(&params.path).is_absolute() {
        let message = format!("`{}` is not an absolute path", params.path);
        let hint = "send an absolute path";
        return Err(error_object(error::INVALID_PARAMS, &message, "invalidParams", Some(hint)));
    }
    let path = connection.engine.canonicalize(Path::new(&params.path)).await.map_err(refused)?;
    document_result(documents.open(connection.subscriber.0, path, params))
}

pub(super) async fn change(
    connection: Arc<Connection>,
    params: DocumentChangeParams,
) -> HandlerResult<Empty> {
    document_result(documents(&connection)?.change(connection.subscriber.0, params))
}

pub(super) async fn save(
    connection: Arc<Connection>,
    params: DocumentSaveParams,
) -> HandlerResult<Empty> {
    document_result(documents(&connection)?.save(connection.subscriber.0, &params))
}

pub(super) async fn close(
    connection: Arc<Connection>,
    params: DocumentCloseParams,
) -> HandlerResult<Empty> {
    documents(&connection)?.close(connection.subscriber.0, &params);
    Ok(Empty {})
}

fn documents(connection: &Connection) -> HandlerResult<&Documents> {
    connection.engine.editors().map(|editors| &editors.documents).ok_or_else(|| {
        error_object(
            error::INVALID_REQUEST,
            "the files are on another machine, so no editor has them open",
            "noDocuments",
            Some("send documents only if `initialize` returns the capability `documents`"),
        )
    })
}

fn document_result(outcome: Result<(), DocumentProblem>) -> HandlerResult<Empty> {
    let problem = match outcome {
        Ok(()) => return Ok(Empty {}),
        Err(problem) => problem,
    };
    let (code, name, hint) = match problem {
        DocumentProblem::NotOpen(_) | DocumentProblem::Stale { .. } => {
            (error::CONFLICT, "conflict", "send `document/open` with the whole text")
        }
        DocumentProblem::TooMuch => {
            (error::LIMIT_EXCEEDED, "limitExceeded", "close documents that are not in use")
        }
    };
    Err(error_object(code, &problem.to_string(), name, Some(hint)))
}

/// Edits without a response, by the id of the request.
#[derive(Debug, Default)]
pub(super) struct Edits {
    open: BTreeMap<String, oneshot::Sender<Result<ApplyEditResult, String>>>,
}

impl Edits {
    pub(super) fn send(&mut self, call: EditCall, outbox: &mut Outbox) {
        match call {
            EditCall::Make { id, params, reply } => {
                let id = format!("e{id}");
                outbox.push(envelope::request(&id, ApplyEdit::METHOD, &params));
                self.open.insert(id, reply);
            }
            // Editors of this protocol send their texts unasked, so they are never asked to read one.
            EditCall::Read { reply, .. } => drop(reply),
            EditCall::Withdraw(id) => {
                let id = format!("e{id}");
                if self.open.remove(&id).is_some() {
                    let params = CancelParams { id: Value::String(id) };
                    outbox.push(envelope::notification(CancelRequest::METHOD, &params));
                }
            }
        }
    }

    /// Consumes a response to an edit; returns any other.
    pub(super) fn responded(
        &mut self,
        id: &Id,
        outcome: Result<Box<RawValue>, String>,
    ) -> Option<Result<Box<RawValue>, String>> {
        let reply = match id {
            Id::Str(id) => self.open.remove(id),
            Id::Null | Id::Number(_) => None,
        };
        let Some(reply) = reply else { return Some(outcome) };
        let read = |raw: Box<RawValue>| serde_json::from_str(raw.get()).map_err(|e| e.to_string());
        // The caller may be gone by now.
        let _ = reply.send(outcome.and_then(read));
        None
    }
}
