//! A person at a terminal.

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::pty::{Winsize, openpty};
use pintle_testing::waiting::until;
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// The terminal's size.
const ROWS: u16 = 24;
const COLUMNS: u16 = 80;

/// A program in a terminal of its own, with somebody before it.
pub(crate) struct Person {
    terminal: File,
    child: Child,
    output: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
    /// The part of the output that has been read.
    seen: usize,
}

impl Drop for Person {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = writeln!(std::io::stderr(), "the screen:\n{}", self.screen());
        }
        let _ = self.child.kill();
    }
}

impl Person {
    pub(crate) fn at(mut command: Command) -> Self {
        let size = Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(Some(&size), None).unwrap();
        // A program that outlives this one would keep the terminal open.
        for fd in [&pty.master, &pty.slave] {
            fcntl(fd, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)).unwrap();
        }
        let slave = |of: &std::os::fd::OwnedFd| Stdio::from(of.try_clone().unwrap());
        command.stdin(slave(&pty.slave)).stdout(slave(&pty.slave)).stderr(slave(&pty.slave));
        let child = command.spawn().unwrap();
        drop((command, pty.slave));
        let terminal = File::from(pty.master);
        let output = Arc::new(Mutex::new(Vec::new()));
        let (mut reader, drawn) = (terminal.try_clone().unwrap(), Arc::clone(&output));
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // The terminal is gone with the program.
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                drawn.lock().unwrap().extend_from_slice(&bytes[..count]);
            }
        });
        Self { terminal, child, output, reader: Some(reader), seen: 0 }
    }

    pub(crate) fn types(&mut self, keys: &str) {
        self.terminal.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until the program has written these words, behind those that were seen before.
    pub(crate) fn sees(&mut self, words: &str) {
        let find = |output: &[u8], seen: usize| {
            memchr::memmem::find(&output[seen..], words.as_bytes()).map(|at| seen + at)
        };
        until(|| find(&self.output.lock().unwrap(), self.seen).is_some());
        self.seen = find(&self.output.lock().unwrap(), self.seen).unwrap() + words.len();
    }

    /// Waits until these lines are on the screen, one below the other, and returns the screen.
    pub(crate) fn shows(&self, lines: &str) -> String {
        until(|| self.screen().contains(lines));
        self.screen()
    }

    /// What the terminal shows now.
    pub(crate) fn screen(&self) -> String {
        let mut terminal = vt100::Parser::new(ROWS, COLUMNS, 0);
        terminal.process(&self.output.lock().unwrap());
        let lines: Vec<String> =
            terminal.screen().rows(0, COLUMNS).map(|line| line.trim_end().to_owned()).collect();
        lines.join("\n").trim_end().to_owned()
    }

    /// The bytes that the program has written, as text.
    pub(crate) fn output(&self) -> String {
        String::from_utf8_lossy(&self.output.lock().unwrap()).into_owned()
    }

    /// Waits until the program has ended and all of its output has been read.
    pub(crate) fn left(&mut self) -> ExitStatus {
        let status = super::program::wait(&mut self.child);
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        status
    }
}
