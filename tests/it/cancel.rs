//! A turn that is stopped while its provider is silent ends at once, wherever it waits, and leaves no connection behind.

use crate::support::program::{Framing, Place, Program};
use crate::support::server::Server;
use pintle_testing::waiting::until_async;
use serde_json::{Value, json};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

const DELTA: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hel\"}}]}\n\n";

/// Where the provider falls silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Silent {
    /// It takes no connection.
    Connecting,
    /// It has the request and answers nothing.
    BeforeTheHead,
    /// The head is there, and no byte of the body.
    BeforeTheBody,
    BetweenDeltas,
    /// It refuses, and its explanation never ends.
    InsideAnError,
    /// It asked to wait, and is not asked again meanwhile.
    BeforeARetry,
}

/// A server that has fallen silent, or will.
struct Served {
    url: String,
    /// Says when the client waits.
    is_there: Receiver<()>,
    /// What takes no connection goes on doing so until this is dropped.
    hold: Sender<()>,
    /// Ends when the client has left.
    thread: JoinHandle<()>,
}

/// Falls silent once, until the client leaves.
fn serve(silent: Silent) -> Served {
    let (tx, url) = channel();
    let (at, is_there): (Sender<()>, _) = channel();
    let (hold, held) = channel();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            if silent == Silent::Connecting {
                return full_listener(&tx, &at, &held).await;
            }
            let server = Server::start().await;
            tx.send(server.url.clone()).unwrap();
            let (mut connection, _) = server.request().await;
            match silent {
                Silent::Connecting | Silent::BeforeTheHead => {}
                Silent::BeforeTheBody => connection.head(200, "text/event-stream").await,
                Silent::BetweenDeltas => {
                    connection.head(200, "text/event-stream").await;
                    connection.chunk(DELTA).await;
                }
                Silent::InsideAnError => {
                    connection.head(500, "application/json").await;
                    connection.chunk("{\"error\":").await;
                }
                Silent::BeforeARetry => {
                    let head = "HTTP/1.1 503 X\r\nretry-after: 50\r\ncontent-length: 0\r\n\r\n";
                    connection.write(head).await;
                }
            }
            at.send(()).unwrap();
            connection.closed().await;
        });
    });
    Served { url: url.recv().unwrap(), is_there, hold, thread }
}

/// Returns the number of connections in a listener's accept queue, from `/proc`.
fn queued(port: u16) -> usize {
    let table = std::fs::read_to_string("/proc/self/net/tcp").unwrap();
    let address = format!("0100007F:{port:04X}");
    let row = table.lines().find_map(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let is_listening = fields.next() == Some(&address) && fields.nth(1) == Some("0A");
        is_listening.then(|| fields.next().unwrap())
    });
    let (_, waiting) = row.unwrap().split_once(':').unwrap();
    usize::from_str_radix(waiting, 16).unwrap()
}

/// A listener whose queue is full: whoever else comes waits for a handshake.
async fn full_listener(url: &Sender<String>, at: &Sender<()>, held: &Receiver<()>) {
    const BACKLOG: u32 = 1;
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(BACKLOG).unwrap();
    let address = listener.local_addr().unwrap();
    let mut connections = Vec::new();
    // Linux queues one connection more than the backlog.
    while queued(address.port()) <= BACKLOG as usize {
        connections.push(tokio::net::TcpStream::connect(address).await.unwrap());
        let came = connections.len();
        until_async(|| queued(address.port()) == came).await;
    }
    url.send(format!("http://{address}")).unwrap();
    at.send(()).unwrap();
    // Nothing else runs on this thread.
    let _ = held.recv();
}

#[test]
fn a_stop_ends_the_turn_wherever_it_waits() {
    for silent in [
        Silent::Connecting,
        Silent::BeforeTheHead,
        Silent::BeforeTheBody,
        Silent::BetweenDeltas,
        Silent::InsideAnError,
        Silent::BeforeARetry,
    ] {
        let Served { url, is_there, hold, thread } = serve(silent);
        let place = Place::new(&[]);
        let url = format!("{url}/v1");
        let args = ["serve", "--model", "own/m", "--api", "chat", "--base-url", &url];
        let mut command = place.engine(&args);
        command.env("PINTLE_RETRIES", "3");
        let mut program = Program::start(command, Framing::Lines);
        program.initialize();
        program.ask("session/create", json!({}));
        program.prompt("hi");
        is_there.recv().unwrap();
        let is =
            |kind: &'static str| move |message: &Value| message["params"]["event"]["type"] == kind;
        match silent {
            Silent::BetweenDeltas => {
                program.until(|message| message["params"]["event"]["field"] == "text");
            }
            Silent::BeforeARetry => {
                program.until(is("retry.scheduled"));
            }
            Silent::Connecting
            | Silent::BeforeTheHead
            | Silent::BeforeTheBody
            | Silent::InsideAnError => {}
        }
        program.request("turn/interrupt", json!({}));
        let end = program.until_event("turn.completed");
        drop(hold);
        assert_eq!(end["status"], "interrupted", "{silent:?}: {end}");
        // The connection is closed, so the server's side ends while the program still runs. After a refusal it may be kept for
        // the next request.
        if silent != Silent::BeforeARetry {
            thread.join().unwrap();
        }
    }
}
