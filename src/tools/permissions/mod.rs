//! Permissions: decides from values whether a call may run, and reports the deciding rule. Pure: paths are already resolved, nothing is
//! read and the user is not asked here.
//!
//! Invariant: adding to a command never makes the decision about it weaker.

mod below;
pub mod command;
mod decide;
pub mod hosts;
mod names;
pub mod places;
pub mod propose;
pub mod remedy;
pub mod rules;
mod spelling;
mod table;

pub use below::FilesBelow;
pub use command::Analysis;
pub use decide::{CallDecision, InSandbox, Part, decide};
pub use places::{Places, Zone};
pub use rules::{Compiled, Origin, Rule, SandboxUse};
pub use spelling::IGNORES_CASE;

use pintle_protocol::approval::PermissionMode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// A decision, from the weakest to the strictest.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// The call runs.
    Allow,
    /// The user is asked.
    Ask,
    /// The call does not run.
    Deny,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        })
    }
}

/// A kind of call.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Reads files.
    Read,
    /// Changes files.
    Write,
    /// Runs a command.
    Execute,
    /// Fetches from the network.
    Network,
    /// Calls a tool of a client or of an MCP server.
    Client,
    /// Acts inside the engine: background jobs, sub-agents, the plan.
    Engine,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Execute => "execute",
            Self::Network => "network",
            Self::Client => "client",
            Self::Engine => "engine",
        })
    }
}

/// A path of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedPath {
    /// The path as given in the call, absolute.
    pub named: PathBuf,
    /// The file that it leads to, symbolic links followed.
    pub resolved: PathBuf,
    /// The number of hard links; 0 if the file does not exist, or for a path that is only read.
    pub links: u64,
}

/// The file that a word of a command leads to, if the word is a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedPath {
    /// The path, symbolic links followed.
    pub path: PathBuf,
    /// True if the file exists. A word that leads to no file is treated as a text.
    pub exists: bool,
    /// True if the file is a directory.
    pub is_folder: bool,
}

/// A call's action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Reads these files.
    Read(Vec<CheckedPath>),
    /// Changes these files.
    Write(Vec<CheckedPath>),
    /// Runs a command.
    Execute {
        /// The command's parts.
        analysis: Analysis,
        /// The working directory.
        cwd: PathBuf,
        /// Each of [`Analysis::paths`] with the file that it leads to.
        resolved: BTreeMap<PathBuf, ResolvedPath>,
        /// The command was run in the sandbox before and failed there, so it is to run outside.
        leaves_sandbox: bool,
    },
    /// Types into a running program.
    Type {
        /// The program.
        program: String,
        /// The command, if the program is a shell.
        typed: Option<Typed>,
        /// True if the program runs in the sandbox.
        is_confined: bool,
    },
    /// Fetches from a host.
    Network {
        /// The full address.
        url: String,
        /// The host, with a port that is not the default one.
        host: String,
    },
    /// Calls a tool of a client.
    Client,
    /// Acts inside the engine.
    Engine,
}

/// A command typed into a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    /// The command's parts.
    pub analysis: Analysis,
    /// The shell's working directory.
    pub cwd: PathBuf,
    /// Each of [`Analysis::paths`] with the file that it leads to.
    pub resolved: BTreeMap<PathBuf, ResolvedPath>,
}

impl Action {
    /// Returns the action's kind.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Read(_) => Kind::Read,
            Self::Write(_) => Kind::Write,
            Self::Execute { .. } | Self::Type { .. } => Kind::Execute,
            Self::Network { .. } => Kind::Network,
            Self::Client => Kind::Client,
            Self::Engine => Kind::Engine,
        }
    }
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The tool's name, as the model calls it.
    pub tool: String,
    /// The action.
    pub action: Action,
}

/// The sandbox for commands, as far as decisions depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sandbox {
    /// There is none.
    Missing,
    /// Commands that run without approval run confined, but the kernel does not enforce the confinement completely, so nothing is allowed
    /// because of it.
    Partial,
    /// Commands that run without approval run confined.
    Full,
    /// Every command runs confined, in every mode and regardless of the user's answers.
    Required,
}

/// Inputs of a decision.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The permission mode.
    pub mode: PermissionMode,
    /// True if the user trusts the workspace.
    pub is_trusted: bool,
    /// The sandbox.
    pub sandbox: Sandbox,
    /// The places that matter.
    pub places: &'a Places,
    /// All rules that apply.
    pub rules: &'a [Compiled],
}

#[cfg(test)]
mod tests;
