//! Recorded exchanges: [`Replay`] answers from a file without a network, [`Record`] writes one while forwarding everything. In a directory
//! (`folder`), requests are matched by content instead of order.
//!
//! A cassette is JSON lines, one exchange per line, answered in order:
//!
//! ```json
//! {"request":{"path":"/v1/messages","body":{"model":"…","messages":[…]}},"response":{"status":200,"body":["event: …\n\n","…"]}}
//! ```
//!
//! In a handwritten cassette, `"bodyFile":"hello.sse"` refers to a file next to the cassette, `request` may be omitted or contain only the
//! fields to check, `body` may be a single string, `"base64":true` marks base64 chunks, `"delayMs":5` waits before each chunk, and a line
//! `{"cassette":1}` is skipped. Request headers are never stored, and keys in a body are written as `***`.
#![expect(clippy::disallowed_methods, reason = "cassettes are files that the user names")]

mod canonical;
mod difference;
mod exchange;
mod folder;
mod outline;

pub use canonical::Canonical;
pub use folder::{ReplayFolder, create as create_folder, recorded_at};

use super::error::{Error, ErrorKind};
use super::wire::{ByteStream, Wire, WireRequest, WireResponse};
use bytes::Bytes;
use exchange::{Body, End, Exchange, RecordedRequest, RecordedResponse};
use futures_util::stream::{self, Stream, StreamExt};
use pintle_base::private_files;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

/// Response headers that the engine uses; others are not stored.
const KEPT_HEADERS: &[&str] = &[
    "content-type",
    "request-id",
    "retry-after",
    "retry-after-ms",
    "x-amzn-errortype",
    "x-amzn-requestid",
    "x-request-id",
    "x-should-retry",
];

/// Answers requests from a cassette, in order.
#[derive(Debug)]
pub struct Replay {
    name: String,
    exchanges: Vec<Exchange>,
    next: AtomicUsize,
}

impl Replay {
    /// Reads a cassette.
    ///
    /// # Errors
    /// [`ErrorKind::Replay`] with the invalid line, or the file that cannot be read.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let text = read(path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut replay = Self::parse(&text)?;
        replay.name = path.display().to_string();
        for exchange in &mut replay.exchanges {
            if let Some(file) = exchange.response.body_file.take() {
                let text = read(&folder.join(&file))?;
                exchange.response.body = Some(Body::Whole(text));
                if exchange.response.pieces().is_none() {
                    let message = format!("{file} is not base64");
                    return Err(Error::new(ErrorKind::Replay, message));
                }
            }
        }
        Ok(replay)
    }

    /// Reads a cassette from text; `bodyFile` has no meaning here.
    ///
    /// # Errors
    /// [`ErrorKind::Replay`] with the invalid line.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut exchanges = Vec::new();
        for (number, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.trim_start().starts_with("{\"cassette\"") {
                continue;
            }
            let at = number + 1;
            let exchange: Exchange = serde_json::from_str(line).map_err(|error| {
                Error::new(ErrorKind::Replay, format!("line {at} of the cassette: {error}"))
            })?;
            if exchange.response.pieces().is_none() {
                let message = format!("line {at} of the cassette: its body is not base64");
                return Err(Error::new(ErrorKind::Replay, message));
            }
            exchanges.push(exchange);
        }
        Ok(Self { name: "the cassette".to_owned(), exchanges, next: AtomicUsize::new(0) })
    }

    /// Returns the number of unused exchanges.
    pub fn remaining(&self) -> usize {
        self.exchanges.len().saturating_sub(self.next.load(Ordering::Relaxed))
    }
}

/// Maximum size of a recording file. Source: it is read as a whole; a day's traffic is far smaller.
const MAX_FILE_BYTES: u64 = 512 * 1024 * 1024;

fn read(path: &Path) -> Result<String, Error> {
    private_files::read_to_string(path, MAX_FILE_BYTES).map_err(|error| {
        Error::new(ErrorKind::Replay, format!("cannot read {}: {error}", path.display()))
    })
}

#[async_trait::async_trait]
impl Wire for Replay {
    async fn send(&self, request: WireRequest) -> Result<WireResponse, Error> {
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        let number = at + 1;
        let Some(exchange) = self.exchanges.get(at) else {
            let message = format!(
                "{} has {} exchanges, but this is request {number}",
                self.name,
                self.exchanges.len()
            );
            return Err(Error::new(ErrorKind::Replay, message).hint("record it again"));
        };
        if let Some(expected) = &exchange.request {
            outline::compare(expected, exchange::path(&request.url), &request.body).map_err(
                |difference| {
                    let message =
                        format!("request {number} is not the one in {}: {difference}", self.name);
                    Error::new(ErrorKind::Replay, message)
                },
            )?;
        }
        Ok(exchange.response.answer())
    }
}

