//! The context of a turn, which stays, grouped by who uses it; and its state, which changes.

use crate::agent::file_history::FileHistory;
use crate::agent::hooks::Hooks;
use crate::agent::host::JournalLost;
use crate::agent::turn::approval::Grants;
use crate::agent::turn::briefing::{Briefing, PromptInputs};
use crate::agent::turn::diagnostics::Reports;
use crate::agent::turn::limits::{Budget, Limits};
use crate::agent::turn::lint::Lint;
use crate::agent::turn::meter::Meter;
use crate::agent::turn::permit::Permissions;
use crate::agent::turn::retry::RetryPolicy;
use crate::agent::turn::served::ServedContext;
use crate::agent::turn::servers::TurnServers;
use crate::agent::workspace::Workspace;
use crate::ambient::Ambient;
use crate::context::conversation::Conversation;
use crate::context::room;
use crate::llm::catalog::Price;
use crate::llm::{Message, ModelRef, Provider, Trace};
use crate::tools::{self, ClientRequest, Ledger, Tool};
use pintle_protocol::content::{Usage, add_cost};
use pintle_protocol::event::{QueuedInput, StopReason, TurnError, TurnStatus};
use pintle_protocol::ids::{ItemId, SessionId, TurnId};
use pintle_protocol::item::{Item, ItemBody, ItemStatus};
use pintle_protocol::trust::ProjectFile;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

/// The context of a turn: all that it needs and does not change.
#[derive(Debug)]
pub(in crate::agent) struct TurnContext {
    pub(in crate::agent) session_id: SessionId,
    pub(in crate::agent) turn_id: TurnId,
    pub(in crate::agent) ambient: Ambient,
    pub(in crate::agent) cancel: CancellationToken,
    /// The model, for steps and for making room.
    pub(in crate::agent) llm: ModelAccess,
    /// The inputs of the system prompt beside files.
    pub(in crate::agent) prompt: PromptInputs,
    /// The system prompt; the turn makes it when it begins.
    pub(in crate::agent) system: Arc<str>,
    /// Where the session works, for everything that touches files and processes.
    pub(in crate::agent) workspace: Workspace,
    /// The tools, and what their calls are given.
    pub(in crate::agent) tools: TurnTools,
    /// The permissions that its calls need.
    pub(in crate::agent) permissions: Permissions,
    /// The hooks that are asked at points of the turn.
    pub(in crate::agent) hooks: Hooks,
    /// The limits of this turn.
    pub(in crate::agent) limits: Limits,
    /// The budget that it shares with its sub-agents; a sub-agent spends from that of the turn that made it.
    pub(in crate::agent) budget: Budget,
    /// The checks of files after they were edited.
    pub(in crate::agent) checks: EditChecks,
}

/// A model, and how it is asked.
#[derive(Debug)]
pub(in crate::agent) struct ModelAccess {
    pub(in crate::agent) provider: Arc<dyn Provider>,
    pub(in crate::agent) model: ModelRef,
    /// The price of its tokens, where that is known.
    pub(in crate::agent) price: Option<Price>,
    /// The most tokens of input that it takes, where that is known.
    pub(in crate::agent) window: Option<u64>,
    /// The model that writes summaries instead, or why it cannot be used; `None` if it is the same.
    pub(in crate::agent) summary: Option<Result<SummaryModel, String>>,
    /// When and how room is made in the conversation.
    pub(in crate::agent) room: room::Policy,
    /// When a request that failed is sent again.
    pub(in crate::agent) retry: RetryPolicy,
    /// The trace that its requests belong to.
    pub(in crate::agent) trace: Trace,
}

/// A model for summaries alone.
#[derive(Debug)]
pub(in crate::agent) struct SummaryModel {
    pub(in crate::agent) provider: Arc<dyn Provider>,
    pub(in crate::agent) model: ModelRef,
    pub(in crate::agent) price: Option<Price>,
    pub(in crate::agent) window: Option<u64>,
}

/// The tools of a turn, and what each call is given.
#[derive(Debug)]
pub(in crate::agent) struct TurnTools {
    pub(in crate::agent) list: Arc<[Arc<dyn Tool>]>,
    /// The tools that the person who started the session leaves out: a call of one is denied.
    pub(in crate::agent) withheld: Vec<Arc<dyn Tool>>,
    pub(in crate::agent) settings: Arc<tools::Settings>,
    /// The files that the model has read.
    pub(in crate::agent) ledger: Ledger,
    /// Takes requests to whoever steers the session.
    pub(in crate::agent) client: mpsc::Sender<ClientRequest>,
    /// The MCP servers, whose tools join the list when the turn begins; `None` where there are none at all.
    pub(in crate::agent) servers: Option<TurnServers>,
    /// Takes requests about background jobs.
    pub(in crate::agent) jobs: tools::Jobs,
    /// Takes requests about sub-agents.
    pub(in crate::agent) agents: tools::Agents,
}

