//! The supervisor's process: forks commands, reports their ends, and ends all of them when the engine is gone.
//!
//! It is the nearest ancestor that adopts orphans, so every process that a command starts stays below it, in any session and with any
//! variables. It has one thread, none of the engine's memory, and no access to its files.

use super::child::{self, Start};
use super::filters::Programs;
use super::namespaces;
use super::wire::{self, Frame, Kind};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socketpair};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::{ForkResult, Pid};
use pintle_os::family;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

/// The argument with which the program becomes a supervisor.
pub(super) const ARGUMENT: &str = "sandbox-exec";

/// The argument behind it with which it makes no namespaces.
pub(super) const NO_NAMESPACES: &str = "--without-namespaces";

/// The pause between two rounds of ending processes: the kernel needs a moment to take them down.
const ROUND: Duration = Duration::from_millis(1);

/// A command.
#[derive(Debug)]
struct Guarded {
    pid: Pid,
    /// None once the engine has closed its end.
    connection: Option<OwnedFd>,
    has_ended: bool,
}

/// A process that waits to become the next command of its kind.
#[derive(Debug)]
struct Reserve {
    kind: Kind,
    pid: Pid,
    /// The socket on which the process receives its command.
    socket: OwnedFd,
}

#[derive(Debug)]
struct Helper {
    control: OwnedFd,
    /// Commands have the first end; its hang-up signals that the supervisor, which has the second end, is gone.
    life: (OwnedFd, OwnedFd),
    signals: SigSet,
    guarded: Vec<Guarded>,
    /// At most one of each kind.
    reserves: Vec<Reserve>,
    /// The kinds of which a reserve is made when a command ends, so that it takes no time from one that runs.
    wanted: Vec<Kind>,
    /// `None` until a command is to be confined, or if the programs cannot be compiled.
    programs: Option<Programs>,
    /// The result of creating namespaces: the step that failed. `None` until the first attempt.
    namespaces: Option<Result<(), String>>,
}

/// If the program's first argument is `sandbox-exec`, supervises commands and returns the exit code.
pub fn become_supervisor(arguments: impl IntoIterator<Item = OsString>) -> Option<u8> {
    let mut arguments = arguments.into_iter();
    let is_wanted = arguments.next().is_some_and(|argument| argument == ARGUMENT);
    is_wanted.then(|| run(arguments))
}

/// Guards the commands of the engine at the other end of stdin, until it is gone. Takes the arguments behind [`ARGUMENT`]; returns the exit
/// code.
fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let is_denied = arguments.into_iter().any(|argument| argument == NO_NAMESPACES);
    let denied = is_denied.then(|| Err("not wanted".to_owned()));
    match Helper::start(denied).and_then(Helper::work) {
        Ok(()) => 0,
        Err(_) => 1,
    }
}

impl Helper {
    fn start(namespaces: Option<Result<(), String>>) -> io::Result<Self> {
        // A signal for the engine's group, such as that of a terminal, does not reach the supervisor.
        let _ = nix::unistd::setsid();
        nix::sys::prctl::set_child_subreaper(true)?;
        // The process was started through a `/proc` link, whose name is meaningless in a process list.
        let _ = nix::sys::prctl::set_name(c"pintle");
        namespaces::close_all_but(Vec::new());
        let control = io::stdin().as_fd().try_clone_to_owned()?;
        // Commands must not find the control socket.
        nix::unistd::dup2_stdin(io::stdout())?;
        let mut own = SigSet::empty();
        own.extend([Signal::SIGCHLD, Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP]);
        let signals = own.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        let life = nix::unistd::pipe2(nix::fcntl::OFlag::O_CLOEXEC)?;
        Ok(Self {
            control,
            life,
            signals,
            guarded: Vec::new(),
            reserves: Vec::new(),
            wanted: Vec::new(),
            programs: None,
            namespaces,
        })
    }

