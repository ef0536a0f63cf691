//! Recorded streams for the tests of the decoders: each is decoded whole, byte by byte, and its start
//! cut at every byte border, with the same result.

use super::catalog::Api;
use super::error::Error;
use super::message::{Assistant, AssistantBlock};
use super::remote::decode_pieces;
use super::sse::{self, SseEvent};
use super::{Accumulator, Delta};
use bytes::Bytes;
use futures_util::{FutureExt, StreamExt, stream};
use pintle_protocol::content::Usage;
use std::fmt::Write;

/// How much of a stream is cut at every byte.
const CUTS: usize = 4096;

/// The reply that a recorded stream holds, in a short form.
#[expect(clippy::disallowed_methods, reason = "fixtures are files")]
pub(super) fn decoded(name: &str) -> String {
    let api = if name.starts_with("anthropic/") { Api::Messages } else { Api::Chat };
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/provider-streams");
    let bytes = Bytes::from(std::fs::read(format!("{folder}/{name}.sse")).unwrap());
    let whole = decode_pieces(api, vec![bytes.clone()]);
    let want = format!("{whole:?}");
    // Decoders see events only, so a cut that leaves the events alone leaves the reply alone.
    let head = bytes.slice(..bytes.len().min(CUTS));
    let head_want = events(vec![head.clone()]);
    for at in 0..head.len() {
        assert!(
            events(vec![head.slice(..at), head.slice(at..)]) == head_want,
            "{name} cut at {at}"
        );
    }
    let single = (0..bytes.len()).map(|at| bytes.slice(at..=at)).collect();
    assert_eq!(format!("{:?}", decode_pieces(api, single)), want, "{name} byte by byte");
    // Whatever one lost line near an end does to a reply, it ends in a stop or an error, and nothing panics.
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let ends = (0..lines.len()).filter(|at| *at < 20 || at + 20 > lines.len());
    for lost in ends {
        let rest = [&lines[..lost], &lines[lost + 1..]].concat().concat();
        shown(decode_pieces(api, vec![Bytes::from(rest)]));
    }
    shown(whole)
}

fn events(pieces: Vec<Bytes>) -> Vec<Result<SseEvent, Error>> {
    let pieces = stream::iter(pieces.into_iter().map(Ok));
    sse::events(pieces).collect().now_or_never().unwrap()
}

/// The reply that these bytes hold, in a short form.
pub(super) fn decoded_text(api: Api, text: &str) -> String {
    shown(decode_pieces(api, vec![Bytes::copy_from_slice(text.as_bytes())]))
}

/// One line a block; long texts by their ends.
fn shown(deltas: Vec<Result<Delta, Error>>) -> String {
    let mut message = Accumulator::default();
    let mut stops = 0;
    let mut failure = None;
    for delta in deltas {
        match delta {
            Ok(delta) => {
                assert!(failure.is_none(), "nothing follows an error");
                stops += usize::from(matches!(delta, Delta::Stop(_)));
                message.push(&delta);
            }
            Err(error) => failure = Some(error),
        }
    }
    let usage = message.usage();
    let stop = message.stop();
    let mut out = blocks(&message.finish("test/m".to_owned()));
    if usage != Usage::default() {
        let Usage {
            input_tokens,
            output_tokens,
            cache_read_tokens,
            cache_write_tokens,
            reasoning_tokens,
        } = usage;
        writeln!(out, "usage in {input_tokens} out {output_tokens} read {cache_read_tokens} written {cache_write_tokens} reasoning {reasoning_tokens}").unwrap();
    }
    match (failure, stop) {
        (Some(error), _) => writeln!(out, "{}: {error}", error.kind.code()).unwrap(),
        (None, Some(stop)) => writeln!(out, "stop {stop:?}").unwrap(),
        (None, None) => panic!("neither stop nor error"),
    }
    assert!(stops <= 1, "one stop");
    out
}

fn blocks(message: &Assistant) -> String {
    let mut out = String::new();
    for block in &message.blocks {
        match block {
            AssistantBlock::Text { text } => writeln!(out, "text {}", short(text)),
            AssistantBlock::Reasoning { text, opaque } => {
                let opaque = opaque.as_ref().map_or(String::new(), |raw| raw.0.get().to_owned());
                writeln!(out, "reasoning {} {}", short(text), short(&opaque))
            }
            AssistantBlock::ToolCall { id, name, arguments, opaque: _ } => {
                writeln!(out, "call {id} {name} {}", short(arguments))
            }
            AssistantBlock::Unknown(raw) => writeln!(out, "unknown {}", short(raw.0.get())),
        }
        .unwrap();
    }
    out
}

fn short(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= 90 {
        return format!("{text:?}");
    }
    let head: String = chars[..45].iter().collect();
    let tail: String = chars[chars.len() - 30..].iter().collect();
    format!("{head:?} … {tail:?} ({} chars)", chars.len())
}
