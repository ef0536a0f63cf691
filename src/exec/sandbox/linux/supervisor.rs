//! The engine's end of the supervisor: starts it, asks it for commands, and learns of their ends.
#![expect(clippy::disallowed_methods, reason = "the supervisor is a process")]

use super::helper::{ARGUMENT, NO_NAMESPACES};
use super::proxy::{self, Proxy};
use super::watch::{self, Kept};
use super::wire::{self, Failure, Frame, Kind, Request, Watched};
use super::{Confinement, Grade, Level, Names, Network, Order, RefusedHost};
use crate::write_log::WriteLog;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socketpair};
use nix::unistd::Pid;
use pintle_os::family::{self, Leader};
use pintle_os::names;
use pintle_os::pipe::BorrowedEnd;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncWriteExt, Interest};
use tokio::net::UnixStream;

/// How long the supervisor may take to end the remaining processes when it is no longer needed.
const END_TIMEOUT: Duration = Duration::from_secs(2);

/// The interval between two checks whether it has ended.
const LOOK: Duration = Duration::from_millis(1);

/// Supervises an environment's commands; started with the first one.
///
/// Dropping it ends all of its commands.
#[derive(Debug)]
pub(crate) struct Supervisor {
    program: PathBuf,
    /// Arguments behind [`ARGUMENT`].
    arguments: Vec<&'static str>,
    process: Mutex<Option<Process>>,
    /// Commands that ended by themselves and may have left background processes, by mark.
    left: Mutex<Vec<(String, Guarded)>>,
}

#[derive(Debug)]
struct Process {
    control: OwnedFd,
    child: Child,
}

/// The steps whose system error is the command's error.
const EXECUTE: [&str; 2] = ["execute", "enter the directory"];

/// Why a command could not be confined; inside an [`io::Error`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{step}: {message}")]
struct NotConfined {
    step: String,
    message: String,
}

/// Returns why a command could not be confined, if that is why it did not start.
pub(crate) fn not_confined(error: &io::Error) -> Option<String> {
    error.get_ref()?.downcast_ref::<NotConfined>().map(ToString::to_string)
}

impl Supervisor {
    /// `program` is this program: it becomes the supervisor with [`ARGUMENT`]. On Linux, `/proc/self/exe` is it also after
    /// an update has replaced the file.
    ///
    /// `without_namespaces` makes no namespaces, as on a kernel that denies them.
    #[expect(clippy::unnecessary_wraps, reason = "other systems have none")]
    pub(crate) fn new(program: &Path, without_namespaces: bool) -> Option<Self> {
        Some(Self {
            program: program.to_path_buf(),
            arguments: if without_namespaces { vec![NO_NAMESPACES] } else { Vec::new() },
            process: Mutex::default(),
            left: Mutex::default(),
        })
    }

