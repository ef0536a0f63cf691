//! Framing, pure: bytes in, messages out, and the other way round.
//!
//! The first significant byte of a connection decides: `{` or `[` means one message a line, a letter
//! means `Content-Length` headers as in LSP. It then stays fixed, for both directions.
//!
//! # Example
//!
//! ```
//! use pintle_base::transport::Incoming;
//! use pintle_base::transport::codec::{Decoder, Framing};
//!
//! let mut wire = Vec::new();
//! Framing::Headers.encode(b"{\"id\":1}", &mut wire);
//!
//! let mut decoder = Decoder::new(None, 1024);
//! decoder.push(&wire[..10]);
//! assert_eq!(decoder.next_message(), None);
//! decoder.push(&wire[10..]);
//! assert_eq!(decoder.next_message(), Some(Incoming::Message(b"{\"id\":1}".to_vec())));
//! assert_eq!(decoder.framing(), Some(Framing::Headers));
//! ```

use super::Incoming;

/// The framing of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// One JSON text per line, ended by LF.
    Ndjson,
    /// As `Ndjson`, but an empty line is a message too.
    Lines,
    /// `Content-Length: N`, an empty line, N bytes.
    Headers,
}

impl Framing {
    /// Writes a message with its frame to the end of `out`.
    pub fn encode(self, message: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Ndjson | Self::Lines => {
                out.extend_from_slice(message);
                out.push(b'\n');
            }
            Self::Headers => {
                out.extend_from_slice(
                    format!("Content-Length: {}\r\n\r\n", message.len()).as_bytes(),
                );
                out.extend_from_slice(message);
            }
        }
    }
}

/// The maximum size of a header block; a real one has one or two short lines.
const MAX_HEADER_BYTES: usize = 8 * 1024;

/// Cuts a stream of bytes into messages. Memory stays below twice the message limit whatever comes.
#[derive(Debug)]
pub struct Decoder {
    framing: Option<Framing>,
    max_message_bytes: usize,
    buffer: Vec<u8>,
    /// Bytes consumed from the front, which are removed when more arrive.
    used: usize,
    /// The length already searched for a line ending, so that a long line is searched once.
    searched: usize,
    skip: Skip,
}

/// The part that is skipped after a message over the size limit.
#[derive(Debug, PartialEq, Eq)]
enum Skip {
    Nothing,
    ToLineEnd,
    Bytes(usize),
}

/// What the buffered bytes allow next.
enum Step {
    NeedMore,
    Again,
    Yield(Incoming),
}

impl Decoder {
    /// Creates a decoder that detects the framing by the first byte, or uses the given one.
    pub fn new(framing: Option<Framing>, max_message_bytes: usize) -> Self {
        Self {
            framing,
            max_message_bytes,
            buffer: Vec::new(),
            used: 0,
            searched: 0,
            skip: Skip::Nothing,
        }
    }

