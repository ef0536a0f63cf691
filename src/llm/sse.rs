//! Server-sent events: bytes in any pieces to events, in linear time and without waiting for more than it needs.
//!
//! The content of events is not interpreted. Lines end in LF, CRLF or a lone CR; a piece may end anywhere, also
//! inside a character. Comments, `id:` and `retry:` are skipped. An event without its final blank line is emitted at
//! the end.
//!
//! Why our own reader: eventsource-stream panics on a byte order mark and is quadratic on large events, and a guard around it would be
//! longer than this file.

use super::error::{Error, ErrorKind};
use bytes::Bytes;
use futures_util::stream::{Stream, StreamExt};
use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The maximum size of an event; image replies reach a few MiB.
const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

/// Maximum size of comments and other lines without data between two events. A server that keeps a connection alive sends a few bytes every
/// few seconds.
const MAX_IDLE_BYTES: usize = 1024 * 1024;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// The `event:` field; empty if there was none.
    pub name: String,
    /// The `data:` lines, joined with LF.
    pub data: String,
}

/// Reads events from a stream of bytes. After an error it ends.
///
/// # Example
///
/// ```
/// use bytes::Bytes;
/// use futures_util::{StreamExt, stream};
/// use pintle_llm::sse;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let pieces = ["event: delta\nda", "ta: {\"text\":\"Hi\"}\n\n: ping\n\ndata: [DONE]\n\n"];
/// let bytes = stream::iter(pieces.map(|piece| Ok(Bytes::from(piece))));
/// let events: Vec<_> = sse::events(bytes).map(Result::unwrap).collect().await;
/// assert_eq!((events[0].name.as_str(), events[0].data.as_str()), ("delta", r#"{"text":"Hi"}"#));
/// assert_eq!(events[1].data, "[DONE]");
/// # }
/// ```
pub fn events<S>(bytes: S) -> Events<S>
where
    S: Stream<Item = Result<Bytes, Error>> + Unpin,
{
    Events { bytes: Some(bytes), parser: Parser::default(), ready: VecDeque::new(), failed: None }
}

/// Stream returned by [`events`].
#[derive(Debug)]
pub struct Events<S> {
    /// `None` once it ended.
    bytes: Option<S>,
    parser: Parser,
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
                Some(Ok(piece)) => this.parser.push(&piece, &mut this.ready),
                Some(Err(error)) => Err(error),
                None => {
                    this.bytes = None;
                    this.parser.finish(&mut this.ready)
                }
            };
            this.failed = outcome.err();
        }
    }
}

/// The state between two pieces.
#[derive(Debug, Default)]
struct Parser {
    /// A line that has not ended yet.
    line: Vec<u8>,
    name: String,
    /// The event's data so far; `None` before the first `data:` line.
    data: Option<String>,
    /// Bytes of lines without data since the last event.
    idle_bytes: usize,
    /// True if the last byte was a CR: an LF right after it belongs to the same line end.
    after_cr: bool,
    /// True if the first line, which may begin with a byte order mark, has been read.
    past_start: bool,
}

