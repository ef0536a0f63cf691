use super::{ambient, row};
use crate::config::{Config, Flags, ModelEntry, PriceEntry, ProviderEntry, TextSource, load};
use expect_test::expect;
use pintle_llm::catalog::{Auth, Login, Returns};
use pintle_llm::{Api, Effort};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Loads these files from a separate home directory.
pub(super) fn load_files(files: &[(&str, &str)], vars: &[(&str, &str)]) -> Result<Config, String> {
    let home = tempfile::tempdir().unwrap();
    for (name, text) in files {
        pintle_base::private_files::write_private(&home.path().join(name), text.as_bytes())
            .unwrap();
    }
    let path = home.path().to_str().unwrap();
    let place = |text: String| super::in_home(&text, path);
    let config = load(
        &ambient(&[vars, &[("PINTLE_HOME", path), ("HOME", path)]].concat()),
        Flags::default(),
    );
    let mut config = config.map_err(|error| place(error.to_string()))?;
    let short = |files: &mut Vec<PathBuf>| {
        for file in files {
            *file = place(file.display().to_string()).into();
        }
    };
    for provider in config.providers.values_mut() {
        short(&mut provider.files);
        provider.models.iter_mut().for_each(|model| short(&mut model.files));
    }
    config.warnings = config.warnings.into_iter().map(place).collect();
    Ok(config)
}

fn only(config: &Config) -> &ProviderEntry {
    assert_eq!(config.providers.len(), 1, "{:?}", config.providers);
    config.providers.values().next().unwrap()
}

/// All supported fields, in either file.
const TOML: &str = r#"
    [providers.own]
    base_url = "http://localhost:1/v1"
    base_url_var = "OWN_URL"
    api = "chat"
    key = "!pass show own"
    key_vars = ["OWN_KEY"]
    key_expires_s = 3600
    auth = "api-key"
    login.client_id = "app"
    login.scope = "a b"
    login.device_url = "https://h/device"
    login.returns = "key"
    login.authorize_url = "https://h/a"
    login.token_url = "http://localhost:1/token"
    login.exchange_url = "https://h/x"
    headers = { X-Team = "$TEAM" }
    vision = true
    extra_body = { provider = { sort = "price" } }
    output_limit = "max_completion_tokens"
    call_ids = "nine"
    effort = "reasoning_object"
    reasoning_back = "text"
    system_role = "developer"
    include_usage = false
    store = true
    result_name = true
    assistant_after_result = true

    [[providers.own.models]]
    id = "big"
    name = "The big one"
    api = "responses"
    window = 1000000
    max_output = 64000
    price = { input = 1.5, output = 6, cache_read = 0.1, cache_write = 2, web_search = 12 }
    vision = false
    reasoning = true
    cutoff = "2026-01"
    profile = "openai"
    efforts = { minimal = "low", xhigh = false, none = "minimal" }
    headers = { X-Model = "big" }
    extra_body = { top_k = 5 }
    store = false
"#;

const JSON: &str = r#"// The same.
{
  "providers": {
    "own": {
      "base_url": "http://localhost:1/v1", "base_url_var": "OWN_URL", "api": "chat",
      "key": "!pass show own", /* asks for a finger */ "key_vars": ["OWN_KEY"], "key_expires_s": 3600,
      "auth": "api-key", "headers": { "X-Team": "$TEAM", }, "vision": true,
      "login": { "client_id": "app", "scope": "a b", "device_url": "https://h/device", "authorize_url": "https://h/a",
                 "token_url": "http://localhost:1/token", "exchange_url": "https://h/x", "returns": "key" },
      "extra_body": { "provider": { "sort": "price" } },
      "output_limit": "max_completion_tokens", "call_ids": "nine", "effort": "reasoning_object",
      "reasoning_back": "text", "system_role": "developer", "include_usage": false, "store": true,
      "result_name": true, "assistant_after_result": true,
      "models": {
        "big": {
          "name": "The big one", "api": "responses", "window": 1000000, "max_output": 64000,
          "price": { "input": 1.5, "output": 6, "cache_read": 0.1, "cache_write": 2, "web_search": 12 },
          "vision": false, "reasoning": true, "cutoff": "2026-01", "profile": "openai",
          "efforts": { "minimal": "low", "xhigh": null, "none": "minimal" },
          "headers": { "X-Model": "big" }, "extra_body": { "top_k": 5 }, "store": false,
        },
      },
    },
  },
}
"#;

