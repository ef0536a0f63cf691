//! Context size that a local server gives a model, which is often far smaller than the model's maximum, and beyond which some servers
//! truncate silently.
//!
//! Source: each server's documentation, 2026-11. Ollama reports the context of loaded models (`/api/ps`) and a model file's `num_ctx`
//! (`/api/show`), llama.cpp that of a slot (`/props`), LM Studio that of a loaded model (`/api/v0/models`), vLLM and SGLang
//! `max_model_len` in their model lists.

use super::endpoint::Endpoint;
use super::http::{SmallBody, SmallRequest};
use super::wire::Wire;
use pintle_base::text::hosts::leads_to_loopback;
use serde_json::{Value, json};
use std::time::Duration;

/// Response timeout. The context size is not worth a longer wait.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Context that a server gives a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServedWindow {
    /// Its size in tokens.
    pub tokens: u64,
    /// User-facing server name.
    pub server: &'static str,
    /// Remedy: how to get a larger context.
    pub remedy: &'static str,
}

/// Server that can report its context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LocalServer {
    Ollama,
    LlamaCpp,
    LmStudio,
    Vllm,
    Sglang,
}

impl LocalServer {
    /// Returns the server behind an endpoint, by its name in the catalogue or by its usual port on this machine.
    fn detect(endpoint: &Endpoint) -> Option<Self> {
        match endpoint.name.as_str() {
            "ollama" => return Some(Self::Ollama),
            "llamacpp" | "llama-server" => return Some(Self::LlamaCpp),
            "lmstudio" => return Some(Self::LmStudio),
            "vllm" => return Some(Self::Vllm),
            "sglang" => return Some(Self::Sglang),
            _ => {}
        }
        let url = &endpoint.base_url;
        let (_, rest) = url.split_once("://").filter(|_| leads_to_loopback(url))?;
        let place = rest.split(['/', '?']).next().unwrap_or_default();
        match place.rsplit_once(':')?.1 {
            "11434" => Some(Self::Ollama),
            "8080" | "9931" => Some(Self::LlamaCpp),
            "1234" => Some(Self::LmStudio),
            "8000" => Some(Self::Vllm),
            "30000" => Some(Self::Sglang),
            _ => None,
        }
    }

    fn window(self, tokens: u64) -> ServedWindow {
        let (server, remedy) = match self {
            Self::Ollama => (
                "Ollama",
                "set OLLAMA_CONTEXT_LENGTH for `ollama serve`, or `num_ctx` in the model's file",
            ),
            Self::LlamaCpp => (
                "llama.cpp",
                "start `llama-server` with a larger `--ctx-size`, which its `--parallel` slots share",
            ),
            Self::LmStudio => ("LM Studio", "load the model with a larger context length"),
            Self::Vllm => ("vLLM", "start vLLM with a larger `--max-model-len`"),
            Self::Sglang => ("SGLang", "start SGLang with a larger `--context-length`"),
        };
        ServedWindow { tokens, server, remedy }
    }
}

/// Returns true for a server that is asked for its contexts. No key is fetched for other servers.
pub(super) fn is_asked(endpoint: &Endpoint) -> bool {
    LocalServer::detect(endpoint).is_some()
}

/// Asks a local server for a model's context size; `None` if the server is not local or does not report it.
pub async fn served_window(
    wire: &dyn Wire,
    endpoint: &Endpoint,
    model: &str,
) -> Option<ServedWindow> {
    let server = LocalServer::detect(endpoint)?;
    let models = endpoint.models_url()?;
    let root = models.strip_suffix("/models")?;
    let root = root.strip_suffix("/v1").unwrap_or(root);
    let ask = async |url: String, body: Option<Value>| {
        let request = match body {
            None => SmallRequest::get(&url),
            Some(body) => SmallRequest::post(&url, SmallBody::Json(body)),
        };
        let request = SmallRequest { headers: endpoint.request_headers(), ..request };
        let answer = tokio::time::timeout(TIMEOUT, wire.small(request)).await.ok()?.ok()?;
        let is_fine = answer.status == 200;
        is_fine.then(|| serde_json::from_slice::<Value>(&answer.body).ok()).flatten()
    };
    let found = match server {
        LocalServer::Ollama => {
            let loaded = ask(format!("{root}/api/ps"), None).await;
            let loaded = loaded.as_ref().and_then(|answer| of_loaded(answer, model));
            if loaded.is_some() {
                loaded
            } else {
                let shown = ask(format!("{root}/api/show"), Some(json!({"model": model})));
                shown.await.as_ref().and_then(num_ctx)
            }
        }
        LocalServer::LlamaCpp => {
            let props = ask(format!("{root}/props"), None).await?;
            props.pointer("/default_generation_settings/n_ctx").and_then(Value::as_u64)
        }
        LocalServer::LmStudio => {
            let answer = ask(format!("{root}/api/v0/models"), None).await?;
            of_list(&answer, model, "loaded_context_length")
        }
        LocalServer::Vllm | LocalServer::Sglang => {
            of_list(&ask(models.clone(), None).await?, model, "max_model_len")
        }
    };
    found.filter(|&tokens| tokens > 0).map(|tokens| server.window(tokens))
}

/// Returns a loaded model's context size. Names without a tag mean `latest`.
fn of_loaded(answer: &Value, model: &str) -> Option<u64> {
    let is_it = |name: &str| name.strip_suffix(":latest").unwrap_or(name) == untagged(model);
    let named = |entry: &&Value| {
        ["model", "name"]
            .iter()
            .any(|key| entry.get(key).and_then(Value::as_str).is_some_and(is_it))
    };
    answer.get("models")?.as_array()?.iter().find(named)?.get("context_length")?.as_u64()
}

