//! The content of a file and the author of a change: shared bytes with mode bits, and which of them are text.

use crate::text::line_diff::{Change, changes, split};
use pintle_protocol::review::Maker;
use std::fmt;
use std::sync::Arc;

/// Larger files are one hunk: nobody reads their lines, and finding them would take too long.
const MAX_TEXT_BYTES: usize = 8 * 1024 * 1024;

/// The content of a file that exists.
#[derive(Clone, PartialEq, Eq)]
pub struct Content {
    /// The bytes, shared.
    pub bytes: Arc<[u8]>,
    /// The permission bits, as `chmod` counts them.
    pub mode: u32,
}

/// Who changed a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Author {
    /// A call of the agent.
    Agent(Maker),
    /// A person, or a program of theirs.
    User,
    /// A rewind put an earlier content back.
    Rewind,
}

impl Content {
    /// A text with the usual mode.
    pub fn text(text: &str) -> Self {
        Self { bytes: text.as_bytes().into(), mode: 0o644 }
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:o} {:?}", self.mode, String::from_utf8_lossy(&self.bytes))
    }
}

/// The text of a file; a file that is not there has none in it. `None` when it is not to be read by lines.
pub(super) fn text_of(content: Option<&Content>) -> Option<&str> {
    let Some(content) = content else { return Some("") };
    if content.bytes.len() > MAX_TEXT_BYTES || memchr::memchr(0, &content.bytes).is_some() {
        return None;
    }
    std::str::from_utf8(&content.bytes).ok()
}

/// The lines of a file; none where it is no text.
pub(super) fn lines_of(content: Option<&Content>) -> Vec<&str> {
    split(text_of(content).unwrap_or_default())
}

/// The lines that differ. Where one side is no text everything does.
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

/// Everything differs.
pub(super) fn whole(old: usize, new: usize) -> Vec<Change> {
    if old + new == 0 { Vec::new() } else { vec![Change { old: 0..old, new: 0..new }] }
}
