//! Amazon's binary event stream: byte chunks to events, in linear time. Checksums are verified.
//!
//! A frame consists of its length, the header length, a checksum of both, the headers, the payload and a checksum of everything. Model
//! output is base64 in the JSON of `event` frames. An exception becomes an `error` event in Anthropic's format, so the decoder need not
//! know its origin.
//!
//! Source: smithy.io, "Amazon Event Stream specification", and the reader in PyPI botocore 1.44.5, read 2026-11.

use crate::error::{Error, ErrorKind};
use crate::sse::SseEvent;
use base64::Engine as _;
use bytes::{Buf, Bytes};
use futures_util::stream::{Stream, StreamExt};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The largest frame; Amazon sends none above 16 MiB of payload.
const MAX_FRAME_BYTES: usize = 17 * 1024 * 1024;

/// Two lengths and their checksum.
const PRELUDE_BYTES: usize = 12;

/// The checksum at the end.
const CHECKSUM_BYTES: usize = 4;

/// Reads events from a stream of bytes. After an error it ends.
pub(crate) fn events<S>(bytes: S) -> Events<S>
where
    S: Stream<Item = Result<Bytes, Error>> + Unpin,
{
    Events { bytes: Some(bytes), rest: Vec::new(), ready: VecDeque::new(), failed: None }
}

/// Stream returned by [`events`].
#[derive(Debug)]
pub(crate) struct Events<S> {
    /// `None` once it ended.
    bytes: Option<S>,
    /// A frame that has not ended yet.
    rest: Vec<u8>,
    ready: VecDeque<SseEvent>,
    /// The error to return after the events that are ready.
    failed: Option<Error>,
}

impl<S> Stream for Events<S>
where
    S: Stream<Item = Result<Bytes, Error>> + Unpin,
{
    type Item = Result<SseEvent, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if let Some(event) = this.ready.pop_front() {
                return Poll::Ready(Some(Ok(event)));
            }
            if let Some(error) = this.failed.take() {
                this.bytes = None;
                return Poll::Ready(Some(Err(error)));
            }
            let Some(bytes) = &mut this.bytes else { return Poll::Ready(None) };
            let outcome = match std::task::ready!(bytes.poll_next_unpin(cx)) {
                Some(Ok(piece)) => {
                    this.rest.extend_from_slice(&piece);
                    take_frames(&mut this.rest, &mut this.ready)
                }
                Some(Err(error)) => Err(error),
                None => {
                    this.bytes = None;
                    let is_cut = !this.rest.is_empty();
                    if is_cut { Err(broken("the stream was cut inside a frame")) } else { Ok(()) }
                }
            };
            this.failed = outcome.err();
        }
    }
}

fn broken(message: &str) -> Error {
    Error::new(ErrorKind::Protocol, message)
}

/// Takes complete frames from the front.
fn take_frames(buffer: &mut Vec<u8>, ready: &mut VecDeque<SseEvent>) -> Result<(), Error> {
    let mut done = 0;
    let outcome = loop {
        match next_frame(buffer.get(done..).unwrap_or_default()) {
            Ok(Some((frame, length))) => {
                done += length;
                match event(&frame) {
                    Ok(event) => ready.extend(event),
                    Err(error) => break Err(error),
                }
            }
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    buffer.drain(..done.min(buffer.len()));
    outcome
}

/// Complete frame.
#[derive(Debug)]
struct Frame<'a> {
    headers: &'a [u8],
    payload: &'a [u8],
}

/// Returns the frame at the front, and its length; `None` if more data is needed.
fn next_frame(bytes: &[u8]) -> Result<Option<(Frame<'_>, usize)>, Error> {
    let Some((mut prelude, _)) = bytes.split_at_checked(PRELUDE_BYTES) else { return Ok(None) };
    let sum = crc32fast::hash(prelude.get(..PRELUDE_BYTES - CHECKSUM_BYTES).unwrap_or_default());
    let (length, headers_length) = (size(prelude.get_u32()), size(prelude.get_u32()));
    if prelude.get_u32() != sum {
        return Err(broken("a frame header has the wrong checksum"));
    }
    let least = headers_length.saturating_add(PRELUDE_BYTES + CHECKSUM_BYTES);
    if length < least || length > MAX_FRAME_BYTES {
        return Err(broken("a frame has an impossible length"));
    }
    let Some(whole) = bytes.get(..length) else { return Ok(None) };
    let (checked, mut sum) = whole.split_at(length - CHECKSUM_BYTES);
    if crc32fast::hash(checked) != sum.get_u32() {
        return Err(broken("a frame has the wrong checksum"));
    }
    let (headers, payload) =
        checked.get(PRELUDE_BYTES..).unwrap_or_default().split_at(headers_length);
    Ok(Some((Frame { headers, payload }, length)))
}

fn size(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Returns a text header's value.
fn header<'a>(mut headers: &'a [u8], wanted: &str) -> Option<&'a str> {
    while !headers.is_empty() {
        let length = usize::from(headers.try_get_u8().ok()?);
        let (name, rest) = headers.split_at_checked(length)?;
        headers = rest;
        let kind = headers.try_get_u8().ok()?;
        let length = match kind {
            0 | 1 => 0,
            2 => 1,
            3 => 2,
            4 => 4,
            5 | 8 => 8,
            6 | 7 => usize::from(headers.try_get_u16().ok()?),
            9 => 16,
            _ => return None,
        };
        let (value, rest) = headers.split_at_checked(length)?;
        headers = rest;
        if name == wanted.as_bytes() {
            return std::str::from_utf8(value).ok().filter(|_| kind == 7);
        }
    }
    None
}

