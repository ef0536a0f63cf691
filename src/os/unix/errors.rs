//! System errors that decide what happens next.

use std::io;

/// The codes for a lack of descriptors, memory or processes, which may pass.
pub const OUT_OF_RESOURCES: [i32; 4] =
    [nix::libc::EMFILE, nix::libc::ENFILE, nix::libc::ENOMEM, nix::libc::EAGAIN];

/// Returns true if a path was rejected because it contains a symbolic link.
pub fn is_link(error: &io::Error) -> bool {
    error.raw_os_error() == Some(nix::libc::ELOOP)
}

/// Returns the error for a path rejected because it contains a symbolic link.
pub fn link() -> io::Error {
    io::Error::from_raw_os_error(nix::libc::ELOOP)
}

/// Returns true if a stream was closed before the program started.
pub fn is_closed(error: &io::Error) -> bool {
    error.raw_os_error() == Some(nix::libc::EBADF)
}
