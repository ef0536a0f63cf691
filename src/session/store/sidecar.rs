//! A file of lines next to a journal, kept up to date with it for programs that read another format.
//!
//! The journal is the truth: the file can be rebuilt from it at any time. Invariant: a file with other content is left unchanged.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use super::Error;
use pintle_base::private_files;
use pintle_os::lock;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The maximum size of a file that is continued.
const MAX_BYTES: u64 = 1024 * 1024 * 1024;

/// The outcome of continuing a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resumed {
    /// The file contains the lines, and can be appended to.
    Continued,
    /// The file does not exist.
    Missing,
    /// Another client of the session writes it.
    HeldByOther,
    /// The file has other content, and is left unchanged.
    Diverged,
}

/// A growing file of lines. Its writer has a lock on it, so that two clients of one session do not both write.
#[derive(Debug)]
pub struct SidecarFile {
    path: PathBuf,
    file: Option<File>,
}

impl SidecarFile {
    /// Returns a file that is created with its first lines.
    pub fn new(path: PathBuf) -> Self {
        Self { path, file: None }
    }

    /// Returns the file's path, whether it exists or not.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if this client writes it.
    pub fn is_written(&self) -> bool {
        self.file.is_some()
    }

    /// Continues a file that contains a prefix of these lines after its header line, and appends the missing ones; a missing file is not
    /// created. A last line cut by a kill or a full disk is completed.
    ///
    /// # Errors
    /// The file cannot be read or written.
    pub fn resume(&mut self, lines: &[&str]) -> Result<Resumed, Error> {
        let file = match private_files::open_private(&self.path, OpenOptions::new().append(true)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Resumed::Missing),
            Err(error) => return Err(Error::io(&self.path)(error)),
        };
        if !self.is_locked(&file)? {
            return Ok(Resumed::HeldByOther);
        }
        let content = private_files::read(&self.path, MAX_BYTES).map_err(Error::io(&self.path))?;
        let whole = content.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let (content, cut) = content.split_at(whole);
        let mut expected = lines.iter();
        let mut rest = content.split_inclusive(|&byte| byte == b'\n').skip(1);
        if content.is_empty()
            || !rest.all(|line| expected.next().is_some_and(|next| next.as_bytes() == line))
        {
            return Ok(Resumed::Diverged);
        }
        let missing: String = expected.copied().collect();
        // A writer that added another complete entry without a line ending has continued the file.
        let is_entry = |text| serde_json::from_slice::<serde_json::Value>(text).is_ok();
        if !missing.as_bytes().starts_with(cut) && is_entry(cut) {
            return Ok(Resumed::Diverged);
        }
        if !cut.is_empty() {
            file.set_len(whole as u64).map_err(Error::io(&self.path))?;
        }
        self.file = Some(file);
        self.add(&missing)?;
        Ok(Resumed::Continued)
    }

    /// Creates the file with these lines, and missing directories. If another client of the session has just created it, that client writes
    /// it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn create(&mut self, text: &str) -> Result<Resumed, Error> {
        if let Some(folder) = self.path.parent() {
            private_files::create_private_folder(folder).map_err(Error::io(folder))?;
        }
        let file = match private_files::open_private(
            &self.path,
            OpenOptions::new().append(true).create_new(true),
        ) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Ok(Resumed::HeldByOther);
            }
            Err(error) => return Err(Error::io(&self.path)(error)),
        };
        if !self.is_locked(&file)? {
            return Ok(Resumed::HeldByOther);
        }
        self.file = Some(file);
        self.add(text)?;
        Ok(Resumed::Continued)
    }

    /// Appends lines.
    ///
    /// # Errors
    /// The file is not open, or cannot be written.
    pub fn add(&mut self, text: &str) -> Result<(), Error> {
        if text.is_empty() {
            return Ok(());
        }
        let Some(file) = &mut self.file else {
            return Err(Error::io(&self.path)(io::ErrorKind::NotFound.into()));
        };
        file.write_all(text.as_bytes()).map_err(Error::io(&self.path))
    }

    /// Locks a file. Returns false if another client has locked it.
    fn is_locked(&self, file: &File) -> Result<bool, Error> {
        match lock::try_lock(file) {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            // A file system without locks has one client's files.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                Ok(true)
            }
            Err(TryLockError::Error(error)) => Err(Error::io(&self.path)(error)),
        }
    }
}

/// Returns the files in a directory with this extension, sorted by name; empty if the directory does not exist.
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_of_our_own_grows() {
        let lines = ["a\n", "b\n", "c\n"];
        for (name, before, want) in [
            ("whole", "head\na\nb\nc\n", Some("head\na\nb\nc\n")),
            ("behind", "other head\na\n", Some("other head\na\nb\nc\n")),
            ("only a head", "head\n", Some("head\na\nb\nc\n")),
            ("somebody else went on with it", "head\na\nx\n", None),
            ("longer than ours", "head\na\nb\nc\nd\n", None),
            ("cut in a line", "head\na\nb", Some("head\na\nb\nc\n")),
            ("cut in a line that is not ours", "head\na\n{\"x\": ", Some("head\na\nb\nc\n")),
            ("cut behind our last", "head\na\nb\nc\n{\"", Some("head\na\nb\nc\n")),
            ("zeros behind a full disk", "head\na\n\0\0\0", Some("head\na\nb\nc\n")),
            ("another entry without a line end", "head\na\n{\"x\": 1}", None),
            ("other text", "head\na\n\u{fffd}\n", None),
            ("a cut head", "he", None),
            ("nothing", "", None),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("x.jsonl");
            std::fs::write(&path, before).unwrap();
            let mut file = SidecarFile::new(path.clone());
            let resumed = if want.is_some() { Resumed::Continued } else { Resumed::Diverged };
            assert_eq!(file.resume(&lines).unwrap(), resumed, "{name}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), want.unwrap_or(before), "{name}");
        }
    }

    #[test]
    fn one_client_writes_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        let [mut first, mut second] = [(); 2].map(|()| SidecarFile::new(path.clone()));
        assert_eq!(second.resume(&["a\n"]).unwrap(), Resumed::Missing);
        first.create("head\na\n").unwrap();
        assert_eq!(second.create("head\na\n").unwrap(), Resumed::HeldByOther);
        assert_eq!(second.resume(&["a\n"]).unwrap(), Resumed::HeldByOther);
        first.add("b\n").unwrap();
        drop(first);
        assert_eq!(second.resume(&["a\n", "b\n", "c\n"]).unwrap(), Resumed::Continued);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "head\na\nb\nc\n");
    }

    #[test]
    fn nothing_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/folder/x.jsonl");
        let mut file = SidecarFile::new(path.clone());
        assert!(!file.is_written());
        file.create("head\n").unwrap();
        file.add("a\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "head\na\n");
        let mut other = SidecarFile::new(path.clone());
        assert_eq!(other.create("other\n").unwrap(), Resumed::HeldByOther);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "head\na\n");
        assert_eq!(files(path.parent().unwrap(), ".jsonl"), [path]);
    }
}
