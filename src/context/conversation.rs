//! The conversation that a model reads. `history::replay` rebuilds it from a journal.

use super::prune;
use crate::llm::Message;
use pintle_protocol::content::Content;
use pintle_protocol::item::EngineMessage;
use std::sync::Arc;

/// The messages that a model has read and written, in order.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    /// The messages.
    pub messages: Vec<Arc<Message>>,
    /// Results that were pruned and can be brought back.
    pub removed: prune::Removed,
}

/// A text of the engine as the model reads it: with words that tell it from the user's.
pub fn from_engine(text: impl std::fmt::Display) -> String {
    format!("From the engine, not from the user: {text}")
}

/// A message of the engine as the model reads it.
pub fn engine_message(message: &EngineMessage) -> Message {
    Message::User(vec![Content::text(message.text.clone())])
}

impl Conversation {
    /// Adds what was said last.
    pub fn push(&mut self, message: Message) {
        self.messages.push(Arc::new(message));
    }

    /// Lets go of removed results whose calls are summed up: no note names them any more.
    pub fn forget_removed(&mut self) {
        let mut left = prune::Removed::default();
        for message in &self.messages {
            if let Message::ToolResult(result) = &**message
                && let Some(content) = self.removed.get(&result.call_id)
            {
                Arc::make_mut(&mut left).insert(result.call_id.clone(), content.clone());
            }
        }
        self.removed = left;
    }
}
