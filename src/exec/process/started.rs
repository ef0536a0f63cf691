//! A started process: a child of this one, or of the supervisor.
#![expect(clippy::disallowed_methods, reason = "this is where processes are started")]

use super::{Family, Launch, Supervisor};
#[cfg(target_os = "linux")]
use crate::sandbox::{Guarded, NotConfined, Request};
use crate::sandbox::{Level, RefusedHost};
use nix::unistd::Pid;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use tokio::process::Child;

/// A started process. Dropping it kills it.
#[derive(Debug)]
pub(super) enum Started {
    /// A child of this process.
    Here(Child),
    /// A child of the supervisor.
    #[cfg(target_os = "linux")]
    Guarded(Guarded),
    /// A child of this process, confined by a profile.
    #[cfg(target_os = "macos")]
    Seatbelt(Child),
}

/// A program without a supervisor cannot confine.
const NO_SUPERVISOR: &str =
    "this library is embedded in a program that does not provide a supervisor executable";

impl Started {
    /// Starts a process with these streams: stdin, stdout and stderr.
    #[cfg_attr(
        not(target_os = "linux"),
        expect(clippy::unused_async, reason = "only a supervisor is waited for")
    )]
    pub(super) async fn new(launch: &Launch, streams: [BorrowedFd<'_>; 3]) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(supervisor) = &launch.supervisor {
            use std::os::unix::ffi::OsStrExt;
            let request = Request {
                argv: launch.argv.clone(),
                cwd: launch.cwd.as_ref().map(|cwd| cwd.as_os_str().as_bytes().to_vec()),
                variables: unique(launch.environment()),
                confinement: launch.confinement.as_deref().cloned(),
                ..Request::default()
            };
            let (log, programs) = (launch.writes.clone(), launch.programs.clone());
            return supervisor.spawn(request, streams, log, programs).await.map(Self::Guarded);
        }
        #[cfg(target_os = "macos")]
        if let Some(confinement) = &launch.confinement {
            return launch
                .confined(confinement.as_ref().clone())
                .spawn(streams)
                .map(Self::Seatbelt);
        }
        #[cfg(not(target_os = "macos"))]
        if launch.confinement.is_some() {
            return Err(io::Error::new(io::ErrorKind::Unsupported, NO_SUPERVISOR));
        }
        launch.spawn(streams).map(Self::Here)
    }

    /// Waits until the process ends. Cancel-safe.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        match self {
            Self::Here(child) => child.wait().await,
            #[cfg(target_os = "macos")]
            Self::Seatbelt(child) => child.wait().await,
            #[cfg(target_os = "linux")]
            Self::Guarded(guarded) => guarded.wait().await,
        }
    }

    /// Returns the command's processes, by its mark.
    pub(super) fn family(&self, mark: String) -> Family {
        match self {
            #[cfg(target_os = "macos")]
            Self::Seatbelt(child) => {
                let id = child.id().and_then(|id| i32::try_from(id).ok());
                Family::new(id.map(Pid::from_raw), mark)
            }
            Self::Here(child) => {
                let id = child.id().and_then(|id| i32::try_from(id).ok());
                Family::new(id.map(Pid::from_raw), mark)
            }
            #[cfg(target_os = "linux")]
            Self::Guarded(guarded) => {
                let mut family = Family::new(Some(guarded.pid()), mark);
                family.is_below(guarded.pid());
                family
            }
        }
    }

    /// Returns the enforced level, if the command is confined.
    pub(super) fn level(&self) -> Option<Level> {
        match self {
            Self::Here(_) => None,
            #[cfg(target_os = "macos")]
            Self::Seatbelt(_) => Some(Level { has_seatbelt: true, ..Level::default() }),
            #[cfg(target_os = "linux")]
            Self::Guarded(guarded) => guarded.level().cloned(),
        }
    }

    /// Returns the hosts that it was refused.
    pub(super) fn refused(&self) -> Vec<RefusedHost> {
        match self {
            Self::Here(_) => Vec::new(),
            #[cfg(target_os = "macos")]
            Self::Seatbelt(_) => Vec::new(),
            #[cfg(target_os = "linux")]
            Self::Guarded(guarded) => guarded.refused(),
        }
    }

    /// Returns the files that it was kept from changing because of their names.
    pub(super) fn kept(&self) -> Vec<PathBuf> {
        match self {
            Self::Here(_) => Vec::new(),
            #[cfg(target_os = "macos")]
            Self::Seatbelt(_) => Vec::new(),
            #[cfg(target_os = "linux")]
            Self::Guarded(guarded) => guarded.kept(),
        }
    }

    /// Returns the programs that it was kept from starting.
    pub(super) fn denied_programs(&self) -> Vec<String> {
        match self {
            Self::Here(_) => Vec::new(),
            #[cfg(target_os = "macos")]
            Self::Seatbelt(_) => Vec::new(),
            #[cfg(target_os = "linux")]
            Self::Guarded(guarded) => guarded.denied_programs(),
        }
    }

    /// Lets background processes of the command run on until its mark is released.
    #[cfg(target_os = "linux")]
    pub(super) fn retain(self, supervisor: &Supervisor, mark: String) {
        if let Self::Guarded(guarded) = self {
            supervisor.retain(mark, guarded);
        }
    }

    /// Does nothing: there is no supervisor.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn retain(self, supervisor: &Supervisor, _mark: String) {
        drop(self);
        match *supervisor {}
    }
}

