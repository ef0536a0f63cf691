//! Applies the changes of an isolated task to the project, if the task was completed and nothing conflicts.
//!
//! Invariant: a copy is removed only if all changes in it are applied.

use super::{name_originals, report_line};
use crate::client::snapshot;
use crate::outcome::{APPLY_CONFLICT, DONE, refused};
use pintle_agent::{Command, EngineHandle, Error, ErrorKind, OpenConfig, SessionHandle};
use pintle_base::text::visible::visible_line;
use pintle_protocol::event::TurnError;
use pintle_protocol::ids::SessionId;
use pintle_protocol::isolation::{
    ApplyOutcome, Isolation, IsolationApplyParams, IsolationApplyResult, OnConflict,
};
use pintle_protocol::methods::IsolationApply;
use pintle_protocol::run::{RunIsolation, RunResult, RunStatus};
use std::path::Path;

/// The value of `stop` if the changes conflict with the user's.
const CONFLICT: &str = "applyConflict";

/// A task's copy, whose session is to be closed.
pub(super) struct Applied {
    session: SessionId,
    isolation: Isolation,
    result: RunIsolation,
    /// True if changes remain in the copy.
    is_left: bool,
}

/// Applies a completed task's changes if `applies` is set; `None` for a task without a copy.
pub(super) async fn apply(
    session: Option<&SessionHandle>,
    applies: bool,
    outcome: &mut RunResult,
) -> Option<Applied> {
    let session = session?;
    let isolation = snapshot(session).await.ok()?.isolation?;
    let mut applied = Applied {
        session: session.id.clone(),
        isolation,
        result: RunIsolation::default(),
        is_left: true,
    };
    if outcome.exit_code != DONE || !applies {
        applied.is_left = !outcome.changes.files.is_empty();
        return Some(applied);
    }
    match apply_patiently(session).await {
        Err(error) => refused(outcome, error),
        Ok(done) => {
            for file in done.files {
                match file.outcome {
                    ApplyOutcome::Applied | ApplyOutcome::Unchanged => {
                        applied.result.applied.push(file.path);
                    }
                    ApplyOutcome::Conflict | ApplyOutcome::Kept => {
                        applied.result.conflicts.push(file.path);
                    }
                }
            }
            applied.is_left = !applied.result.conflicts.is_empty();
            if applied.is_left {
                applied.result.applied.clear();
                refuse(&applied, outcome);
            }
        }
    }
    Some(applied)
}

/// Applies the changes, again if a file has changed in between: tasks of a batch may end at the same time.
async fn apply_patiently(session: &SessionHandle) -> Result<IsolationApplyResult, Error> {
    const ATTEMPTS: usize = 5;
    let params =
        IsolationApplyParams { on_conflict: OnConflict::Refuse, ..IsolationApplyParams::default() };
    for _ in 1..ATTEMPTS {
        match session.call::<IsolationApply>(params.clone()).await {
            Err(error) if error.kind == ErrorKind::Conflict => {}
            done => return done,
        }
    }
    session.call::<IsolationApply>(params).await
}

/// Reopens a finished task's session, applies the changes, and completes the result.
pub(super) async fn apply_stored(engine: &EngineHandle, outcome: &mut RunResult) {
    let Some(id) = outcome.session_id.clone() else { return };
    let session = match engine.open(id, OpenConfig::default()).await {
        Ok(session) => session,
        Err(error) => return refused(outcome, error),
    };
    let applied = apply(Some(&session), true, outcome).await;
    if let Err(error) = session.ask(|reply| Command::Close { reply }).await {
        tracing::warn!("failed to close the session: {error}");
    }
    if let Some(applied) = applied {
        finish(engine, applied, outcome).await;
    }
}

/// Removes a finished task's copy without applying it.
pub(super) async fn discard(engine: &EngineHandle, outcome: &mut RunResult) {
    let copy = outcome.isolation.as_mut().and_then(|isolation| isolation.copy.take());
    if let (Some(_), Some(id)) = (copy, outcome.session_id.clone())
        && let Err(error) = engine.discard_isolation(id).await
    {
        tracing::warn!("failed to remove a copy: {error}");
    }
}

/// Records that the changes conflict with the user's.
fn refuse(applied: &Applied, outcome: &mut RunResult) {
    let id = &applied.session;
    outcome.status = RunStatus::Failed;
    outcome.exit_code = APPLY_CONFLICT;
    CONFLICT.clone_into(&mut outcome.stop);
    outcome.error = Some(TurnError {
        code: outcome.stop.clone(),
        message: "nothing was applied: your files have changed in a conflicting way".to_owned(),
        hint: Some(format!(
            "run `pintle sessions apply {id}` to apply the changes with conflict markers, or `pintle sessions discard {id}`"
        )),
        retryable: false,
        http_status: None,
    });
}

/// Removes a copy without unapplied changes, and completes the result.
pub(super) async fn finish(engine: &EngineHandle, applied: Applied, outcome: &mut RunResult) {
    let Applied { session, isolation, mut result, mut is_left } = applied;
    if !is_left && let Err(error) = engine.discard_isolation(session).await {
        tracing::warn!("failed to remove the copy: {error}");
        is_left = true;
    }
    name_originals(outcome, Path::new(&isolation.root), Path::new(&isolation.original));
    result.copy = is_left.then_some(isolation.root);
    outcome.isolation = Some(result);
}

/// Reports the applied files and conflicts to the user.
pub(super) fn report(outcome: &RunResult) {
    let Some(result) = &outcome.isolation else { return };
    for path in &result.applied {
        report_line(&visible_line(&format!("pintle: applied: {path}")));
    }
    for path in &result.conflicts {
        report_line(&visible_line(&format!("pintle: conflict: {path}")));
    }
    // The conflict error already contains these commands.
    let is_said = outcome.error.as_ref().is_some_and(|error| error.code == CONFLICT);
    if let (Some(copy), Some(id), false) = (&result.copy, &outcome.session_id, is_said) {
        report_line(&visible_line(&format!("pintle: the changes are in {copy}")));
        report_line(&format!(
            "  apply them with `pintle sessions apply {id}`, or remove them with `pintle sessions discard {id}`"
        ));
    }
}
