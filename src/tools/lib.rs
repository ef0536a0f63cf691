//! Tools: the actions available to a model.
//!
//! A call goes through two stages. [`Tool::prepare`] checks the arguments and describes the call, without running it:
//! title, kind, access. Then the caller decides whether it may run, and [`Prepared::run`] runs it. A tool never sees
//! a session, a turn or a client.

#[macro_use]
mod schema;
mod agents;
mod apply_patch;
mod arguments;
mod ask_user;
mod bash;
mod change;
mod client;
mod document;
mod edit;
mod fetch;
mod find;
mod given;
mod grep;
mod job;
mod jobs;
mod listing;
mod ls;
pub mod mcp;
mod path;
pub mod permissions;
mod picture;
mod profile;
mod proposal;
mod read;
mod read_many;
mod read_tracker;
mod recall;
mod report_finding;
mod todo_write;
mod toolsets;
pub mod trust;
mod web_search;
mod write;

pub use agents::{AgentRequest, AgentTool, AgentView, Agents, Spawn};
pub use apply_patch::ApplyPatch;
pub use ask_user::{AskUser, ExitPlan};
pub use bash::{Bash, WriteStdin};
pub use client::{Ask, AskOutcome, Client, ClientRequest};
pub use document::document;
pub use edit::Edit;
pub use fetch::Fetch;
pub use find::Find;
pub use grep::Grep;
pub use job::{JobControl, ended};
pub use jobs::{JobRequest, JobView, Jobs};
pub use ls::Ls;
pub use picture::picture;
pub use profile::CEILING;
pub use profile::{PROFILES, Profile};
pub use proposal::edit_proposal;
pub use read::{Read, ViewImage};
pub use read_many::ReadMany;
pub use read_tracker::{ChangedFile, Compared, Known, READ_FIRST, ReadFirst, ReadTracker};
pub use recall::{Pruned, Recall};
pub use report_finding::ReportFinding;
pub use schema::{Builtin, Declaration, Facts};
pub use todo_write::{TodoWrite, plan_text};
pub use web_search::WebSearch;
pub use write::Write;

use pintle_base::image;
use pintle_base::network::Network;
use pintle_base::text::truncate::{Guard, Limits};
use pintle_exec::sandbox::{Confinement, Names};
use pintle_exec::variables::ExtraVariables;
use pintle_exec::{Command, Dialect, Environment, Error, Foreground, LeftOut, Platform, WriteLog};
use pintle_protocol::content::Content;
use pintle_protocol::diff::FileChange;
use pintle_protocol::ids::{ItemId, JobId};
use pintle_protocol::item::{Location, ToolKind, ToolResult};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A tool: its name, its shape for the model, and how a call of it is prepared.
pub trait Tool: Send + Sync + std::fmt::Debug {
    /// Returns the name, as the model calls it.
    fn name(&self) -> &str;

    /// Returns a built-in tool's purpose; `None` for others.
    fn does(&self) -> Option<Builtin> {
        None
    }

