use super::*;
use crate::delta::Tier;
use pintle_protocol::content::Usage;
use std::collections::BTreeSet;

#[test]
fn the_file_has_the_shape_that_its_readers_expect() {
    let file: ProvidersFile = serde_json::from_str(PROVIDERS_TEXT).unwrap();
    let mut names = BTreeSet::new();
    for row in &file.provider {
        assert!(names.insert(row.name.clone()), "{} is listed twice", row.name);
        assert!(row.base_url.starts_with("http"), "{}", row.name);
        assert_eq!(row.key_vars.is_empty(), row.base_url.starts_with("http://localhost"));
        assert!(!row.source.is_empty() && row.checked.starts_with("20"), "{}", row.name);
        let known = ["messages", "chat", "responses", "gemini"];
        assert!(known.contains(&row.api.as_str()), "{}", row.name);
    }
    for name in [
        "openrouter",
        "groq",
        "xai",
        "cerebras",
        "mistral",
        "deepseek",
        "zai",
        "kimi",
        "together",
        "fireworks",
        "huggingface",
        "vercel",
        "github-copilot",
        "azure",
        "bedrock",
        "vertex",
        "ollama",
        "lmstudio",
        "llamacpp",
        "vllm",
        "sglang",
        "anthropic",
        "openai",
        "google",
    ] {
        assert!(names.contains(name), "{name} is missing");
    }
    for row in &file.provider {
        let Some(login) = &row.login else { continue };
        let urls = [&login.device_url, &login.authorize_url, &login.token_url, &login.exchange_url];
        assert!(urls.into_iter().flatten().all(|url| url.starts_with("https://")), "{}", row.name);
        assert!(!login.methods().is_empty() && login.token_url.is_some(), "{}", row.name);
    }
    let mut ids = BTreeSet::new();
    let file: ModelsFile = serde_json::from_str(MODELS_TEXT).unwrap();
    for row in &file.model {
        assert!(row.checked <= file.date.strftime("%Y-%m").to_string(), "{} is newer", row.id);
        let place = format!("{}/{}", row.provider, row.id);
        assert!(names.contains(&row.provider), "{place} has no provider");
        assert!(ids.insert(place.clone()), "{place} is listed twice");
        assert!(!row.source.is_empty() && row.checked.starts_with("20"), "{place}");
        assert!(row.window.is_none_or(|window| window >= 4096), "{place}");
        if let Some(price) = row.price {
            assert!(price.input >= 0.0 && price.output >= price.input, "{place}: {price:?}");
            assert!(price.cache_read.is_none_or(|read| read <= price.input), "{place}");
            assert!(price.cache_write.is_none_or(|write| write >= price.input), "{place}");
            assert!(price.flex.is_none_or(|part| part <= 1.0), "{place}");
            assert!(price.priority.is_none_or(|part| part >= 1.0), "{place}");
            if let Some(long) = price.above {
                assert!(long.tokens >= 100_000, "{place}");
                assert!(long.input >= price.input && long.output >= price.output, "{place}");
            }
        }
    }
    for provider in ["anthropic", "openai", "google", "deepseek", "xai"] {
        let count = file.model.iter().filter(|row| row.provider == provider).count();
        assert!(count >= 3, "{provider} has {count} models");
    }
    assert!(file.family.len() > 10);
}

/// Lists show the models in this order.
#[test]
fn within_a_provider_the_newest_models_come_first() {
    for (older, newer) in [
        ("anthropic/claude-opus-5", "anthropic/claude-opus-5-5"),
        ("anthropic/claude-opus-4-8", "anthropic/claude-sonnet-5"),
        ("openai/gpt-5.6", "openai/gpt-6.2-astra"),
        ("openai/gpt-4o", "openai/gpt-5-mini"),
        ("google/gemini-3.8-flash", "google/gemini-4-argon"),
        ("xai/grok-4.20", "xai/grok-4.3"),
        ("bedrock/us.anthropic.claude-opus-4-5", "bedrock/eu.anthropic.claude-opus-5-5"),
    ] {
        let place = |wanted: &str| {
            models().iter().position(|row| format!("{}/{}", row.provider, row.id) == wanted)
        };
        assert!(place(newer).unwrap() < place(older).unwrap(), "{newer} before {older}");
    }
    let providers: Vec<&str> = models().iter().map(|row| row.provider.as_str()).collect();
    let mut groups = providers.clone();
    groups.dedup();
    let distinct: BTreeSet<&str> = providers.into_iter().collect();
    assert_eq!(groups.len(), distinct.len(), "a provider's models stand together");
}

