//! Runs the user's shell commands on the machine where the agent's tools run.
//!
//! They need no permission, since the user requests them. The result becomes part of a session as a [`Note`](crate::Note).

use crate::engine::EngineHandle;
use crate::error::{Error, ErrorKind};
use pintle_base::text::truncate::{self, Limits};
use pintle_exec::variables::ExtraVariables;
use pintle_exec::{Command, End};
use pintle_protocol::ids::SessionId;
use pintle_session::store::artifacts;
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

/// Limits for the kept output; the rest is in a file.
const LIMITS: Limits = Limits { max_lines: 2000, max_bytes: 50 * 1024 };

/// A command's result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserShellRun {
    /// The last part of the output, with stdout and stderr interleaved.
    pub output: String,
    /// The exit code; `None` if the command was stopped, or ended by a signal.
    pub exit_code: Option<i32>,
    /// True if the command was stopped.
    pub is_cancelled: bool,
    /// Something of the output was cut.
    pub is_cut: bool,
    /// The file with the whole output, when it was cut.
    pub full_output_path: Option<PathBuf>,
}

impl EngineHandle {
    /// Runs a command in a directory with these additional variables, and forwards its output meanwhile. Background processes that it
    /// leaves behind end with the session.
    ///
    /// # Errors
    /// The command could not be started.
    pub async fn run_user_shell(
        &self,
        session: &SessionId,
        cwd: &Path,
        line: String,
        variables: ExtraVariables,
        cancel: &CancellationToken,
        printed: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<UserShellRun, Error> {
        let folder = self.services().store.folder(session).ok();
        let command = Command {
            spill_lines: LIMITS.max_lines as u64,
            spill_bytes: LIMITS.max_bytes as u64,
            artifacts: folder.map(|folder| folder.join(artifacts::FOLDER)),
            variables,
            ..Command::new(line, cwd, session.as_str())
        };
        let ran = self.services().env.exec(command, cancel, printed).await;
        let ran = ran.map_err(|error| Error::new(ErrorKind::Invalid, error.to_string()))?;
        let tail = truncate::tail(&ran.tail, LIMITS);
        let is_cut = tail.is_cut() || ran.total_bytes > ran.tail.len() as u64;
        Ok(UserShellRun {
            output: tail.text,
            exit_code: match ran.end {
                End::Exited(code) => Some(code),
                End::Signalled(_) | End::TimedOut | End::Cancelled => None,
            },
            is_cancelled: ran.end == End::Cancelled,
            is_cut,
            full_output_path: ran.full_output_path.filter(|_| is_cut),
        })
    }
}
