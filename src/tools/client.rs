//! Client requests from tools: a tool sends a request, and the session answers.
//!
//! This module keeps no state. Invariant: a request without an answer is an error result, never an endless wait.
//!
//! Tools that ask the user are always offered, since a change of the tool list invalidates the provider's cache. If no user can answer, the
//! result reports that.

use pintle_protocol::ids::ItemId;
use pintle_protocol::plan::PlanItem;
use pintle_protocol::question::QuestionKind;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

/// The connection of one call to the session's client.
#[derive(Debug, Clone)]
pub struct Client {
    tx: Option<mpsc::Sender<ClientRequest>>,
    /// The call.
    item: ItemId,
}

/// The message to the model if there is no client.
const NONE: &str = "No user is available to answer: decide yourself, and state your decision.";

/// A question to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The kind of question.
    pub kind: QuestionKind,
    /// The question.
    pub text: String,
    /// The plan to accept.
    pub plan: Option<String>,
    /// The answers to choose from.
    pub options: Vec<String>,
    /// Several may be chosen.
    pub multiple: bool,
}

/// A question's outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskOutcome {
    /// The outcome, for the model.
    pub words: String,
    /// True if the user answered.
    pub is_answered: bool,
    /// The chosen options' labels.
    pub chosen: Vec<String>,
    /// The user's text.
    pub text: Option<String>,
}

/// A request to the session's client.
#[derive(Debug)]
pub enum ClientRequest {
    /// Ask the user.
    Ask {
        /// The call that asks.
        item: ItemId,
        /// The question.
        ask: Ask,
        /// Receives the outcome; an error means that the question cannot be asked.
        reply: oneshot::Sender<Result<AskOutcome, String>>,
    },
    /// Call a tool of a client.
    Call {
        /// The call.
        item: ItemId,
        /// The tool's name.
        tool: String,
        /// The arguments.
        arguments: Value,
        /// Receives the client's result; an error means that there was none.
        reply: oneshot::Sender<Result<Value, String>>,
    },
    /// Take this as the plan.
    Plan {
        /// The plan's steps.
        items: Vec<PlanItem>,
        /// Resolves once the plan has been recorded.
        reply: oneshot::Sender<Result<(), String>>,
    },
}

impl Client {
    /// Returns the item of this call, if there is a client.
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

    /// Asks the user, and waits for the answer.
    ///
    /// # Errors
    /// The question cannot be asked; the message is for the model.
    pub async fn ask(&self, ask: Ask) -> Result<AskOutcome, String> {
        let item = self.item.clone();
        self.request(|reply| ClientRequest::Ask { item, ask, reply }).await
    }

    /// Calls a client's tool.
    ///
    /// # Errors
    /// The client disconnected or answered with an error; the message is for the model.
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
