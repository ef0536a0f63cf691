//! The services that every session shares.

use crate::clients::Hook;
use crate::models::{ConfiguredModels, Models, Toolbox};
use crate::project::Personal;
use crate::turn::limits::Limits;
use crate::turn::lint::Lint;
use crate::turn::permit::PermissionPolicy;
use crate::turn::retry::RetryPolicy;
use crate::turn::servers;
use pintle_base::ambient::Ambient;
use pintle_exec::Environment;
use pintle_exec::editor::Editors;
use pintle_llm::ModelRef;
use pintle_session::context::compaction;
use pintle_session::store::Store;
use pintle_tools as tools;
use pintle_tools::mcp::{Server, SharedServers};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The services that every session shares.
#[derive(Debug)]
pub struct Services {
    /// Clock and ids.
    pub ambient: Ambient,
    /// Where sessions are kept.
    pub store: Store,
    /// Files and processes.
    pub env: Arc<dyn Environment>,
    /// The editors' documents and terminals for the files in `env`; `None` if the files are on another machine.
    pub editors: Option<Editors>,
    /// This machine, for the user's commands, wherever tools run.
    pub here: Arc<dyn Environment>,
    /// The configured hooks, in order.
    pub hooks: Arc<[Hook]>,
    /// The tools.
    pub tools: Toolbox,
    /// The MCP servers; `None` if sessions have none.
    pub servers: Option<SharedServers>,
    /// Settings of the tools.
    pub tool_settings: Arc<tools::Settings>,
    /// The models.
    pub models: Models,
    /// The providers that support logins; `None` without settings.
    pub auth: Option<Arc<ConfiguredModels>>,
    /// When a request to a provider that failed is sent again.
    pub retry_policy: RetryPolicy,
    /// The limits per turn.
    pub limits: Limits,
    /// When and how room is made in a long conversation.
    pub compaction: compaction::Policy,
    /// The user's documents, rules, skills, prompts and agents.
    pub personal: Arc<Personal>,
    /// The default model, for sessions that do not request one.
    pub default_model: Option<String>,
    /// The permissions that no session goes beyond.
    pub permissions: Arc<PermissionPolicy>,
    /// The command that runs after changes.
    pub lint: Option<Lint>,
    /// The time to wait for an editor's report of a changed file.
    pub report_wait: Duration,
    /// The model that writes session titles, if any.
    pub title_model: Option<ModelRef>,
    /// The model that continues a turn whose model is overloaded or gone; `None` to end the turn instead.
    pub fallback_model: Option<ModelRef>,
    /// The model that writes conversation summaries; `None` for the session's model.
    pub summary_model: Option<ModelRef>,
    /// How long the user has to decide about a call.
    pub approval_timeout: Duration,
    /// How long the user has to answer a question.
    pub question_timeout: Duration,
    /// How long open approvals and questions wait for a client if none can answer them; `None` if no other client can connect.
    pub absence_timeout: Option<Duration>,
}

impl Services {
    /// Returns the MCP servers that a session in this directory would have by default, not started yet, and the problems with others.
    pub async fn mcp_servers(&self, cwd: &Path) -> (Vec<Arc<Server>>, Vec<String>) {
        let Some(shared) = &self.servers else { return (Vec::new(), Vec::new()) };
        servers::of_folder(shared, &self.env, &self.personal, &self.permissions, cwd).await
    }

    /// Replaces the engine's instructions in the system prompts of new sessions.
    pub fn set_base_prompt(&mut self, text: String) {
        Arc::make_mut(&mut self.personal).base_prompt = Some(text);
    }
}
