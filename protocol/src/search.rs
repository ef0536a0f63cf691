//! Search over what was said and done in stored sessions, and taking sessions away.

use crate::ids::{ItemId, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What to look for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionSearchParams {
    /// Words; an entry must hold all of them. `"several words"` in quotes stand together. A word of three characters or more is
    /// also found inside other words and in paths, a shorter one as a whole word; Chinese, Japanese and Korean text at any length. Case
    /// and accents do not count. Empty: the newest entries that pass the filters.
    #[serde(default)]
    pub query: String,
    /// Only in sessions with this working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Only in this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Only after this event of that session, such as an anchor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_seq: Option<u64>,
    /// Only before this event of that session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_seq: Option<u64>,
    /// Only these kinds; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<EntryKind>,
    /// Only from these; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<EntryRole>,
    /// Only calls that are about a file with this in its path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Only what happened then or later, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_ms: Option<u64>,
    /// Only what happened before, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_ms: Option<u64>,
    /// Where the last page ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// The most to return, 1 to 200; default 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionSearchResult {
    /// The best first; among equals the newest. Of words that stand in very many entries, the newest thousands are ranked.
    pub hits: Vec<SearchHit>,
    /// Send it back to get the next page; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// So many sessions have text that could not be looked at yet; it is being read, so ask again.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub behind: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field by reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// An entry that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    /// The session.
    pub session_id: SessionId,
    /// The number of its event: read around it with `session/events`.
    pub seq: u64,
    /// The item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
    /// When it happened, in milliseconds since 1970.
    pub ts_ms: u64,
    /// What it is.
    pub kind: EntryKind,
    /// Whose it is.
    pub role: EntryRole,
    /// The session's title, as in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The session's working directory.
    pub cwd: String,
    /// The text around the first place that was found, in pieces, without line ends.
    pub snippet: Vec<SnippetPiece>,
}

/// A piece of a snippet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SnippetPiece {
    /// The text.
    pub text: String,
    /// It is what was looked for.
    #[serde(default, rename = "match", skip_serializing_if = "std::ops::Not::not")]
    pub is_match: bool,
}

/// What an entry is that can be found.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum EntryKind {
    /// What a person said.
    UserMessage,
    /// What the model said.
    AgentMessage,
    /// A call of a tool: its title, command and paths.
    ToolCall,
}

/// Whose an entry is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum EntryRole {
    /// A person's, or of whoever stands in for one.
    User,
    /// The model's.
    Assistant,
    /// A tool's.
    Tool,
}

/// Which session to delete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionDeleteParams {
    /// The session. It must be named, and open nowhere.
    pub session_id: SessionId,
}

/// What was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionDeleteResult {
    /// The sessions: first the sub-agents', then the one that was named.
    pub deleted: Vec<SessionId>,
}
