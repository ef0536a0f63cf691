//! The connections to the addresses that a server specifies for its login: its metadata and its token endpoint.
//!
//! A server may specify any address, including one that only this machine reaches. Invariant: nothing is sent to an address of this machine
//! or of a private network, other than the server's own, before the user has agreed. A name is looked up once, and the connection goes to
//! the address found then.

use crate::mcp::sdk::with_sources;
use pintle_base::network::{Network, Reach, TLS_HINT, is_tls_error};
use pintle_base::text::hosts::leads_to_loopback;
use pintle_exec::addresses::is_public;
use reqwest::Url;
use rmcp::transport::auth::{
    OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRequest,
};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio_tungstenite::tungstenite::http;

/// For one request.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The maximum size of a response.
const MAX_BYTES: usize = 1024 * 1024;

/// Asks the user about an address.
#[async_trait::async_trait]
pub trait Agreement: Send + Sync {
    /// Returns true if the user agrees to contact the address, which is one of this machine or of a private network.
    async fn agrees(&self, url: &str) -> bool;
}

/// No user can be asked.
#[derive(Debug, Clone, Copy)]
pub struct Nobody;

#[async_trait::async_trait]
impl Agreement for Nobody {
    async fn agrees(&self, _: &str) -> bool {
        false
    }
}

/// Agrees to every address.
#[derive(Debug, Clone, Copy)]
pub(super) struct Everything;

#[async_trait::async_trait]
impl Agreement for Everything {
    async fn agrees(&self, _: &str) -> bool {
        true
    }
}

/// Why an address is not contacted.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error(
        "it refers to {0}, an address on this machine or a private network, which requires your consent: run `pintle mcp login` in a terminal, or set `oauth.private_addresses = true` for the server in your config file"
    )]
    Private(String),
    #[error("its response exceeds {MAX_BYTES} bytes")]
    TooLarge,
}

/// Sends a login's requests.
pub(super) struct Guarded {
    base: Url,
    network: Network,
    agreement: Arc<dyn Agreement>,
    /// Origins that the user agreed to.
    agreed: Mutex<BTreeSet<String>>,
}

impl Guarded {
    /// `known` are addresses to which the user agreed before.
    pub(super) fn new(
        base: Url,
        network: Network,
        agreement: Arc<dyn Agreement>,
        known: &[String],
    ) -> Self {
        let origins = known.iter().filter_map(|url| Url::parse(url).ok()).map(|url| origin(&url));
        Self { base, network, agreement, agreed: Mutex::new(origins.collect()) }
    }

    fn has_agreed(&self, origin: &str) -> bool {
        self.agreed.lock().unwrap_or_else(PoisonError::into_inner).contains(origin)
    }

    /// Returns a URL's addresses that may be contacted; `None` if only a proxy can find them.
    async fn addresses(&self, url: &Url) -> Result<Vec<SocketAddr>, OAuthHttpClientError> {
        let (host, port) =
            (url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or(443));
        let bare = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let found = tokio::net::lookup_host((bare, port)).await;
        let found: Vec<SocketAddr> = found.map(Iterator::collect).unwrap_or_default();
        let is_own = url.origin() == self.base.origin();
        let origin = origin(url);
        let is_private =
            found.iter().any(|address| !is_public(address.ip())) || leads_to_loopback(url.as_str());
        if !is_own && is_private && !self.has_agreed(&origin) {
            if !self.agreement.agrees(url.as_str()).await {
                return Err(Box::new(Refused::Private(url.to_string())));
            }
            self.agreed.lock().unwrap_or_else(PoisonError::into_inner).insert(origin);
        }
        Ok(found)
    }
}

fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

fn explained(error: reqwest::Error) -> OAuthHttpClientError {
    if is_tls_error(&error) {
        format!("{} ({TLS_HINT})", with_sources(&error)).into()
    } else {
        error.into()
    }
}

impl OAuthHttpClient for Guarded {
    /// Follows no redirect: the SDK follows those of its metadata by itself, through here.
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let request = reqwest::Request::try_from(request.request)?;
            let addresses = self.addresses(request.url()).await?;
            let builder = self.network.builder(Reach::classify(request.url().as_str()))?;
            let mut builder = builder.timeout(TIMEOUT);
            if let (Some(name), false) = (request.url().domain(), addresses.is_empty()) {
                builder = builder.resolve_to_addrs(name, &addresses);
            }
            let sent = builder.build()?.execute(request).await;
            let mut response = sent.map_err(explained)?;
            let mut body = Vec::new();
            while let Some(chunk) = response.chunk().await? {
                if body.len() + chunk.len() > MAX_BYTES {
                    return Err(Refused::TooLarge.into());
                }
                body.extend_from_slice(&chunk);
            }
            let (status, headers) = (response.status(), response.headers().clone());
            let mut answer = http::Response::new(body);
            *answer.status_mut() = status;
            *answer.headers_mut() = headers;
            Ok(answer)
        })
    }
}
