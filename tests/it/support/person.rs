//! A person at a terminal.

use nix::pty::openpty;
use pintle_testing::waiting::until;
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};

/// A program in a terminal of its own, with somebody before it.
pub(crate) struct Person {
    terminal: File,
    child: Child,
    screen: Arc<Mutex<String>>,
    /// The part of the screen that has been read.
    seen: usize,
}

impl Person {
    pub(crate) fn at(mut command: Command) -> Self {
        let pty = openpty(None, None).unwrap();
        let slave = |of: &std::os::fd::OwnedFd| Stdio::from(of.try_clone().unwrap());
        command.stdin(slave(&pty.slave)).stdout(slave(&pty.slave)).stderr(slave(&pty.slave));
        let child = command.spawn().unwrap();
        drop((command, pty.slave));
        let terminal = File::from(pty.master);
        let screen = Arc::new(Mutex::new(String::new()));
        let (mut reader, drawn) = (terminal.try_clone().unwrap(), Arc::clone(&screen));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // The terminal is gone with the program.
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                drawn.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        Self { terminal, child, screen, seen: 0 }
    }

    pub(crate) fn types(&mut self, keys: &str) {
        self.terminal.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until these words are on the screen, below what was seen before.
    pub(crate) fn sees(&mut self, words: &str) {
        let seen = self.seen;
        until(|| self.screen.lock().unwrap()[seen..].contains(words));
        let screen = self.screen.lock().unwrap();
        self.seen += screen[seen..].find(words).unwrap() + words.len();
    }

    pub(crate) fn left(&mut self) -> ExitStatus {
        super::program::wait(&mut self.child)
    }
}
