//! Provider behind a wire: encodes and sends requests, and decodes the response as it arrives.
//!
//! If a server refuses reasoning, it is omitted once for the rest of the turn; reasoning that the server requests is included. The
//! conversation keeps it, so a journal means the same regardless of how a server treats its own signatures.

use super::anthropic;
use super::aws::frames;
use super::catalog::{self, Api, Dialect, ReasoningBack};
use super::chat;
use super::classify;
use super::decode::{Broken, Decode};
use super::documents;
use super::endpoint::Endpoint;
use super::error::{Error, ErrorKind};
use super::gemini;
use super::halves::Halves;
use super::limits;
use super::local::{self, ServedWindow};
use super::omissions::Omission;
use super::reasoning;
use super::responses;
use super::sse::{self, SseEvent};
use super::text_tools;
use super::vision;
use super::wire::{ByteStream, Wire, WireRequest, WireResponse};
use super::{Delta, DeltaStream, Message, Provider, Request};
use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt};
use pintle_base::ambient::Secret;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

/// The maximum number of bytes read from an error's body.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// The maximum number of bytes read of a reply in one piece.
const MAX_WHOLE_BYTES: usize = 16 * 1024 * 1024;

/// How often to poll the body after the reply ended. Its last chunk has usually arrived, and a fully read body keeps the connection open
/// for the next request.
const POLLS_PAST_END: u8 = 2;

/// Connects an endpoint to a wire.
pub fn connect(endpoint: Endpoint, wire: Arc<dyn Wire>) -> Arc<dyn Provider> {
    Arc::new(Remote {
        endpoint: Arc::new(endpoint),
        wire,
        refused: AtomicUsize::new(0),
        reasoning_back: OnceLock::new(),
    })
}

/// Builds the request body for this endpoint.
fn body(endpoint: &Endpoint, request: &Request) -> Value {
    let mut body = encode(endpoint.api, request, endpoint.dialect);
    merge(&mut body, &endpoint.extra_body);
    match endpoint.dialect.cloud {
        Some(cloud) => {
            let betas = betas(endpoint, &body);
            cloud.wrap(endpoint.api, body, betas.as_deref())
        }
        None => body,
    }
}

/// Returns the betas for a body: from the user's headers, and the one required by the body.
fn betas(endpoint: &Endpoint, body: &Value) -> Option<String> {
    let own = endpoint.headers.iter().find(|(name, _)| is_beta(name));
    let own = own.map(|(_, betas)| betas.expose());
    let required = anthropic::beta(body).filter(|_| endpoint.api == Api::Messages);
    let all: Vec<&str> = own.into_iter().chain(required).collect();
    (!all.is_empty()).then(|| all.join(","))
}

fn is_beta(header: &str) -> bool {
    header.eq_ignore_ascii_case("anthropic-beta")
}

