//! The order of requests: each begins after the one before was handled. Pure.

use crate::connection::InFlight;
use jsonrpsee::types::ErrorObjectOwned;
use pintle_base::transport::envelope::Id;
use pintle_protocol::ids::SessionId;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::VecDeque;

/// A request or a notification, in the order of arrival.
pub(super) enum Incoming {
    Request { id: Id, method: String, params: Option<Box<RawValue>> },
    Cancel(SessionId),
}

/// The requests without a response.
#[derive(Default)]
pub(super) struct Queue {
    in_flight: InFlight,
    waiting: VecDeque<Incoming>,
    /// The request that is being handled.
    busy: Option<Id>,
    /// That request loads a session: events wait, so that none is sent twice or out of order.
    pub(super) is_loading: bool,
}

impl Queue {
    /// Returns true when no request runs or waits. Prompts may still be without a response.
    pub(super) fn is_empty(&self) -> bool {
        self.busy.is_none() && self.waiting.is_empty()
    }

    pub(super) fn is_busy(&self) -> bool {
        self.busy.is_some()
    }

    /// Returns the error of a request that cannot be accepted.
    pub(super) fn refusal(&self, id: &Id) -> Option<ErrorObjectOwned> {
        self.in_flight.refusal(id)
    }

    pub(super) fn push(&mut self, incoming: Incoming) {
        if let Incoming::Request { id, .. } = &incoming {
            self.in_flight.insert(id.clone());
        }
        self.waiting.push_back(incoming);
    }

    /// Takes the next request or notification, unless a request runs.
    pub(super) fn next(&mut self) -> Option<Incoming> {
        if self.busy.is_some() { None } else { self.waiting.pop_front() }
    }

    pub(super) fn begun(&mut self, id: Id) {
        self.busy = Some(id);
    }

    /// Marks this request as handled: the next may begin.
    pub(super) fn finished(&mut self, id: &Id) {
        if self.busy.as_ref() == Some(id) {
            self.busy = None;
            self.is_loading = false;
        }
    }

    /// Notes that the request has its response.
    pub(super) fn responded(&mut self, id: &Id) {
        self.in_flight.remove(id);
    }

    /// Withdraws a request that has not begun; returns its id.
    pub(super) fn withdraw(&mut self, request_id: &Value) -> Option<Id> {
        let is_it = |incoming: &Incoming| matches!(incoming, Incoming::Request { id, .. } if serde_json::to_value(id).is_ok_and(|id| id == *request_id));
        let position = self.waiting.iter().position(is_it)?;
        match self.waiting.remove(position)? {
            Incoming::Request { id, .. } => Some(id),
            Incoming::Cancel(_) => None,
        }
    }
}
