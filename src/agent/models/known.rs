//! Known facts about providers and models: the catalogue with the user's files laid over it, field by field. Pure.
//!
//! `configured` finds out how a provider is reached.

use super::toolbox::profile_name;
use crate::config::{
    self, CATALOG_FILE, Config, ModelEntry, PriceEntry, ProviderEntry, TextSource,
};
use pintle_base::ambient::Ambient;
use pintle_llm::catalog::{self, Login, Model, Price};
use pintle_llm::{Api, Effort, Endpoint};
use pintle_protocol::auth::AuthMethod;
use pintle_protocol::models::{KeyState, ModelInfo, ModelPrice, ModelsListResult, ProviderInfo};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Returns the user's entry of a model: by its exact id, else by the id without its date.
pub(super) fn user_entry(entry: &ProviderEntry, id: &str) -> Option<ModelEntry> {
    entry.model(id, catalog::undated(id))
}

/// Returns the facts about a model.
pub(super) fn model(config: &Config, provider: &str, id: &str) -> Option<Model> {
    let base = catalog::model(provider, id);
    let entry = config.providers.get(provider);
    match entry.and_then(|entry| Some((entry, user_entry(entry, id)?))) {
        Some((_, said)) => Some(lay_over(base, provider, said)),
        None => base.cloned(),
    }
}

/// Joins the user's files and the source that they override.
const OVER: &str = ", over: ";

/// Returns a row's source, with the update that it comes from.
fn named_source(row: &Model) -> String {
    match row.update {
        Some(date) => format!("{} (catalog update of {date})", row.source),
        None => row.source.clone(),
    }
}

/// Overrides a catalogue entry with a user's entry.
fn lay_over(base: Option<&Model>, provider: &str, said: ModelEntry) -> Model {
    let source = names(&said.files);
    Model {
        provider: provider.to_owned(),
        id: said.id,
        name: said.name.or_else(|| base?.name.clone()),
        api: said.api.map(|api| api.name().to_owned()).or_else(|| base?.api.clone()),
        window: said.window.or_else(|| base?.window),
        max_output: said.max_output.map(u64::from).or_else(|| base?.max_output),
        price: price(base.and_then(|base| base.price), provider, said.price),
        vision: said.vision.or_else(|| base?.vision),
        reasoning: said.reasoning.or_else(|| base?.reasoning),
        cutoff: said.cutoff.or_else(|| base?.cutoff.clone()),
        profile: said.profile.or_else(|| base?.profile.clone()),
        source: match base {
            Some(base) => format!("{source}{OVER}{}", named_source(base)),
            None => source,
        },
        checked: base.map(|base| base.checked.clone()).unwrap_or_default(),
        update: base.and_then(|base| base.update),
    }
}

/// Overrides a price; returns none while one half of it is missing.
fn price(base: Option<Price>, provider: &str, said: PriceEntry) -> Option<Price> {
    let searches = || catalog::find(provider).and_then(|entry| entry.search_price);
    let mut price = match (base, said.input, said.output) {
        (Some(base), _, _) => base,
        (None, Some(_), Some(_)) => Price { searches: searches(), ..Price::default() },
        (None, _, _) => return None,
    };
    price.input = said.input.unwrap_or(price.input);
    price.output = said.output.unwrap_or(price.output);
    price.cache_read = said.cache_read.or(price.cache_read);
    price.cache_write = said.cache_write.or(price.cache_write);
    price.searches = said.web_search.or(price.searches);
    Some(price)
}