    /// The framing, once it is known.
    pub fn framing(&self) -> Option<Framing> {
        self.framing
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.used);
        self.used = 0;
        self.buffer.extend_from_slice(bytes);
    }

    fn rest(&self) -> &[u8] {
        self.buffer.get(self.used..).unwrap_or_default()
    }

    fn take(&mut self, count: usize) -> &[u8] {
        let taken = self.used;
        self.used = (self.used + count).min(self.buffer.len());
        self.buffer.get(taken..self.used).unwrap_or_default()
    }

    /// The next message, if one is complete. Call it until it returns `None`.
    pub fn next_message(&mut self) -> Option<Incoming> {
        loop {
            let step = match (&self.skip, self.framing) {
                (Skip::ToLineEnd, _) => self.skip_line(),
                (Skip::Bytes(count), _) => {
                    let count = *count;
                    self.skip_bytes(count)
                }
                (Skip::Nothing, None) => self.detect(),
                (Skip::Nothing, Some(Framing::Ndjson | Framing::Lines)) => self.line(),
                (Skip::Nothing, Some(Framing::Headers)) => self.headed(),
            };
            match step {
                Step::NeedMore => return None,
                Step::Again => {}
                Step::Yield(incoming) => return Some(incoming),
            }
        }
    }

    /// The last message of a stream that ended without a line end.
    pub fn finish(&mut self) -> Option<Incoming> {
        let rest = self.rest().to_vec();
        self.forget();
        let is_blank = rest.iter().all(u8::is_ascii_whitespace);
        match self.framing {
            _ if is_blank || self.skip != Skip::Nothing => None,
            Some(Framing::Headers) => Some(Incoming::Broken("the input ended inside a message")),
            Some(Framing::Ndjson | Framing::Lines) | None => Some(Incoming::Message(rest)),
        }
    }

    fn detect(&mut self) -> Step {
        const BOM: &[u8] = b"\xEF\xBB\xBF";
        if self.rest().len() < BOM.len() && BOM.starts_with(self.rest()) {
            return Step::NeedMore;
        }
        if self.rest().starts_with(BOM) {
            self.take(BOM.len());
        }
        let blank = self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.take(blank);
        self.framing = match self.rest().first() {
            None => return Step::NeedMore,
            Some(byte) if byte.is_ascii_alphabetic() => match looks_like_header(self.rest()) {
                None => return Step::NeedMore,
                Some(true) => Some(Framing::Headers),
                Some(false) => Some(Framing::Ndjson),
            },
            Some(_) => Some(Framing::Ndjson),
        };
        Step::Again
    }

    fn line(&mut self) -> Step {
        let fresh = self.rest().get(self.searched..).unwrap_or_default();
        let Some(found) = fresh.iter().position(|byte| *byte == b'\n') else {
            self.searched = self.rest().len();
            if self.rest().len() <= self.max_message_bytes {
                return Step::NeedMore;
            }
            self.forget();
            self.skip = Skip::ToLineEnd;
            return Step::Yield(Incoming::TooLarge);
        };
        let end = self.searched + found;
        self.searched = 0;
        let line = self.take(end + 1);
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let message = line.strip_suffix(b"\r").unwrap_or(line).to_vec();
        if message.len() > self.max_message_bytes {
            Step::Yield(Incoming::TooLarge)
        } else if message.iter().all(u8::is_ascii_whitespace)
            && self.framing != Some(Framing::Lines)
        {
            Step::Again
        } else {
            Step::Yield(Incoming::Message(message))
        }
    }

    fn headed(&mut self) -> Step {
        let Some((headers_end, body_start)) = find_header_end(self.rest()) else {
            if self.rest().len() <= MAX_HEADER_BYTES {
                return Step::NeedMore;
            }
            self.forget();
            return Step::Yield(Incoming::Broken("the header block has no end"));
        };
        let headers = self.rest().get(..headers_end).unwrap_or_default();
        let Some(length) = content_length(headers) else {
            self.take(body_start);
            return Step::Yield(Incoming::Broken("a header block without Content-Length"));
        };
        if length > self.max_message_bytes {
            self.take(body_start);
            self.skip = Skip::Bytes(length);
            return Step::Yield(Incoming::TooLarge);
        }
        if self.rest().len() < body_start + length {
            return Step::NeedMore;
        }
        self.take(body_start);
        Step::Yield(Incoming::Message(self.take(length).to_vec()))
    }

    fn skip_line(&mut self) -> Step {
        if let Some(end) = self.rest().iter().position(|byte| *byte == b'\n') {
            self.take(end + 1);
            self.skip = Skip::Nothing;
            Step::Again
        } else {
            self.forget();
            Step::NeedMore
        }
    }

    fn skip_bytes(&mut self, count: usize) -> Step {
        let here = count.min(self.rest().len());
        self.take(here);
        self.skip = if here == count { Skip::Nothing } else { Skip::Bytes(count - here) };
        if here == count { Step::Again } else { Step::NeedMore }
    }

    fn forget(&mut self) {
        self.buffer = Vec::new();
        self.used = 0;
        self.searched = 0;
    }
}

