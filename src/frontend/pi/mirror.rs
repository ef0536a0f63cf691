//! A session in Pi's form, derived from its journal: the entries that commands query, and the file that clients read.
//!
//! The journal is the truth; the mirror can be rebuilt from it at any time. Invariants: an entry that was sent keeps its content and its
//! id; a file with other content is not touched. As in Pi, the file is created with the first message of a user.

use pintle_protocol::event::Event;
use pintle_protocol::ids::{ItemId, SessionId, TurnId};
use pintle_protocol::item::ItemBody;
use pintle_session::pi::{Apis, BranchPoints, Writer};
use pintle_session::store::sidecar::{Resumed, SidecarFile};
use pintle_session::store::{Entries, Entry, Error, Store};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A session in Pi's form.
#[derive(Debug)]
pub(super) struct Mirror {
    store: Store,
    session: SessionId,
    journal: Entries,
    writer: Writer,
    apis: Apis,
    /// The last event that was read.
    seq: u64,
    head: String,
    lines: Vec<Line>,
    /// The number of lines that [`Mirror::catch_up`] has returned.
    returned: usize,
    /// The last started turn, and its start event's number.
    last_turn: Option<(TurnId, u64)>,
    file: Option<SidecarFile>,
    /// The file could not be written, and the failure was reported.
    has_failed: bool,
}

/// A Pi entry. A long session has many, so only the fields that distinguish entries are parsed.
#[derive(Debug)]
pub(super) struct Line {
    /// The event that it comes from.
    seq: u64,
    /// The entry as JSON.
    text: String,
    pub(super) head: LineHead,
    /// The user's message, if it is one.
    pub(super) item: Option<ItemId>,
}

/// The fields that distinguish and link entries.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct LineHead {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) id: String,
    pub(super) parent_id: Option<String>,
    /// Of a label: the entry that has it.
    pub(super) target_id: Option<String>,
    /// Of a compaction: the first entry that stays.
    pub(super) first_kept_entry_id: Option<String>,
    /// Of a compaction: there is a prompt that goes with it.
    pub(super) system_message: Option<IgnoredAny>,
    pub(super) message: Option<MessageHead>,
}

