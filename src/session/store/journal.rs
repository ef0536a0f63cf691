//! A session's journal file: appended to by one process, read by any.
//!
//! Invariants: numbers increase by one from 1; a line is written completely or removed again; the file's only writer is the owner of the
//! lock next to it.
//!
//! Pages are found by bisecting the file, since its line numbers increase: the last screen of a long session needs neither the index nor
//! the rest of the file.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use super::artifacts;
use super::entries::Entries;
use super::entry::{self, Entry, FromLine as _};
use super::folded::{Covered, Fold, Saved};
use super::header::{self, FILE, PLACE_FILE, read_header};
use super::lock::{Holder, Lock, lock};
use super::{Error, FORMAT_VERSION, Header, draft, migrate, moves, place};
use pintle_base::private_files;
use pintle_os::file::Identity;
use pintle_protocol::event::EventRecord;
use pintle_protocol::ids::SessionId;
use serde_json::value::RawValue;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const TORN: &str = "journal.torn";

/// The interval of events at which an offset is remembered, so that a page is found without reading the whole file.
const OFFSET_EVERY: u64 = 64;

/// A journal that this process may append to.
#[derive(Debug)]
pub struct Journal {
    pub(super) folder: PathBuf,
    pub(super) header: Header,
    file: Arc<File>,
    /// The length up to which the file consists of complete lines.
    length: u64,
    /// Their count.
    lines: u64,
    /// Their checksum.
    sum: crc32fast::Hasher,
    last_seq: u64,
    /// Offsets of the events numbered 1, 65, 129 …
    offsets: Vec<u64>,
    /// The length covered by a saved state.
    covered: u64,
    /// Held as long as the journal.
    _lock: Lock,
    /// Present while the session is being created. Dropped last: Windows keeps a directory while a file in it is open.
    pub(super) unpublished: Option<draft::Unpublished>,
}

/// A journal that was opened again, with its content.
#[derive(Debug)]
pub struct Opened {
    /// The journal.
    pub journal: Journal,
    /// Its lines, in order.
    pub entries: Vec<Entry>,
    /// Problems with the journal, for the user.
    pub warnings: Vec<String>,
}

/// A reopened journal and its folded entries.
#[derive(Debug)]
pub struct Resumed<F> {
    /// The journal.
    pub journal: Journal,
    /// The folded entries; `None` if they can only be interpreted together.
    pub fold: Option<F>,
    /// Problems with the journal, for the user.
    pub warnings: Vec<String>,
}

/// Problems found while a journal was read.
#[derive(Debug, Default)]
struct Problems {
    damaged: Vec<String>,
    torn: Option<String>,
}

impl Problems {
    fn all(self) -> Vec<String> {
        self.damaged.into_iter().chain(self.torn).collect()
    }
}

/// A page of events.
#[derive(Debug)]
pub struct Page {
    /// The events as JSON text, in order.
    pub events: Vec<Box<RawValue>>,
    /// The page's last event number; the requested number if it is empty.
    pub last: u64,
    /// There are more events in the file.
    pub more: bool,
}

impl Journal {
    /// Creates a journal that is invisible until it is published.
    pub(super) fn draft(
        final_folder: PathBuf,
        header: &Header,
        holder: Holder,
    ) -> Result<Self, Error> {
        let folder = draft::folder(&final_folder);
        draft::create(&folder).map_err(Error::io(&folder))?;
        draft::tidy(&folder);
        let lock = lock(&folder, &header.session_id, holder)?;
        let path = folder.join(FILE);
        let mut options = OpenOptions::new();
        options.read(true).append(true).create_new(true);
        let file = private_files::open_private(&path, &mut options);
        let file = file.map_err(Error::io(&path))?;
        let mut line = serde_json::to_string(header)
            .map_err(|error| Error::Io { path: path.clone(), source: error.into() })?;
        line.push('\n');
        let mut journal = Self {
            folder: folder.clone(),
            header: header.clone(),
            file: Arc::new(file),
            length: line.len() as u64,
            lines: 1,
            sum: crc32fast::Hasher::new(),
            last_seq: 0,
            offsets: Vec::new(),
            covered: 0,
            _lock: lock,
            unpublished: Some(draft::Unpublished::new(folder, final_folder)),
        };
        (&*journal.file).write_all(line.as_bytes()).map_err(Error::io(&path))?;
        journal.sum.update(line.as_bytes());
        Ok(journal)
    }

