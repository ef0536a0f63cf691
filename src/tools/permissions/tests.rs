use super::*;
use crate::permissions::command::lexical;
use crate::permissions::propose::propose;
use crate::permissions::rules::Match;
use pintle_protocol::approval::PermissionMode;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::path::Path;

mod answers;
mod leaving;
mod traced;
mod volumes;

/// The command table, with its rules.
const COMMANDS: &str = include_str!("tests/commands.txt");

fn places() -> Places {
    Places {
        roots: vec![PathBuf::from("/w")],
        home: Some(PathBuf::from("/home/u")),
        private: ["/home/u/.local/share/pintle", "/home/u/.config/pintle"]
            .map(PathBuf::from)
            .into(),
        copies: Vec::new(),
        readable: Vec::new(),
        opens_variables: false,
        ignores_case: false,
    }
}

fn rules(places: &Places) -> Vec<Compiled> {
    [
        ("allow", "cargo test **"),
        ("allow", "git commit **"),
        ("allow", "make"),
        ("deny", "git push **"),
        ("ask", "npm publish **"),
        ("deny", "curl **"),
    ]
    .map(|(decision, words)| {
        let decision = match decision {
            "allow" => Decision::Allow,
            "ask" => Decision::Ask,
            _ => Decision::Deny,
        };
        let words = words.split(' ').map(str::to_owned).collect();
        let rule = Rule::for_words(decision, words);
        rule.compile(Origin::User, &places.roots, places.home.as_deref()).unwrap()
    })
    .into()
}

/// Returns the files that links of the table's workspace lead to.
fn follow(path: &Path) -> PathBuf {
    let path = lexical(path);
    let links = [("/w/link-to-outside", "/etc/hostname"), ("/w/link-to-keys", "/home/u/.ssh")];
    for (link, target) in links {
        if let Ok(rest) = path.strip_prefix(link) {
            let rest = Path::new(target).join(rest);
            return rest.components().collect();
        }
    }
    path
}

fn call(line: &str, places: &Places) -> Call {
    let analysis = Analysis::parse(line);
    let cwd = PathBuf::from("/w");
    let paths = analysis.paths(&cwd, places.home.as_deref());
    let resolve = |path: PathBuf| {
        let exists = !path.starts_with("/api") && !path.to_string_lossy().contains([' ', '{']);
        let is_folder = ["/w", "/w/src", "/w/tests"].iter().any(|folder| path == Path::new(folder));
        let resolved = ResolvedPath { path: follow(&path), exists, is_folder };
        (path, resolved)
    };
    let resolved = paths.into_iter().map(resolve).collect();
    let action = Action::Execute { analysis, cwd, resolved, leaves_sandbox: false };
    Call { tool: "bash".to_owned(), action }
}

fn verdict(line: &str, mode: PermissionMode, sandbox: Sandbox) -> CallDecision {
    let places = places();
    let rules = rules(&places);
    let ctx = Context { mode, is_trusted: false, sandbox, places: &places, rules: &rules };
    decide(&call(line, &places), &ctx)
}

fn decision(line: &str, mode: PermissionMode, sandbox: Sandbox) -> Decision {
    verdict(line, mode, sandbox).decision
}

fn rows() -> impl Iterator<Item = (&'static str, String)> {
    COMMANDS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let (decisions, command) = line.split_once(' ').unwrap();
        (decisions, command.replace(" ⏎ ", "\n"))
    })
}

fn sign(decision: Decision) -> char {
    match decision {
        Decision::Allow => 'A',
        Decision::Ask => '?',
        Decision::Deny => 'D',
    }
}

