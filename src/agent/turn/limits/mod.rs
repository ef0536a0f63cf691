//! Turn limits. Pure. `warnings` contains the messages to the model.
//!
//! Reaching a limit is not an error; the turn ends normally and reports the limit.
//!
//! A budget is shared through atomic counters, which a turn sets and its sub-agents spend from, since sub-agents are separate tasks.

mod warnings;

pub(crate) use warnings::{Used, Warnings, last_words};

use pintle_protocol::content::Usage;
use pintle_protocol::event::{Notice, NoticeLevel};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A turn's limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most model replies.
    pub steps: u32,
    /// The most tool calls, looked at between replies.
    pub tool_calls: Option<u64>,
    /// The most tokens, of input and output together.
    pub tokens: Option<u64>,
    /// The maximum cost, in billionths of a US dollar; never reached if no price is known.
    pub cost_nano_usd: Option<u64>,
    /// The maximum duration, in milliseconds; checked between replies.
    pub duration_ms: Option<u64>,
    /// The number of times that a reply which was cut at its length limit is continued.
    pub continuations: u32,
    /// The number of calls that are compared to find repetitions; 0 disables the check.
    pub loop_window: u32,
    /// The depth to which sub-agents may start sub-agents; 0 disables sub-agents.
    pub subagent_depth: u32,
    /// The most turns of the session.
    pub turns: Option<u64>,
    /// True for unattended tasks: the usage is reported to the model, the model gets one more reply when a limit is reached, and a cost
    /// limit requires a known price.
    pub are_told: bool,
    /// The time after which the caller stops the turn, in milliseconds: only reported, not enforced here.
    pub wall_ms: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 200,
            tool_calls: None,
            tokens: None,
            cost_nano_usd: None,
            duration_ms: None,
            continuations: 3,
            loop_window: 10,
            subagent_depth: 1,
            turns: None,
            are_told: false,
            wall_ms: None,
        }
    }
}

impl Limits {
    /// The stricter of two, limit by limit.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let least = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
        Self {
            steps: self.steps.min(other.steps),
            tool_calls: least(self.tool_calls, other.tool_calls),
            tokens: least(self.tokens, other.tokens),
            cost_nano_usd: least(self.cost_nano_usd, other.cost_nano_usd),
            duration_ms: least(self.duration_ms, other.duration_ms),
            continuations: self.continuations.min(other.continuations),
            loop_window: self.loop_window,
            subagent_depth: self.subagent_depth.min(other.subagent_depth),
            turns: least(self.turns, other.turns),
            are_told: self.are_told || other.are_told,
            wall_ms: least(self.wall_ms, other.wall_ms),
        }
    }

    /// Returns a message about the reached limit, if any.
    pub(crate) fn reached(&self, used: Used, budget: &Budget) -> Option<Notice> {
        let Used { steps, tool_calls, elapsed_ms } = used;
        if steps >= self.steps {
            let steps = self.steps;
            return Some(notice(
                "stepLimit",
                format!("the turn reached its limit of {steps} model replies"),
            ));
        }
        if let Some(limit) = self.tool_calls.filter(|limit| tool_calls >= *limit) {
            let message =
                format!("the turn reached its limit of {limit} tool calls (made {tool_calls})");
            return Some(notice("toolCallLimit", message));
        }
        if let Some(notice) = budget.reached() {
            return Some(notice);
        }
        if let Some(limit) = self.duration_ms.filter(|limit| elapsed_ms >= *limit) {
            let message = format!(
                "the turn reached its time limit ({} s of {} s)",
                elapsed_ms / 1000,
                limit / 1000
            );
            return Some(notice("timeLimit", message));
        }
        None
    }
}

/// The shared budget of a turn and its sub-agents, and the amount spent. Cheap to clone; clones share it.
#[derive(Debug, Clone, Default)]
pub struct Budget(Arc<Spent>);

#[derive(Debug)]
struct Spent {
    /// `u64::MAX` if unlimited.
    most_tokens: AtomicU64,
    /// `u64::MAX` if unlimited.
    most_nano_usd: AtomicU64,
    tokens: AtomicU64,
    nano_usd: AtomicU64,
}

impl Budget {
    /// Fills it for a new turn with these limits, also for the sub-agents that are there from earlier turns.
    pub(crate) fn fill(&self, limits: &Limits) {
        let Spent { most_tokens, most_nano_usd, tokens, nano_usd } = &*self.0;
        most_tokens.store(limits.tokens.unwrap_or(u64::MAX), Ordering::Relaxed);
        most_nano_usd.store(limits.cost_nano_usd.unwrap_or(u64::MAX), Ordering::Relaxed);
        tokens.store(0, Ordering::Relaxed);
        nano_usd.store(0, Ordering::Relaxed);
    }

