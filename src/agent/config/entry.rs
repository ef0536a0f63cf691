//! Providers and models as users describe them in settings files, and the rule by which a later file's entry
//! overrides an earlier one.
//!
//! A field that is `None` or empty is unset and overrides nothing.

use super::text_source::TextSource;
use pintle_llm::catalog::{Auth, Login};
use pintle_llm::{Api, Effort};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// A provider as settings files describe it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProviderEntry {
    /// Its base URL, with `$NAME` in the place of variables.
    pub base_url: Option<String>,
    /// The variable that may override the base URL.
    pub base_url_var: Option<String>,
    /// The provider's wire API.
    pub api: Option<Api>,
    /// Its key.
    pub key: Option<TextSource>,
    /// The variables that may hold the key where none is configured; the first one set wins.
    pub key_vars: Vec<String>,
    /// The lifetime of a key printed by a command; `None` keeps it until the server refuses it.
    pub key_expires: Option<Duration>,
    /// The header that carries the key.
    pub auth: Option<Auth>,
    /// Fields of its login.
    pub login: Option<Login>,
    /// Additional headers.
    pub headers: Vec<(String, TextSource)>,
    /// Its models accept images; `None` decides by model name.
    pub takes_images: Option<bool>,
    /// Fields of its dialect; of two with the same name the last wins.
    pub dialect: Vec<(String, Value)>,
    /// Fields to merge into each request's body.
    pub extra_body: Map<String, Value>,
    /// Its models; entries with the same id are merged field by field, the last one winning.
    pub models: Vec<ModelEntry>,
    /// The files that describe it, in the order in which they were read.
    pub files: Vec<PathBuf>,
}

/// A model as settings files describe it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelEntry {
    /// Its id at the provider.
    pub id: String,
    /// The display name.
    pub name: Option<String>,
    /// The wire API, where it differs from the provider's.
    pub api: Option<Api>,
    /// The maximum number of input tokens.
    pub window: Option<u64>,
    /// The maximum number of output tokens.
    pub max_output: Option<u32>,
    /// The price.
    pub price: PriceEntry,
    /// The model accepts images.
    pub vision: Option<bool>,
    /// The model can reason before it answers.
    pub reasoning: Option<bool>,
    /// The month of its knowledge cutoff.
    pub cutoff: Option<String>,
    /// The name of its tool profile.
    pub profile: Option<String>,
    /// The value sent for each effort; `None` sends no effort.
    pub efforts: BTreeMap<Effort, Option<Effort>>,
    /// Additional headers.
    pub headers: Vec<(String, TextSource)>,
    /// Fields of the dialect that differ from the provider's.
    pub dialect: Vec<(String, Value)>,
    /// Fields to merge into the body of each request for it.
    pub extra_body: Map<String, Value>,
    /// The files that describe it.
    pub files: Vec<PathBuf>,
}

/// A price as a settings file gives it, in US dollars per million tokens, and per thousand searches.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PriceEntry {
    /// Input that is not cached.
    pub input: Option<f64>,
    /// Output, reasoning included.
    pub output: Option<f64>,
    /// Input read from a cache.
    pub cache_read: Option<f64>,
    /// Input written to a cache.
    pub cache_write: Option<f64>,
    /// Searches of the web that the provider runs.
    pub web_search: Option<f64>,
}

impl ProviderEntry {
    /// Overrides this entry with a later one.
    pub(super) fn lay_over(&mut self, later: Self) {
        self.base_url = later.base_url.or(self.base_url.take());
        self.base_url_var = later.base_url_var.or(self.base_url_var.take());
        self.api = later.api.or(self.api);
        self.key = later.key.or(self.key.take());
        if !later.key_vars.is_empty() {
            self.key_vars = later.key_vars;
        }
        self.key_expires = later.key_expires.or(self.key_expires);
        self.auth = later.auth.or(self.auth);
        if let Some(login) = later.login {
            self.login.get_or_insert_default().lay_over(login);
        }
        lay_headers(&mut self.headers, later.headers);
        self.takes_images = later.takes_images.or(self.takes_images);
        self.dialect.extend(later.dialect);
        self.extra_body.extend(later.extra_body);
        self.models.extend(later.models);
        self.files.extend(later.files);
    }

    /// Returns the entry of a model: by its exact id, else by the id that `other` derives from it.
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
        let price = later.price;
        self.name = later.name.or(self.name.take());
        self.api = later.api.or(self.api);
        self.window = later.window.or(self.window);
        self.max_output = later.max_output.or(self.max_output);
        self.price = PriceEntry {
            input: price.input.or(self.price.input),
            output: price.output.or(self.price.output),
            cache_read: price.cache_read.or(self.price.cache_read),
            cache_write: price.cache_write.or(self.price.cache_write),
            web_search: price.web_search.or(self.price.web_search),
        };
        self.vision = later.vision.or(self.vision);
        self.reasoning = later.reasoning.or(self.reasoning);
        self.cutoff = later.cutoff.or(self.cutoff.take());
        self.profile = later.profile.or(self.profile.take());
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
