//! System errors that decide what happens next.

use std::io;
use windows_sys::Win32::Foundation::{
    ERROR_CANT_ACCESS_FILE, ERROR_INVALID_HANDLE, ERROR_NO_SYSTEM_RESOURCES,
    ERROR_NOT_ENOUGH_MEMORY, ERROR_OUTOFMEMORY, ERROR_STOPPED_ON_SYMLINK,
    ERROR_TOO_MANY_OPEN_FILES,
};

/// The codes for a lack of handles, memory or processes, which may pass.
pub const OUT_OF_RESOURCES: [i32; 4] = [
    ERROR_TOO_MANY_OPEN_FILES.cast_signed(),
    ERROR_NOT_ENOUGH_MEMORY.cast_signed(),
    ERROR_OUTOFMEMORY.cast_signed(),
    ERROR_NO_SYSTEM_RESOURCES.cast_signed(),
];

/// Returns true if a path was rejected because it contains a symbolic link or a junction.
pub fn is_link(error: &io::Error) -> bool {
    const LINK: [i32; 2] =
        [ERROR_STOPPED_ON_SYMLINK.cast_signed(), ERROR_CANT_ACCESS_FILE.cast_signed()];
    error.raw_os_error().is_some_and(|code| LINK.contains(&code))
}

/// Returns the error for a path rejected because it contains a symbolic link or a junction.
pub fn link() -> io::Error {
    io::Error::from_raw_os_error(ERROR_STOPPED_ON_SYMLINK.cast_signed())
}

/// Returns true if a stream was closed before the program started.
pub fn is_closed(error: &io::Error) -> bool {
    error.raw_os_error() == Some(ERROR_INVALID_HANDLE.cast_signed())
}
