//! The streams on which one client is served: stdin and stdout, or those of a caller in the same process.

use crate::cli::signals::Signals;
use pintle_base::transport::codec::Framing;
use pintle_base::transport::{Transport, stdio};
use pintle_os::streams;
use std::fs::File;
use std::io::{self, IsTerminal};
use tokio_util::sync::CancellationToken;

/// Client streams.
#[derive(Debug)]
pub(crate) enum Streams {
    /// Stdin and stdout. The process is ours, with its signals.
    Process,
    /// Other files. The process belongs to the caller, with its signals.
    Given {
        /// The client's messages.
        input: File,
        /// The messages for the client.
        output: File,
        /// Cancelled to end the program, as by SIGTERM.
        stop: CancellationToken,
    },
}

impl Streams {
    /// Returns true if a user is at the other end.
    pub(crate) fn are_terminal(&self) -> bool {
        match self {
            Self::Process => io::stdin().is_terminal(),
            Self::Given { input, .. } => input.is_terminal(),
        }
    }

    /// Returns the signals that end the program: those of the process, or the caller's.
    ///
    /// # Errors
    /// Fails if the system does not deliver them.
    pub(crate) fn signals(&self) -> io::Result<Signals> {
        match self {
            Self::Process => Signals::new(),
            Self::Given { stop, .. } => Ok(Signals::none(stop.clone())),
        }
    }

    /// Opens the link to the client. The framing is that of the first message if it is left out.
    ///
    /// # Errors
    /// Fails if a stream is closed, or a thread cannot be started.
    pub(crate) fn open(self, framing: Option<Framing>) -> io::Result<Transport> {
        let (input, output) = match self {
            Self::Process => (streams::take_stdin()?, streams::take_stdout()?),
            Self::Given { input, output, .. } => (input, output),
        };
        stdio::open(input, output, framing)
    }
}
