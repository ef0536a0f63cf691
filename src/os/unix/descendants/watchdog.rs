//! The watchdog on macOS: a separate process that ends the remaining processes of an engine's commands after the engine has ended, even if
//! it was killed.
//!
//! It is this program with [`ARGUMENT`]. The engine writes the number of each process that it sees among its commands' to the watchdog's
//! stdin, as `macos` remembers them. The pipe closes when the engine ends, however it ends.

use super::{kill_all, macos, numbered};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// The argument with which this program is the watchdog.
const ARGUMENT: &str = "watchdog";

/// An environment's watchdog, started with its first command.
#[derive(Debug)]
pub(super) struct Watchdog {
    program: PathBuf,
    input: Mutex<Option<ChildStdin>>,
}

impl Watchdog {
    /// `program` is this program.
    fn new(program: &Path) -> Self {
        Self { program: program.to_owned(), input: Mutex::default() }
    }

    /// Reports a process of a command. A watchdog that has ended is started again. If it cannot be started, only marks identify leftover
    /// processes after a kill.
    pub(super) fn report(&self, number: u64) {
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = number.to_ne_bytes();
        if input.as_mut().is_some_and(|input| input.write_all(&bytes).is_ok()) {
            return;
        }
        *input = self.start().ok();
        if let Some(input) = input.as_mut() {
            let _ = input.write_all(&bytes);
        }
    }

    fn start(&self) -> io::Result<ChildStdin> {
        let mut command = Command::new(&self.program);
        command.arg0("pintle").arg(ARGUMENT).env_clear().current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // A terminal's Ctrl-C is for the engine.
        command.process_group(0);
        let mut child = command.spawn()?;
        let input = child.stdin.take().ok_or_else(|| io::Error::other("no pipe"))?;
        // It outlives this process; a thread waits for one that ends before.
        std::thread::Builder::new().name("watchdog".to_owned()).stack_size(64 * 1024).spawn(
            move || {
                let _ = child.wait();
            },
        )?;
        Ok(input)
    }
}

/// Starts a watchdog with the first command: `program`, which calls [`become_watchdog`]. The first call counts.
pub fn watch(program: &Path) {
    macos::report_to(|| Watchdog::new(program));
}

/// If the program was started as a watchdog, watches the engine at the other end of stdin and returns the exit code.
pub fn become_watchdog(arguments: impl IntoIterator<Item = OsString>) -> Option<u8> {
    arguments.into_iter().next().filter(|argument| argument == ARGUMENT)?;
    let numbers = numbers(io::stdin().lock());
    kill_all(|| numbered(&numbers));
    Some(0)
}

/// Reads numbers until the other end is closed.
fn numbers(mut input: impl io::Read) -> BTreeSet<u64> {
    let mut numbers = BTreeSet::new();
    let mut bytes = [0; 8];
    while input.read_exact(&mut bytes).is_ok() {
        numbers.insert(u64::from_ne_bytes(bytes));
    }
    numbers
}
