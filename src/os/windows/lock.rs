//! Locks on files, between processes that ask for them, until the file is closed.
//!
//! Locks are mandatory here: a locked range cannot be read by others. So the byte that is locked lies beyond the end of any file, and
//! readers never meet it.
#![expect(unsafe_code, reason = "the standard library locks the whole file")]

use std::fs::{File, TryLockError};
use std::io;
use std::os::windows::io::AsRawHandle;
use windows_sys::Win32::Foundation::{ERROR_IO_PENDING, ERROR_LOCK_VIOLATION};
use windows_sys::Win32::Storage::FileSystem::{
    LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx,
};
use windows_sys::Win32::System::IO::{OVERLAPPED, OVERLAPPED_0, OVERLAPPED_0_0};

/// Waits for a lock on a file.
///
/// # Errors
/// The file system has no locks.
pub fn lock(file: &File) -> io::Result<()> {
    lock_with(file, LOCKFILE_EXCLUSIVE_LOCK)
}

/// Takes a lock on a file unless another process has it.
///
/// # Errors
/// [`TryLockError::WouldBlock`] if another process has it; else the file system has no locks.
pub fn try_lock(file: &File) -> Result<(), TryLockError> {
    const HELD: [i32; 2] = [ERROR_LOCK_VIOLATION.cast_signed(), ERROR_IO_PENDING.cast_signed()];
    let locked = lock_with(file, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY);
    locked.map_err(|error| match error.raw_os_error() {
        Some(code) if HELD.contains(&code) => TryLockError::WouldBlock,
        Some(_) | None => TryLockError::Error(error),
    })
}

fn lock_with(file: &File, flags: u32) -> io::Result<()> {
    let last_byte = OVERLAPPED_0_0 { Offset: u32::MAX - 1, OffsetHigh: i32::MAX.cast_unsigned() };
    let mut place =
        OVERLAPPED { Anonymous: OVERLAPPED_0 { Anonymous: last_byte }, ..OVERLAPPED::default() };
    // Safety: the handle is open while `file` is borrowed; it is synchronous, so the call ends with `place` no longer used.
    let locked = unsafe { LockFileEx(file.as_raw_handle(), flags, 0, 1, 0, &raw mut place) };
    if locked == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
