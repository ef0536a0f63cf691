//! The text of finished items for a user: calls with their diffs and the end of their output. Pure.

use super::hunks::relative;
use super::look::{Ink, Look};
use crate::cli::sessions::one_line;
use pintle_protocol::diff::FileChange;
use pintle_protocol::event::{TurnCompleted, TurnStatus};
use pintle_protocol::isolation::{ApplyOutcome, IsolationApplyResult, IsolationKind};
use pintle_protocol::item::{Item, ItemBody, ItemStatus, ToolCall, ToolKind};
use pintle_session::export::{end_of_item, phrases};
use std::fmt::Write as _;

/// The number of lines that are shown of a changed file.
const MAX_DIFF: usize = 30;

/// The number of lines that are shown of a command's output: its end.
const MAX_OUTPUT: usize = 6;

/// Returns a finished call's text.
pub(super) fn call(item: &Item, call: &ToolCall, cwd: &str, look: Look) -> String {
    let ink = match item.status {
        ItemStatus::Failed | ItemStatus::Declined => Ink::Error,
        _ => Ink::Plain,
    };
    let title = format!("{}{}", one_line(&call.title), end_of_item(item.status));
    let mut text = String::new();
    for (at, part) in look.folded(&title, 2).iter().enumerate() {
        let lead = if at == 0 { "* " } else { "  " };
        let _ = writeln!(text, "{}", look.paint(ink, &format!("{lead}{part}")));
    }
    for change in call.changes() {
        text += &changed(change, cwd, look);
    }
    let is_output = call.kind == ToolKind::Execute || item.status == ItemStatus::Failed;
    if is_output && call.changes().is_empty() {
        text += &output(&call.text(), look);
    }
    text
}

fn changed(change: &FileChange, cwd: &str, look: Look) -> String {
    let shown = FileChange {
        path: one_line(relative(&change.path, cwd)),
        old_path: change.old_path.as_ref().map(|path| one_line(relative(path, cwd))),
        ..change.clone()
    };
    let head = look.paint(Ink::Dim, &phrases::change(&shown));
    format!("  {head}\n{}", look.diff(&change.diff, "  ", MAX_DIFF))
}

/// Returns an output's last lines.
pub(super) fn output(output: &str, look: Look) -> String {
    let lines: Vec<&str> = output.trim_end().lines().collect();
    let omitted = lines.len().saturating_sub(MAX_OUTPUT);
    let mut text = match omitted {
        0 => String::new(),
        1 => format!("  {}\n", look.paint(Ink::Dim, "… 1 line above")),
        _ => format!("  {}\n", look.paint(Ink::Dim, &format!("… {omitted} lines above"))),
    };
    for line in lines.iter().skip(omitted) {
        let line = Look::cut(line, look.columns.saturating_sub(3));
        let _ = writeln!(text, "  {}", look.paint(Ink::Dim, &line));
    }
    text
}

/// Returns a terminal's screen.
pub(super) fn screen(screen: &str, look: Look) -> String {
    if screen.is_empty() {
        return format!("  {}\n", look.paint(Ink::Dim, "(nothing on the screen)"));
    }
    let line = |line: &str| {
        let line = Look::cut(line, look.columns.saturating_sub(5));
        format!("  | {}\n", look.paint(Ink::Plain, &line))
    };
    screen.lines().map(line).collect()
}

/// Returns the list of running jobs.
pub(super) fn jobs(items: &[Item], look: Look) -> String {
    let mut text = String::new();
    let mut has_terminal = false;
    for item in items {
        let ItemBody::Job(job) = &item.body else { continue };
        if job.end.is_some() {
            continue;
        }
        has_terminal |= job.in_terminal;
        let id = look.paint(Ink::Bold, &one_line(job.job_id.as_str()));
        let line = Look::cut(&one_line(&job.command), look.columns.saturating_sub(24));
        let place = if job.in_terminal { "  (terminal)" } else { "" };
        let _ = writeln!(text, "  {id}  {}{place}", look.paint(Ink::Plain, &line));
    }
    if text.is_empty() {
        return "no job is running\n".to_owned();
    }
    if has_terminal {
        let hint = "/type JOB TEXT types into a terminal; /type JOB shows its screen.";
        let _ = writeln!(text, "{}", look.paint(Ink::Dim, hint));
    }
    text
}

/// Returns the word for a kind of copy.
pub(super) fn kind(kind: IsolationKind) -> &'static str {
    match kind {
        IsolationKind::Worktree => "worktree",
        IsolationKind::Copy => "copy",
    }
}

/// Returns the outcome of applying the changes in a copy.
pub(super) fn applied(result: &IsolationApplyResult, project: &str, look: Look) -> String {
    if result.files.is_empty() {
        return "no changes to apply\n".to_owned();
    }
    let mut text = String::new();
    for file in &result.files {
        let (ink, outcome) = match file.outcome {
            ApplyOutcome::Applied => (Ink::Plain, "applied"),
            ApplyOutcome::Unchanged => (Ink::Plain, "already applied"),
            ApplyOutcome::Conflict => (Ink::Bold, "conflict, marked in the file"),
            ApplyOutcome::Kept => (Ink::Bold, "conflict, your file is unchanged"),
        };
        let path = one_line(relative(&file.path, project));
        let _ = writeln!(text, "  {path}  {}", look.paint(ink, outcome));
    }
    text
}

/// Returns a line that lists changed files; empty if there are none.
pub(super) fn changed_files(lead: &str, paths: &[String], cwd: &str, look: Look) -> String {
    if paths.is_empty() {
        return String::new();
    }
    let paths: Vec<String> = paths.iter().map(|path| one_line(relative(path, cwd))).collect();
    format!("{}\n", look.paint(Ink::Plain, &format!("{lead} {}", paths.join(", "))))
}

/// Returns a completed turn's duration and cost.
pub(super) fn turn(turn: &TurnCompleted, look: Look) -> Option<String> {
    if turn.status != TurnStatus::Completed {
        return None;
    }
    let cost = turn.cost_nano_usd.map(|cost| format!(", {}", pintle_base::text::money::usd(cost)));
    let text = format!("{}{}", phrases::duration(turn.duration_ms), cost.unwrap_or_default());
    Some(look.paint(Ink::Dim, &text))
}
