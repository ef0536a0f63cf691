//! The standard streams of this process.
#![expect(unsafe_code, reason = "the system's interface for standard streams")]

use std::fs::File;
use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle, IntoRawHandle};
use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::System::Console::{
    STD_ERROR_HANDLE, STD_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, SetStdHandle,
};

/// Sets stdout aside and points it at stderr. The returned file is not inherited by children.
///
/// # Errors
/// Stdout is closed, or there are no handles left.
pub fn take_stdout() -> io::Result<File> {
    let aside = io::stdout().as_handle().try_clone_to_owned()?;
    set(STD_OUTPUT_HANDLE, io::stderr().as_raw_handle())?;
    Ok(File::from(aside))
}

/// Sets stdin aside and points it at nothing, so that no child can eat the client's messages.
///
/// # Errors
/// Stdin is closed, or there are no handles left.
pub fn take_stdin() -> io::Result<File> {
    let aside = io::stdin().as_handle().try_clone_to_owned()?;
    // Never closed: it is the stream from now on.
    set(STD_INPUT_HANDLE, File::open("NUL")?.into_raw_handle())?;
    Ok(File::from(aside))
}

/// Points stderr at a file.
///
/// # Errors
/// The system's.
pub fn redirect_stderr(file: &File) -> io::Result<()> {
    set(STD_ERROR_HANDLE, file.try_clone()?.into_raw_handle())
}

fn set(stream: STD_HANDLE, handle: HANDLE) -> io::Result<()> {
    // Safety: the handle is open, and stays so: the callers never close it.
    let set = unsafe { SetStdHandle(stream, handle) };
    if set == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Returns at once: no other process can make an output non-blocking.
///
/// # Errors
/// None.
pub fn wait_until_writable(_output: &File) -> io::Result<()> {
    Ok(())
}

/// Returns false: whether a pipe's reader is gone shows with the next write, and a client that is gone closes stdin, too.
pub fn wait_for_hangup(_output: &File) -> bool {
    false
}
