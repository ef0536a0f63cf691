//! The WebSocket handshake: which requests become connections, and the error texts for the others.
//!
//! Any page in the user's browser can send requests to the loopback. So the `Host` must be a loopback address with this port, which
//! excludes a name that was rebound to this machine; an `Origin` must be one that the user allowed; and the token must be the engine's. A
//! browser cannot set headers of a WebSocket, so the token may also be a subprotocol or part of the address.

use pintle_base::text::credentials;
use std::net::{IpAddr, SocketAddr};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::handshake::machine::TryParse;
use tokio_tungstenite::tungstenite::handshake::server::{
    Request, Response, create_response, write_response,
};
use tokio_tungstenite::tungstenite::http::StatusCode;
use tokio_tungstenite::tungstenite::http::header::{
    AUTHORIZATION, HOST, HeaderName, HeaderValue, ORIGIN, SEC_WEBSOCKET_PROTOCOL,
};

/// The maximum size of a request, in bytes: browsers send one or two thousand, with cookies of other servers of this machine some more.
const MAX_REQUEST_BYTES: usize = 16 * 1024;

/// The native protocol's subprotocol.
const SUBPROTOCOL: &str = "pintle";

/// Before the token, in an address: that of a client of the native protocol, and of one of the Agent Host Protocol.
const NATIVE_TOKEN: &str = "token=";
const AHP_TOKEN: &str = "tkn=";

/// Before the token, in a subprotocol.
const TOKEN_SUBPROTOCOL: &str = "pintle.token.";

/// Decides which requests become connections.
#[derive(Debug, Clone)]
pub(super) struct Gate {
    pub(super) token: String,
    /// The address on which the engine listens; `None` for its Unix socket, which no page in a browser reaches.
    pub(super) address: Option<SocketAddr>,
    /// The origins of pages that may connect.
    pub(super) origins: Vec<String>,
    /// Further hosts that requests may name, with or without a port.
    pub(super) hosts: Vec<String>,
}

/// A request that became a connection.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Handshake {
    pub(super) wire: Wire,
    /// The bytes behind the request.
    pub(super) rest: Vec<u8>,
}

/// A WebSocket's protocol, chosen by the name under which the token is part of the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    /// The native protocol.
    Native,
    /// The Agent Host Protocol: VS Code shows the token as `tkn`.
    Ahp,
}

/// A request that does not become a connection.
#[derive(Debug, PartialEq, Eq)]
struct Refusal {
    status: StatusCode,
    why: String,
}

impl Refusal {
    fn new(status: StatusCode, why: impl Into<String>) -> Self {
        Self { status, why: why.into() }
    }

    fn forbidden(why: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, why)
    }
}

/// Reads a request, of which `begun` was read already, and answers it.
///
/// # Errors
/// Fails if the request does not become a connection; the client has received the reason.
pub(super) async fn handshake<S>(
    stream: &mut S,
    begun: Vec<u8>,
    gate: &Gate,
) -> Result<Handshake, String>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    match admitted(stream, begun, gate).await {
        Ok((response, handshake)) => {
            let mut answer = Vec::new();
            write_response(&mut answer, &response).map_err(|error| error.to_string())?;
            stream.write_all(&answer).await.map_err(|error| error.to_string())?;
            Ok(handshake)
        }
        Err(Refusal { status, why }) => {
            refuse(stream, status, &why).await;
            Err(why)
        }
    }
}

/// Sends a client the reason why it is not served.
pub(super) async fn refuse<S: AsyncWrite + Unpin>(stream: &mut S, status: StatusCode, why: &str) {
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{why}\n",
        why.len() + 1
    );
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
}

async fn admitted<S>(
    stream: &mut S,
    begun: Vec<u8>,
    gate: &Gate,
) -> Result<(Response, Handshake), Refusal>
where
    S: AsyncRead + Unpin,
{
    let (request, rest) = read_request(stream, begun).await?;
    let response = gate.admit(&request)?;
    let is_ahp = parameter(&request, AHP_TOKEN).is_some();
    let wire = if is_ahp { Wire::Ahp } else { Wire::Native };
    Ok((response, Handshake { wire, rest }))
}

async fn read_request<S: AsyncRead + Unpin>(
    stream: &mut S,
    mut bytes: Vec<u8>,
) -> Result<(Request, Vec<u8>), Refusal> {
    loop {
        match Request::try_parse(&bytes) {
            Ok(Some((length, request))) => return Ok((request, bytes.split_off(length))),
            Ok(None) if bytes.len() <= MAX_REQUEST_BYTES => {}
            Ok(None) => {
                let why = format!("the request exceeds {MAX_REQUEST_BYTES} bytes");
                return Err(Refusal::new(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, why));
            }
            Err(error) => return Err(no_handshake(&error)),
        }
        let read = stream.read_buf(&mut bytes).await;
        if read.unwrap_or(0) == 0 {
            let why = "the connection closed during the request";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, why));
        }
    }
}

