//! The client's requests without a response, for JSON-RPC frontends: ids are unique, and their number is bounded.

use crate::native::dispatch::error_object;
use jsonrpsee::types::ErrorObjectOwned;
use pintle_base::transport::envelope::Id;
use pintle_protocol::error;
use std::collections::HashSet;

/// The maximum number of requests without a response.
pub(crate) const MAX_IN_FLIGHT: usize = 256;

/// The ids of the requests without a response.
#[derive(Debug, Default)]
pub(crate) struct InFlight(HashSet<Id>);

impl InFlight {
    /// Returns the error of a request that cannot be accepted.
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
}
