//! Turns: begun, steered, stopped.

use super::Reply;
use pintle_protocol::content::Input;
use pintle_protocol::event::{Delivery, QueuedInput, TurnLimits};
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::methods::{Disposition, QueuePolicy, WhenBusy};
use pintle_protocol::turn::WhenIdle;
use serde_json::Value;

/// Commands about turns.
#[derive(Debug)]
pub enum TurnCommand {
    /// Begin a turn with a prompt, or queue it.
    Start {
        /// The prompt.
        input: Vec<Input>,
        /// The behaviour while a turn runs.
        when_busy: WhenBusy,
        /// The terms of its turn.
        terms: Terms,
        /// Receives what became of the prompt.
        reply: Reply<Accepted>,
    },
    /// Begin a turn with a prompt and the messages that are to wait behind it. Refused while a turn runs.
    StartWith {
        /// The prompt.
        input: Vec<Input>,
        /// The messages, each with the way in which it is to be read.
        behind: Vec<(Delivery, Vec<Input>)>,
        /// Receives the messages that were queued, in their order; fewer where the journal could not be written.
        reply: Reply<Vec<QueuedInput>>,
    },
    /// Put a message into the running turn.
    Steer {
        /// Refuse unless this turn runs.
        expected: Option<TurnId>,
        /// The message.
        input: Vec<Input>,
        /// The behaviour while no turn runs.
        when_idle: WhenIdle,
        /// Receives what became of the message; `None` where no turn runs and it is not kept.
        reply: Reply<Option<Accepted>>,
    },
    /// Stop the running turn.
    Interrupt {
        /// Refuse unless this turn runs.
        expected: Option<TurnId>,
        /// The policy for messages that the model has not read.
        queue: QueuePolicy,
        /// Receives the turn and the messages that were taken out of the queue.
        reply: Reply<Interrupted>,
    },
    /// Stop one call of the running turn, which goes on.
    CancelCall {
        /// The call's item.
        item_id: ItemId,
        /// Receives the response when the call is being stopped.
        reply: Reply<()>,
    },
    /// Wait until no turn runs, nothing is queued and no title is being made.
    WhenIdle {
        /// Receives the response at that time.
        reply: Reply<()>,
    },
}

/// The terms of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    /// Its limits; the stricter of these and the settings hold.
    pub limits: Option<TurnLimits>,
    /// The JSON Schema that its final message must satisfy.
    pub output_schema: Option<Value>,
}

/// A message was accepted and is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// The turn it belongs to.
    pub turn_id: TurnId,
    /// The id of its item.
    pub item_id: ItemId,
    /// Its disposition.
    pub disposition: Disposition,
    /// No turn runs: it waits for the next prompt.
    pub is_held: bool,
}

/// The running turn is being stopped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interrupted {
    /// The turn; `None` when none ran.
    pub turn_id: Option<TurnId>,
    /// The messages that were taken out of the queue.
    pub returned: Vec<QueuedInput>,
}
