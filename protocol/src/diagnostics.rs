//! Diagnostics of an editor, sent by the client as they change, so that a model learns which problems its edits
//! caused.

use crate::content::{LineRange, Severity};
use crate::ids::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All current diagnostics of a file; they replace the earlier ones of that file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorDiagnosticsParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// File, absolute or relative to the session's working directory.
    pub path: String,
    /// Version of the checked text, as counted by the editor; a report for an older version is ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
    /// Diagnostics; empty when there are none.
    pub items: Vec<EditorDiagnostic>,
}

/// One diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorDiagnostic {
    /// The lines concerned.
    pub range: LineRange,
    /// Severity. The model receives errors and warnings.
    pub severity: Severity,
    /// Message.
    pub message: String,
    /// Tool that reported it, such as `rustc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The tool's code for it, such as `E0308`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}
