//! A session's lock: one process at a time writes its journal.

use super::Error;
use pintle_base::private_files;
use pintle_os::lock as os;
use pintle_protocol::ids::SessionId;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::Path;

const LOCK: &str = "lock";

/// A session's lock. It is released when this is dropped, and when the process ends.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file is not enough: a process that another thread is just starting has a copy of it for a moment.
        let _ = self.0.unlock();
    }
}

/// The kind of process that owns locks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Holder {
    /// One that no other client can reach.
    #[default]
    Alone,
    /// The engine that clients share.
    SharedEngine,
}

/// Takes the session's lock.
///
/// # Errors
/// Another process has the lock, or the file cannot be created.
pub(super) fn lock(folder: &Path, session: &SessionId, holder: Holder) -> Result<Lock, Error> {
    /// The holder is named by a few words.
    const MAX_HOLDER_BYTES: u64 = 1024;
    let path = folder.join(LOCK);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let mut file = private_files::open_private(&path, &mut options).map_err(Error::io(&path))?;
    match os::try_lock(&file) {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let _ = (&mut file).take(MAX_HOLDER_BYTES).read_to_string(&mut holder);
            return Err(Error::Locked {
                session: session.clone(),
                holder: holder.trim().to_owned(),
            });
        }
        Err(TryLockError::Error(error)) => return Err(Error::io(&path)(error)),
    }
    // The file's content identifies the owner; the lock itself is the system's.
    let _ = file.set_len(0);
    let _ = file.write_all(own(holder).as_bytes());
    Ok(Lock(file))
}

/// Behind the process in a lock file of the shared engine.
const SHARED: &str = ", the shared engine";

/// Returns this process's entry for a lock file.
fn own(holder: Holder) -> String {
    let kind = match holder {
        Holder::Alone => "",
        Holder::SharedEngine => SHARED,
    };
    format!("pid {}{kind}", std::process::id())
}

/// Returns true if a lock file refers to this process.
pub(super) fn is_own(holder: &str) -> bool {
    holder.strip_suffix(SHARED).unwrap_or(holder) == own(Holder::Alone)
}

/// Returns true if a lock file refers to the shared engine.
pub(super) fn is_shared(holder: &str) -> bool {
    holder.ends_with(SHARED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_goes_although_a_command_being_started_has_a_copy_of_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let session = SessionId::new("s1");
        let held = lock(folder.path(), &session, Holder::Alone).unwrap();
        let copy = held.0.try_clone().unwrap();
        assert!(matches!(lock(folder.path(), &session, Holder::Alone), Err(Error::Locked { .. })));
        drop(held);
        assert!(lock(folder.path(), &session, Holder::Alone).is_ok());
        drop(copy);
    }
}
