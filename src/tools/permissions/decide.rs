//! The decision about a call: each part is decided separately, and the strictest part applies.

use super::command::{Program, Target, lexical, locate};
use super::places::{self, Zone};
use super::rules::{Compiled, Match, Origin};
use super::{
    Action, Analysis, Call, CheckedPath, Context, Decision, Kind, ResolvedPath, Sandbox, Typed,
};
use pintle_base::text::hosts::{HTTP_PORT, HTTPS_PORT, HostPort};
use pintle_os::names;
use pintle_protocol::approval::PermissionMode;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The decision about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallDecision {
    /// The decision.
    pub decision: Decision,
    /// The reason, as a verb phrase about the call: `changes files`.
    pub reason: String,
    /// The rule or default that decided.
    pub by: String,
    /// The sandbox that it runs in, if it runs.
    pub in_sandbox: InSandbox,
    /// True if rules allow a command outside the sandbox.
    pub is_let_out: bool,
    /// True if an answer may apply beyond this call.
    pub may_be_granted: bool,
    /// The decision about each part.
    pub parts: Vec<Part>,
}

impl CallDecision {
    /// Returns true if the call runs in the sandbox, if it runs.
    pub fn is_confined(&self) -> bool {
        self.in_sandbox != InSandbox::No
    }
}

/// A call's sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InSandbox {
    /// None.
    No,
    /// A sandbox in which the workspace may be changed.
    Yes,
    /// A read-only sandbox: the user was not asked, and the mode allows no changes without asking.
    ReadOnly,
}

/// The decision about a part of a call: a file, a program in a command, a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// A description of the part.
    pub subject: String,
    /// The decision.
    pub decision: Decision,
    /// The reason.
    pub reason: String,
    /// The rule or default that decided.
    pub by: String,
    /// True if an answer may apply beyond this call.
    pub may_be_granted: bool,
}

/// Decides about a call.
///
/// # Example
///
/// ```
/// use pintle_protocol::approval::PermissionMode;
/// use pintle_tools::permissions::{Action, Call, CheckedPath, Context, Decision, Places, Sandbox};
/// use pintle_tools::permissions::{decide, rules};
/// use std::path::Path;
///
/// let rules = r#"rules = [{ decision = "deny", tool = "edit", path = "migrations/**" }]"#;
/// let rules = rules::of_project(rules, Path::new("/work"), None)?.rules;
/// let places = Places { roots: vec!["/work".into()], ..Places::default() };
/// let ctx = Context {
///     mode: PermissionMode::AutoEdit,
///     is_trusted: true,
///     sandbox: Sandbox::Missing,
///     places: &places,
///     rules: &rules,
/// };
/// let edit = |path: &str| {
///     let path = CheckedPath { named: path.into(), resolved: path.into(), links: 1 };
///     decide(&Call { tool: "edit".into(), action: Action::Write(vec![path]) }, &ctx)
/// };
/// assert_eq!(edit("/work/src/main.rs").decision, Decision::Allow);
/// assert_eq!(edit("/etc/hosts").decision, Decision::Ask);
/// assert_eq!(edit("/work/migrations/1.sql").decision, Decision::Deny);
/// # Ok::<(), String>(())
/// ```
pub fn decide(call: &Call, ctx: &Context<'_>) -> CallDecision {
    let judge = Judge { tool: &call.tool, ctx };
    let (mut is_confined, mut is_let_out) = (false, false);
    let parts = match &call.action {
        Action::Read(paths) => judge.each(paths, Judge::read),
        Action::Write(paths) => judge.each(paths, Judge::write),
        Action::Execute { analysis, cwd, resolved, leaves_sandbox } => {
            let parts = |exit| judge.command(&CommandCheck { analysis, cwd, resolved, exit });
            let is_allowed =
                |parts: &Vec<Part>| parts.iter().all(|part| part.decision == Decision::Allow);
            let let_out = judge.lets_out(analysis).then(|| parts(Exit::ByRule));
            // The command stays inside unless all of it may run outside.
            if let Some(parts) = let_out.filter(is_allowed) {
                is_let_out = true;
                parts
            } else {
                let exit = if *leaves_sandbox && ctx.sandbox != Sandbox::Required {
                    Exit::Asked("failed in the sandbox; retry without it")
                } else if judge.changes_repository(analysis, cwd) {
                    Exit::Asked("changes the git repository itself, which the sandbox protects")
                } else {
                    Exit::None
                };
                is_confined = judge.confines(exit);
                parts(exit)
            }
        }
        Action::Type { program, typed, is_confined } => {
            judge.typing(program, typed.as_ref(), *is_confined)
        }
        Action::Network { url, host } => vec![judge.network(url, host)],
        Action::Client => vec![judge.client()],
        Action::Engine => vec![judge.engine()],
    };
    let mut verdict = combine(parts);
    // When asked, the user allows the command unchanged.
    let is_unasked = verdict.decision == Decision::Allow;
    verdict.is_let_out = is_let_out;
    // A rule or an answer may allow more than reading; the table of harmless programs does not.
    let only_reads = match ctx.mode {
        PermissionMode::ReadOnly => true,
        PermissionMode::Ask => {
            is_unasked
                && matches!(&call.action, Action::Execute { analysis, .. } if analysis.is_harmless())
        }
        PermissionMode::AutoEdit | PermissionMode::Full => false,
    };
    verdict.in_sandbox = match is_confined && (is_unasked || ctx.sandbox == Sandbox::Required) {
        false => InSandbox::No,
        true if only_reads => InSandbox::ReadOnly,
        true => InSandbox::Yes,
    };
    verdict
}

