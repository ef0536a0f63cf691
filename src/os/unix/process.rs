//! Starting processes, and what their ends mean.

use super::family::Leader;
use super::pipe::BorrowedEnd;
use nix::sys::signal::Signal;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use tokio::process::{Child, Command};

/// Starts a process in a new session with these streams: stdin, stdout and stderr. `_mark` is already in its environment.
///
/// # Errors
/// The system's.
pub fn spawn(
    mut builder: Command,
    streams: [BorrowedEnd<'_>; 3],
    _mark: &str,
) -> io::Result<(Child, Option<Leader>)> {
    let [stdin, stdout, stderr] = streams;
    builder
        .stdin(Stdio::from(stdin.try_clone_to_owned()?))
        .stdout(Stdio::from(stdout.try_clone_to_owned()?))
        .stderr(Stdio::from(stderr.try_clone_to_owned()?));
    in_own_session(&mut builder);
    let child = builder.spawn()?;
    let leader = child.id().and_then(|id| i32::try_from(id).ok()).map(Leader::from_raw);
    Ok((child, leader))
}

#[expect(unsafe_code, reason = "a new session needs a call between fork and exec")]
fn in_own_session(builder: &mut Command) {
    // Safety: the closure only makes system calls that are async-signal-safe, and touches no memory of the parent.
    unsafe {
        builder.pre_exec(|| {
            nix::unistd::setsid()?;
            super::pty::take_over_stdin();
            Ok(())
        });
    }
}

/// Keeps a terminal's Ctrl-C from a process of this program.
pub fn ignore_interrupts(builder: &mut std::process::Command) {
    std::os::unix::process::CommandExt::process_group(builder, 0);
}

/// Returns the exit status for this code.
pub fn exited(code: i32) -> ExitStatus {
    ExitStatus::from_raw(code << 8)
}

/// Returns the signal that ended a process, by name (such as `SIGKILL`) or number; `None` if it exited normally.
pub fn ended_by(status: ExitStatus) -> Option<String> {
    let number = signal(status)?;
    Some(signal_name(number).map_or_else(|| format!("signal {number}"), str::to_owned))
}

/// Returns the signal number that ended a process; `None` if it exited normally.
pub fn signal(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// Returns a signal's name, such as `SIGKILL`.
pub fn signal_name(number: i32) -> Option<&'static str> {
    Signal::try_from(number).ok().map(Signal::as_str)
}

/// Returns a signal's number by name.
pub fn signal_number(name: &str) -> Option<i32> {
    name.parse::<Signal>().ok().map(|signal| signal as i32)
}

/// Returns this program's path, for starting it again. On Linux the path stays valid after an update replaces the file.
///
/// # Errors
/// The system cannot determine the path.
#[cfg(target_os = "linux")]
pub fn this_program() -> io::Result<PathBuf> {
    Ok(PathBuf::from("/proc/self/exe"))
}

/// Returns this program's path, for starting it again.
///
/// # Errors
/// The system cannot determine the path.
#[cfg(not(target_os = "linux"))]
pub fn this_program() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// Returns `None`, since only Windows has a registry.
pub fn git_folder() -> Option<PathBuf> {
    None
}

/// Keeps other processes of the same user from reading this one's memory and variables, and from tracing it, if the system supports it.
pub fn hide() {
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_dumpable(false);
}
