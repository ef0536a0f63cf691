//! Requests to OAuth 2.0 endpoints and their responses (RFC 6749, RFC 8628). Only [`call`] does IO.
//!
//! The crate `oauth2` does not fit: servers in use report errors with status 200, send numbers as strings and nest error messages, and its
//! response types reject all three.

use crate::aws::encode;
use crate::error::{Error, ErrorKind};
use crate::http::{Http, SmallBody, SmallRequest};
use pintle_base::ambient::{Secret, Secrets};
use pintle_base::network::TLS_HINT;
use pintle_base::text::credentials;
use pintle_base::text::visible::visible_line;
use serde_json::Value;
use std::time::Duration;

/// Endpoint response: an object, or the code and description of an error.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answer {
    Object(Value),
    Refused { code: String, message: String, body: Value },
}

/// Sends a request and reads the response.
///
/// # Errors
/// There was no response, or it is not JSON.
pub(super) async fn call(
    http: &Http,
    secrets: &Secrets,
    request: SmallRequest,
) -> Result<Answer, Error> {
    let url = request.url.clone();
    let response = http.small(request).await.map_err(|error| {
        // The hint about certificates is more specific.
        if error.hint.as_deref() == Some(TLS_HINT) {
            return error;
        }
        error.hint("check the network connection and the URLs in the provider's `login`")
    })?;
    let body: Option<Value> = serde_json::from_slice(&response.body).ok();
    answer(response.status, body).map(|answer| redacted(answer, secrets)).map_err(|status| {
        let host = host(&url);
        let error =
            Error::new(ErrorKind::Protocol, format!("{host} refused the login with HTTP {status}"));
        Error { status: Some(status), should_retry: Some(status >= 500), ..error }
    })
}

/// Reads a response. GitHub reports errors with the status 200.
fn answer(status: u16, body: Option<Value>) -> Result<Answer, u16> {
    let Some(body) = body.filter(Value::is_object) else { return Err(status) };
    let text = |field: &str| body.get(field).and_then(Value::as_str).map(str::to_owned);
    if (200..300).contains(&status) && body.get("error").is_none() {
        return Ok(Answer::Object(body));
    }
    let nested = |field: &str| body.get("error")?.get(field)?.as_str().map(str::to_owned);
    let code = text("error").unwrap_or_else(|| format!("HTTP {status}"));
    let message = text("error_description").or_else(|| nested("message"));
    let message = message.or_else(|| text("message")).unwrap_or_else(|| code.clone());
    Ok(Answer::Refused { code, message, body })
}

fn redacted(answer: Answer, secrets: &Secrets) -> Answer {
    const MAX_CHARS: usize = 300;
    match answer {
        Answer::Object(_) => answer,
        Answer::Refused { code, message, body } => {
            let clean = |text: &str| {
                let text = secrets.redact(text).into_owned();
                let text = credentials::redact(&text).into_owned();
                visible_line(&text).chars().take(MAX_CHARS).collect::<String>()
            };
            Answer::Refused { code: clean(&code), message: clean(&message), body }
        }
    }
}

/// Tokens returned by a token endpoint.
#[derive(Debug, Clone)]
pub(super) struct Tokens {
    pub(super) access: Secret,
    pub(super) refresh: Option<Secret>,
    pub(super) expires_in: Option<Duration>,
}

/// Reads a response's tokens, and adds them to the known secrets.
///
/// # Errors
/// There is no token.
pub(super) fn tokens(body: &Value, secrets: &Secrets) -> Result<Tokens, Error> {
    let access = secret(body, "access_token", secrets)?;
    Ok(Tokens {
        access,
        refresh: secret(body, "refresh_token", secrets).ok(),
        expires_in: seconds(body, "expires_in"),
    })
}

/// Reads a secret from a response, and adds it to the known ones.
///
/// # Errors
/// The secret is missing, or cannot be sent in a header.
pub(super) fn secret(body: &Value, field: &str, secrets: &Secrets) -> Result<Secret, Error> {
    let text = body.get(field).and_then(Value::as_str).map(str::trim).unwrap_or_default();
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
        let message = format!("the login response has no `{field}`");
        return Err(Error::new(ErrorKind::Protocol, message));
    }
    secrets.add(text);
    Ok(Secret::new(text))
}

/// Reads a number of seconds, which some servers write as text.
pub(super) fn seconds(body: &Value, field: &str) -> Option<Duration> {
    let value = body.get(field)?;
    let seconds = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    Duration::try_from_secs_f64(seconds.max(0.0)).ok()
}

/// Encodes a form, without the fields that have no value.
pub(super) fn form(fields: &[(&str, Option<&str>)]) -> SmallBody {
    SmallBody::Form(Secret::new(query(fields)))
}

/// Percent-encodes the fields of a query or form.
pub(super) fn query(fields: &[(&str, Option<&str>)]) -> String {
    let given = fields.iter().filter_map(|(name, value)| Some((name, (*value)?)));
    let pairs = given.map(|(name, value)| format!("{name}={}", encode(value, b"")));
    pairs.collect::<Vec<_>>().join("&")
}

/// Returns a URL's host, for messages.
pub(super) fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?']).next().unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn answers_are_told_from_refusals() {
        let refused = |code: &str, message: &str, body: Value| {
            Ok(Answer::Refused { code: code.to_owned(), message: message.to_owned(), body })
        };
        for (status, body) in [(200, None), (502, None), (200, Some(json!("x")))] {
            assert_eq!(answer(status, body), Err(status));
        }
        let whole = json!({"access_token": "t"});
        assert_eq!(answer(200, Some(whole.clone())), Ok(Answer::Object(whole)));
        for (status, body, code, message) in [
            (200, json!({"error": "slow_down"}), "slow_down", "slow_down"),
            (400, json!({"error": "x", "error_description": "why"}), "x", "why"),
            (403, json!({"message": "no"}), "HTTP 403", "no"),
            (403, json!({"error": {"code": 403, "message": "no"}}), "HTTP 403", "no"),
            (500, json!({}), "HTTP 500", "HTTP 500"),
        ] {
            assert_eq!(answer(status, Some(body.clone())), refused(code, message, body));
        }
    }

    #[test]
    fn tokens_are_read_and_become_known() {
        let secrets = Secrets::default();
        let body = json!({"access_token": " access-123 ", "refresh_token": "renew-1234", "expires_in": "60"});
        let got = tokens(&body, &secrets).unwrap();
        assert_eq!(
            (got.access.expose(), got.expires_in),
            ("access-123", Some(Duration::from_secs(60)))
        );
        assert_eq!(secrets.redact("access-123 renew-1234"), "*** ***");
        for body in [json!({}), json!({"access_token": ""}), json!({"access_token": "a\nb"})] {
            assert!(tokens(&body, &secrets).is_err(), "{body}");
        }
        assert_eq!(
            query(&[("a", Some("b c&=ü")), ("n", None), ("d", Some(""))]),
            "a=b%20c%26%3D%C3%BC&d="
        );
    }
}
