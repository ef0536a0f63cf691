//! Logins as data: a provider's login endpoints and client id. `llm/login` performs the logins.

use pintle_protocol::auth::AuthMethod;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// A provider's login. Fields of a settings file override those of the catalogue, one by one; an empty text removes one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Login {
    /// The app's client id, as registered with the provider.
    #[schemars(example = &"my-app")]
    pub client_id: Option<String>,
    /// The scopes to request, separated by spaces.
    #[schemars(example = &"models.read")]
    pub scope: Option<String>,
    /// The device authorization endpoint (RFC 8628).
    #[serde(deserialize_with = "confidential")]
    #[schemars(example = &"https://login.example.com/device/code")]
    pub device_url: Option<String>,
    /// The page on which the user grants access, for a browser login with PKCE (RFC 7636).
    #[serde(deserialize_with = "confidential")]
    #[schemars(example = &"https://login.example.com/authorize")]
    pub authorize_url: Option<String>,
    /// The endpoint that returns tokens, and renews them.
    #[serde(deserialize_with = "confidential")]
    #[schemars(example = &"https://login.example.com/token")]
    pub token_url: Option<String>,
    /// Credentials that a browser login returns: tokens or key. By default tokens.
    #[schemars(example = &"tokens")]
    pub returns: Option<Returns>,
    /// The endpoint that exchanges the login's token for a short-lived one.
    #[serde(deserialize_with = "confidential")]
    #[schemars(example = &"https://login.example.com/exchange")]
    pub exchange_url: Option<String>,
}

/// Result of a browser login.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Returns {
    /// Tokens, as in OAuth 2.0.
    #[default]
    Tokens,
    /// A key, requested without a client id, as with OpenRouter: <https://openrouter.ai/docs/guides/overview/auth/oauth>.
    Key,
}

impl Login {
    /// Overrides this login with the fields of another.
    pub fn lay_over(&mut self, later: Self) {
        let Self { client_id, scope, device_url, authorize_url, token_url, .. } = later;
        let laid = |field: &mut Option<String>, later: Option<String>| {
            *field = later.or(field.take()).filter(|text| !text.is_empty());
        };
        laid(&mut self.client_id, client_id);
        laid(&mut self.scope, scope);
        laid(&mut self.device_url, device_url);
        laid(&mut self.authorize_url, authorize_url);
        laid(&mut self.token_url, token_url);
        laid(&mut self.exchange_url, later.exchange_url);
        self.returns = later.returns.or(self.returns);
    }

    /// Returns the methods other than a typed key, the preferred one first: a device login works from any machine.
    pub fn methods(&self) -> Vec<AuthMethod> {
        let device = self.device_url.is_some().then_some(AuthMethod::Device);
        let browser = self.authorize_url.is_some().then_some(AuthMethod::Browser);
        device.into_iter().chain(browser).collect()
    }
}

/// Reads a URL to which secrets may be sent, or an empty text.
fn confidential<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let want = || D::Error::custom("a URL with https, or one of this machine");
    let url = String::deserialize(from).map_err(|_| want())?;
    if url.is_empty() || is_confidential(&url) { Ok(Some(url)) } else { Err(want()) }
}

/// Returns true for a URL to which secrets may be sent: one with TLS, or one on this machine.
pub fn is_confidential(url: &str) -> bool {
    let host = |rest: &str| {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default().to_owned();
        (!authority.is_empty() && !authority.contains(['@', '\\', ' '])).then_some(authority)
    };
    if let Some(rest) = url.strip_prefix("https://") {
        return host(rest).is_some();
    }
    let Some(authority) = url.strip_prefix("http://").and_then(host) else { return false };
    let name = match authority.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => &authority,
    };
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_sent_with_tls_or_within_this_machine() {
        for (url, want) in [
            ("https://h.test/a", true),
            ("https://", false),
            ("http://h.test/a", false),
            ("http://127.0.0.1:80/a", true),
            ("http://localhost", true),
            ("http://[::1]:8080/a", true),
            ("http://localhost.h.test/", false),
            ("http://localhost:80@h.test/", false),
            ("https://user@h.test/", false),
            ("file:///etc/passwd", false),
            ("javascript:alert(1)", false),
        ] {
            assert_eq!(is_confidential(url), want, "{url}");
        }
    }

    #[test]
    fn fields_of_a_settings_file_override_single_ones() {
        let mut login = Login {
            client_id: Some("a".to_owned()),
            device_url: Some("https://d".to_owned()),
            exchange_url: Some("https://x".to_owned()),
            ..Login::default()
        };
        let (client_id, exchange_url) = (Some("b".to_owned()), Some(String::new()));
        login.lay_over(Login { client_id, exchange_url, ..Login::default() });
        assert_eq!((login.client_id.as_deref(), login.exchange_url.as_deref()), (Some("b"), None));
        assert_eq!(login.methods(), [AuthMethod::Device]);
    }
}
