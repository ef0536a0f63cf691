//! A whole batch's limits. Pure.
//!
//! Each worker's reply is counted when it has arrived, so the total is exceeded by at most one reply per worker: a task begins with no more
//! than the remaining budget, and when nothing remains, all tasks are ended. Usage of earlier runs counts too (`usage.jsonl`).

use super::folder::Used;
use super::list::RunLimits;
use pintle_protocol::content::Usage;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Budget {
    /// The limits; `None` is none.
    pub(super) max_tokens: Option<u64>,
    /// In billionths of a US dollar.
    pub(super) max_cost: Option<u64>,
    pub(super) tokens: u64,
    pub(super) cost: u64,
    /// Something was used whose price is not known.
    pub(super) has_unknown_cost: bool,
}

impl Budget {
    pub(super) fn add(&mut self, used: Used) {
        self.tokens = self.tokens.saturating_add(used.tokens);
        self.cost = self.cost.saturating_add(used.cost_nano_usd.unwrap_or(0));
        self.has_unknown_cost |= used.cost_nano_usd.is_none() && used.tokens > 0;
    }

    /// Returns true if nothing remains.
    pub(super) fn is_used_up(&self) -> bool {
        self.max_tokens.is_some_and(|max| self.tokens >= max)
            || self.max_cost.is_some_and(|max| self.cost >= max)
    }

    /// Returns the limits that a task begins with: its own, or the remaining budget for all.
    pub(super) fn cap(&self, limits: RunLimits) -> RunLimits {
        let least = |own: Option<u64>, max: Option<u64>, used: u64| {
            let left = max.map(|max| max.saturating_sub(used));
            own.into_iter().chain(left).min()
        };
        let mut capped = limits;
        capped.turn.tokens = least(limits.turn.tokens, self.max_tokens, self.tokens);
        // A worker refuses a cost limit if the price is unknown, whereas the batch then only leaves it uncounted.
        let most = self.max_cost.filter(|_| self.cost > 0 && !self.has_unknown_cost);
        capped.turn.cost_nano_usd = least(limits.turn.cost_nano_usd, most, self.cost);
        capped
    }
}

/// Returns a usage's tokens, as limits count them: input, output and cached tokens.
pub(super) fn tokens(usage: &Usage) -> u64 {
    usage.all_tokens()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_protocol::event::TurnLimits;

    fn limits(tokens: Option<u64>, cost_nano_usd: Option<u64>) -> RunLimits {
        let turn = TurnLimits { tokens, cost_nano_usd, ..TurnLimits::default() };
        RunLimits { turn, wall: None, idle: None }
    }

    #[test]
    fn a_task_begins_with_what_is_left_and_none_begins_with_nothing() {
        let mut budget = Budget { max_tokens: Some(100), max_cost: Some(10), ..Budget::default() };
        assert_eq!(budget.cap(limits(None, Some(3))), limits(Some(100), Some(3)));
        budget.add(Used { tokens: 60, cost_nano_usd: Some(9) });
        assert_eq!(budget.cap(limits(Some(50), None)), limits(Some(40), Some(1)));
        assert!(!budget.is_used_up() && !budget.has_unknown_cost);
        budget.add(Used { tokens: 1, cost_nano_usd: None });
        assert!(!budget.is_used_up() && budget.has_unknown_cost);
        assert_eq!(budget.cap(limits(None, Some(7))), limits(Some(39), Some(7)));
        budget.add(Used { tokens: 0, cost_nano_usd: Some(2) });
        assert!(budget.is_used_up());
        assert!(!Budget { tokens: 1 << 60, ..Budget::default() }.is_used_up());
        assert_eq!(Budget::default().cap(limits(None, None)), limits(None, None));
    }
}