fn combine(parts: Vec<Part>) -> CallDecision {
    // The first part with the strictest decision determines the call's reason.
    let strictest = parts.iter().map(|part| part.decision).max().unwrap_or(Decision::Allow);
    let speaker = parts.iter().find(|part| part.decision == strictest);
    CallDecision {
        decision: strictest,
        reason: speaker.map(|part| part.reason.clone()).unwrap_or_default(),
        by: speaker.map(|part| part.by.clone()).unwrap_or_default(),
        in_sandbox: InSandbox::No,
        is_let_out: false,
        may_be_granted: parts
            .iter()
            .filter(|part| part.decision == Decision::Ask)
            .all(|part| part.may_be_granted),
        parts,
    }
}

/// A name of the tool that runs commands. Rules treat its names in all families alike.
const SHELL_TOOL: &str = "bash";

pub(super) struct Judge<'a> {
    pub(super) tool: &'a str,
    pub(super) ctx: &'a Context<'a>,
}

struct CommandCheck<'a> {
    analysis: &'a Analysis,
    cwd: &'a Path,
    resolved: &'a BTreeMap<PathBuf, ResolvedPath>,
    exit: Exit,
}

/// Why a command runs outside the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exit {
    /// None: the command stays inside.
    None,
    /// The command does not work inside for this reason, so the user is asked.
    Asked(&'static str),
    /// Rules allow the command outside.
    ByRule,
}

/// The strictest rules that match something.
#[derive(Default)]
struct Found<'a> {
    deny: Option<&'a Compiled>,
    ask: Option<&'a Compiled>,
    allow: Option<&'a Compiled>,
    /// A rule that restricts may match, once unknown words are known.
    perhaps: Option<&'a Compiled>,
}

impl<'a> Found<'a> {
    fn among(rules: &'a [Compiled], matches: impl Fn(&Compiled) -> Match) -> Self {
        let mut found = Self::default();
        for rule in rules {
            let (place, is_match) = match (rule.rule.decision, matches(rule)) {
                (_, Match::No) | (Decision::Allow, Match::Maybe) => continue,
                (Decision::Deny | Decision::Ask, Match::Maybe) => (&mut found.perhaps, true),
                (Decision::Deny, Match::Yes) => (&mut found.deny, true),
                (Decision::Ask, Match::Yes) => (&mut found.ask, true),
                (Decision::Allow, Match::Yes) => (&mut found.allow, true),
            };
            if is_match && place.is_none() {
                *place = Some(rule);
            }
        }
        found
    }
}

