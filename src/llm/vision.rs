//! Replaces images for models that accept none, according to the catalogue, and images of formats that a wire API refuses.

use super::message::Message;
use super::{Request, ToolResult};
use pintle_protocol::content::Content;
use std::borrow::Cow;
use std::sync::Arc;

/// The placeholder for an image.
const OMITTED: &str = "[image omitted: the model takes no images]";

/// The placeholder for an image of a format that the API refuses.
const OMITTED_GIF: &str = "[image omitted: the model takes no GIF images]";

/// Replaces a request's images with placeholders.
pub(super) fn without_images(request: &mut Request) {
    replace(request, |_| true, OMITTED);
}

/// Replaces a request's GIF images with placeholders, for APIs that refuse them.
pub(super) fn without_gifs(request: &Request) -> Cow<'_, Request> {
    let is_gif = |media_type: &str| media_type == "image/gif";
    if !holds(request, is_gif) {
        return Cow::Borrowed(request);
    }
    let mut changed = request.clone();
    replace(&mut changed, is_gif, OMITTED_GIF);
    Cow::Owned(changed)
}

/// Returns true if a request contains an image.
pub(super) fn holds_images(request: &Request) -> bool {
    holds(request, |_| true)
}

/// Replaces images of some media types.
fn replace(request: &mut Request, is_refused: fn(&str) -> bool, instead: &str) {
    if !holds(request, is_refused) {
        return;
    }
    let mut messages = request.messages.to_vec();
    for message in &mut messages {
        match &**message {
            Message::User(content) if has_image(content, is_refused) => {
                *message = Arc::new(Message::User(texts(content, is_refused, instead)));
            }
            Message::ToolResult(result) if has_image(&result.content, is_refused) => {
                let content = texts(&result.content, is_refused, instead);
                *message = Arc::new(Message::ToolResult(ToolResult { content, ..result.clone() }));
            }
            Message::User(_) | Message::ToolResult(_) | Message::Assistant(_) => {}
        }
    }
    request.messages = messages.into();
}

fn holds(request: &Request, is_refused: fn(&str) -> bool) -> bool {
    request.messages.iter().any(|message| match &**message {
        Message::User(content) => has_image(content, is_refused),
        Message::ToolResult(result) => has_image(&result.content, is_refused),
        Message::Assistant(_) => false,
    })
}

fn has_image(content: &[Content], is_refused: fn(&str) -> bool) -> bool {
    let is_one = |content: &Content| matches!(content, Content::Image { mime_type, .. } if is_refused(mime_type));
    content.iter().any(is_one)
}

fn texts(content: &[Content], is_refused: fn(&str) -> bool, instead: &str) -> Vec<Content> {
    let text = |content: &Content| match content {
        Content::Image { mime_type, .. } if is_refused(mime_type) => Content::text(instead),
        Content::Text { .. } | Content::Image { .. } | Content::Document { .. } => content.clone(),
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
            messages: crate::Messages::from(vec![
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
        assert!(
            Arc::ptr_eq(&user, request.messages.first().unwrap()),
            "what holds no picture is not copied"
        );
    }
}