impl TurnTools {
    /// Returns the tool of this name that was left out.
    pub(in crate::agent) fn withheld(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.withheld.iter().find(|tool| tool.name() == name)
    }
}

/// The checks of files after a batch of calls has edited them.
#[derive(Debug)]
pub(in crate::agent) struct EditChecks {
    /// The user's lint command.
    pub(in crate::agent) lint: Option<Lint>,
    /// The diagnostics of an editor.
    pub(in crate::agent) reports: watch::Receiver<Reports>,
    /// The time to wait for its report of a changed file.
    pub(in crate::agent) report_wait: Duration,
}

/// The state that a turn takes over from its session and gives back in [`Finished`].
#[derive(Debug, Default)]
pub(in crate::agent) struct TurnState {
    pub(in crate::agent) conversation: Conversation,
    pub(in crate::agent) grants: Grants,
    pub(in crate::agent) meter: Meter,
    pub(in crate::agent) briefing: Box<Briefing>,
    pub(in crate::agent) files: Box<FileHistory>,
    pub(in crate::agent) served: Box<ServedContext>,
    /// The ignored project files that a notice has named.
    pub(in crate::agent) told_unused: Vec<ProjectFile>,
}

/// The work of a turn.
#[derive(Debug)]
pub(in crate::agent) enum Work {
    /// Answer these messages.
    Answer(Vec<QueuedInput>),
    /// Sum up the conversation, and take care of this.
    Compact(Option<String>),
    /// Sum up these messages, which the conversation has left.
    SummarizeBranch(Vec<Arc<Message>>),
}

/// A turn that is over.
#[derive(Debug)]
pub(in crate::agent) struct Finished {
    pub(in crate::agent) state: TurnState,
    pub(in crate::agent) end: End,
    pub(in crate::agent) tally: Tally,
}

/// The end of a turn.
#[derive(Debug)]
pub(in crate::agent) enum End {
    /// The model stopped.
    Completed(StopReason),
    /// Somebody stopped it.
    Interrupted,
    /// It could not go on.
    Failed(TurnError),
}

impl End {
    pub(in crate::agent) fn status(&self) -> TurnStatus {
        match self {
            Self::Completed(_) => TurnStatus::Completed,
            Self::Interrupted => TurnStatus::Interrupted,
            Self::Failed(_) => TurnStatus::Failed,
        }
    }
}

/// The counters of a turn.
#[derive(Debug, Clone, Default)]
pub(in crate::agent) struct Tally {
    pub(in crate::agent) usage: Usage,
    /// The known part of the cost, in billionths of a US dollar.
    pub(in crate::agent) cost_nano_usd: Option<u64>,
    pub(in crate::agent) steps: u32,
    pub(in crate::agent) denials: u32,
    /// The final message, where it has to satisfy a schema and does.
    pub(in crate::agent) structured: Option<Value>,
}

impl Tally {
    /// Counts a reply; returns what it cost.
    fn count(&mut self, usage: Usage, price: Option<Price>) -> Option<u64> {
        self.usage += usage;
        let cost = price.map(|price| price.nano_usd(&usage));
        add_cost(&mut self.cost_nano_usd, cost);
        cost
    }
}

impl From<JournalLost> for End {
    fn from(_: JournalLost) -> Self {
        Self::Failed(TurnError {
            code: "journal".to_owned(),
            message: "the session's journal could not be written, so nothing more was run".to_owned(),
            hint: Some("free disk space or check the data folder's permissions, then send the prompt again".to_owned()),
            retryable: true,
            http_status: None,
        })
    }
}

impl TurnContext {
    /// Counts a reply, here and in the budget; returns what it cost.
    pub(in crate::agent) fn count(
        &self,
        tally: &mut Tally,
        usage: Usage,
        price: Option<Price>,
    ) -> Option<u64> {
        let cost = tally.count(usage, price);
        self.budget.spend(&usage, cost);
        cost
    }

    /// A new item of this turn.
    pub(in crate::agent) fn item(
        &self,
        id: ItemId,
        step: Option<u32>,
        status: ItemStatus,
        body: ItemBody,
    ) -> Item {
        Item {
            id,
            turn_id: Some(self.turn_id.clone()),
            step,
            status,
            started_ms: self.ambient.now_ms(),
            duration_ms: None,
            body,
        }
    }

    /// Ends an item.
    pub(in crate::agent) fn complete(&self, item: &mut Item, status: ItemStatus) {
        item.status = status;
        item.duration_ms = Some(self.ambient.now_ms().saturating_sub(item.started_ms));
    }
}
