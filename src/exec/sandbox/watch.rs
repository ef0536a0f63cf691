//! Records which files a confined command changes.
//!
//! A second seccomp filter reports the calls that may change a file by its path: opening for writing, renaming, linking, removing,
//! truncating and changing modes. Each call blocks until a thread of the engine has read the path and continued it, so the log is complete
//! when the command ends. Since the filter enforces nothing, a hostile program that swaps the path afterwards gains nothing.
//!
//! The thread lives as long as the command's processes: without a listener the kernel fails the reported calls.

use super::bpf::{ALLOW, Assembler, Is, Label, Word};
use super::{filters, wire};
use crate::exec::write_log::WriteLog;
use nix::errno::Errno;
use nix::libc::{self, sock_filter};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;
use std::ffi::OsStr;
use std::io::{self, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

/// The largest file whose content is kept.
const MAX_FOUND_BYTES: u64 = 8 * 1024 * 1024;

/// The answer that reports a call.
const REPORT: Label = Label::Return(libc::SECCOMP_RET_USER_NOTIF);

/// The flags of an open that may change the file.
const WRITING: u32 =
    (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC).cast_unsigned();

/// `chmod` relative to a folder, with flags; too new for `libc` on some architectures.
const SYS_FCHMODAT2: libc::c_long = 452;

/// The argument that holds a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    /// A path at this argument, relative to the working directory.
    Here(usize),
    /// A path at the second argument, relative to the folder whose descriptor is at the first.
    In(usize, usize),
    /// The file whose descriptor is at this argument.
    Open(usize),
}

/// The reported calls and the paths that they change. Where the argument with flags is named, a call without [`WRITING`] passes.
fn calls() -> Vec<(libc::c_long, Option<u32>, &'static [Named])> {
    use Named::{Here, In, Open};
    let mut calls: Vec<(libc::c_long, Option<u32>, &'static [Named])> = vec![
        (libc::SYS_openat, Some(2), &[In(0, 1)]),
        (libc::SYS_openat2, None, &[In(0, 1)]),
        (libc::SYS_renameat, None, &[In(0, 1), In(2, 3)]),
        (libc::SYS_renameat2, None, &[In(0, 1), In(2, 3)]),
        (libc::SYS_linkat, None, &[In(2, 3)]),
        (libc::SYS_symlinkat, None, &[In(1, 2)]),
        (libc::SYS_unlinkat, None, &[In(0, 1)]),
        (libc::SYS_truncate, None, &[Here(0)]),
        (libc::SYS_fchmodat, None, &[In(0, 1)]),
        (SYS_FCHMODAT2, None, &[In(0, 1)]),
        (libc::SYS_fchmod, None, &[Open(0)]),
    ];
    #[cfg(target_arch = "x86_64")]
    calls.extend([
        (libc::SYS_open, Some(1), &[Here(0)][..]),
        (libc::SYS_creat, None, &[Here(0)]),
        (libc::SYS_rename, None, &[Here(0), Here(1)]),
        (libc::SYS_link, None, &[Here(1)]),
        (libc::SYS_symlink, None, &[Here(1)]),
        (libc::SYS_unlink, None, &[Here(0)]),
        (libc::SYS_chmod, None, &[Here(0)]),
    ]);
    calls
}

/// Assembles the filter; none if there is none for this architecture.
pub(super) fn compile() -> Option<Vec<sock_filter>> {
    let architecture = filters::architecture(std::env::consts::ARCH)?;
    let mut code = Assembler::default();
    code.load(Word::Architecture);
    let known = code.label();
    code.jump(Is::Equal(architecture), known, ALLOW);
    code.place(known);
    code.load(Word::Number);
    let mut judged = Vec::new();
    let mut numbers = Vec::new();
    for (number, flags, _) in calls() {
        let label = match flags {
            None => REPORT,
            Some(argument) => {
                let label = code.label();
                judged.push((label, argument));
                label
            }
        };
        numbers.push((u32::try_from(number).ok()?, label));
    }
    numbers.sort_unstable();
    code.search(&numbers, ALLOW);
    for (label, argument) in judged {
        code.place(label);
        code.load(Word::Argument(argument));
        code.jump(Is::AnyOf(WRITING), REPORT, ALLOW);
    }
    code.assemble()
}

/// Installs the filter in this process, permanently. Returns the descriptor that reports its calls, or `None` if the kernel or an outer
/// sandbox refuses.
pub(super) fn install(program: &[sock_filter]) -> Option<OwnedFd> {
    // Waiting calls are only interrupted by signals that kill: others, such as the frequent ones of Go programs, would repeat them.
    let wait_killable = libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    let listener = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
    [listener | wait_killable, listener]
        .into_iter()
        .find_map(|flags| filters::install(program, flags).ok())
        .map(wire::owned)
}

nix::ioctl_readwrite!(receive, b'!', 0, libc::seccomp_notif);
nix::ioctl_readwrite!(respond, b'!', 1, libc::seccomp_notif_resp);
nix::ioctl_write_ptr!(is_valid, b'!', 2, u64);

/// Starts the thread that logs what is reported.
pub(super) fn start(listener: OwnedFd, log: WriteLog) -> io::Result<()> {
    log.watch();
    std::thread::Builder::new()
        .name("writes".to_owned())
        .stack_size(128 * 1024)
        .spawn(move || while let Some(()) = next(&listener, &log) {})
        .map(drop)
}

