//! Throttled output of a running command: at most one piece per interval, and always the last one.

use pintle_base::text::truncate;
use std::time::Duration;
use tokio::time::Instant;

/// The interval between two progress reports.
pub(super) const PROGRESS: Duration = Duration::from_millis(50);

/// The maximum size of one piece of progress; of a large output the end is reported.
const MAX_PROGRESS_BYTES: usize = 16 * 1024;

/// Progress that has not been reported yet.
#[derive(Default)]
pub(super) struct Pending {
    text: String,
    /// When to report the pending text.
    pub(super) due: Option<Instant>,
    last: Option<Instant>,
}

impl Pending {
    pub(super) fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        // Of a large output only the end is copied.
        let skipped = truncate::border_before(text, text.len().saturating_sub(MAX_PROGRESS_BYTES));
        if skipped > 0 {
            self.text.clear();
        }
        self.text.push_str(text.get(skipped..).unwrap_or_default());
        if self.text.len() > 2 * MAX_PROGRESS_BYTES {
            let cut = truncate::border_before(&self.text, self.text.len() - MAX_PROGRESS_BYTES);
            self.text.drain(..cut);
        }
        if self.due.is_none() {
            let now = Instant::now();
            self.due = Some(self.last.map_or(now, |last| now.max(last + PROGRESS)));
        }
    }

    pub(super) fn flush(&mut self, output: &mut (dyn for<'a> FnMut(&'a str) + Send)) {
        self.due = None;
        if !self.text.is_empty() {
            output(&self.text);
            self.text.clear();
            self.last = Some(Instant::now());
        }
    }
}
