//! A started process: a child of this one, or of the supervisor.
#![expect(clippy::disallowed_methods, reason = "this is where processes are started")]

use super::{Family, Launch, Supervisor};
use crate::sandbox::{self, Guarded, Level, Order, RefusedHost};
use pintle_os::family::Leader;
use pintle_os::names;
use pintle_os::pipe::BorrowedEnd;
use pintle_os::process as os;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use tokio::process::Child;

/// A started process. Dropping it kills it.
#[derive(Debug)]
pub(super) enum Started {
    /// A child of this process.
    Here {
        child: Box<Child>,
        leader: Option<Leader>,
        /// The enforced level, if it is confined by a profile.
        level: Option<Level>,
    },
    /// A child of the supervisor.
    Guarded(Guarded),
}

/// A program without a supervisor cannot confine.
const NO_SUPERVISOR: &str =
    "this library is embedded in a program that does not provide a supervisor executable";

impl Started {
    /// Starts a process with these streams: stdin, stdout and stderr.
    pub(super) async fn new(launch: &Launch, streams: [BorrowedEnd<'_>; 3]) -> io::Result<Self> {
        let confinement = launch.confinement.as_deref();
        if let Some(supervisor) = &launch.supervisor {
            let order = Order {
                argv: &launch.argv,
                cwd: launch.cwd.as_deref(),
                variables: unique(launch.environment()),
                confinement,
                programs: launch.programs.clone(),
                writes: launch.writes.clone(),
            };
            return supervisor.start(order, streams).await.map(Self::Guarded);
        }
        let Some(confinement) = confinement else {
            let (child, leader) = launch.spawn(&launch.argv, Vec::new(), streams)?;
            return Ok(Self::Here { child: Box::new(child), leader, level: None });
        };
        let profiled = sandbox::profiled(confinement, &launch.argv)
            .ok_or_else(|| io::Error::new(io::ErrorKind::Unsupported, NO_SUPERVISOR))?;
        let (child, leader) = launch.spawn(&profiled.argv, profiled.variables, streams)?;
        Ok(Self::Here { child: Box::new(child), leader, level: Some(profiled.level) })
    }

    /// Waits until the process ends. Cancel-safe.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        match self {
            Self::Here { child, .. } => child.wait().await,
            Self::Guarded(guarded) => guarded.wait().await,
        }
    }

    /// Returns the command's processes, by its mark.
    pub(super) fn family(&self, mark: String) -> Family {
        match self {
            Self::Here { leader, .. } => Family::new(leader.as_ref(), mark),
            Self::Guarded(guarded) => {
                let mut family = Family::new(Some(&guarded.leader()), mark);
                family.is_below(guarded.leader());
                family
            }
        }
    }

    /// Returns the enforced level, if the command is confined.
    pub(super) fn level(&self) -> Option<Level> {
        match self {
            Self::Here { level, .. } => level.clone(),
            Self::Guarded(guarded) => guarded.level().cloned(),
        }
    }

    /// Returns the hosts that it was refused.
    pub(super) fn refused(&self) -> Vec<RefusedHost> {
        self.guarded().map(Guarded::refused).unwrap_or_default()
    }

    /// Returns the files that it was kept from changing because of their names.
    pub(super) fn kept(&self) -> Vec<PathBuf> {
        self.guarded().map(Guarded::kept).unwrap_or_default()
    }

    /// Returns the programs that it was kept from starting.
    pub(super) fn denied_programs(&self) -> Vec<String> {
        self.guarded().map(Guarded::denied_programs).unwrap_or_default()
    }

    fn guarded(&self) -> Option<&Guarded> {
        match self {
            Self::Here { .. } => None,
            Self::Guarded(guarded) => Some(guarded),
        }
    }

    /// Lets background processes of the command run on until its mark is released.
    pub(super) fn retain(self, supervisor: &Supervisor, mark: String) {
        if let Self::Guarded(guarded) = self {
            supervisor.retain(mark, guarded);
        }
    }
}

impl Launch {
    /// Starts a child of this process.
    fn spawn(
        &self,
        argv: &[String],
        more_variables: Vec<(String, String)>,
        streams: [BorrowedEnd<'_>; 3],
    ) -> io::Result<(Child, Option<Leader>)> {
        let (program, arguments) = argv
            .split_first()
            .map_or(("", &[][..]), |(program, arguments)| (program.as_str(), arguments));
        let mut builder = tokio::process::Command::new(program);
        builder.args(arguments).env_clear().envs(self.environment()).kill_on_drop(true);
        builder.envs(more_variables);
        if let Some(cwd) = &self.cwd {
            builder.current_dir(names::to_start_in(cwd)).env("PWD", &*names::shown(cwd));
        }
        os::spawn(builder, streams, &self.mark)
    }
}

/// Of variables with one name, keeps the last.
fn unique(variables: Vec<(String, String)>) -> Vec<(String, String)> {
    let last: std::collections::BTreeMap<_, _> = variables.into_iter().collect();
    last.into_iter().collect()
}

/// Returns the reason if a command does not run because it could not be confined.
pub(super) fn not_confined(error: &io::Error) -> Option<String> {
    if error.kind() == io::ErrorKind::Unsupported && error.to_string() == NO_SUPERVISOR {
        return Some(NO_SUPERVISOR.to_owned());
    }
    sandbox::not_confined(error)
}

/// Returns true if the error comes from before the command's program was executed.
pub(super) fn was_not_started(error: &io::Error) -> bool {
    error.raw_os_error().is_some() || not_confined(error).is_some()
}
