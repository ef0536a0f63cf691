//! pintle: a headless coding-agent engine.

pub mod ambient;
pub mod exec;
pub mod llm;
pub mod store;
pub mod text;
pub mod tools;
pub mod transport;
