//! Subscriptions: who receives a session's events, and in what form.

use super::filter::EventSelection;
use super::{Reply, SessionHandle};
use crate::clients::{CallId, ClientCall, Extensions, SubscriberId};
use bytes::Bytes;
use pintle_protocol::approval::Approval;
use pintle_protocol::event::{EventRecord, TransientRecord};
use pintle_protocol::ids::SessionId;
use pintle_protocol::question::Question;
use pintle_protocol::session::SessionResult;
use serde_json::value::RawValue;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
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
        /// Receives the session's current state.
        reply: Reply<SessionResult>,
    },
    /// Read the session's current state.
    Snapshot {
        /// Receives it.
        reply: Reply<SessionResult>,
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

/// An item of a subscriber's feed.
#[derive(Debug, Clone)]
pub enum Feed {
    /// A durable event; it is in the journal.
    Durable(Arc<Record>),
    /// The approvals and questions that a session waits for: whenever they change, after events that are sent again, and after missed ones.
    Questions(Arc<SessionQuestions>),
    /// A transient event.
    Transient(Arc<Transient>),
    /// A delta that may be delayed for up to this duration, to be merged with the following ones.
    Held(Arc<Transient>, Duration),
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

/// The approvals and questions that a session waits for, all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionQuestions {
    /// The session.
    pub session_id: SessionId,
    /// The open requests for permission.
    pub approvals: Vec<Approval>,
    /// The model's open questions.
    pub questions: Vec<Question>,
}

/// A durable event, as a value and as the journal's JSON text.
#[derive(Debug)]
pub struct Record {
    /// The value.
    pub value: EventRecord,
    /// The JSON text.
    pub json: Box<str>,
    /// The message that connections send.
    pub encoded: Encoded,
}

/// A transient event.
#[derive(Debug, Clone)]
pub struct Transient {
    /// The value.
    pub value: TransientRecord,
    /// The message that connections send.
    pub encoded: Encoded,
}

impl Transient {
    /// Returns an event that no connection has sent yet.
    pub fn new(value: TransientRecord) -> Self {
        Self { value, encoded: Encoded::default() }
    }

    /// Returns the value for changes that affect only one connection.
    pub fn change(this: &mut Arc<Self>) -> &mut TransientRecord {
        let own = Arc::make_mut(this);
        own.encoded = Encoded::default();
        &mut own.value
    }
}

/// An event's message: serialized by the first connection that sends it, and shared by others that send the same.
#[derive(Debug, Default)]
pub struct Encoded(OnceLock<Bytes>);

impl Clone for Encoded {
    /// A cloned event is about to be changed, so it gets a new message.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Encoded {
    /// Returns the message, serialized by `make` if no connection has done so. It is kept only if the event is shared.
    pub fn message(&self, is_shared: bool, make: impl FnOnce() -> Vec<u8>) -> Bytes {
        match self.0.get() {
            Some(message) => message.clone(),
            None if is_shared => self.0.get_or_init(|| make().into()).clone(),
            None => make().into(),
        }
    }
}

impl Record {
    /// Returns an event with its journal text.
    pub fn new(value: EventRecord, json: Box<str>) -> Self {
        Self { value, json, encoded: Encoded::default() }
    }

    /// Parses a journal event.
    ///
    /// # Errors
    /// This version does not know the event.
    pub fn read(json: Box<RawValue>) -> Result<Self, serde_json::Error> {
        Ok(Self::new(serde_json::from_str(json.get())?, json.into()))
    }
}

type AdoptFn = dyn Fn(&SessionId, SessionHandle) + Send + Sync;

/// Receives the sub-agents of a watched session with their parents, so that the client can answer their questions and steer them.
#[derive(Clone)]
pub struct Adopt(Arc<AdoptFn>);

impl Adopt {
    /// Calls this with the parent session's id and the sub-agent. It must not wait.
    pub fn new(adopt: impl Fn(&SessionId, SessionHandle) + Send + Sync + 'static) -> Self {
        Self(Arc::new(adopt))
    }

    pub(crate) fn call(&self, parent: &SessionId, handle: SessionHandle) {
        (self.0)(parent, handle);
    }
}

impl std::fmt::Debug for Adopt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Adopt")
    }
}

/// A client that watches a session.
#[derive(Debug, Clone)]
pub struct Subscriber {
    /// Its id.
    pub id: SubscriberId,
    /// Where to.
    pub feed: mpsc::Sender<Feed>,
    /// The events that it is handed.
    pub filter: EventSelection,
    /// True if the client can answer approvals.
    pub can_approve: bool,
    /// True if the client can answer the model's questions.
    pub can_answer: bool,
    /// The hooks and tools that it gives.
    pub extensions: Arc<Extensions>,
    /// Receives sub-agent handles, before any of their events is sent.
    pub adopt: Option<Adopt>,
}