    fn work(mut self) -> io::Result<()> {
        let mut child = SigSet::empty();
        child.add(Signal::SIGCHLD);
        let ended = SignalFd::with_flags(&child, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)?;
        loop {
            // A hang-up is always reported.
            let closed = PollFlags::empty();
            let open = self.guarded.iter().filter_map(|guarded| guarded.connection.as_ref());
            let mut descriptors: Vec<PollFd<'_>> =
                open.map(|connection| PollFd::new(connection.as_fd(), closed)).collect();
            descriptors.push(PollFd::new(ended.as_fd(), PollFlags::POLLIN));
            descriptors.push(PollFd::new(self.control.as_fd(), PollFlags::POLLIN));
            match poll(&mut descriptors, PollTimeout::NONE) {
                Err(Errno::EINTR) => continue,
                ready => drop(ready?),
            }
            let is_ready = |descriptor: &PollFd<'_>| descriptor.any().unwrap_or(true);
            let ready: Vec<bool> = descriptors.iter().map(is_ready).collect();
            let mut ready = ready.into_iter();
            for guarded in self.guarded.iter_mut().filter(|guarded| guarded.connection.is_some()) {
                if ready.next().unwrap_or(false) {
                    guarded.let_go();
                }
            }
            if ready.next().unwrap_or(false) {
                while let Ok(Some(_)) = ended.read_signal() {}
            }
            self.reap();
            if ready.next().unwrap_or(false) {
                // Nothing more is asked: the engine is gone.
                let Ok(Some((kind, [connection, streams @ ..]))) = wire::asked(&self.control)
                else {
                    self.end_all();
                    return Ok(());
                };
                self.begin(kind, connection, &streams);
            }
        }
    }

    /// Starts a command.
    fn begin(&mut self, kind: Kind, connection: OwnedFd, streams: &[OwnedFd; 3]) {
        let failed = match kind {
            Kind::Plain => None,
            Kind::Networked | Kind::Confined | Kind::Probe => {
                self.programs = self.programs.take().or_else(|| Programs::compile().ok());
                match (kind, &self.namespaces) {
                    (Kind::Probe, None) => None,
                    (_, _) => self.namespaces().err(),
                }
            }
        };
        let is_reserved = match kind {
            Kind::Plain => true,
            Kind::Confined => failed.is_none(),
            Kind::Networked | Kind::Probe => false,
        };
        let reserve = self.reserves.iter().position(|reserve| is_reserved && reserve.kind == kind);
        let begun = match reserve.map(|at| self.reserves.swap_remove(at)) {
            Some(Reserve { pid, socket, .. }) => {
                let [stdin, stdout, stderr] = streams.each_ref().map(AsFd::as_fd);
                let asked = wire::ask(&socket, kind, [connection.as_fd(), stdin, stdout, stderr]);
                asked.map(|()| pid)
            }
            None => Err(io::Error::from(io::ErrorKind::NotFound)),
        };
        let begun = begun.or_else(|_| {
            let start = self.start_of(kind, &connection, streams.each_ref(), failed.as_deref());
            let forked_as = if failed.is_some() { Kind::Plain } else { kind };
            match namespaces::fork(forked_as)? {
                ForkResult::Child => child::run(&start),
                ForkResult::Parent { child } => io::Result::Ok(child),
            }
        });
        match begun {
            Ok(pid) => {
                let _ = wire::send(&connection, &Frame::Pid(pid.as_raw()));
                let connection = Some(connection);
                self.guarded.push(Guarded { pid, connection, has_ended: false });
            }
            Err(error) => {
                let failure = wire::Failure::new("fork", error);
                let _ = wire::send(&connection, &Frame::Failed(failure));
            }
        }
        if is_reserved && !self.wanted.contains(&kind) {
            self.wanted.push(kind);
        }
    }

