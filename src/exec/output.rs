//! Command output, readable while the command runs.
//!
//! The command's runner writes, and clones read. Invariant: memory is bounded, so only the start and the end are kept; a late reader learns
//! how much it missed.

use pintle_base::ambient::Secrets;
use pintle_base::text::{terminal, truncate};
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The minimum size of the kept end.
const WINDOW_BYTES: usize = 100 * 1024;

/// Bytes kept from the start of the output.
const HEAD_BYTES: usize = 32 * 1024;

/// The tail of a command's output so far. Clones share it.
#[derive(Debug, Clone)]
pub struct OutputBuffer(Arc<watch::Sender<State>>);

#[derive(Debug, Default)]
struct State {
    head: String,
    tail: String,
    /// The number of bytes printed before `tail`.
    dropped: u64,
    newlines: u64,
    full_output_path: Option<PathBuf>,
    /// True if the file reached its maximum size.
    is_file_full: bool,
    /// Counts the changes to the terminal's screen.
    screens: u64,
    is_over: bool,
    /// The secrets to redact in the output.
    secrets: Secrets,
}

/// A position in the output, up to which a reader has read it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mark {
    /// Bytes of output.
    pub bytes: u64,
    /// Changes to the terminal's screen.
    screens: u64,
}

impl std::fmt::Display for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.bytes, self.screens)
    }
}

impl std::str::FromStr for Mark {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('.').and_then(|(bytes, screens)| {
            Some(Self { bytes: bytes.parse().ok()?, screens: screens.parse().ok()? })
        });
        numbers.ok_or_else(|| {
            format!("`{text}` is not a mark; send the one of the last response, or none")
        })
    }
}

impl Mark {
    /// Returns the later of two marks of one output.
    #[must_use]
    pub fn latest(self, other: Self) -> Self {
        Self { bytes: self.bytes.max(other.bytes), screens: self.screens.max(other.screens) }
    }

    fn is_after(self, other: Self) -> bool {
        self.bytes > other.bytes || self.screens > other.screens
    }
}

/// New output for a reader.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fresh {
    /// The text after the reader's mark. A terminal's lines are part of it once they have left its screen.
    pub text: String,
    /// Bytes between that place and `text` which are kept no more.
    pub missed_bytes: u64,
    /// The mark from which to continue.
    pub mark: Mark,
    /// Lines printed in all.
    pub total_lines: u64,
    /// The file with the whole output, once it is long.
    pub full_output_path: Option<PathBuf>,
    /// True if the file reached its maximum size and lacks later output.
    pub is_file_full: bool,
}

impl Default for OutputBuffer {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(State::default())))
    }
}

impl PartialEq for OutputBuffer {
    /// Returns true if both share one buffer.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for OutputBuffer {}

impl OutputBuffer {
    /// Returns the output after a mark, as a terminal shows it.
    pub fn after(&self, mark: Mark) -> Fresh {
        let state = self.0.borrow();
        let seen = mark.bytes.saturating_sub(state.dropped);
        let seen = usize::try_from(seen).unwrap_or(usize::MAX).min(state.tail.len());
        let cut = truncate::border_after(&state.tail, seen);
        Fresh {
            text: terminal::displayed(state.tail.get(cut..).unwrap_or_default()).into_owned(),
            missed_bytes: state.dropped.saturating_sub(mark.bytes),
            mark: state.mark(),
            total_lines: state.lines(),
            full_output_path: state.full_output_path.clone(),
            is_file_full: state.is_file_full,
        }
    }

    /// Waits until something was printed after a mark, or nothing more will come. Cancel-safe.
    pub async fn news(&self, mark: Mark) {
        let mut states = self.0.subscribe();
        // The sender lives as long as `self` does.
        let _ = states.wait_for(|state| state.is_over || state.mark().is_after(mark)).await;
    }

    /// Waits for output after a mark, and then for a pause of this length. Returns at once if the output is complete. Cancel-safe.
    pub async fn settled(&self, mark: Mark, quiet: Duration) {
        self.news(mark).await;
        let mut states = self.0.subscribe();
        while !states.borrow_and_update().is_over
            && tokio::time::timeout(quiet, states.changed()).await.is_ok()
        {}
    }

    /// Returns true unless the output is complete.
    pub fn is_open(&self) -> bool {
        !self.0.borrow().is_over
    }

    /// Waits until the output is complete. Cancel-safe.
    pub async fn ended(&self) {
        let _ = self.0.subscribe().wait_for(|state| state.is_over).await;
    }

