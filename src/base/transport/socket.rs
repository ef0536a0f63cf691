//! Links over Unix sockets.
//!
//! As with stdio, threads read and watch for hang-up, and cost nothing while a client is silent. Writing is a future that the caller polls
//! alongside the frontend, so an event reaches several clients without a thread switch.
//!
//! Tokio's socket is not used because it also waits for writability, so that each read by a client would wake the engine. Here only a
//! client that does not read causes a wait.

use super::codec::Framing;
use super::stdio::{Batch, open_reader, watch};
use super::{Frame, Outgoing, Transport};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, send};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, OnceLock};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Opens a link over a socket, from which `begun` was read already. The future writes for as long as it is polled, and never ends. Shut the
/// socket down when the frontend has ended: the threads wait for this.
///
/// # Errors
/// A thread could not be started.
pub fn open(
    stream: &UnixStream,
    begun: Vec<u8>,
) -> io::Result<(Transport, impl Future<Output = ()> + Send + use<>)> {
    stream.set_nonblocking(false)?;
    let fd = || stream.as_fd().try_clone_to_owned();
    let known_framing = Arc::new(OnceLock::new());
    let incoming = open_reader(File::from(fd()?), begun, Arc::clone(&known_framing))?;
    let hangup = CancellationToken::new();
    watch(fd()?, hangup.clone())?;
    let (outgoing, frames) = Outgoing::channel();
    let transport = Transport { incoming, outgoing, hangup: hangup.clone() };
    let socket = fd()?;
    let writing = async move {
        if let Err(error) = write(&socket, frames, &known_framing).await {
            tracing::info!("socket: {error}");
        }
        hangup.cancel();
        std::future::pending::<()>().await;
    };
    Ok((transport, writing))
}

/// Writes messages until the frontend has ended.
async fn write(
    socket: &OwnedFd,
    mut frames: mpsc::Receiver<Frame>,
    framing: &OnceLock<Framing>,
) -> io::Result<()> {
    let mut batch = Batch::default();
    while let Some(first) = frames.recv().await {
        batch.fill(first, &mut frames, framing.get().copied());
        write_all(socket, &batch.bytes).await?;
        batch.written();
    }
    Ok(())
}

/// Without blocking. macOS has no flag to send without a signal; the program ignores that signal.
#[cfg(not(target_os = "macos"))]
const FLAGS: MsgFlags = MsgFlags::MSG_DONTWAIT.union(MsgFlags::MSG_NOSIGNAL);
#[cfg(target_os = "macos")]
const FLAGS: MsgFlags = MsgFlags::MSG_DONTWAIT;

async fn write_all(socket: &OwnedFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        // The socket is blocking, for the thread that reads.
        match send(socket.as_raw_fd(), bytes, FLAGS) {
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(Errno::EINTR) => {}
            Err(Errno::EAGAIN) => room(socket.try_clone()?).await?,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Waits until the socket is writable or the peer is gone.
async fn room(socket: OwnedFd) -> io::Result<()> {
    let waited = tokio::task::spawn_blocking(move || {
        let mut fds = [PollFd::new(socket.as_fd(), PollFlags::POLLOUT)];
        match poll(&mut fds, PollTimeout::NONE) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    });
    waited.await.map_err(io::Error::other)?
}
