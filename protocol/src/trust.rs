//! The project files that configure the engine, and the user's agreement to their content.

use crate::ids::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Result of `trust/read` and `trust/agree`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrustResult {
    /// Project root: the root of the git repository, or the session's working directory outside one.
    pub root: String,
    /// True if the user trusts the project. If not, the engine uses none of the files.
    #[serde(rename = "trusted")]
    pub is_trusted: bool,
    /// Files, sorted by path: permissions, rules, MCP servers, skills, and agents.
    pub files: Vec<ProjectFile>,
}

/// A project file that configures the engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectFile {
    /// Path relative to the project's root, separated by `/`.
    pub path: String,
    /// SHA-256 of the current text without its byte order mark, in hexadecimal. Empty if the file is missing.
    pub sha256: String,
    /// The user's agreement to this content.
    pub standing: Standing,
}

/// User's agreement to a project file's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Standing {
    /// The user agreed to the current content. The file is in use if the project is trusted.
    Agreed,
    /// The file did not exist when the user agreed to the others. It is ignored.
    New,
    /// The file has changed since the user agreed to it. It is ignored.
    Changed,
    /// The user agreed to this permissions file, and it is missing or unreadable. Every call requires approval until the user agrees to
    /// that.
    Missing,
}

/// Params of `trust/agree`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrustAgreeParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Files to use, with the content the user saw.
    pub files: Vec<SeenFile>,
}

/// A project file as the user saw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeenFile {
    /// Path from `trust/read`.
    pub path: String,
    /// SHA-256 from `trust/read`.
    pub sha256: String,
}
