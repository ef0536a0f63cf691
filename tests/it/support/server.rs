//! A server on the loopback that does what a test tells it, byte by byte: the test itself is the script.
//!
//! It knows just enough HTTP/1.1 to read one request and to write an answer in chunks. To stall, do not write; to
//! cut, call [`Connection::cut`]. Run it beside the client with `tokio::join!`, or in front of the real binary.

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use std::pin::pin;
use std::process::{Child, Output};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;

/// A connection that may bring a request.
type Awaited = BoxFuture<'static, Option<(Connection, Received)>>;

/// A listener on a free port.
#[derive(Debug)]
pub(crate) struct Server {
    listener: TcpListener,
    /// The connections that have brought no request yet. A client may open one to spare and send its request on another.
    spare: Mutex<FuturesUnordered<Awaited>>,
    /// `http://127.0.0.1:PORT`.
    pub(crate) url: String,
}

/// One request as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Received {
    pub(crate) method: String,
    /// With the query.
    pub(crate) path: String,
    /// In order, names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

impl Server {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        Self { listener, spare: Mutex::default(), url }
    }

    /// Waits for the next connection.
    pub(crate) async fn accept(&self) -> Connection {
        let (stream, _) = self.listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        Connection { stream: BufReader::new(stream) }
    }

    /// Waits for the next request that comes first on its connection.
    pub(crate) async fn request(&self) -> (Connection, Received) {
        let mut spare = self.spare.lock().await;
        loop {
            tokio::select! {
                mut connection = self.accept() => spare.push(Box::pin(async move {
                    let received = connection.receive().await?;
                    Some((connection, received))
                })),
                Some(came) = spare.next() => if let Some(came) = came {
                    return came;
                },
            }
        }
    }

    /// Serves a program until its end. Panics with its output when it ends without all requests that are served.
    pub(crate) async fn beside(child: Child, serving: impl Future<Output = ()>) -> Output {
        let waiting = tokio::task::spawn_blocking(move || child.wait_with_output().unwrap());
        let mut serving = pin!(serving);
        let mut ended = pin!(async {
            let output = waiting.await.unwrap();
            // It may have ended upon the last answer.
            tokio::task::yield_now().await;
            output
        });
        tokio::select! {
            biased;
            () = &mut serving => ended.await,
            output = &mut ended => {
                let shown = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
                panic!("the program ended ({}) before it had sent all its requests: {shown}", output.status)
            }
        }
    }
}

/// One connection. Dropping it closes it in order.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    /// Reads one whole request; `None` when the client closed the connection.
    pub(crate) async fn receive(&mut self) -> Option<Received> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let mut words = line.split_whitespace().map(str::to_owned);
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).await.ok()?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut received = Received { method, path, headers, body: String::new() };
        let length = received.header("content-length").map_or(0, |text| text.parse().unwrap());
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).await.ok()?;
        received.body = String::from_utf8(body).unwrap();
        Some(received)
    }

    /// Writes bytes as they are, at once.
    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.unwrap();
        self.stream.flush().await.unwrap();
    }

    /// Answers in one go, and says that the connection ends with it.
    pub(crate) async fn respond(&mut self, status: u16, content_type: &str, body: &str) {
        let length = body.len();
        self.write(format!(
            "HTTP/1.1 {status} X\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
        ))
        .await;
    }

    /// Begins an answer that comes in chunks.
    pub(crate) async fn head(&mut self, status: u16, content_type: &str) {
        self.write(format!(
            "HTTP/1.1 {status} X\r\ncontent-type: {content_type}\r\ntransfer-encoding: chunked\r\n\r\n"
        ))
        .await;
    }

    /// Sends one chunk; an error once the client has closed the connection.
    pub(crate) async fn try_chunk(&mut self, bytes: impl AsRef<[u8]>) -> std::io::Result<()> {
        let bytes = bytes.as_ref();
        let mut framed = format!("{:x}\r\n", bytes.len()).into_bytes();
        framed.extend_from_slice(bytes);
        framed.extend_from_slice(b"\r\n");
        self.stream.write_all(&framed).await?;
        self.stream.flush().await
    }

    /// Sends one chunk at once.
    pub(crate) async fn chunk(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        let mut framed = format!("{:x}\r\n", bytes.len()).into_bytes();
        framed.extend_from_slice(bytes);
        framed.extend_from_slice(b"\r\n");
        self.write(framed).await;
    }

    /// Sends the beginning of a chunk that is said to be longer.
    pub(crate) async fn part_of_chunk(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        let mut framed = format!("{:x}\r\n", bytes.len() + 100).into_bytes();
        framed.extend_from_slice(bytes);
        self.write(framed).await;
    }

    /// Ends an answer in chunks; the connection can take the next request.
    pub(crate) async fn end(&mut self) {
        self.write("0\r\n\r\n").await;
    }

    /// Resets the connection, as a crash does.
    pub(crate) fn cut(self) {
        // A linger of zero makes the close a reset.
        self.stream.into_inner().set_zero_linger().unwrap();
    }

    /// Waits until the client closes the connection.
    pub(crate) async fn closed(mut self) {
        let mut rest = Vec::new();
        let _ = self.stream.read_to_end(&mut rest).await;
    }
}

/// Starts a server of this machine that reads each request to its end and streams this text as events, as long as the tests run. Returns its
/// port.
pub(crate) fn streams(body: &'static str) -> u16 {
    streams_then(body, drop)
}

/// The same, but the stream does not end after the text.
pub(crate) fn begins_to_stream(body: &'static str) -> u16 {
    let mut open = Vec::new();
    streams_then(body, move |client| open.push(client))
}

fn streams_then(
    body: &'static str,
    mut then: impl FnMut(std::io::BufReader<std::net::TcpStream>) + Send + 'static,
) -> u16 {
    use std::io::{BufRead, Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = std::io::BufReader::new(client.unwrap());
            let mut length = 0;
            let mut line = String::new();
            while client.read_line(&mut line).is_ok_and(|count| count > 2) {
                let header = line.to_ascii_lowercase();
                if let Some(value) = header.strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let _ = client.read_exact(&mut vec![0; length]);
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
            let _ = client.get_mut().write_all(format!("{head}{body}").as_bytes());
            then(client);
        }
    });
    port
}

/// Starts a server of this machine that answers each request with this text, as long as the tests run. Returns its port.
pub(crate) fn always(body: &'static str) -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            let _ = std::io::Read::read(&mut client, &mut [0; 4096]);
            let response = format!("HTTP/1.0 200 OK\r\n\r\n{body}");
            let _ = std::io::Write::write_all(&mut client, response.as_bytes());
        }
    });
    port
}
