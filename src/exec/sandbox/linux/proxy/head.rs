//! The heads of requests and responses that pass through the proxy. Pure.
//!
//! The crate `httparse` does not fit: it accepts lines that end in LF alone, empty lines before a request, and non-ASCII bytes in the
//! target. The proxy and the server could then disagree about a request's target.

use pintle_base::text::hosts::{HTTP_PORT, HTTPS_PORT, HostPort};
use std::net::Ipv6Addr;

/// The first line of a message and its fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    line: String,
    fields: Vec<(String, Vec<u8>)>,
}

/// A client's request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ProxyRequest {
    /// A tunnel, for TLS.
    Tunnel(HostPort),
    /// A plain request, as sent to the server.
    Plain(HostPort, Head),
}

impl ProxyRequest {
    pub(super) fn host(&self) -> &HostPort {
        match self {
            Self::Tunnel(host) | Self::Plain(host, _) => host,
        }
    }
}

/// The maximum length of a host name.
const MAX_NAME_BYTES: usize = 253;

/// Fields that are between a client and its proxy, or that the proxy rewrites.
const NOT_PASSED: [&str; 8] = [
    "connection",
    "proxy-connection",
    "proxy-authorization",
    "proxy-authenticate",
    "keep-alive",
    "te",
    "upgrade",
    "host",
];

/// Fields that determine a body's length. They are forwarded even if `Connection` lists them.
const FRAMING: [&str; 2] = ["content-length", "transfer-encoding"];

impl Head {
    /// Parses a head, including the empty line at its end. Returns `None` if it is malformed.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let text = bytes.strip_suffix(b"\r\n\r\n")?;
        let mut lines = split(text);
        let line = std::str::from_utf8(lines.next()?).ok()?;
        if !line.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
            return None;
        }
        let fields = lines.map(field).collect::<Option<_>>()?;
        Some(Self { line: line.to_owned(), fields })
    }

    /// Returns a field's value, if the field occurs exactly once.
    pub(super) fn field(&self, name: &str) -> Option<&[u8]> {
        let mut found = self.fields.iter().filter(|(field, _)| field.eq_ignore_ascii_case(name));
        let (_, value) = found.next()?;
        found.next().is_none().then_some(value.as_slice())
    }

    /// Parses a request head.
    ///
    /// # Errors
    /// The problem, for the client.
    pub(super) fn request(self) -> Result<ProxyRequest, &'static str> {
        let mut parts = self.line.split(' ');
        let (Some(method), Some(target), Some(version @ ("HTTP/1.1" | "HTTP/1.0")), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err("the request is not one of HTTP/1");
        };
        if method == "CONNECT" {
            let has_port = target.rsplit_once(':').is_some_and(|(_, port)| !port.contains(']'));
            let host = authority(target, HTTPS_PORT).filter(|_| has_port);
            return host.map(ProxyRequest::Tunnel).ok_or("the target is not HOST:PORT");
        }
        let Some(rest) = strip_scheme(target) else {
            return Err("the target is not an address that begins with http://");
        };
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (name, path) = rest.split_at(end);
        let host = authority(name, HTTP_PORT).ok_or("the address has no proper host")?;
        let slash = if path.starts_with('/') { "" } else { "/" };
        let line = format!("{method} {slash}{path} {version}");
        let mut fields = vec![("Host".to_owned(), host.to_string().into_bytes())];
        fields.extend(self.passed());
        fields.push(("Connection".to_owned(), b"close".to_vec()));
        Ok(ProxyRequest::Plain(host, Self { line, fields }))
    }

    /// Parses a response head. Returns the head for the client, and true if it is the last one before the body.
    pub(super) fn response(mut self) -> (Self, bool) {
        let is_interim = self.line.split(' ').nth(1).is_some_and(|status| status.starts_with('1'));
        if !is_interim {
            self.fields.retain(|(name, _)| !name.eq_ignore_ascii_case("connection"));
            self.fields.push(("Connection".to_owned(), b"close".to_vec()));
        }
        (self, !is_interim)
    }

    /// Returns the fields that go to the server.
    fn passed(&self) -> impl Iterator<Item = (String, Vec<u8>)> {
        let named = self.fields.iter().filter(|(name, _)| name.eq_ignore_ascii_case("connection"));
        let named: Vec<String> = named
            .flat_map(|(_, value)| value.split(|byte| *byte == b','))
            .map(|name| String::from_utf8_lossy(name).trim().to_ascii_lowercase())
            .filter(|name| !FRAMING.contains(&name.as_str()))
            .collect();
        let fields = self.fields.iter().filter(move |(name, _)| {
            let name = name.to_ascii_lowercase();
            !NOT_PASSED.contains(&name.as_str()) && !named.contains(&name)
        });
        fields.cloned()
    }

    /// Returns the bytes on the wire.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{}\r\n", self.line).into_bytes();
        for (name, value) in &self.fields {
            bytes.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
        }
        bytes.extend(b"\r\n");
        bytes
    }
}

/// Splits a head into lines.
fn split(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = text.windows(2).position(|pair| pair == b"\r\n");
        let (line, behind) = match end {
            Some(end) => (text.get(..end)?, text.get(end + 2..)),
            None => (text, None),
        };
        rest = behind;
        Some(line)
    })
}

/// Parses `Name: value`. A field that continues on the next line is malformed, and so is a control character.
fn field(line: &[u8]) -> Option<(String, Vec<u8>)> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let name = std::str::from_utf8(line.get(..colon)?).ok()?;
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let value = line.get(colon + 1..)?.trim_ascii();
    let is_proper = |byte: &u8| *byte == b'\t' || (*byte >= b' ' && *byte != 0x7f);
    let is_field = !name.is_empty() && name.bytes().all(is_token) && value.iter().all(is_proper);
    is_field.then(|| (name.to_owned(), value.to_vec()))
}

