//! Replacing a file by another one.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Moves a finished temporary file into its place. `_held` is the old file, which may stay open.
///
/// # Errors
/// The system's.
pub fn put(temporary: NamedTempFile, place: &Path, _held: &mut Option<File>) -> io::Result<()> {
    temporary.persist(place).map(drop).map_err(|error| error.error)
}

/// Moves a finished temporary file to a new path.
///
/// # Errors
/// The system's; [`io::ErrorKind::AlreadyExists`] if the path exists.
pub fn put_new(temporary: NamedTempFile, place: &Path) -> io::Result<()> {
    temporary.persist_noclobber(place).map(drop).map_err(|error| error.error)
}

/// Makes a temporary file an ordinary one. Returns it with its path.
///
/// # Errors
/// The system's.
pub fn keep(temporary: NamedTempFile) -> io::Result<(File, PathBuf)> {
    temporary.keep().map_err(|error| error.error)
}

/// Renames a file or directory; a file at the new name is replaced.
///
/// # Errors
/// The system's.
pub fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    std::fs::rename(from, to)
}

/// Copies everything but the content from the old file to the new one. Returns false if something cannot be copied.
///
/// # Errors
/// The permissions cannot be set.
pub fn take_over(old: &File, facts: &Metadata, new: &File) -> io::Result<bool> {
    let fresh = new.metadata()?;
    let is_owned_alike = (fresh.uid(), fresh.gid()) == (facts.uid(), facts.gid());
    if !is_owned_alike
        && std::os::unix::fs::fchown(new, Some(facts.uid()), Some(facts.gid())).is_err()
    {
        return Ok(false);
    }
    let are_copied = copy_attributes(old, new).is_ok();
    // Last: changing the owner clears some of the bits, and an access list changes others.
    new.set_permissions(facts.permissions())?;
    Ok(are_copied)
}

/// Copies extended attributes, access lists among them. Labels that the system itself gives to each file are left to it.
fn copy_attributes(old: &File, new: &File) -> io::Result<()> {
    /// The maximum sizes on Linux.
    const MAX_BYTES: usize = 64 * 1024;
    const OF_THE_SYSTEM: [&[u8]; 2] = [b"security.selinux", b"com.apple.provenance"];
    let mut names = vec![0_u8; MAX_BYTES];
    let length = match rustix::fs::flistxattr(old, names.as_mut_slice()) {
        Ok(length) => length,
        Err(rustix::io::Errno::NOTSUP | rustix::io::Errno::NOSYS) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    names.truncate(length);
    let mut value = Vec::new();
    for name in names.split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
        if OF_THE_SYSTEM.contains(&name) {
            continue;
        }
        value.resize(MAX_BYTES, 0);
        let length = rustix::fs::fgetxattr(old, name, value.as_mut_slice())?;
        value.truncate(length);
        rustix::fs::fsetxattr(new, name, &value, rustix::fs::XattrFlags::empty())?;
    }
    Ok(())
}
