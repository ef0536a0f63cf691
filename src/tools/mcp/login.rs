//! Logins of HTTP servers: OAuth 2.1 through the SDK, on a page in a local browser, with the tokens in a file readable only by its owner.
//!
//! A login belongs to an address and is sent nowhere else. Every token is registered as a secret before it is exposed to other code.
//! Processes renew a token one after the other, each with the newest one; a renewed token that cannot be written is used until the process
//! ends.

mod addresses;
mod enterprise;

use addresses::Everything;
pub use addresses::{Agreement, Nobody};

use super::client::McpClientError;
use super::definition::{Grant, IdentityProvider, IdentityToken, OAuthClient};
use super::{convert, sdk};
use pintle_base::ambient::{Secret, Secrets};
use pintle_base::network::Network;
use pintle_base::oauth_redirect::Callback;
use pintle_base::private_files::{SecretFile, SecretLock};
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationRequest, AuthorizationSession,
    ClientCredentialsConfig, CredentialRefreshGuard, CredentialStore, OAuthClientConfig,
    StoredCredentials,
};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The file's name, in the data directory.
pub const FILE_NAME: &str = "mcp-logins.json";

/// The maximum size of the file.
const MAX_BYTES: u64 = 1024 * 1024;

/// How long the user has to complete the page.
const PAGE_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// The timeout for a lock. Its holder waits for a server, whose requests have 30 seconds each.
const LOCK_TIMEOUT: Duration = Duration::from_secs(90);

/// The fields of stored credentials that are secrets.
const TOKENS: [&str; 3] = ["access_token", "refresh_token", "id_token"];

/// A login page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginPage {
    /// The page's address.
    pub url: String,
    /// The remaining time.
    pub expires_in: Duration,
}

/// The server to log in to.
#[derive(Debug, Clone, Copy)]
pub struct LoginTarget<'a> {
    /// The server's address.
    pub url: &'a str,
    /// The client to log in for.
    pub client: &'a OAuthClient,
    /// The client's secret, if it has one.
    pub secret: Option<&'a str>,
    /// The header with which the server refused a request, if it did.
    pub challenge: Option<&'a str>,
}

/// An OAuth client's secrets, read from their sources.
#[derive(Default)]
pub(super) struct ClientSecrets {
    /// The client's secret, if it has one.
    pub(super) client: Option<String>,
    /// The client secret at the identity provider, if there is one.
    pub(super) identity_client: Option<String>,
    /// The token from the identity provider, for [`Grant::Enterprise`].
    pub(super) identity_token: Option<String>,
}

/// This user's logins. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ServerLogins {
    file: SecretFile,
    /// Locked while a token is renewed.
    renewals: SecretFile,
    secrets: Secrets,
    /// The network to the servers.
    network: Network,
    /// New tokens that could not be written, by address, each with the login in the file that it replaces.
    unwritten: Arc<Mutex<Unstored>>,
}

/// Logins by address, each with the stored one that it replaces, if there is one.
type Unstored = BTreeMap<String, (Option<Value>, Value)>;

/// How to treat a login that cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unwritten {
    /// Keep it until the process ends: the server has revoked the token that it replaces, or each start gets another one.
    Kept,
    /// Fail with an error.
    Refused,
}

/// Returns what agrees to the addresses that a server specifies: the user's settings, else the user when asked.
fn agreement_of(client: &OAuthClient, asked: Arc<dyn Agreement>) -> Arc<dyn Agreement> {
    if client.private_addresses { Arc::new(Everything) } else { asked }
}

impl ServerLogins {
    /// Opens the logins in this directory. Their tokens become known secrets.
    pub fn in_folder(folder: &Path, secrets: &Secrets, network: Network) -> Self {
        let logins = Self {
            file: SecretFile::new(folder.join(FILE_NAME)),
            renewals: SecretFile::new(folder.join("mcp-renewals")),
            secrets: secrets.clone(),
            network,
            unwritten: Arc::default(),
        };
        // An unusable file is reported by the code that needs it.
        let _ = logins.read();
        logins
    }

    /// Returns the network to the servers.
    pub(super) fn network(&self) -> &Network {
        &self.network
    }

    /// Returns true if there is a login for the server at this address. Blocking, and short.
    ///
    /// # Errors
    /// The file cannot be used; the message contains the reason.
    pub fn has(&self, url: &str) -> io::Result<bool> {
        Ok(self.read()?.contains_key(url))
    }

