//! Settings: layers folded into one plain [`Config`] that knows where each value came from.
//!
//! The layers, later wins: built in, the user's models files and config file, the environment, the command line. A
//! project's own files are no layer: what a repository says must not choose where a person's code is sent.

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
pub use text_source::{TextSource, fill, variable};
pub use title::TitleSettings;
pub use tools::ToolSettings;

use pintle_protocol::approval::PermissionMode;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// A value and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// Where it came from.
    pub source: Source,
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Nobody said anything.
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

/// The settings that hold.
#[derive(Debug, Clone)]
pub struct Config {
    /// The model of a session that names none.
    pub model: Option<Setting<String>>,
    /// How often a request is sent again after a failure that may pass.
    pub retries: Option<Setting<u32>>,
    /// What needs no question in a session that does not say.
    pub permission_mode: Setting<PermissionMode>,
    /// Instructions for every session: those of the config file, then those of the file that it names.
    pub instructions: Option<Setting<String>>,
    /// Providers of the config file and the models files, by name.
    pub providers: BTreeMap<String, ProviderEntry>,
    /// What is set about tools.
    pub tools: ToolSettings,
    /// How much a turn may take.
    pub limits: LimitSettings,
    /// How room is made in a long conversation.
    pub context: ContextSettings,
    /// Commands that are run at points of the engine's work, in order.
    pub hooks: Vec<HookSettings>,
    /// How long sessions are kept.
    pub sessions: SessionSettings,
    /// What is run after changes.
    pub lint: LintSettings,
    /// Who names sessions.
    pub title: TitleSettings,
    /// How long a person may take to answer a question.
    pub question_timeout: Option<Duration>,
    /// Where the command line sends every request, whatever the provider.
    pub server: Option<Server>,
    /// Where tools act.
    pub environment: EnvironmentConfig,
    /// The folders.
    pub folders: Folders,
    /// The files that were looked for, in the order in which they are laid over each other.
    pub files: Vec<ReadFile>,
    /// What is wrong with the files and does not stop anything.
    pub warnings: Vec<String>,
}

/// A server given on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Its base URL.
    pub base_url: String,
    /// The wire API it speaks, by name; `None` takes the provider's own.
    pub api: Option<String>,
}

/// Where settings and sessions are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// The config file, whether it exists or not.
    pub config_file: PathBuf,
    /// Whether it exists.
    pub has_config_file: bool,
    /// The folder of sessions and what else lasts.
    pub data: PathBuf,
    /// What decided that.
    pub source: Source,
}

/// What the command line sets.
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
    /// Models files of another program, below the user's own; those that are not there are passed over.
    pub models_files: Vec<PathBuf>,
}

/// Settings that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What is wrong and where.
    pub message: String,
    /// What to do about it.
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
