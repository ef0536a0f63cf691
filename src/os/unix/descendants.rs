//! The processes that a command started, including those that left its group and lost their parent.
//!
//! They carry the command's mark in their environment, or descend from a process that does. On macOS the environment of Apple's programs
//! cannot be read, so the engine also remembers which processes it has seen: `macos` explains how. Blocking, a few milliseconds.

use super::family::{CONNECTION_PREFIX, MARK};
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::BTreeSet;
use tree::{family, with_descendants};

mod tree;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as system;

#[cfg(target_os = "macos")]
mod macos;
#[cfg(target_os = "macos")]
use macos as system;

#[cfg(target_os = "macos")]
pub(super) mod watchdog;

// Its layout of arguments is tested on every system.
#[cfg(any(target_os = "macos", test))]
mod procargs;

pub(super) use system::{began, forget, leader_ended};

/// Returns the live processes that carry this mark or are in `known`, with all their descendants. Zombies are excluded.
pub(super) fn living(mark: &str, known: &[Pid]) -> Vec<Pid> {
    let wanted = format!("{MARK}={mark}");
    found(known, |each| each == mark, |variable| variable == wanted.as_bytes())
}

/// Returns the processes whose mark starts with `beginning`, and their descendants.
pub(super) fn marked(beginning: &str) -> Vec<Pid> {
    let wanted = format!("{MARK}={beginning}");
    found(
        &[],
        |each| each.starts_with(beginning),
        |variable| variable.starts_with(wanted.as_bytes()),
    )
}

/// Returns the processes left by an owner's commands when their engine was killed: those whose mark names an engine that no longer runs,
/// and their descendants. Empty if this process is one of them, since the process that started it may still be working there.
pub(super) fn abandoned(owner: &str) -> Vec<Pid> {
    let (mut rows, mut left) = (Vec::new(), BTreeSet::new());
    for row in system::all().filter_map(system::seen) {
        let variables = system::variables(row.pid);
        let mut marks = variables.split(|&byte| byte == 0).filter_map(|variable| {
            std::str::from_utf8(variable).ok()?.strip_prefix(MARK)?.strip_prefix('=')
        });
        // The process id of a dead engine may have been reused by a younger process.
        let is_gone =
            |engine: i32| system::seen(engine).is_none_or(|engine| engine.started > row.started);
        if marks.any(|mark| engine_of(mark, owner).is_some_and(is_gone)) {
            left.insert(row.pid);
        }
        rows.push(row);
    }
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    if tree::is_below(&rows, own, &left) {
        return Vec::new();
    }
    with_descendants(&rows, left).into_iter().map(Pid::from_raw).collect()
}

/// Returns the process id of the engine whose command carries this mark, if the command belongs to `owner`.
fn engine_of(mark: &str, owner: &str) -> Option<i32> {
    let mark = mark.strip_prefix(CONNECTION_PREFIX).unwrap_or(mark);
    let (engine, command) = mark.split_once('-')?;
    let _ = command.strip_prefix(owner)?.strip_prefix('-')?;
    engine.split_once('.')?.0.parse().ok()
}

/// Returns the command lines of those processes whose parents are not among them.
pub(super) fn command_lines(pids: &[Pid]) -> Vec<String> {
    let is_first = |pid: &&Pid| {
        let parent = system::seen(pid.as_raw()).map(|row| Pid::from_raw(row.parent));
        !parent.is_some_and(|parent| pids.contains(&parent))
    };
    let lines = pids.iter().filter(is_first).filter_map(|pid| {
        let line = system::command_line(pid.as_raw())?;
        let words = String::from_utf8_lossy(&line).replace(char::is_control, " ");
        Some(words.trim().to_owned())
    });
    lines.filter(|line| !line.is_empty()).collect()
}

/// Returns the processes below one, without it.
pub(super) fn below(top: Pid) -> Vec<Pid> {
    let rows: Vec<tree::Row> = system::all().filter_map(system::seen).collect();
    with_descendants(&rows, BTreeSet::from([top.as_raw()]))
        .into_iter()
        .map(Pid::from_raw)
        .filter(|pid| *pid != top)
        .collect()
}

/// Returns the live processes with these numbers, their children and all further descendants, except this process.
#[cfg(target_os = "macos")]
pub(super) fn numbered(numbers: &BTreeSet<u64>) -> Vec<Pid> {
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    let rows = system::all().filter(|pid| *pid != own).filter_map(system::seen);
    family(rows, numbers, |_| false).into_iter().map(Pid::from_raw).collect()
}

fn found(
    known: &[Pid],
    is_wanted: impl Fn(&str) -> bool,
    is_mark: impl Fn(&[u8]) -> bool,
) -> Vec<Pid> {
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    let rows = system::all().filter(|pid| *pid != own).filter_map(system::seen);
    let remembered = system::remembered(&is_wanted);
    let found = family(rows, &remembered, |row| {
        let variables = system::variables(row.pid);
        variables.split(|&byte| byte == 0).any(&is_mark) || known.contains(&Pid::from_raw(row.pid))
    });
    system::remember(is_wanted, &found);
    found.into_iter().map(Pid::from_raw).collect()
}

/// Sends a signal to each process; one that has exited is ignored. Returns false if all belong to other users.
pub(super) fn signal(pids: &[Pid], signal: Signal) -> bool {
    let mut is_sent = false;
    for pid in pids {
        is_sent |= kill(*pid, signal) != Err(Errno::EPERM);
    }
    is_sent
}

/// Kills the found processes until none are left, or only those of other users. A busy kernel takes a while to end a process. Blocking.
pub(super) fn kill_all(mut find: impl FnMut() -> Vec<Pid>) {
    /// Two seconds: any process left by then is stuck in the kernel.
    const ROUNDS: u32 = 400;
    const PAUSE: std::time::Duration = std::time::Duration::from_millis(5);
    for _ in 0..ROUNDS {
        let left = find();
        if left.is_empty() || !signal(&left, Signal::SIGKILL) {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests;
