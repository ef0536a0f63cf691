//! The client's terminals: the model's commands run in them, if the client offers terminals and does not show the engine's output itself.
//!
//! Invariant: each terminal that the client created is released once the engine no longer needs it.

use agent_client_protocol_schema::v1 as acp;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::{FuturesUnordered, StreamExt};
use pintle_agent::{CommandEnd, Printed, TerminalCall, Terminals as Registry};
use pintle_base::transport::envelope::{self, Id};
use pintle_protocol::ids::{ItemId, SessionId};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// Capacity of the terminal request channel. Senders wait for a response anyway.
const CALLS_CAPACITY: usize = 16;

/// A request to send to the client.
pub(super) enum TerminalRequest {
    Call(TerminalCall),
    /// This terminal is no longer needed.
    Released(String),
}

/// A terminal that the client has created for a command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) session: SessionId,
    /// The item that shows the command.
    pub(super) item: ItemId,
    pub(super) terminal: String,
}

/// A request to the client without a response.
enum Pending {
    Create {
        made: Made,
        released: CancellationToken,
        reply: oneshot::Sender<Result<String, String>>,
    },
    End(oneshot::Sender<Result<CommandEnd, String>>),
    Output(oneshot::Sender<Result<Printed, String>>),
    /// The response changes nothing.
    Done,
}

/// A response's result.
pub(super) enum Taken {
    /// The response belongs to none of these requests.
    NotOurs(Result<Box<RawValue>, String>),
    Made(Made),
    Done,
}

/// The terminals of one client.
pub(super) struct Terminals {
    registry: Registry,
    editor: mpsc::Sender<TerminalCall>,
    calls: mpsc::Receiver<TerminalCall>,
    pending: BTreeMap<String, Pending>,
    /// The terminals that the client has created, with the session of each.
    open: BTreeMap<String, SessionId>,
    releases: FuturesUnordered<BoxFuture<'static, String>>,
    count: u64,
}

impl Terminals {
    pub(super) fn new(registry: &Registry) -> Self {
        let (editor, calls) = mpsc::channel(CALLS_CAPACITY);
        Self {
            registry: registry.clone(),
            editor,
            calls,
            pending: BTreeMap::new(),
            open: BTreeMap::new(),
            releases: FuturesUnordered::new(),
            count: 0,
        }
    }

    /// Runs the commands of this session in this client's terminals.
    pub(super) fn serve(&self, session: &SessionId) {
        self.registry.connect(session.as_str(), self.editor.clone());
    }

    /// Stops running a closed session's commands in the client.
    pub(super) fn leave(&self, session: &SessionId) {
        self.registry.disconnect(session.as_str());
    }

    /// Fails pending and later calls: the client is gone.
    pub(super) fn disconnect(&mut self) {
        self.calls.close();
        self.pending.clear();
    }

    /// Waits for the next request to send. Cancel-safe.
    pub(super) async fn next(&mut self) -> TerminalRequest {
        tokio::select! {
            Some(call) = self.calls.recv() => TerminalRequest::Call(call),
            Some(terminal) = self.releases.next() => TerminalRequest::Released(terminal),
            else => std::future::pending().await,
        }
    }

