//! Providers over real sockets: what a server does, and what comes out of it.

use crate::support::server::{Connection, Server};
use futures_util::StreamExt;
use pintle_base::ambient::Secret;
use pintle_llm::http::{Http, Timeouts};
use pintle_llm::{
    Api, Delta, DeltaStream, Endpoint, Error, ErrorKind, Message, Provider, Request, Trace, connect,
};
use pintle_protocol::content::Content;
use std::sync::Arc;
use std::time::Duration;

const KEY: &str = "sk-test-0123456789";

fn request() -> Request {
    Request {
        model: "m".to_owned(),
        origin: "own/m".to_owned(),
        system: "".into(),
        messages: vec![Arc::new(Message::User(vec![Content::text("hi")]))].into(),
        tools: Arc::new([]),
        effort: None,
        max_output_tokens: None,
        cache_key: None,
        output_schema: None,
        trace: Trace::default(),
    }
}

fn provider(api: Api, url: &str, timeouts: Timeouts) -> Arc<dyn Provider> {
    let mut endpoint = Endpoint::new("own", api, url);
    endpoint.key = Some(Secret::new(KEY));
    connect(endpoint, Arc::new(Http::new(timeouts)))
}

fn chat(server: &Server) -> Arc<dyn Provider> {
    provider(Api::Chat, &server.url, Timeouts::default())
}

fn piece(text: &str) -> String {
    format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
}

const STOP: &str =
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

/// Answers the first request with the beginning of a stream.
async fn begin(server: &Server) -> Connection {
    let (mut connection, _) = server.request().await;
    connection.head(200, "text/event-stream").await;
    connection.chunk(piece("a")).await;
    connection
}

/// Awaits a client, whose server falls silent after serving it.
async fn against<T>(serving: impl Future, client: impl Future<Output = T>) -> T {
    let serving = async {
        let _connection = serving.await;
        std::future::pending().await
    };
    tokio::select! {
        done = client => done,
        never = serving => never,
    }
}

async fn next_text(stream: &mut DeltaStream) -> String {
    loop {
        match stream.next().await.unwrap().unwrap() {
            Delta::Text { text, .. } => return text,
            Delta::Start { .. } => {}
            other @ (Delta::Arguments { .. }
            | Delta::Opaque { .. }
            | Delta::ProviderCall(_)
            | Delta::End { .. }
            | Delta::Usage(_)
            | Delta::Tier(_)
            | Delta::Stop(_)) => panic!("{other:?}"),
        }
    }
}

async fn failure(stream: &mut DeltaStream) -> Error {
    loop {
        if let Err(error) = stream.next().await.unwrap() {
            assert!(stream.next().await.is_none(), "nothing follows an error");
            return error;
        }
    }
}

#[tokio::test]
async fn each_delta_is_there_before_the_next_byte_is_sent() {
    let server = Server::start().await;
    let provider = chat(&server);
    let (stream, mut connection) = tokio::join!(provider.stream(request()), begin(&server));
    let mut stream = stream.unwrap();
    assert_eq!(next_text(&mut stream).await, "a");
    for text in ["b", "ü", "c"] {
        connection.chunk(piece(text)).await;
        assert_eq!(next_text(&mut stream).await, text);
    }
    connection.chunk(STOP).await;
    connection.end().await;
    let rest: Vec<_> = stream.collect().await;
    assert!(matches!(rest.last(), Some(Ok(Delta::Stop(_)))), "{rest:?}");
}

