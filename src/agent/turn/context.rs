//! A turn's immutable context, grouped by user, and its mutable state.

use crate::error::Error;
use crate::file_history::FileHistory;
use crate::grants::Grants;
use crate::hooks::Hooks;
use crate::host::JournalLost;
use crate::turn::check_settings::CheckSettings;
use crate::turn::diagnostics::Reports;
use crate::turn::limits::{Budget, Limits};
use crate::turn::meter::Meter;
use crate::turn::permit::Permissions;
use crate::turn::retry::RetryPolicy;
use crate::turn::served::ServedContext;
use crate::turn::system_prompt::{PromptInputs, SystemPromptState};
use crate::workspace::Workspace;
use pintle_base::ambient::Ambient;
use pintle_llm::catalog::Price;
use pintle_llm::{Message, ModelRef, Provider, Trace, text_tools};
use pintle_protocol::content::{Usage, add_cost};
use pintle_protocol::event::{QueuedInput, StopReason, TurnError, TurnStatus};
use pintle_protocol::ids::{ItemId, SessionId, TurnId};
use pintle_protocol::item::{Item, ItemBody, ItemStatus};
use pintle_protocol::trust::ProjectFile;
use pintle_session::context::compaction;
use pintle_session::context::conversation::Conversation;
use pintle_session::history::replay::Size;
use pintle_tools::mcp::{AllowedTools, Definition, SessionServers, SharedServers};
use pintle_tools::{self as tools, ClientRequest, ReadTracker, Tool};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

/// A turn's context: everything it needs that does not change.
#[derive(Debug)]
pub(crate) struct TurnContext {
    pub(crate) session_id: SessionId,
    pub(crate) turn_id: TurnId,
    pub(crate) ambient: Ambient,
    pub(crate) cancel: CancellationToken,
    /// The model, for steps and for making room.
    pub(crate) llm: ModelAccess,
    /// System prompt inputs other than files.
    pub(crate) prompt: PromptInputs,
    /// The system prompt; built when the turn starts.
    pub(crate) system: Arc<str>,
    /// Where the session works, for everything that touches files and processes.
    pub(crate) workspace: Workspace,
    /// The tools, and what their calls are given.
    pub(crate) tools: TurnTools,
    /// The permissions that its calls need.
    pub(crate) permissions: Permissions,
    /// The hooks that are asked at points of the turn.
    pub(crate) hooks: Hooks,
    /// The limits of this turn.
    pub(crate) limits: Limits,
    /// The budget that it shares with its sub-agents; a sub-agent spends from that of the turn that made it.
    pub(crate) budget: Budget,
    /// The checks to run on edited files.
    pub(crate) checks: EditChecks,
}

/// A turn's models, and how they are asked.
#[derive(Debug)]
pub(crate) struct ModelAccess {
    /// The session's model.
    pub(crate) session: UsableModel,
    /// The model that continues the turn if the session's is unavailable, or why it cannot be used; `None` to end the turn.
    pub(crate) fallback: Option<Result<UsableModel, String>>,
    /// True once the fallback was needed.
    pub(crate) fell_back: AtomicBool,
    /// True if the session's model gets its tools as text because the user has chosen it.
    pub(crate) as_text: AtomicBool,
    /// The context size that a local server gives the session's model; 0 if unknown.
    pub(crate) served_window: AtomicU64,
    /// The model that writes summaries instead, or why it cannot be used; `None` if it is the same.
    pub(crate) summary: Option<Result<UsableModel, String>>,
    /// When and how room is made in the conversation.
    pub(crate) compaction: compaction::Policy,
    /// When a request that failed is sent again.
    pub(crate) retry: RetryPolicy,
    /// The trace that its requests belong to.
    pub(crate) trace: Trace,
}

impl ModelAccess {
    /// Returns the model that the turn asks now.
    pub(crate) fn current(&self) -> &UsableModel {
        match &self.fallback {
            Some(Ok(fallback)) if self.fell_back.load(Ordering::Relaxed) => fallback,
            Some(_) | None => &self.session,
        }
    }

    /// Returns true if the turn asks the session's model, not the fallback.
    pub(crate) fn is_session_model(&self) -> bool {
        std::ptr::eq(self.current(), &raw const self.session)
    }

    /// Returns the provider for the turn's requests with tools.
    pub(crate) fn provider(&self) -> Arc<dyn Provider> {
        let provider = Arc::clone(&self.current().provider);
        if self.is_session_model() && self.as_text.load(Ordering::Relaxed) {
            text_tools::through(provider)
        } else {
            provider
        }
    }

    /// Returns the maximum number of input tokens, if known. For an unknown model, its server may report it.
    pub(crate) fn window(&self) -> Option<u64> {
        let current = self.current();
        let served = || {
            let served = self.served_window.load(Ordering::Relaxed);
            (served > 0 && self.is_session_model()).then_some(served)
        };
        current.window.or_else(served)
    }
}

/// A model that can be asked.
#[derive(Debug)]
pub(crate) struct UsableModel {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) model: ModelRef,
    /// The token prices, if known.
    pub(crate) price: Option<Price>,
    /// The maximum number of input tokens, if known.
    pub(crate) window: Option<u64>,
}

/// A turn's tools, and the inputs of each call.
#[derive(Debug)]
pub(crate) struct TurnTools {
    pub(crate) list: Arc<[Arc<dyn Tool>]>,
    /// The tools excluded by the user who started the session: a call of one is denied.
    pub(crate) withheld: Vec<Arc<dyn Tool>>,
    pub(crate) settings: Arc<tools::Settings>,
    /// The files that the model has read.
    pub(crate) read_tracker: ReadTracker,
    /// Sends requests to the client that controls the session.
    pub(crate) client: mpsc::Sender<ClientRequest>,
    /// The MCP servers, whose tools join the list when the turn starts; `None` if no servers are configured.
    pub(crate) servers: Option<TurnServers>,
    /// Takes requests about background jobs.
    pub(crate) jobs: tools::Jobs,
    /// Takes requests about sub-agents.
    pub(crate) agents: tools::Agents,
}

