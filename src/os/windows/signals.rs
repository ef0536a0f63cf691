//! Requests to end the program: the console's events.

use std::io;
use tokio::signal::windows::{
    CtrlBreak, CtrlC, CtrlClose, CtrlLogoff, CtrlShutdown, ctrl_break, ctrl_c, ctrl_close,
    ctrl_logoff, ctrl_shutdown,
};

/// The requests to end this process, taken over from the system.
#[derive(Debug)]
pub struct Requests {
    interrupt: CtrlC,
    stop: CtrlBreak,
    close: CtrlClose,
    log_off: CtrlLogoff,
    shut_down: CtrlShutdown,
}

/// Windows has no limit of file sizes.
#[derive(Debug)]
pub struct FileSize;

/// Ctrl-C, taken over from the system.
#[derive(Debug)]
pub struct Interrupts(CtrlC);

impl Requests {
    /// Takes the requests over.
    ///
    /// # Errors
    /// The system's.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            interrupt: ctrl_c()?,
            stop: ctrl_break()?,
            close: ctrl_close()?,
            log_off: ctrl_logoff()?,
            shut_down: ctrl_shutdown()?,
        })
    }

    /// Waits for the next request, and returns its exit code, as on Unix. Cancel-safe.
    pub async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => 130,
            _ = self.stop.recv() => 143,
            _ = self.close.recv() => 129,
            _ = self.log_off.recv() => 129,
            _ = self.shut_down.recv() => 143,
        }
    }
}

impl FileSize {
    /// Does nothing.
    ///
    /// # Errors
    /// None.
    pub fn new() -> io::Result<Self> {
        Ok(Self)
    }
}

impl Interrupts {
    /// Takes Ctrl-C over.
    ///
    /// # Errors
    /// The system's.
    pub fn new() -> io::Result<Self> {
        ctrl_c().map(Self)
    }

    /// Waits for the next Ctrl-C. Cancel-safe.
    pub async fn next(&mut self) {
        self.0.recv().await;
    }
}
