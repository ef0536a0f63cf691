//! The command sandbox: a command's limits, how many of them the kernel enforces, and the supervisor that starts and outlives it.
//!
//! A [`Confinement`] is data that the caller decides. The engine hands it, with the command, to the supervisor, a small process of the
//! same program (`pintle sandbox-exec`) that forks the command's processes, confines them and executes the shell. The enforced limits are
//! returned as a [`Level`]; a command whose level is below [`Confinement::minimum`] does not run.
//!
//! Two kernel levels are used. With user namespaces, a command has its own processes, mounts and network: it sees a file system that is
//! read-only except for the workspace, an empty `/tmp` and `/run`, its own `/proc` and only its own loopback. Without them, only Landlock
//! and seccomp apply, and [`Level::gaps`] lists the remaining gaps.
//!
//! A command that may reach hosts does so through an engine proxy, which listens on a socket in the command's network. Without
//! namespaces there is no such network, and no proxy either: Landlock allows a port regardless of the address, so that any machine with a
//! server on the proxy's port could be reached.
//!
//! On macOS, `seatbelt` writes the same confinement as a profile for `sandbox-exec`. It is untested. On Windows there is no sandbox.
//!
//! Why a supervisor and not a helper for each command: executing the program costs more than confining a fork of it, and a process above all
//! commands can end those that left their session and cleared their environment, even if the engine is killed. It has none of the engine's
//! memory and variables.
//!
//! A fork takes time, and creating namespaces takes longer than the rest: so behind each command a process of its kind waits in reserve to
//! become the next, a confined one in separate namespaces. If it was killed, the next command is forked as the first one was.

mod denial;
mod hosts;
mod level;
#[cfg(target_os = "linux")]
mod linux;
mod names;
#[cfg(not(target_os = "linux"))]
mod none;
mod seatbelt;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
use none as system;

pub use denial::{Denial, denial};
pub use hosts::{Hosts, Refusal, RefusedHost};
pub use level::{Grade, Level};
pub(crate) use names::Found;
pub use names::{JudgeNames, NamePatterns, Names};
pub(crate) use seatbelt::profiled;
pub(crate) use system::{Guarded, Supervisor, not_confined};
pub use system::{become_supervisor, probe};

use crate::write_log::WriteLog;
use pintle_os::names as os;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A confined command's limits. All paths are absolute; missing paths are ignored if nothing can be enforced for them.
///
/// If two entries match, the one with the longer path decides: a `readable` directory inside a `hidden` one is read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// Folders and files that may be changed: the workspace's roots and additional ones.
    #[serde(default)]
    pub writable: Vec<PathBuf>,
    /// Paths that may not be changed although they lie inside a writable directory, such as `.git/hooks`. One that does not exist yet can
    /// be created; [`Report::created`] then lists it.
    #[serde(default)]
    pub protected: Vec<PathBuf>,
    /// Files that may not be read, changed or made because of their names.
    #[serde(skip)]
    pub names: Names,
    /// Paths that may not be read: key files, the engine's configuration and data.
    #[serde(default)]
    pub hidden: Vec<PathBuf>,
    /// Paths that may be read although they lie inside a hidden directory.
    #[serde(default)]
    pub readable: Vec<PathBuf>,
    /// Sockets in the workspace, as they were found: those of other programs are hidden.
    #[serde(default)]
    pub sockets: Vec<PathBuf>,
    /// Symbolic links that may not be replaced, found among the protected paths when the command starts.
    #[serde(skip)]
    pub links: Vec<PathBuf>,
    /// The directory for temporary files. The command sees it as `/tmp`, and without namespaces only through `TMPDIR`.
    #[serde(default)]
    pub temporary: Temporary,
    /// The reachable network.
    #[serde(default)]
    pub network: Network,
    /// The limits of resources.
    #[serde(default)]
    pub limits: ResourceLimits,
    /// The grade under which the command does not run.
    #[serde(default)]
    pub minimum: Grade,
}

impl Confinement {
    /// Resolves symbolic links, and leaves out what does not exist.
    pub(crate) fn resolve(&mut self) {
        let canonical = |path: &PathBuf| os::canonicalize(path).ok();
        let is_link = |path: &&PathBuf| path.is_symlink();
        let as_link =
            |path: &PathBuf| Some(os::canonicalize(path.parent()?).ok()?.join(path.file_name()?));
        self.links = self.protected.iter().filter(is_link).filter_map(as_link).collect();
        for paths in [&mut self.writable, &mut self.protected, &mut self.hidden, &mut self.readable]
        {
            *paths = paths.iter().filter_map(canonical).collect();
        }
        if let Temporary::Folder(folder) = &mut self.temporary
            && let Some(found) = canonical(folder)
        {
            *folder = found;
        }
    }

    /// Returns the protected paths that do not exist.
    pub(crate) fn missing(&self) -> Vec<PathBuf> {
        let is_missing = |path: &&PathBuf| path.symlink_metadata().is_err();
        self.protected.iter().filter(is_missing).cloned().collect()
    }
}

/// A command that a supervisor is to start.
#[derive(Debug)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux has a supervisor"))]
pub(crate) struct Order<'a> {
    pub(crate) argv: &'a [String],
    pub(crate) cwd: Option<&'a Path>,
    /// Each name at most once.
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) confinement: Option<&'a Confinement>,
    /// The programs that an unconfined command must not start.
    pub(crate) programs: Names,
    /// Receives the paths that the command changes.
    pub(crate) writes: Option<WriteLog>,
}

/// A confined command's directory for temporary files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Temporary {
    /// One that all commands of an owner share, until the owner is released.
    #[default]
    Owner,
    /// An empty one for this command alone; none without namespaces.
    Command,
    /// This one.
    Folder(PathBuf),
}

impl Temporary {
    /// Returns the directory, if it is one of the machine's.
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Folder(folder) => Some(folder),
            Self::Owner | Self::Command => None,
        }
    }
}

/// The network that a confined command reaches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// Only a separate loopback, and without namespaces not even that.
    #[default]
    None,
    /// A separate loopback, and these hosts through an engine proxy. Without namespaces nothing.
    Hosts(Hosts),
    /// The machine's whole network.
    Open,
}

/// A confined command's resource limits. `None` is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResourceLimits {
    /// The number of processes and threads. Without namespaces it is not enforced, since the kernel would count all of the
    /// user's.
    pub processes: Option<u64>,
    /// The maximum size of a written file, in bytes.
    pub file_bytes: Option<u64>,
    /// The maximum size of the command's private temporary directory, in bytes.
    pub temporary_bytes: Option<u64>,
    /// The address space of each process, in bytes.
    pub memory_bytes: Option<u64>,
    /// The processor time of each process, in seconds.
    pub cpu_seconds: Option<u64>,
}

impl Default for ResourceLimits {
    fn default() -> Self {
        Self {
            processes: Some(4096),
            file_bytes: Some(16 << 30),
            temporary_bytes: Some(4 << 30),
            memory_bytes: None,
            cpu_seconds: None,
        }
    }
}

/// The sandbox's report about a command that ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The enforced level.
    pub level: Level,
    /// The sandbox is the likely cause of the failure.
    pub denied: Option<Denial>,
    /// Protected paths that did not exist before, and do now.
    pub created: Vec<PathBuf>,
    /// Files that the command tried to change or create, denied because of their names.
    pub kept: Vec<PathBuf>,
    /// The hosts that the proxy refused.
    pub refused: Vec<RefusedHost>,
}
