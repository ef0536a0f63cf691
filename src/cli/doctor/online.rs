//! `pintle doctor --online`: requests the model list from the model's server. That is free, and shows whether the server answers, whether
//! it accepts the key and whether it has the model.

use crate::cli::args::Settings;
use crate::cli::assemble;
use pintle_agent::config::Config;
use pintle_base::ambient::Ambient;
use pintle_base::text::hosts::leads_to_loopback;
use pintle_base::text::visible::visible_line;
use pintle_llm::http::{Http, SmallRequest, SmallResponse, Timeouts};
use pintle_llm::{Endpoint, ModelRef};
use serde_json::Value;
use std::fmt::Write;
use std::time::Duration;

/// The time for an answer. A server on this machine may be loading a model.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum number of a local server's models that are listed.
const MAX_LISTED: usize = 40;

/// The number of characters of an error that are shown.
const MAX_CHARS: usize = 300;

/// Returns the lines to print, and whether a turn could start.
pub(super) async fn ask(
    settings: &Settings,
    config: &Config,
    ambient: &Ambient,
) -> anyhow::Result<(String, bool)> {
    let mut out = String::new();
    if settings.script.is_some() || settings.replay.is_some() {
        return Ok(("online    skipped: responses come from a file\n".to_owned(), true));
    }
    let Some(model) = &config.settings.model else {
        return Ok(("online    skipped: no model set\n".to_owned(), false));
    };
    let model: ModelRef = model.value.parse().map_err(anyhow::Error::msg)?;
    let models = assemble::configured_models(settings, config, ambient)?;
    let endpoint = match models.endpoint(&model) {
        Ok(endpoint) => endpoint,
        Err(error) => return Ok((format!("online    {}\n", error.message), false)),
    };
    let Some(url) = endpoint.models_url() else {
        let what =
            "this cloud has no model list: run `pintle run --no-session \"Say yes\"` to test it";
        return Ok((format!("online    {what}\n"), true));
    };
    let timeouts = Timeouts { first_byte: TIMEOUT, idle: TIMEOUT, ..Timeouts::default() };
    let http = Http::new(timeouts).behind(assemble::network(config, ambient));
    let headers = endpoint.request_headers();
    let answer = http.small(SmallRequest { headers, ..SmallRequest::get(&url) }).await;
    let is_ready = match answer {
        Err(error) => {
            writeln!(out, "online    {}", error.message)?;
            if let Some(hint) = error.hint {
                writeln!(out, "          {hint}")?;
            }
            false
        }
        Ok(answer) => tell(&mut out, &answer, &endpoint, &model, &url)?,
    };
    Ok((out, is_ready))
}

/// Describes an answer. Returns false if no turn could start.
fn tell(
    out: &mut String,
    answer: &SmallResponse,
    endpoint: &Endpoint,
    model: &ModelRef,
    url: &str,
) -> Result<bool, std::fmt::Error> {
    let server = endpoint.shown_url();
    let said = || {
        let text = String::from_utf8_lossy(&answer.body);
        let line: String = visible_line(text.trim()).chars().take(MAX_CHARS).collect();
        line
    };
    match answer.status {
        200 => {}
        401 | 403 => {
            writeln!(
                out,
                "online    {server} responds but rejects the key ({}): {}",
                answer.status,
                said()
            )?;
            return Ok(false);
        }
        404 | 405 | 501 => {
            writeln!(
                out,
                "online    {server} responds but has no model list, so key and model were not checked"
            )?;
            return Ok(true);
        }
        status => {
            writeln!(out, "online    {server} responds with {status}: {}", said())?;
            return Ok(false);
        }
    }
    let Some(names) = names(&answer.body) else {
        writeln!(out, "online    {server} responds, but not like a model API: {}", said())?;
        return Ok(false);
    };
    let has_it = names.iter().any(|name| is_model(name, &model.id));
    let key = if endpoint.key.is_some() { ", accepts the key" } else { "" };
    if has_it {
        writeln!(out, "online    {server} responds{key} and has {}", model.id)?;
    } else {
        writeln!(out, "online    {server} responds{key} but does not list {}", model.id)?;
    }
    if leads_to_loopback(url) || !has_it {
        for name in names.iter().take(MAX_LISTED) {
            writeln!(out, "          {}", visible_line(name))?;
        }
        if names.len() > MAX_LISTED {
            writeln!(out, "          and {} more", names.len() - MAX_LISTED)?;
        }
        if names.is_empty() {
            writeln!(out, "          it lists no models")?;
        }
    }
    // A local server has only the models that it lists; others may have more.
    Ok(has_it || !leads_to_loopback(url))
}

/// Returns the names in a model list, in the form of OpenAI, Anthropic and most others, or of Gemini.
fn names(body: &[u8]) -> Option<Vec<String>> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let list =
        ["data", "models"].iter().find_map(|key| value.get(key)?.as_array()).or(value.as_array())?;
    let name = |model: &Value| {
        let name = ["id", "name", "model"].iter().find_map(|key| model.get(key)?.as_str())?;
        Some(name.strip_prefix("models/").unwrap_or(name).to_owned())
    };
    Some(list.iter().filter_map(name).collect())
}

/// Returns true for a model's name; Ollama's names have a tag, which is `latest` if it is left out.
fn is_model(name: &str, id: &str) -> bool {
    name == id || name.strip_suffix(":latest") == Some(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_llm::Api;

    #[test]
    fn an_answer_says_whether_server_key_and_model_are_right() {
        let list = r#"{"data": [{"id": "qwen3:latest"}, {"id": "m-2"}]}"#;
        for (name, status, body, model, words, is_ready) in [
            ("listed", 200, list, "local/m-2", "responds, accepts the key and has m-2", true),
            ("with a tag", 200, list, "local/qwen3", "and has qwen3", true),
            (
                "another",
                200,
                list,
                "local/m-3",
                "does not list m-3\n          qwen3:latest\n",
                false,
            ),
            ("none", 200, r#"{"data": []}"#, "local/m-3", "it lists no models", false),
            (
                "Gemini's form",
                200,
                r#"{"models": [{"name": "models/g"}]}"#,
                "local/g",
                "has g",
                true,
            ),
            (
                "a refused key",
                401,
                r#"{"error": "bad key"}"#,
                "local/m",
                "rejects the key (401): {\"error\"",
                false,
            ),
            ("no list", 404, "not found", "local/m", "no model list", true),
            ("an error", 500, "oops", "local/m", "responds with 500: oops", false),
            ("a web page", 200, "<html>", "local/m", "not like a model API", false),
        ] {
            let mut endpoint = Endpoint::new("local", Api::Chat, "http://127.0.0.1:9/v1");
            endpoint.key = Some(pintle_base::ambient::Secret::new("k"));
            let answer = SmallResponse { status, body: body.as_bytes().to_vec() };
            let (model, url) = (model.parse().unwrap(), endpoint.models_url().unwrap());
            let mut out = String::new();
            let got = tell(&mut out, &answer, &endpoint, &model, &url).unwrap();
            assert!(out.contains(words), "{name}: {out}");
            assert_eq!(got, is_ready, "{name}: {out}");
        }
    }
}
