//! The loop guard: detects a model that repeats the same calls. Pure.
//!
//! It does not limit work: the same tool with other arguments counts as new. Invariant: after a warning, the next one needs further
//! repetitions.

use pintle_tools::Builtin;
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The longest pattern that counts as going in circles.
const MAX_PATTERN: usize = 3;

/// At this warning the turn ends.
const MAX_WARNINGS: u32 = 3;

/// The remembered calls of a turn.
#[derive(Debug)]
pub(crate) struct LoopGuard {
    /// The number of calls that are compared; 0 disables the check.
    window: usize,
    recent: VecDeque<u64>,
    warnings: u32,
}

/// What a call that waits can wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behind {
    /// A job that runs, or a sub-agent that works.
    Something,
    /// Nothing: all have ended, or there never was one.
    Nothing,
}

/// The verdict on the calls so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// No repetition.
    Fine,
    /// Warn the model that it keeps repeating this many calls.
    Warn(usize),
    /// End the turn.
    Stop,
}

impl LoopGuard {
    /// Compares this many calls.
    pub(crate) fn new(window: u32) -> Self {
        Self { window: window as usize, recent: VecDeque::new(), warnings: 0 }
    }

    /// Records a call and returns the verdict. A waiting call does not count as repetition while there is something to wait for: the same
    /// call returns something new each time.
    pub(crate) fn judge(
        &mut self,
        tool: &str,
        does: Option<Builtin>,
        arguments: &str,
        behind: Behind,
    ) -> Judgement {
        let waits = behind == Behind::Something && does.is_some_and(Builtin::waits);
        if self.window == 0 || waits {
            return Judgement::Fine;
        }
        let mut hasher = DefaultHasher::new();
        (tool, arguments).hash(&mut hasher);
        self.recent.push_back(hasher.finish());
        if self.recent.len() > self.window {
            self.recent.pop_front();
        }
        let Some(pattern) = self.pattern() else { return Judgement::Fine };
        // Half as many more of the same bring the next warning.
        self.recent.drain(..self.window / 2);
        self.warnings += 1;
        if self.warnings >= MAX_WARNINGS { Judgement::Stop } else { Judgement::Warn(pattern) }
    }

    /// Returns the pattern length that fills the window.
    fn pattern(&self) -> Option<usize> {
        let repeats = |length: &usize| {
            self.recent.iter().zip(self.recent.iter().skip(*length)).all(|(a, b)| a == b)
        };
        (self.recent.len() == self.window).then(|| (1..=MAX_PATTERN).find(repeats)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_circles_are_warned_of() {
        let judged = |calls: &str| {
            let mut guard = LoopGuard::new(10);
            let judged: Vec<_> = calls
                .chars()
                .map(|call| match guard.judge(&call.to_string(), None, "{}", Behind::Nothing) {
                    Judgement::Fine => '.',
                    Judgement::Warn(length) => ['0', '1', '2', '3'][length],
                    Judgement::Stop => '!',
                })
                .collect();
            judged.into_iter().collect::<String>()
        };
        for (name, calls, want) in [
            ("nine of the same", "aaaaaaaaa", "........."),
            ("ten, and more of it", "aaaaaaaaaaaaaaaaaaaa", ".........1....1....!"),
            ("two by turns", "abababababab", ".........2.."),
            ("three in a row, which ten is no multiple of", "xabcabcabcab", "..........3."),
            ("four in a row are work", "abcdabcdabcdabcd", "................"),
            ("another call breaks it", "aaaaaaaaabaaaaaaaaa", "..................."),
            ("after a warning something else", "aaaaaaaaaabcdefghij", ".........1........."),
        ] {
            assert_eq!(judged(calls), want, "{name}");
        }
    }

    #[test]
    fn the_window_is_a_setting() {
        let judged = |window: u32, calls: usize| {
            let mut guard = LoopGuard::new(window);
            (0..calls)
                .map(|_| guard.judge("read", Some(Builtin::Read), "{}", Behind::Something))
                .position(|it| it != Judgement::Fine)
        };
        assert_eq!(judged(4, 20), Some(3));
        assert_eq!(judged(15, 20), Some(14));
        assert_eq!(judged(0, 100), None, "no check");
    }

    #[test]
    fn other_arguments_are_another_call_and_waiting_is_no_circle() {
        let mut guard = LoopGuard::new(10);
        for number in 0..30 {
            let arguments = number.to_string();
            let read = guard.judge("Read", Some(Builtin::Read), &arguments, Behind::Nothing);
            assert_eq!(read, Judgement::Fine);
            for does in [Builtin::Job, Builtin::JobRead, Builtin::WaitAgents] {
                let waits = guard.judge("any name", Some(does), "{}", Behind::Something);
                assert_eq!(waits, Judgement::Fine);
            }
        }
    }

    #[test]
    fn waiting_for_nothing_is_a_circle() {
        for does in [Builtin::Job, Builtin::JobRead, Builtin::WaitAgents] {
            let mut guard = LoopGuard::new(10);
            let judge = |_| guard.judge("any name", Some(does), "{}", Behind::Nothing);
            let judged: Vec<Judgement> = (0..20).map(judge).collect();
            assert_eq!(judged.last(), Some(&Judgement::Stop), "{does:?}");
        }
    }
}
