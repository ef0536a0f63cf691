//! OpenAI Responses: `POST /v1/responses`, without state on the server.
//!
//! Source: npm `openai` 7.57.0 and recorded streams of seven servers, read 2026-11.

mod decode;
mod encode;
mod search;

pub(super) use decode::Decoder;
pub(super) use encode::{encode, is_since_gpt_5};

#[cfg(test)]
mod tests;
