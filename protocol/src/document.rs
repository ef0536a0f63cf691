//! Documents that an editor has open: their current text, and edits that are sent back to the editor.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A position in a text.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub struct Position {
    /// Line, from 0; lines end with `\n` or `\r\n`.
    pub line: u64,
    /// Offset from the start of the line in UTF-16 code units, as in LSP.
    pub character: u64,
}

/// Text range. Positions past a line's or the text's end are clamped to that end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextRange {
    /// Start.
    pub start: Position,
    /// End, exclusive.
    pub end: Position,
}

/// Params of `document/open`. Opening a document again replaces its earlier state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentOpenParams {
    /// File, absolute. It need not exist yet.
    pub path: String,
    /// Version of the text; it increases with every change.
    pub version: i64,
    /// Full text as it would be saved, with its line ends, without a byte order mark.
    pub text: String,
    /// True if the text has unsaved changes, so tools read it instead of the file.
    #[serde(rename = "dirty")]
    pub is_dirty: bool,
}

/// Params of `document/change`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentChangeParams {
    /// File, as it was opened.
    pub path: String,
    /// Version after the changes.
    pub version: i64,
    /// Changes; each applies to the previous one's result.
    pub changes: Vec<DocumentChange>,
    /// True if the text differs from the last saved one.
    #[serde(rename = "dirty")]
    pub is_dirty: bool,
}

/// A change of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentChange {
    /// Range to replace; absent for the full text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<TextRange>,
    /// Replacement.
    pub text: String,
}

/// Params of `document/save`: the file now holds the text of this version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentSaveParams {
    /// File, as it was opened.
    pub path: String,
    /// Version that was saved.
    pub version: i64,
}

/// Params of `document/close`. Unsaved text is discarded; tools read the file again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentCloseParams {
    /// File, as it was opened.
    pub path: String,
}

/// Params of `workspace/applyEdit`: edits of documents that the client has open. It applies all of them or none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApplyEditParams {
    /// User-facing description of the edit.
    pub label: String,
    /// Documents.
    pub edits: Vec<DocumentEdit>,
}

/// Edit of one document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentEdit {
    /// File, as it was opened.
    pub path: String,
    /// Version that the edit was made for. If the document's version has changed since, nothing is changed.
    pub version: i64,
    /// Changes, in order; their ranges refer to the text of `version` and do not overlap.
    pub changes: Vec<TextEdit>,
    /// True if the document had no unsaved changes and must be saved again, so that commands see the edit.
    pub save: bool,
}

/// Replacement of a text range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextEdit {
    /// Range to replace.
    pub range: TextRange,
    /// Replacement.
    pub text: String,
}

/// Result of `workspace/applyEdit`. Before its response, the client sends its changes with `document/change`. The engine waits 15 seconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApplyEditResult {
    /// True if all edits were applied; otherwise none was.
    #[serde(rename = "applied")]
    pub is_applied: bool,
    /// Reason why none was applied, or why a document could not be saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<String>,
    /// Current versions of the documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<DocumentVersion>,
}

/// Document version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentVersion {
    /// File, as it was opened.
    pub path: String,
    /// Version.
    pub version: i64,
}
