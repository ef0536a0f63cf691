//! Plan mode and act mode: the calls that plan mode denies, and the message to the model on a change. Pure.
//!
//! A turn keeps the mode in which it started, until the user accepts its plan.
//!
//! A turn asks its session for the mode before each call, since an accepted plan applies to later calls of the same reply.

use pintle_protocol::item::EngineMessage;
use pintle_protocol::plan::WorkMode;
use pintle_session::context::conversation::from_engine;
use pintle_tools::Access;

/// The modes by name.
pub(crate) const WORK_MODES: [(&str, WorkMode); 2] =
    [("act", WorkMode::Act), ("plan", WorkMode::Plan)];

/// The message that starts plan mode.
const PLAN: &str = "you are in plan mode. Read, search and think, but do not change anything: calls that write files, run commands or act on other systems are denied. Once you know what to do, submit the complete plan with the plan tool; the user then accepts it or asks for changes. If no change is needed, just answer.";

/// The message that ends plan mode.
const ACT: &str = "plan mode has ended. You may change files and run commands again.";

/// Returns why a call cannot run in this mode, as text for the model.
pub(crate) fn denial(mode: WorkMode, access: &Access) -> Option<String> {
    let what = match (mode, access) {
        (WorkMode::Act, _)
        | (WorkMode::Plan, Access::Read(_) | Access::Fetch { .. } | Access::Engine) => {
            return None;
        }
        (WorkMode::Plan, Access::Write(_)) => "changes files",
        (WorkMode::Plan, Access::Execute(_)) => "runs a command",
        (WorkMode::Plan, Access::Type { .. }) => "types into a running program",
        (WorkMode::Plan, Access::Other(_)) => "may do anything",
    };
    Some(format!(
        "Denied: this call {what}, and you are in plan mode. It did not run. Include it in the plan that you submit."
    ))
}

/// Returns the message for a model whose known mode differs from its current one.
pub(crate) fn news(now: WorkMode, told: WorkMode) -> Option<EngineMessage> {
    let text = match (now, told) {
        (WorkMode::Act, WorkMode::Act) | (WorkMode::Plan, WorkMode::Plan) => return None,
        (WorkMode::Plan, WorkMode::Act) => PLAN,
        (WorkMode::Act, WorkMode::Plan) => ACT,
    };
    Some(EngineMessage { text: from_engine(text), mode: Some(now), ..EngineMessage::default() })
}

/// Two messages as one.
pub(crate) fn join(
    first: Option<EngineMessage>,
    second: Option<EngineMessage>,
) -> Option<EngineMessage> {
    match (first, second) {
        (Some(mut first), Some(second)) => {
            first.text = format!("{}\n\n{}", first.text, second.text);
            first.jobs.extend(second.jobs);
            first.reviewed.extend(second.reviewed);
            first.mode = second.mode.or(first.mode);
            Some(first)
        }
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn plan_mode_denies_what_changes_something() {
        let paths = || vec![PathBuf::from("/w/a")];
        let fetch = Access::Fetch { url: "https://x.test/".to_owned(), host: "x.test".to_owned() };
        for (name, access, is_free) in [
            ("read", Access::Read(paths()), true),
            ("fetch", fetch, true),
            ("write", Access::Write(paths()), false),
            ("run", Access::Execute("ls".to_owned()), false),
            ("a client's tool", Access::Other("x".to_owned()), false),
        ] {
            assert_eq!(denial(WorkMode::Plan, &access).is_none(), is_free, "{name}");
            assert_eq!(denial(WorkMode::Act, &access), None, "{name}");
        }
    }

    #[test]
    fn the_model_is_told_of_a_change_and_of_nothing_else() {
        use WorkMode::{Act, Plan};
        for (now, told, want) in
            [(Act, Act, None), (Plan, Plan, None), (Plan, Act, Some(Plan)), (Act, Plan, Some(Act))]
        {
            assert_eq!(news(now, told).and_then(|news| news.mode), want, "{now:?} {told:?}");
        }
    }
}
