//! Handlers of requests about a session's history and review: rewind, fork, merge, labels, verdicts.

use super::connection::Connection;
use super::dispatch::refused;
use super::handlers::{HandlerResult, Subscription, attach, open_config};
use pintle_agent::{ForkSession, NewFolder, OpenConfig};
use pintle_protocol::history::SessionForkParams;
use pintle_protocol::methods::SessionResult;
use std::sync::Arc;

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
