//! The session's MCP servers.

use super::Reply;
use pintle_protocol::mcp::McpServerState;
use pintle_protocol::methods::PromptCommand;
use pintle_tools::mcp::Server;
use std::sync::Arc;

/// Commands about MCP servers.
#[derive(Debug)]
pub enum ServersCommand {
    /// List them.
    List {
        /// Receives their states.
        reply: Reply<Vec<McpServerState>>,
    },
    /// Find one.
    Find {
        /// Its name.
        server: String,
        /// Receives it; it may not be started yet.
        reply: Reply<Arc<Server>>,
    },
    /// List their prompts.
    Prompts {
        /// Receives them, as messages call them.
        reply: Reply<Vec<PromptCommand>>,
    },
    /// Switch one off or on, or start it again.
    Update {
        /// Its name.
        server: String,
        /// It is used in this session; unchanged where `None`.
        enabled: Option<bool>,
        /// Start one that failed at once.
        restart: bool,
        /// Receives the states of all.
        reply: Reply<Vec<McpServerState>>,
    },
}