    /// Returns the tool's declaration to a model: its description and argument schema.
    fn declare(&self, told: &Facts<'_>) -> Declaration;

    /// Returns the kind of tool, for icons and rules.
    fn kind(&self) -> ToolKind;

    /// Returns the limit on a result's text, for tools that do not limit it themselves.
    fn guard(&self) -> Guard {
        profile::CEILING
    }

    /// Checks that the tool knows the arguments.
    ///
    /// # Errors
    /// A message for the model that identifies the argument.
    fn check(&self, _arguments: &Value) -> Result<(), String> {
        Ok(())
    }

    /// Returns the arguments of a call of this tool that makes another tool act with `arguments`.
    fn passing_on(&self, _tool: &str, arguments: Value) -> Value {
        arguments
    }

    /// Checks the arguments and describes the call, without side effects.
    ///
    /// # Errors
    /// A message for the model that identifies the field and the expected value.
    fn prepare(&self, arguments: Value, folders: &Folders) -> Result<Box<dyn Prepared>, String>;
}

/// Returns the tool declarations for a session's model.
pub fn declarations(tools: &[Arc<dyn Tool>], settings: &Settings) -> Vec<Declaration> {
    let name = |does: Builtin| {
        let tool = tools.iter().find(|tool| tool.does() == Some(does))?;
        Some(tool.name().to_owned())
    };
    let told = Facts { settings, names: &name };
    tools.iter().map(|tool| tool.declare(&told)).collect()
}

/// Returns the purpose of the tool called by this name: a tool of the session, or one of another family, whose models called it earlier in
/// the session. `None` for tools that are not built in.
pub fn purpose(tools: &[Arc<dyn Tool>], name: &str) -> Option<Builtin> {
    match tools.iter().find(|tool| tool.name() == name) {
        Some(tool) => tool.does(),
        None => profile::purpose(name),
    }
}

/// A prepared call.
#[async_trait::async_trait]
pub trait Prepared: Send + Sync + std::fmt::Debug {
    /// Returns a one-line title for the user: `bash: cargo test`.
    fn title(&self) -> String;

    /// Returns the files and lines concerned.
    fn locations(&self) -> Vec<Location>;

    /// Returns the access that needs permission.
    fn access(&self) -> Access;

    /// Returns true if the call changes nothing, as far as its tool knows, so that it may run concurrently with others. It has no influence
    /// on permissions.
    fn only_reads(&self) -> bool {
        self.access().only_reads()
    }

    /// Returns the acting tool and its arguments, if the called tool only forwards them: rules and hooks apply to the acting tool.
    fn acting(&self) -> Option<(String, Value)> {
        None
    }

    /// Returns the file changes that the call would make now, without making them. Empty if the call itself changes no file, or cannot
    /// predict the changes.
    ///
    /// # Errors
    /// The message for the model with which the call would fail.
    async fn preview(&self, _ctx: &ToolContext) -> Result<Vec<FileChange>, String> {
        Ok(Vec::new())
    }

    /// Runs the call. Cancelling `ctx.cancel` makes it stop soon, clean up and report that in its result. A failure is a result with
    /// `is_error`, never a panic.
    async fn run(self: Box<Self>, ctx: &ToolContext) -> ToolResult;
}

/// Context for parsing arguments: base directories for paths, and the shell language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// The session's working directory, absolute.
    pub cwd: PathBuf,
    /// The directory to which `~` expands.
    pub home: Option<PathBuf>,
    /// The shell language for commands.
    pub shell: Dialect,
}

impl Folders {
    /// Returns what arguments of a session in `cwd` are read against on this platform.
    pub fn new(cwd: PathBuf, platform: &Platform) -> Self {
        Self { cwd, home: platform.home.clone(), shell: Dialect::detect(&platform.shell) }
    }
}

/// The access that a call needs permission for. Paths are absolute and as written, links not followed.
///
/// A path may come with others spelled almost alike (another kind of space or apostrophe): the call
/// touches the first of them that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// Reads these paths.
    Read(Vec<PathBuf>),
    /// Changes these paths.
    Write(Vec<PathBuf>),
    /// Runs this command.
    Execute(String),
    /// Types into the terminal of a background job.
    Type {
        /// The job.
        job: JobId,
        /// The text, with keys as control sequences.
        text: String,
        /// The program that reads the input, added before the decision; `None` if there is none.
        reader: Option<Reader>,
    },
    /// Fetches this address.
    Fetch {
        /// The full address.
        url: String,
        /// The host, with its port if that is not the default.
        host: String,
    },
    /// Calls this tool of a client, which may do anything.
    Other(String),
    /// Acts inside the engine: background jobs, sub-agents, the plan.
    Engine,
}

impl Access {
    /// Returns true for calls that change nothing.
    pub fn only_reads(&self) -> bool {
        match self {
            Self::Read(_) | Self::Engine => true,
            Self::Write(_)
            | Self::Execute(_)
            | Self::Type { .. }
            | Self::Fetch { .. }
            | Self::Other(_) => false,
        }
    }
}

