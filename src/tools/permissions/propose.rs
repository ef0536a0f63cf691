//! The rules proposed with an approval request, so that the next call of the kind needs none. Pure.

use super::command::{Program, Word};
use super::decide::Judge;
use super::rules::{SandboxUse, flags_beyond};
use super::{
    Action, Call, CallDecision, Compiled, Context, Decision, Kind, Origin, Rule, Sandbox, decide,
};

/// Programs with subcommands: the proposal keeps this many words.
const SUBCOMMANDS: &[(&str, usize)] = &[
    ("git", 2),
    ("cargo", 2),
    ("rustup", 2),
    ("npm", 2),
    ("pnpm", 2),
    ("yarn", 2),
    ("bun", 2),
    ("deno", 2),
    ("go", 2),
    ("dotnet", 2),
    ("gradle", 2),
    ("mvn", 2),
    ("bundle", 2),
    ("rake", 2),
    ("mix", 2),
    ("composer", 2),
    ("poetry", 2),
    ("uv", 2),
    ("pip", 2),
    ("pip3", 2),
    ("docker", 2),
    ("podman", 2),
    ("kubectl", 2),
    ("terraform", 2),
    ("gh", 3),
    ("make", 2),
    ("just", 2),
    ("swift", 2),
    ("zig", 2),
    ("stack", 2),
    ("cabal", 2),
    ("apt", 2),
    ("apt-get", 2),
    ("brew", 2),
    ("systemctl", 2),
    ("ruff", 2),
];

/// Subcommands that have subcommands themselves, some of which only read: the proposal keeps one more word, or all words if there is none.
const NESTED: Exact = &[
    (
        "git",
        &["bundle", "lfs", "maintenance", "notes", "reflog", "remote", "sparse-checkout", "stash"],
    ),
    ("cargo", &["nextest"]),
    ("go", &["mod"]),
    ("uv", &["pip"]),
    ("npm", &["config", "cache", "pkg", "token"]),
    ("pnpm", &["config", "store"]),
    ("yarn", &["config", "npm", "plugin"]),
    ("pip", &["cache", "config"]),
    ("docker", &["builder", "container", "image", "network", "system", "volume"]),
    ("podman", &["container", "image", "network", "system", "volume"]),
    ("kubectl", &["auth", "config", "rollout"]),
    ("terraform", &["state", "workspace"]),
    ("rustup", &["component", "override", "target", "toolchain"]),
    ("dotnet", &["nuget", "tool", "workload"]),
];

/// Flags with which a formatter only reads. A proposal for a call that begins with one keeps it.
const ONLY_READING: &[(&str, &[&str])] =
    &[("black", &["--check", "--diff"]), ("rustfmt", &["--check"]), ("gofmt", &["-l", "-d"])];

/// Subcommands behind which any other program can hide: they are proposed word by word.
const LAUNCHERS: Exact = &[
    ("npm", &["run", "exec", "x", "run-script"]),
    ("pnpm", &["run", "exec", "dlx"]),
    ("yarn", &["run", "exec", "dlx"]),
    ("bun", &["run", "x", "exec"]),
    ("deno", &["run", "eval"]),
    ("uv", &["run", "tool"]),
    ("poetry", &["run"]),
    ("bundle", &["exec"]),
    ("mix", &["run"]),
    ("go", &["run", "tool"]),
    ("docker", &["run", "exec", "compose", "cp", "create", "context", "buildx", "plugin"]),
    ("podman", &["run", "exec", "compose", "cp", "create"]),
    ("kubectl", &["exec", "run"]),
    ("git", &["config", "submodule", "bisect", "rebase", "filter-branch", "worktree", "clone"]),
    ("dotnet", &["exec", "run"]),
    ("stack", &["exec", "runghc"]),
    ("cabal", &["exec", "run"]),
    ("cargo", &["run", "install"]),
    ("gh", &["alias", "extension", "api"]),
];

/// Subcommands with flags that run any program, such as `--upload-pack`, or that reach a repository whose hooks run. Outside the sandbox
/// they are proposed word by word.
const WITH_PROGRAMS: Exact = &[("git", &["archive", "fetch", "grep", "ls-remote", "pull", "push"])];

/// Programs that may be followed by anything, as they do one thing only.
const PLAIN: &[&str] = &[
    "ls",
    "cat",
    "head",
    "tail",
    "wc",
    "grep",
    "rg",
    "mkdir",
    "touch",
    "tree",
    "du",
    "df",
    "diff",
    "pytest",
    "rspec",
    "jest",
    "vitest",
    "mocha",
    "eslint",
    "prettier",
    "tsc",
    "black",
    "mypy",
    "flake8",
    "rustfmt",
    "gofmt",
    "clang-format",
    "shellcheck",
    "typos",
    "ctest",
];

