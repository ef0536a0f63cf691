//! What the models of one family have in common, as data.

/// How a model is asked to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thinking {
    /// It cannot.
    Never,
    /// `thinking: {type: enabled, budget_tokens}`.
    Budget,
    /// `thinking: {type: adaptive}` and `output_config.effort`, one of these.
    Adaptive(&'static [&'static str]),
}

/// One family of models.
#[derive(Debug, Clone, Copy)]
pub(super) struct Family {
    prefix: &'static str,
    /// `max_tokens` when the request gives none; the API wants one.
    pub(super) max_output_tokens: u32,
    pub(super) thinking: Thinking,
}

const fn family(prefix: &'static str, max_output_tokens: u32, thinking: Thinking) -> Family {
    Family { prefix, max_output_tokens, thinking }
}

/// First match wins; the last entry matches every name. Source: the provider's model overview, read 2026-11.
const FAMILIES: &[Family] = &[
    family("claude-3-haiku", 4_096, Thinking::Never),
    family("claude-3-opus", 4_096, Thinking::Never),
    family("claude-3-5", 8_192, Thinking::Never),
    family("claude-3-7", 64_000, Thinking::Budget),
    family("claude-opus-4-0", 32_000, Thinking::Budget),
    family("claude-opus-4-1", 32_000, Thinking::Budget),
    family("claude-opus-4-2025", 32_000, Thinking::Budget),
    family("claude-opus-4-5", 64_000, Thinking::Budget),
    family("claude-sonnet-4-0", 64_000, Thinking::Budget),
    family("claude-sonnet-4-2025", 64_000, Thinking::Budget),
    family("claude-sonnet-4-5", 64_000, Thinking::Budget),
    family("claude-haiku-4-5", 64_000, Thinking::Budget),
    family("claude-opus-4-6", 64_000, Thinking::Adaptive(&["low", "medium", "high", "max"])),
    family("claude-sonnet-4-6", 64_000, Thinking::Adaptive(&["low", "medium", "high", "max"])),
    family("claude-", 64_000, Thinking::Adaptive(&["low", "medium", "high", "xhigh", "max"])),
];

/// Models of others behind this API.
const FOREIGN: Family = family("", 16_384, Thinking::Budget);

/// The family of a model.
pub(super) fn find(model: &str) -> Family {
    FAMILIES.iter().find(|family| model.starts_with(family.prefix)).copied().unwrap_or(FOREIGN)
}
