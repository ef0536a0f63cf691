//! Resolves a model's name to a provider: the one place where settings, catalogue and wire meet.
//!
//! The command line's server takes precedence, then the user's entries over the catalogue's, field by field. The
//! settings are the current ones: see [`Live`].

use super::known;
use super::secrets::is_secret_header;
use super::source::ModelSource;
use crate::config::{
    self, Config, Live, ModelEntry, ProviderEntry, Seconds, TextSource, lay_headers,
};
use pintle_base::ambient::{Ambient, Secret};
use pintle_llm::catalog::{self, Dialect, Model};
use pintle_llm::credentials::{CommandOutput, Commanded, Commands, Slot};
use pintle_llm::login::{LoggedIn, LoginUse, Logins, TokenSource};
use pintle_llm::{Api, Effort, Endpoint, Error, ErrorKind, ModelRef, Provider, Wire, connect};
use pintle_protocol::event::{Notice, NoticeLevel};
use pintle_protocol::models::ModelsListResult;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// Models according to the settings.
#[derive(Debug)]
pub struct ConfiguredModels {
    /// The settings.
    pub settings: Live,
    /// The source of environment variables with keys.
    pub ambient: Ambient,
    /// The transport of requests.
    pub wire: Arc<dyn Wire>,
    /// A cassette answers, so nothing is sent and no key is needed.
    pub is_replay: bool,
    /// The commands that print keys.
    pub commands: Commands,
    /// The stored logins.
    pub logins: Logins,
}

/// An endpoint whose secrets may still have to be printed by commands.
struct UnresolvedEndpoint {
    endpoint: Endpoint,
    slots: Vec<(Slot, Arc<CommandOutput>)>,
    max_age: Option<Duration>,
    login: Option<LoginUse>,
}

impl From<Endpoint> for UnresolvedEndpoint {
    fn from(endpoint: Endpoint) -> Self {
        Self { endpoint, slots: Vec::new(), max_age: None, login: None }
    }
}

impl ModelSource for ConfiguredModels {
    fn provider(&self, model: &ModelRef) -> Result<Arc<dyn Provider>, Error> {
        let UnresolvedEndpoint { endpoint, slots, max_age, login } =
            self.reach(&self.settings.current(), model)?;
        let wire = Arc::clone(&self.wire);
        if self.is_replay {
            return Ok(connect(endpoint, wire));
        }
        if let Some(usage) = login {
            let logins = self.logins.clone();
            let provider = LoggedIn::new(logins, usage, endpoint, wire, slots, max_age);
            return Ok(Arc::new(provider));
        }
        if slots.is_empty() {
            return Ok(connect(endpoint, wire));
        }
        Ok(Arc::new(Commanded::new(endpoint, wire, slots, max_age)))
    }

    fn model(&self, model: &ModelRef) -> Option<Model> {
        self.settings.refresh();
        known::model(&self.settings.current(), &model.provider, &model.id)
    }

    fn searches_web(&self, model: &ModelRef) -> bool {
        self.endpoint(model).is_ok_and(|endpoint| endpoint.searches_web(&model.id))
    }

    fn takes_documents(&self, model: &ModelRef) -> bool {
        self.endpoint(model).is_ok_and(|endpoint| endpoint.takes_documents(&model.id))
    }

    fn refresh(&self) -> Vec<Notice> {
        self.settings.refresh();
        let untold = self.settings.take_untold().into_iter();
        let notice = untold.map(|problem| Notice {
            level: if problem.is_error { NoticeLevel::Error } else { NoticeLevel::Warning },
            code: "config".to_owned(),
            message: problem.message,
            hint: problem.hint,
        });
        notice.collect()
    }

    fn list(&self) -> ModelsListResult {
        self.settings.refresh();
        let problems = self.settings.problems().into_iter().map(|problem| problem.message);
        let (logins, problem) = match self.logins.list() {
            Ok(logins) => (logins, None),
            Err(error) => (known::StoredLogins::new(), Some(error.message)),
        };
        let problems = problems.chain(problem).collect();
        known::list(&self.settings.current(), &self.ambient, &logins, problems)
    }
}

