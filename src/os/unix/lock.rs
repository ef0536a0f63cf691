//! Locks on files: advisory, between processes that ask for them, until the file is closed.

use std::fs::{File, TryLockError};
use std::io;

/// Waits for a lock on a file.
///
/// # Errors
/// The file system has no locks.
pub fn lock(file: &File) -> io::Result<()> {
    file.lock()
}

/// Takes a lock on a file unless another process has it.
///
/// # Errors
/// [`TryLockError::WouldBlock`] if another process has it; else the file system has no locks.
pub fn try_lock(file: &File) -> Result<(), TryLockError> {
    file.try_lock()
}
