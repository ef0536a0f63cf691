//! Web search on Google's servers: the tool declaration, and the parts that report searches.
//!
//! Source: npm `@google/genai` 2.32.0 (types `ToolCall`, `ToolResponse`, `GroundingMetadata`), ai.google.dev/gemini-api/docs/google-search
//! and recorded streams, read 2026-11.

use crate::ProviderCall;
use crate::decode::text;
use crate::sources::sources;
use serde_json::{Value, json};

/// Returns the tool's declaration.
pub(super) fn tool() -> Value {
    json!({ "googleSearch": {} })
}

/// Searches of a reply. Their results arrive for all of them together, with the text that is based on them.
#[derive(Debug, Default)]
pub(super) struct Searches {
    /// Calls in the reply, by id.
    open: Vec<String>,
    /// Queries of all calls.
    queries: Vec<Value>,
    /// Pages that the text is based on.
    found: Vec<Value>,
}

impl Searches {
    /// Takes a part of the reply; returns the call that it reports.
    pub(super) fn part(&mut self, part: &Value) -> Option<ProviderCall> {
        let call = part.get("toolCall").filter(|call| is_web_search(call))?;
        let id = text(call, "id").map_or_else(|| self.made_id(), str::to_owned);
        let input = call.get("args").cloned();
        let queries = input.as_ref().and_then(|input| input.get("queries"));
        self.queries.extend(queries.and_then(Value::as_array).cloned().unwrap_or_default());
        self.open.push(id.clone());
        Some(ProviderCall { id, tool: "web_search".to_owned(), input, outcome: None })
    }

    /// Takes the sources of the text.
    pub(super) fn grounding(&mut self, metadata: &Value) {
        let list = |key: &str| metadata.get(key).and_then(Value::as_array).cloned();
        if let Some(queries) = list("webSearchQueries") {
            self.queries = queries;
        }
        if let Some(found) = list("groundingChunks") {
            self.found = found.iter().filter_map(|chunk| chunk.get("web").cloned()).collect();
        }
    }

    /// Returns the number of queries, each of which is charged.
    pub(super) fn count(&self) -> u64 {
        self.queries.len() as u64
    }

    /// Ends the calls: the last one gets all results. Queries without a call become one call.
    pub(super) fn end(mut self) -> Vec<ProviderCall> {
        let mut input = None;
        if self.open.is_empty() && !self.queries.is_empty() {
            self.open.push(self.made_id());
            input = Some(json!({ "queries": self.queries }));
        }
        let last = self.open.len().saturating_sub(1);
        let end = |(at, id)| ProviderCall {
            id,
            tool: "web_search".to_owned(),
            input: input.clone(),
            outcome: Some(Ok(if at == last { sources(self.found.iter()) } else { String::new() })),
        };
        self.open.into_iter().enumerate().map(end).collect()
    }

    fn made_id(&self) -> String {
        format!("search_{}", self.open.len())
    }
}

fn is_web_search(call: &Value) -> bool {
    text(call, "toolType").is_some_and(|kind| kind.starts_with("GOOGLE_SEARCH"))
}
