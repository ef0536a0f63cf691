//! The model's context: what it is sent, and summing that up.

use super::Reply;
use pintle_protocol::context::ContextReadResult;
use pintle_protocol::ids::TurnId;

/// Commands about the context.
#[derive(Debug)]
pub enum ContextCommand {
    /// Sum up the conversation of an idle session.
    Compact {
        /// Points that the summary is to pay attention to.
        instructions: Option<String>,
        /// Receives the turn that does it.
        reply: Reply<TurnId>,
    },
    /// Read what the model was sent last.
    Read {
        /// Receives it.
        reply: Reply<ContextReadResult>,
    },
}
