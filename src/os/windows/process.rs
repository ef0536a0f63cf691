//! Starting processes, and what their ends mean.

use super::family::{self, Leader};
use super::job::Job;
use super::pipe::BorrowedEnd;
use std::io;
use std::os::windows::io::BorrowedHandle;
use std::os::windows::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::ptr;
use std::sync::Arc;
use tokio::process::{Child, Command};
use windows_sys::Win32::Foundation::ERROR_SUCCESS;
use windows_sys::Win32::System::Registry::{
    HKEY_CURRENT_USER, HKEY_LOCAL_MACHINE, RRF_RT_REG_SZ, RegGetValueW,
};
use windows_sys::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW, CREATE_SUSPENDED,
};

/// Starts a process in a new job and without a window, with these streams: stdin, stdout and stderr. The job contains the process's
/// descendants until its mark is released.
///
/// # Errors
/// The system's.
pub fn spawn(
    mut builder: Command,
    streams: [BorrowedEnd<'_>; 3],
    mark: &str,
) -> io::Result<(Child, Option<Leader>)> {
    let [stdin, stdout, stderr] = streams;
    builder
        .stdin(Stdio::from(stdin.try_clone_to_owned()?))
        .stdout(Stdio::from(stdout.try_clone_to_owned()?))
        .stderr(Stdio::from(stderr.try_clone_to_owned()?))
        // Suspended until it is in its job, so that it starts nothing outside of it.
        .creation_flags(CREATE_SUSPENDED | CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP);
    let job = Arc::new(Job::new()?);
    let mut child = builder.spawn()?;
    let started = match (child.raw_handle(), child.id()) {
        (Some(handle), Some(id)) => job.start(borrowed(handle), id),
        _ => Err(io::Error::other("the process has exited already")),
    };
    if let Err(error) = started {
        let _ = child.start_kill();
        return Err(error);
    }
    family::keep(mark, &job);
    Ok((child, Some(job)))
}

#[expect(unsafe_code, reason = "tokio gives the handle without a lifetime")]
fn borrowed<'a>(handle: std::os::windows::io::RawHandle) -> BorrowedHandle<'a> {
    // Safety: the caller owns the child, whose handle is open until it has been waited for.
    unsafe { BorrowedHandle::borrow_raw(handle) }
}

/// Keeps a console's Ctrl-C from a process of this program.
pub fn ignore_interrupts(builder: &mut std::process::Command) {
    builder.creation_flags(CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP);
}

/// Returns the exit status for this code.
pub fn exited(code: i32) -> ExitStatus {
    ExitStatus::from_raw(code.cast_unsigned())
}

/// Returns `None`: there are no signals.
pub fn ended_by(_status: ExitStatus) -> Option<String> {
    None
}

/// Returns `None`: there are no signals.
pub fn signal(_status: ExitStatus) -> Option<i32> {
    None
}

/// Returns `None`: there are no signals.
pub fn signal_name(_number: i32) -> Option<&'static str> {
    None
}

/// Returns `None`: there are no signals.
pub fn signal_number(_name: &str) -> Option<i32> {
    None
}

/// Returns this program's path, for starting it again.
///
/// # Errors
/// The system cannot determine the path.
pub fn this_program() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// Returns the directory in which Git for Windows is installed, as the registry names it.
#[expect(unsafe_code, reason = "the system's interface for the registry")]
pub fn git_folder() -> Option<PathBuf> {
    /// The longest path that is read, in UTF-16 units.
    const MAX_UNITS: usize = 1024;
    let wide = |text: &str| text.encode_utf16().chain([0]).collect::<Vec<u16>>();
    let (key, value) = (wide(r"SOFTWARE\GitForWindows"), wide("InstallPath"));
    [HKEY_CURRENT_USER, HKEY_LOCAL_MACHINE].into_iter().find_map(|root| {
        let mut path = [0_u16; MAX_UNITS];
        let mut bytes = u32::try_from(size_of_val(&path)).ok()?;
        // Safety: the names end with a zero, and `bytes` is the size of the buffer.
        let code = unsafe {
            RegGetValueW(
                root,
                key.as_ptr(),
                value.as_ptr(),
                RRF_RT_REG_SZ,
                ptr::null_mut(),
                path.as_mut_ptr().cast(),
                &raw mut bytes,
            )
        };
        let end = path.iter().position(|&unit| unit == 0).unwrap_or(MAX_UNITS);
        let path = String::from_utf16_lossy(path.get(..end)?);
        (code == ERROR_SUCCESS && !path.is_empty()).then(|| PathBuf::from(path))
    })
}

/// Does nothing: a process's memory is open to its user.
pub fn hide() {}
