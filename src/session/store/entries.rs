//! Reads a journal from start to end, line by line, without a lock, also while another process writes.
//!
//! Invariant: memory use is one line, whatever the journal's size.

use super::entry::{self, FromLine};
use super::header::{self, FILE};
use super::{Entry, Error, Header, Store};
use pintle_base::private_files;
use pintle_protocol::ids::SessionId;
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom};
use std::marker::PhantomData;
use std::path::PathBuf;

/// A stored session's entries, in order. Damaged and incomplete lines are skipped.
#[derive(Debug)]
pub struct Entries<T = Entry> {
    header: Header,
    path: PathBuf,
    reader: BufReader<File>,
    line: Vec<u8>,
    last: u64,
    has_ended: bool,
    /// Returns only these entries; `None` returns all.
    only: Option<BTreeSet<u64>>,
    of: PhantomData<T>,
}

impl Store {
    /// Reads a session from its start.
    ///
    /// # Errors
    /// The session does not exist or cannot be read.
    ///
    /// # Example
    ///
    /// ```
    /// use pintle_protocol::event::EventRecord;
    /// use pintle_session::store::{Error, Header, Store};
    /// use serde_json::{from_value, json};
    ///
    /// let data = tempfile::tempdir()?;
    /// let store = Store::new(data.path());
    /// let header = json!({
    ///     "journal": "pintle", "version": 1, "sessionId": "s1", "cwd": "/work", "createdMs": 0,
    /// });
    /// let mut journal = store.create(&from_value::<Header>(header)?)?;
    /// let event = json!({ "type": "turn.started", "model": "anthropic/claude-sonnet-4-6" });
    /// let record = json!({ "sessionId": "s1", "seq": 1, "tsMs": 0, "event": event });
    /// let record: EventRecord = from_value(record)?;
    /// journal.append(&record, None)?;
    ///
    /// let entries = store.entries(&record.session_id)?;
    /// assert_eq!(entries.header().cwd, "/work");
    /// let records = entries.map(|entry| Ok(entry?.record)).collect::<Result<Vec<_>, Error>>()?;
    /// assert_eq!(records, [Some(record)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn entries(&self, session: &SessionId) -> Result<Entries, Error> {
        Entries::open(self.current(session)?.join(FILE))
    }

    /// Reads a session's events from its start, as JSON text.
    ///
    /// # Errors
    /// The session does not exist or cannot be read.
    pub fn texts(&self, session: &SessionId) -> Result<Entries<Box<RawValue>>, Error> {
        Entries::open(self.current(session)?.join(FILE))
    }

    /// Reads a session from its start, and parses only the events of these types. Others are returned without a record.
    ///
    /// # Errors
    /// The session does not exist or cannot be read.
    pub fn entries_of(
        &self,
        session: &SessionId,
        types: &'static [&'static str],
    ) -> Result<impl Iterator<Item = Result<Entry, Error>> + use<>, Error> {
        let lines: Entries<Line> = Entries::open(self.current(session)?.join(FILE))?;
        Ok(lines.map(move |line| {
            let Line { seq, text } = line?;
            // Other events may contain the word as well: parsing them is wasted, but harmless.
            let is_wanted = types.iter().any(|kind| text.contains(kind));
            let parsed = is_wanted.then(|| entry::parse(&text).ok()).flatten();
            Ok(parsed.unwrap_or(Entry { seq, record: None, private: None }))
        }))
    }
}

/// A line that is not parsed yet.
#[derive(Debug)]
struct Line {
    seq: u64,
    text: String,
}

impl FromLine for Line {
    fn from_line(line: &str) -> Option<(u64, Self)> {
        let seq = entry::number_of(line.as_bytes())?;
        Some((seq, Self { seq, text: line.to_owned() }))
    }
}

impl<T> Entries<T> {
    /// Reads the journal at this path.
    pub(super) fn open(path: PathBuf) -> Result<Self, Error> {
        let header = header::read_header(&path)?;
        let file = private_files::open(&path).map_err(Error::io(&path))?;
        let reader = BufReader::new(file);
        let (line, last, has_ended, only) = (Vec::new(), 0, false, None);
        Ok(Self { header, path, reader, line, last, has_ended, only, of: PhantomData })
    }

    /// Returns the header line.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Skips all entries but those with these numbers.
    #[must_use]
    pub fn only(mut self, seqs: BTreeSet<u64>) -> Self {
        self.only = Some(seqs);
        self
    }

    /// Skips all entries up to the number `after`, starting at a byte offset that is not behind the next one.
    pub(super) fn after(mut self, offset: u64, after: u64) -> Result<Self, Error> {
        self.reader.seek(SeekFrom::Start(offset)).map_err(Error::io(&self.path))?;
        self.last = after;
        Ok(self)
    }

    /// Continues after the last entry read, for a journal that has grown meanwhile.
    pub fn resume(&mut self) {
        self.has_ended = false;
    }

    /// Returns to the start of an incomplete line, which is read again once it is complete.
    fn put_back(&mut self) {
        let bytes = i64::try_from(self.line.len()).unwrap_or(0);
        if let Err(error) = self.reader.seek_relative(-bytes) {
            tracing::debug!("{}: {error}", self.path.display());
        }
    }
}

impl<T: FromLine> Iterator for Entries<T> {
    type Item = Result<T, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.has_ended {
            self.line.clear();
            match private_files::read_line(&mut self.reader, &mut self.line) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => {
                    self.has_ended = true;
                    return Some(Err(Error::io(&self.path)(error)));
                }
            }
            let Some(text) = self.line.strip_suffix(b"\n") else {
                self.put_back();
                break;
            };
            let parsed = std::str::from_utf8(text).ok().and_then(T::from_line);
            // The first line is the header, not an entry; damaged lines are skipped.
            let Some((seq, read)) = parsed.filter(|(seq, _)| *seq > self.last) else { continue };
            self.last = seq;
            if self.only.as_ref().is_some_and(|only| !only.contains(&seq)) {
                continue;
            }
            return Some(Ok(read));
        }
        self.has_ended = true;
        None
    }
}
