//! Types of pintle's native protocol, which an engine and its clients exchange.
//!
//! This crate contains types and nothing else: no behaviour beyond conversions, no runtime, no IO. The same types are written to a
//! session's journal, sent as notifications, paged in a replay and printed by `pintle run --format events`. They generate
//! `protocol/schema.json`, the TypeScript and Lua types of the editor extensions and `protocol/REFERENCE.md`, so nothing about the wire is
//! written by hand twice.
//!
//! Rules for every type here:
//! - JSON names are lowerCamel; ids are opaque strings; times are integer milliseconds with the suffix `Ms`; paths are absolute.
//! - An absent field means "unchanged" or "not known". Readers ignore fields and event types they do not know.
#![warn(clippy::wildcard_enum_match_arm, reason = "a new variant must be given its wire form")]

pub mod approval;
pub mod auth;
pub mod capability;
pub mod config;
pub mod content;
pub mod context;
pub mod diagnostics;
pub mod diff;
pub mod document;
pub mod error;
pub mod event;
pub mod export;
pub mod files;
pub mod handshake;
pub mod history;
pub mod hook;
pub mod ids;
pub mod isolation;
pub mod item;
pub mod mcp;
pub mod methods;
pub mod models;
pub mod permission;
pub mod plan;
pub mod prompt;
pub mod question;
pub mod queue;
pub mod review;
pub mod run;
pub mod schema;
pub mod search;
pub mod session;
pub mod session_events;
pub mod shell;
pub mod subscription;
pub mod to_session;
pub mod trust;
pub mod turn;
pub mod usage;

/// The protocol version that this crate describes. Additive changes raise the minor part.
pub const PROTOCOL_VERSION: &str = "2.0";

/// Protocol name in `initialize`, which distinguishes the native protocol from other protocols on the same pipe.
pub const PROTOCOL_NAME: &str = "pintle";

/// Returns true for a number that its field leaves out.
fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}

/// Returns true, the default of most options.
fn yes() -> bool {
    true
}
