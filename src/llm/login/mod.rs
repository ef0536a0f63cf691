//! Provider logins: created with a device code, in a browser or by typing a key; stored, renewed and exchanged.
//!
//! [`Logins`] owns the login file. A token is renewed shortly before it expires, and once if the server refuses it, under the file's lock:
//! one of several processes renews it and the others read the new one. A short-lived token that a provider returns for the stored one is
//! kept in memory only. Every token is registered as a secret before a caller receives it.

mod browser;
mod device;
mod provider;
mod store;
mod wire;

pub use provider::{LoggedIn, LoginUse, TokenSource};
pub use store::FILE_NAME;

use super::catalog::Login;
use super::error::{Error, ErrorKind};
use super::http::{Http, SmallRequest, Timeouts};
use pintle_base::ambient::{Ambient, Secret, Secrets};
use pintle_base::network::Network;
use pintle_protocol::auth::AuthMethod;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::{Locked, LoginFile, Stored};
use tokio_util::sync::CancellationToken;
use wire::{Answer, Tokens};

/// A token is renewed this long before it expires, so that it lasts for a request.
const MARGIN: Duration = Duration::from_secs(60);

/// Timeout for the lock. Its owner waits for a server at most this long.
const LOCK_TIMEOUT: Duration = Duration::from_secs(90);

/// The page to open, and the code to enter there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The page.
    pub url: String,
    /// Code to enter there, for a device login.
    pub code: Option<String>,
    /// The time left for it.
    pub expires_in: Option<Duration>,
}

/// A token that a request carries, and where to send it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The token.
    pub token: Secret,
    /// Server that the provider assigns to this account; `None` for the usual one.
    pub base_url: Option<String>,
}

/// The user's logins. Cheap to clone; clones share the in-memory state.
#[derive(Debug, Clone)]
pub struct Logins(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    file: LoginFile,
    http: Http,
    ambient: Ambient,
    /// Short-lived tokens by provider. Locked while one is fetched, so that concurrent requests share it.
    exchanged: tokio::sync::Mutex<BTreeMap<String, Exchanged>>,
    /// Renewed logins that could not be written, each with the one in the file that it replaces.
    unwritten: Mutex<BTreeMap<String, (Stored, Stored)>>,
}

/// A short-lived token.
#[derive(Debug, Clone)]
struct Exchanged {
    /// Token that it was issued for.
    from: Secret,
    credential: Credential,
    expires_at_ms: Option<u64>,
}

/// Parts of a login that both flows need.
#[derive(Debug, Clone, Copy)]
struct Flow<'a> {
    name: &'a str,
    login: &'a Login,
    http: &'a Http,
    secrets: &'a Secrets,
}

impl Flow<'_> {
    fn client_id(&self) -> Result<&str, Error> {
        self.login.client_id.as_deref().ok_or_else(|| self.incomplete("client_id"))
    }

    fn incomplete(&self, fields: &str) -> Error {
        let name = self.name;
        Error::new(ErrorKind::InvalidRequest, format!("the login of {name} needs `{fields}`")).hint(
            format!("set it in [providers.{name}.login] of config.toml: `pintle help logins`"),
        )
    }

    fn refused(&self, message: &str) -> Error {
        Error::new(ErrorKind::Auth, format!("{} refused the login: {message}", self.name))
    }
}

fn denied(name: &str) -> Error {
    Error::new(ErrorKind::Auth, format!("access to {name} was denied"))
}

/// Returns the error for a request that requires a new login.
fn log_in_again(name: &str, message: String) -> Error {
    Error::new(ErrorKind::Auth, message).log_in(name, None)
}

/// Returns the error for a file that cannot be read or written.
fn of_file(error: &io::Error) -> Error {
    Error::of_key(error, format!("the stored logins cannot be used: {error}"))
}

