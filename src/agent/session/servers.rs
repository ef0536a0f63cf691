//! The MCP servers of the session, for clients.

use super::Session;
use crate::agent::command::ServersCommand;
use crate::agent::error::{Error, ErrorKind};
use pintle_protocol::mcp::McpServerState;

impl Session {
    pub(super) fn servers_command(&self, command: ServersCommand) {
        match command {
            ServersCommand::List { reply } => {
                let _ = reply.send(Ok(self.server_states()));
            }
            ServersCommand::Prompts { reply } => {
                let _ = reply.send(Ok(self.servers.prompts()));
            }
            ServersCommand::Update { server, enabled, restart, reply } => {
                let states = self.server_states();
                let names: Vec<&str> = states.iter().map(|state| state.name.as_str()).collect();
                if !names.contains(&server.as_str()) {
                    let message = format!("there is no MCP server `{server}` in this session");
                    let hint = format!("the servers are {}", names.join(", "));
                    let _ = reply.send(Err(Error::new(ErrorKind::NotFound, message).hint(hint)));
                    return;
                }
                if let Some(enabled) = enabled {
                    self.servers.switch(&server, enabled);
                }
                if restart {
                    self.servers.restart(&server);
                }
                let _ = reply.send(Ok(self.server_states()));
            }
        }
    }

    /// The states of the servers: those that a turn has found, else those that are known before one.
    fn server_states(&self) -> Vec<McpServerState> {
        let Some(shared) = &self.services.servers else { return Vec::new() };
        self.servers.states(shared, &self.settings.servers)
    }
}
