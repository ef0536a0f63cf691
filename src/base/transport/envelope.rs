//! JSON-RPC 2.0 envelopes: classifies incoming messages and writes outgoing ones. Pure.
//!
//! # Example
//!
//! ```
//! use pintle_base::transport::envelope::{self, Envelope, Id};
//! use serde_json::json;
//!
//! let message = envelope::request("1", "session/create", &json!({ "cwd": "/work" }));
//! let Ok(Envelope::Request { id, method, params }) = envelope::parse(&message) else {
//!     panic!("a message with an id and a method is a request");
//! };
//! assert_eq!(id, Id::Str("1".to_owned()));
//! assert_eq!(method, "session/create");
//! assert_eq!(params.unwrap().get(), r#"{"cwd":"/work"}"#);
//!
//! assert_eq!(envelope::parse(b"[]").unwrap_err().code, -32600);
//! ```

use super::{Incoming, MAX_MESSAGE_BYTES};
use pintle_protocol::error::{INVALID_REQUEST, PARSE_ERROR};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A request id, returned as the client wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Id {
    /// `null`, which JSON-RPC allows, and advises against.
    Null,
    /// A number of any kind, as text.
    Number(Box<str>),
    /// A string.
    Str(String),
}

impl Serialize for Id {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Number(text) => match serde_json::from_str::<&RawValue>(text) {
                Ok(number) => number.serialize(serializer),
                Err(_) => serializer.serialize_str(text),
            },
            Self::Str(text) => serializer.serialize_str(text),
        }
    }
}

/// A parsed message.
#[derive(Debug)]
pub enum Envelope {
    /// Something to answer.
    Request {
        /// The id to answer with.
        id: Id,
        /// The method.
        method: String,
        /// The params as they came.
        params: Option<Box<RawValue>>,
    },
    /// Something to take note of.
    Notification {
        /// The method.
        method: String,
        /// The params as they came.
        params: Option<Box<RawValue>>,
    },
    /// A response to one of our requests.
    Response {
        /// The id of our request.
        id: Id,
        /// The result, or the error's message.
        outcome: Result<Box<RawValue>, String>,
    },
}

/// A message that is none, with the error to answer it with.
#[derive(Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The id, if it could be read.
    pub id: Id,
    /// The JSON-RPC code.
    pub code: i32,
    /// The problem.
    pub message: String,
}

#[derive(Deserialize)]
struct Wire {
    #[serde(default, deserialize_with = "present")]
    id: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "present")]
    method: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "present")]
    params: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "present")]
    result: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "present")]
    error: Option<Box<RawValue>>,
    #[serde(default)]
    jsonrpc: Option<serde_json::Value>,
}

/// Tells a field that is `null` from one that is absent.
fn present<'de, D: serde::Deserializer<'de>>(field: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(field).map(Some)
}

impl Invalid {
    fn new(id: Id, code: i32, message: impl Into<String>) -> Self {
        Self { id, code, message: message.into() }
    }

    fn request(id: Id, message: impl Into<String>) -> Self {
        Self::new(id, INVALID_REQUEST, message)
    }
}

/// Parses what arrived on a link.
///
/// # Errors
/// Like [`parse`]; a message over the size limit is -32600, broken framing is -32700.
pub fn read(incoming: Incoming) -> Result<Envelope, Invalid> {
    match incoming {
        Incoming::Message(bytes) => parse(&bytes),
        Incoming::TooLarge => {
            let message = format!("the message exceeds {MAX_MESSAGE_BYTES} bytes");
            Err(Invalid::request(Id::Null, message))
        }
        Incoming::Broken(what) => {
            Err(Invalid::new(Id::Null, PARSE_ERROR, format!("broken framing: {what}")))
        }
    }
}