/// The program that reads a terminal's input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    /// The program in the foreground.
    pub foreground: Foreground,
    /// True if it runs in the sandbox.
    pub is_confined: bool,
}

/// Tool settings that apply to every session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The changes that require the file to have been read before.
    pub read_first: ReadFirst,
    /// True if images are not read; the model is informed.
    pub block_images: bool,
    /// Image limits.
    pub image_limits: image::Limits,
    /// The maximum number of pages of a PDF document that the model reads as a document; `None` if it reads the text of all documents.
    pub max_document_pages: Option<u64>,
    /// Pages may be fetched from this machine and from private networks.
    pub web_fetch_private: bool,
    /// The network through which pages are fetched.
    pub network: Network,
    /// The line limit for a long result; `None` for the profile's.
    pub max_output_lines: Option<usize>,
    /// The byte limit for a long result; `None` for the profile's.
    pub max_output_bytes: Option<usize>,
    /// The time limit of a command for which the model gives none; `None` for that of the profile.
    pub default_command_timeout: Option<Duration>,
    /// The longest time limit that a model can give.
    pub max_command_timeout: Duration,
    /// The shell language for commands.
    pub shell: Dialect,
}

impl Default for Settings {
    /// What each profile has by itself, and ten minutes for a command.
    fn default() -> Self {
        Self {
            read_first: ReadFirst::default(),
            block_images: false,
            image_limits: image::Limits::default(),
            max_document_pages: None,
            web_fetch_private: false,
            network: Network::default(),
            max_output_lines: None,
            max_output_bytes: None,
            default_command_timeout: None,
            max_command_timeout: Duration::from_secs(600),
            shell: Dialect::default(),
        }
    }
}

impl Settings {
    /// Returns the limits on a long result, for a tool whose profile has these.
    pub fn limits(&self, profile: Limits) -> Limits {
        Limits {
            max_lines: self.max_output_lines.unwrap_or(profile.max_lines),
            max_bytes: self.max_output_bytes.unwrap_or(profile.max_bytes),
        }
    }

    /// Returns the limit in bytes alone, for a tool whose entries are counted otherwise.
    pub(crate) fn max_bytes(&self, profile: Limits) -> usize {
        self.limits(profile).max_bytes
    }
}

/// A running call's context.
#[derive(Debug)]
pub struct ToolContext {
    /// Files and processes.
    pub env: Arc<dyn Environment>,
    /// The session's working directory, absolute.
    pub cwd: PathBuf,
    /// Supervision of the call's command.
    pub supervision: Supervision,
    /// The paths that the call's permission was decided for.
    pub resolved: ResolvedPaths,
    /// The directory for long outputs; `None` for the temporary directory.
    pub artifacts: Option<PathBuf>,
    /// Tracks the files that the model has seen.
    pub read_tracker: ReadTracker,
    /// The commands' owner: their background processes end with their owner.
    pub owner: String,
    /// Additional variables for the call's commands.
    pub variables: ExtraVariables,
    /// Receives commands to run in the background.
    pub jobs: Jobs,
    /// Creates sub-agents.
    pub agents: Agents,
    /// The session's client.
    pub client: Client,
    /// Results removed from the conversation.
    pub pruned: Pruned,
    /// Stops the call.
    pub cancel: CancellationToken,
    /// Receives a running call's output as it is printed.
    pub progress: Progress,
    /// Tool settings.
    pub settings: Arc<Settings>,
}

impl ToolContext {
    /// Creates a context for a call that cannot be cancelled, whose command runs unsupervised, and whose requests to jobs, sub-agents and
    /// the client fail.
    pub fn new(env: Arc<dyn Environment>, cwd: PathBuf) -> Self {
        Self {
            env,
            cwd,
            supervision: Supervision::default(),
            resolved: ResolvedPaths::default(),
            artifacts: None,
            read_tracker: ReadTracker::default(),
            owner: String::new(),
            variables: ExtraVariables::default(),
            jobs: Jobs::none(),
            agents: Agents::none(),
            client: Client::none(),
            pruned: Pruned::default(),
            cancel: CancellationToken::new(),
            progress: Progress::none(),
            settings: Arc::default(),
        }
    }
}