#[test]
fn a_field_that_no_reader_knows_would_be_found() {
    for row in file_rows() {
        for key in row.keys() {
            let known = [
                "name",
                "title",
                "api",
                "base_url",
                "base_url_var",
                "key_vars",
                "auth",
                "source",
                "checked",
                "output_limit",
                "call_ids",
                "effort",
                "reasoning_back",
                "system_role",
                "include_usage",
                "store",
                "result_name",
                "assistant_after_result",
                "cloud",
                "prompt_cache_key",
                "custom_tools",
                "web_search",
                "text_tools",
                "documents",
                "effort_updates",
                "search_price",
                "verbosity",
                "silent_overflow",
                "initiator_headers",
                "headers",
                "login",
            ];
            assert!(known.contains(&key.as_str()), "{key} is unused");
        }
    }
}

#[test]
fn a_login_has_no_unknown_key() {
    let schema = schemars::schema_for!(Login);
    let known = schema.get("properties").and_then(|all| all.as_object()).unwrap();
    assert!(known.contains_key("token_url"), "{known:?}");
    for row in file_rows() {
        let login = row.get("login").and_then(toml::Value::as_table);
        for key in login.into_iter().flat_map(toml::Table::keys) {
            assert!(known.contains_key(key), "unknown key `{key}` in the login of {}", row["name"]);
        }
    }
}

fn file_rows() -> Vec<toml::Table> {
    let file: toml::Table = include_str!("providers.toml").parse().unwrap();
    file["provider"].as_array().unwrap().iter().map(|row| row.as_table().unwrap().clone()).collect()
}

#[test]
fn a_model_is_found_with_its_date() {
    for (provider, id, want) in [
        ("anthropic", "claude-opus-4-7", Some("claude-opus-4-7")),
        ("anthropic", "claude-opus-4-7-20260416", Some("claude-opus-4-7")),
        ("anthropic", "claude-sonnet-4-5@20250929", Some("claude-sonnet-4-5")),
        ("vertex", "claude-sonnet-4-5@20250929", Some("claude-sonnet-4-5")),
        (
            "bedrock",
            "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
            Some("eu.anthropic.claude-sonnet-4-5"),
        ),
        ("bedrock", "us.anthropic.claude-opus-4-6-v1", Some("us.anthropic.claude-opus-4-6")),
        ("openai", "gpt-5.4-2026-03-05", Some("gpt-5.4")),
        ("openai", "gpt-5.4-mini", Some("gpt-5.4-mini")),
        ("openai", "gpt-5.4-nobody", None),
        ("openrouter", "gpt-5.4", None),
        ("openai", "", None),
        ("nobody", "-", None),
    ] {
        assert_eq!(model(provider, id).map(|row| row.id.as_str()), want, "{provider}/{id}");
    }
}

#[test]
fn an_answer_is_as_long_as_the_provider_allows() {
    for row in models().iter().filter(|row| row.id.contains("claude-")) {
        assert_eq!(max_output(&row.provider, &row.id), row.max_output, "{}", row.id);
    }
    for (id, want) in [
        ("claude-3-haiku-20240307", Some(4_096)),
        ("claude-3-5-sonnet-latest", Some(8_192)),
        ("claude-sonnet-4-20250514", Some(32_000)),
        ("anthropic/claude-sonnet-4-5", Some(64_000)),
        ("claude-opus-4@20250514", Some(32_000)),
        ("eu.anthropic.claude-opus-4-5-v1:0", Some(64_000)),
        ("claude-newest", Some(128_000)),
        ("kimi-k3", None),
    ] {
        assert_eq!(max_output("anthropic", id), want, "{id}");
    }
}