impl LineHead {
    /// Reads an entry that another program wrote, in which a field may be of another type.
    fn leniently(text: &str) -> Self {
        let entry: Value = serde_json::from_str(text).unwrap_or_default();
        let field = |path: &str| entry.pointer(path).and_then(Value::as_str).map(str::to_owned);
        Self {
            kind: field("/type").unwrap_or_default(),
            id: field("/id").unwrap_or_default(),
            parent_id: field("/parentId"),
            target_id: field("/targetId"),
            first_kept_entry_id: field("/firstKeptEntryId"),
            system_message: entry.get("systemMessage").map(|_| IgnoredAny),
            message: entry.get("message").map(|_| MessageHead {
                role: field("/message/role").unwrap_or_default(),
                stop_reason: field("/message/stopReason"),
            }),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct MessageHead {
    pub(super) role: String,
    pub(super) stop_reason: Option<String>,
}

impl Line {
    fn new(seq: u64, text: &str) -> Self {
        let head = serde_json::from_str(text).unwrap_or_else(|_| LineHead::leniently(text));
        Self { seq, text: text.to_owned(), head, item: None }
    }

    /// Returns the whole entry.
    pub(super) fn entry(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    /// Returns its message's role, if it has a message.
    fn role(&self) -> Option<&str> {
        self.head.message.as_ref().map(|message| message.role.as_str())
    }
}

impl Mirror {
    /// Reads a session. Its file is not touched before [`Mirror::write_to`].
    ///
    /// # Errors
    /// Fails if the journal cannot be read.
    pub(super) fn new(
        store: &Store,
        session: &SessionId,
        parent: Option<&str>,
        apis: Apis,
    ) -> Result<Self, Error> {
        let journal = store.entries(session)?;
        let mut head = String::new();
        Writer::new(BranchPoints::default()).begin(journal.header(), &mut head);
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
            writer: Writer::new(BranchPoints::default()),
            apis,
            seq: 0,
            head,
            lines: Vec::new(),
            returned: 0,
            last_turn: None,
            file: None,
            has_failed: false,
        };
        mirror.rebuild()?;
        mirror.returned = mirror.lines.len();
        Ok(mirror)
    }

    /// Continues the session's file at this path, or creates it there later.
    ///
    /// # Errors
    /// Fails if the file at this path has other content; the error describes it.
    pub(super) fn write_to(&mut self, path: PathBuf) -> Result<(), String> {
        let mut file = SidecarFile::new(path);
        let texts: Vec<&str> = self.lines.iter().map(|line| line.text.as_str()).collect();
        let resumed = file.resume(&texts).map_err(|error| error.to_string())?;
        self.file = Some(file);
        match resumed {
            Resumed::Continued | Resumed::HeldByOther => {}
            Resumed::Missing => self.write(0),
            Resumed::Diverged => {
                self.file = None;
                return Err("another program has changed it".to_owned());
            }
        }
        Ok(())
    }

    /// Returns the file's path, whether it exists yet or not.
    pub(super) fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(SidecarFile::path)
    }

    /// Returns Pi's file name: the session's creation time and id.
    pub(super) fn file_name(&self) -> String {
        let head: Value = serde_json::from_str(&self.head).unwrap_or_default();
        let stamp = head.get("timestamp").and_then(Value::as_str).unwrap_or_default();
        format!("{}_{}.jsonl", stamp.replace([':', '.'], "-"), self.session)
    }

    pub(super) fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Returns the current entry's id.
    pub(super) fn leaf(&self) -> Option<&str> {
        self.lines.last().map(|line| line.head.id.as_str())
    }

    /// Returns true until the first message is sent.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.iter().filter_map(Line::role).all(|role| role == "system")
    }

    /// Returns the last event number before this turn, if the journal has been read that far.
    pub(super) fn before(&self, turn: &TurnId) -> Option<u64> {
        self.last_turn.as_ref().filter(|(last, _)| last == turn).map(|(_, seq)| seq - 1)
    }

    /// Makes [`Mirror::catch_up`] return the entries after this event, even if they were already read.
    pub(super) fn return_from(&mut self, seq: u64) {
        self.returned = self.lines.partition_point(|line| line.seq <= seq);
    }

    /// Reads the journal up to an event, and returns the new entries.
    pub(super) fn catch_up(&mut self, seq: u64) -> &[Line] {
        let first_new = self.lines.len();
        if let Err(error) = self.read_to(seq) {
            tracing::warn!("the session's file is out of date: {error}");
        }
        self.write(first_new);
        // A rewind may have left fewer.
        let from = self.returned.min(self.lines.len());
        let to = self.lines.partition_point(|line| line.seq <= seq).max(from);
        self.returned = to;
        self.lines.get(from..to).unwrap_or_default()
    }

    fn read_to(&mut self, seq: u64) -> Result<(), Error> {
        while self.seq < seq {
            let Some(entry) = self.journal.next() else {
                self.journal.resume();
                return Ok(());
            };
            let entry = entry?;
            if rewrites_history(&entry) {
                return self.rebuild();
            }
            self.take(&entry);
        }
        Ok(())
    }

    fn take(&mut self, entry: &Entry) {
        self.seq = entry.seq;
        if let Some(record) = &entry.record
            && let (Event::TurnStarted { .. }, Some(turn)) = (&record.event, &record.turn_id)
        {
            self.last_turn = Some((turn.clone(), entry.seq));
        }
        let mut out = String::new();
        self.writer.follow(entry, &mut out);
        let mut item = user_message(entry);
        for text in out.split_inclusive('\n') {
            let mut line = Line::new(entry.seq, text);
            // Entries that precede the message are not the message.
            if line.role() == Some("user") {
                line.item = item.take();
            }
            self.lines.push(line);
        }
    }

    /// Reads the journal from its beginning, with the current branch of its history.
    fn rebuild(&mut self) -> Result<(), Error> {
        let branch_points = BranchPoints::read(&self.store, &self.session)?;
        self.journal = self.store.entries(&self.session)?;
        self.writer =
            Writer::new(branch_points).named_by_items().with_prompts().with_apis(&self.apis);
        self.lines.clear();
        self.seq = 0;
        while let Some(entry) = self.journal.next() {
            let entry = entry?;
            self.take(&entry);
        }
        self.journal.resume();
        Ok(())
    }

    /// Writes the lines from this one on. There is no file before the first message of a user. While another client of this session writes
    /// the file, this one does not.
    fn write(&mut self, from: usize) {
        let Some(file) = self.file.as_mut().filter(|_| !self.has_failed) else { return };
        if from == self.lines.len() || !self.lines.iter().any(|line| line.item.is_some()) {
            return;
        }
        let texts = || self.lines.iter().map(|line| line.text.as_str());
        let written = if file.is_written() {
            file.add(&texts().skip(from).collect::<String>()).map(|()| Resumed::Continued)
        } else {
            match file.resume(&texts().collect::<Vec<_>>()) {
                Ok(Resumed::Missing) => file
                    .create(&[self.head.as_str()].into_iter().chain(texts()).collect::<String>()),
                resumed => resumed,
            }
        };
        let failure = match written {
            Ok(Resumed::Continued | Resumed::Missing | Resumed::HeldByOther) => return,
            Ok(Resumed::Diverged) => "another program has changed it".to_owned(),
            Err(error) => error.to_string(),
        };
        self.has_failed = true;
        tracing::error!(
            "the session's file is no longer written; the journal is complete: {failure}"
        );
    }
}

/// Returns true if an entry changes the meaning of earlier ones, so that they must be read again.
fn rewrites_history(entry: &Entry) -> bool {
    let event = entry.record.as_ref().map(|record| &record.event);
    matches!(event, Some(Event::HistoryRewound(_) | Event::LabelChanged(_)))
}

fn user_message(entry: &Entry) -> Option<ItemId> {
    let Event::ItemCompleted { item } = &entry.record.as_ref()?.event else { return None };
    matches!(item.body, ItemBody::UserMessage(_)).then(|| item.id.clone())
}
