//! Handlers of logins, to providers and to servers of the Model Context Protocol: the login page is sent before the response.

use super::connection::Connection;
use super::handlers::session;
use super::refused;
use crate::rpc::HandlerResult;
use crate::rpc::error_object;
use jsonrpsee::types::ErrorObjectOwned;
use pintle_agent::{
    Error, ErrorKind, LoginPrompt, LoginRequest, Secret, ServerLoginPage, ServersCommand,
};
use pintle_protocol::auth::{
    AuthLoginParams, AuthLoginResult, AuthLogoutParams, AuthLogoutResult, AuthOpenUrlParams,
    AuthStatusResult,
};
use pintle_protocol::error;
use pintle_protocol::mcp::{
    McpListResult, McpLoginParams, McpLogoutParams, McpLogoutResult, McpUpdateParams,
};
use pintle_protocol::methods::{Empty, McpUpdate};
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

pub(super) async fn auth_status(
    connection: Arc<Connection>,
    _: Empty,
) -> HandlerResult<AuthStatusResult> {
    Ok(connection.client.engine.auth_status())
}

pub(super) async fn auth_login(
    connection: Arc<Connection>,
    params: AuthLoginParams,
    cancel: CancellationToken,
) -> HandlerResult<AuthLoginResult> {
    let AuthLoginParams { provider, method, key } = params;
    let request = LoginRequest { provider: provider.clone(), method, key: key.map(Secret::new) };
    let mut show = |prompt: LoginPrompt| {
        let LoginPrompt { url, code: user_code, expires_in } = prompt;
        let expires_in_ms = expires_in.and_then(millis);
        let page = AuthOpenUrlParams { url, user_code, expires_in_ms, ..Default::default() };
        connection.open_url(AuthOpenUrlParams { provider: Some(provider.clone()), ..page });
    };
    match connection.client.engine.log_in(request, &mut show, &cancel).await {
        Ok(method) => Ok(AuthLoginResult { provider, method }),
        Err(error) if cancel.is_cancelled() => {
            Err(error_object(error::CANCELLED, &error.message, "cancelled", None))
        }
        Err(error) => Err(refused(error)),
    }
}

fn millis(left: Duration) -> Option<u64> {
    u64::try_from(left.as_millis()).ok()
}

pub(super) async fn auth_logout(
    connection: Arc<Connection>,
    params: AuthLogoutParams,
) -> HandlerResult<AuthLogoutResult> {
    let removed = connection.client.engine.log_out(&params.provider).await.map_err(refused)?;
    Ok(AuthLogoutResult { removed })
}

pub(super) async fn mcp_login(
    connection: Arc<Connection>,
    params: McpLoginParams,
    cancel: CancellationToken,
) -> HandlerResult<McpListResult> {
    let McpLoginParams { session_id, server: name, scopes } = params;
    let session = session(&connection, session_id)?;
    let server = name.clone();
    let server =
        session.ask(|reply| ServersCommand::Find { server, reply }).await.map_err(refused)?;
    let mut show = |page: ServerLoginPage| {
        let ServerLoginPage { url, expires_in } = page;
        let expires_in_ms = millis(expires_in);
        let mcp_server = Some(name.clone());
        let page = AuthOpenUrlParams { mcp_server, url, expires_in_ms, ..Default::default() };
        connection.open_url(page);
    };
    tokio::select! {
        biased;
        () = cancel.cancelled() => {
            return Err(error_object(error::CANCELLED, "the login was cancelled", "cancelled", None));
        }
        done = server.log_in(&scopes, &mut show) => done.map_err(|error| no_login(&name, &error))?,
    }
    // If a turn has used it, it is connected again at once.
    let update = McpUpdateParams { session_id: None, server: name, enabled: None, restart: true };
    session.call::<McpUpdate>(update).await.map_err(refused)
}

pub(super) async fn mcp_logout(
    connection: Arc<Connection>,
    params: McpLogoutParams,
) -> HandlerResult<McpLogoutResult> {
    let McpLogoutParams { session_id, server: name } = params;
    let session = session(&connection, session_id)?;
    let server = name.clone();
    let server =
        session.ask(|reply| ServersCommand::Find { server, reply }).await.map_err(refused)?;
    let removed = server.log_out().await.map_err(|error| no_login(&name, &error))?;
    Ok(McpLogoutResult { removed })
}

fn no_login(server: &str, reason: &impl Display) -> ErrorObjectOwned {
    refused(Error::new(ErrorKind::Invalid, format!("failed to log in to `{server}`: {reason}")))
}
