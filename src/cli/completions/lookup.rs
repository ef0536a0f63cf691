//! Values that depend on settings and stored data. They are read on request: only one argument is at the cursor.

use super::{FILES, paths};
use crate::cli::args::{Args, Settings, Values};
use crate::cli::sessions::LAST;
use crate::cli::{assemble, help};
use clap::CommandFactory;
use clap_complete::engine::CompletionCandidate;
use pintle_agent::config::Config;
use pintle_agent::models::{ConfiguredModels, ModelSource, built_in};
use pintle_base::ambient::Ambient;
use pintle_llm::Effort;
use pintle_protocol::auth::ProviderAuth;
use pintle_protocol::methods::SessionSummary;
use pintle_protocol::models::{KeyState, ModelInfo, ProviderInfo};
use pintle_session::store::Store;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

/// Maximum number of listed sessions, newest first.
const MAX_SESSIONS: usize = 50;

/// Description for untitled sessions.
const UNTITLED: &str = "(no title)";

/// The report formats that are written to a file.
const REPORTS: [&str; 3] = ["sarif=", "junit=", "markdown="];

/// Finds values for one command line.
#[derive(Debug, Clone)]
pub(super) struct Lookup {
    ambient: Ambient,
    words: Vec<String>,
}

impl Lookup {
    pub(super) fn new(ambient: &Ambient, words: &[OsString]) -> Self {
        let words = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        Self { ambient: ambient.clone(), words }
    }

    /// Returns values with the typed prefix.
    pub(super) fn find(&self, values: Values, typed: &str) -> Vec<CompletionCandidate> {
        let mut found = match values {
            Values::Model => self.models(typed),
            Values::Provider => self.providers(),
            Values::LoginProvider => self.logins(false),
            Values::StoredLogin => self.logins(true),
            Values::ThinkingLevel => named(["off"].into_iter().chain(Effort::names().skip(1))),
            Values::Session => {
                let last = described(LAST, "the newest session in this directory");
                self.sessions(typed).into_iter().chain([last]).collect()
            }
            Values::SessionId => self.sessions(typed),
            Values::SessionOrFile => {
                self.sessions(typed).into_iter().chain([paths(FILES, "")]).collect()
            }
            Values::McpServer => self.servers(),
            Values::Topic => self.topics(),
            Values::Report => match REPORTS.iter().find(|format| typed.starts_with(**format)) {
                Some(format) => vec![paths(FILES, format)],
                None => named(REPORTS.into_iter().chain(["github"])),
            },
            Values::Socket => match typed.strip_prefix("unix:") {
                Some(_) => vec![paths(FILES, "unix:")],
                None => named(["unix:", "ws://127.0.0.1:"]),
            },
        };
        found.retain(|one| {
            one.get_id().is_some() || one.get_value().to_string_lossy().starts_with(typed)
        });
        found
    }

    fn config(&self) -> Option<Config> {
        assemble::load_config(&Settings::default(), &self.ambient).ok()
    }

    fn configured(&self) -> Option<(Config, ConfiguredModels)> {
        let config = self.config()?;
        let models = assemble::configured_models(&Settings::default(), &config, &self.ambient);
        Some((config, models.ok()?))
    }

    /// Returns all providers and models. Providers with a key or an entry in the settings come first, then those without keys. If the
    /// settings are unusable, the lists are the built-in ones.
    fn list(&self) -> (Vec<ProviderInfo>, Vec<ModelInfo>) {
        let (own, list) = match self.configured() {
            Some((config, models)) => (config.providers, models.list()),
            None => (BTreeMap::default(), built_in()),
        };
        let rank = |row: &ProviderInfo| match row.key {
            _ if own.contains_key(&row.name) => 0,
            KeyState::Set | KeyState::Command | KeyState::Login => 0,
            KeyState::NotNeeded => 1,
            KeyState::Missing => 2,
        };
        let mut providers = list.providers;
        providers.sort_by_key(rank);
        (providers, list.models)
    }

