//! Content blocks of a prompt as the engine's input, and input as content blocks. Pure.

use super::wire;
use agent_client_protocol_schema::v1 as acp;
use pintle_base::pdf::{self, is_document};
use pintle_os::names;
use pintle_protocol::content::{Input, LineRange};
use std::fmt::Write as _;

/// The image formats that a model takes.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Converts a prompt's blocks.
///
/// # Errors
/// Returns the reason why a block cannot be used, with an alternative.
pub(super) fn input(mut blocks: Vec<acp::ContentBlock>) -> Result<Vec<Input>, String> {
    // Embedded texts without a file, such as an editor's rules, are moved after a prompt that they precede: a session is named after the
    // first words, and a command begins with them.
    let is_prompt = |block: &acp::ContentBlock| match block {
        acp::ContentBlock::Text(text) => !text.text.trim().is_empty(),
        _ => false,
    };
    if let Some(first) = blocks.iter().position(is_prompt) {
        let prompt = blocks.split_off(first);
        let (rules, others): (Vec<_>, Vec<_>) = blocks.into_iter().partition(is_rule);
        blocks = others.into_iter().chain(prompt).chain(rules).collect();
    }
    blocks.into_iter().map(block).collect()
}

/// Returns true for an embedded text of no file.
fn is_rule(block: &acp::ContentBlock) -> bool {
    let acp::ContentBlock::Resource(resource) = block else { return false };
    match &resource.resource {
        acp::EmbeddedResourceResource::TextResourceContents(text) => file_uri(&text.uri).is_none(),
        _ => false,
    }
}

fn block(block: acp::ContentBlock) -> Result<Input, String> {
    match block {
        acp::ContentBlock::Text(text) => Ok(Input::text(text.text)),
        acp::ContentBlock::Image(image) => image_input(image.mime_type, image.data),
        acp::ContentBlock::Audio(_) => {
            Err("audio is not supported; send text (`promptCapabilities.audio` is false)"
                .to_owned())
        }
        acp::ContentBlock::ResourceLink(link) => Ok(linked(&link)),
        acp::ContentBlock::Resource(resource) => embedded(resource.resource),
        _ => Err("this kind of content block is not supported; send text".to_owned()),
    }
}

fn image_input(mime_type: String, data: String) -> Result<Input, String> {
    if IMAGES.contains(&mime_type.as_str()) {
        return Ok(Input::Image { mime_type, data });
    }
    Err(format!("unsupported image type `{mime_type}`; expected one of {}", IMAGES.join(", ")))
}

fn linked(link: &acp::ResourceLink) -> Input {
    match file_uri(&link.uri) {
        Some((path, range)) => Input::File { path, range },
        None => Input::verbatim(format!("[{}]({})", link.name, link.uri)),
    }
}

fn embedded(resource: acp::EmbeddedResourceResource) -> Result<Input, String> {
    match resource {
        acp::EmbeddedResourceResource::TextResourceContents(resource) => {
            Ok(match file_uri(&resource.uri) {
                Some((path, range)) => {
                    let lines = resource.text.lines().count().max(1) as u64;
                    let range = range.unwrap_or(LineRange { start: 1, end: lines });
                    Input::Selection { path, range, text: resource.text }
                }
                None => Input::verbatim(format!("{}:\n{}", resource.uri, resource.text)),
            })
        }
        acp::EmbeddedResourceResource::BlobResourceContents(resource) => {
            let mime_type = resource.mime_type.unwrap_or_default();
            if is_document(&mime_type, &resource.blob) {
                let name = document_name(&resource.uri);
                let mime_type = pdf::MIME_TYPE.to_owned();
                return Ok(Input::Document { mime_type, data: resource.blob, name });
            }
            image_input(mime_type, resource.blob)
        }
        _ => Err("this kind of resource is not supported; send its text".to_owned()),
    }
}

/// Returns the last part of a URI's path.
fn document_name(uri: &str) -> String {
    let path = uri.split(['?', '#']).next().unwrap_or(uri);
    let name = unescape(path.rsplit('/').next().unwrap_or_default());
    if name.is_empty() { "document.pdf".to_owned() } else { name }
}

