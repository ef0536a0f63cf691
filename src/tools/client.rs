//! Whoever steers the session, as a tool sees them: it asks, the session answers.
//!
//! Nothing is kept here. Invariant: a request that nobody answers is an error result, never a wait without end.

use pintle_protocol::ids::ItemId;
use pintle_protocol::plan::PlanItem;
use pintle_protocol::question::QuestionKind;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

/// The way of one call to whoever steers the session.
#[derive(Debug, Clone)]
pub struct Client {
    tx: Option<mpsc::Sender<ClientRequest>>,
    /// The call.
    item: ItemId,
}

/// What the model hears where nobody steers.
const NONE: &str = "Nobody can answer here: decide by yourself, and say what you decided.";

/// What a person is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// What it is about.
    pub kind: QuestionKind,
    /// The question.
    pub text: String,
    /// The plan that is to be accepted.
    pub plan: Option<String>,
    /// The answers to choose from.
    pub options: Vec<String>,
    /// Several may be chosen.
    pub multiple: bool,
}

/// Something asked of whoever steers the session.
#[derive(Debug)]
pub enum ClientRequest {
    /// Ask a person.
    Ask {
        /// The call that asks.
        item: ItemId,
        /// The question.
        ask: Ask,
        /// What came of it, as the model reads it; an error is a question that cannot be asked.
        reply: oneshot::Sender<Result<String, String>>,
    },
    /// Call a tool of a client.
    Call {
        /// The call.
        item: ItemId,
        /// The tool's name.
        tool: String,
        /// Its arguments.
        arguments: Value,
        /// What the client returned; an error is that there was nothing.
        reply: oneshot::Sender<Result<Value, String>>,
    },
    /// Take this as the plan.
    Plan {
        /// Its parts.
        items: Vec<PlanItem>,
        /// It is written down.
        reply: oneshot::Sender<Result<(), String>>,
    },
}

impl Client {
    /// The item of this call, where somebody steers the session.
    pub fn shown_by(&self) -> Option<String> {
        self.tx.as_ref().map(|_| self.item.as_str().to_owned())
    }

    /// Requests of this call go into this channel.
    pub fn new(tx: mpsc::Sender<ClientRequest>, item: ItemId) -> Self {
        Self { tx: Some(tx), item }
    }

    /// Every request is refused.
    pub fn none() -> Self {
        Self { tx: None, item: ItemId::new(String::new()) }
    }

    /// Asks a person, and waits for what comes of it.
    pub(super) async fn ask(&self, ask: Ask) -> Result<String, String> {
        let item = self.item.clone();
        self.request(|reply| ClientRequest::Ask { item, ask, reply }).await
    }

    /// Calls a tool of a client.
    ///
    /// # Errors
    /// The client is gone or answered with an error, in words for the model.
    pub async fn call(&self, tool: String, arguments: Value) -> Result<Value, String> {
        let item = self.item.clone();
        self.request(|reply| ClientRequest::Call { item, tool, arguments, reply }).await
    }

    /// Changes the plan.
    pub(super) async fn plan(&self, items: Vec<PlanItem>) -> Result<(), String> {
        self.request(|reply| ClientRequest::Plan { items, reply }).await
    }

    async fn request<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<Result<T, String>>) -> ClientRequest,
    ) -> Result<T, String> {
        let (reply, answer) = oneshot::channel();
        let tx = self.tx.as_ref().ok_or(NONE)?;
        tx.send(request(reply)).await.map_err(|_| NONE)?;
        answer.await.map_err(|_| NONE.to_owned())?
    }
}
