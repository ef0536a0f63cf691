//! The beginning of a connection: who is there, what each can do, and how much may be sent.

use crate::capability::{ClientCapabilities, EngineCapabilities};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who opens the connection and what it can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InitializeParams {
    /// The protocol and the versions the client speaks.
    pub protocol: ProtocolOffer,
    /// The client.
    #[serde(default)]
    pub client: PeerInfo,
    /// What the client can do.
    #[serde(default)]
    pub capabilities: ClientCapabilities,
}

/// The protocol versions a client speaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProtocolOffer {
    /// Always `pintle`.
    pub name: String,
    /// Versions, such as `1.0`; the engine takes the newest with a major part it shares.
    pub versions: Vec<String>,
}

/// A program and its version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PeerInfo {
    /// The name.
    pub name: String,
    /// The version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// What the engine is and can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InitializeResult {
    /// The protocol version that holds for this connection.
    pub protocol: ProtocolChoice,
    /// The engine.
    pub engine: EngineInfo,
    /// What the engine can do.
    pub capabilities: EngineCapabilities,
    /// Limits of this connection.
    pub limits: Limits,
}

/// The protocol version that holds for a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProtocolChoice {
    /// Always `pintle`.
    pub name: String,
    /// The version.
    pub version: String,
}

/// The engine's name, version and schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EngineInfo {
    /// Always `pintle`.
    pub name: String,
    /// The program's version.
    pub version: String,
    /// Changes whenever the protocol's schema does.
    pub schema_hash: String,
}

/// Limits of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// The largest message taken, in bytes.
    pub max_message_bytes: u64,
    /// The most requests that may wait for an answer at once.
    pub max_in_flight: u64,
}

/// The request to withdraw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CancelParams {
    /// The id of the request: a number or a string.
    pub id: serde_json::Value,
}
