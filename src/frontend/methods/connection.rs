//! The state that a connection shares with its handlers: its client and the sessions that it has open.

use super::filter;
use super::keys::check_key;
use crate::client::{Client, UserQuestion};
use crate::rpc::HandlerResult;
use pintle_agent::{
    Adopt, EditCall, Editors, EventSelection, Extensions, SessionHandle, Subscriber,
};
use pintle_protocol::auth::AuthOpenUrlParams;
use pintle_protocol::capability::ClientCapabilities;
use pintle_protocol::event::Cause;
use pintle_protocol::ids::SessionId;
use pintle_protocol::subscription::EventFilter;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;

/// One client's connection, shared by its handlers.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) client: Client,
    pub(super) cwd: PathBuf,
    edits: mpsc::Sender<EditCall>,
    pages: mpsc::Sender<AuthOpenUrlParams>,
    /// Held for a few assignments at a time, never over an await.
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    phase: Phase,
    /// The client's id, with which its requests are recorded.
    client_id: Option<String>,
    capabilities: ClientCapabilities,
    sessions: BTreeMap<SessionId, SessionHandle>,
    /// The hooks and tools that the client provides.
    extensions: Arc<Extensions>,
    /// The sub-agents of subscribed sessions.
    subagents: BTreeMap<SessionId, Subagent>,
    /// Sessions that were left, whose questions are to be withdrawn after the response.
    left: Vec<SessionId>,
}

/// A sub-agent of a subscribed session.
#[derive(Debug)]
struct Subagent {
    /// The subscribed session to which it belongs, also through other sub-agents.
    root: SessionId,
    handle: SessionHandle,
}

/// A connection's phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// Before `initialize`.
    #[default]
    New,
    /// Accepts every request.
    Ready,
    /// After `shutdown`; only `exit` is accepted.
    ShutDown,
}

impl Connection {
    pub(crate) fn new(
        client: Client,
        edits: mpsc::Sender<EditCall>,
        pages: mpsc::Sender<AuthOpenUrlParams>,
        cwd: PathBuf,
    ) -> Self {
        Self { client, cwd, edits, pages, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the client to show a login page to the user.
    pub(super) fn open_url(&self, page: AuthOpenUrlParams) {
        if let Err(error) = self.pages.try_send(page) {
            tracing::warn!("failed to send a login page: {error}");
        }
    }

    pub(super) fn phase(&self) -> Phase {
        self.state().phase
    }

    pub(crate) fn initialize(&self, client_id: Option<String>, capabilities: ClientCapabilities) {
        if capabilities.apply_edit.is_some()
            && let Some(Editors { documents, .. }) = self.client.engine.editors()
        {
            documents.connect(self.client.id.0, self.edits.clone());
        }
        let mut state = self.state();
        state.phase = Phase::Ready;
        state.client_id = client_id;
        state.capabilities = capabilities;
    }

    pub(super) fn shut_down(&self) {
        let mut state = self.state();
        state.phase = Phase::ShutDown;
        state.sessions.clear();
        state.subagents.clear();
    }

    pub(crate) fn is_shut_down(&self) -> bool {
        self.phase() == Phase::ShutDown
    }

    pub(super) fn can_approve(&self) -> bool {
        self.state().capabilities.approvals.is_some()
    }

    pub(super) fn can_answer(&self) -> bool {
        self.state().capabilities.questions.is_some()
    }

    /// Returns the filter for this client's subscription.
    ///
    /// # Errors
    /// Fails if it contradicts itself or the client's capabilities.
    pub(super) fn filter(&self, filter: &EventFilter) -> HandlerResult<EventSelection> {
        filter::read(filter, self.state().capabilities.deltas.as_ref())
    }

    /// Returns true if this client answers such questions.
    pub(crate) fn takes(&self, asked: &UserQuestion) -> bool {
        match asked {
            UserQuestion::Approval(_) => self.can_approve(),
            UserQuestion::Question(_) => self.can_answer(),
        }
    }

    /// This connection as a subscriber. It may answer and steer the sub-agents of its sessions.
    pub(super) fn as_subscriber(self: &Arc<Self>, filter: EventSelection) -> Subscriber {
        let connection = Arc::downgrade(self);
        let adopt = Adopt::new(move |parent, subagent| {
            if let Some(connection) = connection.upgrade() {
                let mut state = connection.state();
                let handle = subagent.for_client(state.client_id.clone());
                let root = state.subagents.get(parent).map_or(parent, |known| &known.root).clone();
                state.subagents.insert(handle.id.clone(), Subagent { root, handle });
            }
        });
        Subscriber {
            can_approve: self.can_approve(),
            can_answer: self.can_answer(),
            extensions: Arc::clone(&self.state().extensions),
            adopt: Some(adopt),
            ..self.client.subscriber(filter)
        }
    }

    /// Changes the client's hooks and tools; returns all of them.
    pub(super) fn update_extensions<E>(
        &self,
        change: impl FnOnce(&mut Extensions) -> Result<(), E>,
    ) -> Result<Arc<Extensions>, E> {
        let mut state = self.state();
        let mut extensions = Extensions::clone(&state.extensions);
        change(&mut extensions)?;
        state.extensions = Arc::new(extensions);
        Ok(Arc::clone(&state.extensions))
    }

    /// Adds a session that the client has open. Returns its handle for this client.
    pub(crate) fn add(&self, session: SessionHandle) -> SessionHandle {
        let mut state = self.state();
        let session = session.for_client(state.client_id.clone());
        state.sessions.insert(session.id.clone(), session.clone());
        session
    }

    /// Returns the cause to record with a request's effects.
    pub(super) fn cause(&self, key: Option<String>) -> HandlerResult<Option<Cause>> {
        check_key(key.as_deref())?;
        let client_id = self.state().client_id.clone();
        let is_known = client_id.is_some() || key.is_some();
        Ok(is_known.then_some(Cause { client_id, key }))
    }

    pub(crate) fn remove(&self, id: &SessionId) {
        let mut state = self.state();
        state.sessions.remove(id);
        state.subagents.remove(id);
    }

    pub(crate) fn find(&self, id: &SessionId) -> Option<SessionHandle> {
        let state = self.state();
        let subagent = || state.subagents.get(id).map(|known| &known.handle);
        state.sessions.get(id).or_else(subagent).cloned()
    }

    pub(crate) fn sessions(&self) -> Vec<SessionHandle> {
        self.state().sessions.values().cloned().collect()
    }

    /// Withdraws questions by a session and its sub-agents after the response. The next subscription asks them again.
    pub(super) fn leave(&self, session: &SessionId) {
        let state = &mut *self.state();
        let subagents = state.subagents.extract_if(.., |_, known| known.root == *session);
        state.left.extend(subagents.map(|(id, _)| id));
        state.left.push(session.clone());
    }

    /// Returns the sessions left since the last call.
    pub(crate) fn take_left(&self) -> Vec<SessionId> {
        std::mem::take(&mut self.state().left)
    }
}
