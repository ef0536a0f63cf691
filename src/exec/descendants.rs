//! The processes that a command started, including those that left its group and lost their parent.
//!
//! Linux: they carry the command's mark in their environment, or descend from one that does. Elsewhere there is
//! no `/proc`, and only the process group is known. Blocking, a few milliseconds.
#![expect(clippy::disallowed_methods, reason = "exec reads /proc")]

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::{BTreeMap, BTreeSet};

/// The variable that marks a command's processes.
pub(super) const MARK: &str = "PINTLE_COMMAND";

/// The prefix of a command's mark in the mark of its connection, when it runs elsewhere.
pub(super) const CONNECTION_PREFIX: &str = "way-";

/// The processes that carry this mark, or that of the way to it, those known to belong to them, and what all these started. Only
/// those that live, so no zombies.
pub(super) fn living(mark: &str, known: &[Pid]) -> Vec<Pid> {
    let wanted = [format!("{MARK}={mark}"), format!("{MARK}={CONNECTION_PREFIX}{mark}")];
    family(known, |variable| wanted.iter().any(|wanted| variable == wanted.as_bytes()))
}

/// The processes whose mark begins so, and what they started.
pub(super) fn marked(beginning: &str) -> Vec<Pid> {
    let wanted = format!("{MARK}={beginning}");
    family(&[], |variable| variable.starts_with(wanted.as_bytes()))
}

/// The processes below one, without it.
#[cfg(target_os = "linux")]
pub(super) fn below(top: Pid) -> Vec<Pid> {
    let parents = all().filter_map(|pid| Some((pid, living_parent(pid)?))).collect();
    with_children(&parents, BTreeSet::from([top.as_raw()]))
        .into_iter()
        .map(Pid::from_raw)
        .filter(|pid| *pid != top)
        .collect()
}

fn family(known: &[Pid], is_mark: impl Fn(&[u8]) -> bool) -> Vec<Pid> {
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    let mut parents = BTreeMap::new();
    let mut found = BTreeSet::new();
    for pid in all().filter(|pid| *pid != own) {
        let Some(parent) = living_parent(pid) else { continue };
        parents.insert(pid, parent);
        let variables = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let is_marked = variables.split(|&byte| byte == 0).any(&is_mark);
        if is_marked || known.contains(&Pid::from_raw(pid)) {
            found.insert(pid);
        }
    }
    // A child may have cleared its environment.
    with_children(&parents, found).into_iter().map(Pid::from_raw).collect()
}

/// Adds the children, and theirs.
fn with_children(parents: &BTreeMap<i32, i32>, mut found: BTreeSet<i32>) -> BTreeSet<i32> {
    loop {
        let before = found.len();
        let children = parents.iter().filter(|(_, parent)| found.contains(parent));
        let children: Vec<i32> = children.map(|(child, _)| *child).collect();
        found.extend(children);
        if found.len() == before {
            return found;
        }
    }
}

/// Sends a signal to each process; one that has exited is ignored.
pub(super) fn signal(pids: &[Pid], signal: Signal) {
    for pid in pids {
        let _ = kill(*pid, signal);
    }
}

fn all() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The parent of a process that is not a zombie.
fn living_parent(pid: i32) -> Option<i32> {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // `pid (name) state parent …`; the name may hold anything, also parentheses.
    let (_, rest) = line.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    (!matches!(state, "Z" | "X")).then_some(parent)
}
