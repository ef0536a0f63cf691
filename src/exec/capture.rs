//! Captured command output: the end in memory, and all of it in a file once it is long.
//!
//! Invariant: memory use is bounded for any output, and so is disk use: each file has a maximum size, and so do all files of a session
//! together.
#![expect(clippy::disallowed_methods, reason = "exec is where files are touched")]

use crate::code_page::Decoder;
use crate::terminal::Terminal;
use crate::{Command, End, OutputBuffer, Ran};
use pintle_base::ambient::Redactor;
use pintle_base::private_files;
use pintle_base::text::terminal::{self, Cleaner};
use pintle_base::text::truncate;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::task::{JoinHandle, spawn_blocking};

/// Output files start with this.
const PREFIX: &str = "output-";

/// Text is written to the file in pieces of this size: less than the end that is kept in memory, so that a reader
/// finds everything in one of the two.
const WRITE_BYTES: usize = 64 * 1024;

/// The maximum size of an output file. Beyond it only the tail is kept, and the result reports the loss.
pub const MAX_KEPT_BYTES: u64 = 64 * 1024 * 1024;

/// The last line of a file that reached its maximum size.
const KEPT_NO_FURTHER: &str = "\n[The output continued. Output files are limited to 64 MB.]\n";

/// The maximum total size of a session's output files. The oldest are removed to make room for a new one.
const MAX_FOLDER_BYTES: u64 = 1024 * 1024 * 1024;

/// Files younger than this are not removed: a command may still write them, a model may still read them.
const MIN_AGE: Duration = Duration::from_secs(60 * 60);

/// Captures output as it arrives.
#[derive(Debug)]
pub(crate) struct Capture {
    decoder: Decoder,
    cleaner: Cleaner,
    /// The command's terminal. The stored output comes from its screen; clients receive the raw output without control sequences.
    terminal: Option<Terminal>,
    redactor: Redactor,
    output: OutputBuffer,
    max_lines: u64,
    max_bytes: u64,
    folder: PathBuf,
    /// True if the directory belongs to a single session.
    is_of_session: bool,
    /// The number of bytes that the file may still take.
    room: u64,
    spill: Spill,
}

