//! Pi's files: its sessions, versions 1 to 3, read into events of ours, and events of ours written as version 3; its keys
//! ([`auth`]) and its [`settings`]. Text in, text out, pure; `keep` alone writes, through the store. Its `models.json` is read by
//! `config`, whose own rows it may stand among.
//!
//! Each event that comes from a line of Pi's keeps that line, byte for byte, in the private part of its entry. So what this engine
//! knows no word for is not lost, none of it reaches a model, and the way back gives the same messages. Branches of Pi's tree are ways of
//! the history here, its labels names of places; both go back as they came.
//! Source: session files of Pi 0.73.1 to 1.5.2, of 2026-11, and the reader of 0.73.1.
//!
//! A line of Pi's file is kept in the private part of the entry that it became, byte for byte. So fields that this engine has no word
//! for survive, no model reads them, and the way back needs no second mapping.

pub mod auth;
pub mod settings;

mod blocks;
mod fields;
mod import;
mod keep;
mod line;
mod read;
mod thread;
mod turns;
mod ways;
mod write;

pub use blocks::usage_to_pi;
pub use import::{Draft, Imported, bash, import};
pub use line::Apis;
pub use read::{Error, Session, read};
pub use ways::Ways;
pub use write::Writer;

use serde_json::value::RawValue;

/// The version that is written, and the latest that is read.
const VERSION: u64 = 3;

/// What Pi says in a reply that was aborted.
pub const ABORTED: &str = "Request was aborted";

/// The key of a line of Pi's in the private part of an entry.
const KEY: &str = "pi";

/// The private part of an event of ours that is a line of Pi's.
pub fn private(line: &str) -> Option<Box<RawValue>> {
    keeping("{}", line)
}

/// A private part that holds a line of Pi's beside other fields, which are those of a JSON object.
fn keeping(fields: &str, line: &str) -> Option<Box<RawValue>> {
    let body = fields.strip_suffix('}').unwrap_or("{");
    let comma = if body.len() > 1 { "," } else { "" };
    RawValue::from_string(format!("{body}{comma}\"{KEY}\":{line}}}")).ok()
}

#[cfg(test)]
mod tests;
