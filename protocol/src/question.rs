//! Model questions to the user, with their options, answers and outcomes.

use crate::ids::{ItemId, QuestionId, SessionId, TurnId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Question to the user. The same value is logged in `question.requested` and sent with the request `question/request`. Any text is an
/// answer, regardless of the options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// Question id.
    pub question_id: QuestionId,
    /// Session it belongs to.
    pub session_id: SessionId,
    /// Turn that waits.
    pub turn_id: TurnId,
    /// Tool call that waits.
    pub item_id: ItemId,
    /// Kind of question.
    pub kind: QuestionKind,
    /// Question.
    pub text: String,
    /// Plan to be accepted, as Markdown; only with the kind `plan`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// Options to choose from; without any, the answer is a text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<QuestionOption>,
    /// True if several options may be chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multiple: bool,
    /// Deadline after which the default answer applies, in milliseconds since 1970.
    pub deadline_ms: u64,
}

/// Kind of a question. A reader treats an unknown kind as `choice`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum QuestionKind {
    /// The model needs information. Without an answer, the first option applies.
    Choice,
    /// The model requests acceptance of its plan. The first option accepts it and switches the session to mode `act`. Any other answer, or
    /// none, leaves the session in mode `plan`.
    Plan,
}

/// Option offered to the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionOption {
    /// Id to send back.
    pub option_id: String,
    /// Label to show.
    pub label: String,
}

/// Answer to `question/request`: options, a text, both, or `dismissed`. Options that were not offered are ignored, as are all but the first
/// if only one may be chosen; an answer with nothing left counts as dismissed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionAnswer {
    /// Chosen options.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub option_ids: Vec<String>,
    /// Text entered by the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// True if the dialog was closed without an answer; the model is then instructed to decide by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dismissed: bool,
}

/// Answer to a question, sent as a client request. If it selects an option that was not offered, or is empty, it is refused, and the
/// question stays open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionAnswerParams {
    /// Session; optional if this connection has created or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Question.
    pub question_id: QuestionId,
    /// The answer.
    #[serde(flatten)]
    pub answer: QuestionAnswer,
}

/// Question outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionOutcome {
    /// Question.
    pub question_id: QuestionId,
    /// Tool call.
    pub item_id: ItemId,
    /// Chosen options.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub option_ids: Vec<String>,
    /// Text entered by the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Origin of the answer.
    pub by: AnsweredBy,
}

/// Origin of an answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AnsweredBy {
    /// A client answered.
    Client,
    /// A client dismissed the question.
    Dismissed,
    /// The deadline passed: the default applies.
    Deadline,
    /// No client could answer.
    NoClient,
    /// The turn was interrupted while it waited.
    Interrupt,
}
