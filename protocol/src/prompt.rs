//! Sources of a system prompt.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sources of a system prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptMade {
    /// Files that it contains or names, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<PromptSource>,
}

/// A file that a system prompt contains or names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptSource {
    /// Kind of file.
    pub kind: PromptSourceKind,
    /// Its absolute path.
    pub path: String,
}

/// Kind of a file in a system prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum PromptSourceKind {
    /// Instructions for agents: `AGENTS.md` and similar files.
    Document,
    /// A rule.
    Rule,
    /// A skill.
    Skill,
    /// A named agent.
    Agent,
}

/// Instructions of a named agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentRole {
    /// Name.
    pub name: String,
    /// Instructions.
    pub instructions: String,
    /// Tools that it may use, as listed in its file; absent for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
}
