//! Login with a code that the user enters on a page, with any device (RFC 8628).

use super::wire::{Answer, Tokens, call, form, seconds, secret, tokens};
use super::{Flow, Prompt, denied};
use crate::catalog::is_confidential;
use crate::error::{Error, ErrorKind};
use crate::http::SmallRequest;
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;

/// Interval between two polls if the server sends none (RFC 8628, section 3.2), and the step by which it grows when the server requests
/// that (section 3.5).
const INTERVAL: Duration = Duration::from_secs(5);

/// The longest interval between two polls.
const MAX_INTERVAL: Duration = Duration::from_secs(60);

/// Maximum lifetime of a code; the servers' lifetimes are shorter.
const MAX_LIFE: Duration = Duration::from_secs(60 * 60);

const GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// Logs in. Cancel-safe: dropping the future ends the login.
pub(super) async fn log_in(
    flow: &Flow<'_>,
    show: &mut (dyn FnMut(Prompt) + Send),
) -> Result<Tokens, Error> {
    let Flow { login, http, secrets, .. } = *flow;
    let (device_url, token_url) = (login.device_url.as_deref(), login.token_url.as_deref());
    let (Some(device_url), Some(token_url)) = (device_url, token_url) else {
        return Err(flow.incomplete("device_url and token_url"));
    };
    let client_id = flow.client_id()?;
    let fields = [("client_id", Some(client_id)), ("scope", login.scope.as_deref())];
    let body = match call(http, secrets, SmallRequest::post(device_url, form(&fields))).await? {
        Answer::Object(body) => body,
        Answer::Refused { message, .. } => return Err(flow.refused(&message)),
    };
    let device_code = secret(&body, "device_code", secrets)?;
    let text = |field: &str| body.get(field).and_then(Value::as_str);
    let url = text("verification_uri_complete").or_else(|| text("verification_uri"));
    // Google's name of the field.
    let url = url.or_else(|| text("verification_url")).filter(|url| is_confidential(url));
    let (Some(url), Some(code)) = (url, text("user_code")) else {
        let message = "the login response has no URL with a code".to_owned();
        return Err(Error::new(ErrorKind::Protocol, message));
    };
    let life = seconds(&body, "expires_in").unwrap_or(MAX_LIFE).min(MAX_LIFE);
    let deadline = Instant::now() + life;
    show(Prompt { url: url.to_owned(), code: Some(code.to_owned()), expires_in: Some(life) });
    let mut interval = seconds(&body, "interval").unwrap_or(INTERVAL).min(MAX_INTERVAL);
    loop {
        if Instant::now() + interval >= deadline {
            return Err(expired());
        }
        tokio::time::sleep(interval).await;
        let fields = [
            ("grant_type", Some(GRANT)),
            ("device_code", Some(device_code.expose())),
            ("client_id", Some(client_id)),
        ];
        match call(http, secrets, SmallRequest::post(token_url, form(&fields))).await {
            Ok(Answer::Object(body)) => return tokens(&body, secrets),
            Ok(Answer::Refused { code, message, body }) => match code.as_str() {
                "authorization_pending" => {}
                "slow_down" => interval = slower(interval, seconds(&body, "interval")),
                "access_denied" => return Err(denied(flow.name)),
                "expired_token" => return Err(expired()),
                _ => return Err(flow.refused(&message)),
            },
            // The connection may come back while the code is good (RFC 8628, section 3.5).
            Err(error) if error.is_retryable() => interval = slower(interval, None),
            Err(error) => return Err(error),
        }
    }
}

/// Returns the next interval after the server requested a longer one.
fn slower(interval: Duration, named: Option<Duration>) -> Duration {
    named.unwrap_or(interval + INTERVAL).min(MAX_INTERVAL)
}

fn expired() -> Error {
    Error::new(ErrorKind::Auth, "the code expired before it was entered").hint("log in again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polls_get_slower_as_the_server_asks() {
        let secs = Duration::from_secs;
        for (interval, named, want) in
            [(5, None, 10), (5, Some(7), 7), (58, None, 60), (5, Some(600), 60), (0, Some(0), 0)]
        {
            assert_eq!(slower(secs(interval), named.map(secs)), secs(want));
        }
    }
}
