//! Session states saved next to the journal, so that a long session is opened without parsing all its events.
//!
//! One small file in the session's directory, replaced as a whole when the session is opened and many entries are newer. It is not part of
//! the truth: it records how long the covered entries are and their checksum, and is ignored if these have changed or if it was written by
//! another version of the engine.

use super::Entry;
use pintle_base::private_files;
use pintle_os::replace;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

const FILE: &str = "folded.json";

/// The file while it is written.
const NEW_FILE: &str = "folded.json.new";

/// The maximum file size: far more than prompts, unfinished work and file states take.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The default number of journal bytes from which a state is saved: parsing fewer takes a few milliseconds.
pub(super) const UNCOVERED_BYTES: u64 = 256 * 1024;

/// The number of bytes that are read at once.
const BLOCK: usize = 64 * 1024;

/// Increment this when the same events fold to another state, or a state is serialized differently.
const STATE_VERSION: u32 = 1;

/// A fold over a journal's entries.
pub trait Fold: Default {
    /// Restores a saved state; `None` if it cannot be parsed.
    fn from_saved(state: &RawValue) -> Option<Self>;

    /// Takes the next entry. Returns false if it can only be interpreted together with all earlier ones.
    fn take(&mut self, entry: &Entry) -> bool;
}

/// The lines that a state covers, counted from the journal's start.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Covered {
    pub(super) bytes: u64,
    pub(super) sum: u32,
    /// The line count, including the header.
    pub(super) lines: u64,
    pub(super) last_seq: u64,
    /// The offsets that [`super::Journal`] remembers.
    pub(super) offsets: Vec<u64>,
}

impl Covered {
    /// Returns true if the journal still starts with these lines.
    pub(super) fn is_in(&self, journal: &Path) -> io::Result<bool> {
        let mut file = private_files::open(journal)?;
        if file.metadata()?.len() < self.bytes {
            return Ok(false);
        }
        Ok(sum(&mut file, self.bytes)? == Some(self.sum))
    }
}

/// Computes the checksum over the next bytes in a file; `None` if there are fewer.
fn sum(file: &mut File, bytes: u64) -> io::Result<Option<u32>> {
    let mut sum = crc32fast::Hasher::new();
    let mut block = vec![0; BLOCK];
    let mut rest = bytes;
    while rest > 0 {
        let most = usize::try_from(rest).unwrap_or(BLOCK).min(BLOCK);
        let count = file.read(block.get_mut(..most).unwrap_or_default())?;
        if count == 0 {
            return Ok(None);
        }
        sum.update(block.get(..count).unwrap_or_default());
        rest -= count as u64;
    }
    Ok(Some(sum.finalize()))
}

/// A state, and the lines that it covers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Saved {
    engine: String,
    pub(super) covered: Covered,
    pub(super) state: Box<RawValue>,
}

impl Saved {
    pub(super) fn new(covered: Covered, state: Box<RawValue>) -> Self {
        Self { engine: engine(), covered, state }
    }

    /// Reads the state saved for the session in this directory, if this version of the engine wrote it.
    pub(super) fn read(session: &Path) -> Option<Self> {
        let text = private_files::read(&session.join(FILE), MAX_BYTES).ok()?;
        let saved: Self = serde_json::from_slice(&text).ok()?;
        (saved.engine == engine()).then_some(saved)
    }

    /// Replaces the saved state.
    pub(super) fn write(&self, session: &Path) -> io::Result<()> {
        let new = session.join(NEW_FILE);
        let text = serde_json::to_vec(self)?;
        private_files::write_private(&new, &text)?;
        replace::rename(&new, session.join(FILE))
    }
}

/// Identifies this engine version and its state format.
fn engine() -> String {
    format!("{} {STATE_VERSION}", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests;
