//! Export of a session to other formats.

use crate::ids::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ExportFormat {
    /// One HTML page with everything in it and without scripts.
    Html,
    /// Markdown.
    Md,
    /// The events as in the journal, one a line.
    Json,
    /// A Pi session file, version 3.
    Pi,
}

/// The params of `session/export`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionExportParams {
    /// The session, open or not; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The format.
    pub format: ExportFormat,
    /// The file to write, within the session's working directory, absolute or relative to it. Absent: the result
    /// holds the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Overwrite an existing file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overwrite: bool,
}

/// The exported session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionExportResult {
    /// The text; absent where a file was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The path of the written file, absolute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The size of the text in bytes.
    pub bytes: u64,
}
