//! Stores a Pi session as a new journal.

use super::Imported;
use crate::store::{Entry, Error, FORMAT_VERSION, Fold, Header, Store};
use pintle_protocol::event::EventRecord;
use pintle_protocol::ids::SessionId;
use serde_json::value::RawValue;

/// The number of events that are written at once.
const AT_ONCE: usize = 256;

impl Imported {
    /// Stores it under an unused id, with the state from which it is opened: `to_saved` converts the folded events. The session is
    /// invisible until it is complete.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn save<F: Fold>(
        self,
        store: &Store,
        id: &SessionId,
        to_saved: impl FnOnce(F) -> Option<Box<RawValue>>,
    ) -> Result<(), Error> {
        let header = Header {
            journal: "pintle".to_owned(),
            version: FORMAT_VERSION,
            session_id: id.clone(),
            cwd: self.cwd,
            created_ms: self.created_ms,
        };
        let mut journal = store.draft(&header)?;
        let entries = (1..).zip(self.drafts).map(|(seq, draft)| {
            let record = EventRecord {
                session_id: id.clone(),
                seq,
                ts_ms: draft.ts_ms,
                turn_id: draft.turn_id,
                cause: None,
                event: draft.event,
            };
            Entry { seq, record: Some(record), private: draft.private }
        });
        let mut entries = entries.peekable();
        let (mut fold, mut fits) = (F::default(), true);
        while entries.peek().is_some() {
            let some: Vec<_> = entries.by_ref().take(AT_ONCE).collect();
            journal
                .append_all(some.iter().filter_map(|entry| {
                    Some((entry.record.as_ref()?, entry.private.as_deref()))
                }))?;
            fits = fits && some.iter().all(|entry| fold.take(entry));
        }
        if fits
            && store.is_due(&journal)
            && let Some(state) = to_saved(fold)
            && let Err(error) = journal.saver(state)()
        {
            tracing::debug!("failed to save the state of session {id}: {error}");
        }
        // A part of it would look like a complete session.
        journal.publish()
    }
}
