#![doc = include_str!("ARCHITECTURE.md")]

pub mod agent;
pub mod ambient;
pub mod config;
pub mod context;
pub mod exec;
pub mod export;
pub mod frontend;
pub mod llm;
pub mod pi;
pub mod picture;
pub mod review;
pub mod store;
pub mod text;
pub mod tools;
pub mod transport;
