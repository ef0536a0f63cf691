//! The program's files: opened without blocking, read up to a limit, and visible only to their owner.
//!
//! Whoever can place a file where the program looks controls what is opened: a named pipe without a writer, an endless device, a file of
//! gigabytes, or one that grows while it is read. [`open`] returns only regular files; [`read`] reads at most a limit, and at most the
//! file's size when it was opened. Blocking.

use pintle_os::file::{self, Facts};
use pintle_os::lock;
use std::ffi::OsString;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

pub use pintle_os::file::{is_readable_by_others, tighten};

/// How to treat a symbolic link in the last component of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// The file that it leads to is opened.
    Followed,
    /// Fail with an error.
    Refused,
}

/// Opens a regular file for reading. A named pipe, a device and a socket are refused, and never waited for.
///
/// # Errors
/// It cannot be opened, or is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    open_with(path, Links::Followed).map(|(file, _)| file)
}

fn open_with(path: &Path, links: Links) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    let options = match links {
        Links::Followed => file::never_wait(&mut options),
        Links::Refused => file::never_follow(&mut options),
    };
    let file = file::open(options.read(true), path)?;
    let facts = file.metadata()?;
    is_regular(&facts)?;
    Ok((file, facts))
}

fn is_regular(facts: &Metadata) -> io::Result<()> {
    if facts.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory"));
    }
    if !facts.is_file() {
        let message = "not a regular file (a device, pipe or socket)";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    Ok(())
}

/// Reads a regular file of at most `max_bytes`, up to the size it had when it was opened.
///
/// # Errors
/// The file cannot be opened or read, is not a regular file, or exceeds the limit, which the error includes.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    read_with(path, max_bytes, Links::Followed)
}

/// Like [`read`], with a choice about a link at the path itself.
///
/// # Errors
/// As of [`read`]; also a link, where links are refused.
pub fn read_with(path: &Path, max_bytes: u64, links: Links) -> io::Result<Vec<u8>> {
    let (file, facts) = open_with(path, links)?;
    read_whole(file, &facts, max_bytes)
}

/// Reads a file with secrets, which must not be a link and must be accessible to its owner only.
///
/// # Errors
/// Those of [`read_with`], and [`io::ErrorKind::PermissionDenied`] if other users can open the file.
pub fn read_secret(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let (file, facts) = open_with(path, Links::Refused)?;
    if facts.is_open_to_others() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "other users may open it"));
    }
    read_whole(file, &facts, max_bytes)
}

fn read_whole(file: File, facts: &Metadata, max_bytes: u64) -> io::Result<Vec<u8>> {
    if facts.len() > max_bytes {
        let message = format!("{} bytes, over the limit of {max_bytes}", facts.len());
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    let mut content = Vec::with_capacity(usize::try_from(facts.len()).unwrap_or_default());
    file.take(size_seen(facts).min(max_bytes)).read_to_end(&mut content)?;
    Ok(content)
}

/// Returns how many bytes of an open file to read: its size, since another process could append to it endlessly. More if the system reports
/// an empty file, as it does in `/proc`.
pub fn size_seen(facts: &Metadata) -> u64 {
    const MAX_UNSIZED_BYTES: u64 = 16 * 1024 * 1024;
    if facts.len() == 0 { MAX_UNSIZED_BYTES } else { facts.len() }
}

/// Reads a regular file that is UTF-8.
///
/// # Errors
/// As of [`read`]; also text that is not UTF-8.
pub fn read_to_string(path: &Path, max_bytes: u64) -> io::Result<String> {
    let invalid = |_| io::Error::new(io::ErrorKind::InvalidData, "not UTF-8");
    String::from_utf8(read(path, max_bytes)?).map_err(invalid)
}

/// Appends the next line to `line`, including its line ending. Returns 0 at end of file.
///
/// # Errors
/// The file cannot be read, or the line exceeds 256 MiB, more than the program ever writes.
pub fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    const MAX_LINE_BYTES: u64 = 256 * 1024 * 1024;
    let count = reader.take(MAX_LINE_BYTES).read_until(b'\n', line)?;
    if count as u64 == MAX_LINE_BYTES && !line.ends_with(b"\n") {
        let message = format!("a line exceeds {} MiB", MAX_LINE_BYTES >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(count)
}

/// Opens a file that the program keeps for itself: a new one is for its owner alone, and an existing one must be a regular file, which
/// is not waited for.
///
/// # Errors
/// It cannot be opened, or is no regular file.
pub fn open_private(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let file = file::open(file::never_wait(file::private(options)), path)?;
    is_regular(&file.metadata()?)?;
    Ok(file)
}

/// Writes a file for its owner alone; the old content is replaced.
///
/// # Errors
/// It cannot be written.
pub fn write_private(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = open_private(path, OpenOptions::new().write(true).create(true).truncate(true))?;
    io::Write::write_all(&mut file, content)
}

/// Creates a folder and its parents for their owner alone; existing ones are left as they are.
///
/// # Errors
/// One cannot be created.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    file::private_folders().recursive(true).create(path)
}

/// Makes a folder in the system's temporary folder, for its owner alone whatever the umask is. It goes away with the value.
///
/// # Errors
/// It cannot be created.
pub fn temporary_folder(prefix: &str) -> io::Result<tempfile::TempDir> {
    temporary_folder_in(prefix, &std::env::temp_dir())
}

/// Makes such a folder in another one.
///
/// # Errors
/// It cannot be created.
#[expect(clippy::disallowed_methods, reason = "the one place that makes temporary folders")]
pub fn temporary_folder_in(prefix: &str, within: &Path) -> io::Result<tempfile::TempDir> {
    file::as_private_folder(tempfile::Builder::new().prefix(prefix)).tempdir_in(within)
}

/// A file of secrets that several processes change: for its owner alone, replaced as a whole under a lock. Errors name the file.
///
/// A file that others may open, and a link, are refused, and never replaced.
#[derive(Debug, Clone)]
pub struct SecretFile {
    path: PathBuf,
}

/// The right to change a [`SecretFile`], until it is dropped.
#[derive(Debug)]
pub struct SecretLock {
    path: PathBuf,
    _lock: File,
}

impl SecretFile {
    /// The file at this path, which need not exist.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Reads the file, up to `max_bytes`; `None` if it does not exist.
    ///
    /// # Errors
    /// Those of [`read_secret`].
    pub fn read(&self, max_bytes: u64) -> io::Result<Option<Vec<u8>>> {
        match read_secret(&self.path, max_bytes) {
            Ok(content) => Ok(Some(content)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let hint = format!("{error}; `chmod 600 {}`", self.path.display());
                Err(self.error(error.kind(), &hint))
            }
            Err(error) => Err(self.error(error.kind(), &error.to_string())),
        }
    }

    /// Waits for exclusive access to the file.
    ///
    /// # Errors
    /// The directory or the lock file cannot be created.
    pub fn lock(&self) -> io::Result<SecretLock> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        create_private_folder(folder)?;
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(".lock");
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        let lock = open_private(&folder.join(name), &mut options)?;
        lock::lock(&lock)?;
        Ok(SecretLock { path: self.path.clone(), _lock: lock })
    }

    /// Returns an error that includes the file's path.
    pub fn error(&self, kind: io::ErrorKind, message: &str) -> io::Error {
        io::Error::new(kind, format!("{}: {message}", self.path.display()))
    }
}