impl TurnTools {
    /// Returns the tool of this name: a listed one, or one of an MCP server that the model has found.
    pub(crate) fn find(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let listed = self.list.iter().find(|tool| tool.name() == name).cloned();
        let unlisted = || Some(self.servers.as_ref()?.session.unlisted(name)? as Arc<dyn Tool>);
        listed.or_else(unlisted)
    }

    /// Returns the tool of this name that was left out.
    pub(crate) fn withheld(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.withheld.iter().find(|tool| tool.name() == name)
    }
}

/// The MCP servers of a turn.
#[derive(Debug)]
pub(crate) struct TurnServers {
    /// Those that every session has.
    pub(crate) shared: SharedServers,
    /// Those that the session's client named.
    pub(crate) given: Arc<[Definition]>,
    /// Those of the session, with their state.
    pub(crate) session: SessionServers,
    /// The tools that its model may see.
    pub(crate) allowed: AllowedTools,
}

/// The checks to run on files edited by a batch of calls.
#[derive(Debug)]
pub(crate) struct EditChecks {
    /// The user's settings.
    pub(crate) settings: CheckSettings,
    /// The editor's diagnostics.
    pub(crate) reports: watch::Receiver<Reports>,
}

/// The state that a turn takes over from its session and gives back in [`Finished`].
#[derive(Debug, Default)]
pub(crate) struct TurnState {
    pub(crate) conversation: Conversation,
    /// True if the conversation is only in the journal: a stored session's is read when it is needed.
    pub(crate) is_unread: bool,
    /// The session's, as of the last call.
    pub(crate) grants: Arc<Grants>,
    pub(crate) meter: Meter,
    pub(crate) prompt_state: Box<SystemPromptState>,
    pub(crate) files: Box<FileHistory>,
    pub(crate) served: Box<ServedContext>,
    /// The ignored project files that a notice has named.
    pub(crate) told_unused: Vec<ProjectFile>,
}

impl TurnState {
    /// Leaves a stored session's conversation, which has this size, in the journal.
    pub(crate) fn leave_unread(&mut self, size: Size) {
        self.is_unread = true;
        self.meter.estimated = (size.tokens, size.messages);
    }

    /// Appends a message that is in the journal.
    pub(crate) fn push(&mut self, message: Message) {
        if self.is_unread {
            let (tokens, messages) = self.meter.estimated;
            let mut size = Size { tokens, messages };
            size.add(&message);
            self.meter.estimated = (size.tokens, size.messages);
        } else {
            self.conversation.push(message);
        }
    }
}

/// A turn's work.
#[derive(Debug)]
pub(crate) enum Work {
    /// Answer these messages.
    Answer(Vec<QueuedInput>),
    /// Sum up the conversation, and take care of this.
    Compact(Option<String>),
    /// Sum up these messages, which the conversation has left.
    SummarizeBranch(Vec<Arc<Message>>),
}

/// A finished turn.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) state: TurnState,
    pub(crate) end: End,
    pub(crate) tally: Tally,
}

impl Finished {
    /// Ends a turn whose conversation cannot be read.
    pub(crate) fn unread(state: TurnState, error: &Error) -> Self {
        let error = TurnError {
            code: "journal".to_owned(),
            message: error.message.clone(),
            hint: Some(
                "make the session's journal readable, then send the prompt again".to_owned(),
            ),
            retryable: true,
            http_status: None,
        };
        Self { state, end: End::Failed(error), tally: Tally::default() }
    }
}

/// How a turn ended.
#[derive(Debug)]
pub(crate) enum End {
    /// The model stopped.
    Completed(StopReason),
    /// The turn was stopped.
    Interrupted,
    /// The turn failed.
    Failed(TurnError),
}

impl End {
    pub(crate) fn status(&self) -> TurnStatus {
        match self {
            Self::Completed(_) => TurnStatus::Completed,
            Self::Interrupted => TurnStatus::Interrupted,
            Self::Failed(_) => TurnStatus::Failed,
        }
    }
}

/// A turn's counters.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    pub(crate) usage: Usage,
    /// The known part of the cost, in billionths of a US dollar.
    pub(crate) cost_nano_usd: Option<u64>,
    pub(crate) steps: u32,
    pub(crate) denials: u32,
    /// The final message, if it was required to match a schema and does.
    pub(crate) structured: Option<Value>,
}

impl Tally {
    /// Counts a reply and returns its cost.
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
            message: "failed to write the session journal; the turn was stopped".to_owned(),
            hint: Some("free disk space or check the permissions of the data directory, then send the prompt again".to_owned()),
            retryable: true,
            http_status: None,
        })
    }
}

impl TurnContext {
    /// Counts a reply, here and in the budget; returns its cost.
    pub(crate) fn count(
        &self,
        tally: &mut Tally,
        usage: Usage,
        price: Option<Price>,
    ) -> Option<u64> {
        let cost = tally.count(usage, price);
        self.budget.spend(&usage, cost);
        cost
    }

    /// Returns a new item of this turn.
    pub(crate) fn item(
        &self,
        id: ItemId,
        step: Option<u32>,
        status: ItemStatus,
        body: ItemBody,
    ) -> Item {
        let item = Item::new(id, status, self.ambient.now_ms(), body);
        Item { turn_id: Some(self.turn_id.clone()), step, ..item }
    }
}