    /// Starts a command. The streams are stdin, stdout and stderr.
    pub(crate) async fn start(
        &self,
        order: Order<'_>,
        streams: [BorrowedEnd<'_>; 3],
    ) -> io::Result<Guarded> {
        let request = Request {
            argv: order.argv.to_vec(),
            cwd: order.cwd.map(|cwd| names::bytes(cwd.as_os_str()).to_vec()),
            variables: order.variables,
            confinement: order.confinement.cloned(),
            ..Request::default()
        };
        self.spawn(request, streams, order.writes, order.programs).await
    }

    /// Returns the level enforced for a confined command on this machine, determined by confining a process.
    async fn level(&self) -> Level {
        // Most machines enforce all of it. Otherwise, the supervisor finds out which part of it fails.
        let level = match self.tried(Kind::Probe).await {
            Ok(level) => Ok(level),
            Err(_) => self.tried(Kind::Confined).await,
        };
        level.unwrap_or_else(|error| Level {
            namespaces_failed: Some(error.to_string()),
            ..Level::default()
        })
    }

    /// Confines a process that runs nothing.
    async fn tried(&self, kind: Kind) -> io::Result<Level> {
        let confinement = Confinement { minimum: Grade::None, ..Confinement::default() };
        let watched = Watched { files: true, ..Watched::default() };
        let request = Request { confinement: Some(confinement), watched, ..Request::default() };
        let null = std::fs::File::options().read(true).write(true).open("/dev/null")?;
        let streams = [null.as_fd(); 3];
        let mut tried = self.spawn_as(kind, request, streams, None, Names::default()).await?;
        while tried.level.is_none() && tried.next().await?.is_none() {}
        Ok(tried.level.take().unwrap_or_default())
    }

    /// Starts a command. The streams are stdin, stdout and stderr. An unconfined command starts none of the programs that `names` denies.
    async fn spawn(
        &self,
        request: Request,
        streams: [BorrowedFd<'_>; 3],
        log: Option<WriteLog>,
        names: Names,
    ) -> io::Result<Guarded> {
        let kind = match request.confinement.as_ref().map(|confinement| &confinement.network) {
            None => Kind::Plain,
            Some(Network::Open) => Kind::Networked,
            Some(Network::None | Network::Hosts(_)) => Kind::Confined,
        };
        self.spawn_as(kind, request, streams, log, names).await
    }

    async fn spawn_as(
        &self,
        kind: Kind,
        mut request: Request,
        streams: [BorrowedFd<'_>; 3],
        log: Option<WriteLog>,
        names: Names,
    ) -> io::Result<Guarded> {
        let hosts = match request.confinement.as_ref().map(|confinement| &confinement.network) {
            Some(Network::Hosts(hosts)) => Some(hosts.clone()),
            Some(Network::Open | Network::None) | None => None,
        };
        if hosts.is_some() {
            request.credential = proxy::credential()?;
        }
        let names = match &request.confinement {
            Some(limits) => limits.names.clone(),
            None => names,
        };
        let changes =
            request.confinement.as_ref().is_some_and(|limits| !limits.writable.is_empty());
        let is_logged = log.is_some() && kind != Kind::Plain;
        request.watched.files |= is_logged || (changes && !names.is_empty());
        request.watched.programs = names.judges_programs();
        // On the machine's network, one table lists the command's sockets together with all others.
        request.watched.sockets = kind == Kind::Confined && !names.is_empty();
        let programs = if request.watched.programs {
            let path = request.variables.iter().find(|(name, _)| name == "PATH");
            watch::DeniedFiles::find(&names.denied_names(), path.map_or("", |(_, path)| path))
        } else {
            watch::DeniedFiles::default()
        };
        let (mine, theirs) = std::os::unix::net::UnixStream::pair()?;
        mine.set_nonblocking(true)?;
        let [stdin, stdout, stderr] = streams;
        self.ask(kind, [theirs.as_fd(), stdin, stdout, stderr])?;
        drop(theirs);
        let mut guarded = Guarded {
            connection: UnixStream::from_std(mine)?,
            buffer: Vec::new(),
            pid: Pid::from_raw(0),
            level: None,
            ended: 0,
            early: None,
            descriptors: Vec::new(),
            listening: None,
            watcher: Some(watch::Watcher {
                log: log.filter(|_| request.watched.files),
                names,
                keeps_files: changes,
                programs,
                kept: Kept::default(),
            }),
            kept: Kept::default(),
            proxy: None,
        };
        guarded.connection.write_all(&wire::encode(&request)?).await?;
        // The proxy and the change reports come with the level. A command needs both at once, and may run without a caller that waits for
        // its end.
        let (is_confined, is_watched) = (kind != Kind::Plain, request.watched.any());
        let waits = |guarded: &Guarded| {
            if is_confined {
                (hosts.is_some() || is_watched) && guarded.level.is_none()
            } else {
                is_watched && guarded.watcher.is_some()
            }
        };
        while guarded.pid.as_raw() == 0 || waits(&guarded) {
            // On a busy machine a command may end before the supervisor reports its process id.
            let ended = guarded.next().await?;
            guarded.early = guarded.early.or(ended);
        }
        let listening = guarded.listening.take();
        if let (Some(listening), Some(hosts)) = (listening, hosts) {
            guarded.proxy = Some(Proxy::start(listening, hosts, &request.credential)?);
        }
        Ok(guarded)
    }

    /// Sends the packet that asks for a command, to a new supervisor if the old one is gone.
    fn ask(&self, kind: Kind, descriptors: wire::Descriptors<BorrowedFd<'_>>) -> io::Result<()> {
        let mut process = lock(&self.process);
        if let Some(Process { control, .. }) = &*process
            && wire::ask(control, kind, descriptors).is_ok()
        {
            return Ok(());
        }
        let started = Process::start(&self.program, &self.arguments)?;
        let asked = wire::ask(&started.control, kind, descriptors);
        *process = Some(started);
        asked
    }

    /// Keeps a finished command and its background processes until its mark is released.
    pub(crate) fn retain(&self, mark: String, guarded: Guarded) {
        let mut left = lock(&self.left);
        left.retain_mut(|(_, guarded)| !guarded.is_over());
        left.push((mark, guarded));
    }

    /// Ends what commands left whose mark begins so. Blocking.
    pub(crate) fn release(&self, beginning: &str) {
        let is_released = |(mark, _): &mut (String, Guarded)| mark.starts_with(beginning);
        let released: Vec<_> = lock(&self.left).extract_if(.., is_released).collect();
        for (_, guarded) in released {
            family::end_below(guarded.pid);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the level enforced for a confined command on this machine. `program` is this program.
pub async fn probe(program: &Path) -> Level {
    let Some(supervisor) = Supervisor::new(program, false) else { return Level::default() };
    let level = supervisor.level().await;
    // The supervisor takes a moment to end, and the caller need not wait for it.
    drop(tokio::task::spawn_blocking(move || drop(supervisor)));
    level
}

impl Process {
    fn start(program: &Path, arguments: &[&str]) -> io::Result<Self> {
        let (control, theirs) =
            socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC)?;
        let child = Command::new(program)
            .arg0("pintle")
            .arg(ARGUMENT)
            .args(arguments)
            .env_clear()
            .current_dir("/")
            .stdin(theirs)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| cannot_start(program, &error))?;
        Ok(Self { control, child })
    }
}

/// Names the program that could not be started, which is not the command's.
fn cannot_start(program: &Path, error: &io::Error) -> io::Error {
    let reason = if program.starts_with("/proc") && !Path::new("/proc/self").exists() {
        "/proc is not mounted".to_owned()
    } else {
        error.to_string()
    };
    io::Error::other(format!(
        "commands are started by pintle itself, as {}: {reason}",
        names::shown(program)
    ))
}

impl Drop for Process {
    fn drop(&mut self) {
        // The supervisor exits when its input ends.
        let _ = nix::sys::socket::shutdown(
            std::os::fd::AsRawFd::as_raw_fd(&self.control),
            nix::sys::socket::Shutdown::Both,
        );
        let mut waited = Duration::ZERO;
        while waited < END_TIMEOUT && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(LOOK);
            waited += LOOK;
        }
    }
}

/// A command of the supervisor's. Dropping it kills its keeper, and with that its shell; in namespaces that ends all others, too.
#[derive(Debug)]
pub(crate) struct Guarded {
    connection: UnixStream,
    /// Messages received in part.
    buffer: Vec<u8>,
    pid: Pid,
    level: Option<Level>,
    /// The number of ends that were reported: that of the shell, then that of its keeper.
    ended: u32,
    /// The wait status, if it came before the number.
    early: Option<i32>,
    /// Descriptors that came with a message, until it is read.
    descriptors: Vec<OwnedFd>,
    /// The descriptors for the proxy, until it has them.
    listening: Option<wire::Listening<OwnedFd>>,
    /// Receives the kernel's reports, from then on.
    watcher: Option<watch::Watcher>,
    /// The files protected from the command.
    kept: Kept,
    /// The proxy to the hosts that the command may reach.
    proxy: Option<Proxy>,
}

impl Guarded {
    /// Returns the keeper's process id, the ancestor of all the command's processes. The id is not reused while this value lives.
    pub(crate) fn leader(&self) -> Leader {
        self.pid
    }

    /// Returns the enforced level; `None` before the shell was executed.
    pub(crate) fn level(&self) -> Option<&Level> {
        self.level.as_ref()
    }

    /// Returns the hosts that it was refused.
    pub(crate) fn refused(&self) -> Vec<RefusedHost> {
        self.proxy.as_ref().map(Proxy::refused).unwrap_or_default()
    }

    /// Returns the files that it was kept from changing because of their names.
    pub(crate) fn kept(&self) -> Vec<PathBuf> {
        self.kept.paths()
    }

    /// Returns the programs that it was kept from starting, with their arguments.
    pub(crate) fn denied_programs(&self) -> Vec<String> {
        self.kept.programs()
    }

    /// Waits until the process ends. Cancel-safe.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.early.take() {
            return Ok(ExitStatus::from_raw(status));
        }
        loop {
            if let Some(status) = self.next().await? {
                return Ok(ExitStatus::from_raw(status));
            }
        }
    }

    /// Takes the next message; returns the wait status if it is the end. Cancel-safe.
    async fn next(&mut self) -> io::Result<Option<i32>> {
        loop {
            if let Some(frame) = wire::decode(&mut self.buffer)? {
                return self.take(frame);
            }
            let Self { connection, buffer, descriptors, .. } = self;
            let read = connection
                .async_io(Interest::READABLE, || wire::read_with(connection.as_fd(), buffer))
                .await;
            match read {
                Ok((1.., received)) => descriptors.extend(received),
                Ok((0, _)) | Err(_) => {
                    return Err(io::Error::other("the command supervisor was killed"));
                }
            }
        }
    }

    fn take(&mut self, frame: Frame) -> io::Result<Option<i32>> {
        match frame {
            Frame::Pid(pid) => self.pid = Pid::from_raw(pid),
            Frame::Listening => {
                self.listening = std::mem::take(&mut self.descriptors).try_into().ok();
            }
            Frame::Level(level) => {
                self.level = Some(level);
                self.watch()?;
            }
            Frame::Watched => self.watch()?,
            Frame::Failed(Failure { step, errno, message }) => {
                return Err(match errno.filter(|_| EXECUTE.contains(&step.as_str())) {
                    Some(errno) => io::Error::from_raw_os_error(errno),
                    None => io::Error::other(NotConfined { step, message }),
                });
            }
            Frame::Ended(status) => {
                self.ended += 1;
                return Ok(Some(status));
            }
        }
        Ok(None)
    }

    /// Starts receiving the kernel's reports, if a descriptor for them has arrived.
    fn watch(&mut self) -> io::Result<()> {
        if let (Some(watcher), Some(listener)) = (self.watcher.take(), self.descriptors.pop()) {
            self.kept = watcher.kept.clone();
            watcher.start(listener)?;
        }
        Ok(())
    }

    /// Returns true once no process of the command is left. Does not wait.
    fn is_over(&mut self) -> bool {
        const ENDS: u32 = 2;
        loop {
            match wire::decode::<Frame>(&mut self.buffer) {
                Ok(Some(frame)) => drop(self.take(frame)),
                Ok(None) => match self.connection.try_read_buf(&mut self.buffer) {
                    Ok(0) => return true,
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        return self.ended >= ENDS;
                    }
                    Err(_) => return true,
                },
                Err(_) => return true,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_supervisor_that_cannot_be_started_is_named() {
        let program = Path::new("/no/such/pintle");
        let error = Process::start(program, &[]).map(drop).unwrap_err();
        let want = "commands are started by pintle itself, as /no/such/pintle: No such file or directory (os error 2)";
        assert_eq!(error.to_string(), want);
    }
}
