//! The HTTP client for servers that bend the rules of streamable HTTP.
//!
//! Messages are repaired before the SDK reads them, whether they come alone or as events. An error status ends its request with the
//! server's words, whatever its body, and a forgotten session is renewed whatever the status.

use super::LeftOut;
use super::lines::MAX_LINE_BYTES;
use super::repair::{Repaired, repair};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use reqwest::{Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, ErrorData, JsonRpcError, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, SseError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};
use std::collections::HashMap;
use std::sync::Arc;

/// The header that identifies a session.
const SESSION_HEADER: &str = "Mcp-Session-Id";

/// Headers that the protocol sets.
const RESERVED_HEADERS: &[&str] = &["accept", "mcp-session-id", "last-event-id"];

/// The largest message, in bytes: as over stdio.
const MAX_MESSAGE_BYTES: usize = MAX_LINE_BYTES;

/// The largest part of a message that is not understood, for users, in bytes.
const MAX_QUOTED_BYTES: usize = 2048;

type Headers = HashMap<HeaderName, HeaderValue>;
type Events = BoxStream<'static, Result<Sse, SseError>>;
type Error = StreamableHttpError<reqwest::Error>;

/// The client.
#[derive(Debug, Clone)]
pub(super) struct HttpClient {
    inner: reqwest::Client,
    left_out: LeftOut,
}

impl HttpClient {
    pub(super) fn new(inner: reqwest::Client, left_out: LeftOut) -> Self {
        Self { inner, left_out }
    }

    /// Sends a message.
    async fn send(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        session_id: Option<&str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Response, Error> {
        let is_reserved = |name: &&HeaderName| RESERVED_HEADERS.contains(&name.as_str());
        if let Some(name) = headers.keys().find(is_reserved) {
            return Err(StreamableHttpError::ReservedHeaderConflict(name.to_string()));
        }
        let mut request = self
            .inner
            .post(uri)
            .header(ACCEPT, "text/event-stream, application/json")
            .headers(headers.into_iter().collect());
        if let Some(session_id) = session_id {
            request = request.header(SESSION_HEADER, session_id);
        }
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let body = serde_json::to_vec(message)?;
        Ok(request.header(CONTENT_TYPE, "application/json").body(body).send().await?)
    }
}

fn repaired(left_out: LeftOut, events: Events) -> Events {
    let repair_event = move |event: Result<Sse, SseError>| {
        event.map(|mut event| {
            let repaired = event.data.as_ref().and_then(|data| repair(data.as_bytes()));
            if let Some(Repaired { message, left_out: texts }) = repaired {
                left_out.add(texts);
                event.data = Some(message.to_string());
            }
            event
        })
    };
    events.map(repair_event).boxed()
}

/// Reads the response to a message.
async fn received(
    left_out: &LeftOut,
    response: Response,
    sent: Sent,
) -> Result<StreamableHttpPostResponse, Error> {
    let status = response.status();
    check_login(&response)?;
    // Some servers answer a notification with an empty 200.
    let is_empty = sent.id.is_none() && status.is_success() && response.content_length() == Some(0);
    if is_empty || matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
        return Ok(StreamableHttpPostResponse::Accepted);
    }
    if status == StatusCode::NOT_FOUND && sent.has_session {
        return Err(StreamableHttpError::SessionExpired);
    }
    let session = response.headers().get(SESSION_HEADER);
    let session = session.and_then(|id| id.to_str().ok()).map(str::to_owned);
    if status.is_success() && is_event_stream(&response) {
        let events = repaired(left_out.clone(), events(response));
        return Ok(StreamableHttpPostResponse::Sse(events, session));
    }
    let body = body(response).await?;
    let message = message(left_out, &body);
    match message {
        Some(ServerJsonRpcMessage::Error(error))
            if sent.has_session && is_about_session(&error) =>
        {
            Err(StreamableHttpError::SessionExpired)
        }
        // A refusal without a challenge must keep its status.
        Some(ServerJsonRpcMessage::Error(error)) if !is_login_status(status) => {
            // JSON-RPC has a null id in errors about requests that could not be read.
            let id = error.id.or(sent.id);
            Ok(StreamableHttpPostResponse::Json(
                ServerJsonRpcMessage::error(error.error, id),
                session,
            ))
        }
        Some(message) if status.is_success() => {
            Ok(StreamableHttpPostResponse::Json(message, session))
        }
        // Nothing waits for the body.
        Some(_) | None if status.is_success() && sent.id.is_none() => {
            Ok(StreamableHttpPostResponse::Accepted)
        }
        Some(_) | None => {
            let quoted = quoted(&body);
            let problem = match (status.is_success(), quoted.is_empty()) {
                (true, true) => "its response is empty".to_owned(),
                (true, false) => format!("its response is not a JSON-RPC message: {quoted}"),
                (false, true) => format!("HTTP {status}"),
                (false, false) => format!("HTTP {status}: {quoted}"),
            };
            if sent.id.is_some() && !is_login_status(status) {
                // The SDK would show its own types around another error. For a discovery, it tries the handshake next.
                let error = ErrorData::invalid_request(problem, None);
                let error = ServerJsonRpcMessage::error(error, sent.id);
                return Ok(StreamableHttpPostResponse::Json(error, None));
            }
            Err(StreamableHttpError::UnexpectedServerResponse(problem.into()))
        }
    }
}

