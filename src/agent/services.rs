//! What every session works with.

use crate::agent::clients::Hook;
use crate::agent::project::Personal;
use crate::agent::turn::limits::Limits;
use crate::agent::turn::lint::Lint;
use crate::agent::turn::retry::RetryPolicy;
use crate::ambient::Ambient;
use crate::context::room;
use crate::editor::Editors;
use crate::exec::Environment;
use crate::llm::ModelRef;
use crate::models::{Models, Toolbox};
use crate::store::Store;
use crate::tools;
use pintle_protocol::approval::PermissionMode;
use std::sync::Arc;
use std::time::Duration;

/// What every session works with.
#[derive(Debug)]
pub struct Services {
    /// Clock and ids.
    pub ambient: Ambient,
    /// Where sessions are kept.
    pub store: Store,
    /// Files and processes.
    pub env: Arc<dyn Environment>,
    /// What editors give for the files in `env`; none where these are on another machine.
    pub editors: Option<Editors>,
    /// This machine, for the user's own commands, wherever tools act.
    pub here: Arc<dyn Environment>,
    /// The hooks of the settings, in order.
    pub hooks: Arc<[Hook]>,
    /// The tools.
    pub tools: Toolbox,
    /// What is set about tools.
    pub tool_settings: Arc<tools::Settings>,
    /// The models.
    pub models: Models,
    /// How patient to be with providers.
    pub retry_policy: RetryPolicy,
    /// How much a turn may take.
    pub limits: Limits,
    /// How room is made in a long conversation.
    pub room: room::Policy,
    /// What the user has written down for all projects.
    pub personal: Arc<Personal>,
    /// The model of a session that names none.
    pub default_model: Option<String>,
    /// The mode of a session that names none.
    pub default_permission_mode: PermissionMode,
    /// What is run after changes.
    pub lint: Option<Lint>,
    /// How long an editor's report of a changed file is waited for.
    pub report_wait: Duration,
    /// The model that names sessions, if one does.
    pub title_model: Option<ModelRef>,
    /// How long a person may take to answer a question.
    pub question_timeout: Duration,
}
