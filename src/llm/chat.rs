//! OpenAI Chat Completions and the many servers that implement it: `POST /v1/chat/completions`.
//!
//! Source: npm `openai` 7.57.0 and recorded streams of twelve servers, read 2026-11.

mod decode;
mod encode;
mod think_tags;

pub(super) use decode::Decoder;
pub(super) use encode::encode;

/// The field of text, and of reasoning between tags.
const CONTENT: &str = "content";

/// The field of reasoning by itself, which its block keeps as `{"field":"reasoning_content"}`.
pub const REASONING_CONTENT: &str = "reasoning_content";

#[cfg(test)]
mod tests;
