//! Web search on Anthropic's servers: the tool declaration, and the blocks that report searches.
//!
//! Source: platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool, read 2026-11.

use crate::ProviderCall;
use crate::decode::text;
use crate::sources::sources;
use serde_json::{Value, json};

/// The maximum number of searches per request. Each costs money, and the model is informed when it reaches the limit.
const MAX_SEARCHES: u32 = 8;

/// The tool's declaration. Later versions filter the results with code that the server runs, which not every model and account may do.
pub(super) fn tool() -> Value {
    json!({ "type": "web_search_20250305", "name": "web_search", "max_uses": MAX_SEARCHES })
}

/// Returns the call that a block begins.
pub(super) fn begun(block: &Value) -> Option<ProviderCall> {
    let begins = matches!(text(block, "type"), Some("server_tool_use" | "mcp_tool_use"));
    let tool = text(block, "name").filter(|_| begins)?;
    let id = text(block, "id")?.to_owned();
    Some(ProviderCall { id, tool: tool.to_owned(), input: None, outcome: None })
}

/// Returns the arguments or outcome of a call that a completed block reports.
pub(super) fn ended(block: &Value) -> Option<ProviderCall> {
    if let Some(call) = begun(block) {
        return Some(ProviderCall { input: block.get("input").cloned(), ..call });
    }
    let tool = text(block, "type")?.strip_suffix("_tool_result")?.to_owned();
    let id = text(block, "tool_use_id")?.to_owned();
    let content = block.get("content")?;
    let outcome = match text(content, "error_code") {
        Some(code) => Err(format!("the provider's {tool} failed: {code}")),
        None => Ok(match content {
            Value::Array(found) => sources(found.iter()),
            one => sources(std::iter::once(one)),
        }),
    };
    Some(ProviderCall { id, tool, input: None, outcome: Some(outcome) })
}
