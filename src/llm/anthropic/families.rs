//! Thinking parameters per model family, as data.
//!
//! Source: platform.claude.com, `models` and `build-with-claude/effort`; docs.claude.com, `build-with-claude/extended-thinking`, for models
//! before 4.5; public clients, for disabling thinking; read 2026-11. The catalog has the maximum output length.

use crate::catalog;

/// The form in which thinking is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thinking {
    /// The model cannot think.
    Never,
    /// `thinking: {type: enabled, budget_tokens}`.
    Budget,
    /// `thinking: {type: adaptive}` and `output_config.effort`.
    Adaptive {
        /// The efforts that it accepts, lowest first.
        levels: &'static [&'static str],
        /// The form in which thinking is switched off.
        off: Off,
    },
}

/// The form in which thinking is switched off for a model that thinks by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Off {
    /// `thinking: {type: disabled}`.
    Disabled,
    /// `thinking: {type: between_tools}` is the minimum.
    BetweenTools,
    /// Thinking cannot be switched off; the lowest effort is the minimum.
    LowestEffort,
}

/// A model family.
#[derive(Debug, Clone, Copy)]
pub(super) struct Family {
    prefix: &'static str,
    pub(super) thinking: Thinking,
}

impl Family {
    /// Returns true for Anthropic's models.
    pub(super) fn is_claude(self) -> bool {
        !self.prefix.is_empty()
    }
}

const fn family(prefix: &'static str, thinking: Thinking) -> Family {
    Family { prefix, thinking }
}

const fn adaptive(levels: &'static [&'static str], off: Off) -> Thinking {
    Thinking::Adaptive { levels, off }
}

const FOUR_LEVELS: &[&str] = &["low", "medium", "high", "max"];
const FIVE_LEVELS: &[&str] = &["low", "medium", "high", "xhigh", "max"];

/// The families. The first match wins; the last entry covers models newer than this table.
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

/// Models that accept a new effort within the conversation, and the level that they use by default.
///
/// Source: platform.claude.com/docs/en/build-with-claude/effort-per-message and `build-with-claude/effort`; read 2026-11.
const UPDATED: &[(&str, &str)] = &[
    ("claude-fable-5-1", "high"),
    ("claude-fable-5-2", "high"),
    ("claude-mythos-5-1", "high"),
    ("claude-mythos-5-2", "high"),
    ("claude-opus-5-5", "medium"),
    ("claude-opus-5", "high"),
    ("claude-sonnet-5-5", "high"),
    ("claude-haiku-5-5", "medium"),
];

/// Models of other makers behind this API.
const FOREIGN: Family = family("", Thinking::Budget);

/// Returns a model's family. Gateways and clouds prefix model names.
pub(super) fn find(model: &str) -> Family {
    let name = catalog::bare_name(model);
    FAMILIES.iter().find(|family| name.starts_with(family.prefix)).copied().unwrap_or(FOREIGN)
}

/// Returns a model's default level if its effort can change within the conversation.
pub(super) fn default_level(model: &str) -> Option<&'static str> {
    let name = catalog::bare_name(model);
    let updated = UPDATED.iter().find(|(prefix, _)| name.starts_with(prefix));
    updated.map(|(_, level)| *level)
}
