//! Pipes to child processes: asynchronous on this side, blocking on theirs.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

pub use tokio::net::unix::pipe::{Receiver, Sender};

/// The end that a started process gets.
pub type End = OwnedFd;

/// The same, borrowed.
pub type BorrowedEnd<'a> = BorrowedFd<'a>;

/// Capacity of a wide pipe, in bytes; the default is 64 KB, and the maximum for a user 1 MB.
pub const WIDE_BYTES: usize = 1024 * 1024;

/// Returns a pipe that a process writes to.
///
/// # Errors
/// There are no descriptors left.
pub fn output() -> io::Result<(Receiver, End)> {
    let (reader, writer) = io::pipe()?;
    Ok((Receiver::from_owned_fd(OwnedFd::from(reader))?, writer.into()))
}

/// Like [`output`]; a flood comes in few large pieces, unless the system refuses.
///
/// # Errors
/// There are no descriptors left.
pub fn wide_output() -> io::Result<(Receiver, End)> {
    let (reader, writer) = output()?;
    #[cfg(target_os = "linux")]
    if let Ok(bytes) = i32::try_from(WIDE_BYTES) {
        let _ = nix::fcntl::fcntl(&reader, nix::fcntl::FcntlArg::F_SETPIPE_SZ(bytes));
    }
    Ok((reader, writer))
}

/// Returns a pipe that a process reads from.
///
/// # Errors
/// There are no descriptors left.
pub fn input() -> io::Result<(End, Sender)> {
    let (reader, writer) = io::pipe()?;
    Ok((reader.into(), Sender::from_owned_fd(OwnedFd::from(writer))?))
}

/// Returns an empty input.
///
/// # Errors
/// There are no descriptors left.
pub fn nothing() -> io::Result<End> {
    nothing_of(Path::new("/dev/null"))
}

/// Opens the null device. If there is none, as in a container with only this program, opens a pipe without a writer.
fn nothing_of(device: &Path) -> io::Result<End> {
    match File::open(device) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(io::pipe()?.0.into()),
        opened => opened.map(OwnedFd::from),
    }
}

/// Borrows an end.
pub fn borrow(end: &End) -> BorrowedEnd<'_> {
    end.as_fd()
}

/// Reads without waiting; `None` if the pipe is empty and still open, 0 if it is closed.
///
/// # Errors
/// The system's.
pub fn read_now(pipe: &Receiver, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    match nix::unistd::read(pipe, buffer) {
        Ok(read) => Ok(Some(read)),
        Err(nix::errno::Errno::EAGAIN) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    #[test]
    fn an_empty_input_needs_no_null_device() {
        for device in ["/dev/null", "/dev/null/missing", "/missing"] {
            let read = nothing_of(Path::new(device)).map(File::from).and_then(|mut file| {
                let mut text = String::new();
                file.read_to_string(&mut text)
            });
            assert_eq!(read.ok(), (device != "/dev/null/missing").then_some(0), "{device}");
        }
    }
}
