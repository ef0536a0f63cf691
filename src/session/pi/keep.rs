//! Stores a Pi session as a new journal.

use super::Imported;
use crate::store::{Error, FORMAT_VERSION, Header, Store};
use pintle_protocol::event::EventRecord;
use pintle_protocol::ids::SessionId;

/// The number of events that are written at once.
const AT_ONCE: usize = 256;

impl Imported {
    /// Stores it under an unused id. It is invisible until it is complete.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn save(self, store: &Store, id: &SessionId) -> Result<(), Error> {
        let header = Header {
            journal: "pintle".to_owned(),
            version: FORMAT_VERSION,
            session_id: id.clone(),
            cwd: self.cwd,
            created_ms: self.created_ms,
        };
        let mut journal = store.draft(&header)?;
        let records = (1..).zip(self.drafts).map(|(seq, draft)| {
            let record = EventRecord {
                session_id: id.clone(),
                seq,
                ts_ms: draft.ts_ms,
                turn_id: draft.turn_id,
                cause: None,
                event: draft.event,
            };
            (record, draft.private)
        });
        let mut records = records.peekable();
        while records.peek().is_some() {
            let some: Vec<_> = records.by_ref().take(AT_ONCE).collect();
            journal
                .append_all(some.iter().map(|(record, private)| (record, private.as_deref())))?;
        }
        // A part of it would look like a complete session.
        journal.publish()
    }
}
