//! Actions of the driver after it has called one of its parts: messages, responses, and work with an outcome.

use super::rewind::Proposal;
use super::session::Opened;
use super::views::Draft;
use crate::rpc::HandlerResult;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pintle_agent::{Error, Transcript};
use pintle_base::transport::envelope::Id;
use pintle_protocol::event::QueuedInput;
use pintle_protocol::history::SessionRewindResult;
use pintle_protocol::ids::SessionId;
use pintle_protocol::review::ReviewListResult;
use serde_json::Value;
use std::path::PathBuf;

/// Messages and responses to send, in order, and work whose outcome is returned to the part that started it.
#[derive(Default)]
pub(super) struct Effects {
    pub(super) sent: Vec<Sent>,
    pub(super) work: Vec<BoxFuture<'static, Outcome>>,
}

/// A message or a response to the client.
pub(super) enum Sent {
    Message(Vec<u8>),
    Response(Id, HandlerResult<Value>),
}

impl Effects {
    pub(super) fn send(messages: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self { sent: messages.into_iter().map(Sent::Message).collect(), work: Vec::new() }
    }

    pub(super) fn work(work: impl Future<Output = Outcome> + Send + 'static) -> Self {
        Self { sent: Vec::new(), work: vec![work.boxed()] }
    }

    pub(super) fn message(&mut self, message: Vec<u8>) {
        self.sent.push(Sent::Message(message));
    }

    pub(super) fn response(&mut self, id: Id, result: HandlerResult<Value>) {
        self.sent.push(Sent::Response(id, result));
    }

    pub(super) fn extend(&mut self, other: Self) {
        self.sent.extend(other.sent);
        self.work.extend(other.work);
    }
}

/// A request handler's outcome.
pub(super) enum Outcome {
    Response(Id, HandlerResult<Value>),
    /// A command of the session's.
    Carried(Id, Box<Carried>),
    /// An answer has reached its session.
    NoResponse,
    /// The open changes of the session.
    Reviewed(Result<ReviewListResult, Error>),
    /// The session has gone back in its history.
    Rewound(Result<SessionRewindResult, Error>),
    /// A session's transcript was written.
    Grown(SessionId, Result<Transcript, Error>),
    /// A file with the change is written, about which this request asks.
    ChangeWritten(Result<PathBuf, String>, String),
    /// The document for a message is written.
    DraftWritten(Option<Id>, Result<Draft, Error>),
    /// The message in a document.
    DraftRead(Id, Draft, Result<String, Error>),
}

/// A command's outcome.
#[derive(Debug)]
pub(super) struct Carried {
    /// The session that it has created or opened.
    pub(super) opened: Option<Opened>,
    /// The session that was there before is closed.
    pub(super) is_left: bool,
    /// The messages that were taken back.
    pub(super) returned: Vec<QueuedInput>,
    /// A text for the user.
    pub(super) told: Option<String>,
    /// A proposal that needs the user's consent.
    pub(super) proposal: Option<Proposal>,
    pub(super) result: HandlerResult<Value>,
}