#[tokio::test]
async fn a_reply_that_was_read_to_its_end_leaves_the_connection_for_the_next() {
    let server = Server::start().await;
    let provider = chat(&server);
    let (stream, mut connection) = tokio::join!(provider.stream(request()), begin(&server));
    connection.chunk(STOP).await;
    connection.end().await;
    assert!(stream.unwrap().all(async |delta| delta.is_ok()).await);
    let again = async {
        let received = connection.receive().await.unwrap();
        connection.respond(200, "text/event-stream", &(piece("b") + STOP)).await;
        received
    };
    let (stream, received) = tokio::join!(provider.stream(request()), again);
    assert_eq!(next_text(&mut stream.unwrap()).await, "b");
    assert_eq!(
        (received.method.as_str(), received.path.as_str()),
        ("POST", "/v1/chat/completions")
    );
    assert_eq!(received.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(received.header("content-type"), Some("application/json"));
    assert_eq!(received.json()["messages"][0]["content"], "hi");
}

#[tokio::test]
async fn a_request_that_meets_a_connection_that_closes_is_sent_again_once() {
    let server = Server::start().await;
    let provider = chat(&server);
    let (stream, mut kept) = tokio::join!(provider.stream(request()), begin(&server));
    kept.chunk(STOP).await;
    kept.end().await;
    assert!(stream.unwrap().all(async |delta| delta.is_ok()).await);
    // The server ends the connection that it kept, just when the next request comes.
    let again = async {
        let first = kept.receive().await.unwrap();
        drop(kept);
        let (mut connection, second) = server.request().await;
        assert_eq!(second.json(), first.json());
        connection.respond(200, "text/event-stream", &(piece("b") + STOP)).await;
    };
    let (stream, ()) = tokio::join!(provider.stream(request()), again);
    assert_eq!(next_text(&mut stream.unwrap()).await, "b");
    // Once, not without end.
    let refuses = async {
        for _ in 0..2 {
            drop(server.request().await);
        }
    };
    let (stream, ()) = tokio::join!(provider.stream(request()), refuses);
    let error = stream.err().unwrap();
    assert_eq!(error.kind, ErrorKind::Network);
    assert!(error.message.contains("broke"), "{error:?}");
}

#[tokio::test]
async fn dropping_a_reply_closes_the_connection() {
    let server = Server::start().await;
    let provider = chat(&server);
    let (stream, connection) = tokio::join!(provider.stream(request()), begin(&server));
    drop(stream);
    connection.closed().await;
}

#[tokio::test]
async fn anthropic_gets_its_headers_and_the_root() {
    let server = Server::start().await;
    let provider = provider(Api::Messages, &format!("{}/v1/", server.url), Timeouts::default());
    let answer = async {
        let (mut connection, received) = server.request().await;
        connection.respond(200, "text/event-stream", "data: {\"type\":\"message_stop\"}\n\n").await;
        received
    };
    let (stream, received) = tokio::join!(provider.stream(request()), answer);
    assert_eq!(stream.unwrap().count().await, 1);
    assert_eq!(received.path, "/v1/messages");
    assert_eq!(received.header("x-api-key"), Some(KEY));
    assert_eq!(received.header("anthropic-version"), Some("2023-06-01"));
}

#[tokio::test]
async fn broken_streams_are_typed() {
    let server = Server::start().await;
    for (how, kind, message) in [
        ("cut", ErrorKind::Network, "broke"),
        ("short chunk", ErrorKind::Network, "broke"),
        ("ended", ErrorKind::Protocol, "cut off"),
    ] {
        let provider = chat(&server);
        let (stream, mut connection) = tokio::join!(provider.stream(request()), begin(&server));
        let mut stream = stream.unwrap();
        assert_eq!(next_text(&mut stream).await, "a");
        match how {
            "cut" => connection.cut(),
            "short chunk" => {
                connection.part_of_chunk("data: {\"cho").await;
                drop(connection);
            }
            _ => connection.end().await,
        }
        let error = failure(&mut stream).await;
        assert_eq!(error.kind, kind, "{how}: {error:?}");
        assert!(error.message.contains(message), "{how}: {error:?}");
    }
}

#[tokio::test]
async fn silence_is_a_timeout_before_and_within_the_answer() {
    let server = Server::start().await;
    let short = Duration::from_millis(20);
    let url = server.url.clone();
    let timeouts = Timeouts { first_byte: short, ..Timeouts::default() };
    let quiet = provider(Api::Chat, &url, timeouts);
    // On a busy machine the time may be over before the server has the request.
    let error = against(server.request(), quiet.stream(request())).await.err().unwrap();
    assert_eq!(error.kind, ErrorKind::Timeout);
    assert!(error.message.contains("did not begin to answer"), "{error:?}");

    let timeouts = Timeouts { idle: short, ..Timeouts::default() };
    let stalled = provider(Api::Chat, &url, timeouts);
    let falling_silent = async { failure(&mut stalled.stream(request()).await.unwrap()).await };
    let error = against(begin(&server), falling_silent).await;
    assert_eq!(error.kind, ErrorKind::Timeout);
    assert!(error.message.contains("fell silent"), "{error:?}");
}

#[tokio::test]
async fn servers_that_are_not_there_or_not_what_they_seem() {
    let closed = Server::start().await.url;
    let tls_to_plain = Server::start().await;
    let https = tls_to_plain.url.replace("http:", "https:");
    let no_host = "http://no-such-host.invalid";
    for (url, kind, message, hint) in [
        (
            closed.as_str(),
            ErrorKind::Network,
            "refused the connection",
            "is the server at http://127.0.0.1",
        ),
        (no_host, ErrorKind::Network, "cannot find the host", "check the provider's base URL"),
        (
            "http://a b",
            ErrorKind::InvalidRequest,
            "is not a valid URL",
            "check the provider's base URL",
        ),
    ] {
        let error =
            provider(Api::Chat, url, Timeouts::default()).stream(request()).await.err().unwrap();
        assert_eq!(error.kind, kind, "{error:?}");
        assert!(error.message.contains(message), "{error:?}");
        assert!(error.hint.clone().unwrap_or_default().contains(hint), "{error:?}");
        assert!(!format!("{error:?}").contains(KEY));
    }
    let answer = async {
        let mut connection = tls_to_plain.accept().await;
        connection.write("HTTP/1.1 400 Bad Request\r\n\r\n").await;
    };
    let provider = provider(Api::Chat, &https, Timeouts::default());
    let (stream, ()) = tokio::join!(provider.stream(request()), answer);
    let error = stream.err().unwrap();
    assert_eq!(error.kind, ErrorKind::Network);
    assert!(error.message.contains("TLS") || error.message.contains("HTTPS"), "{error:?}");
}

#[tokio::test]
async fn refusals_are_read_whatever_their_label() {
    let server = Server::start().await;
    for (status, label, body, kind) in [
        (
            401,
            "text/plain",
            r#"{"error":{"message":"Incorrect API key provided"}}"#,
            ErrorKind::Auth,
        ),
        (404, "text/html", "<html>not here</html>", ErrorKind::InvalidRequest),
        (429, "application/json", r#"{"error":{"message":"slow down"}}"#, ErrorKind::RateLimit),
        (529, "application/json", "{}", ErrorKind::Overloaded),
        (307, "text/plain", "", ErrorKind::InvalidRequest),
        (
            200,
            "text/event-stream",
            r#"{"error":{"message":"busy","type":"overloaded_error"}}"#,
            ErrorKind::Overloaded,
        ),
        (200, "text/event-stream", "<!doctype html>", ErrorKind::InvalidRequest),
    ] {
        let provider = chat(&server);
        let answer = async {
            let (mut connection, _) = server.request().await;
            connection.respond(status, label, body).await;
            connection
        };
        let (stream, _connection) = tokio::join!(provider.stream(request()), answer);
        let error = stream.err().unwrap();
        assert_eq!((error.kind, error.status), (kind, Some(status)), "{error:?}");
        assert!(!format!("{error:?}").contains(KEY));
    }
}
