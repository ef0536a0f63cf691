//! A session as a text for other eyes.

use crate::ids::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a session is exported as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ExportFormat {
    /// One page for a browser, with everything in it and without scripts.
    Html,
    /// Markdown.
    Md,
    /// The events as the journal has them, one a line.
    Json,
    /// A session file of Pi's, version 3.
    Pi,
}

/// Which session to export, as what, and to where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionExportParams {
    /// The session, open or not; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// What to make of it.
    pub format: ExportFormat,
    /// A file to write, within the session's working directory; absolute or from there. Absent: the text is the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Write over a file that is there.
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
    /// The file that was written, absolute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The size of the text in bytes.
    pub bytes: u64,
}
