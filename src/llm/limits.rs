//! Reply limits, independent of the server: total size, the size of one call's arguments, and the time without data.
//!
//! A broken or malicious server can send text, arguments or keep-alives endlessly, all of which are kept in memory until the reply is
//! complete. The limits are far above any model's output: 128,000 tokens of text are half a megabyte. Events without reply content are
//! limited in `sse`.

use super::error::{Error, ErrorKind};
use super::{BlockStart, Delta};
use futures_util::stream::{Stream, StreamExt};
use std::collections::HashMap;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Sleep;

/// The maximum size of a reply: its text, reasoning, arguments and opaque data.
const MAX_REPLY_BYTES: usize = 48 * 1024 * 1024;

/// Maximum size of one call's arguments; the largest are files to be written.
const MAX_ARGUMENT_BYTES: usize = 16 * 1024 * 1024;

/// The overhead counted per chunk in addition to its content, in bytes.
const PIECE_BYTES: usize = 16;

/// Maximum time without a piece of the reply, while comments or pings keep the connection alive: longer than the longest observed time of
/// hidden reasoning.
const QUIET_TIMEOUT: Duration = Duration::from_secs(1200);

/// Ends a reply with an error once it exceeds a limit. `name` is the provider's, for the error.
pub(super) fn limited<S>(deltas: S, name: String) -> Limited<S> {
    Limited {
        deltas: Some(deltas),
        name,
        bytes: 0,
        arguments: HashMap::new(),
        quiet_timeout: QUIET_TIMEOUT,
        quiet: None,
    }
}

/// Stream returned by [`limited`].
pub(super) struct Limited<S> {
    /// `None` once a limit was hit.
    deltas: Option<S>,
    name: String,
    /// Bytes so far.
    bytes: usize,
    /// Bytes of arguments so far, by block.
    arguments: HashMap<usize, usize>,
    quiet_timeout: Duration,
    /// Fires after a long time without data; created when the stream first waits.
    quiet: Option<Pin<Box<Sleep>>>,
}

impl<S> Limited<S> {
    /// Counts a piece.
    fn count(&mut self, delta: &Delta) -> Result<(), Error> {
        let length = match delta {
            Delta::Start { block: BlockStart::ToolCall { id, name }, .. } => id.len() + name.len(),
            Delta::Text { text, .. } => text.len(),
            Delta::Opaque { raw, .. } => raw.0.get().len(),
            Delta::Arguments { index, json } => {
                let bytes = self.arguments.entry(*index).or_default();
                *bytes += json.len();
                if *bytes > MAX_ARGUMENT_BYTES {
                    return Err(self.too_long("the argument text of a call", MAX_ARGUMENT_BYTES));
                }
                json.len()
            }
            Delta::Start {
                block: BlockStart::Text | BlockStart::Reasoning | BlockStart::Unknown,
                ..
            }
            | Delta::ProviderCall(_)
            | Delta::End { .. }
            | Delta::Usage(_)
            | Delta::Tier(_)
            | Delta::Stop(_) => 0,
        };
        self.bytes += length + PIECE_BYTES;
        if self.bytes > MAX_REPLY_BYTES {
            return Err(self.too_long("the reply", MAX_REPLY_BYTES));
        }
        Ok(())
    }

    /// No retry: the same request would get the same reply.
    fn too_long(&self, what: &str, limit: usize) -> Error {
        let message =
            format!("{}: {what} exceeds {} MiB, so reading stopped", self.name, limit >> 20);
        Error { should_retry: Some(false), ..Error::new(ErrorKind::Protocol, message) }
    }
}

impl<S> Stream for Limited<S>
where
    S: Stream<Item = Result<Delta, Error>> + Unpin,
{
    type Item = Result<Delta, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let Some(deltas) = &mut this.deltas else { return Poll::Ready(None) };
        match deltas.poll_next_unpin(cx) {
            Poll::Ready(Some(Ok(delta))) => {
                this.quiet = None;
                let counted = this.count(&delta);
                if counted.is_err() {
                    this.deltas = None;
                }
                Poll::Ready(Some(counted.map(|()| delta)))
            }
            Poll::Ready(ended) => Poll::Ready(ended),
            Poll::Pending => {
                let limit = this.quiet_timeout;
                let later = || Box::pin(tokio::time::sleep(limit));
                let quiet = this.quiet.get_or_insert_with(later);
                std::task::ready!(quiet.as_mut().poll(cx));
                this.deltas = None;
                let message = format!(
                    "{}: no reply data for {} s, although the connection is alive",
                    this.name,
                    limit.as_secs()
                );
                Poll::Ready(Some(Err(Error::new(ErrorKind::Timeout, message))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream;

    fn piece(of: &str, length: usize) -> Delta {
        let text = "x".repeat(length);
        match of {
            "text" => Delta::Text { index: 0, text },
            "arguments" => Delta::Arguments { index: 0, json: text },
            "end" => Delta::End { index: 0 },
            other => panic!("{other}"),
        }
    }

    #[tokio::test]
    async fn a_reply_without_end_is_an_error_that_names_the_limit() {
        const MIB: usize = 1024 * 1024;
        for (name, of, length, count, want) in [
            ("text", "text", MIB, 47, Ok(47)),
            ("endless text", "text", MIB, usize::MAX, Err("the reply exceeds 48 MiB")),
            ("arguments", "arguments", MIB, 16, Ok(16)),
            (
                "endless arguments",
                "arguments",
                MIB,
                usize::MAX,
                Err("the argument text of a call exceeds 16 MiB"),
            ),
            ("empty pieces", "end", 0, usize::MAX, Err("the reply exceeds 48 MiB")),
        ] {
            let pieces = stream::iter((0..count).map(|_| Ok(piece(of, length))));
            let mut limited = limited(pieces, "test".to_owned());
            let (mut read, mut error) = (0, None);
            while let Some(delta) = limited.next().await {
                match delta {
                    Ok(_) => read += 1,
                    Err(hit) => error = Some(hit),
                }
            }
            match (want, error) {
                (Ok(count), None) => assert_eq!(read, count, "{name}"),
                (Err(words), Some(error)) => {
                    assert!(error.message.contains(words), "{name}: {}", error.message);
                    assert!(!error.is_retryable(), "{name}");
                }
                (want, error) => panic!("{name}: {error:?} and not {want:?}"),
            }
        }
    }

    #[tokio::test]
    async fn a_server_that_only_shows_that_it_lives_is_left() {
        let mut limited = limited(stream::pending(), "test".to_owned());
        limited.quiet_timeout = Duration::from_millis(20);
        let error = limited.next().await.unwrap().unwrap_err();
        assert_eq!(error.kind, ErrorKind::Timeout);
        assert!(limited.next().await.is_none());
    }
}
