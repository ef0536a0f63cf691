//! Several clients over one engine: each connection to a socket gets a separate frontend.
//!
//! A connection leaves its sessions when it ends, and their running work continues. Invariant: no client is served without the engine's
//! token, since a model's command may reach the socket, but not the file that contains the token.

mod gate;
mod greeting;

pub use greeting::{Greeting, Speaks};

use crate::client::Scope;
use crate::connection::Ended;
use crate::{acp, ahp, lsp, native, pi};
use futures_util::future::FutureExt;
use futures_util::stream::{FuturesUnordered, StreamExt};
use gate::{Gate, Handshake, Wire};
use greeting::{First, Greeted};
use pintle_agent::EngineHandle;
use pintle_base::transport::{self, websocket};
use pintle_os::socket::{self, Served};
use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::http::StatusCode;
use tokio_util::sync::CancellationToken;

/// The time in which a client must show the token.
const GREETING_TIMEOUT: Duration = Duration::from_secs(10);

/// The time that an engine waits for its first client at least.
const FIRST_CLIENT_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum number of WebSocket clients in the handshake at once. A real client takes a millisecond; other processes on this machine, which
/// may connect and send nothing, keep at most this many descriptors open. One more replaces the oldest.
const MAX_HANDSHAKES: usize = 32;

/// An engine's sockets.
#[derive(Debug)]
pub struct Sockets {
    /// The socket that `pintle attach` connects to.
    pub local: socket::Listener,
    /// A port of the loopback for WebSockets.
    pub web: Option<TcpListener>,
}

/// Options for a listening engine.
#[derive(Debug, Clone)]
pub struct Options {
    /// The token that clients show.
    pub token: String,
    /// The origins of web pages that may connect.
    pub origins: Vec<String>,
    /// Further hosts that requests for WebSockets may name.
    pub hosts: Vec<String>,
    /// The default working directory for WebSocket clients' sessions.
    pub cwd: PathBuf,
    /// The time without clients and open sessions after which the engine ends; `None` for never.
    pub idle_exit: Option<Duration>,
    /// Cancel it to interrupt running turns and close in order.
    pub stop: CancellationToken,
}

/// A client that connected.
enum Came {
    Local(socket::Stream),
    Web(TcpStream),
}

impl Sockets {
    /// Waits for the next client. Cancel-safe.
    async fn accept(&self) -> io::Result<Came> {
        tokio::select! {
            accepted = socket::accept(&self.local) => accepted.map(Came::Local),
            accepted = accept_web(self.web.as_ref()) => accepted.map(Came::Web),
        }
    }
}

async fn accept_web(listener: Option<&TcpListener>) -> io::Result<TcpStream> {
    match listener {
        Some(listener) => listener.accept().await.map(|(stream, _)| stream),
        None => std::future::pending().await,
    }
}

