//! Wire to real servers: the only file of `llm` that opens sockets.
//!
//! Clients are built on first use, since reading the system's certificates costs time and memory that a run from a cassette need not pay.
//! Redirects are not followed: a redirected POST means a wrong base URL. Proxies come from the environment. An error never contains a
//! header, or more of the URL than scheme and host.

use super::error::{CHECK_ADDRESS, Error, ErrorKind};
use super::wire::{ByteStream, Wire, WireRequest, WireResponse};
use bytes::Bytes;
use futures_util::stream::{Stream, StreamExt};
use pintle_base::ambient::Secret;
use pintle_base::network::{
    CONNECT_TIMEOUT, Network, Reach, SetupError, TLS_HINT, innermost, is_tls_error, sources,
};
use reqwest::RequestBuilder;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use std::io;
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep};

/// Request timeouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For connecting, including TLS.
    pub connect: Duration,
    /// From the request to the response's head, and from there to its first byte: a local model may need a long time to read a prompt.
    pub first_byte: Duration,
    /// Between two pieces of the response; comments that keep the connection alive count as pieces.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: CONNECT_TIMEOUT,
            first_byte: Duration::from_secs(300),
            idle: Duration::from_secs(120),
        }
    }
}

/// The wire over HTTP.
#[derive(Debug, Default)]
pub struct Http {
    timeouts: Timeouts,
    network: Network,
    /// For a server on this machine, which no proxy reaches.
    here: [OnceLock<Result<reqwest::Client, Error>>; 2],
    /// For `https:`, with the system's certificates.
    secure: OnceLock<Result<reqwest::Client, Error>>,
    /// For `http:`, without certificates: a local server must not fail because there are none.
    plain: OnceLock<Result<reqwest::Client, Error>>,
}

impl Http {
    /// Creates a wire with these timeouts.
    pub fn new(timeouts: Timeouts) -> Self {
        Self { timeouts, ..Self::default() }
    }

    /// Returns the same wire behind this network.
    #[must_use]
    pub fn behind(self, network: Network) -> Self {
        Self { network, ..self }
    }

    fn client(&self, url: &str) -> Result<reqwest::Client, Error> {
        let reach = Reach::classify(url);
        let [secure_here, plain_here] = &self.here;
        let slot = match (reach.is_here, reach.is_plain) {
            (true, true) => plain_here,
            (true, false) => secure_here,
            (false, true) => &self.plain,
            (false, false) => &self.secure,
        };
        let connect = self.timeouts.connect;
        slot.get_or_init(|| build(reach, connect, &self.network)).clone()
    }

    /// Explains an error below HTTP.
    fn explain(&self, error: &reqwest::Error, url: &str) -> Error {
        let explained = explain(error, server(url));
        match self.network.proxies.for_url(url) {
            Some(proxy) if error.is_connect() || error.is_timeout() => Error {
                message: format!("{} (through the proxy {proxy})", explained.message),
                ..explained
            }
            .hint(format!(
                "is the proxy {proxy} right, and does it let requests to {} pass? it comes from HTTPS_PROXY, HTTP_PROXY or ALL_PROXY; NO_PROXY excepts hosts",
                server(url)
            )),
            Some(_) | None => explained,
        }
    }
}

fn build(reach: Reach, connect: Duration, network: &Network) -> Result<reqwest::Client, Error> {
    // A setup error is permanent, so it must not be retried.
    let wrong =
        |error: SetupError| Error::new(ErrorKind::InvalidRequest, error.message).hint(error.hint);
    let builder = network.builder(reach).map_err(wrong)?;
    let builder = builder.connect_timeout(connect).tcp_nodelay(true);
    builder.build().map_err(|error| wrong(SetupError::of_build(&error)))
}

#[async_trait::async_trait]
impl Wire for Http {
    async fn send(&self, request: WireRequest) -> Result<WireResponse, Error> {
        let (server, url) = (server(&request.url).to_owned(), request.url.clone());
        let client = self.client(&request.url)?;
        let headers = headers(&request)?;
        let body = serde_json::to_vec(&request.body).map_err(|error| {
            Error::new(ErrorKind::InvalidRequest, format!("cannot encode the request: {error}"))
        })?;
        let sending = client.post(&request.url).headers(headers).body(body);
        drop(request);
        let limit = self.timeouts.first_byte;
        let response = match tokio::time::timeout(limit, send_or_again(sending)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(self.explain(&error, &url)),
            Err(_) => return Err(too_slow(&server, "did not begin to answer", limit)),
        };
        let named = |(name, value): (&HeaderName, &HeaderValue)| {
            Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
        };
        Ok(WireResponse {
            status: response.status().as_u16(),
            headers: response.headers().iter().filter_map(named).collect(),
            body: self.body(response, server),
        })
    }

