//! Replacing a file by another one.
//!
//! A file that another program holds open often cannot be replaced for a moment: virus scanners and indexers open every new file. So each
//! attempt is repeated for a second.

use super::names;
use std::fs::{File, Metadata};
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::{NamedTempFile, TempPath};
use windows_sys::Win32::Foundation::{
    ERROR_ACCESS_DENIED, ERROR_SHARING_VIOLATION, ERROR_USER_MAPPED_FILE,
};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_NORMAL, MoveFileExW, SetFileAttributesW,
};

/// The pauses between attempts, a second in all.
const PAUSES_MS: [u64; 7] = [1, 5, 20, 50, 150, 300, 500];

/// Moves a finished temporary file into its place. `held` is the old file, which is closed if it is in the way.
///
/// # Errors
/// The system's; the message mentions if another program has the file open.
pub fn put(temporary: NamedTempFile, place: &Path, held: &mut Option<File>) -> io::Result<()> {
    let mut path = temporary.into_temp_path();
    if std::fs::metadata(place).is_ok_and(|facts| facts.permissions().readonly()) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    make_usual(&path)?;
    match std::fs::rename(&path, place) {
        Ok(()) => {}
        Err(error) if is_in_use(&error) => {
            *held = None;
            rename(&path, place)?;
        }
        Err(error) => return Err(error),
    }
    // It is no longer there to be removed.
    path.disable_cleanup(true);
    Ok(())
}

/// Moves a finished temporary file to a new path.
///
/// # Errors
/// The system's; [`io::ErrorKind::AlreadyExists`] if the path exists.
#[expect(unsafe_code, reason = "the standard library only has renames that replace")]
pub fn put_new(temporary: NamedTempFile, place: &Path) -> io::Result<()> {
    let mut path = temporary.into_temp_path();
    make_usual(&path)?;
    let (from, to) = (wide(&path), wide(place));
    // Safety: both names end with a zero.
    if unsafe { MoveFileExW(from.as_ptr(), to.as_ptr(), 0) } == 0 {
        return Err(io::Error::last_os_error());
    }
    path.disable_cleanup(true);
    Ok(())
}

/// Makes a temporary file an ordinary one. Returns it with its path.
///
/// # Errors
/// The system's.
pub fn keep(temporary: NamedTempFile) -> io::Result<(File, PathBuf)> {
    let (file, mut path) = temporary.into_parts();
    make_usual(&path)?;
    path.disable_cleanup(true);
    Ok((file, path.to_path_buf()))
}

/// Removes the mark of temporary files, which programs that copy or synchronize files skip.
#[expect(unsafe_code, reason = "the standard library only changes the read-only attribute")]
fn make_usual(path: &TempPath) -> io::Result<()> {
    let path = wide(path);
    // Safety: the name ends with a zero.
    match unsafe { SetFileAttributesW(path.as_ptr(), FILE_ATTRIBUTE_NORMAL) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Returns a path as the system's functions take it.
fn wide(path: &Path) -> Vec<u16> {
    names::verbatim(path).as_os_str().encode_wide().chain([0]).collect()
}

/// Renames a file or directory; a file at the new name is replaced.
///
/// # Errors
/// The system's; the message mentions if another program has the file open.
pub fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    let (from, to) = (from.as_ref(), to.as_ref());
    for pause in PAUSES_MS {
        match std::fs::rename(from, to) {
            Err(error) if is_in_use(&error) => {
                std::thread::sleep(Duration::from_millis(pause));
            }
            renamed => return renamed,
        }
    }
    std::fs::rename(from, to).map_err(|error| {
        if is_in_use(&error) {
            io::Error::new(error.kind(), format!("another program has the file open ({error})"))
        } else {
            error
        }
    })
}

fn is_in_use(error: &io::Error) -> bool {
    const IN_USE: [i32; 3] = [
        ERROR_ACCESS_DENIED.cast_signed(),
        ERROR_SHARING_VIOLATION.cast_signed(),
        ERROR_USER_MAPPED_FILE.cast_signed(),
    ];
    error.raw_os_error().is_some_and(|code| IN_USE.contains(&code))
}

/// Returns true: a new file gets the access list of its directory, as the old one did.
///
/// # Errors
/// None.
pub fn take_over(_old: &File, _facts: &Metadata, _new: &File) -> io::Result<bool> {
    Ok(true)
}
