//! Every recorded stream decodes to the expected message.
//!
//! The snapshots are readable: one line per block, with the verbatim parts, followed by usage and stop reason.

use super::fixtures::{FAMILIES, decoded, recorded};
use expect_test::{ExpectFile, expect_file};
use std::fmt::Write;

fn check(family: &str, replies: usize, want: &ExpectFile) {
    let (_, api) = FAMILIES.into_iter().find(|(name, _)| *name == family).unwrap();
    let all = recorded(family);
    assert_eq!(all.len(), replies, "{family}");
    let mut out = String::new();
    for (name, bytes) in all {
        writeln!(out, "{name}\n{}", decoded(&name, api, &bytes)).unwrap();
    }
    want.assert_eq(&out);
}

#[test]
fn anthropic_streams_decode_to_what_their_bytes_say() {
    check("anthropic", 42, &expect_file!["../../tests/golden/streams/anthropic.txt"]);
}

#[test]
fn chat_streams_decode_to_what_their_bytes_say() {
    check("openai-chat", 48, &expect_file!["../../tests/golden/streams/openai-chat.txt"]);
}

#[test]
fn responses_streams_decode_to_what_their_bytes_say() {
    check("openai-responses", 31, &expect_file!["../../tests/golden/streams/openai-responses.txt"]);
}

#[test]
fn gemini_streams_decode_to_what_their_bytes_say() {
    check("gemini", 16, &expect_file!["../../tests/golden/streams/gemini.txt"]);
}
