//! Sub-agents as a tool sees them: it asks, the owner of the sub-agents answers.
//!
//! Nothing runs here and nothing is kept here. Invariant: a request that nobody answers is an error result, never a wait
//! without end.

mod tools;

pub use tools::{CloseAgent, SendInput, SpawnAgent, WaitAgents};

use crate::text::truncate::{Guard, Keep};
use pintle_protocol::ids::AgentId;
use pintle_protocol::item::SubagentState;
use std::path::PathBuf;
use tokio::sync::{mpsc, oneshot};

/// The way to the owner of sub-agents.
#[derive(Debug, Clone)]
pub struct Agents(Option<mpsc::Sender<AgentRequest>>);

/// What the model hears where there are no sub-agents.
const NONE: &str = "There are no sub-agents here. Do the work yourself.";

/// What a sub-agent is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spawn {
    /// What it is to do.
    pub task: String,
    /// Where it works; `None` is where this session does.
    pub cwd: Option<PathBuf>,
    /// Its model; `None` is this session's.
    pub model: Option<String>,
    /// The most replies it may take for a task.
    pub max_turns: u32,
    /// A named agent whose instructions it follows.
    pub agent: Option<String>,
}

/// Something asked of the owner of sub-agents. An error is words for the model.
#[derive(Debug)]
pub enum AgentRequest {
    /// Make one and let it begin.
    Spawn {
        /// What it is to be.
        spawn: Spawn,
        /// The one that works now.
        reply: oneshot::Sender<Result<AgentView, String>>,
    },
    /// Tell one something: a steer while it works, else its next task.
    Send {
        /// The sub-agent.
        id: AgentId,
        /// What to tell it.
        text: String,
        /// How it stands then.
        reply: oneshot::Sender<Result<AgentView, String>>,
    },
    /// Say when these have nothing to do any more.
    Wait {
        /// The sub-agents; none means all that work and all whose last words were not told.
        ids: Vec<AgentId>,
        /// How they stand then.
        reply: oneshot::Sender<Result<Vec<AgentView>, String>>,
    },
    /// Stop one and let go of it.
    Close {
        /// The sub-agent.
        id: AgentId,
        /// How it stood last.
        reply: oneshot::Sender<Result<AgentView, String>>,
    },
}

/// A sub-agent as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentView {
    /// Its id.
    pub id: AgentId,
    /// Whether it works.
    pub state: SubagentState,
    /// What it said last, or why it could not go on.
    pub result: Option<String>,
}

/// How much a model reads of what a sub-agent said.
pub(super) const GUARD: Guard =
    Guard { max_chars: 20_000, max_lines: None, keep: Keep::HeadAndTail };

impl AgentView {
    /// How it stands, in words for the model that it works for.
    pub fn told(&self) -> String {
        let how = match self.state {
            SubagentState::Working => "still works",
            SubagentState::Done => "is done and says",
            SubagentState::Failed => "could not go on",
            SubagentState::Closed => "is closed; it said",
        };
        let said = self.result.as_deref().unwrap_or("(nothing)");
        let cut = crate::text::truncate::guard(said, GUARD);
        format!("{} {how}:\n{}", self.id, cut.as_deref().unwrap_or(said))
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
