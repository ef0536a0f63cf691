//! Sub-agents of a client's sessions: their handles and their parents.

use pintle_agent::SessionHandle;
use pintle_protocol::event::Event;
use pintle_protocol::ids::SessionId;
use std::collections::BTreeMap;
use tokio::sync::mpsc;

/// The sub-agents of a client's sessions.
#[derive(Debug)]
pub(crate) struct Subagents {
    adopted: mpsc::Receiver<SessionHandle>,
    handles: BTreeMap<SessionId, SessionHandle>,
    /// The session to which each belongs.
    parents: BTreeMap<SessionId, SessionId>,
}

impl Subagents {
    pub(super) fn new(adopted: mpsc::Receiver<SessionHandle>) -> Self {
        Self { adopted, handles: BTreeMap::new(), parents: BTreeMap::new() }
    }

    /// Receives the handles of new sub-agents. Call it before handling their events.
    pub(crate) fn adopt(&mut self) {
        while let Ok(handle) = self.adopted.try_recv() {
            self.handles.insert(handle.id.clone(), handle);
        }
    }

    pub(crate) fn get(&self, id: &SessionId) -> Option<&SessionHandle> {
        self.handles.get(id)
    }

    /// Records the session as parent if an event refers to a sub-agent.
    pub(crate) fn record(&mut self, session: &SessionId, event: &Event) {
        if let Some(subagent) = event.item().and_then(|item| item.body.as_subagent()) {
            self.parents.insert(subagent.session_id.clone(), session.clone());
        }
    }

    /// Returns the session to which a sub-agent belongs.
    pub(crate) fn parent(&self, subagent: &SessionId) -> Option<&SessionId> {
        self.parents.get(subagent)
    }

    /// Forgets the sub-agents of a session.
    pub(crate) fn forget(&mut self, session: &SessionId) {
        let (handles, parents) = (&mut self.handles, &mut self.parents);
        parents.retain(|subagent, parent| {
            let is_kept = parent != session;
            if !is_kept {
                handles.remove(subagent);
            }
            is_kept
        });
    }

    pub(crate) fn clear(&mut self) {
        self.handles.clear();
        self.parents.clear();
    }
}
