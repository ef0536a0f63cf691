//! Replaces documents by their text for providers that accept none, and if a request would exceed its limits.

use super::catalog::Api;
use super::message::Message;
use super::{Request, ToolResult};
use pintle_protocol::content::Content;
use std::sync::Arc;

/// The maximum size of all documents of a request in base64. Anthropic accepts requests of 32 MB, the others larger ones.
const MAX_BASE64_BYTES: usize = 20 * 1024 * 1024;

/// The maximum number of pages of a request: that of Anthropic for windows of 200,000 tokens. The others accept more.
const MAX_PAGES: u64 = 100;

/// The documents that a request can still contain.
#[derive(Debug, Clone, Copy)]
struct Space {
    base64_bytes: usize,
    pages: u64,
}

impl Space {
    /// Reserves space for a document, if there is enough.
    fn take(&mut self, data: &str, pages: u64) -> Option<()> {
        let base64_bytes = self.base64_bytes.checked_sub(data.len())?;
        let pages = self.pages.checked_sub(pages)?;
        *self = Self { base64_bytes, pages };
        Some(())
    }
}

/// Keeps the documents of a request that the API accepts, the newest first, and replaces the others by their text. `None` accepts no documents.
pub(super) fn fit(request: &mut Request, api: Option<Api>) {
    let has_any = |message: &Arc<Message>| content(message).is_some_and(has_document);
    if !request.messages.iter().any(has_any) {
        return;
    }
    let mut space = Space { base64_bytes: MAX_BASE64_BYTES, pages: MAX_PAGES };
    let mut messages = request.messages.to_vec();
    for message in messages.iter_mut().rev() {
        let Some(blocks) = content(message).filter(|content| has_document(content)) else {
            continue;
        };
        // Tool results of Chat contain text alone.
        let is_accepted = match api {
            None => false,
            Some(Api::Chat) => matches!(&**message, Message::User(_)),
            Some(Api::Messages | Api::Responses | Api::Gemini) => true,
        };
        let fitted = blocks.iter().map(|block| match block {
            Content::Document { data, pages, text, .. } => {
                let taken = if is_accepted { space.take(data, *pages) } else { None };
                if taken.is_some() { block.clone() } else { Content::text(text.clone()) }
            }
            Content::Text { .. } | Content::Image { .. } => block.clone(),
        });
        let content: Vec<Content> = fitted.collect();
        *message = Arc::new(match &**message {
            Message::ToolResult(result) => {
                Message::ToolResult(ToolResult { content, ..result.clone() })
            }
            Message::User(_) | Message::Assistant(_) => Message::User(content),
        });
    }
    request.messages = messages.into();
}

/// Returns the content, if this kind of message can have documents.
fn content(message: &Message) -> Option<&[Content]> {
    match message {
        Message::User(content) | Message::ToolResult(ToolResult { content, .. }) => Some(content),
        Message::Assistant(_) => None,
    }
}