pub(super) fn by_rule(rule: &Compiled) -> String {
    format!("the rule \u{201c}{}\u{201d} of {}", rule.rule, rule.origin)
}

impl Part {
    fn new(
        subject: impl Into<String>,
        decision: Decision,
        reason: impl Into<String>,
        by: impl Into<String>,
    ) -> Self {
        Self {
            subject: subject.into(),
            decision,
            reason: reason.into(),
            by: by.into(),
            may_be_granted: true,
        }
    }

    fn once_only(mut self) -> Self {
        self.may_be_granted = false;
        self
    }
}

impl Judge<'_> {
    fn each(&self, paths: &[CheckedPath], judge: fn(&Self, &CheckedPath) -> Part) -> Vec<Part> {
        paths.iter().map(|path| judge(self, path)).collect()
    }

    fn mode(&self) -> PermissionMode {
        self.ctx.mode
    }

    /// Returns the stricter decision: by restricting rules, or without them.
    fn with_rules(found: &Found<'_>, otherwise: Part) -> Part {
        match Self::restricted(&otherwise.subject, found) {
            Some(part) if part.decision >= otherwise.decision => part,
            Some(_) | None => otherwise,
        }
    }

    fn restricted(subject: &str, found: &Found<'_>) -> Option<Part> {
        if let Some(rule) = found.deny {
            return Some(Part::new(subject, Decision::Deny, "denied by a rule", by_rule(rule)));
        }
        if let Some(rule) = found.ask {
            let part = Part::new(subject, Decision::Ask, "a rule requires approval", by_rule(rule));
            return Some(part.once_only());
        }
        found.perhaps.map(|rule| {
            let reason = "may be a command that a rule restricts";
            Part::new(subject, Decision::Ask, reason, by_rule(rule)).once_only()
        })
    }

    fn mode_decides(&self, subject: &str, decision: Decision, reason: &str) -> Part {
        Part::new(subject, decision, reason, format!("{} mode", self.mode().name()))
    }

    fn read(&self, path: &CheckedPath) -> Part {
        self.read_file(&path.resolved)
    }

    pub(super) fn read_file(&self, path: &Path) -> Part {
        let subject = format!("read {}", names::shown(path));
        let found =
            Found::among(self.ctx.rules, |rule| rule.matches_path(Kind::Read, self.tool, path));
        let part = self.read_without_restrictions(subject, path, &found);
        Self::with_rules(&found, part)
    }

    fn read_without_restrictions(&self, subject: String, path: &Path, found: &Found<'_>) -> Part {
        let zone = self.ctx.places.zone(path);
        let allowed = found.allow.filter(|rule| reaches(rule, zone, self.ctx));
        if let Some(rule) = allowed {
            return Part::new(subject, Decision::Allow, "", by_rule(rule));
        }
        match zone {
            Zone::Secret(what) => Part::new(
                subject,
                Decision::Deny,
                format!("reads {what} ({})", names::shown(path)),
                "the list of secret files",
            ),
            _ if self.ctx.places.is_inside(path) => {
                self.mode_decides(&subject, Decision::Allow, "")
            }
            _ if DEVICES.iter().any(|device| path == Path::new(device)) => {
                Part::new(subject, Decision::Allow, "", "the list of harmless devices")
            }
            _ if self.ctx.places.readable.iter().any(|readable| path.starts_with(readable)) => {
                Part::new(subject, Decision::Allow, "", "the directories that the session may read")
            }
            _ if self.mode() == PermissionMode::Full => {
                self.mode_decides(&subject, Decision::Allow, "")
            }
            _ => {
                let reason = format!("reads {} outside the workspace", names::shown(path));
                self.mode_decides(&subject, Decision::Ask, &reason)
            }
        }
    }

    fn write(&self, path: &CheckedPath) -> Part {
        let part = self.write_file(&path.resolved);
        if path.links > 1 && self.mode() != PermissionMode::Full && part.decision == Decision::Allow
        {
            let reason =
                format!("{} has {} names (hard links)", names::shown(&path.named), path.links);
            return Part { decision: Decision::Ask, reason, ..part }.once_only();
        }
        part
    }

    fn write_file(&self, path: &Path) -> Part {
        let subject = format!("write {}", names::shown(path));
        let found =
            Found::among(self.ctx.rules, |rule| rule.matches_path(Kind::Write, self.tool, path));
        let part = self.write_without_restrictions(subject, path, &found);
        Self::with_rules(&found, part)
    }

    fn write_without_restrictions(&self, subject: String, path: &Path, found: &Found<'_>) -> Part {
        if self.mode() == PermissionMode::ReadOnly {
            return self.mode_decides(&subject, Decision::Deny, "changes files");
        }
        let zone = self.ctx.places.zone(path);
        let allowed = found.allow.filter(|rule| reaches(rule, zone, self.ctx));
        if let Some(rule) = allowed {
            return Part::new(subject, Decision::Allow, "", by_rule(rule));
        }
        let mode = self.mode();
        match zone {
            Zone::Secret(what) => Part::new(
                subject,
                Decision::Deny,
                format!("changes {what} ({})", names::shown(path)),
                "the list of secret files",
            ),
            _ if mode == PermissionMode::Full => self.mode_decides(&subject, Decision::Allow, ""),
            Zone::Protected(what) => {
                let reason = format!("changes {}: {what}", names::shown(path));
                Part::new(subject, Decision::Ask, reason, "the list of protected files").once_only()
            }
            Zone::Outside => {
                let reason = "changes files outside the working directory";
                self.mode_decides(&subject, Decision::Ask, reason).once_only()
            }
            Zone::Wide => {
                let reason = "changes files, and the working directory is too broad for a grant";
                self.mode_decides(&subject, Decision::Ask, reason).once_only()
            }
            Zone::Inside if mode == PermissionMode::AutoEdit => {
                self.mode_decides(&subject, Decision::Allow, "")
            }
            Zone::Inside => self.mode_decides(&subject, Decision::Ask, "changes files"),
        }
    }

    /// Decides about typed text, which may make the program do anything. The sandbox contains a program that runs in it.
    fn typing(&self, program: &str, typed: Option<&Typed>, is_confined: bool) -> Vec<Part> {
        let is_held = is_confined && matches!(self.ctx.sandbox, Sandbox::Full | Sandbox::Required);
        let subject = format!("type into {program}");
        let part = match self.mode() {
            PermissionMode::Full => self.mode_decides(&subject, Decision::Allow, ""),
            _ if is_held => Part::new(&subject, Decision::Allow, "", "the sandbox"),
            mode => {
                let reason = format!("types into {program}, which runs outside the sandbox");
                let decision = match mode {
                    PermissionMode::ReadOnly => Decision::Deny,
                    _ => Decision::Ask,
                };
                self.mode_decides(&subject, decision, &reason).once_only()
            }
        };
        let found = Found::among(self.ctx.rules, |rule| rule.matches_tool(Kind::Engine, self.tool));
        let mut parts = vec![Self::with_rules(&found, part)];
        if let Some(Typed { analysis, cwd, resolved }) = typed {
            let sandbox = if is_held { self.ctx.sandbox } else { Sandbox::Missing };
            let ctx = Context { sandbox, ..*self.ctx };
            // Rules about commands name the tool that runs them.
            let judge = Judge { tool: SHELL_TOOL, ctx: &ctx };
            let check = CommandCheck { analysis, cwd, resolved, exit: Exit::None };
            parts.extend(judge.command(&check));
        }
        parts
    }

    fn network(&self, url: &str, host: &str) -> Part {
        let subject = format!("fetch {url}");
        let usual_port = if url.starts_with("http:") { HTTP_PORT } else { HTTPS_PORT };
        let host = HostPort::parse(host, usual_port)
            .unwrap_or_else(|| HostPort::new(host, usual_port, usual_port));
        let found = Found::among(self.ctx.rules, |rule| rule.matches_host(self.tool, &host));
        let part = match found.allow {
            Some(rule) => Part::new(subject, Decision::Allow, "", by_rule(rule)),
            None if self.mode() == PermissionMode::Full => {
                self.mode_decides(&subject, Decision::Allow, "")
            }
            None => {
                let reason = format!("it fetches {url} from the network");
                self.mode_decides(&subject, Decision::Ask, &reason)
            }
        };
        Self::with_rules(&found, part)
    }

    fn client(&self) -> Part {
        let subject = format!("call {}", self.tool);
        let found = Found::among(self.ctx.rules, |rule| rule.matches_tool(Kind::Client, self.tool));
        let reason = "calls a client tool";
        let part = match (self.mode(), found.allow) {
            (PermissionMode::ReadOnly, _) => self.mode_decides(&subject, Decision::Deny, reason),
            (_, Some(rule)) => Part::new(subject, Decision::Allow, "", by_rule(rule)),
            (PermissionMode::Full, None) => self.mode_decides(&subject, Decision::Allow, ""),
            (PermissionMode::Ask | PermissionMode::AutoEdit, None) => {
                self.mode_decides(&subject, Decision::Ask, reason)
            }
        };
        Self::with_rules(&found, part)
    }

    fn engine(&self) -> Part {
        let subject = format!("call {}", self.tool);
        let found = Found::among(self.ctx.rules, |rule| rule.matches_tool(Kind::Engine, self.tool));
        Self::with_rules(&found, self.mode_decides(&subject, Decision::Allow, ""))
    }

    /// Returns true if the command runs in a sandbox when the user is not asked.
    fn confines(&self, exit: Exit) -> bool {
        match self.ctx.sandbox {
            Sandbox::Missing => false,
            Sandbox::Partial | Sandbox::Full => {
                self.mode() != PermissionMode::Full && exit == Exit::None
            }
            Sandbox::Required => true,
        }
    }

    /// Returns true if the sandbox can be relied on, so that a command may run for its sake.
    fn is_held(&self, exit: Exit) -> bool {
        self.confines(exit) && self.ctx.sandbox != Sandbox::Partial
    }

    /// Returns true if rules let the command out of the sandbox, as far as its programs are concerned: one is let out, and none needs the
    /// sandbox or is allowed by a rule that keeps it inside.
    fn lets_out(&self, analysis: &Analysis) -> bool {
        let can_leave = matches!(self.ctx.sandbox, Sandbox::Partial | Sandbox::Full);
        let obeys_rules = matches!(self.mode(), PermissionMode::Ask | PermissionMode::AutoEdit);
        can_leave
            && obeys_rules
            && analysis.opaque.is_none()
            && analysis.programs.iter().any(|program| self.rule_that_lets_out(program).is_some())
            && self.held_programs(analysis).next().is_none()
    }

    /// Returns true for a git command that would run in the sandbox and fail, because it changes the workspace's repository. A rule without
    /// `sandbox` keeps it inside.
    fn changes_repository(&self, analysis: &Analysis, cwd: &Path) -> bool {
        let is_held = self.mode() == PermissionMode::AutoEdit && self.ctx.sandbox == Sandbox::Full;
        let places = self.ctx.places;
        let is_here = |program: &&Program| {
            let bases = analysis.bases(cwd, places.home.as_deref());
            program.repository(&bases).is_some_and(|folder| places.is_inside(&folder))
        };
        is_held
            && analysis.opaque.is_none()
            && analysis.programs.iter().filter(is_here).any(|git| !self.is_kept_inside(git))
    }

    /// Returns the programs that neither are harmless outside the sandbox nor are let out by a rule.
    pub(super) fn held_programs<'p>(
        &self,
        analysis: &'p Analysis,
    ) -> impl Iterator<Item = &'p Program> {
        // What the repository has git start already runs outside then.
        let lets_git_out = analysis
            .programs
            .iter()
            .any(|program| program.is_git() && self.rule_that_lets_out(program).is_some());
        analysis.programs.iter().filter(move |program| {
            !program.is_transparent
                && !self.is_harmless(program, Exit::ByRule, lets_git_out)
                && self.rule_that_lets_out(program).is_none()
        })
    }

    fn rule_that_lets_out(&self, program: &Program) -> Option<&Compiled> {
        self.ctx.rules.iter().find(|rule| rule.lets_out(self.tool, program))
    }

    /// Returns true for a program in the table of harmless ones. Git may start programs of the repository, so it needs an effective
    /// sandbox, or trust. In the modes that promise no changes without asking, trust alone is not enough. With `lets_git_out`, a rule lets
    /// another git command leave the sandbox, which starts the same programs.
    fn is_harmless(&self, program: &Program, exit: Exit, lets_git_out: bool) -> bool {
        let promises = matches!(self.mode(), PermissionMode::Ask | PermissionMode::ReadOnly);
        let is_limited = !promises || exit == Exit::ByRule || self.confines(exit);
        program.is_known_safe()
            && (!program.is_git()
                || lets_git_out
                || self.is_held(exit)
                || (self.ctx.is_trusted && is_limited))
    }

    fn command(&self, command: &CommandCheck<'_>) -> Vec<Part> {
        let mut parts = Vec::new();
        let analysis = command.analysis;
        if let Some(reason) = &analysis.opaque {
            parts.push(self.opaque(reason));
        } else if let (Some(reason), Some(rule)) = (&analysis.hidden, self.restriction()) {
            parts.push(Self::unseen(reason, rule));
        }
        if let Exit::Asked(reason) = command.exit
            && self.mode() != PermissionMode::Full
        {
            parts.push(self.mode_decides("leave the sandbox", Decision::Ask, reason));
        }
        for program in &analysis.programs {
            parts.push(self.program(program, command));
        }
        parts.extend(analysis.writes.iter().filter_map(|target| self.redirect(target, command)));
        parts.extend(self.reads(command));
        if parts.is_empty() {
            // Nothing but comments.
            parts.push(Part::new("nothing", Decision::Allow, "", "contains no program"));
        }
        parts
    }

    fn opaque(&self, reason: &str) -> Part {
        let why = format!("runs a command that {reason}");
        match (self.mode(), self.restriction()) {
            (PermissionMode::ReadOnly, _) => self.mode_decides(WHOLE, Decision::Deny, &why),
            (PermissionMode::Full, None) => self.mode_decides(WHOLE, Decision::Allow, ""),
            (_, Some(rule)) => Self::unseen(reason, rule),
            (PermissionMode::Ask | PermissionMode::AutoEdit, None) => {
                self.mode_decides(WHOLE, Decision::Ask, &why)
            }
        }
    }

    /// Returns the first rule that restricts commands.
    fn restriction(&self) -> Option<&Compiled> {
        self.ctx.rules.iter().find(|rule| {
            let is_about_commands = rule.rule.argv.is_some()
                || rule.matches_program(self.tool, &Program::default()) != Match::No;
            rule.rule.decision != Decision::Allow && is_about_commands
        })
    }

    /// Asks, since the command may run programs that cannot be seen in advance, and a rule may restrict them.
    fn unseen(reason: &str, rule: &Compiled) -> Part {
        let why = format!("runs a command that {reason}");
        Part::new(WHOLE, Decision::Ask, why, by_rule(rule)).once_only()
    }

    fn program(&self, program: &Program, command: &CommandCheck<'_>) -> Part {
        let subject = program.to_string();
        let mut found =
            Found::among(self.ctx.rules, |rule| rule.matches_program(self.tool, program));
        if found.deny.is_none() && found.ask.is_none() && self.restriction().is_some() {
            // The program may start another one that is among its words.
            let hidden = program.may_start();
            let starts = |rule: &&Compiled| {
                let is_it = |inner: &Program| rule.matches_program(self.tool, inner) != Match::No;
                rule.restricts_named_program() && hidden.iter().any(is_it)
            };
            found.perhaps = found.perhaps.or_else(|| self.ctx.rules.iter().find(starts));
        }
        let part = self.program_without_restrictions(subject, program, command, &found);
        Self::with_rules(&found, part)
    }

    fn program_without_restrictions(
        &self,
        subject: String,
        program: &Program,
        command: &CommandCheck<'_>,
        found: &Found<'_>,
    ) -> Part {
        let mode = self.mode();
        if program.is_transparent {
            return Part::new(subject, Decision::Allow, "", "only starts the program that follows");
        }
        if mode == PermissionMode::Full {
            return self.mode_decides(&subject, Decision::Allow, "");
        }
        let is_held = self.is_held(command.exit);
        // Outside by rules, all programs passed `held_programs`.
        if self.is_harmless(program, command.exit, command.exit == Exit::ByRule) {
            return Part::new(subject, Decision::Allow, "", "the table of harmless programs");
        }
        if mode == PermissionMode::ReadOnly {
            return self.mode_decides(&subject, Decision::Deny, "runs a command");
        }
        let by_exit = match command.exit {
            Exit::ByRule => self.rule_that_lets_out(program),
            Exit::None | Exit::Asked(_) => None,
        };
        if let Some(rule) = by_exit.or(found.allow) {
            return Part::new(subject, Decision::Allow, "", by_rule(rule));
        }
        if mode == PermissionMode::AutoEdit && is_held {
            return Part::new(subject, Decision::Allow, "", "the sandbox, in auto-edit mode");
        }
        let reason = match mode {
            PermissionMode::AutoEdit => "runs a command without a full sandbox",
            PermissionMode::ReadOnly | PermissionMode::Ask | PermissionMode::Full => {
                "runs a command"
            }
        };
        self.mode_decides(&subject, Decision::Ask, reason)
    }

    /// Returns true if a rule allows the program, and none lets it out of the sandbox.
    fn is_kept_inside(&self, program: &Program) -> bool {
        self.is_allowed_by_rule(program) && self.rule_that_lets_out(program).is_none()
    }

    fn is_allowed_by_rule(&self, program: &Program) -> bool {
        let mut rules = self.ctx.rules.iter().filter(|rule| rule.rule.decision == Decision::Allow);
        rules.any(|rule| rule.matches_program(self.tool, program) == Match::Yes)
    }

    /// A file that output is redirected to.
    fn redirect(&self, target: &Target, command: &CommandCheck<'_>) -> Option<Part> {
        let is_held = self.mode() == PermissionMode::AutoEdit && self.is_held(command.exit);
        let Some(path) = target.path() else {
            let part = match self.mode() {
                PermissionMode::Full => return None,
                PermissionMode::AutoEdit if is_held => return None,
                PermissionMode::ReadOnly => Decision::Deny,
                PermissionMode::Ask | PermissionMode::AutoEdit => Decision::Ask,
            };
            let reason = "writes to a path that cannot be determined in advance";
            return Some(self.mode_decides("redirect", part, reason).once_only());
        };
        if DEVICES.contains(&path) || ["/dev/stdout", "/dev/stderr"].contains(&path) {
            return None;
        }
        let files = command.files(path, self.ctx.places.home.as_deref());
        let parts = files.iter().map(|file| self.write_file(&file.path));
        parts.max_by_key(|part| part.decision)
    }

    /// Returns parts for the files that the command reads, as far as its words show.
    fn reads(&self, command: &CommandCheck<'_>) -> Vec<Part> {
        if self.mode() == PermissionMode::Full {
            return Vec::new();
        }
        let home = self.ctx.places.home.as_deref();
        let analysis = command.analysis;
        let read = |text: &str, is_read: bool| {
            let files = command.files(text, home).into_iter();
            let parts = files.map(|file| (self.read_file(&file.path), file.exists));
            let parts = parts.filter(|(part, exists)| {
                // A program that is asked about as a whole is only kept from secrets.
                part.decision == Decision::Deny
                    || (is_read && *exists && part.decision == Decision::Ask)
            });
            parts.map(|(part, _)| part).collect::<Vec<Part>>()
        };
        let mut parts = Vec::new();
        for target in analysis.reads.iter().chain(&analysis.folders) {
            if let Some(path) = target.path() {
                if is_connection(path) {
                    let reason = "bash connects to a host by this name";
                    let part = self.mode_decides(path, Decision::Ask, reason);
                    parts.push(part.once_only());
                }
                parts.extend(read(path, true));
            } else {
                let reason = "reads a path that cannot be determined in advance";
                parts.push(self.mode_decides("redirect", Decision::Ask, reason).once_only());
            }
        }
        // Each text is checked once: wrappers repeat the words of the programs behind them.
        let mut mentions = BTreeMap::<&str, bool>::new();
        for program in &analysis.programs {
            let is_safe = program.is_known_safe();
            let is_free = is_safe || self.mode() == PermissionMode::AutoEdit;
            let is_read = is_free && !program.takes_texts() && !self.is_allowed_by_rule(program);
            for text in program.mentions() {
                *mentions.entry(text).or_default() |= is_read;
            }
            // A link in the workspace may lead out of it.
            if is_read && !self.confines(command.exit) && command.reads_unnamed(program, home) {
                let subject = program.to_string();
                let reason =
                    "may read files that it does not list, and no sandbox protects secrets";
                parts.push(self.mode_decides(&subject, Decision::Ask, reason));
            }
        }
        parts.extend(mentions.into_iter().flat_map(|(text, is_read)| read(text, is_read)));
        parts.sort_by(|a, b| a.subject.cmp(&b.subject));
        parts.dedup();
        parts
    }
}