    async fn small(&self, request: SmallRequest) -> Result<SmallResponse, Error> {
        Self::small(self, request).await
    }
}

/// Small request for a provider's login; its response is read in full.
#[derive(Debug, Clone)]
pub struct SmallRequest {
    /// The complete URL.
    pub url: String,
    /// Headers; any of them may contain a key.
    pub headers: Vec<(String, Secret)>,
    /// The body; without one the request is a GET.
    pub body: Option<SmallBody>,
}

/// A small request's body.
#[derive(Debug, Clone)]
pub enum SmallBody {
    /// Fields, percent-encoded.
    Form(Secret),
    /// JSON.
    Json(Value),
}

/// The answer to a small request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmallResponse {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

impl SmallRequest {
    /// Creates a GET request.
    pub fn get(url: &str) -> Self {
        Self { url: url.to_owned(), headers: Vec::new(), body: None }
    }

    /// Creates a POST request.
    pub fn post(url: &str, body: SmallBody) -> Self {
        Self { body: Some(body), ..Self::get(url) }
    }
}

impl Http {
    /// Sends a small request and reads the response, whatever its status.
    ///
    /// # Errors
    /// There was no response, or it exceeds 1 MiB. An error never contains a header or the body.
    pub async fn small(&self, request: SmallRequest) -> Result<SmallResponse, Error> {
        const MAX_BYTES: usize = 1024 * 1024;
        let server = server(&request.url).to_owned();
        let client = self.client(&request.url)?;
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        add_headers(&mut headers, &request.headers)?;
        let (content_type, body) = match request.body {
            None => (None, None),
            Some(SmallBody::Form(fields)) => {
                let fields = fields.expose().as_bytes().to_vec();
                (Some("application/x-www-form-urlencoded"), Some(fields))
            }
            Some(SmallBody::Json(value)) => {
                (Some("application/json"), Some(value.to_string().into_bytes()))
            }
        };
        if let Some(content_type) = content_type {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        }
        let sending = match body {
            Some(body) => client.post(&request.url).body(body),
            None => client.get(&request.url),
        };
        let limit = self.timeouts.first_byte;
        let response = match tokio::time::timeout(limit, sending.headers(headers).send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(self.explain(&error, &request.url)),
            Err(_) => return Err(too_slow(&server, "did not begin to answer", limit)),
        };
        let status = response.status().as_u16();
        let mut pieces = self.body(response, server.clone());
        let mut body = Vec::new();
        while let Some(piece) = pieces.next().await {
            body.extend_from_slice(&piece?);
            if body.len() > MAX_BYTES {
                let message = format!("{server} answered with more than {MAX_BYTES} bytes");
                return Err(Error::new(ErrorKind::Protocol, message));
            }
        }
        Ok(SmallResponse { status, body })
    }

    fn body(&self, response: reqwest::Response, server: String) -> ByteStream {
        let now = Instant::now();
        Body {
            bytes: Some(response.bytes_stream().boxed()),
            server,
            limit: self.timeouts.first_byte,
            idle: self.timeouts.idle,
            last: now,
            alarm: Box::pin(tokio::time::sleep_until(now + self.timeouts.first_byte)),
        }
        .boxed()
    }
}

/// A body that fails when nothing arrives within its timeout. The timer is reset only when it fires, not with each
/// piece.
struct Body {
    /// `None` once it ended.
    bytes: Option<futures_util::stream::BoxStream<'static, Result<Bytes, reqwest::Error>>>,
    server: String,
    /// The timeout for the next piece.
    limit: Duration,
    idle: Duration,
    /// When the last chunk arrived.
    last: Instant,
    alarm: Pin<Box<Sleep>>,
}