/// Merges fields as a JSON merge patch does (RFC 7396).
fn merge(body: &mut Value, extra: &Map<String, Value>) {
    let Value::Object(fields) = body else { return };
    for (key, value) in extra {
        match (fields.get_mut(key), value) {
            (_, Value::Null) => {
                fields.shift_remove(key);
            }
            (Some(old @ Value::Object(_)), Value::Object(more)) => merge(old, more),
            (_, value) => {
                fields.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Encodes a request as this API's body.
pub(super) fn encode(api: Api, request: &Request, dialect: Dialect) -> Value {
    let request = &*reasoning::as_text_for_others(request);
    match api {
        Api::Messages => anthropic::encode(request, dialect),
        Api::Chat => chat::encode(request, dialect),
        Api::Responses => responses::encode(request, dialect),
        Api::Gemini => gemini::encode(&vision::without_gifs(request)),
    }
}

fn decoder(api: Api) -> Box<dyn Decode> {
    match api {
        Api::Messages => Box::new(anthropic::Decoder::default()),
        Api::Chat => Box::new(chat::Decoder::default()),
        Api::Responses => Box::new(responses::Decoder::default()),
        Api::Gemini => Box::new(gemini::Decoder::default()),
    }
}

#[derive(Debug)]
struct Remote {
    endpoint: Arc<Endpoint>,
    wire: Arc<dyn Wire>,
    /// The index up to which the server refused the reasoning that it had encrypted.
    refused: AtomicUsize,
    /// The form in which the server asked for reasoning (Chat).
    reasoning_back: OnceLock<ReasoningBack>,
}

#[async_trait::async_trait]
impl Provider for Remote {
    async fn stream(&self, mut request: Request) -> Result<DeltaStream, Error> {
        let limit = self.endpoint.max_output_tokens;
        request.max_output_tokens = request.max_output_tokens.or(limit);
        request.effort = request.effort.and_then(|effort| self.endpoint.effort(effort));
        if !self.endpoint.takes_images(&request.model) {
            vision::without_images(&mut request);
        }
        let mut endpoint = self.endpoint.for_model(&request.model);
        // The conversation contains the efforts before the user's settings replace them.
        endpoint.dialect.effort_updates &= endpoint.efforts.is_empty();
        let takes_documents = self.endpoint.takes_documents(&request.model);
        documents::fit(&mut request, takes_documents.then_some(endpoint.api));
        if let Some(form) = self.reasoning_back.get() {
            endpoint.dialect.reasoning_back = *form;
        }
        let text_tools = endpoint.dialect.text_tools.then(|| text_tools::into_text(&mut request));
        reasoning::without_sealed(&mut request, self.refused.load(Ordering::Relaxed));
        let body = match self.ask(&endpoint, &request).await {
            Err(error) if classify::refuses_reasoning(&error) => {
                let messages = request.messages.len();
                if !reasoning::without_sealed(&mut request, messages) {
                    return Err(error);
                }
                self.refused.store(messages, Ordering::Relaxed);
                let body = self.ask(&endpoint, &request).await?;
                endpoint.omissions.add(Omission::Reasoning);
                body
            }
            Err(error) if endpoint.api == Api::Chat => {
                let wanted = classify::wanted_reasoning(&error).ok_or_else(|| error.clone())?;
                self.reasoning_back.set(wanted).map_err(|_| error)?;
                endpoint.dialect.reasoning_back = wanted;
                self.ask(&endpoint, &request).await?
            }
            asked => asked?,
        };
        let endpoint = Arc::new(endpoint);
        let window = window(&endpoint, &request.model);
        let decoder = decoder(endpoint.api);
        let is_framed = endpoint.dialect.cloud.is_some_and(|cloud| cloud.is_framed(endpoint.api));
        let events =
            if is_framed { frames::events(body).boxed() } else { sse::events(body).boxed() };
        let name = endpoint.name.clone();
        let deltas = Deltas {
            endpoint,
            events: Some(events),
            decoder,
            halves: Halves::default(),
            ready: VecDeque::new(),
            failed: None,
            polls_left: POLLS_PAST_END,
            window,
        };
        let deltas = limits::limited(deltas, name).boxed();
        Ok(match text_tools {
            Some(tools) => text_tools::with_calls(deltas, tools),
            None => deltas,
        })
    }

    fn take_omissions(&self) -> Vec<Omission> {
        self.endpoint.omissions.take_untold()
    }

    async fn served_window(&self, model: &str) -> Option<ServedWindow> {
        local::served_window(self.wire.as_ref(), &self.endpoint, model).await
    }
}

impl Remote {
    /// Sends a request and returns the response body. A part that the server refuses is omitted if possible.
    async fn ask(&self, endpoint: &Endpoint, request: &Request) -> Result<ByteStream, Error> {
        let model = &request.model;
        loop {
            let mut body = body(endpoint, request);
            let sent = endpoint.omissions.remove_from(model, &mut body, &endpoint.extra_body);
            match self.ask_with(endpoint, request, body).await {
                Err(error) if endpoint.omissions.learn(model, &sent, &error) => {}
                asked => return asked,
            }
        }
    }

    async fn ask_with(
        &self,
        endpoint: &Endpoint,
        request: &Request,
        body: Value,
    ) -> Result<ByteStream, Error> {
        let url = endpoint.request_url(&request.model);
        let mut headers = endpoint.signed_headers(&url, &body);
        if let Some(betas) = betas(endpoint, &body) {
            headers.retain(|(name, _)| !is_beta(name));
            headers.push(("anthropic-beta".to_owned(), Secret::new(betas)));
        }
        headers.extend(initiator_headers(endpoint, request));
        let trace = request.trace.headers();
        headers.extend(trace.into_iter().map(|(name, value)| (name, Secret::new(value))));
        let response = self.wire.send(WireRequest { url, headers, body }).await?;
        events_of(endpoint, response).await
    }
}

/// Returns the headers that report who initiated a request and whether it contains images, for servers that require them.
fn initiator_headers(endpoint: &Endpoint, request: &Request) -> Vec<(String, Secret)> {
    if !endpoint.dialect.initiator_headers {
        return Vec::new();
    }
    let initiator = match request.messages.last().map(|message| &**message) {
        Some(Message::ToolResult(_) | Message::Assistant(_)) => "agent",
        Some(Message::User(_)) | None => "user",
    };
    let mut headers = vec![("x-initiator".to_owned(), Secret::new(initiator))];
    if vision::holds_images(request) {
        headers.push(("copilot-vision-request".to_owned(), Secret::new("true")));
    }
    headers
}

/// Returns a model's window if its server silently truncates longer input.
fn window(endpoint: &Endpoint, model: &str) -> Option<u64> {
    let row = || catalog::model(&endpoint.name, model);
    endpoint.dialect.silent_overflow.then(row)??.window
}

/// Returns the body, if it is an event stream, which is decided by its first bytes, not its label. A reply in one piece, from a Chat server
/// that does not stream, becomes a stream of one event.
async fn events_of(endpoint: &Endpoint, response: WireResponse) -> Result<ByteStream, Error> {
    let WireResponse { status, headers, mut body } = response;
    let mut first = Vec::new();
    let is_success = (200..300).contains(&status);
    if is_success {
        let Some(piece) = body.next().await.transpose()? else {
            return Err(classify::answer(endpoint, status, &headers, &[]));
        };
        let is_events = !matches!(piece.trim_ascii_start().first(), Some(b'{' | b'[' | b'<'));
        if is_events {
            return Ok(stream::iter([Ok(piece)]).chain(body).boxed());
        }
        first.extend_from_slice(&piece);
    }
    let may_be_whole = is_success && endpoint.api == Api::Chat;
    let max_bytes = if may_be_whole { MAX_WHOLE_BYTES } else { MAX_ERROR_BYTES };
    while first.len() < max_bytes {
        match body.next().await {
            Some(Ok(piece)) => first.extend_from_slice(&piece),
            // The status is enough even if the body breaks off.
            Some(Err(_)) | None => break,
        }
    }
    if may_be_whole && let Some(event) = whole_reply(&first) {
        return Ok(stream::iter([Ok(event)]).boxed());
    }
    first.truncate(MAX_ERROR_BYTES);
    Err(classify::answer(endpoint, status, &headers, &first))
}

/// Returns a complete reply of Chat Completions as an event; `None` if the body is something else.
fn whole_reply(body: &[u8]) -> Option<Bytes> {
    let reply: Value = serde_json::from_slice(body).ok()?;
    reply.pointer("/choices/0/message")?.as_object()?;
    Some(Bytes::from(format!("data: {reply}\n\n")))
}

/// The stream of one reply.
struct Deltas {
    endpoint: Arc<Endpoint>,
    /// `None` once nothing more is read.
    events: Option<stream::BoxStream<'static, Result<SseEvent, Error>>>,
    decoder: Box<dyn Decode>,
    halves: Halves,
    ready: VecDeque<Delta>,
    /// The error to return after the deltas that are ready.
    failed: Option<Error>,
    polls_left: u8,
    /// Context window, if the server silently truncates longer input.
    window: Option<u64>,
}

impl Stream for Deltas {
    type Item = Result<Delta, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if let Some(delta) = this.ready.pop_front() {
                if let Some(error) = this.overflow(&delta) {
                    this.ready.clear();
                    this.failed = Some(error);
                }
                return Poll::Ready(Some(Ok(delta)));
            }
            if let Some(error) = this.failed.take() {
                this.events = None;
                return Poll::Ready(Some(Err(error)));
            }
            let Some(events) = &mut this.events else { return Poll::Ready(None) };
            let event = match events.poll_next_unpin(cx) {
                Poll::Ready(event) => event,
                Poll::Pending if !this.decoder.is_done() => return Poll::Pending,
                Poll::Pending if this.polls_left > 0 => {
                    this.polls_left -= 1;
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Poll::Pending => None,
            };
            let is_done = this.decoder.is_done();
            let outcome = match event {
                Some(Ok(mut event)) => {
                    if let Cow::Owned(mended) = this.halves.mend(&event.data) {
                        event.data = mended;
                    }
                    this.decoder.push(event, &mut this.ready)
                }
                Some(Err(_)) | None if is_done => {
                    this.events = None;
                    Ok(())
                }
                Some(Err(error)) => {
                    this.failed = Some(error);
                    Ok(())
                }
                None => {
                    this.events = None;
                    this.decoder.finish(&mut this.ready)
                }
            };
            if let Err(broken) = outcome {
                this.failed = Some(this.explain(&broken));
            }
        }
    }
}

impl Deltas {
    /// Returns the error that the server should have sent.
    fn overflow(&self, delta: &Delta) -> Option<Error> {
        let (Some(window), Delta::Usage(usage)) = (self.window, delta) else { return None };
        let input = usage.read_tokens();
        (input > window).then(|| {
            let name = &self.endpoint.name;
            let message =
                format!("{name} read {input} tokens, but the model's window has {window}");
            Error::new(ErrorKind::Overflow, message)
        })
    }

    fn explain(&self, broken: &Broken) -> Error {
        match broken {
            Broken::Reported(value) => classify::in_stream(&self.endpoint, value),
            Broken::Wire(message) => {
                Error::new(ErrorKind::Protocol, format!("{}: {message}", self.endpoint.name))
            }
        }
    }
}

/// Returns all deltas of a body that arrives in these pieces, for decoder tests.
#[cfg(test)]
pub(super) fn decode_pieces(api: Api, pieces: Vec<bytes::Bytes>) -> Vec<Result<Delta, Error>> {
    use futures_util::FutureExt;
    let decoder = decoder(api);
    let body: ByteStream = stream::iter(pieces.into_iter().map(Ok)).boxed();
    let deltas = Deltas {
        endpoint: Arc::new(Endpoint::new("test", api, "http://test")),
        events: Some(sse::events(body).boxed()),
        decoder,
        halves: Halves::default(),
        ready: VecDeque::new(),
        failed: None,
        polls_left: POLLS_PAST_END,
        window: None,
    };
    deltas.collect().now_or_never().unwrap_or_default()
}

#[cfg(test)]
mod tests;
