//! Approvals: the question about a call, its options and outcome, and the rules that an answer adds. Pure; `permissions`
//! decides whether there is a question at all.

use pintle_base::text::diff;
use pintle_base::text::visible::{visible, visible_line};
use pintle_protocol::approval::{
    Approval, ApprovalAnswer, ApprovalDetail, ApprovalOption, ApprovalOutcome, DecidedBy, Decision,
    DetailKind, Scope,
};
use pintle_protocol::diff::{FileChange, FileOp};
use pintle_protocol::item::Denial;
use pintle_tools::Access;
use pintle_tools::permissions::rules::Words;
use pintle_tools::permissions::{CallDecision, Origin, Rule, SandboxUse};
use serde_json::Value;
use std::path::PathBuf;

/// Returns the origin for rules that an answer with this scope adds, or `None` if the answer applies once.
pub(crate) fn origin(scope: Scope) -> Option<Origin> {
    match scope {
        Scope::Once => None,
        Scope::Turn => Some(Origin::GrantedForTurn),
        Scope::Session => Some(Origin::GrantedForSession),
        Scope::Project => Some(Origin::GrantedForProject),
        Scope::User => Some(Origin::GrantedByUser),
    }
}

/// Returns the answers to offer. Answers that outlast the call add the proposed rules.
pub(crate) fn options(access: &Access, proposed: &[Rule]) -> Vec<ApprovalOption> {
    let option = |id: &str, label: &str, decision, scope| ApprovalOption {
        option_id: id.to_owned(),
        label: visible_line(label).into_owned(),
        decision,
        scope,
        rules: Vec::new(),
    };
    let mut options = vec![option("allow", "Allow", Decision::Allow, Scope::Once)];
    if let Some(subject) = subject(access, proposed) {
        let shown = |rule: &Rule| visible_line(&rule.to_string()).into_owned();
        let rules: Vec<String> = proposed.iter().map(shown).collect();
        let is_let_out = proposed.iter().any(|rule| rule.sandbox == Some(SandboxUse::Off));
        let outside = if is_let_out { ", outside the sandbox" } else { "" };
        for (id, scope, until) in [
            ("allow-turn", Scope::Turn, "for this turn"),
            ("allow-session", Scope::Session, "for this session"),
            ("allow-project", Scope::Project, "always in this project"),
            ("allow-user", Scope::User, "always"),
        ] {
            let label = format!("Allow {subject} {until}{outside}");
            let rules = rules.clone();
            options.push(ApprovalOption { rules, ..option(id, &label, Decision::Allow, scope) });
        }
    }
    options.push(option("deny", "Deny", Decision::Deny, Scope::Once));
    options.push(option("abort", "Deny and stop the turn", Decision::Abort, Scope::Once));
    options
}

/// Describes the calls that the proposed rules cover.
fn subject(access: &Access, proposed: &[Rule]) -> Option<String> {
    if proposed.is_empty() {
        return None;
    }
    let words = |rule: &Rule| {
        let flags = rule.flags.as_deref();
        rule.argv.as_ref().map(|words| Words { words, flags }.to_string())
    };
    let commands: Vec<String> = proposed.iter().filter_map(words).collect();
    Some(match access {
        Access::Write(_) => "changes in the working directory".to_owned(),
        Access::Execute(_) | Access::Type { .. } => commands.join(" and "),
        Access::Fetch { host, .. } => format!("fetching from {host}"),
        Access::Other(tool) => tool.clone(),
        Access::Read(_) | Access::Engine => {
            let paths: Vec<&str> =
                proposed.iter().filter_map(|rule| rule.path.as_deref()).collect();
            format!("reading {}", paths.join(" and "))
        }
    })
}

