//! What a session is called, and how that changes.

use crate::content::Usage;
use crate::ids::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// A session has another title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionUpdated {
    /// The title; absent when it was taken away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Who gave it.
    pub by: TitledBy,
    /// The tokens that it took to make, where a model made it; they belong to no turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What that cost, in billionths of a US dollar; absent where the price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_nano_usd: Option<u64>,
}

/// Who gave a session its title.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TitledBy {
    /// A person. A model never changes such a title.
    Person,
    /// A model, once, after the first turn.
    Model,
}

/// What to change of a session; what is left out stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionUpdateParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Its title: one line, at most 200 characters; null or an empty text takes it away, and lists show the beginning of the first
    /// prompt again.
    #[serde(default, deserialize_with = "said", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub title: Option<Option<String>>,
}

/// A session as it is called now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionUpdateResult {
    /// Its title; absent when it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

#[expect(clippy::option_option, reason = "as the field that it reads")]
fn said<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(value).map(Some)
}