/// Serves every client that connects, until the engine is stopped or has been unused for a while.
///
/// # Errors
/// Fails if a socket has no address.
pub async fn serve(sockets: Sockets, engine: EngineHandle, options: Options) -> io::Result<Ended> {
    let mut connections = JoinSet::new();
    let leaving = CancellationToken::new();
    let local_gate = Gate {
        token: options.token.clone(),
        address: None,
        origins: options.origins.clone(),
        hosts: options.hosts.clone(),
    };
    let gate = match &sockets.web {
        Some(listener) => {
            Some(Gate { address: Some(listener.local_addr()?), ..local_gate.clone() })
        }
        None => None,
    };
    let mut hosts = Hosts { running: JoinSet::new(), handle: None, cwd: options.cwd.clone() };
    let mut handshakes = Handshakes::default();
    let mut idle_exit = options.idle_exit.map(|idle_exit| idle_exit.max(FIRST_CLIENT_TIMEOUT));
    let ended = loop {
        let unused = until_unused(&engine, connections.is_empty(), idle_exit);
        tokio::select! {
            biased;
            () = options.stop.cancelled() => break Ended::Stopped,
            Some(_) = connections.join_next() => {}
            accepted = sockets.accept() => match (accepted, &gate) {
                (Ok(Came::Local(stream)), _) => {
                    idle_exit = options.idle_exit;
                    let cwd = options.cwd.clone();
                    let options = native::Options { cwd, stop: leaving.clone(), scope: Scope::Shared };
                    let host = hosts.handle(&engine);
                    connections.spawn(serve_local(stream, local_gate.clone(), (engine.clone(), host), options));
                }
                (Ok(Came::Web(stream)), Some(gate)) => {
                    idle_exit = options.idle_exit;
                    let waiting = handshakes.begin();
                    let cwd = options.cwd.clone();
                    let options = native::Options { cwd, stop: leaving.clone(), scope: Scope::Shared };
                    let host = hosts.handle(&engine);
                    connections.spawn(serve_web(stream, waiting, gate.clone(), (engine.clone(), host), options));
                }
                (Ok(Came::Web(_)), None) => {}
                (Err(error), _) => {
                    // Out of descriptors, perhaps: others may end.
                    tracing::warn!("failed to accept a client: {error}");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
            () = unused => break Ended::EndOfInput,
        }
    };
    drop(sockets);
    // Clients that are there see how their sessions end.
    engine.shutdown().await;
    leaving.cancel();
    while connections.join_next().await.is_some() {}
    let Hosts { mut running, handle, .. } = hosts;
    drop(handle);
    while running.join_next().await.is_some() {}
    Ok(ended)
}

/// The WebSocket clients in the handshake, oldest first.
#[derive(Default)]
struct Handshakes(VecDeque<Waiting>);

/// A client in the handshake, as long as it has this token. It is cancelled to make room for another.
type Waiting = Arc<CancellationToken>;

impl Handshakes {
    fn begin(&mut self) -> Waiting {
        self.0.retain(|waiting| Arc::strong_count(waiting) > 1);
        if self.0.len() >= MAX_HANDSHAKES
            && let Some(longest) = self.0.pop_front()
        {
            longest.cancel();
        }
        let waiting = Waiting::default();
        self.0.push_back(Arc::clone(&waiting));
        waiting
    }
}

/// The one host of all clients that speak the Agent Host Protocol.
struct Hosts {
    running: JoinSet<()>,
    handle: Option<ahp::HostHandle>,
    cwd: PathBuf,
}

impl Hosts {
    /// Returns the way to the host, which is started with the first client.
    fn handle(&mut self, engine: &EngineHandle) -> ahp::HostHandle {
        let (running, cwd) = (&mut self.running, &self.cwd);
        let started = self.handle.get_or_insert_with(|| {
            let (host, handle) = ahp::AhpHost::new(engine.clone(), cwd.clone());
            running.spawn(host.run());
            handle
        });
        started.clone()
    }
}

/// Waits until there is neither a client nor an open session, and then for the idle time, if one is set.
async fn until_unused(engine: &EngineHandle, has_no_clients: bool, idle_exit: Option<Duration>) {
    match idle_exit {
        Some(idle_exit) if has_no_clients => {
            engine.when_empty().await;
            tokio::time::sleep(idle_exit).await;
        }
        Some(_) | None => std::future::pending().await,
    }
}

/// Serves a client of the local socket to its end.
async fn serve_local(
    stream: socket::Stream,
    gate: Gate,
    (engine, host): (EngineHandle, ahp::HostHandle),
    options: native::Options,
) {
    let first = tokio::time::timeout(GREETING_TIMEOUT, greeting::first(&stream, &gate.token)).await;
    let Greeted { greeting, rest } = match first {
        Ok(Ok(First::Greeted(greeted))) => greeted,
        Ok(Ok(First::Request(begun))) => {
            return serve_request(stream, begun, gate, (engine, host), options).await;
        }
        Ok(Err(error)) => {
            tracing::info!("rejected a client: {error}");
            greeting::refuse(&stream, &error).await;
            return;
        }
        Err(_) => return tracing::info!("disconnected a client that sent nothing"),
    };
    let opened = Served::new(stream).and_then(|stream| {
        let (transport, writing) = transport::socket::open(&stream, rest)?;
        Ok((stream, transport, writing))
    });
    let (stream, transport, writing) = match opened {
        Ok(opened) => opened,
        Err(error) => return tracing::warn!("failed to serve a client: {error}"),
    };
    engine.trust_for_now(greeting.trust);
    let (cwd, native::Options { stop, scope, .. }) = (greeting.cwd, options);
    let served = async {
        let _ended = match greeting.speaks {
            Speaks::Native => {
                native::serve(transport, engine, native::Options { cwd, stop, scope }).await
            }
            Speaks::Ahp => ahp::serve_client(transport, engine, host, stop, scope).await,
            Speaks::Acp { client_terminals } => {
                let options = acp::Options { cwd, stop, client_terminals, scope };
                acp::serve(transport, engine, options).await
            }
            Speaks::Lsp => lsp::serve(transport, engine, lsp::Options { cwd, stop, scope }).await,
            Speaks::Pi(preferences) => {
                let options = pi::Options { cwd, preferences: *preferences, stop, scope };
                pi::serve_or_say(transport, engine, options).await
            }
        };
    };
    // Each is polled only if it was woken itself: the loop that serves has much to wait for, and the writer little.
    let mut halves = FuturesUnordered::from_iter([served.boxed(), writing.boxed()]);
    halves.next().await;
    drop(halves);
    // The link's threads wait for this.
    stream.shut_down();
}

/// Serves a WebSocket client to its end, unless it is let go while it is `waiting` for its handshake.
async fn serve_web(
    mut stream: TcpStream,
    waiting: Waiting,
    gate: Gate,
    (engine, host): (EngineHandle, ahp::HostHandle),
    options: native::Options,
) {
    let shaken = tokio::select! {
        shaken = shaken(&mut stream, Vec::new(), &gate) => shaken,
        () = waiting.cancelled() => {
            let why = "too many clients are connecting; try again";
            return gate::refuse(&mut stream, StatusCode::SERVICE_UNAVAILABLE, why).await;
        }
    };
    drop(waiting);
    let Some(handshake) = shaken else { return };
    // Events are small, and each is to be seen at once.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::warn!("a client's events may be late: {error}");
    }
    serve_websocket(stream, handshake, (engine, host), options).await;
}

/// Serves a client that asked for a WebSocket on the local socket.
async fn serve_request(
    mut stream: socket::Stream,
    begun: Vec<u8>,
    gate: Gate,
    (engine, host): (EngineHandle, ahp::HostHandle),
    options: native::Options,
) {
    if let Some(handshake) = shaken(&mut stream, begun, &gate).await {
        serve_websocket(stream, handshake, (engine, host), options).await;
    }
}

/// Waits for a client's handshake; `None` if the client was refused or dropped.
async fn shaken<S>(stream: &mut S, begun: Vec<u8>, gate: &Gate) -> Option<Handshake>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let shaking = gate::handshake(stream, begun, gate);
    match tokio::time::timeout(GREETING_TIMEOUT, shaking).await {
        Ok(Ok(handshake)) => Some(handshake),
        Ok(Err(error)) => {
            tracing::info!("rejected a client: {error}");
            None
        }
        Err(_) => {
            tracing::info!("disconnected a client that did not finish its handshake");
            None
        }
    }
}

async fn serve_websocket<S>(
    stream: S,
    Handshake { wire, rest }: Handshake,
    (engine, host): (EngineHandle, ahp::HostHandle),
    options: native::Options,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (transport, served) = websocket::open(stream, rest, options.stop.clone()).await;
    match wire {
        Wire::Native => {
            tokio::join!(native::serve(transport, engine, options), served);
        }
        Wire::Ahp => {
            let native::Options { stop, scope, .. } = options;
            tokio::join!(ahp::serve_client(transport, engine, host, stop, scope), served);
        }
    }
}
