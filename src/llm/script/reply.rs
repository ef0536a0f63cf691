//! One reply of a script, as data: built in Rust or read from JSON.

use crate::{Error, ErrorKind};
use pintle_protocol::content::Usage;
use pintle_protocol::event::StopReason;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// Response to one request.
///
/// In JSON: `{"of":"…","blocks":[…],"stop":"endTurn","usage":{…},"error":{"kind":"overloaded","message":"…"},"hang":true}`, all optional.
/// Without `stop` it is `toolUse` if a tool is called, else `endTurn`. With `error` the reply fails after its blocks, with `hang` it never
/// ends.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reply {
    /// Only for a conversation whose first message contains this text: that of a sub-agent with this task.
    #[serde(default)]
    pub of: Option<String>,
    /// Its blocks, in order.
    #[serde(default)]
    pub blocks: Vec<Block>,
    /// The stop reason.
    #[serde(default)]
    pub stop: Option<StopReason>,
    /// The tokens it reports; none when absent.
    #[serde(default)]
    pub usage: Option<Usage>,
    /// The tokens it reports before its first block; none when absent.
    #[serde(default)]
    pub usage_first: Option<Usage>,
    /// The failure after its blocks; immediate if there are none.
    #[serde(default)]
    pub error: Option<Failure>,
    /// True if it hangs after its blocks until it is dropped.
    #[serde(default)]
    pub hang: bool,
}

/// A block of a scripted reply.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "RawBlock")]
pub enum Block {
    /// `{"text":"…"}`, sent word by word.
    Text(String),
    /// `{"reasoning":"…"}`, sent word by word.
    Reasoning {
        /// The text.
        text: String,
        /// Opaque data, from `"opaque"`.
        opaque: Option<Value>,
    },
    /// `{"tool":"bash","arguments":{…}}`, the arguments sent in small pieces.
    Tool {
        /// The tool's name.
        name: String,
        /// Arguments as JSON text. A string in the JSON is used unchanged, so that it can be malformed.
        arguments: String,
    },
    /// `{"gate":"name"}`: waits until [`Script::open`](super::Script::open). Text on both sides of a gate is one block, so a test can stop
    /// a reply mid-sentence.
    Gate(String),
}

/// Reply failure.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Failure {
    /// A code of [`ErrorKind`], such as `overloaded`.
    #[serde(deserialize_with = "kind")]
    pub kind: ErrorKind,
    /// The provider's message.
    #[serde(default)]
    pub message: String,
    /// Requested retry delay, in milliseconds.
    #[serde(default)]
    pub retry_after_ms: Option<u64>,
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let message = match failure.message.as_str() {
            "" => format!("the script fails with `{}`", failure.kind.code()),
            message => message.to_owned(),
        };
        let mut error = Self::new(failure.kind, message);
        error.retry_after = failure.retry_after_ms.map(Duration::from_millis);
        error
    }
}

fn kind<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<ErrorKind, D::Error> {
    let code = String::deserialize(deserializer)?;
    ErrorKind::from_code(&code)
        .ok_or_else(|| serde::de::Error::custom(format!("`{code}` is not a kind of error")))
}

/// Script file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct File {
    /// The JSON Schema, for editors.
    #[serde(default, rename = "$schema")]
    _schema: Option<String>,
    pub(super) replies: Vec<Reply>,
    #[serde(default)]
    pub(super) delay_ms: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBlock {
    text: Option<String>,
    reasoning: Option<String>,
    opaque: Option<Value>,
    tool: Option<String>,
    arguments: Option<Value>,
    gate: Option<String>,
}

impl TryFrom<RawBlock> for Block {
    type Error = &'static str;

    fn try_from(raw: RawBlock) -> Result<Self, &'static str> {
        match (raw.text, raw.reasoning, raw.tool, raw.gate) {
            (Some(text), None, None, None) => Ok(Self::Text(text)),
            (None, Some(text), None, None) => Ok(Self::Reasoning { text, opaque: raw.opaque }),
            (None, None, Some(name), None) => {
                Ok(Self::Tool { name, arguments: raw.arguments.map_or_else(String::new, text_of) })
            }
            (None, None, None, Some(name)) => Ok(Self::Gate(name)),
            _ => Err("a block has exactly one of `text`, `reasoning` and `tool`"),
        }
    }
}

fn text_of(arguments: Value) -> String {
    match arguments {
        Value::String(text) => text,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            arguments.to_string()
        }
    }
}

impl Reply {
    /// Creates an empty reply, to build upon.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a reply that fails at once.
    pub fn failing(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::new().then_fail(kind, message)
    }

    /// Creates a reply that never begins.
    pub fn hanging() -> Self {
        Self::new().then_hang()
    }

    /// Restricts the reply to conversations that begin with this.
    #[must_use]
    pub fn for_conversation(mut self, beginning: impl Into<String>) -> Self {
        self.of = Some(beginning.into());
        self
    }

    /// Adds text.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.blocks.push(Block::Text(text.into()));
        self
    }

    /// Adds reasoning.
    #[must_use]
    pub fn reasoning(mut self, text: impl Into<String>) -> Self {
        self.blocks.push(Block::Reasoning { text: text.into(), opaque: None });
        self
    }

    /// Adds a tool call; a JSON string as arguments is sent unchanged.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>, arguments: Value) -> Self {
        self.blocks.push(Block::Tool { name: name.into(), arguments: text_of(arguments) });
        self
    }

    /// Adds a gate.
    #[must_use]
    pub fn gate(mut self, name: impl Into<String>) -> Self {
        self.blocks.push(Block::Gate(name.into()));
        self
    }

    /// Sets the stop reason.
    #[must_use]
    pub fn stop(mut self, stop: StopReason) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Sets the reported tokens.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// Fails after its blocks.
    #[must_use]
    pub fn then_fail(mut self, kind: ErrorKind, message: impl Into<String>) -> Self {
        self.error = Some(Failure { kind, message: message.into(), retry_after_ms: None });
        self
    }

    /// Hangs after its blocks.
    #[must_use]
    pub fn then_hang(mut self) -> Self {
        self.hang = true;
        self
    }
}
