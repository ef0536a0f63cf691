//! The agent: commands in, events out.
//!
//! An [`Engine`] manages the open sessions; each session is one task with one journal. While a turn runs, the conversation is moved into it
//! and comes back in its outcome, so nothing else can change history and no lock is needed. Nothing here knows a protocol, stdout or a
//! client's format: frontends send [`Command`]s and receive a [`Feed`].
//!
//! A prompt's path: `session` appends it to the journal and starts a turn; `turn` is the loop, `turn/step` streams one model reply,
//! `turn/calls` runs its tool calls. A turn calls its session through the trait `host::TurnHost`.
//!
//! `src/ARCHITECTURE.md` lists which of these modules may import which.
//!
//! # Example
//!
//! A turn with a scripted model on files in memory. `services` returns [`Services`] around the two:
//!
//! ```
//! use pintle_agent::{CreateSession, Engine, TurnCommand};
//! use pintle_exec::memory::Memory;
//! use pintle_llm::script::{Reply, Script};
//! use pintle_protocol::methods::TurnStart;
//! use serde_json::json;
//! use std::sync::Arc;
//! # use pintle_agent::models::{Models, Toolbox};
//! # use pintle_agent::*;
//! # use pintle_base::ambient::Ambient;
//! # use pintle_llm::{ModelRef, Provider};
//! # use pintle_protocol::approval::PermissionMode;
//! # use pintle_session::store::Store;
//! # use pintle_tools::Profile;
//! # use std::path::Path;
//! #
//! # fn services(data: &Path, script: &Script, env: &Arc<Memory>) -> Services {
//! #     let provider: Arc<dyn Provider> = Arc::new(script.clone());
//! #     Services {
//! #         ambient: Ambient::fixed([]),
//! #         store: Store::temporary(data),
//! #         env: Arc::<Memory>::clone(env),
//! #         editors: None,
//! #         here: Arc::<Memory>::clone(env),
//! #         hooks: Arc::default(),
//! #         tools: Toolbox::from(Profile::Pi.tools()).into(),
//! #         models: Models::new(move |_: &ModelRef| Ok(Arc::clone(&provider))),
//! #         auth: None,
//! #         model_policy: ModelPolicy::default(),
//! #         defaults: SessionDefaults { model: Some("script/test".to_owned()), ..SessionDefaults::default() },
//! #         personal: Arc::default(),
//! #         permissions: Arc::new(PermissionPolicy::open(PermissionMode::Full)),
//! #         checks: CheckSettings::default(),
//! #         timeouts: AnswerTimeouts::default(),
//! #     }
//! # }
//! #
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let data = tempfile::tempdir()?;
//! let env = Arc::new(Memory::new([("/work/README.md", "# Demo\n")]));
//! let script = Script::new([
//!     Reply::new().tool("write", json!({ "path": "hello.txt", "content": "Hello\n" })),
//!     Reply::new().text("Done."),
//! ]);
//! let (engine, handle) = Engine::new(services(data.path(), &script, &env));
//! let client = async move {
//!     let create = CreateSession { cwd: "/work".to_owned(), ..CreateSession::default() };
//!     let session = handle.create(create).await?;
//!     let input = json!({ "input": [{ "type": "text", "text": "Greet me." }] });
//!     session.call::<TurnStart>(serde_json::from_value(input)?).await?;
//!     session.ask(|reply| TurnCommand::WhenIdle { reply }).await?;
//!     handle.shutdown().await;
//!     Ok::<_, Box<dyn std::error::Error>>(())
//! };
//! let (done, ()) = tokio::join!(client, engine.run());
//! done?;
//! assert_eq!(env.text("/work/hello.txt").as_deref(), Some("Hello\n"));
//! # Ok(())
//! # }
//! ```

mod background;
mod clients;
mod command;
pub mod config;
mod engine;
mod error;
mod file_history;
mod full_output;
mod grants;
mod hooks;
mod host;
mod isolation;
mod jobs;
mod kept_edits;
pub mod models;
mod project;
mod requests;
mod services;
mod session;
mod subagents;
mod turn;
mod workspace;

pub use crate::models::LoginRequest;
pub use clients::{
    CallBody, CallId, ClientCall, ClientTool, Extensions, HOOK_TIMEOUT, Hook, Runner, SubscriberId,
    ToolNames, globs_of,
};
pub use command::messages_held;
pub use command::{
    Adopt, Answer, ClientCommand, Command, DiagnosticsReport, EventSelection, Feed, ForEachRequest,
    HistoryCommand, JobCommand, NewFolder, Note, NoteBody, OpenConfig, Pager, QueueCommand, Record,
    Reply, RulesCommand, ScreenUpdate, ServersCommand, SessionCall, SessionHandle,
    SessionQuestions, SessionRequest, SettingsCommand, Subscriber, SubscriptionCommand,
    TerminalAccess, Transient, TurnCommand, UserJob, each_session_request,
};
pub use engine::{
    DecideContent, Engine, EngineHandle, LocalRun, PageRange, ResourceChange, ResourceStat,
    UserShellRun, save_imported,
};
pub use error::{Action, Error, ErrorKind, Hint};
pub use pintle_base::ambient::Secret;
pub use pintle_exec::editor::{
    Documents, EditCall, Editors, Printed, Problem as DocumentProblem, TerminalCall, Terminals,
    edited as edited_text,
};
pub use pintle_exec::variables::ExtraVariables;
pub use pintle_exec::{End as CommandEnd, TERMINAL_COLUMNS};
pub use pintle_llm::Trace;
pub use pintle_llm::login::Prompt as LoginPrompt;
pub use pintle_session::context::compaction::{Policy as CompactionPolicy, PruneThreshold};
pub use pintle_session::export::Growing as Transcript;
pub use pintle_session::history::items::Items;
pub use pintle_session::store::Filter;
pub use pintle_session::store::artifacts::Piece;
pub use pintle_tools::mcp::{
    Definition as ServerDefinition, LoginPage as ServerLoginPage, Origin as ServerOrigin,
    SharedServers, parse as parse_servers,
};
pub use project::{Named, Personal, Sources, orders};
pub use requests::{CreateSession, ForkSession};
pub use services::{
    APPROVAL_TIMEOUT, AnswerTimeouts, ModelPolicy, QUESTION_TIMEOUT, Services, SessionDefaults,
    ToolSources,
};
pub use turn::{
    Budget, CheckSettings, Explained, LINT_TIMEOUT, Limits, Lint, PermissionPolicy, REPORT_WAIT,
    RetryPolicy, SandboxPolicy, TOOL_LIST,
};
pub use workspace::Additional;
