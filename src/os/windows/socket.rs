//! Connections between processes of one user on this machine: named pipes, which only this user may open.
//!
//! A pipe's name is derived from the socket's path. A pipe has no half-closed state, so a client ends its input with a
//! message of no bytes.

use super::access::{self, OwnerOnly};
use std::fs::{File, FileType};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::windows::io::AsHandle;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::windows::named_pipe::{
    ClientOptions, NamedPipeClient, NamedPipeServer, PipeMode, ServerOptions,
};
use tokio::runtime::{Handle, Runtime};
use tokio::sync::Mutex;
use windows_sys::Win32::Foundation::ERROR_PIPE_BUSY;

/// The longest path of a socket, in bytes. Names of pipes are made of it, so any path will do.
pub const MAX_PATH_BYTES: usize = 32_000;

/// Announced socket addresses start with this.
pub const SCHEME: &str = "pipe:";

/// A client's connection at the side of the engine.
pub type Stream = NamedPipeServer;

/// How long a client waits for an engine that is about to accept another one.
const BUSY_PAUSES_MS: [u64; 6] = [1, 5, 20, 100, 300, 500];

/// Accepts clients.
#[derive(Debug)]
pub struct Listener {
    name: String,
    /// The instance that the next client gets.
    next: Mutex<NamedPipeServer>,
}

/// Listens at a path, for this user alone.
///
/// # Errors
/// The system's, such as for a name that another process listens on.
pub fn bind(path: &Path) -> io::Result<Listener> {
    let name = name(path);
    let next = Mutex::new(instance(&name, true)?);
    // A placeholder, which is removed with the engine.
    File::create(path)?;
    Ok(Listener { name, next })
}

#[expect(unsafe_code, reason = "the access list is given as a pointer")]
fn instance(name: &str, is_first: bool) -> io::Result<NamedPipeServer> {
    let access = OwnerOnly::new()?;
    let mut attributes = access.attributes();
    let mut options = ServerOptions::new();
    options
        .first_pipe_instance(is_first)
        .reject_remote_clients(true)
        // Only messages can be empty.
        .pipe_mode(PipeMode::Message);
    // Safety: the attributes and the descriptor that they point to live until the call returns.
    unsafe { options.create_with_security_attributes_raw(name, (&raw mut attributes).cast()) }
}

/// Waits for the next client. Cancel-safe.
///
/// # Errors
/// There are no handles left.
pub async fn accept(listener: &Listener) -> io::Result<Stream> {
    let mut next = listener.next.lock().await;
    next.connect().await?;
    let new = instance(&listener.name, false)?;
    Ok(std::mem::replace(&mut *next, new))
}

fn name(path: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    path.to_string_lossy().to_lowercase().hash(&mut hasher);
    format!(r"\\.\pipe\pintle-engine-{:016x}", hasher.finish())
}

/// Returns true for a pipe's placeholder file.
pub fn is_socket(kind: FileType) -> bool {
    kind.is_file()
}

