//! Background jobs.

use super::{Reply, SessionHandle};
use crate::error::{Error, ErrorKind};
use pintle_exec::{Mark, OutputBuffer, Terminal};
use pintle_protocol::ids::JobId;
use pintle_protocol::item::Item;
use std::time::Duration;

/// Commands about background jobs.
#[derive(Debug)]
pub enum JobCommand {
    /// Stop one.
    Stop {
        /// The job.
        id: JobId,
        /// Receives its item when it has ended.
        reply: Reply<Item>,
    },
    /// Run a user's command as a job.
    Run {
        /// The command line.
        line: String,
        /// The model reads of it at its end, with the next prompt.
        to_model: bool,
        /// Receives the job when it runs.
        reply: Reply<UserJob>,
    },
    /// Get a running job's terminal, to type into it.
    Terminal {
        /// The job.
        id: JobId,
        /// Receives the terminal and the output.
        reply: Reply<(Terminal, OutputBuffer)>,
    },
    /// Wait for a job's end.
    Wait {
        /// The job.
        id: JobId,
        /// Receives its item when it has ended.
        reply: Reply<Item>,
    },
}

/// A user command's job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserJob {
    /// The job is running, or has just ended.
    Running(JobId),
    /// An earlier request with the same key ran it; the event with this number records its end.
    Ended(u64),
}

/// How long a screen must be unchanged before a user reads it.
const QUIET: Duration = Duration::from_millis(100);

/// The maximum time to wait for that.
const MAX_SETTLING: Duration = Duration::from_secs(1);

impl SessionHandle {
    /// Types the user's text into a job's terminal, and returns the screen. A line feed presses Enter.
    ///
    /// # Errors
    /// The job is unknown, has ended, has no terminal or does not read its input; the permission mode is read-only; or the session is closed.
    pub async fn type_into(&self, id: JobId, text: &str) -> Result<String, Error> {
        let (terminal, output) =
            self.ask(|reply| JobCommand::Terminal { id: id.clone(), reply }).await?;
        let mut before = Mark::default();
        if !text.is_empty() {
            before = output.after(before).mark;
            terminal.type_for_user(text).await.map_err(|error| {
                Error::new(ErrorKind::Conflict, format!("cannot type into {id}: {error}"))
            })?;
        }
        let _ = tokio::time::timeout(MAX_SETTLING, output.settled(before, QUIET)).await;
        Ok(output.redacted(&terminal.shown().unwrap_or_default()).into_owned())
    }
}
