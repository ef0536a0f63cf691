//! Systems without a supervisor: commands run below this process, and only a profile confines them.

use super::{Level, Order, RefusedHost, seatbelt};
use pintle_os::family::{self, Leader};
use pintle_os::pipe::BorrowedEnd;
use std::convert::Infallible;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// There is no supervisor on these systems.
#[derive(Debug)]
pub(crate) struct Supervisor(Infallible);

/// A command that a supervisor started.
#[derive(Debug)]
pub(crate) struct Guarded(Infallible);

impl Supervisor {
    /// Returns nothing: without a supervisor, jobs or process groups end remaining processes.
    pub(crate) fn new(program: &Path, _without_namespaces: bool) -> Option<Self> {
        family::watch(program);
        None
    }

    #[expect(clippy::unused_async, reason = "Linux waits for its supervisor")]
    pub(crate) async fn start(
        &self,
        _order: Order<'_>,
        _streams: [BorrowedEnd<'_>; 3],
    ) -> io::Result<Guarded> {
        match self.0 {}
    }

    pub(crate) fn retain(&self, _mark: String, _guarded: Guarded) {
        match self.0 {}
    }

    pub(crate) fn release(&self, _beginning: &str) {
        match self.0 {}
    }
}

impl Guarded {
    pub(crate) fn leader(&self) -> Leader {
        match self.0 {}
    }

    pub(crate) fn level(&self) -> Option<&Level> {
        match self.0 {}
    }

    pub(crate) fn refused(&self) -> Vec<RefusedHost> {
        match self.0 {}
    }

    pub(crate) fn kept(&self) -> Vec<PathBuf> {
        match self.0 {}
    }

    pub(crate) fn denied_programs(&self) -> Vec<String> {
        match self.0 {}
    }

    #[expect(clippy::unused_async, reason = "Linux waits for its supervisor")]
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        match self.0 {}
    }
}

/// Returns why a command could not be confined, if that is why it did not start.
pub(crate) fn not_confined(_error: &io::Error) -> Option<String> {
    None
}

/// If the program was started as a watchdog, watches the engine and returns the exit code.
pub fn become_supervisor(arguments: impl IntoIterator<Item = OsString>) -> Option<u8> {
    family::become_watchdog(arguments)
}

/// Returns the level enforced for a confined command on this machine.
pub async fn probe(_program: &Path) -> Level {
    Level { has_seatbelt: seatbelt::is_there(), ..Level::default() }
}
