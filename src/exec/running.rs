//! A running command that one owner can hand to the next: it makes progress only while it is polled.

use crate::{Command, Environment, Error, OutputBuffer, Ran, Terminal};
use futures_util::future::BoxFuture;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A command that runs while its owner waits for it. Dropping it kills its processes.
pub struct RunningCommand {
    /// The text, as the shell reads it.
    pub line: String,
    /// The output so far.
    pub output: OutputBuffer,
    /// The command's terminal, if it has one.
    pub terminal: Option<Terminal>,
    /// True if it runs in the sandbox.
    pub is_confined: bool,
    /// Stops the command.
    pub cancel: CancellationToken,
    /// `None` before the command was first polled.
    since: Option<Instant>,
    run: BoxFuture<'static, Result<Ran, Error>>,
    /// What was printed since the last event.
    printed: Arc<Mutex<String>>,
    end: Option<Result<Ran, Error>>,
}

/// What happened to a running command.
#[derive(Debug)]
pub enum CommandEvent {
    /// It printed something.
    Printed(String),
    /// It ended. Nothing follows.
    Ended(Result<Ran, Error>),
}

impl std::fmt::Debug for RunningCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunningCommand").field("line", &self.line).finish_non_exhaustive()
    }
}

impl RunningCommand {
    /// Prepares a command, which starts when [`next`](Self::next) is first polled.
    pub fn new(env: Arc<dyn Environment>, command: Command) -> Self {
        let printed = Arc::new(Mutex::new(String::new()));
        let pieces = Arc::clone(&printed);
        let cancel = CancellationToken::new();
        let stop = cancel.clone();
        Self {
            line: command.line.clone(),
            output: command.output.clone(),
            terminal: command.terminal.clone(),
            is_confined: command.confinement.is_some(),
            cancel,
            since: None,
            run: Box::pin(async move {
                let mut print = |text: &str| lock(&pieces).push_str(text);
                env.exec(command, &stop, &mut print).await
            }),
            printed,
            end: None,
        }
    }

    /// Returns how long the command has been running.
    pub fn ran(&self) -> Duration {
        self.since.map(|since| since.elapsed()).unwrap_or_default()
    }

    /// Waits for the next event. Cancel-safe; not to be called after the end.
    pub async fn next(&mut self) -> CommandEvent {
        self.since.get_or_insert_with(Instant::now);
        std::future::poll_fn(|cx| {
            if self.end.is_none()
                && let Poll::Ready(end) = self.run.as_mut().poll(cx)
            {
                self.end = Some(end);
            }
            let text = std::mem::take(&mut *lock(&self.printed));
            if !text.is_empty() {
                return Poll::Ready(CommandEvent::Printed(text));
            }
            self.end.take().map_or(Poll::Pending, |end| Poll::Ready(CommandEvent::Ended(end)))
        })
        .await
    }
}

fn lock(text: &Mutex<String>) -> MutexGuard<'_, String> {
    text.lock().unwrap_or_else(PoisonError::into_inner)
}
