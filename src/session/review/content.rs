//! File contents and authors of changes: shared bytes with mode bits, and their interpretation as text.

use pintle_base::text::line_diff::{Change, changes, split};
use pintle_protocol::review::Maker;
use std::fmt;
use std::sync::Arc;

/// The maximum size of a file that is reviewed by lines; a larger one is a single hunk, since comparing its lines would take too long.
const MAX_TEXT_BYTES: usize = 8 * 1024 * 1024;

/// An existing file's content.
#[derive(Clone, PartialEq, Eq)]
pub struct Content {
    /// The bytes, shared.
    pub bytes: Arc<[u8]>,
    /// The permission bits, as in `chmod`.
    pub mode: u32,
}

/// Who made a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Author {
    /// A call of the agent.
    Agent(Maker),
    /// The user, or another program.
    User,
    /// A rewind, which restored an earlier content.
    Rewind,
}

impl Content {
    /// Returns a text with the default mode.
    pub fn text(text: &str) -> Self {
        Self { bytes: text.as_bytes().into(), mode: 0o644 }
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:o} {:?}", self.mode, String::from_utf8_lossy(&self.bytes))
    }
}

/// Returns a file's text; that of a missing file is empty. `None` if it is not reviewed by lines.
pub(super) fn text_of(content: Option<&Content>) -> Option<&str> {
    let Some(content) = content else { return Some("") };
    if content.bytes.len() > MAX_TEXT_BYTES || memchr::memchr(0, &content.bytes).is_some() {
        return None;
    }
    std::str::from_utf8(&content.bytes).ok()
}

/// Returns a file's lines; empty if it is not text.
pub(super) fn lines_of(content: Option<&Content>) -> Vec<&str> {
    split(text_of(content).unwrap_or_default())
}

/// Returns the changed lines; all lines if one side is not text.
pub(super) fn line_changes(old: Option<&Content>, new: Option<&Content>) -> Vec<Change> {
    if old == new {
        return Vec::new();
    }
    let (old_lines, new_lines) = (lines_of(old), lines_of(new));
    if text_of(old).is_some() && text_of(new).is_some() {
        return changes(&old_lines, &new_lines);
    }
    whole(old_lines.len(), new_lines.len())
}

/// Returns a change of all lines.
pub(super) fn whole(old: usize, new: usize) -> Vec<Change> {
    if old + new == 0 { Vec::new() } else { vec![Change { old: 0..old, new: 0..new }] }
}