impl Stream for Body {
    type Item = Result<Bytes, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let Some(bytes) = &mut this.bytes else { return Poll::Ready(None) };
        match bytes.poll_next_unpin(cx) {
            Poll::Ready(Some(Ok(piece))) => {
                this.last = Instant::now();
                if this.limit != this.idle {
                    this.limit = this.idle;
                    // The first limit may be the longer one, and the timeout would come too late.
                    this.alarm.as_mut().reset(this.last + this.idle);
                }
                Poll::Ready(Some(Ok(piece)))
            }
            Poll::Ready(Some(Err(error))) => {
                this.bytes = None;
                Poll::Ready(Some(Err(explain(&error, &this.server))))
            }
            Poll::Ready(None) => {
                this.bytes = None;
                Poll::Ready(None)
            }
            Poll::Pending => loop {
                std::task::ready!(this.alarm.as_mut().poll(cx));
                let due = this.last + this.limit;
                if Instant::now() >= due {
                    this.bytes = None;
                    return Poll::Ready(Some(Err(too_slow(
                        &this.server,
                        "fell silent",
                        this.limit,
                    ))));
                }
                this.alarm.as_mut().reset(due);
            },
        }
    }
}

fn headers(request: &WireRequest) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    add_headers(&mut headers, &request.headers)?;
    Ok(headers)
}

fn add_headers(headers: &mut HeaderMap, given: &[(String, Secret)]) -> Result<(), Error> {
    for (name, value) in given {
        let pair = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value.expose()));
        let (Ok(key), Ok(mut value)) = pair else {
            return Err(Error::new(ErrorKind::InvalidRequest, format!("the header `{name}` cannot be sent"))
                .hint("it contains a line break or another invalid character; check the key or header that you set"));
        };
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(())
}

/// Sends a request; once more, immediately, if the connection closed before the response began. Servers close an idle kept-alive
/// connection, possibly just as the next request arrives.
async fn send_or_again(sending: RequestBuilder) -> Result<reqwest::Response, reqwest::Error> {
    let again = sending.try_clone();
    match (sending.send().await, again) {
        (Err(error), Some(again)) if closed_without_answer(&error) => again.send().await,
        (sent, _) => sent,
    }
}

/// Returns true if the connection existed and was closed before the response began.
fn closed_without_answer(error: &reqwest::Error) -> bool {
    error.is_request()
        && !error.is_connect()
        && !error.is_timeout()
        && sources(error).any(|source| {
            let hyper = source.downcast_ref::<hyper::Error>();
            let io = source.downcast_ref::<io::Error>().map(io::Error::kind);
            hyper.is_some_and(|error| error.is_incomplete_message() || error.is_canceled())
                || matches!(
                    io,
                    Some(
                        io::ErrorKind::ConnectionReset
                            | io::ErrorKind::BrokenPipe
                            | io::ErrorKind::UnexpectedEof
                    )
                )
        })
}

/// Returns scheme, host and port: a query may contain a key.
fn server(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end =
        url.get(start..).and_then(|rest| rest.find(['/', '?'])).map_or(url.len(), |at| start + at);
    let server = url.get(..end).unwrap_or(url);
    // A name and password in the URL are not shown.
    server.rsplit_once('@').map_or(server, |(_, host)| host)
}

fn too_slow(server: &str, what: &str, limit: Duration) -> Error {
    Error::new(ErrorKind::Timeout, format!("{server} {what} for {} s", limit.as_secs_f64()))
        .hint("is the server overloaded, or is the model still loading?")
}

/// Explains an error below HTTP.
fn explain(error: &reqwest::Error, server: &str) -> Error {
    let cause = innermost(error);
    let io = sources(error).find_map(|source| source.downcast_ref::<io::Error>());
    let check = || format!("is the server at {server} running? {CHECK_ADDRESS}");
    if error.is_dns() {
        return Error::new(
            ErrorKind::Network,
            format!("cannot find the host of {server}: {cause}"),
        )
        .hint(format!("{CHECK_ADDRESS}, and the network"));
    }
    if is_tls_error(error) {
        return Error::new(ErrorKind::Network, format!("no TLS with {server}: {cause}"))
            .hint(TLS_HINT);
    }
    if error.is_builder() {
        return Error::new(
            ErrorKind::InvalidRequest,
            format!("`{server}` is not a valid URL: {cause}"),
        )
        .hint(CHECK_ADDRESS);
    }
    if error.is_timeout() {
        return Error::new(ErrorKind::Timeout, format!("no connection to {server} in time"))
            .hint(check());
    }
    if io.is_some_and(|io| io.kind() == io::ErrorKind::ConnectionRefused) {
        return Error::new(ErrorKind::Network, format!("{server} refused the connection"))
            .hint(check());
    }
    if error.is_connect() {
        return Error::new(ErrorKind::Network, format!("cannot connect to {server}: {cause}"))
            .hint(check());
    }
    Error::new(ErrorKind::Network, format!("the connection to {server} broke: {cause}"))
}
