//! What a turn says to its session, and asks of it.
//!
//! Not what is done about it, which is the session's. Invariant: a turn that is ahead waits here for the journal, never for a client.

use super::client_calls::{CallBody, CallReply};
use super::feed::SubscriberId;
use super::turn::{Doing, End};
use crate::context::inspect::Sent;
use pintle_protocol::approval::{Approval, ApprovalOutcome};
use pintle_protocol::event::{Event, QueuedInput, TransientEvent, TurnError};
use pintle_protocol::files::FileRecord;
use pintle_protocol::item::EngineMessage;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};

/// How many events a turn may be ahead of its session. Both run in one task, so this only sets how many are
/// taken in one go; a full channel makes the turn wait for the journal, which is meant.
pub(super) const EMIT_CAPACITY: usize = 64;

/// What a turn asks of its session.
#[derive(Debug)]
pub(super) enum Emit {
    /// Append this to the journal and hand it on.
    Durable(Box<Event>, Option<Box<RawValue>>),
    /// Hand this on.
    Transient(TransientEvent),
    /// Ask a person.
    Ask(Box<Approval>, oneshot::Sender<ApprovalOutcome>),
    /// Give me the messages that wait for this turn; they count as read from now on.
    TakeSteers(oneshot::Sender<Vec<QueuedInput>>),
    /// Give me what the model is to be told of background jobs; it counts as told from now on.
    TakeNews(oneshot::Sender<Option<EngineMessage>>),
    /// Nothing is being done to files. Give me what verdicts and sub-agents did to them; it counts as told from now on.
    Gap(oneshot::Sender<Vec<FileRecord>>),
    /// Give me what of the plan is not done, as text.
    OpenTodos(oneshot::Sender<Option<String>>),
    /// This is sent to the model now.
    Sent(Box<Sent>),
    /// This is done now.
    Doing(Doing),
    /// Call this client.
    Call {
        /// The client.
        to: SubscriberId,
        /// What it is to do.
        body: CallBody,
        /// Where its answer goes.
        reply: CallReply,
    },
    /// Answer when all that came before is on disk; drop this if it cannot be.
    Barrier(oneshot::Sender<()>),
}

/// A turn's way to its session.
#[derive(Debug, Clone)]
pub(super) struct ToSession(pub(super) mpsc::Sender<Emit>);

/// The session cannot write its journal, or is gone: the turn must not go on.
#[derive(Debug)]
pub(super) struct SessionLost;

impl From<SessionLost> for End {
    fn from(_: SessionLost) -> Self {
        Self::Failed(TurnError {
            code: "journal".to_owned(),
            message: "the session's journal could not be written, so nothing more was run".to_owned(),
            hint: Some("free disk space or check the data folder's permissions, then send the prompt again".to_owned()),
            retryable: true,
            http_status: None,
        })
    }
}

impl ToSession {
    pub(super) async fn event(&self, event: Event) {
        self.event_with(event, None).await;
    }

    pub(super) async fn event_with(&self, event: Event, private: Option<Box<RawValue>>) {
        // A session that is gone takes no more events; the barrier before anything that acts finds that out.
        let _ = self.0.send(Emit::Durable(Box::new(event), private)).await;
    }

    pub(super) async fn transient(&self, event: TransientEvent) {
        let _ = self.0.send(Emit::Transient(event)).await;
    }

    pub(super) async fn sent(&self, sent: Sent) {
        let _ = self.0.send(Emit::Sent(Box::new(sent))).await;
    }

    pub(super) async fn doing(&self, doing: Doing) {
        let _ = self.0.send(Emit::Doing(doing)).await;
    }

    pub(super) async fn ask(&self, approval: Approval) -> Result<ApprovalOutcome, SessionLost> {
        let (tx, rx) = oneshot::channel();
        self.0.send(Emit::Ask(Box::new(approval), tx)).await.map_err(|_| SessionLost)?;
        rx.await.map_err(|_| SessionLost)
    }

    pub(super) async fn take_steers(&self) -> Result<Vec<QueuedInput>, SessionLost> {
        let (tx, rx) = oneshot::channel();
        self.0.send(Emit::TakeSteers(tx)).await.map_err(|_| SessionLost)?;
        rx.await.map_err(|_| SessionLost)
    }

    pub(super) async fn take_news(&self) -> Result<Option<EngineMessage>, SessionLost> {
        let (tx, rx) = oneshot::channel();
        self.0.send(Emit::TakeNews(tx)).await.map_err(|_| SessionLost)?;
        rx.await.map_err(|_| SessionLost)
    }

    pub(super) async fn gap(&self) -> Vec<FileRecord> {
        let (tx, rx) = oneshot::channel();
        if self.0.send(Emit::Gap(tx)).await.is_err() {
            return Vec::new();
        }
        rx.await.unwrap_or_default()
    }

    pub(super) async fn open_todos(&self) -> Result<Option<String>, SessionLost> {
        let (tx, rx) = oneshot::channel();
        self.0.send(Emit::OpenTodos(tx)).await.map_err(|_| SessionLost)?;
        rx.await.map_err(|_| SessionLost)
    }

    /// Waits until everything emitted so far is on disk.
    pub(super) async fn barrier(&self) -> Result<(), SessionLost> {
        let (tx, rx) = oneshot::channel();
        self.0.send(Emit::Barrier(tx)).await.map_err(|_| SessionLost)?;
        rx.await.map_err(|_| SessionLost)
    }
}
