//! Web search on OpenAI's servers: the tool declaration, and the items that report searches.
//!
//! Source: developers.openai.com/api/docs/guides/tools-web-search, npm `openai` 7.57.0 and recorded streams, read 2026-11.

use crate::ProviderCall;
use crate::decode::text;
use crate::sources::sources;
use serde_json::{Value, json};

/// The name under which a reply has its sources only if a request asks for them.
pub(super) const SOURCES: &str = "web_search_call.action.sources";

/// Returns the tool's declaration.
pub(super) fn tool() -> Value {
    json!({ "type": "web_search" })
}

/// Returns true for an item that reports a search.
fn is_search(item: &Value) -> bool {
    text(item, "type") == Some("web_search_call")
}

/// Returns true for a search that costs money: opening a result page does not.
pub(super) fn is_charged(item: &Value) -> bool {
    let is_done = text(item, "status") != Some("failed");
    let action = item.pointer("/action/type").and_then(Value::as_str);
    is_search(item) && is_done && action == Some("search")
}

/// Returns the call that an item begins.
pub(super) fn begun(item: &Value) -> Option<ProviderCall> {
    let id = text(item, "id").filter(|_| is_search(item))?.to_owned();
    Some(ProviderCall { id, tool: "web_search".to_owned(), input: None, outcome: None })
}

/// Returns the call in a complete item.
pub(super) fn ended(item: &Value) -> Option<ProviderCall> {
    let mut input = item.get("action").cloned();
    let found = input.as_mut().and_then(Value::as_object_mut);
    let found = found.and_then(|action| action.shift_remove("sources"));
    let found = found.as_ref().and_then(Value::as_array);
    let outcome = match text(item, "status") {
        Some("failed") => Err("the provider's web_search failed".to_owned()),
        Some(_) | None => Ok(sources(found.into_iter().flatten())),
    };
    Some(ProviderCall { input, outcome: Some(outcome), ..begun(item)? })
}

/// Returns the item in the form that is sent back: the server keeps nothing, and refuses an unknown id.
pub(super) fn sent_back(mut item: Value) -> Value {
    if is_search(&item)
        && let Some(fields) = item.as_object_mut()
    {
        fields.shift_remove("id");
    }
    item
}
