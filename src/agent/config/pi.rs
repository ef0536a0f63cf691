//! Pi's `models.json`: differing names and forms, translated into ours. Pure.
//!
//! Settings without effect here are reported as warnings. Source: docs/models.md of the coding agent in badlogic/pi-mono, read 2026-11.

use super::Error;
use super::document::{Document, Step, below, item};
use pintle_base::ambient::Ambient;
use pintle_llm::catalog::OutputLimit;
use pintle_llm::{Api, Effort};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Settings file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `config.toml`.
    Toml,
    /// A `models.json`, which may have been written for Pi.
    Json,
}

/// Pi's names of fields, with ours.
const NAMES: [(&str, &str); 9] = [
    ("baseUrl", "base_url"),
    ("apiKey", "key"),
    ("contextWindow", "window"),
    ("maxTokens", "max_output"),
    ("cost", "price"),
    ("thinkingLevelMap", "efforts"),
    ("cacheRead", "cache_read"),
    ("cacheWrite", "cache_write"),
    ("webSearch", "web_search"),
];

/// Pi's names of wire APIs, with ours.
const APIS: [(&str, &str); 4] = [
    ("openai-completions", "chat"),
    ("openai-responses", "responses"),
    ("anthropic-messages", "messages"),
    ("google-generative-ai", "gemini"),
];

/// Returns Pi's names of a field.
pub(super) fn names_of(field: &str) -> impl Iterator<Item = &'static str> {
    NAMES.into_iter().filter(move |(_, ours)| *ours == field).map(|(theirs, _)| theirs)
}

/// The state of translating a file.
pub(super) struct Translation<'a, 'text> {
    pub(super) document: &'a mut Document<'text>,
    pub(super) form: Form,
    pub(super) ambient: &'a Ambient,
}

type Table = Map<String, Value>;

impl Translation<'_, '_> {
    /// Translates the provider table in a file's content. A provider or model whose wire API is not supported is omitted.
    pub(super) fn providers(&mut self, content: &mut Value) -> Result<(), Error> {
        let Some(Value::Object(providers)) = content.get_mut("providers") else { return Ok(()) };
        let path = below(&[], "providers");
        self.retain(providers, &path, Self::provider)
    }

    /// Keeps the table rows for which `translate` returns true.
    fn retain(
        &mut self,
        rows: &mut Table,
        path: &[Step],
        translate: impl Fn(&mut Self, &mut Table, &[Step]) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let mut dropped = Vec::new();
        for (name, row) in rows.iter_mut() {
            if let Value::Object(row) = row
                && !translate(self, row, &below(path, name))?
            {
                dropped.push(name.clone());
            }
        }
        rows.retain(|name, _| !dropped.contains(name));
        Ok(())
    }

    fn provider(&mut self, provider: &mut Table, path: &[Step]) -> Result<bool, Error> {
        rename(provider, &["baseUrl", "apiKey"]);
        if self.form == Form::Json {
            // The display name, which is not used.
            provider.shift_remove("name");
        }
        if let Some(key) = provider.get_mut("key") {
            self.name_variable(key);
        }
        if let Some(is_bearer) = provider.shift_remove("authHeader") {
            let is_bearer: bool = self.document.read(is_bearer, &below(path, "authHeader"))?;
            if is_bearer {
                provider.insert("auth".to_owned(), json!("bearer"));
            }
        }
        for key in ["models", "modelOverrides"] {
            let path = below(path, key);
            match provider.get_mut(key) {
                Some(Value::Object(models)) => {
                    self.retain(models, &path, Self::model)?;
                }
                Some(Value::Array(models)) => self.list(models, &path)?,
                Some(_) | None => {}
            }
        }
        self.both(provider, path)
    }

    /// Translates a list of models. An omitted model becomes null, so that the others keep their index.
    fn list(&mut self, models: &mut [Value], path: &[Step]) -> Result<(), Error> {
        for (index, row) in models.iter_mut().enumerate() {
            let path = item(path, index);
            let has_id = row.get("id").and_then(Value::as_str).is_some_and(|id| !id.is_empty());
            let Some(model) = row.as_object_mut().filter(|_| has_id) else {
                return Err(self.document.wrong(&path, "a table with the model's `id`"));
            };
            if !self.model(model, &path)? {
                *row = Value::Null;
            }
        }
        Ok(())
    }

    fn model(&mut self, model: &mut Table, path: &[Step]) -> Result<bool, Error> {
        rename(model, &["contextWindow", "maxTokens", "cost", "thinkingLevelMap"]);
        if let Some(Value::Object(price)) = model.get_mut("price") {
            rename(price, &["cacheRead", "cacheWrite", "webSearch"]);
        }
        if let Some(kinds) = model.shift_remove("input") {
            let kinds: Vec<String> = self.document.read(kinds, &below(path, "input"))?;
            model.insert("vision".to_owned(), kinds.iter().any(|kind| kind == "image").into());
        }
        if let Some(Value::Object(efforts)) = model.get_mut("efforts") {
            self.efforts(efforts, &below(path, "efforts"));
        }
        self.both(model, path)
    }

