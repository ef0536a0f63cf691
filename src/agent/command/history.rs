//! The session's history: read, and added to.

use super::Reply;
use pintle_protocol::event::Notice;
use pintle_protocol::item::ClientNote;
use pintle_session::store::Page;
use serde_json::value::RawValue;

/// Commands about the history.
#[derive(Debug)]
pub enum HistoryCommand {
    /// Read durable events.
    Events {
        /// Those after this number.
        after: u64,
        /// The most to return.
        limit: usize,
        /// Receives the pager, and the last event's number.
        reply: Reply<(Pager, u64)>,
    },
    /// Add a note from outside any turn: immediately, or when the running turn has ended.
    Note {
        /// The note.
        note: Note,
        /// Receives the response when it is taken.
        reply: Reply<()>,
    },
}

/// Reads a journal page; blocking, so call it on a suitable thread.
pub struct Pager(pub(crate) Box<dyn FnOnce() -> Result<Page, pintle_session::store::Error> + Send>);

impl Pager {
    /// Reads with this.
    pub(crate) fn new(
        read: impl FnOnce() -> Result<Page, pintle_session::store::Error> + Send + 'static,
    ) -> Self {
        Self(Box::new(read))
    }
}

impl std::fmt::Debug for Pager {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pager")
    }
}

/// A history entry from outside any turn.
#[derive(Debug)]
pub struct Note {
    /// Its kind.
    pub body: NoteBody,
    /// The private part of its line in the journal, for its author.
    pub private: Option<Box<RawValue>>,
}

/// A note's body.
#[derive(Debug)]
pub enum NoteBody {
    /// The model reads it.
    Read(String),
    /// Shown to users, not to the model.
    Unread(Notice),
    /// A client's, with its text.
    Client(ClientNote, String),
}
