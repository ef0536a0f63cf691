//! Requests without a response, and the order in which they start. Pure.

use super::error_object;
use jsonrpsee::types::ErrorObjectOwned;
use pintle_base::transport::envelope::Id;
use pintle_protocol::error;
use serde_json::Value;
use std::collections::{HashSet, VecDeque};

/// The maximum number of requests without a response.
pub(crate) const MAX_IN_FLIGHT: usize = 256;

/// The ids of requests without a response. Ids are unique, and their number is limited.
#[derive(Debug, Default)]
pub(crate) struct InFlight(HashSet<Id>);

impl InFlight {
    /// Returns the error if a request cannot be accepted.
    pub(crate) fn refusal(&self, id: &Id) -> Option<ErrorObjectOwned> {
        if self.0.contains(id) {
            let message = "this id is used by a request that is still in flight";
            return Some(error_object(error::INVALID_REQUEST, message, "duplicateId", None));
        }
        (self.0.len() >= MAX_IN_FLIGHT).then(|| {
            let message = format!("{MAX_IN_FLIGHT} requests are in flight already");
            let hint = Some("wait for responses before sending more");
            error_object(error::OVERLOADED, &message, "overloaded", hint)
        })
    }

    pub(crate) fn insert(&mut self, id: Id) {
        self.0.insert(id);
    }

    pub(crate) fn remove(&mut self, id: &Id) {
        self.0.remove(id);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Requests that run one at a time, in order of arrival.
#[derive(Debug)]
pub(crate) struct Lane<T> {
    waiting: VecDeque<T>,
    is_busy: bool,
}

impl<T> Default for Lane<T> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), is_busy: false }
    }
}

impl<T> Lane<T> {
    /// Returns true if no request runs or waits.
    pub(crate) fn is_empty(&self) -> bool {
        !self.is_busy && self.waiting.is_empty()
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.is_busy
    }

    pub(crate) fn push(&mut self, request: T) {
        self.waiting.push_back(request);
    }

    /// Returns the next request, unless one is running. Call [`Self::begun`] when it starts.
    pub(crate) fn next(&mut self) -> Option<T> {
        if self.is_busy { None } else { self.waiting.pop_front() }
    }

    pub(crate) fn begun(&mut self) {
        self.is_busy = true;
    }

    pub(crate) fn finished(&mut self) {
        self.is_busy = false;
    }

    /// Withdraws the first matching request that has not begun.
    pub(crate) fn withdraw(&mut self, is_it: impl Fn(&T) -> bool) -> Option<T> {
        let position = self.waiting.iter().position(is_it)?;
        self.waiting.remove(position)
    }
}

/// Returns true if a JSON value is this id.
pub(crate) fn is_id(id: &Id, json: &Value) -> bool {
    serde_json::to_value(id).is_ok_and(|id| id == *json)
}
