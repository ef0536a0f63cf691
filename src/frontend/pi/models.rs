//! Models and thinking levels as Pi names them. Pure.

use pintle_protocol::models::{KeyState, ModelInfo, ModelsListResult, ProviderInfo};
use pintle_session::pi::Apis;
use serde_json::{Value, json};

/// Pi's thinking levels, each with the engine's effort.
const LEVELS: [(&str, &str); 7] = [
    ("off", "none"),
    ("minimal", "minimal"),
    ("low", "low"),
    ("medium", "medium"),
    ("high", "high"),
    ("xhigh", "xhigh"),
    ("max", "max"),
];

/// Pi's model file.
const MODELS_FILE: &str = "models.json";

/// The context window that is reported for a model of unknown size.
const UNKNOWN_WINDOW: u64 = 128_000;
const UNKNOWN_OUTPUT: u64 = 16_384;

/// A model name, in parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ModelName<'a> {
    pub(super) provider: &'a str,
    pub(super) id: &'a str,
    /// Pi's thinking level.
    pub(super) level: &'static str,
}

impl<'a> ModelName<'a> {
    /// Reads `provider/id` or `provider/id:effort`.
    pub(super) fn read(model: &'a str) -> Self {
        let (provider, rest) = model.split_once('/').unwrap_or(("pintle", model));
        let split = rest.rsplit_once(':').and_then(|(id, effort)| {
            let (level, _) = LEVELS.iter().find(|(_, name)| *name == effort)?;
            Some((id, *level))
        });
        let (id, level) = split.unwrap_or((rest, "off"));
        Self { provider, id, level }
    }
}

/// Returns a thinking level's effort.
pub(super) fn effort(level: &str) -> Option<&'static str> {
    LEVELS.iter().find(|(name, _)| *name == level).map(|(_, effort)| *effort)
}

/// Returns the model with its effort replaced by one of Pi's thinking levels; `None` for an unknown level.
pub fn at_level(model: &str, level: &str) -> Option<String> {
    let ModelName { provider, id, .. } = ModelName::read(model);
    Some(format!("{provider}/{id}:{}", effort(level)?))
}

