//! Records which files a confined command changes, and denies it files with protected names, and programs that rules deny.
//!
//! A second seccomp filter reports the calls that may change a file by its path: opening for writing, creating, renaming, linking,
//! removing, truncating and changing modes. Each call blocks until an engine thread has read the path and either continued or failed it, so
//! the log is complete when the command ends.
//!
//! The kernel reads the path again when a call is continued. A program that swaps it in between, from another thread, can create a
//! protected file or change one in a subdirectory. Mounts protect the existing files at the top of the workspace against that.
//!
//! Paths are resolved as the command sees them, starting at its root; within the workspace they are the same for this process.
//!
//! The thread lives as long as the command's processes: without a listener the kernel fails the reported calls.

mod resolver;
mod sockets;
mod start;

use super::bpf::{ALLOW, Assembler, Is, Label, Word};
use super::wire::Watched;
use super::{Names, filters, wire};
use crate::write_log::WriteLog;
use nix::errno::Errno;
use nix::fcntl::AtFlags;
use nix::libc::{self, sock_filter};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::stat::fstatat;
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;
use resolver::{Resolved, Resolver, absolute};
pub(super) use start::DeniedFiles;
use start::Started;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// The largest file whose content is kept.
const MAX_FOUND_BYTES: u64 = 8 * 1024 * 1024;

/// The answer that reports a call.
const REPORT: Label = Label::Return(libc::SECCOMP_RET_USER_NOTIF);

/// The open flags that may change the file.
const WRITING: u32 =
    (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC).cast_unsigned();

/// `chmod` relative to a directory, with flags; too new for `libc` on some architectures.
const SYS_FCHMODAT2: libc::c_long = 452;

/// The argument that contains a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    /// A path at this argument, relative to the working directory.
    Here(usize),
    /// A path at the second argument, relative to the directory whose descriptor is at the first.
    In(usize, usize),
    /// The file whose descriptor is at this argument.
    Open(usize),
}

/// How a call affects the files it refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Changes the file, and follows links.
    Changes,
    /// Changes the file, if the flags in the structure at this argument include writing.
    ChangesBy(usize),
    /// Removes or creates the name.
    Names,
    /// Creates a directory with the name, unless there is one.
    Folders,
    /// Moves the first to the second.
    Moves,
    /// Makes the second a name of the first.
    Links,
    /// Starts the program, with the words whose addresses are at this argument.
    Starts(usize),
    /// Reaches the socket whose address is at this argument, followed by its length.
    Reaches(usize),
}

/// A reported call. If an argument and bits are given, a call without one of these bits passes.
struct Reported {
    number: libc::c_long,
    flags: Option<(u32, u32)>,
    effect: Effect,
    named: &'static [Named],
}

/// Returns the reported calls and the paths that they change.
fn calls() -> &'static [Reported] {
    use Effect::{Changes, ChangesBy, Folders, Links, Moves, Names, Reaches, Starts};
    use Named::{Here, In, Open};
    const fn call(
        number: libc::c_long,
        flags: Option<(u32, u32)>,
        effect: Effect,
        named: &'static [Named],
    ) -> Reported {
        Reported { number, flags, effect, named }
    }
    const CALLS: &[Reported] = &[
        call(libc::SYS_openat, Some((2, WRITING)), Changes, &[In(0, 1)]),
        call(libc::SYS_openat2, None, ChangesBy(2), &[In(0, 1)]),
        call(libc::SYS_renameat, None, Moves, &[In(0, 1), In(2, 3)]),
        call(libc::SYS_renameat2, None, Moves, &[In(0, 1), In(2, 3)]),
        call(libc::SYS_linkat, None, Links, &[In(0, 1), In(2, 3)]),
        call(libc::SYS_symlinkat, None, Names, &[In(1, 2)]),
        call(libc::SYS_unlinkat, None, Names, &[In(0, 1)]),
        call(libc::SYS_mknodat, None, Names, &[In(0, 1)]),
        call(libc::SYS_mkdirat, None, Folders, &[In(0, 1)]),
        call(libc::SYS_truncate, None, Changes, &[Here(0)]),
        call(libc::SYS_fchmodat, None, Changes, &[In(0, 1)]),
        call(SYS_FCHMODAT2, None, Changes, &[In(0, 1)]),
        call(libc::SYS_fchmod, None, Changes, &[Open(0)]),
        call(libc::SYS_execve, None, Starts(1), &[Here(0)]),
        call(libc::SYS_execveat, None, Starts(2), &[In(0, 1)]),
        call(libc::SYS_connect, None, Reaches(1), &[]),
        // Without an address, the message goes to the connected socket.
        call(libc::SYS_sendto, Some((4, u32::MAX)), Reaches(4), &[]),
        #[cfg(target_arch = "x86_64")]
        call(libc::SYS_open, Some((1, WRITING)), Changes, &[Here(0)]),
        #[cfg(target_arch = "x86_64")]
        call(libc::SYS_creat, None, Changes, &[Here(0)]),
        #[cfg(target_arch = "x86_64")]
        call(libc::SYS_rename, None, Moves, &[Here(0), Here(1)]),
        #[cfg(target_arch = "x86_64")]
        call(libc::SYS_link, None, Links, &[Here(0), Here(1)]),
        #[cfg(target_arch = "x86_64")]
        call(libc::SYS_symlink, None, Names, &[Here(1)]),
        #[cfg(target_arch = "x86_64")]
        call(libc::SYS_unlink, None, Names, &[Here(0)]),
        #[cfg(target_arch = "x86_64")]
        call(libc::SYS_mknod, None, Names, &[Here(0)]),
        #[cfg(target_arch = "x86_64")]
        call(libc::SYS_mkdir, None, Folders, &[Here(0)]),
        #[cfg(target_arch = "x86_64")]
        call(libc::SYS_chmod, None, Changes, &[Here(0)]),
    ];
    CALLS
}

