//! Finds events in a journal without reading all of it: line numbers increase, so an event is found by bisecting the file, and the last
//! events by reading backwards from its end.
//!
//! Invariant: the work is bounded by the request, not by the journal's size.

use super::entry::{FromLine, number_of};
use super::journal::Page;
use super::{Entry, Error};
use pintle_base::private_files;
use serde_json::value::RawValue;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

/// The size at which bisecting ends and reading starts, in bytes.
const NEAR: u64 = 64 * 1024;

/// The number of bytes that are read at once when reading backwards.
const BLOCK: u64 = 64 * 1024;

/// The maximum size of a line that is read backwards; above any that the program writes.
const MAX_LINE_BYTES: usize = 256 * 1024 * 1024;

/// Returns the offset of a line start that is not after the first event following `after`.
pub(super) fn offset_after(path: &Path, after: u64) -> Result<u64, Error> {
    let find = || -> io::Result<u64> {
        let mut file = private_files::open(path)?;
        let (mut low, mut high) = (0, file.metadata()?.len());
        while high - low > NEAR {
            let middle = low + (high - low) / 2;
            match line_after(&mut file, middle, high)? {
                Some((start, seq)) if seq <= after => low = start,
                Some(_) | None => high = middle,
            }
        }
        Ok(low)
    };
    find().map_err(Error::io(path))
}

/// Returns the offset and number of the first readable line that starts between two offsets.
fn line_after(file: &mut File, from: u64, before: u64) -> io::Result<Option<(u64, u64)>> {
    file.seek(SeekFrom::Start(from))?;
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    let mut start = from + reader.skip_until(b'\n')? as u64;
    while start < before {
        line.clear();
        let length = private_files::read_line(&mut reader, &mut line)? as u64;
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

/// Reads the last events before the one numbered `before`; a number beyond the end means the end.
pub(super) fn page_before(path: &Path, before: u64, limit: usize) -> Result<Page, Error> {
    let mut page = Page { events: Vec::new(), last: 0, more: false };
    let mut events = EntriesBack::<Box<RawValue>>::before(path, before)?;
    while let Some(event) = events.next_numbered() {
        let (seq, event) = event?;
        if page.events.len() == limit {
            page.more = true;
            break;
        }
        page.last = page.last.max(seq);
        page.events.push(event);
    }
    page.events.reverse();
    Ok(page)
}

/// A stored session's entries, backwards. Damaged and incomplete lines are skipped.
#[derive(Debug)]
pub struct EntriesBack<T = Entry> {
    path: PathBuf,
    lines: Backwards,
    /// The next entry has a smaller number.
    before: u64,
    of: PhantomData<T>,
}

impl<T> EntriesBack<T> {
    /// Starts with the last entry before this number.
    pub(super) fn before(path: &Path, before: u64) -> Result<Self, Error> {
        let open = || -> io::Result<Backwards> {
            let mut file = private_files::open(path)?;
            let start = match before.checked_sub(1) {
                None => 0,
                // Bisected first, so few lines are read.
                Some(last) => end_of(path, &mut file, last)?,
            };
            Ok(Backwards { file, start, rest: Vec::new() })
        };
        let lines = open().map_err(Error::io(path))?;
        Ok(Self { path: path.to_owned(), lines, before, of: PhantomData })
    }

    /// Continues with the last entry before this number.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn jump(&mut self, before: u64) -> Result<(), Error> {
        *self = Self::before(&self.path, before)?;
        Ok(())
    }
}

impl<T: FromLine> EntriesBack<T> {
    /// Returns the next one with its number.
    fn next_numbered(&mut self) -> Option<Result<(u64, T), Error>> {
        loop {
            let line = match self.lines.next() {
                Ok(line) => line?,
                Err(error) => return Some(Err(Error::io(&self.path)(error))),
            };
            let read = std::str::from_utf8(&line).ok().and_then(T::from_line);
            if let Some((seq, read)) = read.filter(|(seq, _)| *seq < self.before) {
                self.before = seq;
                return Some(Ok((seq, read)));
            }
        }
    }
}

impl<T: FromLine> Iterator for EntriesBack<T> {
    type Item = Result<T, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_numbered().map(|read| read.map(|(_, read)| read))
    }
}

/// Returns the end offset of the event numbered `last`, or a slightly later one.
fn end_of(path: &Path, file: &mut File, last: u64) -> io::Result<u64> {
    let start = offset_after(path, last).map_err(io::Error::other)?;
    file.seek(SeekFrom::Start(start))?;
    let mut reader = BufReader::new(file);
    let mut end = start;
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = private_files::read_line(&mut reader, &mut line)? as u64;
        if length == 0 || number_of(&line).is_some_and(|seq| seq > last) {
            return Ok(end);
        }
        end += length;
    }
}

/// A file's lines, backwards from an offset.
#[derive(Debug)]
struct Backwards {
    file: File,
    /// The start offset of `rest`.
    start: u64,
    /// The bytes that were read and not returned yet.
    rest: Vec<u8>,
}

impl Backwards {
    /// Returns the previous line without its end; text behind the last line end is an incomplete line.
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
            if self.rest.len() > MAX_LINE_BYTES {
                let limit = MAX_LINE_BYTES >> 20;
                let message = format!("a line exceeds {limit} MiB");
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
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
