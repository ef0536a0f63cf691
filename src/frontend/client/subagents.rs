//! Sub-agents of a client's sessions: their handles, and the sessions to which they belong.

use pintle_agent::SessionHandle;
use pintle_protocol::ids::SessionId;
use std::collections::BTreeMap;
use tokio::sync::mpsc;

/// The sub-agents of a client's sessions.
#[derive(Debug)]
pub(crate) struct Subagents {
    adopted: mpsc::Receiver<(SessionId, SessionHandle)>,
    handles: BTreeMap<SessionId, SessionHandle>,
    /// The client's session to which each belongs, also through other sub-agents.
    roots: BTreeMap<SessionId, SessionId>,
}

impl Subagents {
    pub(super) fn new(adopted: mpsc::Receiver<(SessionId, SessionHandle)>) -> Self {
        Self { adopted, handles: BTreeMap::new(), roots: BTreeMap::new() }
    }

    /// Receives the handles of new sub-agents. Call it before handling their events.
    pub(crate) fn adopt(&mut self) {
        while let Ok((parent, handle)) = self.adopted.try_recv() {
            let root = self.root(&parent).unwrap_or(&parent).clone();
            self.roots.insert(handle.id.clone(), root);
            self.handles.insert(handle.id.clone(), handle);
        }
    }

    pub(crate) fn get(&self, id: &SessionId) -> Option<&SessionHandle> {
        self.handles.get(id)
    }

    /// Returns the client's session to which a sub-agent belongs.
    pub(crate) fn root(&self, subagent: &SessionId) -> Option<&SessionId> {
        self.roots.get(subagent)
    }

    /// Forgets the sub-agents of a session.
    pub(crate) fn forget(&mut self, session: &SessionId) {
        let (handles, roots) = (&mut self.handles, &mut self.roots);
        roots.retain(|subagent, root| {
            let is_kept = root != session;
            if !is_kept {
                handles.remove(subagent);
            }
            is_kept
        });
    }

    pub(crate) fn clear(&mut self) {
        self.handles.clear();
        self.roots.clear();
    }
}
