//! Engine requests: create, open or fork a session.

use crate::command::{OpenConfig, Reply, SessionHandle};
use crate::error::{Error, ErrorKind};
use crate::turn::limits::{Budget, Limits};
use pintle_protocol::event::{AgentRole, Cause, Parent};
use pintle_protocol::history::HistoryPoint;
use pintle_protocol::ids::SessionId;
use pintle_protocol::isolation::IsolationRequest;
use pintle_session::store::blobs::Blobs;
use tokio::sync::{mpsc, oneshot};

/// The channel capacity for requests. Each is a few file operations; if the channel is full, the sender waits.
pub(super) const REQUEST_CAPACITY: usize = 16;

/// A new session's parameters.
#[derive(Debug, Clone, Default)]
pub struct CreateSession {
    /// The id; a new one when `None`.
    pub id: Option<SessionId>,
    /// The working directory, absolute.
    pub cwd: String,
    /// The title.
    pub title: Option<String>,
    /// Requests a copy of the project to work in.
    pub isolation: Option<IsolationRequest>,
    /// Its configuration.
    pub config: OpenConfig,
    /// Whose sub-agent it is, if it is one.
    pub parent: Option<Parent>,
    /// Which named agent it is, if it is one.
    pub role: Option<AgentRole>,
    /// The limits of each turn; `None` for the configured ones.
    pub limits: Option<Limits>,
    /// The budget that it shares with its parent.
    pub budget: Option<Budget>,
    /// Where it keeps what files were: with whom it works for.
    pub blobs: Option<Blobs>,
    /// The client request that creates the session. If it is repeated with the same key, the session created before is opened.
    pub cause: Option<Cause>,
}

/// A request to the engine.
pub(super) enum Request {
    Create(Box<CreateSession>, Reply<SessionHandle>),
    Open(SessionId, OpenConfig, Reply<SessionHandle>),
    Fork(Box<ForkSession>, Reply<SessionHandle>),
    /// A journal has got further.
    IndexDue,
    /// A client is there: a session will follow.
    Prepare,
    /// Wait until no session is open.
    WhenEmpty(oneshot::Sender<()>),
    Shutdown(oneshot::Sender<()>),
}

/// Creates sessions: a session's connection to its engine, which it does not keep alive.
#[derive(Debug, Clone)]
pub(super) struct SessionFactory(pub(super) mpsc::WeakSender<Request>);

impl SessionFactory {
    /// Creates a session.
    ///
    /// # Errors
    /// As [`EngineHandle::create`](crate::EngineHandle::create).
    pub(super) async fn create(&self, create: CreateSession) -> Result<SessionHandle, Error> {
        let gone = || Error::new(ErrorKind::Internal, "the engine has ended");
        let requests = self.0.upgrade().ok_or_else(gone)?;
        let (reply, answer) = oneshot::channel();
        requests.send(Request::Create(Box::new(create), reply)).await.map_err(|_| gone())?;
        drop(requests);
        answer.await.unwrap_or_else(|_| Err(gone()))
    }

    /// Reports that a journal has grown. A busy engine ignores this: the index notices later.
    pub(super) fn index_due(&self) {
        if let Some(requests) = self.0.upgrade() {
            let _ = requests.try_send(Request::IndexDue);
        }
    }
}

/// A fork's parameters.
#[derive(Debug, Clone)]
pub struct ForkSession {
    /// The other session.
    pub of: SessionId,
    /// The point up to which its history is copied; all of it if `None`.
    pub at: Option<HistoryPoint>,
    /// The title.
    pub title: Option<String>,
    /// Its configuration; a field that is `None` is taken from the other session.
    pub config: OpenConfig,
    /// The client request, as in [`CreateSession`].
    pub cause: Option<Cause>,
}
