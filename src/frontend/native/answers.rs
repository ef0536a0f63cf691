//! Handlers of requests that send a session something other than a prompt: its title, answers to approvals and questions, an editor's
//! diagnostics.

use super::connection::Connection;
use super::dispatch::{error_object, refused};
use super::handlers::{HandlerResult, session};
use pintle_agent::{AnswerCommand, ClientCommand, DiagnosticsReport, SettingsCommand};
use pintle_protocol::approval::{ApprovalAnswerParams, ApprovalOutcome};
use pintle_protocol::diagnostics::EditorDiagnosticsParams;
use pintle_protocol::error;
use pintle_protocol::methods::Empty;
use pintle_protocol::question::{QuestionAnswerParams, QuestionOutcome};
use pintle_protocol::session::{SessionUpdateParams, SessionUpdateResult};
use std::sync::Arc;

pub(super) async fn session_update(
    connection: Arc<Connection>,
    params: SessionUpdateParams,
) -> HandlerResult<SessionUpdateResult> {
    let Some(title) = params.title else {
        let hint = "send `title`: a text, or null to remove it";
        let message = "no change was given";
        return Err(error_object(error::INVALID_PARAMS, message, "invalidParams", Some(hint)));
    };
    let session = session(&connection, params.session_id)?;
    let title = title.unwrap_or_default();
    let title = session.ask(|reply| SettingsCommand::UpdateTitle { title, reply }).await;
    Ok(SessionUpdateResult { title: title.map_err(refused)? })
}

pub(super) async fn approval_answer(
    connection: Arc<Connection>,
    params: ApprovalAnswerParams,
) -> HandlerResult<ApprovalOutcome> {
    let ApprovalAnswerParams { session_id, approval_id: id, answer } = params;
    let session = session(&connection, session_id)?;
    session.ask(|reply| AnswerCommand::Approval { id, answer, reply }).await.map_err(refused)
}

pub(super) async fn question_answer(
    connection: Arc<Connection>,
    params: QuestionAnswerParams,
) -> HandlerResult<QuestionOutcome> {
    let QuestionAnswerParams { session_id, question_id: id, answer } = params;
    let session = session(&connection, session_id)?;
    session.ask(|reply| AnswerCommand::Question { id, answer, reply }).await.map_err(refused)
}

pub(super) async fn editor_diagnostics(
    connection: Arc<Connection>,
    params: EditorDiagnosticsParams,
) -> HandlerResult<Empty> {
    let EditorDiagnosticsParams { session_id, path, version, items } = params;
    let session = session(&connection, session_id)?;
    let id = connection.subscriber;
    let report = DiagnosticsReport { path, version, items };
    session.ask(|reply| ClientCommand::Diagnostics { id, report, reply }).await.map_err(refused)?;
    Ok(Empty {})
}
