//! Commands in editor terminals: if an editor offers them, a model's command runs there, so that the user sees it and can stop it.
//!
//! The editor starts the command, but the engine's rules apply: its timeout, its cancellation, its output limit. Invariants: every terminal
//! is released, whatever happens to the call; no process of a stopped command keeps running.
//!
//! Only commands shown by a call go to a client's terminal, and only if the client does not render the engine's output, since the engine's
//! loses nothing and the terminal's keeps only the end. All processes carry the command's mark, so that stopping it also ends those that
//! the client's own kill misses. A guard in the call releases the terminal in every case.

use crate::capture::Capture;
use crate::process::{Family, TERM_TO_KILL};
use crate::{Command, End, Error, Ran, TerminalCommand};
use pintle_os::family::Ending;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::{CancellationToken, DropGuard};

/// The maximum size of output that an editor is asked to keep, counted from its end.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The timeout for an editor to create a terminal, and to return its output.
const TERMINAL_TIMEOUT: Duration = Duration::from_secs(10);

/// The timeout for the output after the command was stopped, while the user waits.
const STOPPED_OUTPUT_TIMEOUT: Duration = Duration::from_secs(1);

/// A request to an editor. Dropping `reply` means that no answer will come.
#[derive(Debug)]
pub enum TerminalCall {
    /// Run a command in a new terminal; the answer is the terminal's name.
    Create {
        /// The command's owner.
        owner: String,
        /// The item that shows it.
        shown_by: String,
        /// The command.
        run: TerminalCommand,
        /// How many bytes to keep from the output's end.
        max_bytes: u64,
        /// Once this is cancelled, the terminal is to be released.
        released: CancellationToken,
        /// The answer.
        reply: oneshot::Sender<Result<String, String>>,
    },
    /// Wait for the command's end.
    Wait {
        /// The terminal.
        terminal: String,
        /// The answer.
        reply: oneshot::Sender<Result<End, String>>,
    },
    /// Return its output.
    Output {
        /// The terminal.
        terminal: String,
        /// The answer.
        reply: oneshot::Sender<Result<Printed, String>>,
    },
    /// Stop the command.
    Kill {
        /// The terminal.
        terminal: String,
    },
}

/// A command's output in a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    /// The text.
    pub text: String,
    /// True if the start was dropped.
    pub is_cut: bool,
}

/// The terminals of editors, by owner of the command. Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct Terminals(Arc<Mutex<BTreeMap<String, mpsc::Sender<TerminalCall>>>>);

impl Terminals {
    fn state(&self) -> MutexGuard<'_, BTreeMap<String, mpsc::Sender<TerminalCall>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes this editor run the owner's commands that are shown by a call.
    pub fn connect(&self, owner: &str, editor: mpsc::Sender<TerminalCall>) {
        self.state().insert(owner.to_owned(), editor);
    }

    /// Reverts [`Terminals::connect`].
    pub fn disconnect(&self, owner: &str) {
        self.state().remove(owner);
    }

    /// Returns the editor that runs this command, if the engine does not run it itself.
    pub(super) fn editor(&self, command: &Command) -> Option<Editor> {
        let shown_by = command.shown_by.clone()?;
        let calls = self.state().get(&command.owner).cloned()?;
        Some(Editor { calls, shown_by })
    }
}

/// The editor that runs one command.
pub(super) struct Editor {
    calls: mpsc::Sender<TerminalCall>,
    shown_by: String,
}

/// The event that ended the wait.
enum WaitEnd {
    Ended(Result<End, String>),
    Stopped(End),
}

