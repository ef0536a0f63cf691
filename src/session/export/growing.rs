//! A session as Markdown in a file that grows with it: written completely at first, then event by event.
//!
//! Invariant: an event is in the file once, whether it was read from the store or reported by the session.

use super::{Error, Head, Redacting, Renderer, markdown, nested, timeline, title};
use crate::history;
use crate::store::{Store, TextFile};
use pintle_protocol::event::{Event, EventRecord};
use pintle_protocol::ids::SessionId;
use std::io::Write;
use std::path::PathBuf;

/// A file with a session's text.
#[derive(Debug)]
pub struct Growing {
    session: SessionId,
    file: TextFile,
    page: markdown::Page,
    /// The last event that the file takes into account.
    seq: u64,
}

impl Growing {
    /// Sets the file path; the first [`Self::grow`] writes the file.
    pub fn new(session: SessionId, path: PathBuf) -> Self {
        Self { session, file: TextFile::new(path), page: markdown::Page::default(), seq: 0 }
    }

    /// Appends the events that the file lacks. The first call, and any rewind of the session, rewrites the file.
    ///
    /// # Errors
    /// The session cannot be read or the file cannot be written. The next call rewrites it.
    pub fn grow(&mut self, store: &Store, events: &[EventRecord]) -> Result<(), Error> {
        let new: Vec<&EventRecord> = events.iter().filter(|record| record.seq > self.seq).collect();
        let is_rewound = new.iter().any(|record| matches!(record.event, Event::HistoryRewound(_)));
        let last = std::mem::take(&mut self.seq);
        self.seq = if last == 0 || is_rewound {
            self.write(store)?
        } else {
            self.append(store, &new)?.max(last)
        };
        Ok(())
    }

    /// Writes all stored events. Returns the last one's number.
    fn write(&mut self, store: &Store) -> Result<u64, Error> {
        self.page = markdown::Page::default();
        let entries = history::current_entries(store, &self.session)?;
        let mut text = String::new();
        let title = title(store, &self.session)?;
        self.page.begin(&Head::new(&entries, title), &mut text);
        let mut file = self.file.begin()?;
        Redacting(&mut file).write_all(text.as_bytes())?;
        let mut last = 0;
        for entry in entries {
            let entry = entry?;
            last = entry.seq;
            if let Some(record) = &entry.record {
                self.event(store, record, &mut file)?;
            }
        }
        file.flush()?;
        Ok(last)
    }

    fn append(&mut self, store: &Store, events: &[&EventRecord]) -> Result<u64, Error> {
        let mut file = self.file.append()?;
        for record in events {
            self.event(store, record, &mut file)?;
        }
        file.flush()?;
        Ok(events.last().map_or(0, |record| record.seq))
    }

    fn event(
        &mut self,
        store: &Store,
        record: &EventRecord,
        file: &mut dyn Write,
    ) -> Result<(), Error> {
        let Some(shown) = timeline::entry(record) else { return Ok(()) };
        let out: &mut dyn Write = &mut Redacting(file);
        let mut text = String::new();
        self.page.entry(&shown, &mut text);
        if let Some(agent) = shown.subagent() {
            let mut parents = vec![self.session.clone()];
            nested(store, agent, &mut self.page, &mut parents, &mut text, out)?;
        }
        Ok(out.write_all(text.as_bytes())?)
    }
}
