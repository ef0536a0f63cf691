//! Separates the output of one request from everything else on its connection.
//!
//! The helper at the other end writes a line with the request's mark before the output and one after it. Pure. Invariant: no byte of the
//! output is lost or added, however it is cut into pieces.

use crate::{Command, End, Error};

/// The two lines, as they come.
#[derive(Debug)]
pub(crate) struct Envelope {
    /// The two lines' prefix.
    token: Vec<u8>,
    /// Bytes that may be the beginning of such a line.
    held: Vec<u8>,
    state: State,
    /// The output before the first line: errors of the connection.
    before: Vec<u8>,
    /// The error output of a file access.
    complaint: Vec<u8>,
    /// The bytes after the second line.
    after: Vec<u8>,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Before,
    Inside,
    /// A file access has printed its output; its error output follows.
    Complaint,
    NoFolder,
    NoShell,
    After {
        code: i32,
        /// Processes are left that may print on this connection.
        is_shared: bool,
    },
}

/// A way that prints more than this before the command has begun is not listened to.
const MAX_BEFORE_BYTES: usize = 64 * 1024;

impl Envelope {
    pub(crate) fn new(mark: &str) -> Self {
        Self {
            token: format!("\0{mark} ").into_bytes(),
            held: Vec::new(),
            state: State::Before,
            before: Vec::new(),
            complaint: Vec::new(),
            after: Vec::new(),
        }
    }

    /// Takes a piece of output; returns the part that the command printed.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
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
                State::Complaint => self.complaint.extend(outside),
                State::NoFolder | State::NoShell | State::After { .. } => {
                    self.after.extend(outside);
                }
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
                (_, "err") => State::Complaint,
                (_, "shell") => State::NoShell,
                (Some(("end", rest)), _) => {
                    let (code, left) = rest.split_once(' ').unwrap_or((rest, "clean"));
                    State::After { code: code.parse().unwrap_or(1), is_shared: left != "clean" }
                }
                (_, _) => continue,
            };
        }
    }

    /// Returns true until the request is answered: the command has not begun.
    pub(crate) fn is_on_the_way(&self) -> bool {
        self.state == State::Before
    }

    /// Returns true if nothing more comes.
    pub(crate) fn is_over(&self) -> bool {
        match self.state {
            State::After { .. } | State::NoFolder | State::NoShell => true,
            State::Before | State::Inside | State::Complaint => false,
        }
    }

    /// Returns true if nothing more comes, and the connection can take the next request.
    pub(crate) fn is_reusable(&self) -> bool {
        self.is_over() && !matches!(self.state, State::After { is_shared: true, .. })
    }

    /// Takes the bytes received after the answer, which belong to the next one.
    pub(crate) fn take_after(&mut self) -> Vec<u8> {
        self.after.append(&mut self.held);
        std::mem::take(&mut self.after)
    }

    /// Returns the exit code, once the command has ended.
    pub(crate) fn code(&self) -> Option<i32> {
        match self.state {
            State::After { code, .. } => Some(code),
            State::Before | State::Inside | State::Complaint | State::NoFolder | State::NoShell => {
                None
            }
        }
    }

    /// What the connection itself printed before the first line.
    pub(crate) fn before(&self) -> String {
        String::from_utf8_lossy(&self.before).trim().to_owned()
    }

    /// Returns the error output of a file access.
    pub(crate) fn complaint(&self) -> String {
        String::from_utf8_lossy(&self.complaint).trim().to_owned()
    }

    /// Checks that the command ran and that its end was reported or requested. `said` is the connection's error output.
    pub(crate) fn check(&self, end: &End, command: &Command, said: &str) -> Result<(), Error> {
        let was_stopped = matches!(end, End::TimedOut | End::Cancelled);
        match self.state {
            State::After { .. } => Ok(()),
            State::NoFolder => Err(Error::NotFound(command.cwd.clone())),
            State::NoShell => Err(Error::Shell {
                shell: "of the environment".into(),
                message: "no such program there".to_owned(),
            }),
            State::Before | State::Inside | State::Complaint if was_stopped => Ok(()),
            State::Before if said.is_empty() => {
                Err(Error::unreachable(&command.cwd, &self.before()))
            }
            State::Before => Err(Error::unreachable(&command.cwd, said)),
            State::Inside | State::Complaint => Err(Error::unreachable(
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
            ("nothing left", &b"\0m ok\nout\0m end 3 clean\n"[..], &b"out"[..], Some(3)),
            ("something left", &b"\0m ok\nout\0m end 3 left\n"[..], &b"out"[..], Some(3)),
            ("complaints", &b"\0m ok\nout\0m err\nno\n\0m end 1\n"[..], &b"out"[..], Some(1)),
        ];
        for (name, bytes, want, code) in rows {
            // In one piece, and byte by byte.
            for size in [bytes.len(), 1, 3] {
                let mut envelope = Envelope::new("m");
                let got: Vec<u8> =
                    bytes.chunks(size).flat_map(|piece| envelope.push(piece)).collect();
                assert_eq!(got, want, "{name} in pieces of {size}");
                assert_eq!(envelope.code(), code, "{name} in pieces of {size}");
                let is_over = code.is_some() || name == "no folder";
                assert_eq!(envelope.is_over(), is_over, "{name} in pieces of {size}");
                let is_reusable = is_over && name != "something left";
                assert_eq!(envelope.is_reusable(), is_reusable, "{name} in pieces of {size}");
                let after = if name == "plain" { &b"after"[..] } else { b"" };
                assert_eq!(envelope.take_after(), after, "{name} in pieces of {size}");
                let complaint = if name == "complaints" { "no" } else { "" };
                assert_eq!(envelope.complaint(), complaint, "{name} in pieces of {size}");
            }
        }
    }
}
