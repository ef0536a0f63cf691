//! A session's settings. `options` changes them while it is open.

use crate::turn::limits::{Budget, Limits};
use crate::workspace::Additional;
use pintle_exec::variables::ExtraVariables;
use pintle_llm::{ModelRef, Trace};
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::event::AgentRole;
use pintle_protocol::plan::WorkMode;
use pintle_session::context::compaction;
use pintle_session::store::blobs::Blobs;
use pintle_tools::mcp::Definition;
use std::sync::Arc;

/// A session's settings.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) model: ModelRef,
    pub(crate) permission_mode: PermissionMode,
    /// The next turn's mode.
    pub(crate) mode: WorkMode,
    pub(crate) title: Option<String>,
    /// The limits per turn.
    pub(crate) limits: Limits,
    /// When and how room is made in a long conversation.
    pub(crate) compaction: compaction::Policy,
    /// The budget that it shares with its sub-agents; a sub-agent has its parent's.
    pub(crate) budget: Budget,
    /// True if the budget is not shared with a parent session: each turn refills it.
    pub(crate) is_budget_own: bool,
    /// Where a sub-agent keeps what files were: with its parent, who can put them back.
    pub(crate) blobs: Option<Blobs>,
    /// True if the session works for another session.
    pub(crate) is_subagent: bool,
    /// The named agent that it is.
    pub(crate) role: Option<AgentRole>,
    /// The tools that the model sees, by name; `None` for all.
    pub(crate) tools: Option<Vec<String>>,
    /// The MCP servers that its client named.
    pub(crate) servers: Arc<[Definition]>,
    /// Instructions for this session alone.
    pub(crate) system_prompt: Option<String>,
    /// Variables that its commands see besides.
    pub(crate) variables: ExtraVariables,
    /// The trace that its requests to models belong to.
    pub(crate) trace: Trace,
    /// The additional directories.
    pub(crate) additional: Additional,
}
