//! Canonical conversation: the source and target of every wire format's encoding.

use super::request::Effort;
use pintle_protocol::content::Content;
use pintle_protocol::event::StopReason;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A message of a conversation, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// User message.
    User(Vec<Content>),
    /// Model reply.
    Assistant(Assistant),
    /// Result of one call in the preceding assistant message.
    ToolResult(ToolResult),
}

/// A model's reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Assistant {
    /// Blocks, in the order in which the model created them.
    pub blocks: Vec<AssistantBlock>,
    /// The model that wrote it, as `provider/model`: opaque data is sent back to the same model only.
    pub origin: String,
    /// The stop reason.
    pub stop: StopReason,
    /// The effort that was requested; `None` if it was left to the provider, or is not known.
    pub effort: Option<Effort>,
}

/// Block of a model reply.
#[derive(Debug, Clone, PartialEq)]
pub enum AssistantBlock {
    /// Text for the user.
    Text {
        /// The text.
        text: String,
        /// Opaque data to send back to the provider verbatim.
        opaque: Option<Opaque>,
    },
    /// Reasoning.
    Reasoning {
        /// The text, as far as it is shown; may be empty.
        text: String,
        /// Opaque data to send back to the provider verbatim.
        opaque: Option<Opaque>,
    },
    /// Tool call.
    ToolCall {
        /// The call's id, as the provider gave it.
        id: String,
        /// The tool's name.
        name: String,
        /// The arguments as JSON text, exactly as the model wrote them; may be malformed, and `""` means `{}`.
        arguments: String,
        /// Opaque data to send back to the provider verbatim.
        opaque: Option<Opaque>,
    },
    /// A block this engine does not know: kept, and sent back to the same model.
    Unknown(Opaque),
}

/// JSON that only the provider understands, kept byte for byte.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Opaque(pub Box<RawValue>);

impl PartialEq for Opaque {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

/// A tool call's result.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// Id of the answered call.
    pub call_id: String,
    /// The tool's name; some wire formats repeat it.
    pub tool_name: String,
    /// The content for the model.
    pub content: Vec<Content>,
    /// True if the call failed.
    pub is_error: bool,
}
