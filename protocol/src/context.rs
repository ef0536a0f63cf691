//! What a model is sent, and how full its window is.

use crate::ids::{SessionId, TurnId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How full the model's window is. Tokens are the provider's own count of its last reply, and an estimate of what came since.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextUsage {
    /// The tokens of the next request, about.
    pub tokens: u64,
    /// The most the model takes; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
}

/// The context of which session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextReadParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Leave out the messages, and tell only how much of what there is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub summary: bool,
}

/// What the model was sent last; before the first request, what it would be sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextReadResult {
    /// How full the window is.
    pub usage: ContextUsage,
    /// The tokens by source, about.
    pub sources: Vec<ContextSource>,
    /// The system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ContextTool>,
    /// The messages, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<ContextMessage>,
}

/// How much of the context is from where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextSource {
    /// From where: `system`, `tools`, `summary`, `user`, `assistant`, or `result of TOOL`. More may come.
    pub source: String,
    /// How many messages or tools.
    pub count: u64,
    /// Their tokens, about.
    pub tokens: u64,
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextTool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
}

/// A message as the model is sent it, whatever its provider's wire format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextMessage {
    /// Who says it: `user`, `assistant` or `result`.
    pub role: String,
    /// Of a result: the id of its call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Of a result: the call failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// Its blocks.
    pub blocks: Vec<ContextBlock>,
}

/// A block of a message, told apart by `type`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ContextBlock {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// What the model thought.
    Reasoning {
        /// The text, as far as its provider shows it.
        text: String,
    },
    /// A call of a tool.
    #[serde(rename_all = "camelCase")]
    ToolCall {
        /// The call's id.
        call_id: String,
        /// The tool's name.
        name: String,
        /// The arguments, as the model wrote them.
        arguments: String,
    },
    /// A picture.
    #[serde(rename_all = "camelCase")]
    Image {
        /// Its kind.
        mime_type: String,
        /// Its size in base64, in bytes.
        bytes: u64,
    },
    /// Something only the provider understands, sent back to it as it is.
    Opaque {
        /// Its size in bytes.
        bytes: u64,
    },
}

/// Old results that the model reads no longer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContextPruned {
    /// How many results.
    pub results: u64,
    /// The tokens before, about.
    pub tokens_before: u64,
    /// And after.
    pub tokens_after: u64,
}

/// What to make short.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionCompactParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// What the summary is to take care of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
}

/// The summing up has begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionCompactResult {
    /// The turn that does it.
    pub turn_id: TurnId,
}
