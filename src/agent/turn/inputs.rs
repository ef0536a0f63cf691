//! Renders user input into model content: prompts called by name, and attached or mentioned files and images.
//!
//! The item keeps the input as sent. The content read for it is journaled next to it, so that it is the same when the session is reopened.
//! Invariant: only text typed by the user can mention files; text from a template or another model cannot.
//!
//! An attached file is read by the `read` tool: same limits, same notes, images scaled down, and the file counts as read.

use crate::grants::Grants;
use crate::project::ProjectFiles;
use crate::turn::approval;
use crate::turn::context::TurnContext;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pintle_base::image::Format;
use pintle_base::pdf;
use pintle_base::text::truncate::{self, Limits};
use pintle_base::text::visible::visible_line;
use pintle_exec::FileKind;
use pintle_protocol::content::{Content, Input, LineRange};
use pintle_protocol::event::{Notice, NoticeLevel};
use pintle_protocol::item::ToolResult;
use pintle_session::context::{input, skills, templates};
use pintle_tools::mcp;
use pintle_tools::permissions;
use pintle_tools::{Access, Profile, Read, ResolvedPaths, Tool, ToolContext, document, picture};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A message as the model reads it.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(crate) content: Vec<Content>,
    /// The journal's version, if it cannot be derived from the input as sent.
    pub(crate) private: Option<Box<RawValue>>,
    /// Possible mentions that are neither a path nor a resource.
    unknown: Vec<String>,
    /// Existing files mentioned or attached.
    pub(crate) files: Vec<PathBuf>,
}

/// The maximum number of unknown mentions in a notice.
const MAX_NAMED: usize = 5;

impl Rendered {
    /// Returns the notice about mentions that led to nothing.
    pub(crate) fn notice(&self) -> Option<Notice> {
        let named = self.unknown.iter().take(MAX_NAMED);
        let named: Vec<String> = named.map(|mention| format!("`@{mention}`")).collect();
        let more = match self.unknown.len().saturating_sub(MAX_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!named.is_empty()).then(|| Notice {
            level: NoticeLevel::Info,
            code: "unknownMention".to_owned(),
            message: format!("no such file, directory or resource: {}{more}", named.join(", ")),
            hint: Some(
                "the model sees only the mention as text; paths are relative to the working directory"
                    .to_owned(),
            ),
        })
    }
}

/// Reads the content that a message needs. If the turn is stopped meanwhile, the message stays as sent.
pub(crate) async fn render(ctx: &TurnContext, sent: &[Input]) -> Rendered {
    let plain = input::plain(sent);
    let work = async {
        let (mut content, mut unknown, mut files) = (Vec::new(), Vec::new(), Vec::new());
        let cwd = &ctx.workspace.folders.cwd;
        let mut mentioned = Vec::new();
        for (at, block) in sent.iter().enumerate() {
            match block {
                Input::Text { text, verbatim } => {
                    let is_typed = !verbatim && !ctx.prompt.is_subagent;
                    let called = if is_typed && at == 0 { call(ctx, text).await } else { None };
                    content.extend(called.unwrap_or_else(|| vec![Content::text(text.clone())]));
                    if is_typed {
                        mentioned.extend(input::mentions(text));
                    }
                }
                Input::File { path, range } => {
                    files.push(cwd.join(path));
                    content.extend(file(ctx, path, *range).await);
                }
                Input::Image { data, .. } => {
                    content.push(picture(&ctx.tools.settings, &ctx.cancel, data).await);
                }
                Input::Document { data, name, .. } => {
                    content.extend(attached(ctx, name, data).await);
                }
                Input::Selection { path, .. } | Input::Diagnostics { path, .. } => {
                    files.push(cwd.join(path));
                    content.extend(input::plain(std::slice::from_ref(block)));
                }
            }
        }
        mentioned.dedup();
        for mention in mentioned.into_iter().take(input::MAX_MENTIONS) {
            let before = input::before_brackets(&mention);
            let mut is_path = false;
            let mut found = None;
            for path in std::iter::once(mention.as_str()).chain(before) {
                let kind = kind_of(ctx, path).await;
                is_path |= kind.is_some();
                if kind.is_some() {
                    files.push(cwd.join(path));
                }
                if kind == Some(FileKind::File) {
                    found = Some(file(ctx, path, None).await);
                    break;
                }
            }
            let found = match found {
                Some(found) => found,
                None => resource(ctx, &mention).await,
            };
            if found.is_empty() && !is_path {
                unknown.push(mention);
            }
            content.extend(found);
        }
        (content, unknown, files)
    };
    let (content, unknown, files) = tokio::select! {
        biased;
        () = ctx.cancel.cancelled() => (plain.clone(), Vec::new(), Vec::new()),
        content = work => content,
    };
    let private =
        if content == plain { None } else { to_raw_value(&json!({ "read": content })).ok() };
    Rendered { content, private, unknown, files }
}

