//! The canonical conversation: what every wire format is encoded from and decoded to.

use pintle_protocol::content::Content;
use pintle_protocol::event::StopReason;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A message of a conversation, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// A message of the user.
    User(Vec<Content>),
    /// A reply of the model.
    Assistant(Assistant),
    /// The result of one call in the assistant message before it.
    ToolResult(ToolResult),
}

/// A model's reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Assistant {
    /// The blocks, in the order in which the model made them.
    pub blocks: Vec<AssistantBlock>,
    /// The model that wrote it, as `provider/model`: opaque data is sent back to the same model only.
    pub origin: String,
    /// The stop reason.
    pub stop: StopReason,
}

/// A block of a model's reply.
#[derive(Debug, Clone, PartialEq)]
pub enum AssistantBlock {
    /// Text for the person.
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
    /// A call of a tool.
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
    /// The id of the answered call.
    pub call_id: String,
    /// The tool's name; some wire formats repeat it.
    pub tool_name: String,
    /// The content for the model.
    pub content: Vec<Content>,
    /// The call failed.
    pub is_error: bool,
}
