//! Handlers of requests about stored sessions, open or not.

use super::connection::Connection;
use super::handlers::session;
use super::refused;
use crate::rpc::HandlerResult;
use crate::rpc::{error_object, invalid};
use pintle_agent::{Filter, Items, PageRange, Piece};
use pintle_protocol::error;
use pintle_protocol::export::{SessionExportParams, SessionExportResult};
use pintle_protocol::history::{
    CheckpointDiffParams, CheckpointDiffResult, CheckpointListParams, CheckpointListResult, ItemAt,
    ItemReadParams, SessionItemsParams, SessionItemsResult, SessionOutlineParams,
    SessionOutlineResult, SessionTreeResult,
};
use pintle_protocol::ids::SessionId;
use pintle_protocol::isolation::IsolationDiscardParams;
use pintle_protocol::methods::{
    BlobReadParams, BlobReadResult, Empty, SessionEventsParams, SessionListParams,
    SessionListResult, SessionParams,
};
use pintle_protocol::search::{
    SessionDeleteParams, SessionDeleteResult, SessionSearchParams, SessionSearchResult,
};
use pintle_protocol::session::SessionArchiveParams;
use pintle_protocol::usage::UsageReadResult;
use serde::Serialize;
use serde_json::value::RawValue;
use std::sync::Arc;

/// The maximum size of a page.
const MAX_PAGE: u32 = 1000;

/// The maximum number of hits in a page; each is read and shortened.
const MAX_HITS: u32 = 200;

/// The default size of a piece of a long output.
const DEFAULT_PIECE_BYTES: u32 = 64 * 1024;

/// Maximum size of one piece of a long output, so that other messages are not delayed.
const MAX_PIECE_BYTES: u32 = 1024 * 1024;

pub(super) async fn session_list(
    connection: Arc<Connection>,
    params: SessionListParams,
) -> HandlerResult<SessionListResult> {
    let SessionListParams { cwd, subagents, query, archived, cursor, limit } = params;
    let limit = in_range("/limit", limit.unwrap_or(50), MAX_PAGE)? as usize;
    let listed = connection
        .client
        .engine
        .list(Filter { cwd, subagents, query, archived: Some(archived) }, cursor, limit)
        .await;
    let (sessions, next_cursor) = listed.map_err(refused)?;
    Ok(SessionListResult { sessions, next_cursor })
}

pub(super) async fn session_search(
    connection: Arc<Connection>,
    params: SessionSearchParams,
) -> HandlerResult<SessionSearchResult> {
    let limit = in_range("/limit", params.limit.unwrap_or(20), MAX_HITS)? as usize;
    if params.session_id.is_none() && (params.after_seq.is_some() || params.before_seq.is_some()) {
        let message = "`afterSeq` and `beforeSeq` refer to events of one session";
        return Err(invalid("/sessionId", message, "send `sessionId` as well".to_owned()));
    }
    connection.client.engine.search(params, limit).await.map_err(refused)
}

pub(super) async fn session_delete(
    connection: Arc<Connection>,
    params: SessionDeleteParams,
) -> HandlerResult<SessionDeleteResult> {
    let deleted = connection.client.engine.delete(params.session_id).await.map_err(refused)?;
    Ok(SessionDeleteResult { deleted })
}

pub(super) async fn isolation_discard(
    connection: Arc<Connection>,
    params: IsolationDiscardParams,
) -> HandlerResult<Empty> {
    let discarded = connection.client.engine.discard_isolation(params.session_id).await;
    discarded.map(|()| Empty {}).map_err(refused)
}

pub(super) async fn session_export(
    connection: Arc<Connection>,
    mut params: SessionExportParams,
) -> HandlerResult<SessionExportResult> {
    let session_id = session_id_or_only(&connection, params.session_id.take())?;
    connection.client.engine.export(session_id, params).await.map_err(refused)
}

pub(super) async fn session_tree(
    connection: Arc<Connection>,
    params: SessionParams,
) -> HandlerResult<SessionTreeResult> {
    let id = session_id_or_only(&connection, params.session_id)?;
    connection.client.engine.tree(id).await.map_err(refused)
}

pub(super) async fn session_outline(
    connection: Arc<Connection>,
    params: SessionOutlineParams,
) -> HandlerResult<SessionOutlineResult> {
    let id = session_id_or_only(&connection, params.session_id)?;
    let entries = connection.client.engine.outline(id).await.map_err(refused)?;
    Ok(SessionOutlineResult { entries })
}

