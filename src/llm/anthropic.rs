//! Anthropic Messages: `POST /v1/messages`.
//!
//! Source: `@anthropic-ai/sdk` 1.12.0 and recorded streams, read 2026-11.

mod decode;
mod encode;
mod families;
mod search;
mod turns;

pub(super) use decode::Decoder;
pub(super) use encode::encode;
pub(super) use turns::beta;

#[cfg(test)]
mod tests;
