//! A file of text that grows beside the store, for a person to read: written anew, or added to.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

/// A file that grows. What is written is in the file once the writer is flushed.
#[derive(Debug)]
pub struct TextFile {
    path: PathBuf,
}

impl TextFile {
    /// Names the file, which need not exist.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Begins the file anew.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn begin(&self) -> io::Result<impl Write + use<>> {
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(&self.path)?;
        Ok(BufWriter::new(file))
    }

    /// Goes on at the end of the file, which exists.
    ///
    /// # Errors
    /// It is gone, or cannot be written.
    pub fn append(&self) -> io::Result<impl Write + use<>> {
        Ok(BufWriter::new(OpenOptions::new().append(true).open(&self.path)?))
    }
}
