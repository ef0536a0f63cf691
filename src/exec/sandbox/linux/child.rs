//! The forked child of the supervisor, which becomes the shell's parent.
//!
//! It becomes the command's keeper: it forks the shell, reports its end and stays until the last process below it has ended. It adopts
//! orphans, so every process that the command starts stays below it, in any session and with any variables. With namespaces it is their
//! first process and creates the mounts; when it ends, the kernel ends all others inside. The shell's process confines itself further and
//! then executes the program.

use super::wire::{Failure, Frame, Kind, Request};
use super::{Confinement, Level, Network, filters, mounts, namespaces, proxy, rules, watch, wire};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal};
use nix::sys::wait::{WaitStatus, wait};
use nix::unistd::{ForkResult, Gid, Pid, Uid};
use std::ffi::{CString, OsStr};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The supervisor's input for the child.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start<'a> {
    pub(super) kind: Kind,
    pub(super) connection: &'a OwnedFd,
    pub(super) streams: [&'a OwnedFd; 3],
    /// Hangs up when the supervisor is gone.
    pub(super) life: &'a OwnedFd,
    /// The supervisor's process, user and group, outside.
    pub(super) supervisor: u32,
    pub(super) user: Uid,
    pub(super) group: Gid,
    /// The signals that were blocked before the supervisor blocked its own.
    pub(super) signals: SigSet,
    /// `None` if nothing is confined.
    pub(super) programs: Option<&'a filters::Programs>,
    /// The step at which making namespaces failed, if they were wanted.
    pub(super) namespaces_failed: Option<&'a str>,
}

/// The exit code of a command that was not started. It is not shown: the reason has been sent.
const NOT_STARTED: i32 = 127;

/// The maximum size of the reason why namespaces cannot be made.
const MAX_REASON_BYTES: u64 = 1024;

/// Becomes the command.
pub(super) fn run(start: &Start<'_>) -> ! {
    let failure = match begin(start) {
        Ok(never) => match never {},
        Err(failure) => failure,
    };
    let _ = wire::send(start.connection, &Frame::Failed(failure));
    namespaces::exit(NOT_STARTED)
}

fn begin(start: &Start<'_>) -> Result<std::convert::Infallible, Failure> {
    let kept = [start.connection, start.life].into_iter().chain(start.streams);
    namespaces::close_all_but(kept.map(AsRawFd::as_raw_fd).collect());
    if has_namespaces(start) {
        namespaces::map_ids(start.user, start.group)?;
    }
    end_with_parent(Some(start.life))?;
    go_on(start)
}

fn has_namespaces(start: &Start<'_>) -> bool {
    start.kind != Kind::Plain && start.namespaces_failed.is_none()
}

/// Waits to become a command. A process for confined commands waits in separate namespaces: creating these takes longer than everything
/// else. Exits if no command comes.
pub(super) fn wait_in_reserve(start: &Start<'_>, reserve: &OwnedFd) -> ! {
    namespaces::close_all_but(vec![reserve.as_raw_fd(), start.life.as_raw_fd()]);
    let has_ids =
        if has_namespaces(start) { namespaces::map_ids(start.user, start.group) } else { Ok(()) };
    let is_ready = has_ids.and_then(|()| end_with_parent(Some(start.life)));
    let asked = is_ready.is_ok().then(|| wire::asked(reserve).ok().flatten()).flatten();
    let Some((_, [connection, stdin, stdout, stderr])) = asked else {
        namespaces::exit(NOT_STARTED)
    };
    let streams = [&stdin, &stdout, &stderr];
    let start = Start { connection: &connection, streams, ..*start };
    let failure = match go_on(&start) {
        Ok(never) => match never {},
        Err(failure) => failure,
    };
    let _ = wire::send(&connection, &Frame::Failed(failure));
    namespaces::exit(NOT_STARTED)
}

/// Reads the command, and becomes it.
fn go_on(start: &Start<'_>) -> Result<std::convert::Infallible, Failure> {
    let has_namespaces = has_namespaces(start);
    let mut request =
        wire::receive(start.connection).map_err(|error| Failure::new("read the request", error))?;
    if let Some(confinement) = &mut request.confinement {
        confinement.resolve();
    }
    let mut presence = None;
    if let (true, Some(confinement)) = (has_namespaces, &request.confinement) {
        mounts::make(confinement, start.supervisor)?;
        if matches!(start.kind, Kind::Confined | Kind::Probe) {
            namespaces::start_loopback()?;
        }
        if let Network::Hosts(hosts) = &confinement.network {
            let (port, writer) = listen(start.connection)?;
            presence = Some(writer);
            let found = proxy::variables(port, &request.credential, hosts);
            request.variables.retain(|(name, _)| !found.iter().any(|(found, _)| name == found));
            request.variables.extend(found);
        }
    } else {
        nix::sys::prctl::set_child_subreaper(true)
            .map_err(|error| Failure::new("adopt orphans", error))?;
    }
    // The keeper has a separate group, so that a signal for the shell's group does not reach it.
    let _ = nix::unistd::setsid();
    match namespaces::fork(Kind::Plain).map_err(|error| Failure::new("fork", error))? {
        ForkResult::Parent { child } => stay(start, child, presence.as_ref()),
        ForkResult::Child => end_with_parent(None)?,
    }
    execute(start, &request, has_namespaces)
}

/// Creates the socket on which the engine's proxy listens in this network, and hands it over. Returns its port, and the end of a pipe that
/// is open as long as the proxy is needed.
fn listen(connection: &OwnedFd) -> Result<(u16, OwnedFd), Failure> {
    let listening = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| {
        let (reader, writer) = std::io::pipe()?;
        wire::send_with(connection, &Frame::Listening, &[listener.as_fd(), reader.as_fd()])?;
        Ok((listener.local_addr()?.port(), writer.into()))
    });
    listening.map_err(|error| Failure::new("listen for the proxy", error))
}

