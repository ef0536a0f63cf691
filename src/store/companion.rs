//! A file of lines beside a journal, kept up to date with it for programs that read another format.
//!
//! The journal is the truth: the file can be rebuilt from it at any time. Invariant: a file with other content is left unchanged.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use super::Error;
use crate::disk;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The maximum size of a file that is continued.
const MAX_BYTES: u64 = 1024 * 1024 * 1024;

/// A file of lines that grows.
#[derive(Debug)]
pub struct CompanionFile {
    path: PathBuf,
    file: Option<File>,
}

impl CompanionFile {
    /// A file that is created with its first lines.
    pub fn new(path: PathBuf) -> Self {
        Self { path, file: None }
    }

    /// The path of the file, whether it exists or not.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true when it exists already.
    pub fn is_written(&self) -> bool {
        self.file.is_some()
    }

    /// Continues a file that holds a prefix of these lines behind its header line, and appends the missing ones; a missing file is not
    /// created. A last line that a kill or a full disk cut is completed. Returns false for a file with other content, and leaves it
    /// unchanged.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub fn resume(&mut self, lines: &[String]) -> Result<bool, Error> {
        let content = match disk::read(&self.path, MAX_BYTES) {
            Ok(content) => content,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            Err(error) => return Err(Error::io(&self.path)(error)),
        };
        let whole = content.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let (content, cut) = content.split_at(whole);
        let mut expected = lines.iter();
        let mut rest = content.split_inclusive(|&byte| byte == b'\n').skip(1);
        if content.is_empty()
            || !rest.all(|line| expected.next().is_some_and(|next| next.as_bytes() == line))
        {
            return Ok(false);
        }
        let missing: String = expected.map(String::as_str).collect();
        // Whoever wrote another whole entry without a line end went on with the file.
        let is_entry = |text| serde_json::from_slice::<serde_json::Value>(text).is_ok();
        if !missing.as_bytes().starts_with(cut) && is_entry(cut) {
            return Ok(false);
        }
        self.open(OpenOptions::new().append(true))?;
        if let Some(file) = self.file.as_ref().filter(|_| !cut.is_empty()) {
            file.set_len(whole as u64).map_err(Error::io(&self.path))?;
        }
        self.add(&missing)?;
        Ok(true)
    }

    /// Creates the file with these lines, and missing folders.
    ///
    /// # Errors
    /// There is a file of this name, or it cannot be written.
    pub fn create(&mut self, text: &str) -> Result<(), Error> {
        if let Some(folder) = self.path.parent() {
            disk::create_private_folder(folder).map_err(Error::io(folder))?;
        }
        self.open(OpenOptions::new().append(true).create_new(true))?;
        self.add(text)
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

    fn open(&mut self, options: &mut OpenOptions) -> Result<(), Error> {
        self.file = Some(disk::open_private(&self.path, options).map_err(Error::io(&self.path))?);
        Ok(())
    }
}

/// The files in a folder with this ending, sorted by name; empty if there is no such folder.
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
        let lines: Vec<String> = ["a\n", "b\n", "c\n"].map(str::to_owned).into();
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
            let mut file = CompanionFile::new(path.clone());
            assert_eq!(file.resume(&lines).unwrap(), want.is_some(), "{name}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), want.unwrap_or(before), "{name}");
        }
    }

    #[test]
    fn nothing_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/folder/x.jsonl");
        let mut file = CompanionFile::new(path.clone());
        assert!(!file.is_written());
        file.create("head\n").unwrap();
        file.add("a\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "head\na\n");
        assert!(CompanionFile::new(path.clone()).create("other\n").is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "head\na\n");
        assert_eq!(files(path.parent().unwrap(), ".jsonl"), [path]);
    }
}