impl ConfiguredModels {
    /// Returns a model's endpoint, without secrets that commands print.
    ///
    /// # Errors
    /// The provider is unknown, or its key is missing.
    pub fn endpoint(&self, model: &ModelRef) -> Result<Endpoint, Error> {
        self.reach(&self.settings.current(), model).map(|reached| reached.endpoint)
    }

    fn reach(&self, config: &Config, model: &ModelRef) -> Result<UnresolvedEndpoint, Error> {
        let mut reached = self.without_login(config, model)?;
        if !self.is_replay {
            self.use_login(config, &model.provider, &mut reached)?;
        }
        Ok(reached)
    }

    /// Uses a login's token if there is no key, or if the provider requires exchanging the key.
    fn use_login(
        &self,
        config: &Config,
        name: &str,
        reached: &mut UnresolvedEndpoint,
    ) -> Result<(), Error> {
        let login = known::login(config, name);
        let takes_none = catalog::find(name).is_some_and(|known| known.key_vars.is_empty());
        if login.is_none() && takes_none && !config.providers.contains_key(name) {
            return Ok(());
        }
        let has_exchange = login.as_ref().is_some_and(|login| login.exchange_url.is_some());
        let printed = reached.slots.iter().position(|(slot, _)| matches!(slot, Slot::Key));
        let source = match (reached.endpoint.key.take(), printed) {
            (Some(key), _) if has_exchange => TokenSource::Given(key),
            (None, Some(at)) if has_exchange => TokenSource::Printed(reached.slots.remove(at).1),
            (key @ Some(_), _) => {
                reached.endpoint.key = key;
                return Ok(());
            }
            (None, Some(_)) => return Ok(()),
            (None, None) if reached.endpoint.signing.is_some() => return Ok(()),
            (None, None) if self.logins.has(name)? => TokenSource::Stored,
            (None, None) => {
                let needs_login = catalog::find(name).is_none() && config.server.is_none();
                return match login {
                    Some(_) if needs_login => {
                        Err(Error::new(ErrorKind::Auth, format!("not logged in to {name}"))
                            .log_in(name, None))
                    }
                    _ => Ok(()),
                };
            }
        };
        let home = catalog::find(name).map(|known| known.base_url.as_str());
        reached.login = Some(LoginUse {
            source,
            may_move: home.is_none_or(|home| home == reached.endpoint.base_url),
            login: login.unwrap_or_default(),
        });
        Ok(())
    }

