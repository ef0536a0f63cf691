//! Sockets between processes of one user on this machine: Unix sockets.

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, send};
use std::fs::{File, FileType};
use std::io;
use std::net::Shutdown;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

pub use tokio::net::{UnixListener as Listener, UnixStream as Stream};

/// The longest path of a socket, in bytes. Source: `sockaddr_un`, without its final zero.
pub const MAX_PATH_BYTES: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// Announced socket addresses start with this.
pub const SCHEME: &str = "unix:";

/// A client's connection, for blocking reads and writes.
#[derive(Debug)]
pub struct Client(UnixStream);

impl Client {
    /// Connects to the socket at a path.
    ///
    /// # Errors
    /// Nobody listens there.
    pub fn connect(path: &Path) -> io::Result<Self> {
        UnixStream::connect(path).map(Self)
    }

    /// Returns true if the listening process belongs to this user.
    pub fn is_own(&self) -> bool {
        #[cfg(target_os = "linux")]
        {
            use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
            getsockopt(&self.0, PeerCredentials)
                .is_ok_and(|peer| peer.uid() == nix::unistd::geteuid().as_raw())
        }
        #[cfg(not(target_os = "linux"))]
        nix::unistd::getpeereid(&self.0).is_ok_and(|(user, _)| user == nix::unistd::geteuid())
    }

    /// Returns the same connection, for another thread.
    ///
    /// # Errors
    /// There are no descriptors left.
    pub fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    /// Closes the writing direction; reading continues.
    ///
    /// # Errors
    /// The other side is gone.
    pub fn end_input(&self) -> io::Result<()> {
        self.0.shutdown(Shutdown::Write)
    }

    /// Returns the two directions of the connection, for asynchronous reads and writes.
    ///
    /// # Errors
    /// The system's.
    pub fn into_split(self) -> io::Result<(OwnedReadHalf, OwnedWriteHalf)> {
        self.0.set_nonblocking(true)?;
        Ok(Stream::from_std(self.0)?.into_split())
    }
}

impl io::Read for &Client {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&self.0).read(buffer)
    }
}

impl io::Write for &Client {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&self.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Listens at a path, for this user alone.
///
/// # Errors
/// The system's.
pub fn bind(path: &Path) -> io::Result<Listener> {
    let before = nix::sys::stat::umask(nix::sys::stat::Mode::from_bits_truncate(0o177));
    let bound = Listener::bind(path);
    nix::sys::stat::umask(before);
    bound
}

/// Waits for the next client. Cancel-safe.
///
/// # Errors
/// There are no descriptors left.
pub async fn accept(listener: &Listener) -> io::Result<Stream> {
    listener.accept().await.map(|(stream, _)| stream)
}

/// Returns true for a socket.
pub fn is_socket(kind: FileType) -> bool {
    kind.is_socket()
}

/// Returns true if a process listens on a socket, or if the absence of one cannot be verified. Does not wait for an overloaded one.
pub fn is_served(path: &Path) -> bool {
    use nix::fcntl::{FcntlArg, OFlag, fcntl};
    use nix::sys::socket::{
        AddressFamily, SockFlag, SockType, UnixAddr, connect, socket as new_socket,
    };
    let probe = new_socket(AddressFamily::Unix, SockType::Stream, SockFlag::empty(), None);
    let Ok(probe) = probe else { return true };
    if fcntl(&probe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).is_err() {
        return true;
    }
    match UnixAddr::new(path).and_then(|address| connect(probe.as_raw_fd(), &address)) {
        Ok(()) => true,
        Err(error) => error != Errno::ECONNREFUSED,
    }
}

/// A client's connection at the side of the engine: a thread reads it, another watches it, and a future writes to it.
///
/// Tokio's socket is not used because it also waits for writability, so that each read by a client would wake the engine. Here only a client
/// that does not read causes a wait.
#[derive(Debug)]
pub struct Served(UnixStream);

/// Reads from a connection.
///
/// On Linux, a thread that waits in `read` is also woken whenever the client takes bytes that the engine has sent; one that waits in `poll` is
/// not.
#[derive(Debug)]
pub struct Reader(File);

/// Writes to a connection.
#[derive(Debug)]
pub struct Writer(OwnedFd);

impl Served {
    /// Takes over an accepted connection.
    ///
    /// # Errors
    /// The system's.
    pub fn new(stream: Stream) -> io::Result<Self> {
        let stream = stream.into_std()?;
        stream.set_nonblocking(false)?;
        Ok(Self(stream))
    }

    /// Returns the reading direction, for a thread.
    ///
    /// # Errors
    /// There are no descriptors left.
    pub fn reader(&self) -> io::Result<Reader> {
        self.watched().map(Reader)
    }

    /// Returns a handle for [`wait_for_hangup`](super::streams::wait_for_hangup).
    ///
    /// # Errors
    /// There are no descriptors left.
    pub fn watched(&self) -> io::Result<File> {
        self.0.as_fd().try_clone_to_owned().map(File::from)
    }

    /// Returns the writing direction, for a future.
    ///
    /// # Errors
    /// There are no descriptors left.
    pub fn writer(&self) -> io::Result<Writer> {
        self.0.as_fd().try_clone_to_owned().map(Writer)
    }

    /// Ends both directions, which the threads wait for.
    pub fn shut_down(&self) {
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

impl io::Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        poll(&mut [PollFd::new(self.0.as_fd(), PollFlags::POLLIN)], PollTimeout::NONE)?;
        self.0.read(buffer)
    }
}

impl Writer {
    /// Writes all of it.
    ///
    /// # Errors
    /// The client is gone.
    pub async fn write_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        // macOS has no such flag; there, the standard library ignores the signal.
        #[cfg(target_os = "linux")]
        const FLAGS: MsgFlags = MsgFlags::MSG_DONTWAIT.union(MsgFlags::MSG_NOSIGNAL);
        #[cfg(not(target_os = "linux"))]
        const FLAGS: MsgFlags = MsgFlags::MSG_DONTWAIT;
        while !bytes.is_empty() {
            // The socket is blocking, for the thread that reads.
            match send(self.0.as_raw_fd(), bytes, FLAGS) {
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => room(self.0.try_clone()?).await?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
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
