//! Parts of requests that a server refuses: optional fields, and tools whose schema it rejects. They are omitted, and the request is sent
//! again.
//!
//! A refusal is remembered for the model as long as the process runs. The user's fields (`extra_body`) are never omitted.

mod tools;

use super::error::{Error, ErrorKind};
use pintle_base::text::words::contains_name;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
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

/// A part that is omitted because a server has refused it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Omission {
    /// An optional field.
    Field {
        /// Its name.
        name: &'static str,
        /// The setting of the provider that omits it from the first request on, in TOML; `None` if there is none.
        setting: Option<&'static str>,
    },
    /// Earlier reasoning, which the server could not read.
    Reasoning,
    /// A tool whose schema was rejected.
    Tool {
        /// Its name.
        name: String,
        /// The server's reason.
        reason: String,
    },
}

/// What is omitted for a provider's models.
#[derive(Debug, Default)]
pub(super) struct Omissions(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    by_model: BTreeMap<String, Refused>,
    untold: Vec<Omission>,
}

#[derive(Debug, Default)]
struct Refused {
    fields: BTreeSet<&'static str>,
    tools: BTreeSet<String>,
}

/// Request parts that a server may refuse.
#[derive(Debug)]
pub(super) struct Omittable {
    fields: Vec<&'static str>,
    /// Tool names, in request order.
    tools: Vec<Option<String>>,
}

impl Omissions {
    /// Removes a model's refused parts from a request's body, and returns the others that can be omitted. `own` are the user's fields.
    pub(super) fn remove_from(
        &self,
        model: &str,
        body: &mut Value,
        own: &Map<String, Value>,
    ) -> Omittable {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(refused) = state.by_model.get(model) {
            if let Value::Object(fields) = &mut *body {
                fields.retain(|name, _| !refused.fields.contains(name.as_str()));
            }
            tools::remove(body, &refused.tools);
        }
        let can_omit = |name: &&str| body.get(*name).is_some() && !own.contains_key(*name);
        let fields = OPTIONAL.iter().map(|(name, _)| *name).filter(can_omit).collect();
        Omittable { fields, tools: tools::names(body) }
    }

    /// Learns from the error for a request with these parts which one to omit; returns true if it should be sent again.
    pub(super) fn learn(&self, model: &str, sent: &Omittable, error: &Error) -> bool {
        let is_refusal = error.kind == ErrorKind::InvalidRequest
            && matches!(error.status, Some(400 | 404 | 415 | 422 | 501));
        // The message follows the provider's name.
        let Some((_, text)) = error.message.split_once(": ").filter(|_| is_refusal) else {
            return false;
        };
        let lower = text.to_ascii_lowercase();
        let is_refused = |(name, _): &&(&str, Option<&str>)| {
            sent.fields.contains(name) && contains_name(&lower, name)
        };
        let is_about_fields = REFUSALS.iter().any(|words| lower.contains(words));
        let field = OPTIONAL.iter().find(is_refused).filter(|_| is_about_fields);
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let State { by_model, untold } = &mut *state;
        let refused = by_model.entry(model.to_owned()).or_default();
        if let Some(name) = tools::refused(text, &sent.tools) {
            refused.tools.insert(name.to_owned());
            untold.push(Omission::Tool { name: name.to_owned(), reason: text.to_owned() });
            return true;
        }
        let Some(&(name, setting)) = field else { return false };
        refused.fields.insert(name);
        untold.push(Omission::Field { name, setting });
        true
    }

    /// Records an omission that was decided elsewhere.
    pub(super) fn add(&self, omission: Omission) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).untold.push(omission);
    }

    /// Returns the refusals since the last call.
    pub(super) fn take_untold(&self) -> Vec<Omission> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut state.untold)
    }
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
            let refused = Omissions::default();
            let own = json!({ "top_p": 1 });
            let mut error =
                Error::new(ErrorKind::InvalidRequest, format!("own answered {status}: {text}"));
            error.status = Some(status);
            let own = own.as_object().unwrap();
            let sent = refused.remove_from("m", &mut body.clone(), own);
            let is_sent_again = refused.learn("m", &sent, &error);
            let told = refused.take_untold().into_iter().map(|omission| match omission {
                Omission::Field { name, .. } => name,
                Omission::Tool { .. } | Omission::Reasoning => "another part",
            });
            let told: Vec<&str> = told.collect();
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
