//! Models and thinking levels as Pi names them. Pure.

use crate::pi::Apis;
use pintle_protocol::models::{KeyState, ModelInfo, ModelsListResult, ProviderInfo};
use serde_json::{Value, json};

/// Pi's thinking levels, and what they are called here.
const LEVELS: [(&str, &str); 7] = [
    ("off", "none"),
    ("minimal", "minimal"),
    ("low", "low"),
    ("medium", "medium"),
    ("high", "high"),
    ("xhigh", "xhigh"),
    ("max", "max"),
];

/// What is taken of a model whose window nobody knows.
const UNKNOWN_WINDOW: u64 = 128_000;
const UNKNOWN_OUTPUT: u64 = 16_384;

/// A model's name in its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Named<'a> {
    pub(super) provider: &'a str,
    pub(super) id: &'a str,
    /// Pi's thinking level.
    pub(super) level: &'static str,
}

impl<'a> Named<'a> {
    /// Reads `provider/id` or `provider/id:effort`.
    pub(super) fn read(model: &'a str) -> Self {
        let (provider, rest) = model.split_once('/').unwrap_or(("pintle", model));
        let known = rest.rsplit_once(':').and_then(|(id, effort)| {
            let (level, _) = LEVELS.iter().find(|(_, own)| *own == effort)?;
            Some((id, *level))
        });
        let (id, level) = known.unwrap_or((rest, "off"));
        Self { provider, id, level }
    }
}

/// The effort that a level is.
pub(super) fn effort(level: &str) -> Option<&'static str> {
    LEVELS.iter().find(|(name, _)| *name == level).map(|(_, effort)| *effort)
}

/// A model with one of Pi's thinking levels in the place of its own; `None` for a level that nobody knows.
pub fn at_level(model: &str, level: &str) -> Option<String> {
    let Named { provider, id, .. } = Named::read(model);
    Some(format!("{provider}/{id}:{}", effort(level)?))
}

/// The levels of a model: one that does not think has none.
pub(super) fn levels(list: &ModelsListResult, named: Named<'_>) -> Vec<&'static str> {
    let thinks = info(list, named).is_none_or(|info| info.reasoning != Some(false));
    let levels = LEVELS.iter().map(|(level, _)| *level);
    levels.take(if thinks { LEVELS.len() } else { 1 }).collect()
}

fn info<'a>(list: &'a ModelsListResult, named: Named<'_>) -> Option<&'a ModelInfo> {
    list.models.iter().find(|info| info.model.split_once('/') == Some((named.provider, named.id)))
}

/// True when a provider can be asked: it needs no key, or has one.
fn is_ready(provider: &ProviderInfo) -> bool {
    match provider.key {
        KeyState::Set | KeyState::Command | KeyState::NotNeeded => true,
        KeyState::Missing => false,
    }
}

/// The models that can be asked, in Pi's form.
pub(super) fn available(list: &ModelsListResult) -> Vec<Value> {
    let ready = |info: &&ModelInfo| {
        let provider = info.model.split('/').next();
        list.providers.iter().any(|known| Some(known.name.as_str()) == provider && is_ready(known))
    };
    let ready = list.models.iter().filter(ready);
    ready.map(|info| model(list, Named::read(&info.model))).collect()
}

/// A model in Pi's form; of one that nobody knows, what is usual.
pub(super) fn model(list: &ModelsListResult, named: Named<'_>) -> Value {
    let info = info(list, named);
    let provider = list.providers.iter().find(|known| known.name == named.provider);
    let vision = info.and_then(|info| info.vision).unwrap_or(false);
    let price = info.and_then(|info| info.price);
    let cost = |of: fn(&pintle_protocol::models::ModelPrice) -> f64| {
        let cost = price.as_ref().map_or(0.0, of);
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
        "api": apis(list).of(named.provider),
        "provider": named.provider,
        "baseUrl": base(provider.and_then(|known| known.url.as_deref()).unwrap_or_default()),
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

/// What Pi calls a URL's base: what stands before the way to an API.
fn base(url: &str) -> &str {
    let endings = ["/v1/messages", "/chat/completions", "/responses"];
    endings.iter().find_map(|ending| url.strip_suffix(ending)).unwrap_or(url)
}

/// The wires of all providers.
pub(super) fn apis(list: &ModelsListResult) -> Apis {
    let known = list.providers.iter();
    Apis::new(known.filter_map(|known| Some((known.name.as_str(), known.api.as_deref()?))))
}

/// The models that a client goes through, one after the other: those that match a pattern, else all that can be asked.
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
        let pattern = Named::read(pattern);
        for model in &all {
            if is_match(pattern, model) && !found.contains(model) {
                found.push(model.clone());
            }
        }
    }
    found
}

fn is_match(pattern: Named<'_>, model: &str) -> bool {
    let named = Named::read(model);
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

/// The model that a person means: by its id alone, or a part of it; where several fit, the one that has its provider's key.
pub fn meant(list: &ModelsListResult, provider: Option<&str>, text: &str) -> Option<String> {
    let is_ready_model = |info: &ModelInfo| {
        let of = info.model.split('/').next();
        list.providers.iter().any(|known| Some(known.name.as_str()) == of && is_ready(known))
    };
    let text = text.to_lowercase();
    let mut fits: Vec<(bool, bool, &ModelInfo)> = Vec::new();
    for info in &list.models {
        let Some((of, id)) = info.model.split_once('/') else { continue };
        if provider.is_some_and(|provider| provider != of) {
            continue;
        }
        let id = id.to_lowercase();
        let name = info.name.as_deref().unwrap_or_default().to_lowercase();
        if id.contains(&text) || name.contains(&text) || info.model.to_lowercase() == text {
            fits.push((id == text, is_ready_model(info), info));
        }
    }
    // The last one wins among equals, so the first row is kept by turning the order around.
    fits.reverse();
    fits.into_iter()
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
            let named = Named::read(model);
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
            assert_eq!(is_match(Named::read(pattern), model), want, "{pattern}");
        }
    }
}