    /// Logs in on a page, which is passed to `show`, and stores the tokens. `agreement` is asked before contacting an address of this
    /// machine or of a private network that the server specifies.
    ///
    /// # Errors
    /// The server offers no login, it or the user refused, the login timed out, or the tokens could not be stored.
    pub async fn log_in(
        &self,
        wanted: &LoginTarget<'_>,
        show: &mut (dyn FnMut(LoginPage) + Send),
        agreement: Arc<dyn Agreement>,
    ) -> Result<(), McpClientError> {
        let LoginTarget { url, client, secret, challenge } = *wanted;
        let (logins, address) = (self.clone(), url.to_owned());
        let login = blocking(move || Ok(logins.read()?.remove(&address))).await;
        let login = login.map_err(|error| McpClientError::Failed(error.to_string()))?;
        let scopes = scopes_to_request(login.as_ref(), &client.scopes, challenge);
        let callback = Callback::listen(client.callback_port.unwrap_or_default()).await;
        let callback = callback.map_err(|error| McpClientError::Failed(error.to_string()))?;
        let agreement = agreement_of(client, agreement);
        let mut manager = self.manager(url, Unwritten::Refused, agreement, &[]).await?;
        let found = manager.resolve_metadata_from_challenge(challenge).await;
        let found = found.map_err(|error| self.failed(&error))?;
        manager.set_metadata(found.metadata);
        let mut request = AuthorizationRequest::new(callback.url())
            .with_initial_scope_selection()
            .with_scopes(scopes)
            .with_client_name("pintle")
            .with_application_type("native");
        match (&client.id, secret) {
            (Some(id), Some(secret)) => {
                request = request.with_preregistered_client(id).with_client_secret(secret);
            }
            (Some(id), None) if is_metadata_document(id) => {
                request = request.with_client_metadata_url(id);
            }
            (Some(id), None) => request = request.with_preregistered_client(id),
            (None, _) => {}
        }
        let session = AuthorizationSession::new(manager, request).await;
        let session = session.map_err(|(_, error)| self.failed(&error))?;
        let page = session.get_authorization_url().to_owned();
        let state = state_of(&page).ok_or_else(|| {
            McpClientError::Failed("its login page is not a URL that a browser can open".to_owned())
        })?;
        show(LoginPage { url: page, expires_in: PAGE_TIMEOUT });
        let returned = match tokio::time::timeout(PAGE_TIMEOUT, callback.outcome(&state)).await {
            Ok(Ok(returned)) => returned,
            Ok(Err(refusal)) => {
                let refusal = convert::said(&self.secrets.redact(&refusal));
                return Err(McpClientError::Failed(format!("it refused the login: {refusal}")));
            }
            Err(_) => {
                let message = "the login was not completed in the browser: log in again";
                return Err(McpClientError::Failed(message.to_owned()));
            }
        };
        self.secrets.add(returned.code.expose());
        let issuer = returned.issuer.as_deref();
        let exchanged =
            session.handle_callback_with_issuer(returned.code.expose(), state.expose(), issuer);
        exchanged.await.map(|_| ()).map_err(|error| self.failed(&error))
    }

    /// Removes the login for the server at this address. Returns true if there was one.
    ///
    /// # Errors
    /// The file cannot be used or written.
    pub async fn log_out(&self, url: &str) -> io::Result<bool> {
        self.change(url, None).await
    }

    /// Returns a client that sends the stored login with each request, and renews it; `None` if not logged in. With client credentials or
    /// an identity provider, it gets a new token instead.
    pub(super) async fn stored(
        &self,
        url: &str,
        client: &OAuthClient,
        secrets: &ClientSecrets,
    ) -> Result<Option<AuthorizationManager>, McpClientError> {
        let secret = secrets.client.as_deref();
        match (client.grant, &client.id, secret, &client.identity) {
            (Grant::ClientCredentials, Some(id), Some(secret), _) => {
                return self.with_credentials(url, client, (id, secret)).await.map(Some);
            }
            (Grant::Enterprise, Some(id), _, Some(identity)) => {
                let exchange = enterprise::Exchange { url, id, client, identity, secrets };
                return self.with_identity(&exchange).await.map(Some);
            }
            (Grant::AuthorizationCode | Grant::ClientCredentials | Grant::Enterprise, ..) => {}
        }
        let (logins, address) = (self.clone(), url.to_owned());
        let has = blocking(move || logins.has(&address)).await;
        if !has.map_err(|error| McpClientError::Failed(error.to_string()))? {
            return Ok(None);
        }
        // By logging in, the user agreed to the server that issued the token.
        let (logins, address) = (self.clone(), url.to_owned());
        let issuer = blocking(move || {
            let login = logins.read()?.remove(&address);
            Ok(login.and_then(|login| Some(login.get("issuer")?.as_str()?.to_owned())))
        });
        let issuer = issuer.await.map_err(|error| McpClientError::Failed(error.to_string()))?;
        let known: Vec<String> = issuer.into_iter().collect();
        let agreement = agreement_of(client, Arc::new(Nobody));
        let mut manager = self.manager(url, Unwritten::Kept, agreement, &known).await?;
        let is_stored =
            manager.initialize_from_store().await.map_err(|error| self.failed(&error))?;
        if let (true, Some(id), Some(secret)) = (is_stored, &client.id, secret) {
            let config = OAuthClientConfig::new(id, url).with_client_secret(secret);
            manager.configure_client(config).map_err(|error| self.failed(&error))?;
        }
        Ok(is_stored.then_some(manager))
    }

