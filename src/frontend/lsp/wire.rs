//! The JSON of responses, errors and messages to the user, in this protocol's codes.

use crate::rpc::{HandlerResult, error_object, invalid_params, refusal};
use jsonrpsee::types::ErrorObjectOwned;
use ls_types as lsp;
use pintle_agent::Error;
use pintle_base::text::truncate::border_before;
use pintle_base::text::visible::visible;
use pintle_base::transport::envelope::{self, Id};
use pintle_protocol::error;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::path::PathBuf;

/// The code for a request before `initialize`.
const SERVER_NOT_INITIALIZED: i32 = -32002;

/// The code for a request that its client withdrew.
const REQUEST_CANCELLED: i32 = -32800;

/// The code for a request that is well-formed and cannot be carried out.
const REQUEST_FAILED: i32 = -32803;

/// The maximum length of a message that only informs, in bytes. Editors show it in a line or a box.
const MAX_MESSAGE_BYTES: usize = 4000;

/// Reads params; missing params count as an empty object.
pub(super) fn read<P: DeserializeOwned>(params: Option<&RawValue>) -> HandlerResult<P> {
    serde_json::from_str(params.map_or("{}", RawValue::get))
        .map_err(|error| invalid_params(&error.to_string()))
}

/// Returns the local path of a document or directory.
pub(super) fn file_path(uri: &lsp::Uri) -> Option<PathBuf> {
    let is_file = uri.scheme().as_str().eq_ignore_ascii_case("file");
    uri.to_file_path().filter(|_| is_file).map(std::borrow::Cow::into_owned)
}

pub(super) fn failed(message: &str, hint: &str) -> ErrorObjectOwned {
    refusal(REQUEST_FAILED, message, "requestFailed", hint)
}

/// Converts a refusal of the engine's.
pub(super) fn refused(error: &Error) -> ErrorObjectOwned {
    let text = with_hint(&error.message, error.hint.as_ref());
    error_object(REQUEST_FAILED, &text, "requestFailed", None)
}

pub(super) fn not_initialized() -> ErrorObjectOwned {
    let message = "the connection is not initialized";
    refusal(SERVER_NOT_INITIALIZED, message, "notInitialized", "send `initialize` first")
}

pub(super) fn invalid_request(message: &str, hint: &str) -> ErrorObjectOwned {
    refusal(error::INVALID_REQUEST, message, "invalidRequest", hint)
}

pub(super) fn cancelled() -> ErrorObjectOwned {
    let message = "the request was cancelled before it started";
    error_object(REQUEST_CANCELLED, message, "requestCancelled", None)
}

/// Returns a message with its next step, if there is one.
pub(super) fn with_hint(message: &str, hint: Option<&impl std::fmt::Display>) -> String {
    hint.map_or_else(|| message.to_owned(), |hint| format!("{message} ({hint})"))
}

/// Writes a message to the user, cut to a length that editors show.
pub(super) fn show(typ: lsp::MessageType, text: &str) -> Vec<u8> {
    let message = cut(&visible(text)).into_owned();
    envelope::notification("window/showMessage", &lsp::ShowMessageParams { typ, message })
}

/// Writes a message to the editor's log.
pub(super) fn log(text: &str) -> Vec<u8> {
    let message = cut(&visible(text)).into_owned();
    let params = lsp::LogMessageParams { typ: lsp::MessageType::INFO, message };
    envelope::notification("window/logMessage", &params)
}

fn cut(text: &str) -> std::borrow::Cow<'_, str> {
    if text.len() <= MAX_MESSAGE_BYTES {
        return text.into();
    }
    let end = border_before(text, MAX_MESSAGE_BYTES);
    format!("{}…", text.get(..end).unwrap_or_default()).into()
}

/// Writes a request without params.
pub(super) fn bare_request(id: &str, method: &str) -> Vec<u8> {
    serde_json::to_vec(&serde_json::json!({"jsonrpc": "2.0", "id": id, "method": method}))
        .unwrap_or_default()
}

/// Writes the withdrawal of one of our requests.
pub(super) fn withdrawal(id: String) -> Vec<u8> {
    let params = lsp::CancelParams { id: lsp::NumberOrString::String(id) };
    envelope::notification("$/cancelRequest", &params)
}

/// The client's response to a request: its result, or its error message.
pub(super) type Reply = Result<Box<RawValue>, String>;

/// Writes a request that shows a text and offers actions.
pub(super) fn ask<'a>(id: &str, text: &str, actions: impl IntoIterator<Item = &'a str>) -> Vec<u8> {
    let action = |title: &str| lsp::MessageActionItem {
        title: title.to_owned(),
        properties: HashMap::new(),
    };
    let params = lsp::ShowMessageRequestParams {
        typ: lsp::MessageType::WARNING,
        message: visible(text).into_owned(),
        actions: Some(actions.into_iter().map(action).collect()),
    };
    envelope::request(id, "window/showMessageRequest", &params)
}

/// Returns the chosen action's title, if any.
pub(super) fn chosen(reply: Reply) -> Option<String> {
    let action = serde_json::from_str::<Option<lsp::MessageActionItem>>(reply.ok()?.get());
    action.ok().flatten().map(|action| action.title)
}

/// Returns the number in one of our request ids.
pub(super) fn number(id: &Id, prefix: &str) -> Option<u64> {
    match id {
        Id::Str(id) => id.strip_prefix(prefix)?.parse().ok(),
        Id::Null | Id::Number(_) => None,
    }
}
