#![doc = include_str!("ARCHITECTURE.md")]

pub mod agent;
pub mod ambient;
pub mod callback;
#[cfg(test)]
#[path = "../tests/it/support/chance.rs"]
mod chance;
pub mod cli;
pub mod config;
pub mod context;
pub mod disk;
pub mod editor;
pub mod exec;
pub mod export;
pub mod frontend;
pub mod history;
pub mod image;
pub mod llm;
pub mod mcp;
pub mod models;
pub mod network;
pub mod permissions;
pub mod pi;
pub mod review;
pub mod store;
pub mod text;
pub mod tools;
pub mod transport;
pub mod trust;
#[cfg(test)]
#[path = "../tests/it/support/waiting.rs"]
mod waiting;
