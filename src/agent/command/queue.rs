//! The queue: messages that the model has not read.

use super::Reply;
use pintle_protocol::event::QueuedInput;
use pintle_protocol::ids::ItemId;

/// Commands about the queue.
#[derive(Debug)]
pub enum QueueCommand {
    /// Reorder the follow-up messages.
    Order {
        /// The new order; messages that are missing here stay last.
        item_ids: Vec<ItemId>,
        /// Receives the new queue.
        reply: Reply<Vec<QueuedInput>>,
    },
}
