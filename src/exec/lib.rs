//! Environments in which tools run: one trait for all file and process access.
//!
//! A tool never accesses the disk or a process directly; it calls an [`Environment`]. That may be this machine ([`local`]), memory (tests),
//! and later a container, an ssh host or an editor's buffers. Each method is one complete operation, so that a tool call costs one hop to
//! another thread or machine. Permissions are not decided here.
//!
//! An edit of an unsaved text reports its before and after states itself ([`Environment::transitions`]): comparing the text before and
//! after the call would attribute the user's concurrent typing to the agent.

pub mod change;
pub mod editor;
pub mod error;
pub mod isolation;
pub mod local;
#[cfg(any(test, feature = "testing"))]
pub mod memory;
pub mod output;
pub mod read_only;
pub mod sandbox;
pub mod scan;
pub mod search;
mod shell;
mod terminal;
pub mod variables;

pub mod addresses;
mod beneath;
pub(crate) mod capture;
mod code_page;
pub mod document_log;
mod file_mark;
mod files;
pub(crate) mod process;
mod replace;
mod running;
mod walk;
pub mod windows_names;
mod wrapped;
pub mod write_log;

pub use capture::MAX_KEPT_BYTES;
pub use change::{
    After, Before, Decide, DecideAll, Digest, FileContent, Rewrite, Rewrites, Transition, Updated,
    UpdatedAll, Version,
};
pub use document_log::{DocumentLog, DocumentStep, StepBy};
pub use error::Error;
pub use local::Local;
pub use output::{Fresh, Mark, OutputBuffer};
pub use process::{Process, RunningProgram};
pub use read_only::ReadOnly;
pub use running::{CommandEvent, RunningCommand};
pub use search::{
    Find, FindOrder, FoundPath, FoundPaths, Grep, GrepOutput, Grepped, LeftOut, MatchLine,
    MatchedFile,
};
pub use shell::Dialect;
pub use terminal::{COLUMNS as TERMINAL_COLUMNS, Foreground, Painting, Terminal};
pub use wrapped::Wrapped;
pub use write_log::WriteLog;

use futures_util::future::join_all;
use pintle_os::names;
use pintle_protocol::files::FileState;
use scan::{Keep, Scan, Scanned, StoredContent};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Files and processes, local or remote. All paths are absolute.
///
/// [`Environment::read`], [`Environment::read_lines`], [`Environment::list`], [`Environment::find`], [`Environment::grep`],
/// [`Environment::update`] and [`Environment::update_all`] take canonical paths, as [`Environment::canonicalize`] returned them when the
/// call was decided. On this machine, where commands may be confined, a path that contains a symbolic link by then is refused with
/// [`Error::Link`]: a background command must not redirect the engine elsewhere.
///
/// Dropping a future stops its work: a process and its descendants are killed, a search ends, a file is either unchanged or completely
/// written.
#[async_trait::async_trait]
pub trait Environment: Send + Sync + std::fmt::Debug {
    /// Returns the platform.
    fn platform(&self) -> &Platform;

    /// Returns true if long outputs, which are kept in files of this machine, can be read here.
    fn is_this_machine(&self) -> bool {
        true
    }

    /// Returns this environment without editors' unsaved texts, for the engine's internal reads; `None` if there are no editors.
    fn without_editors(&self) -> Option<&dyn Environment> {
        None
    }

    /// Returns metadata of a path, following symbolic links.
    async fn stat(&self, path: &Path) -> Result<Stat, Error>;

    /// [`Environment::stat`] of several paths, in their order.
    async fn stat_all(&self, paths: &[PathBuf]) -> Vec<Result<Stat, Error>> {
        let mut found = Vec::with_capacity(paths.len());
        for some in paths.chunks(SIDE_BY_SIDE) {
            found.extend(join_all(some.iter().map(|path| self.stat(path))).await);
        }
        found
    }

    /// Returns the path with symbolic links and `..` resolved, as far as its parts exist; parts that do not are kept. So a file that is yet
    /// to be written has a canonical path too.
    async fn canonicalize(&self, path: &Path) -> Result<PathBuf, Error>;