    /// Opens a journal and reads all of it.
    pub(super) fn open(
        folder: PathBuf,
        session: &SessionId,
        holder: Holder,
    ) -> Result<Opened, Error> {
        let mut journal = Self::unread(folder, session, holder)?;
        let mut entries = Vec::new();
        let problems = journal.load(&Covered::default(), |entry| entries.push(entry))?;
        Ok(Opened { journal, entries, warnings: problems.all() })
    }

    /// Opens a journal and folds its entries, starting from the saved state if it applies.
    pub(super) fn resume<F: Fold>(
        folder: PathBuf,
        session: &SessionId,
        holder: Holder,
    ) -> Result<Resumed<F>, Error> {
        let mut journal = Self::unread(folder, session, holder)?;
        let mut torn = None;
        if let Some(Saved { covered, state, .. }) = Saved::read(&journal.folder)
            && let Some(mut fold) = F::from_saved(&state)
            && covered.is_in(&journal.path()).map_err(Error::io(&journal.path()))?
        {
            let mut fits = true;
            let problems = journal.load(&covered, |entry| fits = fits && fold.take(&entry))?;
            if fits {
                let warnings = problems.all();
                journal.covered = covered.bytes;
                return Ok(Resumed { journal, fold: Some(fold), warnings });
            }
            torn = problems.torn;
        }
        let (mut fold, mut fits) = (F::default(), true);
        let problems =
            journal.load(&Covered::default(), |entry| fits = fits && fold.take(&entry))?;
        let warnings = Problems { torn: torn.or(problems.torn), ..problems }.all();
        Ok(Resumed { journal, fold: fits.then_some(fold), warnings })
    }

    /// Locks a journal and reads its header.
    fn unread(folder: PathBuf, session: &SessionId, holder: Holder) -> Result<Self, Error> {
        let lock = lock(&folder, session, holder)?;
        migrate::upgrade(&folder, migrate::STEPS, FORMAT_VERSION)?;
        let path = folder.join(FILE);
        let file = private_files::open_private(&path, OpenOptions::new().read(true).append(true));
        let file = file.map_err(Error::io(&path))?;
        let header = read_header(&path)?;
        Ok(Self {
            folder,
            header,
            file: Arc::new(file),
            length: 0,
            lines: 0,
            sum: crc32fast::Hasher::new(),
            last_seq: 0,
            offsets: Vec::new(),
            covered: 0,
            _lock: lock,
            unpublished: None,
        })
    }

    fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// Reads all lines after the covered ones and leaves the file ready for appending.
    fn load(&mut self, covered: &Covered, mut take: impl FnMut(Entry)) -> Result<Problems, Error> {
        let path = self.path();
        let mut load = || -> io::Result<Problems> {
            let mut problems = Problems::default();
            let Covered { bytes, sum, lines, last_seq, offsets } = covered.clone();
            (self.length, self.lines) = (bytes, lines);
            self.sum = crc32fast::Hasher::new_with_initial_len(sum, bytes);
            (self.last_seq, self.offsets) = (last_seq, offsets);
            let mut file = private_files::open(&path)?;
            file.seek(SeekFrom::Start(bytes))?;
            let mut reader = BufReader::new(file);
            let mut line = Vec::new();
            loop {
                line.clear();
                let count = private_files::read_line(&mut reader, &mut line)? as u64;
                if count == 0 {
                    return Ok(problems);
                }
                let Some(text) = line.strip_suffix(b"\n") else {
                    self.set_torn_line_aside(&line)?;
                    problems.torn = Some(format!(
                        "the last line of {} is incomplete; it was moved to {TORN}",
                        path.display()
                    ));
                    return Ok(problems);
                };
                let start = self.length;
                self.count(&line, 1);
                if self.lines == 1 {
                    continue;
                }
                match std::str::from_utf8(text).ok().and_then(Entry::from_line) {
                    Some((seq, entry)) if seq > self.last_seq => {
                        self.record_line(seq, start);
                        take(entry);
                    }
                    Some(_) | None => problems.damaged.push(format!(
                        "line {} of {} is damaged and was skipped",
                        self.lines,
                        path.display()
                    )),
                }
            }
        };
        load().map_err(Error::io(&path))
    }

    /// Counts lines that were read or written.
    fn count(&mut self, text: &[u8], lines: u64) {
        self.length += text.len() as u64;
        self.lines += lines;
        self.sum.update(text);
    }

