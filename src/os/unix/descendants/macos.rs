//! Processes of macOS, by libproc and sysctl.
//!
//! The system hides the environment of Apple's programs, such as `/bin/sh` and `sleep`, so marks only find other programs. But every process
//! has a unique number and keeps its parent's number even after the parent has ended. So the engine remembers the numbers of each command's
//! processes: the first one, and every process found by a later search. When the first one ends, its group is searched too.
//!
//! A process is overlooked if its program hides the environment, it left its group, and the process that started it ended between two
//! searches. The watchdog learns all numbers, and ends these processes when the engine is gone.
#![expect(unsafe_code, reason = "libproc has no safe wrapper")]

use super::procargs;
use super::tree::{Identity, Row, family};
use super::watchdog::Watchdog;
use nix::libc::{self, c_int, c_void};
use nix::unistd::Pid;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// `PROC_ALL_PIDS` of `sys/proc_info.h`.
const ALL_PIDS: u32 = 1;

/// `PROC_PIDUNIQIDENTIFIERINFO` of `sys/proc_info.h`.
const UNIQUE_IDENTIFIER: c_int = 17;

/// `proc_uniqidentifierinfo` of `sys/proc_info.h`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct UniqueIdentifier {
    uuid: [u8; 16],
    own: u64,
    parent: u64,
    reserved: [u64; 3],
}

/// What this process knows of its commands' processes.
struct Memory {
    /// Their numbers, by the command's mark.
    numbers: BTreeMap<String, BTreeSet<u64>>,
    /// Learns of each.
    watchdog: Option<Watchdog>,
}

static MEMORY: Mutex<Memory> = Mutex::new(Memory { numbers: BTreeMap::new(), watchdog: None });

fn memory() -> MutexGuard<'static, Memory> {
    MEMORY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reports each process of a command to a watchdog from now on. The first one stays: it watches for the whole process.
pub(super) fn report_to(watchdog: impl FnOnce() -> Watchdog) {
    memory().watchdog.get_or_insert_with(watchdog);
}

/// Remembers a command's first process, which leads its group.
pub(in super::super) fn began(mark: &str, leader: Option<Pid>) {
    let identity = leader.and_then(|leader| identity(leader.as_raw()));
    let Some(Identity { own, .. }) = identity else { return };
    let mut memory = memory();
    if let Some(watchdog) = &memory.watchdog {
        watchdog.report(own);
    }
    // A connection has its mark later.
    if !mark.is_empty() {
        memory.numbers.entry(mark.to_owned()).or_default().insert(own);
    }
}

/// Remembers the processes that an ended leader left in its group, whose id the system may now use again.
pub(in super::super) fn leader_ended(mark: &str, leader: Pid) {
    let rows = all().filter_map(seen);
    let numbers = remembered(&|each| each == mark);
    let found = family(rows, &numbers, |row| group(row.pid) == Some(leader));
    remember(|each| each == mark, &found);
}

/// Forgets the commands whose marks start with `beginning`.
pub(in super::super) fn forget(beginning: &str) {
    memory().numbers.retain(|mark, _| !mark.starts_with(beginning));
}

/// Returns the remembered numbers of these commands.
pub(super) fn remembered(is_wanted: &dyn Fn(&str) -> bool) -> BTreeSet<u64> {
    let memory = memory();
    let wanted = memory.numbers.iter().filter(|(mark, _)| is_wanted(mark));
    wanted.flat_map(|(_, numbers)| numbers.iter().copied()).collect()
}

/// Remembers a search result.
pub(super) fn remember(is_wanted: impl Fn(&str) -> bool, found: &BTreeSet<i32>) {
    let numbers: Vec<u64> = found.iter().filter_map(|pid| Some(identity(*pid)?.own)).collect();
    let mut memory = memory();
    let Memory { numbers: known, watchdog } = &mut *memory;
    for (_, known) in known.iter_mut().filter(|(mark, _)| is_wanted(mark)) {
        for number in &numbers {
            if known.insert(*number)
                && let Some(watchdog) = watchdog
            {
                watchdog.report(*number);
            }
        }
    }
}

