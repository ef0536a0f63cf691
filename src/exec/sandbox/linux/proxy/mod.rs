//! The proxy through which a confined command reaches the hosts that rules allow: HTTP/1 with `CONNECT`, and plain requests.
//!
//! The command has a separate network that contains only this proxy's listening socket, which a process inside has created and handed to
//! the engine. So the engine accepts connections inside without being there, and everything that the command sends passes through the
//! proxy. The client is hostile: each of its connections has limits of size, time and number.
//!
//! Invariant: a connection goes only to an address that was decided about. A name is looked up once, and the connection is made to the
//! address found then.

mod head;

use super::hosts::{Hosts, Refusal, RefusedHost};
use super::wire;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use head::{Head, ProxyRequest};
use pintle_base::text::hosts::HostPort;
use ring::rand::{SecureRandom, SystemRandom};
use std::fmt::Write;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::unix::pipe;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// The maximum size of a request or response head.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// The maximum number of open connections. Further ones wait in the listening socket's queue.
const MAX_CONNECTIONS: usize = 64;

/// The maximum number of a host's addresses to try.
const MAX_ADDRESSES: usize = 4;

/// The maximum number of refused hosts to remember: enough for a user who adds rules.
const MAX_REFUSED: usize = 16;

/// The timeout for a name look-up, and for a connection to an address.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The time in which a client whose request is refused may finish sending, so that it reads the response.
const LINGER_TIMEOUT: Duration = Duration::from_secs(2);

/// The pause after a connection could not be accepted because descriptors ran out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The number of bytes moved at once.
const PIECE_BYTES: usize = 16 * 1024;

const BAD_GATEWAY: &str = "502 Bad Gateway";

/// The user in the proxy's address; the password is the credential.
const USER: &str = "pintle";

/// The variables that direct programs to an HTTP proxy, and those that list exceptions.
const PROXY_VARIABLES: [&str; 6] =
    ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
const NO_PROXY_VARIABLES: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// Returns the variables by which a command finds the proxy on its loopback.
pub(super) fn variables(port: u16, credential: &str, hosts: &Hosts) -> Vec<(String, String)> {
    let address = format!("http://{USER}:{credential}@127.0.0.1:{port}");
    let outside = hosts.outside_of_proxy();
    let proxy = PROXY_VARIABLES.map(|name| (name.to_owned(), address.clone()));
    let no_proxy = NO_PROXY_VARIABLES.map(|name| (name.to_owned(), outside.clone()));
    proxy.into_iter().chain(no_proxy).collect()
}

/// Creates an unguessable credential.
pub(super) fn credential() -> io::Result<String> {
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).map_err(|_| io::Error::other("no random numbers"))?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

/// A connection's timeouts.
#[derive(Debug, Clone, Copy)]
struct Timeouts {
    /// The timeout for a request head.
    head: Duration,
    /// For a connection on which nothing moves. It is closed after this long, or up to twice as long.
    idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { head: Duration::from_secs(30), idle: Duration::from_secs(300) }
    }
}

type Found = BoxFuture<'static, io::Result<Vec<SocketAddr>>>;

/// A running proxy. When the last process of its command has ended, or when it is dropped, it closes its socket and all of its connections.
#[derive(Debug)]
pub(super) struct Proxy {
    _task: JoinSet<()>,
    refused: Arc<Mutex<Vec<RefusedHost>>>,
}

impl Proxy {
    /// Starts a proxy on a listening socket for clients that know the credential, until the pipe ends.
    pub(super) fn start(
        listening: wire::Listening<OwnedFd>,
        hosts: Hosts,
        credential: &str,
    ) -> io::Result<Self> {
        let look_up = |host: String, port| -> Found {
            Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
        };
        let service = Service {
            hosts,
            authorization: STANDARD.encode(format!("{USER}:{credential}")),
            refused: Arc::default(),
            look_up,
            timeouts: Timeouts::default(),
        };
        let [listener, presence] = listening;
        Self::serve(listener.into(), presence, service)
    }

    fn serve(
        listener: std::net::TcpListener,
        presence: OwnedFd,
        service: Service,
    ) -> io::Result<Self> {
        let mut presence = pipe::Receiver::from_owned_fd(presence)?;
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let refused = Arc::clone(&service.refused);
        let mut task = JoinSet::new();
        task.spawn(async move {
            tokio::select! {
                () = service.serve(&listener) => {}
                // Nothing is ever written.
                _ = presence.read_u8() => {}
            }
        });
        Ok(Self { _task: task, refused })
    }

    /// Returns the hosts that were refused, each once.
    pub(super) fn refused(&self) -> Vec<RefusedHost> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A refused request.
#[derive(Debug)]
struct Problem {
    status: &'static str,
    field: &'static str,
    text: String,
}

impl Problem {
    fn new(status: &'static str, text: impl Into<String>) -> Self {
        Self { status, field: "", text: text.into() }
    }

