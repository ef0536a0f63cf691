//! Provider whose requests carry a login's token: renewed before it expires, and once if the server refuses it.

use super::{Credential, Logins};
use crate::catalog::Login;
use crate::credentials::{CommandOutput, Commanded, Slot};
use crate::local;
use crate::{
    DeltaStream, Endpoint, Error, ErrorKind, Omission, Provider, Request, ServedWindow, Wire,
    connect,
};
use pintle_base::ambient::Secret;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Source of the token that is sent, or exchanged.
#[derive(Debug)]
pub enum TokenSource {
    /// The stored login.
    Stored,
    /// A token from the settings or the environment.
    Given(Secret),
    /// A token printed by a command.
    Printed(Arc<CommandOutput>),
}

/// Use of a login by a provider.
#[derive(Debug)]
pub struct LoginUse {
    /// Source of the token.
    pub source: TokenSource,
    /// The endpoints that renew and exchange it.
    pub login: Login,
    /// True if the provider may assign another server to an account.
    pub may_move: bool,
}

/// Provider reached with a login.
#[derive(Debug)]
pub struct LoggedIn {
    logins: Logins,
    usage: LoginUse,
    endpoint: Endpoint,
    wire: Arc<dyn Wire>,
    /// Headers printed by commands, and their maximum age.
    slots: Vec<(Slot, Arc<CommandOutput>)>,
    max_age: Option<Duration>,
    /// The provider connected with the latest credential.
    connected: Mutex<Option<(Credential, Arc<dyn Provider>)>>,
}

impl LoggedIn {
    /// Creates a provider whose endpoint lacks a key, and the headers that commands print for these slots.
    pub fn new(
        logins: Logins,
        usage: LoginUse,
        endpoint: Endpoint,
        wire: Arc<dyn Wire>,
        slots: Vec<(Slot, Arc<CommandOutput>)>,
        max_age: Option<Duration>,
    ) -> Self {
        Self { logins, usage, endpoint, wire, slots, max_age, connected: Mutex::default() }
    }

    async fn credential(&self, refused: Option<&Secret>) -> Result<Credential, Error> {
        let LoginUse { source, login, .. } = &self.usage;
        let given = match source {
            TokenSource::Stored => None,
            TokenSource::Given(token) => Some(token.clone()),
            TokenSource::Printed(output) => Some(output.secret(self.max_age).await?),
        };
        self.logins.credential(&self.endpoint.name, login, given.as_ref(), refused).await
    }

    fn connect(&self, credential: &Credential) -> Arc<dyn Provider> {
        let mut connected = self.connected.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, provider)) = connected.as_ref().filter(|(known, _)| known == credential) {
            return Arc::clone(provider);
        }
        let mut endpoint = self.endpoint.clone();
        endpoint.key = Some(credential.token.clone());
        if let Some(base_url) = credential.base_url.as_ref().filter(|_| self.usage.may_move) {
            endpoint.base_url = match endpoint.base_url.strip_suffix("/chat/completions") {
                Some(_) => format!("{}/chat/completions", base_url.trim_end_matches('/')),
                None => base_url.clone(),
            };
        }
        let wire = Arc::clone(&self.wire);
        let provider = if self.slots.is_empty() {
            connect(endpoint, wire)
        } else {
            Arc::new(Commanded::new(endpoint, wire, self.slots.clone(), self.max_age))
        };
        Arc::clone(&connected.insert((credential.clone(), provider)).1)
    }
}

#[async_trait::async_trait]
impl Provider for LoggedIn {
    async fn stream(&self, request: Request) -> Result<DeltaStream, Error> {
        let first = self.credential(None).await?;
        let reply = self.connect(&first).stream(request.clone()).await;
        let Err(error) = reply else { return reply };
        if error.kind != ErrorKind::Auth || error.status != Some(401) {
            return Err(error);
        }
        let second = self.credential(Some(&first.token)).await?;
        let reply = if second.token == first.token {
            Err(error)
        } else {
            self.connect(&second).stream(request).await
        };
        reply.map_err(|error| match (&self.usage.source, error.status) {
            (TokenSource::Stored, Some(401)) => error.log_in(&self.endpoint.name, None),
            _ => error,
        })
    }

    fn take_omissions(&self) -> Vec<Omission> {
        self.endpoint.omissions.take_untold()
    }

    async fn served_window(&self, model: &str) -> Option<ServedWindow> {
        if !local::is_asked(&self.endpoint) {
            return None;
        }
        let credential = self.credential(None).await.ok()?;
        self.connect(&credential).served_window(model).await
    }
}
