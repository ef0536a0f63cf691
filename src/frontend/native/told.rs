//! What a client tells a session beside messages for its model: its title.

use super::connection::Connection;
use super::dispatch::{error_object, refused};
use super::handlers::session;
use crate::agent::Command;
use jsonrpsee::types::ErrorObjectOwned;
use pintle_protocol::error;
use pintle_protocol::session::{SessionUpdateParams, SessionUpdateResult};
use std::sync::Arc;

type Answer<T> = Result<T, ErrorObjectOwned>;

pub(super) async fn session_update(
    connection: Arc<Connection>,
    params: SessionUpdateParams,
) -> Answer<SessionUpdateResult> {
    let Some(title) = params.title else {
        let hint = "send `title`: a text, or null to take it away";
        let what = "there is nothing to change";
        return Err(error_object(error::INVALID_PARAMS, what, "invalidParams", Some(hint)));
    };
    let session = session(&connection, params.session_id)?;
    let title = title.unwrap_or_default();
    let title = session.ask(|reply| Command::UpdateTitle { title, reply }).await;
    Ok(SessionUpdateResult { title: title.map_err(refused)? })
}
