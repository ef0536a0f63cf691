//! Short sentences about events, the same in every format: pure, and plain text that its reader escapes.

use super::story::duration;
use pintle_protocol::content::Input;
use pintle_protocol::diff::{FileChange, FileOp};
use pintle_protocol::event::{
    ConfigChanged, Notice, NoticeLevel, RetryScheduled, StopReason, TurnCompleted, TurnStatus,
};
use pintle_protocol::item::{Compaction, ItemStatus, ToolCall};
use pintle_protocol::plan::{PlanStatus, WorkMode};
use pintle_protocol::question::{AnsweredBy, QuestionOutcome};
use serde_json::Value;

/// The end of an item, to stand behind its title; nothing where it ended well.
pub fn end_of_item(status: ItemStatus) -> &'static str {
    match status {
        ItemStatus::Completed => "",
        ItemStatus::Failed => " (failed)",
        ItemStatus::Declined => " (declined)",
        ItemStatus::Cancelled => " (stopped)",
        ItemStatus::Pending | ItemStatus::Running => " (not ended)",
    }
}

/// The end of a turn.
pub(super) fn end_of_turn(end: &TurnCompleted) -> String {
    match (end.status, end.stop, &end.error) {
        (TurnStatus::Interrupted, _, _) => "The turn was interrupted".to_owned(),
        (TurnStatus::Failed, _, Some(error)) => format!("The turn failed: {}", error.message),
        (TurnStatus::Failed, _, None) => "The turn failed".to_owned(),
        (TurnStatus::Completed, Some(StopReason::Limit), _) => {
            "The turn ended at a limit".to_owned()
        }
        (TurnStatus::Completed, Some(StopReason::Refusal), _) => "The model declined".to_owned(),
        (TurnStatus::Completed, _, _) => "The turn ended".to_owned(),
    }
}

/// The answer to a question.
pub(super) fn answer(outcome: &QuestionOutcome) -> String {
    let mut said = outcome.option_ids.join(", ");
    if let Some(text) = &outcome.text {
        if !said.is_empty() {
            said.push_str("; ");
        }
        said.push_str(text);
    }
    match outcome.by {
        AnsweredBy::Client => format!("Answered: {said}"),
        AnsweredBy::Dismissed => "Closed without an answer".to_owned(),
        AnsweredBy::Deadline => format!("Nobody answered in time; the default holds: {said}"),
        AnsweredBy::NoClient => "Nobody was there to answer".to_owned(),
        AnsweredBy::Interrupt => "The turn was interrupted before an answer".to_owned(),
    }
}

/// A sign for how far a part of a plan is.
pub(super) fn plan_mark(status: PlanStatus) -> &'static str {
    match status {
        PlanStatus::Pending => "☐",
        PlanStatus::InProgress => "▶",
        PlanStatus::Completed => "☑",
    }
}

/// That the provider is asked again.
pub(super) fn retry(retry: &RetryScheduled) -> String {
    let RetryScheduled { attempt, of, delay_ms, message, .. } = retry;
    format!("Asked again in {} ({attempt} of {of}): {message}", duration(*delay_ms))
}

/// That results were taken out.
pub(super) fn pruned(results: u64) -> String {
    let what = if results == 1 { "old result" } else { "old results" };
    format!("{results} {what} taken out of what the model reads")
}

/// The session's settings from here on.
pub(super) fn config(config: &ConfigChanged) -> String {
    let permission = serde_json::to_value(config.permission_mode).unwrap_or_default();
    let permission = permission.as_str().unwrap_or("unknown");
    let mode = match config.mode {
        WorkMode::Act => "",
        WorkMode::Plan => ", plans only",
    };
    format!("From here on: model {}, permission {permission}{mode}", config.model)
}

/// A notice with what to do about it.
pub(super) fn notice(notice: &Notice) -> String {
    let level = match notice.level {
        NoticeLevel::Info => "",
        NoticeLevel::Warning => "Warning: ",
        NoticeLevel::Error => "Error: ",
    };
    let hint = notice.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    format!("{level}{}{hint}", notice.message)
}

/// What a summing up did.
pub(super) fn compaction(summary: &Compaction) -> String {
    match (&summary.error, summary.tokens_after) {
        (Some(error), _) => format!("Summing up failed: {error}"),
        (None, Some(after)) => format!(
            "The conversation was summed up: {} tokens before, {after} after",
            summary.tokens_before
        ),
        (None, None) => "The conversation was summed up".to_owned(),
    }
}

/// The change of a file.
pub(super) fn change(change: &FileChange) -> String {
    let FileChange { path, added, removed, .. } = change;
    let what = match (change.op, &change.old_path) {
        (FileOp::Add, _) => format!("New file {path}"),
        (FileOp::Modify, _) => path.clone(),
        (FileOp::Delete, _) => format!("Deleted {path}"),
        (FileOp::Move, Some(old)) => format!("Moved {old} to {path}"),
        (FileOp::Move, None) => format!("Moved to {path}"),
    };
    format!("{what} (+{added} −{removed})")
}

/// The arguments that ran.
pub(super) fn input(call: &ToolCall) -> Option<&Value> {
    let input = call.changed_input.as_ref().or(call.input.as_ref())?;
    let is_empty = input.as_object().is_some_and(serde_json::Map::is_empty);
    (!is_empty).then_some(input)
}

/// A block of a person's message as text; a picture is only named.
pub(super) fn said(input: &Input) -> String {
    match input {
        Input::Text { text } => text.clone(),
        Input::File { path, range } => {
            let lines = range.map(|lines| format!(", lines {} to {}", lines.start, lines.end));
            format!("[file {path}{}]", lines.unwrap_or_default())
        }
        Input::Selection { path, range, text } => {
            format!("[{path}, lines {} to {}]\n{text}", range.start, range.end)
        }
        Input::Diagnostics { path, items } => {
            let mut lines = vec![format!("[problems in {path}]")];
            lines.extend(items.iter().map(|item| format!("{}: {}", item.line, item.message)));
            lines.join("\n")
        }
        Input::Image { mime_type, .. } => format!("[picture, {mime_type}]"),
    }
}