    /// Gets a token with a client's id and secret, and returns a client that sends it.
    async fn with_credentials(
        &self,
        url: &str,
        client: &OAuthClient,
        (id, secret): (&str, &str),
    ) -> Result<AuthorizationManager, McpClientError> {
        let agreement = agreement_of(client, Arc::new(Nobody));
        let mut manager = self.manager(url, Unwritten::Kept, agreement, &[]).await?;
        let config = ClientCredentialsConfig::ClientSecret {
            client_id: id.to_owned(),
            client_secret: secret.to_owned(),
            scopes: client.scopes.clone(),
            resource: Some(url.to_owned()),
        };
        let exchanged = async {
            let found = manager.resolve_metadata_from_challenge(None).await?;
            manager.set_metadata(found.metadata);
            manager.validate_client_credentials_metadata(&config)?;
            manager.configure_client_credentials(&config)?;
            manager.exchange_client_credentials(&config).await
        };
        exchanged.await.map_err(|error| self.failed(&error))?;
        Ok(manager)
    }

    /// Returns what sends a login's requests to the addresses that the server specifies.
    fn guarded(
        &self,
        url: &str,
        agreement: Arc<dyn Agreement>,
        known: &[String],
    ) -> Result<addresses::Guarded, McpClientError> {
        let base = reqwest::Url::parse(url);
        let base = base.map_err(|error| {
            McpClientError::Failed(format!("{url} is not a valid URL: {error}"))
        })?;
        Ok(addresses::Guarded::new(base, self.network.clone(), agreement, known))
    }

    async fn manager(
        &self,
        url: &str,
        unwritten: Unwritten,
        agreement: Arc<dyn Agreement>,
        known: &[String],
    ) -> Result<AuthorizationManager, McpClientError> {
        let client = Arc::new(self.guarded(url, agreement, known)?);
        let manager = AuthorizationManager::new_with_oauth_http_client(url, client).await;
        let mut manager = manager.map_err(|error| self.failed(&error))?;
        manager.set_credential_store(Store {
            logins: self.clone(),
            url: url.to_owned(),
            unwritten,
        });
        Ok(manager)
    }

    /// Describes the error for the user. The server's message may repeat a token.
    fn failed(&self, error: &AuthError) -> McpClientError {
        match error {
            AuthError::AuthorizationRequired => McpClientError::Login(String::new()),
            AuthError::NoAuthorizationSupport => {
                McpClientError::Failed("it does not offer a login".to_owned())
            }
            AuthError::RegistrationFailed(_) => McpClientError::Failed(format!(
                "{}; set `oauth.client_id` in its settings to a client registered with it",
                convert::said(&self.secrets.redact(&sdk::with_sources(error)))
            )),
            other => McpClientError::Failed(convert::said(
                &self.secrets.redact(&sdk::with_sources(other)),
            )),
        }
    }

    /// Reads the file. Its tokens become known secrets. A login that could not be written takes precedence over the stored one.
    fn read(&self) -> io::Result<Map<String, Value>> {
        let mut logins = self.read_file()?;
        logins.values().for_each(|login| self.know(login));
        for (url, (replaced, login)) in self.unwritten().iter() {
            if logins.get(url) == replaced.as_ref() {
                logins.insert(url.clone(), login.clone());
            }
        }
        Ok(logins)
    }

    fn read_file(&self) -> io::Result<Map<String, Value>> {
        let Some(content) = self.file.read(MAX_BYTES)? else { return Ok(Map::new()) };
        // The parser's message may quote a part, which may be a token.
        let wrong = |_| self.file.error(io::ErrorKind::InvalidData, "not a login file");
        serde_json::from_slice(&content).map_err(wrong)
    }