/// Returns the files, in order.
pub(super) fn names(files: &[PathBuf]) -> String {
    let mut names: Vec<String> = Vec::new();
    for file in files {
        let name = file.display().to_string();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

/// Returns a provider's login: the catalogue's, overridden by the user's fields.
pub(super) fn login(config: &Config, provider: &str) -> Option<Login> {
    let own = config.providers.get(provider).and_then(|entry| entry.login.clone());
    let known = catalog::find(provider).and_then(|known| known.login.clone());
    if known.is_none() && own.is_none() {
        return None;
    }
    let mut login = known.unwrap_or_default();
    login.lay_over(own.unwrap_or_default());
    Some(login)
}

/// The stored logins: the method of each, by provider.
pub(super) type StoredLogins = BTreeMap<String, AuthMethod>;

/// Lists all models, for users to choose from.
pub(super) fn list(
    config: &Config,
    ambient: &Ambient,
    logins: &StoredLogins,
    mut problems: Vec<String>,
) -> ModelsListResult {
    problems.extend(catalog::update_problem().map(|problem| {
        let path = config.folders.data.join(CATALOG_FILE);
        format!("{}: ignored: {problem}; `pintle models --reset` removes it", path.display())
    }));
    let mut models: Vec<ModelInfo> = Vec::new();
    for row in catalog::models() {
        let known = model(config, &row.provider, &row.id);
        models.push(info(&known.unwrap_or_else(|| row.clone())));
    }
    for (provider, entry) in &config.providers {
        let ids: BTreeSet<&str> = entry.models.iter().map(|said| said.id.as_str()).collect();
        let is_new = |id: &&str| {
            !catalog::models().iter().any(|row| row.provider == *provider && row.id == **id)
        };
        let new = ids.into_iter().filter(is_new);
        models.extend(new.filter_map(|id| Some(info(&model(config, provider, id)?))));
    }
    ModelsListResult {
        providers: providers(config, ambient, logins),
        models,
        efforts: efforts(),
        problems,
    }
}

/// Lists the built-in providers and models, without keys.
pub fn built_in() -> ModelsListResult {
    let models = catalog::models().iter().map(info).collect();
    let none = Ambient::fixed([]);
    let logins = StoredLogins::new();
    let provider = |name: &str| provider(name, None, false, &none, &logins);
    let providers = catalog::providers().iter().map(|known| provider(&known.name));
    ModelsListResult {
        providers: providers.collect(),
        models,
        efforts: efforts(),
        problems: Vec::new(),
    }
}

fn efforts() -> Vec<String> {
    Effort::names().map(str::to_owned).collect()
}

fn info(row: &Model) -> ModelInfo {
    ModelInfo {
        model: format!("{}/{}", row.provider, row.id),
        name: row.name.clone(),
        window: row.window,
        max_output: row.max_output,
        price: row.price.map(|price| ModelPrice {
            input_usd_per_mtok: price.input,
            output_usd_per_mtok: price.output,
            cache_read_usd_per_mtok: price.cache_read,
            cache_write_usd_per_mtok: price.cache_write,
        }),
        vision: row.vision.or_else(|| catalog::takes_images(&row.provider, &row.id)),
        reasoning: row.reasoning,
        profile: profile_name(row.profile.as_deref(), &row.id).to_owned(),
        source: if row.checked.is_empty() || row.source.contains(OVER) {
            row.source.clone()
        } else {
            named_source(row)
        },
        checked: Some(row.checked.clone()).filter(|checked| !checked.is_empty()),
    }
}

/// Lists all providers, those of the catalogue first.
pub(super) fn providers(
    config: &Config,
    ambient: &Ambient,
    logins: &StoredLogins,
) -> Vec<ProviderInfo> {
    let built_in = catalog::providers().iter().map(|known| known.name.as_str());
    let own = config.providers.keys().map(String::as_str);
    let names = built_in.chain(own.filter(|name| catalog::find(name).is_none()));
    let info = |name: &str| {
        let has_login = login(config, name).is_some();
        provider(name, config.providers.get(name), has_login, ambient, logins)
    };
    names.map(info).collect()
}

fn provider(
    name: &str,
    entry: Option<&ProviderEntry>,
    has_login: bool,
    ambient: &Ambient,
    logins: &StoredLogins,
) -> ProviderInfo {
    let known = catalog::find(name);
    let api = entry.and_then(|entry| entry.api).or(known.map(|known| known.api));
    let var = |var: Option<&String>| var.and_then(|var| ambient.var(var));
    // Unexpanded, so that no variable of the user's is shown.
    let written = entry.and_then(|entry| entry.base_url.as_deref());
    let moved = var(entry.and_then(|entry| entry.base_url_var.as_ref()))
        .or(written)
        .or_else(|| var(known.and_then(|known| known.base_url_var.as_ref())));
    let base_url = moved.or(known.map(|known| known.base_url.as_str()));
    let own_vars = entry.map(|entry| entry.key_vars.as_slice()).filter(|vars| !vars.is_empty());
    let known_vars = known.map(|known| known.key_vars.as_slice());
    let key_vars = own_vars.or(known_vars).unwrap_or_default();
    let (key, key_var) = match entry.and_then(|entry| entry.key.as_ref()) {
        Some(TextSource::Fetched(_)) => (KeyState::Command, None),
        Some(TextSource::Text(text)) => match config::fill(text.expose(), ambient) {
            Ok(_) => (KeyState::Set, None),
            Err(variable) => (KeyState::Missing, Some(variable)),
        },
        None => match key_vars.iter().find(|var| ambient.var(var).is_some()) {
            Some(var) => (KeyState::Set, Some(var.clone())),
            None if logins.contains_key(name) => (KeyState::Login, None),
            None if has_login && key_vars.is_empty() => (KeyState::Missing, None),
            None if key_vars.is_empty() => (KeyState::NotNeeded, None),
            None if moved.is_some() && own_vars.is_none() => {
                (KeyState::NotNeeded, key_vars.first().cloned())
            }
            None => (KeyState::Missing, key_vars.first().cloned()),
        },
    };
    let source = entry.map(|entry| names(&entry.files));
    ProviderInfo {
        name: name.to_owned(),
        title: known.map(|known| known.title.clone()),
        api: api.map(|api| api.name().to_owned()),
        url: base_url.map(|url| Endpoint::new(name, api.unwrap_or(Api::Chat), url).shown_url()),
        key,
        key_var,
        source: match (source, known) {
            (Some(files), Some(known)) => format!("{files}, over: {}", known.source),
            (Some(files), None) => files,
            (None, known) => known.map(|known| known.source.clone()).unwrap_or_default(),
        },
    }
}
