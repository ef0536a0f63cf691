//! The conversation that a model reads. `history::replay` rebuilds it from a journal.

use super::prune;
use pintle_llm::Message;
use pintle_protocol::content::Content;
use pintle_protocol::item::EngineMessage;
use std::sync::Arc;

/// The messages that a model has read and written, in order.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    /// The messages.
    pub messages: Vec<Arc<Message>>,
    /// Pruned results, which can be recalled.
    pub removed: prune::Removed,
}

/// Starts every engine text in a conversation.
const ENGINE_PREFIX: &str = "From the engine, not from the user: ";

/// Returns a text of the engine as the model reads it: with a prefix that distinguishes it from the user's.
pub fn from_engine(text: impl std::fmt::Display) -> String {
    format!("{ENGINE_PREFIX}{text}")
}

/// Returns a text of the engine without its prefix; `None` for any other text.
pub fn without_engine_prefix(text: &str) -> Option<&str> {
    text.strip_prefix(ENGINE_PREFIX)
}

/// Returns a message of the engine as the model reads it.
pub fn engine_message(message: &EngineMessage) -> Message {
    Message::User(vec![Content::text(message.text.clone())])
}

impl Conversation {
    /// Appends a message.
    pub fn push(&mut self, message: Message) {
        self.messages.push(Arc::new(message));
    }

    /// Drops pruned results whose calls were compacted, since no note refers to them any more.
    pub fn forget_removed(&mut self) {
        let mut recallable = prune::Removed::default();
        for message in &self.messages {
            if let Message::ToolResult(result) = &**message
                && let Some(content) = self.removed.get(&result.call_id)
            {
                Arc::make_mut(&mut recallable).insert(result.call_id.clone(), content.clone());
            }
        }
        self.removed = recallable;
    }
}
