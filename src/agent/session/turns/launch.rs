//! Starts a turn: builds its context from the session's settings, services and parts, and moves the conversation into it.

use crate::clients;
use crate::host::Activity;
use crate::session::phase::{DueTurn, Running};
use crate::session::{Phase, Session};
use crate::turn::context::{
    EditChecks, ModelAccess, TurnContext, TurnServers, TurnTools, UsableModel, Work,
};
use crate::turn::limits::Limits;
use crate::turn::permit::Permissions;
use crate::turn::system_prompt::PromptInputs;
use crate::workspace::Workspace;
use pintle_base::text::tool_names::{allows, names_tool};
use pintle_llm::{ModelRef, Provider};
use pintle_protocol::event::{Event, TurnLimits};
use pintle_protocol::ids::TurnId;
use pintle_session::context::estimate;
use pintle_tools::mcp::AllowedTools;
use pintle_tools::{self as tools, Folders};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use tokio_util::sync::CancellationToken;

impl Session {
    /// Starts a turn. Callers do so only while none runs; otherwise the messages stay in the queue.
    pub(in crate::session) fn begin_turn(
        &mut self,
        turn_id: TurnId,
        work: Work,
        provider: Arc<dyn Provider>,
    ) {
        let state = match &mut self.phase {
            Phase::Idle(state) => std::mem::take(state),
            Phase::Running(_) => {
                tracing::error!("a turn cannot start while another is running");
                if let Work::Answer(inputs) = work {
                    for input in inputs {
                        self.inbox.push(input);
                    }
                }
                return;
            }
        };
        self.consumed.turns += 1;
        let known = self.services.models.model(&self.settings.model);
        let window = known.as_ref().and_then(|known| known.window);
        let cancel = CancellationToken::new();
        let limits = self.limits(&work);
        self.settings.lineage.begin_turn(&limits);
        let ctx = TurnContext {
            session_id: self.log.id.clone(),
            turn_id: turn_id.clone(),
            ambient: self.services.ambient.clone(),
            cancel: cancel.clone(),
            llm: ModelAccess {
                session: UsableModel {
                    provider,
                    model: self.settings.model.clone(),
                    price: known.as_ref().and_then(|known| known.price),
                    window,
                },
                fallback: self.fallback_model(),
                fell_back: AtomicBool::new(false),
                as_text: AtomicBool::new(self.view.uses_text_tools(&self.settings.model)),
                served_window: AtomicU64::new(0),
                summary: self
                    .services
                    .model_policy
                    .summary
                    .as_ref()
                    .map(|model| self.usable(model)),
                compaction: self.settings.compaction,
                retry: self.services.model_policy.retry,
                trace: self.settings.trace.clone(),
            },
            prompt: self.prompt_inputs(),
            system: Arc::default(),
            workspace: self.workspace(),
            tools: TurnTools {
                list: clients::tools(&self.tools(), self.extensions()),
                withheld: self.withheld_tools(),
                settings: self.tool_settings(window),
                read_tracker: self.view.read_tracker.clone(),
                client: self.questions.requests(),
                servers: self.turn_servers(),
                jobs: self.jobs.requests(),
                agents: self.subagents.requests(),
            },
            permissions: Permissions::new(
                self.settings.permission_mode,
                Arc::clone(&self.services.permissions),
            ),
            hooks: self.turn_hooks(),
            limits,
            budget: self.settings.lineage.budget.clone(),
            checks: EditChecks { settings: self.services.checks.clone(), reports: self.reports() },
        };
        self.phase = Phase::Running(Box::new(Running {
            turn_id: turn_id.clone(),
            began_ms: self.services.ambient.now_ms(),
            cancel,
            calls: Vec::new(),
            mode: self.settings.mode,
            activity: Activity::Working,
            has_news: false,
            is_lost: false,
            foreign_changes: Vec::new(),
            due: Some(Box::new(DueTurn { ctx, state, work })),
        }));
        let model = self.settings.model.to_string();
        self.record(Some(turn_id), Event::TurnStarted { model });
        self.publish_state();
    }

