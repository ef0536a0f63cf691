//! The connection's session: created by the first command that needs it, or opened from the list of stored ones.

use super::wire;
use crate::client::{self, Client, Subagents};
use crate::rpc::HandlerResult;
use pintle_agent::{CreateSession, Error, EventSelection, NewFolder, OpenConfig, SessionHandle};
use pintle_protocol::ids::SessionId;
use pintle_protocol::session::SessionResult;
use std::path::PathBuf;
use std::sync::Arc;

/// The events that this protocol has no place for.
const UNSEEN_EVENTS: [&str; 3] = ["item.delta", "session.context", "step.usage"];

/// The means to create and open sessions for this client. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Opener {
    pub(super) client: Client,
    /// The client's name, with which its commands are recorded.
    pub(super) name: Option<String>,
    /// The working directory of new sessions.
    pub(super) folder: PathBuf,
}

/// A session that was created or opened.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) session: SessionHandle,
    pub(super) snapshot: SessionResult,
}

impl Opener {
    pub(super) async fn create(&self) -> HandlerResult<Opened> {
        let cwd = self.folder.to_string_lossy().into_owned();
        let create = CreateSession { cwd, ..CreateSession::default() };
        let created = self.client.engine.create(create).await;
        let session = created.map_err(|error| wire::refused(&error))?;
        self.subscribe(session).await.map_err(|error| wire::refused(&error))
    }

    pub(super) async fn open(&self, id: SessionId) -> HandlerResult<Opened> {
        let cwd = Some(NewFolder::IfGone(self.folder.clone()));
        let config = OpenConfig { cwd, ..OpenConfig::default() };
        let begin = |session| self.subscribe(session);
        let opened = client::open(&self.client.engine, id, config, begin).await;
        opened.map(|(_, opened)| opened).map_err(|error| wire::refused(&error))
    }

    async fn subscribe(&self, session: SessionHandle) -> Result<Opened, Error> {
        let session = session.for_client(self.name.clone());
        let filter =
            EventSelection { without: Arc::new(UNSEEN_EVENTS), ..EventSelection::default() };
        let snapshot = client::subscribe(&session, self.client.subscriber(filter), None).await?;
        Ok(Opened { session, snapshot })
    }
}

/// The client's session and its sub-agents.
#[derive(Debug)]
pub(super) struct Current {
    pub(super) session: Option<SessionHandle>,
    pub(super) subagents: Subagents,
}

impl Current {
    pub(super) fn is(&self, id: &SessionId) -> bool {
        self.session.as_ref().is_some_and(|session| session.id == *id)
    }

    /// Returns a handle to the session or to one of its sub-agents.
    pub(super) fn asking(&self, id: &SessionId) -> Option<SessionHandle> {
        let own = self.session.as_ref().filter(|session| session.id == *id);
        own.or_else(|| self.subagents.get(id)).cloned()
    }

    pub(super) fn leave(&mut self) {
        self.session = None;
        self.subagents.clear();
    }
}