/// Returns the rules that would have allowed a call. Empty if an answer should not apply beyond the call.
pub fn propose(call: &Call, verdict: &CallDecision, ctx: &Context<'_>) -> Vec<Rule> {
    if verdict.decision != Decision::Ask || !verdict.may_be_granted {
        return Vec::new();
    }
    match &call.action {
        Action::Write(_) => vec![Rule { path: Some("**".to_owned()), ..rule(Kind::Write) }],
        Action::Read(paths) => {
            // The parent directory of each file: the next question would be about a sibling.
            let mut rules: Vec<Rule> = paths
                .iter()
                .filter(|path| !ctx.places.is_inside(&path.resolved))
                .filter_map(|path| path.resolved.parent())
                .filter(|folder| folder.components().count() > 2)
                .map(|folder| {
                    let path = format!("{}/**", globset::escape(&folder.to_string_lossy()));
                    Rule { path: Some(path), ..rule(Kind::Read) }
                })
                .collect();
            rules.dedup();
            if rules.len() == 1 { rules } else { Vec::new() }
        }
        Action::Network { host, .. } => {
            vec![Rule { host: Some(host.clone()), ..rule(Kind::Network) }]
        }
        Action::Client => vec![Rule { tool: Some(call.tool.clone()), ..rule(Kind::Client) }],
        Action::Engine | Action::Type { .. } => Vec::new(),
        Action::Execute { .. } if needs_to_leave(call, ctx) => leaving(call, ctx),
        Action::Execute { analysis, .. } => {
            // Only programs can be granted: a file elsewhere that the command reads is asked about again.
            let asked = verdict.parts.iter().filter(|part| part.decision == Decision::Ask);
            let asked: Vec<&str> = asked.map(|part| part.subject.as_str()).collect();
            let programs: Vec<&Program> = analysis
                .programs
                .iter()
                .filter(|program| asked.contains(&program.to_string().as_str()))
                .collect();
            if analysis.opaque.is_some() || programs.len() != asked.len() {
                return Vec::new();
            }
            let is_outside = matches!(ctx.sandbox, Sandbox::Missing | Sandbox::Partial);
            rules_for(programs, if is_outside { WITH_PROGRAMS } else { &[] })
        }
    }
}

/// Returns true for a command that does not work in the sandbox: it failed there before, or it changes a repository, whose directory is
/// protected.
pub fn needs_to_leave(call: &Call, ctx: &Context<'_>) -> bool {
    let Action::Execute { analysis, leaves_sandbox, .. } = &call.action else { return false };
    match ctx.sandbox {
        Sandbox::Missing | Sandbox::Required => false,
        // Without namespaces nothing in the workspace is protected.
        Sandbox::Partial => *leaves_sandbox,
        Sandbox::Full => {
            *leaves_sandbox || analysis.programs.iter().any(Program::changes_repository)
        }
    }
}

/// Returns the rules that let a command run outside the sandbox: one for each of its programs that needs one. Empty if they would not
/// suffice.
pub fn leaving(call: &Call, ctx: &Context<'_>) -> Vec<Rule> {
    let Action::Execute { analysis, .. } = &call.action else { return Vec::new() };
    let judge = Judge { tool: &call.tool, ctx };
    let mut rules = rules_for(judge.held_programs(analysis), WITH_PROGRAMS);
    for rule in &mut rules {
        rule.sandbox = Some(SandboxUse::Off);
    }
    if with_rules(&rules, ctx, |ctx| decide(call, ctx).is_let_out) { rules } else { Vec::new() }
}

