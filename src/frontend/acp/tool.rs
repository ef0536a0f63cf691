//! Tool calls in this protocol's form: kind, locations, edits, output. Pure.

use super::wire;
use agent_client_protocol_schema::v1 as acp;
use pintle_protocol::approval::{Approval, ApprovalDetail, DetailKind};
use pintle_protocol::content::Content;
use pintle_protocol::diff::{FileChange, FileOp};
use pintle_protocol::item::{ItemStatus, Location, ToolCall, ToolKind, ToolResult};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The maximum number of edits of one call that are shown one by one.
const MAX_DIFFS: usize = 200;

pub(super) fn kind(kind: ToolKind) -> acp::ToolKind {
    match kind {
        ToolKind::Read => acp::ToolKind::Read,
        ToolKind::Edit => acp::ToolKind::Edit,
        ToolKind::Delete => acp::ToolKind::Delete,
        ToolKind::Move => acp::ToolKind::Move,
        ToolKind::Search => acp::ToolKind::Search,
        ToolKind::Execute => acp::ToolKind::Execute,
        ToolKind::Fetch => acp::ToolKind::Fetch,
        ToolKind::Think => acp::ToolKind::Think,
        ToolKind::Other => acp::ToolKind::Other,
    }
}

/// Maps a status. This protocol has one status for every unsuccessful end; the content names the reason.
pub(super) fn status(status: ItemStatus) -> acp::ToolCallStatus {
    match status {
        ItemStatus::Pending => acp::ToolCallStatus::Pending,
        ItemStatus::Running => acp::ToolCallStatus::InProgress,
        ItemStatus::Completed => acp::ToolCallStatus::Completed,
        ItemStatus::Failed | ItemStatus::Declined | ItemStatus::Cancelled => {
            acp::ToolCallStatus::Failed
        }
    }
}

pub(super) fn locations(places: &[Location]) -> Vec<acp::ToolCallLocation> {
    places.iter().map(|place| location(&place.path, place.line)).collect()
}

fn location(path: &str, line: Option<u64>) -> acp::ToolCallLocation {
    let line = line.and_then(|line| u32::try_from(line).ok());
    acp::ToolCallLocation::new(PathBuf::from(path)).line(line)
}

/// Returns a completed call's locations: the lines that it changed, if any.
pub(super) fn ended_at(call: &ToolCall) -> Vec<acp::ToolCallLocation> {
    let changed = changed_at(call.changes());
    if changed.is_empty() { locations(&call.locations) } else { changed }
}

fn changed_at(changes: &[FileChange]) -> Vec<acp::ToolCallLocation> {
    changes.iter().map(|change| location(&change.path, change.first_changed_line)).collect()
}

/// Returns a running call's content: the edits requested by its arguments.
pub(super) fn requested_edits(
    kind: ToolKind,
    input: Option<&Value>,
    places: &[Location],
) -> Vec<acp::ToolCallContent> {
    let (ToolKind::Edit, Some(input), Some(place)) = (kind, input, places.first()) else {
        return Vec::new();
    };
    let text_field = |value: &Value, names: &[&str]| {
        names.iter().find_map(|name| value.get(*name)?.as_str()).map(wire::cut)
    };
    let pair = |value: &Value| {
        let old = text_field(value, &["oldText", "old_string", "old_text"])?;
        let new = text_field(value, &["newText", "new_string", "new_text"])?;
        Some(diff(&place.path, Some(old), new))
    };
    let edits = input.get("edits").and_then(Value::as_array);
    let listed: Vec<_> = edits.into_iter().flatten().take(MAX_DIFFS).filter_map(pair).collect();
    if !listed.is_empty() {
        return listed;
    }
    let whole = || Some(diff(&place.path, None, text_field(input, &["content", "file_text"])?));
    pair(input).or_else(whole).into_iter().collect()
}

fn diff(path: &str, old: Option<String>, new: String) -> acp::ToolCallContent {
    acp::ToolCallContent::Diff(acp::Diff::new(PathBuf::from(path), new).old_text(old))
}