fn is_login_status(status: StatusCode) -> bool {
    matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)
}

/// Checks that a server does not demand a login or a wider one.
fn check_login(response: &Response) -> Result<(), Error> {
    let status = response.status();
    let challenge = response.headers().get(WWW_AUTHENTICATE).filter(|_| is_login_status(status));
    let Some(challenge) = challenge else { return Ok(()) };
    let challenge = String::from_utf8_lossy(challenge.as_bytes()).into_owned();
    Err(if status == StatusCode::UNAUTHORIZED {
        StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge))
    } else {
        let scope = scope_in(&challenge);
        StreamableHttpError::InsufficientScope(InsufficientScopeError::new(challenge, scope))
    })
}

/// Returns the scopes that a challenge names.
fn scope_in(challenge: &str) -> Option<String> {
    let at = challenge.to_ascii_lowercase().find("scope=")?;
    let value = challenge.get(at + "scope=".len()..)?;
    let scope = match value.strip_prefix('"') {
        Some(value) => value.split('"').next()?,
        None => value.split([',', ';', ' ']).next()?,
    };
    (!scope.is_empty()).then(|| scope.to_owned())
}

fn is_event_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream"))
}

/// Reads a response's events, each of a limited size.
fn events(response: Response) -> Events {
    let (mut event_bytes, mut last) = (0, None);
    let bytes = response.bytes_stream().map(move |piece| {
        let piece = piece.map_err(std::io::Error::other)?;
        // A blank line ends an event.
        for byte in &piece {
            let is_end =
                matches!((last, byte), (Some(b'\n'), b'\n' | b'\r') | (Some(b'\r'), b'\r'));
            event_bytes = if is_end { 0 } else { event_bytes + 1 };
            last = Some(*byte);
        }
        if event_bytes > MAX_MESSAGE_BYTES {
            return Err(too_large());
        }
        Ok(piece)
    });
    SseStream::from_bytes_stream(bytes).boxed()
}

