//! Requests of a client that wait for an answer: no id twice, and not too many at once. For frontends that speak JSON-RPC.

use super::native::dispatch::error_object;
use jsonrpsee::types::{ErrorObjectOwned, Id};
use pintle_protocol::error;
use std::collections::HashSet;

/// The most requests that may wait for an answer.
pub(super) const MAX_IN_FLIGHT: usize = 256;

/// The ids of requests that wait for an answer.
#[derive(Debug, Default)]
pub(super) struct InFlight(HashSet<Id<'static>>);

impl InFlight {
    /// Why a request cannot be taken, if it cannot.
    pub(super) fn refusal(&self, id: &Id<'static>) -> Option<ErrorObjectOwned> {
        if self.0.contains(id) {
            let message = "this id is in use by a request that was not answered yet";
            return Some(error_object(error::INVALID_REQUEST, message, "duplicateId", None));
        }
        (self.0.len() >= MAX_IN_FLIGHT).then(|| {
            let message = format!("{MAX_IN_FLIGHT} requests wait for an answer already");
            let hint = Some("wait for answers before you send more");
            error_object(error::OVERLOADED, &message, "overloaded", hint)
        })
    }

    pub(super) fn insert(&mut self, id: Id<'static>) {
        self.0.insert(id);
    }

    pub(super) fn remove(&mut self, id: &Id<'static>) {
        self.0.remove(id);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