impl RecordedResponse {
    /// Returns the response as recorded.
    fn answer(&self) -> WireResponse {
        WireResponse {
            status: self.status,
            headers: self.headers.clone().into_iter().collect(),
            body: pieces(
                self.pieces().unwrap_or_default(),
                Duration::from_millis(self.delay_ms),
                self.end,
            ),
        }
    }
}

fn pieces(pieces: Vec<Bytes>, delay: Duration, end: End) -> ByteStream {
    let paced = stream::iter(pieces).then(move |piece| async move {
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        Ok(piece)
    });
    match end {
        End::Whole => paced.boxed(),
        End::Broken => {
            let error =
                Error::new(ErrorKind::Network, "the connection was lost, as in the recording");
            paced.chain(stream::iter([Err(error)])).boxed()
        }
        End::Dropped => paced.chain(stream::pending()).boxed(),
    }
}

/// Forwards requests and appends each exchange to a cassette when its response ends, breaks or is dropped.
#[derive(Debug)]
pub struct Record {
    inner: Arc<dyn Wire>,
    target: Target,
}

/// Recording destination.
#[derive(Debug)]
enum Target {
    /// Appended to a file.
    File(PathBuf),
    /// In a directory, in a file named after the canonical request.
    Folder(PathBuf, Canonical),
}

impl Record {
    /// Appends the exchanges of `inner` to the file at `path`.
    pub fn new(inner: Arc<dyn Wire>, path: impl Into<PathBuf>) -> Self {
        Self { inner, target: Target::File(path.into()) }
    }

    /// Records the exchanges of `inner` in a directory created by [`create_folder`].
    pub fn in_folder(inner: Arc<dyn Wire>, path: impl Into<PathBuf>, canonical: Canonical) -> Self {
        Self { inner, target: Target::Folder(path.into(), canonical) }
    }
}

#[async_trait::async_trait]
impl Wire for Record {
    async fn send(&self, request: WireRequest) -> Result<WireResponse, Error> {
        let sent_to = exchange::path(&request.url).to_owned();
        let (path, body) = match &self.target {
            Target::File(path) => (path.clone(), request.body.clone()),
            Target::Folder(folder, canonical) => {
                let body = canonical.canonicalize(&request.body);
                (folder::file(folder, &sent_to, &body), body)
            }
        };
        let sent = RecordedRequest { method: "POST".to_owned(), path: sent_to, body: Some(body) };
        let secrets = exchange::secrets(&request.headers);
        let response = self.inner.send(request).await?;
        let keep = |(name, _): &&(String, String)| KEPT_HEADERS.contains(&name.as_str());
        let headers = response.headers.iter().filter(keep).cloned().collect();
        let tape = Tape {
            body: Some(response.body),
            path,
            sent: Some(sent),
            status: response.status,
            headers,
            secrets,
            heard: Vec::new(),
            end: End::Dropped,
        };
        Ok(WireResponse { status: response.status, headers: response.headers, body: tape.boxed() })
    }
}

/// A body that is recorded while it is read.
struct Tape {
    body: Option<ByteStream>,
    path: PathBuf,
    sent: Option<RecordedRequest>,
    status: u16,
    headers: std::collections::BTreeMap<String, String>,
    secrets: Vec<String>,
    heard: Vec<Bytes>,
    end: End,
}

impl Stream for Tape {
    type Item = Result<Bytes, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let piece = std::task::ready!(body.poll_next_unpin(cx));
        match &piece {
            Some(Ok(bytes)) => self.heard.push(bytes.clone()),
            Some(Err(_)) => self.end = End::Broken,
            None => self.end = End::Whole,
        }
        if !matches!(piece, Some(Ok(_))) {
            self.body = None;
            self.write();
        }
        Poll::Ready(piece)
    }
}

impl Tape {
    fn write(&mut self) {
        let Some(sent) = self.sent.take() else { return };
        let line = exchange::line(
            sent,
            self.status,
            std::mem::take(&mut self.headers),
            &self.heard,
            self.end,
            &self.secrets,
        );
        let mut options = std::fs::OpenOptions::new();
        let file = private_files::open_private(&self.path, options.create(true).append(true));
        if let Err(error) = file.and_then(|mut file| file.write_all(line.as_bytes())) {
            tracing::warn!("cannot record to {}: {error}", self.path.display());
        }
    }
}

impl Drop for Tape {
    fn drop(&mut self) {
        self.write();
    }
}

#[cfg(test)]
mod tests;
