//! Provider-run tool calls as items for clients. None is sent back to the model from here, since the reply's blocks carry them.

use crate::host::TurnHost;
use crate::turn::context::TurnContext;
use pintle_base::text::visible::{visible, visible_line};
use pintle_llm::ProviderCall;
use pintle_protocol::content::Content;
use pintle_protocol::event::Event;
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{Item, ItemBody, ItemStatus, ToolCall, ToolKind, ToolResult};
use pintle_tools::{Builtin, Tool};
use serde_json::Value;
use std::sync::Arc;

/// Removes the provider's web search if the rules do not let it run unasked, since its calls cannot be approved one by one.
pub(super) async fn begin<H: TurnHost>(host: &mut H, ctx: &mut TurnContext) {
    let is_search = |tool: &Arc<dyn Tool>| tool.does() == Some(Builtin::WebSearch);
    let Some(search) = ctx.tools.list.iter().find(|tool| is_search(tool)) else { return };
    let may = ctx.permissions.lets_search((&ctx.workspace).into(), search.name());
    if host.wait(may).await {
        return;
    }
    let (left_out, list): (Vec<_>, Vec<_>) =
        ctx.tools.list.iter().cloned().partition(|tool| is_search(tool));
    ctx.tools.withheld.extend(left_out);
    ctx.tools.list = list.into();
}

/// The reply's unfinished calls, by provider id.
#[derive(Debug, Default)]
pub(super) struct ProviderCalls(Vec<(String, Item)>);

impl ProviderCalls {
    /// Takes news of a call.
    pub(super) fn take<H: TurnHost>(
        &mut self,
        host: &mut H,
        ctx: &TurnContext,
        step: u32,
        news: ProviderCall,
    ) {
        let ProviderCall { id, tool, input, outcome } = news;
        let at = self.0.iter().position(|(known, _)| *known == id);
        let is_new = at.is_none();
        let mut item = match at {
            Some(at) => self.0.remove(at).1,
            None => begun(ctx, step, tool),
        };
        if is_new {
            host.record(Event::ItemStarted { item: item.clone() });
        }
        if let (Some(input), Some(call)) = (input, item.body.as_tool_call_mut()) {
            call.title = title(&call.tool_name, &input);
            call.input = Some(input);
            item.status = ItemStatus::Running;
            host.record(Event::ItemUpdated { item: item.clone() });
        }
        match outcome {
            None => self.0.push((id, item)),
            Some(outcome) => end(host, ctx, item, outcome),
        }
    }

    /// Closes calls that the provider never finished.
    pub(super) fn close<H: TurnHost>(
        &mut self,
        host: &mut H,
        ctx: &TurnContext,
        status: ItemStatus,
    ) {
        for (_, mut item) in self.0.drain(..) {
            item.end(status, ctx.ambient.now_ms());
            host.record(Event::ItemCompleted { item });
        }
    }
}

fn begun(ctx: &TurnContext, step: u32, tool: String) -> Item {
    let call = ToolCall { by_provider: true, ..ToolCall::new(tool, ToolKind::Search) };
    let id = ItemId::new(ctx.ambient.new_id());
    ctx.item(id, Some(step), ItemStatus::Pending, ItemBody::ToolCall(Box::new(call)))
}

fn end<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    mut item: Item,
    outcome: Result<String, String>,
) {
    let is_error = outcome.is_err();
    let (Ok(text) | Err(text)) = outcome;
    if let Some(call) = item.body.as_tool_call_mut() {
        // Titles of strange pages are in it.
        let text = visible(&text);
        let content =
            if text.is_empty() { Vec::new() } else { vec![Content::text(text.into_owned())] };
        call.output = Some(ToolResult { content, is_error, ..ToolResult::default() });
    }
    let status = if is_error { ItemStatus::Failed } else { ItemStatus::Completed };
    item.end(status, ctx.ambient.now_ms());
    host.record(Event::ItemCompleted { item });
}

/// Returns a one-line title for users: the tool, and its search terms or the address that it opens.
fn title(tool: &str, input: &Value) -> String {
    let texts = ["query", "queries", "url", "pattern"].iter().filter_map(|key| input.get(*key));
    let text = texts.map(|value| match value {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; "),
        one => one.as_str().unwrap_or_default().to_owned(),
    });
    match text.into_iter().find(|text| !text.is_empty()) {
        Some(text) => visible_line(&format!("{tool}: {text}")).into_owned(),
        None => tool.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_title_says_what_is_searched_for() {
        for (input, want) in [
            (json!({"query": "rust 2024"}), "web_search: rust 2024"),
            (json!({"queries": ["a b", "c"]}), "web_search: a b; c"),
            (json!({"query": "", "queries": ["c"]}), "web_search: c"),
            (json!({"type": "open_page", "url": "https://a.b/"}), "web_search: https://a.b/"),
            (json!({"query": "one\nline\u{1b}[2J"}), "web_search: one␊line␛[2J"),
            (json!({}), "web_search"),
        ] {
            assert_eq!(title("web_search", &input), want, "{input}");
        }
    }
}