    fn start_of<'a>(
        &'a self,
        kind: Kind,
        connection: &'a OwnedFd,
        streams: [&'a OwnedFd; 3],
        namespaces_failed: Option<&'a str>,
    ) -> Start<'a> {
        Start {
            kind,
            connection,
            streams,
            life: &self.life.0,
            supervisor: std::process::id(),
            user: nix::unistd::geteuid(),
            group: nix::unistd::getegid(),
            signals: self.signals,
            programs: self.programs.as_ref(),
            namespaces_failed,
        }
    }

    /// Forks the process that becomes the next command of a kind.
    fn make_reserve(&self, kind: Kind) -> io::Result<Reserve> {
        let (socket, theirs) =
            socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC)?;
        let start = self.start_of(kind, &theirs, [&theirs; 3], None);
        match namespaces::fork(kind)? {
            ForkResult::Child => child::wait_in_reserve(&start, &theirs),
            ForkResult::Parent { child } => Ok(Reserve { kind, pid: child, socket }),
        }
    }

    /// Tries once, in a separate process, to create a confined command's namespaces.
    fn namespaces(&mut self) -> Result<(), String> {
        if let Some(known) = &self.namespaces {
            return known.clone();
        }
        let tried = child::try_namespaces();
        self.namespaces = Some(tried.clone());
        tried
    }

    /// Reports when commands end, and records all other ends.
    fn reap(&mut self) {
        let mut has_one_ended = false;
        for guarded in &mut self.guarded {
            has_one_ended |= guarded.report();
        }
        if has_one_ended {
            for kind in std::mem::take(&mut self.wanted) {
                if !self.reserves.iter().any(|reserve| reserve.kind == kind) {
                    self.reserves.extend(self.make_reserve(kind).ok());
                }
            }
        }
        self.guarded.retain(|guarded| !guarded.has_ended || guarded.connection.is_some());
        // Orphans that were adopted. The first process in the list may be a command whose end the engine has not yet taken
        // note of: its number stays taken until it has. Those behind it wait.
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        while let Ok(WaitStatus::Exited(pid, _) | WaitStatus::Signaled(pid, ..)) =
            waitid(Id::All, flags)
        {
            if self.guarded.iter().any(|guarded| guarded.pid == pid) {
                return;
            }
            let _ = waitid(Id::Pid(pid), WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG);
        }
    }

    /// Ends every process below this one, however it was started, once the engine is gone.
    fn end_all(mut self) {
        self.guarded.clear();
        self.reserves.clear();
        loop {
            let below = family::below(Pid::this());
            let mut is_hopeless = true;
            for pid in &below {
                // Those of another user, such as what `sudo` runs, cannot be ended.
                is_hopeless &= kill(*pid, Signal::SIGKILL) == Err(Errno::EPERM);
            }
            loop {
                match waitid(Id::All, WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG) {
                    Ok(WaitStatus::StillAlive) => break,
                    Err(Errno::ECHILD) => return,
                    Ok(_) | Err(_) => {}
                }
            }
            if is_hopeless && !below.is_empty() {
                return;
            }
            std::thread::sleep(ROUND);
        }
    }
}

impl Guarded {
    /// Handles the engine closing its end: it has seen the command's end, or wants none of its processes.
    fn let_go(&mut self) {
        self.connection = None;
        if self.has_ended {
            let _ = waitid(Id::Pid(self.pid), WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG);
        } else {
            let _ = kill(self.pid, Signal::SIGKILL);
        }
    }

    /// Tells the engine that the command has ended, and returns true, if it has just done so. Its number stays taken until the
    /// engine lets go.
    fn report(&mut self) -> bool {
        if self.has_ended {
            return false;
        }
        let keep = match self.connection {
            Some(_) => WaitPidFlag::WNOWAIT,
            None => WaitPidFlag::empty(),
        };
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | keep;
        let status = match waitid(Id::Pid(self.pid), flags) {
            Ok(WaitStatus::StillAlive) => return false,
            Ok(status) => wire::raw_status(status),
            Err(_) => None,
        };
        self.has_ended = true;
        if let (Some(connection), Some(status)) = (&self.connection, status) {
            let _ = wire::send(connection, &Frame::Ended(status));
        }
        true
    }
}
