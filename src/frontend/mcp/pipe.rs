//! The SDK's transport over a link: a message a line, with the link's limits.

use pintle_base::transport::{Incoming, Outgoing};
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use std::io;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The error code for a message that is not JSON, by the JSON-RPC specification.
const PARSE_ERROR: i32 = -32700;

/// The error code for a message that is not a request, by the JSON-RPC specification.
const INVALID_REQUEST: i32 = -32600;

/// A transport over a link.
#[derive(Debug)]
pub(super) struct Pipe {
    incoming: mpsc::Receiver<Incoming>,
    outgoing: Outgoing,
    /// Cancelled at the end of input.
    end_of_input: CancellationToken,
}

impl Pipe {
    pub(super) fn new(
        incoming: mpsc::Receiver<Incoming>,
        outgoing: Outgoing,
        end_of_input: CancellationToken,
    ) -> Self {
        Self { incoming, outgoing, end_of_input }
    }

    /// Refuses a message that cannot be read.
    async fn refuse(&self, id: &Value, code: i32, message: &str) {
        let error =
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
        write(&self.outgoing, error.to_string().into_bytes()).await;
    }
}

/// Writes a message; returns false if the reader is gone.
async fn write(outgoing: &Outgoing, message: Vec<u8>) -> bool {
    match outgoing.reserve(message.len()).await {
        Some(room) => outgoing.send(room, message),
        None => false,
    }
}

impl Transport<RoleServer> for Pipe {
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let outgoing = self.outgoing.clone();
        let message = serde_json::to_vec(&item);
        // While there is room, messages leave in the order in which they are sent.
        let message = match message {
            Ok(message) => match outgoing.try_reserve(message.len()) {
                Some(room) => {
                    outgoing.send(room, message);
                    Ok(None)
                }
                None => Ok(Some(message)),
            },
            Err(error) => Err(io::Error::other(error)),
        };
        async move {
            let Some(message) = message? else { return Ok(()) };
            let is_written = write(&outgoing, message).await;
            if is_written { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let Some(incoming) = self.incoming.recv().await else {
                self.end_of_input.cancel();
                return None;
            };
            let (code, message, id) = match incoming {
                Incoming::Message(bytes) => match serde_json::from_slice(&bytes) {
                    Ok(message) => return Some(message),
                    Err(error) => match serde_json::from_slice::<Value>(&bytes) {
                        Ok(value) if value.get("id").is_none() && value.is_object() => continue,
                        Ok(value) => {
                            let id = value.get("id").cloned().unwrap_or_default();
                            (INVALID_REQUEST, format!("invalid MCP message: {error}"), id)
                        }
                        Err(error) => (PARSE_ERROR, format!("invalid JSON: {error}"), Value::Null),
                    },
                },
                Incoming::TooLarge => {
                    (INVALID_REQUEST, "the message is too large".to_owned(), Value::Null)
                }
                Incoming::Broken(reason) => (PARSE_ERROR, reason.to_owned(), Value::Null),
            };
            self.refuse(&id, code, &message).await;
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.incoming.close();
        Ok(())
    }
}
