//! The one engine that several clients of a user share: its lock, its socket, and the file that leads to both.
//!
//! One process listens for a data directory. It owns the lock `engine.lock`, and `engine.json` names its socket and token, readable only by
//! this user.
#![expect(clippy::disallowed_methods, reason = "manages the shared engine's files")]

use anyhow::Context;
use pintle_base::ambient::Ambient;
use pintle_base::private_files;
use pintle_frontend::listen::Sockets;
use pintle_os::{lock, replace, socket};
use ring::rand::{SecureRandom, SystemRandom};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use tokio::net::TcpListener;

/// Held by the engine that listens.
const LOCK: &str = "engine.lock";

/// Held by a client that starts an engine.
const START_LOCK: &str = "engine.start.lock";

/// The file with the listening engine's address.
const FILE: &str = "engine.json";

/// The log of engines started by clients.
const LOG: &str = "engine.log";

/// Size limit for the address file.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// A listening engine's address.
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
    /// The WebSocket address, if the engine listens for WebSockets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) websocket: Option<String>,
}

impl Address {
    /// Reads the address of a data directory's listening engine; `None` if no engine has listened.
    pub(crate) fn read(data: &Path) -> Option<Self> {
        let text = private_files::read_secret(&data.join(FILE), MAX_FILE_BYTES).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Returns the lines that announce the engine's sockets. They do not contain the token, since they end up in logs.
    pub(crate) fn announcement(&self, data: &Path) -> String {
        let mut lines = format!("listening on unix:{}\n", self.socket.display());
        if let Some(websocket) = &self.websocket {
            let _ =
                writeln!(lines, "listening on {websocket} (token: {})", data.join(FILE).display());
        }
        lines
    }
}

/// The sockets on which an engine is to listen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Places {
    /// The socket's path; the usual one if it is left out.
    pub(crate) unix: Option<PathBuf>,
    /// An address of the loopback for WebSockets.
    pub(crate) websocket: Option<SocketAddr>,
    /// The file that keeps the token; a new token with each start if it is left out.
    pub(crate) token_file: Option<PathBuf>,
}

/// The listening sockets of an engine, and the lock that makes it the only one.
#[derive(Debug)]
pub(crate) struct Listening {
    pub(crate) sockets: Sockets,
    pub(crate) address: Address,
    /// To be kept until the engine has ended.
    pub(crate) ended: Ended,
}

impl Listening {
    /// Becomes the engine that listens for a data directory.
    ///
    /// # Errors
    /// Fails if another engine is already listening, or if a socket cannot be created.
    pub(crate) fn begin(
        data: &Path,
        places: Places,
        options: Vec<String>,
        ambient: &Ambient,
    ) -> anyhow::Result<Self> {
        folder(data)?;
        let lock = open_lock(&data.join(LOCK))?;
        match lock::try_lock(&lock) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = Address::read(data).map_or_else(String::new, |address| {
                    format!(" (pid {}, {})", address.pid, address.socket.display())
                });
                anyhow::bail!(
                    "an engine is already listening for {}{holder}\n  connect to it with `pintle attach`, or set PINTLE_HOME to another data directory",
                    data.display()
                );
            }
            Err(TryLockError::Error(error)) => return Err(error).context("cannot lock the engine"),
        }
        let socket = match places.unix {
            Some(socket) => ambient.absolute(socket)?,
            None => usual_socket(data, ambient)?,
        };
        let web = places.websocket.map(bind_loopback).transpose()?;
        let websocket = match &web {
            Some(listener) => Some(format!("ws://{}", listener.local_addr()?)),
            None => None,
        };
        let sockets = Sockets { local: bind(&socket)?, web };
        let address = Address {
            socket,
            token: match &places.token_file {
                Some(file) => kept_token(&ambient.absolute(file)?)?,
                None => new_token()?,
            },
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            options,
            websocket,
        };
        // If the file cannot be written, the socket is removed again.
        let ended = Ended { socket: address.socket.clone(), data: data.to_owned(), _lock: lock };
        let path = data.join(FILE);
        let written = write_whole(data, &path, &serde_json::to_vec(&address)?);
        written.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { sockets, address, ended })
    }
}

/// Writes a file whole or not at all: a client may be reading.
fn write_whole(folder: &Path, path: &Path, text: &[u8]) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text)?;
    replace::put(file, path, &mut None)
}

/// Removes an ended engine's files, and then frees the lock.
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

/// Waits until no other client starts an engine for this data directory.
pub(crate) fn start_lock(data: &Path) -> anyhow::Result<File> {
    folder(data)?;
    let lock = open_lock(&data.join(START_LOCK))?;
    lock::lock(&lock).context("failed to wait for another client that is starting the engine")?;
    Ok(lock)
}

/// Opens and truncates the log for an engine started by a client.
pub(crate) fn log(data: &Path) -> anyhow::Result<(File, PathBuf)> {
    let path = data.join(LOG);
    let mut options = OpenOptions::new();
    let file = private_files::open_private(&path, options.write(true).create(true).truncate(true));
    Ok((file.with_context(|| format!("cannot write {}", path.display()))?, path))
}

