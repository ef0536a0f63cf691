//! OpenAI Chat Completions and the many servers that speak it: `POST /v1/chat/completions`.
//!
//! Source: npm `openai` 7.57.0 and recorded streams of twelve servers, read 2026-11.

mod decode;
mod encode;

pub(super) use decode::Decoder;
pub(super) use encode::encode;

#[cfg(test)]
mod tests;
