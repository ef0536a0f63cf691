//! The client's terminals: commands of the model run there, where the client offers terminals and does not draw our own output.
//!
//! Invariant: each terminal that the client made is released once nobody here needs it any more.

use crate::agent::{CommandEnd, Printed, TerminalCall, Terminals as Registry};
use crate::transport::envelope;
use agent_client_protocol_schema::v1 as acp;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::{FuturesUnordered, StreamExt};
use jsonrpsee::types::Id;
use pintle_protocol::ids::{ItemId, SessionId};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// The capacity of the channel of requests for terminals. Those who ask wait for a response anyway.
const CALLS_CAPACITY: usize = 16;

/// A message to the client.
pub(super) enum TerminalNews {
    Asked(TerminalCall),
    /// Nobody needs this one any more.
    Released(String),
}

/// A terminal that the client has made for a command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) session: SessionId,
    /// The item that shows it.
    pub(super) item: ItemId,
    pub(super) terminal: String,
}

/// What was asked of the client and is not answered.
enum Pending {
    Create {
        made: Made,
        released: CancellationToken,
        reply: oneshot::Sender<Result<String, String>>,
    },
    End(oneshot::Sender<Result<CommandEnd, String>>),
    Output(oneshot::Sender<Result<Printed, String>>),
    /// What comes of it changes nothing.
    Done,
}

/// The outcome of an answer.
pub(super) enum Taken {
    /// It answers none of these requests.
    NotOurs(Result<Box<RawValue>, String>),
    Made(Made),
    Done,
}

/// The terminals of one client.
pub(super) struct Terminals {
    registry: Registry,
    editor: mpsc::Sender<TerminalCall>,
    calls: mpsc::Receiver<TerminalCall>,
    waiting: BTreeMap<String, Pending>,
    /// Those that the client has made, with the session of each.
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
            waiting: BTreeMap::new(),
            open: BTreeMap::new(),
            releases: FuturesUnordered::new(),
            count: 0,
        }
    }

    /// Has the commands of this session run in this client's terminals.
    pub(super) fn serve(&self, session: &SessionId) {
        self.registry.connect(session.as_str(), self.editor.clone());
    }

    /// The session is closed.
    pub(super) fn leave(&self, session: &SessionId) {
        self.registry.disconnect(session.as_str());
    }

    /// Whoever waits for the client learns that it is gone, and so does who asks later.
    pub(super) fn disconnect(&mut self) {
        self.calls.close();
        self.waiting.clear();
    }

    /// Returns the next message to send. Cancel-safe.
    pub(super) async fn next(&mut self) -> TerminalNews {
        tokio::select! {
            Some(call) = self.calls.recv() => TerminalNews::Asked(call),
            Some(terminal) = self.releases.next() => TerminalNews::Released(terminal),
            else => std::future::pending().await,
        }
    }

    /// The request for it; none for a terminal that is gone.
    pub(super) fn request(&mut self, news: TerminalNews) -> Option<Vec<u8>> {
        let (terminal, reply) = match news {
            TerminalNews::Asked(TerminalCall::Create {
                owner,
                shown_by,
                run,
                max_bytes,
                released,
                reply,
            }) => {
                let (command, arguments) = run.argv.split_first()?;
                let set =
                    run.variables.iter().map(|(name, value)| acp::EnvVariable::new(name, value));
                let request = acp::CreateTerminalRequest::new(owner.clone(), command)
                    .args(arguments.to_vec())
                    .env(set.collect())
                    .cwd(run.cwd)
                    .output_byte_limit(max_bytes);
                let (session, item) = (SessionId::new(owner), ItemId::new(shown_by));
                let made = Made { session, item, terminal: String::new() };
                let waiting = Pending::Create { made, released, reply };
                return Some(self.send("terminal/create", &request, waiting));
            }
            TerminalNews::Asked(TerminalCall::Wait { terminal, reply }) => {
                (terminal, Pending::End(reply))
            }
            TerminalNews::Asked(TerminalCall::Output { terminal, reply }) => {
                (terminal, Pending::Output(reply))
            }
            TerminalNews::Asked(TerminalCall::Kill { terminal }) => {
                let session = self.session_of(&terminal)?;
                let request = acp::KillTerminalRequest::new(session, terminal);
                return Some(self.send("terminal/kill", &request, Pending::Done));
            }
            TerminalNews::Released(terminal) => {
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

    fn send(&mut self, method: &str, request: &impl serde::Serialize, waiting: Pending) -> Vec<u8> {
        self.count += 1;
        let id = format!("t{}", self.count);
        let message = envelope::request(&id, method, request);
        self.waiting.insert(id, waiting);
        message
    }

    /// Takes an answer of the client, if it is one to these requests.
    pub(super) fn answered(
        &mut self,
        id: &Id<'_>,
        outcome: Result<Box<RawValue>, String>,
    ) -> Taken {
        let waiting = match id {
            Id::Str(id) => self.waiting.remove(id.as_ref()),
            Id::Null | Id::Number(_) => None,
        };
        // Nobody waits for an answer that came too late.
        match waiting {
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
        answer: Result<acp::CreateTerminalResponse, String>,
    ) -> Taken {
        let terminal = match answer {
            Ok(answer) => answer.terminal_id.to_string(),
            Err(why) => {
                drop(reply.send(Err(why)));
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
