//! Links, pipes and permission bits, as far as the system has them. A test that a system cannot run is a row of `tests/platforms/skipped.toml`.

use std::path::Path;

/// Creates a symbolic link. A relative target begins in the folder of the link.
pub fn symlink(target: impl AsRef<Path>, link: impl AsRef<Path>) {
    let (target, link) = (target.as_ref(), link.as_ref());
    #[cfg(unix)]
    std::os::unix::fs::symlink(target, link).unwrap();
    #[cfg(windows)]
    {
        use std::os::windows::fs::{symlink_dir, symlink_file};
        let is_folder = link.parent().is_some_and(|parent| parent.join(target).is_dir());
        if is_folder { symlink_dir(target, link) } else { symlink_file(target, link) }.unwrap();
    }
}

/// Creates a named pipe in a folder.
///
/// # Panics
/// Windows has none.
pub fn fifo(path: impl AsRef<Path>) {
    #[cfg(unix)]
    nix::unistd::mkfifo(path.as_ref(), nix::sys::stat::Mode::S_IRWXU).unwrap();
    #[cfg(windows)]
    panic!("no pipe at {}: folders on Windows have none", path.as_ref().display());
}

/// Sets the permission bits of a file. Windows has one of them: whether the file may be written.
pub fn set_mode(path: impl AsRef<Path>, mode: u32) {
    #[cfg(unix)]
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
    #[cfg(windows)]
    let permissions = {
        let mut permissions = std::fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(mode & 0o200 == 0);
        permissions
    };
    std::fs::set_permissions(path, permissions).unwrap();
}

/// Returns the permission bits of a file, without those of its kind.
#[cfg(unix)]
pub fn mode(path: impl AsRef<Path>) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(path).unwrap().permissions())
        & 0o7777
}

/// Returns the permission bits of a file that may be read and written, or only read.
#[cfg(windows)]
pub fn mode(path: impl AsRef<Path>) -> u32 {
    if std::fs::metadata(path).unwrap().permissions().readonly() { 0o444 } else { 0o644 }
}
