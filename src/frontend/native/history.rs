//! Handlers of requests about a session's history and review: rewind, fork, merge, labels, verdicts.

use super::connection::Connection;
use super::dispatch::{error_object, refused};
use super::handlers::{HandlerResult, Subscription, attach, open_config, session};
use super::keys::checked_key;
use pintle_agent::{
    ForkSession, HistoryCommand, NewFolder, Note, NoteBody, OpenConfig, ReviewCommand, Rewind,
};
use pintle_protocol::error;
use pintle_protocol::history::{
    SessionForkParams, SessionLabelParams, SessionLabelResult, SessionMergeParams,
    SessionMergeResult, SessionNoteParams, SessionRewindParams, SessionRewindResult,
};
use pintle_protocol::item::ClientNote;
use pintle_protocol::methods::{Empty, SessionResult};
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
    let SessionForkParams { session_id: of, at, title, cwd, config, subscribe, filter, key } =
        params;
    let subscription = Subscription::new(&connection, subscribe, &filter)?;
    let (config, cause) = (open_config(config)?, connection.cause(key)?);
    let config = OpenConfig { cwd: cwd.map(|cwd| NewFolder::Move(cwd.into())), ..config };
    let fork = ForkSession { of, at, title, config, cause };
    let session = connection.engine.fork(fork).await.map_err(refused)?;
    let session = connection.add(session);
    attach(&connection, &session, subscription, Some(0)).await
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
    let SessionLabelParams { session_id, at, label, metadata } = params;
    let session = session(&connection, session_id)?;
    let named = session.ask(|reply| HistoryCommand::Label { at, label, metadata, reply }).await;
    Ok(SessionLabelResult { seq: named.map_err(refused)? })
}

/// The maximum length of the name of a kind of note, in characters.
const MAX_KIND_CHARS: usize = 64;

/// The maximum size of a note's text, and of its data as JSON.
const MAX_NOTE_BYTES: usize = 64 * 1024;

pub(super) async fn session_note(
    connection: Arc<Connection>,
    params: SessionNoteParams,
) -> HandlerResult<Empty> {
    let SessionNoteParams { session_id, text, kind, data, to_model, hidden, key } = params;
    let invalid = |message: &str, hint: &str| {
        Err(error_object(error::INVALID_PARAMS, message, "invalidParams", Some(hint)))
    };
    let bytes = data.as_ref().map_or(0, |data| data.to_string().len()).max(text.len());
    if bytes > MAX_NOTE_BYTES {
        let message = format!("the note has {bytes} bytes");
        return invalid(&message, &format!("use at most {MAX_NOTE_BYTES} for text and for data"));
    }
    if text.trim().is_empty() && (to_model || data.is_none()) {
        return invalid(
            "`text` is empty",
            "give the note a text, or data that the model does not read",
        );
    }
    if kind.as_ref().is_some_and(|kind| kind.chars().count() > MAX_KIND_CHARS) {
        return invalid("`kind` is too long", &format!("use at most {MAX_KIND_CHARS} characters"));
    }
    let session = session(&connection, session_id)?.keyed(checked_key(key)?);
    let note = ClientNote { kind, data, is_unread: !to_model, is_hidden: hidden };
    let note = Note { body: NoteBody::Client(note, text), private: None };
    session.ask(|reply| HistoryCommand::Note { note, reply }).await.map_err(refused)?;
    Ok(Empty {})
}