/// Parses a message.
///
/// # Errors
/// The codes that JSON-RPC prescribes: broken JSON is -32700, JSON that is not a request is -32600.
pub fn parse(bytes: &[u8]) -> Result<Envelope, Invalid> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        Invalid::new(Id::Null, PARSE_ERROR, format!("invalid UTF-8 at byte {at}"))
    })?;
    // serde would take an array for a struct, so only what looks like an object is tried.
    let is_object = text.trim_start().starts_with('{');
    let wire = match serde_json::from_str::<Wire>(text) {
        Ok(wire) if is_object => wire,
        Ok(_) => return Err(no_request(text)),
        Err(error) if error.is_data() => return Err(no_request(text)),
        Err(error) => {
            return Err(Invalid::new(Id::Null, PARSE_ERROR, format!("broken JSON: {error}")));
        }
    };
    let id = match wire.id.as_deref().map(read_id) {
        None => None,
        Some(Ok(id)) => Some(id),
        Some(Err(message)) => return Err(Invalid::request(Id::Null, message)),
    };
    let or_null = || id.clone().unwrap_or(Id::Null);
    if wire.jsonrpc.as_ref().is_some_and(|version| version != "2.0") {
        return Err(Invalid::request(or_null(), "`jsonrpc` must be \"2.0\""));
    }
    // Some clients write every field of a message. A null field counts as absent unless it alone determines the kind of message.
    let is_null = |field: &RawValue| field.get() == "null";
    let error = wire.error.filter(|error| !is_null(error) || wire.result.is_none());
    let result = wire.result.filter(|result| !is_null(result) || error.is_none());
    let is_answer = result.is_some() || error.is_some();
    let method = wire.method.filter(|method| !is_null(method) || !is_answer);
    let Some(method) = method else {
        return match (id, result, error) {
            (Some(id), Some(result), None) => Ok(Envelope::Response { id, outcome: Ok(result) }),
            (Some(id), None, Some(error)) => {
                Ok(Envelope::Response { id, outcome: Err(error_message(&error)) })
            }
            (id, _, _) => Err(Invalid::request(id.unwrap_or(Id::Null), "`method` is missing")),
        };
    };
    let Ok(method) = serde_json::from_str::<String>(method.get()) else {
        return Err(Invalid::request(or_null(), "`method` must be a string"));
    };
    let params = wire.params.filter(|params| params.get() != "null");
    if params.as_ref().is_some_and(|params| !params.get().starts_with(['{', '['])) {
        return Err(Invalid::request(or_null(), "`params` must be an object"));
    }
    match id {
        Some(id) => Ok(Envelope::Request { id, method, params }),
        None => Ok(Envelope::Notification { method, params }),
    }
}

fn no_request(text: &str) -> Invalid {
    // A mismatch can be met before a syntax error further on, which counts more.
    if let Err(error) = serde_json::from_str::<&RawValue>(text) {
        return Invalid::new(Id::Null, PARSE_ERROR, format!("broken JSON: {error}"));
    }
    let message = match text.trim_start().as_bytes().first() {
        Some(b'[') => "batches are not supported: send one request a message",
        Some(b'{') => "a field is duplicated in the request",
        _ => "a request must be an object",
    };
    Invalid::request(Id::Null, message)
}

fn read_id(raw: &RawValue) -> Result<Id, &'static str> {
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'n') => Ok(Id::Null),
        Some(b'-' | b'0'..=b'9') => Ok(Id::Number(text.into())),
        Some(b'"') => {
            let text = serde_json::from_str(text);
            text.map(Id::Str).map_err(|_| "`id` must be a string, a number or null")
        }
        _ => Err("`id` must be a string, a number or null"),
    }
}

fn error_message(raw: &RawValue) -> String {
    #[derive(Deserialize)]
    struct WireError {
        message: String,
    }
    serde_json::from_str::<WireError>(raw.get())
        .map_or_else(|_| raw.get().to_owned(), |error| error.message)
}

/// Writes a notification.
pub fn notification(method: &str, params: &impl Serialize) -> Vec<u8> {
    #[derive(Serialize)]
    struct Out<'a, P> {
        jsonrpc: &'static str,
        method: &'a str,
        params: &'a P,
    }
    to_bytes(&Out { jsonrpc: "2.0", method, params })
}

/// Writes a notification whose params are JSON text already.
pub fn raw_notification(method: &str, params: &str) -> Vec<u8> {
    let head = r#"{"jsonrpc":"2.0","method":""#;
    let mut out = Vec::with_capacity(head.len() + method.len() + params.len() + 16);
    for part in [head, method, r#"","params":"#, params, "}"] {
        out.extend_from_slice(part.as_bytes());
    }
    out
}

/// Writes an outgoing request.
pub fn request(id: &str, method: &str, params: &impl Serialize) -> Vec<u8> {
    #[derive(Serialize)]
    struct Out<'a, P> {
        jsonrpc: &'static str,
        id: &'a str,
        method: &'a str,
        params: &'a P,
    }
    to_bytes(&Out { jsonrpc: "2.0", id, method, params })
}