/// Returns the thinking levels of a model: `off` alone if it does not think.
pub(super) fn levels(list: &ModelsListResult, named: ModelName<'_>) -> Vec<&'static str> {
    let thinks = info(list, named).is_none_or(|info| info.reasoning != Some(false));
    let levels = LEVELS.iter().map(|(level, _)| *level);
    levels.take(if thinks { LEVELS.len() } else { 1 }).collect()
}

fn info<'a>(list: &'a ModelsListResult, named: ModelName<'_>) -> Option<&'a ModelInfo> {
    list.models.iter().find(|info| info.model.split_once('/') == Some((named.provider, named.id)))
}

/// Returns true if a model may be chosen: a provider that is only in Pi's `models.json` has just the models listed there.
pub(super) fn is_listed(list: &ModelsListResult, model: &str) -> bool {
    let provider = ModelName::read(model).provider;
    let of_provider = |info: &&ModelInfo| info.model.split('/').next() == Some(provider);
    let mut known = list.models.iter().filter(of_provider).peekable();
    let is_only_there =
        known.peek().is_some() && known.clone().all(|info| info.source.ends_with(MODELS_FILE));
    let is_it = |info: &ModelInfo| {
        let named = ModelName::read(model);
        info.model == model || info.model.split_once('/') == Some((named.provider, named.id))
    };
    !is_only_there || known.any(is_it)
}

/// Returns true when a provider can be used: it has its key or needs none.
fn is_ready(provider: &ProviderInfo) -> bool {
    match provider.key {
        KeyState::Set | KeyState::Command | KeyState::Login | KeyState::NotNeeded => true,
        KeyState::Missing => false,
    }
}

/// Returns the usable models, in Pi's form.
pub(super) fn available(list: &ModelsListResult) -> Vec<Value> {
    let ready = |info: &&ModelInfo| {
        let provider = info.model.split('/').next();
        list.providers.iter().any(|row| Some(row.name.as_str()) == provider && is_ready(row))
    };
    let ready = list.models.iter().filter(ready);
    ready.map(|info| model(list, ModelName::read(&info.model))).collect()
}

/// Returns a model in Pi's form, with defaults for an unknown one.
pub(super) fn model(list: &ModelsListResult, named: ModelName<'_>) -> Value {
    let info = info(list, named);
    let provider = list.providers.iter().find(|row| row.name == named.provider);
    let vision = info.and_then(|info| info.vision).unwrap_or(false);
    let price = info.and_then(|info| info.price);
    let cost = |rate: fn(&pintle_protocol::models::ModelPrice) -> f64| {
        let cost = price.as_ref().map_or(0.0, rate);
        // As JavaScript writes numbers.
        if cost.fract() == 0.0 {
            format!("{cost:.0}").parse::<i64>().map_or(json!(cost), Value::from)
        } else {
            json!(cost)
        }
    };
    json!({
        "id": named.id,
        "name": info.and_then(|info| info.name.as_deref()).unwrap_or(named.id),
        "api": apis(list).for_provider(named.provider),
        "provider": named.provider,
        "baseUrl": base(provider.and_then(|row| row.url.as_deref()).unwrap_or_default()),
        "reasoning": info.is_none_or(|info| info.reasoning != Some(false)),
        "input": if vision { json!(["text", "image"]) } else { json!(["text"]) },
        "cost": {
            "input": cost(|price| price.input_usd_per_mtok),
            "output": cost(|price| price.output_usd_per_mtok),
            "cacheRead": cost(|price| price.cache_read_usd_per_mtok.unwrap_or(0.0)),
            "cacheWrite": cost(|price| price.cache_write_usd_per_mtok.unwrap_or(0.0)),
        },
        "contextWindow": info.and_then(|info| info.window).unwrap_or(UNKNOWN_WINDOW),
        "maxTokens": info.and_then(|info| info.max_output).unwrap_or(UNKNOWN_OUTPUT),
    })
}

/// Returns a URL's base in Pi's sense: the part before an API's path.
fn base(url: &str) -> &str {
    let endings = ["/v1/messages", "/chat/completions", "/responses"];
    endings.iter().find_map(|ending| url.strip_suffix(ending)).unwrap_or(url)
}

/// Returns the APIs of all providers.
pub(super) fn apis(list: &ModelsListResult) -> Apis {
    let providers = list.providers.iter();
    Apis::new(providers.filter_map(|row| Some((row.name.as_str(), row.api.as_deref()?))))
}

/// Returns the models that a client cycles through: the ones matching a pattern, or all usable ones without patterns.
pub(super) fn cycle(list: &ModelsListResult, patterns: &[String]) -> Vec<String> {
    let all = available(list).into_iter().filter_map(|model| {
        let part = |key: &str| model.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(format!("{}/{}", part("provider")?, part("id")?))
    });
    if patterns.is_empty() {
        return all.collect();
    }
    let all: Vec<String> = all.collect();
    let mut found: Vec<String> = Vec::new();
    for pattern in patterns {
        let pattern = ModelName::read(pattern);
        for model in &all {
            if is_match(pattern, model) && !found.contains(model) {
                found.push(model.clone());
            }
        }
    }
    found
}

fn is_match(pattern: ModelName<'_>, model: &str) -> bool {
    let named = ModelName::read(model);
    let text = if pattern.provider == "pintle" {
        pattern.id.to_owned()
    } else {
        format!("{}/{}", pattern.provider, pattern.id)
    };
    let whole = if pattern.provider == "pintle" { named.id } else { model };
    match text.split_once('*') {
        Some((before, after)) => whole.starts_with(before) && whole.ends_with(after),
        None => whole == text,
    }
}

/// Finds a model by its id or part of it. Of several matches, one whose provider has a key is preferred.
pub fn resolve(list: &ModelsListResult, provider: Option<&str>, text: &str) -> Option<String> {
    let is_ready_model = |info: &ModelInfo| {
        let provider = info.model.split('/').next();
        list.providers.iter().any(|row| Some(row.name.as_str()) == provider && is_ready(row))
    };
    let text = text.to_lowercase();
    let mut matches: Vec<(bool, bool, &ModelInfo)> = Vec::new();
    for info in &list.models {
        let Some((owner, id)) = info.model.split_once('/') else { continue };
        if provider.is_some_and(|provider| provider != owner) {
            continue;
        }
        let id = id.to_lowercase();
        let name = info.name.as_deref().unwrap_or_default().to_lowercase();
        if id.contains(&text) || name.contains(&text) || info.model.to_lowercase() == text {
            matches.push((id == text, is_ready_model(info), info));
        }
    }
    // `max_by_key` returns the last of equal elements; reversed, that is the first row.
    matches.reverse();
    matches
        .into_iter()
        .max_by_key(|(is_whole, ready, _)| (*is_whole, *ready))
        .map(|(_, _, info)| info.model.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_read_in_its_parts() {
        for (model, want) in [
            ("openai/gpt-5.4:high", ("openai", "gpt-5.4", "high")),
            ("openai/gpt-5.4", ("openai", "gpt-5.4", "off")),
            ("openai/gpt-5.4:none", ("openai", "gpt-5.4", "off")),
            ("openrouter/qwen/qwen3:free", ("openrouter", "qwen/qwen3:free", "off")),
            ("gpt", ("pintle", "gpt", "off")),
        ] {
            let named = ModelName::read(model);
            assert_eq!((named.provider, named.id, named.level), want);
        }
    }

    #[test]
    fn patterns_choose_models() {
        for (pattern, model, want) in [
            ("gpt-5.4", "openai/gpt-5.4", true),
            ("gpt-*", "openai/gpt-5.4", true),
            ("openai/*", "openai/gpt-5.4", true),
            ("openai/gpt-5.4:high", "openai/gpt-5.4", true),
            ("*5.4", "openai/gpt-5.4", true),
            ("gpt", "openai/gpt-5.4", false),
            ("google/*", "openai/gpt-5.4", false),
        ] {
            assert_eq!(is_match(ModelName::read(pattern), model), want, "{pattern}");
        }
    }
}