/// Runs a check with these rules added. Returns false if one of them is invalid.
pub(super) fn with_rules(
    rules: &[Rule],
    ctx: &Context<'_>,
    check: impl FnOnce(&Context<'_>) -> bool,
) -> bool {
    let (roots, home) = (&ctx.places.roots, ctx.places.home.as_deref());
    let compiled = rules.iter().map(|rule| rule.compile(Origin::User, roots, home));
    let Ok(mut all) = compiled.collect::<Result<Vec<Compiled>, _>>() else { return false };
    all.extend(ctx.rules.iter().cloned());
    check(&Context { rules: &all, ..*ctx })
}

/// Returns a rule for each program. Empty if one has no rule, or they are too many.
fn rules_for<'a>(programs: impl IntoIterator<Item = &'a Program>, exact: Exact) -> Vec<Rule> {
    let rules: Option<Vec<_>> =
        programs.into_iter().map(|program| rule_for(program, exact)).collect();
    let mut distinct: Vec<Rule> = Vec::new();
    for rule in rules.unwrap_or_default() {
        match distinct.iter_mut().find(|known| known.argv == rule.argv) {
            None => distinct.push(rule),
            Some(known) => {
                // Both have a list, or both are the very same words.
                let known = known.flags.get_or_insert_default();
                for flag in rule.flags.unwrap_or_default() {
                    if !known.contains(&flag) {
                        known.push(flag);
                    }
                }
            }
        }
    }
    if distinct.len() > MAX_RULES { Vec::new() } else { distinct }
}

/// Returns a rule for a program: with `**` it covers the flags that the program has here and the usual ones, no others.
fn rule_for(program: &Program, exact: Exact) -> Option<Rule> {
    let words = rule_words(program, exact)?;
    let mut rule = Rule::for_words(Decision::Allow, words);
    let argv = rule.argv.as_deref().unwrap_or_default();
    if let Some(("**", before)) = argv.split_last().map(|(last, before)| (last.as_str(), before)) {
        let before: Vec<&str> = before.iter().map(String::as_str).collect();
        let words: Vec<&Word> = program.matched_words().skip(before.len()).collect();
        rule.flags = Some(flags_beyond(&before, &words)?);
    }
    Some(rule)
}

/// Programs with the subcommands that are proposed word by word.
type Exact = &'static [(&'static str, &'static [&'static str])];

/// The maximum number of rules that one answer adds; more cannot be read at a glance.
const MAX_RULES: usize = 3;

fn rule(kind: Kind) -> Rule {
    Rule { kind: Some(kind), ..Rule::new(Decision::Allow) }
}

/// Returns a rule's words for a program. `None` if its words are not all known, or a pattern of the rule would cover more than them.
fn rule_words(program: &Program, exact: Exact) -> Option<Vec<String>> {
    let name = program.name()?;
    let matched = program.matched_words();
    let texts: Option<Vec<&str>> = matched.map(Word::text).collect();
    let begins_plainly = program.assignments.is_empty();
    let arguments: Vec<Option<&str>> = program.arguments().iter().map(Word::text).collect();
    if begins_plainly && PLAIN.contains(&name) {
        let reading = ONLY_READING.iter().filter(|(known, _)| *known == name);
        let mut reading = reading.flat_map(|(_, flags)| flags.iter().copied());
        let kept = reading.find(|flag| arguments.contains(&Some(*flag)));
        let is_first = kept.is_none_or(|flag| arguments.first() == Some(&Some(flag)));
        if is_first {
            let words = [name].into_iter().chain(kept).chain(["**"]);
            return Some(words.map(str::to_owned).collect());
        }
    }
    let kept = SUBCOMMANDS.iter().find(|(known, _)| *known == name).map(|(_, kept)| *kept);
    if let (true, Some(kept)) = (begins_plainly, kept) {
        let is_nested = arguments.first().is_some_and(|first| {
            let mut all = NESTED.iter().filter(|(known, _)| *known == name);
            all.any(|(_, words)| first.is_some_and(|first| words.contains(&first)))
        });
        let kept = if is_nested { kept + 1 } else { kept };
        let subcommand: Option<Vec<&str>> =
            arguments.get(..kept - 1).and_then(|words| words.iter().copied().collect());
        let is_plain = |word: &&str| {
            !word.is_empty()
                && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_:.".contains(c))
                && !word.starts_with('-')
        };
        let launches = |first: &str| {
            let mut all = LAUNCHERS.iter().chain(exact);
            all.any(|(known, words)| *known == name && words.contains(&first))
        };
        if let Some(subcommand) = subcommand
            && subcommand.iter().all(is_plain)
            && !subcommand.first().is_some_and(|first| launches(first))
        {
            let words = [name].into_iter().chain(subcommand).chain(["**"]);
            return Some(words.map(str::to_owned).collect());
        }
    }
    // Exactly this command. A word with `*` cannot be expressed exactly.
    let mut texts = texts?;
    if let Some(first) = texts.get_mut(program.assignments.len()) {
        *first = name;
    }
    if texts.iter().any(|text| text.contains('*')) {
        return None;
    }
    Some(texts.into_iter().map(str::to_owned).collect())
}
