//! Replaces images for models that accept none, according to the catalogue.

use super::message::Message;
use super::{Request, ToolResult};
use pintle_protocol::content::Content;
use std::sync::Arc;

/// The placeholder for an image.
const OMITTED: &str = "[image omitted: the model takes no images]";

/// Replaces a request's images with placeholders.
pub(super) fn without_images(request: &mut Request) {
    for message in Arc::make_mut(&mut request.messages).iter_mut() {
        match &**message {
            Message::User(content) if has_image(content) => {
                *message = Arc::new(Message::User(texts(content)));
            }
            Message::ToolResult(result) if has_image(&result.content) => {
                let content = texts(&result.content);
                *message = Arc::new(Message::ToolResult(ToolResult { content, ..result.clone() }));
            }
            Message::User(_) | Message::ToolResult(_) | Message::Assistant(_) => {}
        }
    }
}

/// Returns true if a request contains an image.
pub(super) fn holds_images(request: &Request) -> bool {
    request.messages.iter().any(|message| match &**message {
        Message::User(content) => has_image(content),
        Message::ToolResult(result) => has_image(&result.content),
        Message::Assistant(_) => false,
    })
}

fn has_image(content: &[Content]) -> bool {
    content.iter().any(|content| matches!(content, Content::Image { .. }))
}

fn texts(content: &[Content]) -> Vec<Content> {
    let text = |content: &Content| match content {
        Content::Text { .. } | Content::Document { .. } => content.clone(),
        Content::Image { .. } => Content::text(OMITTED),
    };
    content.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_take_the_place_of_pictures() {
        let image =
            || Content::Image { mime_type: "image/png".to_owned(), data: "AA==".to_owned() };
        let result = ToolResult {
            call_id: "c".to_owned(),
            tool_name: "read".to_owned(),
            content: vec![Content::text("[a.png]"), image()],
            is_error: false,
        };
        let user = Arc::new(Message::User(vec![Content::text("hi")]));
        let mut request = Request {
            model: "m".to_owned(),
            origin: "p/m".to_owned(),
            system: "".into(),
            messages: Arc::new(vec![
                Arc::clone(&user),
                Arc::new(Message::ToolResult(result)),
                Arc::new(Message::User(vec![image()])),
            ]),
            tools: Arc::new([]),
            effort: None,
            max_output_tokens: None,
            cache_key: None,
            output_schema: None,
            trace: crate::Trace::default(),
        };
        without_images(&mut request);
        let content: Vec<_> = request
            .messages
            .iter()
            .map(|message| match &**message {
                Message::User(content) | Message::ToolResult(ToolResult { content, .. }) => {
                    content.clone()
                }
                Message::Assistant(_) => Vec::new(),
            })
            .collect();
        let omitted = || Content::text("[image omitted: the model takes no images]");
        let want =
            [vec![Content::text("hi")], vec![Content::text("[a.png]"), omitted()], vec![omitted()]];
        assert_eq!(content, want);
        assert!(Arc::ptr_eq(&user, &request.messages[0]), "what holds no picture is not copied");
    }
}