/// Supervision of a call's command: its restrictions, and a record of its writes.
#[derive(Debug, Clone, Default)]
pub struct Supervision {
    /// The sandbox; `None` if the command is not confined.
    pub confinement: Option<Arc<Confinement>>,
    /// The programs that the command must not start if it is not confined.
    pub programs: Names,
    /// Receives the paths that the command changes, if the system can report them.
    pub writes: WriteLog,
}

impl Supervision {
    /// Returns the command under this supervision.
    pub(crate) fn over(&self, command: Command) -> Command {
        Command {
            confinement: self.confinement.clone(),
            programs: self.programs.clone(),
            writes: Some(self.writes.clone()),
            ..command
        }
    }
}

/// The canonical paths of a call's [`Access`] as they were when its permission was decided. The call acts on these: what its paths
/// lead to may have become something else by then.
#[derive(Debug, Clone, Default)]
pub struct ResolvedPaths {
    paths: Arc<[(PathBuf, PathBuf)]>,
    left_out: LeftOut,
}

impl ResolvedPaths {
    /// Returns the canonical path of a path of the access.
    pub(crate) fn get(&self, path: &Path) -> Option<&Path> {
        self.paths.iter().find(|(named, _)| named == path).map(|(_, resolved)| resolved.as_path())
    }

    /// Returns the same for a call that skips these files when it reads everything below a directory.
    #[must_use]
    pub fn without(self, left_out: LeftOut) -> Self {
        Self { left_out, ..self }
    }

    /// Returns the files that the call does not read below its directories.
    pub(crate) fn left_out(&self) -> &LeftOut {
        &self.left_out
    }

    /// Returns a message for the model if such a file was encountered.
    pub(crate) fn left_out_notice(&self) -> Option<String> {
        let notice =
            "Files that contain secrets or are protected by a permission rule were omitted";
        self.left_out.was_met().then(|| notice.to_owned())
    }
}

impl FromIterator<(PathBuf, PathBuf)> for ResolvedPaths {
    fn from_iter<T: IntoIterator<Item = (PathBuf, PathBuf)>>(paths: T) -> Self {
        Self { paths: paths.into_iter().collect(), left_out: LeftOut::default() }
    }
}

/// Receives a running call's output. A full channel drops the chunk: the result contains everything.
#[derive(Debug, Clone)]
pub struct Progress(Option<(tokio::sync::mpsc::Sender<(ItemId, String)>, ItemId)>);

impl Progress {
    /// Sends pieces into this channel, each with the call's item.
    pub fn new(tx: tokio::sync::mpsc::Sender<(ItemId, String)>, item: ItemId) -> Self {
        Self(Some((tx, item)))
    }

    /// Drops every piece.
    pub fn none() -> Self {
        Self(None)
    }

    /// Forwards a chunk.
    pub fn text(&self, piece: String) {
        if let Some((tx, item)) = &self.0 {
            // Progress is transient; the result has every byte.
            let _ = tx.try_send((item.clone(), piece));
        }
    }
}

/// Returns a result that went well.
fn success(text: impl Into<String>) -> ToolResult {
    ToolResult { content: vec![Content::text(text)], ..ToolResult::default() }
}

/// Returns a result that describes the failure and what to do.
fn failure(text: impl Into<String>) -> ToolResult {
    ToolResult { is_error: true, ..success(text) }
}

/// Waits for a read operation, and stops waiting when the call is cancelled.
async fn unless_cancelled<T>(
    cancel: &CancellationToken,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(Error::Cancelled),
        done = work => done,
    }
}

#[cfg(test)]
pub(crate) mod tests;