    /// Returns the length not covered by a saved state.
    pub(super) fn uncovered_bytes(&self) -> u64 {
        self.length - self.covered
    }

    /// Describes all complete lines, as covered by a state.
    pub(super) fn extent(&self) -> Covered {
        Covered {
            bytes: self.length,
            sum: self.sum.clone().finalize(),
            lines: self.lines,
            last_seq: self.last_seq,
            offsets: self.offsets.clone(),
        }
    }

    /// Returns a closure that saves the state after all entries, for use on another thread.
    pub fn saver(
        &mut self,
        state: Box<RawValue>,
    ) -> impl FnOnce() -> io::Result<()> + Send + use<> {
        self.covered = self.length;
        let (covered, folder) = (self.extent(), self.folder.clone());
        move || Saved::new(covered, state).write(&folder)
    }

    fn set_torn_line_aside(&self, line: &[u8]) -> io::Result<()> {
        let aside = self.folder.join(TORN);
        let mut aside =
            private_files::open_private(&aside, OpenOptions::new().append(true).create(true))?;
        aside.write_all(line)?;
        aside.write_all(b"\n")?;
        self.file.set_len(self.length)
    }

    fn record_line(&mut self, seq: u64, offset: u64) {
        self.last_seq = seq;
        while self.offsets.len() as u64 * OFFSET_EVERY < seq {
            self.offsets.push(offset);
        }
    }

    /// Returns the header line.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Sets the file's modification time.
    pub(super) fn touch(&self, at: std::time::SystemTime) -> io::Result<()> {
        self.file.set_modified(at)
    }

    /// Returns the session's directory.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the last event's number; 0 if there is none.
    pub fn last_seq(&self) -> u64 {
        self.last_seq
    }

    /// Appends an event, which must have the next number, and returns it as JSON text. When this returns, the line survives the end of the
    /// process; after [`Journal::sync`] it survives a crash of the machine.
    ///
    /// # Errors
    /// The disk failed; the journal is unchanged.
    pub fn append(
        &mut self,
        record: &EventRecord,
        private: Option<&RawValue>,
    ) -> Result<Box<str>, Error> {
        let wire = self.wire(record)?;
        let line = entry::line(&wire, private);
        self.write(&line)?;
        let start = self.length;
        self.count(line.as_bytes(), 1);
        self.record_line(record.seq, start);
        Ok(wire.into_boxed_str())
    }

