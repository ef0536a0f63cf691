//! Provider logins, for clients.

use crate::engine::EngineHandle;
use crate::error::{Error, ErrorKind};
use crate::models::{ConfiguredModels, LoginRequest, ShowPrompt};
use pintle_protocol::auth::{AuthMethod, AuthStatusResult};
use tokio_util::sync::CancellationToken;

impl EngineHandle {
    /// Returns the current logins, and the providers that offer one.
    pub fn auth_status(&self) -> AuthStatusResult {
        self.services().auth.as_ref().map(|auth| auth.auth_status()).unwrap_or_default()
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
        Ok(self.providers()?.log_in(request, show, cancel).await?)
    }

    /// Logs out of a provider. Returns true if there was a stored login.
    ///
    /// # Errors
    /// The provider is unknown, or the login cannot be removed.
    pub async fn log_out(&self, provider: &str) -> Result<bool, Error> {
        Ok(self.providers()?.log_out(provider).await?)
    }

    fn providers(&self) -> Result<&ConfiguredModels, Error> {
        let message = "this engine has no providers to log in to";
        self.services().auth.as_deref().ok_or_else(|| Error::new(ErrorKind::Invalid, message))
    }
}
