//! The processes of one command, wherever they went: signalled together, and killed when the command is no longer
//! awaited.

use crate::descendants;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, getpgid};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The time to wait after the last signal: a process that remains belongs to another user, or hangs in the kernel.
pub(super) const KILL_TO_END: Duration = Duration::from_secs(2);

/// The interval between two checks whether all processes have exited.
const LOOK: Duration = Duration::from_millis(20);

/// The number of rounds after which a process that starts others faster than they are found is given up on.
const KILL_ROUNDS: usize = 5;

/// The command's processes. Dropping it while armed kills them.
#[derive(Debug)]
pub(crate) struct Family {
    /// The group's leader, until it has been waited for; its process id may be reused after that.
    pub(super) leader: Option<Pid>,
    pub(super) mark: String,
    /// Processes found earlier. One that has lost both mark and parent cannot be found in any other way.
    known: Vec<Pid>,
    pub(super) is_armed: bool,
}

impl Family {
    /// Creates a handle to the processes that carry this mark, in the group of `leader` or not.
    pub(crate) fn new(leader: Option<Pid>, mark: String) -> Self {
        descendants::began(&mark, leader);
        Self { leader, mark, known: Vec::new(), is_armed: true }
    }

    /// All processes below this one belong to it too.
    pub(super) fn is_below(&mut self, top: Pid) {
        self.known.push(top);
    }

    /// The leader has been waited for.
    pub(super) fn leader_ended(&mut self) {
        let leader = self.leader.take();
        if let Some(leader) = leader {
            descendants::leader_ended(&self.mark, leader);
        }
        self.known.retain(|pid| Some(*pid) != leader);
    }

    /// Releases the background processes of a command that ended by itself.
    pub(crate) fn let_go(mut self) {
        self.is_armed = false;
    }

    pub(crate) async fn signal(&mut self, signal: Signal) {
        let (leader, mark, known) = (self.leader, self.mark.clone(), self.known.clone());
        let sent = move || signal_now(leader, &mark, &known, signal);
        if let Ok(found) = tokio::task::spawn_blocking(sent).await {
            self.known = found;
        }
    }

    /// Waits until all processes have exited, and kills them after the given time.
    pub(crate) async fn ended_by(&mut self, kill_at: Instant) {
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
                self.signal(Signal::SIGKILL).await;
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