/// Reads a response's body, up to the size limit.
async fn body(response: Response) -> Result<Vec<u8>, Error> {
    let mut pieces = response.bytes_stream();
    let mut body = Vec::new();
    while let Some(piece) = pieces.next().await {
        let piece = piece?;
        if body.len() + piece.len() > MAX_MESSAGE_BYTES {
            return Err(StreamableHttpError::Io(too_large()));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

fn too_large() -> std::io::Error {
    let max = MAX_MESSAGE_BYTES / (1024 * 1024);
    std::io::Error::other(format!("the answer is larger than {max} MB: ask for less"))
}

/// Reads a message; `None` if it is none.
fn message(left_out: &LeftOut, body: &[u8]) -> Option<ServerJsonRpcMessage> {
    match repair(body) {
        Some(Repaired { message, left_out: texts }) => {
            left_out.add(texts);
            serde_json::from_value(message).ok()
        }
        None => serde_json::from_slice(body).ok(),
    }
}

/// Returns the first part of a body, for users.
fn quoted(body: &[u8]) -> String {
    let start = body.get(..MAX_QUOTED_BYTES.min(body.len())).unwrap_or_default();
    String::from_utf8_lossy(start).trim().to_owned()
}

/// What was sent.
struct Sent {
    id: Option<RequestId>,
    has_session: bool,
}

impl Sent {
    fn new(message: &ClientJsonRpcMessage, session: Option<&str>) -> Self {
        let has_session = session.is_some();
        let ClientJsonRpcMessage::Request(request) = message else {
            return Self { id: None, has_session };
        };
        Self { id: Some(request.id.clone()), has_session }
    }
}

/// Returns true if a server no longer knows the session. The specification wants the status 404 for that. Source: Python's and TypeScript's
/// SDKs, which answered 400, 2025-03 to 2026-06.
fn is_about_session(error: &JsonRpcError) -> bool {
    let text = error.error.message.to_ascii_lowercase();
    let is_lost = ["not found", "invalid", "expired", "unknown", "no valid", "terminated"];
    text.contains("session") && is_lost.iter().any(|words| text.contains(words))
}

impl StreamableHttpClient for HttpClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Error> {
        let (session, auth) = (session_id.as_deref(), auth_header);
        let sent = Sent::new(&message, session);
        let response = self.send(&uri, &message, session, auth, custom_headers).await?;
        received(&self.left_out, response, sent).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), Error> {
        self.inner.delete_session(uri, session_id, auth_header, custom_headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<Events, Error> {
        let events = self.inner.get_stream_with_max_sse_event_size(
            uri,
            session_id,
            last_event_id,
            auth_header,
            custom_headers,
            MAX_MESSAGE_BYTES,
        );
        Ok(repaired(self.left_out.clone(), events.await?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio_tungstenite::tungstenite::http;

    /// A name, a response's status, headers and body, and the result for the SDK.
    type Row =
        (&'static str, u16, &'static [(&'static str, &'static str)], &'static str, &'static str);

    fn response(status: u16, headers: &[(&str, &str)], body: &str) -> Response {
        let mut response = http::Response::builder().status(status);
        for (name, value) in headers {
            response = response.header(*name, *value);
        }
        response.body(body.to_owned()).unwrap().into()
    }

    /// Returns the result for the SDK, as text.
    async fn shown(got: Result<StreamableHttpPostResponse, Error>) -> String {
        match got {
            Ok(StreamableHttpPostResponse::Accepted) => "accepted".to_owned(),
            Ok(StreamableHttpPostResponse::Json(message, session)) => {
                let session = session.map(|id| format!(" in {id}")).unwrap_or_default();
                format!("{}{session}", serde_json::to_string(&message).unwrap())
            }
            Ok(StreamableHttpPostResponse::Sse(mut events, _)) => {
                let mut data = Vec::new();
                while let Some(event) = events.next().await {
                    data.push(event.map_or_else(
                        |error| format!("error: {error}"),
                        |event| event.data.unwrap_or_default(),
                    ));
                }
                format!("events: {}", data.join(" | "))
            }
            Err(StreamableHttpError::InsufficientScope(error)) => {
                format!("needs {:?}", error.get_required_scope())
            }
            Err(error) => error.to_string(),
            Ok(_) => "another response".to_owned(),
        }
    }

    #[tokio::test]
    async fn responses_are_read_leniently_and_errors_keep_the_servers_words() {
        let json = &[("content-type", "application/json")];
        let no_session = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"Bad Request: Session not found"}}"#;
        let odd = r#"{"jsonrpc":"2.0","id":7,"error":null,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}},{}]}}"#;
        let tools = r#"{"jsonrpc":"2.0","id":7,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}"#;
        let event_stream = &[("content-type", "Text/Event-Stream; charset=utf-8")];
        let rows: &[Row] = &[
            ("one odd tool", 200, json, odd, tools),
            ("without a content type", 200, &[], odd, tools),
            ("as text", 200, &[("content-type", "text/plain")], odd, tools),
            (
                "with a session",
                200,
                &[("mcp-session-id", "s1")],
                r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
                r#"{"jsonrpc":"2.0","id":7,"result":{}} in s1"#,
            ),
            (
                "as events",
                200,
                event_stream,
                "data: {\"id\":1,\"result\":{\"tools\":[{}]}}\n\ndata: plain\n\n",
                r#"events: {"id":1,"result":{"tools":[]}} | plain"#,
            ),
            (
                "an error without an id",
                200,
                json,
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"out of paper"}}"#,
                r#"{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"out of paper"}}"#,
            ),
            (
                "an error with its id and status",
                500,
                json,
                r#"{"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"out of paper"}}"#,
                r#"{"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"out of paper"}}"#,
            ),
            ("a forgotten session", 400, json, no_session, "Session expired (HTTP 404)"),
            ("whatever the body", 404, &[], "<h1>gone</h1>", "Session expired (HTTP 404)"),
            (
                "a status with a page",
                502,
                &[("content-type", "text/html")],
                "<h1>Bad gateway</h1>\n",
                r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"HTTP 502 Bad Gateway: <h1>Bad gateway</h1>"}}"#,
            ),
            (
                "a status alone",
                503,
                &[],
                "",
                r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"HTTP 503 Service Unavailable"}}"#,
            ),
            (
                "other JSON",
                200,
                json,
                r#"{"ok":true}"#,
                r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"its response is not a JSON-RPC message: {\"ok\":true}"}}"#,
            ),
            (
                "nothing",
                200,
                json,
                "",
                r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"its response is empty"}}"#,
            ),
            ("accepted", 202, &[], "", "accepted"),
            ("no login", 401, &[("www-authenticate", "Bearer")], "", "Auth required"),
            (
                "a narrow login",
                403,
                &[("www-authenticate", "Bearer error=\"insufficient_scope\", Scope=\"a b\"")],
                "",
                r#"needs Some("a b")"#,
            ),
            (
                "a refusal without a challenge",
                401,
                json,
                r#"{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"log in"}}"#,
                r#"unexpected server response: HTTP 401 Unauthorized: {"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"log in"}}"#,
            ),
        ];
        for (name, status, headers, body, want) in rows {
            let left_out = LeftOut::default();
            let id = Some(RequestId::Number(7));
            let sent = Sent { id, has_session: true };
            let got = received(&left_out, response(*status, headers, body), sent).await;
            assert_eq!(shown(got).await, *want, "{name}");
            let told: &[&str] =
                if body.contains("{}]") { &["ignored a tool without `name`"] } else { &[] };
            assert_eq!(left_out.texts(), told, "{name}");
        }
    }

    #[tokio::test]
    async fn what_was_sent_decides_how_a_response_is_read() {
        let text =
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"session not found"}}"#;
        let id = || Some(RequestId::Number(7));
        let first = || Sent { id: id(), has_session: false };
        let notification = || Sent { id: None, ..first() };
        let (json, events) = ("application/json", "text/event-stream");
        for (name, sent, status, kind, body, want) in [
            (
                "no session yet",
                first(),
                400,
                json,
                text,
                r#"{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"session not found"}}"#,
            ),
            (
                "not found",
                first(),
                404,
                json,
                "no",
                r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"HTTP 404 Not Found: no"}}"#,
            ),
            (
                "an older server, asked for its versions",
                first(),
                404,
                json,
                "no",
                r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"HTTP 404 Not Found: no"}}"#,
            ),
            ("a notification", notification(), 200, json, "ok", "accepted"),
            ("an empty stream", notification(), 200, events, "", "accepted"),
            (
                "refused",
                notification(),
                500,
                json,
                "no",
                "unexpected server response: HTTP 500 Internal Server Error: no",
            ),
        ] {
            let got = received(
                &LeftOut::default(),
                response(status, &[("content-type", kind)], body),
                sent,
            )
            .await;
            assert_eq!(shown(got).await, want, "{name}");
        }
    }
}