    fn bytes(&self) -> Vec<u8> {
        let Self { status, field, text } = self;
        let length = text.len() + 1;
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n\
             {field}Connection: close\r\n\r\n{text}\n"
        )
        .into_bytes()
    }
}

enum Event {
    Accepted(io::Result<TcpStream>),
    Closed,
}

#[derive(Debug)]
struct Service {
    hosts: Hosts,
    /// The credential as clients send it.
    authorization: String,
    refused: Arc<Mutex<Vec<RefusedHost>>>,
    look_up: fn(String, u16) -> Found,
    timeouts: Timeouts,
}

impl Service {
    /// Serves clients until it is dropped.
    async fn serve(&self, listener: &TcpListener) {
        let mut open: FuturesUnordered<BoxFuture<'_, ()>> = FuturesUnordered::new();
        loop {
            let event = tokio::select! {
                accepted = listener.accept(), if open.len() < MAX_CONNECTIONS => {
                    Event::Accepted(accepted.map(|(client, _)| client))
                }
                Some(()) = open.next() => Event::Closed,
            };
            match event {
                Event::Accepted(Ok(client)) => open.push(Box::pin(self.answer(client))),
                Event::Accepted(Err(_)) => tokio::time::sleep(ACCEPT_PAUSE).await,
                Event::Closed => {}
            }
        }
    }

    /// Serves one client. A connection that breaks is the client's or the server's to notice.
    async fn answer(&self, mut client: TcpStream) {
        let _ = client.set_nodelay(true);
        let problem = match self.prepare(&mut client).await {
            Ok(ready) => {
                let _ = ready.run(client, self.timeouts.idle).await;
                return;
            }
            Err(problem) => problem,
        };
        let refuse = async {
            client.write_all(&problem.bytes()).await?;
            client.shutdown().await?;
            // A connection that is closed with unread bytes takes the response away from the client.
            tokio::io::copy(&mut client, &mut tokio::io::sink()).await
        };
        let _ = timeout(LINGER_TIMEOUT, refuse).await;
    }

    /// Reads a request, decides about it and connects to its host.
    async fn prepare(&self, client: &mut TcpStream) -> Result<Ready, Problem> {
        let read = timeout(self.timeouts.head, read_head(client)).await;
        let (head, behind) = match read {
            Ok(Ok(read)) => read,
            Ok(Err(error)) if error.kind() == io::ErrorKind::InvalidData => {
                let text = format!("The head is larger than {MAX_HEAD_BYTES} bytes.");
                return Err(Problem::new("431 Request Header Fields Too Large", text));
            }
            Ok(Err(_)) => {
                return Err(Problem::new("400 Bad Request", "The request head is incomplete."));
            }
            Err(_) => return Err(Problem::new("408 Request Timeout", "No request received.")),
        };
        let malformed = |problem: &str| Problem::new("400 Bad Request", problem);
        let head = Head::read(&head).ok_or_else(|| malformed("The head is malformed."))?;
        if !self.is_authorized(head.field("proxy-authorization")) {
            let text = "The proxy is for another command.";
            let field = "Proxy-Authenticate: Basic realm=\"pintle\"\r\n";
            return Err(Problem {
                field,
                ..Problem::new("407 Proxy Authentication Required", text)
            });
        }
        let wanted = head.request().map_err(malformed)?;
        let server = self.connect(wanted.host()).await?;
        let _ = server.set_nodelay(true);
        Ok(Ready { wanted, server, behind })
    }

    fn is_authorized(&self, field: Option<&[u8]>) -> bool {
        let Some((scheme, given)) = field.and_then(|field| field.split_at_checked(6)) else {
            return false;
        };
        let wanted = self.authorization.as_bytes();
        let differences = given.iter().zip(wanted).fold(0, |found, (a, b)| found | (a ^ b));
        scheme.eq_ignore_ascii_case(b"basic ") && given.len() == wanted.len() && differences == 0
    }

    /// Connects to an allowed host.
    async fn connect(&self, host: &HostPort) -> Result<TcpStream, Problem> {
        self.hosts.check(host).map_err(|reason| self.refuse(host, reason))?;
        let unreachable = |text: String| Problem::new(BAD_GATEWAY, text);
        let found = self
            .look_up(host)
            .await
            .map_err(|error| unreachable(format!("{} is not known ({error}).", host.name())))?;
        let reachable = self.hosts.reachable(host, &found);
        let reachable = reachable.map_err(|reason| self.refuse(host, reason))?;
        let mut failed = "it has no address".to_owned();
        for address in reachable.into_iter().take(MAX_ADDRESSES) {
            match timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await {
                Ok(Ok(server)) => return Ok(server),
                Ok(Err(error)) => failed = error.to_string(),
                Err(late) => failed = late.to_string(),
            }
        }
        Err(unreachable(format!("{host} cannot be reached ({failed}).")))
    }

