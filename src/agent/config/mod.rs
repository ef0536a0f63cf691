//! Settings: layers folded into one plain [`Config`] that knows the source of each value.
//!
//! The layers, from lowest to highest: defaults, the user's models files and config file, the environment, the command line. A project's
//! own files are not a layer, so a repository cannot choose where the user's code is sent.

mod document;
mod file;
mod live;
mod load;
mod pi;
mod providers;
mod schema;
mod settings;
mod text_source;
mod values;
mod words;

pub use live::{Live, Problem};
pub use load::{CATALOG_FILE, ReadFile, load};
#[cfg(test)]
pub(crate) use providers::PROFILE_NAMES;
pub use providers::{ModelEntry, PriceEntry, ProviderEntry, lay_headers};
pub use settings::{
    ContextSettings, EnvironmentSettings, HookSettings, LimitSettings, LintSettings,
    SessionSettings, Settings, TitleSettings, ToolSettings, Variables,
};
pub use text_source::{KEY_FILE, KEYRING, TextSource, fill, in_home, variable, variables};
pub use values::{NanoUsd, PruneAbove, Seconds, Setting, TextFile, Tokens, nano_usd};
pub use words::split_words;

use pintle_protocol::approval::PermissionMode;
use pintle_tools::mcp::Definition;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Source of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The built-in default.
    BuiltIn,
    /// The config file.
    File,
    /// An environment variable.
    Variable(&'static str),
    /// A flag on the command line.
    Flag(&'static str),
}

/// The effective settings.
#[derive(Debug, Clone)]
pub struct Config {
    /// Settings of the config file, overridden by those of the environment and the command line.
    pub settings: Settings,
    /// Providers of the config file and the models files, by name.
    pub providers: BTreeMap<String, ProviderEntry>,
    /// MCP servers of the config file, including disabled ones.
    pub servers: Vec<Definition>,
    /// The server to which the command line sends every request, whatever the provider.
    pub server: Option<Server>,
    /// The directories.
    pub folders: Folders,
    /// Files that the loader looked for, in layer order.
    pub files: Vec<ReadFile>,
    /// Problems in the files that do not prevent a start.
    pub warnings: Vec<String>,
}

impl Config {
    /// Describes the source of one of these settings' values.
    pub fn origin(&self, source: &Source) -> String {
        match source {
            Source::BuiltIn => "built in".to_owned(),
            Source::File => self.folders.config_file.display().to_string(),
            Source::Variable(name) | Source::Flag(name) => (*name).to_owned(),
        }
    }
}

/// A server given on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Its base URL.
    pub base_url: String,
    /// Name of its wire API; `None` for the provider's API.
    pub api: Option<String>,
}

/// Directories of settings and sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// The config file, whether it exists or not.
    pub config_file: PathBuf,
    /// True if it exists.
    pub has_config_file: bool,
    /// Directory for sessions and other lasting data.
    pub data: PathBuf,
    /// The source of that choice.
    pub source: Source,
}

/// The settings given on the command line.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    /// `--model`.
    pub model: Option<String>,
    /// `--fallback-model`.
    pub fallback_model: Option<String>,
    /// `--permission`.
    pub permission_mode: Option<PermissionMode>,
    /// `--profile`.
    pub profile: Option<String>,
    /// `--base-url`.
    pub base_url: Option<String>,
    /// `--api`.
    pub api: Option<String>,
    /// `--wrap`, as words.
    pub wrap: Option<Vec<String>>,
    /// `--read-only`.
    pub read_only: bool,
    /// `--web-fetch`.
    pub web_fetch: bool,
    /// `--web-search`.
    pub web_search: bool,
    /// Models files of another program, in a layer below the user's files; missing files are skipped.
    pub models_files: Vec<PathBuf>,
}

/// An error in the settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The problem and its place.
    pub message: String,
    /// The suggested next step.
    pub hint: Option<String>,
}

impl Error {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

#[cfg(test)]
mod tests;