fn said(file: &str) -> ProviderEntry {
    let files = vec![PathBuf::from(file)];
    let source = |text: &str| TextSource::parse(text).unwrap();
    ProviderEntry {
        base_url: Some("http://localhost:1/v1".to_owned()),
        base_url_var: Some("OWN_URL".to_owned()),
        api: Some(Api::Chat),
        key: Some(source("!pass show own")),
        key_vars: vec!["OWN_KEY".to_owned()],
        key_expires_s: Some(3600.try_into().unwrap()),
        auth: Some(Auth::ApiKey),
        login: Some(Login {
            client_id: Some("app".to_owned()),
            scope: Some("a b".to_owned()),
            device_url: Some("https://h/device".to_owned()),
            authorize_url: Some("https://h/a".to_owned()),
            token_url: Some("http://localhost:1/token".to_owned()),
            exchange_url: Some("https://h/x".to_owned()),
            returns: Some(Returns::Key),
        }),
        headers: vec![("X-Team".to_owned(), source("$TEAM"))],
        vision: Some(true),
        dialect: [
            ("output_limit", json!("max_completion_tokens")),
            ("call_ids", json!("nine")),
            ("effort", json!("reasoning_object")),
            ("reasoning_back", json!("text")),
            ("system_role", json!("developer")),
            ("include_usage", json!(false)),
            ("store", json!(true)),
            ("result_name", json!(true)),
            ("assistant_after_result", json!(true)),
        ]
        .map(|(key, value)| (key.to_owned(), value))
        .into_iter()
        .collect(),
        extra_body: json!({"provider": {"sort": "price"}}).as_object().unwrap().clone(),
        models: vec![ModelEntry {
            id: "big".to_owned(),
            name: Some("The big one".to_owned()),
            api: Some(Api::Responses),
            window: Some(1_000_000),
            max_output: Some(64_000),
            price: PriceEntry {
                input: Some(1.5),
                output: Some(6.0),
                cache_read: Some(0.1),
                cache_write: Some(2.0),
                web_search: Some(12.0),
            },
            vision: Some(false),
            cutoff: Some("2026-01".to_owned()),
            reasoning: Some(true),
            profile: Some("openai".to_owned()),
            efforts: BTreeMap::from([
                (Effort::Minimal, Some(Effort::Low)),
                (Effort::Xhigh, None),
                (Effort::None, Some(Effort::Minimal)),
            ]),
            headers: vec![("X-Model".to_owned(), source("big"))],
            dialect: json!({"store": false}).as_object().unwrap().clone(),
            extra_body: json!({"top_k": 5}).as_object().unwrap().clone(),
            files: files.clone(),
        }],
        files,
        ..ProviderEntry::default()
    }
}

#[test]
fn every_fact_can_be_said_in_either_file() {
    for (file, text) in [("config.toml", TOML), ("models.json", JSON)] {
        let config = load_files(&[(file, text)], &[]).unwrap();
        assert_eq!(*only(&config), said(&format!("HOME/{file}")), "{file}");
        assert_eq!(config.warnings, Vec::<String>::new(), "{file}");
    }
}

