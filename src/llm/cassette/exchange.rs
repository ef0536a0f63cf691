//! One line of a cassette.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use pintle_base::ambient::Secret;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Request and its response.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Exchange {
    /// The expected request; any request matches if it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) request: Option<RecordedRequest>,
    pub(super) response: RecordedResponse,
}

/// Request of an exchange.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RecordedRequest {
    #[serde(default = "post")]
    pub(super) method: String,
    /// The URL's path.
    pub(super) path: String,
    /// Body; in handwritten cassettes, only the part to check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<Value>,
}

/// Response of an exchange.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RecordedResponse {
    #[serde(default = "ok")]
    pub(super) status: u16,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) headers: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<Body>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) body_file: Option<String>,
    /// True if the body's pieces are base64, because it is not text.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) base64: bool,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) delay_ms: u64,
    #[serde(default, skip_serializing_if = "End::is_whole")]
    pub(super) end: End,
}

/// A body, as one text or in the pieces in which it arrived.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Body {
    Whole(String),
    Pieces(Vec<String>),
}

/// How a body ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum End {
    /// Complete.
    #[default]
    Whole,
    /// The connection broke.
    Broken,
    /// The reader stopped early; a replay waits here for the reader to stop again.
    Dropped,
}

impl End {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
    fn is_whole(&self) -> bool {
        *self == Self::Whole
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_false(value: &bool) -> bool {
    !value
}

fn post() -> String {
    "POST".to_owned()
}

fn ok() -> u16 {
    200
}

impl RecordedResponse {
    /// Returns the body as received; `None` if it is marked as base64 but is not.
    pub(super) fn pieces(&self) -> Option<Vec<Bytes>> {
        let bytes = |text: &String| {
            if self.base64 {
                STANDARD.decode(text).ok().map(Bytes::from)
            } else {
                Some(Bytes::from(text.clone()))
            }
        };
        match &self.body {
            None => Some(Vec::new()),
            Some(Body::Whole(text)) => Some(vec![bytes(text)?]),
            Some(Body::Pieces(pieces)) => pieces.iter().map(bytes).collect(),
        }
    }
}

/// Returns a URL's path.
pub(super) fn path(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/");
    path.split('?').next().unwrap_or(path)
}

/// Returns values that must never be written: those of headers that may be keys.
pub(super) fn secrets(headers: &[(String, Secret)]) -> Vec<String> {
    headers
        .iter()
        .filter(|(name, _)| name != "accept" && !name.starts_with("anthropic-"))
        .map(|(_, value)| value.expose().trim_start_matches("Bearer ").to_owned())
        .filter(|value| value.len() >= MIN_SECRET_BYTES)
        .collect()
}

/// Shorter values are not keys, and would occur in any text.
const MIN_SECRET_BYTES: usize = 8;

/// Returns an exchange's line, with its newline.
pub(super) fn line(
    sent: RecordedRequest,
    status: u16,
    headers: BTreeMap<String, String>,
    heard: &[Bytes],
    end: End,
    secrets: &[String],
) -> String {
    let is_binary = heard.iter().any(|piece| piece.contains(&0));
    let body = Some(Body::Pieces(if is_binary {
        heard.iter().map(|piece| STANDARD.encode(piece)).collect()
    } else {
        texts(heard)
    }));
    let response = RecordedResponse {
        status,
        headers,
        body,
        body_file: None,
        base64: is_binary,
        delay_ms: 0,
        end,
    };
    let exchange = Exchange { request: Some(sent), response };
    let mut line = serde_json::to_string(&exchange).unwrap_or_default();
    for secret in secrets {
        line = line.replace(secret.as_str(), "***");
    }
    line + "\n"
}

/// Converts pieces to texts; one that ends inside a character is joined with the next.
fn texts(heard: &[Bytes]) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = Vec::new();
    for piece in heard {
        rest.extend_from_slice(piece);
        if let Ok(text) = std::str::from_utf8(&rest) {
            texts.push(text.to_owned());
            rest.clear();
        }
    }
    if !rest.is_empty() {
        texts.push(String::from_utf8_lossy(&rest).into_owned());
    }
    texts
}
