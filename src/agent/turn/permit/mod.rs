//! Permission checks for calls: resolves paths, collects the applicable rules, and calls `permissions` for the decision.

mod confinement;
mod gathered;
mod listing;
mod policy;
mod sandbox_settings;
pub(super) mod site;

pub(crate) use confinement::CheckRun;
pub(crate) use listing::RuleFiles;
pub use policy::{PermissionPolicy, SandboxPolicy};

use crate::grants::Grants;
use crate::turn::action::{action, is_foreign_share};
use gathered::Gathered;
use pintle_exec::{Environment, LeftOut};
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::event::{Notice, NoticeLevel};
use pintle_protocol::item::Denial;
use pintle_session::context::rights::{Confined, Rights};
use pintle_tools::Access;
use pintle_tools::permissions::hosts::HostPatterns;
use pintle_tools::permissions::propose::{leaving, needs_to_leave, propose};
use pintle_tools::permissions::remedy::denial;
use pintle_tools::permissions::{
    self, Action, Call, CallDecision, Compiled, Context, FilesBelow, Origin, Rule, Sandbox, decide,
};
use site::Site;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::OnceCell;

/// A turn's permissions; the session's grants are added on top.
#[derive(Debug)]
pub(crate) struct Permissions {
    pub(crate) mode: PermissionMode,
    policy: Arc<PermissionPolicy>,
    gathered: OnceCell<Gathered>,
    /// Set once the problems were returned.
    are_problems_reported: OnceCell<()>,
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

impl PermissionPolicy {
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

impl Permissions {
    pub(crate) fn new(mode: PermissionMode, policy: Arc<PermissionPolicy>) -> Self {
        Self { mode, policy, gathered: OnceCell::new(), are_problems_reported: OnceCell::new() }
    }

    /// Stores rules added by the user's answer, if they are to outlast the session. Returns how long they hold: if they cannot be stored,
    /// for the session, with the problem.
    pub(crate) async fn save_rules(
        &self,
        origin: Origin,
        rules: &[Rule],
    ) -> (Origin, Option<Notice>) {
        let workspace = match origin {
            Origin::GrantedByUser => None,
            Origin::GrantedForProject => {
                let root = self.gathered.get().and_then(|gathered| gathered.places.roots.first());
                let Some(root) = root else { return (Origin::GrantedForSession, None) };
                Some(root.clone())
            }
            Origin::User
            | Origin::Policy
            | Origin::Project
            | Origin::GrantedForSession
            | Origin::GrantedForTurn => return (origin, None),
        };
        let (answers, rules) = (self.policy.answers.clone(), rules.to_vec());
        let kept = tokio::task::spawn_blocking(move || answers.save(workspace.as_deref(), &rules));
        let error = match kept.await {
            Ok(Ok(true)) => return (origin, None),
            Ok(Ok(false)) => return (Origin::GrantedForSession, None),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        let notice = Notice {
            level: NoticeLevel::Warning,
            code: "answerNotKept".to_owned(),
            message: format!("the answer applies to this session only: {error}"),
            hint: None,
        };
        (Origin::GrantedForSession, Some(notice))
    }

    /// Gathers the rules and places. Returns their problems the first time.
    pub(crate) async fn begin(&self, site: Site<'_>) -> Vec<Notice> {
        let gathered = self.gathered(site).await;
        let problems = if self.are_problems_reported.set(()).is_ok() {
            gathered.problems.as_slice()
        } else {
            &[]
        };
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
        let gathered = self.gathered(site).await;
        let action = action(site, &gathered.places, grants, access).await;
        let paths = match &action {
            Action::Read(paths) | Action::Write(paths) => {
                paths.iter().map(|path| (path.named.clone(), path.resolved.clone())).collect()
            }
            Action::Execute { .. }
            | Action::Type { .. }
            | Action::Network { .. }
            | Action::Client
            | Action::Engine => Vec::new(),
        };
        let call = Call { tool: tool.to_owned(), action };
        let rules = grants.apply(&gathered.rules);
        let ctx = Context {
            mode: self.mode,
            is_trusted: gathered.is_trusted,
            sandbox: gathered.sandbox,
            places: &gathered.places,
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
                let places = Arc::clone(&gathered.places);
                let below =
                    FilesBelow::new(tool, folders, (mode, is_trusted, sandbox), places, rules);
                LeftOut::new(move |path| below.leaves_out(path))
            }
            Action::Write(_)
            | Action::Execute { .. }
            | Action::Type { .. }
            | Action::Network { .. }
            | Action::Client
            | Action::Engine => LeftOut::default(),
        };
        Decided { verdict, proposed, denial, paths, left_out }
    }

    /// Returns true if the provider may search the web unasked: no rule denies it the network or requires approval.
    pub(crate) async fn lets_search(&self, site: Site<'_>, tool: &str) -> bool {
        let gathered = self.gathered(site).await;
        HostPatterns::gather(&gathered.rules, tool).leave_open()
    }

    /// Returns the session's rights, as reported to its model.
    pub(crate) async fn rights(&self, env: &dyn Environment, is_attended: bool) -> Rights {
        let confined = match self.policy.sandbox_in(env).await {
            Sandbox::Missing => Confined::None,
            Sandbox::Partial | Sandbox::Full => Confined::Unasked,
            Sandbox::Required => Confined::All,
        };
        Rights { mode: self.mode, confined, is_attended }
    }

    /// Returns true if these paths may be looked at before the user has answered.
    pub(crate) async fn may_look_at(&self, site: Site<'_>, paths: &[PathBuf]) -> bool {
        let gathered = self.gathered(site).await;
        !paths.iter().any(|path| is_foreign_share(site.env, &gathered.places, path))
    }

    /// Compiles the rules that the user's answer adds.
    pub(crate) fn compile(&self, rules: &[Rule], origin: Origin) -> Vec<Compiled> {
        let Some(gathered) = self.gathered.get() else { return Vec::new() };
        let (roots, home) = (&gathered.places.roots, gathered.places.home.as_deref());
        rules.iter().filter_map(|rule| rule.compile(origin, roots, home).ok()).collect()
    }

    /// Returns the rules and places, gathered at the first call.
    async fn gathered(&self, site: Site<'_>) -> &Gathered {
        let gathering = || Box::pin(Gathered::load(&self.policy, self.mode, site));
        self.gathered.get_or_init(gathering).await
    }
}

#[cfg(test)]
mod tests;
