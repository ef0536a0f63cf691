//! Connection setup: the two programs, their capabilities, and the connection's limits.

use crate::capability::{ClientCapabilities, EngineCapabilities};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Params of `initialize`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InitializeParams {
    /// Protocol and the versions that the client supports.
    pub protocol: ProtocolOffer,
    /// Client.
    #[serde(default)]
    pub client: PeerInfo,
    /// Client capabilities.
    #[serde(default)]
    pub capabilities: ClientCapabilities,
}

/// Protocol versions that a client supports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProtocolOffer {
    /// Always `pintle`.
    pub name: String,
    /// Versions, such as `1.0`; the engine takes the newest whose major part it supports.
    pub versions: Vec<String>,
}

/// A program and its version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PeerInfo {
    /// Name.
    pub name: String,
    /// Version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// For a client: its id, at most 200 characters, which distinguishes it from others of the same name. Events caused by its requests
    /// carry it as `cause.clientId`; default: its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// Result of `initialize`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InitializeResult {
    /// Protocol version of this connection.
    pub protocol: ProtocolChoice,
    /// Engine.
    pub engine: EngineInfo,
    /// Engine capabilities.
    pub capabilities: EngineCapabilities,
    /// Limits of this connection.
    pub limits: Limits,
}

/// Protocol version of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProtocolChoice {
    /// Always `pintle`.
    pub name: String,
    /// Version.
    pub version: String,
}

/// Engine name, version and schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EngineInfo {
    /// Always `pintle`.
    pub name: String,
    /// Program version.
    pub version: String,
    /// A hash that changes whenever the protocol's schema does.
    pub schema_hash: String,
}

/// Limits of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Maximum size of a message, in bytes.
    pub max_message_bytes: u64,
    /// Maximum number of unanswered requests.
    pub max_in_flight: u64,
}

/// Request to withdraw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CancelParams {
    /// Request id: a number or a string.
    pub id: serde_json::Value,
}
