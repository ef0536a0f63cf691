//! Sub-agent requests from tools: a tool sends a request, and the sub-agents' owner answers.
//!
//! This module runs nothing and keeps no state. Invariant: a request without an answer is an error result, never an endless wait.

mod tools;

pub use tools::AgentTool;

use pintle_base::text::truncate::{Guard, Keep};
use pintle_protocol::ids::AgentId;
use pintle_protocol::item::SubagentState;
use std::path::PathBuf;
use tokio::sync::{mpsc, oneshot};

/// The channel to the sub-agents' owner.
#[derive(Debug, Clone)]
pub struct Agents(Option<mpsc::Sender<AgentRequest>>);

/// The message to the model where sub-agents are not available.
const NONE: &str = "Sub-agents are not available here. Do the work yourself.";

/// A sub-agent to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spawn {
    /// The sub-agent's task.
    pub task: String,
    /// The working directory; `None` for this session's.
    pub cwd: Option<PathBuf>,
    /// The model; `None` for this session's.
    pub model: Option<String>,
    /// The maximum number of replies for a task.
    pub max_turns: u32,
    /// A named agent whose instructions it follows.
    pub agent: Option<String>,
}

/// A request to the sub-agents' owner. An error is a message for the model.
#[derive(Debug)]
pub enum AgentRequest {
    /// Create one and let it start.
    Spawn {
        /// The sub-agent's description.
        spawn: Spawn,
        /// Receives the started sub-agent's state.
        reply: oneshot::Sender<Result<AgentView, String>>,
    },
    /// Send a message to one: a steer while it works, else its next task.
    Send {
        /// The sub-agent.
        id: AgentId,
        /// The message.
        text: String,
        /// Receives its state afterwards.
        reply: oneshot::Sender<Result<AgentView, String>>,
    },
    /// Wait until these are idle.
    Wait {
        /// The sub-agents; if empty, all that are working and all whose last message has not been reported.
        ids: Vec<AgentId>,
        /// Receives their states afterwards.
        reply: oneshot::Sender<Result<Vec<AgentView>, String>>,
    },
    /// Stop and close one.
    Close {
        /// The sub-agent.
        id: AgentId,
        /// Receives the sub-agent's last state.
        reply: oneshot::Sender<Result<AgentView, String>>,
    },
}

/// A sub-agent's current state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentView {
    /// The sub-agent's id.
    pub id: AgentId,
    /// The sub-agent's state.
    pub state: SubagentState,
    /// The last message, or the reason why the sub-agent could not continue.
    pub result: Option<String>,
    /// The number of replies so far.
    pub turns_used: u64,
}

/// How much of a sub-agent's message a model reads.
pub(super) const GUARD: Guard =
    Guard { max_chars: 20_000, max_lines: None, keep: Keep::HeadAndTail };

impl AgentView {
    /// Describes the state for the parent session's model.
    pub fn describe(&self) -> String {
        let how = match self.state {
            SubagentState::Working => "still works",
            SubagentState::Done => "finished with",
            SubagentState::Failed => "failed",
            SubagentState::Closed => "is closed; its last message was",
        };
        let said = self.result.as_deref().unwrap_or("(nothing)");
        let cut = pintle_base::text::truncate::guard(said, GUARD, "ask it for the missing part");
        let used = match self.turns_used {
            0 => String::new(),
            used => format!(" (turns used: {used})"),
        };
        format!("{} {how}{used}:\n{}", self.id, cut.as_deref().unwrap_or(said))
    }
}

impl Agents {
    /// Requests go into this channel.
    pub fn new(tx: mpsc::Sender<AgentRequest>) -> Self {
        Self(Some(tx))
    }

    /// Every request is refused.
    pub fn none() -> Self {
        Self(None)
    }

    async fn ask<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<Result<T, String>>) -> AgentRequest,
    ) -> Result<T, String> {
        let (reply, answer) = oneshot::channel();
        let tx = self.0.as_ref().ok_or(NONE)?;
        tx.send(request(reply)).await.map_err(|_| NONE)?;
        answer.await.map_err(|_| NONE.to_owned())?
    }
}
