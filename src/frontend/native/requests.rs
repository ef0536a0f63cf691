//! The order of requests. Pure.

use crate::methods::Order;
use crate::rpc::{InFlight, Lane, is_id};
use jsonrpsee::types::ErrorObjectOwned;
use pintle_base::transport::envelope::Id;
use pintle_protocol::methods::{Request as _, Shutdown};
use serde_json::Value;
use serde_json::value::RawValue;
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
    documents: Lane<Request>,
    others: Lane<Request>,
    /// A `shutdown` was accepted.
    is_shutting_down: bool,
    /// Requests that wait for the user or for a change, which can be cancelled.
    cancellable: Vec<(Id, Order, CancellationToken)>,
}

impl Requests {
    /// Returns true when every request has its response.
    pub(super) fn is_empty(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// Returns the error if a request cannot be accepted.
    pub(super) fn refusal(&self, id: &Id) -> Option<ErrorObjectOwned> {
        self.in_flight.refusal(id)
    }

    /// Returns true while requests run that cannot be cancelled.
    pub(super) fn has_work(&self) -> bool {
        self.in_flight.len() > self.cancellable.len()
    }

    /// Returns true from when a `shutdown` was accepted.
    pub(super) fn is_shutting_down(&self) -> bool {
        self.is_shutting_down
    }

    pub(super) fn accept(&mut self, request: Request) {
        self.in_flight.insert(request.id.clone());
        self.is_shutting_down |= request.method == Shutdown::METHOD;
        match Order::for_method(&request.method) {
            Order::Document => self.documents.push(request),
            Order::Serial | Order::Closing | Order::Read | Order::Person | Order::Watch => {
                self.others.push(request);
            }
        }
    }

    /// Takes the next request that need not wait for another.
    pub(super) fn next(&mut self) -> Option<Request> {
        if self.documents.is_busy() {
            return None;
        }
        self.documents.next().or_else(|| self.others.next())
    }

    pub(super) fn begun(&mut self, id: &Id, order: Order, cancel: CancellationToken) {
        match order {
            Order::Person | Order::Watch => self.cancellable.push((id.clone(), order, cancel)),
            Order::Serial | Order::Closing => self.others.begun(),
            Order::Document => self.documents.begun(),
            Order::Read => {}
        }
    }

    pub(super) fn finished(&mut self, id: &Id, order: Order) {
        self.in_flight.remove(id);
        match order {
            Order::Person | Order::Watch => self.cancellable.retain(|(other, ..)| other != id),
            Order::Serial | Order::Closing => self.others.finished(),
            Order::Document => self.documents.finished(),
            Order::Read => {}
        }
    }

    /// Forgets a request that has its response without having begun.
    pub(super) fn forget(&mut self, id: &Id) {
        self.in_flight.remove(id);
    }

    /// Cancels the requests that wait for a change.
    pub(super) fn cancel_watches(&self) {
        for (_, order, cancel) in &self.cancellable {
            if *order == Order::Watch {
                cancel.cancel();
            }
        }
    }

    /// Withdraws a request that has not begun; returns its id. One that can be cancelled ends by itself.
    pub(super) fn withdraw(&mut self, id: &Value) -> Option<Id> {
        if let Some((.., cancel)) = self.cancellable.iter().find(|(other, ..)| is_id(other, id)) {
            cancel.cancel();
        }
        let Request { id, .. } = self.others.withdraw(|request| is_id(&request.id, id))?;
        self.in_flight.remove(&id);
        Some(id)
    }
}
