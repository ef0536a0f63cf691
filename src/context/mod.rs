//! What the model sees: the system prompt and the conversation.

pub mod conversation;
pub mod prompt;
