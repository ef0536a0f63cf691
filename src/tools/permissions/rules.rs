//! Rules: which calls are allowed, asked about or denied. Pure.
//!
//! `deny` beats `ask`, and `ask` beats `allow`, wherever the rules come from.

use super::command::{Program, Word, usual};
use super::spelling::{IGNORES_CASE, Spelling, behind_links};
use super::{Decision, Kind};
use globset::{GlobBuilder, GlobMatcher};
use pintle_base::text::globs;
use pintle_base::text::hosts::{HostPort, matches};
use pintle_base::text::tool_names::is_same;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};

/// A rule as the user writes it. Every part that is given must match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The decision for calls that match.
    pub decision: Decision,
    /// The kind of call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// The tool name, which also covers tools with the same purpose in other model families; `*` matches any text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The command words: `*` is one word, `**` at the end the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argv: Option<Vec<String>>,
    /// The flags that an allowed command may have in addition to its program's usual ones. Without the list, `**` covers every flag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flags: Option<Vec<String>>,
    /// A pattern of paths, relative to the workspace, absolute, or from `~/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A host, with a port if it is not the default: `docs.rs`, `*.example.com`, `localhost:8080`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Set to run the allowed commands outside the sandbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxUse>,
}

/// Sandbox use by the commands that a rule allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SandboxUse {
    /// The commands run outside the sandbox.
    Off,
}

/// Where a rule comes from, from the widest to the narrowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The user's configuration.
    User,
    /// The policy of this run: the file that the command line names, and what its other options restrict.
    Policy,
    /// A file of a trusted project.
    Project,
    /// An answer that applies everywhere.
    GrantedByUser,
    /// An answer that applies in this project.
    GrantedForProject,
    /// An answer that applies to the session.
    GrantedForSession,
    /// An answer that applies to the turn.
    GrantedForTurn,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::User => "your configuration",
            Self::Policy => "this run's policy",
            Self::Project => "the project's rules",
            Self::GrantedByUser => "an answer for all projects",
            Self::GrantedForProject => "an answer for this project",
            Self::GrantedForSession => "an answer for this session",
            Self::GrantedForTurn => "an answer for this turn",
        })
    }
}

/// The file with a project's rules, in the working directory and in the repository's root directory.
pub const PROJECT_FILE: &str = ".pintle/permissions.toml";

/// The content of [`PROJECT_FILE`].
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProjectRules {
    #[serde(default)]
    rules: Vec<Rule>,
}

/// A project file's content.
#[derive(Debug)]
pub struct OfProject {
    /// Rules, ready to be matched.
    pub rules: Vec<Compiled>,
    /// Warnings about ignored keys.
    pub ignored: Vec<String>,
}

/// Parses and compiles the rules in a project's file; relative paths are relative to the directory that the file is for.
///
/// `sandbox = "off"` is ignored with a warning: outside the sandbox, commands reach protected and secret files, which no project rule
/// opens.
///
/// # Errors
/// The text is not a list of rules, or one of them is invalid; the message is for the user.
pub fn of_project(text: &str, folder: &Path, home: Option<&Path>) -> Result<OfProject, String> {
    let ProjectRules { rules } = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut found = OfProject { rules: Vec::new(), ignored: Vec::new() };
    for (at, mut rule) in rules.into_iter().enumerate() {
        let at = at + 1;
        let compile = |rule: &Rule| {
            rule.compile(Origin::Project, &[folder.to_path_buf()], home)
                .map_err(|error| format!("rule {at}: {error}"))
        };
        compile(&rule)?;
        if rule.sandbox.take().is_some() {
            found.ignored.push(format!(
                "rule {at}: ignored `sandbox = \"off\"` in a project file; it is only allowed in config.toml"
            ));
        }
        found.rules.push(compile(&rule)?);
    }
    Ok(found)
}