fn folder(path: &Path) -> anyhow::Result<()> {
    private_files::create_private_folder(path).map_err(|error| {
        anyhow::anyhow!(
            "failed to create {}: {error}\n  set PINTLE_HOME to a writable directory",
            path.display()
        )
    })
}

fn open_lock(path: &Path) -> anyhow::Result<File> {
    let mut options = OpenOptions::new();
    let opened =
        private_files::open_private(path, options.write(true).create(true).truncate(false));
    opened.with_context(|| format!("cannot write {}", path.display()))
}

/// Returns the usual socket for a data directory: in the runtime directory, which lasts as long as the login, else in the data directory
/// itself.
fn usual_socket(data: &Path, ambient: &Ambient) -> anyhow::Result<PathBuf> {
    let runtime = ambient.var("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty());
    let Some(runtime) = runtime else { return Ok(data.join("engine.sock")) };
    let folder_of = Path::new(&runtime).join("pintle");
    folder(&folder_of)?;
    // A name for each data directory.
    let digest = ring::digest::digest(&ring::digest::SHA256, data.as_os_str().as_encoded_bytes());
    let name = hex(digest.as_ref().get(..8).unwrap_or_default());
    Ok(folder_of.join(format!("{name}.sock")))
}

/// Returns an unguessable token.
fn new_token() -> anyhow::Result<String> {
    let mut bytes = [0; 32];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.ok().context("the system provides no random numbers")?;
    Ok(hex(&bytes))
}

/// Returns a file's token. If the file does not exist, it is created with a new token.
fn kept_token(path: &Path) -> anyhow::Result<String> {
    /// 128 bits in hex; a new token has 256.
    const MIN_CHARS: usize = 32;
    let named = || format!("--token-file {}", path.display());
    let text = match private_files::read_secret(path, MAX_FILE_BYTES) {
        Ok(text) => {
            String::from_utf8(text).ok().with_context(|| format!("{}: not text", named()))?
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let token = new_token()?;
            let mut options = OpenOptions::new();
            let mut file = private_files::open_private(path, options.write(true).create_new(true))
                .with_context(named)?;
            file.write_all(format!("{token}\n").as_bytes()).with_context(named)?;
            return Ok(token);
        }
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            anyhow::bail!("{}: {error}\n  chmod 600 {}", named(), path.display());
        }
        Err(_) if path.is_symlink() => {
            anyhow::bail!("{} is a symbolic link\n  use its target's path", named());
        }
        Err(error) => return Err(error).with_context(named),
    };
    let token = text.trim();
    let is_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    anyhow::ensure!(
        token.len() >= MIN_CHARS && token.chars().all(is_token),
        "{}: expected a token of at least {MIN_CHARS} letters and digits\n  remove the file to create a new token",
        named()
    );
    Ok(token.to_owned())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The remedy if a socket cannot be created.
const ANOTHER_SOCKET: &str = "choose another path with --listen unix:PATH";

fn bind(path: &Path) -> anyhow::Result<socket::Listener> {
    if path.as_os_str().len() > socket::MAX_PATH_BYTES {
        anyhow::bail!(
            "{} is too long for a socket path (at most {} bytes)\n  choose a shorter path with --listen unix:PATH",
            path.display(),
            socket::MAX_PATH_BYTES
        );
    }
    match std::fs::symlink_metadata(path) {
        Ok(found) if !socket::is_socket(found.file_type()) => {
            let path = path.display();
            anyhow::bail!(
                "cannot listen on {path}: not a socket\n  remove it, or {ANOTHER_SOCKET}"
            );
        }
        Ok(_) if socket::is_served(path) => {
            let path = path.display();
            anyhow::bail!("another program is listening on {path}\n  stop it, or {ANOTHER_SOCKET}");
        }
        // An engine that was killed leaves its socket.
        Ok(_) => std::fs::remove_file(path)
            .with_context(|| format!("cannot remove {}; {ANOTHER_SOCKET}", path.display()))?,
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => {
            return Err(error)
                .with_context(|| format!("cannot inspect {}; {ANOTHER_SOCKET}", path.display()));
        }
    }
    socket::bind(path)
        .with_context(|| format!("cannot listen on {}; {ANOTHER_SOCKET}", path.display()))
}

fn bind_loopback(address: SocketAddr) -> anyhow::Result<TcpListener> {
    let bound = std::net::TcpListener::bind(address).and_then(|listener| {
        listener.set_nonblocking(true)?;
        TcpListener::from_std(listener)
    });
    bound.with_context(|| {
        format!("cannot listen on ws://{address}; use port 0 to let the system choose a free one")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_testing::files;

    #[test]
    fn a_token_is_kept_in_a_file_that_only_the_user_reads() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let token = kept_token(&path).unwrap();
        assert_eq!(kept_token(&path).unwrap(), token);
        assert_eq!(files::mode(&path), 0o600);
        files::set_mode(&path, 0o644);
        assert!(kept_token(&path).unwrap_err().to_string().contains("chmod 600"));
        files::set_mode(&path, 0o600);
        for (text, is_token) in [
            ("0123456789abcdef0123456789abcdef\n", true),
            ("0123456789abcdef", false),
            ("", false),
            ("0123456789abcdef 0123456789abcdef", false),
        ] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(kept_token(&path).is_ok(), is_token, "{text:?}");
        }
    }
}