impl Editor {
    /// Runs a command to its end, its time-out, or until `cancel` fires.
    pub(super) async fn run(
        self,
        run: TerminalCommand,
        command: &Command,
        cancel: &CancellationToken,
        output: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<Ran, Error> {
        let mut family = Family::new(None, run.mark.clone());
        let mut capture = Capture::new(command, &run.temporary);
        let (terminal, _released) = tokio::select! {
            biased;
            () = cancel.cancelled() => return Ok(capture.finish(End::Cancelled).await),
            made = self.create(run, command) => made?,
        };
        let mut ended = std::pin::pin!(self.ended(&terminal));
        let over = tokio::select! {
            ended = &mut ended => WaitEnd::Ended(ended),
            () = cancel.cancelled() => WaitEnd::Stopped(End::Cancelled),
            () = sleep(command.timeout) => WaitEnd::Stopped(End::TimedOut),
        };
        let (end, limit) = match over {
            WaitEnd::Ended(Ok(end)) => (end, TERMINAL_TIMEOUT),
            WaitEnd::Ended(Err(why)) => {
                return Err(Error::Refused(format!(
                    "The editor lost the command that ran in its terminal: {why}. It was stopped."
                )));
            }
            WaitEnd::Stopped(end) => {
                // A disconnected editor has closed its terminal.
                let _ = self.calls.send(TerminalCall::Kill { terminal: terminal.clone() }).await;
                family.end(Ending::Asked).await;
                let kill_at = Instant::now() + TERM_TO_KILL;
                // An editor that does not answer is waited for no longer than its command may take.
                let _ = timeout_at(kill_at, ended).await;
                family.ended_by(kill_at).await;
                (end, STOPPED_OUTPUT_TIMEOUT)
            }
        };
        let (text, is_whole) = self.printed(&terminal, limit).await;
        if !is_whole {
            capture.push(b"[the editor discarded the beginning of the output]\n").await;
        }
        output(&capture.push(text.as_bytes()).await);
        family.let_go();
        Ok(capture.finish(end).await)
    }

    /// Creates the terminal, which is released when the guard is dropped, and also when the caller stops waiting.
    async fn create(
        &self,
        run: TerminalCommand,
        command: &Command,
    ) -> Result<(String, DropGuard), Error> {
        let released = CancellationToken::new();
        let guard = released.clone().drop_guard();
        let (owner, shown_by) = (command.owner.clone(), self.shown_by.clone());
        let created = self.ask(|reply| TerminalCall::Create {
            owner,
            shown_by,
            run,
            max_bytes: MAX_BYTES,
            released,
            reply,
        });
        let refused =
            |why: &str| Error::Refused(format!("The editor did not run the command: {why}"));
        match timeout(TERMINAL_TIMEOUT, created).await {
            Ok(Ok(terminal)) => Ok((terminal, guard)),
            Ok(Err(why)) => Err(refused(&why)),
            Err(_) => Err(refused("no response")),
        }
    }

    async fn ended(&self, terminal: &str) -> Result<End, String> {
        self.ask(|reply| TerminalCall::Wait { terminal: terminal.to_owned(), reply }).await
    }

    /// Returns the output, and whether it is complete.
    async fn printed(&self, terminal: &str, limit: Duration) -> (String, bool) {
        let asked = self.ask(|reply| TerminalCall::Output { terminal: terminal.to_owned(), reply });
        let why = match timeout(limit, asked).await {
            // A terminal ends its lines as a teletype would.
            Ok(Ok(printed)) => return (printed.text.replace("\r\n", "\n"), !printed.is_cut),
            Ok(Err(why)) => why,
            Err(_) => "no response".to_owned(),
        };
        (format!("[the editor did not return the output: {why}]\n"), true)
    }

    async fn ask<T>(
        &self,
        call: impl FnOnce(oneshot::Sender<Result<T, String>>) -> TerminalCall,
    ) -> Result<T, String> {
        let gone = || "the editor disconnected".to_owned();
        let (reply, answer) = oneshot::channel();
        self.calls.send(call(reply)).await.map_err(|_| gone())?;
        answer.await.unwrap_or_else(|_| Err(gone()))
    }
}

async fn sleep(time: Option<Duration>) {
    match time {
        Some(time) => tokio::time::sleep(time).await,
        None => std::future::pending().await,
    }
}