/// Decodes a frame; `None` for frames without content.
fn event(frame: &Frame<'_>) -> Result<Option<SseEvent>, Error> {
    let payload = || serde_json::from_slice::<Value>(frame.payload).unwrap_or_default();
    let text = |value: &Value, keys: &[&str]| {
        keys.iter().find_map(|key| value.get(key)?.as_str()).map(str::to_owned)
    };
    let error = |code: &str, message: String| SseEvent {
        name: "error".to_owned(),
        data: json!({ "type": "error", "error": { "type": code, "message": message } }).to_string(),
    };
    match header(frame.headers, ":message-type") {
        Some("exception") => {
            let code = header(frame.headers, ":exception-type").unwrap_or("exception");
            let said = payload();
            let mut message = text(&said, &["message", "Message"]).unwrap_or_default();
            // The model server's message accompanies Amazon's.
            if let Some(original) = text(&said, &["originalMessage"]) {
                message = format!("{message}: {original}");
            }
            let message = if message.is_empty() { code.to_owned() } else { message };
            Ok(Some(error(code, message)))
        }
        Some("error") => {
            let code = header(frame.headers, ":error-code").unwrap_or("error");
            let message = header(frame.headers, ":error-message").unwrap_or(code);
            Ok(Some(error(code, message.to_owned())))
        }
        Some("event") if header(frame.headers, ":event-type") == Some("chunk") => {
            let encoded = text(&payload(), &["bytes"]);
            let encoded = encoded.ok_or_else(|| broken("a frame holds no bytes"))?;
            let data = base64::engine::general_purpose::STANDARD.decode(encoded).ok();
            let data = data.and_then(|data| String::from_utf8(data).ok());
            let data = data.ok_or_else(|| broken("a frame's bytes are not valid base64"))?;
            Ok(Some(SseEvent { name: String::new(), data }))
        }
        _ => Ok(None),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use futures_util::FutureExt;
    use futures_util::stream;

    /// Builds a frame with these headers, all of them text.
    pub(crate) fn frame(headers: &[(&str, &str)], payload: &[u8]) -> Vec<u8> {
        let mut named = Vec::new();
        for (name, value) in headers {
            named.push(u8::try_from(name.len()).unwrap());
            named.extend(name.as_bytes());
            named.push(7);
            named.extend(u16::try_from(value.len()).unwrap().to_be_bytes());
            named.extend(value.as_bytes());
        }
        let length = PRELUDE_BYTES + named.len() + payload.len() + CHECKSUM_BYTES;
        let mut frame = Vec::new();
        frame.extend(u32::try_from(length).unwrap().to_be_bytes());
        frame.extend(u32::try_from(named.len()).unwrap().to_be_bytes());
        frame.extend(crc32fast::hash(&frame).to_be_bytes());
        frame.extend(named);
        frame.extend(payload);
        frame.extend(crc32fast::hash(&frame).to_be_bytes());
        frame
    }

    /// Builds a frame with model output.
    pub(crate) fn chunk(data: &str) -> Vec<u8> {
        let bytes = base64::engine::general_purpose::STANDARD.encode(data);
        let payload = json!({ "bytes": bytes, "p": "abc" }).to_string();
        let headers = [
            (":event-type", "chunk"),
            (":content-type", "application/json"),
            (":message-type", "event"),
        ];
        frame(&headers, payload.as_bytes())
    }

    fn read(pieces: Vec<&[u8]>) -> (Vec<(String, String)>, Option<ErrorKind>) {
        let pieces: Vec<_> =
            pieces.into_iter().map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
        let all: Vec<_> = events(stream::iter(pieces)).collect().now_or_never().unwrap();
        let mut read = Vec::new();
        for event in all {
            match event {
                Ok(event) => read.push((event.name, event.data)),
                Err(error) => return (read, Some(error.kind)),
            }
        }
        (read, None)
    }

    #[test]
    fn frames_cut_anywhere_give_the_same_events() {
        let exception = frame(
            &[(":message-type", "exception"), (":exception-type", "throttlingException")],
            br#"{"message":"slow down"}"#,
        );
        let odd = frame(&[(":message-type", "event"), (":event-type", "later")], b"\xff");
        let all =
            [chunk(r#"{"type":"ping"}"#), odd, chunk("{\"a\":\"\u{1F600}\"}"), exception].concat();
        let want = vec![
            (String::new(), r#"{"type":"ping"}"#.to_owned()),
            (String::new(), "{\"a\":\"\u{1F600}\"}".to_owned()),
            (
                "error".to_owned(),
                r#"{"type":"error","error":{"type":"throttlingException","message":"slow down"}}"#
                    .to_owned(),
            ),
        ];
        assert_eq!(read(vec![&all]), (want.clone(), None));
        for at in 0..=all.len() {
            assert_eq!(read(vec![&all[..at], &all[at..]]), (want.clone(), None), "cut at {at}");
        }
        assert_eq!(read(all.chunks(1).collect()), (want, None), "byte by byte");
    }

    #[test]
    fn a_broken_frame_is_an_error_after_the_valid_events() {
        let good = chunk("{}");
        let after = |bytes: &[u8]| [good.as_slice(), bytes].concat();
        let mut wrong_start = chunk("{}");
        wrong_start[9] ^= 1;
        let mut wrong_end = chunk("{}");
        *wrong_end.last_mut().unwrap() ^= 1;
        let mut wrong_payload = chunk("{}");
        let middle = wrong_payload.len() - 6;
        wrong_payload[middle] ^= 1;
        let mut huge = vec![0x7f, 0, 0, 0, 0, 0, 0, 0];
        huge.extend(crc32fast::hash(&huge).to_be_bytes());
        let mut headers_too_long = vec![0, 0, 0, 20, 0, 0, 0, 9];
        headers_too_long.extend(crc32fast::hash(&headers_too_long).to_be_bytes());
        headers_too_long.extend([0; 8]);
        let is_event = [(":message-type", "event"), (":event-type", "chunk")];
        for (name, bytes) in [
            ("a start that changed on the way", wrong_start),
            ("an end that changed on the way", wrong_end),
            ("a payload that changed on the way", wrong_payload),
            ("a length beyond all frames", huge),
            ("headers longer than their frame", headers_too_long),
            ("a cut frame", chunk("{}")[..20].to_vec()),
            ("a payload that is not JSON", frame(&is_event, b"x")),
            ("bytes that are not base64", frame(&is_event, br#"{"bytes":"%"}"#)),
            ("bytes that are not text", frame(&is_event, br#"{"bytes":"//8="}"#)),
        ] {
            let (events, error) = read(vec![&after(&bytes)]);
            assert_eq!((events.len(), error), (1, Some(ErrorKind::Protocol)), "{name}");
        }
    }

    #[test]
    fn headers_of_all_kinds_are_stepped_over() {
        let kinds: &[u8] = &[
            1, b'a', 0, 1, b'b', 1, 1, b'c', 2, 9, 1, b'd', 3, 0, 1, 1, b'e', 4, 0, 0, 0, 1, 1,
            b'f', 5, 0, 0, 0, 0, 0, 0, 0, 1, 1, b'g', 6, 0, 2, 7, 7, 1, b'h', 8, 0, 0, 0, 0, 0, 0,
            0, 1, 1, b'i', 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, b'z', 7, 0, 2,
            b'o', b'k',
        ];
        assert_eq!(header(kinds, "z"), Some("ok"));
        assert_eq!(header(kinds, "e"), None, "not text");
        for at in 0..kinds.len() {
            assert_eq!(header(&kinds[..at], "z"), None, "cut at {at}");
        }
        assert_eq!(header(&[1, b'a', 77], "a"), None, "an unknown kind");
    }

    /// Frames from other sources than this project, as known from the tests of several Amazon clients; the event stream code of PyPI
    /// botocore 1.44.5 reads them the same way.
    #[test]
    fn frames_of_others_are_read() {
        let vector = b"\x00\x00\x00+\x00\x00\x00\x0e4\x8b\xec{\x08event-id\x04\x00\x00\xa0\x0c{'foo':'bar'}\xd3\x89\x02\x85";
        let (frame, length) = next_frame(vector).unwrap().unwrap();
        assert_eq!((frame.payload, length), (&b"{'foo':'bar'}"[..], vector.len()));
        let empty = b"\x00\x00\x00\x10\x00\x00\x00\x00\x05\xc2H\xeb}\x98\xc8\xff";
        assert_eq!(read(vec![empty]), (Vec::new(), None));
    }
}