/// Rules that ask about every call, for a project whose rules cannot be read: leaving them out would remove their restrictions.
pub fn asking_about_all() -> Vec<Compiled> {
    let kinds = [Kind::Read, Kind::Write, Kind::Execute, Kind::Network, Kind::Client];
    let rule = |kind| Rule { kind: Some(kind), ..Rule::new(Decision::Ask) };
    let compiled = |kind| Compiled { rule: rule(kind), origin: Origin::Project, path: None };
    kinds.map(compiled).into()
}

/// An invalid rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The rule has no condition, so it would match every call.
    #[error("a rule needs at least one of `kind`, `tool`, `argv`, `path` and `host`")]
    Empty,
    /// Parts that never match the same call.
    #[error("`{0}` and `{1}` never match the same call")]
    Contradiction(&'static str, &'static str),
    /// `flags` in a rule that restricts, or without words that end with `**`.
    #[error("`flags` requires `decision = \"allow\"` and an `argv` that ends with `**`")]
    FlagsWithoutRest,
    /// `sandbox` in a rule that denies or asks.
    #[error("`sandbox = \"off\"` requires `decision = \"allow\"`")]
    SandboxOfRestriction,
    /// `**` not at the end, or no words.
    #[error("`argv` is a list of words, of which only the last can be `**`")]
    Words,
    /// The path is not a pattern.
    #[error("`path = \"{path}\"` is not a pattern: {message}")]
    Pattern {
        /// The path.
        path: String,
        /// The problem.
        message: String,
    },
}

/// A compiled rule.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// The rule.
    pub rule: Rule,
    /// The rule's origin.
    pub origin: Origin,
    path: Option<PathPattern>,
}

#[derive(Debug, Clone)]
struct PathPattern {
    /// At least one matcher for each directory that a relative pattern may be relative to, and how it spells names.
    matchers: Vec<(Spelling, GlobMatcher)>,
    /// The part before the first special character.
    fixed: PathBuf,
}

/// The certainty with which a rule matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// The rule does not match.
    No,
    /// The rule may match, depending on words that are not known yet.
    Maybe,
    /// The rule matches.
    Yes,
}

impl Rule {
    /// Returns a rule for a command.
    pub fn for_words(decision: Decision, words: Vec<String>) -> Self {
        Self { argv: Some(words), ..Self::new(decision) }
    }

    /// Creates a rule without conditions, to be completed.
    pub fn new(decision: Decision) -> Self {
        Self {
            decision,
            kind: None,
            tool: None,
            argv: None,
            flags: None,
            path: None,
            host: None,
            sandbox: None,
        }
    }

    /// Checks the rule and makes it ready. Relative paths are taken from each of the roots.
    ///
    /// # Errors
    /// The rule is empty, contradicts itself, restricts and leaves the sandbox, or has a pattern that is none.
    pub fn compile(
        &self,
        origin: Origin,
        roots: &[PathBuf],
        home: Option<&Path>,
    ) -> Result<Compiled, Error> {
        self.compile_for(IGNORES_CASE, origin, roots, home)
    }

