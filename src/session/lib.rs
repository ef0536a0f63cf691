//! The parts of a session: the journal on disk ([`store`]), the conversation that a model reads ([`history`], [`context`]), the changes
//! that a user reviews ([`review`]), and the formats in which a session leaves the program or enters it ([`export`], [`pi`]).
//!
//! Nothing here runs anything: the engine in `pintle_agent` owns the tasks.

pub mod context;
pub mod export;
pub mod history;
pub mod pi;
pub mod review;
pub mod store;
