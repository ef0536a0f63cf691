//! A program that stays and speaks on its streams, such as a server of the Model Context Protocol.
//!
//! Invariant: dropping it, or the future that starts it, kills it and its descendants.

use super::{Family, Launch, Started, TERM_TO_KILL};
use pintle_os::family::Ending;
use pintle_os::pipe;
use std::io;
use std::process::ExitStatus;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// The time that a program has to end by itself once its input is closed.
const CLOSE_TO_TERM: Duration = Duration::from_secs(2);

/// A program that was started, with its streams. Dropping it kills it.
#[derive(Debug)]
pub struct RunningProgram {
    /// The process. First, because it is dropped first.
    pub process: Process,
    /// The program's input.
    pub stdin: pipe::Sender,
    /// The program's output.
    pub stdout: pipe::Receiver,
    /// The program's error output.
    pub stderr: pipe::Receiver,
}

/// A started program's process. Dropping it kills it and its descendants.
pub struct Process {
    /// First, because it is dropped first: it must see who descends from the program while that lives.
    family: Family,
    child: Started,
}

impl std::fmt::Debug for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Process").field("child", &self.child).finish_non_exhaustive()
    }
}

impl Process {
    /// Waits until the process ends. Cancel-safe.
    ///
    /// # Errors
    /// The system does not report the exit status.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Closes the input and waits for the process to exit by itself; otherwise ends it by a signal, with all its descendants.
    pub async fn stop(mut self) {
        if timeout(CLOSE_TO_TERM, self.child.wait()).await.is_err() {
            self.family.end(Ending::Asked).await;
            let _ = timeout(TERM_TO_KILL, self.child.wait()).await;
        }
        self.family.end(Ending::Forced).await;
        self.family.ended_by(Instant::now()).await;
    }
}

/// Starts a program.
pub(crate) async fn start(launch: &Launch) -> io::Result<RunningProgram> {
    let (child_stdin, stdin) = pipe::input()?;
    let (stdout, child_stdout) = pipe::output()?;
    let (stderr, child_stderr) = pipe::output()?;
    let streams = [&child_stdin, &child_stdout, &child_stderr].map(pipe::borrow);
    let child = Started::new(launch, streams).await?;
    let process = Process { family: child.family(launch.mark.clone()), child };
    Ok(RunningProgram { process, stdin, stdout, stderr })
}
