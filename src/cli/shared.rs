//! The one engine that several clients of a user share: its lock, its socket, and the file that leads to both.
//!
//! One process listens for a data folder. It holds `engine.lock`, and `engine.json` names its socket and token, for this user alone.
#![expect(
    clippy::disallowed_methods,
    reason = "the files of a shared engine are the program's own"
)]

use anyhow::Context;
use pintle::ambient::Ambient;
use pintle::disk;
use ring::rand::{SecureRandom, SystemRandom};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use tokio::net::UnixListener;

/// Held by the engine that listens.
const LOCK: &str = "engine.lock";

/// Held by a client that starts an engine.
const START_LOCK: &str = "engine.start.lock";

/// Names the socket of the engine that listens.
const FILE: &str = "engine.json";

/// The log of an engine that a client started.
const LOG: &str = "engine.log";

/// The maximum size of the file that names the socket.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// The longest path of a socket, in bytes. Source: `sockaddr_un`.
const MAX_SOCKET_PATH: usize = 107;

/// The way to the engine that listens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Address {
    /// The socket's path.
    pub(crate) socket: PathBuf,
    /// The token that a client shows.
    pub(crate) token: String,
    /// The process.
    pub(crate) pid: u32,
    /// The program's version.
    pub(crate) version: String,
    /// The options that the engine was started with.
    pub(crate) options: Vec<String>,
}

impl Address {
    /// Reads the address of the engine that listens for a data folder; `None` where none has.
    pub(crate) fn read(data: &Path) -> Option<Self> {
        let text = disk::read_secret(&data.join(FILE), MAX_FILE_BYTES).ok()?;
        serde_json::from_slice(&text).ok()
    }
}

/// The listening socket of an engine, and the lock that makes it the only one.
#[derive(Debug)]
pub(crate) struct Listening {
    pub(crate) listener: UnixListener,
    pub(crate) address: Address,
    /// To be kept until the engine has ended.
    pub(crate) ended: Ended,
}

impl Listening {
    /// Becomes the engine that listens for a data folder, on this socket or the usual one.
    ///
    /// # Errors
    /// Another engine listens already, or the socket cannot be made.
    pub(crate) fn begin(
        data: &Path,
        socket: Option<PathBuf>,
        options: Vec<String>,
        ambient: &Ambient,
    ) -> anyhow::Result<Self> {
        folder(data)?;
        let lock = open_lock(&data.join(LOCK))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = Address::read(data).map_or_else(String::new, |address| {
                    format!(" (pid {}, {})", address.pid, address.socket.display())
                });
                anyhow::bail!(
                    "an engine listens for {} already{holder}\n  connect to it with `pintle attach`, or set another data folder with PINTLE_HOME",
                    data.display()
                );
            }
            Err(TryLockError::Error(error)) => return Err(error).context("cannot lock the engine"),
        }
        let socket = match socket {
            Some(socket) => ambient.current_dir()?.join(socket),
            None => usual_socket(data, ambient)?,
        };
        let listener = bind(&socket)?;
        let address = Address {
            socket,
            token: new_token()?,
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            options,
        };
        let text = serde_json::to_vec(&address)?;
        // Whole or not at all: a client may be reading.
        let mut file = tempfile::NamedTempFile::new_in(data)?;
        file.write_all(&text)?;
        file.persist(data.join(FILE))?;
        let ended = Ended { socket: address.socket.clone(), data: data.to_owned(), _lock: lock };
        Ok(Self { listener, address, ended })
    }
}

/// Removes the files of an engine that has ended, and then frees the lock.
#[derive(Debug)]
pub(crate) struct Ended {
    socket: PathBuf,
    data: PathBuf,
    _lock: File,
}

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(self.data.join(FILE));
        let _ = std::fs::remove_file(&self.socket);
    }
}

/// Waits until no other client starts an engine for this data folder.
pub(crate) fn start_lock(data: &Path) -> anyhow::Result<File> {
    folder(data)?;
    let lock = open_lock(&data.join(START_LOCK))?;
    lock.lock().context("cannot wait for another client that starts the engine")?;
    Ok(lock)
}

/// Opens the log of an engine that a client starts; it begins anew with each.
pub(crate) fn log(data: &Path) -> anyhow::Result<(File, PathBuf)> {
    let path = data.join(LOG);
    let mut options = OpenOptions::new();
    let file = disk::open_private(&path, options.write(true).create(true).truncate(true));
    Ok((file.with_context(|| format!("cannot write {}", path.display()))?, path))
}

fn folder(path: &Path) -> anyhow::Result<()> {
    disk::create_private_folder(path).with_context(|| format!("cannot create {}", path.display()))
}

fn open_lock(path: &Path) -> anyhow::Result<File> {
    let mut options = OpenOptions::new();
    let opened = disk::open_private(path, options.write(true).create(true).truncate(false));
    opened.with_context(|| format!("cannot write {}", path.display()))
}

/// Returns the usual socket for a data folder: in the folder for what lasts as long as the login, else in the data folder itself.
fn usual_socket(data: &Path, ambient: &Ambient) -> anyhow::Result<PathBuf> {
    let runtime = ambient.var("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty());
    let Some(runtime) = runtime else { return Ok(data.join("engine.sock")) };
    let folder_of = Path::new(&runtime).join("pintle");
    folder(&folder_of)?;
    // A name for each data folder.
    let digest = ring::digest::digest(&ring::digest::SHA256, data.as_os_str().as_encoded_bytes());
    let name = hex(digest.as_ref().get(..8).unwrap_or_default());
    Ok(folder_of.join(format!("{name}.sock")))
}

/// Returns a token that nobody guesses.
fn new_token() -> anyhow::Result<String> {
    let mut bytes = [0; 32];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.ok().context("the system has no random numbers")?;
    Ok(hex(&bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn bind(path: &Path) -> anyhow::Result<UnixListener> {
    if path.as_os_str().len() > MAX_SOCKET_PATH {
        anyhow::bail!(
            "{} is too long for a socket ({MAX_SOCKET_PATH} bytes at most)\n  name a shorter one with --listen unix:PATH",
            path.display()
        );
    }
    // An engine that was killed leaves its socket; the lock says that nobody uses it.
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_socket() => std::fs::remove_file(path)?,
        Ok(_) => anyhow::bail!("{} is in the way: it is no socket", path.display()),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| path.display().to_string()),
    }
    let before = nix::sys::stat::umask(nix::sys::stat::Mode::from_bits_truncate(0o177));
    let bound = UnixListener::bind(path);
    nix::sys::stat::umask(before);
    bound.with_context(|| format!("cannot listen on {}", path.display()))
}
