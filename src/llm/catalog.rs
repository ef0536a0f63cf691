//! Known facts about providers and models: URLs, wire APIs, keys, prices.
//!
//! The facts are rows of `catalog/providers.toml` and `catalog/models.toml`, read on first use; this file gives them types and finds them.
//! Differences between servers of one wire API are fields of [`Dialect`] that an encoder reads; an unlisted server is reached with
//! [`Endpoint`](super::Endpoint) alone.
//!
//! Each row includes its source and date. A price applies only to the provider that charges it, never to another that serves a model of the
//! same name.

mod login;
mod price;
pub mod update;

pub use login::{Login, Returns, is_confidential};
pub use price::{LongPrice, Price};

use super::cloud::Cloud;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A wire API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
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
    /// APIs by name. A catalogue row whose API is not among them is omitted.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("messages", Self::Messages),
        ("chat", Self::Chat),
        ("responses", Self::Responses),
        ("gemini", Self::Gemini),
    ];

    /// Returns the API with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, api)| *api)
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, api)| *api == self).map_or("", |(name, _)| name)
    }
}

/// The header that carries the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Auth {
    /// `authorization: Bearer KEY`.
    Bearer,
    /// `x-api-key: KEY`.
    XApiKey,
    /// `api-key: KEY`, as Azure requires.
    ApiKey,
    /// `x-goog-api-key: KEY`.
    XGoogApiKey,
}

impl Auth {
    /// Returns the header's name.
    pub fn header(self) -> &'static str {
        match self {
            Self::Bearer => "authorization",
            Self::XApiKey => "x-api-key",
            Self::ApiKey => "api-key",
            Self::XGoogApiKey => "x-goog-api-key",
        }
    }
}

/// The field that sets the maximum reply length (Chat).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputLimit {
    /// `max_tokens`, which most servers know.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's reasoning models require.
    MaxCompletionTokens,
}

/// The form of tool-call ids that the server accepts (Chat).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallIds {
    /// Letters, digits, `_`, `-`, up to 40.
    #[default]
    UpTo40,
    /// Exactly nine letters or digits.
    Nine,
}

/// The field that carries the effort (Chat).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// The form in which reasoning is sent back with its assistant message (Chat).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningBack {
    /// In the field `reasoning_content` if it arrived there; as the model's family requires; omitted otherwise.
    #[default]
    AsReceived,
    /// Omitted.
    Drop,
    /// In the field `reasoning_content`.
    ReasoningContent,
    /// In the field `reasoning_content` of every reply, as a space if there is no reasoning.
    Always,
    /// As text before the message text.
    Text,
    /// As a part of type `thinking` before the message's text.
    ThinkingPart,
    /// Between `<think>` tags before the message's text if it arrived so; in the field `reasoning_content` if it arrived there.
    ThinkTags,
}

/// Requested answer length (Responses), for models from GPT-5 on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verbosity {
    /// The server's default.
    #[default]
    Unset,
    /// Short answers, as OpenAI's agent requests them.
    Low,
    /// Answers of medium length.
    Medium,
    /// Long answers.
    High,
}

impl Verbosity {
    /// Returns the wire name, or `None` for the server's default.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Unset => None,
            Self::Low => Some("low"),
            Self::Medium => Some("medium"),
            Self::High => Some("high"),
        }
    }
}

/// The role of system prompts (Chat).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SystemRole {
    /// `system`, which every server knows.
    #[default]
    System,
    /// `developer`.
    Developer,
}

