//! Limit warnings for the model: at 50, 80 and 90 percent of a limit, and when one is reached. Pure.

use super::{Budget, Limits, usd};
use pintle_session::context::conversation::from_engine;
use std::collections::BTreeMap;

/// The usage levels at which the model is warned, in percent.
const SHARES: [u64; 3] = [50, 80, 90];

/// A turn's usage other than the amounts counted by its budget.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Used {
    pub(crate) steps: u32,
    pub(crate) tool_calls: u64,
    pub(crate) elapsed_ms: u64,
}

/// The levels already reported to the model, by limit.
#[derive(Debug, Default)]
pub(crate) struct Warnings(BTreeMap<&'static str, u64>);

impl Warnings {
    /// Returns the warning for the model if a limit has passed a level since the last warning. One message covers all limits, with the
    /// highest level of each.
    pub(crate) fn next(&mut self, limits: &Limits, budget: &Budget, used: Used) -> Option<String> {
        let mut told = Vec::new();
        let mut highest = 0;
        for (name, used, limit, words) in shares(limits, budget, used) {
            let percent = percent(used, limit);
            let Some(share) = SHARES.into_iter().rfind(|share| percent >= *share) else { continue };
            if self.0.insert(name, share).is_none_or(|before| before < share) {
                told.push(format!("{percent} % of {name} ({words})"));
                highest = highest.max(share);
            }
        }
        let advice = match highest {
            0 => return None,
            50 => "Plan the remaining work so that you finish within the limit.",
            80 => "Do what matters most and skip the rest.",
            _ => "Finish now.",
        };
        let told = told.join(", ");
        Some(from_engine(format_args!("this task is approaching a limit: {told} used. {advice}")))
    }
}

/// Returns the message to a model whose turn has reached a limit, before its last reply.
pub(crate) fn last_words(reason: &str) -> String {
    from_engine(format_args!(
        "this task reached a limit: {reason}. You have one reply left, without tools: do not call any. If the task has a result, give it now in the requested form; otherwise state what is done, what is not, and how to continue."
    ))
}

fn percent(used: u64, limit: u64) -> u64 {
    let percent = u128::from(used) * 100 / u128::from(limit.max(1));
    u64::try_from(percent).unwrap_or(u64::MAX)
}

/// Formats a limit's usage.
type Words<'a> = &'a dyn Fn(u64, u64) -> String;

/// Returns the limits: the name, the usage, the limit, and a text for both.
fn shares(
    limits: &Limits,
    budget: &Budget,
    used: Used,
) -> impl Iterator<Item = (&'static str, u64, u64, String)> {
    let ((tokens, most_tokens), (cost, most_cost)) = budget.shares();
    let limited = |limit: u64| (limit != u64::MAX).then_some(limit);
    let count = |used: u64, limit: u64| format!("{used} of {limit}");
    let seconds = |used: u64, limit: u64| format!("{} s of {} s", used / 1000, limit / 1000);
    let dollars = |used: u64, limit: u64| format!("${} of ${}", usd(used), usd(limit));
    let rows: [(&'static str, u64, Option<u64>, Words<'_>); 6] = [
        ("the replies", u64::from(used.steps), Some(u64::from(limits.steps)), &count),
        ("the tool calls", used.tool_calls, limits.tool_calls, &count),
        ("the tokens", tokens, limited(most_tokens), &count),
        ("the cost", cost, limited(most_cost), &dollars),
        ("the time", used.elapsed_ms, limits.duration_ms, &seconds),
        ("the time until it is stopped", used.elapsed_ms, limits.wall_ms, &seconds),
    ];
    let rows = rows.map(|(name, used, limit, words)| {
        limit.map(|limit| (name, used, limit, words(used, limit)))
    });
    rows.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_protocol::content::Usage;

    #[test]
    fn a_model_is_told_each_share_of_each_limit_once() {
        let limits = Limits {
            steps: 10,
            tool_calls: Some(4),
            tokens: Some(1000),
            cost_nano_usd: Some(500_000_000),
            duration_ms: Some(100_000),
            wall_ms: Some(200_000),
            ..Limits::default()
        };
        let budget = Budget::default();
        budget.fill(&limits);
        let mut warnings = Warnings::default();
        let mut told = String::new();
        let rows: [(u32, u64, u64, u64, u64); 7] = [
            (1, 0, 100, 0, 1_000),
            (5, 1, 399, 0, 10_000),
            (6, 1, 1, 0, 10_000),
            (7, 4, 0, 450_000_000, 49_999),
            (8, 4, 0, 0, 50_000),
            (8, 4, 0, 0, 100_000),
            (9, 4, 0, 0, 185_000),
        ];
        for (steps, tool_calls, tokens, cost, elapsed_ms) in rows {
            budget.spend(&Usage { input_tokens: tokens, ..Usage::default() }, Some(cost));
            let used = Used { steps, tool_calls, elapsed_ms };
            let text = warnings.next(&limits, &budget, used).unwrap_or_default();
            told.push_str(format!("{steps}: {text}").trim_end());
            told.push('\n');
        }
        expect_test::expect![[r"
            1:
            5: From the engine, not from the user: this task is approaching a limit: 50 % of the replies (5 of 10) used. Plan the remaining work so that you finish within the limit.
            6: From the engine, not from the user: this task is approaching a limit: 50 % of the tokens (500 of 1000) used. Plan the remaining work so that you finish within the limit.
            7: From the engine, not from the user: this task is approaching a limit: 100 % of the tool calls (4 of 4), 90 % of the cost ($0.4500 of $0.5000) used. Finish now.
            8: From the engine, not from the user: this task is approaching a limit: 80 % of the replies (8 of 10), 50 % of the time (50 s of 100 s) used. Do what matters most and skip the rest.
            8: From the engine, not from the user: this task is approaching a limit: 100 % of the time (100 s of 100 s), 50 % of the time until it is stopped (100 s of 200 s) used. Finish now.
            9: From the engine, not from the user: this task is approaching a limit: 90 % of the replies (9 of 10), 92 % of the time until it is stopped (185 s of 200 s) used. Finish now.
        "]].assert_eq(&told);
    }

    #[test]
    fn limits_that_nobody_set_are_not_told() {
        let limits = Limits::default();
        let budget = Budget::default();
        budget.fill(&limits);
        budget.spend(&Usage { input_tokens: 1 << 40, ..Usage::default() }, Some(1 << 50));
        let used = Used { steps: 1, tool_calls: 1 << 40, elapsed_ms: u64::MAX };
        assert_eq!(Warnings::default().next(&limits, &budget, used), None);
    }
}
