//! Questions: what the model asks a person, the answers to choose from, and what came of it.

use crate::ids::{ItemId, QuestionId, SessionId, TurnId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A question to a person. The same value is logged in `question.requested` and sent with the request
/// `question/request`. Any text is an answer, whatever the options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// The question's id.
    pub question_id: QuestionId,
    /// The session it stands in.
    pub session_id: SessionId,
    /// The turn that waits.
    pub turn_id: TurnId,
    /// The tool call that waits.
    pub item_id: ItemId,
    /// What it is about.
    pub kind: QuestionKind,
    /// The question.
    pub text: String,
    /// The plan that is to be accepted, as Markdown; only with the kind `plan`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// Answers to choose from; with none only a text answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<QuestionOption>,
    /// Several options may be chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multiple: bool,
    /// When it is answered by itself with its default, in milliseconds since 1970.
    pub deadline_ms: u64,
}

/// What a question is about. A reader treats a kind it does not know as `choice`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum QuestionKind {
    /// The model wants to know something. Nobody's answer counts as its first option.
    Choice,
    /// The model wants its plan accepted: the first option does, and the session works in mode `act` from then on. Any other
    /// answer, and none, leaves it in mode `plan`.
    Plan,
}

/// One answer a person can choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionOption {
    /// What to send back.
    pub option_id: String,
    /// What to show.
    pub label: String,
}

/// The answer to `question/request`: options, a text, both, or `dismissed`. Options that were not offered are left out, and so are all
/// but the first where only one may be chosen; an answer with nothing left counts as dismissed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionAnswer {
    /// The chosen options.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub option_ids: Vec<String>,
    /// What the person says in own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The question was closed without an answer; the model is told to decide by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dismissed: bool,
}

/// An answer to a question that is sent by itself. One that names an option that was not offered, or says nothing, is refused, and
/// the question stays open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionAnswerParams {
    /// The session; may be left out where this connection has made or opened exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The question.
    pub question_id: QuestionId,
    /// The answer.
    #[serde(flatten)]
    pub answer: QuestionAnswer,
}

/// How a question ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionOutcome {
    /// The question.
    pub question_id: QuestionId,
    /// The tool call.
    pub item_id: ItemId,
    /// The options that hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub option_ids: Vec<String>,
    /// What the person said in own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Who or what ended it.
    pub by: AnsweredBy,
}

/// Who or what ended a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AnsweredBy {
    /// A client answered.
    Client,
    /// A client closed it without an answer.
    Dismissed,
    /// Its time was over: the default holds.
    Deadline,
    /// Nobody was there who could answer.
    NoClient,
    /// The turn was interrupted while it waited.
    Interrupt,
}
