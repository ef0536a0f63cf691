//! A change of one file, with enough in it that a client draws it without reading the disk.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happened to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    /// What was done.
    pub op: FileOp,
    /// The file's absolute path (the new one after a move).
    pub path: String,
    /// The path before a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// The change as unified diff hunks (`@@ -a,b +c,d @@` and lines), without file headers; empty for a binary file.
    pub diff: String,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    /// The first line that differs, 1-based, counted in the new text: where an editor should jump.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_changed_line: Option<u64>,
}

/// The kind of a file change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum FileOp {
    /// The file is new.
    Add,
    /// The file existed and its content differs now.
    Modify,
    /// The file is gone.
    Delete,
    /// The file has another path now.
    Move,
}
