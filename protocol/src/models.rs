//! Providers and models for a picker: known names, and the availability of their keys.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Providers and models known by name. Any other `provider/id` of a known provider works as well.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelsListResult {
    /// Providers: built-in ones, then user-defined ones.
    pub providers: Vec<ProviderInfo>,
    /// Models: built-in ones, for each provider the newest first, then user-defined ones.
    pub models: Vec<ModelInfo>,
    /// Effort levels, lowest first. `config.model` takes one after the id, as in `provider/id:high`.
    #[serde(default)]
    pub efforts: Vec<String>,
    /// Problems in the settings files. When a file cannot be used, the list is the one from before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// A provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderInfo {
    /// Name in `provider/id`.
    pub name: String,
    /// Display name, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Wire API: `chat`, `messages`, `responses` or `gemini`; absent if it differs by model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api: Option<String>,
    /// Request URL, without secret parts. Names in braces or after a dollar sign are variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Key availability.
    pub key: KeyState,
    /// Environment variable for the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_var: Option<String>,
    /// Source of this entry: the user's files, or the location it was read from.
    pub source: String,
}

/// Availability of a provider's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum KeyState {
    /// Set.
    Set,
    /// A command prints it on demand.
    Command,
    /// A stored login takes its place.
    Login,
    /// No key is needed.
    NotNeeded,
    /// Missing: no model of this provider can answer.
    Missing,
}

/// A model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelInfo {
    /// `provider/id`, as `config.model` takes it.
    pub model: String,
    /// Display name, if it differs from the id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Maximum number of input tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
    /// Maximum number of output tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output: Option<u64>,
    /// Price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<ModelPrice>,
    /// The model accepts images; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vision: Option<bool>,
    /// The model can reason before it answers; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<bool>,
    /// Tool profile, unless the settings choose another.
    pub profile: String,
    /// Source of this entry: the user's files, or the location it was read from.
    pub source: String,
    /// Date of that source, as year and month.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<String>,
}

/// Price of a model, in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelPrice {
    /// Input that is not cached.
    pub input_usd_per_mtok: f64,
    /// Output, reasoning included.
    pub output_usd_per_mtok: f64,
    /// Input read from a cache; absent if it costs as much as other input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read_usd_per_mtok: Option<f64>,
    /// Input written to a cache; absent if it costs as much as other input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_usd_per_mtok: Option<f64>,
}
