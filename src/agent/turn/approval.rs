//! Permission of a call: decided here from values, asked and answered elsewhere.

use crate::tools::Access;
use pintle_protocol::approval::{
    Approval, ApprovalAnswer, ApprovalOption, ApprovalOutcome, DecidedBy, Decision, PermissionMode,
    Scope,
};

/// The permissions that a person gave for the rest of the session.
#[derive(Debug, Clone, Default)]
pub(in crate::agent) struct Grants {
    /// Changes of files in the working directory.
    edits_inside: bool,
    /// Commands, word for word.
    commands: Vec<String>,
    /// Hosts that pages are fetched from.
    hosts: Vec<String>,
    /// Tools of clients.
    tools: Vec<String>,
}

/// The location of a call's paths: in the working directory, or elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::agent) enum PathScope {
    /// In the working directory, symbolic links followed; or nowhere in particular.
    Inside,
    /// Elsewhere.
    Outside,
}

/// The decision about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::agent) enum Verdict {
    /// It may run.
    Allow,
    /// A person must say; with the reason that he reads.
    Ask(String),
}

/// Decides about a call.
pub(in crate::agent) fn decide(
    mode: PermissionMode,
    access: &Access,
    place: PathScope,
    grants: &Grants,
) -> Verdict {
    match (mode, access) {
        (PermissionMode::Full, _) | (PermissionMode::Ask, Access::Read(_)) => Verdict::Allow,
        (PermissionMode::Ask, Access::Write(_)) => match place {
            PathScope::Inside if grants.edits_inside => Verdict::Allow,
            PathScope::Inside => Verdict::Ask("it changes files".to_owned()),
            PathScope::Outside => {
                Verdict::Ask("it changes files outside the working directory".to_owned())
            }
        },
        (PermissionMode::Ask, Access::Execute(command)) => {
            if grants.commands.contains(command) {
                Verdict::Allow
            } else {
                Verdict::Ask("it runs a command".to_owned())
            }
        }
        (PermissionMode::Ask, Access::Fetch { url, host }) => {
            if grants.hosts.contains(host) {
                Verdict::Allow
            } else {
                Verdict::Ask(format!("it fetches {url} from the network"))
            }
        }
        (PermissionMode::Ask, Access::Other(tool)) => {
            if grants.tools.contains(tool) {
                Verdict::Allow
            } else {
                Verdict::Ask("it calls a tool of a client".to_owned())
            }
        }
    }
}

/// Remembers what a person allowed for the session.
pub(in crate::agent) fn grant(grants: &mut Grants, access: &Access, place: PathScope) {
    match (access, place) {
        (Access::Write(_), PathScope::Inside) => grants.edits_inside = true,
        (Access::Execute(command), _) => grants.commands.push(command.clone()),
        (Access::Fetch { host, .. }, _) => grants.hosts.push(host.clone()),
        (Access::Other(tool), _) => grants.tools.push(tool.clone()),
        (Access::Read(_), _) | (Access::Write(_), PathScope::Outside) => {}
    }
}

/// The answers to choose from.
pub(in crate::agent) fn options(access: &Access, place: PathScope) -> Vec<ApprovalOption> {
    let option = |id: &str, label: &str, decision, scope| ApprovalOption {
        option_id: id.to_owned(),
        label: label.to_owned(),
        decision,
        scope,
    };
    let for_session = match (access, place) {
        (Access::Write(_), PathScope::Inside) => {
            Some("Allow changes in the working directory for this session".to_owned())
        }
        (Access::Execute(_), _) => Some("Allow this command for this session".to_owned()),
        (Access::Fetch { host, .. }, _) => {
            Some(format!("Allow fetching from {host} for this session"))
        }
        (Access::Other(tool), _) => Some(format!("Allow {tool} for this session")),
        (Access::Read(_), _) | (Access::Write(_), PathScope::Outside) => None,
    };
    let mut options = vec![option("allow", "Allow", Decision::Allow, Scope::Once)];
    if let Some(label) = for_session {
        options.push(option("allow-session", &label, Decision::Allow, Scope::Session));
    }
    options.push(option("deny", "Deny", Decision::Deny, Scope::Once));
    options.push(option("abort", "Deny and stop the turn", Decision::Abort, Scope::Once));
    options
}

/// The outcome of an answer. Only an option that was offered can allow.
pub(in crate::agent) fn outcome(approval: &Approval, answer: &ApprovalAnswer) -> ApprovalOutcome {
    let chosen = approval
        .options
        .iter()
        .find(|option| !answer.dismissed && answer.option_id.as_ref() == Some(&option.option_id));
    ApprovalOutcome {
        approval_id: approval.approval_id.clone(),
        item_id: approval.item_id.clone(),
        decision: chosen.map_or(Decision::Deny, |option| option.decision),
        scope: chosen.map_or(Scope::Once, |option| option.scope),
        by: DecidedBy::Client,
        feedback: answer.feedback.clone().filter(|text| !text.trim().is_empty()),
    }
}