/// Assembles the filter that reports these calls; `None` if this architecture has none.
pub(super) fn compile(wanted: Watched) -> Option<Vec<sock_filter>> {
    let architecture = filters::architecture(std::env::consts::ARCH)?;
    let mut code = Assembler::default();
    code.load(Word::Architecture);
    let known = code.label();
    code.jump(Is::Equal(architecture), known, ALLOW);
    code.place(known);
    code.load(Word::Number);
    let mut judged = Vec::new();
    let mut numbers = Vec::new();
    let is_wanted = |call: &&Reported| match call.effect {
        Effect::Starts(_) => wanted.programs,
        Effect::Reaches(_) => wanted.sockets,
        Effect::Changes
        | Effect::ChangesBy(_)
        | Effect::Names
        | Effect::Folders
        | Effect::Moves
        | Effect::Links => wanted.files,
    };
    for Reported { number, flags, .. } in calls().iter().filter(is_wanted) {
        let label = match flags {
            None => REPORT,
            Some(flags) => {
                let label = code.label();
                judged.push((label, *flags));
                label
            }
        };
        numbers.push((u32::try_from(*number).ok()?, label));
    }
    numbers.sort_unstable();
    code.search(&numbers, ALLOW);
    for (label, (argument, bits)) in judged {
        code.place(label);
        code.load(Word::Argument(argument));
        code.jump(Is::AnyOf(bits), REPORT, ALLOW);
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

/// The files and programs denied to a command. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept(Arc<Mutex<Denied>>);

#[derive(Debug, Default)]
struct Denied {
    paths: BTreeSet<PathBuf>,
    programs: BTreeSet<String>,
}

impl Kept {
    /// Beyond this number, files are protected but not listed.
    const MAX: usize = 100;

    fn add(&self, path: PathBuf) {
        let paths = &mut self.denied().paths;
        if paths.len() < Self::MAX {
            paths.insert(path);
        }
    }

    fn add_program(&self, words: &[String]) {
        let programs = &mut self.denied().programs;
        if programs.len() < Self::MAX {
            programs.insert(words.join(" "));
        }
    }

    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.denied().paths.iter().cloned().collect()
    }

    pub(super) fn programs(&self) -> Vec<String> {
        self.denied().programs.iter().cloned().collect()
    }

    fn denied(&self) -> MutexGuard<'_, Denied> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state of one command's reports.
#[derive(Debug, Default)]
struct State {
    /// The command's root directory, once it is open.
    root: Option<OwnedFd>,
    /// True once the command's shell was started.
    has_begun: bool,
}

/// How to handle a command's reports.
#[derive(Debug)]
pub(super) struct Watcher {
    /// Receives the changed paths.
    pub(super) log: Option<WriteLog>,
    /// Files and programs that must not be changed, created or started, by name.
    pub(super) names: Names,
    /// True if the command may change files, except for the protected ones.
    pub(super) keeps_files: bool,
    /// The files of programs that must not be started.
    pub(super) programs: DeniedFiles,
    pub(super) kept: Kept,
}

impl Watcher {
    /// Starts the thread that handles the reports.
    pub(super) fn start(self, listener: OwnedFd) -> io::Result<()> {
        if let Some(log) = &self.log {
            log.watch();
        }
        std::thread::Builder::new()
            .name("writes".to_owned())
            .stack_size(256 * 1024)
            .spawn(move || {
                let mut state = State::default();
                while let Some(()) = self.next(&listener, &mut state) {}
            })
            .map(drop)
    }

    /// Handles one report; `None` once all processes have ended.
    #[expect(unsafe_code, reason = "requests of the kernel without a wrapper")]
    fn next(&self, listener: &OwnedFd, state: &mut State) -> Option<()> {
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
        let seen = Seen::new(&report, &mut state.root);
        // The engine itself starts the shell that runs the command.
        let is_start = matches!(seen.effect, Effect::Starts(_));
        let is_own = is_start && !std::mem::replace(&mut state.has_begun, true);
        // Safety: the number lives until the call returns.
        let is_current = unsafe { is_valid(listener.as_raw_fd(), &raw const report.id) }.is_ok();
        // If the process has ended, its id may have been reused.
        let is_denied = is_current && !is_own && self.denies(&seen);
        if is_current && !is_denied {
            self.record(&seen);
        }
        let mut answer = libc::seccomp_notif_resp { id: report.id, val: 0, error: 0, flags: 0 };
        if is_denied {
            // The errors of a file that is not executable, a socket without a listener, and a read-only mount.
            answer.error = match seen.effect {
                Effect::Starts(_) => -libc::EACCES,
                Effect::Reaches(_) => -libc::ECONNREFUSED,
                _ => -libc::EROFS,
            };
        } else {
            answer.flags = libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE.try_into().unwrap_or(1);
        }
        // Safety: the answer lives until the call returns. It fails if the process was killed.
        let _ = unsafe { respond(listener.as_raw_fd(), &raw mut answer) };
        Some(())
    }

    /// Returns true if a call must fail.
    fn denies(&self, seen: &Seen) -> bool {
        match seen.effect {
            Effect::Starts(_) => return self.denies_start(seen),
            Effect::Reaches(_) => return seen.is_socket_of_others,
            _ if !self.keeps_files || !seen.changes => return false,
            _ => {}
        }
        let mut is_denied = false;
        for resolved in &seen.paths {
            // An unreadable path may be any path.
            let Some(Resolved { named, target }) = resolved else { return true };
            let target = match seen.effect {
                Effect::Changes | Effect::ChangesBy(_) | Effect::Links => target.as_ref(),
                Effect::Names
                | Effect::Folders
                | Effect::Moves
                | Effect::Starts(_)
                | Effect::Reaches(_) => None,
            };
            // The kernel refuses an existing directory, and `mkdir -p` expects that.
            if seen.effect == Effect::Folders && named.symlink_metadata().is_ok() {
                continue;
            }
            for path in std::iter::once(named).chain(target) {
                if self.names.is_obeyed(path) {
                    self.kept.add(path.clone());
                    is_denied = true;
                }
            }
        }
        if let (false, Effect::Moves, [Some(from), Some(to)]) =
            (is_denied, seen.effect, seen.paths.as_slice())
        {
            // An exchange moves both.
            for (from, to) in [(from, to), (to, from)] {
                if let Some(path) = self.moved_to(&from.named, &to.named) {
                    self.kept.add(path);
                    is_denied = true;
                }
            }
        }
        is_denied
    }

    /// Returns true if a program must not be started: by its path, its name, its link's target, its first word, or its content. Script
    /// interpreters and programs that a loader may run are judged as well.
    fn denies_start(&self, seen: &Seen) -> bool {
        // An unreadable path may be any.
        let Some(Some(path)) = seen.paths.first() else { return true };
        let denied = start::candidates(path, &seen.words, seen.file.as_ref(), &self.programs)
            .into_iter()
            .chain(seen.behind.iter().flat_map(|Started { path, file, words }| {
                start::candidates(path, words, file.as_ref(), &self.programs)
            }))
            .find(|words| self.names.denies_program(words));
        if let Some(words) = &denied {
            self.kept.add_program(words);
        }
        denied.is_some()
    }

    /// Returns a file that would lose or gain protection by its name if a directory were moved.
    fn moved_to(&self, from: &Path, to: &Path) -> Option<PathBuf> {
        /// A larger directory may only be moved if names mean the same in both places.
        const MAX: usize = 20_000;
        let is_folder = from.symlink_metadata().is_ok_and(|found| found.is_dir());
        let mut folders = if is_folder { vec![from.to_path_buf()] } else { Vec::new() };
        let mut seen = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok) {
                let path = entry.path();
                let moved = to.join(path.strip_prefix(from).ok()?);
                match (self.names.is_obeyed(&path), self.names.is_obeyed(&moved)) {
                    (false, true) => return Some(moved),
                    (true, false) => return Some(path),
                    (true, true) | (false, false) => {}
                }
                if self.names.is_secret(&path) && !self.names.is_secret(&moved) {
                    return Some(path);
                }
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(path);
                }
                seen += 1;
            }
            if seen > MAX {
                // Any name that is protected in every directory shows whether the two places differ.
                let is_kept = |folder: &Path| self.names.is_obeyed(&folder.join("x/.git/config"));
                let is_dotted = to.file_name().unwrap_or_default().as_bytes().starts_with(b".");
                return (is_dotted || is_kept(from) != is_kept(to)).then(|| to.to_path_buf());
            }
        }
        None
    }

    fn record(&self, seen: &Seen) {
        let is_of_files = seen.changes && seen.effect != Effect::Folders;
        let Some(log) = self.log.as_ref().filter(|_| is_of_files) else { return };
        // The other name of a link is not changed.
        let skipped = usize::from(seen.effect == Effect::Links);
        for resolved in seen.paths.iter().skip(skipped) {
            let Some(Resolved { named, target }) = resolved else {
                log.add_unknown();
                continue;
            };
            for path in std::iter::once(named).chain(target) {
                let found = log.is_new(path).and_then(|since| written_since(path, since));
                log.add(path.clone(), found);
            }
        }
    }
}

