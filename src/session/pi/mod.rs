//! Pi's files: its sessions, versions 1 to 3, converted into events and written as version 3; its keys ([`auth`]) and its [`settings`].
//! Text in, text out, pure; only `keep` writes, through the store. `config` reads its `models.json`, which may contain rows for this
//! engine.
//!
//! Each event converted from a Pi line keeps that line, byte for byte, in its entry's private part. So unknown fields are not lost, none of
//! them reaches a model, and writing the session back needs no second mapping. Branches in Pi's tree are branches of the history here, and
//! its labels are labels. Source: session files of Pi 0.73.1 to 1.5.2, of 2026-11, and the reader of 0.73.1.

pub mod auth;
pub mod settings;

mod blocks;
mod branch_points;
mod compaction;
mod fields;
mod import;
mod keep;
mod line;
mod read;
mod thread;
mod turns;
mod write;

pub use blocks::usage_to_pi;
pub use branch_points::BranchPoints;
pub use compaction::compaction_details;
pub use import::{Draft, Imported, bash, import};
pub use line::Apis;
pub use read::{Error, Session, check, read};
pub use write::Writer;

use serde_json::value::RawValue;

/// The version that is written, and the latest that can be read.
const VERSION: u64 = 3;

/// Pi's error message in a reply that was aborted.
pub const ABORTED: &str = "Request was aborted";

/// The key under which an entry's private part has its Pi line.
const KEY: &str = "pi";

/// Returns the private part of an event that is a line of Pi's.
pub fn private(line: &str) -> Option<Box<RawValue>> {
    private_with("{}", line)
}

/// Returns a private part with a Pi line and other fields, given as a JSON object.
fn private_with(fields: &str, line: &str) -> Option<Box<RawValue>> {
    let body = fields.strip_suffix('}').unwrap_or("{");
    let comma = if body.len() > 1 { "," } else { "" };
    RawValue::from_string(format!("{body}{comma}\"{KEY}\":{line}}}")).ok()
}

#[cfg(test)]
mod tests;