    /// [`Environment::canonicalize`] of several paths, in their order.
    async fn canonicalize_all(&self, paths: &[PathBuf]) -> Vec<Result<PathBuf, Error>> {
        let mut found = Vec::with_capacity(paths.len());
        for some in paths.chunks(SIDE_BY_SIDE) {
            found.extend(join_all(some.iter().map(|path| self.canonicalize(path))).await);
        }
        found
    }

    /// Runs a command as a filter from one text to another, with separate stderr. Not available behind a prefix.
    async fn filter(&self, filter: Filter) -> Result<Filtered, Error> {
        Err(Error::Refused(format!("`{}` can only run on this machine", filter.line)))
    }

    /// Starts a long-running program that communicates over its streams. Not available behind a prefix.
    ///
    /// # Errors
    /// The program could not be started, or not confined as required.
    async fn start(&self, program: Program) -> Result<RunningProgram, Error> {
        let what = format!("`{}` can only run on this machine", program.command);
        Err(Error::Refused(what))
    }

    /// Reads a complete file of at most [`MAX_WHOLE_BYTES`].
    async fn read(&self, path: &Path) -> Result<Vec<u8>, Error>;

    /// Reads some lines of a file of any size. For a binary file, returns only the head.
    async fn read_lines(&self, path: &Path, window: Window) -> Result<Lines, Error>;

    /// Returns the versions of several files, in their order.
    ///
    /// # Errors
    /// Those of looking at a file; [`Error::Refused`] if a file would have to be read for it.
    async fn versions(&self, paths: &[PathBuf]) -> Vec<Result<Version, Error>> {
        let refused =
            || Err(Error::Refused("versions require reading the whole file here".to_owned()));
        paths.iter().map(|_| refused()).collect()
    }

    /// Returns a directory's entries, unordered; unreadable entries are left out.
    async fn list(&self, path: &Path) -> Result<Vec<ListEntry>, Error>;

    /// Calls [`Environment::list`] for several directories, and returns the results in their order.
    async fn list_all(&self, paths: &[PathBuf]) -> Vec<Result<Vec<ListEntry>, Error>> {
        let mut found = Vec::with_capacity(paths.len());
        for some in paths.chunks(SIDE_BY_SIDE) {
            found.extend(join_all(some.iter().map(|path| self.list(path))).await);
        }
        found
    }

    /// Writes a whole file at once: a reader sees the old content or the new. Parents are created, the
    /// mode is kept, a symbolic link stays and its target is written.
    async fn write(&self, path: &Path, content: Vec<u8>) -> Result<(), Error>;

    /// Reads a file, calls `decide` for its new content, and writes that as [`Environment::write`] does, with no other update or write of
    /// that file by this process in between.
    ///
    /// # Errors
    /// [`Error::Refused`] with the message from `decide`; [`Error::Changed`] if another process changed the file after `decide` saw it;
    /// [`Error::Cancelled`] if `cancel` fired before the file was replaced.
    async fn update(
        &self,
        path: &Path,
        decide: Decide,
        cancel: &CancellationToken,
    ) -> Result<Updated, Error>;

    /// Reads files, has decided together what becomes of each, and makes it so: of all of them or of none.
    ///
    /// # Errors
    /// Like [`Environment::update`] for several files. On failure every file is as it was, unless the machine itself
    /// crashes in between.
    async fn update_all(
        &self,
        paths: &[PathBuf],
        decide: DecideAll,
        cancel: &CancellationToken,
    ) -> Result<UpdatedAll, Error> {
        change::one_by_one(self, paths, decide, cancel).await
    }

    /// Returns all file states below a directory. New or changed contents are kept.
    ///
    /// # Errors
    /// [`Error::Refused`] if this environment cannot scan.
    async fn scan(&self, scan: Scan, _cancel: &CancellationToken) -> Result<Scanned, Error> {
        let what = format!("the files in {} are on another machine", names::shown(&scan.root));
        Err(Error::Refused(what))
    }

