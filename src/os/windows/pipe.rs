//! Pipes to child processes: asynchronous on this side, blocking on theirs.
//!
//! Anonymous pipes cannot be read asynchronously, so these are named pipes with unguessable names.

use std::collections::hash_map::RandomState;
use std::fs::{File, OpenOptions};
use std::hash::BuildHasher;
use std::io;
use std::os::windows::io::{AsHandle, BorrowedHandle, OwnedHandle};
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Waker};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::windows::named_pipe::{NamedPipeServer, ServerOptions};

/// The end that a started process gets.
pub type End = OwnedHandle;

/// The same, borrowed.
pub type BorrowedEnd<'a> = BorrowedHandle<'a>;

/// Capacity of a wide pipe, in bytes.
pub const WIDE_BYTES: usize = 1024 * 1024;

/// The capacity of other pipes in bytes.
const USUAL_BYTES: u32 = 64 * 1024;

/// The reading end of a pipe.
#[derive(Debug)]
pub struct Receiver(NamedPipeServer);

/// The writing end of a pipe.
#[derive(Debug)]
pub struct Sender(NamedPipeServer);

/// Returns a pipe that a process writes to.
///
/// # Errors
/// The system's.
pub fn output() -> io::Result<(Receiver, End)> {
    let (server, end) = pair(Towards::Us, USUAL_BYTES)?;
    Ok((Receiver(server), end))
}

/// Like [`output`]; a flood comes in few large pieces.
///
/// # Errors
/// The system's.
pub fn wide_output() -> io::Result<(Receiver, End)> {
    let (server, end) = pair(Towards::Us, u32::try_from(WIDE_BYTES).unwrap_or(u32::MAX))?;
    Ok((Receiver(server), end))
}

/// Returns a pipe that a process reads from.
///
/// # Errors
/// The system's.
pub fn input() -> io::Result<(End, Sender)> {
    let (server, end) = pair(Towards::Them, USUAL_BYTES)?;
    Ok((end, Sender(server)))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Towards {
    Us,
    Them,
}

fn pair(towards: Towards, bytes: u32) -> io::Result<(NamedPipeServer, End)> {
    let name = new_name();
    let server = ServerOptions::new()
        .first_pipe_instance(true)
        .reject_remote_clients(true)
        .max_instances(1)
        .access_inbound(towards == Towards::Us)
        .access_outbound(towards == Towards::Them)
        .in_buffer_size(bytes)
        .out_buffer_size(bytes)
        .create(&name)?;
    let end = OpenOptions::new()
        .read(towards == Towards::Them)
        .write(towards == Towards::Us)
        .open(&name)?;
    // The client is there already, so this is ready at once; without it nothing is ever read.
    let connected = {
        let connect = std::pin::pin!(server.connect());
        connect.poll(&mut Context::from_waker(Waker::noop()))
    };
    match connected {
        Poll::Ready(connected) => connected.map(|()| (server, end.into())),
        Poll::Pending => Err(io::Error::other("a pipe was not connected")),
    }
}

/// Returns a name that no other pipe has, and that no other process can guess.
fn new_name() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let (first, second) =
        (RandomState::new().hash_one(number), RandomState::new().hash_one(number));
    format!(r"\\.\pipe\pintle-{}-{number}-{first:016x}{second:016x}", std::process::id())
}

/// Returns an empty input.
///
/// # Errors
/// The system has no null device.
pub fn nothing() -> io::Result<End> {
    File::open("NUL").map(OwnedHandle::from)
}

/// Borrows an end.
pub fn borrow(end: &End) -> BorrowedEnd<'_> {
    end.as_handle()
}

/// Reads without waiting; `None` if the pipe is empty and still open, 0 if it is closed.
///
/// # Errors
/// The system's.
pub fn read_now(pipe: &Receiver, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    match pipe.0.try_read(buffer) {
        Ok(read) => Ok(Some(read)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Some(0)),
        Err(error) => Err(error),
    }
}

impl AsyncRead for Receiver {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.0).poll_read(context, buffer) {
            // The last process that could write has closed its end.
            Poll::Ready(Err(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
                Poll::Ready(Ok(()))
            }
            polled => polled,
        }
    }
}

impl AsyncWrite for Sender {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
