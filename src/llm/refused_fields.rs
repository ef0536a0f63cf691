//! Optional fields of requests that a server refuses: they are omitted, and the request is sent again.
//!
//! A refusal is remembered for the model as long as the process runs. The user's own fields (`extra_body`) are never omitted.

use super::error::{Error, ErrorKind};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The optional fields, each with the provider setting that omits it for good, if there is one.
const OPTIONAL: &[(&str, Option<&str>)] = &[
    ("stream_options", Some("include_usage = false")),
    ("reasoning_effort", Some("effort = \"none\"")),
    ("reasoning", Some("effort = \"none\"")),
    ("store", Some("store = false")),
    ("prompt_cache_key", Some("prompt_cache_key = false")),
    ("max_completion_tokens", Some("output_limit = \"max_tokens\"")),
    ("max_output_tokens", None),
    ("parallel_tool_calls", None),
    ("response_format", None),
    ("service_tier", None),
    ("include", None),
    ("truncation", None),
    ("text", None),
    ("temperature", None),
    ("top_p", None),
    ("thinking", None),
    ("output_config", None),
    ("cache_control", None),
    ("context_management", None),
];

/// Phrases that mark a refusal. Source: error bodies of gateways and local servers quoted in public issues, up to 2026-11.
const REFUSALS: &[&str] = &[
    "unsupported",
    "not supported",
    "not support",
    "unknown",
    "unrecognized",
    "unexpected",
    "extra inputs",
    "extra fields",
    "additional property",
    "additional properties",
    "not permitted",
    "not allowed",
    "invalid param",
    "invalid field",
    "no such",
];

/// An optional field that a server has refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedField {
    /// Its name.
    pub name: &'static str,
    /// The setting of the provider that omits it from the first request on, in TOML; `None` if there is none.
    pub setting: Option<&'static str>,
}

/// The refused fields of a provider's models.
#[derive(Debug, Default)]
pub(super) struct RefusedFields(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    by_model: BTreeMap<String, Vec<&'static str>>,
    untold: Vec<RefusedField>,
}

impl RefusedFields {
    /// Removes a model's refused fields from a request's body, and returns its other optional fields. `own` are the user's fields.
    pub(super) fn remove_from(
        &self,
        model: &str,
        body: &mut Value,
        own: &Map<String, Value>,
    ) -> Vec<&'static str> {
        let Value::Object(fields) = body else { return Vec::new() };
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(refused) = state.by_model.get(model) {
            fields.retain(|name, _| !refused.contains(&name.as_str()));
        }
        let names = OPTIONAL.iter().map(|(name, _)| *name);
        names.filter(|name| fields.contains_key(*name) && !own.contains_key(*name)).collect()
    }

    /// Learns from the error for a request with these optional fields which one to omit; returns true if it should be sent again.
    pub(super) fn learn(&self, model: &str, sent: &[&'static str], error: &Error) -> bool {
        let is_refusal = error.kind == ErrorKind::InvalidRequest
            && matches!(error.status, Some(400 | 404 | 415 | 422 | 501));
        // The message follows the provider's name.
        let Some((_, text)) = error.message.split_once(": ").filter(|_| is_refusal) else {
            return false;
        };
        let text = text.to_ascii_lowercase();
        if !REFUSALS.iter().any(|words| text.contains(words)) {
            return false;
        }
        let is_refused =
            |(name, _): &&(&str, Option<&str>)| sent.contains(name) && has_word(&text, name);
        let Some(&(name, setting)) = OPTIONAL.iter().find(is_refused) else { return false };
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.by_model.entry(model.to_owned()).or_default().push(name);
        state.untold.push(RefusedField { name, setting });
        true
    }

    /// Returns the refusals since the last call.
    pub(super) fn take_untold(&self) -> Vec<RefusedField> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut state.untold)
    }
}

/// Returns true if a text contains a name, not as a part of a longer one.
fn has_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (text.get(..at), text.get(at + name.len()..));
        !before.is_some_and(|before| before.ends_with(is_part))
            && !after.is_some_and(|after| after.starts_with(is_part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_field_that_a_server_refuses_is_omitted() {
        let body = json!({
            "model": "m", "messages": [], "stream": true, "tools": [],
            "stream_options": {}, "reasoning_effort": "high", "store": false, "user": "u",
            "prompt_cache_key": "k", "top_p": 1
        });
        for (status, text, want) in [
            (400, "Unsupported parameter(s): `stream_options`", Some("stream_options")),
            (
                422,
                "body.reasoning_effort: Extra inputs are not permitted",
                Some("reasoning_effort"),
            ),
            (400, "Unrecognized request argument supplied: store", Some("store")),
            (400, "Unknown parameter: 'prompt_cache_key'.", Some("prompt_cache_key")),
            (400, "property 'reasoning_effort' is unsupported", Some("reasoning_effort")),
            // A field that the user added.
            (400, "Unknown parameter: 'top_p'.", None),
            // Not optional, or not sent.
            (400, "m does not support tools", None),
            (400, "Unknown parameter: 'messages'.", None),
            (400, "Unknown parameter: 'service_tier'.", None),
            // A part of another name, or no refusal.
            (400, "unknown field stream_options_x", None),
            (400, "store is full", None),
            (500, "Unsupported parameter(s): `stream_options`", None),
        ] {
            let refused = RefusedFields::default();
            let own = json!({ "top_p": 1 });
            let mut error =
                Error::new(ErrorKind::InvalidRequest, format!("own answered {status}: {text}"));
            error.status = Some(status);
            let own = own.as_object().unwrap();
            let sent = refused.remove_from("m", &mut body.clone(), own);
            let is_sent_again = refused.learn("m", &sent, &error);
            let told: Vec<&str> = refused.take_untold().iter().map(|field| field.name).collect();
            assert_eq!(
                (is_sent_again, told),
                (want.is_some(), want.into_iter().collect()),
                "{text}"
            );
            for (model, is_omitted) in [("m", true), ("other", false)] {
                let mut next = body.clone();
                let sent = refused.remove_from(model, &mut next, own);
                let gone = want.filter(|_| is_omitted).map_or(0, |_| 1);
                assert_eq!(
                    next.as_object().unwrap().len(),
                    body.as_object().unwrap().len() - gone,
                    "{text}"
                );
                // What is omitted cannot be refused again.
                assert_eq!(
                    refused.learn(model, &sent, &error),
                    want.is_some() && !is_omitted,
                    "{text}"
                );
            }
        }
    }
}