    /// Counts a change to the terminal's screen.
    pub(super) fn screen_changed(&self) {
        self.0.send_modify(|state| state.screens += 1);
    }

    /// Redacts this output's secrets in a text.
    pub fn redacted<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let secrets = self.0.borrow().secrets.clone();
        secrets.redact(text)
    }

    /// Sets the secrets to redact in later output.
    pub(super) fn set_secrets(&self, secrets: &Secrets) {
        self.0.send_modify(|state| state.secrets = secrets.clone());
    }

    pub(super) fn secrets(&self) -> Secrets {
        self.0.borrow().secrets.clone()
    }

    /// Adds text.
    pub(super) fn push(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.0.send_modify(|state| {
            state.newlines += memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
            if state.bytes() == state.head.len() as u64 {
                let room = HEAD_BYTES.saturating_sub(state.head.len());
                let beginning = truncate::border_before(text, room);
                state.head.push_str(text.get(..beginning).unwrap_or_default());
            }
            // Of a large output only the end is copied.
            let skipped = truncate::border_before(text, text.len().saturating_sub(WINDOW_BYTES));
            if skipped > 0 {
                state.dropped += (state.tail.len() + skipped) as u64;
                state.tail.clear();
            }
            state.tail.push_str(text.get(skipped..).unwrap_or_default());
            if state.tail.len() > 2 * WINDOW_BYTES {
                let cut = truncate::border_before(&state.tail, state.tail.len() - WINDOW_BYTES);
                state.tail.drain(..cut);
                state.dropped += cut as u64;
            }
        });
    }

    /// Returns lines and bytes so far.
    pub(super) fn totals(&self) -> (u64, u64) {
        let state = self.0.borrow();
        (state.lines(), state.bytes())
    }

    /// Returns the kept start.
    pub(super) fn head(&self) -> String {
        self.0.borrow().head.clone()
    }

    /// Returns the kept end.
    pub(super) fn tail(&self) -> String {
        self.0.borrow().tail.clone()
    }

    pub(super) fn set_path(&self, path: Option<PathBuf>) {
        self.0.send_modify(|state| state.full_output_path = path);
    }

    /// Records that the file reached its maximum size.
    pub(super) fn set_full(&self) {
        self.0.send_modify(|state| state.is_file_full = true);
    }

    pub(super) fn is_full(&self) -> bool {
        self.0.borrow().is_file_full
    }

    pub(super) fn path(&self) -> Option<PathBuf> {
        self.0.borrow().full_output_path.clone()
    }

    /// Marks the output as complete.
    pub(super) fn finish(&self) {
        self.0.send_modify(|state| state.is_over = true);
    }
}

impl State {
    fn mark(&self) -> Mark {
        Mark { bytes: self.bytes(), screens: self.screens }
    }

    fn bytes(&self) -> u64 {
        self.dropped + self.tail.len() as u64
    }

    fn lines(&self) -> u64 {
        let is_open = self.bytes() > 0 && !self.tail.ends_with('\n');
        self.newlines + u64::from(is_open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_gets_what_is_new_and_learns_what_it_missed() {
        let output = OutputBuffer::default();
        output.push("one\n");
        let first = output.after(Mark::default());
        assert_eq!((first.text.as_str(), first.missed_bytes, first.mark.bytes), ("one\n", 0, 4));
        assert_eq!(output.after(first.mark).text, "", "nothing is new");
        output.push("zwei ä");
        let second = output.after(first.mark);
        assert_eq!((second.text.as_str(), second.total_lines), ("zwei ä", 2));

        for _ in 0..100 {
            output.push(&"测试\n".repeat(1000));
        }
        let late = output.after(second.mark);
        let (_, bytes) = output.totals();
        assert_eq!(bytes, 4 + 7 + 100 * 7000);
        assert_eq!(late.missed_bytes + late.text.len() as u64 + second.mark.bytes, bytes);
        assert!(late.text.len() <= 2 * WINDOW_BYTES && late.text.len() >= WINDOW_BYTES);
    }

    #[tokio::test]
    async fn a_reader_waits_for_news_or_the_end() {
        let output = OutputBuffer::default();
        let (waited, ()) = tokio::join!(output.news(Mark::default()), async { output.push("x") });
        let ((), ()) = (waited, ());
        tokio::join!(output.news(output.after(Mark::default()).mark), async { output.finish() });
        // A finished output has no news to wait for.
        output.news(output.after(Mark::default()).mark).await;
    }
}
