//! Subscriptions: who receives a session's events, and in what form.

use super::{Reply, SessionHandle};
use crate::agent::clients::{CallId, ClientCall, Extensions, SubscriberId};
use pintle_protocol::approval::{Approval, PermissionMode};
use pintle_protocol::content::Usage;
use pintle_protocol::context::ContextUsage;
use pintle_protocol::event::{EventRecord, QueuedInput, SessionState, TransientRecord};
use pintle_protocol::ids::{SessionId, TurnId};
use pintle_protocol::plan::{Plan, WorkMode};
use pintle_protocol::question::Question;
use pintle_protocol::session::SandboxState;
use serde_json::value::RawValue;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Commands about subscriptions.
#[derive(Debug)]
pub enum SubscriptionCommand {
    /// Hand events to this subscriber from now on.
    Subscribe {
        /// The subscriber; one with the same id is replaced.
        subscriber: Subscriber,
        /// Hand on the events after this number first.
        from_seq: Option<u64>,
        /// Receives the session as it stands.
        reply: Reply<Snapshot>,
    },
    /// Read the session as it stands.
    Snapshot {
        /// Receives it.
        reply: Reply<Snapshot>,
    },
    /// Hand no more events to this subscriber.
    Unsubscribe {
        /// The subscriber.
        id: SubscriberId,
        /// Receives the response when it is done.
        reply: Reply<()>,
    },
    /// This subscriber can answer no questions any more.
    StopAnswering {
        /// The subscriber.
        id: SubscriberId,
    },
}

/// A session as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// The number of the last durable event.
    pub seq: u64,
    /// The working directory.
    pub cwd: String,
    /// The title.
    pub title: Option<String>,
    /// The model.
    pub model: String,
    /// The permission mode.
    pub permission_mode: PermissionMode,
    /// The sandbox for its commands, where there is one.
    pub sandbox: Option<SandboxState>,
    /// The work mode: act, or only plan.
    pub mode: WorkMode,
    /// Its state.
    pub state: SessionState,
    /// The running turn.
    pub active_turn_id: Option<TurnId>,
    /// Messages the model has not read.
    pub queue: Vec<QueuedInput>,
    /// Open questions of permission.
    pub approvals: Vec<Approval>,
    /// Open questions of the model.
    pub questions: Vec<Question>,
    /// The model's plan.
    pub plan: Option<Plan>,
    /// The tokens of all its turns and of its sub-agents'.
    pub usage: Usage,
    /// The cost of all that, where prices are known, in billionths of a US dollar.
    pub cost_nano_usd: Option<u64>,
    /// The use of the model's window.
    pub context: ContextUsage,
    /// The events asked for were too many for the subscriber's channel.
    pub has_gap: bool,
}

/// An item of a subscriber's feed.
#[derive(Debug, Clone)]
pub enum Feed {
    /// A durable event; it is in the journal.
    Durable(Arc<Record>),
    /// A transient event.
    Transient(Arc<TransientRecord>),
    /// Something that this client offered to do.
    Call(Arc<ClientCall>),
    /// The answer to a call is not waited for any more.
    CallWithdrawn(CallId),
    /// The durable events in between were not handed on; those after `head_seq` are.
    Lagged {
        /// The session.
        session_id: SessionId,
        /// The last one that was handed on.
        last_sent_seq: u64,
        /// The last one that was not.
        head_seq: u64,
    },
}

/// A durable event, as a value and as the JSON text that the journal holds.
#[derive(Debug)]
pub struct Record {
    /// The value.
    pub value: EventRecord,
    /// The JSON text.
    pub json: Box<str>,
}

impl Record {
    /// Reads an event of the journal.
    ///
    /// # Errors
    /// It is no event that this version knows.
    pub fn read(json: Box<RawValue>) -> Result<Self, serde_json::Error> {
        Ok(Self { value: serde_json::from_str(json.get())?, json: json.into() })
    }
}

/// Is handed the sub-agents of a session that it watches, so that it can answer their questions and steer them.
#[derive(Clone)]
pub struct Adopt(Arc<dyn Fn(SessionHandle) + Send + Sync>);

impl Adopt {
    /// Calls this, which must not wait.
    pub fn new(adopt: impl Fn(SessionHandle) + Send + Sync + 'static) -> Self {
        Self(Arc::new(adopt))
    }

    pub(in crate::agent) fn call(&self, handle: SessionHandle) {
        (self.0)(handle);
    }
}

impl std::fmt::Debug for Adopt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Adopt")
    }
}

/// Somebody who watches a session.
#[derive(Debug, Clone)]
pub struct Subscriber {
    /// Its id.
    pub id: SubscriberId,
    /// Where to.
    pub feed: mpsc::Sender<Feed>,
    /// It can answer approvals.
    pub can_approve: bool,
    /// It can answer questions of the model.
    pub can_answer: bool,
    /// The hooks and tools that it gives.
    pub extensions: Arc<Extensions>,
    /// Takes the handles of sub-agents, before anything of theirs is handed on.
    pub adopt: Option<Adopt>,
}
