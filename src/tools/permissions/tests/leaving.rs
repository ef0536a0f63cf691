//! Commands that leave the sandbox: by a rule, or because the user is asked.

use super::*;
use crate::permissions::propose::propose;

/// Rules that let commands out of the sandbox, before those of the table.
fn rules_that_let_out(places: &Places) -> Vec<Compiled> {
    let rule = |text: &str| {
        let rule: Rule = toml::from_str(text).unwrap();
        rule.compile(Origin::User, &places.roots, places.home.as_deref()).unwrap()
    };
    let off = |words: &str| rule(&format!("decision = 'allow'\nsandbox = 'off'\nargv = {words}"));
    let mut all = vec![off("['git', 'add', '**']"), off("['git', 'commit', '**']")];
    all.extend([off("['git', 'push', '**']"), off("['git', 'status']")]);
    all.extend(rules(places));
    all
}

#[test]
fn a_command_leaves_the_sandbox_if_rules_let_all_of_it_out() {
    let places = places();
    let rules = rules_that_let_out(&places);
    let shown = |line: &str, mode, sandbox| {
        let ctx = Context { mode, is_trusted: true, sandbox, places: &places, rules: &rules };
        let verdict = decide(&call(line, &places), &ctx);
        let (decision, is_let_out) = (verdict.decision, verdict.is_let_out);
        let is_confined = verdict.is_confined();
        assert!(!(is_confined && is_let_out), "{line}");
        let place = match (is_confined, is_let_out) {
            (true, _) => 'i',
            (_, true) => 'o',
            (false, false) => '-',
        };
        format!("{}{place}", sign(decision))
    };
    // In the modes ask, auto-edit, read-only and full: the decision, and `i` for in the sandbox, `o` for let out.
    for (want, line) in [
        ("Ao Ao Di A-", "git commit -m x"),
        ("Ao Ao Di A-", "git add -A && git commit -m x"),
        ("Ao Ao Di A-", "cd sub && git commit -m x"),
        ("Ao Ao Di A-", "git add a b; git commit -m x 2>&1 | tail -5; echo \"rc=$?\""),
        ("Ao Ao Di A-", "git commit -m \"$(cat <<'EOF' ⏎ text ⏎ EOF ⏎ )\""),
        ("Ao Ao Di A-", "timeout 5 git commit -m x"),
        ("Ao Ao Di A-", "sh -c 'git add . && git commit -m x'"),
        ("Ao Ao Di A-", "git add *.rs && git diff --cached && git commit -m x"),
        ("Ao Ao Di A-", "m=x; git commit -m \"$m\""),
        // Files of the workspace are asked about, or changed outside the sandbox too.
        ("?- Ao Di A-", "echo x > a && git add a"),
        // Never wider than the table allows in read-only mode.
        ("Ao Ao Ai A-", "git status"),
        // What a rule without `sandbox` allows stays inside, where git would fail: pintle asks.
        ("Ai ?- Di A-", "make && git commit -m x"),
        ("Ai ?- Di A-", "cargo test && git add -A"),
        ("Ai Ai Di A-", "make"),
        // A program that is not covered requires approval.
        ("?- ?- Di A-", "git commit -m x && touch a"),
        ("?- ?- Di A-", "touch a; git commit -m x"),
        ("?- ?- Di A-", "git stash && git commit -m x"),
        ("?- ?- Di A-", "git -C sub commit -m x"),
        ("?- Ai Di A-", "GIT_DIR=x git commit -m x"),
        ("?- ?- Di A-", "PATH=.; git commit -m x"),
        ("?- ?- Di A-", "export PATH=.; git commit -m x"),
        ("?- ?- Di A-", "git() { rm y; }; git commit -m x"),
        ("?- ?- Di A-", "git commit -m \"$(rm x)\""),
        ("?- ?- Di ?-", "$x; git commit -m x"),
        ("?- ?- Di A-", "git commit -m x > .git/hooks/pre-commit"),
        ("?- ?- Di A-", "git commit -m x > /tmp/a"),
        ("?- ?- ?- A-", "cd /tmp && git status"),
        // The pattern may match a link to a secret file, which the sandbox hides.
        ("Ai ?- Di A-", "cat a*.txt && git commit -m x"),
        // Deny beats allow here too.
        ("D- D- D- D-", "git push"),
        ("D- D- D- D-", "git add . && git push"),
        ("Ai Ai Ai A-", "ls"),
    ] {
        let line = line.replace(" ⏎ ", "\n");
        let modes = [
            PermissionMode::Ask,
            PermissionMode::AutoEdit,
            PermissionMode::ReadOnly,
            PermissionMode::Full,
        ];
        let got = modes.map(|mode| shown(&line, mode, Sandbox::Full)).join(" ");
        assert_eq!(got, want.replace("Di", "D-"), "{line}");
    }
    // Without trust, git needs the sandbox, unless a rule lets git out anyway.
    for (want, line) in [
        ("Ao", "git status && git commit -m x"),
        ("Ao", "git add -A && git diff --cached --stat && git commit -m x && git log -1"),
        ("Ao", "test -n \"$(git diff --stat)\" && git commit -m x"),
        ("Ai", "git log -1"),
        ("Ai", "git log -1 && ls"),
        ("?-", "git log -1 && git stash && git commit -m x"),
        ("D-", "git log -1 && git push"),
    ] {
        let (mode, sandbox) = (PermissionMode::Ask, Sandbox::Full);
        let ctx = Context { mode, is_trusted: false, sandbox, places: &places, rules: &rules };
        let verdict = decide(&call(line, &places), &ctx);
        let place = match (verdict.is_confined(), verdict.is_let_out) {
            (true, _) => 'i',
            (_, true) => 'o',
            (false, false) => '-',
        };
        assert_eq!(format!("{}{place}", sign(verdict.decision)), want, "{line}");
    }
    for (sandbox, want) in [
        (Sandbox::Missing, "A-"),
        (Sandbox::Partial, "Ao"),
        (Sandbox::Full, "Ao"),
        (Sandbox::Required, "Ai"),
    ] {
        assert_eq!(shown("git commit -m x", PermissionMode::Ask, sandbox), want, "{sandbox:?}");
    }
}