    /// Returns a file's state and keeps its content unless it is larger than `max_bytes`. Returns `None` if there is no file.
    async fn remember(
        &self,
        path: &Path,
        keep: Keep,
        max_bytes: u64,
    ) -> Result<Option<FileState>, Error> {
        let content = match self.read(path).await {
            Ok(content) => content,
            Err(Error::NotFound(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let size = content.len() as u64;
        let kept = tokio::task::spawn_blocking(move || keep(&content)).await;
        let StoredContent { sha256, is_lost } = kept.map_err(|_| Error::Cancelled)?;
        Ok(Some(FileState { sha256, size, mode: None, is_lost: is_lost || size > max_bytes }))
    }

    /// Returns the files below a directory, as canonical paths for a canonical directory, whose current text is in an editor and not on
    /// disk: commands do not see it.
    fn unsaved(&self, _root: &Path) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Returns the effects of [`Environment::update`] on a canonical path since the last call, if others may have changed the file before
    /// and after, so that its content alone does not show them. The contents are kept; the states have no mode.
    async fn transitions(&self, _path: &Path, _keep: Keep) -> Result<Vec<Transition>, Error> {
        Ok(Vec::new())
    }

    /// Records saves and reloads of open documents from now on; `None` if the environment has no editors.
    fn follow_documents(&self) -> Option<Box<dyn DocumentLog>> {
        None
    }

    /// Restores a file's permission bits, if the environment has any.
    async fn set_mode(&self, _path: &Path, _mode: u32) -> Result<(), Error> {
        Ok(())
    }

    /// Removes the remains of interrupted changes from a directory.
    async fn tidy(&self, _folder: &Path) -> Result<(), Error> {
        Ok(())
    }

    /// Creates a directory and its parents; an existing one is not an error.
    async fn create_folder(&self, path: &Path) -> Result<(), Error>;

    /// Removes a file, a symbolic link or an empty directory.
    async fn remove(&self, path: &Path) -> Result<(), Error>;

    /// Renames within one file system; a file at the new path is replaced.
    async fn rename(&self, from: &Path, to: &Path) -> Result<(), Error>;

    /// Finds paths whose name or relative path matches a glob.
    async fn find(&self, find: Find, cancel: &CancellationToken) -> Result<FoundPaths, Error>;

    /// Finds lines that match a regular expression.
    async fn grep(&self, grep: Grep, cancel: &CancellationToken) -> Result<Grepped, Error>;

    /// Runs a command in a shell until it ends, times out or `cancel` fires, and forwards its output meanwhile: at most one chunk per 50
    /// ms, always including the last, with the middle of a flood left out.
    ///
    /// # Errors
    /// Only if the command could not be started. [`Ran::end`] reports how it ended.
    async fn exec(
        &self,
        command: Command,
        cancel: &CancellationToken,
        output: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<Ran, Error>;

    /// Rewrites a command so that an editor's terminal runs it as this environment would; `None` if that is impossible.
    fn in_terminal(&self, _command: &Command) -> Option<TerminalCommand> {
        None
    }

    /// Kills background processes left by an owner's commands that ended by themselves.
    async fn release(&self, owner: &str);

    /// Kills the processes that an owner's commands left running when their engine was killed. Returns their command lines. Processes below
    /// a live engine are not touched.
    async fn end_abandoned(&self, owner: &str) -> Vec<String>;
}

/// The number of paths that are looked at concurrently. Behind a command prefix they wait for each other.
const SIDE_BY_SIDE: usize = 8;

/// The maximum size of a file that is held in memory whole.
pub const MAX_WHOLE_BYTES: u64 = 256 * 1024 * 1024;

/// An environment's platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Platform {
    /// `linux`, `macos` …
    pub os: String,
    /// The program that runs commands.
    pub shell: PathBuf,
    /// Why this shell was chosen, if that is not obvious: `bash of Git or MSYS2`.
    pub shell_reason: Option<&'static str>,
    /// The user's home directory, if there is one.
    pub home: Option<PathBuf>,
    /// The directories in which commands look up programs, in order; a relative one is relative to the command's working directory.
    pub search_path: Vec<PathBuf>,
}

impl Platform {
    /// Returns true for Windows.
    pub fn is_windows(&self) -> bool {
        self.os == "windows"
    }

    /// Returns true for a path on another computer to which Windows sends credentials as soon as the path is looked at.
    pub fn sends_credentials_to(&self, path: &Path) -> bool {
        self.is_windows() && windows_names::is_share(path)
    }
}

/// Metadata of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// The type of file.
    pub kind: FileKind,
    /// The file size in bytes.
    pub size: u64,
    /// The modification time, in milliseconds since 1970.
    pub modified_ms: u64,
    /// The number of hard links; 1 if unknown.
    pub links: u64,
}

/// The type of file at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A plain file.
    File,
    /// A directory.
    Folder,
    /// A device, a socket, a pipe.
    Other,
}

/// A directory entry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListEntry {
    /// The entry's name.
    pub name: String,
    /// True for a directory, or a symbolic link to one.
    pub is_folder: bool,
}