fn no_handshake(error: &Error) -> Refusal {
    let why = format!("not a WebSocket request: {error}");
    match error {
        Error::Protocol(ProtocolError::HttparseError(_)) => {
            Refusal::new(StatusCode::BAD_REQUEST, why)
        }
        Error::Protocol(_) => Refusal::new(StatusCode::UPGRADE_REQUIRED, why),
        _ => Refusal::new(StatusCode::BAD_REQUEST, why),
    }
}

impl Gate {
    /// Returns the response that makes a request a connection.
    fn admit(&self, request: &Request) -> Result<Response, Refusal> {
        // Before the token: a page that may not connect learns nothing.
        let host = only(request, &HOST)?.unwrap_or_default();
        if let Some(address) = self.address.filter(|address| !is_own(host, address.port()))
            && !self.hosts.iter().any(|allowed| is_allowed(host, allowed))
        {
            let why = format!(
                "host `{host}` not allowed: expected {address}; allow it with --allow-host {}",
                if host.is_empty() { "HOST:PORT" } else { host }
            );
            return Err(Refusal::forbidden(why));
        }
        if let Some(origin) = only(request, &ORIGIN)?
            && !self.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin))
        {
            let why = format!("origin `{origin}` not allowed; allow it with --allow-origin");
            return Err(Refusal::forbidden(why));
        }
        if request.uri().path() != "/" {
            return Err(Refusal::new(StatusCode::NOT_FOUND, "expected the path `/`"));
        }
        let token = shown_token(request)?;
        if !credentials::is_same(&token, &self.token) {
            let why = if token.is_empty() {
                "missing token; send `token` from the engine's engine.json"
            } else {
                "wrong token; send `token` from the engine's engine.json"
            };
            return Err(Refusal::new(StatusCode::UNAUTHORIZED, why));
        }
        let mut response = create_response(request).map_err(|error| no_handshake(&error))?;
        if offered(request).any(|name| name == SUBPROTOCOL) {
            let name = HeaderValue::from_static(SUBPROTOCOL);
            response.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, name);
        }
        Ok(response)
    }
}

/// Returns true for a host that is this machine's loopback, with this engine's port.
fn is_own(host: &str, port: u16) -> bool {
    let (name, named_port) = match host.rsplit_once(':') {
        Some((name, digits)) if !digits.ends_with(']') => (name, digits.parse().ok()),
        // The default port of `ws`.
        Some(_) | None => (host, Some(80)),
    };
    let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    let is_loopback = name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    is_loopback && named_port == Some(port)
}

/// Returns true for the host that the user allowed. An allowed host without a port matches any port.
fn is_allowed(host: &str, allowed: &str) -> bool {
    let name = host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok());
    host.eq_ignore_ascii_case(allowed)
        || name.is_some_and(|(name, _)| name.eq_ignore_ascii_case(allowed))
}

/// Returns a header's value; the header may occur only once.
fn only<'a>(request: &'a Request, name: &HeaderName) -> Result<Option<&'a str>, Refusal> {
    let mut values = request.headers().get_all(name).iter();
    let first = values.next().map(HeaderValue::to_str);
    match (first, values.next()) {
        (None, _) => Ok(None),
        (Some(Ok(value)), None) => Ok(Some(value)),
        (Some(_), _) => {
            Err(Refusal::new(StatusCode::BAD_REQUEST, format!("expected one header `{name}`")))
        }
    }
}

/// Returns the subprotocols that a client offers.
fn offered(request: &Request) -> impl Iterator<Item = &str> {
    let headers = request.headers().get_all(SEC_WEBSOCKET_PROTOCOL).iter();
    let values = headers.filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}

/// Returns the token from the header, a subprotocol, or the address; empty if there is none.
fn shown_token(request: &Request) -> Result<String, Refusal> {
    if let Some(value) = only(request, &AUTHORIZATION)? {
        let bearer = value.split_once(' ').filter(|(kind, _)| kind.eq_ignore_ascii_case("bearer"));
        return Ok(bearer.map_or("", |(_, token)| token.trim()).to_owned());
    }
    if let Some(token) = offered(request).find_map(|name| name.strip_prefix(TOKEN_SUBPROTOCOL)) {
        return Ok(token.to_owned());
    }
    let token = parameter(request, NATIVE_TOKEN).or_else(|| parameter(request, AHP_TOKEN));
    Ok(token.unwrap_or_default().to_owned())
}

