//! Names that differ in Pi's `models.json`: wire APIs, and compatibility flags. Pure.
//!
//! A flag without effect here is reported as a warning. Source: docs/models.md of the coding agent in
//! badlogic/pi-mono, read 2026-11.

use super::Error;
use super::node::Node;
use super::providers::map;
use pintle_llm::Api;
use serde_json::{Map, Value, json};

/// Returns the wire API of this name.
pub(super) fn api(name: &str) -> Option<Api> {
    Some(match name {
        "openai-completions" => Api::Chat,
        "openai-responses" => Api::Responses,
        "anthropic-messages" => Api::Messages,
        "google-generative-ai" => Api::Gemini,
        _ => return None,
    })
}

/// Reads `compat` into fields of a dialect.
pub(super) fn compat(
    node: &Node<'_>,
    dialect: &mut Vec<(String, Value)>,
    body: &mut Map<String, Value>,
    warnings: &mut Vec<String>,
) -> Result<(), Error> {
    for (key, node) in node.fields("a table of flags")? {
        let mut set = |field: &str, value: Value| dialect.push((field.to_owned(), value));
        match key {
            "maxTokensField" => {
                let names = ["max_tokens", "max_completion_tokens"].map(|name| (name, name));
                set("output_limit", json!(node.one_of(&names)?));
            }
            "supportsStore" => set("store", json!(node.flag()?)),
            "supportsUsageInStreaming" => set("include_usage", json!(node.flag()?)),
            "requiresToolResultName" => set("result_name", json!(node.flag()?)),
            "requiresAssistantAfterToolResult" => {
                set("assistant_after_result", json!(node.flag()?));
            }
            "supportsDeveloperRole" if !node.flag()? => set("system_role", json!("system")),
            "supportsReasoningEffort" if !node.flag()? => set("effort", json!("none")),
            "requiresThinkingAsText" if node.flag()? => set("reasoning_back", json!("text")),
            "requiresReasoningContentOnAssistantMessages" if node.flag()? => {
                set("reasoning_back", json!("reasoning_content"));
            }
            "requiresMistralToolIds" if node.flag()? => set("call_ids", json!("nine")),
            // No effect: that a server accepts a role does not mean that it requires it.
            "supportsDeveloperRole"
            | "supportsReasoningEffort"
            | "requiresThinkingAsText"
            | "requiresReasoningContentOnAssistantMessages"
            | "requiresMistralToolIds" => {}
            "openRouterRouting" => {
                body.insert("provider".to_owned(), Value::Object(map(&node)?));
            }
            "vercelGatewayRouting" => {
                let gateway = json!({ "gateway": map(&node)? });
                body.insert("providerOptions".to_owned(), gateway);
            }
            "chatTemplateKwargs" => {
                body.insert("chat_template_kwargs".to_owned(), Value::Object(map(&node)?));
            }
            "thinkingFormat" => match node.text()? {
                "openai" | "reasoning_effort" => set("effort", json!("reasoning_effort")),
                "openrouter" => set("effort", json!("reasoning_object")),
                _ => {
                    set("effort", json!("none"));
                    warnings.push(node.warn("is not known here, so no effort is sent"));
                }
            },
            _ => warnings.push(node.means_nothing()),
        }
    }
    Ok(())
}
