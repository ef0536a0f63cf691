//! What is known of providers and models: where they are, which wire they speak, which key they want, what they cost.
//!
//! The facts are rows of `catalog.toml`, read once; this file gives them types and finds them. What differs between servers of
//! one wire API is a field of [`Dialect`] that an encoder reads; a server that is not listed is reached with
//! [`Endpoint`](super::Endpoint) alone. A price is only told for the provider that asks it, never for another that serves a model of
//! the same name.

use super::cloud::Cloud;
use super::delta::Tier;
use pintle_protocol::content::Usage;
use serde::Deserialize;
use std::sync::LazyLock;

/// A wire API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// Anthropic Messages: `POST {root}/v1/messages`.
    Messages,
    /// OpenAI Chat Completions: `POST {base}/chat/completions`.
    Chat,
    /// OpenAI Responses: `POST {base}/responses`.
    Responses,
    /// Google Gemini: `POST {base}/models/MODEL:streamGenerateContent`.
    Gemini,
}

impl Api {
    /// The APIs by name. A row of the catalogue whose API is not among them is left out.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("messages", Self::Messages),
        ("chat", Self::Chat),
        ("responses", Self::Responses),
        ("gemini", Self::Gemini),
    ];

    /// The API of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, api)| *api)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, api)| *api == self).map_or("", |(name, _)| name)
    }
}

/// The header that carries the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Auth {
    /// `authorization: Bearer KEY`.
    Bearer,
    /// `x-api-key: KEY`.
    XApiKey,
    /// `api-key: KEY`, as Azure wants it.
    ApiKey,
    /// `x-goog-api-key: KEY`.
    XGoogApiKey,
}

impl Auth {
    /// The header's name.
    pub fn header(self) -> &'static str {
        match self {
            Self::Bearer => "authorization",
            Self::XApiKey => "x-api-key",
            Self::ApiKey => "api-key",
            Self::XGoogApiKey => "x-goog-api-key",
        }
    }
}

/// The field that limits an answer (Chat).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputLimit {
    /// `max_tokens`, which most servers know.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's reasoning models insist on.
    MaxCompletionTokens,
}

/// Which ids of tool calls the server accepts (Chat).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallIds {
    /// Letters, digits, `_`, `-`, up to 40.
    #[default]
    UpTo40,
    /// Exactly nine letters or digits.
    Nine,
}

/// Where the effort goes (Chat).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffortField {
    /// `"reasoning_effort": "high"`.
    #[default]
    ReasoningEffort,
    /// `"reasoning": {"effort": "high"}`.
    ReasoningObject,
    /// Nowhere: the server refuses or ignores it.
    None,
}

/// Whether reasoning text goes back with the assistant message that it belongs to (Chat).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningBack {
    /// Left out.
    #[default]
    Drop,
    /// As `reasoning_content`.
    ReasoningContent,
    /// As text in front of the message's own.
    Text,
    /// As a part of kind `thinking` in front of the message's text.
    ThinkingPart,
}

/// The role of the system prompt (Chat).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemRole {
    /// `system`, which every server knows.
    #[default]
    System,
    /// `developer`.
    Developer,
}

/// How servers of one wire API differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "one for each thing that a server may know")]
pub struct Dialect {
    /// The field that limits an answer.
    pub output_limit: OutputLimit,
    /// Which ids of tool calls are accepted.
    pub call_ids: CallIds,
    /// Where the effort goes.
    pub effort: EffortField,
    /// Whether reasoning goes back.
    pub reasoning_back: ReasoningBack,
    /// The role of the system prompt.
    pub system_role: SystemRole,
    /// The server knows `stream_options.include_usage`.
    pub include_usage: bool,
    /// It keeps what is said unless told `store: false`, and knows that field.
    pub store: bool,
    /// A tool's result carries the tool's name.
    pub result_name: bool,
    /// Between a tool's result and a person's message there is one of the assistant.
    pub assistant_after_result: bool,
    /// It knows `prompt_cache_key` (Chat, Responses).
    pub prompt_cache_key: bool,
    /// It takes more input than the window holds without a word; only the usage tells.
    pub silent_overflow: bool,
    /// The cloud that serves models of several makers under its own URLs.
    pub cloud: Option<Cloud>,
}

impl Dialect {
    /// What an unknown server is taken for.
    pub const PLAIN: Self = Self {
        output_limit: OutputLimit::MaxTokens,
        call_ids: CallIds::UpTo40,
        effort: EffortField::ReasoningEffort,
        reasoning_back: ReasoningBack::Drop,
        system_role: SystemRole::System,
        include_usage: true,
        store: false,
        result_name: false,
        assistant_after_result: false,
        prompt_cache_key: false,
        silent_overflow: false,
        cloud: None,
    };
}