/// Git commands that change the workspace's repository fail in the sandbox, so pintle asks before they run.
#[test]
fn a_git_command_that_the_sandbox_would_stop_is_asked_about_at_once() {
    let places = places();
    let words = ["git", "tag", "**"].map(str::to_owned).into();
    let kept = Rule::for_words(Decision::Allow, words);
    let rules = [kept.compile(Origin::User, &places.roots, None).unwrap()];
    for (line, want) in [
        ("git commit -m x", true),
        ("echo x > a && git add a && git commit -m x", true),
        ("cd src && git stash", true),
        ("git stash -k", true),
        ("git stash \"$(ls)\"", true),
        ("git stash list", false),
        ("git -C src commit -m x", true),
        ("make; git switch -c x", true),
        ("git log", false),
        ("git branch", false),
        ("git init sub", false),
        ("git -C /tmp/x commit -m x", false),
        ("cd /tmp/x && git commit -m x", false),
        ("git --git-dir=/tmp/x add a", false),
        ("GIT_DIR=/tmp/x git add a", false),
        ("git tag v1", false),
        ("make", false),
    ] {
        let call = call(line, &places);
        for (sandbox, want) in [(Sandbox::Full, want), (Sandbox::Required, false)] {
            let ctx = Context {
                mode: PermissionMode::AutoEdit,
                is_trusted: true,
                sandbox,
                places: &places,
                rules: &rules,
            };
            let verdict = decide(&call, &ctx);
            let is_asked = verdict.reason.contains("the git repository itself");
            assert_eq!(is_asked, want, "{line} {sandbox:?}: {}", verdict.reason);
            assert!(!is_asked || verdict.decision == Decision::Ask, "{line} {sandbox:?}");
        }
    }
}

