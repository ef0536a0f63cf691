//! Background jobs.

use super::{Reply, SessionHandle};
use crate::error::{Error, ErrorKind};
use pintle_exec::{Mark, OutputBuffer, Painting, Terminal};
use pintle_protocol::ids::JobId;
use pintle_protocol::item::Item;
use std::borrow::Cow;
use std::str::FromStr;
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
    /// Get a job's terminal.
    Terminal {
        /// The job.
        id: JobId,
        /// The use that is made of it.
        access: TerminalAccess,
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

/// A use of a job's terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TerminalAccess {
    /// Typing, which a read-only session refuses, as does a job that has ended.
    Type,
    /// Reading the screen.
    Read,
}

/// A terminal's screen and the lines that it has scrolled off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenUpdate {
    /// The screen; `None` once the command has ended.
    pub screen: Option<Painting>,
    /// Lines scrolled off the top since the earlier mark; once the command has ended, the last screen too.
    pub lines: String,
    /// The mark from which to continue.
    pub mark: String,
    /// True once the command has ended.
    pub has_ended: bool,
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

/// How long a watched screen must be unchanged, and the maximum time to wait for that.
const FRAME: Duration = Duration::from_millis(10);
const MAX_FRAME: Duration = Duration::from_millis(50);

/// The maximum time to wait for a change to a screen.
const MAX_WATCH: Duration = Duration::from_secs(25);

impl SessionHandle {
    /// Types the user's text into a job's terminal. A line feed presses Enter. Returns the screen if it is wanted, otherwise an empty text.
    ///
    /// # Errors
    /// The job is unknown, has ended, has no terminal or does not read its input; the permission mode is read-only; or the session is closed.
    pub async fn type_into(
        &self,
        id: JobId,
        text: &str,
        wants_screen: bool,
    ) -> Result<String, Error> {
        let access = TerminalAccess::Type;
        let (terminal, output) =
            self.ask(|reply| JobCommand::Terminal { id: id.clone(), access, reply }).await?;
        let mut before = Mark::default();
        if !text.is_empty() {
            before = output.after(before).mark;
            terminal.type_for_user(text).await.map_err(|error| {
                Error::new(ErrorKind::Conflict, format!("cannot type into {id}: {error}"))
            })?;
        }
        if !wants_screen {
            return Ok(String::new());
        }
        let _ = tokio::time::timeout(MAX_SETTLING, output.settled(before, QUIET)).await;
        Ok(output.redacted(&terminal.shown().unwrap_or_default()).into_owned())
    }

    /// Waits until a terminal's screen differs from the one at a mark, at most 25 s, and returns it. Without a mark it returns at once.
    ///
    /// # Errors
    /// The job is unknown or has no terminal, the mark is invalid, or the session is closed.
    pub async fn watch_screen(
        &self,
        id: JobId,
        after: Option<&str>,
    ) -> Result<ScreenUpdate, Error> {
        let after = after.map(Mark::from_str).transpose();
        let after = after.map_err(|reason| Error::new(ErrorKind::Invalid, reason).at("/after"))?;
        let access = TerminalAccess::Read;
        let (terminal, output) =
            self.ask(|reply| JobCommand::Terminal { id, access, reply }).await?;
        if let Some(mark) = after
            && tokio::time::timeout(MAX_WATCH, output.news(mark)).await.is_ok()
        {
            // What a program draws in several pieces is shown at once.
            let _ = tokio::time::timeout(MAX_FRAME, output.settled(mark, FRAME)).await;
        }
        // In this order, so that nothing between the two is missed.
        let has_ended = !output.is_open();
        let fresh = output.after(after.unwrap_or_default());
        let mut screen = terminal.painting().filter(|_| !has_ended);
        for row in screen.iter_mut().flat_map(|screen| &mut screen.rows) {
            if let Cow::Owned(redacted) = output.redacted(row) {
                *row = redacted;
            }
        }
        Ok(ScreenUpdate { screen, lines: fresh.text, mark: fresh.mark.to_string(), has_ended })
    }
}
