//! What a model sees: the system prompt, the conversation, and how room is made in it.

pub mod compact;
pub mod conversation;
pub mod estimate;
pub mod inspect;
pub mod prompt;
pub mod prune;
pub mod room;
