//! The session's history: read, left for another place of it, added to.

use super::Reply;
use pintle_protocol::event::Notice;
use pintle_protocol::files::RewindScope;
use pintle_protocol::history::{HistoryPoint, SessionMergeResult, SessionRewindResult};
use pintle_protocol::ids::SessionId;
use pintle_protocol::item::ClientNote;
use pintle_session::store::Page;
use serde_json::Value;
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
    /// Go on from another place of the history of an idle session.
    Rewind {
        /// The place, and what goes back to it.
        rewind: Rewind,
        /// Receives what was done, or would be done.
        reply: Reply<SessionRewindResult>,
    },
    /// Take what was said and done in a fork back, as a branch of an idle session.
    Merge {
        /// The fork.
        fork: SessionId,
        /// Receives what was taken over.
        reply: Reply<SessionMergeResult>,
    },
    /// Name a place of the history.
    Label {
        /// The place.
        at: HistoryPoint,
        /// The name; `None` removes it.
        label: Option<String>,
        /// The client's data about it.
        metadata: Option<Value>,
        /// Receives the number of the event that is the place.
        reply: Reply<u64>,
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

/// Where to go in the history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewind {
    /// The place.
    pub to: HistoryPoint,
    /// Conversation, files, or both.
    pub scope: RewindScope,
    /// Files that are put back although somebody else has changed them.
    pub overwrite: Vec<String>,
    /// Have the model sum up what it will not know any more.
    pub is_summed_up: bool,
    /// Only say what that would do.
    pub is_dry_run: bool,
}