/// Differences between servers of one wire API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "one for each thing that a server may know")]
pub struct Dialect {
    /// The field that sets the maximum reply length.
    pub output_limit: OutputLimit,
    /// The accepted form of tool-call ids.
    pub call_ids: CallIds,
    /// The field that carries the effort.
    pub effort: EffortField,
    /// The form in which reasoning is sent back.
    pub reasoning_back: ReasoningBack,
    /// The role of system prompts.
    pub system_role: SystemRole,
    /// True if the server knows `stream_options.include_usage`.
    pub include_usage: bool,
    /// True if it stores conversations unless the request contains `store: false`, and knows that field.
    pub store: bool,
    /// True if a tool's result carries the tool's name.
    pub result_name: bool,
    /// True if it requires an assistant message between a tool's result and a user message.
    pub assistant_after_result: bool,
    /// True if it knows `prompt_cache_key` (Chat, Responses).
    pub prompt_cache_key: bool,
    /// True if it knows tools whose calls are texts that follow a grammar (Responses).
    pub custom_tools: bool,
    /// True if it searches the web for its models (Messages, Responses, Gemini).
    pub web_search: bool,
    /// True if tools are described in the system prompt and calls are read from the reply's text, for models without tool calling.
    pub text_tools: bool,
    /// True if it accepts PDF documents for models that accept images. Other models get the text of documents.
    pub documents: bool,
    /// True if the effort can change within a conversation without making its input uncached (Messages, Responses), for models that support
    /// it.
    pub effort_updates: bool,
    /// Requested answer length (Responses).
    pub verbosity: Verbosity,
    /// True if it silently accepts more input than the window can contain; only the usage shows it.
    pub silent_overflow: bool,
    /// True if it requires separate headers that state whether the user or the agent initiated a request, and whether a request contains
    /// images, as GitHub Copilot does: a user-initiated request counts against an allowance.
    pub initiator_headers: bool,
    /// The cloud that serves several makers' models under its own URLs.
    #[schemars(example = &"bedrock")]
    pub cloud: Option<Cloud>,
}

impl Dialect {
    /// Returns the dialect with one field changed, by its name in the catalogue.
    ///
    /// # Errors
    /// The field does not exist, or its value is not valid.
    pub fn with(self, field: &str, value: &Value) -> Result<Self, NotDialect> {
        let Ok(Value::Object(mut fields)) = serde_json::to_value(self) else {
            return Err(NotDialect::Unknown);
        };
        let known = fields.get_mut(field).ok_or(NotDialect::Unknown)?;
        let is_flag = known.is_boolean();
        *known = value.clone();
        Self::deserialize(Value::Object(fields)).map_err(|error| {
            NotDialect::Wants(match error.to_string().split_once(", expected ") {
                _ if is_flag => "true or false".to_owned(),
                Some((_, names)) if value.is_string() => names.replace('`', "\""),
                Some(_) | None => "a quoted string".to_owned(),
            })
        })
    }

    /// The dialect for unknown servers.
    pub const PLAIN: Self = Self {
        output_limit: OutputLimit::MaxTokens,
        call_ids: CallIds::UpTo40,
        effort: EffortField::ReasoningEffort,
        reasoning_back: ReasoningBack::AsReceived,
        system_role: SystemRole::System,
        include_usage: true,
        store: false,
        result_name: false,
        assistant_after_result: false,
        prompt_cache_key: false,
        custom_tools: false,
        web_search: false,
        text_tools: false,
        documents: false,
        effort_updates: false,
        verbosity: Verbosity::Unset,
        silent_overflow: false,
        initiator_headers: false,
        cloud: None,
    };
}

/// Reason for an invalid dialect field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotDialect {
    /// No field has this name.
    Unknown,
    /// The field takes a different value, described here.
    Wants(String),
}

impl Default for Dialect {
    fn default() -> Self {
        Self::PLAIN
    }
}

/// A provider.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The name in `NAME/MODEL`.
    pub name: String,
    /// The display name.
    pub title: String,
    /// The wire API.
    pub api: Api,
    /// The base URL. `{NAME}` is replaced with that variable, `{A|B}` with the first one that is set, and `{model}` with the model id.
    pub base_url: String,
    /// The variable that may override the base URL.
    pub base_url_var: Option<String>,
    /// The variables that may contain the key, of which the first one set wins; empty for local servers, which need none.
    pub key_vars: Vec<String>,
    /// How the key is sent; `None` for the API's default header.
    pub auth: Option<Auth>,
    /// Additional headers of each request.
    pub headers: Vec<(String, String)>,
    /// Login; `None` if only a key is accepted.
    pub login: Option<Login>,
    /// The dialect.
    pub dialect: Dialect,
    /// The price per thousand provider-run web searches, in US dollars.
    pub search_price: Option<f64>,
    /// The source of this entry.
    pub source: String,
}

