//! The one integration test binary.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests stop at the first surprise")]

mod llm_http;
mod scenarios;
mod support;
