//! Rows of providers and models as users write them, and how a later file's row goes over an earlier one's.
//!
//! What is `None` or empty is not said, and stays as it is without the row.

use super::text_source::TextSource;
use crate::llm::catalog::Auth;
use crate::llm::{Api, Effort};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// A provider as settings files describe it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProviderEntry {
    /// Its base URL, with `$NAME` in the place of variables.
    pub base_url: Option<String>,
    /// The variable that may name another place.
    pub base_url_var: Option<String>,
    /// The wire API it speaks.
    pub api: Option<Api>,
    /// Its key.
    pub key: Option<TextSource>,
    /// The variables that may hold the key where none is given, first one set wins.
    pub key_vars: Vec<String>,
    /// How long what a command printed is used; `None` until the server refuses it.
    pub key_expires: Option<Duration>,
    /// The header of the key.
    pub auth: Option<Auth>,
    /// More headers to send.
    pub headers: Vec<(String, TextSource)>,
    /// Whether its models take pictures; `None` goes by their names.
    pub takes_images: Option<bool>,
    /// Fields of its dialect; of two with one name the last holds.
    pub dialect: Vec<(String, Value)>,
    /// Fields to merge into each request's body.
    pub extra_body: Map<String, Value>,
    /// Its models; of two rows with one id the last holds, field by field.
    pub models: Vec<ModelEntry>,
    /// The files that say so, in the order in which they were read.
    pub files: Vec<PathBuf>,
}

/// A model as settings files describe it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelEntry {
    /// Its id at the provider.
    pub id: String,
    /// What people call it.
    pub name: Option<String>,
    /// The wire API, where it is not the provider's.
    pub api: Option<Api>,
    /// The most tokens of input.
    pub window: Option<u64>,
    /// The most tokens of an answer.
    pub max_output: Option<u32>,
    /// What it costs.
    pub price: PriceEntry,
    /// It takes pictures.
    pub vision: Option<bool>,
    /// It can think before it answers.
    pub reasoning: Option<bool>,
    /// The month up to which it knows the world.
    pub cutoff: Option<String>,
    /// The profile of its tools, by name.
    pub profile: Option<String>,
    /// What is asked for in the place of an effort; `None` in it asks for none.
    pub efforts: BTreeMap<Effort, Option<Effort>>,
    /// More headers to send.
    pub headers: Vec<(String, TextSource)>,
    /// Fields of the dialect that are other than its provider's.
    pub dialect: Vec<(String, Value)>,
    /// Fields to merge into the body of each request for it.
    pub extra_body: Map<String, Value>,
    /// The files that say so.
    pub files: Vec<PathBuf>,
}

/// What is said of a price, in US dollars for a million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PriceEntry {
    /// Input that comes from no cache.
    pub input: Option<f64>,
    /// Output, reasoning included.
    pub output: Option<f64>,
    /// Input read from a cache.
    pub cache_read: Option<f64>,
    /// Input written to a cache.
    pub cache_write: Option<f64>,
}

impl ProviderEntry {
    /// Lays a later row over this one.
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
        lay_headers(&mut self.headers, later.headers);
        self.takes_images = later.takes_images.or(self.takes_images);
        self.dialect.extend(later.dialect);
        self.extra_body.extend(later.extra_body);
        self.models.extend(later.models);
        self.files.extend(later.files);
    }

    /// What is said of a model: of its very id, else of the id that `other` makes of it.
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

/// Adds headers; one that is there already under the same name goes.
pub fn lay_headers<T>(headers: &mut Vec<(String, T)>, later: Vec<(String, T)>) {
    headers.retain(|(name, _)| !later.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)));
    headers.extend(later);
}