/// Model of a provider.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// The provider's name.
    pub provider: String,
    /// The model's id there, without its date.
    pub id: String,
    /// The display name, if it differs from the id.
    pub name: Option<String>,
    /// The wire API by name, if it differs from the provider's.
    pub api: Option<String>,
    /// The maximum number of input tokens, if the maker publishes it.
    pub window: Option<u64>,
    /// The maximum number of output tokens.
    pub max_output: Option<u64>,
    /// The price.
    pub price: Option<Price>,
    /// The model accepts images.
    pub vision: Option<bool>,
    /// The model can reason before it answers.
    pub reasoning: Option<bool>,
    /// The knowledge cutoff, such as `2026-01`, if the maker publishes it.
    pub cutoff: Option<String>,
    /// Preferred profile by name, if it differs from that of its family.
    pub profile: Option<String>,
    /// The source of this entry.
    pub source: String,
    /// The date of that source, as year and month.
    pub checked: String,
    /// The release date of the catalog update that added it; `None` if it is built in.
    #[serde(skip)]
    pub update: Option<Date>,
}

/// Facts about models whose names share a prefix.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    prefix: String,
    profile: Option<String>,
    vision: Option<bool>,
    max_output: Option<u64>,
    reasoning_back: Option<ReasoningBack>,
}

#[derive(Deserialize)]
struct Row {
    name: String,
    title: String,
    api: String,
    base_url: String,
    base_url_var: Option<String>,
    #[serde(default)]
    key_vars: Vec<String>,
    auth: Option<Auth>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    login: Option<Login>,
    search_price: Option<f64>,
    source: String,
    checked: String,
    #[serde(flatten)]
    dialect: Dialect,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProvidersFile {
    provider: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelsFile {
    #[serde(deserialize_with = "update::read_date")]
    date: Date,
    model: Vec<Model>,
    family: Vec<Family>,
}

/// Models from the file and from the installed update.
struct Models {
    file: ModelsFile,
    /// The reason why the installed update is not used.
    problem: Option<String>,
}

// Two files, since every start needs the key names, but few need the models. `build.rs` makes them of TOML.
const PROVIDERS_TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/providers.json"));
const MODELS_TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/models.json"));

#[expect(clippy::expect_used, reason = "the file is built in, and the tests read it")]
static PROVIDERS: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let file: ProvidersFile = serde_json::from_str(PROVIDERS_TEXT).expect("catalog/providers.toml");
    let entry = |row: Row| {
        Some(Entry {
            api: Api::from_name(&row.api)?,
            name: row.name,
            title: row.title,
            base_url: row.base_url,
            base_url_var: row.base_url_var,
            key_vars: row.key_vars,
            auth: row.auth,
            headers: row
                .headers
                .into_iter()
                .map(|(name, value)| (name, versioned(&value)))
                .collect(),
            login: row.login,
            dialect: row.dialect,
            search_price: row.search_price,
            source: format!("{}, {}", row.source, row.checked),
        })
    };
    file.provider.into_iter().filter_map(entry).collect()
});

#[expect(clippy::expect_used, reason = "the file is built in, and the tests read it")]
static MODELS: LazyLock<Models> = LazyLock::new(|| {
    let mut file: ModelsFile = serde_json::from_str(MODELS_TEXT).expect("catalog/models.toml");
    let problem = match update::installed(file.date) {
        Ok(None) => None,
        Ok(Some(update)) => {
            update::overlay(&mut file.model, update);
            None
        }
        Err(problem) => Some(problem),
    };
    for Model { provider, price, .. } in &mut file.model {
        if let Some(price) = price {
            price.searches = find(provider).and_then(|entry| entry.search_price);
        }
    }
    Models { file, problem }
});

/// Replaces `{version}` with this program's version.
fn versioned(value: &str) -> String {
    value.replace("{version}", env!("CARGO_PKG_VERSION"))
}