#[test]
fn a_file_of_pis_is_read_as_it_is() {
    let file = r#"{
      "providers": {
        "ollama": {
          "baseUrl": "http://localhost:11434/v1", "api": "openai-completions", "apiKey": "ollama",
          "compat": { "supportsDeveloperRole": false, "supportsReasoningEffort": false },
          "models": [
            { "id": "llama3.1:8b", "name": "Llama", "reasoning": false, "input": ["text"],
              "contextWindow": 128000, "maxTokens": 32000,
              "cost": { "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0 } },
            { "id": "qwen3", "input": ["text", "image"],
              "thinkingLevelMap": { "off": null, "low": "medium", "xhigh": "ultra" },
              "compat": { "maxTokensField": "max_completion_tokens", "thinkingFormat": "openrouter", "supportsStrictMode": true,
                  "openRouterRouting": { "only": ["groq"] }, "vercelGatewayRouting": { "order": ["a"] },
                  "chatTemplateKwargs": { "enable_thinking": false } } }
          ]
        },
        "anthropic": {
          "baseUrl": "https://proxy.example.com", "apiKey": "PROXY_KEY", "authHeader": true,
          "headers": { "x-team": "TEAM_NAME", "x-secret": "!pass show x" },
          "modelOverrides": { "claude-sonnet-5": { "cost": { "input": 1 } } }
        },
        "cloud": { "baseUrl": "https://c", "api": "bedrock-converse-stream", "models": [{ "id": "x" }] }
      }
    }"#;
    let config = load_files(&[("models.json", file)], &[("PROXY_KEY", "k")]).unwrap();
    let names: Vec<_> = config.providers.keys().map(String::as_str).collect();
    assert_eq!(names, ["anthropic", "ollama"]);
    let [anthropic, ollama] = ["anthropic", "ollama"].map(|name| &config.providers[name]);
    // A name in capitals is a variable when it is set, else it is the value itself.
    assert_eq!(
        row(anthropic),
        "https://proxy.example.com key ${PROXY_KEY} x-team=TEAM_NAME x-secret=!pass show x"
    );
    assert_eq!(anthropic.auth, Some(Auth::Bearer));
    assert_eq!(anthropic.model("claude-sonnet-5", None).unwrap().price.input, Some(1.0));
    assert_eq!(row(ollama), "http://localhost:11434/v1 chat key ollama");
    assert_eq!(
        serde_json::Value::Object(ollama.dialect.clone()),
        json!({"system_role": "system", "effort": "none"})
    );
    let llama = ollama.model("llama3.1:8b", None).unwrap();
    assert_eq!(
        (llama.window, llama.max_output, llama.vision, llama.reasoning),
        (Some(128_000), Some(32_000), Some(false), Some(false))
    );
    assert_eq!(llama.price.output, Some(0.0));
    let qwen = ollama.model("qwen3", None).unwrap();
    assert_eq!(qwen.vision, Some(true));
    assert_eq!(
        qwen.efforts,
        BTreeMap::from([(Effort::None, None), (Effort::Low, Some(Effort::Medium))])
    );
    assert_eq!(
        serde_json::Value::Object(qwen.dialect),
        json!({"output_limit": "max_completion_tokens", "effort": "reasoning_object"})
    );
    assert_eq!(
        serde_json::Value::Object(qwen.extra_body),
        json!({
            "provider": {"only": ["groq"]},
            "providerOptions": {"gateway": {"order": ["a"]}},
            "chat_template_kwargs": {"enable_thinking": false},
        })
    );
    expect![[r"
        HOME/models.json:11:67: `providers.ollama.models[1].thinkingLevelMap.xhigh` has the unknown effort `ultra`; expected one of none, minimal, low, medium, high, xhigh, max
        HOME/models.json:12:102: `providers.ollama.models[1].compat.supportsStrictMode` is unknown and ignored
        HOME/models.json:22:44: `providers.cloud.api` is `bedrock-converse-stream`, which is not supported, so the entry is ignored; expected one of messages, chat, responses, gemini"]].assert_eq(&config.warnings.join("\n"));
}

#[test]
fn files_lie_over_each_other_field_by_field() {
    let files = [
        (
            "config.toml",
            "models_files = [\"~/pi.json\", \"$NOWHERE/x.json\", \"no.json\"]\n\
             [providers.own]\nkey = \"from config\"\nheaders = { A = \"config\" }\n\
             models.m = { window = 3, price = { output = 9 } }\n",
        ),
        (
            "models.json",
            r#"{"providers": {"own": {"key": "from models", "base_url": "http://models",
                "headers": {"a": "models", "b": "models"}, "models": {"m": {"window": 2, "max_output": 2}}}}}"#,
        ),
        (
            "pi.json",
            r#"{"providers": {"own": {"baseUrl": "http://pi", "api": "openai-completions",
                "models": [{"id": "m", "contextWindow": 1, "name": "pi", "cost": {"input": 1, "output": 1}}]},
                "other": {"baseUrl": "http://other"}}}"#,
        ),
    ];
    let config = load_files(&files, &[]).unwrap();
    let own = &config.providers["own"];
    assert_eq!(row(own), "http://models chat key from config b=models A=config");
    let model = own.model("m", None).unwrap();
    assert_eq!(
        (model.name.as_deref(), model.window, model.max_output),
        (Some("pi"), Some(3), Some(2))
    );
    assert_eq!((model.price.input, model.price.output), (Some(1.0), Some(9.0)));
    let files = ["HOME/pi.json", "HOME/models.json", "HOME/config.toml"].map(PathBuf::from);
    assert_eq!((&own.files[..], &model.files[..]), (&files[..], &files[..]));
    assert_eq!(row(&config.providers["other"]), "http://other");
    assert_eq!(
        config.warnings,
        [
            "HOME/config.toml: `models_files` uses NOWHERE, which is not set: `$NOWHERE/x.json` is not read",
            "HOME/config.toml: `models_files` lists HOME/no.json, which does not exist",
        ]
    );
}

