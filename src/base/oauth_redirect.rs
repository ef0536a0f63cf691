//! The loopback listener to which a browser returns after a login (RFC 8252).
//!
//! Any web page can send requests here. Only the login page knows the state, which identifies the genuine request; all others are refused,
//! and the listener keeps waiting. Dropping the listener closes the port.

use crate::ambient::Secret;
use crate::text::credentials;
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The redirect path. If a login page drops the state, it follows as another segment.
const PATH: &str = "/callback";

/// The maximum size of a request's head.
const MAX_HEAD_BYTES: usize = 16 * 1024;

/// The time for a request to come whole. Browsers open connections ahead, on which nothing comes.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// The maximum number of connections at a time; more wait.
const MAX_CONNECTIONS: usize = 32;

/// A listener that waits for the outcome.
#[derive(Debug)]
pub struct Callback {
    listener: TcpListener,
    port: u16,
}

/// The redirect parameters that a login needs.
#[derive(Debug, Clone)]
pub struct Returned {
    /// The authorization code.
    pub code: Secret,
    /// The server that issued the code, if reported (RFC 9207).
    pub issuer: Option<String>,
}

/// The login's result; an error is the server's message.
type Outcome = Result<Returned, String>;

impl Callback {
    /// Opens the port of this number; any free one for 0.
    ///
    /// # Errors
    /// There is none.
    pub async fn listen(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.map_err(|error| {
            let message = format!("no port of this machine for the browser to return to: {error}");
            io::Error::new(error.kind(), message)
        })?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port })
    }

    /// The address to return to, for a page that passes the state on.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// The address to return to with the state in it.
    pub fn url_with_state(&self, state: &Secret) -> String {
        format!("http://localhost:{}{PATH}/{}", self.port, state.expose())
    }

    /// Waits for the redirect with this state, and shows the result in the browser. Cancel-safe.
    ///
    /// # Errors
    /// The server's message if the login failed; `access_denied` if the user refused it.
    pub async fn outcome(&self, state: &Secret) -> Outcome {
        let mut open = FuturesUnordered::new();
        loop {
            tokio::select! {
                Some(outcome) = open.next(), if !open.is_empty() => {
                    if let Some(outcome) = outcome {
                        return outcome;
                    }
                }
                accepted = self.listener.accept(), if open.len() < MAX_CONNECTIONS => {
                    if let Ok((stream, _)) = accepted {
                        open.push(answer(stream, state));
                    }
                }
            }
        }
    }
}

/// Reads a request and responds. Returns the outcome if it is the right one.
async fn answer(mut stream: TcpStream, state: &Secret) -> Option<Outcome> {
    let head = tokio::time::timeout(HEAD_TIMEOUT, head(&mut stream)).await.ok()??;
    let outcome = outcome(&head, state.expose());
    let (status, text) = match &outcome {
        Some(Ok(_)) => ("200 OK", "Login complete. You can close this page."),
        Some(Err(_)) => ("200 OK", "There is no login. You can close this page."),
        None => ("404 Not Found", "pintle waits for another page than this one."),
    };
    let response = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\n\
         cache-control: no-store\r\nreferrer-policy: no-referrer\r\nconnection: close\r\n\r\n{text}",
        text.len()
    );
    // A browser that is gone does not change the outcome.
    let _ = stream.write_all(response.as_bytes()).await;
    let _ = stream.shutdown().await;
    outcome
}

/// Reads a request head.
async fn head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut piece = [0; 1024];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = stream.read(&mut piece).await.ok()?;
        if count == 0 || head.len() + count > MAX_HEAD_BYTES {
            return None;
        }
        head.extend_from_slice(piece.get(..count)?);
    }
    String::from_utf8(head).ok()
}

/// Returns the result that a request carries, or `None` if the request did not come from the login page.
fn outcome(head: &str, state: &str) -> Option<Outcome> {
    let target = head.strip_prefix("GET ")?.split(' ').next()?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let field = |name: &str| {
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.into_iter().find(|(given, _)| *given == name).and_then(|(_, value)| decode(value))
    };
    let given = match path.strip_prefix(PATH)? {
        "" => field("state")?,
        segment => segment.strip_prefix('/')?.to_owned(),
    };
    if !credentials::is_same(&given, state) {
        return None;
    }
    if let Some(error) = field("error") {
        let is_denied = error == "access_denied";
        return Some(Err(field("error_description").filter(|_| !is_denied).unwrap_or(error)));
    }
    let code = field("code").filter(|code| !code.is_empty())?;
    Some(Ok(Returned { code: Secret::new(code), issuer: field("iss") }))
}

/// Decodes a value of a query.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let value = digit(rest.next()?)? * 16 + digit(rest.next()?)?;
                u8::try_from(value).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_page_with_the_state_is_heard() {
        for (request, want) in [
            ("GET /callback?state=s1&code=c%2F1 HTTP/1.1\r\n", Some(Ok("c/1"))),
            ("GET /callback?code=c&state=s1", Some(Ok("c"))),
            ("GET /callback/s1?code=c HTTP/1.1", Some(Ok("c"))),
            (
                "GET /callback?state=s1&error=access_denied&error_description=no",
                Some(Err("access_denied")),
            ),
            ("GET /callback?state=s1&error=x&error_description=a+b", Some(Err("a b"))),
            ("GET /callback?state=s1&code=", None),
            ("GET /callback?state=s2&code=c", None),
            ("GET /callback?state=&code=c", None),
            ("GET /callback?code=c", None),
            ("GET /callback/?code=c", None),
            ("GET /callback/s2?code=c&state=s1", None),
            ("GET /callback?state=s2&error=access_denied", None),
            ("GET /callback?state=s1&code=%zz", None),
            ("POST /callback?state=s1&code=c", None),
            ("GET /favicon.ico HTTP/1.1", None),
            ("", None),
        ] {
            let got = outcome(request, "s1").map(|got| got.map(|got| got.code.expose().to_owned()));
            let want = want.map(|want| want.map(str::to_owned).map_err(str::to_owned));
            assert_eq!(got, want, "{request}");
        }
    }
}
