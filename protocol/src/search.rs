//! Search in stored sessions, and their deletion.

use crate::ids::{ItemId, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Params of `session/search`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionSearchParams {
    /// Words; an entry must contain all of them. `"several words"` in quotes match as a phrase. A word of three
    /// characters or more is also found inside other words and in paths, a shorter one as a whole word; Chinese,
    /// Japanese and Korean text at any length. Case and accents are ignored. Empty: the newest entries that pass the
    /// filters.
    #[serde(default)]
    pub query: String,
    /// Only in sessions with this working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Only in this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Only after this event of that session, such as an entry of `session/outline`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_seq: Option<u64>,
    /// Only before this event of that session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_seq: Option<u64>,
    /// Only entries of these kinds; empty for all but `toolOutput` and `reasoning`. A search for one of these two reads journals, so it
    /// takes longer, and its hits are not ranked: the newest session comes first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<EntryKind>,
    /// Only entries of these roles; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<EntryRole>,
    /// Only calls that concern a file with this in its path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Only entries of this time or later, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_ms: Option<u64>,
    /// Only entries before this time, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_ms: Option<u64>,
    /// The `nextCursor` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Maximum number of hits, 1 to 200; default 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Result of `session/search`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionSearchResult {
    /// Hits, best first; among equals the newest. For words that occur in very many entries, only the newest thousands are ranked.
    pub hits: Vec<SearchHit>,
    /// Cursor of the next page; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Number of sessions whose text is not indexed yet; indexing continues, so search again.
    #[serde(default, skip_serializing_if = "crate::is_zero")]
    pub behind: u64,
}

/// An entry that matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    /// Session.
    pub session_id: SessionId,
    /// Number of its event, around which `session/events` reads.
    pub seq: u64,
    /// Item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
    /// Time, in milliseconds since 1970.
    pub ts_ms: u64,
    /// Kind of entry.
    pub kind: EntryKind,
    /// Role.
    pub role: EntryRole,
    /// Session title, as in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The session's working directory.
    pub cwd: String,
    /// Text around the first match, in pieces, without line ends.
    pub snippet: Vec<SnippetPiece>,
}

/// A piece of a snippet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SnippetPiece {
    /// Text.
    pub text: String,
    /// True if it matches the query.
    #[serde(default, rename = "match", skip_serializing_if = "std::ops::Not::not")]
    pub is_match: bool,
}

/// Kind of a searchable entry.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum EntryKind {
    /// User message.
    UserMessage,
    /// A message of the model.
    AgentMessage,
    /// A tool call: its title, command and paths.
    ToolCall,
    /// Output of a tool call. Found only if `kinds` lists it.
    ToolOutput,
    /// Reasoning of the model. Found only if `kinds` names it.
    Reasoning,
}

/// Role of a searchable entry.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum EntryRole {
    /// The user, or a program in the user's place.
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
}

/// Params of `session/delete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionDeleteParams {
    /// Session. It must be named, and must not be open anywhere.
    pub session_id: SessionId,
}

/// Result of `session/delete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionDeleteResult {
    /// Deleted sessions: the sub-agents' first, then the requested one.
    pub deleted: Vec<SessionId>,
}