fn strip_scheme(target: &str) -> Option<&str> {
    let (scheme, rest) = target.split_at_checked("http://".len())?;
    scheme.eq_ignore_ascii_case("http://").then_some(rest)
}

/// Parses `HOST` or `HOST:PORT`. User names, and characters that are invalid in hosts, are rejected.
fn authority(text: &str, usual_port: u16) -> Option<HostPort> {
    let (name, port) = match text.rsplit_once(':').filter(|_| !text.ends_with(']')) {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
            (name, port.parse().ok().filter(|port| *port > 0)?)
        }
        Some(_) => return None,
        None => (text, usual_port),
    };
    let is_name_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    let in_brackets = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let is_proper = in_brackets.map_or_else(
        || (1..=MAX_NAME_BYTES).contains(&name.len()) && name.bytes().all(is_name_byte),
        |address| address.parse::<Ipv6Addr>().is_ok(),
    );
    is_proper.then(|| HostPort::new(name, port, usual_port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read() {
        let crlf = |text: &str| text.replace('\n', "\r\n").into_bytes();
        let plain = "GET http://a.test/x?y HTTP/1.1\nhost: other\naccept: */*\n\n";
        for (text, want) in [
            ("CONNECT a.test:443 HTTP/1.1\n\n", "tunnel a.test"),
            ("CONNECT A.test.:8443 HTTP/1.0\nHost: b\n\n", "tunnel a.test:8443"),
            ("CONNECT [::1]:443 HTTP/1.1\n\n", "tunnel [::1]"),
            ("CONNECT a.test HTTP/1.1\n\n", "the target is not HOST:PORT"),
            ("CONNECT [::1] HTTP/1.1\n\n", "the target is not HOST:PORT"),
            ("CONNECT ::1:443 HTTP/1.1\n\n", "the target is not HOST:PORT"),
            ("CONNECT a.test:0 HTTP/1.1\n\n", "the target is not HOST:PORT"),
            ("CONNECT a.test:+80 HTTP/1.1\n\n", "the target is not HOST:PORT"),
            ("CONNECT u@a.test:443 HTTP/1.1\n\n", "the target is not HOST:PORT"),
            ("CONNECT a.test%00:443 HTTP/1.1\n\n", "the target is not HOST:PORT"),
            (plain, "a.test: GET /x?y HTTP/1.1|Host: a.test|accept: */*|Connection: close||"),
            (
                "POST HTTP://a.test:81?q HTTP/1.0\nConnection: close, X-Mine, content-length\nx-mine: 1\nContent-Length: 3\n\
                 Proxy-Authorization: Basic x\nProxy-Connection: keep-alive\nTE: trailers\n\n",
                "a.test:81: POST /?q HTTP/1.0|Host: a.test:81|Content-Length: 3|Connection: close||",
            ),
            (
                "GET http://a.test HTTP/1.1\n\n",
                "a.test: GET / HTTP/1.1|Host: a.test|Connection: close||",
            ),
            ("GET http://u:p@a.test/ HTTP/1.1\n\n", "the address has no proper host"),
            ("GET http:///x HTTP/1.1\n\n", "the address has no proper host"),
            (
                "GET https://a.test/ HTTP/1.1\n\n",
                "the target is not an address that begins with http://",
            ),
            ("GET /x HTTP/1.1\n\n", "the target is not an address that begins with http://"),
            ("GET http://a.test/ HTTP/2\n\n", "the request is not one of HTTP/1"),
            ("GET http://a.test/ b HTTP/1.1\n\n", "the request is not one of HTTP/1"),
            ("nonsense\n\n", "the request is not one of HTTP/1"),
            ("GET http://a.test/ HTTP/1.1\n folded: x\n\n", "malformed"),
            ("GET http://a.test/ HTTP/1.1\nx\n\n", "malformed"),
            ("GET http://a.test/ HTTP/1.1\nx : y\n\n", "malformed"),
            ("GET http://a.test/ HTTP/1.1\nx: \0\n\n", "malformed"),
            ("GET http://a.test/\u{e9} HTTP/1.1\n\n", "malformed"),
        ] {
            let got = match Head::read(&crlf(text)).map(Head::request) {
                None => "malformed".to_owned(),
                Some(Err(problem)) => problem.to_owned(),
                Some(Ok(ProxyRequest::Tunnel(host))) => format!("tunnel {host}"),
                Some(Ok(ProxyRequest::Plain(host, head))) => {
                    let bytes = String::from_utf8(head.bytes()).unwrap();
                    format!("{host}: {}", bytes.replace("\r\n", "|"))
                }
            };
            assert_eq!(got, want, "{text}");
        }
        assert_eq!(Head::read(b"CONNECT a:1 HTTP/1.1\n\n"), None, "lines end with CR and LF");
        assert_eq!(Head::read(b"GET http://a/ HTTP/1.1\r\nx: a\nb: c\r\n\r\n"), None);
    }

    #[test]
    fn responses_end_the_connection() {
        let head =
            Head::read(b"HTTP/1.1 200 OK\r\nconnection: keep-alive\r\nx: y\r\n\r\n").unwrap();
        let (head, is_last) = head.response();
        assert!(is_last);
        let want = "HTTP/1.1 200 OK\r\nx: y\r\nConnection: close\r\n\r\n";
        assert_eq!(String::from_utf8(head.bytes()).unwrap(), want);
        let interim = Head::read(b"HTTP/1.1 100 Continue\r\n\r\n").unwrap();
        let (head, is_last) = interim.clone().response();
        assert_eq!((head, is_last), (interim, false));
    }
}