impl Launch {
    /// Returns the same command, run through the program that applies its confinement profile.
    #[cfg(target_os = "macos")]
    fn confined(&self, mut confinement: crate::sandbox::Confinement) -> Self {
        use crate::sandbox::{SEATBELT, seatbelt_profile};
        confinement.resolve();
        let mut variables = self.variables.clone();
        if let Some(folder) = confinement.temporary.folder() {
            variables.push(("TMPDIR".to_owned(), folder.to_string_lossy().into_owned()));
        }
        let before = [SEATBELT.to_owned(), "-p".to_owned(), seatbelt_profile(&confinement)];
        Self {
            argv: before.into_iter().chain(self.argv.iter().cloned()).collect(),
            cwd: self.cwd.clone(),
            variables,
            mark: self.mark.clone(),
            temporary: self.temporary.clone(),
            supervisor: None,
            confinement: None,
            programs: crate::sandbox::Names::default(),
            writes: None,
        }
    }

    /// Starts a child of this process.
    fn spawn(&self, streams: [BorrowedFd<'_>; 3]) -> io::Result<Child> {
        let (program, arguments) = self
            .argv
            .split_first()
            .map_or(("", &[][..]), |(program, arguments)| (program.as_str(), arguments));
        let mut builder = tokio::process::Command::new(program);
        builder.args(arguments).env_clear().envs(self.environment()).kill_on_drop(true);
        if let Some(cwd) = &self.cwd {
            builder.current_dir(cwd).env("PWD", cwd);
        }
        let [stdin, stdout, stderr] = streams;
        builder
            .stdin(Stdio::from(stdin.try_clone_to_owned()?))
            .stdout(Stdio::from(stdout.try_clone_to_owned()?))
            .stderr(Stdio::from(stderr.try_clone_to_owned()?));
        in_own_session(&mut builder);
        builder.spawn()
    }
}

#[expect(unsafe_code, reason = "a new session needs a call between fork and exec")]
fn in_own_session(builder: &mut tokio::process::Command) {
    // Safety: the closure only calls setsid, which is async-signal-safe, and touches no memory of the parent.
    unsafe {
        builder.pre_exec(|| Ok(nix::unistd::setsid().map(drop)?));
    }
}

/// Of variables with one name, keeps the last.
#[cfg(target_os = "linux")]
fn unique(variables: Vec<(String, String)>) -> Vec<(String, String)> {
    let last: std::collections::BTreeMap<_, _> = variables.into_iter().collect();
    last.into_iter().collect()
}

/// Returns an empty input.
pub(super) fn nothing() -> io::Result<OwnedFd> {
    std::fs::File::open(Path::new("/dev/null")).map(OwnedFd::from)
}

/// Returns the reason if a command does not run because it could not be confined.
pub(super) fn not_confined(error: &io::Error) -> Option<String> {
    if error.kind() == io::ErrorKind::Unsupported && error.to_string() == NO_SUPERVISOR {
        return Some(NO_SUPERVISOR.to_owned());
    }
    #[cfg(target_os = "linux")]
    let reason = error.get_ref()?.downcast_ref::<NotConfined>().map(ToString::to_string);
    #[cfg(not(target_os = "linux"))]
    let reason = None;
    reason
}

/// Returns true if the error comes from before the command's program was executed.
pub(super) fn was_not_started(error: &io::Error) -> bool {
    error.raw_os_error().is_some() || not_confined(error).is_some()
}
