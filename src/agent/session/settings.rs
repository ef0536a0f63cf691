//! The settings of a session. `options` changes them while it is open.

use crate::agent::turn::limits::{Budget, Limits};
use crate::agent::workspace::Additional;
use crate::context::room;
use crate::exec::variables::ExtraVariables;
use crate::llm::{ModelRef, Trace};
use crate::mcp::Definition;
use crate::store::blobs::Blobs;
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::event::AgentRole;
use pintle_protocol::plan::WorkMode;
use std::sync::Arc;

/// The settings of a session.
#[derive(Debug, Clone)]
pub(in crate::agent) struct Settings {
    pub(in crate::agent) model: ModelRef,
    pub(in crate::agent) permission_mode: PermissionMode,
    /// The mode of the next turn.
    pub(in crate::agent) mode: WorkMode,
    pub(in crate::agent) title: Option<String>,
    /// The limits of a turn.
    pub(in crate::agent) limits: Limits,
    /// When and how room is made in a long conversation.
    pub(in crate::agent) room: room::Policy,
    /// The budget that it shares with its sub-agents; a sub-agent has its parent's.
    pub(in crate::agent) budget: Budget,
    /// It is nobody else's: each turn fills it anew.
    pub(in crate::agent) is_budget_own: bool,
    /// Where a sub-agent keeps what files were: with its parent, who can put them back.
    pub(in crate::agent) blobs: Option<Blobs>,
    /// It works for another session.
    pub(in crate::agent) is_subagent: bool,
    /// The named agent that it is.
    pub(in crate::agent) role: Option<AgentRole>,
    /// The names of the tools that its model sees; all by default.
    pub(in crate::agent) tools: Option<Vec<String>>,
    /// The MCP servers that its client named.
    pub(in crate::agent) servers: Arc<[Definition]>,
    /// Instructions for this session alone.
    pub(in crate::agent) system_prompt: Option<String>,
    /// Variables that its commands see besides.
    pub(in crate::agent) variables: ExtraVariables,
    /// The trace that its requests to models belong to.
    pub(in crate::agent) trace: Trace,
    /// The directories of its work beside the working directory.
    pub(in crate::agent) additional: Additional,
}
