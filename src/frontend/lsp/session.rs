//! The connection's session: created by the first command that needs it, or opened from the list of stored ones.

use super::wire::{self, HandlerResult};
use crate::connection::Scope;
use pintle_agent::{
    Adopt, CreateSession, EngineHandle, Feed, NewFolder, OpenConfig, SessionHandle, Subscriber,
    SubscriberId, SubscriptionCommand, Wanted,
};
use pintle_protocol::ids::SessionId;
use pintle_protocol::session::SessionResult;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;

/// The events that this protocol has no place for.
const UNSEEN_EVENTS: [&str; 3] = ["item.delta", "context", "step.usage"];

/// The means to create and open sessions for this client. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Opener {
    pub(super) engine: EngineHandle,
    pub(super) id: SubscriberId,
    pub(super) feed: mpsc::Sender<Feed>,
    /// Receives the handles of sub-agents.
    pub(super) adopted: mpsc::Sender<SessionHandle>,
    /// The client's name, with which its commands are recorded.
    pub(super) client: Option<String>,
    /// The working directory of new sessions.
    pub(super) folder: PathBuf,
    /// Whether other clients may have the session open.
    pub(super) scope: Scope,
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
        let session = self.engine.create(create).await.map_err(|error| wire::refused(&error))?;
        self.subscribe(session).await
    }

    pub(super) async fn open(&self, id: SessionId) -> HandlerResult<Opened> {
        let cwd = Some(NewFolder::IfGone(self.folder.clone()));
        let opened = self.engine.open(id, OpenConfig { cwd, ..OpenConfig::default() }).await;
        self.subscribe(opened.map_err(|error| wire::refused(&error))?).await
    }

    async fn subscribe(&self, session: SessionHandle) -> HandlerResult<Opened> {
        let session = session.for_client(self.client.clone());
        let adopted = self.adopted.clone();
        let subscriber = Subscriber {
            id: self.id,
            feed: self.feed.clone(),
            filter: Wanted { without: Arc::new(UNSEEN_EVENTS), ..Wanted::default() },
            can_approve: true,
            can_answer: true,
            extensions: Arc::default(),
            // If the channel is full, the sub-agent's approvals cannot be shown; its calls are denied then.
            adopt: Some(Adopt::new(move |handle| drop(adopted.try_send(handle)))),
        };
        let subscribe =
            |reply| SubscriptionCommand::Subscribe { subscriber, from_seq: None, reply };
        let snapshot = session.ask(subscribe).await.map_err(|error| wire::refused(&error))?;
        Ok(Opened { session, snapshot })
    }
}
