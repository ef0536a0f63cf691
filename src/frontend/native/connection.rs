//! The state that a connection shares with its handlers: its client and the sessions that it has open.

use super::questions::OpenQuestion;
use crate::agent::{
    Adopt, EditCall, Editors, EngineHandle, Extensions, Feed, SessionHandle, Snapshot, Subscriber,
    SubscriberId,
};
use pintle_protocol::capability::ClientCapabilities;
use pintle_protocol::ids::SessionId;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;

/// One client's connection, shared by its handlers.
#[derive(Debug)]
pub(in crate::frontend) struct Connection {
    pub(super) engine: EngineHandle,
    pub(super) subscriber: SubscriberId,
    pub(super) cwd: PathBuf,
    feed: mpsc::Sender<Feed>,
    edits: mpsc::Sender<EditCall>,
    /// Held for a few assignments at a time, never over an await.
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    phase: Phase,
    capabilities: ClientCapabilities,
    sessions: BTreeMap<SessionId, SessionHandle>,
    /// The hooks and tools that the client gives.
    given: Arc<Extensions>,
    /// Sub-agents of those that are watched.
    subagents: BTreeMap<SessionId, SessionHandle>,
    /// Questions that were open when a session was subscribed to, to be asked after the answer.
    open: Vec<(SessionHandle, OpenQuestion)>,
}

/// The phase of a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// `initialize` has not come.
    #[default]
    New,
    /// Open for everything.
    Ready,
    /// `shutdown` has come; only `exit` is left.
    ShutDown,
}

impl Connection {
    pub(in crate::frontend) fn new(
        engine: EngineHandle,
        subscriber: SubscriberId,
        feed: mpsc::Sender<Feed>,
        edits: mpsc::Sender<EditCall>,
        cwd: PathBuf,
    ) -> Self {
        Self { engine, subscriber, cwd, feed, edits, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn phase(&self) -> Phase {
        self.state().phase
    }

    pub(in crate::frontend) fn initialize(&self, capabilities: ClientCapabilities) {
        if capabilities.apply_edit.is_some()
            && let Some(Editors { documents, .. }) = self.engine.editors()
        {
            documents.connect(self.subscriber.0, self.edits.clone());
        }
        let mut state = self.state();
        state.phase = Phase::Ready;
        state.capabilities = capabilities;
    }

    pub(super) fn shut_down(&self) {
        let mut state = self.state();
        state.phase = Phase::ShutDown;
        state.sessions.clear();
        state.subagents.clear();
    }

    pub(super) fn is_shut_down(&self) -> bool {
        self.phase() == Phase::ShutDown
    }

    pub(super) fn can_approve(&self) -> bool {
        self.state().capabilities.approvals.is_some()
    }

    pub(super) fn can_answer(&self) -> bool {
        self.state().capabilities.questions.is_some()
    }

    /// Returns true when this client takes such a question.
    pub(super) fn takes(&self, asked: &OpenQuestion) -> bool {
        match asked {
            OpenQuestion::Approval(_) => self.can_approve(),
            OpenQuestion::Question(_) => self.can_answer(),
        }
    }

    /// This connection as a subscriber. Sub-agents of what it watches are its own to answer and to steer.
    pub(super) fn as_subscriber(self: &Arc<Self>) -> Subscriber {
        let connection = Arc::downgrade(self);
        let adopt = Adopt::new(move |subagent| {
            if let Some(connection) = connection.upgrade() {
                connection.state().subagents.insert(subagent.id.clone(), subagent);
            }
        });
        Subscriber {
            id: self.subscriber,
            feed: self.feed.clone(),
            can_approve: self.can_approve(),
            can_answer: self.can_answer(),
            extensions: Arc::clone(&self.state().given),
            adopt: Some(adopt),
        }
    }

    /// Changes the client's hooks and tools; returns all of them.
    pub(super) fn give<E>(
        &self,
        change: impl FnOnce(&mut Extensions) -> Result<(), E>,
    ) -> Result<Arc<Extensions>, E> {
        let mut state = self.state();
        let mut given = Extensions::clone(&state.given);
        change(&mut given)?;
        state.given = Arc::new(given);
        Ok(Arc::clone(&state.given))
    }

    pub(in crate::frontend) fn add(&self, session: SessionHandle) {
        self.state().sessions.insert(session.id.clone(), session);
    }

    pub(in crate::frontend) fn remove(&self, id: &SessionId) {
        let mut state = self.state();
        state.sessions.remove(id);
        state.subagents.remove(id);
    }

    pub(super) fn find(&self, id: &SessionId) -> Option<SessionHandle> {
        let state = self.state();
        state.sessions.get(id).or_else(|| state.subagents.get(id)).cloned()
    }

    pub(super) fn sessions(&self) -> Vec<SessionHandle> {
        self.state().sessions.values().cloned().collect()
    }

    pub(super) fn ask_later(&self, session: &SessionHandle, snapshot: &Snapshot) {
        let approvals = snapshot.approvals.iter().cloned().map(OpenQuestion::Approval);
        let questions = snapshot.questions.iter().cloned().map(OpenQuestion::Question);
        let open = approvals.chain(questions).filter(|asked| self.takes(asked));
        let open: Vec<_> = open.map(|asked| (session.clone(), asked)).collect();
        self.state().open.extend(open);
    }

    pub(super) fn take_open_questions(&self) -> Vec<(SessionHandle, OpenQuestion)> {
        std::mem::take(&mut self.state().open)
    }
}
