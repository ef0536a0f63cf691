//! Handlers of logins: the page that a person opens is sent before the response.

use super::connection::Connection;
use super::dispatch::{error_object, refused};
use super::handlers::HandlerResult;
use crate::agent::{LoginPrompt, LoginRequest, Secret};
use pintle_protocol::auth::{
    AuthLoginParams, AuthLoginResult, AuthLogoutParams, AuthLogoutResult, AuthOpenUrlParams,
    AuthStatusResult,
};
use pintle_protocol::error;
use pintle_protocol::methods::Empty;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

pub(super) async fn auth_status(
    connection: Arc<Connection>,
    _: Empty,
) -> HandlerResult<AuthStatusResult> {
    Ok(connection.engine.auth_status())
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
        let millis = |left: std::time::Duration| u64::try_from(left.as_millis()).ok();
        let expires_in_ms = expires_in.and_then(millis);
        let provider = provider.clone();
        connection.open_url(AuthOpenUrlParams { provider, url, user_code, expires_in_ms });
    };
    match connection.engine.log_in(request, &mut show, &cancel).await {
        Ok(method) => Ok(AuthLoginResult { provider, method }),
        Err(error) if cancel.is_cancelled() => {
            Err(error_object(error::CANCELLED, &error.message, "cancelled", None))
        }
        Err(error) => Err(refused(error)),
    }
}

pub(super) async fn auth_logout(
    connection: Arc<Connection>,
    params: AuthLogoutParams,
) -> HandlerResult<AuthLogoutResult> {
    let removed = connection.engine.log_out(&params.provider).await.map_err(refused)?;
    Ok(AuthLogoutResult { removed })
}
