//! The loop guard: detects a model that repeats the same calls. Pure.
//!
//! It does not limit work: the same tool with other arguments counts as new, and a call whose result changes, such as reading a growing log, may
//! be repeated more often. Invariant: after a warning, the next one needs further repetitions.

use pintle_protocol::content::Content;
use pintle_tools::Builtin;
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The longest pattern that counts as going in circles.
const MAX_PATTERN: usize = 3;

/// The number of windows that calls with changing results may fill, and the number while a job runs.
const PATIENCE: usize = 4;
const PATIENCE_WITH_JOB: usize = 20;

/// At this warning the turn ends.
const MAX_WARNINGS: u32 = 3;

/// The remembered calls of a turn.
#[derive(Debug)]
pub(crate) struct LoopGuard {
    /// The number of calls that are compared; 0 disables the check.
    window: usize,
    recent: VecDeque<Seen>,
    /// The number of calls before the next warning.
    pause: usize,
    warnings: u32,
}

/// A finished call, as digests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    call: u64,
    call_and_result: u64,
    behind: Behind,
}

/// A finished call and its result.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended<'a> {
    pub(crate) tool: &'a str,
    pub(crate) does: Option<Builtin>,
    pub(crate) arguments: &'a str,
    pub(crate) result: &'a [Content],
    pub(crate) is_error: bool,
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
        Self { window: window as usize, recent: VecDeque::new(), pause: 0, warnings: 0 }
    }

    /// Records a call and returns the verdict. A waiting call does not count as repetition while there is something to wait for: the same
    /// call returns something new each time.
    pub(crate) fn judge(&mut self, ended: Ended<'_>, behind: Behind) -> Judgement {
        let is_wait = ended.does.is_some_and(Builtin::waits) && !ended.is_error;
        if self.window == 0 || (is_wait && behind == Behind::Something) {
            return Judgement::Fine;
        }
        let mut hasher = DefaultHasher::new();
        (ended.tool, ended.arguments).hash(&mut hasher);
        let call = hasher.finish();
        ended.result.hash(&mut hasher);
        self.recent.push_back(Seen { call, call_and_result: hasher.finish(), behind });
        if self.recent.len() > self.window * PATIENCE_WITH_JOB {
            self.recent.pop_front();
        }
        self.pause = self.pause.saturating_sub(1);
        // The results of calls made while a job was running may show its progress.
        let same_call = |a: &Seen, b: &Seen| a.call == b.call;
        let same_call_alone =
            |a: &Seen, b: &Seen| a.call == b.call && [a.behind, b.behind] == [Behind::Nothing; 2];
        let pattern = self
            .pattern(self.window, |a, b| a.call_and_result == b.call_and_result)
            .or_else(|| self.pattern(self.window * PATIENCE, same_call_alone))
            .or_else(|| self.pattern(self.window * PATIENCE_WITH_JOB, same_call));
        let Some(pattern) = pattern else {
            if behind == Behind::Something && self.shows_progress() {
                self.warnings = 0;
            }
            return Judgement::Fine;
        };
        if self.pause > 0 {
            return Judgement::Fine;
        }
        // Half as many more of the same bring the next warning.
        self.pause = self.window / 2;
        self.warnings += 1;
        if self.warnings >= MAX_WARNINGS { Judgement::Stop } else { Judgement::Warn(pattern) }
    }

    /// Returns true if the last call returned something else than the time before.
    fn shows_progress(&self) -> bool {
        let mut latest = self.recent.iter().rev();
        let Some(last) = latest.next() else { return false };
        let before = latest.find(|seen| seen.call == last.call);
        before.is_some_and(|before| before.call_and_result != last.call_and_result)
    }

    /// Returns the pattern length if the last `count` calls repeat one.
    fn pattern(&self, count: usize, are_equal: impl Fn(&Seen, &Seen) -> bool) -> Option<usize> {
        let start = self.recent.len().checked_sub(count)?;
        let repeats = |length: &usize| {
            let calls = self.recent.iter().skip(start);
            calls.clone().zip(calls.skip(*length)).all(|(a, b)| are_equal(a, b))
        };
        (1..=MAX_PATTERN).find(repeats)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended<'a>(does: Builtin, arguments: &'a str, result: &'a [Content]) -> Ended<'a> {
        Ended { tool: "any name", does: Some(does), arguments, result, is_error: false }
    }

    fn mark(judgement: Judgement) -> char {
        match judgement {
            Judgement::Fine => '.',
            Judgement::Warn(length) => ['0', '1', '2', '3'][length],
            Judgement::Stop => '!',
        }
    }

    #[test]
    fn only_circles_are_warned_of() {
        let judged = |calls: &str| {
            let mut guard = LoopGuard::new(10);
            let judge = |call: char| {
                let (arguments, result) = (call.to_string(), [Content::text("done")]);
                mark(guard.judge(ended(Builtin::Shell, &arguments, &result), Behind::Nothing))
            };
            calls.chars().map(judge).collect::<String>()
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
    fn calls_that_return_something_else_each_time_may_be_repeated_for_longer() {
        for (behind, changes_every, want) in [
            (Behind::Nothing, 1, Some(39)),
            (Behind::Nothing, 9, Some(39)),
            (Behind::Nothing, 10, Some(9)),
            (Behind::Something, 1, Some(199)),
            (Behind::Something, 9, Some(199)),
            (Behind::Something, 10, Some(9)),
        ] {
            let mut guard = LoopGuard::new(10);
            let judge = |number: usize| {
                let log = [Content::text((number / changes_every).to_string())];
                guard.judge(ended(Builtin::Shell, "tail log", &log), behind)
            };
            let first = (0..200).map(judge).position(|it| it != Judgement::Fine);
            assert_eq!(first, want, "{behind:?}, another result after {changes_every}");
        }
        // A job that makes progress from time to time does not let the warnings add up.
        let mut guard = LoopGuard::new(10);
        for number in 0..190 {
            let log = [Content::text((number / 12).to_string())];
            let judged = guard.judge(ended(Builtin::Shell, "tail log", &log), Behind::Something);
            assert_ne!(judged, Judgement::Stop, "{number}");
        }
        // A different call after each warning does not help a model that is stuck.
        for behind in [Behind::Nothing, Behind::Something] {
            let mut guard = LoopGuard::new(10);
            let judge = |number: usize| {
                let arguments = if number % 11 == 10 { number.to_string() } else { "make".into() };
                guard.judge(ended(Builtin::Shell, &arguments, &[]), behind)
            };
            let stopped = (0..100).map(judge).position(|it| it == Judgement::Stop);
            assert_eq!(stopped, Some(31), "{behind:?}");
        }
        // Waiting with invalid arguments is no waiting.
        let mut guard = LoopGuard::new(10);
        let wrong = Ended { is_error: true, ..ended(Builtin::Job, "{}", &[]) };
        let judged = (0..30).map(|_| guard.judge(wrong, Behind::Something));
        assert!(judged.into_iter().any(|judged| judged == Judgement::Stop));
        // Calls made while a job was running do not count once it has ended.
        let mut guard = LoopGuard::new(10);
        for number in 0..80 {
            let (log, behind) = (
                [Content::text(number.to_string())],
                if number < 45 { Behind::Something } else { Behind::Nothing },
            );
            let judged = guard.judge(ended(Builtin::Shell, "tail log", &log), behind);
            assert_eq!(judged, Judgement::Fine, "{number}");
        }
    }

    #[test]
    fn the_window_is_a_setting() {
        let judged = |window: u32, calls: usize| {
            let mut guard = LoopGuard::new(window);
            (0..calls)
                .map(|_| guard.judge(ended(Builtin::Read, "{}", &[]), Behind::Something))
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
            let read = guard.judge(ended(Builtin::Read, &arguments, &[]), Behind::Nothing);
            assert_eq!(read, Judgement::Fine);
            for does in [Builtin::Job, Builtin::JobRead, Builtin::WaitAgents] {
                let waits = guard.judge(ended(does, "{}", &[]), Behind::Something);
                assert_eq!(waits, Judgement::Fine);
            }
        }
    }

    #[test]
    fn waiting_for_nothing_is_a_circle() {
        for does in [Builtin::Job, Builtin::JobRead, Builtin::WaitAgents] {
            let mut guard = LoopGuard::new(10);
            let judge = |_| guard.judge(ended(does, "{}", &[]), Behind::Nothing);
            let judged: Vec<Judgement> = (0..20).map(judge).collect();
            assert_eq!(judged.last(), Some(&Judgement::Stop), "{does:?}");
        }
    }
}
