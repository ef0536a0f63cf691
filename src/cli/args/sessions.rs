//! The command line of `pintle sessions`.

use super::history::{History, Range};
use clap::{Subcommand, ValueEnum};
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
    /// Print the messages and calls of a session
    Show(Showing),
    /// Search messages, and the titles, commands and paths of tool calls
    Search(Search),
    /// Export a session as one HTML page, Markdown, JSON lines or a session of Pi
    Export(Exporting),
    /// Import session files of Pi
    Import(Importing),
    /// Archive sessions: `sessions list` leaves them out, and everything else works as before
    #[command(after_help = "Examples:
  pintle sessions archive 01a2027b
  pintle sessions archive --undo 01a2027b
  pintle sessions list --archived")]
    Archive(Archiving),
    /// Delete sessions for good, with those of their sub-agents
    Delete(Deletion),
    /// Delete the sessions that exceed keep_days, keep_count or max_mb of [sessions] in the config file
    Prune(Pruning),
    /// Rebuild the index for lists and searches from the journals
    Reindex,
    /// Verify journals and index, and print what to do
    Doctor {
        /// Print one JSON object a session
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Listing {
    /// Only sessions with this in their title or folder
    pub(crate) query: Option<String>,
    /// Only sessions of this working directory
    #[arg(short = 'C', long, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// Sessions of sub-agents too
    #[arg(long)]
    pub(crate) subagents: bool,
    /// List archived sessions in place of the others.
    #[arg(long)]
    pub(crate) archived: bool,
    /// The most to print
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Showing {
    /// The session: its id or the beginning of it, or `last` for the newest of the folder
    pub(crate) id: String,
    /// The most events to print, from the end
    #[arg(short = 'n', long, value_name = "N", default_value_t = 200)]
    pub(crate) tail: usize,
    /// Print around the event with this number, as `search` gives it
    #[arg(long, value_name = "SEQ", conflicts_with_all = ["from", "to"])]
    pub(crate) at: Option<u64>,
    /// Print all of it
    #[arg(long, conflicts_with_all = ["at", "tail", "from", "to"])]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) range: Range,
    /// Print the events as the journal has them, one a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Search {
    /// Words that must all occur; "several words" in quotes are a phrase. None: the newest entries
    #[arg(num_args = 0..)]
    pub(crate) words: Vec<String>,
    /// Only in sessions of this working directory
    #[arg(short = 'C', long, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// Only in this session: its id or the beginning of it, or `last` for the newest of the folder
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    #[command(flatten)]
    pub(crate) range: Range,
    /// Only these kinds of entries
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(crate) kind: Vec<KindName>,
    /// Only entries of these roles
    #[arg(long, value_name = "ROLE", value_delimiter = ',')]
    pub(crate) role: Vec<RoleName>,
    /// Only calls about a file with this in its path
    #[arg(long, value_name = "PART")]
    pub(crate) path: Option<String>,
    /// Only since then: 2026-11-22, 2026-11-22T08:30, or 12h, 3d, 2w ago
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// Only before then
    #[arg(long, value_name = "WHEN")]
    pub(crate) until: Option<String>,
    /// The most to print
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Exporting {
    /// The session: its id or the beginning of it, or `last` for the newest of the folder
    pub(crate) id: String,
    /// The format: a page for a browser, Markdown, the events as the journal has them, or a session of Pi
    #[arg(long, value_name = "FORMAT", default_value = "html")]
    pub(crate) format: ExportFormat,
    /// The file to write, or - for standard output; without it a file in this folder, named after the title
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Pruning {
    /// Only print the sessions that would be deleted
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(short, long)]
    pub(crate) yes: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Importing {
    /// Session files of Pi, version 1 to 3
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The working directory of the sessions, instead of the one that their files name
    #[arg(short = 'C', long, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// Import files that were imported before a second time
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
    /// The sessions: their ids or the beginnings of them, or `last` for the newest of the folder
    #[arg(required = true)]
    pub(crate) ids: Vec<String>,
    /// Return them to the list
    #[arg(long)]
    pub(crate) undo: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Deletion {
    /// The sessions: their ids or the beginnings of them, or `last` for the newest of the folder
    #[arg(required = true)]
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
    /// The output of tools; reads journals, so it takes longer
    Output,
    /// Reasoning of models; reads journals, so it takes longer
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
