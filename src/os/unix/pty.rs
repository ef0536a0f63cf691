//! Pseudo-terminals for child processes.

use super::pipe::{End, Receiver, Sender};
use rustix::fs::{Mode, OFlags};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
#[cfg(target_os = "linux")]
use rustix::termios::tcgetpgrp;
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

/// Both ends of a new terminal.
#[derive(Debug)]
pub struct Pty {
    /// Reads the output.
    pub reader: Receiver,
    /// Types.
    pub writer: Sender,
    /// Queries the terminal's state.
    pub control: Control,
    /// The process's end, for all of its streams.
    pub theirs: End,
}

/// The maximum length of a line of input, in bytes, without its end. The system silently drops the rest.
pub const MAX_LINE_BYTES: usize = if cfg!(target_os = "macos") { 1023 } else { 4095 };

/// A terminal's state.
#[derive(Debug)]
pub struct Control(OwnedFd);

/// Opens a terminal of this size.
///
/// # Errors
/// The system has no pseudo-terminals, or no descriptors are left.
pub fn open(columns: u16, rows: u16) -> io::Result<Pty> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
    #[cfg(target_os = "linux")]
    let flags = flags | OpenptFlags::CLOEXEC;
    let ours = openpt(flags)?;
    fcntl_setfd(&ours, FdFlags::CLOEXEC)?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let name = ptsname(&ours, Vec::new())?;
    let theirs =
        rustix::fs::open(&*name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
    tcsetwinsize(&theirs, Winsize { ws_col: columns, ws_row: rows, ws_xpixel: 0, ws_ypixel: 0 })?;
    rustix::io::ioctl_fionbio(&ours, true)?;
    Ok(Pty {
        reader: Receiver::from_owned_fd_unchecked(ours.try_clone()?)?,
        writer: Sender::from_owned_fd_unchecked(ours.try_clone()?)?,
        control: Control(ours),
        theirs,
    })
}

impl Control {
    /// Returns the executable and the working directory of the program in the foreground; `None` if they cannot be determined, as on
    /// macOS.
    #[cfg(target_os = "linux")]
    pub fn foreground(&self) -> Option<(PathBuf, PathBuf)> {
        let group = tcgetpgrp(&self.0).ok()?.as_raw_nonzero();
        let link = |name: &str| std::fs::read_link(format!("/proc/{group}/{name}")).ok();
        Some((link("exe")?, link("cwd")?))
    }

    /// Returns the executable and the working directory of the program in the foreground; `None` if they cannot be determined, as on
    /// macOS.
    #[cfg(not(target_os = "linux"))]
    pub fn foreground(&self) -> Option<(PathBuf, PathBuf)> {
        None
    }

    /// Returns true if the terminal passes input on in whole lines of at most [`MAX_LINE_BYTES`].
    pub fn collects_lines(&self) -> bool {
        tcgetattr(&self.0).is_ok_and(|modes| modes.local_modes.contains(LocalModes::ICANON))
    }
}

/// Makes stdin the controlling terminal of this process, a session leader. Does nothing if stdin is not a terminal.
pub fn take_over_stdin() {
    let stdin = rustix::stdio::stdin();
    if rustix::termios::isatty(stdin) {
        let _ = rustix::process::ioctl_tiocsctty(stdin);
    }
}