/// Returns an ended call's content. `terminal` is the terminal in which the client shows a command's output.
pub(super) fn content(
    call: &ToolCall,
    status: ItemStatus,
    terminal: Option<&str>,
) -> Vec<acp::ToolCallContent> {
    let Some(output) = &call.output else {
        let text = "The call was cut off before it was complete and did not run.";
        return vec![text_content(text.to_owned())];
    };
    let changes = output.details.changes.iter().flat_map(changed);
    let mut shown: Vec<_> = changes.take(MAX_DIFFS).collect();
    if let Some(terminal) = terminal.filter(|_| shown.is_empty()) {
        shown.push(acp::ToolCallContent::Terminal(acp::Terminal::new(terminal.to_owned())));
        return shown;
    }
    if shown.is_empty() || output.is_error {
        // Clients render Markdown; file content and command output are plain text.
        let is_raw = match call.kind {
            ToolKind::Read | ToolKind::Search => !output.is_error,
            // A failed command's output is not Markdown either; a user's denial is prose.
            ToolKind::Execute => status != ItemStatus::Declined,
            ToolKind::Edit
            | ToolKind::Delete
            | ToolKind::Move
            | ToolKind::Fetch
            | ToolKind::Think
            | ToolKind::Other => false,
        };
        shown.extend(output.content.iter().map(|block| output_block(block, is_raw)));
    }
    shown
}

fn output_block(block: &Content, is_raw: bool) -> acp::ToolCallContent {
    match block {
        Content::Text { text } | Content::Document { text, .. } if is_raw => {
            text_content(fenced(&wire::cut(text)))
        }
        Content::Text { text } | Content::Document { text, .. } => text_content(wire::cut(text)),
        Content::Image { mime_type, data } => {
            let image = acp::ImageContent::new(data.clone(), mime_type.clone());
            acp::ToolCallContent::Content(acp::Content::new(acp::ContentBlock::Image(image)))
        }
    }
}

/// Returns a text as a call's content.
pub(super) fn text_content(text: String) -> acp::ToolCallContent {
    let block = acp::ContentBlock::Text(acp::TextContent::new(text));
    acp::ToolCallContent::Content(acp::Content::new(block))
}

/// Returns the changes that need approval: the computed ones, or the edits that the arguments ask for.
pub(super) fn asked(approval: &Approval) -> Vec<acp::ToolCallContent> {
    if approval.changes.is_empty() {
        return requested_edits(approval.kind, Some(&approval.input), &approval.locations);
    }
    approval.changes.iter().flat_map(changed).take(MAX_DIFFS).collect()
}

/// Returns a pending call's locations: the lines that it would change, if known.
pub(super) fn asked_at(approval: &Approval) -> Vec<acp::ToolCallLocation> {
    if approval.changes.is_empty() {
        return locations(&approval.locations);
    }
    changed_at(&approval.changes)
}

/// Returns all details of an approval. Content is left out if the client draws it as a diff.
pub(super) fn details(details: &[ApprovalDetail], has_diffs: bool) -> Vec<acp::ToolCallContent> {
    let shown = details.iter().filter(|detail| match detail.kind {
        DetailKind::Content | DetailKind::Diff | DetailKind::Arguments => !has_diffs,
        DetailKind::Command | DetailKind::Path | DetailKind::Address | DetailKind::ModelText => {
            true
        }
    });
    shown
        .map(|detail| text_content(format!("{}:\n{}", detail.kind.heading(), fenced(&detail.text))))
        .collect()
}

/// Puts a text into a code fence that is longer than any in it.
pub(super) fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    format!("{fence}\n{text}{end}{fence}")
}

/// Returns an ended call's raw output, which clients keep in addition to the content.
pub(super) fn raw_output(output: &ToolResult) -> Value {
    let texts: Vec<String> =
        output.content.iter().filter_map(Content::as_text).map(wire::cut).collect();
    let mut raw = json!({"output": texts.join("\n"), "isError": output.is_error});
    let details = &output.details;
    let facts = [
        ("exitCode", details.exit_code.map(Value::from)),
        ("signal", details.signal.clone().map(Value::from)),
        ("fullOutputPath", details.full_output_path.clone().map(Value::from)),
        ("truncation", details.truncation.as_ref().and_then(|cut| serde_json::to_value(cut).ok())),
    ];
    if let Some(map) = raw.as_object_mut() {
        map.extend(facts.into_iter().filter_map(|(name, fact)| Some((name.to_owned(), fact?))));
    }
    raw
}

