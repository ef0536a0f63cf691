//! Boundary between wire formats and the network: one request out; status, headers and a byte stream back.
//!
//! `http` connects to servers, `cassette` answers from a file; providers cannot distinguish the two.

use super::error::{Error, ErrorKind};
use super::http::{SmallRequest, SmallResponse};
use bytes::Bytes;
use futures_util::stream::BoxStream;
use pintle_base::ambient::Secret;
use serde_json::Value;

/// Body as it arrives. The stream ends with the body, or after one error.
pub type ByteStream = BoxStream<'static, Result<Bytes, Error>>;

/// JSON POST request.
#[derive(Debug, Clone)]
pub struct WireRequest {
    /// The complete URL.
    pub url: String,
    /// Headers other than `content-type`; any of them may contain a key.
    pub headers: Vec<(String, Secret)>,
    /// The body.
    pub body: Value,
}

/// The response to a request.
pub struct WireResponse {
    /// The HTTP status.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: ByteStream,
}

impl WireResponse {
    /// Returns the first header with this name, which is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }
}

/// Returns the first header with this name, which is in lower case.
pub(super) fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
}

impl std::fmt::Debug for WireResponse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WireResponse")
            .field("status", &self.status)
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}

/// A transport that carries a request to a model and returns the response's bytes.
///
/// Dropping the future or the body ends the exchange.
#[async_trait::async_trait]
pub trait Wire: Send + Sync + std::fmt::Debug {
    /// Sends the request and returns once status and headers have arrived, regardless of the status.
    ///
    /// # Errors
    /// There was no response: no connection, or the timeout expired. An error never contains a request header.
    async fn send(&self, request: WireRequest) -> Result<WireResponse, Error>;

    /// Sends a small request about the server itself, and reads the response. Recordings contain none of these.
    ///
    /// # Errors
    /// There was no response, or this wire only carries requests to models.
    async fn small(&self, _request: SmallRequest) -> Result<SmallResponse, Error> {
        Err(Error::new(ErrorKind::Network, "only requests to models are sent here"))
    }
}
