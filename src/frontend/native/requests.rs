//! The order of requests. Pure.

use super::dispatch::Order;
use crate::connection::InFlight;
use jsonrpsee::types::ErrorObjectOwned;
use pintle_base::transport::envelope::Id;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::VecDeque;
use tokio_util::sync::CancellationToken;

/// A request that has not begun.
pub(super) struct Request {
    pub(super) id: Id,
    pub(super) method: String,
    pub(super) params: Option<Box<RawValue>>,
}

/// The requests without a response.
#[derive(Default)]
pub(super) struct Requests {
    in_flight: InFlight,
    /// Requests about documents, which begin before later ones.
    documents: VecDeque<Request>,
    waiting: VecDeque<Request>,
    /// A serial request runs.
    is_busy: bool,
    /// A request about documents runs.
    is_document_busy: bool,
    /// Requests that wait for a person, which can be cancelled.
    cancellable: Vec<(Id, CancellationToken)>,
}

impl Requests {
    /// Returns true when every request has its response.
    pub(super) fn is_empty(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// Returns the error of a request that cannot be accepted.
    pub(super) fn refusal(&self, id: &Id) -> Option<ErrorObjectOwned> {
        self.in_flight.refusal(id)
    }

    pub(super) fn accept(&mut self, request: Request) {
        self.in_flight.insert(request.id.clone());
        match Order::of(&request.method) {
            Order::Document => self.documents.push_back(request),
            Order::Serial | Order::Closing | Order::Read | Order::Person => {
                self.waiting.push_back(request);
            }
        }
    }

    /// Takes the next request that need not wait for another.
    pub(super) fn next(&mut self) -> Option<Request> {
        if self.is_document_busy {
            return None;
        }
        let others = || if self.is_busy { None } else { self.waiting.pop_front() };
        self.documents.pop_front().or_else(others)
    }

    pub(super) fn begun(&mut self, id: &Id, order: Order, cancel: CancellationToken) {
        match order {
            Order::Person => self.cancellable.push((id.clone(), cancel)),
            Order::Serial | Order::Closing => self.is_busy = true,
            Order::Document => self.is_document_busy = true,
            Order::Read => {}
        }
    }

    pub(super) fn finished(&mut self, id: &Id, order: Order) {
        self.in_flight.remove(id);
        match order {
            Order::Person => self.cancellable.retain(|(other, _)| other != id),
            Order::Serial | Order::Closing => self.is_busy = false,
            Order::Document => self.is_document_busy = false,
            Order::Read => {}
        }
    }

    /// Forgets a request that has its response without having begun.
    pub(super) fn forget(&mut self, id: &Id) {
        self.in_flight.remove(id);
    }

    /// Withdraws a request that has not begun; returns its id. One that can be cancelled ends by itself.
    pub(super) fn withdraw(&mut self, id: &Value) -> Option<Id> {
        let is_it = |other: &Id| serde_json::to_value(other).is_ok_and(|value| value == *id);
        if let Some((_, cancel)) = self.cancellable.iter().find(|(other, _)| is_it(other)) {
            cancel.cancel();
        }
        let position = self.waiting.iter().position(|request| is_it(&request.id))?;
        let Request { id, .. } = self.waiting.remove(position)?;
        self.in_flight.remove(&id);
        Some(id)
    }
}