fn to_bytes(message: &impl Serialize) -> Vec<u8> {
    // Protocol types hold only string keys and plain values, so writing them cannot fail.
    serde_json::to_vec(message).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_is_told_for_what_it_is() {
        let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
        let deep = format!(r#"{{"id":1,"method":"x","params":{deep}}}"#);
        let rows: &[(&str, &[u8], &str)] = &[
            ("a request", br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "request 1 ping -"),
            (
                "without a version",
                br#"{"id":"a","method":"ping","params":{}}"#,
                "request \"a\" ping {}",
            ),
            ("params null", br#"{"id":1,"method":"ping","params":null}"#, "request 1 ping -"),
            ("a notification", br#"{"method":"exit"}"#, "notification exit -"),
            ("a response", br#"{"id":"s1","result":null}"#, "response \"s1\" Ok(null)"),
            (
                "a failed response",
                br#"{"id":"s1","error":{"code":1,"message":"no"}}"#,
                "response \"s1\" Err(no)",
            ),
            (
                "a response without failure",
                br#"{"id":"s1","result":{"a":1},"error":null}"#,
                "response \"s1\" Ok({\"a\":1})",
            ),
            (
                "a response of nothing",
                br#"{"id":"s1","result":null,"error":null}"#,
                "response \"s1\" Ok(null)",
            ),
            (
                "a failed response with every field",
                br#"{"jsonrpc":"2.0","id":"s1","method":null,"params":null,"result":null,"error":{"code":1,"message":"no"}}"#,
                "response \"s1\" Err(no)",
            ),
            (
                "a response with every field",
                br#"{"jsonrpc":"2.0","id":"s1","method":null,"params":null,"result":1,"error":null}"#,
                "response \"s1\" Ok(1)",
            ),
            (
                "a request with every field",
                br#"{"id":1,"method":"ping","params":{},"result":null,"error":null}"#,
                "request 1 ping {}",
            ),
            ("null as method", br#"{"id":3,"method":null}"#, "-32600 3 `method` must be a string"),
            (
                "broken JSON",
                br#"{"id":1,"#,
                "-32700 null broken JSON: EOF while parsing a value at line 1 column 8",
            ),
            (
                "two values",
                br"{} {}",
                "-32700 null broken JSON: trailing characters at line 1 column 4",
            ),
            ("invalid UTF-8", b"{\"id\":\"\xff\"}", "-32700 null invalid UTF-8 at byte 7"),
            (
                "a batch",
                br#"[{"id":1,"method":"ping"}]"#,
                "-32600 null batches are not supported: send one request a message",
            ),
            ("null", b"null", "-32600 null a request must be an object"),
            ("a number", b"42", "-32600 null a request must be an object"),
            (
                "an id twice",
                br#"{"id":1,"id":2,"method":"ping"}"#,
                "-32600 null a field is duplicated in the request",
            ),
            ("an object of nothing", b"{}", "-32600 null `method` is missing"),
            ("an id and nothing", br#"{"id":7}"#, "-32600 7 `method` is missing"),
            ("id null", br#"{"id":null,"method":"ping"}"#, "request null ping -"),
            (
                "an object as id",
                br#"{"id":{},"method":"ping"}"#,
                "-32600 null `id` must be a string, a number or null",
            ),
            (
                "a truth value as id",
                br#"{"id":true,"method":"ping"}"#,
                "-32600 null `id` must be a string, a number or null",
            ),
            ("a negative id", br#"{"id":-1,"method":"ping"}"#, "request -1 ping -"),
            ("a fraction as id", br#"{"id":1.50,"method":"ping"}"#, "request 1.50 ping -"),
            (
                "a number that no integer holds",
                br#"{"id":12345678901234567890123,"method":"ping"}"#,
                "request 12345678901234567890123 ping -",
            ),
            ("a number as method", br#"{"id":3,"method":5}"#, "-32600 3 `method` must be a string"),
            (
                "a string as params",
                br#"{"id":3,"method":"ping","params":"x"}"#,
                "-32600 3 `params` must be an object",
            ),
            (
                "version 1",
                br#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#,
                "-32600 3 `jsonrpc` must be \"2.0\"",
            ),
            (
                "result and error",
                br#"{"id":3,"result":1,"error":{}}"#,
                "-32600 3 `method` is missing",
            ),
            ("unknown fields", br#"{"id":3,"method":"ping","extra":[1]}"#, "request 3 ping -"),
            ("too deep to read", deep.as_bytes(), "-32700"),
        ];
        for (name, input, want) in rows {
            let json = |id: &Id| serde_json::to_string(id).unwrap();
            let got = match parse(input) {
                Ok(Envelope::Request { id, method, params }) => {
                    format!(
                        "request {} {method} {}",
                        json(&id),
                        params.map_or("-".to_owned(), |p| p.to_string())
                    )
                }
                Ok(Envelope::Notification { method, params }) => {
                    format!(
                        "notification {method} {}",
                        params.map_or("-".to_owned(), |p| p.to_string())
                    )
                }
                Ok(Envelope::Response { id, outcome: Ok(result) }) => {
                    format!("response {} Ok({result})", json(&id))
                }
                Ok(Envelope::Response { id, outcome: Err(message) }) => {
                    format!("response {} Err({message})", json(&id))
                }
                Err(invalid) => {
                    format!("{} {} {}", invalid.code, json(&invalid.id), invalid.message)
                }
            };
            if *name == "too deep to read" {
                assert!(got.starts_with(want) || got.starts_with("request"), "{name}: {got}");
            } else {
                assert_eq!(&got, want, "{name}");
            }
        }
    }
}