#[test]
fn what_does_not_work_in_the_sandbox_is_proposed_outside_of_it() {
    let places = places();
    let rules = rules(&places);
    let shown = |line: &str, mode, has_failed: bool, sandbox| {
        let mut call = call(line, &places);
        let Action::Execute { leaves_sandbox, .. } = &mut call.action else { unreachable!() };
        *leaves_sandbox = has_failed;
        let ctx = Context { mode, is_trusted: true, sandbox, places: &places, rules: &rules };
        let verdict = decide(&call, &ctx);
        let proposed = propose(&call, &verdict, &ctx);
        if !proposed.is_empty() && sandbox == Sandbox::Full {
            let mut all = rules.clone();
            all.extend(
                proposed.iter().map(|rule| {
                    rule.compile(Origin::GrantedForSession, &places.roots, None).unwrap()
                }),
            );
            let verdict = decide(&call, &Context { rules: &all, ..ctx });
            assert_eq!(verdict.decision, Decision::Allow, "{line}");
            let is_let_out = proposed.iter().any(|rule| rule.sandbox.is_some());
            assert_eq!(verdict.is_let_out, is_let_out, "{line}");
        }
        let texts: Vec<String> = proposed.iter().map(Rule::to_string).collect();
        let texts = texts.join(", ").replace(" outside the sandbox (sandbox = \"off\")", " (out)");
        format!("{line}: {}", if texts.is_empty() { "none" } else { &texts })
    };
    let (ask, auto) = (PermissionMode::Ask, PermissionMode::AutoEdit);
    let full = Sandbox::Full;
    let table = [
        shown("git add -A", ask, false, full),
        shown("git add -A && git commit -m x", ask, false, full),
        shown("cd sub && git add a && git add b && git log", ask, false, full),
        shown("git switch -c x && cargo build", ask, false, full),
        shown("git -C x tag y", ask, false, full),
        shown("git pull --rebase", ask, false, full),
        shown("git apply x.patch", ask, false, full),
        shown("touch a", ask, false, full),
        shown("echo x > a && git add a", ask, false, full),
        shown("git add -A", ask, false, Sandbox::Required),
        shown("git add -A", ask, false, Sandbox::Partial),
        shown("git add -A", ask, false, Sandbox::Missing),
        "failed:".to_owned(),
        shown("git commit -m x", auto, true, full),
        shown("make && git commit -m x", auto, true, full),
        shown("echo x > a && git add a && git commit -m x", auto, true, full),
        shown("cargo build --release", auto, true, full),
        shown("cat /w/a; npm run fetch", auto, true, full),
        shown("git fetch origin", auto, true, full),
        shown("cat *.txt && git add a", auto, true, full),
        shown("cat a*.txt && git add a", auto, true, full),
        shown("$x", auto, true, full),
        shown("git add -A", auto, true, Sandbox::Partial),
    ];
    expect_test::expect![[r"
        git add -A: allow `git add **` (out)
        git add -A && git commit -m x: allow `git add **` (out), allow `git commit **` (out)
        cd sub && git add a && git add b && git log: allow `git add **` (out)
        git switch -c x && cargo build: allow `git switch **` (out), allow `cargo build **` (out)
        git -C x tag y: allow `git -C x tag y` (out)
        git pull --rebase: allow `git pull --rebase` (out)
        git apply x.patch: allow `git apply **`
        touch a: allow `touch **`
        echo x > a && git add a: none
        git add -A: allow `git add **`
        git add -A: allow `git add **`
        git add -A: allow `git add **`
        failed:
        git commit -m x: allow `git commit **` (out)
        make && git commit -m x: allow `make` (out), allow `git commit **` (out)
        echo x > a && git add a && git commit -m x: allow `git add **` (out), allow `git commit **` (out)
        cargo build --release: allow `cargo build **` (out)
        cat /w/a; npm run fetch: allow `npm run fetch` (out)
        git fetch origin: allow `git fetch origin` (out)
        cat *.txt && git add a: none
        cat a*.txt && git add a: none
        $x: none
        git add -A: allow `git add **` (out)"]]
    .assert_eq(&table.join("\n"));
}

#[test]
fn only_rules_that_allow_commands_leave_the_sandbox() {
    for (text, want) in [
        ("decision = 'allow'\nargv = ['git', 'add', '**']", ""),
        ("decision = 'allow'\nkind = 'execute'", ""),
        ("decision = 'allow'\ntool = 'bash'", ""),
        ("decision = 'deny'\nargv = ['x']", "`sandbox = \"off\"` requires `decision = \"allow\"`"),
        ("decision = 'ask'\nargv = ['x']", "`sandbox = \"off\"` requires `decision = \"allow\"`"),
        ("decision = 'allow'", "a rule needs at least one of"),
        ("decision = 'allow'\npath = 'x'", "`path` and `sandbox` never match the same call"),
        ("decision = 'allow'\nhost = 'x'", "`host` and `sandbox` never match the same call"),
        ("decision = 'allow'\nkind = 'read'", "`kind` and `sandbox` never match the same call"),
    ] {
        let rule: Rule = toml::from_str(&format!("{text}\nsandbox = 'off'")).unwrap();
        let compiled = rule.compile(Origin::User, &[], None);
        let got = compiled.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(got.starts_with(want) && got.is_empty() == want.is_empty(), "{text}: {got}");
    }
    assert!(toml::from_str::<Rule>("decision = 'allow'\nargv = ['x']\nsandbox = 'on'").is_err());
    let file = "[[rules]]\ndecision = 'allow'\nargv = ['x']\nsandbox = 'off'";
    let found = rules::of_project(file, Path::new("/w"), None).unwrap();
    assert!(found.rules.iter().all(|rule| rule.rule.sandbox.is_none()), "{found:?}");
    let told =
        "rule 1: ignored `sandbox = \"off\"` in a project file; it is only allowed in config.toml";
    assert_eq!(found.ignored, [told]);
}
