//! Errors of access to files and processes, in the caller's terms.

use pintle_os::names;
use std::io;
use std::path::{Path, PathBuf};

/// A failed access. The text is for users and models; tools reword the cases they know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The path does not exist.
    #[error("no such file or directory: {}", names::shown(.0))]
    NotFound(PathBuf),
    /// The operating system denied access.
    #[error("permission denied: {} (EACCES)", names::shown(.0))]
    Denied(PathBuf),
    /// The path is a directory, not a file.
    #[error("{} is a directory, not a file", names::shown(.0))]
    IsFolder(PathBuf),
    /// The path is not a plain file.
    #[error("{} is a device, a pipe or a socket, not a regular file: use a shell command for it", names::shown(.0))]
    NotFile(PathBuf),
    /// The path is not a directory, as required.
    #[error("{} is not a directory", names::shown(.0))]
    NotFolder(PathBuf),
    /// The path, or one part of it, is longer than the file system takes.
    #[error("path too long ({} bytes): shorten it", .0.as_os_str().len())]
    PathTooLong(PathBuf),
    /// The file is too large to be held in memory.
    #[error("{} is too large ({size} bytes, the limit is {max}): use a shell command for it", names::shown(.path))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The file size in bytes.
        size: u64,
        /// The limit, in bytes.
        max: u64,
    },
    /// The file was changed between the decision about its new content and the moment of writing; it is as that change left
    /// it.
    #[error(
        "{} was changed by another program in the meantime, so nothing was written. Read it again, then repeat the change.",
        names::shown(.0)
    )]
    Changed(PathBuf),
    /// The path was canonical when the call was decided, and has a symbolic link on it now.
    #[error(
        "{} now leads elsewhere: a symbolic link was placed in its path after the call was allowed. Nothing was read or changed; find out what created the link, then repeat the call.",
        names::shown(.0)
    )]
    Link(PathBuf),
    /// Any other failure.
    #[error("{}: {message}", names::shown(.path))]
    Io {
        /// The path.
        path: PathBuf,
        /// The operating system's message.
        message: String,
    },
    /// The command needs a terminal, and its environment provides none.
    #[error("no terminal: commands run behind `{0}`, which provides none")]
    NoTerminal(String),
    /// A regular expression or a glob that does not parse.
    #[error("{0}")]
    Pattern(String),
    /// No shell could be started.
    #[error("cannot start the shell {}: {message}", names::shown(.shell))]
    Shell {
        /// The program.
        shell: PathBuf,
        /// The operating system's message.
        message: String,
    },
    /// The system does not start a command of this length, together with its variables.
    #[error(
        "the command is too long for this system ({bytes} bytes): write its input to a file, and run a command that reads the file"
    )]
    CommandTooLong {
        /// The length in bytes, including the arguments.
        bytes: usize,
    },
    /// The program was not found.
    #[error("program `{0}` not found: install it, or use its full path")]
    NoProgram(String),
    /// A program could not be started.
    #[error("cannot start {}: {message}", names::shown(.program))]
    Program {
        /// The program's path.
        program: PathBuf,
        /// The operating system's message.
        message: String,
    },
    /// The command could not be confined as required, and did not run.
    #[error(
        "failed to set up the sandbox ({0}), so the command did not run: `pintle doctor` shows what this machine supports"
    )]
    NotConfined(String),
    /// The caller's decision refused the change after looking at the file's content.
    #[error("{0}")]
    Refused(String),
    /// The operation was cancelled before it completed; nothing was changed.
    #[error("operation aborted")]
    Cancelled,
}

/// Creates an error from a path.
type Sort = fn(PathBuf) -> Error;

impl Error {
    /// Creates the error for an environment behind a prefix that failed without a known message.
    pub(crate) fn unreachable(path: &Path, said: &str) -> Self {
        let nothing = "no response from the command prefix: it must run the program that follows and forward stdin, as `docker exec -i` does";
        let said = if said.is_empty() { nothing } else { said };
        let message = format!("the environment does not respond: {said}");
        Self::Io { path: path.to_path_buf(), message }
    }

    /// Returns the path that the error concerns, if any.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::NotFound(path)
            | Self::Denied(path)
            | Self::IsFolder(path)
            | Self::NotFile(path)
            | Self::NotFolder(path)
            | Self::PathTooLong(path)
            | Self::Changed(path)
            | Self::Link(path)
            | Self::TooLarge { path, .. }
            | Self::Io { path, .. } => Some(path),
            Self::Pattern(_)
            | Self::Shell { .. }
            | Self::NotConfined(_)
            | Self::Refused(_)
            | Self::NoProgram(_)
            | Self::NoTerminal(_)
            | Self::CommandTooLong { .. }
            | Self::Program { .. }
            | Self::Cancelled => None,
        }
    }

    /// Classifies an operating system error.
    pub fn from_io(path: &Path, error: &io::Error) -> Self {
        let path = path.to_path_buf();
        let kinds: [(io::ErrorKind, Sort); 5] = [
            (io::ErrorKind::NotFound, Self::NotFound),
            (io::ErrorKind::PermissionDenied, Self::Denied),
            (io::ErrorKind::IsADirectory, Self::IsFolder),
            (io::ErrorKind::NotADirectory, Self::NotFolder),
            (io::ErrorKind::InvalidFilename, Self::PathTooLong),
        ];
        match kinds.iter().find(|(kind, _)| *kind == error.kind()) {
            Some((_, sorted)) => sorted(path),
            None => Self::Io { path, message: error.to_string() },
        }
    }
}