/// Returns all details of an approval: the complete command or change and, separately, the model's description of it.
pub(crate) fn details(
    access: &Access,
    paths: &[(PathBuf, PathBuf)],
    input: &Value,
    changes: &[FileChange],
) -> Vec<ApprovalDetail> {
    let detail = |kind, text: &str| ApprovalDetail { kind, text: visible(text).into_owned() };
    let pretty = || serde_json::to_string_pretty(input).unwrap_or_default();
    let mut details = Vec::new();
    match access {
        Access::Execute(command) => details.push(detail(DetailKind::Command, command)),
        Access::Type { text, .. } => details.push(detail(DetailKind::Command, text)),
        Access::Fetch { url, .. } => details.push(detail(DetailKind::Address, url)),
        Access::Other(_) | Access::Engine => {
            details.push(detail(DetailKind::Arguments, &pretty()));
        }
        Access::Read(_) | Access::Write(_) => {
            let named = paths.iter().map(|(_, resolved)| resolved.to_string_lossy());
            details.extend(named.map(|path| detail(DetailKind::Path, &path)));
        }
    }
    if let Some(changed) = in_place(changes) {
        details.extend(changed.iter().map(|diff| detail(DetailKind::Diff, diff)));
    } else if let Access::Write(_) = access {
        let text = |names: &[&str]| names.iter().find_map(|name| input.get(*name)?.as_str());
        let patch = text(&["patch", "input", "patchText"]);
        let content = text(&["content", "file_text", "contents"]);
        match (patch, content) {
            (Some(patch), _) => details.push(detail(DetailKind::Diff, patch)),
            (None, Some(content)) => details.push(detail(DetailKind::Content, content)),
            (None, None) => match replacements(input) {
                Some(diff) => details.push(detail(DetailKind::Diff, &diff)),
                None => details.push(detail(DetailKind::Arguments, &pretty())),
            },
        }
    }
    if let Some(text) = input.get("description").and_then(Value::as_str) {
        details.push(detail(DetailKind::ModelText, text));
    }
    details
}

/// Returns the computed changes as diffs. `None` if diffs would not show everything that is written: a new file is easier to read in full,
/// and binary content has no diff.
fn in_place(changes: &[FileChange]) -> Option<Vec<String>> {
    let is_new = |change: &FileChange| change.op == FileOp::Add;
    let has_diff = |change: &FileChange| {
        !change.diff.is_empty() || matches!(change.op, FileOp::Delete | FileOp::Move)
    };
    if changes.iter().all(is_new) || !changes.iter().all(has_diff) {
        return None;
    }
    let diff = |change: &FileChange| {
        let FileChange { op, path, old_path, diff, .. } = change;
        let old_path = old_path.as_deref().unwrap_or_default();
        match op {
            FileOp::Modify if changes.len() == 1 => diff.clone(),
            FileOp::Modify => format!("{path}:\n{diff}"),
            FileOp::Add => format!("{path} is added:\n{diff}"),
            FileOp::Delete => format!("{path} is deleted:\n{diff}"),
            FileOp::Move => format!("{old_path} becomes {path}:\n{diff}"),
        }
    };
    Some(changes.iter().map(diff).collect())
}

/// Returns an edit's replacements as a diff, or `None` if the arguments have another form.
fn replacements(input: &Value) -> Option<String> {
    let one = |edit: &Value| {
        let text = |names: [&str; 2]| names.iter().find_map(|name| edit.get(*name)?.as_str());
        let old = text(["oldText", "old_string"])?;
        let new = text(["newText", "new_string"])?;
        Some(diff::unified(old, new).text)
    };
    let edits = input.get("edits").and_then(Value::as_array);
    let diffs: Option<Vec<String>> = match edits.filter(|edits| !edits.is_empty()) {
        Some(edits) => edits.iter().map(one).collect(),
        None => Some(vec![one(input)?]),
    };
    let mut text = diffs?.join("\n");
    if input.get("replaceAll").or_else(|| input.get("replace_all")) == Some(&Value::Bool(true)) {
        text.push_str("\n(everywhere in the file)");
    }
    Some(text)
}

/// Returns an answer's outcome. Only an offered option can allow the call.
pub(crate) fn outcome(approval: &Approval, answer: &ApprovalAnswer) -> ApprovalOutcome {
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
        edited: answer.edits.iter().map(|edit| edit.path.clone()).collect(),
    }
}

/// Returns the text that the model reads instead of a result after the user, or their absence, denied a call.
pub(crate) fn denial_text(outcome: &ApprovalOutcome, proposed: &[Rule]) -> String {
    let reason = match outcome.by {
        DecidedBy::Client => "The user declined this call. It did not run.".to_owned(),
        DecidedBy::NoApprover => {
            let reason = "Denied: this call requires permission, and no user is available to grant it (noApprover). It did not run. Do not try to achieve the same result another way.";
            let rules: Vec<String> = proposed.iter().map(Rule::to_string).collect();
            if rules.is_empty() {
                reason.to_owned()
            } else {
                let rules = rules.join(" and ");
                format!("{reason} The user has a rule that would allow it: {rules}.")
            }
        }
        DecidedBy::Deadline => "Denied: the approval timed out. This call did not run.".to_owned(),
        DecidedBy::Interrupt => "Operation aborted".to_owned(),
    };
    match &outcome.feedback {
        Some(feedback) => format!("{reason} The user said: {feedback}"),
        None => reason,
    }
}

