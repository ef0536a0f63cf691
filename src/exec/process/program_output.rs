//! One run of a program with all of its input and output in memory, such as a filter.
//!
//! Commands of a model do not run here. Invariant: dropping the future ends the program and the processes that it
//! started here.

use super::{GRACE, Launch, Started};
use pintle_os::pipe;
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// The program's output.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The exit code; none after a signal, and if the output exceeded the limit.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

/// The maximum size of a program's error output.
const MAX_STDERR_BYTES: u64 = 64 * 1024;

/// Runs a program to its end.
pub(crate) async fn output(launch: Launch, input: &[u8], max_bytes: u64) -> io::Result<Answer> {
    let (child_stdin, mut stdin) = pipe::input()?;
    let (stdout, child_stdout) = pipe::output()?;
    let (stderr, child_stderr) = pipe::output()?;
    let streams = [&child_stdin, &child_stdout, &child_stderr].map(pipe::borrow);
    let mut child = Started::new(&launch, streams).await?;
    drop((child_stdin, child_stdout, child_stderr));
    let mut family = child.family(launch.mark.clone());
    let write = async move {
        // A program that has read enough closes its end; its own message is more useful than this error.
        let _ = stdin.write_all(input).await;
    };
    let read = async {
        let mut bytes = Vec::new();
        stdout.take(max_bytes + 1).read_to_end(&mut bytes).await?;
        io::Result::Ok(bytes)
    };
    let mut complaints = Vec::new();
    let complain = async {
        let _ = stderr.take(MAX_STDERR_BYTES).read_to_end(&mut complaints).await;
    };
    let ended = async {
        let ((), stdout) = tokio::join!(write, read);
        let stdout = stdout?;
        if stdout.len() as u64 > max_bytes {
            // Dropping the family ends the rest.
            return io::Result::Ok((stdout, None));
        }
        Ok((stdout, Some(child.wait().await?)))
    };
    let (stdout, status) = {
        let mut complain = std::pin::pin!(complain);
        let mut ended = std::pin::pin!(ended);
        let (ended, has_complained) = tokio::select! {
            ended = &mut ended => (ended, false),
            () = &mut complain => (ended.await, true),
        };
        if !has_complained {
            // Another process may keep the stream open.
            let _ = tokio::time::timeout(GRACE, complain).await;
        }
        ended?
    };
    let Some(status) = status else {
        return Ok(Answer { code: None, stdout, stderr: String::new() });
    };
    family.is_armed = false;
    if let Some(supervisor) = &launch.supervisor {
        child.retain(supervisor, launch.mark);
    }
    let stderr = String::from_utf8_lossy(&complaints).trim().to_owned();
    Ok(Answer { code: status.code(), stdout, stderr })
}
