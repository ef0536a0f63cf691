//! Providers and models as users describe them in settings files, and the rule by which a later file's entry overrides an earlier one.
//! Pure.
//!
//! Every field of the catalogue can be set here, under the catalogue's names; `pi` translates those of Pi's `models.json`. `models`
//! overlays these entries on the catalogue, field by field. A field that is `None` or empty is unset and overrides nothing.
//!
//! User rows use the catalogue's own types, which is why `config` may import `llm`. `models/known` overlays them on the catalogue field by
//! field; no other module distinguishes the two.

use super::text_source::TextSource;
use super::values::{self, Seconds};
use pintle_llm::catalog::{Auth, Dialect, Login};
use pintle_llm::{Api, Effort};
use schemars::JsonSchema;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::path::PathBuf;

/// Names of the tool profiles that a model may be assigned.
pub(crate) const PROFILE_NAMES: [&str; 9] =
    ["pi", "anthropic", "openai", "gemini", "qwen", "kimi", "glm", "deepseek", "mistral"];

/// A provider as settings files describe it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProviderEntry {
    /// Its base URL, with `$NAME` for variables.
    #[schemars(example = &"http://localhost:8080/v1")]
    pub base_url: Option<String>,
    /// The variable that may override the base URL.
    #[schemars(example = &"LOCAL_URL")]
    pub base_url_var: Option<String>,
    /// The wire API: chat, messages, responses or gemini.
    #[schemars(example = &"chat")]
    pub api: Option<Api>,
    /// The key: "$NAME" takes it from a variable, "!COMMAND" from a command that prints it, "file:PATH" from a file,
    /// "keyring:SERVICE/USER" from the system's keyring.
    #[schemars(with = "Option<String>", example = &"$LOCAL_KEY")]
    pub key: Option<TextSource>,
    /// The variables that may contain the key if `key` is not set; the first one set is used.
    #[schemars(example = ["LOCAL_API_KEY"])]
    pub key_vars: Vec<String>,
    /// How long a key printed by a command is used, in seconds. By default until the server rejects it.
    #[schemars(example = 3600)]
    pub key_expires_s: Option<Seconds>,
    /// The header that carries the key: bearer, x-api-key, api-key or x-goog-api-key.
    #[schemars(example = &"bearer")]
    pub auth: Option<Auth>,
    /// Additional headers of each request; values as in `key`.
    #[serde(deserialize_with = "pairs")]
    #[schemars(with = "BTreeMap<String, String>", example = json!({ "X-Team": "$TEAM" }))]
    pub headers: Vec<(String, TextSource)>,
    /// Its login; see `pintle help logins`. URLs must use https, or refer to this machine.
    pub login: Option<Login>,
    /// Whether its models accept images. By default their names decide.
    #[schemars(example = false)]
    pub vision: Option<bool>,
    /// Fields to merge into the body of each request.
    #[schemars(example = json!({ "top_k": 20 }))]
    pub extra_body: Map<String, Value>,
    /// A model, by its id; overrides fields of a built-in one. Entries with the same id are merged, the last one winning.
    #[serde(deserialize_with = "models")]
    #[schemars(with = "Models", extend("propertyNames" = { "examples": ["qwen3-coder"] }))]
    pub models: Vec<ModelEntry>,
    /// Models, under Pi's name for overrides of its catalogue.
    #[serde(rename = "modelOverrides", deserialize_with = "models")]
    #[schemars(skip)]
    pub(super) overrides: Vec<ModelEntry>,
    /// Fields of its dialect.
    #[serde(flatten)]
    #[schemars(with = "Dialect")]
    pub dialect: Map<String, Value>,
    /// The files that describe it, in the order in which they were read.
    #[serde(skip)]
    pub files: Vec<PathBuf>,
}