    /// Appends events, all of them or none, as [`Journal::append`] does one.
    ///
    /// # Errors
    /// The disk failed; the journal is unchanged.
    pub fn append_all<'a>(
        &mut self,
        records: impl IntoIterator<Item = (&'a EventRecord, Option<&'a RawValue>)>,
    ) -> Result<Vec<Box<str>>, Error> {
        let (mut text, mut wires, mut places) = (String::new(), Vec::new(), Vec::new());
        for (record, private) in records {
            let wire = self.wire(record)?;
            places.push((record.seq, self.length + text.len() as u64));
            text.push_str(&entry::line(&wire, private));
            wires.push(wire.into_boxed_str());
        }
        self.write(&text)?;
        self.count(text.as_bytes(), places.len() as u64);
        for (seq, start) in places {
            self.record_line(seq, start);
        }
        Ok(wires)
    }

    fn wire(&self, record: &EventRecord) -> Result<String, Error> {
        serde_json::to_string(record)
            .map_err(|error| Error::Io { path: self.folder.join(FILE), source: error.into() })
    }

    fn write(&self, text: &str) -> Result<(), Error> {
        (&*self.file).write_all(text.as_bytes()).map_err(|source| {
            // A part of the text may have been written; truncating the file removes it.
            let _ = self.file.set_len(self.length);
            Error::Io { path: self.folder.join(FILE), source }
        })
    }

    /// Waits until everything appended so far is on the disk, under the journal's name.
    ///
    /// # Errors
    /// The disk failed, or the file was removed.
    pub async fn sync(&self) -> Result<(), Error> {
        let (file, path) = (Arc::clone(&self.file), self.folder.join(FILE));
        let synced = tokio::task::spawn_blocking(move || {
            file.sync_data()?;
            let open = Identity::from_file(&file)?;
            Ok(Identity::at(&path).is_ok_and(|named| named == open))
        });
        let path = || self.folder.join(FILE);
        match synced.await.map_err(io::Error::other).flatten() {
            Ok(true) => Ok(()),
            Ok(false) => Err(Error::Gone(path())),
            Err(source) => Err(Error::Io { path: path(), source }),
        }
    }

    /// Copies the long outputs of another session, given by its directory, into this one.
    ///
    /// # Errors
    /// The copy failed.
    pub fn copy_outputs(&self, from: &Path) -> Result<(), Error> {
        artifacts::copy(from, &self.folder)
    }

    /// Returns a closure that reads everything written so far, with current file paths, for use on another thread.
    pub fn reader(&self) -> impl FnOnce() -> Result<Vec<Entry>, Error> + Send + use<> {
        let path = self.folder.join(FILE);
        move || {
            let mut entries = Entries::open(path)?.collect::<Result<Vec<_>, _>>()?;
            moves::relocate(&mut entries);
            Ok(entries)
        }
    }

    /// Returns a closure that reads all entries after the event `after`, with current file paths, for use on another thread while this
    /// journal grows. An open session does not move, so entries that it reads again later have the same paths.
    pub fn reader_after(
        &self,
        after: u64,
    ) -> impl FnOnce() -> Result<Vec<Entry>, Error> + Send + use<> {
        let path = self.folder.join(FILE);
        let offset = self.offset_before(after);
        move || {
            let entries = Entries::open(path)?.after(offset, after)?;
            let mut entries = entries.collect::<Result<Vec<_>, _>>()?;
            moves::relocate(&mut entries);
            Ok(entries)
        }
    }

    /// Returns a byte offset that is not behind the first event after this one.
    fn offset_before(&self, after: u64) -> u64 {
        let slot = usize::try_from(after / OFFSET_EVERY).unwrap_or(usize::MAX);
        self.offsets.get(slot).or(self.offsets.last()).copied().unwrap_or(0)
    }

    /// Returns a closure that reads a page after the event `after`, for use on another thread while this journal grows.
    pub fn pager(
        &self,
        after: u64,
        limit: usize,
    ) -> impl FnOnce() -> Result<Page, Error> + Send + use<> {
        let path = self.folder.join(FILE);
        let offset = self.offset_before(after);
        move || page(&path, offset, after, limit)
    }
}

/// Reads events after `after`, starting at a byte offset that is not behind the first of them.
pub(super) fn page(path: &Path, offset: u64, after: u64, limit: usize) -> Result<Page, Error> {
    let read = || -> io::Result<Page> {
        let mut file = private_files::open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut reader = BufReader::new(file);
        let mut page = Page { events: Vec::new(), last: after, more: false };
        let mut line = Vec::new();
        loop {
            line.clear();
            // Readers skip an incomplete or damaged line; the writer reports it when it opens the journal.
            if private_files::read_line(&mut reader, &mut line)? == 0 {
                return Ok(page);
            }
            let Some(text) = line.strip_suffix(b"\n") else { return Ok(page) };
            let Ok(text) = std::str::from_utf8(text) else { continue };
            let Some((seq, event)) = Box::<RawValue>::from_line(text) else { continue };
            if seq <= page.last {
                continue;
            }
            if page.events.len() == limit {
                page.more = true;
                return Ok(page);
            }
            page.last = seq;
            page.events.push(event);
        }
    };
    read().map_err(Error::io(path))
}

impl Journal {
    /// Changes the session's working directory from now on.
    ///
    /// # Errors
    /// The write failed; lists show the old directory.
    pub fn move_to(&mut self, cwd: &str) -> Result<(), Error> {
        let path = self.folder.join(PLACE_FILE);
        let moved = || {
            header::record_move(&path, cwd)?;
            // Readers of the journal detect the change by its modification time.
            self.touch(fs::metadata(&path)?.modified()?)
        };
        moved().map_err(Error::io(&path))?;
        // The new directory may be moved, too.
        if let Some(slug) = self.folder.parent() {
            place::remember(slug, cwd);
        }
        cwd.clone_into(&mut self.header.cwd);
        Ok(())
    }
}

/// Removes a session's directory, whose lock this is. The journal is removed first: without it there is no session, whatever happens next.
pub(super) fn remove(folder: &Path, lock: Lock) -> Result<(), Error> {
    match fs::remove_file(folder.join(FILE)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(Error::io(folder)(error));
        }
        Ok(()) | Err(_) => {}
    }
    // Windows keeps a directory while a file in it is open.
    drop(lock);
    fs::remove_dir_all(folder).map_err(Error::io(folder))
}
