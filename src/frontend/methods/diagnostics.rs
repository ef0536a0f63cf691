//! Diagnostics from a client's editor.

use super::connection::Connection;
use super::handlers::session;
use super::refused;
use crate::rpc::HandlerResult;
use pintle_agent::{ClientCommand, DiagnosticsReport};
use pintle_protocol::diagnostics::EditorDiagnosticsParams;
use pintle_protocol::methods::Empty;
use std::sync::Arc;

pub(super) async fn editor_diagnostics(
    connection: Arc<Connection>,
    params: EditorDiagnosticsParams,
) -> HandlerResult<Empty> {
    let EditorDiagnosticsParams { session_id, path, version, items } = params;
    let session = session(&connection, session_id)?;
    let id = connection.client.id;
    let report = DiagnosticsReport { path, version, items };
    session.ask(|reply| ClientCommand::Diagnostics { id, report, reply }).await.map_err(refused)?;
    Ok(Empty {})
}
