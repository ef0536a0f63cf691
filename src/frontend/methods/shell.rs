//! Commands that the user runs alongside the agent: jobs of the session, with a response at their end.

use super::connection::Connection;
use super::handlers::session;
use super::keys::check_key;
use super::refused;
use crate::rpc::HandlerResult;
use crate::rpc::{error_object, invalid};
use pintle_agent::{
    Error, ErrorKind, JobCommand, ScreenUpdate, SessionHandle, TERMINAL_COLUMNS, UserJob,
};
use pintle_protocol::error;
use pintle_protocol::event::{Event, EventRecord};
use pintle_protocol::item::{Item, ItemBody, Job, JobEnd};
use pintle_protocol::shell::{
    ScreenCursor, ShellRunParams, ShellRunResult, ShellScreenParams, ShellScreenResult,
    ShellWriteParams, ShellWriteResult, TerminalScreen,
};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

pub(super) async fn shell_run(
    connection: Arc<Connection>,
    params: ShellRunParams,
    cancel: CancellationToken,
) -> HandlerResult<ShellRunResult> {
    let ShellRunParams { session_id, command: line, to_model, key } = params;
    if line.trim().is_empty() {
        let hint = "send a command line, such as `git status`".to_owned();
        return Err(invalid("/command", "the command is empty", hint));
    }
    check_key(key.as_deref())?;
    let session = session(&connection, session_id)?.keyed(key);
    let job = session.ask(|reply| JobCommand::Run { line, to_model, reply }).await;
    let item = match job.map_err(refused)? {
        UserJob::Ended(seq) => item_of(&session, seq).await,
        UserJob::Running(id) => tokio::select! {
            biased;
            item = session.ask(|reply| JobCommand::Wait { id: id.clone(), reply }) => item,
            () = cancel.cancelled() => {
                session.ask(|reply| JobCommand::Stop { id: id.clone(), reply }).await
            }
        },
    };
    let ItemBody::Job(job) = item.map_err(refused)?.body else {
        return Err(refused(lost()));
    };
    result(*job)
}

pub(super) async fn shell_write(
    connection: Arc<Connection>,
    params: ShellWriteParams,
) -> HandlerResult<ShellWriteResult> {
    let ShellWriteParams { session_id, job_id, text, wants_screen } = params;
    let session = session(&connection, session_id)?;
    let screen = session.type_into(job_id, &text, wants_screen).await.map_err(refused)?;
    Ok(ShellWriteResult { screen })
}

pub(super) async fn shell_screen(
    connection: Arc<Connection>,
    params: ShellScreenParams,
    cancel: CancellationToken,
) -> HandlerResult<ShellScreenResult> {
    let ShellScreenParams { session_id, job_id, after } = params;
    let session = session(&connection, session_id)?;
    let update = tokio::select! {
        biased;
        update = session.watch_screen(job_id, after.as_deref()) => update.map_err(refused)?,
        () = cancel.cancelled() => {
            let message = "the request was cancelled";
            return Err(error_object(error::CANCELLED, message, "cancelled", None));
        }
    };
    let ScreenUpdate { screen, lines, mark, has_ended } = update;
    let count = |number| u32::try_from(number).unwrap_or(u32::MAX);
    let screen = screen.map(|screen| TerminalScreen {
        columns: TERMINAL_COLUMNS.into(),
        rows: screen.rows,
        cursor: screen
            .cursor
            .map(|(row, column)| ScreenCursor { row: count(row), column: count(column) }),
    });
    Ok(ShellScreenResult { screen, lines, mark, ended: has_ended })
}

/// Reads the item from its end event.
async fn item_of(session: &SessionHandle, seq: u64) -> Result<Item, Error> {
    let (page, _) = session.events(seq.saturating_sub(1), 1).await?;
    let record = page.events.first().map(|line| serde_json::from_str::<EventRecord>(line.get()));
    match record {
        Some(Ok(EventRecord { event: Event::ItemCompleted { item }, .. })) => Ok(item),
        Some(_) | None => Err(lost()),
    }
}

fn lost() -> Error {
    Error::new(ErrorKind::Internal, "the command's end is not in the journal")
}

fn result(job: Job) -> HandlerResult<ShellRunResult> {
    let Job { job_id, end, output, details, .. } = job;
    let output = output.unwrap_or_default();
    if end == Some(JobEnd::Failed) {
        let message = format!("failed to start the command: {output}");
        return Err(error_object(error::CONFLICT, &message, "conflict", None));
    }
    Ok(ShellRunResult {
        job_id,
        exit_code: details.exit_code,
        cancelled: matches!(end, Some(JobEnd::Stopped | JobEnd::SessionEnded)),
        truncated: details.truncation.is_some(),
        full_output_path: details.full_output_path,
        output,
    })
}
