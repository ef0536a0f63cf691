//! Documents that an editor has open: their text as it is on its screen, and changes that are sent back to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place in a text.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub struct Position {
    /// The line, from 0; lines end with `\n` or `\r\n`.
    pub line: u64,
    /// Units of UTF-16 from the beginning of the line, as in LSP.
    pub character: u64,
}

/// A part of a text. What lies beyond the end of a line or of the text means that end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextRange {
    /// Where it begins.
    pub start: Position,
    /// Where it ends; what stands there is not part of it.
    pub end: Position,
}

/// What `document/open` takes. Opening a document again replaces all that was known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentOpenParams {
    /// The file, absolute. It need not exist yet.
    pub path: String,
    /// Which version of the text this is; it rises with every change.
    pub version: i64,
    /// The whole text as it would be written, with its line ends, without a byte order mark.
    pub text: String,
    /// The text has not been saved. Tools then read it instead of the file.
    pub is_dirty: bool,
}

/// What `document/change` takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentChangeParams {
    /// The file, as it was opened.
    pub path: String,
    /// The version after the changes.
    pub version: i64,
    /// The changes, each made to the text that the one before has left.
    pub changes: Vec<DocumentChange>,
    /// The text differs from what was saved last.
    pub is_dirty: bool,
}

/// A change of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentChange {
    /// What goes; without it the whole text does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<TextRange>,
    /// What comes in its place.
    pub text: String,
}

/// What `document/save` takes: the text of this version is what the file holds now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentSaveParams {
    /// The file, as it was opened.
    pub path: String,
    /// The version that was saved.
    pub version: i64,
}

/// What `document/close` takes. What was not saved is gone for tools: they read the file again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentCloseParams {
    /// The file, as it was opened.
    pub path: String,
}

/// What `workspace/applyEdit` asks of a client: to change documents that it has open, all of them or none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApplyEditParams {
    /// What the edit is, for people.
    pub label: String,
    /// The documents.
    pub edits: Vec<DocumentEdit>,
}

/// What becomes of one document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentEdit {
    /// The file, as it was opened.
    pub path: String,
    /// The version that the edit is made for. Where the document has got another, nothing is changed.
    pub version: i64,
    /// The changes, in order; their ranges all mean the text of `version`, and do not overlap.
    pub changes: Vec<TextEdit>,
    /// The document was saved before and is to be saved again, so that commands see the change.
    pub save: bool,
}

/// A change of a part of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextEdit {
    /// What goes.
    pub range: TextRange,
    /// What comes in its place.
    pub text: String,
}

/// What the client answers. It sends the changes that it made, by `document/change`, before its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApplyEditResult {
    /// All changes were made. Otherwise none was.
    pub is_applied: bool,
    /// Why none was made, or why a document could not be saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<String>,
    /// The versions that the documents have now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<DocumentVersion>,
}

/// Which version a document has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentVersion {
    /// The file, as it was opened.
    pub path: String,
    /// The version.
    pub version: i64,
}