/// Returns all providers, in file order.
pub fn providers() -> &'static [Entry] {
    &PROVIDERS
}

/// Returns the provider with this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    providers().iter().find(|entry| entry.name == name)
}

/// Returns all models, in file order.
pub fn models() -> &'static [Model] {
    &MODELS.file.model
}

/// Returns the built-in models' date.
pub fn date() -> Date {
    MODELS.file.date
}

/// Returns the reason why the installed update is not used; `None` if it is, or if there is none.
pub fn update_problem() -> Option<&'static str> {
    MODELS.problem.as_deref()
}

/// Returns the row for a provider's model: by its exact id, or by the id without a trailing date, version or `-latest`.
///
/// # Example
///
/// A request's cost at its model's list prices:
///
/// ```
/// use pintle_llm::catalog;
/// use pintle_protocol::content::Usage;
///
/// let model = catalog::model("anthropic", "claude-sonnet-4-5-20250929").unwrap();
/// assert_eq!(model.id, "claude-sonnet-4-5");
/// let usage = Usage { input_tokens: 10_000, output_tokens: 500, ..Usage::default() };
/// assert_eq!(model.price.unwrap().nano_usd(&usage), 37_500_000);
/// ```
pub fn model(provider: &str, id: &str) -> Option<&'static Model> {
    let of = |id: &str| models().iter().find(|row| row.provider == provider && row.id == id);
    let find = |id: &str| of(id).or_else(|| of(undated(id)?));
    // Bedrock's ids have a version after the date: `…-20250929-v1:0`.
    let is_version = |end: &str| end.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    let versioned = || id.rsplit_once("-v").filter(|(_, end)| is_version(end));
    find(id).or_else(|| find(versioned()?.0))
}

/// Returns a model id without a trailing date or `-latest`; `None` if it has neither.
pub fn undated(id: &str) -> Option<&str> {
    let (name, end) = id.rsplit_once(['-', '@'])?;
    // A date is `20260416`, or `2026-04-16`, whose parts are removed one after the other.
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

/// Returns the name of the profile that models with this id prefer; `None` if any profile will do. The id may include its maker's name.
pub fn profile(id: &str) -> Option<&'static str> {
    family(id, |family| family.profile.as_deref())
}

/// Returns true if a model with this id accepts images, as far as is known.
pub fn takes_images(provider: &str, id: &str) -> Option<bool> {
    model(provider, id).and_then(|row| row.vision).or_else(|| family(id, |family| family.vision))
}

/// Returns the maximum number of output tokens to request if the API requires a value and none is set. Some providers allow less than the
/// maker.
pub fn max_output(provider: &str, id: &str) -> Option<u64> {
    let most = family(id, |family| family.max_output)?;
    let allowed = model(provider, id).and_then(|row| row.max_output);
    Some(allowed.map_or(most, |allowed| allowed.min(most)))
}

/// Returns how models with this id require their reasoning to be sent back, if their makers document it.
pub(super) fn reasoning_back(id: &str) -> Option<ReasoningBack> {
    family(id, |family| family.reasoning_back)
}

/// Returns a model's name as its maker writes it, without additions by gateways and clouds: `us.anthropic.claude-…` on Bedrock,
/// `claude-…@20250929` on Vertex.
pub(super) fn bare_name(id: &str) -> String {
    let name = id.rsplit('/').next().unwrap_or(id).to_ascii_lowercase();
    let name = name.rsplit_once("anthropic.").map_or(name.as_str(), |(_, name)| name);
    name.replace('@', "-")
}

/// Returns the family with the longest prefix of a model's name.
fn family<T>(id: &str, says: impl Fn(&'static Family) -> Option<T>) -> Option<T> {
    let name = bare_name(id);
    MODELS
        .file
        .family
        .iter()
        .filter(|family| name.starts_with(&family.prefix))
        .filter_map(|family| Some((family.prefix.len(), says(family)?)))
        .max_by_key(|(length, _)| *length)
        .map(|(_, said)| said)
}

#[cfg(test)]
mod tests;
