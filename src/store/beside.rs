//! A file of lines beside a journal that grows with it, for programs that read another format.
//!
//! Not a second truth: it can be made again from the journal at any time. Invariant: a file that holds what was not written here is
//! left as it is.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use super::Error;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file of lines that grows.
#[derive(Debug)]
pub struct Beside {
    path: PathBuf,
    file: Option<File>,
}

impl Beside {
    /// A file that is made with its first lines.
    pub fn new(path: PathBuf) -> Self {
        Self { path, file: None }
    }

    /// Where it is, or will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True when it is there already.
    pub fn is_written(&self) -> bool {
        self.file.is_some()
    }

    /// Takes up a file that holds the beginning of these lines, its head aside, and adds those that it lacks; one that is not there is
    /// not made. `false` when it holds something else; then nothing is done to it.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub fn take_up(&mut self, lines: &[String]) -> Result<bool, Error> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => return Ok(false),
            Err(error) => return Err(Error::io(&self.path)(error)),
        };
        let mut ours = lines.iter();
        let mut rest = text.split_inclusive('\n').skip(1);
        if !rest.all(|line| ours.next().is_some_and(|own| own == line)) {
            return Ok(false);
        }
        self.open(OpenOptions::new().append(true))?;
        self.add(&ours.map(String::as_str).collect::<String>())?;
        Ok(true)
    }

    /// Makes the file with these lines; folders that are not there are made.
    ///
    /// # Errors
    /// There is a file of this name, or it cannot be written.
    pub fn make(&mut self, text: &str) -> Result<(), Error> {
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
        }
        self.open(OpenOptions::new().append(true).create_new(true))?;
        self.add(text)
    }

    /// Adds lines to the end.
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

    fn open(&mut self, options: &OpenOptions) -> Result<(), Error> {
        self.file = Some(options.open(&self.path).map_err(Error::io(&self.path))?);
        Ok(())
    }
}

/// The files in a folder whose names end so, newest name last; none where there is no such folder.
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
            ("cut in a line", "head\na\nb", None),
            ("no text", "head\na\n\u{fffd}", None),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("x.jsonl");
            std::fs::write(&path, before).unwrap();
            let mut file = Beside::new(path.clone());
            assert_eq!(file.take_up(&lines).unwrap(), want.is_some(), "{name}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), want.unwrap_or(before), "{name}");
        }
    }

    #[test]
    fn nothing_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/folder/x.jsonl");
        let mut file = Beside::new(path.clone());
        assert!(!file.is_written());
        file.make("head\n").unwrap();
        file.add("a\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "head\na\n");
        assert!(Beside::new(path.clone()).make("other\n").is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "head\na\n");
        assert_eq!(files(path.parent().unwrap(), ".jsonl"), [path]);
    }
}
