//! The agent: commands in, events out.
//!
//! An [`Engine`] manages the open sessions; each session is one task with one journal. While a turn runs, the conversation is moved into it
//! and comes back in its outcome, so nothing else can change history and no lock is needed. Nothing here knows a protocol, stdout or a
//! client's format: frontends send [`Command`]s and receive a [`Feed`].
//!
//! A prompt's path: `session` appends it to the journal and starts a turn; `turn` is the loop, `turn/step` streams one model reply,
//! `turn/calls` runs its tool calls. A turn calls its session through the trait `host::Host`.
//!
//! `src/ARCHITECTURE.md` lists which of these modules may import which.

mod background;
mod clients;
mod command;
pub mod config;
mod engine;
mod error;
mod file_history;
mod full_output;
mod hooks;
mod host;
mod jobs;
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
    Reply, ServersCommand, SessionCall, SessionHandle, SessionRequest, SettingsCommand, Subscriber,
    SubscriptionCommand, Transient, TurnCommand, UserJob, each_session_request,
};
pub use engine::{
    DecideContent, Engine, EngineHandle, PageRange, ResourceChange, ResourceStat, UserShellRun,
};
pub use error::{Action, Error, ErrorKind, Hint};
pub use pintle_base::ambient::Secret;
pub use pintle_exec::End as CommandEnd;
pub use pintle_exec::editor::{
    Documents, EditCall, Editors, Printed, Problem as DocumentProblem, TerminalCall, Terminals,
    edited as edited_text,
};
pub use pintle_exec::variables::ExtraVariables;
pub use pintle_llm::Trace;
pub use pintle_llm::login::Prompt as LoginPrompt;
pub use pintle_session::context::compaction::{Policy as RoomPolicy, Safe};
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
pub use services::Services;
pub use session::{APPROVAL_TIMEOUT, QUESTION_TIMEOUT};
pub use turn::{
    Budget, Explained, LINT_TIMEOUT, Limits, Lint, PermissionPolicy, REPORT_WAIT, RetryPolicy,
    SandboxPolicy, TOOL_LIST,
};
pub use workspace::Additional;
