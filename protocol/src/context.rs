//! The context that a model is sent, and the fill level of its window.

use crate::ids::{SessionId, TurnId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Fill level of the model's context window. Tokens are the provider's count for its last reply plus an estimate of later additions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextUsage {
    /// Estimated tokens of the next request.
    pub tokens: u64,
    /// Size of the context window; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
}

/// Params of `context/read`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextReadParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// If true, omit the messages and return only the token counts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub summary: bool,
}

/// Last request to the model; before the first one, the request that would be sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextReadResult {
    /// Fill level of the window.
    pub usage: ContextUsage,
    /// Estimated tokens by source.
    pub sources: Vec<ContextSource>,
    /// System prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// Tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ContextTool>,
    /// Messages, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<ContextMessage>,
}

/// Share of one source in the context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextSource {
    /// Source: `system`, `tools`, `summary`, `user`, `assistant`, or `result of TOOL`. More may be added.
    pub source: String,
    /// Number of messages or tools.
    pub count: u64,
    /// Their estimated tokens.
    pub tokens: u64,
}

/// A tool as described to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextTool {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
}

/// Message as sent to the model, independent of the provider's wire format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextMessage {
    /// Role: `user`, `assistant` or `result`.
    pub role: String,
    /// For a result: id of its call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// For a result: true if the call failed.
    #[serde(default, rename = "failed", skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// Its blocks.
    pub blocks: Vec<ContextBlock>,
}

/// A block of a message, distinguished by `type`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ContextBlock {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// Reasoning of the model.
    Reasoning {
        /// The text, as far as its provider shows it.
        text: String,
    },
    /// A tool call.
    #[serde(rename_all = "camelCase")]
    ToolCall {
        /// The call's id.
        call_id: String,
        /// The tool's name.
        name: String,
        /// The arguments, as the model wrote them.
        arguments: String,
    },
    /// An image.
    #[serde(rename_all = "camelCase")]
    Image {
        /// Its media type.
        mime_type: String,
        /// Its size in base64, in bytes.
        bytes: u64,
    },
    /// A block that only the provider understands, sent back to it verbatim.
    Opaque {
        /// Its size in bytes.
        bytes: u64,
    },
}

/// Old results, and long arguments of old calls, that were removed from the model's context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextPruned {
    /// Number of results.
    pub results: u64,
    /// Number of calls whose long arguments were shortened.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub calls: u64,
    /// Estimated tokens before.
    pub tokens_before: u64,
    /// Estimated tokens afterwards.
    pub tokens_after: u64,
}

/// Params of `session/compact`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionCompactParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Instructions for the summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// A text of the client's choice, such as a UUID, at most 200 characters. A request that is repeated with the same key gets the response of the
    /// first one and has no second effect, also after the engine was restarted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// The compaction has started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionCompactResult {
    /// Turn that performs it.
    pub turn_id: TurnId,
}
