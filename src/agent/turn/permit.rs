//! Permission checks for calls: resolves paths, collects the applicable rules, and calls `permissions` for the decision.

use crate::project::{Personal, ProjectFiles};
use crate::turn::action::{action, is_foreign_share, resolve, resolve_all};
use crate::turn::approval::Grants;
use crate::turn::confine::{confinement, only_reading};
use crate::workspace::{self, Workspace};
use pintle_exec::sandbox::{self, Confinement, Grade, Hosts, Level, Names, Network};
use pintle_exec::{Environment, LeftOut};
use pintle_os::names;
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::event::{Notice, NoticeLevel};
use pintle_protocol::item::Denial;
use pintle_protocol::session::{SandboxGrade, SandboxState};
use pintle_session::context::rights::{Confined, Rights};
use pintle_tools::Access;
use pintle_tools::permissions::hosts::HostPatterns;
use pintle_tools::permissions::propose::{leaving, needs_to_leave, propose};
use pintle_tools::permissions::remedy::denial;
use pintle_tools::permissions::rules::OfProject;
use pintle_tools::permissions::{
    self, Action, Call, CallDecision, Compiled, Context, Decision, FilesBelow, IGNORES_CASE,
    InSandbox, Origin, Places, Rule, Sandbox, decide, rules,
};
use pintle_tools::trust::Answers;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::OnceCell;

/// The engine's permissions, which no session, client or project can exceed.
#[derive(Debug)]
pub struct PermissionPolicy {
    /// The default mode, for sessions that do not request one.
    pub default_mode: PermissionMode,
    /// The mode given on the command line, for sessions that it opens.
    pub named_mode: Option<PermissionMode>,
    /// The widest mode that a session can have.
    pub ceiling: PermissionMode,
    /// Describes the flag or file that sets the ceiling.
    pub ceiling_source: String,
    /// The rules from the user configuration.
    pub rules: Vec<Rule>,
    /// The rules of this run's policy.
    pub policy_rules: Vec<Rule>,
    /// The engine's private files and directories, which no tool reads or changes.
    pub private: Vec<PathBuf>,
    /// Exceptions to these: the user's skills.
    pub readable: Vec<PathBuf>,
    /// The sandbox for commands.
    pub sandbox: SandboxPolicy,
    /// The lasting answers of the user.
    pub answers: Answers,
}

/// The requested sandbox, and the level that this machine enforces.
#[derive(Debug, Default)]
pub struct SandboxPolicy {
    /// The program that confines commands; `None` if there is no sandbox.
    program: Option<PathBuf>,
    /// Commands run in a full sandbox or not at all.
    is_required: bool,
    level: OnceCell<Level>,
}

impl SandboxPolicy {
    /// Returns a sandbox that the program applies.
    pub fn new(program: Option<PathBuf>, is_required: bool) -> Self {
        Self { program, is_required, level: OnceCell::new() }
    }

    /// Returns the level that this machine enforces, or `None` without a sandbox. The kernel is queried once.
    pub async fn level(&self) -> Option<&Level> {
        let program = self.program.as_ref()?;
        Some(self.level.get_or_init(|| sandbox::probe(program)).await)
    }

    /// Returns the sandbox as shown to clients, or `None` without a sandbox or before [`Self::level`] has queried the kernel.
    pub(crate) fn shown(&self) -> Option<SandboxState> {
        let level = self.level.get()?;
        Some(SandboxState {
            grade: match level.grade() {
                Grade::None => SandboxGrade::None,
                Grade::Partial => SandboxGrade::Partial,
                Grade::Full => SandboxGrade::Full,
            },
            level: level.summary(),
            gaps: level.gaps(&sandbox::Network::None),
            required: self.is_required,
        })
    }

    async fn state(&self) -> Sandbox {
        match self.level().await.map(Level::grade) {
            _ if self.is_required => Sandbox::Required,
            None | Some(Grade::None) => Sandbox::Missing,
            Some(Grade::Partial) => Sandbox::Partial,
            Some(Grade::Full) => Sandbox::Full,
        }
    }
}

/// A decision about a call, for display to the user.
#[derive(Debug)]
pub struct Explained {
    /// The decision.
    pub verdict: CallDecision,
    /// Rules that would allow the call, or let out a command that runs in the sandbox and needs to leave it.
    pub proposed: Vec<Rule>,
    /// Problems with the applicable rules.
    pub problems: Vec<Notice>,
}