impl Parser {
    fn push(&mut self, piece: &[u8], ready: &mut VecDeque<SseEvent>) -> Result<(), Error> {
        let mut rest = piece;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, end) = rest.split_at(at);
            rest = match end {
                [b'\r'] => {
                    self.after_cr = true;
                    &[]
                }
                [b'\r', b'\n', tail @ ..] | [_, tail @ ..] => tail,
                [] => &[],
            };
            if self.line.is_empty() {
                self.take_line(line, ready)?;
            } else {
                self.check_size(line.len())?;
                let mut whole = std::mem::take(&mut self.line);
                whole.extend_from_slice(line);
                self.take_line(&whole, ready)?;
                whole.clear();
                self.line = whole;
            }
        }
        self.check_size(rest.len())?;
        self.line.extend_from_slice(rest);
        Ok(())
    }

    fn finish(&mut self, ready: &mut VecDeque<SseEvent>) -> Result<(), Error> {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.take_line(&line, ready)?;
        }
        self.dispatch(ready);
        Ok(())
    }

    fn take_line(&mut self, line: &[u8], ready: &mut VecDeque<SseEvent>) -> Result<(), Error> {
        let line = if self.past_start {
            line
        } else {
            self.past_start = true;
            line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
        };
        if line.is_empty() {
            self.dispatch(ready);
            return Ok(());
        }
        let line = std::str::from_utf8(line).map_err(|error| {
            Error::new(ErrorKind::Protocol, format!("the stream is not UTF-8: {error}"))
        })?;
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                self.check_size(value.len())?;
                match &mut self.data {
                    None => self.data = Some(value.to_owned()),
                    Some(data) => {
                        data.push('\n');
                        data.push_str(value);
                    }
                }
            }
            "event" => value.clone_into(&mut self.name),
            _ => {}
        }
        if field != "data" {
            self.idle_bytes += line.len() + 1;
        }
        if self.idle_bytes > MAX_IDLE_BYTES {
            let limit = MAX_IDLE_BYTES >> 20;
            let message = format!("over {limit} MiB of the stream are no events");
            return Err(Error::new(ErrorKind::Protocol, message));
        }
        Ok(())
    }

    /// An event without data is not emitted.
    fn dispatch(&mut self, ready: &mut VecDeque<SseEvent>) {
        let name = std::mem::take(&mut self.name);
        if let Some(data) = self.data.take() {
            self.idle_bytes = 0;
            ready.push_back(SseEvent { name, data });
        }
    }

    fn check_size(&self, more: usize) -> Result<(), Error> {
        let bytes = self.line.len() + self.data.as_ref().map_or(0, String::len) + more;
        if bytes <= MAX_EVENT_BYTES {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Protocol,
            format!("a stream event exceeds {} MiB", MAX_EVENT_BYTES >> 20),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::{FutureExt, stream};

    fn read(pieces: Vec<&[u8]>) -> Result<Vec<SseEvent>, Error> {
        let pieces: Vec<_> =
            pieces.into_iter().map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
        let all: Vec<_> = events(stream::iter(pieces)).collect().now_or_never().unwrap();
        all.into_iter().collect()
    }

    fn pairs(pieces: Vec<&[u8]>) -> Vec<(String, String)> {
        read(pieces).unwrap().into_iter().map(|event| (event.name, event.data)).collect()
    }

    #[test]
    fn events_are_the_same_however_the_bytes_are_cut() {
        for (input, want) in [
            ("data: a\n\ndata: b\n\n", &[("", "a"), ("", "b")][..]),
            ("event: x\r\ndata: a\r\n\r\n", &[("x", "a")]),
            ("event: x\rdata: a\r\rdata: b\r\r", &[("x", "a"), ("", "b")]),
            ("data: a\r\n\r\ndata: b\n\ndata: c\r\r", &[("", "a"), ("", "b"), ("", "c")]),
            ("\u{feff}data: a\n\n", &[("", "a")]),
            ("\u{feff}\ndata: a\n\n", &[("", "a")]),
            (": ping\n\n: again\ndata: a\n: inside\ndata: b\n\n", &[("", "a\nb")]),
            ("data:a\ndata:  b\ndata\ndata:\n\n", &[("", "a\n b\n\n")]),
            ("id: 1\nretry: 5\nevent: x\n\ndata: a\n\n", &[("", "a")]),
            ("data: 😀 – ü\n\n", &[("", "😀 – ü")]),
            ("data: a\n\ndata: cut", &[("", "a"), ("", "cut")]),
            ("data: a\n\nevent: e\ndata: b\n", &[("", "a"), ("e", "b")]),
            ("data: a\u{2028}b\n\n", &[("", "a\u{2028}b")]),
            ("\n\n\n", &[]),
            ("", &[]),
        ] {
            let want: Vec<_> =
                want.iter().map(|(name, data)| ((*name).to_owned(), (*data).to_owned())).collect();
            let bytes = input.as_bytes();
            assert_eq!(pairs(vec![bytes]), want, "whole {input:?}");
            for at in 0..=bytes.len() {
                assert_eq!(pairs(vec![&bytes[..at], &bytes[at..]]), want, "{input:?} cut at {at}");
            }
            assert_eq!(pairs(bytes.chunks(1).collect()), want, "{input:?} byte by byte");
        }
    }

    proptest::proptest! {
        #![proptest_config(pintle_testing::chance::cases(256))]

        #[test]
        fn any_text_cut_anywhere_gives_the_same_events(
            parts in proptest::collection::vec(
                proptest::sample::select(vec!["data:", "data: x", "event: e", ":", " ", "\n", "\r", "\r\n", "é", "\u{feff}"]),
                0..20,
            ),
            cuts in proptest::collection::vec(0_usize..80, 0..4),
        ) {
            let text = parts.concat();
            let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces = cuts.windows(2).map(|cut| &text.as_bytes()[cut[0]..cut[1]]).collect();
            proptest::prop_assert_eq!(pairs(pieces), pairs(vec![text.as_bytes()]));
        }
    }

    #[test]
    fn bad_text_is_an_error_behind_the_good_events() {
        let pieces: Vec<_> =
            [Ok(Bytes::from_static(b"data: a\n\ndata: \xff\n\ndata: b\n\n"))].into();
        let all: Vec<_> = events(stream::iter(pieces)).collect().now_or_never().unwrap();
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].as_ref().unwrap().data, "a");
        assert_eq!(all[1].as_ref().unwrap_err().kind, ErrorKind::Protocol);
    }

    #[test]
    fn a_broken_body_ends_the_events() {
        let broken = Error::new(ErrorKind::Network, "reset");
        let pieces = vec![Ok(Bytes::from_static(b"data: a\n\ndata: b")), Err(broken.clone())];
        let all: Vec<_> = events(stream::iter(pieces)).collect().now_or_never().unwrap();
        assert_eq!(all.last(), Some(&Err(broken)));
        assert_eq!(all.len(), 2);
    }

    #[test]
    fn events_over_the_limit_are_refused_and_those_below_take_linear_time() {
        let chunk = vec![b'x'; 8192];
        for (mebibytes, fits) in [(15, true), (17, false)] {
            let mut pieces: Vec<&[u8]> = vec![b"data: "];
            pieces.resize(1 + mebibytes * 128, &chunk);
            pieces.push(b"\n\n");
            assert_eq!(read(pieces).is_ok(), fits);
        }
        let many: Vec<u8> =
            std::iter::repeat_n(&b"data: 0123456789\n"[..], 1_700_000).flatten().copied().collect();
        assert!(read(many.chunks(65536).collect()).is_err(), "many lines of one event");
    }
}
