//! Tells what a command prints apart from what the way to it prints.
//!
//! The script at the other end writes a line with the command's mark before the output and one after it. Pure. Invariant: nothing
//! of the command's output is lost or added, however it is cut into pieces.

use crate::exec::{Command, End, Error};

/// The two lines, as they come.
#[derive(Debug)]
pub(in crate::exec) struct Envelope {
    /// The prefix of the two lines.
    token: Vec<u8>,
    /// Bytes that may be the beginning of such a line.
    held: Vec<u8>,
    state: State,
    /// The output before the first line: errors of the connection.
    before: Vec<u8>,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Before,
    Inside,
    NoFolder,
    NoShell,
    /// With the exit code.
    After(i32),
}

/// A way that prints more than this before the command has begun is not listened to.
const MAX_BEFORE_BYTES: usize = 64 * 1024;

impl Envelope {
    pub(in crate::exec) fn new(mark: &str) -> Self {
        Self {
            token: format!("\0{mark} ").into_bytes(),
            held: Vec::new(),
            state: State::Before,
            before: Vec::new(),
        }
    }

    /// Takes a piece of output; returns the part that the command printed.
    pub(in crate::exec) fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        let mut printed = Vec::new();
        loop {
            let mut nuls = self.held.iter().enumerate().filter(|(_, byte)| **byte == 0);
            let border = nuls.find_map(|(at, _)| {
                let rest = self.held.get(at..)?;
                (rest.starts_with(&self.token) || self.token.starts_with(rest)).then_some(at)
            });
            let outside: Vec<u8> = self.held.drain(..border.unwrap_or(self.held.len())).collect();
            match self.state {
                State::Before => {
                    let room = MAX_BEFORE_BYTES.saturating_sub(self.before.len());
                    self.before.extend(outside.into_iter().take(room));
                }
                State::Inside => printed.extend(outside),
                State::NoFolder | State::NoShell | State::After(_) => {}
            }
            let Some(end) = self.held.iter().position(|&byte| byte == b'\n') else {
                return printed;
            };
            if border.is_none() || self.held.len() < self.token.len() {
                return printed;
            }
            let line: Vec<u8> = self.held.drain(..=end).collect();
            let word = line.get(self.token.len()..).unwrap_or_default();
            let word = String::from_utf8_lossy(word);
            self.state = match (word.trim_end().split_once(' '), word.trim_end()) {
                (_, "ok") => State::Inside,
                (_, "cwd") => State::NoFolder,
                (_, "shell") => State::NoShell,
                (Some(("end", code)), _) => State::After(code.parse().unwrap_or(1)),
                (_, _) => continue,
            };
        }
    }

    /// Returns true while the command has not begun.
    pub(in crate::exec) fn is_on_the_way(&self) -> bool {
        self.state == State::Before
    }

    /// The exit code, once the command has ended.
    pub(in crate::exec) fn code(&self) -> Option<i32> {
        match self.state {
            State::After(code) => Some(code),
            State::Before | State::Inside | State::NoFolder | State::NoShell => None,
        }
    }

    /// Checks that the command ran, and ended in a way that was reported or requested.
    pub(in crate::exec) fn check(&self, end: &End, command: &Command) -> Result<(), Error> {
        let was_stopped = matches!(end, End::TimedOut | End::Cancelled);
        let said = String::from_utf8_lossy(&self.before);
        let said = said.trim();
        match self.state {
            State::After(_) => Ok(()),
            State::NoFolder => Err(Error::NotFound(command.cwd.clone())),
            State::NoShell => Err(Error::Shell {
                shell: "of the environment".into(),
                message: "no such program there".to_owned(),
            }),
            State::Before | State::Inside if was_stopped => Ok(()),
            State::Before => Err(super::unreachable(&command.cwd, said)),
            State::Inside => Err(super::unreachable(
                &command.cwd,
                "the connection was lost while the command ran; it was ended",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_is_what_stands_between_the_lines() {
        let rows = [
            ("plain", &b"banner\n\0m ok\nout\nput\0m end 3\nafter"[..], &b"out\nput"[..], Some(3)),
            ("NULs of the command", &b"\0m ok\na\0b\0\0m end 0\n"[..], &b"a\0b\0"[..], Some(0)),
            ("no newline, no output", &b"\0m ok\n\0m end 0\n"[..], &b""[..], Some(0)),
            ("cut off", &b"\0m ok\nout"[..], &b"out"[..], None),
            ("never begun", &b"cannot connect\n"[..], &b""[..], None),
            ("no folder", &b"\0m cwd\n"[..], &b""[..], None),
        ];
        for (name, bytes, want, code) in rows {
            // In one piece, and byte by byte.
            for size in [bytes.len(), 1, 3] {
                let mut envelope = Envelope::new("m");
                let got: Vec<u8> =
                    bytes.chunks(size).flat_map(|piece| envelope.push(piece)).collect();
                assert_eq!(got, want, "{name} in pieces of {size}");
                assert_eq!(envelope.code(), code, "{name} in pieces of {size}");
            }
        }
    }
}
