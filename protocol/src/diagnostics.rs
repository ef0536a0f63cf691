//! What an editor finds wrong in files, as it changes: told by the client, so that a model learns what its edits broke.

use crate::content::{LineRange, Severity};
use crate::ids::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All that an editor finds wrong in a file now; it takes the place of what was said of that file before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorDiagnosticsParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The file, absolute or from the session's working directory.
    pub path: String,
    /// The version of the text that was looked at, as the editor counts; a report of an older one is left aside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
    /// What is wrong; empty when nothing is.
    pub items: Vec<EditorDiagnostic>,
}

/// One thing that an editor finds wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorDiagnostic {
    /// Where it is.
    pub range: LineRange,
    /// How bad it is. The model is told of errors and warnings.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What found it, such as `rustc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// How what found it calls it, such as `E0308`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}