/// Makes the kernel end this process with its parent. `life` shows whether the parent has already ended.
fn end_with_parent(life: Option<&OwnedFd>) -> Result<(), Failure> {
    let failed = |error: Errno| Failure::new("follow the supervisor", error);
    nix::sys::prctl::set_pdeathsig(Signal::SIGKILL).map_err(failed)?;
    let Some(life) = life else { return Ok(()) };
    let mut descriptors = [PollFd::new(life.as_fd(), PollFlags::empty())];
    if poll(&mut descriptors, PollTimeout::ZERO).map_err(failed)? > 0 {
        namespaces::exit(NOT_STARTED);
    }
    Ok(())
}

/// Waits until all processes below have ended, and keeps a descriptor open until then.
fn stay(start: &Start<'_>, shell: Pid, presence: Option<&OwnedFd>) -> ! {
    let kept = [start.connection].into_iter().chain(presence);
    namespaces::close_all_but(kept.map(AsRawFd::as_raw_fd).collect());
    loop {
        match wait() {
            Ok(status @ (WaitStatus::Exited(pid, _) | WaitStatus::Signaled(pid, ..)))
                if pid == shell =>
            {
                if let Some(status) = wire::raw_status(status) {
                    let _ = wire::send(start.connection, &Frame::Ended(status));
                }
            }
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => namespaces::exit(0),
        }
    }
}

/// Applies the remaining confinement to this process, and executes the program.
fn execute(
    start: &Start<'_>,
    request: &Request,
    has_namespaces: bool,
) -> Result<std::convert::Infallible, Failure> {
    let _ = nix::unistd::setsid();
    if let Some(cwd) = &request.cwd {
        let cwd = Path::new(OsStr::from_bytes(cwd));
        nix::unistd::chdir(cwd).map_err(|error| Failure::new("enter the directory", error))?;
    }
    let [stdin, stdout, stderr] = start.streams;
    let placed = nix::unistd::dup2_stdin(stdin)
        .and_then(|()| nix::unistd::dup2_stdout(stdout))
        .and_then(|()| nix::unistd::dup2_stderr(stderr));
    placed.map_err(|error| Failure::new("redirect the standard streams", error))?;
    pintle_os::pty::take_over_stdin();

    // The program is looked for and its arguments are made before anything is denied.
    let strings = |texts: &mut dyn Iterator<Item = String>| -> Result<Vec<CString>, Failure> {
        let strings = texts.map(CString::new).collect::<Result<_, _>>();
        strings.map_err(|error| Failure::new("execute", std::io::Error::from(error)))
    };
    let arguments = strings(&mut request.argv.iter().cloned())?;
    let hidden = if request.confinement.is_some() { &OTHERS_SOCKETS[..] } else { &[] };
    let variables = request.variables.iter().filter(|(name, _)| !hidden.contains(&name.as_str()));
    let temporary = temporary(request.confinement.as_ref(), has_namespaces);
    let mut variables = strings(&mut variables.map(|(name, value)| match &temporary {
        Some(temporary) if name == "TMPDIR" => format!("TMPDIR={temporary}"),
        _ => format!("{name}={value}"),
    }))?;
    if let Some(temporary) = temporary
        && !variables.iter().any(|variable| variable.as_bytes().starts_with(b"TMPDIR="))
    {
        variables.extend(strings(&mut [format!("TMPDIR={temporary}")].into_iter())?);
    }

    if let Some(confinement) = &request.confinement {
        let mut level = confine(start, confinement, has_namespaces)?;
        let listener = start
            .programs
            .filter(|_| request.watched.any())
            .and_then(|programs| programs.watch(request.watched));
        level.is_unwatched = request.watched.files && listener.is_none();
        if level.grade() < confinement.minimum && !request.argv.is_empty() {
            return Err(Failure {
                step: "the sandbox".to_owned(),
                errno: None,
                message: format!("the level is {}", level.summary()),
            });
        }
        let descriptors: Vec<_> = listener.iter().map(AsFd::as_fd).collect();
        wire::send_with(start.connection, &Frame::Level(level), &descriptors)
            .map_err(|error| Failure::new("send the sandbox level", error))?;
    }
    if request.confinement.is_none() && request.watched.any() {
        let listener = watch::compile(request.watched).and_then(|program| watch_free(&program));
        let descriptors: Vec<_> = listener.iter().map(AsFd::as_fd).collect();
        wire::send_with(start.connection, &Frame::Watched, &descriptors)
            .map_err(|error| Failure::new("report the programs", error))?;
    }
    let Some(program) = arguments.first() else { namespaces::exit(0) };
    as_before(&start.signals)?;
    let error = match nix::unistd::execvpe(program, &arguments, &variables) {
        Ok(never) => return Ok(never),
        Err(error) => error,
    };
    Err(Failure::new("execute", error))
}

