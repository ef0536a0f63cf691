//! Directories that are kept open, so that a link placed on the way to them later leads nowhere else.
//!
//! Linux since 5.6 refuses links on the whole path in one call. Elsewhere the path is resolved once more immediately before use.

use super::errors;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// An open directory or file, for the names that begin there.
pub type Held = OwnedFd;

/// Resolves a path, the missing end of which stays as it is.
pub type Canonicalize = fn(&Path) -> Option<PathBuf>;

/// Opens the directory at a canonical path, for the names in it.
///
/// # Errors
/// The system's; [`errors::is_link`] for a path with a symbolic link.
pub fn open(path: &Path, canonicalize: Canonicalize) -> io::Result<Held> {
    open_with(path, nix::libc::O_DIRECTORY | WITHOUT_READING, canonicalize)
}

/// Opens a canonical path so that it can be named by its descriptor.
///
/// # Errors
/// Those of [`open`].
pub fn open_to_name(path: &Path, canonicalize: Canonicalize) -> io::Result<Held> {
    open_with(path, WITHOUT_READING, canonicalize)
}

/// Opens a canonical path for reading, without blocking.
///
/// # Errors
/// Those of [`open`].
pub fn open_to_read(path: &Path, canonicalize: Canonicalize) -> io::Result<File> {
    open_with(path, nix::libc::O_NONBLOCK | nix::libc::O_NOCTTY, canonicalize).map(File::from)
}

/// Opens the directory with this name, which is no link.
///
/// # Errors
/// The system's.
pub fn open_below(path: &Path) -> io::Result<Held> {
    let flags = nix::libc::O_NOFOLLOW | nix::libc::O_DIRECTORY;
    OpenOptions::new().read(true).custom_flags(flags).open(path).map(OwnedFd::from)
}

/// Returns a path to something open that leads nowhere else; `None` without `/proc`.
pub fn by_descriptor(held: &Held) -> Option<PathBuf> {
    /// Set if paths by descriptor work here.
    static IS_THERE: LazyLock<bool> =
        LazyLock::new(|| cfg!(target_os = "linux") && Path::new("/proc/self/fd").exists());
    IS_THERE.then(|| PathBuf::from(format!("/proc/self/fd/{}", held.as_raw_fd())))
}

/// Waits until the names in a directory are on the disk.
///
/// # Errors
/// The disk failed, or the directory cannot be opened.
pub fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// The flag that opens what may be entered or changed and not read, too.
#[cfg(target_os = "linux")]
const WITHOUT_READING: i32 = nix::libc::O_PATH;

/// Other systems have no such flag.
#[cfg(not(target_os = "linux"))]
const WITHOUT_READING: i32 = 0;

#[cfg(target_os = "linux")]
fn open_with(path: &Path, flags: i32, canonicalize: Canonicalize) -> io::Result<OwnedFd> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
    use rustix::io::Errno;
    let opened = rustix::fs::openat2(
        CWD,
        path,
        OFlags::from_bits_retain(flags.cast_unsigned()) | OFlags::CLOEXEC,
        Mode::empty(),
        ResolveFlags::NO_SYMLINKS,
    );
    match opened {
        // Unknown to the kernel, or to the filter that a container runs under.
        Err(Errno::NOSYS | Errno::PERM) => open_resolved(path, flags, canonicalize),
        opened => Ok(opened?),
    }
}

#[cfg(not(target_os = "linux"))]
fn open_with(path: &Path, flags: i32, canonicalize: Canonicalize) -> io::Result<OwnedFd> {
    open_resolved(path, flags, canonicalize)
}

/// Opens a path that is canonical now.
fn open_resolved(path: &Path, flags: i32, canonicalize: Canonicalize) -> io::Result<OwnedFd> {
    if canonicalize(path).is_some_and(|real| real != path) {
        return Err(errors::link());
    }
    let flags = flags | nix::libc::O_NOFOLLOW;
    OpenOptions::new().read(true).custom_flags(flags).open(path).map(OwnedFd::from)
}