#[test]
fn a_file_of_pis_is_not_read_unless_it_is_named() {
    let config = load_files(&[], &[("PI_CODING_AGENT_DIR", "/nowhere")]).unwrap();
    let read: Vec<_> = config.files.iter().filter_map(|file| file.path.file_name()).collect();
    assert_eq!(read, ["config.toml", "models.json"]);
}

#[test]
fn invalid_values_are_reported_with_file_path_and_expected_value() {
    let of = |provider: &str| format!(r#"{{"providers": {{"x": {provider}}}}}"#);
    let rows = [
        "[1]".to_owned(),
        r#"{"providers": []}"#.to_owned(),
        of("7"),
        of(r#"{"baseUrl": 7}"#),
        of(r#"{"api": 7}"#),
        of(r#"{"apiKey": "! "}"#),
        of(r#"{"authHeader": "yes"}"#),
        of(r#"{"auth": "basic"}"#),
        of(r#"{"headers": {"a": 1}}"#),
        of(r#"{"key_expires_s": 0}"#),
        of(r#"{"login": {"token_url": "http://h/token"}}"#),
        of(r#"{"store": "yes"}"#),
        of(r#"{"output_limit": "most"}"#),
        of(r#"{"effort": 1}"#),
        of(r#"{"compat": {"maxTokensField": "most"}}"#),
        of(r#"{"compat": {"supportsStore": 1}}"#),
        of(r#"{"models": 1}"#),
        of(r#"{"models": [{}]}"#),
        of(r#"{"models": [{"id": "m", "contextWindow": "1M"}]}"#),
        of(r#"{"models": {"m": {"price": {"input": -1}}}}"#),
        of(r#"{"models": {"m": {"efforts": {"low": 3}}}}"#),
        of(r#"{"models": {"m": {"profile": "mine"}}}"#),
        of(r#"{"models": {"m": {"input": "text"}}}"#),
    ];
    let told = rows.map(|text| load_files(&[("models.json", &text)], &[]).unwrap_err());
    expect![[r#"
        HOME/models.json:1:1: the file must be { "providers": { … } }
        HOME/models.json:1:15: `providers` must be tables: [providers.NAME]
        HOME/models.json:1:21: `providers.x` must be a table
        HOME/models.json:1:33: `providers.x.baseUrl` must be a quoted string
        HOME/models.json:1:29: `providers.x.api` must be one of "messages", "chat", "responses", "gemini"
        HOME/models.json:1:32: `providers.x.apiKey` must be a command after the !
        HOME/models.json:1:36: `providers.x.authHeader` must be true or false
        HOME/models.json:1:30: `providers.x.auth` must be one of "bearer", "x-api-key", "api-key", "x-goog-api-key"
        HOME/models.json:1:39: `providers.x.headers.a` must be a quoted string
        HOME/models.json:1:39: `providers.x.key_expires_s` must be a whole number of at least 1
        HOME/models.json:1:45: `providers.x.login.token_url` must be a URL with https, or one of this machine
        HOME/models.json:1:31: `providers.x.store` must be true or false
        HOME/models.json:1:38: `providers.x.output_limit` must be "max_tokens" or "max_completion_tokens"
        HOME/models.json:1:32: `providers.x.effort` must be a quoted string
        HOME/models.json:1:51: `providers.x.compat.maxTokensField` must be "max_tokens" or "max_completion_tokens"
        HOME/models.json:1:50: `providers.x.compat.supportsStore` must be true or false
        HOME/models.json:1:32: `providers.x.models` must be a table or a list of tables
        HOME/models.json:1:33: `providers.x.models[0]` must be a table with the model's `id`
        HOME/models.json:1:62: `providers.x.models[0].contextWindow` must be a whole number of at least 1
        HOME/models.json:1:58: `providers.x.models.m.price.input` must be US dollars per million tokens, 0 or more
        HOME/models.json:1:58: `providers.x.models.m.efforts.low` must be one of "none", "minimal", "low", "medium", "high", "xhigh", "max" or false
        HOME/models.json:1:50: `providers.x.models.m.profile` must be one of pi, anthropic, openai, gemini, qwen, kimi, glm, deepseek, mistral
        HOME/models.json:1:48: `providers.x.models.m.input` must be a list of strings"#]].assert_eq(&told.join("\n"));
}

#[test]
fn unknown_fields_are_warnings() {
    let file = r#"{"version": 3, "providers": {"x": {"colour": 1, "models": [
        {"id": "m", "colour": 1, "price": {"input": 1, "gold": 2}}]}}}"#;
    let config = load_files(&[("models.json", file)], &[]).unwrap();
    expect![[r"
        HOME/models.json:1:2: `version` is unknown and ignored
        HOME/models.json:1:36: `providers.x.colour` is unknown and ignored
        HOME/models.json:2:21: `providers.x.models[0].colour` is unknown and ignored
        HOME/models.json:2:56: `providers.x.models[0].price.gold` is unknown and ignored
        HOME/models.json: `providers.x.models.m.price` needs both `input` and `output`; the price is unknown without them"]].assert_eq(&config.warnings.join("\n"));
}

#[test]
fn comments_and_trailing_commas_are_read_and_other_extensions_are_not() {
    let read = |text: &str| load_files(&[("models.json", text)], &[]).map(|_| ());
    for text in [
        "{}",
        "\u{feff}{\"providers\": {},} // ä",
        "{/* one\n two */ \"providers\": {\"x\": {\"baseUrl\": \"http://x/*,}\"},},}",
    ] {
        assert!(read(text).is_ok(), "{text}");
    }
    for text in
        ["{providers: {}}", "{'providers': {}}", "{\"a\": 0x1}", "{,}", "{\"a\": 1 \"b\": 2}"]
    {
        assert!(read(text).is_err(), "{text}");
    }
}
