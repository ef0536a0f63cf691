//! A session's phase: idle, owning the conversation, or running a turn, which owns it.

use crate::host::Activity;
use crate::turn::{TurnContext, TurnState, Work};
use pintle_protocol::files::FileRecord;
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::plan::WorkMode;
use tokio_util::sync::CancellationToken;

/// Idle, or running a turn.
pub(super) enum Phase {
    Idle(TurnState),
    Running(Box<Running>),
}

/// A running turn, as its session knows it.
pub(super) struct Running {
    pub(super) turn_id: TurnId,
    pub(super) began_ms: u64,
    pub(super) cancel: CancellationToken,
    /// The calls that run.
    pub(super) calls: Vec<(ItemId, CancellationToken)>,
    pub(super) mode: WorkMode,
    pub(super) activity: Activity,
    /// True if the turn has requested news before.
    pub(super) has_news: bool,
    /// The journal failed while this turn ran.
    pub(super) is_lost: bool,
    /// File changes by decisions and sub-agents that the turn does not know of.
    pub(super) foreign_changes: Vec<FileRecord>,
    /// Inputs for a turn that has not started yet.
    pub(super) due: Option<Box<DueTurn>>,
}

/// A turn that starts next.
pub(super) struct DueTurn {
    pub(super) ctx: TurnContext,
    pub(super) state: TurnState,
    pub(super) work: Work,
}

impl Running {
    /// Returns the token that cancels a running call.
    pub(super) fn call(&self, item_id: &ItemId) -> Option<&CancellationToken> {
        self.calls.iter().find(|(id, _)| id == item_id).map(|(_, cancel)| cancel)
    }
}

impl Phase {
    pub(super) fn running(&self) -> Option<&Running> {
        match self {
            Self::Running(running) => Some(running),
            Self::Idle(_) => None,
        }
    }

    pub(super) fn running_mut(&mut self) -> Option<&mut Running> {
        match self {
            Self::Running(running) => Some(running),
            Self::Idle(_) => None,
        }
    }

    /// Returns the running turn's id.
    pub(super) fn turn_id(&self) -> Option<TurnId> {
        Some(self.running()?.turn_id.clone())
    }

    /// Returns true if a turn runs and has not been stopped.
    pub(super) fn is_working(&self) -> bool {
        self.running().is_some_and(|running| !running.cancel.is_cancelled())
    }

    pub(super) fn due_turn(&mut self) -> Option<DueTurn> {
        Some(*self.running_mut()?.due.take()?)
    }
}

impl std::fmt::Debug for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Idle(_) => f.write_str("Idle"),
            Self::Running(running) => write!(f, "Running({})", running.turn_id),
        }
    }
}
