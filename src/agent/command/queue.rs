//! The queue: messages that the model has not read.

use super::Reply;
use pintle_protocol::event::QueuedInput;
use pintle_protocol::ids::ItemId;
use pintle_protocol::queue::QueueUpdate;

/// Commands about the queue.
#[derive(Debug)]
pub enum QueueCommand {
    /// Edit it.
    Edit {
        /// The change.
        edit: QueueEdit,
        /// Receives the queue as it is then; for messages that were removed, those.
        reply: Reply<Vec<QueuedInput>>,
    },
}

/// A change of the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueueEdit {
    /// Only list them.
    List,
    /// Change one.
    Update(Box<QueueUpdate>),
    /// Put the messages for turns of their own into this order; those that are not named stay behind them.
    Order(Vec<ItemId>),
    /// Hand these back; all when `None`.
    Remove(Option<Vec<ItemId>>),
}
