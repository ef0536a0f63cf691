//! The events that a subscriber is handed, pure.

use pintle_protocol::event::{DeltaField, Event, TransientEvent};
use std::sync::Arc;
use std::time::Duration;

/// The events that a subscriber is handed; by default all of them, each at once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventSelection {
    /// The types of events that are left out.
    pub without: Arc<[&'static str]>,
    /// The fields whose deltas are left out.
    pub without_deltas: Arc<[DeltaField]>,
    /// How long a connection may delay deltas.
    pub max_latency: Option<Duration>,
}

impl EventSelection {
    /// Returns true if the subscriber is handed this event.
    pub fn takes(&self, event: &Event) -> bool {
        self.without.is_empty() || !self.without.contains(&event.kind())
    }

    /// Returns true if the subscriber is handed this transient event.
    pub fn takes_transient(&self, event: &TransientEvent) -> bool {
        if !self.without.is_empty() && self.without.contains(&event.kind()) {
            return false;
        }
        match event {
            TransientEvent::ItemDelta(delta) => !self.without_deltas.contains(&delta.field),
            TransientEvent::State(_)
            | TransientEvent::Context(_)
            | TransientEvent::StepUsage(_)
            | TransientEvent::Notice(_) => true,
        }
    }
}
