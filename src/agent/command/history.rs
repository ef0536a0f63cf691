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
        /// Receives what reads them, and the number of the last event.
        reply: Reply<(Pager, u64)>,
    },
    /// Add something that was not said in a turn; at once, or when the running turn is over.
    Note {
        /// The note.
        note: Note,
        /// Receives the response when it is taken.
        reply: Reply<()>,
    },
}

/// Reads a page of the journal, on a thread where that may take its time.
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

/// Something that belongs into a session's history and was not said in a turn.
#[derive(Debug)]
pub struct Note {
    /// Its kind.
    pub body: NoteBody,
    /// The private part of its line in the journal, for its author.
    pub private: Option<Box<RawValue>>,
}

/// The body of a note.
#[derive(Debug)]
pub enum NoteBody {
    /// The model reads it.
    Read(String),
    /// Only people do.
    Unread(Notice),
    /// A client's, with its text.
    Client(ClientNote, String),
}