    /// Returns providers; after a provider its models, and after a model the efforts.
    fn models(&self, typed: &str) -> Vec<CompletionCandidate> {
        let (providers, models) = self.list();
        if !typed.contains('/') {
            let with_slash = |row: &ProviderInfo| described(&format!("{}/", row.name), key(row));
            return providers.iter().map(with_slash).collect();
        }
        let mut found: Vec<_> = models.iter().map(model).collect();
        if let Some((model, _)) = typed.rsplit_once(':')
            && models.iter().any(|row| row.model == model)
        {
            found.extend(Effort::names().map(|effort| format!("{model}:{effort}").into()));
        }
        found
    }

    fn providers(&self) -> Vec<CompletionCandidate> {
        self.list().0.iter().map(|row| described(&row.name, key(row))).collect()
    }

    /// Returns the providers that offer logins, or those with a stored one.
    fn logins(&self, is_stored: bool) -> Vec<CompletionCandidate> {
        let rows = self.configured().map(|(_, models)| models.auth_status().providers);
        let rows = rows.unwrap_or_default();
        let rows = rows.iter().filter(|row| !is_stored || row.stored.is_some());
        let ways = |row: &ProviderAuth| {
            let methods: Vec<&str> = row.methods.iter().map(|method| method.name()).collect();
            methods.join(", ")
        };
        let state = |row: &ProviderAuth| {
            row.stored.map_or_else(|| ways(row), |method| format!("logged in ({})", method.name()))
        };
        rows.map(|row| described(&row.provider, &state(row))).collect()
    }

    /// Returns the newest sessions with the typed prefix, those of this directory first.
    fn sessions(&self, typed: &str) -> Vec<CompletionCandidate> {
        let Some(config) = self.config() else { return Vec::new() };
        let mut rows =
            Store::new(&config.folders.data).newest(typed, MAX_SESSIONS).unwrap_or_default();
        let here = self.ambient.current_dir().ok().and_then(|here| assemble::folder(&here).ok());
        let is_elsewhere = |cwd: &str| here.as_deref() != Some(Path::new(cwd));
        rows.sort_by_key(|row| is_elsewhere(&row.cwd));
        let title = |row: &SessionSummary| row.title.clone().unwrap_or_else(|| UNTITLED.to_owned());
        rows.iter().map(|row| described(row.session_id.as_str(), &title(row))).collect()
    }

    /// Returns the MCP servers of the user's settings. Those of projects are read by sessions only.
    fn servers(&self) -> Vec<CompletionCandidate> {
        let servers = self.config().map(|config| config.servers).unwrap_or_default();
        named(servers.iter().map(|server| server.name.as_str()))
    }

    /// Returns topics and commands for `help`; after a command its subcommands.
    fn topics(&self) -> Vec<CompletionCandidate> {
        let all = Args::command();
        let path = self.words.get(2..self.words.len().saturating_sub(1)).unwrap_or_default();
        let Some(at) = path.iter().try_fold(&all, |at, word| at.find_subcommand(word)) else {
            return Vec::new();
        };
        let shown = at.get_subcommands().filter(|command| !command.is_hide_set());
        let commands = shown.map(|command| {
            CompletionCandidate::new(command.get_name()).help(command.get_about().cloned())
        });
        let topics = help::topics().filter(|_| path.is_empty());
        topics.map(|(name, summary)| described(name, summary)).chain(commands).collect()
    }
}

fn described(text: &str, description: &str) -> CompletionCandidate {
    CompletionCandidate::new(text).help(Some(description.to_owned().into()))
}

fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<CompletionCandidate> {
    names.into_iter().map(CompletionCandidate::from).collect()
}

fn model(row: &ModelInfo) -> CompletionCandidate {
    let name = row.name.as_deref().unwrap_or_default();
    let window = row.window.map(|tokens| format!("{}k context", tokens / 1000));
    let parts = [name, window.as_deref().unwrap_or_default()];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    described(&row.model, &parts.join(", "))
}

/// Describes a provider's key.
fn key(row: &ProviderInfo) -> &'static str {
    match row.key {
        KeyState::Set => "key set",
        KeyState::Command => "key from a command",
        KeyState::Login => "logged in",
        KeyState::NotNeeded => "no key needed",
        KeyState::Missing => "no key",
    }
}