/// Returns the file that a URI names, and the lines that its fragment names: `#L5`, `#L5-9`, `#L5:9`.
fn file_uri(uri: &str) -> Option<(String, Option<LineRange>)> {
    let rest = uri.strip_prefix("file://")?;
    let (path, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    // The part between the slashes is a host: only this machine's files can be read.
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let path = path.split('?').next().unwrap_or(path);
    if !path.starts_with('/') {
        return None;
    }
    Some((names::from_uri(&unescape(path)).to_owned(), lines(fragment)))
}

fn lines(fragment: &str) -> Option<LineRange> {
    let text = fragment.strip_prefix('L')?;
    let mut ends =
        text.split(['-', ':']).map(|end| end.trim_start_matches('L').parse::<u64>().ok());
    let start = ends.next()??.max(1);
    let end = ends.next().flatten().unwrap_or(start);
    Some(LineRange { start, end: end.max(start) })
}

fn unescape(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let escaped = (*byte == b'%').then(|| path.get(at + 1..at + 3)).flatten();
        if let Some(byte) = escaped.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            out.push(byte);
            at += 3;
        } else {
            out.push(*byte);
            at += 1;
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| path.to_owned())
}

/// Returns a path as a URI.
fn uri(path: &str, range: Option<LineRange>) -> String {
    let mut uri = "file://".to_owned();
    for byte in names::in_uri(path).bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(byte));
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    if let Some(LineRange { start, end }) = range {
        let _ = write!(uri, "#L{start}-{end}");
    }
    uri
}

/// Returns input as a client shows it when a session is loaded.
pub(super) fn shown(input: &Input) -> acp::ContentBlock {
    let text = |text: String| acp::ContentBlock::Text(acp::TextContent::new(text));
    match input {
        Input::Text { text: content, .. } => text(wire::cut(content)),
        Input::File { path, range } => {
            let name = path.rsplit('/').next().unwrap_or(path);
            acp::ContentBlock::ResourceLink(acp::ResourceLink::new(name, uri(path, *range)))
        }
        Input::Selection { path, range, text: selected } => {
            let contents =
                acp::TextResourceContents::new(wire::cut(selected), uri(path, Some(*range)));
            acp::ContentBlock::Resource(acp::EmbeddedResource::new(
                acp::EmbeddedResourceResource::TextResourceContents(contents),
            ))
        }
        Input::Diagnostics { path, items } => {
            let mut lines = format!("{path}:");
            for item in items {
                let _ = write!(lines, "\n  line {}: {}", item.line, item.message);
            }
            text(wire::cut(&lines))
        }
        Input::Document { name, .. } => text(format!("[document {name}]")),
        Input::Image { mime_type, data } if data.len() <= wire::MAX_UPDATE_BYTES / 2 => {
            acp::ContentBlock::Image(acp::ImageContent::new(data.clone(), mime_type.clone()))
        }
        Input::Image { mime_type, data } => text(format!(
            "[an image of {} bytes, {mime_type}, too large to show here]",
            data.len() / 4 * 3
        )),
    }
}

