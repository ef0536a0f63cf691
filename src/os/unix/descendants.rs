//! The processes that a command started, including those that left its group and lost their parent.
//!
//! On Linux they carry the command's mark in their environment, or descend from a process that does. Other systems have no `/proc`, so only
//! the process group is known. Blocking, a few milliseconds.
#![expect(clippy::disallowed_methods, reason = "reads /proc")]

use super::family::{CONNECTION_PREFIX, MARK};
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;

/// Returns the live processes that carry this mark or are in `known`, with all their descendants. Zombies are excluded.
pub(super) fn living(mark: &str, known: &[Pid]) -> Vec<Pid> {
    let wanted = format!("{MARK}={mark}");
    family(known, |variable| variable == wanted.as_bytes())
}

/// Returns the processes whose mark starts with `beginning`, and their descendants.
pub(super) fn marked(beginning: &str) -> Vec<Pid> {
    let wanted = format!("{MARK}={beginning}");
    family(&[], |variable| variable.starts_with(wanted.as_bytes()))
}

/// Returns the processes left by an owner's commands when their engine was killed: those whose mark names an engine that no longer runs,
/// and their descendants. Empty if this process is one of them, since the process that started it may still be working there.
pub(super) fn abandoned(owner: &str) -> Vec<Pid> {
    let (mut parents, mut found) = (BTreeMap::new(), BTreeSet::new());
    for pid in all() {
        let Some(Seen { parent, started, .. }) = seen(pid) else { continue };
        parents.insert(pid, parent);
        let variables = variables(pid);
        let mut marks = variables.split(|&byte| byte == 0).filter_map(|variable| {
            std::str::from_utf8(variable).ok()?.strip_prefix(MARK)?.strip_prefix('=')
        });
        // The process id of a dead engine may have been reused by a younger process.
        let is_gone = |engine: i32| seen(engine).is_none_or(|engine| engine.started > started);
        if marks.any(|mark| engine_of(mark, owner).is_some_and(is_gone)) {
            found.insert(pid);
        }
    }
    let mut own = i32::try_from(std::process::id()).ok();
    while let Some(pid) = own {
        if found.contains(&pid) {
            return Vec::new();
        }
        own = parents.get(&pid).copied();
    }
    with_children(&parents, found).into_iter().map(Pid::from_raw).collect()
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
        let parent = seen(pid.as_raw()).map(|seen| Pid::from_raw(seen.parent));
        !parent.is_some_and(|parent| pids.contains(&parent))
    };
    let lines = pids.iter().filter(is_first).filter_map(|pid| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let words = String::from_utf8_lossy(&line).replace(char::is_control, " ");
        Some(words.trim().to_owned())
    });
    lines.filter(|line| !line.is_empty()).collect()
}

/// Returns the processes below one, without it.
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
        let variables = variables(pid);
        let is_marked = variables.split(|&byte| byte == 0).any(&is_mark);
        if is_marked || known.contains(&Pid::from_raw(pid)) {
            found.insert(pid);
        }
    }
    // A child may have cleared its environment.
    with_children(&parents, found).into_iter().map(Pid::from_raw).collect()
}

