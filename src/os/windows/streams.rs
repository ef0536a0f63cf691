//! The standard streams of this process.
#![expect(unsafe_code, reason = "the system's interface for standard streams")]

use std::fs::File;
use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle, IntoRawHandle};
use std::time::Duration;
use windows_sys::Wdk::Storage::FileSystem::{
    FILE_PIPE_CONNECTED_STATE, FILE_PIPE_LOCAL_INFORMATION, FilePipeLocalInformation,
    NtQueryInformationFile,
};
use windows_sys::Win32::Foundation::{
    HANDLE, STATUS_PIPE_BROKEN, STATUS_PIPE_DISCONNECTED, STATUS_SUCCESS,
};
use windows_sys::Win32::System::Console::{
    STD_ERROR_HANDLE, STD_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, SetStdHandle,
};
use windows_sys::Win32::System::IO::IO_STATUS_BLOCK;

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

/// Blocks until the reading end of an output is closed. Returns false if that cannot be observed, as with a file.
///
/// A pipe reports no such event, so its state is queried twice a second.
pub fn wait_for_hangup(output: &File) -> bool {
    const INTERVAL: Duration = Duration::from_millis(500);
    loop {
        match is_connected(output) {
            Some(true) => std::thread::sleep(INTERVAL),
            Some(false) => return true,
            None => return false,
        }
    }
}

/// Returns whether a pipe's other end is open; `None` if the file is no pipe.
fn is_connected(output: &File) -> Option<bool> {
    let mut state = FILE_PIPE_LOCAL_INFORMATION::default();
    let mut status = IO_STATUS_BLOCK::default();
    // Safety: the handle is open while `output` is borrowed, and the buffer has the size of its class.
    let result = unsafe {
        NtQueryInformationFile(
            output.as_raw_handle(),
            &raw mut status,
            (&raw mut state).cast(),
            u32::try_from(size_of::<FILE_PIPE_LOCAL_INFORMATION>()).ok()?,
            FilePipeLocalInformation,
        )
    };
    match result {
        STATUS_SUCCESS => Some(state.NamedPipeState == FILE_PIPE_CONNECTED_STATE),
        STATUS_PIPE_DISCONNECTED | STATUS_PIPE_BROKEN => Some(false),
        _ => None,
    }
}
