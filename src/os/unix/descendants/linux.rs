//! Processes of Linux, from `/proc`.

use super::tree::Row;
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::io::ErrorKind::PermissionDenied;
use std::io::Read as _;

/// Does nothing: the supervisor is the parent of leftover processes, so none has to be remembered.
pub(in super::super) fn began(_mark: &str, _leader: Option<Pid>) {}

/// Does nothing: see [`began`].
pub(in super::super) fn leader_ended(_mark: &str, _leader: Pid) {}

/// Does nothing: see [`began`].
pub(in super::super) fn forget(_beginning: &str) {}

/// Returns nothing: see [`began`].
pub(super) fn remembered(_is_wanted: &dyn Fn(&str) -> bool) -> BTreeSet<u64> {
    BTreeSet::new()
}

/// Does nothing: see [`began`].
pub(super) fn remember(_is_wanted: impl Fn(&str) -> bool, _found: &BTreeSet<i32>) {}

/// Returns the ids of all processes.
pub(super) fn all() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Returns a process, unless it is a zombie.
pub(super) fn seen(pid: i32) -> Option<Row> {
    stat(pid).map(|stat| Row { pid, parent: stat.parent, started: stat.started, identity: None })
}

/// Returns a process's arguments, each ended by a zero byte.
pub(super) fn command_line(pid: i32) -> Option<Vec<u8>> {
    std::fs::read(format!("/proc/{pid}/cmdline")).ok()
}

/// Returns a process's environment, as far as this user may read it. During an `exec` the environment is briefly empty. Such a process
/// would be taken for an unmarked one and outlive its command, so an empty environment is read again. An environment that this user may not
/// read is read again only if the process is new: one that enters a sandbox is unreadable until its next `exec`.
pub(super) fn variables(pid: i32) -> Vec<u8> {
    /// More than nearly all processes have.
    const MAX_USUAL_BYTES: usize = 128 * 1024;
    let mut reads = 0;
    loop {
        // In one read: an `exec` after the first of several ends the file.
        let mut variables = Vec::with_capacity(MAX_USUAL_BYTES);
        let file = std::fs::File::open(format!("/proc/{pid}/environ"));
        let is_denied = file.as_ref().is_err_and(|error| error.kind() == PermissionDenied);
        let _ = file.and_then(|mut file| file.read_to_end(&mut variables));
        reads += 1;
        let access = if is_denied { Access::Denied { now: now() } } else { Access::Allowed };
        if !variables.is_empty() || stat(pid).is_none_or(|stat| reads >= stat.max_reads(access)) {
            return variables;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// Whether this user may read a process's environment.
#[derive(Debug, Clone, Copy)]
enum Access {
    Allowed,
    Denied {
        /// The current time, in ticks of the system's clock; `None` if it is unknown.
        now: Option<u64>,
    },
}

/// Returns the time since the system's start, in the ticks in which `/proc` reports start times: hundredths of a second.
fn now() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/uptime").ok()?;
    let (seconds, hundredths) = text.split_whitespace().next()?.split_once('.')?;
    Some(seconds.parse::<u64>().ok()? * 100 + hundredths.parse::<u64>().ok()?)
}

/// A process that is not a zombie.
struct Stat {
    parent: i32,
    /// When it was started, in ticks of the system's clock.
    started: u64,
    flags: u64,
    /// The addresses at which its variables begin and end, 0 until they are in place.
    variables: (u64, u64),
}

impl Stat {
    /// How often an empty environment is read until it is believed.
    fn max_reads(&self, access: Access) -> usize {
        /// `PF_KTHREAD`: a thread of the kernel.
        const KERNEL_THREAD: u64 = 0x0020_0000;
        /// The age up to which a process may still be entering a sandbox, in ticks.
        const NEW: u64 = 200;
        let is_old = match access {
            Access::Denied { now: Some(now) } => now.saturating_sub(self.started) > NEW,
            Access::Denied { now: None } | Access::Allowed => false,
        };
        match self.variables {
            _ if is_old || self.flags & KERNEL_THREAD != 0 => 1,
            (_, 0) => 50,
            _ => 5,
        }
    }
}

fn stat(pid: i32) -> Option<Stat> {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // `pid (name) state parent …`; the name may contain any character, including parentheses.
    let (_, rest) = line.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    // Numbered as in proc_pid_stat(5); the state is field 3.
    let field = |number: usize| fields.get(number - 3)?.parse().ok();
    let is_living = !matches!(*fields.first()?, "Z" | "X");
    is_living.then_some(Stat {
        parent: fields.get(1)?.parse().ok()?,
        flags: field(9)?,
        started: field(22)?,
        variables: (field(50)?, field(51)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_is_read_again_only_if_it_may_appear() {
        const KERNEL: u64 = 0x0020_0000;
        let denied = |now| Access::Denied { now };
        for (name, flags, started, variables, access, want) in [
            ("a thread of the kernel", KERNEL, 0, (0, 0), Access::Allowed, 1),
            ("before its variables are in place", 0, 0, (0, 0), Access::Allowed, 50),
            ("during an exec", 0, 0, (8, 9), Access::Allowed, 5),
            ("another user's", 0, 1_000, (0, 0), denied(Some(9_000)), 1),
            ("one that enters a sandbox", 0, 8_900, (0, 0), denied(Some(9_000)), 50),
            ("started after the clock was read", 0, 9_001, (0, 0), denied(Some(9_000)), 50),
            ("without a clock", 0, 1_000, (0, 0), denied(None), 50),
        ] {
            let stat = Stat { parent: 1, started, flags, variables };
            assert_eq!(stat.max_reads(access), want, "{name}");
        }
    }

    #[test]
    fn the_clock_is_that_of_start_times() {
        let own = stat(std::process::id().cast_signed()).unwrap();
        let age = now().unwrap().checked_sub(own.started).unwrap();
        // Fewer than a hundred days: a test does not run longer.
        assert!(age < 100 * 24 * 3600 * 100, "{age}");
    }
}
