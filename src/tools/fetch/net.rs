//! The connection to a page: which addresses are contacted, hop by hop.
//!
//! Invariant: a connection goes only to an address that was checked. A name is looked up once for each hop, and the connection is made to
//! the address found then, so that a second look-up cannot lead elsewhere. For the same reason there is no proxy: a proxy's look-ups cannot
//! be checked.

use crate::Settings;
use futures_util::future::BoxFuture;
use pintle_base::network::{Network, Reach, SetupError, TLS_HINT, innermost, is_tls_error};
use pintle_base::text::truncate::size;
use pintle_exec::addresses::is_public;
use reqwest::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response, Url};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// A page that takes longer is not worth waiting for.
const MAX_TIME: Duration = Duration::from_secs(30);

/// A page with more redirects than this is not reachable.
const MAX_REDIRECTS: usize = 5;

/// The maximum size of a body.
pub(super) const MAX_BODY_BYTES: usize = 5 * 1024 * 1024;

/// The same for PDF documents, as large as those that `read` accepts.
const MAX_DOCUMENT_BYTES: usize = 32 * 1024 * 1024;

/// An address is not meant to carry data.
const MAX_URL_BYTES: usize = 8 * 1024;

const WANTED: &str =
    "text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.1";

/// Why a page could not be fetched. The text follows the URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct Failure(String);

impl Failure {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// A URL whose text allows fetching it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address(Url);

impl Address {
    pub(super) fn shown(&self) -> String {
        self.0.to_string()
    }