/// A reported call.
#[derive(Debug)]
struct Seen {
    effect: Effect,
    /// False if it only reads.
    changes: bool,
    /// The call's paths, resolved; `None` for an unreadable one.
    paths: Vec<Option<Resolved>>,
    /// The words with which a program is started.
    words: Vec<String>,
    /// The program's file, opened.
    file: Option<File>,
    /// The programs that run instead: a script's interpreters, or a loader's arguments.
    behind: Vec<Started>,
    /// True if the call reaches another program's socket.
    is_socket_of_others: bool,
}

impl Seen {
    fn new(report: &libc::seccomp_notif, root: &mut Option<OwnedFd>) -> Self {
        let unknown = Self {
            effect: Effect::Changes,
            changes: true,
            paths: vec![None],
            words: Vec::new(),
            file: None,
            behind: Vec::new(),
            is_socket_of_others: false,
        };
        let number = libc::c_long::from(report.data.nr);
        let Some(call) = calls().iter().find(|call| call.number == number) else { return unknown };
        let Ok(thread) = i32::try_from(report.pid) else { return unknown };
        let argument = |at: usize| report.data.args.get(at).copied().unwrap_or_default();
        if let Effect::ChangesBy(at) = call.effect {
            // `struct open_how` begins with the flags.
            let mut flags = [0; 8];
            let is_read = read(thread, argument(at), &mut flags) == Some(flags.len());
            if is_read && u64::from_le_bytes(flags) & u64::from(WRITING) == 0 {
                return Self { changes: false, paths: Vec::new(), effect: call.effect, ..unknown };
            }
        }
        // The program may be in another mount namespace than the command's shell.
        if root.is_none() || matches!(call.effect, Effect::Starts(_)) {
            *root = resolver::open_root(thread);
        }
        let paths = call.named.iter().map(|named| {
            let path = match *named {
                Named::Here(path) => below(thread, "cwd", argument(path))?,
                Named::In(folder, path) => {
                    // The kernel reads the low half.
                    #[expect(clippy::cast_possible_truncation, reason = "a descriptor has 32 bits")]
                    let folder = argument(folder) as i32;
                    let link = match folder {
                        libc::AT_FDCWD => "cwd".to_owned(),
                        folder => format!("fd/{folder}"),
                    };
                    below(thread, &link, argument(path))?
                }
                Named::Open(file) => {
                    std::fs::read_link(format!("/proc/{thread}/fd/{}", argument(file))).ok()?
                }
            };
            Resolver { thread, root: root.as_ref()? }.resolve(&path)
        });
        let paths = paths.collect();
        let mut seen = Self { effect: call.effect, paths, ..unknown };
        match call.effect {
            Effect::Starts(at) => {
                seen.changes = false;
                seen.words = read_arguments(thread, argument(at));
                if let Some(root) = root.as_ref() {
                    // `execveat` of an open file gives its descriptor and an empty path.
                    let by_descriptor = matches!(call.named, [Named::In(..)])
                        && text(thread, argument(1))
                            .is_some_and(|path| path.as_os_str().is_empty());
                    let descriptor = by_descriptor.then(|| argument(0));
                    seen.look_at_program(descriptor, &Resolver { thread, root });
                }
            }
            Effect::Reaches(at) => {
                seen.changes = false;
                let is_of_others = |root: &OwnedFd| {
                    let path = socket_path(thread, argument(at), argument(at + 1))?;
                    let resolved = Resolver { thread, root }.resolve(&path)?;
                    let found = file_facts(root, resolved.file())?;
                    Some(sockets::are_others(found.st_ino, resolved.file()))
                };
                seen.is_socket_of_others = root.as_ref().and_then(is_of_others).unwrap_or(false);
            }
            _ => {}
        }
        seen
    }

