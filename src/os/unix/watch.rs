//! Changes in directories, reported by Linux's inotify.

pub use crate::changes::Change;

use nix::errno::Errno;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify, WatchDescriptor};
use nix::sys::statfs::{
    BTRFS_SUPER_MAGIC, EXT4_SUPER_MAGIC, F2FS_SUPER_MAGIC, FsType, OVERLAYFS_SUPER_MAGIC,
    TMPFS_MAGIC, statfs,
};
use std::io;
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
/// write through another name of a file only in the directory of that name.
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