/// A range of lines of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The first line, 1-based.
    pub first_line: u64,
    /// The maximum number of lines.
    pub max_lines: u64,
    /// The maximum number of bytes. If a line crosses the limit, its rest is not returned.
    pub max_bytes: u64,
}

/// Lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// The file's first bytes, at most [`Lines::HEAD_BYTES`]: enough to detect its type.
    pub head: Vec<u8>,
    /// Whole lines from the wanted one on, without a newline after the last.
    pub text: Vec<u8>,
    /// The number of lines in `text`.
    pub count: u64,
    /// The byte limit, not the line limit or the end, stopped it.
    pub stopped_by_bytes: bool,
    /// The first wanted line's length in bytes; `None` past end of file.
    pub first_line_bytes: Option<u64>,
    /// The file's total number of lines; `None` for a file too large to count.
    pub total_lines: Option<u64>,
    /// The file size in bytes.
    pub size: u64,
    /// The file's version.
    pub version: Version,
    /// The whole file's digest; `None` if only a part was read.
    pub digest: Option<Digest>,
}

impl Lines {
    /// The number of bytes at a file's beginning that determine its type.
    pub const HEAD_BYTES: usize = 4100;

    /// Selects lines from a file's text in memory.
    ///
    /// # Errors
    /// Those of reading `text`; none when it is a slice.
    pub fn read(
        text: impl std::io::BufRead,
        version: Version,
        window: Window,
    ) -> std::io::Result<Self> {
        files::select_lines(text, version, window)
    }
}

/// A command for the shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The text, as the shell reads it.
    pub line: String,
    /// The working directory.
    pub cwd: PathBuf,
    /// The command is stopped after this time.
    pub timeout: Option<Duration>,
    /// Output over this many lines goes to a file as well.
    pub spill_lines: u64,
    /// Output over this many bytes goes to a file as well.
    pub spill_bytes: u64,
    /// The directory for that file; `None` for the temporary directory.
    pub artifacts: Option<PathBuf>,
    /// The owner: background processes of the command end with [`Environment::release`].
    pub owner: String,
    /// The item that shows the command, if any: an editor may run such a command in one of its terminals.
    pub shown_by: Option<String>,
    /// Additional variables for the command.
    pub variables: variables::ExtraVariables,
    /// The command's confinement; `None` allows everything that the user may do.
    pub confinement: Option<Arc<sandbox::Confinement>>,
    /// The programs that an unconfined command must not start.
    pub programs: sandbox::Names,
    /// Receives the command's output.
    pub output: OutputBuffer,
    /// Records the paths that the command changes, if the system supports that.
    pub writes: Option<WriteLog>,
    /// The terminal that the command runs in; `None` for a command without input.
    pub terminal: Option<Terminal>,
}