pub(super) async fn session_items(
    connection: Arc<Connection>,
    params: SessionItemsParams,
) -> HandlerResult<SessionItemsResult> {
    let SessionItemsParams { session_id, after, before, limit } = params;
    let limit = in_range("/limit", limit.unwrap_or(100), MAX_PAGE)? as usize;
    let id = session_id_or_only(&connection, session_id)?;
    let (after, before) = (after.unwrap_or(0), before.unwrap_or(u64::MAX));
    let result = connection.client.engine.items(id, after, before, limit).await;
    let Items { items, more } = result.map_err(refused)?;
    Ok(SessionItemsResult { items, more })
}

pub(super) async fn item_read(
    connection: Arc<Connection>,
    params: ItemReadParams,
) -> HandlerResult<ItemAt> {
    let id = session_id_or_only(&connection, params.session_id)?;
    connection.client.engine.item(id, params.item_id).await.map_err(refused)
}

pub(super) async fn session_archive(
    connection: Arc<Connection>,
    params: SessionArchiveParams,
) -> HandlerResult<Empty> {
    let SessionArchiveParams { session_id, archived } = params;
    connection.client.engine.archive(session_id, archived).await.map_err(refused)?;
    Ok(Empty {})
}

pub(super) async fn usage_read(
    connection: Arc<Connection>,
    params: SessionParams,
) -> HandlerResult<UsageReadResult> {
    let id = session_id_or_only(&connection, params.session_id)?;
    connection.client.engine.usage(id).await.map_err(refused)
}

pub(super) async fn checkpoint_list(
    connection: Arc<Connection>,
    params: CheckpointListParams,
) -> HandlerResult<CheckpointListResult> {
    let id = session_id_or_only(&connection, params.session_id)?;
    let checkpoints = connection.client.engine.checkpoints(id).await.map_err(refused)?;
    Ok(CheckpointListResult { checkpoints })
}

pub(super) async fn checkpoint_diff(
    connection: Arc<Connection>,
    mut params: CheckpointDiffParams,
) -> HandlerResult<CheckpointDiffResult> {
    let id = session_id_or_only(&connection, params.session_id.take())?;
    connection.client.engine.compare(id, params).await.map_err(refused)
}

/// Returns the named session, open here or not; without a name, the only open one.
fn session_id_or_only(
    connection: &Arc<Connection>,
    id: Option<SessionId>,
) -> HandlerResult<SessionId> {
    match id {
        Some(id) => Ok(id),
        None => Ok(session(connection, None)?.id),
    }
}

/// `SessionEventsResult` with the events as the journal stores them.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RawEvents {
    events: Vec<Box<RawValue>>,
    last_seq: u64,
    more: bool,
}

pub(super) async fn session_events(
    connection: Arc<Connection>,
    params: SessionEventsParams,
) -> HandlerResult<RawEvents> {
    let SessionEventsParams { session_id, after, before, limit } = params;
    let limit = in_range("/limit", limit.unwrap_or(200), MAX_PAGE)? as usize;
    let range = match before {
        None => PageRange::After(after),
        Some(before) if after == 0 => PageRange::Before(before),
        Some(_) => {
            let hint = Some("omit one of them");
            return Err(error_object(
                error::INVALID_PARAMS,
                "`after` and `before` cannot be combined",
                "invalidParams",
                hint,
            ));
        }
    };
    let (page, last_seq) = match (session(&connection, session_id.clone()), range, session_id) {
        (Ok(session), PageRange::After(after), _) => {
            session.events(after, limit).await.map_err(refused)?
        }
        (Ok(session), PageRange::Before(_), _) => {
            connection.client.engine.page(session.id, range, limit).await.map_err(refused)?
        }
        // A session that is not open here can be read from the store.
        (Err(_), _, Some(id)) => {
            connection.client.engine.page(id, range, limit).await.map_err(refused)?
        }
        (Err(error), _, None) => return Err(error),
    };
    Ok(RawEvents { events: page.events, last_seq, more: page.more })
}

pub(super) async fn blob_read(
    connection: Arc<Connection>,
    params: BlobReadParams,
) -> HandlerResult<BlobReadResult> {
    let BlobReadParams { session_id, r#ref: name, offset, length } = params;
    let length = in_range("/length", length.unwrap_or(DEFAULT_PIECE_BYTES), MAX_PIECE_BYTES)?;
    let session_id = session_id_or_only(&connection, session_id)?;
    let piece = connection.client.engine.output(session_id, name, offset, length.into()).await;
    let Piece { text, offset, end, size } = piece.map_err(refused)?;
    Ok(BlobReadResult { text, offset, end, size })
}

/// Checks a count of at least 1; `path` names the parameter.
fn in_range(path: &str, count: u32, max: u32) -> HandlerResult<u32> {
    if (1..=max).contains(&count) {
        return Ok(count);
    }
    Err(invalid(path, &format!("{count} is out of range"), format!("send 1 to {max}")))
}