/// A model as settings files describe it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ModelEntry {
    /// Its id at the provider.
    #[schemars(skip)]
    pub id: String,
    /// The display name.
    #[schemars(example = &"Qwen3 Coder")]
    pub name: Option<String>,
    /// The wire API, if it differs from the provider's.
    #[schemars(example = &"chat")]
    pub api: Option<Api>,
    /// The maximum number of input tokens.
    #[serde(deserialize_with = "count")]
    #[schemars(range(min = 1), example = 262_144)]
    pub window: Option<u64>,
    /// The maximum number of output tokens.
    #[serde(deserialize_with = "count")]
    #[schemars(range(min = 1), example = 32768)]
    pub max_output: Option<u32>,
    /// Its price, in US dollars per million tokens; `web_search` per thousand searches.
    pub price: PriceEntry,
    /// Whether it accepts images.
    #[schemars(example = false)]
    pub vision: Option<bool>,
    /// Whether it can reason before it answers.
    #[schemars(example = true)]
    pub reasoning: Option<bool>,
    /// Its knowledge cutoff month.
    #[serde(deserialize_with = "values::month")]
    #[schemars(extend("pattern" = "^[0-9]{4}-(0[1-9]|1[0-2])$"), example = &"2025-06")]
    pub cutoff: Option<String>,
    /// Its tool style.
    #[serde(deserialize_with = "profile")]
    #[schemars(extend("enum" = PROFILE_NAMES), example = &"pi")]
    pub profile: Option<String>,
    /// The value to request instead of an effort; false requests none.
    #[serde(deserialize_with = "efforts")]
    #[schemars(with = "BTreeMap<String, SentEffort>", example = json!({ "minimal": "low", "xhigh": false }))]
    pub efforts: BTreeMap<Effort, Option<Effort>>,
    /// Additional headers.
    #[serde(deserialize_with = "pairs")]
    #[schemars(with = "BTreeMap<String, String>", example = json!({ "X-Model": "$MODEL" }))]
    pub headers: Vec<(String, TextSource)>,
    /// Fields to merge into the body of each request for it.
    #[schemars(example = json!({ "top_k": 10 }))]
    pub extra_body: Map<String, Value>,
    /// Fields of the dialect that differ from the provider's.
    #[serde(flatten)]
    #[schemars(with = "Dialect")]
    pub dialect: Map<String, Value>,
    /// The files that describe it.
    #[serde(skip)]
    pub files: Vec<PathBuf>,
}

/// Price as given in a settings file, in US dollars per million tokens, and per thousand searches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PriceEntry {
    /// Input that is not cached.
    #[serde(deserialize_with = "values::price")]
    #[schemars(range(min = 0), example = 0.2)]
    pub input: Option<f64>,
    /// Output, including reasoning.
    #[serde(deserialize_with = "values::price")]
    #[schemars(range(min = 0), example = 0.8)]
    pub output: Option<f64>,
    /// Input read from a cache.
    #[serde(deserialize_with = "values::price")]
    #[schemars(range(min = 0), example = 0.02)]
    pub cache_read: Option<f64>,
    /// Input written to a cache.
    #[serde(deserialize_with = "values::price")]
    #[schemars(range(min = 0), example = 0.2)]
    pub cache_write: Option<f64>,
    /// Provider-run web searches.
    #[serde(deserialize_with = "values::price")]
    #[schemars(range(min = 0), example = 10.0)]
    pub web_search: Option<f64>,
}

/// Forms of a provider's models, for the schema: a table by id, or a list.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum Models {
    ById(BTreeMap<String, ModelEntry>),
    List(Vec<ListedModel>),
}

/// A model in a list.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct ListedModel {
    /// Its id at the provider.
    #[schemars(example = &"qwen3-coder")]
    id: String,
    #[serde(flatten)]
    model: ModelEntry,
}

/// The value sent for an effort, for the schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum SentEffort {
    Other(Effort),
    None(#[schemars(extend("const" = false))] bool),
}

