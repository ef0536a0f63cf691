//! HTTP clients. Every client of the program is built here, so that proxies, certificates and timeouts are the same for models, logins, MCP
//! servers and `web_fetch`.
//!
//! Proxies come from environment variables; servers on this machine are reached directly. Redirects are not followed unless a client
//! enables them.

pub mod proxies;

use crate::ambient::Secret;
use crate::text::hosts::leads_to_loopback;
use proxies::Proxies;
use reqwest::{Certificate, ClientBuilder, Identity};
use std::error::Error as _;
use std::io;
use std::time::Duration;

/// For one connection, TLS included.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The next step after a handshake of TLS that failed.
pub const TLS_HINT: &str = "does it speak https? for a server with its own certificate, set `extra_ca_file` in config.toml, or SSL_CERT_FILE, which replaces the system's; one that asks for a certificate needs `client_certificate_file`";

/// The network between this machine and servers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Network {
    /// The proxies set in the environment.
    pub proxies: Proxies,
    /// Additional trusted CA certificates, in PEM.
    pub extra_ca: Option<String>,
    /// The certificate and the key, both in PEM, that a server may ask for.
    pub client_certificate: Option<Secret>,
}

/// Where a server is, which determines proxies and certificates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// `http:`, without certificates: a local server must not fail because there are none, and they take a while to read.
    pub is_plain: bool,
    /// On this machine, which no proxy reaches.
    pub is_here: bool,
}

impl Reach {
    /// Classifies a URL's server.
    pub fn classify(url: &str) -> Self {
        Self {
            is_plain: url.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("http://")),
            is_here: leads_to_loopback(url),
        }
    }
}

/// The reason why no client could be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SetupError {
    /// The reason.
    pub message: String,
    /// The next step for a person.
    pub hint: &'static str,
}

impl SetupError {
    /// Explains why a client could not be built.
    pub fn of_build(error: &reqwest::Error) -> Self {
        Self {
            message: format!("cannot set up HTTPS: {}", innermost(error)),
            hint: "install the system's CA certificates (package ca-certificates), or set SSL_CERT_FILE",
        }
    }
}

/// Makes `ring` the program's provider of cryptography.
pub fn use_ring() {
    // Fails if one is installed already, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

impl Network {
    /// Starts building a client for servers of this kind.
    ///
    /// # Errors
    /// The configured certificates cannot be used.
    pub fn builder(&self, reach: Reach) -> Result<ClientBuilder, SetupError> {
        use_ring();
        let mut builder = ClientBuilder::new()
            .user_agent(concat!("pintle/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT);
        if reach.is_here {
            builder = builder.no_proxy();
        }
        if reach.is_plain {
            return Ok(builder.tls_certs_only([]));
        }
        if let Some(pem) = &self.extra_ca {
            let found = Certificate::from_pem_bundle(pem.as_bytes()).ok();
            let found = found.filter(|found| !found.is_empty()).ok_or_else(|| SetupError {
                message: "the file of `extra_ca_file` holds no certificate".to_owned(),
                hint: "specify a PEM file with -----BEGIN CERTIFICATE-----",
            })?;
            builder = builder.tls_certs_merge(found);
        }
        if let Some(pem) = &self.client_certificate {
            let identity = Identity::from_pem(pem.expose().as_bytes()).map_err(|_| SetupError {
                message: "the file of `client_certificate_file` holds no certificate with its key"
                    .to_owned(),
                hint: "specify a PEM file that contains both, with an unencrypted key",
            })?;
            builder = builder.identity(identity);
        }
        Ok(builder)
    }
}

/// A cause of an error.
pub type Source<'a> = &'a (dyn std::error::Error + 'static);

/// Returns the chain of sources of an error, with IO errors unwrapped.
pub fn sources(error: &reqwest::Error) -> impl Iterator<Item = Source<'_>> {
    std::iter::successors(error.source(), |source: &Source<'_>| below(*source))
}

fn below(source: Source<'_>) -> Option<Source<'_>> {
    match source.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => Some(inner),
        None => source.source(),
    }
}

/// Returns true if the handshake of TLS failed.
pub fn is_tls_error(error: &reqwest::Error) -> bool {
    sources(error).any(is_of_tls)
}

fn is_of_tls(source: &(dyn std::error::Error + 'static)) -> bool {
    source.is::<rustls::Error>()
}

/// The cause at the bottom, which has the only words that help: the layers above repeat the address.
pub fn innermost(error: &reqwest::Error) -> String {
    sources(error).last().map_or_else(|| "the request failed".to_owned(), ToString::to_string)
}