/// Rows: the program, the command if it is a shell, and the decisions in the modes read-only, ask, auto-edit and full, in the sandbox and
/// outside.
#[test]
fn typing_is_held_by_the_sandbox_or_asked_about() {
    let places = places();
    let rm = Rule::for_words(Decision::Deny, ["rm", "**"].map(str::to_owned).into());
    let rules = [rm.compile(Origin::User, &places.roots, None).unwrap()];
    for (program, line, inside, outside) in [
        ("python3", None, "AAAA", "D??A"),
        ("bash", Some("ls\n"), "AAAA", "D??A"),
        ("bash", Some("make\n"), "D?AA", "D??A"),
        // The rule applies to typed commands too.
        ("bash", Some("rm x\n"), "DDDD", "DDDD"),
        ("bash", Some("true; rm x\n"), "DDDD", "DDDD"),
        // An unreadable command may be one that the rule denies.
        ("bash", None, "D???", "D???"),
    ] {
        for (is_confined, want) in [(true, inside), (false, outside)] {
            let analysis = match line {
                Some(line) => Analysis::parse(line),
                None => Analysis::opaque("is typed in parts or with special keys"),
            };
            let cwd = PathBuf::from("/w");
            let typed = Typed { analysis, cwd, resolved: BTreeMap::new() };
            let typed = (program == "bash").then_some(typed);
            let action = Action::Type { program: program.to_owned(), typed, is_confined };
            let call = Call { tool: "job".to_owned(), action };
            let modes = [
                PermissionMode::ReadOnly,
                PermissionMode::Ask,
                PermissionMode::AutoEdit,
                PermissionMode::Full,
            ];
            let signs = modes.map(|mode| {
                let sandbox = Sandbox::Full;
                let ctx =
                    Context { mode, is_trusted: true, sandbox, places: &places, rules: &rules };
                let verdict = decide(&call, &ctx);
                sign(verdict.decision)
            });
            let signs: String = signs.into_iter().collect();
            assert_eq!(signs, want, "{program} {line:?}, confined: {is_confined}");
        }
    }
}

#[test]
fn commands_get_the_decisions_of_the_table() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (want, command) in rows() {
        let ask = verdict(&command, PermissionMode::Ask, Sandbox::Missing);
        let auto = verdict(&command, PermissionMode::AutoEdit, Sandbox::Full);
        let got: String = [sign(ask.decision), sign(auto.decision)].into_iter().collect();
        if got != want {
            wrong.push(format!("{command}: want {want}, got {got}: {} ({})", ask.reason, ask.by));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 400, "{count}");
}

#[test]
fn read_only_runs_what_is_harmless_and_denies_the_rest() {
    for (_, command) in rows() {
        let held = decision(&command, PermissionMode::ReadOnly, Sandbox::Full);
        let asked = decision(&command, PermissionMode::Ask, Sandbox::Full);
        assert!(held >= asked, "{command}: {held} is weaker than {asked}");
        let by = verdict(&command, PermissionMode::ReadOnly, Sandbox::Full);
        let has_program = by.parts.iter().any(|part| part.by.contains("rule \u{201c}allow"));
        assert!(!has_program, "{command}: a rule allowed more than reading");
    }
}

#[test]
fn full_asks_only_what_a_rule_asks() {
    for (command, want) in [
        ("rm -rf /", Decision::Allow),
        ("$x", Decision::Ask),
        ("cat ~/.ssh/id_rsa", Decision::Allow),
        ("git push", Decision::Deny),
        ("npm publish", Decision::Ask),
        ("git $x", Decision::Ask),
        ("echo x > .git/config", Decision::Allow),
    ] {
        assert_eq!(decision(command, PermissionMode::Full, Sandbox::Missing), want, "{command}");
    }
}

