//! Requests to end the program: SIGTERM, SIGINT and SIGHUP.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The requests to end this process, taken over from the system.
#[derive(Debug)]
pub struct Requests {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    _file_size: FileSize,
}

/// While it lives, a write over the limit of file sizes fails with an error instead of ending the program.
#[derive(Debug)]
pub struct FileSize {
    _signal: Signal,
}

/// Ctrl-C, taken over from the system.
#[derive(Debug)]
pub struct Interrupts(Signal);

impl Requests {
    /// Takes the requests over.
    ///
    /// # Errors
    /// The system's.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            _file_size: FileSize::new()?,
        })
    }

    /// Waits for the next request, and returns its exit code: 128 plus the signal's number. Cancel-safe.
    pub async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.terminate.recv() => 143,
            _ = self.interrupt.recv() => 130,
            _ = self.hangup.recv() => 129,
        }
    }
}

impl FileSize {
    /// Takes the signal over.
    ///
    /// # Errors
    /// The system's.
    pub fn new() -> io::Result<Self> {
        Ok(Self { _signal: signal(SignalKind::from_raw(nix::libc::SIGXFSZ))? })
    }
}

impl Interrupts {
    /// Takes Ctrl-C over.
    ///
    /// # Errors
    /// The system's.
    pub fn new() -> io::Result<Self> {
        signal(SignalKind::interrupt()).map(Self)
    }

    /// Waits for the next Ctrl-C. Cancel-safe.
    pub async fn next(&mut self) {
        self.0.recv().await;
    }
}