    /// Opens the started program, and finds the programs that run instead.
    fn look_at_program(&mut self, descriptor: Option<u64>, resolver: &Resolver<'_>) {
        let Some(Some(path)) = self.paths.first() else { return };
        self.file = match descriptor {
            Some(descriptor) => resolver.open_descriptor(&descriptor.to_string()),
            None => resolver.open(path),
        };
        self.behind = start::behind(path, self.file.as_ref(), &self.words, resolver);
    }
}

/// Returns the facts about a socket, as the process sees it.
fn file_facts(root: &OwnedFd, path: &Path) -> Option<nix::sys::stat::FileStat> {
    let relative = path.strip_prefix("/").ok()?;
    let facts = fstatat(root, relative, AtFlags::AT_SYMLINK_NOFOLLOW).ok()?;
    (facts.st_mode & libc::S_IFMT == libc::S_IFSOCK).then_some(facts)
}

/// Extracts the path from a Unix socket address. Other addresses have none.
fn socket_path(thread: i32, address: u64, length: u64) -> Option<PathBuf> {
    let mut bytes = [0; size_of::<libc::sockaddr_un>()];
    let length = usize::try_from(length & 0xffff_ffff).ok()?.min(bytes.len());
    let count = read(thread, address, bytes.get_mut(..length)?)?;
    let (family, path) = bytes.get(..count)?.split_first_chunk::<2>()?;
    let is_unix = i32::from(u16::from_ne_bytes(*family)) == libc::AF_UNIX;
    // An abstract name begins with a zero.
    let path = path.split(|byte| *byte == 0).next().filter(|path| is_unix && !path.is_empty())?;
    absolute(thread, "cwd", PathBuf::from(OsStr::from_bytes(path)))
}