#[test]
fn a_command_that_nests_as_deeply_as_it_may_be_long_gets_a_decision() {
    // The full length takes a second or more, and the shape does not matter there.
    let longest = |open: &str| if open == "[[ " { command::MAX_COMMAND_BYTES } else { 64 * 1024 };
    for (open, inner, close) in [
        ("[[ ", "! ", "x ]]"),
        ("[ ", "! ", "x ]"),
        ("[[ x", " && x", " ]]"),
        ("[ x", " -a x", " ]"),
        ("", "! ", "ls"),
        ("", "time ", "ls"),
        ("", "env ", "ls"),
        ("", "eval ", "ls"),
        ("", "f() { ", ""),
        ("", "if ls; then ", ""),
        ("", "case x in a) ", ""),
        ("ls", " && ls", ""),
        ("ls", " | ls", ""),
        ("ls", " > x", ""),
        ("", "x=(", ""),
        ("", "cat <<EOF\n", ""),
        ("echo $((", "-", "1))"),
        ("echo ", "\"$(", ""),
    ] {
        let count = (longest(open) - open.len() - close.len()) / inner.len();
        let line = [open, &inner.repeat(count), close].concat();
        let decision = decision(&line, PermissionMode::Ask, Sandbox::Missing);
        assert_eq!(decision, Decision::Ask, "{open}{inner}…{close}");
    }
    for (open, inner, close) in [
        ("[[ ", ("(", ")"), " ]]"),
        ("", ("(", ")"), ""),
        ("echo ", ("$(echo ", ")"), ""),
        ("echo ", ("<(echo ", ")"), ""),
        ("echo ", ("${x:-", "}"), ""),
        ("echo ", ("{a,", "}"), ""),
        ("echo $((", ("(", ")"), "))"),
        ("echo ${x", ("[x", "]"), "}"),
    ] {
        let length = inner.0.len() + inner.1.len();
        let count = (longest(open) - open.len() - close.len() - 1) / length;
        let (before, after) = (inner.0.repeat(count), inner.1.repeat(count));
        let line = [open, &before, "x", &after, close].concat();
        let decision = decision(&line, PermissionMode::Ask, Sandbox::Missing);
        assert_eq!(decision, Decision::Ask, "{open}{inner:?}…{close}");
    }
}

/// A program that leaves a mark, run, quoted, and as a value that runs it where bash computes with it.
const MARKS: &[&str] =
    &["touch mark", "$(touch mark)", "`touch mark`", "'touch mark'", "x='a[$(touch mark)]'; "];

/// Surrounding text: quotes, joined lines, comments, here-documents, tests and arithmetic. Nothing here waits or runs forever.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "ls", "echo", "cat", "a", "x", " ", " ", " ", "\n", "\n", "\\", "\\\n", "\\ ", "\"", "'", "`", "$", "$(", ")", "(", "{", "}", "${", "$((", "))",
    "[[ ", " ]]", "[ ", " ]", ";", "&&", "||", "|", "&", "<", "<<EOF\n", "\nEOF\n", "<<-EOF\n", "<<'EOF'\n", "<<\\EOF\n", "<<<", "#", " #", "=", "x=",
    "$x", "${x", "${x:", "$'", "$\"", "-v", " -eq 1", "!", "~", "?", "[", "]", "case x in a) ", "esac", ";;", "if ", "; then ", "; fi", "for i in ",
    "; do ", "; done", "<(", "\t", "@", "${x:-", ":", "\\`", "\\$", "$[", ",", "[x]", "+=",
];

/// The words for a test, and for an expansion, with a variable whose value runs the program.
const TEST_WORDS: &[&str] =
    &["x", "$x", "\"$x\"", "-eq 1", "1 -lt", "-v", "!", "-n", "==", "a[x]", "$?", "&&", "(", ")"];
const EXPANDED: &[&str] = &[":", "x", "0", "[", "]", "-", "@", "} ${x", "#", "/", "[x]", "%"];

/// Commands that contain the program, of several shapes.
fn commands_with_a_mark() -> impl Strategy<Value = String> {
    const VALUE: &str = "x='a[$(touch mark)]'; ";
    let some_of = |pieces, most, between: &'static str| {
        let pieces = prop::collection::vec(prop::sample::select(pieces), 0..most);
        pieces.prop_map(move |pieces: Vec<&str>| pieces.join(between))
    };
    let loose = (some_of(PIECES, 6, ""), prop::sample::select(MARKS), some_of(PIECES, 6, ""))
        .prop_map(|(before, mark, after)| [&before, mark, &after].concat());
    let frames: &[(&str, &str)] = &[("<<EOF\n", "\nEOF"), ("<<-EOF\n", "\nEOF"), ("\"", "\"")];
    let framed = (
        prop::sample::select(frames),
        some_of(PIECES, 3, ""),
        prop::sample::select(MARKS),
        some_of(PIECES, 3, ""),
    )
        .prop_map(|((open, close), before, mark, after)| {
            ["cat ", open, &before, mark, &after, close].concat()
        });
    let tested = (prop::bool::ANY, some_of(TEST_WORDS, 5, " ")).prop_map(|(is_double, words)| {
        let (open, close) = if is_double { ("[[ ", " ]]") } else { ("[ ", " ]") };
        [VALUE, open, &words, close].concat()
    });
    let expanded = some_of(EXPANDED, 5, "").prop_map(|rest| format!("{VALUE}: ${{x{rest}}}"));
    prop_oneof![loose, framed, tested, expanded]
}

