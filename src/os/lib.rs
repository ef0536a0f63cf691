//! What differs between operating systems: the one place for their interfaces.
//!
//! `unix` serves Linux and macOS, `windows` Windows; both have the same modules with the same functions, so no other code depends on
//! the target system. Each module documents the guarantees on each system.
//!
//! The command sandbox is the exception: Linux's is larger than all of this, and lies in `exec/sandbox`.
//!
//! Functions block unless they are `async`. They make no decisions: each performs one operation or returns the system's error.
#![expect(clippy::disallowed_methods, reason = "this crate wraps the system")]

mod changes;
mod facts;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub use system::{
    errors, family, file, folder, lock, names, pipe, process, pty, replace, signals, socket,
    streams, terminal, watch,
};

/// The operating system, for decisions that depend on it, such as the meaning of paths.
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

    /// Returns true if two absolute paths differ at most in case, where file systems usually ignore it. For look-ups only: another file
    /// system of the machine may respect case.
    pub fn is_same_path(self, one: &str, other: &str) -> bool {
        match self {
            Self::Linux => one == other,
            Self::MacOs | Self::Windows => {
                one == other || one.to_lowercase() == other.to_lowercase()
            }
        }
    }
}

#[cfg(test)]
mod tests;
