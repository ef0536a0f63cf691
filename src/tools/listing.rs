//! List results, shared by the tools that search and list.

use crate::{Profile, success};
use pintle_base::text::truncate::{self, Limits, size};
use pintle_exec::Error;
use pintle_os::names;
use pintle_protocol::item::ToolResult;
use std::borrow::Cow;
use std::path::Path;

/// Returns a listing's lines up to a limit, with a note in brackets about the rest.
pub(super) fn listing(
    lines: &[String],
    profile: Profile,
    max_bytes: usize,
    mut notices: Vec<String>,
    last_notice: Option<String>,
) -> ToolResult {
    // The number of lines is limited by the caller, who counts results.
    let shown = truncate::head(&lines.join("\n"), Limits { max_lines: lines.len(), max_bytes });
    if shown.is_cut() {
        let limit = size(shown.record.max_bytes);
        notices.push(if profile == Profile::Pi {
            format!("{limit} limit reached")
        } else {
            let left = lines.len() as u64 - shown.record.output_lines;
            format!("{limit} limit reached, {left} more lines. Request less: refine pattern, or choose a subdirectory")
        });
    }
    notices.extend(last_notice);
    let mut result = if notices.is_empty() {
        success(shown.text)
    } else {
        success(format!("{}\n\n[{}]", shown.text, notices.join(". ")))
    };
    result.details.truncation = shown.record.truncated_by.is_some().then_some(shown.record);
    result
}

/// Returns a note about a path that was left out, though intended, because the project ignores it; `argument` is the name of the argument
/// for a search's path.
pub(super) fn ignored_notice(ignored: Option<&Path>, argument: &str) -> Option<String> {
    let path = shown(ignored?);
    Some(format!(
        "{path} is ignored by .gitignore or .ignore and was skipped. Pass it or its directory as `{argument}` to search there"
    ))
}

/// Words an error for a tool that searches or lists.
pub(super) fn explain(path: &str, error: &Error) -> String {
    match error {
        Error::NotFound(_) => format!("Path not found: {path}"),
        Error::NotFolder(_) => format!("Not a directory: {path}"),
        Error::Denied(_) => format!("Permission denied: {path} (EACCES)"),
        Error::Cancelled => "Operation aborted".to_owned(),
        _ => error.to_string(),
    }
}

/// Returns a path in the form for a model or user: one line, without terminal control sequences.
pub(super) fn shown(path: &Path) -> String {
    let text = names::shown(path);
    let text: Cow<'_, str> = if text.contains(char::is_control) {
        let plain = |character: char| {
            if character.is_control() {
                character.escape_default().to_string()
            } else {
                character.to_string()
            }
        };
        text.chars().map(plain).collect::<String>().into()
    } else {
        text
    };
    text.into_owned()
}
