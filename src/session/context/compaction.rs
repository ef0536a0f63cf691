//! The policy for pruning and compacting a conversation: pure.
//!
//! Cheap steps come first: old results are pruned before anything is compacted. Invariant: without a known window nothing is decided here;
//! then a conversation is compacted only when the provider rejects it.

/// The policy for pruning and compacting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// True when it happens automatically.
    pub is_automatic: bool,
    /// The tokens that stay free for the reply.
    pub reserve: u64,
    /// The tokens at the end that a compaction keeps unchanged.
    pub keep: u64,
    /// The size above which old results are pruned.
    pub prune_above: PruneThreshold,
}

/// The size above which old results are pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PruneThreshold {
    /// A number of tokens.
    Tokens(u64),
    /// A percentage of the window.
    Percent(u64),
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            is_automatic: true,
            reserve: 16_384,
            keep: 20_000,
            prune_above: PruneThreshold::Percent(60),
        }
    }
}

/// Limits for one window. A small window reduces all of them, so that there is always room for work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marks {
    /// The size from which old results are pruned.
    pub prune_at: u64,
    /// The approximate size after pruning. Pruning happens in large steps, so that a provider's cache stays valid for long.
    pub prune_to: u64,
    /// The size from which the conversation is compacted.
    pub compact_at: u64,
    /// The tokens at the end that stay.
    pub keep: u64,
}

impl Policy {
    /// Returns the limits for a window of this size, in tokens.
    pub fn marks(&self, window: u64) -> Marks {
        let compact_at = window - self.reserve.min(window / 4);
        let safe = match self.prune_above {
            PruneThreshold::Tokens(tokens) => tokens,
            PruneThreshold::Percent(percent) => window / 100 * percent.min(100),
        };
        let prune_at = safe.min(compact_at);
        Marks { prune_at, prune_to: prune_at / 3 * 2, compact_at, keep: self.keep.min(window / 4) }
    }
}

/// The step before the next request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Send the request.
    Send,
    /// Prune old results of this many tokens.
    Prune(u64),
    /// Compact the conversation.
    Compact,
}

/// Decides for a conversation of this size. `can_prune` is false once pruning was tried without effect.
pub fn decide(marks: &Marks, tokens: u64, can_prune: bool) -> Step {
    if tokens >= marks.prune_at && can_prune {
        Step::Prune(tokens - marks.prune_to.min(tokens))
    } else if tokens >= marks.compact_at {
        Step::Compact
    } else {
        Step::Send
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_results_go_first_then_the_conversation_is_summed_up() {
        let marks = Policy::default().marks(200_000);
        assert_eq!((marks.prune_at, marks.compact_at, marks.keep), (120_000, 183_616, 20_000));
        for (tokens, can_prune, want) in [
            (119_999, true, Step::Send),
            (120_000, true, Step::Prune(40_000)),
            (120_000, false, Step::Send),
            (183_615, false, Step::Send),
            (183_616, false, Step::Compact),
            (190_000, true, Step::Prune(110_000)),
        ] {
            assert_eq!(decide(&marks, tokens, can_prune), want, "{tokens} {can_prune}");
        }
    }

    #[test]
    fn a_small_window_has_small_marks() {
        let marks = Policy::default().marks(8_000);
        assert_eq!((marks.prune_at, marks.compact_at, marks.keep), (4_800, 6_000, 2_000));
        let fixed = Policy { prune_above: PruneThreshold::Tokens(80_000), ..Policy::default() };
        assert_eq!(fixed.marks(200_000).prune_at, 80_000);
        assert_eq!(fixed.marks(8_000).prune_at, 6_000, "never behind the mark for summing up");
    }
}
