//! How a stage is set up where a row needs it otherwise.

use pintle_agent::models::Toolbox;
use pintle_agent::{
    APPROVAL_TIMEOUT, ClientTool, CompactionPolicy, Extensions, HOOK_TIMEOUT, Hook, Limits, Lint,
    QUESTION_TIMEOUT, RetryPolicy, Runner, SubscriberId,
};
use pintle_base::ambient::Ambient;
use pintle_exec::memory::{Answer, Memory};
use pintle_protocol::hook::{HookPoint, OnFailure, ToolRegisterParams};
use pintle_tools::Profile;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// What differs from row to row.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    /// Clock and ids, also of the engine that opens the session again.
    pub(crate) ambient: Ambient,
    /// The client answers questions of the model.
    pub(crate) can_answer: bool,
    /// The tools that speak with the person are there.
    pub(crate) has_person: bool,
    /// The shape of the tools.
    pub(crate) profile: Profile,
    /// How long a person may take to decide about a call.
    pub(crate) approval_timeout: Duration,
    /// How long a person may take to answer a question.
    pub(crate) question_timeout: Duration,
    /// How long a model may be silent before clients are told.
    pub(crate) silence: Duration,
    /// What is run after changes.
    pub(crate) lint: Option<Lint>,
    /// How long an editor's report is waited for.
    pub(crate) report_wait: Duration,
    /// The model that names sessions.
    pub(crate) title_model: Option<&'static str>,
    /// The model that continues a turn.
    pub(crate) fallback_model: Option<&'static str>,
    /// The model that writes summaries.
    pub(crate) summary_model: Option<&'static str>,
    /// The limits of turns and sessions.
    pub(crate) limits: Limits,
    /// How room is made in a long conversation.
    pub(crate) compaction: CompactionPolicy,
    /// Hooks of the settings.
    pub(crate) hooks: Vec<Hook>,
    /// Hooks of the client.
    pub(crate) client_hooks: Vec<Hook>,
    /// Names of the client's tools.
    pub(crate) client_tools: Vec<&'static str>,
    /// The session goes on when it is opened again; not so where a hook denies every message.
    pub(crate) is_reopened: bool,
    /// The user's instructions for every session.
    pub(crate) instructions: Option<&'static str>,
    /// What commands there are besides.
    pub(crate) commands: Vec<(&'static str, Answer)>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            ambient: Ambient::fixed([]),
            can_answer: false,
            has_person: false,
            profile: Profile::Pi,
            approval_timeout: APPROVAL_TIMEOUT,
            question_timeout: QUESTION_TIMEOUT,
            silence: RetryPolicy::default().silence,
            lint: None,
            report_wait: Duration::ZERO,
            title_model: None,
            fallback_model: None,
            summary_model: None,
            limits: Limits::default(),
            compaction: CompactionPolicy::default(),
            hooks: Vec::new(),
            client_hooks: Vec::new(),
            client_tools: Vec::new(),
            is_reopened: true,
            instructions: None,
            commands: Vec::new(),
        }
    }
}

/// A hook that runs a command.
pub(crate) fn hook(point: HookPoint, command: &str) -> Hook {
    Hook {
        points: vec![point],
        tools: None,
        timeout: HOOK_TIMEOUT,
        on_failure: OnFailure::Closed,
        runner: Runner::Command(command.to_owned()),
    }
}

/// A hook of the client.
pub(crate) fn client_hook(point: HookPoint) -> Hook {
    Hook { runner: Runner::Client(SubscriberId(1)), ..hook(point, "") }
}

impl Setup {
    /// A hook of the settings, with what its command prints.
    pub(crate) fn hook(mut self, hook: Hook, prints: &str) -> Self {
        self.hooks.push(hook);
        self.prints(prints)
    }

    /// What the command of the last hook prints; with `exit 3` or `hang` it does that.
    fn prints(mut self, prints: &str) -> Self {
        let Some(Hook { runner: Runner::Command(line), .. }) = self.hooks.last() else {
            return self;
        };
        let line: &'static str = line.clone().leak();
        self.commands.push((
            line,
            match prints {
                "hang" => Answer::Hangs(String::new()),
                "exit 3" => Answer::Exits(String::new(), 3),
                text => Answer::Exits(text.to_owned(), 0),
            },
        ));
        self
    }

    pub(super) fn commands(&self, env: Memory) -> Memory {
        let commands = self.commands.iter().cloned();
        commands.fold(env, |env, (line, answer)| env.with_command(line, answer))
    }

    pub(super) fn extensions(&self) -> Arc<Extensions> {
        let tools = self.client_tools.iter().zip(1..).map(|(name, serial)| {
            let shape = ToolRegisterParams {
                name: (*name).to_owned(),
                description: "a tool of the client".to_owned(),
                parameters: json!({"type": "object"}),
            };
            Arc::new(ClientTool::new(shape, serial).unwrap())
        });
        Arc::new(Extensions { hooks: self.client_hooks.clone(), tools: tools.collect() })
    }

    pub(in crate::support) fn tools(&self) -> Toolbox {
        let mut tools = [self.profile.tools(), self.profile.agents()].concat();
        if self.has_person {
            tools.extend(self.profile.person());
        }
        tools.into()
    }
}
