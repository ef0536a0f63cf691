//! Google Gemini: `POST /v1beta/models/MODEL:streamGenerateContent`.
//!
//! Source: npm `@google/genai` 3.1.0 and recorded streams of the Gemini API and Vertex, read 2026-11.

mod decode;
mod encode;
mod models;
mod partial_args;
mod schema;
mod search;

pub(super) use decode::Decoder;
pub(super) use encode::encode;
pub(super) use models::is_third;

#[cfg(test)]
mod tests;
