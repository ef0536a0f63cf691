//! Files in a session's history: their changes, the authors of those changes, and the effect of a rewind.

use crate::ids::ItemId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// File state at some time. The session keeps the content under its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileState {
    /// SHA-256 of the content, in hex.
    pub sha256: String,
    /// Size in bytes.
    pub size: u64,
    /// Permission bits, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
    /// True if the content was too large to be kept, so it cannot be restored.
    #[serde(default, rename = "lost", skip_serializing_if = "std::ops::Not::not")]
    pub is_lost: bool,
}

/// File change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileRecord {
    /// Path, absolute.
    pub path: String,
    /// The state before; absent when there was no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<FileState>,
    /// The state afterwards; absent when the file was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<FileState>,
}

/// Author of changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ChangedBy {
    /// A tool call of the model, or later the background job that it started.
    #[serde(rename_all = "camelCase")]
    Call {
        /// The call's item.
        item_id: ItemId,
        /// Set if the changes may not be the command's: the command that ran while the files changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        while_ran: Option<String>,
    },
    /// Another author, before the next call: the user, another program, or a background job whose changes are not logged.
    Other {},
    /// A rewind.
    #[serde(rename_all = "camelCase")]
    Rewind {
        /// Event that it went to; absent in journals of older versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to_seq: Option<u64>,
    },
    /// A user decision, logged in the preceding `review.decided`.
    Review {},
}

/// Files were changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilesChanged {
    /// Files.
    pub changes: Vec<FileRecord>,
    /// Author.
    pub by: ChangedBy,
}

/// Rewind scope.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RewindScope {
    /// The model's context.
    #[default]
    Conversation,
    /// The files.
    Files,
    /// Both.
    Both,
}

/// Effect of a rewind on one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileFate {
    /// Path, absolute.
    pub path: String,
    /// Author of the later changes.
    pub owner: FileOwner,
    /// Action.
    pub action: FileAction,
}

/// Author of a file's changes since the rewind target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum FileOwner {
    /// The model alone.
    Agent,
    /// Somebody else alone; the file is left.
    Other,
    /// Both. The file is left unless `overwrite` names it.
    Conflict,
}

/// Action of a rewind on a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum FileAction {
    /// The old content is restored.
    Restore,
    /// The file did not exist and is removed.
    Remove,
    /// The file does not change.
    Leave,
    /// The file does not change, because its old content was not kept, or its current content cannot be.
    Lost,
    /// The file could not be restored. `files.changed` holds its present state, if it changed at all.
    Failed,
}
