//! Clouds that serve models from several makers: each model uses its maker's API, with the cloud's URLs and bodies.
//!
//! The model name determines the API, so users write only `bedrock/ID` or `vertex/ID`. Pure.
//!
//! Source: PyPI anthropic 2.12.0 (`lib/bedrock`, `lib/vertex`), npm @google/genai 3.1.0, docs.aws.amazon.com/bedrock, read 2026-11.
//!
//! A cloud is a dialect, not an API: Bedrock and Vertex serve each maker's API with different URLs, bodies and frames, so encoders and
//! decoders do not know about them. Signing needs the body's bytes, so it happens when the request is assembled.

use super::aws;
use super::catalog::Api;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A cloud.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cloud {
    /// Amazon Bedrock: Claude by `invoke-with-response-stream`, others by its Chat endpoint.
    Bedrock,
    /// Google's Vertex: Claude by `streamRawPredict`, Gemini by its own API.
    Vertex,
}

impl Cloud {
    /// Returns the API for a model in a cloud whose endpoint is configured with `api`.
    pub(super) fn api(self, api: Api, model: &str) -> Api {
        let is_claude = match self {
            Self::Bedrock => model.contains("anthropic."),
            Self::Vertex => model.rsplit('/').next().is_some_and(|id| id.starts_with("claude")),
        };
        if is_claude { Api::Messages } else { api }
    }

    /// Returns true if the response uses Amazon's frames rather than server-sent events.
    pub(super) fn is_framed(self, api: Api) -> bool {
        self == Self::Bedrock && api == Api::Messages
    }

    /// Returns the base URL without the API-specific part.
    pub(super) fn root(self, base: &str) -> &str {
        let ends: &[&str] = match self {
            Self::Bedrock => &["/chat/completions", "/responses", "/openai/v1"],
            Self::Vertex => &["/publishers/google/models", "/publishers/anthropic/models"],
        };
        let slashless = base.trim_end_matches('/');
        ends.iter().fold(slashless, |base, end| base.strip_suffix(end).unwrap_or(base))
    }

    /// Returns the URL below a root, without the query; `None` if it is built as for any other server.
    pub(super) fn url(self, api: Api, root: &str, model: &str) -> Option<String> {
        match (self, api) {
            (Self::Bedrock, Api::Messages) => {
                let model = aws::encode_model(model);
                Some(format!("{root}/model/{model}/invoke-with-response-stream"))
            }
            (Self::Bedrock, Api::Chat) => Some(format!("{root}/openai/v1/chat/completions")),
            (Self::Bedrock, Api::Responses) => Some(format!("{root}/openai/v1/responses")),
            (Self::Vertex, Api::Messages) => {
                let model = model.rsplit('/').next().unwrap_or(model);
                Some(format!("{root}/publishers/anthropic/models/{model}:streamRawPredict"))
            }
            (Self::Vertex, Api::Gemini) => {
                let model = model.rsplit('/').next().unwrap_or(model);
                Some(format!(
                    "{root}/publishers/google/models/{model}:streamGenerateContent?alt=sse"
                ))
            }
            (Self::Bedrock, Api::Gemini) | (Self::Vertex, Api::Chat | Api::Responses) => None,
        }
    }

    /// Converts a body to the cloud's form: the model is in the URL, the version in the body. Amazon takes the betas
    /// there too.
    pub(super) fn wrap(self, api: Api, mut body: Value, betas: Option<&str>) -> Value {
        if let (Api::Messages, Value::Object(fields)) = (api, &mut body) {
            fields.shift_remove("model");
            let version = match self {
                Self::Bedrock => {
                    fields.shift_remove("stream");
                    if let Some(betas) = betas {
                        let betas: Vec<&str> = betas.split(',').map(str::trim).collect();
                        fields.insert("anthropic_beta".to_owned(), json!(betas));
                    }
                    "bedrock-2023-05-31"
                }
                Self::Vertex => "vertex-2023-10-16",
            };
            fields.insert("anthropic_version".to_owned(), json!(version));
        }
        body
    }
}

/// Returns Google's host for a location: some locations are not regions and have separate hosts.
pub(super) fn vertex_host(url: &str) -> String {
    let mut url = url.to_owned();
    for (wrong, right) in [
        ("://global-aiplatform.googleapis.com", "://aiplatform.googleapis.com"),
        ("://us-aiplatform.googleapis.com", "://aiplatform.us.rep.googleapis.com"),
        ("://eu-aiplatform.googleapis.com", "://aiplatform.eu.rep.googleapis.com"),
    ] {
        url = url.replacen(wrong, right, 1);
    }
    url
}

#[cfg(test)]
mod tests;