impl PermissionPolicy {
    /// Returns a policy that sets no ceiling, has no rules and trusts every workspace.
    pub fn open(default_mode: PermissionMode) -> Self {
        Self {
            default_mode,
            named_mode: None,
            ceiling: PermissionMode::Full,
            ceiling_source: String::new(),
            rules: Vec::new(),
            policy_rules: Vec::new(),
            private: Vec::new(),
            readable: Vec::new(),
            sandbox: SandboxPolicy::default(),
            answers: Answers::trust_all(),
        }
    }

    /// Decides about a call as a session in this directory would, without grants, for display to the user.
    pub async fn explain(
        self: &Arc<Self>,
        env: &dyn Environment,
        cwd: &Path,
        mode: PermissionMode,
        tool: &str,
        access: &Access,
    ) -> Explained {
        let permissions = Permissions::new(mode, Arc::clone(self));
        let home = env.platform().home.clone();
        let site = Site { env, cwd, additional: &[], home: home.as_deref(), artifacts: None };
        let problems = permissions.begin(site).await;
        let Decided { verdict, proposed, .. } =
            permissions.decide(site, &Grants::default(), tool, access).await;
        Explained { verdict, proposed, problems }
    }
}

/// Where calls act.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Site<'a> {
    pub(crate) env: &'a dyn Environment,
    pub(crate) cwd: &'a Path,
    pub(crate) additional: &'a [PathBuf],
    pub(crate) home: Option<&'a Path>,
    /// The directory for long outputs, which the session may read.
    pub(crate) artifacts: Option<&'a Path>,
}

impl<'a> From<&'a Workspace> for Site<'a> {
    fn from(workspace: &'a Workspace) -> Self {
        Self {
            env: workspace.env.as_ref(),
            cwd: &workspace.folders.cwd,
            additional: &workspace.additional,
            home: workspace.folders.home.as_deref(),
            artifacts: Some(&workspace.artifacts),
        }
    }
}

/// A turn's permissions; the session's grants are added on top.
#[derive(Debug)]
pub(crate) struct Permissions {
    pub(crate) mode: PermissionMode,
    policy: Arc<PermissionPolicy>,
    ready: OnceCell<Ready>,
    /// Set once the problems were handed out.
    told: OnceCell<()>,
}

/// How the user's check command runs after edits.
#[derive(Debug)]
pub(crate) enum CheckRun {
    Free,
    Confined(Arc<Confinement>),
    /// The check is skipped: the edits were not reviewed, and nothing confines their effects.
    Withheld,
}

/// Rules and paths, once the workspace's directories are resolved.
#[derive(Debug)]
struct Ready {
    places: Arc<Places>,
    rules: Vec<Compiled>,
    is_trusted: bool,
    sandbox: Sandbox,
    /// The confinement of sandboxed commands, without hosts.
    confinement: Arc<Confinement>,
    /// Warnings about the project's rules, for the user.
    problems: Vec<String>,
}

/// A decision about a call, with the options to offer the user.
#[derive(Debug)]
pub(crate) struct Decided {
    pub(crate) verdict: CallDecision,
    /// Rules that would have allowed the call, or would let out a command that runs in the sandbox and needs to leave it.
    pub(crate) proposed: Vec<Rule>,
    /// For a call that does not run by itself: the least that would have allowed it.
    pub(crate) denial: Option<Denial>,
    /// The files in the call's arguments, as written and resolved.
    pub(crate) paths: Vec<(PathBuf, PathBuf)>,
    /// The files to skip when the call reads a directory recursively.
    pub(crate) left_out: LeftOut,
}

impl Permissions {
    pub(crate) fn new(mode: PermissionMode, policy: Arc<PermissionPolicy>) -> Self {
        Self { mode, policy, ready: OnceCell::new(), told: OnceCell::new() }
    }

