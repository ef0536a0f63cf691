//! Handlers of what is asked of a session's history: going back, forking, naming places.

use super::connection::Connection;
use super::dispatch::refused;
use super::handlers::{Answer, attach, open_config, session};
use crate::agent::{Command, ForkSession, Rewind};
use pintle_protocol::history::{
    SessionForkParams, SessionLabelParams, SessionLabelResult, SessionRewindParams,
    SessionRewindResult, SessionTreeResult,
};
use pintle_protocol::methods::{SessionParams, SessionResult};
use std::sync::Arc;

pub(super) async fn session_rewind(
    connection: Arc<Connection>,
    params: SessionRewindParams,
) -> Answer<SessionRewindResult> {
    let SessionRewindParams { session_id, to, scope, overwrite, dry_run: is_dry_run } = params;
    let session = session(&connection, session_id)?;
    let rewind = Rewind { to, scope, overwrite, is_dry_run };
    session.ask(|reply| Command::Rewind { rewind, reply }).await.map_err(refused)
}

pub(super) async fn session_fork(
    connection: Arc<Connection>,
    params: SessionForkParams,
) -> Answer<SessionResult> {
    let SessionForkParams { session_id: of, at, title, config, subscribe } = params;
    let fork = ForkSession { of, at, title, config: open_config(config) };
    let session = connection.engine.fork(fork).await.map_err(refused)?;
    connection.add(session.clone());
    attach(&connection, &session, subscribe, Some(0)).await
}

pub(super) async fn session_label(
    connection: Arc<Connection>,
    params: SessionLabelParams,
) -> Answer<SessionLabelResult> {
    let SessionLabelParams { session_id, at, label } = params;
    let session = session(&connection, session_id)?;
    let named = session.ask(|reply| Command::Label { at, label, reply }).await;
    Ok(SessionLabelResult { seq: named.map_err(refused)? })
}

pub(super) async fn session_tree(
    connection: Arc<Connection>,
    params: SessionParams,
) -> Answer<SessionTreeResult> {
    let session = session(&connection, params.session_id)?;
    session.ask(|reply| Command::ReadTree { reply }).await.map_err(refused)
}