#[derive(Debug)]
enum Spill {
    /// The output is still short.
    None,
    /// Includes the output that is not written yet.
    Open(Writer, String),
    /// The file has its maximum size.
    Full,
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
            decoder: Decoder::default(),
            cleaner: Cleaner::default(),
            terminal: command.terminal.clone(),
            redactor: Redactor::new(command.output.secrets()),
            output: command.output.clone(),
            max_lines: command.spill_lines,
            max_bytes: command.spill_bytes,
            folder: command.artifacts.clone().unwrap_or_else(|| temporary.to_path_buf()),
            is_of_session: command.artifacts.is_some(),
            room: MAX_KEPT_BYTES,
            spill: Spill::None,
        }
    }

    /// Takes the next bytes and returns the text they make.
    pub(crate) async fn push(&mut self, bytes: &[u8]) -> String {
        let decoded = self.decoder.push(bytes);
        let text = self.cleaner.push(&decoded);
        let text = self.redactor.push(&text).into_owned();
        match &self.terminal {
            None => self.text(&text).await,
            Some(terminal) => {
                let lines = terminal.push(&decoded);
                self.text(&self.output.secrets().redact(&lines)).await;
                self.output.screen_changed();
            }
        }
        text
    }

    /// Finishes the capture when no more output will come.
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

    /// Takes the text that was held back as possibly incomplete.
    async fn complete(&mut self) {
        if let Some(terminal) = self.terminal.take() {
            let lines = terminal.finish();
            self.text(&self.output.secrets().redact(&lines)).await;
            return;
        }
        let rest = self.cleaner.push(&self.decoder.finish()) + self.cleaner.finish();
        let rest = self.redactor.push(&rest).into_owned() + &self.redactor.finish();
        self.text(&rest).await;
    }

    /// Waits until the file contains everything so far.
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

    /// Returns the output so far, as a terminal shows it. The file has all of it.
    fn ran(&self, end: End) -> Ran {
        let (total_lines, printed_bytes) = self.output.totals();
        let printed = self.output.tail();
        let mut tail = terminal::displayed(&printed).into_owned();
        let head = terminal::displayed(&self.output.head()).into_owned();
        let mut is_whole = printed.len() as u64 == printed_bytes;
        if !is_whole && printed.lines().next().is_some_and(|line| line.contains('\r')) {
            // What was dropped of this line was written over, so only whole lines are missing.
            let missing = total_lines.saturating_sub(truncate::count_lines(&tail));
            let missing = usize::try_from(missing).unwrap_or(usize::MAX);
            let lines: String = head.split_inclusive('\n').take(missing).collect();
            is_whole = memchr::memchr_iter(b'\n', lines.as_bytes()).count() == missing;
            if is_whole {
                tail.insert_str(0, &lines);
            }
        }
        Ran {
            end,
            head,
            total_lines,
            total_bytes: if is_whole { tail.len() as u64 } else { printed_bytes },
            tail,
            full_output_path: self.output.path(),
            is_file_full: self.output.is_full(),
            background_output: None,
            is_displaced: false,
            denied_programs: Vec::new(),
            sandbox: None,
        }
    }

    async fn text(&mut self, text: &str) {
        // Until the file exists, the buffer contains the full output: it is cut only when the output is longer than that.
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
            Spill::Full | Spill::Failed => {}
        }
    }

    /// Creates the file with the output so far.
    async fn open(&mut self, so_far: String) {
        let (folder, is_of_session) = (self.folder.clone(), self.is_of_session);
        let made = spawn_blocking(move || {
            private_files::create_private_folder(&folder)?;
            if is_of_session {
                make_room(&folder, MAX_FOLDER_BYTES, MIN_AGE)?;
            }
            let file =
                tempfile::Builder::new().prefix(PREFIX).suffix(".log").tempfile_in(folder)?;
            pintle_os::replace::keep(file)
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
        let mut waiting = waiting;
        let is_full = waiting.len() as u64 > self.room;
        if is_full {
            let room = usize::try_from(self.room).unwrap_or(usize::MAX);
            waiting.truncate(truncate::border_before(&waiting, room));
            waiting.push_str(KEPT_NO_FURTHER);
        }
        self.room = self.room.saturating_sub(waiting.len() as u64);
        let written = match writer.write(waiting).await {
            Ok((writer, _)) if is_full => writer.idle().await.map(|_| Spill::Full),
            Ok((writer, memory)) => Ok(Spill::Open(writer, memory)),
            Err(error) => Err(error),
        };
        match written {
            Ok(spill) => {
                if matches!(spill, Spill::Full) {
                    self.output.set_full();
                }
                self.spill = spill;
            }
            Err(_) => self.fail(),
        }
    }

    fn fail(&mut self) {
        self.output.set_path(None);
        self.spill = Spill::Failed;
    }
}

/// Removes a directory's oldest outputs until the others together are within a limit.
fn make_room(folder: &Path, max_bytes: u64, min_age: Duration) -> io::Result<()> {
    let mut kept = Vec::new();
    for entry in folder.read_dir()?.flatten() {
        let is_output = entry.file_name().to_string_lossy().starts_with(PREFIX);
        // A file that was removed meanwhile needs no room.
        if let (true, Ok(facts)) = (is_output, entry.metadata())
            && facts.is_file()
        {
            kept.push((facts.modified()?, facts.len(), entry.path()));
        }
    }
    kept.sort();
    let mut bytes: u64 = kept.iter().map(|(_, bytes, _)| bytes).sum();
    for (modified, size, path) in kept {
        // A file with a future time counts as young.
        let is_young = modified.elapsed().map_or(true, |age| age < min_age);
        if bytes <= max_bytes || is_young {
            break;
        }
        std::fs::remove_file(path)?;
        bytes -= size;
    }
    Ok(())
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.output.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_output_without_end_fills_no_disk() {
        let folder = tempfile::tempdir().unwrap();
        let command = Command { spill_bytes: 100, ..Command::new("yes", folder.path(), "tests") };
        let mut capture = Capture::new(&command, folder.path());
        capture.room = 1000;
        for n in 0..1000 {
            capture.push(format!("line {n}\n").as_bytes()).await;
            capture.flush().await;
        }
        let ran = capture.finish(End::Exited(0)).await;
        assert_eq!((ran.total_lines, ran.is_file_full), (1000, true));
        let kept = std::fs::read_to_string(ran.full_output_path.unwrap()).unwrap();
        let (lines, note) = kept.split_at(kept.find("\n[").unwrap());
        assert!(lines.starts_with("line 0\nline 1\n") && lines.len() <= 1000, "{}", lines.len());
        assert_eq!(note, KEPT_NO_FURTHER);
    }

    #[test]
    fn the_oldest_outputs_make_room() {
        let names = |folder: &Path| {
            let names = folder.read_dir().unwrap().flatten().map(|entry| entry.file_name());
            names.collect::<std::collections::BTreeSet<_>>()
        };
        // The limit, the minimum age; the remaining names.
        for (max_bytes, min_age, left) in [
            (30, 0, vec!["output-1", "output-2", "output-3", "other"]),
            (25, 0, vec!["output-2", "output-3", "other"]),
            (1, 0, vec!["other"]),
            (1, 3600, vec!["output-3", "other"]),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
            for (name, age) in
                [("output-1", 9000), ("output-2", 8000), ("output-3", 10), ("other", 9999)]
            {
                let path = folder.path().join(name);
                std::fs::write(&path, "0123456789").unwrap();
                let written =
                    std::time::UNIX_EPOCH + now.checked_sub(Duration::from_secs(age)).unwrap();
                File::options().append(true).open(&path).unwrap().set_modified(written).unwrap();
            }
            make_room(folder.path(), max_bytes, Duration::from_secs(min_age)).unwrap();
            assert_eq!(
                names(folder.path()),
                left.into_iter().map(Into::into).collect(),
                "{max_bytes}"
            );
        }
    }
}