impl Default for Dialect {
    fn default() -> Self {
        Self::PLAIN
    }
}

/// A provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name in `NAME/MODEL`.
    pub name: String,
    /// The wire API it speaks.
    pub api: Api,
    /// Where it is. `{NAME}` stands for the variable of that name, `{A|B}` for the first one set, `{model}` for the model's id.
    pub base_url: String,
    /// The variable that may name another place.
    pub base_url_var: Option<String>,
    /// The variables that may hold the key, first one set wins; none for servers of one's own, which want none.
    pub key_vars: Vec<String>,
    /// The header of the key; `None` is the API's own.
    pub auth: Option<Auth>,
    /// How it differs.
    pub dialect: Dialect,
    /// Where this was read.
    pub source: String,
}

/// What a model costs, in US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Input that comes from no cache.
    pub input: f64,
    /// Output, reasoning included.
    pub output: f64,
    /// Input read from a cache; `None` costs like any input.
    pub cache_read: Option<f64>,
    /// Input written to a cache; `None` costs like any input.
    pub cache_write: Option<f64>,
    /// What all of it costs when the input is long.
    pub above: Option<LongPrice>,
    /// What it costs in the flex tier, as a part of the usual price.
    pub flex: Option<f64>,
    /// What it costs in the priority tier, as a multiple of the usual price.
    pub priority: Option<f64>,
}

/// What a model costs from some length of the input on, in US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongPrice {
    /// The most tokens of input, caches included, that cost the usual price.
    pub tokens: u64,
    /// As in [`Price`].
    pub input: f64,
    /// As in [`Price`].
    pub output: f64,
    /// As in [`Price`].
    pub cache_read: Option<f64>,
    /// As in [`Price`].
    pub cache_write: Option<f64>,
}

impl Price {
    /// The price in a tier; the usual one where a tier has none of its own.
    #[must_use]
    pub fn in_tier(&self, tier: Tier) -> Self {
        let factor = match tier {
            Tier::Standard => None,
            Tier::Flex => self.flex,
            Tier::Priority => self.priority,
        };
        let Some(factor) = factor else { return *self };
        let times = |price: Option<f64>| price.map(|price| price * factor);
        Self {
            input: self.input * factor,
            output: self.output * factor,
            cache_read: times(self.cache_read),
            cache_write: times(self.cache_write),
            above: self.above.map(|long| LongPrice {
                tokens: long.tokens,
                input: long.input * factor,
                output: long.output * factor,
                cache_read: times(long.cache_read),
                cache_write: times(long.cache_write),
            }),
            flex: None,
            priority: None,
        }
    }

    /// The price of a request with this much input.
    fn at(&self, input_tokens: u64) -> Self {
        match self.above.filter(|long| input_tokens > long.tokens) {
            None => *self,
            Some(LongPrice { input, output, cache_read, cache_write, .. }) => {
                Self { input, output, cache_read, cache_write, above: None, ..*self }
            }
        }
    }

    /// What the use of one request costs, in billionths of a dollar.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts of tokens are far below 2^53, prices are not negative, and `as` saturates"
    )]
    pub fn nano_usd(&self, usage: &Usage) -> u64 {
        let price =
            self.at(usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens);
        let part = |tokens: u64, usd_per_mtok: f64| tokens as f64 * usd_per_mtok * 1000.0;
        let sum = part(usage.input_tokens, price.input)
            + part(usage.output_tokens, price.output)
            + part(usage.cache_read_tokens, price.cache_read.unwrap_or(price.input))
            + part(usage.cache_write_tokens, price.cache_write.unwrap_or(price.input));
        sum.round() as u64
    }
}

/// A model of a provider.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// The provider's name.
    pub provider: String,
    /// The model's id there, without its date.
    pub id: String,
    /// The wire API by name, where it is not the provider's.
    pub api: Option<String>,
    /// The most tokens of input, where the maker says.
    pub window: Option<u64>,
    /// The most tokens of an answer.
    pub max_output: Option<u64>,
    /// What it costs.
    pub price: Option<Price>,
    /// It takes pictures.
    pub vision: Option<bool>,
    /// It can think before it answers.
    pub reasoning: Option<bool>,
    /// Where this was read.
    pub source: String,
    /// When, as year and month.
    pub checked: String,
}

/// What is known of models whose name begins like this.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    prefix: String,
    profile: Option<String>,
    vision: Option<bool>,
    max_output: Option<u64>,
}

