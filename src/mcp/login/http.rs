//! The requests of a login, over the network of the settings.
//!
//! Invariant: only the server's own host, which a person named, may have any address. The others are named by what the server
//! answers, and have public addresses, or those of this machine where the server is on it.

use crate::exec::addresses::is_public;
use crate::mcp::sdk::with_sources;
use crate::network::{Network, Reach, SetupError, TLS_HINT, is_tls_error, use_ring};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use rmcp::transport::auth::{
    OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRedirectPolicy,
    OAuthHttpRequest,
};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// For a request, its response included.
const MAX_TIME: Duration = Duration::from_secs(30);

/// The maximum size of a response.
const MAX_BYTES: usize = 1024 * 1024;

/// The maximum number of redirects.
const MAX_REDIRECTS: usize = 10;

/// The hosts that a login may reach.
#[derive(Debug, Clone)]
struct Reachable {
    /// The server's own host and those of proxies.
    any: Arc<[String]>,
    /// The server is on this machine.
    is_here: bool,
}

/// A host in lower case, without brackets and the final dot.
fn bare(host: &str) -> String {
    host.trim_matches(['[', ']']).trim_end_matches('.').to_lowercase()
}

impl Reachable {
    fn allows(&self, host: &str, address: IpAddr) -> bool {
        self.any.contains(&bare(host))
            || is_public(address)
            || (self.is_here && address.is_loopback())
    }

    /// Checks a host that is an address, which nobody looks up.
    fn allows_url(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        bare(host).parse().map_or(true, |address| self.allows(host, address))
    }
}

fn not_allowed(host: &str) -> OAuthHttpClientError {
    format!(
        "{host} is this machine or in a private network, which a login of this server may not reach"
    )
    .into()
}

fn explained(error: reqwest::Error) -> OAuthHttpClientError {
    if is_tls_error(&error) {
        format!("{} ({TLS_HINT})", with_sources(&error)).into()
    } else {
        error.into()
    }
}

impl Resolve for Reachable {
    fn resolve(&self, name: Name) -> Resolving {
        let this = self.clone();
        Box::pin(async move {
            let host = name.as_str();
            let found = tokio::net::lookup_host((host, 0)).await?;
            let allowed: Vec<SocketAddr> =
                found.filter(|address| this.allows(host, address.ip())).collect();
            if allowed.is_empty() {
                return Err(not_allowed(host));
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

/// Sends the requests of the login of one server.
pub(super) struct LoginClient {
    network: Network,
    reachable: Reachable,
}

impl LoginClient {
    /// A client for the login of the server at this address.
    pub(super) fn new(url: &str, network: &Network) -> Self {
        use_ring();
        let host = Url::parse(url).ok().and_then(|url| url.host_str().map(bare));
        let any = host.into_iter().chain(network.proxies.hosts().map(|host| bare(&host)));
        let reachable = Reachable { any: any.collect(), is_here: Reach::of(url).is_here };
        Self { network: network.clone(), reachable }
    }

    fn client(&self, url: &str, policy: OAuthHttpRedirectPolicy) -> Result<Client, SetupError> {
        let reachable = self.reachable.clone();
        let redirects = match policy {
            OAuthHttpRedirectPolicy::Follow => Policy::custom(move |attempt| {
                if !reachable.allows_url(attempt.url()) {
                    let host = attempt.url().host_str().unwrap_or_default().to_owned();
                    attempt.error(not_allowed(&host))
                } else if attempt.previous().len() > MAX_REDIRECTS {
                    attempt.error(format!("it redirects more than {MAX_REDIRECTS} times"))
                } else {
                    attempt.follow()
                }
            }),
            _ => Policy::none(),
        };
        let reach = Reach::of(url);
        // A redirect may lead from one kind to another.
        let is_plain = reach.is_plain && policy != OAuthHttpRedirectPolicy::Follow;
        let builder = self.network.builder(Reach { is_plain, ..reach })?;
        let builder = builder.timeout(MAX_TIME).redirect(redirects);
        let built = builder.dns_resolver(Arc::new(self.reachable.clone())).build();
        built.map_err(|error| SetupError::of_build(&error))
    }
}

impl OAuthHttpClient for LoginClient {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let policy = request.redirect_policy;
            let request = reqwest::Request::try_from(request.request)?;
            let url = request.url().clone();
            if !self.reachable.allows_url(&url) {
                return Err(not_allowed(url.host_str().unwrap_or_default()));
            }
            let client = self.client(url.as_str(), policy)?;
            let mut response = client.execute(request).await.map_err(explained)?;
            let head = hyper::Response::builder().status(response.status());
            let head = response
                .headers()
                .iter()
                .fold(head, |head, (name, value)| head.header(name.clone(), value.clone()));
            let mut body = Vec::new();
            while let Some(piece) = response.chunk().await? {
                body.extend_from_slice(&piece);
                if body.len() > MAX_BYTES {
                    return Err(format!("it answered with more than {MAX_BYTES} bytes").into());
                }
            }
            Ok(head.body(body)?)
        })
    }
}
