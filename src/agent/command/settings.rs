//! Settings of an open session.
//!
//! Command variables are a session setting, which a frontend provides and changes; the agent knows none of their names.

use super::Reply;
use crate::error::{Action, Error, ErrorKind};
use crate::workspace::Additional;
use pintle_exec::variables::ExtraVariables;
use pintle_llm::Trace;
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::event::{Notice, NoticeLevel, QueuedInput, SessionCreated};
use pintle_protocol::plan::WorkMode;
use pintle_session::export::phrases;
use pintle_tools::mcp::Definition;
use std::path::PathBuf;
use std::sync::Arc;

/// The maximum length of a command line in a notice.
const MAX_COMMAND_CHARS: usize = 120;

/// Commands about settings.
#[derive(Debug)]
pub enum SettingsCommand {
    /// Change how the session works from the next turn on.
    Configure {
        /// The changes.
        config: OpenConfig,
        /// Receives the response when they take effect.
        reply: Reply<()>,
    },
}

/// The working directory of a stored session that is opened or forked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewFolder {
    /// This one from now on.
    Move(PathBuf),
    /// This one if its own does not exist any more.
    IfGone(PathBuf),
}

/// Changes to a session's options; `None` keeps the current value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenConfig {
    /// The model, as `provider/id[:effort]`.
    pub model: Option<String>,
    /// The permission mode.
    pub permission_mode: Option<PermissionMode>,
    /// Instructions for this session alone; only when it is made.
    pub system_prompt: Option<String>,
    /// The tools that the model sees, by name; only for a new session.
    pub tools: Option<Vec<String>>,
    /// MCP servers in addition to the configured ones. Not journaled.
    pub servers: Option<Arc<[Definition]>>,
    /// The work mode: act, or only plan.
    pub mode: Option<WorkMode>,
    /// The working directory, for a session that is stored.
    pub cwd: Option<NewFolder>,
    /// Variables that its commands and those of its sub-agents see besides. No journal keeps them.
    pub variables: Option<ExtraVariables>,
    /// Directories in addition to the working directory. Not journaled.
    pub additional: Option<Additional>,
    /// The trace of model requests, for turns that start from now on and for their sub-agents. Not journaled.
    pub trace: Option<Trace>,
}

/// Reports that a session keeps its permission mode when a client opens it with a wider one.
pub(crate) fn mode_kept(wanted: PermissionMode, kept: PermissionMode) -> Notice {
    Notice {
        level: NoticeLevel::Warning,
        code: "permissionModeKept".to_owned(),
        message: format!(
            "the permission mode stays {}: reopening a session cannot raise it to {}",
            kept.name(),
            wanted.name()
        ),
        hint: Some(format!(
            "set its option permissionMode to {} while it is open, or start a new session",
            wanted.name()
        )),
    }
}

/// Reports that a session gets a stricter permission mode than its client requested, because of the limit that `source` sets.
pub(crate) fn mode_limited(wanted: PermissionMode, kept: PermissionMode, source: &str) -> Notice {
    Notice {
        level: NoticeLevel::Warning,
        code: "permissionModeKept".to_owned(),
        message: format!(
            "the permission mode is {}: {} allows more than the limit set by {source}",
            kept.name(),
            wanted.name()
        ),
        hint: Some(format!("raise the limit to {} to use that mode", wanted.name())),
    }
}

/// Reports to the opening client the messages that were still queued when an engine exited.
pub fn messages_held(held: &[QueuedInput]) -> Option<Notice> {
    let count = held.len();
    let texts = held.iter().map(|input| {
        let blocks: Vec<String> = input.content.iter().map(phrases::input).collect();
        format!("\u{201c}{}\u{201d}", blocks.join(" "))
    });
    let texts: Vec<String> = texts.collect();
    let which = match count {
        0 => return None,
        1 => "a message was".to_owned(),
        count => format!("{count} messages were"),
    };
    Some(Notice {
        level: NoticeLevel::Warning,
        code: "messagesHeld".to_owned(),
        message: format!("{which} still queued when the engine exited: {}", texts.join(", ")),
        hint: Some("queued messages are read with the next prompt".to_owned()),
    })
}

/// Reports to the opening client the commands that were still running when the engine was killed, and that were stopped.
pub(crate) fn commands_ended(lines: &[String]) -> Option<Notice> {
    const SHOWN: usize = 3;
    let shown = lines.iter().take(SHOWN).map(|line| {
        let short: String = line.chars().take(MAX_COMMAND_CHARS).collect();
        let cut = if short.len() < line.len() { "…" } else { "" };
        format!("\u{201c}{short}{cut}\u{201d}")
    });
    let shown: Vec<String> = shown.collect();
    let more = match lines.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!lines.is_empty()).then(|| Notice {
        level: NoticeLevel::Warning,
        code: "commandsEnded".to_owned(),
        message: format!(
            "the engine was killed while commands were running; they have now been stopped: {}{more}",
            shown.join(", ")
        ),
        hint: Some("rerun whatever is still needed".to_owned()),
    })
}

impl OpenConfig {
    /// Returns these settings, with the session's creation settings for unset values.
    pub(crate) fn over(self, created: Option<&SessionCreated>) -> Self {
        Self {
            model: self.model.or_else(|| created.map(|created| created.model.clone())),
            // The stricter one: opening a session never widens its permissions.
            permission_mode: [self.permission_mode, created.map(|made| made.permission_mode)]
                .into_iter()
                .flatten()
                .min(),
            system_prompt: created.and_then(|created| created.system_prompt.clone()),
            tools: created.and_then(|created| created.tools.clone()),
            mode: self.mode.or(created.map(|created| created.mode)),
            servers: self.servers,
            cwd: self.cwd,
            variables: self.variables,
            additional: self.additional,
            trace: self.trace,
        }
    }

    /// Rejects settings that are only allowed for a new session.
    pub(crate) fn check_open(&self) -> Result<(), Error> {
        let what = if self.system_prompt.is_some() {
            "a session's system prompt cannot be changed"
        } else if self.tools.is_some() {
            "a session's tools cannot be changed"
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorKind::Invalid, what).hint(Action::SetAtCreation))
    }
}
