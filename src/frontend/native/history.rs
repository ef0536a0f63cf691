//! Handlers of requests about a session's history and review: rewind, fork, merge, labels, verdicts.

use super::connection::Connection;
use super::dispatch::refused;
use super::handlers::{HandlerResult, attach, open_config, session};
use crate::agent::{ForkSession, HistoryCommand, ReviewCommand, Rewind};
use pintle_protocol::history::{
    SessionForkParams, SessionLabelParams, SessionLabelResult, SessionMergeParams,
    SessionMergeResult, SessionRewindParams, SessionRewindResult,
};
use pintle_protocol::methods::SessionResult;
use pintle_protocol::review::{
    ReviewBaselineParams, ReviewBaselineResult, ReviewDecideParams, ReviewDecideResult,
    ReviewListParams, ReviewListResult, ReviewPatchParams, ReviewPatchResult,
};
use std::sync::Arc;

pub(super) async fn session_rewind(
    connection: Arc<Connection>,
    params: SessionRewindParams,
) -> HandlerResult<SessionRewindResult> {
    let SessionRewindParams { session_id, to, scope, overwrite, summarize, dry_run } = params;
    let session = session(&connection, session_id)?;
    let rewind = Rewind { to, scope, overwrite, is_summed_up: summarize, is_dry_run: dry_run };
    session.ask(|reply| HistoryCommand::Rewind { rewind, reply }).await.map_err(refused)
}

pub(super) async fn session_fork(
    connection: Arc<Connection>,
    params: SessionForkParams,
) -> HandlerResult<SessionResult> {
    let SessionForkParams { session_id: of, at, title, config, subscribe } = params;
    let fork = ForkSession { of, at, title, config: open_config(config) };
    let session = connection.engine.fork(fork).await.map_err(refused)?;
    connection.add(session.clone());
    attach(&connection, &session, subscribe, Some(0)).await
}

pub(super) async fn session_merge(
    connection: Arc<Connection>,
    params: SessionMergeParams,
) -> HandlerResult<SessionMergeResult> {
    let SessionMergeParams { session_id, fork_id: fork } = params;
    let session = session(&connection, session_id)?;
    session.ask(|reply| HistoryCommand::Merge { fork, reply }).await.map_err(refused)
}

pub(super) async fn review_list(
    connection: Arc<Connection>,
    params: ReviewListParams,
) -> HandlerResult<ReviewListResult> {
    let ReviewListParams { session_id, path, turn_id, closed } = params;
    let session = session(&connection, session_id)?;
    let list = |reply| ReviewCommand::List { path, turn_id, closed, reply };
    session.ask(list).await.map_err(refused)
}

pub(super) async fn review_decide(
    connection: Arc<Connection>,
    params: ReviewDecideParams,
) -> HandlerResult<ReviewDecideResult> {
    let ReviewDecideParams { session_id, action } = params;
    let session = session(&connection, session_id)?;
    let decide = |reply| ReviewCommand::Decide { action, reply };
    session.ask(decide).await.map_err(refused)
}

pub(super) async fn review_baseline(
    connection: Arc<Connection>,
    params: ReviewBaselineParams,
) -> HandlerResult<ReviewBaselineResult> {
    let ReviewBaselineParams { session_id, path } = params;
    let session = session(&connection, session_id)?;
    let read = |reply| ReviewCommand::Baseline { path, reply };
    session.ask(read).await.map_err(refused)
}

pub(super) async fn review_patch(
    connection: Arc<Connection>,
    params: ReviewPatchParams,
) -> HandlerResult<ReviewPatchResult> {
    let ReviewPatchParams { session_id, open } = params;
    let session = session(&connection, session_id)?;
    let patch = |reply| ReviewCommand::Patch { open, reply };
    session.ask(patch).await.map_err(refused)
}

pub(super) async fn session_label(
    connection: Arc<Connection>,
    params: SessionLabelParams,
) -> HandlerResult<SessionLabelResult> {
    let SessionLabelParams { session_id, at, label } = params;
    let session = session(&connection, session_id)?;
    let named = session.ask(|reply| HistoryCommand::Label { at, label, reply }).await;
    Ok(SessionLabelResult { seq: named.map_err(refused)? })
}