    /// Translates the fields shared by providers and models; returns false if the wire API is not supported.
    fn both(&mut self, row: &mut Table, path: &[Step]) -> Result<bool, Error> {
        if let Some(Value::Object(headers)) = row.get_mut("headers") {
            headers.values_mut().for_each(|value| self.name_variable(value));
        }
        if let Some(compat) = row.shift_remove("compat") {
            self.compat(compat, row, &below(path, "compat"))?;
        }
        let Some(Value::String(api)) = row.get_mut("api") else { return Ok(true) };
        if let Some((_, ours)) = APIS.iter().find(|(theirs, _)| theirs == api) {
            *api = (*ours).to_owned();
        }
        let is_known = Api::from_name(api).is_some();
        if !is_known && self.form == Form::Json {
            let names: Vec<_> = Api::NAMES.iter().map(|(name, _)| *name).collect();
            let names = names.join(", ");
            let what = format!(
                "is `{api}`, which is not supported, so the entry is ignored; expected one of {names}"
            );
            self.document.warn_of(&below(path, "api"), &what);
            return Ok(false);
        }
        Ok(true)
    }

    /// In older Pi files, the bare name of a set variable refers to that variable.
    fn name_variable(&self, value: &mut Value) {
        let is_upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let Value::String(text) = value else { return };
        if self.form == Form::Json && text.chars().all(is_upper) && self.ambient.var(text).is_some()
        {
            *text = format!("${{{text}}}");
        }
    }

    /// Omits unknown efforts; `off` is `none`, and `false` is no effort.
    fn efforts(&mut self, efforts: &mut Table, path: &[Step]) {
        let names = Effort::names().collect::<Vec<_>>().join(", ");
        for (key, value) in std::mem::take(efforts) {
            let effort = if key == "off" { "none" } else { key.as_str() };
            let path = below(path, &key);
            if Effort::from_name(effort).is_none() {
                let what = format!("is not an effort; expected one of {names}");
                self.document.warn_of(&path, &what);
                continue;
            }
            if let Some(sent) = value.as_str()
                && Effort::from_name(sent).is_none()
            {
                let what = format!("has the unknown effort `{sent}`; expected one of {names}");
                self.document.warn_of(&path, &what);
                continue;
            }
            let value = if value == Value::Bool(false) { Value::Null } else { value };
            efforts.insert(effort.to_owned(), value);
        }
    }

    /// Adds the dialect fields that correspond to the flags. A field set in the row itself stays.
    fn compat(&mut self, compat: Value, row: &mut Table, path: &[Step]) -> Result<(), Error> {
        let compat: Compat = self.document.read(compat, path)?;
        let effort = match compat.thinking_format.as_deref() {
            None => None,
            Some("openai" | "reasoning_effort") => Some("reasoning_effort"),
            Some("openrouter") => Some("reasoning_object"),
            Some(_) => {
                let what = "is unknown, so no effort is sent";
                self.document.warn_of(&below(path, "thinkingFormat"), what);
                Some("none")
            }
        };
        // That a server accepts a role does not mean that it requires it.
        let is = |flag: Option<bool>, want: bool, value: &str| {
            (flag == Some(want)).then(|| json!(value))
        };
        let content = compat.requires_reasoning_content_on_assistant_messages;
        let fields = [
            ("output_limit", compat.max_tokens_field.map(|field| json!(field))),
            ("store", compat.supports_store.map(Value::Bool)),
            ("include_usage", compat.supports_usage_in_streaming.map(Value::Bool)),
            ("result_name", compat.requires_tool_result_name.map(Value::Bool)),
            (
                "assistant_after_result",
                compat.requires_assistant_after_tool_result.map(Value::Bool),
            ),
            ("system_role", is(compat.supports_developer_role, false, "system")),
            ("effort", effort.map(|effort| json!(effort))),
            ("effort", is(compat.supports_reasoning_effort, false, "none")),
            ("reasoning_back", is(compat.requires_thinking_as_text, true, "text")),
            ("reasoning_back", is(content, true, "reasoning_content")),
            ("call_ids", is(compat.requires_mistral_tool_ids, true, "nine")),
        ];
        for (field, value) in fields {
            if let Some(value) = value {
                row.entry(field).or_insert(value);
            }
        }
        let gateway = compat.vercel_gateway_routing.map(|routing| json!({ "gateway": routing }));
        let fields = [
            ("provider", compat.open_router_routing.map(Value::Object)),
            ("providerOptions", gateway),
            ("chat_template_kwargs", compat.chat_template_kwargs.map(Value::Object)),
        ];
        for (field, value) in fields {
            if let Some(value) = value
                && let Value::Object(body) = row.entry("extra_body").or_insert_with(|| json!({}))
            {
                body.entry(field).or_insert(value);
            }
        }
        Ok(())
    }
}

/// Pi's flags for the differences between servers.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Compat {
    max_tokens_field: Option<OutputLimit>,
    supports_store: Option<bool>,
    supports_usage_in_streaming: Option<bool>,
    requires_tool_result_name: Option<bool>,
    requires_assistant_after_tool_result: Option<bool>,
    supports_developer_role: Option<bool>,
    supports_reasoning_effort: Option<bool>,
    requires_thinking_as_text: Option<bool>,
    requires_reasoning_content_on_assistant_messages: Option<bool>,
    requires_mistral_tool_ids: Option<bool>,
    thinking_format: Option<String>,
    open_router_routing: Option<Table>,
    vercel_gateway_routing: Option<Table>,
    chat_template_kwargs: Option<Table>,
}

/// Renames fields to our names. A field that exists under both names keeps the value under ours.
fn rename(row: &mut Table, theirs: &[&str]) {
    for (name, ours) in NAMES.iter().filter(|(name, _)| theirs.contains(name)) {
        if let Some(value) = row.shift_remove(*name) {
            row.entry(*ours).or_insert(value);
        }
    }
}