    fn unwritten(&self) -> MutexGuard<'_, Unstored> {
        self.unwritten.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a login's tokens to the known secrets.
    fn know(&self, login: &Value) {
        for field in TOKENS {
            let token = login.get("token_response").and_then(|tokens| tokens.get(field)?.as_str());
            self.secrets.add(token.unwrap_or_default());
        }
    }

    /// Stores a login, or removes it. Returns true if there was one.
    async fn change(&self, url: &str, login: Option<Value>) -> io::Result<bool> {
        if let Some(login) = &login {
            self.know(login);
        }
        let (logins, url) = (self.clone(), url.to_owned());
        blocking(move || {
            let lock = logins.file.lock()?;
            let mut all = logins.read()?;
            let before = match login {
                Some(login) => all.insert(url.clone(), login),
                None => all.remove(&url),
            };
            let mut text = serde_json::to_string_pretty(&all).map_err(io::Error::other)?;
            text.push('\n');
            lock.replace(text.as_bytes())?;
            logins.unwritten().remove(&url);
            Ok(before.is_some())
        })
        .await
    }

    /// Keeps new tokens that cannot be written for this process.
    async fn keep_in_memory(&self, url: &str, login: Value) -> io::Result<()> {
        let (logins, url) = (self.clone(), url.to_owned());
        blocking(move || {
            logins.know(&login);
            let replaced = logins.read_file()?.remove(&url);
            logins.unwritten().insert(url, (replaced, login));
            Ok(())
        })
        .await
    }
}

/// Returns true if a client id is the URL of a client metadata document, which servers read instead of registering the client.
fn is_metadata_document(id: &str) -> bool {
    reqwest::Url::parse(id).is_ok_and(|url| url.scheme() == "https" && url.path() != "/")
}

/// Returns the scopes for a login; none to let the server's refusal decide. A login that is widened keeps its scopes.
fn scopes_to_request(
    login: Option<&Value>,
    wanted: &[String],
    challenge: Option<&str>,
) -> Vec<String> {
    let missing = challenge.and_then(missing_scopes).unwrap_or_default();
    let missing = missing.split_whitespace().map(str::to_owned);
    let new: Vec<String> = if wanted.is_empty() { missing.collect() } else { wanted.to_vec() };
    if new.is_empty() {
        return new;
    }
    let granted = login.and_then(|login| login.get("granted_scopes")?.as_array().cloned());
    let granted = granted.into_iter().flatten();
    let mut scopes: Vec<String> =
        granted.filter_map(|scope| scope.as_str().map(str::to_owned)).collect();
    for scope in new {
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    scopes
}

/// Returns the scopes that a server's refusal requests, if it refuses because they are missing.
pub(super) fn missing_scopes(challenge: &str) -> Option<String> {
    let (_, scopes) =
        challenge.split_once("scope=\"").filter(|_| challenge.contains("insufficient_scope"))?;
    let (scopes, _) = scopes.split_once('"')?;
    let is_plain = |c: char| c.is_ascii_graphic() && !['\'', '\\'].contains(&c);
    let scopes: Vec<&str> = scopes.split(' ').filter(|scope| !scope.is_empty()).collect();
    let is_fine = !scopes.is_empty() && scopes.iter().all(|scope| scope.chars().all(is_plain));
    is_fine.then(|| convert::line(&scopes.join(" ")))
}

/// Returns the state in a login page's address, if that is a web address.
fn state_of(page: &str) -> Option<Secret> {
    let page = reqwest::Url::parse(page).ok()?;
    if !["https", "http"].contains(&page.scheme()) {
        return None;
    }
    let (_, state) = page.query_pairs().find(|(name, _)| name == "state")?;
    Some(Secret::new(state.into_owned()))
}

/// The login of one server, as the SDK reads and writes it.
struct Store {
    logins: ServerLogins,
    url: String,
    unwritten: Unwritten,
}

fn of_store(error: impl std::fmt::Display) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}

