//! Changes in directories, reported by Linux's inotify.

pub use crate::changes::Change;

use nix::errno::Errno;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify, WatchDescriptor};
use nix::sys::statfs::{
    BTRFS_SUPER_MAGIC, EXT4_SUPER_MAGIC, F2FS_SUPER_MAGIC, FsType, OVERLAYFS_SUPER_MAGIC,
    TMPFS_MAGIC, statfs,
};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::LazyLock;

/// The file systems whose changes are all made on this machine. [`FsType`] names XFS on some systems only.
const LOCAL: [FsType; 6] = [
    EXT4_SUPER_MAGIC,
    BTRFS_SUPER_MAGIC,
    F2FS_SUPER_MAGIC,
    OVERLAYFS_SUPER_MAGIC,
    TMPFS_MAGIC,
    FsType(0x5846_5342),
];

/// Identifies a watched directory.
pub type Folder = WatchDescriptor;

/// Watches directories, but not those below them.
///
/// A change is reported once the call that made it has returned. A write through a memory mapping is reported when the mapping ends, and a
/// write through a hard link only for the directory that contains the link.
#[derive(Debug)]
pub struct Watch(Inotify);

impl Watch {
    /// Returns a watch for directories of the file system at a path, or `None` if its changes may be made elsewhere.
    ///
    /// # Errors
    /// The user has no more watches.
    pub fn on(path: &Path) -> io::Result<Option<Self>> {
        if !LOCAL.contains(&statfs(path)?.filesystem_type()) {
            return Ok(None);
        }
        let watch = Inotify::init(InitFlags::IN_CLOEXEC | InitFlags::IN_NONBLOCK)?;
        Ok(Some(Self(watch)))
    }

    /// Returns true if no other file system is mounted below a directory, which no watch reports.
    ///
    /// # Errors
    /// The list of mounts cannot be read.
    pub fn is_whole(folder: &Path) -> io::Result<bool> {
        let mounts = std::fs::read("/proc/self/mountinfo")?;
        let is_below = |line: &[u8]| {
            let point = line.split(|byte| *byte == b' ').nth(4).map(unescaped);
            point.is_some_and(|point| {
                let point = Path::new(OsStr::from_bytes(&point));
                point != folder && point.starts_with(folder)
            })
        };
        Ok(!mounts.split(|byte| *byte == b'\n').any(is_below))
    }

    /// Returns the number of directories that the user may watch in all programs together.
    pub fn max_folders() -> usize {
        static LIMIT: LazyLock<usize> = LazyLock::new(|| {
            let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches");
            limit.ok().and_then(|limit| limit.trim().parse().ok()).unwrap_or_default()
        });
        *LIMIT
    }

    /// Watches a directory. A directory that is already watched keeps its identifier.
    ///
    /// # Errors
    /// The path is a link or no directory, or the user has no more watches.
    pub fn add(&self, folder: &Path) -> io::Result<Folder> {
        let changes = AddWatchFlags::IN_MODIFY
            | AddWatchFlags::IN_CLOSE_WRITE
            | AddWatchFlags::IN_ATTRIB
            | AddWatchFlags::IN_CREATE
            | AddWatchFlags::IN_DELETE
            | AddWatchFlags::IN_MOVE
            | AddWatchFlags::IN_DELETE_SELF
            | AddWatchFlags::IN_MOVE_SELF;
        let kind = AddWatchFlags::IN_ONLYDIR | AddWatchFlags::IN_DONT_FOLLOW;
        Ok(self.0.add_watch(folder, changes | kind)?)
    }

    /// Stops watching a directory. It may have been removed.
    pub fn remove(&self, folder: Folder) {
        // The only error is that the directory is not watched.
        let _ = self.0.rm_watch(folder);
    }

    /// Returns all changes since the last call, without waiting. If they come faster than they are read, they are [`Change::Lost`].
    ///
    /// # Errors
    /// The system's.
    pub fn changes(&self) -> io::Result<Vec<Change<Folder>>> {
        /// More than the system keeps.
        const MAX_CHANGES: usize = 100_000;
        let mut changes = Vec::new();
        loop {
            if changes.len() > MAX_CHANGES {
                changes.push(Change::Lost);
                return Ok(changes);
            }
            match self.0.read_events() {
                Ok(events) => {
                    changes.extend(events.into_iter().map(|event| match event.name {
                        Some(name) => {
                            let is_folder = event.mask.contains(AddWatchFlags::IN_ISDIR);
                            Change::Entry { folder: event.wd, name, is_folder }
                        }
                        None => Change::Lost,
                    }));
                }
                Err(Errno::EAGAIN) => return Ok(changes),
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Returns a path of the list of mounts, in which spaces and the like are octal numbers.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        let code = after.get(..3).filter(|_| byte == b'\\');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        let code = code.and_then(|code| u8::from_str_radix(code, 8).ok());
        bytes.push(code.unwrap_or(byte));
        rest = if code.is_some() { after.get(3..).unwrap_or_default() } else { after };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_are_below_the_directories_above_them() {
        for (text, want) in [
            ("/plain", "/plain"),
            ("/a\\040b", "/a b"),
            ("/tab\\011, \\134", "/tab\t, \\"),
            ("/\\9", "/\\9"),
        ] {
            assert_eq!(unescaped(text.as_bytes()), want.as_bytes(), "{text}");
        }
        assert!(!Watch::is_whole(Path::new("/")).unwrap(), "/proc is mounted");
        assert!(Watch::is_whole(Path::new("/proc/self/fd/no-mount")).unwrap());
    }
}
