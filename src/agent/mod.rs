//! The agent: commands in, events out.
//!
//! An [`Engine`] holds the open sessions; each session is one task with one journal. While a turn runs, the
//! conversation is moved into it and comes back in its outcome, so nothing else can change history and no lock
//! is needed. Nothing here knows a protocol, stdout or a client's format: frontends send [`Command`]s and
//! receive a [`Feed`].
//!
//! One prompt's way: `session` journals it and starts a turn; `turn` is the loop; `step` streams one model
//! reply; `tool_calls` runs what it asked for; what they emit comes back to the session, which appends it to
//! the journal and hands it on.

mod approval;
mod briefing;
mod call;
mod checkpoints;
mod client_calls;
mod command;
mod cut;
mod diagnostics;
mod engine;
mod error;
mod exporting;
mod feed;
mod files;
mod fork;
mod hooks;
mod host;
mod indexing;
mod inputs;
mod jobs;
mod limits;
mod lint;
mod loop_guard;
mod mode;
mod persons;
mod project;
mod questions;
mod retry;
mod review;
mod room;
mod session;
mod step;
mod stored;
mod subagents;
mod tool_calls;
mod turn;
mod workspace;

pub use crate::context::room::{Policy as RoomPolicy, Safe};
pub use crate::editor::{
    Documents, EditCall, Editors, Printed, Problem as DocumentProblem, TerminalCall, Terminals,
    edited as edited_text,
};
pub use crate::exec::End as CommandEnd;
pub use crate::exec::variables::Given;
pub use crate::history::items::Items;
pub use crate::llm::Trace;
pub use crate::store::Filter;
pub use crate::store::artifacts::Piece;
pub use client_calls::{CallBody, CallId, ClientCall, ClientTool, Extensions};
pub use command::{
    Accepted, Answer, Command, Interrupted, OpenConfig, Pager, QueueEdit, Reply, ReviewWish,
    Rewind, SessionHandle, Snapshot,
};
pub use diagnostics::{DiagnosticsReport, REPORT_WAIT};
pub use engine::{CreateSession, Engine, EngineHandle, Services};
pub use error::{Error, ErrorKind};
pub use feed::{Adopt, Feed, Record, Subscriber, SubscriberId};
pub use fork::ForkSession;
pub use hooks::{HOOK_TIMEOUT, Hook, Runner, globs_of};
pub use limits::{Limits, Purse};
pub use lint::{LINT_TIMEOUT, Lint};
pub use persons::{Note, NoteBody, PersonsRun};
pub use project::{Named, Personal, Sources};
pub use questions::QUESTION_TIMEOUT;
pub use retry::Patience;
pub use stored::PageRange;
pub use workspace::Additional;