impl Command {
    /// Creates a command without a timeout, whose output is kept in memory and shown nowhere.
    pub fn new(line: impl Into<String>, cwd: impl Into<PathBuf>, owner: impl Into<String>) -> Self {
        Self {
            line: line.into(),
            cwd: cwd.into(),
            timeout: None,
            spill_lines: u64::MAX,
            spill_bytes: u64::MAX,
            artifacts: None,
            owner: owner.into(),
            shown_by: None,
            variables: variables::ExtraVariables::default(),
            confinement: None,
            programs: sandbox::Names::default(),
            output: OutputBuffer::default(),
            writes: None,
            terminal: None,
        }
    }
}

/// A command in the form in which another program's terminal runs it on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalCommand {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The working directory.
    pub cwd: PathBuf,
    /// Variables to set in addition to the terminal's; those hidden from commands are set to an empty value.
    pub variables: Vec<(String, String)>,
    /// The mark that all its processes carry.
    pub(crate) mark: String,
    /// The directory for long outputs if the command specifies none.
    pub(crate) temporary: PathBuf,
}

/// A command that reads a text and prints another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// The command, as the shell reads it.
    pub line: String,
    /// The working directory.
    pub cwd: PathBuf,
    /// The filter's input.
    pub input: Vec<u8>,
    /// The maximum size of its output.
    pub max_bytes: u64,
    /// The owner: background processes of the command end with [`Environment::release`].
    pub owner: String,
    /// The filter's confinement; `None` allows everything that the user may do.
    pub confinement: Option<Arc<sandbox::Confinement>>,
}

/// A filter that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filtered {
    /// The exit code; `None` if a signal ended the filter, or if it printed too much.
    pub code: Option<i32>,
    /// The filter's output.
    pub stdout: Vec<u8>,
    /// The error output's start.
    pub stderr: String,
}

/// A long-running program, executed directly without a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The program's path, or a name to look up in `PATH`.
    pub command: String,
    /// The program's arguments.
    pub arguments: Vec<String>,
    /// The working directory.
    pub cwd: PathBuf,
    /// All variables that the program sees.
    pub variables: Vec<(String, String)>,
    /// The owner: remaining processes end with [`Environment::release`].
    pub owner: String,
    /// The program's confinement; `None` allows everything that the user may do.
    pub confinement: Option<Arc<sandbox::Confinement>>,
}

/// A command that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// How the command ended.
    pub end: End,
    /// The output's head: all of it, or at least 32 KB less a character.
    pub head: String,
    /// The output, stdout and stderr interleaved: all of it, or what remains of at least the last 100 KB. UTF-8, as a terminal finally
    /// shows it: without escapes, control characters and overwritten text.
    pub tail: String,
    /// The number of lines of the whole output.
    pub total_lines: u64,
    /// Bytes of the whole output, as text.
    pub total_bytes: u64,
    /// The file with the whole output, when it was long.
    pub full_output_path: Option<PathBuf>,
    /// True if the file reached its maximum size and lacks later output.
    pub is_file_full: bool,
    /// The file that receives output from the command's background processes.
    pub background_output: Option<PathBuf>,
    /// True if the working directory no longer existed, and the command ran in an empty directory.
    pub is_displaced: bool,
    /// Denied programs that the command tried to start, with their arguments.
    pub denied_programs: Vec<String>,
    /// The sandbox's report, if the command was confined.
    pub sandbox: Option<Box<sandbox::Report>>,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// Exited with this code.
    Exited(i32),
    /// Ended by a signal, such as `SIGSEGV`, that the engine did not send.
    Signalled(String),
    /// The timeout expired.
    TimedOut,
    /// The call was cancelled.
    Cancelled,
}

impl End {
    /// Returns true if the engine stopped the command.
    fn was_stopped(&self) -> bool {
        match self {
            Self::TimedOut | Self::Cancelled => true,
            Self::Exited(_) | Self::Signalled(_) => false,
        }
    }

    /// Returns the exit code as a shell reports it: 128 plus the number for a signal. 0 if the engine stopped the command.
    fn code(&self) -> i32 {
        match self {
            Self::Exited(code) => *code,
            Self::Signalled(name) => {
                pintle_os::process::signal_number(name).map_or(1, |signal| 128 + signal)
            }
            Self::TimedOut | Self::Cancelled => 0,
        }
    }
}
