//! Pseudo-terminals for child processes: not available on Windows in this version.

use super::pipe::{End, Receiver, Sender};
use std::convert::Infallible;
use std::io;
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

/// The maximum length of a line of input, in bytes.
pub const MAX_LINE_BYTES: usize = 4095;

/// A terminal's state. There is none here.
#[derive(Debug)]
pub struct Control(Infallible);

/// Returns an error.
///
/// # Errors
/// Always.
pub fn open(_columns: u16, _rows: u16) -> io::Result<Pty> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "terminals for commands are not available on Windows",
    ))
}

impl Control {
    /// Returns the executable and the working directory of the program in the foreground.
    pub fn foreground(&self) -> Option<(PathBuf, PathBuf)> {
        match self.0 {}
    }

    /// Returns true if the terminal passes input on in whole lines.
    pub fn collects_lines(&self) -> bool {
        match self.0 {}
    }
}
