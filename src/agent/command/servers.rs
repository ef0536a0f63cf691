//! The session's MCP servers.

use super::Reply;
use pintle_protocol::methods::NamedPrompt;
use pintle_tools::mcp::Server;
use std::sync::Arc;

/// Commands about MCP servers.
#[derive(Debug)]
pub enum ServersCommand {
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
        reply: Reply<Vec<NamedPrompt>>,
    },
}
