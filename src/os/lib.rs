//! What differs between operating systems: the one place for their interfaces.
//!
//! `unix` serves Linux and macOS, `windows` Windows; both have the same modules with the same functions, so that no other code asks for
//! the system it was built for. A module's documentation says what each system guarantees.
//!
//! The command sandbox is the exception: Linux's is larger than all of this, and lies in `exec/sandbox`.
//!
//! Blocking, unless a function is `async`. No function here decides anything: it does what the caller asks for, or returns the system's error.
#![expect(clippy::disallowed_methods, reason = "this crate wraps the system")]

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub use system::{
    errors, family, file, folder, lock, names, pipe, process, replace, signals, socket, streams,
    terminal,
};

/// The operating system, where a decision depends on it: what paths mean, and which commands exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Linux.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl System {
    /// The system that this program was built for.
    pub const CURRENT: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::MacOs
    } else {
        Self::Linux
    };
}
