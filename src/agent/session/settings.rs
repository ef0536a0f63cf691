//! A session's settings. `options` changes them while it is open.

use crate::turn::limits::{Budget, Limits};
use crate::workspace::Additional;
use pintle_exec::variables::ExtraVariables;
use pintle_llm::{ModelRef, Trace};
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::event::AgentRole;
use pintle_protocol::plan::WorkMode;
use pintle_session::context::compaction;
use pintle_session::store::Isolated;
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
    /// Its relation to the session that it works for.
    pub(crate) lineage: Lineage,
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
    /// The copy that it works in, if it is isolated.
    pub(crate) isolation: Option<Arc<Isolated>>,
}

/// A session's place among sessions that work for each other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lineage {
    /// True if the session works for another session.
    pub(crate) is_subagent: bool,
    /// The budget that it shares with its sub-agents.
    pub(crate) budget: Budget,
    /// True if the budget is its parent's. A sub-agent that is opened from the store no longer shares one.
    is_budget_shared: bool,
    /// The parent's directory for original file contents, so that the parent can restore them; `None` to keep them in the session's directory.
    pub(crate) blobs: Option<Blobs>,
}

impl Lineage {
    /// Creates the lineage for a session that shares nothing with a parent.
    pub(crate) fn new(is_subagent: bool) -> Self {
        Self { is_subagent, ..Self::default() }
    }

    /// Shares a running parent's budget and directory for contents, if any.
    pub(crate) fn share(&mut self, budget: Option<Budget>, blobs: Option<Blobs>) {
        self.is_budget_shared = budget.is_some();
        self.budget = budget.unwrap_or_default();
        self.blobs = blobs;
    }

    /// Fills the budget for a new turn, unless the parent's turn has filled it.
    pub(crate) fn begin_turn(&self, limits: &Limits) {
        if !self.is_budget_shared {
            self.budget.fill(limits);
        }
    }
}
