//! A session's parts: the journal on disk ([`store`]), the conversation that a model reads ([`history`], [`context`]), the changes that a
//! user reviews ([`review`]), the forms in which items are shown ([`presentation`]), and the export and import formats ([`export`], [`pi`]).
//!
//! Nothing here runs by itself: the engine in `pintle_agent` owns the tasks.

pub mod context;
pub mod export;
pub mod history;
pub mod pi;
pub mod presentation;
pub mod review;
pub mod store;
