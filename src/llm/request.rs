//! Requests to a model: a conversation, the tools it may call, and an effort.

use super::messages::Messages;
use super::trace::Trace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A request to a model.
#[derive(Debug, Clone)]
pub struct Request {
    /// The model's id at its provider, without the provider's name.
    pub model: String,
    /// The origin that this reply will carry, as `provider/model`.
    pub origin: String,
    /// The system prompt.
    pub system: Arc<str>,
    /// The conversation.
    pub messages: Messages,
    /// The tools.
    pub tools: Arc<[ToolSpec]>,
    /// The effort; `None` leaves it to the provider.
    pub effort: Option<Effort>,
    /// The maximum number of output tokens; `None` takes the catalogue's value.
    pub max_output_tokens: Option<u32>,
    /// A key shared by the requests of one conversation, so that the provider routes them to the same cache.
    pub cache_key: Option<Arc<str>>,
    /// The JSON Schema for the reply text, if the provider should enforce it; `None` for free text. Encoders omit it if the model does not
    /// support it together with tools.
    pub output_schema: Option<Arc<Value>>,
    /// The trace that it belongs to.
    pub trace: Trace,
}

/// Tool description for a model.
#[derive(Debug, Clone)]
pub struct ToolSpec {
    /// The name.
    pub name: String,
    /// Its purpose and usage.
    pub description: String,
    /// JSON Schema of its arguments, an object schema.
    pub parameters: Value,
    /// Grammar of the only argument, in Lark notation, for providers that accept such calls as text; `None` for all other tools.
    pub grammar: Option<&'static str>,
    /// The provider's built-in tool to declare instead; `None` for functions.
    pub built_in: Option<BuiltIn>,
}

/// Tool that is built into a provider and run by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuiltIn {
    /// Searches the web.
    WebSearch,
}

impl Request {
    /// Returns the tools that are declared as functions.
    pub(super) fn functions(&self) -> impl Iterator<Item = &ToolSpec> {
        self.tools.iter().filter(|tool| tool.built_in.is_none())
    }

    /// Returns true if the provider may search the web.
    pub(super) fn searches_web(&self) -> bool {
        self.tools.iter().any(|tool| tool.built_in == Some(BuiltIn::WebSearch))
    }
}

/// The reasoning effort.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// None, if the model allows it.
    None,
    /// Minimal.
    Minimal,
    /// Low.
    Low,
    /// Medium.
    Medium,
    /// High.
    High,
    /// Extra high.
    Xhigh,
    /// The maximum.
    Max,
}

impl Effort {
    /// The efforts by name.
    pub const NAMES: [(&'static str, Self); 7] = [
        ("none", Self::None),
        ("minimal", Self::Minimal),
        ("low", Self::Low),
        ("medium", Self::Medium),
        ("high", Self::High),
        ("xhigh", Self::Xhigh),
        ("max", Self::Max),
    ];

    /// Returns the effort with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// Returns all efforts, lowest first.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::NAMES.iter().map(|(_, effort)| *effort)
    }

    /// Returns the names, lowest first.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::NAMES.iter().map(|(name, _)| *name)
    }

    /// Returns the name on the command line and, for most providers, on the wire.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, effort)| *effort == self).map_or("medium", |(name, _)| name)
    }
}

impl FromStr for Effort {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::NAMES.iter().find(|(name, _)| *name == text).map(|(_, effort)| *effort).ok_or(())
    }
}

/// Model in the form that users write: `PROVIDER/ID` or `PROVIDER/ID:EFFORT`.
///
/// The id may itself contain slashes and colons (`openrouter/qwen/qwen3:free`): only a known effort after the last colon counts as one.
///
/// # Example
///
/// ```
/// use pintle_llm::{Effort, ModelRef};
///
/// let model: ModelRef = "openrouter/qwen/qwen3:free:high".parse().unwrap();
/// assert_eq!(model.provider, "openrouter");
/// assert_eq!(model.id, "qwen/qwen3:free");
/// assert_eq!(model.effort, Some(Effort::High));
/// assert_eq!(model.to_string(), "openrouter/qwen/qwen3:free:high");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRef {
    /// The provider's name in the catalogue or the config file.
    pub provider: String,
    /// The model's id at the provider.
    pub id: String,
    /// The effort.
    pub effort: Option<Effort>,
}

impl ModelRef {
    /// Returns `provider/id`, without the effort.
    pub fn origin(&self) -> String {
        format!("{}/{}", self.provider, self.id)
    }
}

impl FromStr for ModelRef {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let shape = || {
            format!(
                "`{text}` is not a model: write PROVIDER/ID or PROVIDER/ID:EFFORT, such as anthropic/claude-sonnet-4-6:high"
            )
        };
        let (provider, rest) = text.split_once('/').ok_or_else(shape)?;
        let (id, effort) = match rest.rsplit_once(':') {
            Some((id, effort)) => match effort.parse() {
                Ok(effort) => (id, Some(effort)),
                Err(()) => (rest, None),
            },
            None => (rest, None),
        };
        if provider.is_empty() || id.is_empty() {
            return Err(shape());
        }
        Ok(Self { provider: provider.to_owned(), id: id.to_owned(), effort })
    }
}

impl fmt::Display for ModelRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.id)?;
        match self.effort {
            Some(effort) => write!(f, ":{}", effort.name()),
            None => Ok(()),
        }
    }
}
