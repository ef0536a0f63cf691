//! Providers and models as a picker shows them: what is known by name, and whether its key is there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is known by name. Any other `provider/id` of a known provider works all the same.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelsListResult {
    /// The providers: those that are built in, then the user's own.
    pub providers: Vec<ProviderInfo>,
    /// The models: those that are built in, then the user's own.
    pub models: Vec<ModelInfo>,
    /// What is wrong with the settings files. When one cannot be used, this is the list from before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// A provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderInfo {
    /// The name in `provider/id`.
    pub name: String,
    /// The wire API it speaks: `chat`, `messages`, `responses` or `gemini`; absent where only its models say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api: Option<String>,
    /// Where requests go, without what may be secret. Names in braces or behind a dollar stand for variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Whether its key is there.
    pub key: KeyState,
    /// The variable that holds the key, or would.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_var: Option<String>,
    /// Where this is from: files of the user's, or where it was read.
    pub source: String,
}

/// Whether a provider's key is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum KeyState {
    /// It is there.
    Set,
    /// A command prints it when it is needed.
    Command,
    /// None is needed.
    NotNeeded,
    /// It is not there: no model of this provider can answer.
    Missing,
}

/// A model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelInfo {
    /// `provider/id`, as `config.model` takes it.
    pub model: String,
    /// What people call it, where that is not the id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The most tokens of input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
    /// The most tokens of an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output: Option<u64>,
    /// What it costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<ModelPrice>,
    /// It takes pictures; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vision: Option<bool>,
    /// It can think before it answers; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<bool>,
    /// The profile under which it sees the tools, unless one is set.
    pub profile: String,
    /// Where this is from: files of the user's, or where it was read.
    pub source: String,
    /// When that was read, as year and month.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<String>,
}

/// What a model costs, in US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelPrice {
    /// Input that comes from no cache.
    pub input_usd_per_mtok: f64,
    /// Output, reasoning included.
    pub output_usd_per_mtok: f64,
    /// Input read from a cache; absent where that costs like any input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read_usd_per_mtok: Option<f64>,
    /// Input written to a cache; absent where that costs like any input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_usd_per_mtok: Option<f64>,
}
