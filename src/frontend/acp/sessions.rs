//! A connection's sessions: the client's open sessions, and their sub-agents.

use super::session::OpenSession;
use crate::client::Subagents;
use agent_client_protocol_schema::v1 as acp;
use pintle_agent::SessionHandle;
use pintle_protocol::ids::SessionId;
use std::collections::BTreeMap;
use std::path::Path;

/// A connection's sessions.
pub(super) struct Sessions {
    open: BTreeMap<SessionId, OpenSession>,
    pub(super) subagents: Subagents,
}

impl Sessions {
    pub(super) fn new(subagents: Subagents) -> Self {
        Self { open: BTreeMap::new(), subagents }
    }

    pub(super) fn get(&self, id: &SessionId) -> Option<&OpenSession> {
        self.open.get(id)
    }

    pub(super) fn get_mut(&mut self, id: &SessionId) -> Option<&mut OpenSession> {
        self.open.get_mut(id)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &OpenSession> {
        self.open.values()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut OpenSession> {
        self.open.values_mut()
    }

    /// Adds a session, or continues one that is open already.
    pub(super) fn insert(&mut self, mut open: OpenSession) {
        let id = open.handle.id.clone();
        if let Some(before) = self.open.remove(&id) {
            open.take_over(before);
        }
        self.open.insert(id, open);
    }

    /// Forgets a session with its sub-agents.
    pub(super) fn remove(&mut self, id: &SessionId) -> Option<OpenSession> {
        let open = self.open.remove(id)?;
        self.subagents.forget(id);
        Some(open)
    }

    /// Returns the client's session that this one is or belongs to.
    pub(super) fn root<'a>(&'a self, session: &'a SessionId) -> &'a SessionId {
        self.subagents.root(session).unwrap_or(session)
    }

    /// Returns the client's session in which a session's questions are shown, and the handle that takes the answers.
    pub(super) fn asking(&self, session: &SessionId) -> Option<(acp::SessionId, SessionHandle)> {
        let root = self.open.get(self.root(session))?;
        let handle = self.subagents.get(session).unwrap_or(&root.handle);
        Some((root.id.clone(), handle.clone()))
    }

    /// Returns the session that most likely works on a file: tools do not name the session for which they read it.
    pub(super) fn working_on(&self, path: &Path) -> Option<acp::SessionId> {
        let score =
            |open: &&OpenSession| (open.is_running(), path.starts_with(&open.cwd), open.cwd.len());
        self.open.values().max_by_key(score).map(|open| open.id.clone())
    }
}
