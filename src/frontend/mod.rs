//! Frontends: each speaks one protocol and turns it into the agent's commands and feeds. They hold no state
//! beyond their connection, and no foreign format leaves its own folder.

pub mod acp;
pub mod demo;
mod in_flight;
pub mod native;
mod outbox;
pub mod pi;
pub mod run;