impl Logins {
    /// Opens the logins in this directory. Their tokens become known secrets.
    pub fn in_folder(folder: &Path, ambient: &Ambient, network: Network) -> Self {
        let timeouts = Timeouts {
            first_byte: Duration::from_secs(30),
            idle: Duration::from_secs(30),
            ..Timeouts::default()
        };
        let logins = Self(Arc::new(Inner {
            file: LoginFile::in_folder(folder),
            http: Http::new(timeouts).behind(network),
            ambient: ambient.clone(),
            exchanged: tokio::sync::Mutex::default(),
            unwritten: Mutex::default(),
        }));
        // An unusable file is reported on first use.
        let _ = logins.read();
        logins
    }

    /// Returns the user's login methods, by provider. Blocking, and short.
    ///
    /// # Errors
    /// The file cannot be used; the message gives the reason.
    pub fn list(&self) -> Result<BTreeMap<String, AuthMethod>, Error> {
        Ok(self.read()?.into_iter().map(|(name, stored)| (name, stored.method)).collect())
    }

    /// Returns true if there is a login for this provider. Blocking, and short.
    ///
    /// # Errors
    /// As for [`Logins::list`].
    pub fn has(&self, provider: &str) -> Result<bool, Error> {
        Ok(self.read()?.contains_key(provider))
    }

    /// Logs in with a device or in a browser, and stores the tokens.
    ///
    /// # Errors
    /// The user or the provider refused, the time expired, the login was cancelled, or the tokens could not be stored.
    pub async fn log_in(
        &self,
        name: &str,
        login: &Login,
        method: AuthMethod,
        show: &mut (dyn FnMut(Prompt) + Send),
        cancel: &CancellationToken,
    ) -> Result<(), Error> {
        let flow = Flow { name, login, http: &self.0.http, secrets: self.0.ambient.secrets() };
        let flowing = async {
            match method {
                AuthMethod::Device => device::log_in(&flow, show).await,
                AuthMethod::Browser => browser::log_in(&flow, show).await,
                AuthMethod::Key => {
                    Err(Error::new(ErrorKind::InvalidRequest, "a key is not asked of a server"))
                }
            }
        };
        let tokens = tokio::select! {
            biased;
            () = cancel.cancelled() => {
                return Err(Error::new(ErrorKind::Auth, format!("the login to {name} was cancelled")));
            }
            flowed = flowing => flowed?,
        };
        self.store(name, self.stored(method, &tokens, None)).await
    }