    fn without_login(
        &self,
        config: &Config,
        model: &ModelRef,
    ) -> Result<UnresolvedEndpoint, Error> {
        let name = &model.provider;
        if let Some(server) = &config.server {
            return self
                .at_server(name, &server.base_url, server.api.as_deref())
                .map(UnresolvedEndpoint::from);
        }
        let row = catalog::model(name, &model.id);
        let own_api = row.and_then(|row| Api::from_name(row.api.as_deref()?));
        let Some(entry) = config.providers.get(name) else {
            let mut endpoint = self.known(config, name, None)?;
            endpoint.api = own_api.unwrap_or(endpoint.api);
            return Ok(endpoint.into());
        };
        let said = known::user_entry(entry, &model.id);
        let mut reached = self.place(config, name, entry, said.as_ref())?;
        let endpoint = &mut reached.endpoint;
        // A server at another URL may speak only one API.
        let is_elsewhere = entry.base_url.is_some() || entry.api.is_some();
        if let Some(api) = own_api.filter(|_| !is_elsewhere) {
            endpoint.api = api;
        }
        endpoint.auth = entry.auth.or(endpoint.auth);
        endpoint.dialect = dialect_with(endpoint.dialect, &entry.dialect);
        endpoint.takes_images = entry.vision;
        endpoint.extra_body.extend(entry.extra_body.clone());
        let mut headers = entry.headers.clone();
        if let Some(said) = said {
            endpoint.api = said.api.unwrap_or(endpoint.api);
            endpoint.dialect = dialect_with(endpoint.dialect, &said.dialect);
            endpoint.extra_body.extend(said.extra_body);
            endpoint.takes_images = said.vision.or(endpoint.takes_images);
            endpoint.max_output_tokens = said.max_output;
            endpoint.efforts = match said.reasoning {
                Some(false) => Effort::all().map(|effort| (effort, None)).collect(),
                Some(true) | None => said.efforts,
            };
            lay_headers(&mut headers, said.headers);
        }
        for (header, source) in headers {
            match source {
                TextSource::Fetched(command) => {
                    reached.slots.push((Slot::Header(header), self.commands.get(&command)));
                }
                TextSource::Text(text) => match config::fill(text.expose(), &self.ambient) {
                    Ok(value) => {
                        if is_secret_header(&header) || value != text.expose() {
                            self.ambient.secrets().add(&value);
                        }
                        reached.endpoint.headers.push((header, Secret::new(value)));
                    }
                    Err(_) if self.is_replay => {}
                    Err(variable) => {
                        let message = format!(
                            "the header {header} for {name} requires {variable}, which is not set"
                        );
                        return Err(Error::new(ErrorKind::Auth, message)
                            .hint(format!("set {variable}, or change {}", files(entry))));
                    }
                },
            }
        }
        reached.max_age = entry.key_expires_s.map(Seconds::get);
        Ok(reached)
    }

    /// Returns the endpoint and key of a provider in the user's files.
    fn place(
        &self,
        config: &Config,
        name: &str,
        entry: &ProviderEntry,
        said: Option<&ModelEntry>,
    ) -> Result<UnresolvedEndpoint, Error> {
        let var = entry.base_url_var.as_deref().and_then(|var| self.ambient.var(var));
        let written = entry.base_url.as_deref().map(|url| config::fill(url, &self.ambient));
        let base_url = match (var, written.transpose()) {
            (Some(moved), _) => Some(moved.to_owned()),
            (None, Ok(written)) => written,
            (None, Err(_)) if self.is_replay => entry.base_url.clone(),
            (None, Err(variable)) => {
                let message = format!("the URL of {name} requires {variable}, which is not set");
                return Err(Error::new(ErrorKind::Auth, message)
                    .hint(format!("set {variable}, or change `base_url` in {}", files(entry))));
            }
        };
        let has_key = entry.key.is_some() || !entry.key_vars.is_empty();
        let api = said.and_then(|said| said.api).or(entry.api);
        let mut endpoint = match (catalog::find(name), base_url, api) {
            (Some(_), base_url, _) if has_key && !self.is_replay => {
                Endpoint::place(name, &self.ambient, base_url.as_deref())?
            }
            (Some(_), base_url, _) => self.known(config, name, base_url.as_deref())?,
            (None, Some(base_url), Some(api)) => Endpoint::new(name, api, base_url),
            (None, Some(_), None) => return Err(unknown_api(name)),
            (None, None, _) => {
                let message = format!("the provider `{name}` has no URL");
                return Err(Error::new(ErrorKind::InvalidRequest, message)
                    .hint(format!("set its `base_url` in {}", files(entry))));
            }
        };
        endpoint.api = entry.api.unwrap_or(endpoint.api);
        let mut reached = UnresolvedEndpoint::from(endpoint);
        if has_key {
            self.key(name, entry, &mut reached)?;
        }
        Ok(reached)
    }