/// Returns a process's environment, as far as this user may read it. During an `exec` the environment is briefly empty. Such a process
/// would be taken for an unmarked one and outlive its command, so an empty environment is read again.
fn variables(pid: i32) -> Vec<u8> {
    /// More than nearly all processes have.
    const MAX_USUAL_BYTES: usize = 128 * 1024;
    let mut reads = 0;
    loop {
        // In one read: an `exec` after the first of several ends the file.
        let mut variables = Vec::with_capacity(MAX_USUAL_BYTES);
        let file = std::fs::File::open(format!("/proc/{pid}/environ"));
        let _ = file.and_then(|mut file| file.read_to_end(&mut variables));
        reads += 1;
        if !variables.is_empty() || seen(pid).is_none_or(|seen| reads >= seen.max_reads()) {
            return variables;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
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

fn all() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Returns a process's parent, unless the process is a zombie.
fn living_parent(pid: i32) -> Option<i32> {
    seen(pid).map(|seen| seen.parent)
}

/// A process that is not a zombie.
struct Seen {
    parent: i32,
    /// When it was started, in ticks of the system's clock.
    started: u64,
    flags: u64,
    /// The addresses at which its variables begin and end, 0 until they are in place.
    variables: (u64, u64),
}

impl Seen {
    /// How often an empty environment is read until it is believed.
    fn max_reads(&self) -> usize {
        /// `PF_KTHREAD`: a thread of the kernel.
        const KERNEL_THREAD: u64 = 0x0020_0000;
        match self.variables {
            _ if self.flags & KERNEL_THREAD != 0 => 1,
            (_, 0) => 50,
            _ => 5,
        }
    }
}

fn seen(pid: i32) -> Option<Seen> {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // `pid (name) state parent …`; the name may contain any character, including parentheses.
    let (_, rest) = line.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    // Numbered as in proc_pid_stat(5); the state is field 3.
    let field = |number: usize| fields.get(number - 3)?.parse().ok();
    let is_living = !matches!(*fields.first()?, "Z" | "X");
    is_living.then_some(Seen {
        parent: fields.get(1)?.parse().ok()?,
        flags: field(9)?,
        started: field(22)?,
        variables: (field(50)?, field(51)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::process::Stdio;

    #[test]
    fn a_mark_names_the_engine_of_the_owners_command() {
        for (mark, owner, want) in [
            ("12.0-abc-1", "abc", Some(12)),
            ("way-12.3-abc-1", "abc", Some(12)),
            ("12.0-abc-def-1", "abc-def", Some(12)),
            ("12.0-abcd-1", "abc", None),
            ("12.0-abc", "abc", None),
            ("12.0-other-abc-1", "abc", None),
            ("x.0-abc-1", "abc", None),
            ("", "abc", None),
        ] {
            assert_eq!(engine_of(mark, owner), want, "{mark} of {owner}");
        }
    }

    /// A chain of programs, each of which becomes the next one, is always found.
    #[cfg(target_os = "linux")]
    #[test]
    fn no_process_is_overlooked_while_it_becomes_another_program() {
        let owner = format!("chain-{}", std::process::id());
        let mark = format!("{owner}-1");
        let mut command = std::process::Command::new("sh");
        let line = "n=0; [ -z \"$1\" ] || n=$1; n=$((n + 1)); [ $n -lt 300 ] || { echo; exec cat; }; exec sh -c \"$0\" \"$0\" $n";
        let mut child = command
            .args(["-c", line, line])
            .env(MARK, &mark)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
        let mut output = child.stdout.take().unwrap();
        let end = std::thread::spawn(move || output.read_exact(&mut [0]).unwrap());
        let mut missed = 0;
        while !end.is_finished() {
            missed += usize::from(living(&mark, &[]) != [pid]);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(missed, 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_processes_of_an_engine_that_is_gone_are_abandoned() {
        let own = std::process::id();
        // What it was started with can be seen a moment after it was started only; one that answers has come that far.
        let start = |engine: u32, owner: &str| {
            let mark = format!("{engine}.0-{owner}-1");
            let mut command = std::process::Command::new("cat");
            let mut child = command
                .env(MARK, mark)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            child.stdin.as_mut().unwrap().write_all(b"!").unwrap();
            child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
            child
        };
        // The id of an ended process is free for a while.
        let mut gone = std::process::Command::new("true").spawn().unwrap();
        gone.wait().unwrap();
        let owner = format!("owner-{own}");
        let mut living = [start(own, &owner), start(gone.id(), "another")];
        let mut left = start(gone.id(), &owner);
        let found = abandoned(&owner);
        let lines = command_lines(&found);
        left.kill().unwrap();
        left.wait().unwrap();
        for child in &mut living {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert_eq!(found, [Pid::from_raw(i32::try_from(left.id()).unwrap())]);
        assert_eq!(lines, ["cat"]);
        assert!(abandoned(&owner).is_empty());
    }
}
