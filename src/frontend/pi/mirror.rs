//! A session in Pi's form, kept in step with its journal: the entries that commands ask for, and the file that clients read.
//!
//! The journal is the truth; this can be made again from it at any time. Invariants: an entry that was told stays as it was, under the
//! same id; a file that holds something else is not touched. As Pi does, the file is made when there is a message of a person.

use crate::pi::{Apis, Ways, Writer};
use crate::store::beside::Beside;
use crate::store::{Entries, Entry, Error, Store};
use pintle_protocol::event::Event;
use pintle_protocol::ids::{ItemId, SessionId};
use pintle_protocol::item::ItemBody;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A session as Pi would have it.
#[derive(Debug)]
pub(super) struct Mirror {
    store: Store,
    session: SessionId,
    journal: Entries,
    writer: Writer,
    apis: Apis,
    /// The last event that was taken.
    seq: u64,
    head: String,
    lines: Vec<Line>,
    file: Option<Beside>,
    /// The file could not be written, which was told.
    is_lost: bool,
}

/// An entry of Pi's.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) entry: Value,
    text: String,
    /// The message that a person said, where it is one.
    pub(super) item: Option<ItemId>,
}

impl Line {
    pub(super) fn text_of(&self, key: &str) -> Option<&str> {
        self.entry.get(key).and_then(Value::as_str)
    }
}

impl Mirror {
    /// Reads a session. Its file is not touched before [`Mirror::write_to`].
    ///
    /// # Errors
    /// The journal cannot be read.
    pub(super) fn new(
        store: &Store,
        session: &SessionId,
        parent: Option<&str>,
        apis: Apis,
    ) -> Result<Self, Error> {
        let journal = store.entries(session)?;
        let mut head = String::new();
        Writer::new(Ways::default()).begin(journal.header(), &mut head);
        if let (Some(parent), Ok(Value::Object(mut fields))) =
            (parent, serde_json::from_str::<Value>(&head))
        {
            fields.insert("parentSession".to_owned(), Value::from(parent));
            head = format!("{}\n", Value::Object(fields));
        }
        let mut mirror = Self {
            store: store.clone(),
            session: session.clone(),
            journal,
            writer: Writer::new(Ways::default()),
            apis,
            seq: 0,
            head,
            lines: Vec::new(),
            file: None,
            is_lost: false,
        };
        mirror.rebuild()?;
        Ok(mirror)
    }

    /// Takes up the session's file at this path, or means to make it there.
    ///
    /// # Errors
    /// There is something else at this path; the error is what.
    pub(super) fn write_to(&mut self, path: PathBuf) -> Result<(), String> {
        let mut file = Beside::new(path);
        let texts: Vec<String> = self.lines.iter().map(|line| line.text.clone()).collect();
        match file.take_up(&texts) {
            Ok(true) => {}
            Ok(false) => return Err("another program went on with it".to_owned()),
            Err(error) => return Err(error.to_string()),
        }
        let is_taken_up = file.is_written();
        self.file = Some(file);
        if !is_taken_up {
            self.write(0);
        }
        Ok(())
    }

    /// Where the file is or will be.
    pub(super) fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(Beside::path)
    }

    /// What Pi calls the file: the time at which the session was made, and its id.
    pub(super) fn file_name(&self) -> String {
        let head: Value = serde_json::from_str(&self.head).unwrap_or_default();
        let stamp = head.get("timestamp").and_then(Value::as_str).unwrap_or_default();
        format!("{}_{}.jsonl", stamp.replace([':', '.'], "-"), self.session)
    }

    pub(super) fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The id of the entry that the session goes on from.
    pub(super) fn leaf(&self) -> Option<&str> {
        self.lines.last().and_then(|line| line.text_of("id"))
    }

    /// True when a person or a model has said anything.
    pub(super) fn is_empty(&self) -> bool {
        let role = |line: &Line| line.entry.pointer("/message/role").cloned();
        self.lines.iter().filter_map(role).all(|role| role == "system")
    }

    /// Takes what the journal says up to an event, and returns the new entries.
    pub(super) fn catch_up(&mut self, seq: u64) -> &[Line] {
        let known = self.lines.len();
        if let Err(error) = self.read_on(seq) {
            tracing::warn!("the session's file falls behind: {error}");
        }
        self.write(known);
        self.lines.get(known..).unwrap_or_default()
    }

    fn read_on(&mut self, seq: u64) -> Result<(), Error> {
        while self.seq < seq {
            let Some(entry) = self.journal.next() else {
                self.journal.resume();
                return Ok(());
            };
            let entry = entry?;
            if turns_back(&entry) {
                return self.rebuild();
            }
            self.take(&entry);
        }
        Ok(())
    }

    fn take(&mut self, entry: &Entry) {
        self.seq = entry.seq;
        let mut out = String::new();
        self.writer.follow(entry, &mut out);
        let mut item = said(entry);
        for text in out.split_inclusive('\n') {
            let value: Value = serde_json::from_str(text).unwrap_or_default();
            // What is settled before a message comes before it.
            let is_said = value.pointer("/message/role").is_some_and(|role| role == "user");
            let item = if is_said { item.take() } else { None };
            self.lines.push(Line { entry: value, text: text.to_owned(), item });
        }
    }

    /// Reads the journal from its beginning, knowing where its history goes back to.
    fn rebuild(&mut self) -> Result<(), Error> {
        let mut ways = Ways::default();
        for entry in self.store.entries(&self.session)? {
            ways.take(&entry?);
        }
        self.journal = self.store.entries(&self.session)?;
        self.writer = Writer::new(ways).named_by_items().with_prompts().over(&self.apis);
        self.lines.clear();
        self.seq = 0;
        while let Some(entry) = self.journal.next() {
            let entry = entry?;
            self.take(&entry);
        }
        self.journal.resume();
        Ok(())
    }

    /// Writes the lines from here on. Before a person has said anything there is no file.
    fn write(&mut self, from: usize) {
        let Some(file) = self.file.as_mut().filter(|_| !self.is_lost) else { return };
        let is_new = !file.is_written();
        if is_new && !self.lines.iter().any(|line| line.item.is_some()) {
            return;
        }
        let from = if is_new { 0 } else { from };
        let new = self.lines.iter().skip(from).map(|line| line.text.as_str());
        let written = if is_new {
            file.make(&[self.head.as_str()].into_iter().chain(new).collect::<String>())
        } else {
            file.add(&new.collect::<String>())
        };
        if let Err(error) = written {
            self.is_lost = true;
            tracing::error!(
                "the session's file is not written any more; nothing is lost, the journal has it all: {error}"
            );
        }
    }
}

/// True when an entry says of another place of the history what only a new reading can tell.
fn turns_back(entry: &Entry) -> bool {
    let event = entry.record.as_ref().map(|record| &record.event);
    matches!(event, Some(Event::HistoryRewound(_) | Event::LabelChanged(_)))
}

fn said(entry: &Entry) -> Option<ItemId> {
    let Event::ItemCompleted { item } = &entry.record.as_ref()?.event else { return None };
    matches!(item.body, ItemBody::UserMessage(_)).then(|| item.id.clone())
}
