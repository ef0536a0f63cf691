//! Phrases about events, the same in every format: pure, and plain text that the format escapes.

pub use super::timeline::duration;
use pintle_protocol::content::Input;
use pintle_protocol::diff::{FileChange, FileOp};
use pintle_protocol::event::{
    ConfigChanged, ContextPruned, Notice, NoticeLevel, RetryScheduled, StopReason, TurnCompleted,
    TurnStatus,
};
use pintle_protocol::item::{Compaction, ItemStatus};
use pintle_protocol::plan::{PlanStatus, WorkMode};
use pintle_protocol::question::{AnsweredBy, QuestionOutcome};

/// Returns how an item ended, to append to its title; empty if it succeeded.
pub fn end_of_item(status: ItemStatus) -> &'static str {
    match status {
        ItemStatus::Completed => "",
        ItemStatus::Failed => " (failed)",
        ItemStatus::Declined => " (declined)",
        ItemStatus::Cancelled => " (cancelled)",
        ItemStatus::Pending | ItemStatus::Running => " (not ended)",
    }
}

/// Describes how a turn ended.
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

/// Describes the answer to a question.
pub(super) fn answer(outcome: &QuestionOutcome) -> String {
    let mut answer = outcome.option_ids.join(", ");
    if let Some(text) = &outcome.text {
        if !answer.is_empty() {
            answer.push_str("; ");
        }
        answer.push_str(text);
    }
    match outcome.by {
        AnsweredBy::Client => format!("Answered: {answer}"),
        AnsweredBy::Dismissed => "Closed without an answer".to_owned(),
        AnsweredBy::Deadline => format!("Nobody answered in time; the default applies: {answer}"),
        AnsweredBy::NoClient => "No client was there to answer".to_owned(),
        AnsweredBy::Interrupt => "The turn was interrupted before an answer".to_owned(),
    }
}

/// Returns the mark for a plan step's status.
pub(super) fn plan_mark(status: PlanStatus) -> &'static str {
    match status {
        PlanStatus::Pending => "☐",
        PlanStatus::InProgress => "▶",
        PlanStatus::Completed => "☑",
    }
}

/// Describes a retry.
pub(super) fn retry(retry: &RetryScheduled) -> String {
    let RetryScheduled { attempt, of, delay_ms, message, .. } = retry;
    format!("Retried in {} ({attempt} of {of}): {message}", duration(*delay_ms))
}

/// Describes the pruning of results and arguments.
pub(super) fn pruned(pruned: &ContextPruned) -> String {
    let ContextPruned { results, calls, .. } = *pruned;
    let what = if results == 1 { "old result" } else { "old results" };
    let arguments = match calls {
        0 => String::new(),
        1 => " and the long arguments of one call".to_owned(),
        calls => format!(" and the long arguments of {calls} calls"),
    };
    format!("{results} {what}{arguments} removed from the model's context")
}

/// Describes the session's settings from here on.
pub(super) fn config(config: &ConfigChanged) -> String {
    let permission = serde_json::to_value(config.permission_mode).unwrap_or_default();
    let permission = permission.as_str().unwrap_or("unknown");
    let mode = match config.mode {
        WorkMode::Act => "",
        WorkMode::Plan => ", plans only",
    };
    format!("From here on: model {}, permission {permission}{mode}", config.model)
}

/// Returns a notice with its hint.
pub(super) fn notice(notice: &Notice) -> String {
    let level = match notice.level {
        NoticeLevel::Info => "",
        NoticeLevel::Warning => "Warning: ",
        NoticeLevel::Error => "Error: ",
    };
    let hint = notice.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    format!("{level}{}{hint}", notice.message)
}

/// Describes a compaction.
pub(super) fn compaction(summary: &Compaction) -> String {
    match (&summary.error, summary.tokens_after) {
        (Some(error), _) => format!("Compaction failed: {error}"),
        (None, Some(after)) => format!(
            "The conversation was compacted from {} to {after} tokens",
            summary.tokens_before
        ),
        (None, None) => "The conversation was compacted".to_owned(),
    }
}

/// Describes a file's change.
pub fn change(change: &FileChange) -> String {
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

/// Returns a block of a user's message as text; an image is only named.
pub fn input(input: &Input) -> String {
    match input {
        Input::Text { text, .. } => text.clone(),
        Input::File { path, range } => {
            let lines = range.map(|lines| format!(", lines {} to {}", lines.start, lines.end));
            format!("[file {path}{}]", lines.unwrap_or_default())
        }
        Input::Selection { path, range, text } => {
            format!("[{path}, lines {} to {}]\n{text}", range.start, range.end)
        }
        Input::Diagnostics { path, items } => {
            let mut lines = vec![format!("[diagnostics in {path}]")];
            lines.extend(items.iter().map(|item| format!("{}: {}", item.line, item.message)));
            lines.join("\n")
        }
        Input::Image { mime_type, .. } => format!("[image, {mime_type}]"),
        Input::Document { name, .. } => format!("[document, {name}]"),
    }
}