    /// Returns the request; `None` for a terminal that is gone.
    pub(super) fn request(&mut self, request: TerminalRequest) -> Option<Vec<u8>> {
        let (terminal, reply) = match request {
            TerminalRequest::Call(TerminalCall::Create {
                owner,
                shown_by,
                run,
                max_bytes,
                released,
                reply,
            }) => {
                let (command, arguments) = run.argv.split_first()?;
                let variables =
                    run.variables.iter().map(|(name, value)| acp::EnvVariable::new(name, value));
                let create = acp::CreateTerminalRequest::new(owner.clone(), command)
                    .args(arguments.to_vec())
                    .env(variables.collect())
                    .cwd(run.cwd)
                    .output_byte_limit(max_bytes);
                let (session, item) = (SessionId::new(owner), ItemId::new(shown_by));
                let made = Made { session, item, terminal: String::new() };
                let pending = Pending::Create { made, released, reply };
                return Some(self.send("terminal/create", &create, pending));
            }
            TerminalRequest::Call(TerminalCall::Wait { terminal, reply }) => {
                (terminal, Pending::End(reply))
            }
            TerminalRequest::Call(TerminalCall::Output { terminal, reply }) => {
                (terminal, Pending::Output(reply))
            }
            TerminalRequest::Call(TerminalCall::Kill { terminal }) => {
                let session = self.session_of(&terminal)?;
                let request = acp::KillTerminalRequest::new(session, terminal);
                return Some(self.send("terminal/kill", &request, Pending::Done));
            }
            TerminalRequest::Released(terminal) => {
                let session = acp::SessionId::new(self.open.remove(&terminal)?.as_str());
                let request = acp::ReleaseTerminalRequest::new(session, terminal);
                return Some(self.send("terminal/release", &request, Pending::Done));
            }
        };
        let session = self.session_of(&terminal)?;
        Some(match reply {
            Pending::Output(_) => {
                let request = acp::TerminalOutputRequest::new(session, terminal);
                self.send("terminal/output", &request, reply)
            }
            Pending::End(_) | Pending::Create { .. } | Pending::Done => {
                let request = acp::WaitForTerminalExitRequest::new(session, terminal);
                self.send("terminal/wait_for_exit", &request, reply)
            }
        })
    }

    fn session_of(&self, terminal: &str) -> Option<acp::SessionId> {
        self.open.get(terminal).map(|session| acp::SessionId::new(session.as_str()))
    }

    fn send(&mut self, method: &str, request: &impl serde::Serialize, pending: Pending) -> Vec<u8> {
        self.count += 1;
        let id = format!("t{}", self.count);
        let message = envelope::request(&id, method, request);
        self.pending.insert(id, pending);
        message
    }

    /// Consumes a response to one of these requests; returns any other.
    pub(super) fn responded(&mut self, id: &Id, outcome: Result<Box<RawValue>, String>) -> Taken {
        let pending = match id {
            Id::Str(id) => self.pending.remove(id),
            Id::Null | Id::Number(_) => None,
        };
        // A caller that is gone does not receive its result.
        match pending {
            None => return Taken::NotOurs(outcome),
            Some(Pending::Create { made, released, reply }) => {
                return self.created(made, released, reply, read(outcome));
            }
            Some(Pending::End(reply)) => {
                let end = read(outcome)
                    .map(|end: acp::WaitForTerminalExitResponse| end_of(end.exit_status));
                drop(reply.send(end));
            }
            Some(Pending::Output(reply)) => {
                let printed = read(outcome).map(|output: acp::TerminalOutputResponse| Printed {
                    text: output.output,
                    is_cut: output.truncated,
                });
                drop(reply.send(printed));
            }
            Some(Pending::Done) => {}
        }
        Taken::Done
    }

    fn created(
        &mut self,
        made: Made,
        released: CancellationToken,
        reply: oneshot::Sender<Result<String, String>>,
        response: Result<acp::CreateTerminalResponse, String>,
    ) -> Taken {
        let terminal = match response {
            Ok(response) => response.terminal_id.to_string(),
            Err(error) => {
                drop(reply.send(Err(error)));
                return Taken::Done;
            }
        };
        self.open.insert(terminal.clone(), made.session.clone());
        let name = terminal.clone();
        self.releases.push(
            async move {
                released.cancelled().await;
                name
            }
            .boxed(),
        );
        drop(reply.send(Ok(terminal.clone())));
        Taken::Made(Made { terminal, ..made })
    }
}

fn read<R: DeserializeOwned>(outcome: Result<Box<RawValue>, String>) -> Result<R, String> {
    outcome.and_then(|raw| serde_json::from_str(raw.get()).map_err(|error| error.to_string()))
}

fn end_of(status: acp::TerminalExitStatus) -> CommandEnd {
    match (status.exit_code, status.signal) {
        (_, Some(signal)) => CommandEnd::Signalled(signal),
        (Some(code), None) => CommandEnd::Exited(i32::try_from(code).unwrap_or(i32::MAX)),
        (None, None) => CommandEnd::Signalled("unknown".to_owned()),
    }
}