/// Reads a table in its written order.
fn pairs<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Vec<(String, T)>, D::Error> {
    struct Pairs<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Pairs<T> {
        type Value = Vec<(String, T)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Self::Value, A::Error> {
            let mut pairs = Vec::new();
            while let Some(pair) = table.next_entry()? {
                pairs.push(pair);
            }
            Ok(pairs)
        }
    }
    from.deserialize_map(Pairs(PhantomData))
}

/// Reads models from a list, each with its id, or from a table by id.
fn models<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<ModelEntry>, D::Error> {
    struct Entries;
    impl<'de> Visitor<'de> for Entries {
        type Value = Vec<ModelEntry>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of models, or a table by model id")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Self::Value, A::Error> {
            let mut models = Vec::new();
            while let Some((id, model)) = table.next_entry::<String, ModelEntry>()? {
                models.push(ModelEntry { id, ..model });
            }
            Ok(models)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut models = Vec::new();
            while let Some(model) = list.next_element::<Option<ModelEntry>>()? {
                models.extend(model);
            }
            Ok(models)
        }
    }
    from.deserialize_any(Entries)
}

/// Reads the value sent for each effort. Names are those of efforts: see `pi`.
fn efforts<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<BTreeMap<Effort, Option<Effort>>, D::Error> {
    let rows = pairs::<D, Option<Effort>>(from)?.into_iter();
    Ok(rows.filter_map(|(name, sent)| Some((Effort::from_name(&name)?, sent))).collect())
}

/// Reads a whole number of at least 1.
fn count<'de, D: Deserializer<'de>, T: TryFrom<u64>>(from: D) -> Result<Option<T>, D::Error> {
    values::checked(from, "a whole number of at least 1", |count: u64| {
        T::try_from(count).ok().filter(|_| count > 0).map(Some)
    })
}

/// Reads a tool profile name.
fn profile<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let want = format!("one of {}", PROFILE_NAMES.join(", "));
    values::checked(from, &want, |name: String| {
        PROFILE_NAMES.contains(&name.as_str()).then_some(Some(name))
    })
}

/// Overrides fields with those of a later entry that are set.
macro_rules! lay_over {
    ($entry:ident, $later:ident, $($field:ident),+) => {
        $($entry.$field = $later.$field.or($entry.$field.take());)+
    };
}

impl ProviderEntry {
    /// Overrides this entry with a later one.
    pub(super) fn lay_over(&mut self, later: Self) {
        lay_over!(self, later, base_url, base_url_var, api, key, key_expires_s, auth, vision);
        if !later.key_vars.is_empty() {
            self.key_vars = later.key_vars;
        }
        if let Some(login) = later.login {
            self.login.get_or_insert_default().lay_over(login);
        }
        lay_headers(&mut self.headers, later.headers);
        self.dialect.extend(later.dialect);
        self.extra_body.extend(later.extra_body);
        self.models.extend(later.models);
        self.files.extend(later.files);
    }

    /// Returns a model's entry: by its exact id, else by the id that `other` derives from it.
    pub fn model(&self, id: &str, other: Option<&str>) -> Option<ModelEntry> {
        let of = |id: &str| {
            let rows = self.models.iter().filter(|row| row.id == id).cloned();
            rows.reduce(|mut row, later| {
                row.lay_over(later);
                row
            })
        };
        of(id).or_else(|| of(other?))
    }
}

impl ModelEntry {
    fn lay_over(&mut self, later: Self) {
        lay_over!(self, later, name, api, window, max_output, vision, reasoning, cutoff, profile);
        let (price, of_later) = (&mut self.price, later.price);
        lay_over!(price, of_later, input, output, cache_read, cache_write, web_search);
        self.efforts.extend(later.efforts);
        lay_headers(&mut self.headers, later.headers);
        self.dialect.extend(later.dialect);
        self.extra_body.extend(later.extra_body);
        self.files.extend(later.files);
    }
}

/// Adds headers, replacing those of the same name.
pub fn lay_headers<T>(headers: &mut Vec<(String, T)>, later: Vec<(String, T)>) {
    headers.retain(|(name, _)| !later.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)));
    headers.extend(later);
}
