//! Settings: layers folded into one plain [`Config`] that knows the source of each value.
//!
//! The layers, from lowest to highest: defaults, the user's models files and config file, the environment, the
//! command line. A project's own files are no layer, so a repository cannot choose where a person's code is sent.

mod context;
mod entry;
mod environment;
mod file;
mod hooks;
mod limits;
mod lint;
mod live;
mod load;
mod node;
mod pi;
mod providers;
mod sessions;
mod text_source;
mod title;
mod tools;
mod unknown;

pub use context::{ContextSettings, SafeZone};
pub use entry::{ModelEntry, PriceEntry, ProviderEntry, lay_headers};
pub use environment::{EnvironmentConfig, Variables, words};
pub use hooks::HookSettings;
pub use limits::{LimitSettings, nano_usd};
pub use lint::LintSettings;
pub use live::{Live, Problem};
pub use load::{ReadFile, load};
#[cfg(test)]
pub(crate) use providers::PROFILE_NAMES;
pub use sessions::SessionSettings;
pub use text_source::{KEY_FILE, KEYRING, TextSource, fill, in_home, variable, variables};
pub use title::TitleSettings;
pub use tools::ToolSettings;

use pintle_base::ambient::Secret;
use pintle_protocol::approval::PermissionMode;
use pintle_tools::mcp::Definition;
use pintle_tools::permissions::Rule;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// A value and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// The source.
    pub source: Source,
}

/// The source of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The built-in default.
    BuiltIn,
    /// A config file.
    File(PathBuf),
    /// An environment variable.
    Variable(&'static str),
    /// A flag on the command line.
    Flag(&'static str),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built in"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Variable(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// The effective settings.
#[derive(Debug, Clone)]
pub struct Config {
    /// The model of sessions that name none.
    pub model: Option<Setting<String>>,
    /// The maximum number of retries of a request after a transient failure.
    pub retries: Option<Setting<u32>>,
    /// The permission mode of sessions that set none.
    pub permission_mode: Setting<PermissionMode>,
    /// The rules of permissions, in order.
    pub rules: Vec<Rule>,
    /// Instructions for every session: those of the config file, then those of the file that it names.
    pub instructions: Option<Setting<String>>,
    /// The text that takes the place of the engine's own instructions.
    pub base_prompt: Option<String>,
    /// Providers of the config file and the models files, by name.
    pub providers: BTreeMap<String, ProviderEntry>,
    /// Settings of tools.
    pub tools: ToolSettings,
    /// The default budget of a turn.
    pub limits: LimitSettings,
    /// Settings for compaction and pruning.
    pub context: ContextSettings,
    /// The hooks, in order.
    pub hooks: Vec<HookSettings>,
    /// The MCP servers of the config file, those that are switched off too.
    pub servers: Vec<Definition>,
    /// The retention limits.
    pub sessions: SessionSettings,
    /// The command that runs after changes.
    pub lint: LintSettings,
    /// Settings for session titles.
    pub title: TitleSettings,
    /// The timeout of an approval.
    pub approval_timeout: Option<Duration>,
    /// The timeout of a question to a person.
    pub question_timeout: Option<Duration>,
    /// The timeout for the first byte of a model's reply.
    pub model_start_timeout: Option<Duration>,
    /// The timeout between two pieces of a model's reply.
    pub model_idle_timeout: Option<Duration>,
    /// Certificates of authorities in PEM that are trusted beside the system's.
    pub extra_ca: Option<String>,
    /// The certificate and the key in PEM that a model's server may ask for.
    pub client_certificate: Option<Secret>,
    /// The server to which the command line sends every request, whatever the provider.
    pub server: Option<Server>,
    /// The environment in which tools run.
    pub environment: EnvironmentConfig,
    /// The folders.
    pub folders: Folders,
    /// The files that were looked for, in layer order.
    pub files: Vec<ReadFile>,
    /// Problems in the files that do not prevent a start.
    pub warnings: Vec<String>,
}

/// A server given on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Its base URL.
    pub base_url: String,
    /// The name of its wire API; `None` takes the provider's own.
    pub api: Option<String>,
}

/// The folders of settings and sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// The config file, whether it exists or not.
    pub config_file: PathBuf,
    /// True if it exists.
    pub has_config_file: bool,
    /// The folder of sessions and other lasting data.
    pub data: PathBuf,
    /// The source of that choice.
    pub source: Source,
}

/// The settings given on the command line.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    /// `--model`.
    pub model: Option<String>,
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
    /// Models files of another program, in a layer below the user's own; missing files are skipped.
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
