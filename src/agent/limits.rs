//! How much a turn may take: pure. A limit is no error; the turn ends in order and says which one it was.

use super::turn::Tally;
use pintle_protocol::content::Usage;
use pintle_protocol::event::{Notice, NoticeLevel};

/// The limits of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most model replies.
    pub steps: u32,
    /// The most tokens, of input and output together.
    pub tokens: Option<u64>,
    /// The most it may cost, in billionths of a US dollar; never reached where no price is known.
    pub cost_nano_usd: Option<u64>,
    /// The longest it may take, in milliseconds; looked at between replies.
    pub duration_ms: Option<u64>,
    /// How often a reply that was cut at its length limit is continued by itself.
    pub continuations: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 200, tokens: None, cost_nano_usd: None, duration_ms: None, continuations: 3 }
    }
}

impl Limits {
    /// The stricter of two, limit by limit.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let least = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
        Self {
            steps: self.steps.min(other.steps),
            tokens: least(self.tokens, other.tokens),
            cost_nano_usd: least(self.cost_nano_usd, other.cost_nano_usd),
            duration_ms: least(self.duration_ms, other.duration_ms),
            continuations: self.continuations.min(other.continuations),
        }
    }

    /// Which limit is reached, if one is, in words for a person.
    pub(super) fn reached(&self, tally: &Tally, elapsed_ms: u64) -> Option<Notice> {
        let notice = |code: &str, message: String| Notice {
            level: NoticeLevel::Warning,
            code: code.to_owned(),
            message,
            hint: Some("send another prompt to let it go on".to_owned()),
        };
        let Usage { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, .. } =
            tally.usage;
        let tokens = input_tokens + output_tokens + cache_read_tokens + cache_write_tokens;
        if tally.steps >= self.steps {
            let steps = self.steps;
            return Some(notice(
                "stepLimit",
                format!("the turn was ended after {steps} model replies"),
            ));
        }
        if let Some(limit) = self.tokens.filter(|limit| tokens >= *limit) {
            let message = format!("the turn was ended: it took {tokens} tokens of {limit}");
            return Some(notice("tokenLimit", message));
        }
        if let (Some(limit), Some(cost)) = (self.cost_nano_usd, tally.cost_nano_usd)
            && cost >= limit
        {
            let message = format!("the turn was ended: it cost ${} of ${}", usd(cost), usd(limit));
            return Some(notice("costLimit", message));
        }
        if let Some(limit) = self.duration_ms.filter(|limit| elapsed_ms >= *limit) {
            let message =
                format!("the turn was ended after {} s of {} s", elapsed_ms / 1000, limit / 1000);
            return Some(notice("timeLimit", message));
        }
        None
    }
}

/// Dollars with as many digits as a turn's cost needs.
fn usd(nano: u64) -> String {
    format!("{}.{:04}", nano / 1_000_000_000, nano % 1_000_000_000 / 100_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_limit_that_is_reached_is_told() {
        let tally = Tally {
            usage: Usage { input_tokens: 60, output_tokens: 40, ..Usage::default() },
            cost_nano_usd: Some(1_500_000_000),
            steps: 7,
            ..Tally::default()
        };
        let free = Limits::default();
        for (name, limits, want) in [
            ("none", free, None),
            ("replies", Limits { steps: 7, ..free }, Some("after 7 model replies")),
            ("tokens", Limits { tokens: Some(100), ..free }, Some("it took 100 tokens of 100")),
            ("tokens that are left", Limits { tokens: Some(101), ..free }, None),
            (
                "money",
                Limits { cost_nano_usd: Some(1_250_000_000), ..free },
                Some("it cost $1.5000 of $1.2500"),
            ),
            ("time", Limits { duration_ms: Some(5000), ..free }, Some("after 6 s of 5 s")),
        ] {
            let told = limits.reached(&tally, 6_000).map(|notice| notice.message);
            assert_eq!(told.is_some(), want.is_some(), "{name}: {told:?}");
            assert!(told.unwrap_or_default().ends_with(want.unwrap_or_default()), "{name}");
        }
        let unpriced = Tally { cost_nano_usd: None, ..tally };
        assert!(Limits { cost_nano_usd: Some(0), ..free }.reached(&unpriced, 0).is_none());
    }

    #[test]
    fn the_stricter_of_two_limits_holds() {
        let a = Limits { tokens: Some(5), steps: 9, ..Limits::default() };
        let b = Limits { tokens: Some(7), duration_ms: Some(1), steps: 3, ..Limits::default() };
        let both = Limits { tokens: Some(5), duration_ms: Some(1), steps: 3, ..Limits::default() };
        assert_eq!(a.and(b), both);
    }
}