    /// Returns the host, with the port if it is not the default.
    pub(super) fn host(&self) -> String {
        let host = self.0.host_str().unwrap_or_default();
        self.0.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }
}

/// Reads an address.
///
/// # Errors
/// The problem, to be appended to the address.
pub(super) fn parse(text: &str) -> Result<Address, String> {
    let url = Url::parse(text).map_err(|error| {
        format!("is not a valid URL ({error}): start it with https:// or http://")
    })?;
    check(url)
}

fn check(mut url: Url) -> Result<Address, String> {
    if !matches!(url.scheme(), "http" | "https") {
        let scheme = url.scheme();
        return Err(format!("must start with https:// or http://, not {scheme}:"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not contain a user name or a password".to_owned());
    }
    if url.as_str().len() > MAX_URL_BYTES {
        return Err(format!("must not be longer than {MAX_URL_BYTES} bytes"));
    }
    url.set_fragment(None);
    Ok(Address(url))
}

/// A server's response.
#[derive(Debug)]
pub(super) struct Answer {
    /// The final URL, after redirects.
    pub(super) url: String,
    /// The header with type and charset.
    pub(super) content_type: Option<String>,
    pub(super) body: Vec<u8>,
}

type Found = BoxFuture<'static, io::Result<Vec<SocketAddr>>>;

/// The net, with the look-up of names that it uses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Net {
    pub(super) look_up: fn(String, u16) -> Found,
    /// For everything, redirects and the body included.
    pub(super) max_time: Duration,
}

impl Default for Net {
    fn default() -> Self {
        Self {
            max_time: MAX_TIME,
            look_up: |host, port| {
                Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
            },
        }
    }
}

enum Hop {
    Arrived(Response),
    On(Address),
}

impl Net {
    /// Gets a page. Dropping the future ends the connection.
    ///
    /// # Errors
    /// The reason why there is none.
    pub(super) async fn get(&self, from: &Address, settings: &Settings) -> Result<Answer, Failure> {
        let getting = self.follow(from, settings);
        match tokio::time::timeout(self.max_time, getting).await {
            Ok(answer) => answer,
            Err(_) => Err(Failure(format!("no complete response after {:?}", self.max_time))),
        }
    }

    async fn follow(&self, from: &Address, settings: &Settings) -> Result<Answer, Failure> {
        let mut address = from.clone();
        for _ in 0..=MAX_REDIRECTS {
            match self.hop(&address, settings).await? {
                Hop::On(next) => address = next,
                Hop::Arrived(response) => return take(&address, response).await,
            }
        }
        Err(Failure(format!("it redirects more than {MAX_REDIRECTS} times")))
    }

    async fn hop(&self, address: &Address, settings: &Settings) -> Result<Hop, Failure> {
        let addresses = self.addresses(address, settings.web_fetch_private).await?;
        let host = address.0.host_str().unwrap_or_default();
        let client = client(address.0.scheme() == "http", host, &addresses, &settings.network)?;
        let sending = client.get(address.0.clone()).header(ACCEPT, WANTED).send();
        let response = sending.await.map_err(|error| Failure(failed(&error)))?;
        let status = response.status();
        if status.is_redirection()
            && let Some(location) = response.headers().get(LOCATION)
        {
            return next(address, &String::from_utf8_lossy(location.as_bytes())).map(Hop::On);
        }
        if !status.is_success() {
            return Err(Failure(format!("the server returned {status}")));
        }
        Ok(Hop::Arrived(response))
    }

    /// Returns the addresses to connect to.
    pub(super) async fn addresses(
        &self,
        address: &Address,
        may_be_private: bool,
    ) -> Result<Vec<SocketAddr>, Failure> {
        let host = address.0.host_str().unwrap_or_default();
        let port = address.0.port_or_known_default().unwrap_or(443);
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let found = match bare.parse::<IpAddr>() {
            Ok(ip) => vec![SocketAddr::new(ip, port)],
            Err(_) => (self.look_up)(host.to_owned(), port)
                .await
                .map_err(|error| Failure(format!("cannot resolve {host} ({error})")))?,
        };
        if found.is_empty() {
            return Err(Failure(format!("{host} has no address")));
        }
        let allowed: Vec<SocketAddr> =
            found.into_iter().filter(|found| may_be_private || is_public(found.ip())).collect();
        if allowed.is_empty() {
            return Err(Failure(format!(
                "{host} is this machine or on a private network, which is not allowed (setting web_fetch_private under [tools])"
            )));
        }
        Ok(allowed)
    }
}

/// Returns a redirect's target. Permission covers one host, so another host is reported and not followed.
fn next(from: &Address, location: &str) -> Result<Address, Failure> {
    let wrong = |what: &str| Failure(format!("it redirects to a URL that {what}"));
    let url = from.0.join(location).map_err(|_| wrong("is not a valid URL"))?;
    let to = check(url).map_err(|what| wrong(&what))?;
    let is_downgrade = from.0.scheme() == "https" && to.0.scheme() == "http";
    if is_downgrade {
        return Err(wrong("is not encrypted, unlike the first"));
    }
    if site(&from.0) != site(&to.0) {
        let to = to.shown();
        return Err(Failure(format!(
            "it redirects to another host. Call web_fetch with {to} to continue"
        )));
    }
    Ok(to)
}

/// Returns the host, for which `www.` and the usual ports make no difference.
fn site(url: &Url) -> (&str, Option<u16>) {
    let host = url.host_str().unwrap_or_default();
    (host.strip_prefix("www.").unwrap_or(host), url.port())
}

fn client(
    is_plain: bool,
    host: &str,
    addresses: &[SocketAddr],
    network: &Network,
) -> Result<Client, Failure> {
    // As if the page were on this machine: no proxy is asked.
    let builder = network.builder(Reach { is_plain, is_here: true });
    let builder = builder.map_err(|error| Failure(format!("{error}: {}", error.hint)))?;
    let built = builder.resolve_to_addrs(host, addresses).build();
    built.map_err(|error| Failure(SetupError::of_build(&error).message))
}

async fn take(address: &Address, mut response: Response) -> Result<Answer, Failure> {
    let header = |name| {
        response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    let content_type = header(CONTENT_TYPE);
    if let Some(encoding) = header(CONTENT_ENCODING).filter(|encoding| encoding != "identity") {
        return Err(Failure(format!("the server sent an unrequested encoding ({encoding})")));
    }
    let length = response.content_length();
    if let Some(what) = content_type.as_deref().and_then(super::body::refused) {
        let length = length.map_or_else(|| "size unknown".to_owned(), size);
        return Err(Failure(format!("it is {what} ({length}), not text")));
    }
    let is_document = content_type.as_deref().is_some_and(super::body::is_document);
    let max_bytes = if is_document { MAX_DOCUMENT_BYTES } else { MAX_BODY_BYTES };
    let too_large = |bytes: u64, than: &str| {
        let max = size(max_bytes as u64);
        Err(Failure(format!("it is {than}{}, and the limit is {max}", size(bytes))))
    };
    if let Some(length) = length.filter(|&length| length > max_bytes as u64) {
        return too_large(length, "");
    }
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| Failure(failed(&error)))? {
        body.extend_from_slice(&piece);
        if body.len() > max_bytes {
            return too_large(max_bytes as u64, "larger than ");
        }
    }
    Ok(Answer { url: address.shown(), content_type, body })
}

/// Returns the reason why a request failed, and for TLS the next step.
fn failed(error: &reqwest::Error) -> String {
    let reason = innermost(error);
    if is_tls_error(error) { format!("{reason} ({TLS_HINT})") } else { reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_stay_with_their_host() {
        let from = |text: &str| parse(text).unwrap();
        for (name, start, location, want) in [
            ("a path", "https://a.test/x/y", "../z", Ok("https://a.test/z")),
            ("www", "https://a.test/", "https://www.a.test/", Ok("https://www.a.test/")),
            ("encrypted from now on", "http://a.test/", "https://a.test/", Ok("https://a.test/")),
            ("a place in the page", "https://a.test/", "/x#part", Ok("https://a.test/x")),
            ("plain again", "https://a.test/", "http://a.test/", Err("not encrypted")),
            (
                "another host",
                "https://a.test/",
                "//b.test/x",
                Err("Call web_fetch with https://b.test/x to continue"),
            ),
            ("another port", "http://a.test/", "http://a.test:81/", Err("another host")),
            ("a file", "http://a.test/", "file:///etc/passwd", Err("must start with https://")),
            (
                "a password",
                "http://a.test/",
                "http://u:p@a.test/",
                Err("must not contain a user name"),
            ),
            ("nonsense", "http://a.test/", "http://[", Err("is not a valid URL")),
        ] {
            let got = next(&from(start), location)
                .map(|to| to.shown())
                .map_err(|error| error.to_string());
            match want {
                Ok(want) => assert_eq!(got.as_deref(), Ok(want), "{name}"),
                Err(want) => {
                    assert!(got.as_ref().is_err_and(|got| got.contains(want)), "{name}: {got:?}");
                }
            }
        }
    }
}