proptest! {
    // The same commands each time: a new one that is wrong belongs into the table.
    #![proptest_config(ProptestConfig {
        cases: 3_000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    /// Commands classified as harmless do nothing else in a real bash.
    #[test]
    fn what_is_harmless_runs_nothing_hidden(command in commands_with_a_mark()) {
        if decision(&command, PermissionMode::ReadOnly, Sandbox::Missing) == Decision::Allow {
            let folder = tempfile::tempdir().unwrap();
            run_in_bash(&command, folder.path());
            prop_assert!(!folder.path().join("mark").exists(), "{command}");
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "bash judges the analysis")]
fn run_in_bash(command: &str, folder: &Path) {
    use std::process::{Command, Stdio};
    Command::new("bash")
        .args(["-c", command])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
}

proptest! {
    #![proptest_config(pintle_testing::chance::cases(1_000))]

    /// Additions to a command never make the decision about it weaker.
    #[test]
    fn adding_to_a_command_never_weakens_the_decision(
        row in 0..rows().count(),
        other in 0..rows().count(),
        way in 0..12_usize,
        text in "[ a-z./$'\"`;|&(){}<>*=\\\\\n#~!-]{0,12}",
        mode in prop_oneof![
            Just(PermissionMode::ReadOnly),
            Just(PermissionMode::Ask),
            Just(PermissionMode::AutoEdit)
        ],
        sandbox in prop_oneof![Just(Sandbox::Full), Just(Sandbox::Missing)],
    ) {
        let commands: Vec<String> = rows().map(|(_, command)| command).collect();
        let (command, other) = (&commands[row], &commands[other]);
        // A here-document, a comment or an open quote swallows what follows, so it is put last.
        let is_valid = Analysis::parse(command).opaque.is_none_or(|why| !why.contains("syntax"));
        prop_assume!(is_valid && !command.contains("<<") && !command.contains('#'));
        let before = decision(command, mode, sandbox);
        let added = match way {
            0 => format!("{command}; {other}"),
            1 => format!("{command} && {other}"),
            2 => format!("{command} || {other}"),
            3 => format!("{command} | {other}"),
            4 => format!("{command} & {other}"),
            5 => format!("{command}\n{other}"),
            6 => format!("( {command} )"),
            7 => format!("{command} > {text}"),
            8 => format!("{command} ; {text}"),
            9 => format!("{command} \"$({other})\""),
            10 => format!("if {command}\nthen {other}\nfi"),
            _ => format!("{command} | {text}"),
        };
        let after = decision(&added, mode, sandbox);
        prop_assert!(after >= before, "{added:?}: {after} after {before}");
    }

    /// No possible input makes the analysis fail.
    #[test]
    fn any_text_gets_a_decision(line in "\\PC{0,80}") {
        let _ = decision(&line, PermissionMode::Ask, Sandbox::Missing);
    }
}

#[test]
fn git_runs_unasked_where_it_can_change_nothing_or_where_that_is_not_promised() {
    let places = places();
    let decided = |mode, is_trusted, sandbox| {
        let ctx = Context { mode, is_trusted, sandbox, places: &places, rules: &[] };
        sign(decide(&call("git status", &places), &ctx).decision)
    };
    // In the modes read-only, ask, auto-edit and full.
    for (is_trusted, sandbox, want) in [
        (false, Sandbox::Missing, "D??A"),
        (true, Sandbox::Missing, "D?AA"),
        (false, Sandbox::Partial, "D??A"),
        (true, Sandbox::Partial, "AAAA"),
        (false, Sandbox::Full, "AAAA"),
        (true, Sandbox::Full, "AAAA"),
        (false, Sandbox::Required, "AAAA"),
    ] {
        let modes = [
            PermissionMode::ReadOnly,
            PermissionMode::Ask,
            PermissionMode::AutoEdit,
            PermissionMode::Full,
        ];
        let got: String = modes.map(|mode| decided(mode, is_trusted, sandbox)).iter().collect();
        assert_eq!(got, want, "{is_trusted} {sandbox:?}");
    }
    // A wrapper that the directory provides does more than start a program.
    let mut analysis = Analysis::parse("timeout 5 ls");
    assert!(analysis.programs.iter().any(|program| program.is_transparent));
    analysis.mark_launched(&["timeout".to_owned()].into());
    assert!(!analysis.programs.iter().any(|program| program.is_transparent));
    assert!(!analysis.is_harmless());
}

#[test]
fn paths_of_rules_may_be_written_in_any_way() {
    let places = places();
    let root = places.roots[0].display().to_string();
    for (pattern, path, is_match) in [
        ("app/x", "app/x", true),
        ("./app/x", "app/x", true),
        ("app//x", "app/x", true),
        ("app/./x", "app/x", true),
        ("app/../app/x", "app/x", true),
        ("app/x/..", "app/x", false),
        ("app/x/", "app/x/a/b", true),
        ("app/x/", "app/xy", false),
        ("app/*/../x", "app/x", false),
        ("./[id]/x", "[id]/x", true),
        ("./**/x", "a/b/x", true),
        ("{ROOT}/./app//x", "app/x", true),
    ] {
        let rule = Rule {
            kind: Some(Kind::Write),
            path: Some(pattern.replace("{ROOT}", &root)),
            ..Rule::new(Decision::Deny)
        };
        let rule = rule.compile(Origin::User, &places.roots, None).unwrap();
        let found = rule.matches_path(Kind::Write, "edit", &places.roots[0].join(path));
        assert_eq!(found == Match::Yes, is_match, "{pattern}: {path}");
    }
}

#[test]
fn files_get_the_decision_of_their_zone() {
    let places = places();
    let rule = |rule: &str, origin| {
        let rule: Rule = toml::from_str(rule).unwrap();
        rule.compile(origin, &places.roots, places.home.as_deref()).unwrap()
    };
    let rules = [
        rule("decision = 'allow'\nkind = 'write'\npath = 'gen/**'", Origin::User),
        rule("decision = 'allow'\nkind = 'write'\npath = '**'", Origin::GrantedForSession),
        rule("decision = 'deny'\npath = 'secret/**'", Origin::Project),
        rule("decision = 'ask'\nkind = 'write'\npath = 'ask/**'", Origin::User),
        rule("decision = 'allow'\nkind = 'write'\npath = '.github/workflows/*.yml'", Origin::User),
        rule("decision = 'allow'\nkind = 'read'\npath = '~/.aws/config'", Origin::User),
        rule("decision = 'allow'\nkind = 'read'\npath = '~/.kube/**'", Origin::Project),
        rule("decision = 'allow'\nkind = 'read'\npath = '/usr/**'", Origin::User),
    ];
    let check = |action: fn(Vec<CheckedPath>) -> Action, path: &str, mode| {
        let path = PathBuf::from(path);
        let links = if path.ends_with("hard") { 2 } else { 1 };
        let paths = vec![CheckedPath { named: path.clone(), resolved: path, links }];
        let call = Call { tool: "edit".to_owned(), action: action(paths) };
        let sandbox = Sandbox::Missing;
        let ctx = Context { mode, is_trusted: false, sandbox, places: &places, rules: &rules };
        let verdict = decide(&call, &ctx);
        (sign(verdict.decision), verdict.reason)
    };
    let mut table = Vec::new();
    for path in [
        "/w/src/a.rs",
        "/w/gen/a.rs",
        "/w/secret/a",
        "/w/ask/a",
        "/w/hard",
        "/w/.git/config",
        "/w/.github/workflows/ci.yml",
        "/w/AGENTS.md",
        "/tmp/a",
        "/usr/share/a",
        "/home/u/.bashrc",
        "/home/u/.aws/config",
        "/home/u/.aws/credentials",
        "/home/u/.kube/config",
        "/home/u/.config/pintle/config.toml",
    ] {
        let modes = [
            PermissionMode::ReadOnly,
            PermissionMode::Ask,
            PermissionMode::AutoEdit,
            PermissionMode::Full,
        ];
        let read: String = modes.iter().map(|mode| check(Action::Read, path, *mode).0).collect();
        let write: String = modes.iter().map(|mode| check(Action::Write, path, *mode).0).collect();
        let (_, reason) = check(Action::Write, path, PermissionMode::Ask);
        let reason = if reason.is_empty() { "no reason" } else { &reason };
        table.push(format!("{path} | read {read} | write {write} | {reason}"));
    }
    expect_test::expect![[r"
        /w/src/a.rs | read AAAA | write DAAA | no reason
        /w/gen/a.rs | read AAAA | write DAAA | no reason
        /w/secret/a | read DDDD | write DDDD | denied by a rule
        /w/ask/a | read AAAA | write D??? | a rule requires approval
        /w/hard | read AAAA | write D??A | /w/hard has 2 names (hard links)
        /w/.git/config | read AAAA | write D??A | changes /w/.git/config: git runs its contents
        /w/.github/workflows/ci.yml | read AAAA | write D??A | changes /w/.github/workflows/ci.yml: a CI pipeline
        /w/AGENTS.md | read AAAA | write D??A | changes /w/AGENTS.md: instructions for agents
        /tmp/a | read ???A | write D??A | changes files outside the working directory
        /usr/share/a | read AAAA | write D??A | changes files outside the working directory
        /home/u/.bashrc | read ???A | write D??A | changes /home/u/.bashrc: a shell startup file
        /home/u/.aws/config | read AAAA | write DDDD | changes AWS credentials (/home/u/.aws/config)
        /home/u/.aws/credentials | read DDDD | write DDDD | changes AWS credentials (/home/u/.aws/credentials)
        /home/u/.kube/config | read DDDD | write DDDD | changes Kubernetes credentials (/home/u/.kube/config)
        /home/u/.config/pintle/config.toml | read DDDD | write DDDD | changes pintle's data and configuration (/home/u/.config/pintle/config.toml)"]].assert_eq(&table.join("\n"));
}

#[test]
fn rules_about_hosts_hold_for_ports_and_any_case() {
    let places = places();
    let rule = |decision, host: &str| {
        let rule = Rule { host: Some(host.to_owned()), ..Rule::new(decision) };
        rule.compile(Origin::User, &places.roots, None).unwrap()
    };
    let allow = |host| rule(Decision::Allow, host);
    let deny = |host| rule(Decision::Deny, host);
    for (url, host, rules, want) in [
        ("https://docs.rs/", "docs.rs", vec![allow("docs.rs")], 'A'),
        ("http://docs.rs/", "docs.rs", vec![allow("docs.rs")], 'A'),
        ("https://docs.rs/", "docs.rs", vec![allow("Docs.rs:443")], 'A'),
        ("http://docs.rs/", "docs.rs", vec![allow("docs.rs:443")], '?'),
        ("http://docs.rs/", "docs.rs", vec![allow("docs.rs:80")], 'A'),
        ("https://docs.rs:8443/", "docs.rs:8443", vec![allow("docs.rs")], '?'),
        ("https://docs.rs./", "docs.rs.", vec![allow("*"), deny("docs.rs")], 'D'),
        ("https://docs.rs:8443/", "docs.rs:8443", vec![allow("*"), deny("docs.rs")], 'D'),
        ("https://docs.rs/", "docs.rs", vec![allow("*"), deny("DOCS.RS:443")], 'D'),
        ("https://docs.rs/", "docs.rs", vec![allow("*"), deny("docs.rs:80")], 'A'),
        ("http://[::1]:80/", "[::1]", vec![allow("*"), deny("[::1]")], 'D'),
    ] {
        let action = Action::Network { url: url.to_owned(), host: host.to_owned() };
        let call = Call { tool: "web_fetch".to_owned(), action };
        let (mode, sandbox) = (PermissionMode::Ask, Sandbox::Full);
        let ctx = Context { mode, is_trusted: true, sandbox, places: &places, rules: &rules };
        assert_eq!(sign(decide(&call, &ctx).decision), want, "{url}");
    }
}

#[test]
fn a_rule_about_a_tool_is_about_those_of_other_families_and_no_clients() {
    let places = places();
    let of = |decision: &str, tool: &str| {
        let text = format!("decision = '{decision}'\ntool = '{tool}'");
        let rule: Rule = toml::from_str(&text).unwrap();
        vec![rule.compile(Origin::User, &places.roots, None).unwrap()]
    };
    let decided = |tool: &str, action: Action, rules: &[Compiled]| {
        let mode = PermissionMode::Ask;
        let call = Call { tool: tool.to_owned(), action };
        let sandbox = Sandbox::Missing;
        decide(&call, &Context { mode, is_trusted: false, sandbox, places: &places, rules })
            .decision
    };
    let make = || call("make", &places).action;
    for (name, rules, tool, action, want) in [
        ("its own name", of("deny", "bash"), "bash", make(), Decision::Deny),
        ("another family's", of("deny", "bash"), "run_shell_command", make(), Decision::Deny),
        ("the other way", of("allow", "shell_command"), "Bash", make(), Decision::Allow),
        ("another purpose", of("deny", "edit"), "Bash", make(), Decision::Ask),
        ("jobs are no commands", of("allow", "job"), "Bash", make(), Decision::Ask),
        ("a client tool", of("allow", "lookup"), "lookup", Action::Client, Decision::Allow),
        ("a client's like another", of("allow", "grep"), "search", Action::Client, Decision::Ask),
    ] {
        assert_eq!(decided(tool, action, &rules), want, "{name}");
    }
}

#[test]
fn brackets_of_a_rule_s_path_may_be_those_of_a_name() {
    use Decision::{Allow, Ask, Deny};
    let places = places();
    for (rule, decision, path, want) in [
        ("app/[id]/page.tsx", Deny, "/w/app/[id]/page.tsx", Deny),
        ("app/[id]/page.tsx", Deny, "/w/app/i/page.tsx", Deny),
        ("app/[id]/page.tsx", Deny, "/w/app/x/page.tsx", Allow),
        ("app/[[...tab]]/**", Deny, "/w/app/[[...tab]]/a/b.ts", Deny),
        ("app/{-$locale}/*.{ts,tsx}", Ask, "/w/app/{-$locale}/x.tsx", Ask),
        ("/w/app/[id]/*", Deny, "/w/app/[id]/x", Deny),
        ("~/[id]/*", Deny, "/home/u/[id]/x", Deny),
        ("app/[id]/page.tsx", Allow, "/w/app/[id]/page.tsx", Allow),
    ] {
        let rule =
            Rule { path: Some(rule.to_owned()), kind: Some(Kind::Write), ..Rule::new(decision) };
        let rule = rule.compile(Origin::User, &places.roots, places.home.as_deref()).unwrap();
        let is_match = rule.matches_path(Kind::Write, "edit", Path::new(path)) == rules::Match::Yes;
        let got = if is_match { decision } else { Allow };
        assert_eq!(got, want, "{rule:?} {path}");
    }
    // A shell takes a pattern without matches as a file name.
    let analysis = Analysis::parse("cat app/[id]/page.tsx");
    let paths = analysis.paths(Path::new("/w"), None);
    assert!(paths.contains(&PathBuf::from("/w/app/[id]/page.tsx")), "{paths:?}");
}