#[test]
fn a_models_name_tells_its_profile() {
    for (id, want) in [
        ("claude-sonnet-5", Some("anthropic")),
        ("anthropic/claude-sonnet-5", Some("anthropic")),
        ("us.anthropic.claude-opus-4-7-v1:0", Some("anthropic")),
        ("gpt-5.4", Some("openai")),
        ("openai/GPT-5.4", Some("openai")),
        ("codex-mini-latest", Some("openai")),
        ("o3-mini", Some("openai")),
        ("gemini-3.1-pro-preview", Some("gemini")),
        ("deepseek-v4-pro", Some("deepseek")),
        ("qwen/qwen3-coder-next", Some("qwen")),
        ("moonshotai/Kimi-K3", Some("kimi")),
        ("z-ai/glm-5.3", Some("glm")),
        ("devstral-small-latest", Some("mistral")),
        ("gpt-oss-120b", Some("openai")),
        ("olmo-2", None),
        ("", None),
    ] {
        assert_eq!(profile(id), want, "{id}");
    }
}

#[test]
fn a_use_costs_what_the_prices_say() {
    let use_of = |input, output, read, write| Usage {
        input_tokens: input,
        output_tokens: output,
        cache_read_tokens: read,
        cache_write_tokens: write,
        reasoning_tokens: output,
        web_searches: 0,
    };
    let searched = |web_searches| Usage { web_searches, ..use_of(0, 0, 0, 0) };
    let all = Price {
        input: 3.0,
        output: 15.0,
        cache_read: Some(0.3),
        cache_write: Some(3.75),
        above: None,
        searches: Some(10.0),
        flex: Some(0.5),
        priority: Some(2.0),
    };
    let two = Price {
        input: 2.0,
        output: 8.0,
        cache_read: None,
        cache_write: None,
        above: None,
        searches: None,
        flex: None,
        priority: None,
    };
    let long = LongPrice {
        tokens: 1000,
        input: 4.0,
        output: 16.0,
        cache_read: Some(1.0),
        cache_write: None,
    };
    let tiers = Price { above: Some(long), ..two };
    for (name, price, usage, want) in [
        ("nothing", all, use_of(0, 0, 0, 0), 0),
        ("a million of input", all, use_of(1_000_000, 0, 0, 0), 3_000_000_000),
        ("reasoning is part of the output", all, use_of(0, 10, 0, 0), 150_000),
        ("a cache has its own prices", all, use_of(1, 1, 1000, 1000), 18_000 + 300_000 + 3_750_000),
        ("up to the limit the usual price holds", tiers, use_of(998, 1, 1, 1), 2_008_000),
        ("a long request costs more as a whole", tiers, use_of(998, 1, 2, 1), 4_014_000),
        ("three searches", all, searched(3), 30_000_000),
        ("searches without a price", two, searched(3), 0),
        ("a cache without a price costs like input", two, use_of(1, 0, 1, 1), 6_000),
    ] {
        assert_eq!(price.nano_usd(&usage), want, "{name}");
    }
    let usage = use_of(1000, 100, 1000, 1000);
    let usual = all.nano_usd(&usage);
    for (name, price, tier, want) in [
        ("the standard tier", all, Tier::Standard, usual),
        ("flex costs half", all, Tier::Flex, usual / 2),
        ("priority costs double", all, Tier::Priority, usual * 2),
        ("a tier without a price costs as usual", tiers, Tier::Flex, tiers.nano_usd(&usage)),
        (
            "a long request in a tier",
            Price { priority: Some(2.0), ..tiers },
            Tier::Priority,
            tiers.nano_usd(&usage) * 2,
        ),
    ] {
        assert_eq!(price.in_tier(tier).nano_usd(&usage), want, "{name}");
    }
}

#[test]
fn known_models_without_pictures_are_few() {
    for (model, want) in [
        ("claude-sonnet-4-6", true),
        ("gpt-5.4", true),
        ("gemini-3-pro", true),
        ("openai/gpt-oss-120b", false),
        ("deepseek-ai/DeepSeek-V3.2", false),
        ("deepseek-vl2", true),
        ("deepseek-chat", false),
        ("meta-llama/llama-3.3-70b-instruct:free", false),
        ("llama-4-scout", true),
        ("nobody-knows", true),
        ("o3-mini", false),
    ] {
        assert_eq!(takes_images("x", model).unwrap_or(true), want, "{model}");
    }
}
