//! The services that every session shares.

use crate::clients::Hook;
use crate::models::{ConfiguredModels, Models, Toolbox};
use crate::project::Personal;
use crate::turn::check_settings::CheckSettings;
use crate::turn::limits::Limits;
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

/// The default time for the user to decide about a call: they may be away for a day.
pub const APPROVAL_TIMEOUT: Duration = Duration::from_secs(24 * 3600);

/// The default time for the user to answer.
pub const QUESTION_TIMEOUT: Duration = Duration::from_secs(600);

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
    pub tools: ToolSources,
    /// The models.
    pub models: Models,
    /// The providers that support logins; `None` without settings.
    pub auth: Option<Arc<ConfiguredModels>>,
    /// The models that help with a session, and retries.
    pub model_policy: ModelPolicy,
    /// Defaults for new sessions.
    pub defaults: SessionDefaults,
    /// The user's documents, rules, skills, prompts and agents.
    pub personal: Arc<Personal>,
    /// The permissions that no session goes beyond.
    pub permissions: Arc<PermissionPolicy>,
    /// The checks of changed files.
    pub checks: CheckSettings,
    /// The time that the engine waits for the user.
    pub timeouts: AnswerTimeouts,
}

/// Session settings that apply if the client requests none.
#[derive(Debug, Clone, Default)]
pub struct SessionDefaults {
    /// The model, as `provider/id[:effort]`; `None` if clients must choose one.
    pub model: Option<String>,
    /// The limits per turn, which no client can raise.
    pub limits: Limits,
    /// When and how long conversations are shortened.
    pub compaction: compaction::Policy,
}

/// A session's tools, their settings, and the MCP servers that add more.
#[derive(Debug, Clone)]
pub struct ToolSources {
    /// The engine's tools.
    pub toolbox: Toolbox,
    /// Their settings.
    pub settings: Arc<tools::Settings>,
    /// The MCP servers; `None` if sessions have none.
    pub servers: Option<SharedServers>,
}

impl From<Toolbox> for ToolSources {
    fn from(toolbox: Toolbox) -> Self {
        Self { toolbox, settings: Arc::default(), servers: None }
    }
}

/// The models that help the session's model, and retries of failed requests.
#[derive(Debug, Clone, Default)]
pub struct ModelPolicy {
    /// The model that writes session titles, if any.
    pub title: Option<ModelRef>,
    /// The model that continues a turn whose model is overloaded or gone; `None` to end the turn instead.
    pub fallback: Option<ModelRef>,
    /// The model that writes conversation summaries; `None` for the session's model.
    pub summary: Option<ModelRef>,
    /// When a failed request is sent again.
    pub retry: RetryPolicy,
}

/// The time that the engine waits for the user.
#[derive(Debug, Clone, Copy)]
pub struct AnswerTimeouts {
    /// The time to decide about a call.
    pub approval: Duration,
    /// The time to answer a question.
    pub question: Duration,
    /// The time that open approvals and questions wait for a client if none can answer them; `None` if no other client can connect.
    pub absence: Option<Duration>,
}

impl Default for AnswerTimeouts {
    fn default() -> Self {
        Self { approval: APPROVAL_TIMEOUT, question: QUESTION_TIMEOUT, absence: None }
    }
}

impl Services {
    /// Returns the MCP servers that a session in this directory would have by default, not started yet, and the problems with others.
    pub async fn mcp_servers(&self, cwd: &Path) -> (Vec<Arc<Server>>, Vec<String>) {
        let Some(shared) = &self.tools.servers else { return (Vec::new(), Vec::new()) };
        servers::of_folder(shared, &self.env, &self.personal, &self.permissions, cwd).await
    }

    /// Replaces the engine's instructions in the system prompts of new sessions.
    pub fn set_base_prompt(&mut self, text: String) {
        Arc::make_mut(&mut self.personal).base_prompt = Some(text);
    }
}
