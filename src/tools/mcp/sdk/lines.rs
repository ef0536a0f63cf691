//! A stdio server's output, with every line repaired and limited in length, and none lost silently.
//!
//! The SDK drops a line that is too long, and the call that waits for it then times out. Here such a line is cut just beyond the limit,
//! where the SDK drops it, followed by an error for the request that it answers.

use super::LeftOut;
use super::repair::{Repaired, repair};
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};

/// The longest line, in bytes. An answer of this size takes a few seconds.
pub(super) const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

/// The longest line that is repaired, in bytes. Longer ones are forwarded as they arrive.
const REPAIR_BYTES: usize = 4 * 1024 * 1024;

/// How many bytes at each end of a line are searched for an answer's id.
const ID_BYTES: usize = 1024;

/// The number of bytes read at once.
const READ_BYTES: usize = 64 * 1024;

/// Lines of a limited length.
#[derive(Debug)]
pub(super) struct Lines<R> {
    inner: R,
    max_bytes: usize,
    buffer: Vec<u8>,
    /// Bytes that were read and not forwarded yet.
    ready: VecDeque<u8>,
    /// The current line so far, while it may be repaired.
    line: Vec<u8>,
    left_out: LeftOut,
    /// The current line's length so far.
    length: usize,
    /// The current line's start, and its end if it is too long.
    head: Vec<u8>,
    tail: VecDeque<u8>,
}

impl<R> Lines<R> {
    pub(super) fn new(inner: R, max_bytes: usize, left_out: LeftOut) -> Self {
        Self {
            line: Vec::new(),
            left_out,
            inner,
            max_bytes,
            buffer: vec![0; READ_BYTES],
            ready: VecDeque::new(),
            length: 0,
            head: Vec::new(),
            tail: VecDeque::new(),
        }
    }

    /// Receives a chunk of output.
    fn push(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (line, is_whole) = match piece.strip_suffix(b"\n") {
                Some(line) => (line, true),
                None => (piece, false),
            };
            let room = ID_BYTES.saturating_sub(self.head.len()).min(line.len());
            self.head.extend(line.iter().take(room));
            // One byte beyond the limit makes the SDK drop the line.
            let kept = (self.max_bytes + 1).saturating_sub(self.length).min(line.len());
            self.line.extend(line.iter().take(kept));
            self.length += line.len();
            if self.length > REPAIR_BYTES {
                self.ready.extend(self.line.drain(..));
            }
            if self.length > self.max_bytes {
                self.tail.extend(line.iter().skip(line.len().saturating_sub(ID_BYTES)));
                let over = self.tail.len().saturating_sub(ID_BYTES);
                self.tail.drain(..over);
            }
            if is_whole {
                self.end_line();
            }
        }
    }

    fn end_line(&mut self) {
        match repair(&self.line) {
            Some(Repaired { message, left_out }) if self.length <= REPAIR_BYTES => {
                self.ready.extend(message.to_string().bytes());
                self.left_out.add(left_out);
            }
            Some(_) | None => self.ready.extend(&self.line),
        }
        self.line.clear();
        self.ready.push_back(b'\n');
        if self.length > self.max_bytes {
            let tail: Vec<u8> = self.tail.iter().copied().collect();
            if let Some(id) = id(&self.head, &tail) {
                let max = self.max_bytes / (1024 * 1024);
                let error = format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":-32000,\"message\":\"the answer is larger than {max} MB: ask for less\"}}}}\n"
                );
                self.ready.extend(error.bytes());
            }
        }
        self.length = 0;
        self.head.clear();
        self.tail.clear();
    }
}

/// Returns an answer's id, as it is written, from its first and last bytes: the id comes before the result or after it.
fn id(head: &[u8], tail: &[u8]) -> Option<String> {
    let (head, tail) = (String::from_utf8_lossy(head), String::from_utf8_lossy(tail));
    let before = head.split("\"result\"").next().and_then(|before| before.rsplit_once("\"id\""));
    let behind = tail.rsplit_once("\"id\"");
    [before, behind].into_iter().flatten().find_map(|(_, value)| {
        let value = value.trim_start().strip_prefix(':')?.trim_start();
        let end = value.find([',', '}'])?;
        let value = value.get(..end)?.trim();
        let is_id = serde_json::from_str::<serde_json::Value>(value)
            .is_ok_and(|value| value.is_number() || value.is_string());
        is_id.then(|| value.to_owned())
    })
}

impl<R: AsyncRead + Unpin> AsyncRead for Lines<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        while this.ready.is_empty() {
            let mut buffer = std::mem::take(&mut this.buffer);
            let mut read = ReadBuf::new(&mut buffer);
            let polled = Pin::new(&mut this.inner).poll_read(cx, &mut read);
            let count = read.filled().len();
            if let Poll::Ready(Ok(())) = &polled {
                this.push(buffer.get(..count).unwrap_or_default());
            }
            this.buffer = buffer;
            ready!(polled)?;
            if count == 0 {
                // A line without an end.
                this.ready.extend(this.line.drain(..));
                if this.ready.is_empty() {
                    return Poll::Ready(Ok(()));
                }
            }
        }
        let (first, _) = this.ready.as_slices();
        let count = first.len().min(out.remaining());
        out.put_slice(first.get(..count).unwrap_or_default());
        this.ready.drain(..count);
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn a_line_that_is_too_long_is_answered_with_an_error() {
        let long = "x".repeat(40);
        let error = |id: &str| {
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":-32000,\"message\":\"the answer is larger than 0 MB: ask for less\"}}}}\n"
            )
        };
        for (name, text, want) in [
            ("short lines", "{\"id\":1}\n{}\n".to_owned(), "{\"id\":1}\n{}\n".to_owned()),
            (
                "the id first",
                format!("{{\"id\": 7,\"result\":\"{long}\"}}\n{{}}\n"),
                format!(
                    "{}\n{}{{}}\n",
                    &format!("{{\"id\": 7,\"result\":\"{long}\"}}")[..31],
                    error("7")
                ),
            ),
            (
                "the id last",
                format!("{{\"result\":{{\"id\":3,\"t\":\"{long}\"}},\"id\":\"a\"}}\n"),
                format!(
                    "{}\n{}",
                    &format!("{{\"result\":{{\"id\":3,\"t\":\"{long}\"}}")[..31],
                    error("\"a\"")
                ),
            ),
            ("no id", format!("{long}\n"), format!("{}\n", &long[..31])),
            ("no end", "{\"id\":1".to_owned(), "{\"id\":1".to_owned()),
        ] {
            for size in [1, 5, 1000] {
                let mut lines = Lines::new(text.as_bytes(), 30, LeftOut::default());
                lines.buffer.truncate(size);
                let mut got = String::new();
                lines.read_to_string(&mut got).await.unwrap();
                assert_eq!(got, want, "{name} in pieces of {size}");
            }
        }
    }
}
