//! Frontends: each translates one protocol into the agent's commands and events. They have no state beyond their connection, and no foreign
//! format leaves its own directory.

pub mod acp;
pub mod ahp;
mod client;
mod connection;
pub mod demo;
pub mod listen;
pub mod lsp;
pub mod mcp;
mod methods;
pub mod native;
mod outcome;
pub mod pi;
mod report;
mod rpc;
pub mod run;

pub use client::Scope;
pub use connection::Ended;