/// The text that the model reads in place of a result.
pub(in crate::agent) fn denial_text(outcome: &ApprovalOutcome) -> String {
    let reason = match outcome.by {
        DecidedBy::Client => "The user declined this call. It did not run.".to_owned(),
        DecidedBy::NoApprover => {
            "Denied: this call needs permission and nobody is there to give it \
            (noApprover). It did not run. Do not try to reach the same end by another way."
                .to_owned()
        }
        DecidedBy::Interrupt => "Operation aborted".to_owned(),
    };
    match &outcome.feedback {
        Some(feedback) => format!("{reason} The user said: {feedback}"),
        None => reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_protocol::ids::{ApprovalId, ItemId, SessionId, TurnId};
    use pintle_protocol::item::ToolKind;
    use std::path::PathBuf;

    fn accesses() -> [(&'static str, Access); 5] {
        let path = || vec![PathBuf::from("/w/a")];
        [
            ("read", Access::Read(path())),
            ("write", Access::Write(path())),
            ("run", Access::Execute("make".to_owned())),
            (
                "fetch",
                Access::Fetch { url: "https://x.test/a".to_owned(), host: "x.test".to_owned() },
            ),
            ("other", Access::Other("their_tool".to_owned())),
        ]
    }

    #[test]
    fn reading_is_free_and_the_rest_asks_until_it_was_granted() {
        let mut rows = Vec::new();
        for (name, access) in accesses() {
            for place in [PathScope::Inside, PathScope::Outside] {
                let mut grants = Grants::default();
                let show = |verdict| match verdict {
                    Verdict::Allow => "allow".to_owned(),
                    Verdict::Ask(reason) => format!("ask: {reason}"),
                };
                let full = show(decide(PermissionMode::Full, &access, place, &grants));
                let before = show(decide(PermissionMode::Ask, &access, place, &grants));
                grant(&mut grants, &access, place);
                let after = show(decide(PermissionMode::Ask, &access, place, &grants));
                rows.push(format!(
                    "{name} {place:?} | full {full} | ask {before} | granted {after}"
                ));
            }
        }
        expect_test::expect![[r"
            read Inside | full allow | ask allow | granted allow
            read Outside | full allow | ask allow | granted allow
            write Inside | full allow | ask ask: it changes files | granted allow
            write Outside | full allow | ask ask: it changes files outside the working directory | granted ask: it changes files outside the working directory
            run Inside | full allow | ask ask: it runs a command | granted allow
            run Outside | full allow | ask ask: it runs a command | granted allow
            fetch Inside | full allow | ask ask: it fetches https://x.test/a from the network | granted allow
            fetch Outside | full allow | ask ask: it fetches https://x.test/a from the network | granted allow
            other Inside | full allow | ask ask: it calls a tool of a client | granted allow
            other Outside | full allow | ask ask: it calls a tool of a client | granted allow"]]
        .assert_eq(&rows.join("\n"));
    }

    #[test]
    fn a_grant_for_one_command_is_none_for_another() {
        let mut grants = Grants::default();
        grant(&mut grants, &Access::Execute("make".to_owned()), PathScope::Inside);
        let other = Access::Execute("make; rm -r /".to_owned());
        assert!(matches!(
            decide(PermissionMode::Ask, &other, PathScope::Inside, &grants),
            Verdict::Ask(_)
        ));
    }

    #[test]
    fn a_grant_for_one_host_is_none_for_another() {
        let fetch =
            |host: &str| Access::Fetch { url: format!("https://{host}/"), host: host.to_owned() };
        let mut grants = Grants::default();
        grant(&mut grants, &fetch("x.test"), PathScope::Inside);
        for (host, is_allowed) in [("x.test", true), ("x.test:81", false), ("y.test", false)] {
            let verdict = decide(PermissionMode::Ask, &fetch(host), PathScope::Inside, &grants);
            assert_eq!(verdict == Verdict::Allow, is_allowed, "{host}");
        }
    }

    #[test]
    fn only_an_offered_option_allows() {
        let access = Access::Execute("make".to_owned());
        let approval = Approval {
            approval_id: ApprovalId::new("a"),
            session_id: SessionId::new("s"),
            turn_id: TurnId::new("t"),
            item_id: ItemId::new("i"),
            tool_name: "bash".to_owned(),
            kind: ToolKind::Execute,
            title: String::new(),
            reason: String::new(),
            input: serde_json::Value::Null,
            locations: Vec::new(),
            options: options(&access, PathScope::Inside),
        };
        let rows: [(&str, &str, Decision, Scope); 8] = [
            ("allow", r#"{"optionId":"allow"}"#, Decision::Allow, Scope::Once),
            ("for the session", r#"{"optionId":"allow-session"}"#, Decision::Allow, Scope::Session),
            ("deny", r#"{"optionId":"deny"}"#, Decision::Deny, Scope::Once),
            ("abort", r#"{"optionId":"abort"}"#, Decision::Abort, Scope::Once),
            ("dismissed", r#"{"dismissed":true}"#, Decision::Deny, Scope::Once),
            (
                "dismissed and allowed",
                r#"{"dismissed":true,"optionId":"allow"}"#,
                Decision::Deny,
                Scope::Once,
            ),
            ("an option never offered", r#"{"optionId":"always"}"#, Decision::Deny, Scope::Once),
            ("nothing", "{}", Decision::Deny, Scope::Once),
        ];
        for (name, answer, decision, scope) in rows {
            let got = outcome(&approval, &serde_json::from_str(answer).unwrap());
            assert_eq!((got.decision, got.scope), (decision, scope), "{name}");
        }
    }
}
