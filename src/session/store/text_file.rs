//! A growing text file next to the store, for users to read: rewritten, or appended to.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

/// A file that grows. What is written is in the file once the writer is flushed.
#[derive(Debug)]
pub struct TextFile {
    path: PathBuf,
}

impl TextFile {
    /// Sets the file's path, which need not exist.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Rewrites the file from the start.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn begin(&self) -> io::Result<impl Write + use<>> {
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(&self.path)?;
        Ok(BufWriter::new(file))
    }

    /// Appends to the existing file.
    ///
    /// # Errors
    /// The file is gone, or cannot be written.
    pub fn append(&self) -> io::Result<impl Write + use<>> {
        Ok(BufWriter::new(OpenOptions::new().append(true).open(&self.path)?))
    }
}
