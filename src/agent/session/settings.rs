//! How a session works. What of it changes while the session is open is the business of `options`.

use crate::agent::turn::limits::{Budget, Limits};
use crate::agent::workspace::Additional;
use crate::context::room;
use crate::exec::variables::ExtraVariables;
use crate::llm::{ModelRef, Trace};
use crate::store::blobs::Blobs;
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::event::AgentRole;
use pintle_protocol::plan::WorkMode;
use pintle_protocol::queue::QueueMode;

/// How a session works.
#[derive(Debug, Clone)]
pub(in crate::agent) struct Settings {
    pub(in crate::agent) model: ModelRef,
    pub(in crate::agent) permission_mode: PermissionMode,
    /// The mode of the next turn.
    pub(in crate::agent) mode: WorkMode,
    pub(in crate::agent) title: Option<String>,
    /// How much a turn may take.
    pub(in crate::agent) limits: Limits,
    /// How room is made in a long conversation.
    pub(in crate::agent) room: room::Policy,
    /// What it and its sub-agents spend from; a sub-agent has its parent's.
    pub(in crate::agent) budget: Budget,
    /// It is nobody else's: each turn fills it anew.
    pub(in crate::agent) is_budget_own: bool,
    /// Where a sub-agent keeps what files were: with its parent, who can put them back.
    pub(in crate::agent) blobs: Option<Blobs>,
    /// How many steers are read at once.
    pub(in crate::agent) steer_mode: QueueMode,
    /// How many follow-ups a turn begins with.
    pub(in crate::agent) follow_up_mode: QueueMode,
    /// It works for another session.
    pub(in crate::agent) is_subagent: bool,
    /// The named agent that it is.
    pub(in crate::agent) role: Option<AgentRole>,
    /// Instructions for this session alone.
    pub(in crate::agent) system_prompt: Option<String>,
    /// Variables that its commands see besides.
    pub(in crate::agent) variables: ExtraVariables,
    /// The trace that its requests to models belong to.
    pub(in crate::agent) trace: Trace,
    /// The directories of its work beside the working directory.
    pub(in crate::agent) additional: Additional,
}
