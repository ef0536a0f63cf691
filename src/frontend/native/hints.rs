//! Hints in the words of this protocol, by the names of its methods.

use crate::agent::{Action, Hint};

/// Returns a hint as this protocol's clients are told it.
pub(super) fn words(hint: Hint) -> String {
    let action = match hint {
        Hint::Text(text) => return text,
        Hint::Action(action) => action,
    };
    let words = match action {
        Action::SteerOrQueue => {
            "use turn/steer, or turn/start with whenBusy \"queue\", or turn/interrupt first"
        }
        Action::OpenSession => "open it again with session/open",
        Action::SetAtCreation => "send `systemPrompt` with session/create",
        Action::Fork => "only what `session/fork` made of this session comes back to it",
        Action::GoTo(seq) => {
            return format!("`session/rewind` to event {seq} goes to the end of it");
        }
        Action::ListHistory => "session/tree shows the places there are",
        Action::ListCheckpoints => "`checkpoint/list` tells the places",
        Action::ListItems => "`session/items` lists them",
        Action::ListJobs => "job/list names those that there are",
        Action::ListQuestions => {
            "session/subscribe tells which are; one of a sub-agent needs its sessionId"
        }
        Action::ListChangedFiles => "review/list shows the files that it changed",
        Action::ListHunks => "review/list shows the open hunks",
        Action::ListQueue => "it was read or handed back; queue/list shows those that wait",
        Action::RemoveQueued => "queue/remove takes a message out of the queue",
    };
    words.to_owned()
}