/// Returns a document that a client attached, with its text limited as by the `read` tool.
async fn attached(ctx: &TurnContext, name: &str, data: &str) -> Vec<Content> {
    let name = visible_line(name);
    let name = if name.trim().is_empty() { "document.pdf" } else { name.trim() };
    let settings = &ctx.tools.settings;
    let limits = settings.limits(Limits::default());
    let mut content = document(settings, &ctx.cancel, name, data).await;
    for block in &mut content {
        let (Content::Text { text } | Content::Document { text, .. }) = block else { continue };
        let shown = truncate::head(text, limits);
        if shown.is_cut() {
            let (last, lines) = (shown.record.output_lines, shown.record.total_lines);
            *text = format!(
                "{}\n\n[cut: lines 1-{last} of {lines}; for the rest, attach the file by its path]",
                shown.text
            );
        }
    }
    content
}

/// Returns the prompt or skill that a text calls, with its arguments.
async fn call(ctx: &TurnContext, text: &str) -> Option<Vec<Content>> {
    let (name, arguments) = templates::call(text)?;
    if let Some(servers) = &ctx.tools.servers
        && let Some(found) =
            servers.session.prompt(name, &templates::split_arguments(arguments)).await
    {
        return Some(said(ctx, found).await);
    }
    let place = ProjectFiles::load(
        ctx.workspace.env.as_ref(),
        &ctx.prompt.personal,
        &ctx.workspace.folders.cwd,
    )
    .await;
    if let Some(name) = name.strip_prefix(skills::CALL) {
        let (skill, text) = place.skill(name).await?;
        return Some(vec![Content::text(skills::call(&skill, &text, arguments))]);
    }
    let template = place.template(name).await?;
    Some(vec![Content::text(templates::expand(&template.body, arguments))])
}

/// Reads an MCP resource that the user mentions as `@SERVER:URI`.
async fn resource(ctx: &TurnContext, mention: &str) -> Vec<Content> {
    let Some(servers) = &ctx.tools.servers else { return Vec::new() };
    match servers.session.mentioned(mention).await {
        Some(found) => said(ctx, found).await,
        None => Vec::new(),
    }
}

/// Returns an MCP server's content, or its failure, for the model.
async fn said(ctx: &TurnContext, found: Result<(String, Vec<Content>), String>) -> Vec<Content> {
    match found {
        Ok((server, blocks)) => {
            mcp::marked(&ctx.tools.settings, &ctx.cancel, &server, blocks).await
        }
        Err(message) => vec![Content::text(format!("[{message}]"))],
    }
}

/// Returns the file kind at a path, if it exists.
async fn kind_of(ctx: &TurnContext, path: &str) -> Option<FileKind> {
    let path = absolute(ctx, path)?;
    let stat = ctx.workspace.env.stat(Path::new(&path)).await.ok()?;
    Some(stat.kind)
}

/// Resolves a path as the `read` tool does.
fn absolute(ctx: &TurnContext, path: &str) -> Option<String> {
    let prepared =
        Read(Profile::Pi).prepare(json!({ "path": path }), &ctx.workspace.folders).ok()?;
    prepared.locations().into_iter().next().map(|location| location.path)
}

/// Returns a file as shown by the `read` tool: with its limits, its notes, and images scaled down. The file counts as read.
async fn file(ctx: &TurnContext, path: &str, range: Option<LineRange>) -> Vec<Content> {
    let mut arguments = json!({ "path": path });
    if let (Some(range), Value::Object(fields)) = (range, &mut arguments) {
        fields.insert("offset".to_owned(), range.start.into());
        fields.insert("limit".to_owned(), (range.end.saturating_sub(range.start) + 1).into());
    }
    let result = match Read(Profile::Pi).prepare(arguments, &ctx.workspace.folders) {
        // Mentioning a file permits reading it, but a secret also needs a rule that lists it.
        Ok(prepared) => match secret(ctx, prepared.access()).await {
            Ok(resolved) => prepared.run(&tool_context(ctx, resolved)).await,
            Err(denied) => ToolResult {
                content: vec![Content::text(denied)],
                is_error: true,
                ..ToolResult::default()
            },
        },
        Err(message) => {
            ToolResult { content: vec![Content::text(message)], ..ToolResult::default() }
        }
    };
    let mut content = Vec::new();
    let mut text = String::new();
    for block in result.content {
        match block {
            Content::Text { text: more } => text.push_str(&more),
            Content::Image { .. } | Content::Document { .. } => content.push(block),
        }
    }
    if result.is_error {
        text = format!("[{text}]");
    }
    content.insert(0, input::file(path, range, &text));
    content
}

