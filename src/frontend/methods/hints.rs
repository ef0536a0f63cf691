//! Hints in terms of this protocol's methods.

use pintle_agent::{Action, Hint};

/// Formats a hint for this protocol's clients.
pub(super) fn text(hint: Hint) -> String {
    let action = match hint {
        Hint::Text(text) => return text,
        Hint::Action(action) => action,
    };
    let text = match action {
        Action::SteerOrQueue => {
            "use turn/steer, or turn/start with whenBusy \"queue\", or turn/interrupt first"
        }
        Action::StartTurn => {
            "send it with turn/start, or with whenIdle \"hold\" for the next prompt"
        }
        Action::NameModel => {
            "set one with --model PROVIDER/ID, `model = \"PROVIDER/ID\"` in the config file, or config.model"
        }
        Action::OpenSession => "open it again with session/open",
        Action::Attach(_) => {
            "connect with `pintle attach` instead of `pintle serve`, and open it there"
        }
        Action::SetAtCreation => "send `systemPrompt` with session/create",
        Action::Fork => "only forks of this session, made with session/fork, can be merged into it",
        Action::GoTo(seq) => {
            return format!("rewind to event {seq} with session/rewind to reach its end");
        }
        Action::ListHistory => "session/tree lists the events to go to",
        Action::ListCheckpoints => "checkpoint/list lists the checkpoints",
        Action::ListItems => "session/items lists the items",
        Action::ListJobs => "job/list lists the jobs",
        Action::ListRules => "permission/list lists the rules with their ids",
        Action::ListQuestions => {
            "session/subscribe returns the open ones; a sub-agent's needs its sessionId"
        }
        Action::ListChangedFiles => "review/list lists the changed files",
        Action::ListHunks => "review/list lists the open hunks",
        Action::ListQueue => "it was read or returned; queue/list lists the waiting messages",
        Action::LogIn { provider, otherwise } => {
            let either = otherwise.map(|other| format!("{other}, or ")).unwrap_or_default();
            return format!("{either}log in to {provider} with auth/login");
        }
        Action::RemoveQueued => "queue/remove removes messages from the queue",
    };
    text.to_owned()
}