fn has_document(content: &[Content]) -> bool {
    content.iter().any(|block| matches!(block, Content::Document { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Dialect;
    use crate::message::{Assistant, AssistantBlock};
    use pintle_protocol::event::StopReason;

    fn document(name: &str, pages: u64, base64_bytes: usize) -> Content {
        Content::Document {
            mime_type: "application/pdf".to_owned(),
            data: "A".repeat(base64_bytes),
            name: name.to_owned(),
            pages,
            text: format!("text of {name}"),
        }
    }

    fn result(content: Vec<Content>) -> Message {
        Message::ToolResult(ToolResult {
            call_id: "c".to_owned(),
            tool_name: "read".to_owned(),
            content,
            is_error: false,
        })
    }

    #[test]
    fn documents_that_are_not_accepted_become_text() {
        const MB: usize = 1024 * 1024;
        let user = |name: &str, pages, bytes| Message::User(vec![document(name, pages, bytes)]);
        let both = || vec![user("a", 1, 4), result(vec![Content::text("b:"), document("b", 1, 4)])];
        let rows: [(&str, Vec<Message>, Option<Api>, &str); 7] = [
            ("no API", both(), None, "text of a | b: text of b"),
            ("Messages", both(), Some(Api::Messages), "<a> | b: <b>"),
            ("Responses", both(), Some(Api::Responses), "<a> | b: <b>"),
            ("Gemini", both(), Some(Api::Gemini), "<a> | b: <b>"),
            ("results of Chat", both(), Some(Api::Chat), "<a> | b: text of b"),
            (
                "the newest pages",
                vec![user("a", 1, 4), user("b", 60, 4), user("c", 50, 4)],
                Some(Api::Messages),
                "<a> | text of b | <c>",
            ),
            (
                "the newest bytes",
                vec![user("a", 1, 4), user("b", 1, 12 * MB), user("c", 1, 12 * MB)],
                Some(Api::Messages),
                "<a> | text of b | <c>",
            ),
        ];
        for (name, messages, api, want) in rows {
            let model = "p/m".parse().unwrap();
            let mut request = crate::one_shot::request(&model, "", "", 1);
            request.messages = messages.into_iter().map(Arc::new).collect();
            fit(&mut request, api);
            let shown = |message: &Arc<Message>| {
                let blocks = content(message).unwrap().iter().map(|block| match block {
                    Content::Text { text } => text.clone(),
                    Content::Document { name, .. } => format!("<{name}>"),
                    Content::Image { .. } => "<image>".to_owned(),
                });
                blocks.collect::<Vec<_>>().join(" ")
            };
            let got: Vec<String> = request.messages.iter().map(shown).collect();
            assert_eq!(got.join(" | "), want, "{name}");
        }
    }

    #[test]
    fn servers_that_are_known_read_documents() {
        use crate::endpoint::Endpoint;
        use pintle_base::ambient::Ambient;
        let keys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"];
        let ambient = Ambient::fixed(keys.map(|key| (key.to_owned(), "k".to_owned())));
        for (provider, base_url, model, want) in [
            ("anthropic", None, "claude-sonnet-4-5", true),
            ("openai", None, "gpt-5.4", true),
            ("openai", None, "o3-mini", false),
            ("google", None, "gemini-3-pro", true),
            ("openrouter", None, "anthropic/claude-sonnet-4.5", false),
            ("anthropic", Some("http://gateway.test"), "claude-sonnet-4-5", false),
        ] {
            let endpoint = Endpoint::resolve(provider, &ambient, base_url).unwrap();
            assert_eq!(endpoint.takes_documents(model), want, "{provider}, {model}, {base_url:?}");
        }
    }

    #[test]
    fn each_api_has_a_form_for_documents() {
        use crate::remote::encode;
        use serde_json::json;
        let call = AssistantBlock::ToolCall {
            id: "c".to_owned(),
            name: "read".to_owned(),
            arguments: "{}".to_owned(),
            opaque: None,
        };
        let assistant = Assistant {
            effort: None,
            blocks: vec![call],
            origin: "p/m".to_owned(),
            stop: StopReason::ToolUse,
        };
        let messages = || {
            vec![
                Message::User(vec![document("a.pdf", 1, 4)]),
                Message::Assistant(assistant.clone()),
                result(vec![Content::text("[b.pdf]"), document("b.pdf", 1, 4)]),
            ]
        };
        let url = "data:application/pdf;base64,AAAA";
        let source = json!({ "type": "base64", "media_type": "application/pdf", "data": "AAAA" });
        let inline = json!({ "inlineData": { "mimeType": "application/pdf", "data": "AAAA" } });
        let block = |name: &str| json!({ "type": "document", "source": source, "title": name });
        let part = |name: &str| json!({ "type": "input_file", "filename": name, "file_data": url });
        let file = json!({ "type": "file", "file": { "filename": "a.pdf", "file_data": url } });
        for (api, model, place, want) in [
            (Api::Messages, "m", "/messages/0/content/0", block("a.pdf")),
            (Api::Messages, "m", "/messages/2/content/0/content/1", block("b.pdf")),
            (Api::Responses, "m", "/input/0/content/0", part("a.pdf")),
            (Api::Responses, "m", "/input/2/output/1", part("b.pdf")),
            (Api::Chat, "m", "/messages/0/content/0", file),
            (Api::Chat, "m", "/messages/2/content", json!("[b.pdf]\ntext of b.pdf")),
            (Api::Gemini, "gemini-2.5-pro", "/contents/0/parts/0", inline.clone()),
            (Api::Gemini, "gemini-2.5-pro", "/contents/2/parts/1", inline.clone()),
            (Api::Gemini, "gemini-3-pro", "/contents/2/parts/0/functionResponse/parts/0", inline),
        ] {
            let origin = "p/m".parse().unwrap();
            let mut request = crate::one_shot::request(&origin, "", "", 1);
            request.model = model.to_owned();
            request.messages = messages().into_iter().map(Arc::new).collect();
            fit(&mut request, Some(api));
            let mut body = encode(api, &request, Dialect::PLAIN);
            // Marks of the prompt cache.
            let mut got = body.pointer_mut(place).cloned().unwrap_or_default();
            if let Some(fields) = got.as_object_mut() {
                fields.remove("cache_control");
            }
            assert_eq!(got, want, "{place}: {body}");
        }
    }
}
