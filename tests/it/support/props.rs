//! What stands on the stage, and the engine that works there.

use super::model::OnlyModel;
use super::stage::Setup;
use pintle_agent::models::Models;
use pintle_agent::{
    AnswerTimeouts, CheckSettings, Engine, EngineHandle, ModelPolicy, PermissionPolicy, Personal,
    RetryPolicy, Services, SessionDefaults,
};
use pintle_exec::Environment;
use pintle_exec::editor::{Editors, Overlay};
use pintle_exec::memory::Memory;
use pintle_llm::{Provider, Script};
use pintle_protocol::approval::PermissionMode;
use pintle_session::store::Store;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// What stands on the stage beside two small files.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Props<'a> {
    pub(crate) files: &'a [(&'a str, &'a str)],
    pub(crate) commands: &'a [(&'a str, &'a str)],
    /// The working directory; `/w` when empty.
    pub(crate) cwd: &'a str,
    /// The user's instructions for every session.
    pub(crate) instructions: Option<&'static str>,
    pub(crate) system_prompt: Option<&'a str>,
}

/// An engine whose models are one script and whose files are in memory.
pub(crate) fn engine_on(
    data: &Path,
    script: &Script,
    env: &Arc<Memory>,
    setup: &Setup,
) -> (EngineHandle, JoinSet<()>) {
    let here: Arc<dyn Environment> = Arc::<Memory>::clone(env);
    let personal = Personal {
        folder: Some((here, "/home/user/.config/pintle".into())),
        instructions: setup.instructions.map(str::to_owned),
        ..Personal::default()
    };

    let provider: Arc<dyn Provider> = Arc::new(script.clone());
    let editors = Editors::default();
    let (engine, handle) = Engine::new(Services {
        ambient: setup.ambient.clone(),
        // Short sessions are opened as long ones are.
        store: Store::new(data).saving_after(0),
        env: Arc::new(Overlay::new(Arc::<Memory>::clone(env), &editors)),
        editors: Some(editors),
        here: Arc::<Memory>::clone(env),
        hooks: setup.hooks.clone().into(),
        tools: setup.tools().into(),
        models: Models::new(OnlyModel(provider)),
        auth: None,
        model_policy: ModelPolicy {
            title: setup.title_model.map(|model| model.parse().unwrap()),
            fallback: setup.fallback_model.map(|model| model.parse().unwrap()),
            summary: setup.summary_model.map(|model| model.parse().unwrap()),
            retry: RetryPolicy {
                first: Duration::ZERO,
                silence: setup.silence,
                ..RetryPolicy::default()
            },
        },
        defaults: SessionDefaults {
            model: Some("script/test".to_owned()),
            limits: setup.limits,
            compaction: setup.compaction,
        },
        personal: Arc::new(personal),
        permissions: Arc::new(PermissionPolicy::open(PermissionMode::Full)),
        checks: CheckSettings { lint: setup.lint.clone(), report_wait: setup.report_wait },
        timeouts: AnswerTimeouts {
            approval: setup.approval_timeout,
            question: setup.question_timeout,
            absence: None,
        },
    });
    let mut task = JoinSet::new();
    task.spawn(engine.run());
    (handle, task)
}