    /// Like [`Self::compile`], for file systems that ignore case and composition or not.
    pub(super) fn compile_for(
        &self,
        ignores_case: bool,
        origin: Origin,
        roots: &[PathBuf],
        home: Option<&Path>,
    ) -> Result<Compiled, Error> {
        let Self { decision, kind, tool, argv, flags, path, host, sandbox } = self;
        if kind.is_none() && tool.is_none() && argv.is_none() && path.is_none() && host.is_none() {
            return Err(Error::Empty);
        }
        let parts = [("argv", argv.is_some()), ("path", path.is_some()), ("host", host.is_some())];
        let mut given = parts.iter().filter(|(_, is_given)| *is_given).map(|(name, _)| *name);
        if let (Some(first), Some(second)) = (given.next(), given.next()) {
            return Err(Error::Contradiction(first, second));
        }
        match kind {
            Some(Kind::Execute) if path.is_some() => {
                return Err(Error::Contradiction("kind", "path"));
            }
            Some(Kind::Execute) | None => {}
            Some(_) if argv.is_some() => return Err(Error::Contradiction("kind", "argv")),
            Some(Kind::Network) => {}
            Some(_) if host.is_some() => return Err(Error::Contradiction("kind", "host")),
            Some(_) => {}
        }
        if sandbox.is_some() {
            if *decision != Decision::Allow {
                return Err(Error::SandboxOfRestriction);
            }
            // Only commands run in the sandbox.
            let is_about_commands = kind.is_none_or(|kind| kind == Kind::Execute);
            let others =
                [("kind", !is_about_commands), ("path", path.is_some()), ("host", host.is_some())];
            if let Some((name, _)) = others.iter().find(|(_, is_given)| *is_given) {
                return Err(Error::Contradiction(name, "sandbox"));
            }
        }
        if let Some(words) = argv {
            let rest = words.iter().position(|word| word == "**");
            if words.is_empty() || rest.is_some_and(|at| at + 1 != words.len()) {
                return Err(Error::Words);
            }
        }
        let has_rest =
            argv.as_ref().is_some_and(|words| words.last().is_some_and(|word| word == "**"));
        if flags.is_some() && (*decision != Decision::Allow || !has_rest) {
            return Err(Error::FlagsWithoutRest);
        }
        let spellings = spellings(ignores_case, *decision);
        let path = path.as_ref();
        let path = path.map(|path| pattern(path, *decision, spellings, roots, home)).transpose()?;
        Ok(Compiled { rule: self.clone(), origin, path })
    }
}

/// Returns the ways to compare names. If file systems ignore case, a restriction covers every spelling of its paths, and an allow rule only
/// composed and decomposed forms, which are equal on all of them.
fn spellings(ignores_case: bool, decision: Decision) -> &'static [Spelling] {
    match decision {
        _ if !ignores_case => &[Spelling::Exact],
        Decision::Allow => &[Spelling::Composed],
        // A set of characters excludes more when it is folded.
        Decision::Ask | Decision::Deny => &[Spelling::Folded, Spelling::Exact],
    }
}

fn pattern(
    text: &str,
    decision: Decision,
    spellings: &[Spelling],
    roots: &[PathBuf],
    home: Option<&Path>,
) -> Result<PathPattern, Error> {
    let from_home = text.strip_prefix("~/").zip(home);
    let bases: Vec<String> = readings(text, decision)
        .iter()
        .flat_map(|text| match from_home {
            Some((_, home)) => {
                vec![format!("{}/{}", escape(home), text.strip_prefix("~/").unwrap_or(text))]
            }
            None if text.starts_with('/') || Path::new(text).is_absolute() => vec![text.clone()],
            None => roots.iter().map(|root| format!("{}/{text}", escape(root))).collect(),
        })
        .map(|glob| tidy(&glob))
        .collect();
    let ignores_case = spellings != [Spelling::Exact];
    let behind: Vec<String> = if ignores_case {
        bases.iter().filter_map(|glob| behind_links(glob)).collect()
    } else {
        Vec::new()
    };
    let compile = |(spelling, glob): (Spelling, &String)| {
        GlobBuilder::new(&spelling.normalize(glob))
            .literal_separator(true)
            .build()
            .map(|glob| (spelling, glob.compile_matcher()))
            .map_err(|error| Error::Pattern {
                path: text.to_owned(),
                message: error.kind().to_string(),
            })
    };
    let globs = bases.iter().chain(&behind);
    let spelled = globs.flat_map(|glob| spellings.iter().map(move |spelling| (*spelling, glob)));
    let matchers: Result<_, _> = spelled.map(compile).collect();
    let text = tidy(text);
    let special = text.find(SPECIAL).unwrap_or(text.len());
    let fixed = text.get(..special).unwrap_or_default();
    let fixed = match (fixed.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(fixed),
    };
    Ok(PathPattern { matchers: matchers?, fixed })
}

/// The characters that begin a part of a pattern that is not literal.
const SPECIAL: [char; 4] = ['*', '?', '[', '{'];

