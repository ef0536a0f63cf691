//! Recorded streams for decoder tests: each is decoded whole, byte by byte, in random chunks, and with its start cut at every byte, always
//! with the same result.

use super::catalog::Api;
use super::error::Error;
use super::message::{Assistant, AssistantBlock, Opaque};
use super::remote::decode_pieces;
use super::sse::{self, SseEvent};
use super::{Accumulator, Delta, ProviderCall};
use bytes::Bytes;
use futures_util::{FutureExt, StreamExt, stream};
use pintle_protocol::content::Usage;
use std::fmt::Write;

/// Length of the prefix that is cut at every byte.
const CUTS: usize = 4096;

/// Families of recorded streams, named after their directories.
pub(super) const FAMILIES: [(&str, Api); 4] = [
    ("anthropic", Api::Messages),
    ("gemini", Api::Gemini),
    ("openai-chat", Api::Chat),
    ("openai-responses", Api::Responses),
];

/// Returns a family's recorded replies with their names; a file may contain several.
#[expect(clippy::disallowed_methods, reason = "fixtures are files")]
pub(super) fn recorded(family: &str) -> Vec<(String, Bytes)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/provider-streams");
    let index: Vec<serde_json::Value> =
        serde_json::from_slice(&std::fs::read(format!("{folder}/index.json")).unwrap()).unwrap();
    let mut replies = Vec::new();
    for entry in &index {
        let name = entry["name"].as_str().unwrap();
        if name.split('/').next() != Some(family) {
            continue;
        }
        let bytes = Bytes::from(std::fs::read(format!("{folder}/{name}.sse")).unwrap());
        let mut starts: Vec<usize> = Vec::new();
        if let Ok(text) = std::str::from_utf8(&bytes) {
            starts.extend(text.match_indices("event: message_start").map(|(at, _)| at).skip(1));
        }
        let ends = starts.iter().copied().chain([bytes.len()]);
        let mut from = 0;
        for (number, to) in (1..).zip(ends) {
            let number = if starts.is_empty() { String::new() } else { format!(" #{number}") };
            replies.push((format!("{name}{number}"), bytes.slice(from..to)));
            from = to;
        }
    }
    replies
}

/// Returns the reply in a stream, in a short form, after checking that it does not depend on how the stream is cut.
pub(super) fn decoded(name: &str, api: Api, bytes: &Bytes) -> String {
    let whole = decode_pieces(api, vec![bytes.clone()]);
    let want = format!("{whole:?}");
    check_cuts(name, bytes);
    let single = (0..bytes.len()).map(|at| bytes.slice(at..=at)).collect();
    assert_eq!(format!("{:?}", decode_pieces(api, single)), want, "{name} byte by byte");
    let mut seed = bytes.len();
    let mut pieces = Vec::new();
    let mut from = 0;
    while from < bytes.len() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let to = (from + 1 + (seed >> 33) % 700).min(bytes.len());
        pieces.push(bytes.slice(from..to));
        from = to;
    }
    assert_eq!(format!("{:?}", decode_pieces(api, pieces)), want, "{name} in random pieces");
    // A reply with a lost line near its end still ends in a stop or an error, without a panic.
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let ends = (0..lines.len()).filter(|at| *at < 6 || at + 9 > lines.len());
    for lost in ends {
        let rest = [&lines[..lost], &lines[lost + 1..]].concat().concat();
        shown(decode_pieces(api, vec![Bytes::from(rest)]));
    }
    shown(whole)
}

/// Cuts a stream's start at every byte. A decoder sees only events, so a cut that leaves the events unchanged leaves the reply unchanged,
/// and a cut can affect only the event that contains it and the next one.
fn check_cuts(name: &str, bytes: &Bytes) {
    let mut borders = vec![0];
    let is_end =
        |at: &usize| bytes[..*at].ends_with(b"\n\n") || bytes[..*at].ends_with(b"\r\n\r\n");
    borders.extend((1..bytes.len()).filter(is_end));
    borders.push(bytes.len());
    for pair in borders.windows(2).take_while(|pair| pair[0] < CUTS) {
        let end = borders.iter().find(|end| **end > pair[1]).copied().unwrap_or(bytes.len());
        let window = bytes.slice(pair[0]..end);
        let want = events(vec![window.clone()]);
        for at in 1..=(pair[1] - pair[0]).min(CUTS) {
            let cut = vec![window.slice(..at), window.slice(at..)];
            assert!(events(cut) == want, "{name} cut at {}", pair[0] + at);
        }
    }
}

fn events(pieces: Vec<Bytes>) -> Vec<Result<SseEvent, Error>> {
    let pieces = stream::iter(pieces.into_iter().map(Ok));
    sse::events(pieces).collect().now_or_never().unwrap()
}

/// Returns the reply in these bytes, in a short form.
pub(super) fn decoded_text(api: Api, text: &str) -> String {
    shown(decode_pieces(api, vec![Bytes::copy_from_slice(text.as_bytes())]))
}

/// Renders one line per block; long texts are shortened to their ends.
pub(super) fn shown(deltas: Vec<Result<Delta, Error>>) -> String {
    let mut message = Accumulator::default();
    let mut stops = 0;
    let mut failure = None;
    let mut provider_calls = String::new();
    for delta in deltas {
        match delta {
            Ok(delta) => {
                assert!(failure.is_none(), "nothing follows an error");
                stops += usize::from(matches!(delta, Delta::Stop(_)));
                if let Delta::ProviderCall(call) = &delta {
                    let ProviderCall { id, tool, input, outcome } = &**call;
                    let input =
                        input.as_ref().map(|input| format!(" {}", short(&input.to_string())));
                    let outcome = outcome.as_ref().map(|outcome| match outcome {
                        Ok(text) => format!(" found {}", short(text)),
                        Err(error) => format!(" failed {error}"),
                    });
                    let (input, outcome) = (input.unwrap_or_default(), outcome.unwrap_or_default());
                    writeln!(provider_calls, "provider {tool} {id}{input}{outcome}").unwrap();
                }
                message.push(&delta);
            }
            Err(error) => failure = Some(error),
        }
    }
    let usage = message.usage();
    let stop = message.stop();
    let mut out = blocks(&message.finish("test/m".to_owned()));
    out.push_str(&provider_calls);
    if usage != Usage::default() {
        let Usage {
            input_tokens,
            output_tokens,
            cache_read_tokens,
            cache_write_tokens,
            reasoning_tokens,
            web_searches,
        } = usage;
        writeln!(out, "usage in {input_tokens} out {output_tokens} read {cache_read_tokens} written {cache_write_tokens} reasoning {reasoning_tokens}").unwrap();
        if web_searches > 0 {
            writeln!(out, "searches {web_searches}").unwrap();
        }
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
            AssistantBlock::Text { text, opaque } => {
                writeln!(out, "text {}{}", short(text), raw(opaque.as_ref()))
            }
            AssistantBlock::Reasoning { text, opaque } => {
                writeln!(out, "reasoning {}{}", short(text), raw(opaque.as_ref()))
            }
            AssistantBlock::ToolCall { id, name, arguments, opaque } => {
                writeln!(out, "call {id} {name} {}{}", short(arguments), raw(opaque.as_ref()))
            }
            AssistantBlock::Unknown(raw) => writeln!(out, "unknown {}", short(raw.0.get())),
        }
        .unwrap();
    }
    out
}

fn raw(opaque: Option<&Opaque>) -> String {
    opaque.map_or(String::new(), |raw| format!(" keeps {}", short(raw.0.get())))
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
