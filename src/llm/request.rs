//! What a model is asked: a conversation, the tools it may call, and how hard it should think.

use super::message::Message;
use super::trace::Trace;
use serde_json::Value;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// One request to a model.
#[derive(Debug, Clone)]
pub struct Request {
    /// The model's id at its provider, without the provider's name.
    pub model: String,
    /// The origin that this reply will carry, as `provider/model`.
    pub origin: String,
    /// The system prompt.
    pub system: Arc<str>,
    /// The conversation. Shared, since each request repeats all that was said before.
    pub messages: Arc<Vec<Arc<Message>>>,
    /// The tools.
    pub tools: Arc<[ToolSpec]>,
    /// How hard to think; `None` leaves it to the provider.
    pub effort: Option<Effort>,
    /// The most tokens to answer with; `None` takes the catalogue's value.
    pub max_output_tokens: Option<u32>,
    /// What the requests of one conversation have in common, so that the provider sends them to where its cache is.
    pub cache_key: Option<Arc<str>>,
    /// The trace that it belongs to.
    pub trace: Trace,
}

/// A tool as a model sees it.
#[derive(Debug, Clone)]
pub struct ToolSpec {
    /// The name.
    pub name: String,
    /// What it does and how to use it.
    pub description: String,
    /// JSON Schema of its arguments, an object schema.
    pub parameters: Value,
}

/// How hard a model should think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// Not at all, where the model allows it.
    None,
    /// The least.
    Minimal,
    /// A little.
    Low,
    /// The usual.
    Medium,
    /// Hard.
    High,
    /// Harder.
    Xhigh,
    /// As hard as it can.
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

    /// The effort of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// All of them, lowest first.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::NAMES.iter().map(|(_, effort)| *effort)
    }

    /// The names, lowest first.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::NAMES.iter().map(|(name, _)| *name)
    }

    /// The name on the command line and, for most providers, on the wire.
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

/// A model as a person names it: `PROVIDER/ID` or `PROVIDER/ID:EFFORT`.
///
/// The id may itself hold slashes and colons (`openrouter/qwen/qwen3:free`): only a known effort after the last
/// colon counts as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRef {
    /// The provider's name in the catalogue or the config file.
    pub provider: String,
    /// The model's id at the provider.
    pub id: String,
    /// How hard to think.
    pub effort: Option<Effort>,
}

impl ModelRef {
    /// `provider/id`, without the effort.
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