/// Returns a pattern as paths are written: without `.`, `..` and repeated slashes. With a slash at its end, it applies to everything in the
/// directory.
fn tidy(glob: &str) -> String {
    // A computer name follows.
    if glob.starts_with("//") {
        return glob.to_owned();
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in glob.split('/') {
        let is_named = |above: &&str| *above != ".." && !above.contains(SPECIAL);
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(is_named) => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let root = if glob.starts_with('/') { "/" } else { "" };
    let rest = if glob.ends_with('/') && !parts.is_empty() { "/**" } else { "" };
    format!("{root}{}{rest}", parts.join("/"))
}

/// Returns the ways to read a pattern. In `app/[id]/page.tsx` the brackets may be part of a directory's name: a restricting rule applies to
/// each reading, and an allow rule to the pattern and to the path with exactly that name.
fn readings(text: &str, decision: Decision) -> Vec<String> {
    match decision {
        Decision::Allow => vec![text.to_owned(), globs::literal(text)],
        Decision::Ask | Decision::Deny => globs::readings(text),
    }
}

fn escape(root: &Path) -> String {
    globset::escape(&root.to_string_lossy())
}

impl Compiled {
    /// Returns true if the other is the same rule from the same origin.
    pub fn is_same(&self, other: &Self) -> bool {
        self.origin == other.origin && self.rule == other.rule
    }

    /// Returns true if the rule can be about this kind of call.
    fn is_about(&self, kind: Kind) -> bool {
        let Rule { kind: wanted, argv, path, host, .. } = &self.rule;
        wanted.is_none_or(|wanted| wanted == kind)
            && (argv.is_none() || kind == Kind::Execute)
            && (path.is_none() || matches!(kind, Kind::Read | Kind::Write))
            && (host.is_none() || kind == Kind::Network)
    }

    fn is_about_tool(&self, kind: Kind, tool: &str) -> bool {
        // The name of a client-defined tool reveals nothing about its purpose.
        let has_purpose = kind != Kind::Client;
        let is_named = |name: &String| matches(name, tool) || (has_purpose && is_same(name, tool));
        self.is_about(kind) && self.rule.tool.as_ref().is_none_or(is_named)
    }

    /// Returns true if the rule has paths, and can apply to this kind of call of this tool.
    pub(super) fn is_about_files(&self, kind: Kind, tool: &str) -> bool {
        self.path.is_some() && self.is_about_tool(kind, tool)
    }

    /// Matches a path that is read or written.
    pub(super) fn matches_path(&self, kind: Kind, tool: &str, path: &Path) -> Match {
        let is_match = self.is_about_tool(kind, tool)
            && self.path.as_ref().is_none_or(|pattern| {
                pattern.matchers.iter().any(|(spelling, matcher)| match spelling {
                    Spelling::Exact => matcher.is_match(path),
                    spelling => matcher.is_match(spelling.normalize(&path.to_string_lossy())),
                })
            });
        if is_match { Match::Yes } else { Match::No }
    }

    /// Returns the path before the first special character, for a rule with a path.
    pub(super) fn fixed_path(&self) -> Option<&Path> {
        self.path.as_ref().map(|pattern| pattern.fixed.as_path())
    }

    /// Matches a host. An `allow` rule without a port is about the usual one, a rule that restricts about each.
    pub(super) fn matches_host(&self, tool: &str, host: &HostPort) -> Match {
        let is_match = self.is_about_tool(Kind::Network, tool)
            && self.rule.host.as_ref().is_none_or(|pattern| match self.rule.decision {
                Decision::Allow => host.is_allowed_by(pattern),
                Decision::Ask | Decision::Deny => host.is_restricted_by(pattern),
            });
        if is_match { Match::Yes } else { Match::No }
    }

    /// Returns the rule's host pattern, if the rule is about this tool's connections.
    pub(super) fn host_pattern(&self, tool: &str) -> Option<&str> {
        let is_about = self.is_about_tool(Kind::Network, tool);
        is_about.then(|| self.rule.host.as_deref().unwrap_or("*"))
    }

    /// Matches a call that has neither path, command nor host.
    pub(super) fn matches_tool(&self, kind: Kind, tool: &str) -> Match {
        let Rule { argv, path, host, .. } = &self.rule;
        let is_plain = argv.is_none() && path.is_none() && host.is_none();
        if is_plain && self.is_about_tool(kind, tool) { Match::Yes } else { Match::No }
    }

    /// Returns true for a rule that denies or asks about a specific program.
    pub(super) fn restricts_named_program(&self) -> bool {
        let name = self.rule.argv.as_ref().and_then(|words| words.first());
        self.rule.decision != Decision::Allow && name.is_some_and(|name| !name.contains('*'))
    }

    /// Returns true if the rule lets this program run outside the sandbox.
    pub(super) fn lets_out(&self, tool: &str, program: &Program) -> bool {
        self.rule.sandbox == Some(SandboxUse::Off)
            && self.rule.decision == Decision::Allow
            && self.matches_program(tool, program) == Match::Yes
    }

    /// Matches a program by its file name, in any directory: `/bin/../bin/touch`, and `git-push` in git's directory.
    fn matches_by_file(&self, patterns: &[String], assignments: usize, words: &[&Word]) -> Match {
        let text = words.get(assignments).and_then(|word| word.text()).unwrap_or_default();
        let Some((_, file)) = text.rsplit_once('/').filter(|(_, file)| !file.is_empty()) else {
            return Match::No;
        };
        let names = match file.strip_prefix("git-") {
            Some(command) => vec!["git", command],
            None => vec![file],
        };
        let names: Vec<Word> = names.into_iter().map(|name| Word::Text(name.to_owned())).collect();
        let (before, behind) = words.split_at(assignments);
        let behind = behind.iter().skip(1).copied();
        let words: Vec<&Word> = before.iter().copied().chain(&names).chain(behind).collect();
        match_words(patterns, &words, assignments, self.rule.decision)
    }

    /// Matches one program of a command.
    pub(super) fn matches_program(&self, tool: &str, program: &Program) -> Match {
        if !self.is_about_tool(Kind::Execute, tool) {
            return Match::No;
        }
        let Some(patterns) = &self.rule.argv else { return Match::Yes };
        let mut words: Vec<&Word> = program.matched_words().collect();
        let name = program.name().map(|name| Word::Text(name.to_owned()));
        if let (Some(name), Some(first)) = (&name, words.get_mut(program.assignments.len())) {
            *first = name;
        }
        let found = match_words(patterns, &words, program.assignments.len(), self.rule.decision);
        if found != Match::Yes && self.rule.decision != Decision::Allow {
            return found.max(self.matches_by_file(patterns, program.assignments.len(), &words));
        }
        match &self.rule.flags {
            Some(flags) if found == Match::Yes => {
                let fixed = patterns.len() - 1;
                let (before, rest) = words.split_at(fixed.min(words.len()));
                let before: Vec<&str> = before.iter().filter_map(|word| word.text()).collect();
                if flags_beyond(&before, rest)
                    .is_some_and(|beyond| beyond.iter().all(|flag| flags.contains(flag)))
                {
                    Match::Yes
                } else {
                    Match::No
                }
            }
            Some(_) | None => found,
        }
    }
}

/// Returns the flags among words that an answer about the program does not cover without listing them. `None` if a word may turn out to be
/// a flag when the command runs.
///
/// `before` are the rule's words. Not only words that begin with a dash count: `make SHELL=x` and `@file` change a program's behaviour,
/// too.
pub(super) fn flags_beyond(before: &[&str], rest: &[&Word]) -> Option<Vec<String>> {
    let (mut beyond, mut last) = (Vec::new(), "");
    for word in rest {
        let text = match word {
            Word::Text(text) => text.as_str(),
            Word::Glob(pattern) if !pattern.starts_with(['-', '*', '?', '[']) => "",
            Word::Unknown { is_one: true, .. } if usual::takes_message(before, last) => "",
            Word::Glob(_) | Word::Unknown { .. } => return None,
        };
        last = text;
        if let Some(flag) = flag_of(text).filter(|_| !usual::covers(before, text))
            && !beyond.contains(&flag)
        {
            beyond.push(flag);
        }
    }
    Some(beyond)
}

/// Returns a word's flag, without its value.
fn flag_of(word: &str) -> Option<String> {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-+:".contains(c))
    };
    if word.starts_with("--") {
        return Some(word.split('=').next().unwrap_or(word).to_owned());
    }
    if word.starts_with('-') && word.len() > 1 {
        // `-j8` is `-j`, but `-8` is itself.
        let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
        return Some(if name.len() > 1 { name } else { word }.to_owned());
    }
    if word.starts_with(['@', '+']) {
        return Some(word.to_owned());
    }
    // `/p:x=y` of MSBuild.
    if let Some((name, _)) = word.strip_prefix('/').and_then(|rest| rest.split_once(':'))
        && is_name(name)
    {
        return Some(format!("/{name}:"));
    }
    let (name, _) = word.split_once('=')?;
    is_name(name).then(|| format!("{name}="))
}

/// The rules that deny programs by their words.
#[derive(Debug, Clone, Default)]
pub struct DeniedPrograms(Vec<Compiled>);

impl DeniedPrograms {
    /// Takes the rules that apply to a tool.
    pub fn select(rules: &[Compiled], tool: &str) -> Self {
        let denies = |rule: &&Compiled| {
            rule.rule.decision == Decision::Deny
                && rule.rule.argv.is_some()
                && rule.is_about_tool(Kind::Execute, tool)
        };
        Self(rules.iter().filter(denies).cloned().collect())
    }

    /// Returns true if there are no rules.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the names of programs that rules begin with, as far as they are names and no patterns.
    pub fn names(&self) -> Vec<String> {
        let first = self.0.iter().filter_map(|rule| rule.rule.argv.as_ref()?.first());
        first.filter(|name| !name.contains(['*', '/'])).cloned().collect()
    }

    /// Returns true for a program with these words, of which the first is its name or path.
    pub fn deny(&self, tool: &str, words: &[String]) -> bool {
        let words = words.iter().cloned().map(Word::Text).collect();
        let program = Program { words, ..Program::default() };
        self.0.iter().any(|rule| rule.matches_program(tool, &program) == Match::Yes)
    }
}

/// The rules that restrict which files a tool may read and write.
#[derive(Debug, Clone, Default)]
pub struct RestrictedFiles {
    write: Vec<Compiled>,
    read: Vec<Compiled>,
}

impl RestrictedFiles {
    /// Selects a tool's rules: denied reads, and denied or asking writes.
    pub fn select(rules: &[Compiled], tool: &str) -> Self {
        let about = |kind: Kind| {
            move |rule: &&Compiled| {
                let names_files = rule.path.is_some() || rule.rule.kind == Some(kind);
                names_files && rule.is_about_tool(kind, tool)
            }
        };
        let restricts = |rule: &&Compiled| rule.rule.decision != Decision::Allow;
        let denies = |rule: &&Compiled| rule.rule.decision == Decision::Deny;
        let rules = || rules.iter();
        Self {
            write: rules().filter(restricts).filter(about(Kind::Write)).cloned().collect(),
            read: rules().filter(denies).filter(about(Kind::Read)).cloned().collect(),
        }
    }

    /// Returns true if the file may not be written without a question.
    pub fn keeps_from_writing(&self, tool: &str, path: &Path) -> bool {
        self.write.iter().any(|rule| rule.matches_path(Kind::Write, tool, path) == Match::Yes)
    }

    /// Returns true if the file may not be read.
    pub fn keeps_from_reading(&self, tool: &str, path: &Path) -> bool {
        self.read.iter().any(|rule| rule.matches_path(Kind::Read, tool, path) == Match::Yes)
    }
}

/// Matches a program's words with those of a rule.
///
/// An `allow` rule matches only certain words. A restricting rule also matches words whose meaning may turn out to match: `git push` behind
/// `GIT_DIR=x` or behind git flags, and words that are not known yet.
fn match_words(
    patterns: &[String],
    words: &[&Word],
    assignments: usize,
    decision: Decision,
) -> Match {
    let exact = match_from(patterns, words, assignments);
    if decision == Decision::Allow || exact == Match::Yes {
        return if decision == Decision::Allow && exact == Match::Maybe {
            Match::No
        } else {
            exact
        };
    }
    // Skips assignments, and flags before a subcommand.
    let behind: Vec<&Word> = words.get(assignments..).unwrap_or_default().to_vec();
    let mut best = exact.max(match_from(patterns, &behind, 0));
    if let Some((name, rest)) = behind.split_first() {
        for flags in 1..=rest.len() {
            let (skipped, left) = rest.split_at(flags);
            let is_flag = |word: &&Word| word.text().is_none_or(|text| text.starts_with('-'));
            // A flag may take the next word as its value.
            let follows_flag =
                skipped.len() < 2 || skipped.get(skipped.len() - 2).is_some_and(is_flag);
            if !skipped.first().is_some_and(is_flag)
                || !(skipped.last().is_some_and(is_flag) || follows_flag)
            {
                break;
            }
            let mut tried = vec![*name];
            tried.extend(left);
            best = best.max(match_from(patterns, &tried, 0));
        }
    }
    best
}

/// Matches word by word; the first words are assignments.
fn match_from(patterns: &[String], words: &[&Word], assignments: usize) -> Match {
    if words.is_empty() {
        return Match::No;
    }
    let mut result = Match::Yes;
    let mut words = words.iter();
    for (at, pattern) in patterns.iter().enumerate() {
        if pattern == "**" {
            return result;
        }
        // An assignment's value may be unknown, but not the fact that it is an assignment.
        if at < assignments && !pattern.contains(['=', '*']) {
            return Match::No;
        }
        match (words.next(), pattern.as_str()) {
            (None, _) => return Match::No,
            // An unquoted unknown may be no word, or several.
            (Some(Word::Unknown { is_one: false, .. } | Word::Glob(_)), _) => return Match::Maybe,
            (Some(Word::Unknown { .. }), "*") => {}
            (Some(Word::Unknown { .. }), _) => result = Match::Maybe,
            (Some(Word::Text(text)), pattern) => {
                if !matches(pattern, text) {
                    return Match::No;
                }
            }
        }
    }
    match words.next() {
        None => result,
        Some(Word::Unknown { is_one: false, .. }) if words.next().is_none() => Match::Maybe,
        Some(_) => Match::No,
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { decision, kind, tool, argv, flags, path, host, sandbox } = self;
        write!(f, "{decision}")?;
        if let Some(kind) = kind {
            write!(f, " {kind}")?;
        }
        if let Some(tool) = tool {
            write!(f, " tool `{tool}`")?;
        }
        if let Some(words) = argv {
            write!(f, " {}", Words { words, flags: flags.as_deref() })?;
        }
        if let Some(path) = path {
            write!(f, " path `{path}`")?;
        }
        if let Some(host) = host {
            write!(f, " host `{host}`")?;
        }
        match sandbox {
            Some(SandboxUse::Off) => f.write_str(" outside the sandbox (sandbox = \"off\")"),
            None => Ok(()),
        }
    }
}

/// A rule's command words, with the flags that it covers.
#[derive(Debug)]
pub struct Words<'a> {
    /// The words.
    pub words: &'a [String],
    /// The listed flags; `None` if the rule does not mention flags.
    pub flags: Option<&'a [String]>,
}

impl fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { words, flags } = self;
        write!(f, "`{}`", words.join(" "))?;
        let named: Vec<String> =
            flags.iter().copied().flatten().map(|flag| format!("`{flag}`")).collect();
        if named.is_empty() { Ok(()) } else { write!(f, " with {}", named.join(", ")) }
    }
}
