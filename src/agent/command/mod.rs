//! Session commands, and the handle that sends them.
//!
//! Most commands are protocol requests (`request`). The others have one file per resource here, and `session` has the file that executes
//! them. Invariant: a command's response is sent before any event that it causes. A closed session drops commands, which signals the
//! sender.

mod answer;
mod client;
mod filter;
mod history;
mod job;
mod queue;
mod request;
mod rules;
mod servers;
mod settings;
mod subscription;
mod turn;

pub use answer::Answer;
pub use client::{ClientCommand, DiagnosticsReport};
pub use filter::EventSelection;
pub use history::{HistoryCommand, Note, NoteBody, Pager};
pub use job::{JobCommand, ScreenUpdate, TerminalAccess, UserJob};
pub use queue::QueueCommand;
pub use request::{ForEachRequest, SessionCall, SessionRequest, each_session_request};
pub(crate) use rules::FileWork;
pub use rules::RulesCommand;
pub use servers::ServersCommand;
pub(crate) use settings::commands_ended;
pub use settings::messages_held;
pub use settings::{NewFolder, OpenConfig, SettingsCommand};
pub(crate) use settings::{mode_kept, mode_limited};
pub use subscription::{
    Adopt, Feed, Record, SessionQuestions, Subscriber, SubscriptionCommand, Transient,
};
pub use turn::TurnCommand;

use crate::background::in_background;
use crate::clients::SubscriberId;
use crate::error::{Error, ErrorKind};
use pintle_protocol::event::Cause;
use pintle_protocol::ids::SessionId;
use pintle_protocol::methods::{TurnSteer, TurnSteerParams, TurnSteerResult};
use pintle_protocol::to_session::ToSession;
use pintle_session::store::Page;
use tokio::sync::{mpsc, oneshot};

/// The capacity of a session's command channel. A session answers within microseconds; if the channel is full, the sender waits.
pub(super) const COMMAND_CAPACITY: usize = 32;

/// Where the response to a command goes.
pub type Reply<T> = oneshot::Sender<Result<T, Error>>;

/// A command to a session.
#[derive(Debug)]
pub enum Command {
    /// A request of the protocol.
    Request(Box<SessionCall>),
    /// Begin a turn with a filled queue, or wait until nothing runs.
    Turn(TurnCommand),
    /// Reorder the messages that the model has not read.
    Queue(QueueCommand),
    /// Receive the session's events.
    Subscription(SubscriptionCommand),
    /// The response to a request that this engine sent; one to a request that is not open is ignored.
    Answer(Answer),
    /// A client's contributions: hooks, tools, diagnostics.
    Client(ClientCommand),
    /// Change how the session works.
    Settings(SettingsCommand),
    /// Read the journal, add to it.
    History(HistoryCommand),
    /// Background jobs.
    Job(JobCommand),
    /// MCP servers.
    Servers(ServersCommand),
    /// Permission rules.
    Rules(RulesCommand),
    /// A client leaves, and the session stays open for its other watchers. It closes with the last one.
    Leave {
        /// The client.
        id: SubscriberId,
        /// When the last client leaves, running work continues, and the session closes once it has ended.
        finishes: bool,
        /// Receives the response when the client has left, or the session is closed.
        reply: Reply<()>,
    },
    /// Stop what runs, close the journal in order, end.
    Close {
        /// Receives the response when everything is done.
        reply: Reply<()>,
    },
}

macro_rules! into_command {
    ($($resource:ident($commands:ident)),*) => {
        $(impl From<$commands> for Command {
            fn from(command: $commands) -> Self {
                Self::$resource(command)
            }
        })*
    };
}

into_command!(
    Turn(TurnCommand),
    Queue(QueueCommand),
    Subscription(SubscriptionCommand),
    Answer(Answer),
    Client(ClientCommand),
    Settings(SettingsCommand),
    History(HistoryCommand),
    Job(JobCommand),
    Servers(ServersCommand),
    Rules(RulesCommand)
);

/// A command, and who sends it.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) command: Command,
    /// The client and its request key, if known.
    pub(super) cause: Option<Cause>,
}

/// A session handle. Cheap to clone.
#[derive(Debug, Clone)]
pub struct SessionHandle {
    /// The session.
    pub id: SessionId,
    pub(super) commands: mpsc::Sender<Sent>,
    /// The cause of what its commands bring about.
    cause: Option<Cause>,
}

impl SessionHandle {
    pub(super) fn new(id: SessionId, commands: mpsc::Sender<Sent>) -> Self {
        Self { id, commands, cause: None }
    }

    /// The same for a client: what its commands cause is recorded with its id.
    #[must_use]
    pub fn for_client(self, client_id: Option<String>) -> Self {
        let cause = client_id.map(|id| Cause { client_id: Some(id), key: None });
        Self { cause, ..self }
    }

    /// Returns a handle for one request, which has no second effect if it is repeated with the same key.
    #[must_use]
    pub fn keyed(mut self, key: Option<String>) -> Self {
        if key.is_some() {
            self.cause.get_or_insert_default().key = key;
        }
        self
    }

    /// Sends a request of the protocol and waits for its result. With a key, a repeated request has no second effect. The session id in the
    /// params is ignored.
    ///
    /// # Errors
    /// The session refused, or is closed.
    pub async fn call<R: SessionRequest>(&self, params: R::Params) -> Result<R::Result, Error> {
        let (reply, answer) = oneshot::channel();
        let key = params.key().map(str::to_owned);
        let command = Command::Request(Box::new(R::into_call(params, reply)));
        self.clone().keyed(key).tell(command).await?;
        answer.await.unwrap_or_else(|_| Err(Error::closed(&self.id)))
    }

    /// Sends a message to the running turn; returns `None` if no turn runs and the message was not kept.
    ///
    /// # Errors
    /// The session refused for another reason, or is closed.
    pub async fn steer(&self, params: TurnSteerParams) -> Result<Option<TurnSteerResult>, Error> {
        match self.call::<TurnSteer>(params).await {
            Err(error) if error.kind == ErrorKind::NoActiveTurn => Ok(None),
            steered => steered.map(Some),
        }
    }

    /// Sends a command and waits for its response.
    ///
    /// # Errors
    /// The session refused, or is closed.
    pub async fn ask<T, C: Into<Command>>(
        &self,
        command: impl FnOnce(Reply<T>) -> C,
    ) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        self.tell(command(reply)).await?;
        answer.await.unwrap_or_else(|_| Err(Error::closed(&self.id)))
    }

    /// Returns true if its task has ended.
    pub fn is_closed(&self) -> bool {
        self.commands.is_closed()
    }

    /// Sends a command without waiting for a response.
    ///
    /// # Errors
    /// The session is closed.
    pub async fn tell(&self, command: impl Into<Command>) -> Result<(), Error> {
        let (command, cause) = (command.into(), self.cause.clone());
        self.commands.send(Sent { command, cause }).await.map_err(|_| Error::closed(&self.id))
    }

    /// Reads durable events after `after`, and returns the last event's number with them.
    ///
    /// # Errors
    /// The session is closed or its journal cannot be read.
    pub async fn events(&self, after: u64, limit: usize) -> Result<(Page, u64), Error> {
        let (read, last) = self.ask(|reply| HistoryCommand::Events { after, limit, reply }).await?;
        Ok((in_background(read.0).await?, last))
    }
}
