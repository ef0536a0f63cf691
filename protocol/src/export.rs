//! Export of a session to other formats.

use crate::ids::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Export format.
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

/// Params of `session/export`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionExportParams {
    /// Session, open or not; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Format.
    pub format: ExportFormat,
    /// File to write, within the session's working directory, absolute or relative to it. Absent: the result holds the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// If true, overwrite an existing file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overwrite: bool,
}

/// Exported session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionExportResult {
    /// Text; absent if a file was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Absolute path of the written file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Text size in bytes.
    pub bytes: u64,
}