fn untagged(model: &str) -> &str {
    model.strip_suffix(":latest").unwrap_or(model)
}

/// Returns the `num_ctx` of a model file: a line of its parameters.
fn num_ctx(answer: &Value) -> Option<u64> {
    let parameters = answer.get("parameters")?.as_str()?;
    let values = parameters.lines().filter_map(|line| line.trim().strip_prefix("num_ctx"));
    values.filter_map(|value| value.trim().parse().ok()).next_back()
}

/// Returns a number for the model with this name in a list.
fn of_list(answer: &Value, model: &str, field: &str) -> Option<u64> {
    let list = answer.get("data")?.as_array()?;
    let is_it = |entry: &&Value| entry.get("id").and_then(Value::as_str) == Some(model);
    list.iter().find(is_it)?.get(field)?.as_u64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Api;
    use crate::http::SmallResponse;
    use crate::wire::{WireRequest, WireResponse};
    use crate::{Error, ErrorKind};

    /// A server that answers these paths.
    #[derive(Debug)]
    struct Answers(&'static [(&'static str, &'static str)]);

    #[async_trait::async_trait]
    impl Wire for Answers {
        async fn send(&self, _: WireRequest) -> Result<WireResponse, Error> {
            Err(Error::new(ErrorKind::Network, "no model is asked"))
        }

        async fn small(&self, request: SmallRequest) -> Result<SmallResponse, Error> {
            let found = self.0.iter().find(|(path, _)| request.url.ends_with(path));
            Ok(match found {
                Some((_, body)) => SmallResponse { status: 200, body: body.as_bytes().to_vec() },
                None => SmallResponse { status: 404, body: b"not found".to_vec() },
            })
        }
    }

    #[tokio::test]
    async fn the_context_that_a_server_gives_a_model_is_asked_for() {
        const LOADED: &str = r#"{"models": [{"model": "other:latest", "context_length": 9},
            {"name": "m:latest", "model": "m:latest", "context_length": 4096}]}"#;
        const SHOWN: &str = r#"{"parameters": "stop \"x\"\nnum_ctx                        8192", "model_info": {"llama.context_length": 131072}}"#;
        const PROPS: &str = r#"{"default_generation_settings": {"n_ctx": 2048}, "total_slots": 4}"#;
        const STUDIO: &str = r#"{"data": [{"id": "m", "state": "loaded", "max_context_length": 32768, "loaded_context_length": 4096}]}"#;
        const UNLOADED: &str =
            r#"{"data": [{"id": "m", "state": "not-loaded", "max_context_length": 32768}]}"#;
        const SGLANG: &str = r#"{"object": "list", "data": [{"id": "m", "object": "model", "owned_by": "sglang", "root": "m", "parent": null, "max_model_len": 32768}]}"#;
        const VLLM: &str = r#"{"data": [{"id": "m", "max_model_len": 16384}]}"#;
        let here = "http://localhost:1/v1";
        for (what, name, url, answers, model, want) in [
            ("loaded", "ollama", here, &[("/api/ps", LOADED)][..], "m", Some(4096)),
            ("by its whole name", "ollama", here, &[("/api/ps", LOADED)], "m:latest", Some(4096)),
            ("another tag", "ollama", here, &[("/api/ps", LOADED)], "m:7b", None),
            ("not loaded", "ollama", here, &[("/api/show", SHOWN)], "m", Some(8192)),
            (
                "loaded beats its file",
                "ollama",
                here,
                &[("/api/show", SHOWN), ("/api/ps", LOADED)],
                "m",
                Some(4096),
            ),
            ("no file says", "ollama", here, &[("/api/show", "{}")], "m", None),
            (
                "an old Ollama",
                "ollama",
                here,
                &[("/api/ps", r#"{"models": [{"model": "m"}]}"#)],
                "m",
                None,
            ),
            ("a slot", "llamacpp", here, &[("localhost:1/props", PROPS)], "m", Some(2048)),
            ("the next default port", "llama-server", here, &[("/props", PROPS)], "m", Some(2048)),
            (
                "by the next default port",
                "local",
                "http://localhost:9931/v1",
                &[("/props", PROPS)],
                "m",
                Some(2048),
            ),
            ("no properties", "llamacpp", here, &[], "m", None),
            ("a web page", "llamacpp", here, &[("/props", "<html>")], "m", None),
            ("a loaded model", "lmstudio", here, &[("/api/v0/models", STUDIO)], "m", Some(4096)),
            ("not loaded yet", "lmstudio", here, &[("/api/v0/models", UNLOADED)], "m", None),
            ("SGLang", "sglang", here, &[("/v1/models", SGLANG)], "m", Some(32768)),
            ("vLLM", "vllm", here, &[("/v1/models", VLLM)], "m", Some(16384)),
            ("another model", "vllm", here, &[("/v1/models", VLLM)], "n", None),
            (
                "by the port",
                "local",
                "http://127.0.0.1:11434/v1/",
                &[("/api/ps", LOADED)],
                "m",
                Some(4096),
            ),
            (
                "another machine's port",
                "own",
                "http://h.test:11434/v1",
                &[("/api/ps", LOADED)],
                "m",
                None,
            ),
            (
                "an unknown server",
                "own",
                here,
                &[("/api/ps", LOADED), ("/props", PROPS)],
                "m",
                None,
            ),
            (
                "zero",
                "llamacpp",
                here,
                &[("/props", r#"{"default_generation_settings": {"n_ctx": 0}}"#)],
                "m",
                None,
            ),
        ] {
            let endpoint = Endpoint::new(name, Api::Chat, url);
            let window = served_window(&Answers(answers), &endpoint, model).await;
            assert_eq!(window.map(|window| window.tokens), want, "{what}");
        }
    }
}
