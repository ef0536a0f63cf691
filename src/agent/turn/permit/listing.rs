//! Lists a session's rules for its clients, and removes those added by the user's answers.

use super::gathered::Gathered;
use super::policy::PermissionPolicy;
use crate::error::{Action, Error, ErrorKind};
use crate::project::digest;
use crate::workspace::Workspace;
use pintle_base::text::visible::visible_line;
use pintle_protocol::approval::{PermissionMode, Scope};
use pintle_protocol::permission::{PermissionListResult, PermissionRule, RuleDecision, RuleSource};
use pintle_tools::permissions::{Compiled, Decision, Origin};
use std::sync::Arc;

/// Reads a session's rules from the current files, and removes permanent answers from theirs.
#[derive(Debug)]
pub(crate) struct RuleFiles {
    pub(crate) policy: Arc<PermissionPolicy>,
    pub(crate) mode: PermissionMode,
    pub(crate) workspace: Workspace,
    /// Rules that answers added to this session.
    pub(crate) granted: Vec<Compiled>,
}

impl RuleFiles {
    /// Lists the rules, from the widest origin to the narrowest.
    pub(crate) async fn list(self) -> PermissionListResult {
        let Gathered { rules, problems, .. } = self.gathered().await;
        PermissionListResult { rules: self.known(rules).iter().map(shown).collect(), problems }
    }

    /// Removes a rule from the permanent answers, if it is one of them, and returns it.
    ///
    /// # Errors
    /// No rule from an answer has this id, or the file cannot be changed.
    pub(crate) async fn remove(self, wanted: &str) -> Result<Compiled, Error> {
        let Gathered { rules, places, .. } = self.gathered().await;
        let answers = self.policy.answers.clone();
        let mut known = self.known(rules).into_iter();
        let Some(found) = known.find(|rule| id(rule).as_deref() == Some(wanted)) else {
            let message = format!("no rule from an answer has the id {}", visible_line(wanted));
            return Err(Error::new(ErrorKind::NotFound, message)
                .at("/ruleId")
                .hint(Action::ListRules));
        };
        if !matches!(found.origin, Origin::GrantedByUser | Origin::GrantedForProject) {
            return Ok(found);
        }
        let folder = places.roots.first().cloned().unwrap_or_default();
        let (origin, rule) = (found.origin, found.rule.clone());
        let removing = move || answers.remove(&folder, origin, &rule);
        let error = match tokio::task::spawn_blocking(removing).await {
            Ok(Ok(_)) => return Ok(found),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        Err(Error::new(ErrorKind::Internal, format!("failed to remove the rule: {error}"))
            .hint("free disk space, or make the directory of `trust.toml` writable"))
    }

    async fn gathered(&self) -> Gathered {
        Gathered::load(&self.policy, self.mode, (&self.workspace).into()).await
    }

    /// Adds the granted rules, and sorts all of them.
    fn known(self, read: Vec<Compiled>) -> Vec<Compiled> {
        let mut known = read;
        for rule in self.granted {
            if !known.iter().any(|known| known.is_same(&rule)) {
                known.push(rule);
            }
        }
        known.sort_by_key(|rule| rule.origin);
        known
    }
}

/// Describes a rule for clients.
fn shown(rule: &Compiled) -> PermissionRule {
    let (source, scope) = match rule.origin {
        Origin::User => (RuleSource::Config, None),
        Origin::Policy => (RuleSource::Policy, None),
        Origin::Project => (RuleSource::Project, None),
        Origin::GrantedByUser => (RuleSource::Answer, Some(Scope::User)),
        Origin::GrantedForProject => (RuleSource::Answer, Some(Scope::Project)),
        Origin::GrantedForSession => (RuleSource::Answer, Some(Scope::Session)),
        Origin::GrantedForTurn => (RuleSource::Answer, Some(Scope::Turn)),
    };
    PermissionRule {
        text: visible_line(&rule.rule.to_string()).into_owned(),
        decision: match rule.rule.decision {
            Decision::Allow => RuleDecision::Allow,
            Decision::Ask => RuleDecision::Ask,
            Decision::Deny => RuleDecision::Deny,
        },
        source,
        scope,
        rule_id: id(rule),
    }
}

/// Returns a rule's id, which depends only on the rule and the answer's scope; `None` for a rule from elsewhere.
fn id(rule: &Compiled) -> Option<String> {
    let scope = match rule.origin {
        Origin::User | Origin::Policy | Origin::Project => return None,
        Origin::GrantedByUser => "user",
        Origin::GrantedForProject => "project",
        Origin::GrantedForSession => "session",
        Origin::GrantedForTurn => "turn",
    };
    let parts = serde_json::to_string(&rule.rule).unwrap_or_default();
    digest(&format!("{scope} {parts}")).get(..16).map(str::to_owned)
}