/// Returns the edits of one file, each with the text that it replaced.
fn changed(change: &FileChange) -> Vec<acp::ToolCallContent> {
    let mut hunks = hunks(&change.diff);
    if hunks.is_empty() {
        // A binary file, a move without a change, an empty file.
        let what = match change.op {
            FileOp::Add => "was added",
            FileOp::Modify => "was changed",
            FileOp::Delete => "was deleted",
            FileOp::Move => "was moved",
        };
        let from = change.old_path.as_ref().map(|old| format!(" from {old}")).unwrap_or_default();
        let text = format!("{} {what}{from}", change.path);
        return vec![text_content(text)];
    }
    hunks.truncate(MAX_DIFFS);
    let is_new = change.op == FileOp::Add;
    hunks
        .into_iter()
        .map(|(old, new)| diff(&change.path, (!is_new).then(|| wire::cut(&old)), wire::cut(&new)))
        .collect()
}

/// Returns the old and the new text of each hunk of a unified diff without headers.
fn hunks(diff: &str) -> Vec<(String, String)> {
    let mut hunks: Vec<(String, String)> = Vec::new();
    let mut last = ' ';
    for line in diff.split_inclusive('\n') {
        if line.starts_with("@@ ") {
            hunks.push((String::new(), String::new()));
            continue;
        }
        let Some((old, new)) = hunks.last_mut() else { continue };
        let (mark, text) = match line.chars().next() {
            Some(mark) => (mark, line.get(mark.len_utf8()..).unwrap_or_default()),
            None => continue,
        };
        if mark == '\\' {
            // `\ No newline at end of file` is about the line before it.
            if last != '+' && old.ends_with('\n') {
                old.pop();
            }
            if last != '-' && new.ends_with('\n') {
                new.pop();
            }
            continue;
        }
        if mark != '+' {
            old.push_str(text);
        }
        if mark != '-' {
            new.push_str(text);
        }
        last = mark;
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_hunk_has_its_old_and_its_new_text() {
        let rows = [
            ("nothing", "", vec![]),
            ("one", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", vec![("a\nb\n", "a\nc\n")]),
            ("two", "@@ -1 +1 @@\n-a\n+b\n@@ -9,0 +9 @@\n+z\n", vec![("a\n", "b\n"), ("", "z\n")]),
            (
                "no newline at the end of the new text",
                "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n",
                vec![("a\n", "b")],
            ),
            (
                "nor at that of both",
                "@@ -1,2 +1,2 @@\n-x\n+y\n a\n\\ No newline at end of file\n",
                vec![("x\na", "y\na")],
            ),
            (
                "lines that look like marks",
                "@@ -1 +1 @@\n--- a\n+++ b\n",
                vec![("-- a\n", "++ b\n")],
            ),
        ];
        for (name, diff, want) in rows {
            let want: Vec<(String, String)> =
                want.into_iter().map(|(old, new)| (old.to_owned(), new.to_owned())).collect();
            assert_eq!(hunks(diff), want, "{name}");
        }
    }

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        for (text, want) in
            [("a", "```\na\n```"), ("```\na\n```\n", "````\n```\na\n```\n````"), ("", "```\n```")]
        {
            assert_eq!(fenced(text), want);
        }
    }

    #[test]
    fn what_an_edit_asks_for_is_shown_in_any_profile() {
        let place = [Location { path: "/p/a".to_owned(), line: None }];
        let rows = [
            (
                json!({"path": "a", "edits": [{"oldText": "x", "newText": "y"}, {"oldText": "1", "newText": "2"}]}),
                2,
            ),
            (json!({"file_path": "a", "old_string": "x", "new_string": "y"}), 1),
            (json!({"path": "a", "content": "all of it"}), 1),
            (json!({"path": "a"}), 0),
        ];
        for (input, want) in rows {
            assert_eq!(
                requested_edits(ToolKind::Edit, Some(&input), &place).len(),
                want,
                "{input}"
            );
        }
        assert!(
            requested_edits(ToolKind::Execute, Some(&json!({"content": "x"})), &place).is_empty()
        );
    }
}
