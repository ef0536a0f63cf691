//! The output of a command: its end in memory, all of it in a file once it is long.
//!
//! Invariant: memory stays flat whatever comes.

use crate::ambient::Redactor;
use crate::disk;
use crate::exec::{Command, End, OutputBuffer, Ran};
use crate::text::terminal::Cleaner;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tokio::task::{JoinHandle, spawn_blocking};

/// Text is written to the file in pieces of this size: less than the end that is kept in memory, so that a reader
/// finds everything in one of the two.
const WRITE_BYTES: usize = 64 * 1024;

/// Takes output as it comes.
#[derive(Debug)]
pub(crate) struct Capture {
    cleaner: Cleaner,
    redactor: Redactor,
    output: OutputBuffer,
    max_lines: u64,
    max_bytes: u64,
    folder: PathBuf,
    spill: Spill,
}

#[derive(Debug)]
enum Spill {
    /// Still short.
    None,
    /// Includes the output that is not written yet.
    Open(Writer, String),
    /// The file could not be written; the command continues without it.
    Failed,
}

/// Writes on a thread that may block, one piece while the next is made.
#[derive(Debug)]
enum Writer {
    Idle(File),
    /// The file and the piece's memory come back.
    Busy(JoinHandle<io::Result<(File, String)>>),
}

impl Writer {
    /// Begins to write a piece once the one before is written; returns memory for the next.
    async fn write(self, piece: String) -> io::Result<(Self, String)> {
        let (mut file, mut memory) = self.idle().await?;
        memory.clear();
        let busy = spawn_blocking(move || {
            file.write_all(piece.as_bytes())?;
            Ok((file, piece))
        });
        Ok((Self::Busy(busy), memory))
    }

    /// Waits until everything is written.
    async fn idle(self) -> io::Result<(File, String)> {
        match self {
            Self::Idle(file) => Ok((file, String::new())),
            Self::Busy(busy) => busy.await.map_err(io::Error::other)?,
        }
    }
}

impl Capture {
    pub(crate) fn new(command: &Command, temporary: &Path) -> Self {
        Self {
            cleaner: Cleaner::default(),
            redactor: Redactor::new(command.output.secrets()),
            output: command.output.clone(),
            max_lines: command.spill_lines,
            max_bytes: command.spill_bytes,
            folder: command.artifacts.clone().unwrap_or_else(|| temporary.to_path_buf()),
            spill: Spill::None,
        }
    }

    /// Takes the next bytes and returns the text they make.
    pub(crate) async fn push(&mut self, bytes: &[u8]) -> String {
        let text = self.cleaner.push(bytes);
        let text = self.redactor.push(&text).into_owned();
        self.text(&text).await;
        text
    }

    /// No more will come.
    pub(crate) async fn finish(mut self, end: End) -> Ran {
        self.complete().await;
        self.flush().await;
        self.ran(end)
    }

    /// The command ended, but processes that it left may print more: all output is in a file from now on.
    pub(crate) async fn go_on(&mut self, end: End) -> Ran {
        self.complete().await;
        let ran = self.ran(end);
        if matches!(self.spill, Spill::None) {
            self.open(self.output.tail()).await;
        }
        self.flush().await;
        Ran { background_output: self.output.path(), ..ran }
    }

    /// Takes what was held back because more could belong to it.
    async fn complete(&mut self) {
        let rest = self.cleaner.finish();
        let rest = self.redactor.push(rest).into_owned() + &self.redactor.finish();
        self.text(&rest).await;
    }

    /// Waits until the file holds everything so far.
    pub(crate) async fn flush(&mut self) {
        self.write_out(0).await;
        if !matches!(self.spill, Spill::Open(..)) {
            return;
        }
        let Spill::Open(writer, waiting) = std::mem::replace(&mut self.spill, Spill::Failed) else {
            return;
        };
        match writer.idle().await {
            Ok((file, _)) => self.spill = Spill::Open(Writer::Idle(file), waiting),
            Err(_) => self.fail(),
        }
    }

    /// What was printed so far.
    fn ran(&self, end: End) -> Ran {
        let (total_lines, total_bytes) = self.output.totals();
        Ran {
            end,
            tail: self.output.tail(),
            total_lines,
            total_bytes,
            full_output_path: self.output.path(),
            background_output: None,
            sandbox: None,
        }
    }

    async fn text(&mut self, text: &str) {
        // Until the file exists the buffer holds the whole output: it is cut only when it is longer than that.
        let so_far = matches!(self.spill, Spill::None).then(|| self.output.tail());
        self.output.push(text);
        match &mut self.spill {
            Spill::None => {
                let (lines, bytes) = self.output.totals();
                if bytes > self.max_bytes || lines > self.max_lines {
                    self.open(so_far.unwrap_or_default() + text).await;
                }
            }
            Spill::Open(_, waiting) => {
                waiting.push_str(text);
                self.write_out(WRITE_BYTES).await;
            }
            Spill::Failed => {}
        }
    }

    /// Makes the file, with what was printed so far.
    async fn open(&mut self, so_far: String) {
        let folder = self.folder.clone();
        let made = spawn_blocking(move || {
            disk::create_private_folder(&folder)?;
            let file =
                tempfile::Builder::new().prefix("output-").suffix(".log").tempfile_in(folder)?;
            file.keep().map_err(|error| error.error)
        });
        match made.await {
            Ok(Ok((file, path))) => {
                self.output.set_path(Some(path));
                self.spill = Spill::Open(Writer::Idle(file), so_far);
                self.write_out(0).await;
            }
            Ok(Err(_)) | Err(_) => self.fail(),
        }
    }

    /// Writes the pending output if it exceeds a size.
    async fn write_out(&mut self, more_than: usize) {
        if !matches!(&self.spill, Spill::Open(_, waiting) if waiting.len() > more_than) {
            return;
        }
        let Spill::Open(writer, waiting) = std::mem::replace(&mut self.spill, Spill::Failed) else {
            return;
        };
        match writer.write(waiting).await {
            Ok((writer, memory)) => self.spill = Spill::Open(writer, memory),
            Err(_) => self.fail(),
        }
    }

    fn fail(&mut self) {
        self.output.set_path(None);
        self.spill = Spill::Failed;
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.output.finish();
    }
}
