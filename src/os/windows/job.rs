//! Jobs: groups that contain a command and all its descendants. Closing a job terminates them; this also happens when the engine dies.
#![expect(unsafe_code, reason = "the system's interface for jobs")]

use std::io;
use std::os::windows::io::{AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::ptr;
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JobObjectBasicAccountingInformation, JobObjectExtendedLimitInformation,
    QueryInformationJobObject, SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{OpenThread, ResumeThread, THREAD_SUSPEND_RESUME};

/// The exit code of a process that was ended.
pub(super) const ENDED: u32 = 1;

/// A command's processes.
#[derive(Debug)]
pub struct Job(OwnedHandle);

impl Job {
    pub(super) fn new() -> io::Result<Self> {
        // Safety: without attributes and a name, nothing is read; the handle is owned from here.
        let job = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
        if job.is_null() {
            return Err(io::Error::last_os_error());
        }
        // Safety: as above.
        let job = Self(unsafe { OwnedHandle::from_raw_handle(job) });
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        // Safety: the structure is the one of this class, and its size is given.
        let set = unsafe {
            SetInformationJobObject(
                job.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                size::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>(),
            )
        };
        checked(set).map(|()| job)
    }

    /// Puts a suspended process into the job, and lets it run.
    pub(super) fn start(&self, process: BorrowedHandle<'_>, id: u32) -> io::Result<()> {
        // Safety: both handles are open.
        let assigned =
            unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), process.as_raw_handle()) };
        checked(assigned)?;
        resume(id)
    }

    /// Ends all of its processes at once.
    pub(super) fn end(&self) {
        // Safety: the handle is open.
        let _ = unsafe { TerminateJobObject(self.0.as_raw_handle(), ENDED) };
    }

    /// Counts its living processes.
    pub(super) fn living(&self) -> u32 {
        let mut counts = JOBOBJECT_BASIC_ACCOUNTING_INFORMATION::default();
        // Safety: the structure is the one of this class, and its size is given.
        let asked = unsafe {
            QueryInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectBasicAccountingInformation,
                (&raw mut counts).cast(),
                size::<JOBOBJECT_BASIC_ACCOUNTING_INFORMATION>(),
                ptr::null_mut(),
            )
        };
        checked(asked).map_or(0, |()| counts.ActiveProcesses)
    }
}

/// Lets the only thread of a process that was started suspended run.
fn resume(process: u32) -> io::Result<()> {
    // Safety: the handle is owned from here.
    let snapshot = unsafe {
        let snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
        if snapshot == windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE {
            return Err(io::Error::last_os_error());
        }
        OwnedHandle::from_raw_handle(snapshot)
    };
    let mut entry = THREADENTRY32 { dwSize: size::<THREADENTRY32>(), ..THREADENTRY32::default() };
    // Safety: the structure's size is given.
    let mut found = unsafe { Thread32First(snapshot.as_raw_handle(), &raw mut entry) };
    while found != 0 {
        if entry.th32OwnerProcessID == process {
            // Safety: the handle is owned from here.
            let thread = unsafe {
                let thread = OpenThread(THREAD_SUSPEND_RESUME, 0, entry.th32ThreadID);
                if thread.is_null() {
                    return Err(io::Error::last_os_error());
                }
                OwnedHandle::from_raw_handle(thread)
            };
            // Safety: the handle is open.
            return match unsafe { ResumeThread(thread.as_raw_handle()) } {
                u32::MAX => Err(io::Error::last_os_error()),
                _ => Ok(()),
            };
        }
        // Safety: as above.
        found = unsafe { Thread32Next(snapshot.as_raw_handle(), &raw mut entry) };
    }
    Err(io::Error::other("the process has no thread"))
}

fn checked(result: i32) -> io::Result<()> {
    if result == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn size<T>() -> u32 {
    u32::try_from(size_of::<T>()).unwrap_or(u32::MAX)
}