    /// Stores rules added by the user's answer, if they outlast the session. Returns the problem, if any; the rules then apply for the
    /// session.
    pub(crate) async fn save_rules(&self, origin: Origin, rules: Vec<Rule>) -> Option<Notice> {
        let workspace = match origin {
            Origin::GrantedByUser => None,
            Origin::GrantedForProject => Some(self.ready.get()?.places.roots.first()?.clone()),
            Origin::User
            | Origin::Policy
            | Origin::Project
            | Origin::GrantedForSession
            | Origin::GrantedForTurn => {
                return None;
            }
        };
        let answers = self.policy.answers.clone();
        let kept = tokio::task::spawn_blocking(move || answers.save(workspace.as_deref(), &rules));
        let error = match kept.await {
            Ok(Ok(())) => return None,
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        Some(Notice {
            level: NoticeLevel::Warning,
            code: "answerNotKept".to_owned(),
            message: format!("the answer applies to this session only: {error}"),
            hint: None,
        })
    }

    /// Gathers what decisions depend on. Returns the problems with it at the first time.
    pub(crate) async fn begin(&self, site: Site<'_>) -> Vec<Notice> {
        let ready = self.ready(site).await;
        let problems = if self.told.set(()).is_ok() { ready.problems.as_slice() } else { &[] };
        let notice = |problem: &String| Notice {
            level: NoticeLevel::Warning,
            code: "projectRules".to_owned(),
            message: problem.clone(),
            hint: None,
        };
        problems.iter().map(notice).collect()
    }

    /// Decides about a call of a tool.
    pub(crate) async fn decide(
        &self,
        site: Site<'_>,
        grants: &Grants,
        tool: &str,
        access: &Access,
    ) -> Decided {
        let ready = self.ready(site).await;
        let action = action(site, &ready.places, grants, access).await;
        let paths = match &action {
            Action::Read(paths) | Action::Write(paths) => {
                paths.iter().map(|path| (path.named.clone(), path.resolved.clone())).collect()
            }
            Action::Execute { .. } | Action::Network { .. } | Action::Client | Action::Engine => {
                Vec::new()
            }
        };
        let call = Call { tool: tool.to_owned(), action };
        let rules: Vec<Compiled> = ready.rules.iter().chain(grants.rules()).cloned().collect();
        let ctx = Context {
            mode: self.mode,
            is_trusted: ready.is_trusted,
            sandbox: ready.sandbox,
            places: &ready.places,
            rules: &rules,
        };
        let verdict = decide(&call, &ctx);
        let proposed = if verdict.is_confined() && needs_to_leave(&call, &ctx) {
            leaving(&call, &ctx)
        } else {
            propose(&call, &verdict, &ctx)
        };
        let runs = verdict.decision == permissions::Decision::Allow;
        let denial = (!runs).then(|| denial(&call, &ctx));
        let left_out = match &call.action {
            Action::Read(folders) => {
                let (mode, is_trusted, sandbox) = (ctx.mode, ctx.is_trusted, ctx.sandbox);
                let places = Arc::clone(&ready.places);
                let below =
                    FilesBelow::new(tool, folders, (mode, is_trusted, sandbox), places, rules);
                LeftOut::new(move |path| below.leaves_out(path))
            }
            Action::Write(_)
            | Action::Execute { .. }
            | Action::Network { .. }
            | Action::Client
            | Action::Engine => LeftOut::default(),
        };
        Decided { verdict, proposed, denial, paths, left_out }
    }

    /// Returns true if the provider may search the web unasked: no rule denies it the network or requires approval.
    pub(crate) async fn lets_search(&self, site: Site<'_>, tool: &str) -> bool {
        let ready = self.ready(site).await;
        HostPatterns::gather(&ready.rules, tool).leave_open()
    }

    /// Returns the session's rights, as reported to its model.
    pub(crate) async fn rights(&self, env: &dyn Environment, is_attended: bool) -> Rights {
        // Commands on a remote machine are confined by that machine's operator.
        let sandbox = if env.is_this_machine() {
            self.policy.sandbox.state().await
        } else {
            Sandbox::Missing
        };
        let confined = match sandbox {
            Sandbox::Missing => Confined::None,
            Sandbox::Partial | Sandbox::Full => Confined::Unasked,
            Sandbox::Required => Confined::All,
        };
        Rights { mode: self.mode, confined, is_attended }
    }

    /// Returns how a tool's command is confined, with the hosts currently allowed by rules and grants; `None` if it runs unconfined. A
    /// command that ran without approval in a mode that asks can change nothing and reaches no host.
    pub(crate) fn confinement(
        &self,
        verdict: &CallDecision,
        tool: &str,
        grants: &Grants,
    ) -> Option<Arc<Confinement>> {
        let ready = self.ready.get().filter(|_| verdict.is_confined())?;
        Some(if verdict.in_sandbox == InSandbox::ReadOnly {
            Arc::new(only_reading(&ready.confinement))
        } else {
            ready.confinement_with_hosts(tool, grants.rules())
        })
    }

    /// Returns the programs that rules deny, for a command outside the sandbox. Empty if the command asks for more rights: the kernel gives
    /// none to a process whose calls are reported.
    pub(crate) fn denied_programs(&self, verdict: &CallDecision) -> Names {
        let raises = |part: &permissions::Part| {
            let name = part.subject.split(' ').next().unwrap_or_default();
            RAISING.contains(&name.rsplit('/').next().unwrap_or_default())
        };
        let ready = self.ready.get().filter(|_| !verdict.is_confined());
        let names = ready.map(|ready| &ready.confinement.names);
        let names = names.filter(|names| names.judges_programs());
        names.filter(|_| !verdict.parts.iter().any(raises)).cloned().unwrap_or_default()
    }

    /// Returns how the engine's read-only commands are confined, which is the same in every mode; `None` without a sandbox.
    pub(crate) async fn confinement_for_reading(&self, site: Site<'_>) -> Option<Confinement> {
        let ready = self.ready(site).await;
        let of_commands = (ready.sandbox != Sandbox::Missing).then_some(&ready.confinement)?;
        Some(only_reading(of_commands))
    }

    /// Returns how the session's MCP servers are confined; `None` if there is no sandbox and none is required.
    ///
    /// # Errors
    /// A sandbox is required but not available.
    pub(crate) async fn confinement_of_servers(
        &self,
        site: Site<'_>,
    ) -> Result<Option<Arc<Confinement>>, String> {
        let ready = self.ready(site).await;
        match ready.sandbox {
            Sandbox::Missing => Ok(None),
            Sandbox::Partial | Sandbox::Full | Sandbox::Required => {
                let mut confinement = Arc::clone(&ready.confinement);
                if let Some(artifacts) = site.artifacts {
                    // That of one session: sessions may share a server.
                    let own = resolve(site.env, artifacts).await;
                    Arc::make_mut(&mut confinement).readable.retain(|path| *path != own);
                }
                Ok(Some(confinement))
            }
        }
    }

    /// Returns how the user's check command runs after edits: it may execute code that the model has just written.
    pub(crate) fn check_run(&self) -> CheckRun {
        let Some(ready) = self.ready.get() else { return CheckRun::Free };
        match (self.mode, ready.sandbox) {
            (PermissionMode::Full, sandbox) if sandbox != Sandbox::Required => CheckRun::Free,
            (_, Sandbox::Partial | Sandbox::Full | Sandbox::Required) => {
                CheckRun::Confined(ready.confinement_with_hosts(CHECK, &[]))
            }
            // The user has approved each edit.
            (PermissionMode::Ask | PermissionMode::ReadOnly, Sandbox::Missing) => CheckRun::Free,
            (PermissionMode::AutoEdit | PermissionMode::Full, Sandbox::Missing) => {
                CheckRun::Withheld
            }
        }
    }

    /// Returns true if these paths may be looked at before the user has answered.
    pub(crate) async fn may_look_at(&self, site: Site<'_>, paths: &[PathBuf]) -> bool {
        let ready = self.ready(site).await;
        !paths.iter().any(|path| is_foreign_share(site.env, &ready.places, path))
    }

    /// Compiles the rules that the user's answer adds.
    pub(crate) fn compile(&self, rules: &[Rule], origin: Origin) -> Vec<Compiled> {
        let Some(ready) = self.ready.get() else { return Vec::new() };
        let (roots, home) = (&ready.places.roots, ready.places.home.as_deref());
        rules.iter().filter_map(|rule| rule.compile(origin, roots, home).ok()).collect()
    }

    /// Rules and places, gathered at the first call.
    async fn ready(&self, site: Site<'_>) -> &Ready {
        self.ready.get_or_init(|| Box::pin(self.prepare(site))).await
    }

    async fn prepare(&self, site: Site<'_>) -> Ready {
        let env = site.env;
        let roots = workspace::roots(env, site.cwd, site.additional).await;
        let is_here = env.is_this_machine();
        let PermissionPolicy { private, readable, answers, .. } = self.policy.as_ref();
        // On another machine these directories are not the engine's.
        let private = if is_here { private.as_slice() } else { &[] };
        let readable = if is_here { readable.as_slice() } else { &[] };
        let named = site.home.into_iter().chain(site.artifacts).map(Path::to_owned);
        let named: Vec<PathBuf> = named.chain(private.iter().chain(readable).cloned()).collect();
        let mut resolved = resolve_all(env, &named).await.into_iter();
        let home = site.home.and_then(|_| resolved.next());
        let artifacts = site.artifacts.and_then(|_| resolved.next());
        let private: Vec<PathBuf> = resolved.by_ref().take(private.len()).collect();
        let readable: Vec<PathBuf> = artifacts.into_iter().chain(resolved).collect();
        let folder = roots.first().cloned().unwrap_or_default();
        let (is_trusted, kept) = answers.about(&folder).await;
        let own = self.policy.rules.iter().map(|rule| (Origin::User, rule.clone()));
        let of_policy = self.policy.policy_rules.iter().map(|rule| (Origin::Policy, rule.clone()));
        let own = own.chain(of_policy);
        let mut problems = Vec::new();
        let mut of_project = Vec::new();
        for (path, rules) in self.project_rules(site, home.as_deref()).await {
            match rules {
                Ok(OfProject { rules, ignored }) => {
                    of_project.extend(rules);
                    let told =
                        ignored.iter().map(|part| format!("{}: {part}", names::shown(&path)));
                    problems.extend(told);
                }
                Err(reason) => {
                    let path = names::shown(&path);
                    problems.push(format!(
                        "{path}: {reason}; until it is fixed, every call requires approval"
                    ));
                    of_project.extend(rules::asking_about_all());
                }
            }
        }
        let mut rules = Vec::new();
        for (origin, rule) in own.chain(kept) {
            match rule.compile(origin, &roots, home.as_deref()) {
                Ok(compiled) => rules.push(compiled),
                Err(error) if rule.decision == Decision::Allow => {
                    tracing::warn!("ignored the rule {rule}: {error}");
                }
                Err(error) => {
                    problems.push(format!(
                        "the rule `{rule}` is invalid: {error}; until it is fixed, every call requires approval"
                    ));
                    rules.extend(rules::asking_about_all());
                }
            }
        }
        rules.extend(of_project);
        // Commands on a remote machine are confined by that machine's operator.
        let sandbox = if env.is_this_machine() {
            self.policy.sandbox.state().await
        } else {
            Sandbox::Missing
        };
        let opens_variables = self.mode == PermissionMode::Full;
        let places = Arc::new(Places {
            roots,
            home,
            private,
            readable,
            opens_variables,
            ignores_case: IGNORES_CASE,
        });
        let confinement = Arc::new(confinement(&places, &rules, sandbox, self.mode));
        Ready { places, rules, is_trusted, sandbox, confinement, problems }
    }

    /// Returns the project rules by file, or the reason why a file is invalid.
    async fn project_rules(
        &self,
        site: Site<'_>,
        home: Option<&Path>,
    ) -> Vec<(PathBuf, Result<OfProject, String>)> {
        let personal = Personal { answers: self.policy.answers.clone(), ..Personal::default() };
        let files = ProjectFiles::load(site.env, &personal, site.cwd).await;
        let mut found = Vec::new();
        for (folder, text) in files.permissions().await {
            let resolved = resolve(site.env, &folder).await;
            let rules = text.and_then(|text| rules::of_project(&text, &resolved, home));
            found.push((folder.join(rules::PROJECT_FILE), rules));
        }
        found
    }
}

/// The tool name that host rules use for the user's check command.
const CHECK: &str = "lint";

impl Ready {
    fn confinement_with_hosts(&self, tool: &str, grants: &[Compiled]) -> Arc<Confinement> {
        let HostPatterns { allowed, restricted } =
            HostPatterns::gather(self.rules.iter().chain(grants), tool);
        let mut confinement = Arc::clone(&self.confinement);
        if !allowed.is_empty() {
            let hosts = Hosts { allowed, restricted };
            Arc::make_mut(&mut confinement).network = Network::Hosts(hosts);
        }
        confinement
    }
}

/// Programs that run others with more rights.
const RAISING: [&str; 6] = ["sudo", "doas", "su", "pkexec", "run0", "sg"];

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "a folder in the way of a file")]

    use super::*;
    use pintle_exec::memory::Memory;
    use pintle_tools::permissions::Decision;

    #[tokio::test]
    async fn an_answer_that_cannot_be_kept_holds_for_the_session_and_a_person_is_told() {
        let data = tempfile::tempdir().unwrap();
        let file = data.path().join("trust.toml");
        // This prevents creating a file there, even for root.
        std::fs::create_dir_all(file.join("taken")).unwrap();
        let mut policy = PermissionPolicy::open(PermissionMode::Ask);
        policy.answers = Answers::in_file(&file);
        let permissions = Permissions::new(PermissionMode::Ask, Arc::new(policy));
        let env = Memory::new([]);
        let cwd = Path::new("/w");
        let site = Site { env: &env, cwd, additional: &[], home: None, artifacts: None };
        permissions.begin(site).await;
        let rules = || vec![Rule::new(Decision::Allow)];
        for (origin, is_lasting) in [
            (Origin::GrantedForTurn, false),
            (Origin::GrantedForSession, false),
            (Origin::GrantedForProject, true),
            (Origin::GrantedByUser, true),
        ] {
            let told = permissions.save_rules(origin, rules()).await;
            assert_eq!(told.is_some(), is_lasting, "{origin:?}");
            let Some(notice) = told else { continue };
            assert_eq!(notice.code, "answerNotKept");
            let words = notice.message;
            assert!(words.starts_with("the answer applies to this session only: "), "{words}");
            assert!(words.contains("trust.toml"), "{words}");
        }
    }

    #[tokio::test]
    async fn another_computer_is_asked_about_before_it_is_looked_at() {
        let bash = r"C:\Program Files\Git\bin\bash.exe";
        let inside = "//server/share/work/a.txt";
        let read = |path: &str| Access::Read(vec![path.into()]);
        let write = |path: &str| Access::Write(vec![path.into()]);
        let run = |line: &str| Access::Execute(line.to_owned());
        for (os, access, is_looked_at) in [
            ("windows", read("//server/other/a.txt"), false),
            ("windows", read("//evil/share/a.txt"), false),
            ("windows", read(r"\\evil\share\a.txt"), false),
            ("windows", write("//evil/share/a.txt"), false),
            ("windows", run("cat //evil/share/a.txt"), false),
            ("windows", run("cat < //evil/share/a.txt"), false),
            ("windows", read(inside), true),
            ("linux", read("//evil/share/a.txt"), true),
        ] {
            let mut env = Memory::new([]);
            env.set_platform(os, bash);
            let policy = Arc::new(PermissionPolicy::open(PermissionMode::Ask));
            let permissions = Permissions::new(PermissionMode::Ask, policy);
            let cwd = Path::new("//server/share/work");
            let site = Site { env: &env, cwd, additional: &[], home: None, artifacts: None };
            permissions.begin(site).await;
            let before = env.looked_at();
            let decided = permissions.decide(site, &Grants::default(), "read", &access).await;
            let looked_at = env.looked_at().split_off(before.len());
            let is_foreign = |path: &PathBuf| {
                let path = path.to_string_lossy();
                path.contains("evil") || path.contains("other")
            };
            let has_foreign = looked_at.iter().any(is_foreign);
            assert_eq!(has_foreign, is_looked_at && access != read(inside), "{access:?}");
            let is_free = decided.verdict.decision == Decision::Allow;
            assert_eq!(is_free, access == read(inside), "{access:?}");
            if let Access::Read(paths) | Access::Write(paths) = &access {
                assert_eq!(permissions.may_look_at(site, paths).await, is_looked_at, "{access:?}");
            }
        }
    }

    #[tokio::test]
    async fn commands_reach_the_hosts_of_rules_and_grants() {
        let rule =
            |decision, host: &str| Rule { host: Some(host.to_owned()), ..Rule::new(decision) };
        let mut policy = PermissionPolicy::open(PermissionMode::AutoEdit);
        policy.rules = vec![rule(Decision::Deny, "evil.com")];
        let permissions = Permissions::new(PermissionMode::AutoEdit, Arc::new(policy));
        let env = Memory::new([]);
        let cwd = Path::new("/w");
        let site = Site { env: &env, cwd, additional: &[], home: None, artifacts: None };
        let mut grants = Grants::default();
        let access = Access::Execute("true".to_owned());
        let decided = permissions.decide(site, &grants, "bash", &access).await;
        let verdict = CallDecision { in_sandbox: InSandbox::Yes, ..decided.verdict };
        let network = |grants: &Grants| {
            permissions.confinement(&verdict, "bash", grants).unwrap().network.clone()
        };
        // What denies alone opens nothing.
        assert_eq!(network(&grants), Network::None);
        let rules = [rule(Decision::Allow, "docs.rs")];
        grants.add(permissions.compile(&rules, Origin::GrantedForTurn));
        let by = "the rule \u{201c}deny host `evil.com`\u{201d} of your configuration";
        let restricted = vec![("evil.com".to_owned(), by.to_owned())];
        let hosts = Hosts { allowed: vec!["docs.rs".to_owned()], restricted };
        assert_eq!(network(&grants), Network::Hosts(hosts));
        grants.begin_turn();
        assert_eq!(network(&grants), Network::None);
    }
}
