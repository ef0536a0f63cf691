//! The workers, as seen from the batch: processes of this program, each with one task at a time.
#![expect(clippy::disallowed_methods, reason = "starts batch workers")]

use super::budget::tokens;
use super::folder::Used;
use super::worker::{END_TIMEOUT, Order, READY};
use pintle_base::ambient::Ambient;
use pintle_os::process;
use pintle_protocol::event::{Event, EventRecord};
use pintle_protocol::ids::SessionId;
use pintle_protocol::run::{RunLine, RunResult};
use std::ffi::OsString;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The time beyond its own that a worker gets to end in order before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// A process that carries out tasks. It is killed when this is dropped.
#[derive(Debug)]
pub(super) struct Worker {
    child: Child,
    /// Closed, it stops the worker.
    stdin: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
}

/// How the batch ends tasks that run.
#[derive(Debug, Clone, Default)]
pub(super) struct Control {
    /// In order.
    pub(super) stop: CancellationToken,
    /// At once.
    pub(super) kill: CancellationToken,
}

/// A reply's usage.
#[derive(Debug, Clone, Copy)]
pub(super) struct UsageReport {
    /// The task's place.
    pub(super) place: usize,
    pub(super) used: Used,
}

/// How a task ended.
#[derive(Debug)]
pub(super) struct FinishedTask {
    /// The task's place.
    pub(super) place: usize,
    pub(super) ended: Ended,
    /// The worker, if it takes another task.
    pub(super) worker: Option<Worker>,
}

#[derive(Debug)]
pub(super) enum Ended {
    Result(Box<RunResult>),
    /// The worker died.
    Died {
        how: String,
        session: Option<SessionId>,
    },
}

impl Worker {
    /// Starts a worker with this process's options. Only the first worker's stderr is shown, since the others would print the same.
    ///
    /// # Errors
    /// Fails if no process can be started.
    pub(super) fn start(ambient: &Ambient, is_first: bool) -> io::Result<Self> {
        let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
        arguments.insert(1.min(arguments.len()), "--worker".into());
        let mut command = Command::new(ambient.program()?);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(if is_first { Stdio::inherit() } else { Stdio::null() })
            .kill_on_drop(true);
        // A terminal's Ctrl-C is for the batch alone, which stops its workers.
        process::ignore_interrupts(command.as_std_mut());
        let mut child = command.spawn()?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().ok_or_else(|| io::Error::other("no pipe"))?;
        Ok(Self { child, stdin, lines: BufReader::new(stdout).lines() })
    }

    /// Waits until the worker takes tasks; else returns how it ended.
    pub(super) async fn ready(&mut self) -> Result<(), ExitStatus> {
        match self.lines.next_line().await {
            Ok(Some(line)) if line == READY => Ok(()),
            Ok(_) | Err(_) => Err(self.reap().await),
        }
    }

    /// Runs a task in the worker.
    pub(super) async fn carry_out(
        mut self,
        place: usize,
        order: Order,
        control: Control,
        heard: mpsc::Sender<UsageReport>,
    ) -> FinishedTask {
        let mut session = None;
        let mut deadline = None;
        if self.tell(&order).await.is_ok() {
            loop {
                let late = async {
                    match deadline {
                        Some(deadline) => tokio::time::sleep_until(deadline).await,
                        None => std::future::pending().await,
                    }
                };
                let line = tokio::select! {
                    biased;
                    () = control.kill.cancelled() => {
                        let _ = self.child.start_kill();
                        None
                    }
                    line = self.lines.next_line() => line.unwrap_or_default(),
                    () = control.stop.cancelled(), if self.stdin.is_some() => {
                        self.stdin = None;
                        deadline = Some(Instant::now() + END_TIMEOUT + GRACE);
                        continue;
                    }
                    () = late => None,
                };
                let Some(line) = line else { break };
                match Line::parse(&line) {
                    Line::Header(id) => session = Some(id),
                    Line::Used(used) => {
                        // The batch receives as long as it waits for tasks.
                        let _ = heard.send(UsageReport { place, used }).await;
                    }
                    Line::Result(result) => return self.over(place, result).await,
                    Line::Other => {}
                }
            }
        }
        let how = describe_exit(self.reap().await);
        FinishedTask { place, ended: Ended::Died { how, session }, worker: None }
    }

    async fn over(mut self, place: usize, result: Box<RunResult>) -> FinishedTask {
        // A worker that was stopped ends with its task.
        let is_stopped = self.stdin.is_none();
        if is_stopped {
            let _ = tokio::time::timeout(GRACE, self.child.wait()).await;
        }
        let worker = (!is_stopped).then_some(self);
        FinishedTask { place, ended: Ended::Result(result), worker }
    }

    /// Ends a worker that has no task.
    pub(super) async fn dismiss(mut self) {
        self.stdin = None;
        if tokio::time::timeout(GRACE, self.child.wait()).await.is_err() {
            let _ = self.child.kill().await;
        }
    }

    async fn tell(&mut self, order: &Order) -> io::Result<()> {
        let mut line = serde_json::to_vec(order)?;
        line.push(b'\n');
        let stdin = self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        stdin.write_all(&line).await?;
        stdin.flush().await
    }

    /// Kills the worker if it still runs, and returns its exit status.
    async fn reap(&mut self) -> ExitStatus {
        self.stdin = None;
        if tokio::time::timeout(GRACE, self.child.wait()).await.is_err() {
            let _ = self.child.start_kill();
        }
        self.child.wait().await.unwrap_or_default()
    }
}

/// Describes how a process ended.
fn describe_exit(status: ExitStatus) -> String {
    match (process::signal(status), status.code()) {
        (Some(9), _) => "killed by signal 9, possibly because memory ran out".to_owned(),
        (Some(signal), _) => format!("killed by signal {signal}"),
        (None, Some(code)) => format!("exited with code {code}"),
        (None, None) => "ended".to_owned(),
    }
}

/// A line of a worker.
enum Line {
    Header(SessionId),
    Used(Used),
    Result(Box<RunResult>),
    /// The worker is ready, or its message is for later versions.
    Other,
}

impl Line {
    fn parse(line: &str) -> Self {
        if let Ok(line) = serde_json::from_str::<RunLine>(line) {
            return match line {
                RunLine::Header(header) => Self::Header(header.session_id),
                RunLine::Result(result) => Self::Result(result),
            };
        }
        match serde_json::from_str::<EventRecord>(line) {
            Ok(EventRecord { event: Event::StepCompleted(step), .. }) => {
                Self::Used(Used { tokens: tokens(&step.usage), cost_nano_usd: step.cost_nano_usd })
            }
            Ok(_) | Err(_) => Self::Other,
        }
    }
}