    /// Returns the tools' settings, for a model with this window.
    fn tool_settings(&self, window: Option<u64>) -> Arc<tools::Settings> {
        /// A document may take one part in this many of the window.
        const DOCUMENT_PART: u64 = 4;
        /// The window assumed for an unknown model.
        const WINDOW: u64 = 200_000;
        let settings = &self.services.tools.settings;
        if !self.services.models.takes_documents(&self.settings.model) {
            return Arc::clone(settings);
        }
        let tokens = window.unwrap_or(WINDOW) / DOCUMENT_PART;
        let max_document_pages = Some(tokens / estimate::DOCUMENT_PAGE_TOKENS);
        Arc::new(tools::Settings { max_document_pages, ..tools::Settings::clone(settings) })
    }

    /// Returns the configured fallback, unless it is the session's model.
    fn fallback_model(&self) -> Option<Result<UsableModel, String>> {
        let model = self.services.model_policy.fallback.as_ref()?;
        (model.origin() != self.settings.model.origin()).then(|| self.usable(model))
    }

    /// Returns a configured model, or why it cannot be used.
    fn usable(&self, model: &ModelRef) -> Result<UsableModel, String> {
        let known = self.services.models.model(model);
        let (price, window) = known.map(|known| (known.price, known.window)).unwrap_or_default();
        let provider = self.services.models.provider(model).map_err(|error| error.message)?;
        Ok(UsableModel { provider, model: model.clone(), price, window })
    }

    /// Returns the session's workspace.
    pub(in crate::session) fn workspace(&self) -> Workspace {
        Workspace {
            env: Arc::clone(&self.services.env),
            folders: Folders::new(self.log.cwd().to_owned(), self.services.env.platform()),
            additional: self.settings.additional.clone(),
            variables: self.settings.variables.clone(),
            blobs: self.blobs(),
            announcements: self.log.announcements(),
            artifacts: self.log.artifacts(),
        }
    }

    /// Returns the MCP servers, unless no source can configure any.
    fn turn_servers(&self) -> Option<TurnServers> {
        let shared = self.services.tools.servers.clone()?;
        let only = shared.only.clone();
        let role = self.settings.role.as_ref().and_then(|role| role.tools.clone());
        let tools = self.settings.tools.clone();
        let allowed = move |name: &str| {
            only.as_ref().is_none_or(|named| names_tool(named, name))
                && role.as_ref().is_none_or(|named| allows(named, name))
                && tools.as_ref().is_none_or(|named| names_tool(named, name))
        };
        Some(TurnServers {
            shared,
            given: Arc::clone(&self.settings.servers),
            session: self.servers.clone(),
            allowed: AllowedTools(Arc::new(allowed)),
        })
    }

    /// Returns the system prompt's inputs other than files.
    fn prompt_inputs(&self) -> PromptInputs {
        PromptInputs {
            personal: Arc::clone(&self.services.personal),
            profile: self.services.tools.toolbox.profile(&self.settings.model).name(),
            cutoff: self.services.models.model(&self.settings.model).and_then(|known| known.cutoff),
            is_subagent: self.settings.lineage.is_subagent,
            role: self.settings.role.clone(),
            system_prompt: self.settings.system_prompt.clone(),
            is_attended: self.log.subscribers.iter().any(|served| served.subscriber.can_approve),
        }
    }

    /// Returns the limits for a turn that starts with these messages: those of the last message with limits.
    fn limits(&self, work: &Work) -> Limits {
        let inputs = match work {
            Work::Answer(inputs) => inputs.as_slice(),
            Work::Compact(_) | Work::SummarizeBranch(_) => &[],
        };
        let Some(requested) = inputs.iter().rev().find_map(|input| input.limits) else {
            return self.settings.limits;
        };
        let TurnLimits { steps, tool_calls, tokens, cost_nano_usd, duration_ms } = requested;
        let own = self.settings.limits;
        let steps = steps.unwrap_or(u32::MAX);
        own.and(Limits { steps, tool_calls, tokens, cost_nano_usd, duration_ms, ..own })
    }
}
