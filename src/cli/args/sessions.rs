//! The command line of `pintle sessions`.

use super::Values;
use super::history::{History, Range};
use clap::{Subcommand, ValueEnum, ValueHint};
use pintle_protocol::search::{EntryKind, EntryRole};
use pintle_session::export;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Sessions {
    #[command(flatten)]
    Stored(Stored),
    #[command(flatten)]
    History(History),
}

/// The commands that need the store alone and no engine.
#[derive(Debug, Subcommand)]
pub(crate) enum Stored {
    /// List stored sessions, newest first
    List(Listing),
    /// Print the messages and tool calls of a session
    Show(Showing),
    /// Search messages, and the titles, commands and paths of tool calls
    Search(Search),
    /// Export a session as an HTML page, Markdown, JSON lines or a Pi session
    Export(Exporting),
    /// Import Pi session files
    Import(Importing),
    /// Archive sessions: hide them from `sessions list`, change nothing else
    #[command(after_help = "Examples:
  pintle sessions archive 01a2027b
  pintle sessions archive --undo 01a2027b
  pintle sessions list --archived")]
    Archive(Archiving),
    /// Permanently delete sessions and those of their sub-agents
    Delete(Deletion),
    /// Delete sessions beyond keep_days, keep_count or max_mb of [sessions] in config.toml
    Prune(Pruning),
    /// Rebuild the list and search index from the journals
    Reindex,
    /// Verify the journals and the index, and suggest fixes
    Doctor {
        /// Print each session as a JSON line
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Listing {
    /// List only sessions whose title or directory contains this
    pub(crate) query: Option<String>,
    /// List only sessions of this working directory
    #[arg(short = 'C', long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,
    /// Include sessions of sub-agents
    #[arg(long)]
    pub(crate) subagents: bool,
    /// List archived sessions instead
    #[arg(long)]
    pub(crate) archived: bool,
    /// Print at most N sessions
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
    /// Print JSON lines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Showing {
    /// Session: an id, an id prefix, or `last` for the newest in this directory
    #[arg(add = Values::Session)]
    pub(crate) id: String,
    /// Print at most the last N events
    #[arg(short = 'n', long, value_name = "N", default_value_t = 200)]
    pub(crate) tail: usize,
    /// Print the surroundings of this event, by its number in `search`
    #[arg(long, value_name = "SEQ", conflicts_with_all = ["from", "to"])]
    pub(crate) at: Option<u64>,
    /// Print everything
    #[arg(long, conflicts_with_all = ["at", "tail", "from", "to"])]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) range: Range,
    /// Print the events as stored in the journal, one per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Search {
    /// Words that must all occur, or a "quoted phrase"; if omitted, print the newest entries
    #[arg(num_args = 0..)]
    pub(crate) words: Vec<String>,
    /// Search only sessions of this working directory
    #[arg(short = 'C', long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,
    /// Search only this session: an id, an id prefix, or `last` for the newest in this directory
    #[arg(long, value_name = "ID", add = Values::Session)]
    pub(crate) session: Option<String>,
    #[command(flatten)]
    pub(crate) range: Range,
    /// Search only entries of these kinds; output and reasoning read the journals, which takes longer
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(crate) kind: Vec<KindName>,
    /// Search only entries of these roles
    #[arg(long, value_name = "ROLE", value_delimiter = ',')]
    pub(crate) role: Vec<RoleName>,
    /// Search only calls for files whose path contains this
    #[arg(long, value_name = "PART")]
    pub(crate) path: Option<String>,
    /// Search only entries since then: 2026-11-22, 2026-11-22T08:30, or 12h, 3d, 2w ago
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// Search only entries before then
    #[arg(long, value_name = "WHEN")]
    pub(crate) until: Option<String>,
    /// Print at most N entries
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Print JSON lines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Exporting {
    /// Session: an id, an id prefix, or `last` for the newest in this directory
    #[arg(add = Values::Session)]
    pub(crate) id: String,
    /// Set the format: a web page, Markdown, the events as stored in the journal, or a Pi session
    #[arg(long, value_name = "FORMAT", default_value = "html")]
    pub(crate) format: ExportFormat,
    /// Write to this file, or - for stdout [default: a file in this directory, named after the title]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Pruning {
    /// Print the sessions that would be deleted, and delete nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(short, long)]
    pub(crate) yes: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Importing {
    /// Pi session files, versions 1 to 3
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Use this working directory instead of the one in the files
    #[arg(short = 'C', long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,
    /// Import files again that were imported before
    #[arg(long)]
    pub(crate) again: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ExportFormat {
    Html,
    Md,
    Json,
    Pi,
}

impl From<ExportFormat> for export::Format {
    fn from(format: ExportFormat) -> Self {
        match format {
            ExportFormat::Html => Self::Html,
            ExportFormat::Md => Self::Markdown,
            ExportFormat::Json => Self::Json,
            ExportFormat::Pi => Self::Pi,
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Archiving {
    /// Sessions: ids, id prefixes, or `last` for the newest in this directory
    #[arg(required = true, add = Values::Session)]
    pub(crate) ids: Vec<String>,
    /// Unarchive the sessions
    #[arg(long)]
    pub(crate) undo: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Deletion {
    /// Sessions: ids, id prefixes, or `last` for the newest in this directory
    #[arg(required = true, add = Values::Session)]
    pub(crate) ids: Vec<String>,
    /// Do not ask
    #[arg(short, long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum KindName {
    User,
    Agent,
    Tool,
    Output,
    Reasoning,
}

impl From<KindName> for EntryKind {
    fn from(name: KindName) -> Self {
        match name {
            KindName::User => Self::UserMessage,
            KindName::Agent => Self::AgentMessage,
            KindName::Tool => Self::ToolCall,
            KindName::Output => Self::ToolOutput,
            KindName::Reasoning => Self::Reasoning,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum RoleName {
    User,
    Assistant,
    Tool,
}

impl From<RoleName> for EntryRole {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::User => Self::User,
            RoleName::Assistant => Self::Assistant,
            RoleName::Tool => Self::Tool,
        }
    }
}