/// Reports calls of a command that is not confined. Without the rights of root the kernel demands that it can get none.
fn watch_free(program: &[nix::libc::sock_filter]) -> Option<OwnedFd> {
    watch::install(program).or_else(|| {
        nix::sys::prctl::set_no_new_privs().ok()?;
        watch::install(program)
    })
}

/// Variables that point to other programs' sockets.
const OTHERS_SOCKETS: [&str; 8] = [
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "GPG_AGENT_INFO",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "DOCKER_HOST",
    "WAYLAND_DISPLAY",
    "DISPLAY",
];

/// Returns the temporary directory, if it differs from the one outside.
fn temporary(confinement: Option<&Confinement>, has_namespaces: bool) -> Option<String> {
    let confinement = confinement?;
    if has_namespaces {
        return Some("/tmp".to_owned());
    }
    confinement.temporary.folder().map(|path| path.to_string_lossy().into_owned())
}

fn confine(
    start: &Start<'_>,
    confinement: &Confinement,
    has_namespaces: bool,
) -> Result<Level, Failure> {
    let inet = match (&confinement.network, has_namespaces) {
        (Network::Open, _) | (Network::None | Network::Hosts(_), true) => filters::Inet::Allowed,
        (Network::None | Network::Hosts(_), false) => filters::Inet::Denied,
    };
    limit(confinement, has_namespaces)?;
    namespaces::drop_capabilities()?;
    let landlock = rules::abi();
    if landlock > 0 {
        rules::restrict(confinement, has_namespaces)?;
    }
    if let Some(programs) = start.programs {
        programs.install(inet)?;
    }
    Ok(Level {
        landlock,
        seccomp: start.programs.is_some(),
        namespaces: has_namespaces,
        namespaces_failed: start.namespaces_failed.map(str::to_owned),
        ..Level::default()
    })
}

fn limit(confinement: &Confinement, has_namespaces: bool) -> Result<(), Failure> {
    let limits = &confinement.limits;
    // Outside a namespace the kernel counts all processes of the user.
    let processes = limits.processes.filter(|_| has_namespaces);
    for (resource, limit) in [
        (Resource::RLIMIT_NPROC, processes),
        (Resource::RLIMIT_FSIZE, limits.file_bytes),
        (Resource::RLIMIT_AS, limits.memory_bytes),
        (Resource::RLIMIT_CPU, limits.cpu_seconds),
        (Resource::RLIMIT_CORE, Some(0)),
    ] {
        let Some(limit) = limit else { continue };
        // One that is already lower stays.
        let (_, hard) = nix::sys::resource::getrlimit(resource).unwrap_or((limit, limit));
        let limit = limit.min(hard);
        setrlimit(resource, limit, limit).map_err(|error| Failure::new("set a limit", error))?;
    }
    Ok(())
}

/// Gives signals back the meaning that they had when the engine was started.
#[expect(unsafe_code, reason = "signal handling between fork and exec")]
fn as_before(blocked: &SigSet) -> Result<(), Failure> {
    let failed = |error: Errno| Failure::new("reset signals", error);
    let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    // Safety: no handler is installed.
    unsafe { nix::sys::signal::sigaction(Signal::SIGPIPE, &default) }.map_err(failed)?;
    blocked.thread_set_mask().map_err(failed)
}

/// Creates a confined command's namespaces in a separate process. Returns the step that failed.
pub(super) fn try_namespaces() -> Result<(), String> {
    let words = |failure: Failure| format!("{}: {}", failure.step, failure.message);
    let (user, group) = (nix::unistd::geteuid(), nix::unistd::getegid());
    let supervisor = std::process::id();
    let (reader, writer) = std::io::pipe().map_err(|error| words(Failure::new("pipe", error)))?;
    let forked = namespaces::fork(Kind::Confined);
    match forked.map_err(|error| words(Failure::new("clone", error)))? {
        ForkResult::Child => {
            drop(reader);
            let made = namespaces::map_ids(user, group)
                .and_then(|()| mounts::make(&Confinement::default(), supervisor))
                .and_then(|()| namespaces::start_loopback());
            if let Err(failure) = made {
                let _ = (&writer).write_all(words(failure).as_bytes());
            }
            namespaces::exit(0)
        }
        ForkResult::Parent { child } => {
            drop(writer);
            let mut said = String::new();
            let read = (&reader).take(MAX_REASON_BYTES).read_to_string(&mut said);
            let _ = nix::sys::wait::waitpid(child, None);
            match (read, said.is_empty()) {
                (Ok(_), true) => Ok(()),
                (Ok(_), false) => Err(said),
                (Err(error), _) => Err(error.to_string()),
            }
        }
    }
}
