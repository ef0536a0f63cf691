//! Finding events in a journal without reading it whole: the numbers of its lines rise, so a place is found by halving the
//! file, and the last events by reading from its end.
//!
//! Invariant: what is read is bounded by what is asked for, not by the size of the journal.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use super::journal::Page;
use super::{Entry, Error, entry};
use serde::Deserialize;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Where halving ends and reading begins, in bytes.
const NEAR: u64 = 64 * 1024;

/// The bytes that are read at once from the end towards the beginning.
const BLOCK: u64 = 64 * 1024;

/// A byte offset where a line begins, not behind the first event after `after`.
pub(super) fn offset_after(path: &Path, after: u64) -> Result<u64, Error> {
    let find = || -> io::Result<u64> {
        let mut file = File::open(path)?;
        let (mut low, mut high) = (0, file.metadata()?.len());
        while high - low > NEAR {
            let middle = low + (high - low) / 2;
            match line_behind(&mut file, middle, high)? {
                Some((start, seq)) if seq <= after => low = start,
                Some(_) | None => high = middle,
            }
        }
        Ok(low)
    };
    find().map_err(Error::io(path))
}

/// The first readable line that begins behind a byte and before another: where, and its number.
fn line_behind(file: &mut File, from: u64, before: u64) -> io::Result<Option<(u64, u64)>> {
    file.seek(SeekFrom::Start(from))?;
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    let mut start = from + reader.read_until(b'\n', &mut line)? as u64;
    while start < before {
        line.clear();
        let length = reader.read_until(b'\n', &mut line)? as u64;
        if length == 0 {
            break;
        }
        if let Some(seq) = number_of(&line) {
            return Ok(Some((start, seq)));
        }
        start += length;
    }
    Ok(None)
}

/// The number of a line.
fn number_of(line: &[u8]) -> Option<u64> {
    #[derive(Deserialize)]
    struct Head {
        seq: u64,
    }
    serde_json::from_slice::<Head>(line).ok().map(|head| head.seq)
}

/// Reads the last events before the one numbered `before`; of numbers beyond the end, the last of all.
pub(super) fn page_before(path: &Path, before: u64, limit: usize) -> Result<Page, Error> {
    let mut page = Page { events: Vec::new(), last: 0, more: false };
    for entry in EntriesBack::before(path, before)? {
        let entry = entry?;
        if page.events.len() == limit {
            page.more = true;
            break;
        }
        page.last = page.last.max(entry.seq);
        page.events.push(entry.wire);
    }
    page.events.reverse();
    Ok(page)
}

/// The entries of a stored session from one towards the beginning. Lines that are damaged or not whole are passed over.
#[derive(Debug)]
pub struct EntriesBack {
    path: PathBuf,
    lines: Backwards,
    /// The next one has a smaller number.
    before: u64,
}

impl EntriesBack {
    /// From the last one before this number.
    pub(super) fn before(path: &Path, before: u64) -> Result<Self, Error> {
        let open = || -> io::Result<Backwards> {
            let mut file = File::open(path)?;
            let start = match before.checked_sub(1) {
                None => 0,
                // Only where the number is in the file: there the lines after it are few.
                Some(last) => end_of(path, &mut file, last)?,
            };
            Ok(Backwards { file, start, rest: Vec::new() })
        };
        let lines = open().map_err(Error::io(path))?;
        Ok(Self { path: path.to_owned(), lines, before })
    }

    /// Goes on from the last one before this number.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn jump(&mut self, before: u64) -> Result<(), Error> {
        *self = Self::before(&self.path, before)?;
        Ok(())
    }
}

impl Iterator for EntriesBack {
    type Item = Result<Entry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = match self.lines.next() {
                Ok(line) => line?,
                Err(error) => return Some(Err(Error::io(&self.path)(error))),
            };
            let entry = std::str::from_utf8(&line).ok().and_then(|line| entry::parse(line).ok());
            if let Some(entry) = entry.filter(|entry| entry.seq < self.before) {
                self.before = entry.seq;
                return Some(Ok(entry));
            }
        }
    }
}

/// The end of the line of the event numbered `last`, or a little behind.
fn end_of(path: &Path, file: &mut File, last: u64) -> io::Result<u64> {
    let near = offset_after(path, last).map_err(io::Error::other)?;
    file.seek(SeekFrom::Start(near))?;
    let mut reader = BufReader::new(file);
    let mut end = near;
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = reader.read_until(b'\n', &mut line)? as u64;
        if length == 0 || number_of(&line).is_some_and(|seq| seq > last) {
            return Ok(end);
        }
        end += length;
    }
}

/// The lines of a file from a byte towards its beginning.
#[derive(Debug)]
struct Backwards {
    file: File,
    /// Where what is in `rest` begins.
    start: u64,
    /// Entries that were read and not returned yet.
    rest: Vec<u8>,
}

impl Backwards {
    /// The line before, without its end; what stands behind the last line end is an unfinished line.
    fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            let body = self.rest.strip_suffix(b"\n").unwrap_or(&self.rest);
            if let Some(at) = memchr::memrchr(b'\n', body) {
                let is_whole = body.len() < self.rest.len();
                let line = body.get(at + 1..).unwrap_or_default().to_vec();
                self.rest.truncate(at + 1);
                if is_whole {
                    return Ok(Some(line));
                }
                continue;
            }
            if self.start == 0 {
                let is_whole = body.len() < self.rest.len();
                let line = body.to_vec();
                self.rest.clear();
                return Ok((is_whole && !line.is_empty()).then_some(line));
            }
            let from = self.start.saturating_sub(BLOCK.max(self.rest.len() as u64));
            self.file.seek(SeekFrom::Start(from))?;
            let mut block = Vec::new();
            (&mut self.file).take(self.start - from).read_to_end(&mut block)?;
            block.append(&mut self.rest);
            self.rest = block;
            self.start = from;
        }
    }
}