    /// Stores a key.
    ///
    /// # Errors
    /// It cannot be sent in a header, or could not be stored.
    pub async fn set_key(&self, name: &str, key: &Secret) -> Result<(), Error> {
        let text = key.expose().trim();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            let message =
                "a key must consist of printable characters, without spaces or line breaks";
            return Err(Error::new(ErrorKind::InvalidRequest, message));
        }
        self.0.ambient.secrets().add(text);
        self.store(name, Stored::new(AuthMethod::Key, &Secret::new(text), None, None)).await
    }

    /// Removes a login. Returns true if there was one.
    ///
    /// # Errors
    /// The file cannot be used or written.
    pub async fn log_out(&self, name: &str) -> Result<bool, Error> {
        self.unwritten().remove(name);
        self.0.exchanged.lock().await.remove(name);
        let locked = self.lock().await?;
        let name = name.to_owned();
        blocking(move || locked.set(&name, None)).await
    }

    /// Returns the token for a request: that of the stored login, or `given`; exchanged if the provider requires that. A token that expires
    /// soon, or is the `refused` one, is renewed first; if it cannot be renewed, the same token is returned again.
    ///
    /// # Errors
    /// There is no login, or it could not be renewed or exchanged.
    pub async fn credential(
        &self,
        name: &str,
        login: &Login,
        given: Option<&Secret>,
        refused: Option<&Secret>,
    ) -> Result<Credential, Error> {
        let Some(exchange_url) = login.exchange_url.as_deref() else {
            let token = self.token(name, login, given, refused).await?;
            return Ok(Credential { token, base_url: None });
        };
        let from = self.token(name, login, given, None).await?;
        let mut exchanged = self.0.exchanged.lock().await;
        if let Some(known) = exchanged.get(name) {
            let is_refused = refused == Some(&known.credential.token);
            if known.from == from && !is_refused && !self.is_due(known.expires_at_ms) {
                return Ok(known.credential.clone());
            }
        }
        let (from, new) = if let Some(new) = self.exchange(name, exchange_url, &from).await? {
            (from, new)
        } else {
            // The provider refuses the login itself.
            let renewed = self.token(name, login, given, Some(&from)).await?;
            let again = || log_in_again(name, format!("{name} no longer accepts the login"));
            if renewed == from {
                return Err(again());
            }
            let new = self.exchange(name, exchange_url, &renewed).await?;
            (renewed, new.ok_or_else(again)?)
        };
        let credential = new.credential.clone();
        exchanged.insert(name.to_owned(), Exchanged { from, ..new });
        Ok(credential)
    }

    /// Gets a short-lived token; `None` if the server refuses the token sent with the request.
    async fn exchange(
        &self,
        name: &str,
        url: &str,
        from: &Secret,
    ) -> Result<Option<Exchanged>, Error> {
        let secrets = self.0.ambient.secrets();
        let bearer = Secret::new(format!("Bearer {}", from.expose()));
        let mut request = SmallRequest::get(url);
        request.headers.push(("authorization".to_owned(), bearer));
        let body = match wire::call(&self.0.http, secrets, request).await {
            Ok(Answer::Object(body)) => body,
            Ok(Answer::Refused { code, .. }) if code == "HTTP 401" => return Ok(None),
            Ok(Answer::Refused { message, .. }) => {
                return Err(log_in_again(name, format!("{name} denied access: {message}")));
            }
            Err(error) if error.status == Some(401) => return Ok(None),
            Err(error) => return Err(error),
        };
        let token = wire::secret(&body, "token", secrets)?;
        let base_url = body.get("endpoints").and_then(|places| places.get("api")?.as_str());
        let base_url = base_url.filter(|url| super::catalog::is_confidential(url));
        let expires_at_ms = wire::seconds(&body, "expires_at").map(millis);
        let base_url = base_url.map(str::to_owned);
        let credential = Credential { token, base_url };
        Ok(Some(Exchanged { from: from.clone(), credential, expires_at_ms }))
    }

    /// Returns the stored login's token, renewed if necessary.
    async fn token(
        &self,
        name: &str,
        login: &Login,
        given: Option<&Secret>,
        refused: Option<&Secret>,
    ) -> Result<Secret, Error> {
        if let Some(given) = given {
            return Ok(given.clone());
        }
        let logins = self.clone();
        let read = tokio::task::spawn_blocking(move || logins.read()).await;
        let mut stored = read.map_err(|error| Error::new(ErrorKind::Auth, error.to_string()))??;
        let Some(stored) = stored.remove(name) else {
            return Err(log_in_again(name, format!("not logged in to {name}")));
        };
        let token = stored.token();
        let is_due = self.is_due(stored.expires_at_ms);
        if !is_due && refused != Some(&token) {
            return Ok(token);
        }
        match (stored.refresh_token(), &login.token_url) {
            (Some(refresh), Some(url)) => self.renew(name, login, url, &stored, &refresh).await,
            _ if is_due && refused.is_none() => {
                Err(log_in_again(name, format!("the login to {name} has expired")))
            }
            _ => Ok(token),
        }
    }

    /// Renews a login, unless another process has done so in the meantime.
    async fn renew(
        &self,
        name: &str,
        login: &Login,
        url: &str,
        seen: &Stored,
        refresh: &Secret,
    ) -> Result<Secret, Error> {
        let locked = self.lock().await?;
        let (locked, logins) = blocking(move || locked.read().map(|read| (locked, read))).await?;
        let in_file = logins.get(name).cloned();
        let current = in_file.clone().map(|stored| self.with_unwritten(name, stored));
        match current {
            None => return Err(log_in_again(name, format!("not logged in to {name}"))),
            Some(current) if current != *seen => {
                self.0.ambient.secrets().add(current.token().expose());
                return Ok(current.token());
            }
            Some(_) => {}
        }
        let secrets = self.0.ambient.secrets();
        let body = wire::form(&[
            ("grant_type", Some("refresh_token")),
            ("refresh_token", Some(refresh.expose())),
            ("client_id", login.client_id.as_deref()),
        ]);
        let answer = wire::call(&self.0.http, secrets, SmallRequest::post(url, body)).await?;
        let tokens = match answer {
            Answer::Object(body) => wire::tokens(&body, secrets)?,
            Answer::Refused { message, .. } => {
                let message = format!("the login to {name} could not be renewed: {message}");
                return Err(log_in_again(name, message));
            }
        };
        let new = self.stored(seen.method, &tokens, Some(refresh));
        let (key, written) = (name.to_owned(), new.clone());
        if let Err(error) = blocking(move || locked.set(&key, Some(written))).await {
            tracing::warn!("the renewed login to {name} is valid for this run only: {error}");
            if let Some(replaced) = in_file {
                self.unwritten().insert(name.to_owned(), (replaced, new));
            }
        }
        Ok(tokens.access)
    }

    fn stored(&self, method: AuthMethod, tokens: &Tokens, refresh: Option<&Secret>) -> Stored {
        let Tokens { access, refresh: new, expires_in } = tokens;
        let expires_at_ms =
            expires_in.map(|life| self.0.ambient.now_ms().saturating_add(millis(life)));
        Stored::new(method, access, new.as_ref().or(refresh), expires_at_ms)
    }

    fn is_due(&self, expires_at_ms: Option<u64>) -> bool {
        let soon = self.0.ambient.now_ms().saturating_add(millis(MARGIN));
        expires_at_ms.is_some_and(|end| end <= soon)
    }

    async fn store(&self, name: &str, login: Stored) -> Result<(), Error> {
        let locked = self.lock().await?;
        let key = name.to_owned();
        blocking(move || locked.set(&key, Some(login))).await?;
        self.unwritten().remove(name);
        self.0.exchanged.lock().await.remove(name);
        Ok(())
    }

    /// Reads the file. Its tokens become known secrets.
    fn read(&self) -> Result<BTreeMap<String, Stored>, Error> {
        let stored = self.0.file.read().map_err(|error| of_file(&error))?;
        let secrets = self.0.ambient.secrets();
        for login in stored.values() {
            secrets.add(login.token().expose());
            if let Some(refresh) = login.refresh_token() {
                secrets.add(refresh.expose());
            }
        }
        let newest = |(name, login): (String, Stored)| {
            let login = self.with_unwritten(&name, login);
            (name, login)
        };
        Ok(stored.into_iter().map(newest).collect())
    }

    /// Returns the renewed login that could not be written, if it replaces the one in the file.
    fn with_unwritten(&self, name: &str, in_file: Stored) -> Stored {
        match self.unwritten().get(name) {
            Some((replaced, new)) if *replaced == in_file => new.clone(),
            _ => in_file,
        }
    }

    fn unwritten(&self) -> MutexGuard<'_, BTreeMap<String, (Stored, Stored)>> {
        self.0.unwritten.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn lock(&self) -> Result<Locked, Error> {
        let file = self.0.file.clone();
        let locked = tokio::time::timeout(LOCK_TIMEOUT, blocking(move || file.lock())).await;
        locked.unwrap_or_else(|_| {
            let message = "another process holds the lock on the login file";
            Err(Error::new(ErrorKind::Timeout, message))
        })
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Runs a file operation on a thread that may block.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(|error| of_file(&error)),
        Err(error) => Err(Error::new(ErrorKind::Auth, error.to_string())),
    }
}