/// Returns a parameter of the address; `name` ends in `=`.
fn parameter<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    let query = request.uri().query().unwrap_or_default();
    query.split('&').find_map(|pair| pair.strip_prefix(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::duplex;

    const KEY: &str = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

    fn gate() -> Gate {
        Gate {
            token: "c0ffee".to_owned(),
            address: Some("127.0.0.1:4242".parse().unwrap()),
            origins: vec!["https://editor.example".to_owned(), "null".to_owned()],
            hosts: vec!["localhost:9000".to_owned(), "box.example".to_owned()],
        }
    }

    /// Returns the response status for a request with these header lines, and the reason if it is refused.
    fn answer(target: &str, lines: &str) -> String {
        let request = format!("GET {target} HTTP/1.1\r\n{lines}{KEY}\r\n");
        let parsed = Request::try_parse(request.as_bytes());
        let parsed = parsed.map_err(|error| no_handshake(&error));
        match parsed.and_then(|found| gate().admit(&found.unwrap().1)) {
            Ok(response) => match response.headers().get(SEC_WEBSOCKET_PROTOCOL) {
                Some(name) => format!("101 {}", name.to_str().unwrap()),
                None => "101".to_owned(),
            },
            Err(Refusal { status, why }) => format!("{} {why}", status.as_u16()),
        }
    }

    #[test]
    fn only_clients_of_this_machine_with_the_token_and_no_foreign_page_become_connections() {
        const OWN: &str = "Host: 127.0.0.1:4242\r\n";
        const BEARER: &str = "Authorization: Bearer c0ffee\r\n";
        for (name, target, lines, want) in [
            ("a header", "/", format!("{OWN}{BEARER}"), "101"),
            (
                "any case",
                "/",
                "host: LocalHost:4242\r\nauthorization: bearer c0ffee\r\n".to_owned(),
                "101",
            ),
            ("the other loopback", "/", format!("Host: [::1]:4242\r\n{BEARER}"), "101"),
            ("a forwarded port", "/", format!("Host: localhost:9000\r\n{BEARER}"), "101"),
            (
                "a forwarded port in capitals",
                "/",
                format!("Host: LOCALHOST:9000\r\n{BEARER}"),
                "101",
            ),
            (
                "another forwarded port",
                "/",
                format!("Host: localhost:9001\r\n{BEARER}"),
                "403 host",
            ),
            (
                "the same port elsewhere",
                "/",
                format!("Host: evil.example:9000\r\n{BEARER}"),
                "403 host",
            ),
            ("a host by name", "/", format!("Host: box.example:443\r\n{BEARER}"), "101"),
            ("a host by name, no port", "/", format!("Host: box.example\r\n{BEARER}"), "101"),
            ("a longer name", "/", format!("Host: box.example.evil:443\r\n{BEARER}"), "403 host"),
            ("a name before it", "/", format!("Host: x.box.example\r\n{BEARER}"), "403 host"),
            (
                "a host without the token",
                "/",
                "Host: localhost:9000\r\n".to_owned(),
                "401 missing token",
            ),
            (
                "a subprotocol",
                "/",
                format!("{OWN}Sec-WebSocket-Protocol: pintle, pintle.token.c0ffee\r\n"),
                "101 pintle",
            ),
            (
                "subprotocols in two headers",
                "/",
                format!(
                    "{OWN}Sec-WebSocket-Protocol: pintle.token.c0ffee\r\nSec-WebSocket-Protocol: pintle\r\n"
                ),
                "101 pintle",
            ),
            ("the address", "/?a=b&token=c0ffee", OWN.to_owned(), "101"),
            (
                "an allowed page",
                "/",
                format!("{OWN}{BEARER}Origin: https://editor.example\r\n"),
                "101",
            ),
            (
                "an allowed page without an origin",
                "/",
                format!("{OWN}{BEARER}Origin: null\r\n"),
                "101",
            ),
            ("no token", "/", OWN.to_owned(), "401 missing token"),
            ("VS Code's address", "/?tkn=c0ffee", OWN.to_owned(), "101"),
            ("another token of VS Code's", "/?tkn=c0ffe", OWN.to_owned(), "401 wrong token"),
            ("an empty token", "/?token=", OWN.to_owned(), "401 missing token"),
            ("another token", "/?token=c0ffe", OWN.to_owned(), "401 wrong token"),
            ("a longer token", "/?token=c0ffeee", OWN.to_owned(), "401 wrong token"),
            (
                "the token of another scheme",
                "/",
                format!("{OWN}Authorization: Basic c0ffee\r\n"),
                "401",
            ),
            (
                "a wrong header and a right address",
                "/?token=c0ffee",
                format!("{OWN}Authorization: Bearer x\r\n"),
                "401",
            ),
            (
                "another page",
                "/",
                format!("{OWN}{BEARER}Origin: https://evil.example\r\n"),
                "403 origin",
            ),
            (
                "a page whose name begins the same",
                "/",
                format!("{OWN}{BEARER}Origin: https://editor.example.evil\r\n"),
                "403 origin",
            ),
            (
                "the same name with another port",
                "/",
                format!("{OWN}{BEARER}Origin: https://editor.example:81\r\n"),
                "403",
            ),
            ("two origins", "/", format!("{OWN}{BEARER}Origin: null\r\nOrigin: null\r\n"), "400"),
            (
                "a name that leads here",
                "/",
                format!("Host: evil.example:4242\r\n{BEARER}"),
                "403 host",
            ),
            ("an address that leads here", "/", format!("Host: 192.0.2.1:4242\r\n{BEARER}"), "403"),
            ("another port", "/", format!("Host: 127.0.0.1:4243\r\n{BEARER}"), "403"),
            ("no port", "/", format!("Host: 127.0.0.1\r\n{BEARER}"), "403"),
            ("no host", "/", BEARER.to_owned(), "403"),
            ("two hosts", "/", format!("{OWN}{OWN}{BEARER}"), "400"),
            (
                "a name that ends the same",
                "/",
                format!("Host: evil.localhost:4242\r\n{BEARER}"),
                "403",
            ),
            ("another path", "/healthz", format!("{OWN}{BEARER}"), "404"),
        ] {
            let got = answer(target, &lines);
            assert!(got.starts_with(want), "{name}: {got}");
            assert!(!got.contains("c0ffee"), "{name}: the token is in {got}");
        }
    }

    #[test]
    fn on_the_unix_socket_the_token_and_the_origin_decide() {
        let gate = Gate { address: None, ..gate() };
        for (target, lines, want) in [
            ("/?tkn=c0ffee", "Host: localhost\r\n", Ok(())),
            ("/?tkn=c0ffee", "", Ok(())),
            ("/?tkn=c0ffe", "Host: localhost\r\n", Err(401)),
            ("/", "Host: localhost\r\n", Err(401)),
            ("/?tkn=c0ffee", "Origin: https://evil.example\r\n", Err(403)),
        ] {
            let request = format!("GET {target} HTTP/1.1\r\n{lines}{KEY}\r\n");
            let (_, request) = Request::try_parse(request.as_bytes()).unwrap().unwrap();
            let got = gate.admit(&request).map(drop).map_err(|refusal| refusal.status.as_u16());
            assert_eq!(got, want, "{target} {lines}");
        }
    }

    #[tokio::test]
    async fn what_is_no_handshake_gets_words() {
        let plain =
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:4242\r\nAuthorization: Bearer c0ffee\r\n\r\n";
        let endless = format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(MAX_REQUEST_BYTES));
        for (sent, want) in [
            (plain, "HTTP/1.1 426 "),
            ("POST / HTTP/1.1\r\n\r\n", "HTTP/1.1 426 "),
            ("{\"id\":1,\"method\":\"ping\"}\n", "HTTP/1.1 400 "),
            ("GET / HTTP/1.1\r\nHo", "HTTP/1.1 400 "),
            ("", "HTTP/1.1 400 "),
            (&endless, "HTTP/1.1 431 "),
        ] {
            let (mut client, mut engine) = duplex(64 * 1024);
            client.write_all(sent.as_bytes()).await.unwrap();
            client.shutdown().await.unwrap();
            let why = handshake(&mut engine, Vec::new(), &gate()).await.unwrap_err();
            let mut said = String::new();
            client.read_to_string(&mut said).await.unwrap();
            assert!(said.starts_with(want) && said.ends_with(&format!("{why}\n")), "{said}");
        }
    }

    #[tokio::test]
    async fn what_follows_the_request_is_kept_however_it_arrives() {
        for (piece, name, told) in [
            (1, NATIVE_TOKEN, Wire::Native),
            (7, AHP_TOKEN, Wire::Ahp),
            (4096, AHP_TOKEN, Wire::Ahp),
        ] {
            let request =
                format!("GET /?{name}c0ffee HTTP/1.1\r\nHost: 127.0.0.1:4242\r\n{KEY}\r\n");
            let (mut client, mut engine) = duplex(64);
            let gate = gate();
            let sending = async {
                for bytes in [request.as_bytes(), b"frame"].concat().chunks(piece) {
                    client.write_all(bytes).await.unwrap();
                }
                client.shutdown().await.unwrap();
            };
            let reading = async {
                let (_, Handshake { wire, mut rest }) =
                    admitted(&mut engine, Vec::new(), &gate).await.unwrap();
                engine.read_to_end(&mut rest).await.unwrap();
                assert_eq!(wire, told);
                rest
            };
            let ((), rest) = tokio::join!(sending, reading);
            assert_eq!(rest, b"frame", "in pieces of {piece}");
        }
    }
}
