//! Stdio as a link: a thread that reads, a thread that writes, a thread that watches for the hang-up.
//!
//! Threads, because stdin and stdout may be pipes, sockets, files or terminals, and only blocking calls treat
//! them all alike. They hold no state that anyone waits for; the process ends without joining them.
//!
//! Invariant: nothing else writes to the client. [`take_stdout`] sets file descriptor 1 aside before anything
//! runs, so that a stray print, ours or a child's, lands on stderr.
//!
//! Why threads: stdin and stdout may be pipes, sockets, files or terminals, and blocking calls treat them all alike.

use super::codec::{Decoder, Framing};
use super::{Frame, INCOMING_CAPACITY, Link, MAX_MESSAGE_BYTES, Outgoing};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, OnceLock};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The number of bytes read at once, and gathered into one write.
const CHUNK_BYTES: usize = 64 * 1024;

/// Sets file descriptor 1 aside and points it at stderr. The returned file is closed in children.
///
/// # Errors
/// Stdout is closed, or there are no descriptors left.
pub fn take_stdout() -> io::Result<File> {
    let aside = io::stdout().as_fd().try_clone_to_owned()?;
    nix::unistd::dup2_stdout(io::stderr())?;
    Ok(File::from(aside))
}

/// Sets file descriptor 0 aside and points it at nothing, so that no child can eat the client's messages.
///
/// # Errors
/// Stdin is closed, or there are no descriptors left.
pub fn take_stdin() -> io::Result<File> {
    let aside = io::stdin().as_fd().try_clone_to_owned()?;
    let nothing = nix::fcntl::open(
        "/dev/null",
        nix::fcntl::OFlag::O_RDONLY | nix::fcntl::OFlag::O_CLOEXEC,
        nix::sys::stat::Mode::empty(),
    )?;
    nix::unistd::dup2_stdin(nothing)?;
    Ok(File::from(aside))
}

/// Opens a link over a reader and a writer.
///
/// # Errors
/// A thread could not be started.
pub fn open(stdin: File, stdout: File, framing: Option<Framing>) -> io::Result<Link> {
    open_begun(stdin, stdout, framing, Vec::new())
}

/// The same, where the first bytes were read already.
///
/// # Errors
/// A thread could not be started.
pub fn open_begun(
    stdin: File,
    stdout: File,
    framing: Option<Framing>,
    begun: Vec<u8>,
) -> io::Result<Link> {
    let (incoming_tx, incoming) = mpsc::channel(INCOMING_CAPACITY);
    let known_framing = Arc::new(OnceLock::new());
    if let Some(framing) = framing {
        let _ = known_framing.set(framing);
    }
    spawn("stdin", {
        let known_framing = Arc::clone(&known_framing);
        move || read(begun, stdin, &incoming_tx, &known_framing)
    })?;
    let (outgoing, hangup) = open_writer(stdout, known_framing)?;
    Ok(Link { incoming, outgoing, hangup })
}

/// Opens only the way out: each message becomes a line.
///
/// # Errors
/// A thread could not be started.
pub fn open_lines(stdout: File) -> io::Result<(Outgoing, CancellationToken)> {
    open_writer(stdout, Arc::new(OnceLock::from(Framing::Ndjson)))
}

fn open_writer(
    stdout: File,
    known_framing: Arc<OnceLock<Framing>>,
) -> io::Result<(Outgoing, CancellationToken)> {
    let (outgoing, frames) = Outgoing::channel();
    let hangup = CancellationToken::new();
    let watched = stdout.as_fd().try_clone_to_owned()?;
    spawn("stdout", {
        let hangup = hangup.clone();
        move || {
            if let Err(error) = write(stdout, frames, &known_framing) {
                tracing::info!("stdout: {error}");
            }
            hangup.cancel();
        }
    })?;
    spawn("hangup", {
        let hangup = hangup.clone();
        move || {
            if wait_for_hangup(&watched) {
                hangup.cancel();
            }
        }
    })?;
    Ok((outgoing, hangup))
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    // 128 KiB is plenty for loops over a buffer on the heap, and three default stacks are not small.
    std::thread::Builder::new().name(name.to_owned()).stack_size(128 * 1024).spawn(work)?;
    Ok(())
}

fn read(
    begun: Vec<u8>,
    mut stdin: File,
    incoming: &mpsc::Sender<super::Incoming>,
    framing: &OnceLock<Framing>,
) {
    let mut decoder = Decoder::new(framing.get().copied(), MAX_MESSAGE_BYTES);
    let mut chunk = begun;
    let mut count = chunk.len();
    loop {
        decoder.push(chunk.get(..count).unwrap_or_default());
        while let Some(message) = decoder.next_message() {
            if let Some(known) = decoder.framing() {
                let _ = framing.set(known);
            }
            if incoming.blocking_send(message).is_err() {
                return;
            }
        }
        chunk.resize(CHUNK_BYTES, 0);
        count = match stdin.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            Err(error) => {
                tracing::warn!("stdin: {error}");
                break;
            }
        };
    }
    if let Some(message) = decoder.finish() {
        let _ = incoming.blocking_send(message);
    }
}

fn write(
    mut stdout: File,
    mut frames: mpsc::Receiver<Frame>,
    framing: &OnceLock<Framing>,
) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(CHUNK_BYTES);
    // The frames of a batch release their room only once they are written.
    let mut batch = Vec::new();
    while let Some(first) = frames.blocking_recv() {
        let framing = framing.get().copied().unwrap_or(Framing::Ndjson);
        framing.encode(&first.message, &mut bytes);
        batch.push(first);
        while bytes.len() < CHUNK_BYTES
            && let Ok(next) = frames.try_recv()
        {
            framing.encode(&next.message, &mut bytes);
            batch.push(next);
        }
        write_all(&mut stdout, &bytes)?;
        bytes.clear();
        bytes.shrink_to(CHUNK_BYTES);
        batch.clear();
    }
    Ok(())
}

/// Like `Write::write_all`, but also right where the other side made our end non-blocking, as Node does.
fn write_all(stdout: &mut File, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match stdout.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let mut fds = [PollFd::new(stdout.as_fd(), PollFlags::POLLOUT)];
                poll(&mut fds, PollTimeout::NONE)?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Blocks until the reading end of stdout is closed. `false` where that cannot be seen (a file).
fn wait_for_hangup(stdout: &OwnedFd) -> bool {
    loop {
        // No events asked for: only POLLERR and POLLHUP, which are always reported, wake it.
        let mut fds = [PollFd::new(stdout.as_fd(), PollFlags::empty())];
        match poll(&mut fds, PollTimeout::NONE) {
            Ok(_) => {
                let [fd] = &fds;
                let events = fd.revents().unwrap_or(PollFlags::empty());
                return events.intersects(PollFlags::POLLERR | PollFlags::POLLHUP);
            }
            Err(Errno::EINTR) => {}
            Err(_) => return false,
        }
    }
}