/// Returns true if the bytes begin like `Name: value`; `None` while they end inside the name.
fn looks_like_header(bytes: &[u8]) -> Option<bool> {
    let name = bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-');
    bytes.get(name.count()).map(|byte| *byte == b':')
}

/// Returns the offsets of the empty line after the headers and of the body. Bare LF is accepted like CRLF.
fn find_header_end(bytes: &[u8]) -> Option<(usize, usize)> {
    let window = bytes.get(..bytes.len().min(MAX_HEADER_BYTES))?;
    (0..window.len()).find_map(|at| {
        let rest = window.get(at..)?;
        if rest.starts_with(b"\r\n\r\n") {
            Some((at, at + 4))
        } else if rest.starts_with(b"\n\n") {
            Some((at, at + 2))
        } else {
            None
        }
    })
}

fn content_length(headers: &[u8]) -> Option<usize> {
    std::str::from_utf8(headers).ok()?.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        if name.trim().eq_ignore_ascii_case("content-length") {
            value.trim().parse().ok()
        } else {
            None
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(input: &[u8], piece: usize) -> String {
        let mut decoder = Decoder::new(None, 20);
        let mut out = Vec::new();
        let mut show = |incoming| {
            out.push(match incoming {
                Incoming::Message(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                Incoming::TooLarge => "<too large>".to_owned(),
                Incoming::Broken(what) => format!("<{what}>"),
            });
        };
        for chunk in input.chunks(piece) {
            decoder.push(chunk);
            while let Some(incoming) = decoder.next_message() {
                show(incoming);
            }
        }
        if let Some(incoming) = decoder.finish() {
            show(incoming);
        }
        out.join(" | ")
    }

    #[test]
    fn frames_are_the_same_however_the_bytes_arrive() {
        let rows: &[(&str, &[u8], &str)] = &[
            ("lines", b"{\"a\":1}\n{\"b\":2}\n", "{\"a\":1} | {\"b\":2}"),
            ("carriage returns", b"{}\r\n{}\r\n", "{} | {}"),
            ("empty lines", b"\n\n{}\n\n  \n{}\n", "{} | {}"),
            ("a last line without an end", b"{}\n{1}", "{} | {1}"),
            ("a byte order mark", b"\xEF\xBB\xBF{}\n", "{}"),
            ("a line separator is no line end", "{\"\u{2028}\":1}\n".as_bytes(), "{\"\u{2028}\":1}"),
            ("a line over the limit", b"{}\n{aaaaaaaaaaaaaaaaaaaaaaaaaaaa}\n{}\n", "{} | <too large> | {}"),
            ("text", b"hello there\n{}\n", "hello there | {}"),
            ("an array", b"[1]\n", "[1]"),
            ("headers", b"Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n{1}", "{} | {1}"),
            ("two headers, any case", b"content-type: x\r\ncontent-length:2\r\n\r\n{}", "{}"),
            ("bare line feeds in headers", b"Content-Length: 2\n\n{}", "{}"),
            ("a body over the limit", b"Content-Length: 30\r\n\r\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaContent-Length: 2\r\n\r\n{}", "<too large> | {}"),
            ("headers without a length", b"Content-Type: x\r\n\r\nContent-Length: 2\r\n\r\n{}", "<a header block without Content-Length> | {}"),
            ("the end inside a body", b"Content-Length: 9\r\n\r\n{}", "<the input ended inside a message>"),
            ("nothing", b"", ""),
        ];
        for (name, input, want) in rows {
            for piece in [1, 2, 3, 7, 1000] {
                assert_eq!(&decode(input, piece), want, "{name}, in pieces of {piece}");
            }
        }
    }

    #[test]
    fn encoded_messages_are_decoded() {
        for framing in [Framing::Ndjson, Framing::Headers] {
            let mut bytes = Vec::new();
            framing.encode(b"{\"x\":1}", &mut bytes);
            framing.encode(b"{}", &mut bytes);
            assert_eq!(decode(&bytes, 5), "{\"x\":1} | {}");
        }
    }
}
