//! A session's permission rules, and removing those added by the user's answers.

use crate::approval::Scope;
use crate::ids::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Result of `permission/list` and `permission/remove`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PermissionListResult {
    /// Rules in force, from the widest source to the narrowest.
    pub rules: Vec<PermissionRule>,
    /// Problems with rules, in sentences. A project file with invalid rules adds rules that ask about every call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// A rule that allows, asks about or denies calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PermissionRule {
    /// Human-readable rule: ``allow `cargo test **` ``. Invisible characters are drawn as signs.
    pub text: String,
    /// What happens to calls that match.
    pub decision: RuleDecision,
    /// Where the rule comes from.
    pub source: RuleSource,
    /// How long the answer holds. Only rules from answers have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Id for `permission/remove`. Only rules from answers have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_id: Option<String>,
}

/// What a rule does with a call. `deny` overrides `ask`, and `ask` overrides `allow`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RuleDecision {
    /// Runs the call.
    Allow,
    /// Asks the user about the call.
    Ask,
    /// Denies the call.
    Deny,
}

/// Where a rule is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RuleSource {
    /// The user's `config.toml`.
    Config,
    /// The policy that the engine was started with.
    Policy,
    /// A trusted project's `.pintle/permissions.toml`.
    Project,
    /// The user's answer to an approval.
    Answer,
}

/// Params of `permission/remove`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PermissionRemoveParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Id from `permission/list`.
    pub rule_id: String,
}