/// Returns the text that the model reads instead of a result after a rule or the mode denied a call.
pub(crate) fn policy_text(verdict: &CallDecision) -> String {
    format!(
        "Denied: {}. Decided by {}. It did not run. Do not try to achieve the same result another way; the user can allow it with a different permission mode or a rule in config.toml.",
        verdict.reason, verdict.by
    )
}

/// The denial source for a call of a tool excluded by the user who started the session.
pub const TOOL_LIST: &str = "the list of tools";

/// Returns the denial of such a call.
pub(crate) fn withheld() -> Denial {
    Denial { decided_by: TOOL_LIST.to_owned(), mode: None, rules: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_protocol::ids::{ApprovalId, ItemId, SessionId, TurnId};
    use pintle_protocol::item::ToolKind;
    use pintle_tools::permissions;
    use std::path::PathBuf;

    #[test]
    fn answers_for_longer_than_the_call_say_what_they_add() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect();
        let command = Rule::for_words(permissions::Decision::Allow, words("cargo build **"));
        let edits = Rule {
            kind: Some(permissions::Kind::Write),
            path: Some("**".to_owned()),
            ..Rule::new(permissions::Decision::Allow)
        };
        let sandbox = Some(SandboxUse::Off);
        let commit = Rule::for_words(permissions::Decision::Allow, words("git commit **"));
        let commit = Rule { sandbox, ..commit };
        let run = Access::Execute("cargo build".to_owned());
        let mut rows = Vec::new();
        for (access, proposed) in [
            (run.clone(), vec![command]),
            (Access::Write(Vec::new()), vec![edits]),
            (run.clone(), vec![commit]),
            (run, Vec::new()),
        ] {
            let options = options(&access, &proposed).into_iter();
            rows.extend(options.map(|option| {
                let rules = option.rules.join(", ");
                format!("{}: {} {:?} [{rules}]", option.option_id, option.label, option.scope)
            }));
        }
        expect_test::expect![[r#"
            allow: Allow Once []
            allow-turn: Allow `cargo build **` for this turn Turn [allow `cargo build **`]
            allow-session: Allow `cargo build **` for this session Session [allow `cargo build **`]
            allow-project: Allow `cargo build **` always in this project Project [allow `cargo build **`]
            allow-user: Allow `cargo build **` always User [allow `cargo build **`]
            deny: Deny Once []
            abort: Deny and stop the turn Once []
            allow: Allow Once []
            allow-turn: Allow changes in the working directory for this turn Turn [allow write path `**`]
            allow-session: Allow changes in the working directory for this session Session [allow write path `**`]
            allow-project: Allow changes in the working directory always in this project Project [allow write path `**`]
            allow-user: Allow changes in the working directory always User [allow write path `**`]
            deny: Deny Once []
            abort: Deny and stop the turn Once []
            allow: Allow Once []
            allow-turn: Allow `git commit **` for this turn, outside the sandbox Turn [allow `git commit **` outside the sandbox (sandbox = "off")]
            allow-session: Allow `git commit **` for this session, outside the sandbox Session [allow `git commit **` outside the sandbox (sandbox = "off")]
            allow-project: Allow `git commit **` always in this project, outside the sandbox Project [allow `git commit **` outside the sandbox (sandbox = "off")]
            allow-user: Allow `git commit **` always, outside the sandbox User [allow `git commit **` outside the sandbox (sandbox = "off")]
            deny: Deny Once []
            abort: Deny and stop the turn Once []
            allow: Allow Once []
            deny: Deny Once []
            abort: Deny and stop the turn Once []"#]].assert_eq(&rows.join("\n"));
    }

    #[test]
    fn labels_and_rules_are_drawn_like_titles() {
        let words = ["./x", "a\nb", "\u{202e}txt", "\u{1b}]52;c;eA==\u{7}"].map(str::to_owned);
        let rule = Rule::for_words(permissions::Decision::Allow, words.into());
        let run = Access::Execute("./x".to_owned());
        for option in options(&run, &[rule]) {
            for text in std::iter::once(&option.label).chain(&option.rules) {
                assert_eq!(*text, visible_line(text), "{}", option.option_id);
            }
        }
    }

    #[test]
    fn a_person_is_shown_all_that_runs_and_the_models_words_apart() {
        let path = vec![PathBuf::from("/w/a\u{202e}b")];
        let rows = [
            (
                Access::Execute("ls\nrm -rf \u{1b}[8m/".to_owned()),
                r#"{"description":"lists files"}"#,
            ),
            (Access::Write(path.clone()), r#"{"path":"a","content":"one\ntwo\u0000"}"#),
            (Access::Write(path.clone()), r#"{"input":"*** Begin Patch"}"#),
            (Access::Write(path.clone()), r#"{"edits":[{"oldText":"a","newText":"b"}]}"#),
            (Access::Read(path), "{}"),
            (Access::Other("deploy".to_owned()), r#"{"to":"production"}"#),
        ];
        let rows = rows.map(|(access, input)| {
            let paths = match &access {
                Access::Read(paths) | Access::Write(paths) => {
                    paths.iter().map(|path| (path.clone(), path.clone())).collect()
                }
                _ => Vec::new(),
            };
            let details = details(&access, &paths, &serde_json::from_str(input).unwrap(), &[]);
            let details: Vec<String> = details
                .iter()
                .map(|detail| format!("{:?} {:?}", detail.kind, detail.text))
                .collect();
            details.join(" | ")
        });
        expect_test::expect![[r#"
            Command "ls\nrm -rf ␛[8m/" | ModelText "lists files"
            Path "/w/a⟨U+202E⟩b" | Content "one\ntwo␀"
            Path "/w/a⟨U+202E⟩b" | Diff "*** Begin Patch"
            Path "/w/a⟨U+202E⟩b" | Diff "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"
            Path "/w/a⟨U+202E⟩b"
            Arguments "{\n  \"to\": \"production\"\n}""#]].assert_eq(&rows.join("\n"));
    }

    #[test]
    fn a_change_that_is_known_is_shown_in_place() {
        let path = PathBuf::from("/w/a");
        let paths = [(path.clone(), path.clone())];
        let change = |op, diff: &str| FileChange {
            op,
            path: "/w/a".to_owned(),
            old_path: (op == FileOp::Move).then(|| "/w/b".to_owned()),
            diff: diff.to_owned(),
            added: 0,
            removed: 0,
            first_changed_line: None,
            words: Vec::new(),
        };
        let input = r#"{"path":"a","content":"all"}"#;
        let rows = [
            ("changed", vec![change(FileOp::Modify, "-a\n+b\n")]),
            ("new", vec![change(FileOp::Add, "+all\n")]),
            ("no text", vec![change(FileOp::Modify, "")]),
            (
                "several",
                vec![
                    change(FileOp::Modify, "-a\n+b\n"),
                    change(FileOp::Add, "+n\n"),
                    change(FileOp::Delete, ""),
                    change(FileOp::Move, ""),
                ],
            ),
        ];
        let rows = rows.map(|(name, changes)| {
            let access = Access::Write(vec![path.clone()]);
            let details = details(&access, &paths, &serde_json::from_str(input).unwrap(), &changes);
            let shown = details.iter().skip(1);
            let shown: Vec<String> =
                shown.map(|detail| format!("{:?} {:?}", detail.kind, detail.text)).collect();
            format!("{name}: {}", shown.join(" | "))
        });
        expect_test::expect![[r#"
            changed: Diff "-a\n+b\n"
            new: Content "all"
            no text: Content "all"
            several: Diff "/w/a:\n-a\n+b\n" | Diff "/w/a is added:\n+n\n" | Diff "/w/a is deleted:\n" | Diff "/w/b becomes /w/a:\n""#]].assert_eq(&rows.join("\n"));
    }

    #[test]
    fn only_an_offered_option_allows() {
        let access = Access::Execute("make".to_owned());
        let rule = Rule::for_words(permissions::Decision::Allow, vec!["make".to_owned()]);
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
            decided_by: String::new(),
            details: Vec::new(),
            changes: Vec::new(),
            editable: false,
            options: options(&access, &[rule]),
            deadline_ms: 0,
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