/// Returns the ids of all processes.
pub(super) fn all() -> impl Iterator<Item = i32> {
    /// Processes that start between the two calls.
    const SPARE: usize = 64;
    // Safety: without a buffer, the call only returns the size of one, in bytes.
    let bytes = unsafe { libc::proc_listpids(ALL_PIDS, 0, std::ptr::null_mut(), 0) };
    let count = usize::try_from(bytes).unwrap_or_default() / size_of::<c_int>();
    let mut pids: Vec<c_int> = vec![0; count + SPARE];
    let size = c_int::try_from(size_of_val(pids.as_slice())).unwrap_or_default();
    // Safety: the buffer is valid for `size` bytes, and the call writes at most that many.
    let bytes = unsafe { libc::proc_listpids(ALL_PIDS, 0, pids.as_mut_ptr().cast(), size) };
    pids.truncate(usize::try_from(bytes).unwrap_or_default() / size_of::<c_int>());
    pids.into_iter().filter(|pid| *pid > 0)
}

/// Returns a process, unless it is a zombie or belongs to another user.
pub(super) fn seen(pid: i32) -> Option<Row> {
    let info = basic(pid)?;
    Some(Row {
        pid,
        parent: i32::try_from(info.pbi_ppid).ok()?,
        started: info.pbi_start_tvsec * 1_000_000 + info.pbi_start_tvusec,
        identity: identity(pid),
    })
}

fn group(pid: i32) -> Option<Pid> {
    i32::try_from(basic(pid)?.pbi_pgid).ok().map(Pid::from_raw)
}

fn basic(pid: i32) -> Option<libc::proc_bsdinfo> {
    // Safety: a structure of plain numbers, for which zeros are valid.
    let mut info: libc::proc_bsdinfo = unsafe { std::mem::zeroed() };
    // Safety: `info` is the structure of this request.
    unsafe { ask(pid, libc::PROC_PIDTBSDINFO, Zombies::LeftOut, &mut info) }?;
    (info.pbi_status != libc::SZOMB).then_some(info)
}

fn identity(pid: i32) -> Option<Identity> {
    let mut info = UniqueIdentifier::default();
    // Safety: `info` is the structure of this request.
    unsafe { ask(pid, UNIQUE_IDENTIFIER, Zombies::Included, &mut info) }?;
    Some(Identity { own: info.own, parent: info.parent })
}

/// Whether a request is answered for a process that has ended and was not waited for.
#[derive(Clone, Copy)]
enum Zombies {
    LeftOut = 0,
    Included = 1,
}

/// Fills `info`. `None` if the process has ended or belongs to another user.
///
/// # Safety
/// `T` is the structure that the system fills for this request.
unsafe fn ask<T>(pid: i32, request: c_int, zombies: Zombies, info: &mut T) -> Option<()> {
    let size = c_int::try_from(size_of::<T>()).ok()?;
    let info = std::ptr::from_mut(info).cast::<c_void>();
    // Safety: the caller vouches for the type; `size` is its size.
    let filled = unsafe { libc::proc_pidinfo(pid, request, zombies as u64, info, size) };
    (filled == size).then_some(())
}

/// Returns a process's environment, as far as the system shows it.
pub(super) fn variables(pid: i32) -> Vec<u8> {
    let bytes = process_arguments(pid).unwrap_or_default();
    procargs::split(&bytes).map(|found| found.variables.to_vec()).unwrap_or_default()
}

/// Returns a process's arguments, each ended by a zero byte.
pub(super) fn command_line(pid: i32) -> Option<Vec<u8>> {
    let bytes = process_arguments(pid)?;
    Some(procargs::split(&bytes)?.arguments.to_vec())
}

fn process_arguments(pid: i32) -> Option<Vec<u8>> {
    let mut name = [libc::CTL_KERN, libc::KERN_PROCARGS2, pid];
    let mut size = max_arguments();
    let mut bytes = vec![0; size];
    // Safety: the name has three parts, and the buffer is valid for `size` bytes.
    let answer = unsafe {
        libc::sysctl(
            name.as_mut_ptr(),
            3,
            bytes.as_mut_ptr().cast(),
            &raw mut size,
            std::ptr::null_mut(),
            0,
        )
    };
    bytes.truncate(size);
    (answer == 0).then_some(bytes)
}

/// Returns the largest size of arguments and variables together, in bytes.
fn max_arguments() -> usize {
    /// One MiB since macOS 10.
    const USUAL: usize = 1024 * 1024;
    let mut name = [libc::CTL_KERN, libc::KERN_ARGMAX];
    let (mut found, mut size) = (0 as c_int, size_of::<c_int>());
    // Safety: the name has two parts, and the buffer is a `c_int`.
    let answer = unsafe {
        libc::sysctl(
            name.as_mut_ptr(),
            2,
            (&raw mut found).cast(),
            &raw mut size,
            std::ptr::null_mut(),
            0,
        )
    };
    if answer == 0 { usize::try_from(found).unwrap_or(USUAL) } else { USUAL }
}
