//! The standard streams of this process.

use super::hangup;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;

/// Sets stdout aside and points it at stderr. The returned file is closed in children.
///
/// # Errors
/// Stdout is closed, or there are no descriptors left.
pub fn take_stdout() -> io::Result<File> {
    let aside = io::stdout().as_fd().try_clone_to_owned()?;
    nix::unistd::dup2_stdout(io::stderr())?;
    Ok(File::from(aside))
}

/// Sets stdin aside and points it at nothing, so that no child can eat the client's messages.
///
/// # Errors
/// Stdin is closed, or there are no descriptors left.
pub fn take_stdin() -> io::Result<File> {
    let aside = io::stdin().as_fd().try_clone_to_owned()?;
    nix::unistd::dup2_stdin(super::pipe::nothing()?)?;
    Ok(File::from(aside))
}

/// Points stderr at a file.
///
/// # Errors
/// The system's.
pub fn redirect_stderr(file: &File) -> io::Result<()> {
    Ok(nix::unistd::dup2_stderr(file)?)
}

/// Blocks until an output that was made non-blocking by its other side, as Node does, takes more.
///
/// # Errors
/// The system's.
pub fn wait_until_writable(output: &File) -> io::Result<()> {
    let mut fds = [PollFd::new(output.as_fd(), PollFlags::POLLOUT)];
    match poll(&mut fds, PollTimeout::NONE) {
        Ok(_) | Err(Errno::EINTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Blocks until the reading end of an output is closed: forever for a file, which has none. Returns false if that cannot be observed.
pub fn wait_for_hangup(output: &File) -> bool {
    hangup::wait(output)
}
