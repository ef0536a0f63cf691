//! Turns: started with a filled queue, and waited for.

use super::Reply;
use pintle_protocol::content::Input;
use pintle_protocol::event::{Delivery, QueuedInput};

/// Commands about turns.
#[derive(Debug)]
pub enum TurnCommand {
    /// Begin a turn with a prompt and the messages that are to wait behind it. Refused while a turn runs.
    StartWith {
        /// The prompt.
        input: Vec<Input>,
        /// The messages, each with its delivery.
        behind: Vec<(Delivery, Vec<Input>)>,
        /// Receives the queued messages, in order; fewer if the journal could not be written.
        reply: Reply<Vec<QueuedInput>>,
    },
    /// Wait until no turn runs, nothing is queued and no title is being made.
    WhenIdle {
        /// Receives the response at that time.
        reply: Reply<()>,
    },
}
