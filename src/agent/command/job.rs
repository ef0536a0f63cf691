//! Background jobs.

use super::Reply;
use pintle_protocol::ids::JobId;
use pintle_protocol::item::Item;

/// Commands about background jobs.
#[derive(Debug)]
pub enum JobCommand {
    /// List them.
    List {
        /// Receives their items, oldest first.
        reply: Reply<Vec<Item>>,
    },
    /// Stop one.
    Stop {
        /// The job.
        id: JobId,
        /// Receives its item when it has ended.
        reply: Reply<Item>,
    },
}
