//! The documents that the client has open.

use super::connection::Connection;
use super::refused;
use crate::rpc::HandlerResult;
use crate::rpc::{error_object, invalid};
use pintle_agent::{DocumentProblem, Documents};
use pintle_protocol::document::{
    DocumentChangeParams, DocumentCloseParams, DocumentOpenParams, DocumentSaveParams,
};
use pintle_protocol::error;
use pintle_protocol::methods::Empty;
use std::path::Path;
use std::sync::Arc;

pub(super) async fn open(
    connection: Arc<Connection>,
    params: DocumentOpenParams,
) -> HandlerResult<Empty> {
    let documents = documents(&connection)?;
    if !Path::new(&params.path).is_absolute() {
        let message = format!("`{}` is not an absolute path", params.path);
        return Err(invalid("/path", &message, "send an absolute path".to_owned()));
    }
    let path =
        connection.client.engine.canonicalize(Path::new(&params.path)).await.map_err(refused)?;
    document_result(documents.open(connection.client.id.0, path, params))
}

pub(super) async fn change(
    connection: Arc<Connection>,
    params: DocumentChangeParams,
) -> HandlerResult<Empty> {
    document_result(documents(&connection)?.change(connection.client.id.0, params))
}

pub(super) async fn save(
    connection: Arc<Connection>,
    params: DocumentSaveParams,
) -> HandlerResult<Empty> {
    document_result(documents(&connection)?.save(connection.client.id.0, &params))
}

pub(super) async fn close(
    connection: Arc<Connection>,
    params: DocumentCloseParams,
) -> HandlerResult<Empty> {
    documents(&connection)?.close(connection.client.id.0, &params);
    Ok(Empty {})
}

fn documents(connection: &Connection) -> HandlerResult<&Documents> {
    connection.client.engine.editors().map(|editors| &editors.documents).ok_or_else(|| {
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
