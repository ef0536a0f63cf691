//! The part of Pi's `settings.json` that has an effect here. Pure.

use serde::Deserialize;

/// The settings that have an effect here; others are ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// The default model's provider.
    pub default_provider: Option<String>,
    /// The default model's id at that provider.
    pub default_model: Option<String>,
    /// The default model's reasoning effort.
    pub default_thinking_level: Option<String>,
    /// The queue mode of messages for the running turn: `all` or `one-at-a-time`.
    pub steering_mode: Option<String>,
    /// The queue mode for messages that wait until the turn ends.
    pub follow_up_mode: Option<String>,
    /// Automatic compaction.
    pub compaction: Compaction,
    /// The retry policy.
    pub retry: Retry,
    /// The directory for session files.
    pub session_dir: Option<String>,
}

/// The limits of automatic compaction.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Compaction {
    /// False switches it off.
    pub enabled: Option<bool>,
    /// The tokens that stay free for a reply.
    pub reserve_tokens: Option<u64>,
    /// How many tokens at the conversation's end are kept by compaction.
    pub keep_recent_tokens: Option<u64>,
}

/// The retry policy for a provider that fails.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Retry {
    /// False switches it off.
    pub enabled: Option<bool>,
    /// The number of retries.
    pub max_retries: Option<u32>,
    /// The wait before the first retry, in milliseconds; each next one is twice as long.
    pub base_delay_ms: Option<u64>,
}
