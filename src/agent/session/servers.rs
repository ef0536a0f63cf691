//! The MCP servers of the session, for clients.

use super::Session;
use crate::command::ServersCommand;
use crate::error::{Error, ErrorKind};
use pintle_protocol::mcp::{McpListResult, McpServerState, McpUpdateParams};
use pintle_tools::mcp::{LaunchContext, Server};
use std::sync::Arc;

impl Session {
    pub(super) fn servers_command(&self, command: ServersCommand) {
        match command {
            ServersCommand::Prompts { reply } => {
                let _ = reply.send(Ok(self.servers.prompts()));
            }
            ServersCommand::Find { server, reply } => {
                let _ = reply.send(self.find_server(&server));
            }
        }
    }

    /// Switches a server off or on, or starts it again. Returns the states of all.
    pub(super) fn update_server(&self, params: &McpUpdateParams) -> Result<McpListResult, Error> {
        let McpUpdateParams { server, enabled, restart, .. } = params;
        if !self.server_states().iter().any(|state| state.name == *server) {
            return Err(self.no_server(server));
        }
        if let Some(enabled) = enabled {
            self.servers.switch(server, *enabled);
        }
        if *restart {
            self.servers.restart(server);
        }
        Ok(McpListResult { servers: self.server_states() })
    }

    /// Returns the server of this name.
    ///
    /// # Errors
    /// There is none.
    fn find_server(&self, name: &str) -> Result<Arc<Server>, Error> {
        let shared = self.services.tools.servers.as_ref();
        let found = shared.and_then(|shared| {
            let launch = LaunchContext::before_a_turn(&self.services.env, self.log.cwd());
            self.servers.find_server(name, shared, &self.settings.servers, launch)
        });
        found.ok_or_else(|| self.no_server(name))
    }

    fn no_server(&self, name: &str) -> Error {
        let message = format!("unknown MCP server `{name}` in this session");
        let names: Vec<String> = self.server_states().into_iter().map(|state| state.name).collect();
        let hint = if names.is_empty() {
            "the session has none; servers from a project file are known once a turn has started"
                .to_owned()
        } else {
            format!("the servers are {}", names.join(", "))
        };
        Error::new(ErrorKind::NotFound, message).hint(hint)
    }

    /// Returns the servers' states: as found by a turn, else as known before one.
    pub(super) fn server_states(&self) -> Vec<McpServerState> {
        let Some(shared) = &self.services.tools.servers else { return Vec::new() };
        self.servers.states(shared, &self.settings.servers)
    }
}
