//! Logging in and out of the providers that settings and catalogue name, and who is logged in.

use super::configured::ConfiguredModels;
use super::known;
use crate::config::Config;
use pintle_base::ambient::Secret;
use pintle_llm::catalog::Login;
use pintle_llm::login::Prompt;
use pintle_llm::{Error, ErrorKind};
use pintle_protocol::auth::{AuthMethod, AuthStatusResult, ProviderAuth};
use pintle_protocol::models::{KeyState, ProviderInfo};
use std::collections::BTreeSet;
use tokio_util::sync::CancellationToken;

/// A login to make.
#[derive(Debug, Clone)]
pub struct LoginRequest {
    /// The provider.
    pub provider: String,
    /// The login method; the provider's preferred one by default.
    pub method: Option<AuthMethod>,
    /// The key, for a login with a key.
    pub key: Option<Secret>,
}

/// Shows the page to open.
pub type ShowPrompt<'a> = &'a mut (dyn FnMut(Prompt) + Send);

impl ConfiguredModels {
    /// Returns the current logins, and the providers that offer one. Blocking, and short.
    pub fn auth_status(&self) -> AuthStatusResult {
        self.settings.refresh();
        let config = self.settings.current();
        let (stored, problem) = match self.logins.list() {
            Ok(stored) => (stored, None),
            Err(error) => (known::StoredLogins::new(), Some(error.message)),
        };
        let known = known::providers(&config, &self.ambient, &stored);
        let names: BTreeSet<&str> = known.iter().map(|row| row.name.as_str()).collect();
        let forgotten = stored.iter().filter(|(name, _)| !names.contains(name.as_str()));
        let forgotten = forgotten.map(|(name, method)| ProviderAuth {
            provider: name.clone(),
            methods: Vec::new(),
            stored: Some(*method),
            key: KeyState::Login,
            key_var: None,
        });
        let known = known.iter().map(|row| ProviderAuth {
            provider: row.name.clone(),
            methods: methods(&config, row),
            stored: stored.get(&row.name).copied(),
            key: row.key,
            key_var: row.key_var.clone(),
        });
        let providers = known.filter(|row| !row.methods.is_empty() || row.stored.is_some());
        AuthStatusResult { providers: providers.chain(forgotten).collect(), problem }
    }

    /// Logs in to a provider. Returns the login method used.
    ///
    /// # Errors
    /// The provider is unknown or has no such login, or the login failed or was cancelled.
    pub async fn log_in(
        &self,
        request: LoginRequest,
        show: ShowPrompt<'_>,
        cancel: &CancellationToken,
    ) -> Result<AuthMethod, Error> {
        let LoginRequest { provider, method, key } = request;
        if self.is_replay {
            let message = "cannot log in while replaying a cassette: nothing is sent";
            return Err(Error::new(ErrorKind::InvalidRequest, message));
        }
        let (method, login) = {
            self.settings.refresh();
            let config = self.settings.current();
            let row = self.row(&config, &provider)?;
            let offered = methods(&config, &row);
            let method = method.or_else(|| key.as_ref().map(|_| AuthMethod::Key));
            let method = method.or_else(|| offered.first().copied());
            let Some(method) = method.filter(|method| offered.contains(method)) else {
                return Err(no_such_method(&provider, &offered));
            };
            (method, known::login(&config, &provider).unwrap_or_default())
        };
        match (method, key) {
            (AuthMethod::Key, Some(key)) => self.logins.set_key(&provider, &key).await?,
            (AuthMethod::Key, None) => {
                let message = format!("logging in to {provider} requires its key");
                return Err(Error::new(ErrorKind::InvalidRequest, message));
            }
            (AuthMethod::Device | AuthMethod::Browser, _) => {
                self.logins.log_in(&provider, &login, method, show, cancel).await?;
            }
        }
        Ok(method)
    }

    /// Logs out of a provider. Returns true if there was a stored login.
    ///
    /// # Errors
    /// The provider is unknown and has no login, or the file cannot be written.
    pub async fn log_out(&self, provider: &str) -> Result<bool, Error> {
        let is_stored = self.logins.has(provider)?;
        if !is_stored {
            self.row(&self.settings.current(), provider)?;
            return Ok(false);
        }
        self.logins.log_out(provider).await
    }

    fn row(&self, config: &Config, name: &str) -> Result<ProviderInfo, Error> {
        let rows = known::providers(config, &self.ambient, &known::StoredLogins::new());
        rows.into_iter().find(|row| row.name == name).ok_or_else(|| {
            Error::new(ErrorKind::InvalidRequest, format!("unknown provider `{name}`"))
                .hint("`pintle models --providers` lists the providers")
        })
    }
}

/// Returns the login methods of a provider. A provider that needs no key has none, unless the user configured one.
fn methods(config: &Config, row: &ProviderInfo) -> Vec<AuthMethod> {
    let login = known::login(config, &row.name);
    let own = config.providers.contains_key(&row.name);
    let with_login = login.iter().flat_map(Login::methods);
    let has_exchange = login.as_ref().is_some_and(|login| login.exchange_url.is_some());
    let takes_key = own || row.key_var.is_some() || row.key != KeyState::NotNeeded;
    // A token to exchange comes from a login, and is not a key that the user has.
    let key = (takes_key && !has_exchange).then_some(AuthMethod::Key);
    with_login.chain(key).collect()
}

fn no_such_method(provider: &str, offered: &[AuthMethod]) -> Error {
    if offered.is_empty() {
        let message = format!("{provider} needs neither a key nor a login");
        return Error::new(ErrorKind::InvalidRequest, message);
    }
    let names: Vec<&str> = offered.iter().map(|method| method.name()).collect();
    let message = format!("{provider} has no such login; expected one of {}", names.join(", "));
    Error::new(ErrorKind::InvalidRequest, message)
}