impl SecretLock {
    /// Replaces the file by one with this content.
    ///
    /// # Errors
    /// It cannot be written; the old content stays.
    pub fn replace(&self, content: &[u8]) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        let mut prefix = OsString::from(".");
        prefix.push(self.path.file_name().unwrap_or_default());
        // Temporary files are for their owner alone.
        let mut file = tempfile::Builder::new().prefix(&prefix).tempfile_in(folder)?;
        io::Write::write_all(&mut file, content)?;
        file.as_file().sync_all()?;
        pintle_os::replace::put(file, &self.path, &mut None)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "makes the files that are opened")]

    use super::*;
    use pintle_testing::files;

    fn assert_read(path: &Path, max_bytes: u64, links: Links, want: Result<&str, &str>) {
        let name = path.display();
        match (read_with(path, max_bytes, links), want) {
            (Ok(got), Ok(want)) => assert_eq!(got, want.as_bytes(), "{name}"),
            (Err(got), Err(want)) => assert!(got.to_string().contains(want), "{name}: {got}"),
            (got, want) => panic!("{name}: {got:?} and not {want:?}"),
        }
    }

    #[test]
    fn only_regular_files_within_the_limit_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("plain"), "12345").unwrap();
        for (name, max_bytes, links, want) in [
            ("plain", 5, Links::Refused, Ok("12345")),
            ("plain", 4, Links::Refused, Err("5 bytes, over the limit of 4")),
            (".", 5, Links::Followed, Err("is a directory")),
        ] {
            assert_read(&at(name), max_bytes, links, want);
        }
        assert_eq!(read(&at("none"), 5).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn links_are_followed_or_refused_and_pipes_and_devices_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("plain"), "12345").unwrap();
        files::fifo(at("pipe"));
        files::symlink(at("plain"), at("link"));
        files::symlink("/dev/zero", at("zeros"));
        for (name, links, want) in [
            ("link", Links::Followed, Ok("12345")),
            ("link", Links::Refused, Err("symbolic links")),
            ("zeros", Links::Followed, Err("not a regular file")),
            ("pipe", Links::Followed, Err("not a regular file")),
        ] {
            assert_read(&at(name), 5, links, want);
        }
        let append = open_private(&at("pipe"), OpenOptions::new().read(true).append(true));
        assert!(append.is_err(), "a pipe is not appended to");
    }

    #[test]
    fn what_is_private_is_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mode = |name: &str| files::mode(at(name));
        create_private_folder(&at("a/b")).unwrap();
        write_private(&at("a/b/file"), b"x").unwrap();
        assert_eq!([mode("a"), mode("a/b"), mode("a/b/file")], [0o700, 0o700, 0o600]);
        for (was, want) in [(0o755, 0o700), (0o700, 0o700), (0o1777, 0o1777)] {
            files::set_mode(at("a"), was);
            tighten(&at("a")).unwrap();
            assert_eq!(mode("a"), want, "{was:o}");
        }
        files::set_mode(at("a/b/file"), 0o644);
        assert!(is_readable_by_others(&at("a/b/file")));
        tighten(&at("a/b/file")).unwrap();
        assert!(!is_readable_by_others(&at("a/b/file")) && mode("a/b/file") == 0o600);
    }
}
