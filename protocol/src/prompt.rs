//! Of what a system prompt is made.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Of what a system prompt was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptMade {
    /// The files in it or named by it, in the order in which they stand there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<PromptSource>,
}

/// A file that a system prompt holds or names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptSource {
    /// What it is.
    pub kind: PromptSourceKind,
    /// Its absolute path.
    pub path: String,
}

/// What a file is that a system prompt holds or names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum PromptSourceKind {
    /// What people wrote for agents: `AGENTS.md` and its kin.
    Document,
    /// A rule.
    Rule,
    /// A skill.
    Skill,
    /// A named agent.
    Agent,
}

/// Instructions that make a sub-agent a named one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentRole {
    /// The name.
    pub name: String,
    /// How it is to work.
    pub instructions: String,
    /// The tools that it may use, as its file names them; absent for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
}