    async fn look_up(&self, host: &HostPort) -> io::Result<Vec<IpAddr>> {
        if let Some(address) = host.address() {
            return Ok(vec![address]);
        }
        let look_up = (self.look_up)(host.name().to_owned(), host.port());
        let found = timeout(CONNECT_TIMEOUT, look_up).await??;
        Ok(found.into_iter().map(|found| found.ip()).collect())
    }

    /// Records a refused host.
    fn refuse(&self, host: &HostPort, reason: Refusal) -> Problem {
        let refused = RefusedHost { host: host.to_string(), reason };
        let problem = Problem::new("403 Forbidden", refused.to_string());
        let mut known = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MAX_REFUSED && !known.contains(&refused) {
            known.push(refused);
        }
        problem
    }
}

/// A granted request, with its connection.
struct Ready {
    wanted: ProxyRequest,
    server: TcpStream,
    /// The bytes received after the head.
    behind: Vec<u8>,
}

impl Ready {
    /// Moves bytes in both directions until both have ended, or the connection is idle.
    async fn run(mut self, mut client: TcpStream, max_idle: Duration) -> io::Result<()> {
        let is_plain = match &self.wanted {
            ProxyRequest::Tunnel(_) => {
                client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
                false
            }
            ProxyRequest::Plain(_, head) => {
                self.server.write_all(&head.bytes()).await?;
                true
            }
        };
        self.server.write_all(&self.behind).await?;
        let moved = AtomicU64::new(0);
        let (mut from_client, mut to_client) = client.split();
        let (mut from_server, mut to_server) = self.server.split();
        let up = async {
            let ended = pass(&mut from_client, &mut to_server, &moved).await;
            if is_plain {
                // The response is what ends a plain request; a server may send it before it has read everything.
                std::future::pending::<()>().await;
            }
            ended
        };
        let down = async {
            if is_plain && pass_heads(&mut from_server, &mut to_client).await.is_err() {
                let text = "The server sent no proper response.";
                return to_client.write_all(&Problem::new(BAD_GATEWAY, text).bytes()).await;
            }
            pass(&mut from_server, &mut to_client, &moved).await
        };
        let both = async {
            if is_plain {
                tokio::select! { ended = up => ended, ended = down => ended }
            } else {
                tokio::try_join!(up, down).map(drop)
            }
        };
        tokio::select! {
            ended = both => ended,
            () = idle(&moved, max_idle) => Ok(()),
        }
    }
}

/// Forwards the response head, and any interim ones before it.
async fn pass_heads(
    server: &mut (impl AsyncRead + Unpin),
    client: &mut (impl AsyncWrite + Unpin),
) -> io::Result<()> {
    let mut behind = Vec::new();
    loop {
        let (bytes, rest) = read_head_behind(server, behind).await?;
        let Some((head, is_last)) = Head::read(&bytes).map(Head::response) else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        client.write_all(&head.bytes()).await?;
        if is_last {
            return client.write_all(&rest).await;
        }
        behind = rest;
    }
}

/// Forwards bytes until their end, and then the end itself.
async fn pass(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    moved: &AtomicU64,
) -> io::Result<()> {
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let read = from.read(&mut piece).await?;
        if read == 0 {
            return to.shutdown().await;
        }
        moved.fetch_add(read as u64, Ordering::Relaxed);
        to.write_all(piece.get(..read).unwrap_or_default()).await?;
        moved.fetch_add(1, Ordering::Relaxed);
    }
}

/// Waits until no data has moved for the idle timeout.
async fn idle(moved: &AtomicU64, max_idle: Duration) {
    let mut before = None;
    loop {
        let now = moved.load(Ordering::Relaxed);
        if before == Some(now) {
            return;
        }
        before = Some(now);
        tokio::time::sleep(max_idle).await;
    }
}

async fn read_head(client: &mut TcpStream) -> io::Result<(Vec<u8>, Vec<u8>)> {
    read_head_behind(client, Vec::new()).await
}

/// Reads a head, some bytes of which have already arrived. Returns it with the bytes that follow it.
///
/// # Errors
/// [`io::ErrorKind::InvalidData`] if it is too large.
async fn read_head_behind(
    from: &mut (impl AsyncRead + Unpin),
    mut bytes: Vec<u8>,
) -> io::Result<(Vec<u8>, Vec<u8>)> {
    /// The empty line at the end.
    const END: &[u8] = b"\r\n\r\n";
    let mut searched = 0;
    loop {
        let behind = bytes.get(searched..).unwrap_or_default();
        if let Some(at) = behind.windows(END.len()).position(|window| window == END) {
            let rest = bytes.split_off(searched + at + END.len());
            return Ok((bytes, rest));
        }
        searched = bytes.len().saturating_sub(END.len() - 1);
        if bytes.len() >= MAX_HEAD_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let left = (MAX_HEAD_BYTES - bytes.len()) as u64;
        if from.take(left).read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

#[cfg(test)]
mod tests;