/// Returns true if a process listens on a socket.
pub fn is_served(path: &Path) -> bool {
    let name = name(path);
    let name = name.rsplit('\\').next().unwrap_or_default();
    let pipes = std::fs::read_dir(r"\\.\pipe\").into_iter().flatten().flatten();
    pipes.into_iter().any(|pipe| pipe.file_name().to_string_lossy() == name)
}

/// A client's connection, for blocking reads and writes.
#[derive(Debug)]
pub struct Client {
    pipe: Arc<NamedPipeClient>,
    /// Drives the pipe on a separate thread.
    runtime: Arc<Driver>,
}

#[derive(Debug)]
struct Driver {
    handle: Handle,
    /// Dropping it ends the thread.
    _end: tokio::sync::oneshot::Sender<()>,
}

impl Driver {
    fn start() -> io::Result<Self> {
        let runtime: Runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (end, ended) = tokio::sync::oneshot::channel();
        let thread = std::thread::Builder::new().name("pipe".to_owned());
        thread.spawn(move || runtime.block_on(async { drop(ended.await) }))?;
        Ok(Self { handle, _end: end })
    }
}

impl Client {
    /// Connects to the pipe for a path.
    ///
    /// # Errors
    /// Nobody listens there.
    pub fn connect(path: &Path) -> io::Result<Self> {
        let runtime = Arc::new(Driver::start()?);
        let (name, mut pauses) = (name(path), BUSY_PAUSES_MS.into_iter());
        loop {
            let opened = {
                let _inside = runtime.handle.enter();
                ClientOptions::new().open(&name)
            };
            match opened {
                Ok(pipe) => return Ok(Self { pipe: Arc::new(pipe), runtime }),
                Err(error) if error.raw_os_error() == Some(ERROR_PIPE_BUSY.cast_signed()) => {
                    let Some(pause) = pauses.next() else { return Err(error) };
                    std::thread::sleep(Duration::from_millis(pause));
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns true if this user created the pipe. Another user may have created one with this name first.
    pub fn is_own(&self) -> bool {
        access::is_own(self.pipe.as_handle()).unwrap_or(false)
    }

    /// Returns the same connection, for another thread.
    ///
    /// # Errors
    /// None.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { pipe: Arc::clone(&self.pipe), runtime: Arc::clone(&self.runtime) })
    }

    /// Closes the writing direction; reading continues.
    ///
    /// # Errors
    /// The other side is gone.
    pub fn end_input(&self) -> io::Result<()> {
        self.runtime.handle.block_on(write_some(&self.pipe, &[])).map(drop)
    }

    /// Returns the two directions of the connection, for asynchronous reads and writes.
    ///
    /// # Errors
    /// None.
    pub fn into_split(self) -> io::Result<(Half, Half)> {
        let Self { pipe, runtime } = self;
        let half = || Half { pipe: Arc::clone(&pipe), _runtime: Arc::clone(&runtime) };
        Ok((half(), half()))
    }
}

impl io::Read for &Client {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.runtime.handle.block_on(read_some(&self.pipe, buffer))
    }
}

impl io::Write for &Client {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        self.runtime.handle.block_on(write_some(&self.pipe, bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One direction of a client's connection.
#[derive(Debug)]
pub struct Half {
    pipe: Arc<NamedPipeClient>,
    _runtime: Arc<Driver>,
}

impl AsyncRead for Half {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            ready!(self.pipe.poll_read_ready(context))?;
            match ended(self.pipe.try_read(buffer.initialize_unfilled())) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return Poll::Ready(read.map(|read| buffer.advance(read))),
            }
        }
    }
}

impl AsyncWrite for Half {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.pipe.poll_write_ready(context))?;
            match self.pipe.try_write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                written => return Poll::Ready(written),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_write(context, &[]).map_ok(drop)
    }
}

/// A client's connection at the side of the engine: a thread reads it, and a future writes to it.
#[derive(Debug)]
pub struct Served {
    pipe: Arc<NamedPipeServer>,
    handle: Handle,
}

/// Reads a connection on a thread.
#[derive(Debug)]
pub struct Reader {
    pipe: Arc<NamedPipeServer>,
    handle: Handle,
}

/// Writes to a connection.
#[derive(Debug)]
pub struct Writer(Arc<NamedPipeServer>);

impl Served {
    /// Takes over an accepted connection. Called in a runtime.
    ///
    /// # Errors
    /// None.
    pub fn new(stream: Stream) -> io::Result<Self> {
        Ok(Self { pipe: Arc::new(stream), handle: Handle::current() })
    }

    /// Returns the reading direction, for a thread.
    ///
    /// # Errors
    /// None.
    pub fn reader(&self) -> io::Result<Reader> {
        Ok(Reader { pipe: Arc::clone(&self.pipe), handle: self.handle.clone() })
    }

    /// Returns a handle that never reports a hang-up, since the reader detects the end.
    ///
    /// # Errors
    /// The system's.
    pub fn watched(&self) -> io::Result<File> {
        File::open("NUL")
    }

    /// Returns the writing direction, for a future.
    ///
    /// # Errors
    /// None.
    pub fn writer(&self) -> io::Result<Writer> {
        Ok(Writer(Arc::clone(&self.pipe)))
    }

    /// Ends both directions, which the thread waits for.
    pub fn shut_down(&self) {
        let _ = self.pipe.disconnect();
    }
}

impl io::Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let pipe = &self.pipe;
        self.handle.block_on(async {
            loop {
                pipe.readable().await?;
                match ended(pipe.try_read(buffer)) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    read => return read,
                }
            }
        })
    }
}

impl Writer {
    /// Writes all of it.
    ///
    /// # Errors
    /// The client is gone.
    pub async fn write_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            self.0.writable().await?;
            match self.0.try_write(bytes) {
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

async fn read_some(pipe: &NamedPipeClient, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        pipe.readable().await?;
        match ended(pipe.try_read(buffer)) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            read => return read,
        }
    }
}

async fn write_some(pipe: &NamedPipeClient, bytes: &[u8]) -> io::Result<usize> {
    loop {
        pipe.writable().await?;
        match pipe.try_write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            written => return written,
        }
    }
}

/// Treats a closed peer as end of input.
fn ended(read: io::Result<usize>) -> io::Result<usize> {
    match read {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        read => read,
    }
}
