//! A session as text: its messages, and a line for each call.

use super::terminal::{one_line, plural};
use pintle_base::text::terminal::shown;
use pintle_base::text::visible::visible;
use pintle_protocol::content::Input;
use pintle_protocol::event::{Event, EventRecord, TurnStatus};
use pintle_protocol::isolation::ApplyOutcome;
use pintle_protocol::item::{CompactionReason, ItemStatus};
use pintle_session::export::end_of_item;
use pintle_session::presentation::{Form, Work};
use std::borrow::Cow;
use std::io::{self, IsTerminal};

/// Returns an event's text; `None` for events that are not printed.
pub(crate) fn lines(record: &EventRecord) -> Option<String> {
    let text = match &record.event {
        Event::ItemCompleted { item } => match Form::from(&item.body) {
            Form::UserMessage(content) => {
                let text: Vec<String> = content.iter().map(input).collect();
                indented("> ", &text.join("\n"))
            }
            Form::Message(text) if text.trim().is_empty() => return None,
            Form::Message(text) => text.trim_end().to_owned(),
            Form::Work(Work { title, session: Some(session), .. }) => {
                format!("* {title} ({session})")
            }
            Form::Work(work) => format!("* {}{}", one_line(&work.title), end_of_item(item.status)),
            Form::Compaction(summary) => match &summary.error {
                None if item.status == ItemStatus::Completed => {
                    "* conversation summarized".to_owned()
                }
                // The end of the turn states the error of a requested one.
                Some(error) if summary.reason != CompactionReason::Requested => {
                    format!("! conversation not summarized: {}", one_line(error))
                }
                Some(_) | None => return None,
            },
            Form::Reasoning(_) | Form::Note(_) => return None,
        },
        Event::TurnCompleted(turn) => match (turn.status, &turn.error) {
            (TurnStatus::Completed, _) => return None,
            (TurnStatus::Interrupted, _) => "! interrupted".to_owned(),
            (TurnStatus::Failed, error) => {
                let why = error.as_ref().map_or("unknown", |error| error.message.as_str());
                format!("! failed: {}", one_line(why))
            }
        },
        Event::Notice(notice) => format!("! {}", one_line(&notice.message)),
        Event::SessionMoved(moved) => {
            format!("* moved to {} from {}", one_line(&moved.cwd), one_line(&moved.from))
        }
        Event::SessionUpdated(updated) => match &updated.title {
            Some(title) => format!("* title set to: {}", one_line(title)),
            None => "* title removed".to_owned(),
        },
        Event::FilesChanged(changed) => {
            let paths: Vec<String> =
                changed.changes.iter().map(|change| one_line(&change.path)).collect();
            format!("* changed {}", paths.join(", "))
        }
        Event::IsolationApplied(applied) => {
            let count =
                |outcome| applied.files.iter().filter(|file| file.outcome == outcome).count();
            let all = plural(applied.files.len() as u64, "file");
            let (conflicts, kept) = (count(ApplyOutcome::Conflict), count(ApplyOutcome::Kept));
            format!("* applied {all} to the project ({conflicts} with conflicts, {kept} left out)")
        }
        Event::ReviewDecided(decision) => {
            format!("* decided {}", plural(decision.parts.len() as u64, "hunk"))
        }
        Event::ReviewQueued(queue) => match &queue.refused {
            Some(refused) => {
                format!("* decision rejected: {}", one_line(&refused.reason))
            }
            None => format!("* {} queued", plural(queue.waiting.len() as u64, "decision")),
        },
        Event::HistoryRewound(rewound) => {
            format!(
                "* rewound to event {}, dropping {} items",
                rewound.to_seq,
                rewound.dropped.len()
            )
        }
        Event::LabelChanged(changed) => match &changed.label {
            Some(label) => format!("* labeled event {}: {}", changed.seq, one_line(label)),
            None => format!("* label removed from event {}", changed.seq),
        },
        Event::SessionCreated(_)
        | Event::SessionClosed {}
        | Event::InputAccepted(_)
        | Event::InputRemoved { .. }
        | Event::QueueChanged { .. }
        | Event::TurnStarted { .. }
        | Event::PromptMade(_)
        | Event::ItemStarted { .. }
        | Event::ItemUpdated { .. }
        | Event::ApprovalRequested(_)
        | Event::ApprovalResolved(_)
        | Event::QuestionRequested(_)
        | Event::QuestionResolved(_)
        | Event::PlanUpdated(_)
        | Event::StepCompleted(_)
        | Event::RetryScheduled(_)
        | Event::ContextPruned(_)
        | Event::ConfigChanged(_) => return None,
    };
    Some(drawn(&text).into_owned())
}

/// Draws characters that a terminal would obey or a reader would not see as signs; on a pipe, only control characters.
pub(crate) fn drawn(text: &str) -> Cow<'_, str> {
    if io::stdout().is_terminal() { visible(text) } else { shown(text) }
}

fn input(block: &Input) -> String {
    match block {
        Input::Text { text, .. } => text.trim_end().to_owned(),
        Input::File { path, .. } | Input::Diagnostics { path, .. } => format!("[{path}]"),
        Input::Selection { path, text, .. } => format!("[{path}]\n{}", text.trim_end()),
        Input::Image { mime_type, .. } => format!("[image, {mime_type}]"),
        Input::Document { name, .. } => format!("[document, {name}]"),
    }
}

fn indented(mark: &str, text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("{mark}{line}")).collect();
    lines.join("\n")
}
