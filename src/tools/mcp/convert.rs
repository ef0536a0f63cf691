//! Converts the SDK's types to the engine's, with limits on the server's data. Pure.

use super::client::{Outcome, PromptShape, ResourceShape, ResourceText, ToolShape};
use pintle_base::pdf::is_document;
use pintle_base::text::visible::visible_line;
use pintle_protocol::content::Content;
use rmcp::model::{
    CallToolResult, ContentBlock, Prompt, Resource, ResourceContents, ResourceTemplate, Tool,
};

/// The maximum length of a description, in characters.
const MAX_DESCRIPTION: usize = 4000;

/// The maximum length of a server's text in a message line, in characters.
const MAX_LINE: usize = 500;

/// Returns a server's text for a message: one line, with its length limited.
pub(super) fn said(text: &str) -> String {
    let text = text.trim().replace(['\n', '\r', '\t'], " ");
    line(&text)
}

/// The same for a name.
pub(super) fn line(text: &str) -> String {
    cut(&visible_line(text), MAX_LINE)
}

fn cut(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let kept: String = text.chars().take(max).collect();
    format!("{kept}…")
}

/// Returns a line about progress: `12 of 30: compiling`.
pub(super) fn progress(done: f64, total: Option<f64>, message: Option<&str>) -> String {
    let count = match total {
        Some(total) => format!("{done} of {total}"),
        None => done.to_string(),
    };
    match message {
        Some(message) => format!("{count}: {}\n", said(message)),
        None => format!("{count}\n"),
    }
}

pub(super) fn tool(tool: Tool) -> ToolShape {
    ToolShape {
        name: tool.name.into_owned(),
        description: cut(tool.description.as_deref().unwrap_or_default(), MAX_DESCRIPTION),
        schema: tool.input_schema.as_ref().clone(),
        read_only_hint: tool.annotations.and_then(|hints| hints.read_only_hint),
    }
}

pub(super) fn resource(resource: Resource) -> ResourceShape {
    ResourceShape {
        uri: resource.uri,
        name: line(&resource.title.unwrap_or(resource.name)),
        description: resource.description.map(|text| said(&text)),
        mime_type: resource.mime_type,
        is_template: false,
    }
}

pub(super) fn template(template: ResourceTemplate) -> ResourceShape {
    ResourceShape {
        uri: template.uri_template,
        name: line(&template.title.unwrap_or(template.name)),
        description: template.description.map(|text| said(&text)),
        mime_type: template.mime_type,
        is_template: true,
    }
}

pub(super) fn prompt(prompt: Prompt) -> PromptShape {
    let arguments = prompt.arguments.unwrap_or_default().into_iter();
    PromptShape {
        name: prompt.name,
        description: prompt.description.map(|text| said(&text)),
        arguments: arguments
            .map(|argument| (argument.name, argument.required.unwrap_or_default()))
            .collect(),
    }
}

pub(super) fn outcome(result: CallToolResult) -> Outcome {
    let mut content: Vec<Content> = result.content.into_iter().flat_map(self::content).collect();
    if content.is_empty()
        && let Some(value) = &result.structured_content
    {
        content.push(Content::text(serde_json::to_string_pretty(value).unwrap_or_default()));
    }
    if content.is_empty() {
        content = nothing().content;
    }
    Outcome {
        content,
        structured: result.structured_content,
        is_error: result.is_error.unwrap_or_default(),
    }
}

/// Returns an empty call result.
pub(super) fn nothing() -> Outcome {
    Outcome { content: vec![Content::text("(no output)")], structured: None, is_error: false }
}

/// Returns a block of a server's content, as blocks for a model.
pub(super) fn content(block: ContentBlock) -> Vec<Content> {
    match block {
        ContentBlock::Text(text) => vec![Content::text(text.text)],
        ContentBlock::Image(image) => {
            vec![Content::Image { mime_type: image.mime_type, data: image.data }]
        }
        ContentBlock::Audio(audio) => vec![Content::text(format!(
            "[audio ({}, {} bytes in base64), which cannot be shown]",
            line(&audio.mime_type),
            audio.data.len()
        ))],
        ContentBlock::Resource(resource) => {
            let ResourceText { uri, content } = content_of_resource(resource.resource);
            vec![Content::text(format!("[resource {}]", line(&uri))), content]
        }
        ContentBlock::ResourceLink(link) => {
            let about = link.description.map(|text| format!(": {}", said(&text)));
            vec![Content::text(format!(
                "[resource {}, {}{}; `mcp_resource` reads it]",
                line(&link.uri),
                line(&link.name),
                about.unwrap_or_default()
            ))]
        }
        _ => vec![Content::text("[content of an unknown type]")],
    }
}

pub(super) fn content_of_resource(contents: ResourceContents) -> ResourceText {
    match contents {
        ResourceContents::TextResourceContents { uri, text, .. } => {
            ResourceText { uri, content: Content::text(text) }
        }
        ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
            let mime_type = mime_type.unwrap_or_default();
            let content = if mime_type.starts_with("image/") {
                Content::Image { mime_type, data: blob }
            } else if is_document(&mime_type, &blob) {
                // `marked` reads it.
                let name = document_name(&uri);
                Content::Document { mime_type, data: blob, name, pages: 0, text: String::new() }
            } else {
                let bytes = blob.len() / 4 * 3;
                Content::text(format!("[{} bytes of {}]", bytes, line(&mime_type)))
            };
            ResourceText { uri, content }
        }
        _ => ResourceText {
            uri: String::new(),
            content: Content::text("[content of an unknown type]"),
        },
    }
}

/// Returns the last part of a URI's path.
fn document_name(uri: &str) -> String {
    let path = uri.split(['?', '#']).next().unwrap_or(uri);
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if name.is_empty() { "document.pdf".to_owned() } else { line(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_kept_for_reading() {
        for (uri, mime_type, blob, want) in [
            ("file:///docs/a%20b.pdf?v=1", Some("application/pdf"), "JVBERi0=", Some("a%20b.pdf")),
            ("x://", None, "JVBERi0=", Some("x:")),
            ("", Some("application/octet-stream"), "JVBERi0=", Some("document.pdf")),
            ("x://a.zip", Some("application/zip"), "UEsDBA==", None),
        ] {
            let contents = ResourceContents::BlobResourceContents {
                uri: uri.to_owned(),
                mime_type: mime_type.map(str::to_owned),
                blob: blob.to_owned(),
                meta: None,
            };
            let name = match content_of_resource(contents).content {
                Content::Document { name, .. } => Some(name),
                Content::Text { .. } | Content::Image { .. } => None,
            };
            assert_eq!(name.as_deref(), want, "{uri}");
        }
    }

    #[test]
    fn words_of_a_server_are_one_short_line() {
        assert_eq!(said(" no\n\tsuch\u{1b}[31m thing "), "no  such\u{241b}[31m thing");
        assert_eq!(said(&"x".repeat(600)).chars().count(), 501);
        for (done, total, message, want) in
            [(1.0, Some(3.0), None, "1 of 3\n"), (0.5, None, Some("half\nway"), "0.5: half way\n")]
        {
            assert_eq!(progress(done, total, message), want);
        }
    }
}
