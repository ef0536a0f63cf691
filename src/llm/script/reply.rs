//! One reply of a script, as data: built in Rust or read from JSON.

use crate::{Error, ErrorKind};
use pintle_protocol::content::Usage;
use pintle_protocol::event::StopReason;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// The answer to one request.
///
/// In JSON: `{"of":"…","blocks":[…],"stop":"endTurn","usage":{…},"error":{"kind":"overloaded","message":"…"},"hang":true}`, all
/// optional. Without `stop` it is `toolUse` when a tool is called, else `endTurn`. With `error` the
/// reply fails after its blocks, with `hang` it never ends.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reply {
    /// Only for a conversation whose first message has this text in it: that of a sub-agent with this task.
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
    /// Hangs after its blocks until it is dropped.
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
        /// The arguments as JSON text. A string in the JSON is taken as it is, so that it can be broken.
        arguments: String,
    },
    /// `{"gate":"name"}`: waits until [`Script::open`](super::Script::open). Text on both sides of a gate is one block, so a
    /// test can stop a reply in the middle of a sentence.
    Gate(String),
}

/// The failure of a reply.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Failure {
    /// A code of [`ErrorKind`], such as `overloaded`.
    #[serde(deserialize_with = "kind")]
    pub kind: ErrorKind,
    /// The provider's message.
    #[serde(default)]
    pub message: String,
    /// The retry delay that it asks for, in milliseconds.
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

/// A script's file.
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
    /// An empty reply, to build upon.
    pub fn new() -> Self {
        Self::default()
    }

    /// A reply that fails at once.
    pub fn failing(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::new().then_fail(kind, message)
    }

    /// A reply that never begins.
    pub fn hanging() -> Self {
        Self::new().then_hang()
    }

    /// Is for conversations that begin with this alone.
    #[must_use]
    pub fn of(mut self, beginning: impl Into<String>) -> Self {
        self.of = Some(beginning.into());
        self
    }

    /// Says something.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.blocks.push(Block::Text(text.into()));
        self
    }

    /// Reasons.
    #[must_use]
    pub fn reasoning(mut self, text: impl Into<String>) -> Self {
        self.blocks.push(Block::Reasoning { text: text.into(), opaque: None });
        self
    }

    /// Calls a tool; a JSON string as arguments is sent as it is.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>, arguments: Value) -> Self {
        self.blocks.push(Block::Tool { name: name.into(), arguments: text_of(arguments) });
        self
    }

    /// Waits at a gate.
    #[must_use]
    pub fn gate(mut self, name: impl Into<String>) -> Self {
        self.blocks.push(Block::Gate(name.into()));
        self
    }

    /// Stops for this reason.
    #[must_use]
    pub fn stop(mut self, stop: StopReason) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Reports these tokens.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// Fails after what it said.
    #[must_use]
    pub fn then_fail(mut self, kind: ErrorKind, message: impl Into<String>) -> Self {
        self.error = Some(Failure { kind, message: message.into(), retry_after_ms: None });
        self
    }

    /// Hangs after what it said.
    #[must_use]
    pub fn then_hang(mut self) -> Self {
        self.hang = true;
        self
    }
}
