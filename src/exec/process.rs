//! Processes on this machine: the only place that starts any.
//!
//! Invariant: when the future of [`run`] ends or is dropped, no process of a stopped command is still running, not even one that left its
//! process group. Background processes of a command that ended by itself continue, and their output is read until their owner is released:
//! a process with an unread pipe dies at its next line.

use crate::capture::Capture;
use crate::sandbox::{self, Confinement};
use crate::shell::{Dialect, Start};
use crate::terminal::{self, Terminal};
use crate::{Command, End, Error, Program, Ran, WriteLog};
use pintle_os::family::{self, CONNECTION_PREFIX, Ending, KILL_TO_END, MARK};
use pintle_os::{names, pipe, process as os, pty};
use progress::Pending;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

mod connection;
mod drain;
mod envelope;
mod program;
mod program_output;
mod progress;
mod started;

pub(super) use connection::{Connection, Lost, Order, never_run};
pub(super) use drain::Drains;
use drain::Leftover;
pub(super) use envelope::Envelope;
pub(crate) use pintle_os::family::Family;
pub use program::{Process, RunningProgram};
pub(super) use program_output::{Answer, output};
use started::Started;

/// The time between SIGTERM and SIGKILL.
pub(crate) const TERM_TO_KILL: Duration = Duration::from_secs(2);

/// The timeout for starting a command that runs elsewhere, before its own timeout begins.
pub(super) const START_TIMEOUT: Duration = Duration::from_secs(30);

/// How long to wait for output after the shell has ended, if a background process keeps the pipe open.
const GRACE: Duration = Duration::from_millis(100);

/// The number of bytes read at once. A command that prints little leaves most of the buffer untouched.
const READ_BYTES: usize = 256 * 1024;

/// The data that all commands of an environment share.
#[derive(Debug)]
pub(super) struct Shell {
    pub(super) program: PathBuf,
    /// Run before each command, in the same shell.
    pub(super) prefix: Option<String>,
    pub(super) variables: Vec<(String, String)>,
    pub(super) temporary: PathBuf,
    /// The prefix of the commands' marks.
    pub(super) marks: String,
    /// The supervisor, which is the commands' parent process; `None` if commands run below this process.
    pub(super) supervisor: Option<Arc<Supervisor>>,
}

pub(super) use sandbox::Supervisor;

/// How to start and stop a command's process and learn of its end.
#[derive(Debug)]
pub(super) struct Launch {
    /// The program and its arguments.
    pub(super) argv: Vec<String>,
    pub(super) cwd: Option<PathBuf>,
    pub(super) variables: Vec<(String, String)>,
    /// The command's unique mark.
    pub(super) mark: String,
    /// The directory for long outputs if the command specifies none.
    pub(super) temporary: PathBuf,
    /// The process below which the command runs; `None` for this process.
    pub(super) supervisor: Option<Arc<Supervisor>>,
    pub(super) confinement: Option<Arc<Confinement>>,
    /// The programs that an unconfined command must not start.
    pub(super) programs: sandbox::Names,
    /// Receives the paths that the command changes.
    pub(super) writes: Option<WriteLog>,
}

/// Starts a long-running program.
pub(super) async fn start_program(launch: &Launch) -> Result<RunningProgram, Error> {
    program::start(launch).await.map_err(|error| match launch.cannot_start(&error) {
        Error::Shell { shell: program, message } => Error::Program { program, message },
        other => other,
    })
}

/// Runs a command. Output from the background processes it leaves is read in `drains`.
pub(super) async fn run(
    launch: Launch,
    command: &Command,
    drains: &Drains,
    cancel: &CancellationToken,
    output: &mut (dyn for<'a> FnMut(&'a str) + Send),
) -> Result<Ran, Error> {
    let started = start(&launch, command.terminal.as_ref()).await;
    let (child, pipe) = started.map_err(|error| launch.cannot_start(&error))?;
    let family = child.family(launch.mark.clone());
    let mut running = Running::new(family, child, pipe, command, &launch.temporary);
    let end = running.finish(cancel, output).await;
    command.terminal.iter().for_each(Terminal::close);
    running.progress.flush(output);
    let end = end.map_err(|error| launch.cannot_start(&error))?;
    let Running { family, child, capture, pipe, .. } = running;
    let (level, refused, kept) = (child.level(), child.refused(), child.kept());
    let denied_programs = child.denied_programs();
    let mut ran = match pipe.filter(|_| !end.was_stopped()) {
        None => {
            drop(family);
            launch.retain(child);
            capture.finish(end).await
        }
        Some(pipe) => {
            let mut capture = capture;
            let ran = capture.go_on(end).await;
            drop(family);
            launch.retain(child);
            drains.add(&command.owner, Leftover { pipe, capture, connection: None });
            ran
        }
    };
    let report = |level| sandbox::Report {
        level,
        // A rule's denial also applies outside the sandbox.
        denied: sandbox::denial(ran.end.code(), &ran.tail, !refused.is_empty())
            .filter(|_| denied_programs.is_empty()),
        created: Vec::new(),
        kept,
        refused,
    };
    ran.sandbox = level.map(report).map(Box::new);
    ran.denied_programs = denied_programs;
    Ok(ran)
}

