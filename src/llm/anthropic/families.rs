//! How the models of one family are asked to think, as data.
//!
//! Source: platform.claude.com, `models` and `build-with-claude/effort`; docs.claude.com, `build-with-claude/extended-thinking`, for
//! the models before 4.5; what public clients say of switching thinking off; read 2026-11. How long an answer may be stands in the
//! catalogue.

use crate::llm::catalog;

/// How a model is asked to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thinking {
    /// It cannot.
    Never,
    /// `thinking: {type: enabled, budget_tokens}`.
    Budget,
    /// `thinking: {type: adaptive}` and `output_config.effort`.
    Adaptive {
        /// The efforts it takes, lowest first.
        levels: &'static [&'static str],
        /// How it is asked not to think.
        off: Off,
    },
}

/// How a model that thinks by itself is asked not to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Off {
    /// `thinking: {type: disabled}`.
    Disabled,
    /// `thinking: {type: between_tools}` is the least.
    BetweenTools,
    /// It always thinks; the lowest effort is the least.
    LowestEffort,
}

/// One family of models.
#[derive(Debug, Clone, Copy)]
pub(super) struct Family {
    prefix: &'static str,
    pub(super) thinking: Thinking,
}

const fn family(prefix: &'static str, thinking: Thinking) -> Family {
    Family { prefix, thinking }
}

const fn adaptive(levels: &'static [&'static str], off: Off) -> Thinking {
    Thinking::Adaptive { levels, off }
}

const FOUR_LEVELS: &[&str] = &["low", "medium", "high", "max"];
const FIVE_LEVELS: &[&str] = &["low", "medium", "high", "xhigh", "max"];

/// First match wins; the last entry stands for models that are newer than this table.
const FAMILIES: &[Family] = &[
    family("claude-3-haiku", Thinking::Never),
    family("claude-3-opus", Thinking::Never),
    family("claude-3-5", Thinking::Never),
    family("claude-3-7", Thinking::Budget),
    family("claude-opus-4-0", Thinking::Budget),
    family("claude-opus-4-1", Thinking::Budget),
    family("claude-opus-4-2025", Thinking::Budget),
    family("claude-sonnet-4-0", Thinking::Budget),
    family("claude-sonnet-4-2025", Thinking::Budget),
    family("claude-opus-4-5", Thinking::Budget),
    family("claude-sonnet-4-5", Thinking::Budget),
    family("claude-haiku-4-5", Thinking::Budget),
    family("claude-opus-4-6", adaptive(FOUR_LEVELS, Off::Disabled)),
    family("claude-sonnet-4-6", adaptive(FOUR_LEVELS, Off::Disabled)),
    family("claude-opus-4-", adaptive(FIVE_LEVELS, Off::Disabled)),
    family("claude-sonnet-5-5", adaptive(FIVE_LEVELS, Off::BetweenTools)),
    family("claude-opus-5-5", adaptive(FIVE_LEVELS, Off::LowestEffort)),
    family("claude-haiku-5", adaptive(FIVE_LEVELS, Off::Disabled)),
    family("claude-sonnet-5", adaptive(FIVE_LEVELS, Off::Disabled)),
    family("claude-opus-5", adaptive(FIVE_LEVELS, Off::Disabled)),
    family("claude-", adaptive(FIVE_LEVELS, Off::LowestEffort)),
];

/// Models of others behind this API.
const FOREIGN: Family = family("", Thinking::Budget);

/// The family of a model. Gateways and clouds put their own names before its.
pub(super) fn find(model: &str) -> Family {
    let name = catalog::bare_name(model);
    FAMILIES.iter().find(|family| name.starts_with(family.prefix)).copied().unwrap_or(FOREIGN)
}