/// Handles one report and continues its call; `None` once all processes have ended.
#[expect(unsafe_code, reason = "requests of the kernel without a wrapper")]
fn next(listener: &OwnedFd, log: &WriteLog) -> Option<()> {
    let mut ready = [PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
    match poll(&mut ready, PollTimeout::NONE) {
        Err(Errno::EINTR) => return Some(()),
        Err(_) => return None,
        Ok(_) => {}
    }
    let events = ready.first().and_then(PollFd::revents).unwrap_or(PollFlags::POLLHUP);
    if !events.contains(PollFlags::POLLIN) {
        return None;
    }
    // Safety: all bytes zero is a report of nothing, as the kernel wants it.
    let mut report: libc::seccomp_notif = unsafe { std::mem::zeroed() };
    // Safety: the report lives until the call returns, and has the expected size.
    match unsafe { receive(listener.as_raw_fd(), &raw mut report) } {
        // The process was killed meanwhile.
        Err(Errno::ENOENT | Errno::EINTR) => return Some(()),
        Err(_) => return None,
        Ok(_) => {}
    }
    let paths = changed(&report);
    // Safety: the number lives until the call returns.
    let is_current = unsafe { is_valid(listener.as_raw_fd(), &raw const report.id) }.is_ok();
    // If the process has ended, its number may have been reused.
    if is_current {
        for path in paths {
            match path {
                Some(path) => {
                    for path in places(&path) {
                        let found = log.is_new(&path).and_then(|since| written_since(&path, since));
                        log.add(path, found);
                    }
                }
                None => log.add_unknown(),
            }
        }
    }
    let mut answer = libc::seccomp_notif_resp {
        id: report.id,
        val: 0,
        error: 0,
        flags: libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE.try_into().unwrap_or(1),
    };
    // Safety: the answer lives until the call returns. It fails if the process was killed.
    let _ = unsafe { respond(listener.as_raw_fd(), &raw mut answer) };
    Some(())
}

/// Returns the content of a file that was modified since a time. The command has not changed it yet, so somebody else has.
fn written_since(path: &Path, since: SystemTime) -> Option<Vec<u8>> {
    let facts = std::fs::symlink_metadata(path).ok()?;
    let is_new = facts.is_file() && facts.modified().ok()? >= since;
    if !is_new || facts.len() > MAX_FOUND_BYTES {
        return None;
    }
    std::fs::read(path).ok()
}

/// Returns the absolute paths that a reported call changes; `None` for an unreadable one.
fn changed(report: &libc::seccomp_notif) -> Vec<Option<PathBuf>> {
    let number = libc::c_long::from(report.data.nr);
    let Some((.., named)) = calls().into_iter().find(|(call, ..)| *call == number) else {
        return vec![None];
    };
    let Ok(thread) = i32::try_from(report.pid) else { return vec![None] };
    let argument = |at: usize| report.data.args.get(at).copied().unwrap_or_default();
    let below = |link: String, path: u64| {
        let path = text(thread, path)?;
        if path.is_absolute() {
            return Some(path);
        }
        Some(std::fs::read_link(format!("/proc/{thread}/{link}")).ok()?.join(path))
    };
    named
        .iter()
        .map(|named| match *named {
            Named::Here(path) => below("cwd".to_owned(), argument(path)),
            Named::In(folder, path) => {
                // The kernel reads the low half.
                #[expect(clippy::cast_possible_truncation, reason = "a descriptor has 32 bits")]
                let folder = argument(folder) as i32;
                let link = if folder == libc::AT_FDCWD {
                    "cwd".to_owned()
                } else {
                    format!("fd/{folder}")
                };
                below(link, argument(path))
            }
            Named::Open(file) => {
                std::fs::read_link(format!("/proc/{thread}/fd/{}", argument(file))).ok()
            }
        })
        .collect()
}

/// Reads a path from the memory of a process.
fn text(thread: i32, address: u64) -> Option<PathBuf> {
    const PAGE: u64 = 4096;
    let mut bytes = Vec::new();
    let mut at = address;
    // Unreadable memory may follow the path, so no read crosses a page.
    while bytes.len() < libc::PATH_MAX as usize {
        let mut piece = vec![0; usize::try_from(PAGE - at % PAGE).ok()?];
        let remote = [RemoteIoVec { base: usize::try_from(at).ok()?, len: piece.len() }];
        let mut local = [IoSliceMut::new(&mut piece)];
        let read = process_vm_readv(Pid::from_raw(thread), &mut local, &remote).ok()?;
        let piece = piece.get(..read)?;
        if let Some(end) = piece.iter().position(|byte| *byte == 0) {
            bytes.extend_from_slice(piece.get(..end)?);
            return Some(PathBuf::from(OsStr::from_bytes(&bytes)));
        }
        bytes.extend_from_slice(piece);
        at += u64::try_from(read).ok()?;
    }
    None
}

/// Returns the canonical forms of a path: with its last component as named, and with a link there resolved.
fn places(path: &Path) -> Vec<PathBuf> {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                // A link's parent is that of its target.
                clean = std::fs::canonicalize(&clean).unwrap_or(clean);
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    let parent = clean.parent().and_then(|parent| std::fs::canonicalize(parent).ok());
    let named = match (parent, clean.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => clean,
    };
    let target = std::fs::canonicalize(&named).ok().filter(|target| *target != named);
    std::iter::once(named).chain(target).collect()
}
