//! Interprets a session's events: folds over a journal's entries.
//!
//! The store keeps entries and the agent appends them; their consequences are decided here, so that a reopened session has the same state.
//! Everything is pure except [`items`], [`current_entries`] and [`replay::stored`], which read a journal through the store.
#![warn(
    clippy::wildcard_enum_match_arm,
    reason = "a new event must be given its meaning in each fold"
)]

pub mod checkpoints;
pub mod file_timeline;
pub mod fork;
pub mod isolation;
pub mod items;
pub mod keys;
pub mod merge;
pub mod outcome;
pub mod outline;
pub mod recovery;
pub mod replay;
mod streamed;
pub mod touched;
pub mod tree;
pub mod usage;

pub use streamed::Streamed;

use crate::store::{Entries, Error, Store};
use pintle_protocol::ids::SessionId;

/// Reads a session from its start along its current path, without abandoned branches.
///
/// # Errors
/// The session does not exist or cannot be read.
pub fn current_entries(store: &Store, session: &SessionId) -> Result<Entries, Error> {
    let marks = store
        .entries_of(session, &[tree::TURNING])?
        .map(|entry| entry.map(|entry| tree::Mark::from_entry(&entry)));
    let marks: Vec<tree::Mark> = marks.collect::<Result<_, _>>()?;
    // Entries appended meanwhile are excluded.
    Ok(store.entries(session)?.only(tree::path_of(&marks, u64::MAX)))
}