impl Launch {
    /// Lets background processes of the command run on until its mark is released.
    fn retain(self, child: Started) {
        if let Some(supervisor) = &self.supervisor {
            child.retain(supervisor, self.mark);
        }
    }

    fn cannot_start(&self, error: &io::Error) -> Error {
        if let Some(reason) = started::not_confined(error) {
            return Error::NotConfined(reason);
        }
        if let Some(cwd) = self.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
            return Error::from_io(cwd, error);
        }
        if error.kind() == io::ErrorKind::ArgumentListTooLong {
            let bytes = self.argv.iter().map(String::len).sum();
            return Error::CommandTooLong { bytes };
        }
        let shell = self.argv.first().map(PathBuf::from).unwrap_or_default();
        Error::Shell { shell, message: error.to_string() }
    }

    /// Returns the process's variables. If a name occurs twice, the last one counts.
    fn environment(&self) -> Vec<(String, String)> {
        let mut variables = self.variables.clone();
        variables.push((MARK.to_owned(), self.mark.clone()));
        if let Some(cwd) = self.cwd.as_deref().filter(|cwd| cwd.to_str().is_some()) {
            variables.push(("PWD".to_owned(), names::shown(cwd).into_owned()));
        }
        variables
    }
}

impl Shell {
    /// Returns the way to start a command with this shell; `id` is unique.
    pub(super) fn launch(&self, id: &str, command: &Command) -> Launch {
        let mut launch = self.launch_line(id, &command.line, &command.cwd, &command.owner);
        if command.terminal.is_some() {
            launch.variables.retain(|(name, _)| !terminal::UNSET.contains(&name.as_str()));
            let variables = terminal::VARIABLES;
            let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
            launch.variables.extend(variables.map(owned));
        }
        launch.variables.extend(command.variables.iter().cloned());
        launch.confinement.clone_from(&command.confinement);
        launch.programs = command.programs.clone();
        launch.writes.clone_from(&command.writes);
        launch
    }

    /// Like `launch`, from its parts.
    pub(super) fn launch_line(&self, id: &str, line: &str, cwd: &Path, owner: &str) -> Launch {
        let prefix = self.prefix.iter().map(String::as_str);
        let lines: Vec<&str> = prefix.chain([line]).collect();
        let shell = self.program.to_string_lossy();
        let Start { argv, variables } =
            Dialect::detect(&self.program).start(&shell, &lines.join("\n"));
        Launch {
            argv,
            cwd: Some(cwd.to_path_buf()),
            variables: self.variables.iter().cloned().chain(variables).collect(),
            mark: format!("{}-{}-{id}", self.marks, owner),
            temporary: self.temporary.clone(),
            supervisor: self.supervisor.clone(),
            confinement: None,
            programs: sandbox::Names::default(),
            writes: None,
        }
    }

    /// Returns the way to start a program without a shell, with these variables and no others.
    pub(super) fn launch_program(&self, id: &str, program: Program) -> Launch {
        let Program { command, arguments, cwd, variables, owner, confinement } = program;
        let mut launch = self.launch_line(id, "", &cwd, &owner);
        launch.argv = std::iter::once(command).chain(arguments).collect();
        launch.variables = variables;
        launch.confinement = confinement;
        launch
    }