    /// Deducts a reply's usage; a reply without a known price costs nothing.
    pub(crate) fn spend(&self, usage: &Usage, cost_nano_usd: Option<u64>) {
        self.0.tokens.fetch_add(usage.all_tokens(), Ordering::Relaxed);
        self.0.nano_usd.fetch_add(cost_nano_usd.unwrap_or(0), Ordering::Relaxed);
    }

    /// Returns the used tokens and the used money, each with its limit, which is `u64::MAX` if unlimited.
    fn shares(&self) -> ((u64, u64), (u64, u64)) {
        let Spent { most_tokens, most_nano_usd, tokens, nano_usd } = &*self.0;
        let of = |used: &AtomicU64, most: &AtomicU64| {
            (used.load(Ordering::Relaxed), most.load(Ordering::Relaxed))
        };
        (of(tokens, most_tokens), of(nano_usd, most_nano_usd))
    }

    fn reached(&self) -> Option<Notice> {
        let tokens = self.0.tokens.load(Ordering::Relaxed);
        let limit = self.0.most_tokens.load(Ordering::Relaxed);
        if tokens >= limit {
            let message = format!("the turn reached its token limit ({tokens} of {limit})");
            return Some(notice("tokenLimit", message));
        }
        let cost = self.0.nano_usd.load(Ordering::Relaxed);
        let limit = self.0.most_nano_usd.load(Ordering::Relaxed);
        if cost >= limit {
            let message =
                format!("the turn reached its cost limit (${} of ${})", usd(cost), usd(limit));
            return Some(notice("costLimit", message));
        }
        None
    }
}

impl Default for Spent {
    fn default() -> Self {
        let none = || AtomicU64::new(u64::MAX);
        let (tokens, nano_usd) = Default::default();
        Self { most_tokens: none(), most_nano_usd: none(), tokens, nano_usd }
    }
}

fn notice(code: &str, message: String) -> Notice {
    Notice {
        level: NoticeLevel::Warning,
        code: code.to_owned(),
        message,
        hint: Some("send another prompt to continue".to_owned()),
    }
}

/// Dollars with as many digits as a turn's cost needs.
fn usd(nano: u64) -> String {
    format!("{}.{:04}", nano / 1_000_000_000, nano % 1_000_000_000 / 100_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(elapsed_ms: u64) -> Used {
        Used { steps: 7, tool_calls: 9, elapsed_ms }
    }

    #[test]
    fn the_first_limit_that_is_reached_is_told() {
        let usage = Usage { input_tokens: 30, output_tokens: 20, ..Usage::default() };
        let free = Limits::default();
        for (name, limits, want) in [
            ("none", free, None),
            ("replies", Limits { steps: 7, ..free }, Some("limit of 7 model replies")),
            (
                "calls",
                Limits { tool_calls: Some(9), ..free },
                Some("limit of 9 tool calls (made 9)"),
            ),
            ("calls that are left", Limits { tool_calls: Some(10), ..free }, None),
            ("tokens", Limits { tokens: Some(100), ..free }, Some("token limit (100 of 100)")),
            ("tokens that are left", Limits { tokens: Some(101), ..free }, None),
            (
                "money",
                Limits { cost_nano_usd: Some(1_250_000_000), ..free },
                Some("cost limit ($1.5000 of $1.2500)"),
            ),
            ("time", Limits { duration_ms: Some(5000), ..free }, Some("time limit (6 s of 5 s)")),
        ] {
            let budget = Budget::default();
            budget.fill(&limits);
            let sub_agents = budget.clone();
            sub_agents.spend(&usage, Some(1_000_000_000));
            budget.spend(&usage, Some(500_000_000));
            let told = limits.reached(used(6_000), &budget).map(|notice| notice.message);
            assert_eq!(told.is_some(), want.is_some(), "{name}: {told:?}");
            assert!(told.unwrap_or_default().ends_with(want.unwrap_or_default()), "{name}");
        }
        let limits = Limits { cost_nano_usd: Some(1), ..free };
        let budget = Budget::default();
        budget.fill(&limits);
        budget.spend(&usage, None);
        assert!(limits.reached(used(0), &budget).is_none(), "without a price");
    }

    #[test]
    fn the_stricter_of_two_limits_holds() {
        let a = Limits { tokens: Some(5), steps: 9, ..Limits::default() };
        let b = Limits { tokens: Some(7), duration_ms: Some(1), steps: 3, ..Limits::default() };
        let both = Limits { tokens: Some(5), duration_ms: Some(1), steps: 3, ..Limits::default() };
        assert_eq!(a.and(b), both);
    }
}
