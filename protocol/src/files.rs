//! Files as a session's history knows them: what was changed, by whom, and what going back does to them.

use crate::ids::ItemId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The state of a file at some time. Its content is kept in the session under its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileState {
    /// SHA-256 of the content, in hex.
    pub sha256: String,
    /// The size in bytes.
    pub size: u64,
    /// The permission bits, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
    /// The content was too large to be kept, so nothing can bring it back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_lost: bool,
}

/// A file that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileRecord {
    /// The path, absolute.
    pub path: String,
    /// What was there; absent when nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<FileState>,
    /// What is there now; absent when it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<FileState>,
}

/// Who changed files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ChangedBy {
    /// A call of the model.
    #[serde(rename_all = "camelCase")]
    Call {
        /// Its item.
        item_id: ItemId,
    },
    /// Somebody else, before the next call was made: a person, another program, a job in the background.
    Other {},
    /// Going back in the history.
    Rewind {},
    /// A verdict of a person, told by the `review.decided` before it.
    Review {},
}

/// Files were changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilesChanged {
    /// The files.
    pub changes: Vec<FileRecord>,
    /// Who did it.
    pub by: ChangedBy,
}

/// What going back is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RewindScope {
    /// What the model knows.
    #[default]
    Conversation,
    /// What the files are.
    Files,
    /// Both.
    Both,
}

/// What becomes of a file by going back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileFate {
    /// The path, absolute.
    pub path: String,
    /// Whose work since then would be undone.
    pub owner: FileOwner,
    /// What is done.
    pub action: FileAction,
}

/// Whose work stands in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum FileOwner {
    /// The model's alone.
    Agent,
    /// Somebody else's alone; it is left.
    Other,
    /// Both have changed it. It is left unless `overwrite` names it.
    Conflict,
}

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum FileAction {
    /// It is written as it was.
    Restore,
    /// It was not there, and goes.
    Remove,
    /// It stays as it is.
    Leave,
    /// It stays as it is, since what was there then is not kept, or what is there now cannot be.
    Lost,
    /// It could not be written as it was. `files.changed` says what it is now, if it was changed at all.
    Failed,
}