    /// Returns a prefix for marks that no other shell on this machine has.
    pub(super) fn new_marks() -> String {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        format!("{}.{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// Kills the processes left by an owner's commands, or by all commands. Blocking.
    pub(super) fn release(marks: &str, owner: Option<&str>) {
        let beginning =
            owner.map_or_else(|| format!("{marks}-"), |owner| format!("{marks}-{owner}-"));
        family::end_marked(&beginning);
    }
}

async fn start(
    launch: &Launch,
    terminal: Option<&Terminal>,
) -> io::Result<(Started, pipe::Receiver)> {
    if let Some(terminal) = terminal {
        let pty = pty::open(terminal::COLUMNS, terminal::ROWS)?;
        let child = Started::new(launch, [pipe::borrow(&pty.theirs); 3]).await?;
        terminal.open(pty.writer, pty.control);
        return Ok((child, pty.reader));
    }
    // One pipe for both, so that the output keeps its order.
    let (reader, writer) = pipe::wide_output()?;
    let stdin = pipe::nothing()?;
    // The other ends are closed here when this function returns.
    let streams = [&stdin, &writer, &writer].map(pipe::borrow);
    let child = Started::new(launch, streams).await?;
    Ok((child, reader))
}

struct Running {
    /// First, because it is dropped first: it must see who descends from the shell while that lives.
    family: Family,
    /// A remote command's input. Closing it stops the command.
    input: Option<pipe::Sender>,
    child: Started,
    /// None once everyone has closed the other end.
    pipe: Option<pipe::Receiver>,
    /// Extracts a remote command's output from its connection.
    envelope: Option<Envelope>,
    timeout: Option<Duration>,
    deadline: Option<Instant>,
    capture: Capture,
    progress: Pending,
}

/// The next event.
enum Event {
    Output(io::Result<usize>),
    Exited(io::Result<ExitStatus>),
    ShowProgress,
    Stop(End),
    /// The wait for the end of output, or for a graceful exit, timed out.
    Enough,
}

impl Running {
    fn new(
        family: Family,
        child: Started,
        pipe: pipe::Receiver,
        command: &Command,
        temporary: &Path,
    ) -> Self {
        Self {
            family,
            input: None,
            child,
            pipe: Some(pipe),
            envelope: None,
            timeout: command.timeout,
            deadline: command.timeout.map(|timeout| Instant::now() + timeout),
            capture: Capture::new(command, temporary),
            progress: Pending::default(),
        }
    }

    async fn finish(
        &mut self,
        cancel: &CancellationToken,
        output: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> io::Result<End> {
        let mut buffer = vec![0; READ_BYTES];
        let mut status = None;
        let mut stopped = None;
        let mut enough_at = None;
        let mut is_extended = false;
        while self.pipe.is_some() || status.is_none() {
            let event = self
                .next(cancel, &mut buffer, status.is_none(), stopped.is_none(), enough_at)
                .await;
            match event {
                Event::Output(Ok(read)) if read > 0 => {
                    if let Some(ended) = self.take(buffer.get(..read).unwrap_or_default()).await {
                        status = Some(Ok(ended));
                        break;
                    }
                }
                Event::Output(_) => self.pipe = None,
                Event::Exited(Err(error)) if started::was_not_started(&error) => {
                    return Err(error);
                }
                Event::Exited(ended) => {
                    status = Some(ended);
                    self.family.leader_ended();
                    enough_at = enough_at.or_else(|| Some(Instant::now() + GRACE));
                }
                Event::ShowProgress => self.progress.flush(output),
                Event::Stop(end) => {
                    stopped = Some(end);
                    let patience = self.stop().await;
                    enough_at = Some(Instant::now() + patience);
                }
                // No process can write any more: wait for the end of the output.
                Event::Enough if status.is_some() && !is_extended && self.family.is_over() => {
                    is_extended = true;
                    enough_at = Some(Instant::now() + KILL_TO_END);
                }
                Event::Enough if status.is_some() => {
                    // On a busy machine the timeout may pass before the command's output is read.
                    if let Some(ended) = self.take_the_rest(&mut buffer).await {
                        status = Some(Ok(ended));
                    }
                    break;
                }
                Event::Enough => {
                    self.family.end(Ending::Forced).await;
                    enough_at = None;
                }
            }
        }
        let Some(stopped) = stopped else {
            self.let_go().await;
            return Ok(end_of(status.as_ref()));
        };
        self.family.ended_by(enough_at.unwrap_or_else(Instant::now)).await;
        Ok(stopped)
    }

    /// Reads only the pipe's current content: a background process may print forever. Closes a pipe that has ended.
    async fn take_the_rest(&mut self, buffer: &mut [u8]) -> Option<ExitStatus> {
        let mut left = pipe::WIDE_BYTES;
        while left > 0 {
            let pipe = self.pipe.as_ref()?;
            let read = match pipe::read_now(pipe, buffer) {
                Ok(Some(read @ 1..)) => read,
                Ok(None) => return None,
                Ok(Some(_)) | Err(_) => {
                    self.pipe = None;
                    return None;
                }
            };
            left = left.saturating_sub(read);
            if let Some(ended) = self.take(buffer.get(..read).unwrap_or_default()).await {
                return Some(ended);
            }
        }
        None
    }

    /// Takes printed bytes. Returns the command's exit status if they contain it.
    async fn take(&mut self, bytes: &[u8]) -> Option<ExitStatus> {
        let (inside, ended) = match &mut self.envelope {
            None => (None, None),
            Some(envelope) => {
                let was_on_the_way = envelope.is_on_the_way();
                let inside = envelope.push(bytes);
                if was_on_the_way && !envelope.is_on_the_way() {
                    self.deadline = self.timeout.map(|timeout| Instant::now() + timeout);
                }
                (Some(inside), envelope.is_over().then(|| envelope.code().unwrap_or(1)))
            }
        };
        let text = self.capture.push(inside.as_deref().unwrap_or(bytes)).await;
        self.progress.push(&text);
        ended.map(os::exited)
    }

    /// Asks the command to end; returns how long it may take.
    async fn stop(&mut self) -> Duration {
        // The other side ends all processes when its input ends: it asks first and kills after a timeout.
        if self.input.take().is_some() {
            return TERM_TO_KILL + 2 * KILL_TO_END;
        }
        self.family.end(Ending::Asked).await;
        TERM_TO_KILL
    }

    /// Leaves the background processes of a command that ended by itself running, and a connection that they keep open.
    async fn let_go(&mut self) {
        if self.is_reusable() {
            self.family.is_armed = false;
            return;
        }
        drop(self.input.take());
        let is_gone = self.family.leader.is_none()
            || tokio::time::timeout(GRACE, self.child.wait()).await.is_ok();
        // Dropping the family only closes the connection.
        self.family.is_armed = !is_gone;
        self.family.mark.insert_str(0, CONNECTION_PREFIX);
    }

    /// Returns true if the command ran elsewhere and its connection can take the next one.
    fn is_reusable(&self) -> bool {
        let is_reusable = self.envelope.as_ref().is_some_and(Envelope::is_reusable);
        is_reusable && self.input.is_some() && self.family.leader.is_some()
    }

    /// Waits for what happens next. Cancel-safe: nothing read is lost.
    async fn next(
        &mut self,
        cancel: &CancellationToken,
        buffer: &mut [u8],
        is_running: bool,
        may_stop: bool,
        enough_at: Option<Instant>,
    ) -> Event {
        let may_stop = may_stop && is_running;
        tokio::select! {
            () = cancel.cancelled(), if may_stop => Event::Stop(End::Cancelled),
            () = at(self.deadline), if may_stop => Event::Stop(End::TimedOut),
            () = at(enough_at) => Event::Enough,
            () = at(self.progress.due) => Event::ShowProgress,
            ended = self.child.wait(), if is_running => Event::Exited(ended),
            read = read(self.pipe.as_mut(), buffer) => Event::Output(read),
        }
    }
}

/// Waits for this long, or forever without a time.
pub(super) async fn after(time: Option<Duration>) {
    at(time.map(|time| Instant::now() + time)).await;
}

async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}

async fn read(pipe: Option<&mut pipe::Receiver>, buffer: &mut [u8]) -> io::Result<usize> {
    match pipe {
        Some(pipe) => pipe.read(buffer).await,
        None => std::future::pending().await,
    }
}

fn end_of(status: Option<&io::Result<ExitStatus>>) -> End {
    let Some(Ok(status)) = status else { return End::Signalled("unknown".to_owned()) };
    match (status.code(), os::ended_by(*status)) {
        (Some(code), _) => End::Exited(code),
        (None, signal) => End::Signalled(signal.unwrap_or_else(|| "unknown".to_owned())),
    }
}

#[cfg(test)]
mod tests;
