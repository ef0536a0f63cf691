//! The chat's requests, and the purpose of each response. Pure.

use pintle_protocol::content::Input;
use pintle_protocol::methods::Request;
use serde_json::{Value, json};
use std::collections::HashMap;

/// A request without a response so far.
#[derive(Debug)]
pub(super) enum Pending {
    Initialize,
    Open,
    /// A steering message. If no turn runs any more, it begins one.
    Steer(Vec<Input>),
    Start,
    Interrupt,
    Prompts,
    Skills,
    Models,
    /// A setting with this id that is shown.
    Shown(&'static str),
    /// A setting with this id that is changed.
    Changed(&'static str),
    Review,
    Decide,
    Compact,
    Context,
    Rules,
    /// This rule is removed.
    Forget(String),
    Shell,
    Jobs,
    /// A text that is typed into a terminal, whose screen is the response.
    Type,
    /// Changes that are applied to the user's files.
    Apply,
    /// A session in place of this one.
    New,
    /// The session that was replaced is closed.
    Close,
    /// Events that were not sent, up to this number.
    Missed(u64),
}

/// The requests that wait for their responses.
#[derive(Debug)]
pub(super) struct Wire {
    pending: HashMap<u64, Pending>,
    next_id: u64,
}

impl Wire {
    pub(super) fn new() -> Self {
        Self { pending: HashMap::new(), next_id: 1 }
    }

    /// Returns a request to send.
    pub(super) fn request<R: Request>(&mut self, params: &R::Params, pending: Pending) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        self.pending.insert(id, pending);
        json!({"jsonrpc": "2.0", "id": id, "method": R::METHOD, "params": params})
    }

    /// Returns the purpose of a response; `None` for an unknown one.
    pub(super) fn answered(&mut self, response: &Value) -> Option<Pending> {
        response["id"].as_u64().and_then(|id| self.pending.remove(&id))
    }

    pub(super) fn is_idle(&self) -> bool {
        self.pending.is_empty()
    }
}
