//! Progress on stderr: one line that is drawn again on a terminal, a line for each task elsewhere.

use super::summary::{Row, State, seconds, usd};
use super::{budget::Budget, folder::is_finished};
use pintle_base::ambient::Ambient;
use pintle_base::text::screen;
use pintle_base::text::visible::visible_line;
use pintle_protocol::run::RunResult;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::time::Duration;
use tokio::time::Instant;

/// The widest line on a terminal: a narrower one is rare, and a line that wraps cannot be drawn again.
const COLUMNS: usize = 79;

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// A line that is drawn again.
    Live,
    /// A line for each task.
    Lines,
    Quiet,
}

impl Style {
    /// Returns the style for stderr's target. There are no colours, so `NO_COLOR` has nothing to turn off.
    pub(super) fn new(is_quiet: bool, ambient: &Ambient) -> Self {
        let is_dumb = ambient.var("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        let is_ci = ambient.var("CI").is_some_and(|ci| !["", "0", "false"].contains(&ci));
        match (is_quiet, std::io::stderr().is_terminal()) {
            (true, _) => Self::Quiet,
            (false, true) if !is_dumb && !is_ci => Self::Live,
            (false, _) => Self::Lines,
        }
    }
}

/// The numbers that progress shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Progress {
    /// The tasks that were to run.
    pub(super) all: usize,
    pub(super) over: usize,
    pub(super) running: usize,
    pub(super) failed: usize,
}

/// Shows progress.
#[derive(Debug)]
pub(super) struct Reporter {
    style: Style,
    began: Instant,
    is_drawn: bool,
}

impl Reporter {
    pub(super) fn new(style: Style) -> Self {
        Self { style, began: Instant::now(), is_drawn: false }
    }

    /// Returns true if the line has to be redrawn as time passes.
    pub(super) fn is_live(&self) -> bool {
        self.style == Style::Live
    }

    /// Prints a message on a separate line.
    pub(super) fn say(&mut self, text: &str) {
        if self.style != Style::Quiet {
            self.complain(text);
        }
    }

    /// Prints a message that `--quiet` does not suppress.
    pub(super) fn complain(&mut self, text: &str) {
        self.clear();
        let _ = writeln!(screen::err(), "pintle: {}", visible_line(text));
    }

    /// Reports a task's end.
    pub(super) fn over(&mut self, row: &Row, result: &RunResult, progress: Progress) {
        let Progress { all, over, .. } = progress;
        let line = || {
            let mut text = format!("[{over}/{all}] {}: {}", row.mark.id, result.stop);
            if let Some(error) = &result.error {
                text.push_str(": ");
                text.push_str(&error.message);
            }
            if !is_finished(result) {
                text.push_str(" (unfinished)");
            }
            text
        };
        match self.style {
            Style::Lines => self.line(&line()),
            Style::Live if row.state != State::Done => self.line(&line()),
            Style::Live | Style::Quiet => {}
        }
    }

    /// Draws the line, if there is one.
    pub(super) fn draw(&mut self, progress: Progress, budget: &Budget) {
        if self.is_live() {
            let text = drawn(progress, budget, self.began.elapsed());
            let mut err = screen::err();
            let drawn = err.raw().write_all(b"\r").and_then(|()| write!(err, "{text}"));
            let _ = drawn.and_then(|()| err.raw().write_all(b"\x1b[K"));
            self.is_drawn = true;
        }
    }

    /// Takes the line away.
    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            let _ = screen::err().raw().write_all(b"\r\x1b[K");
        }
    }

    fn line(&mut self, text: &str) {
        self.clear();
        let _ = writeln!(screen::err(), "{}", visible_line(text));
    }
}

/// Returns the progress line for a terminal.
fn drawn(progress: Progress, budget: &Budget, time: Duration) -> String {
    let Progress { all, over, running, failed } = progress;
    let mut text = format!("[{over}/{all}] {running} running");
    if failed > 0 {
        let _ = write!(text, ", {failed} not done");
    }
    let _ = write!(text, ", {} tokens", budget.tokens);
    if budget.cost > 0 {
        let _ = write!(text, ", {}", usd(budget.cost));
    }
    let _ = write!(text, ", {}", seconds(time));
    text.chars().take(COLUMNS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_on_a_terminal_fits_and_says_how_far_it_is() {
        let progress = Progress { all: 20, over: 12, running: 4, failed: 1 };
        let budget = Budget { tokens: 34_567, cost: 120_000_000, ..Budget::default() };
        assert_eq!(
            drawn(progress, &budget, Duration::from_secs(65)),
            "[12/20] 4 running, 1 not done, 34567 tokens, $0.1200, 1m05s"
        );
        let most = Budget { tokens: u64::MAX, cost: u64::MAX, ..Budget::default() };
        let progress = Progress { all: usize::MAX, over: usize::MAX, running: 256, failed: 9 };
        assert!(drawn(progress, &most, Duration::MAX).chars().count() <= COLUMNS);
    }
}