#[async_trait::async_trait]
impl CredentialStore for Store {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let logins = self.logins.clone();
        let mut all = blocking(move || logins.read()).await.map_err(of_store)?;
        let Some(login) = all.remove(&self.url) else { return Ok(None) };
        let wrong = |_| of_store("the stored login has an unknown format: log in again");
        serde_json::from_value(login).map(Some).map_err(wrong)
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let login = serde_json::to_value(credentials).map_err(of_store)?;
        let Err(error) = self.logins.change(&self.url, Some(login.clone())).await else {
            return Ok(());
        };
        if self.unwritten == Unwritten::Refused {
            return Err(of_store(error));
        }
        tracing::warn!("the token for {} is valid for this run only: {error}", self.url);
        self.logins.keep_in_memory(&self.url, login).await.map_err(of_store)
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.logins.change(&self.url, None).await.map(drop).map_err(of_store)
    }

    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        let renewals = self.logins.renewals.clone();
        let locked = tokio::time::timeout(LOCK_TIMEOUT, blocking(move || renewals.lock())).await;
        let locked: SecretLock = locked
            .map_err(|_| of_store("another process has been renewing a login for too long"))?
            .map_err(of_store)?;
        Ok(Some(CredentialRefreshGuard::new(locked)))
    }
}

/// Does something with the file on a thread that may block.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_pages_of_the_web_are_opened() {
        for (page, want) in [
            ("https://a.b/authorize?state=s1&x=1", Some("s1")),
            ("http://127.0.0.1:1/authorize?x=1&state=s%2F1", Some("s/1")),
            ("https://a.b/authorize", None),
            ("file:///etc/passwd?state=s1", None),
            ("javascript:alert(1)?state=s1", None),
            ("state=s1", None),
        ] {
            assert_eq!(state_of(page).as_ref().map(Secret::expose), want, "{page}");
        }
    }

    #[test]
    fn a_client_id_may_be_the_url_of_a_document() {
        for (id, want) in [
            ("https://a.test/client.json", true),
            ("https://a.test/", false),
            ("http://a.test/client.json", false),
            ("my-app", false),
            ("urn:app:1", false),
        ] {
            assert_eq!(is_metadata_document(id), want, "{id}");
        }
    }

    #[test]
    fn missing_scopes_are_those_of_a_refusal_for_their_lack() {
        for (challenge, want) in [
            (r#"Bearer error="insufficient_scope", scope="read  write""#, Some("read write")),
            (r#"Bearer scope="read", error="insufficient_scope""#, Some("read")),
            (r#"Bearer scope="read""#, None),
            (r#"Bearer error="insufficient_scope""#, None),
            (r#"Bearer error="insufficient_scope", scope="""#, None),
            (r#"Bearer error="insufficient_scope", scope="a'; rm -r x""#, None),
            ("", None),
        ] {
            assert_eq!(missing_scopes(challenge).as_deref(), want, "{challenge}");
        }
    }

    #[test]
    fn a_login_that_is_widened_keeps_its_scopes() {
        let lacks = r#"Bearer error="insufficient_scope", scope="write admin""#;
        let login = json!({"granted_scopes": ["read", "write"]});
        for (login, wanted, challenge, want) in [
            (Some(&login), "", Some(lacks), "read write admin"),
            (Some(&login), "list", Some(lacks), "read write list"),
            (Some(&login), "list", None, "read write list"),
            (Some(&login), "", Some(r#"Bearer scope="admin""#), ""),
            (Some(&login), "", None, ""),
            (Some(&json!({})), "list", None, "list"),
            (None, "read list", Some(lacks), "read list"),
            (None, "", Some(lacks), "write admin"),
        ] {
            let wanted: Vec<String> = wanted.split_whitespace().map(str::to_owned).collect();
            let scopes = scopes_to_request(login, &wanted, challenge);
            assert_eq!(scopes.join(" "), want, "{login:?} {wanted:?} {challenge:?}");
        }
    }

    #[tokio::test]
    async fn logins_are_kept_by_address_and_their_tokens_are_known() {
        let folder = tempfile::tempdir().unwrap();
        let secrets = Secrets::default();
        let logins = ServerLogins::in_folder(folder.path(), &secrets, Network::default());
        let login = json!({"token_response": {"access_token": "access-123456", "refresh_token": "renew-123456"}});
        assert!(!logins.change("https://a", Some(login)).await.unwrap());
        assert_eq!(secrets.redact("access-123456 renew-123456"), "*** ***");
        assert!(!logins.log_out("https://a/other").await.unwrap());
        let later = Secrets::default();
        let again = ServerLogins::in_folder(folder.path(), &later, Network::default());
        assert!(again.has("https://a").unwrap() && !again.has("https://a/other").unwrap());
        assert_eq!(later.redact("access-123456"), "***");
        assert!(again.log_out("https://a").await.unwrap());
        assert!(!again.log_out("https://a").await.unwrap());
    }
}