#[derive(Deserialize)]
struct Row {
    name: String,
    api: String,
    base_url: String,
    base_url_var: Option<String>,
    #[serde(default)]
    key_vars: Vec<String>,
    auth: Option<Auth>,
    source: String,
    checked: String,
    #[serde(flatten)]
    dialect: Dialect,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    provider: Vec<Row>,
    model: Vec<Model>,
    family: Vec<Family>,
}

struct Catalog {
    providers: Vec<Entry>,
    models: Vec<Model>,
    families: Vec<Family>,
}

const TEXT: &str = include_str!("catalog.toml");

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the file is built in, and the tests read it")]
    let file: File = toml::from_str(TEXT).expect("src/llm/catalog.toml");
    let entry = |row: Row| {
        Some(Entry {
            api: Api::from_name(&row.api)?,
            name: row.name,
            base_url: row.base_url,
            base_url_var: row.base_url_var,
            key_vars: row.key_vars,
            auth: row.auth,
            dialect: row.dialect,
            source: format!("{}, {}", row.source, row.checked),
        })
    };
    Catalog {
        providers: file.provider.into_iter().filter_map(entry).collect(),
        models: file.model,
        families: file.family,
    }
});

/// All providers, in the order of the file.
pub fn providers() -> &'static [Entry] {
    &CATALOG.providers
}

/// The provider with this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    providers().iter().find(|entry| entry.name == name)
}

/// All models, in the order of the file.
pub fn models() -> &'static [Model] {
    &CATALOG.models
}

/// The row of a provider's model: of its very id, or of the id without the date, version or `-latest` at its end.
pub fn model(provider: &str, id: &str) -> Option<&'static Model> {
    let of = |id: &str| models().iter().find(|row| row.provider == provider && row.id == id);
    let find = |id: &str| of(id).or_else(|| of(undated(id)?));
    // Bedrock's ids end in a version behind the date: `…-20250929-v1:0`.
    let is_version = |end: &str| end.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    let versioned = || id.rsplit_once("-v").filter(|(_, end)| is_version(end));
    find(id).or_else(|| find(versioned()?.0))
}

/// An id without the date or `-latest` at its end.
fn undated(id: &str) -> Option<&str> {
    let (name, end) = id.rsplit_once(['-', '@'])?;
    // A date is `20260416`, or `2026-04-16`, whose parts are cut off one after the other.
    let is_digits = !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit());
    match end.len() {
        8 if is_digits => Some(name),
        2 if is_digits => {
            let (name, month) = name.rsplit_once('-')?;
            let (name, year) = name.rsplit_once('-')?;
            (month.len() == 2 && year.len() == 4).then_some(name)
        }
        6 if end == "latest" => Some(name),
        _ => None,
    }
}

/// The profile that models of this id are used to, by name; `None` where any will do. The id may carry its maker's name.
pub fn profile(id: &str) -> Option<&'static str> {
    family(id, |family| family.profile.as_deref())
}

/// Whether a model of this id takes pictures, as far as is known.
pub fn takes_images(provider: &str, id: &str) -> Option<bool> {
    model(provider, id).and_then(|row| row.vision).or_else(|| family(id, |family| family.vision))
}

/// The most tokens that a model of this id is asked to answer with where its API wants to be told and nobody says.
/// Some providers allow less than the maker.
pub fn max_output(provider: &str, id: &str) -> Option<u64> {
    let most = family(id, |family| family.max_output)?;
    let allowed = model(provider, id).and_then(|row| row.max_output);
    Some(allowed.map_or(most, |allowed| allowed.min(most)))
}

/// A model's name as its maker writes it, without what gateways and clouds add: `us.anthropic.claude-…` of Bedrock,
/// `claude-…@20250929` of Vertex.
pub(super) fn bare_name(id: &str) -> String {
    let name = id.rsplit('/').next().unwrap_or(id).to_ascii_lowercase();
    let name = name.rsplit_once("anthropic.").map_or(name.as_str(), |(_, name)| name);
    name.replace('@', "-")
}

/// What the longest beginning of a model's name says.
fn family<T>(id: &str, says: impl Fn(&'static Family) -> Option<T>) -> Option<T> {
    let name = bare_name(id);
    CATALOG
        .families
        .iter()
        .filter(|family| name.starts_with(&family.prefix))
        .filter_map(|family| Some((family.prefix.len(), says(family)?)))
        .max_by_key(|(length, _)| *length)
        .map(|(_, said)| said)
}

#[cfg(test)]
mod tests;
