//! The change of one file, with enough data for a client to draw it without reading the disk.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Change of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    /// Operation.
    pub op: FileOp,
    /// The file's absolute path (the new one after a move).
    pub path: String,
    /// Path before a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// Change as unified diff hunks (`@@ -a,b +c,d @@` and lines), without file headers; empty for a binary file.
    pub diff: String,
    /// Number of lines added.
    pub added: u64,
    /// Number of lines removed.
    pub removed: u64,
    /// First line that differs, 1-based, counted in the new text: the line to which an editor jumps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_changed_line: Option<u64>,
    /// Parts that differ within changed lines, for highlighting words; at most 1,000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<WordSpan>,
}

impl FileChange {
    /// Returns true if a user can edit the file's new text.
    pub fn is_editable(&self) -> bool {
        !matches!(self.op, FileOp::Delete) && !self.diff.is_empty()
    }
}

/// A part of a line that differs from its counterpart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WordSpan {
    /// Text it belongs to.
    pub side: Side,
    /// Line in that text, 1-based.
    pub line: u64,
    /// Its first byte in the line as UTF-8, from 0.
    pub start: u64,
    /// Byte after it.
    pub end: u64,
}

/// One of the two texts of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Side {
    /// The text before the change.
    Old,
    /// The text after it.
    New,
}

/// File change kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum FileOp {
    /// The file is new.
    Add,
    /// The file existed, and its content changed.
    Modify,
    /// The file was deleted.
    Delete,
    /// The file has a new path.
    Move,
}
