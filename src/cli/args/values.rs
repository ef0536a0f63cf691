//! Arguments whose values completion looks up declare them here.
//!
//! Fixed sets of values are possible values instead, and paths have a [`clap::ValueHint`].

use clap::builder::ArgExt;

/// What completion offers for an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Values {
    /// A model, `PROVIDER/ID` or `PROVIDER/ID:EFFORT`.
    Model,
    /// A model's provider.
    Provider,
    /// A provider that offers logins.
    LoginProvider,
    /// A provider with a stored login.
    StoredLogin,
    /// Pi's name of an effort.
    ThinkingLevel,
    /// A stored session, or `last`.
    Session,
    /// A stored session's id.
    SessionId,
    /// A stored session's id or file.
    SessionOrFile,
    /// An MCP server of the settings.
    McpServer,
    /// A help topic, or a command and its subcommands.
    Topic,
    /// A report's format, with its file.
    Report,
    /// A socket to listen on.
    Socket,
}

impl ArgExt for Values {}
