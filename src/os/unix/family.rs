//! The processes of one command, wherever they went: signalled together, and killed when the command is no longer
//! awaited.

use super::descendants;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, getpgid};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The variable that marks a command's processes.
pub const MARK: &str = "PINTLE_COMMAND";

/// The prefix of connection marks. No command has such a mark.
pub const CONNECTION_PREFIX: &str = "way-";

/// The first process of a command, which leads its group.
pub type Leader = Pid;

/// How a process is asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// By SIGTERM: it may tidy up.
    Asked,
    /// By SIGKILL.
    Forced,
}

impl Ending {
    fn signal(self) -> Signal {
        match self {
            Self::Asked => Signal::SIGTERM,
            Self::Forced => Signal::SIGKILL,
        }
    }
}

/// The time to wait after the last signal: a process that remains belongs to another user, or hangs in the kernel.
pub const KILL_TO_END: Duration = Duration::from_secs(2);

/// The interval between two checks whether all processes have exited.
const LOOK: Duration = Duration::from_millis(20);

/// The number of rounds after which a process that starts others faster than they are found is given up on.
const KILL_ROUNDS: usize = 5;

/// The command's processes. Dropping it while armed kills them.
#[derive(Debug)]
pub struct Family {
    /// The group's leader, until it has been waited for; its process id may be reused after that.
    pub leader: Option<Pid>,
    /// The mark that its processes carry.
    pub mark: String,
    /// Processes found earlier. One that has lost both mark and parent cannot be found in any other way.
    known: Vec<Pid>,
    /// True while dropping it kills the processes.
    pub is_armed: bool,
}

impl Family {
    /// Creates a handle to the processes that carry this mark, in the group of `leader` or not.
    pub fn new(leader: Option<&Leader>, mark: String) -> Self {
        let leader = leader.copied();
        descendants::began(&mark, leader);
        Self { leader, mark, known: Vec::new(), is_armed: true }
    }

    /// All processes below this one belong to it too.
    pub fn is_below(&mut self, top: Pid) {
        self.known.push(top);
    }

    /// All processes below the leader belong to it too, also those of another mark.
    pub fn is_below_leader(&mut self) {
        self.known.extend(self.leader);
    }

    /// The leader has been waited for.
    pub fn leader_ended(&mut self) {
        let leader = self.leader.take();
        if let Some(leader) = leader {
            descendants::leader_ended(&self.mark, leader);
        }
        self.known.retain(|pid| Some(*pid) != leader);
    }

    /// Returns false: a pipe closes before its last process can be waited for.
    pub fn is_over(&self) -> bool {
        false
    }

    /// Releases the background processes of a command that ended by itself.
    pub fn let_go(mut self) {
        self.is_armed = false;
    }

    /// Ends all of them, including processes that left the group.
    pub async fn end(&mut self, ending: Ending) {
        let signal = ending.signal();
        let (leader, mark, known) = (self.leader, self.mark.clone(), self.known.clone());
        let sent = move || signal_now(leader, &mark, &known, signal);
        if let Ok(found) = tokio::task::spawn_blocking(sent).await {
            self.known = found;
        }
    }

    /// Waits until all processes have exited, and kills them after the given time.
    pub async fn ended_by(&mut self, kill_at: Instant) {
        let mut is_killed = false;
        loop {
            let (mark, known) = (self.mark.clone(), self.known.clone());
            let left =
                tokio::task::spawn_blocking(move || descendants::living(&mark, &known)).await;
            let now = Instant::now();
            if left.is_ok_and(|left| left.is_empty()) || now >= kill_at + KILL_TO_END {
                self.is_armed = false;
                return;
            }
            if now >= kill_at && !is_killed {
                self.end(Ending::Forced).await;
                is_killed = true;
            }
            sleep(LOOK).await;
        }
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        if self.is_armed {
            signal_now(self.leader, &self.mark, &self.known, Signal::SIGKILL);
        }
    }
}

/// Sends a signal to the group and to all processes that left it. Returns the processes found.
fn signal_now(leader: Option<Pid>, mark: &str, known: &[Pid], signal: Signal) -> Vec<Pid> {
    // Found before any process dies, while parents are still known.
    let mut family = descendants::living(mark, known);
    // Each process is signalled once, by its group or individually: a second signal would run its clean-up twice.
    let left_group = |pid: &&Pid| leader.is_none() || getpgid(Some(**pid)).ok() != leader;
    let left_it: Vec<Pid> = family.iter().filter(left_group).copied().collect();
    if let Some(leader) = leader {
        let _ = killpg(leader, signal);
    }
    descendants::signal(&left_it, signal);
    for _ in 0..KILL_ROUNDS {
        if signal != Signal::SIGKILL {
            break;
        }
        // Processes that were started during the search.
        let late = descendants::living(mark, &family);
        if late.is_empty() {
            break;
        }
        descendants::signal(&late, signal);
        family = late;
    }
    family
}

/// Kills the processes whose mark starts with `beginning`, and their descendants.
pub fn end_marked(beginning: &str) {
    descendants::kill_all(|| descendants::marked(beginning));
    descendants::forget(beginning);
}

/// Kills the processes that an owner's commands left when their engine was killed. Returns their command lines.
pub fn end_abandoned(owner: &str) -> Vec<String> {
    let mut lines = Vec::new();
    descendants::kill_all(|| {
        let left = descendants::abandoned(owner);
        lines.extend(descendants::command_lines(&left));
        left
    });
    lines.sort();
    lines.dedup();
    lines
}

/// Returns the processes below one, without it.
pub fn below(top: Leader) -> Vec<Leader> {
    descendants::below(top)
}

/// Kills the processes below one, without it.
pub fn end_below(top: Leader) {
    descendants::kill_all(|| descendants::below(top));
}

/// Returns the living processes with this mark, and their descendants.
pub fn living(mark: &str) -> Vec<Leader> {
    descendants::living(mark, &[])
}

#[cfg(target_os = "macos")]
pub use descendants::watchdog::{become_watchdog, watch};