    fn key(
        &self,
        name: &str,
        entry: &ProviderEntry,
        reached: &mut UnresolvedEndpoint,
    ) -> Result<(), Error> {
        let missing = || Error::new(ErrorKind::Auth, format!("no key for {name}"));
        let remedy = |variable: &str| {
            format!("{} reads it from {variable}: set that variable", files(entry))
        };
        let (key, key_var) = match &entry.key {
            Some(TextSource::Fetched(command)) => {
                reached.slots.push((Slot::Key, self.commands.get(command)));
                (Ok(None), None)
            }
            Some(TextSource::Text(text)) => {
                let key = config::fill(text.expose(), &self.ambient);
                let key = key.map(Some).map_err(|variable| missing().hint(remedy(&variable)));
                (key, config::variable(text.expose()).map(str::to_owned))
            }
            None => {
                let mut vars = entry.key_vars.iter();
                match vars.find_map(|var| Some((var, self.ambient.var(var)?))) {
                    Some((var, key)) => (Ok(Some(key.trim().to_owned())), Some(var.clone())),
                    None if !self.is_replay && self.logins.has(name)? => (Ok(None), None),
                    None => {
                        let remedy = remedy(&entry.key_vars.join(" or "));
                        (Err(missing().log_in(name, Some(remedy))), None)
                    }
                }
            }
        };
        let key = if self.is_replay { key.unwrap_or_default() } else { key? };
        reached.endpoint.key_var = key_var;
        let key = key.filter(|key| !key.is_empty());
        if let Some(key) = &key {
            self.ambient.secrets().add(key);
        }
        reached.endpoint.key = key.map(Secret::new);
        Ok(())
    }

    /// Returns the endpoint for the server given on the command line.
    fn at_server(&self, name: &str, base_url: &str, api: Option<&str>) -> Result<Endpoint, Error> {
        let mut endpoint = match catalog::find(name) {
            Some(_) => self.resolved(name, Some(base_url))?,
            None if api.is_some() => Endpoint::new(name, Api::Chat, base_url),
            None => return Err(unknown_api(name)),
        };
        if let Some(name) = api {
            endpoint.api = Api::from_name(name).ok_or_else(|| {
                let names: Vec<_> = Api::NAMES.iter().map(|(name, _)| *name).collect();
                Error::new(ErrorKind::InvalidRequest, format!("unknown API `{name}`"))
                    .hint(format!("the APIs are {}", names.join(", ")))
            })?;
        }
        Ok(endpoint)
    }

    /// Returns a provider of the catalogue.
    fn known(
        &self,
        config: &Config,
        name: &str,
        base_url: Option<&str>,
    ) -> Result<Endpoint, Error> {
        self.resolved(name, base_url).map_err(|error| {
            if catalog::find(name).is_some() {
                return error;
            }
            let hint = error.hint.clone().unwrap_or_default();
            error.hint(format!(
                "{hint}; for another server, define [providers.{name}] with its base_url and api in {}",
                config.folders.config_file.display()
            ))
        })
    }

    fn resolved(&self, name: &str, base_url: Option<&str>) -> Result<Endpoint, Error> {
        match (Endpoint::resolve(name, &self.ambient, base_url), catalog::find(name)) {
            (Err(error), Some(known)) if error.kind == ErrorKind::Auth && self.is_replay => {
                let base_url = base_url.unwrap_or(&known.base_url);
                let mut endpoint = Endpoint::new(name, known.api, base_url);
                endpoint.dialect = known.dialect;
                Ok(endpoint)
            }
            (Err(error), Some(_)) if error.kind == ErrorKind::Auth && self.logins.has(name)? => {
                Endpoint::place(name, &self.ambient, base_url)
            }
            (resolved, _) => resolved,
        }
    }
}

fn unknown_api(name: &str) -> Error {
    let message = format!("the API of `{name}` is unknown");
    Error::new(ErrorKind::InvalidRequest, message)
        .hint("add --api chat, messages, responses or gemini, or `api` in the config file")
}

/// Returns a dialect with the fields from a settings file, which were validated when it was read.
fn dialect_with(dialect: Dialect, said: &Map<String, Value>) -> Dialect {
    said.iter()
        .fold(dialect, |dialect, (field, value)| dialect.with(field, value).unwrap_or(dialect))
}

/// Returns the files that describe an entry.
pub(super) fn files(entry: &ProviderEntry) -> String {
    known::names(&entry.files)
}

#[cfg(test)]
mod tests;