/// Returns true for the names by which bash means a connection and no file.
fn is_connection(path: &str) -> bool {
    let path = lexical(Path::new(path));
    ["/dev/tcp", "/dev/udp"].iter().any(|folder| path.starts_with(folder))
}

impl CommandCheck<'_> {
    /// Returns true for a harmless program that may read files not listed in the command: those that a pattern or a link leads to, or that
    /// a directory contains.
    fn reads_unnamed(&self, program: &Program, home: Option<&Path>) -> bool {
        let is_folder = |text: &str| self.files(text, home).iter().any(|file| file.is_folder);
        program.follows_links() || (program.opens_folders() && program.mentions().any(is_folder))
    }

    /// Returns the files that a text of the command may mean.
    fn files(&self, text: &str, home: Option<&Path>) -> Vec<ResolvedPath> {
        let bases = self.analysis.bases(self.cwd, home);
        let paths = locate(text, &bases, home).into_iter();
        let unresolved =
            |path: &Path| ResolvedPath { path: lexical(path), exists: true, is_folder: false };
        let files = paths
            .map(|path| self.resolved.get(&path).cloned().unwrap_or_else(|| unresolved(&path)));
        let mut files: Vec<ResolvedPath> = files.collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup();
        files
    }
}

/// The subject for parts about more than one program.
const WHOLE: &str = "the whole command";

/// Devices that store nothing.
const DEVICES: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"];

/// Returns true if an allow rule reaches this zone. Secrets and protected files need a rule in the user's configuration with their path; a
/// wider rule does not cover them.
fn reaches(rule: &Compiled, zone: Zone, ctx: &Context<'_>) -> bool {
    let is_of_user = matches!(rule.origin, Origin::User | Origin::Policy);
    match zone {
        Zone::Inside => true,
        Zone::Wide | Zone::Outside => rule.rule.path.is_some(),
        Zone::Protected(_) => {
            is_of_user && rule.fixed_path().is_some_and(|path| places::protected(path).is_some())
        }
        Zone::Secret(_) => {
            is_of_user
                && rule
                    .fixed_path()
                    .is_some_and(|path| matches!(ctx.places.zone(path), Zone::Secret(_)))
        }
    }
}
