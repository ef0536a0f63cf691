//! The terminal of this process.

use rustix::termios::{self, LocalModes, OptionalActions, Termios};
use std::io;

/// Returns the terminal's width in columns; `None` if stdout is not a terminal.
pub fn columns() -> Option<u16> {
    let size = termios::tcgetwinsize(io::stdout()).ok()?;
    Some(size.ws_col).filter(|columns| *columns > 0)
}

/// Returns `None`: programs are expected to print UTF-8.
pub fn code_page() -> Option<fn(&[u8]) -> String> {
    None
}

/// Disables echo on stdin's terminal until it is dropped. Keys that send signals are read like others, so that none of them ends the
/// program before echo is enabled again.
#[derive(Debug)]
pub struct Silent {
    before: Termios,
    unread: OptionalActions,
}

impl Silent {
    /// Turns the echo off. Input that was not read is discarded, now and at the end: it was not meant for this reader.
    ///
    /// # Errors
    /// Stdin is no terminal.
    pub fn new() -> io::Result<Self> {
        Self::with(OptionalActions::Flush)
    }

    /// Turns the echo off, and keeps input that was not read.
    ///
    /// # Errors
    /// Stdin is no terminal.
    pub fn keeping_input() -> io::Result<Self> {
        Self::with(OptionalActions::Drain)
    }

    fn with(unread: OptionalActions) -> io::Result<Self> {
        let stdin = io::stdin();
        let before = termios::tcgetattr(&stdin)?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
        termios::tcsetattr(&stdin, unread, &silent)?;
        Ok(Self { before, unread })
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        let _ = termios::tcsetattr(io::stdin(), self.unread, &self.before);
    }
}
