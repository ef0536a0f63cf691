//! The processes of one command, wherever they went: ended together, and when the command is no longer awaited.
//!
//! They run in a job. Windows has no signals, and a process without a console cannot be asked to exit, so processes are always terminated.
//! When this process is killed, the system closes its jobs, which ends their processes; so no engine leaves anything behind.

use super::job::Job;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The variable that marks a command's processes.
pub const MARK: &str = "PINTLE_COMMAND";

/// The prefix of connection marks. No command has such a mark.
pub const CONNECTION_PREFIX: &str = "way-";

/// The job with a command's processes.
pub type Leader = Arc<Job>;

/// How a process is asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The same as [`Ending::Forced`], since Windows has no signals.
    Asked,
    /// At once.
    Forced,
}

/// The time to wait after the last attempt: a process that remains hangs in the kernel.
pub const KILL_TO_END: Duration = Duration::from_secs(2);

/// The interval between two checks whether all processes have exited.
const LOOK: Duration = Duration::from_millis(20);

/// The jobs by the marks of their commands, until they are released: a command's background processes outlive it.
static MARKED: Mutex<BTreeMap<String, Leader>> = Mutex::new(BTreeMap::new());

fn marked() -> MutexGuard<'static, BTreeMap<String, Leader>> {
    MARKED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a job under the mark of its command. Those whose processes have all exited are forgotten.
pub(super) fn keep(mark: &str, job: &Leader) {
    let mut marked = marked();
    marked.retain(|_, job| job.living() > 0);
    marked.insert(mark.to_owned(), Arc::clone(job));
}

/// The command's processes. Dropping it while armed kills them.
#[derive(Debug)]
pub struct Family {
    /// The command's job, until its first process has been waited for.
    pub leader: Option<Leader>,
    /// The mark that its processes carry.
    pub mark: String,
    /// The job, also afterwards.
    job: Option<Leader>,
    /// True while dropping it kills the processes.
    pub is_armed: bool,
}

impl Family {
    /// Creates a handle to the processes of this job.
    pub fn new(leader: Option<&Leader>, mark: String) -> Self {
        Self { job: leader.cloned(), leader: leader.cloned(), mark, is_armed: true }
    }

    /// Does nothing: all processes below one of a job belong to it.
    pub fn is_below(&mut self, _top: Leader) {}

    /// Does nothing, for the same reason.
    pub fn is_below_leader(&mut self) {}

    /// The first process has been waited for.
    pub fn leader_ended(&mut self) {
        self.leader = None;
    }

    /// Returns true if all processes have exited, so that their pipes have no writers.
    pub fn is_over(&self) -> bool {
        self.job.as_ref().is_some_and(|job| job.living() == 0)
    }

    /// Releases the background processes of a command that ended by itself.
    pub fn let_go(mut self) {
        self.is_armed = false;
    }

    /// Ends all of them.
    #[expect(clippy::unused_async, reason = "other systems wait here")]
    pub async fn end(&mut self, _ending: Ending) {
        self.end_now();
    }

    /// Waits until all processes have exited, and kills them after the given time.
    pub async fn ended_by(&mut self, kill_at: Instant) {
        let mut is_killed = false;
        loop {
            let now = Instant::now();
            let is_over = self.job.as_ref().is_none_or(|job| job.living() == 0);
            if is_over || now >= kill_at + KILL_TO_END {
                self.is_armed = false;
                return;
            }
            if now >= kill_at && !is_killed {
                self.end_now();
                is_killed = true;
            }
            sleep(LOOK).await;
        }
    }

    fn end_now(&self) {
        if let Some(job) = &self.job {
            job.end();
        }
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        if self.is_armed {
            self.end_now();
        }
    }
}

/// Kills the processes whose mark starts with `beginning`, and their descendants.
pub fn end_marked(beginning: &str) {
    let ended: Vec<_> = {
        let mut marked = marked();
        let marks: Vec<String> =
            marked.keys().filter(|mark| mark.starts_with(beginning)).cloned().collect();
        marks.iter().filter_map(|mark| marked.remove(mark)).collect()
    };
    for job in ended {
        job.end();
    }
}

/// Returns nothing: when an engine is killed, the system ends its commands.
pub fn end_abandoned(_owner: &str) -> Vec<String> {
    Vec::new()
}

/// Returns the living jobs with this mark.
pub fn living(mark: &str) -> Vec<Leader> {
    marked().get(mark).filter(|job| job.living() > 0).cloned().into_iter().collect()
}

/// Does nothing: the system ends a job's processes with the process that made the job.
pub fn watch(_program: &std::path::Path) {}

/// Returns nothing: no process of this program is a watchdog.
pub fn become_watchdog(_arguments: impl IntoIterator<Item = std::ffi::OsString>) -> Option<u8> {
    None
}
