//! Servers of the Model Context Protocol.

use crate::ids::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// MCP (Model Context Protocol) server for one session: a program that communicates over its standard streams (`command`), or an address
/// (`url`). Its values are literal: nothing in them is expanded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct McpServer {
    /// Program: its path, or a name in `PATH`. It runs in the sandbox, in the session's working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Variables that it is given.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Its working directory, if it differs from the session's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Address of a streamable HTTP server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Headers of each request to it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
}

/// State of a session's server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct McpServerState {
    /// Its name, unique in the session.
    pub name: String,
    /// Command line or address, as configured.
    pub target: String,
    /// Human-readable location of its configuration.
    pub origin: String,
    /// Its status.
    pub status: McpStatus,
    /// Human-readable failure reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Login to it; absent if it has none: a program, or an address whose settings have an `Authorization`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub login: Option<McpLoginState>,
    /// Its own name and version, and the protocol's; once it is connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Its tools, once it is connected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<McpTool>,
    /// Human-readable parts of it that are not used, each with the reason, such as a tool with an invalid schema; once it is connected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// Last lines that it wrote to its error output.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<String>,
}

/// Server status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum McpStatus {
    /// Nothing has used it yet.
    Idle,
    /// Starting.
    Starting,
    /// Connected.
    Ready,
    /// Failed to start, or the connection was closed. The next use tries again.
    Failed,
    /// Disabled for this session.
    Off,
}

/// Login to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum McpLoginState {
    /// True if the server supports `mcp/login`; most servers need no login.
    Possible,
    /// The server refused for want of a login.
    Wanted,
}

/// A tool of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct McpTool {
    /// Its name at the server.
    pub name: String,
    /// The server's description of it.
    pub description: String,
    /// True if the server declares that it changes nothing. Permissions do not depend on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
}

/// Result of `mcp/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct McpListResult {
    /// The session's servers. Those of a project's file are known once a turn has begun.
    pub servers: Vec<McpServerState>,
}

/// Params of `mcp/update`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct McpUpdateParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Server name.
    pub server: String,
    /// Enables or disables it for this session. The tools of a disabled server stay in the model's list, and their calls fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// If true, restart a failed server at once, without waiting for its next use.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub restart: bool,
}

/// Params of `mcp/login`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct McpLoginParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Server name.
    pub server: String,
    /// Scopes to request, instead of those in its settings and those that the server lists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
}

/// Params of `mcp/logout`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct McpLogoutParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Server name.
    pub server: String,
}

/// Result of `mcp/logout`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct McpLogoutResult {
    /// True if there was a stored login.
    pub removed: bool,
}
