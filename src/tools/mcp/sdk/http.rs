//! The HTTP client for servers that bend the rules of streamable HTTP.
//!
//! Errors without the request's id reach the request, a forgotten session is renewed whatever its status, and events are repaired.

use super::LeftOut;
use super::repair::{Repaired, repair};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{ClientJsonRpcMessage, JsonRpcError, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use sse_stream::Sse;
use std::collections::HashMap;
use std::sync::Arc;

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

/// Corrects a response that the SDK would misunderstand.
fn understood(
    left_out: &LeftOut,
    response: StreamableHttpPostResponse,
    sent: Sent,
) -> Result<StreamableHttpPostResponse, Error> {
    Ok(match response {
        StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(error), _)
            if sent.has_session && is_about_session(&error) =>
        {
            return Err(StreamableHttpError::SessionExpired);
        }
        StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(error), session) => {
            // JSON-RPC has a null id in errors about requests that could not be read.
            let id = error.id.or(sent.id);
            let error = ServerJsonRpcMessage::error(error.error, id);
            StreamableHttpPostResponse::Json(error, session)
        }
        StreamableHttpPostResponse::Sse(events, session) => {
            StreamableHttpPostResponse::Sse(repaired(left_out.clone(), events), session)
        }
        other => other,
    })
}

/// What was sent.
struct Sent {
    id: Option<rmcp::model::RequestId>,
    has_session: bool,
}

impl Sent {
    fn new(message: &ClientJsonRpcMessage, session: Option<&Arc<str>>) -> Self {
        let id = match message {
            ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        Self { id, has_session: session.is_some() }
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
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(
            uri,
            message,
            session_id,
            auth_header,
            custom_headers,
            limits,
        )
        .await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Error> {
        let sent = Sent::new(&message, session_id.as_ref());
        let response = self.inner.post_message_with_response_limits(
            uri,
            message,
            session_id,
            auth_header,
            custom_headers,
            limits,
        );
        understood(&self.left_out, response.await?, sent)
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
        let max_bytes = StreamableHttpResponseLimits::default().max_sse_event_size;
        self.get_stream_with_max_sse_event_size(
            uri,
            session_id,
            last_event_id,
            auth_header,
            custom_headers,
            max_bytes,
        )
        .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
        max_sse_event_size: usize,
    ) -> Result<Events, Error> {
        let events = self.inner.get_stream_with_max_sse_event_size(
            uri,
            session_id,
            last_event_id,
            auth_header,
            custom_headers,
            max_sse_event_size,
        );
        Ok(repaired(self.left_out.clone(), events.await?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::{ErrorData, RequestId};

    #[tokio::test]
    async fn what_the_sdk_would_not_understand_is_corrected() {
        let left_out = LeftOut::default();
        for (name, id, text, has_session, want) in [
            ("an error without an id", None, "out of paper", true, "7: out of paper"),
            ("with its id", Some(5), "out of paper", true, "5: out of paper"),
            (
                "a forgotten session",
                None,
                "Bad Request: Session not found",
                true,
                "session expired",
            ),
            ("an invalid one", Some(5), "No valid session ID provided", true, "session expired"),
            ("no session yet", None, "session not found", false, "7: session not found"),
            ("another matter", None, "the session is busy", true, "7: the session is busy"),
        ] {
            let id = id.map(RequestId::Number);
            let error = ErrorData::invalid_request(text.to_owned(), None);
            let response =
                StreamableHttpPostResponse::Json(ServerJsonRpcMessage::error(error, id), None);
            let sent = Sent { id: Some(RequestId::Number(7)), has_session };
            let got = match understood(&left_out, response, sent) {
                Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(error), _)) => {
                    format!("{}: {}", error.id.unwrap(), error.error.message)
                }
                Err(StreamableHttpError::SessionExpired) => "session expired".to_owned(),
                other => format!("{other:?}"),
            };
            assert_eq!(got, want, "{name}");
        }
        let event = |data: &str| Ok(Sse { data: Some(data.to_owned()), ..Sse::default() });
        let events = [event(r#"{"id":1,"result":{"tools":[{}]}}"#), event("plain")];
        let repaired: Vec<_> =
            repaired(left_out.clone(), futures_util::stream::iter(events).boxed()).collect().await;
        let data: Vec<String> =
            repaired.into_iter().map(|event| event.unwrap().data.unwrap()).collect();
        assert_eq!(data, [r#"{"id":1,"result":{"tools":[]}}"#, "plain"]);
        assert_eq!(left_out.texts(), ["ignored a tool without `name`"]);
    }
}