/// Returns the path at an address as an absolute one. `link` identifies the directory to which a relative path is relative.
fn below(thread: i32, link: &str, address: u64) -> Option<PathBuf> {
    absolute(thread, link, text(thread, address)?)
}

/// Reads a file if it was modified after a time. The command has not changed it yet, so another process has.
fn written_since(path: &Path, since: SystemTime) -> Option<Vec<u8>> {
    let facts = std::fs::symlink_metadata(path).ok()?;
    let is_new = facts.is_file() && facts.modified().ok()? >= since;
    if !is_new || facts.len() > MAX_FOUND_BYTES {
        return None;
    }
    std::fs::read(path).ok()
}

/// Reads the words that a program is started with, from the addresses of each. Those behind an unreadable one are left out.
fn read_arguments(thread: i32, address: u64) -> Vec<String> {
    /// Further words are ignored; no rule has as many.
    const MAX: u64 = 256;
    const SIZE: u64 = size_of::<u64>() as u64;
    let word = |at: u64| {
        let mut pointer = [0; size_of::<u64>()];
        let is_read = read(thread, address.checked_add(at * SIZE)?, &mut pointer)? == pointer.len();
        let pointer = u64::from_ne_bytes(pointer);
        let text = (is_read && pointer != 0).then(|| text(thread, pointer))??;
        Some(text.to_string_lossy().into_owned())
    };
    (0..MAX).map_while(word).collect()
}

/// Reads a path from a process's memory.
fn text(thread: i32, address: u64) -> Option<PathBuf> {
    const PAGE: u64 = 4096;
    let mut bytes = Vec::new();
    let mut at = address;
    // Unreadable memory may follow the path, so no read crosses a page.
    while bytes.len() < libc::PATH_MAX as usize {
        let mut piece = vec![0; usize::try_from(PAGE - at % PAGE).ok()?];
        let read = read(thread, at, &mut piece)?;
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

/// Reads a process's memory.
fn read(thread: i32, address: u64, bytes: &mut [u8]) -> Option<usize> {
    let remote = [RemoteIoVec { base: usize::try_from(address).ok()?, len: bytes.len() }];
    process_vm_readv(Pid::from_raw(thread), &mut [IoSliceMut::new(bytes)], &remote).ok()
}
