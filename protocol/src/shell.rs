//! Commands that the user runs alongside the agent.

use crate::ids::{JobId, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Params of `shell/run`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShellRunParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Command line, as a shell reads it.
    pub command: String,
    /// True if the model reads the command and its output with the next prompt; default true.
    #[serde(default = "crate::yes")]
    pub to_model: bool,
    /// A text of the client's choice, such as a UUID, at most 200 characters: the same request with the same key runs nothing more, and its
    /// response is the one to the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Params of `shell/write`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShellWriteParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Job with a terminal (`inTerminal`).
    pub job_id: JobId,
    /// Text to type: a line feed presses Enter, and control characters are keys, such as U+0003 for Ctrl-C. Nothing is typed if it is empty.
    pub text: String,
    /// False if the response need not wait for the screen, which is empty then, as for a client that follows it with `shell/screen`; default
    /// true.
    #[serde(default = "crate::yes")]
    pub wants_screen: bool,
}

/// Params of `shell/screen`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShellScreenParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Job with a terminal (`inTerminal`).
    pub job_id: JobId,
    /// `mark` of an earlier response: waits until the screen has changed since, up to 25 s. Absent: responds at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// Result of `shell/screen`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShellScreenResult {
    /// Current screen; absent once the job has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen: Option<TerminalScreen>,
    /// Lines scrolled off the top since `after`, without colors; of very many, the last 100 KB or more. Once the job has ended, they include the
    /// last screen.
    pub lines: String,
    /// `after` for the next request.
    pub mark: String,
    /// True once the job has ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
}

/// Screen of a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminalScreen {
    /// Width.
    pub columns: u32,
    /// All rows, from the top, without trailing spaces. Colors and styles are SGR sequences, as a terminal reads them, and end with their row;
    /// other control sequences of the program are left out.
    pub rows: Vec<String>,
    /// Cursor; absent if it is hidden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<ScreenCursor>,
}

/// Position of the cursor on a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScreenCursor {
    /// Row, from 0 at the top.
    pub row: u32,
    /// Column, from 0 at the left; a wide character takes two.
    pub column: u32,
}

/// Result of `shell/write`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShellWriteResult {
    /// Screen of 120 columns and 30 rows as text, when it had not changed for 100 ms, and after 1 s at the latest; empty if the command has ended.
    pub screen: String,
}

/// Result of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShellRunResult {
    /// Job that ran it. Its item shows the command; deltas of the field `output` carry its output.
    pub job_id: JobId,
    /// End of its output, at most 2,000 lines and 50 KB.
    pub output: String,
    /// Its exit code; absent if it was cancelled or ended by a signal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// True if it was cancelled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancelled: bool,
    /// True if `output` is not the full output.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// File with the full output, if it was truncated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_output_path: Option<String>,
}