/// Returns the instructions of `/compact [INSTRUCTIONS]`, if the prompt is this command. They are empty if none are given.
pub(super) fn compaction(input: &[Input]) -> Option<String> {
    let [Input::Text { text, verbatim: false }] = input else { return None };
    let rest = text.trim().strip_prefix("/compact")?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use serde_json::{Value, from_value, json, to_value};

    fn taken(value: Value) -> String {
        match input(vec![from_value(value).unwrap()]) {
            Ok(input) => to_value(&input[0]).unwrap().to_string(),
            Err(why) => format!("refused: {why}"),
        }
    }

    #[test]
    fn blocks_become_what_the_model_reads() {
        let rows = [
            ("text", json!({"type": "text", "text": "hi"})),
            (
                "a link to a file",
                json!({"type": "resource_link", "name": "a", "uri": "file:///p/a%20b.rs"}),
            ),
            (
                "a link to lines",
                json!({"type": "resource_link", "name": "a", "uri": "file:///p/a.rs#L5:9"}),
            ),
            (
                "a link to a line",
                json!({"type": "resource_link", "name": "a", "uri": "file://localhost/p/a.rs#L5"}),
            ),
            (
                "a link elsewhere",
                json!({"type": "resource_link", "name": "docs", "uri": "https://x.org/"}),
            ),
            (
                "a text within",
                json!({"type": "resource", "resource": {"uri": "file:///p/a.rs", "text": "one\ntwo\n"}}),
            ),
            (
                "a selection",
                json!({"type": "resource", "resource": {"uri": "file:///p/a.rs#L7-8", "text": "x"}}),
            ),
            (
                "a text from nowhere",
                json!({"type": "resource", "resource": {"uri": "zed:///thread", "text": "x"}}),
            ),
            (
                "a picture within",
                json!({"type": "resource", "resource": {"uri": "file:///p/a.png", "blob": "AA==", "mimeType": "image/png"}}),
            ),
            (
                "a document within",
                json!({"type": "resource", "resource": {"uri": "file:///p/a%20b.pdf", "blob": "JVBERi0=", "mimeType": "application/pdf"}}),
            ),
            (
                "a document without a type",
                json!({"type": "resource", "resource": {"uri": "zed://x/", "blob": "JVBERi0="}}),
            ),
            (
                "a link to a document",
                json!({"type": "resource_link", "name": "a", "uri": "file:///p/a.pdf", "mimeType": "application/pdf"}),
            ),
            ("a picture", json!({"type": "image", "data": "AA==", "mimeType": "image/png"})),
            ("a drawing", json!({"type": "image", "data": "AA==", "mimeType": "image/svg+xml"})),
            ("sound", json!({"type": "audio", "data": "AA==", "mimeType": "audio/wav"})),
        ];
        let got: Vec<String> =
            rows.into_iter().map(|(name, row)| format!("{name}: {}", taken(row))).collect();
        expect![[r#"
            text: {"type":"text","text":"hi"}
            a link to a file: {"type":"file","path":"/p/a b.rs"}
            a link to lines: {"type":"file","path":"/p/a.rs","range":{"start":5,"end":9}}
            a link to a line: {"type":"file","path":"/p/a.rs","range":{"start":5,"end":5}}
            a link elsewhere: {"type":"text","text":"[docs](https://x.org/)","verbatim":true}
            a text within: {"type":"selection","path":"/p/a.rs","range":{"start":1,"end":2},"text":"one\ntwo\n"}
            a selection: {"type":"selection","path":"/p/a.rs","range":{"start":7,"end":8},"text":"x"}
            a text from nowhere: {"type":"text","text":"zed:///thread:\nx","verbatim":true}
            a picture within: {"type":"image","mimeType":"image/png","data":"AA=="}
            a document within: {"type":"document","mimeType":"application/pdf","data":"JVBERi0=","name":"a b.pdf"}
            a document without a type: {"type":"document","mimeType":"application/pdf","data":"JVBERi0=","name":"document.pdf"}
            a link to a document: {"type":"file","path":"/p/a.pdf"}
            a picture: {"type":"image","mimeType":"image/png","data":"AA=="}
            a drawing: refused: unsupported image type `image/svg+xml`; expected one of image/png, image/jpeg, image/gif, image/webp
            sound: refused: audio is not supported; send text (`promptCapabilities.audio` is false)"#]].assert_eq(&got.join("\n"));
    }

    #[test]
    fn what_was_said_is_shown_as_it_was_sent() {
        let rows = [
            Input::text("hi"),
            Input::File {
                path: "/p/a b.rs".to_owned(),
                range: Some(LineRange { start: 2, end: 3 }),
            },
            Input::Selection {
                path: "/p/a.rs".to_owned(),
                range: LineRange { start: 2, end: 3 },
                text: "x".to_owned(),
            },
            Input::Image { mime_type: "image/png".to_owned(), data: "AA==".to_owned() },
        ];
        for row in rows {
            assert_eq!(input(vec![shown(&row)]).unwrap(), [row]);
        }
    }

    #[test]
    fn only_the_command_itself_compacts() {
        let rows = [
            ("/compact", Some("")),
            (" /compact ", Some("")),
            ("/compact keep the names", Some("keep the names")),
            ("/compacts", None),
            ("say /compact", None),
        ];
        for (text, want) in rows {
            assert_eq!(compaction(&[Input::text(text)]).as_deref(), want, "{text}");
        }
    }
}
