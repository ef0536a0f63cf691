//! Selects the events that a fork copies. Pure.

use crate::store::Entry;
use pintle_protocol::approval::Approval;
use pintle_protocol::event::{Event, TurnStatus};
use pintle_protocol::ids::SessionId;
use pintle_protocol::question::Question;

/// Returns true for an entry that a fork copies. An event of an unknown kind is not copied, since it has no text for a model.
pub fn belongs_to_history(entry: &Entry) -> bool {
    entry.record.as_ref().is_some_and(|record| is_history(&record.event))
}

/// Returns true for a conversation or turn event, false for one about the queue, the files or the session itself.
pub fn is_history(event: &Event) -> bool {
    match event {
        Event::TurnStarted { .. }
        | Event::PromptMade(_)
        | Event::TurnCompleted(_)
        | Event::ItemStarted { .. }
        | Event::ItemUpdated { .. }
        | Event::ItemCompleted { .. }
        | Event::QuestionRequested(_)
        | Event::QuestionResolved(_)
        | Event::ApprovalRequested(_)
        | Event::ApprovalResolved(_)
        | Event::PlanUpdated(_)
        | Event::StepCompleted(_)
        | Event::RetryScheduled(_)
        | Event::ContextPruned(_)
        | Event::Notice(_) => true,
        // Files on disk are the other session's work; a fork starts with their current state. Events have other numbers in the copy, which
        // consists of the path to the forked event only.
        Event::FilesChanged(_)
        | Event::IsolationApplied(_)
        | Event::ReviewDecided(_)
        | Event::ReviewQueued(_)
        | Event::HistoryRewound(_)
        | Event::LabelChanged(_)
        | Event::SessionCreated(_)
        | Event::SessionMoved(_)
        | Event::SessionUpdated(_)
        | Event::SessionClosed {}
        | Event::InputAccepted(_)
        | Event::InputRemoved { .. }
        | Event::QueueChanged { .. }
        | Event::ConfigChanged(_) => false,
    }
}

/// Assigns a copied request to the copying session.
pub fn moved(mut event: Event, to: &SessionId) -> Event {
    if let Event::ApprovalRequested(approval) = &mut event {
        approval.session_id.clone_from(to);
    }
    if let Event::QuestionRequested(question) = &mut event {
        question.session_id.clone_from(to);
    }
    event
}

/// Returns true if one event is a copy of the other, in whichever sessions they are.
pub(super) fn is_copy(one: &Event, other: &Event) -> bool {
    match (one, other) {
        (Event::ApprovalRequested(one), Event::ApprovalRequested(other)) => {
            Approval { session_id: other.session_id.clone(), ..one.clone() } == *other
        }
        (Event::QuestionRequested(one), Event::QuestionRequested(other)) => {
            Question { session_id: other.session_id.clone(), ..one.clone() } == *other
        }
        (one, other) => one == other,
    }
}

/// Marks a turn that the copy cuts as interrupted: it did not end in a crash.
pub fn interrupted(mut event: Event) -> Event {
    if let Event::TurnCompleted(end) = &mut event {
        end.status = TurnStatus::Interrupted;
        end.error = None;
    }
    event
}
