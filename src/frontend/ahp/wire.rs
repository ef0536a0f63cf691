//! Messages, times, addresses and Markdown as this protocol writes them. Pure.

use ahp_types::actions::ActionEnvelope;
use ahp_types::common::StringOrMarkdown;
use ahp_types::errors::{ahp_error_codes, json_rpc_error_codes};
use bytes::Bytes;
use pintle_agent::{Error, ErrorKind};
use pintle_base::transport::envelope::Id;
use pintle_os::names;
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::PathBuf;

/// An error of a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refusal {
    pub(super) code: i32,
    pub(super) message: String,
    pub(super) data: Option<Value>,
}

impl Refusal {
    pub(super) fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub(super) fn with(self, data: Value) -> Self {
        Self { data: Some(data), ..self }
    }
}

/// Returns the refusal of invalid params.
pub(super) fn invalid(message: String) -> Refusal {
    Refusal::new(json_rpc_error_codes::INVALID_PARAMS, message)
}

/// Converts an engine error.
pub(super) fn failed(error: &Error) -> Refusal {
    let code = match &error.kind {
        ErrorKind::Invalid | ErrorKind::Config => json_rpc_error_codes::INVALID_PARAMS,
        ErrorKind::NotFound => ahp_error_codes::NOT_FOUND,
        ErrorKind::Busy(_) => ahp_error_codes::TURN_IN_PROGRESS,
        ErrorKind::NoActiveTurn | ErrorKind::Conflict | ErrorKind::OpenElsewhere { .. } => {
            ahp_error_codes::CONFLICT
        }
        // There is nothing that a client could log in to.
        ErrorKind::Auth | ErrorKind::Internal => json_rpc_error_codes::INTERNAL_ERROR,
    };
    Refusal::new(code, reason(error))
}

/// Formats an engine error, with its remedy, for users.
pub(super) fn reason(error: &Error) -> String {
    match &error.hint {
        Some(pintle_agent::Hint::Text(hint)) => format!("{error}; {hint}"),
        Some(pintle_agent::Hint::Action(_)) | None => error.to_string(),
    }
}

#[derive(Serialize)]
struct Response<'a> {
    jsonrpc: &'static str,
    id: &'a Id,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<WireError<'a>>,
}

#[derive(Serialize)]
struct WireError<'a> {
    code: i32,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a Value>,
}

#[derive(Serialize)]
struct Notification<'a, T> {
    jsonrpc: &'static str,
    method: &'a str,
    params: &'a T,
}

/// Writes the response to a request.
pub(super) fn response(id: &Id, outcome: &Result<Value, Refusal>) -> Bytes {
    let (result, error) = match outcome {
        Ok(result) => (Some(result), None),
        Err(Refusal { code, message, data }) => {
            (None, Some(WireError { code: *code, message, data: data.as_ref() }))
        }
    };
    bytes(&Response { jsonrpc: "2.0", id, result, error })
}

/// Writes a host notification.
pub(super) fn notification<T: Serialize>(method: &str, params: &T) -> Bytes {
    bytes(&Notification { jsonrpc: "2.0", method, params })
}

/// Writes an action, as every subscriber of its channel receives it.
pub(super) fn action(envelope: &ActionEnvelope) -> Bytes {
    notification("action", envelope)
}

fn bytes(message: &impl Serialize) -> Bytes {
    // The types hold only string keys and plain values, so writing them cannot fail.
    serde_json::to_vec(message).unwrap_or_default().into()
}

/// Converts a value of the protocol's types to JSON.
pub(super) fn value(of: &impl Serialize) -> Value {
    serde_json::to_value(of).unwrap_or_default()
}

/// Formats a time in ISO 8601, with milliseconds, as the reducers do.
pub(super) fn time(ms: u64) -> String {
    let stamp = i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    format!("{:.3}", stamp.unwrap_or_default())
}

/// Converts a number to the protocol's number type.
pub(super) fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns a path's address, with this scheme and authority.
pub(super) fn uri(scheme: &str, authority: &str, path: &str) -> String {
    let mut uri = format!("{scheme}://{authority}");
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

/// Returns a file's address.
pub(super) fn file_uri(path: &str) -> String {
    uri("file", "", &names::in_uri(path))
}

/// Splits an address into its scheme, its authority and its decoded path.
pub(super) fn split_uri(uri: &str) -> Option<(&str, &str, String)> {
    let (scheme, rest) = uri.split_once(':')?;
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None => ("", rest),
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    Some((scheme, authority, decoded(path)?))
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

/// Returns the path of a file on this machine: `file:`, or VS Code's name for a file on its server's machine.
pub(super) fn path_of(uri: &str) -> Option<PathBuf> {
    let (scheme, authority, path) = split_uri(uri)?;
    let is_here = match scheme {
        "file" => authority.is_empty() || authority == "localhost",
        "vscode-remote" => true,
        _ => false,
    };
    (is_here && path.starts_with('/')).then(|| PathBuf::from(names::from_uri(&path)))
}

/// Returns a text that Markdown shows unchanged.
pub(super) fn literal(text: &str) -> StringOrMarkdown {
    StringOrMarkdown::Markdown { markdown: escaped(text) }
}

/// Escapes what Markdown would take for markup.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\`*_{}[]()#+-.!|<>~$&".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_their_addresses() {
        for path in ["/a/b.txt", "/with space/ü#?.txt", "/100%", "/"] {
            assert_eq!(path_of(&file_uri(path)), Some(PathBuf::from(path)), "{path}");
            let there = uri("vscode-remote", "localhost%2B8080", path);
            assert_eq!(path_of(&there), Some(PathBuf::from(path)), "{path}");
        }
        for other in ["https://x/a", "file://other/a", "file:a", "nothing", "file:///%zz"] {
            assert_eq!(path_of(other), None, "{other}");
        }
    }

    #[test]
    fn times_are_as_the_reducers_write_them() {
        assert_eq!(time(1_763_854_000_000), "2025-11-22T23:26:40.000Z");
        assert_eq!(time(1_763_854_000_581), "2025-11-22T23:26:40.581Z");
    }
}