/// Returns the paths to read, or the reason why they cannot be read.
async fn secret(ctx: &TurnContext, access: Access) -> Result<ResolvedPaths, String> {
    let (site, grants) = ((&ctx.workspace).into(), Grants::default());
    let decided = ctx.permissions.decide(site, &grants, "read", &access).await;
    let is_denied = decided.verdict.decision == permissions::Decision::Deny;
    if is_denied {
        return Err(approval::policy_text(&decided.verdict));
    }
    Ok(decided.paths.into_iter().collect())
}

fn tool_context(ctx: &TurnContext, resolved: ResolvedPaths) -> ToolContext {
    ToolContext {
        resolved,
        artifacts: Some(ctx.workspace.artifacts.clone()),
        read_tracker: ctx.tools.read_tracker.clone(),
        owner: ctx.session_id.to_string(),
        variables: ctx.workspace.variables.clone(),
        jobs: ctx.tools.jobs.clone(),
        agents: ctx.tools.agents.clone(),
        cancel: ctx.cancel.child_token(),
        settings: Arc::clone(&ctx.tools.settings),
        // Reading runs no command, asks no client and prints no progress.
        ..ToolContext::new(Arc::clone(&ctx.workspace.env), ctx.workspace.folders.cwd.clone())
    }
}

/// Returns true for a message without anything to read.
pub(crate) fn is_blank(input: &[Input]) -> bool {
    input.iter().all(|block| match block {
        Input::Text { text, .. } => text.trim().is_empty(),
        Input::File { .. }
        | Input::Selection { .. }
        | Input::Diagnostics { .. }
        | Input::Image { .. }
        | Input::Document { .. } => false,
    })
}

/// Checks a message. An error is the reason to refuse it, with a hint.
pub(crate) fn check(sent: &[Input]) -> Result<(), (String, &'static str)> {
    if is_blank(sent) {
        return Err(("the input is empty".to_owned(), "send at least one non-blank block"));
    }
    for block in sent {
        let wrong_range = |range: &LineRange| !input::is_range(*range);
        match block {
            Input::File { path, .. }
            | Input::Selection { path, .. }
            | Input::Diagnostics { path, .. }
                if path.trim().is_empty() =>
            {
                return Err((
                    "a block has an empty path".to_owned(),
                    "specify a file by its path, absolute or relative to the working directory",
                ));
            }
            Input::File { range: Some(range), .. } | Input::Selection { range, .. }
                if wrong_range(range) =>
            {
                let LineRange { start, end } = range;
                return Err((
                    format!("invalid line range {start} to {end}"),
                    "lines are counted from 1, and the last must not precede the first",
                ));
            }
            Input::Text { .. }
            | Input::File { .. }
            | Input::Selection { .. }
            | Input::Diagnostics { .. } => {}
            Input::Document { mime_type, data, .. } => {
                if !pdf::is_document(mime_type, data) {
                    return Err((
                        format!("a document block has the unsupported media type `{mime_type}`"),
                        "send a PDF file in base64",
                    ));
                }
            }
            Input::Image { data, .. } => {
                let head = STANDARD.decode(data).ok().and_then(|bytes| Format::detect(&bytes));
                if head.is_none() {
                    return Err((
                        "an image block contains no image in a supported format".to_owned(),
                        "send a PNG, JPEG, GIF or WebP file in base64",
                    ));
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_shown_is_refused_before_it_is_taken() {
        let range = |start, end| LineRange { start, end };
        let file = |path: &str, range| Input::File { path: path.to_owned(), range };
        let image =
            |data: &str| Input::Image { mime_type: "image/png".to_owned(), data: data.to_owned() };
        let document = |mime_type: &str, data: &str| Input::Document {
            mime_type: mime_type.to_owned(),
            data: data.to_owned(),
            name: "a".to_owned(),
        };
        let png = STANDARD.encode(b"\x89PNG\r\n\x1a\n");
        for (name, block, want) in [
            ("blank text", Input::text(" "), Some("the input is empty")),
            ("a document", document("application/pdf", ""), None),
            ("a document by its content", document("", "JVBERi0xLjc="), None),
            (
                "another document",
                document("application/msword", "0M8R4A=="),
                Some("a document block has the unsupported media type `application/msword`"),
            ),
            ("a file", file("a", None), None),
            ("some lines", file("a", Some(range(1, 1))), None),
            ("a file without a path", file(" ", None), Some("a block has an empty path")),
            ("lines from 0", file("a", Some(range(0, 3))), Some("invalid line range 0 to 3")),
            ("lines backwards", file("a", Some(range(4, 3))), Some("invalid line range 4 to 3")),
            ("a picture", image(&png), None),
            (
                "no base64",
                image("%"),
                Some("an image block contains no image in a supported format"),
            ),
            (
                "no picture",
                image("AAAA"),
                Some("an image block contains no image in a supported format"),
            ),
        ] {
            let got = check(&[block]).err().map(|(message, _)| message);
            assert_eq!(got.as_deref(), want, "{name}");
        }
        assert!(check(&[]).is_err());
    }
}
