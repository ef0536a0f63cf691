//! Approvals and questions as dialogs of Pi's extensions: permission by `confirm`, the model's questions by `select` or `input`.
//!
//! Invariant: no answer is a no. Clients that do not know of dialogs never answer, so each has its time.

use super::line::UiResponse;
use crate::agent::{Answer, SessionHandle};
use pintle_protocol::approval::{Approval, ApprovalAnswer, Decision, Scope};
use pintle_protocol::ids::{ApprovalId, QuestionId};
use pintle_protocol::question::{Question, QuestionAnswer};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// The time that a person has to give a permission.
pub(super) const ASK_TIMEOUT: Duration = Duration::from_secs(300);

/// The dialogs that are open.
#[derive(Debug, Default)]
pub(super) struct Dialogs {
    asked: u64,
    open: BTreeMap<String, OpenDialog>,
}

#[derive(Debug)]
struct OpenDialog {
    about: About,
    session: SessionHandle,
    until: Instant,
}

#[derive(Debug)]
enum About {
    Approval(Approval),
    Question(Question),
}

impl Dialogs {
    /// Asks for permission.
    pub(super) fn approve(&mut self, session: SessionHandle, approval: &Approval) -> Value {
        let id = self.open(session, About::Approval(approval.clone()), ASK_TIMEOUT);
        json!({
            "type": "extension_ui_request",
            "id": id,
            "method": "confirm",
            "title": format!("Allow {}?", approval.tool_name),
            "message": format!("{}\n{}", approval.title, approval.reason),
            "timeout": millis(ASK_TIMEOUT),
        })
    }

    /// Asks what the model wants to know.
    pub(super) fn question(
        &mut self,
        session: SessionHandle,
        question: &Question,
        now_ms: u64,
    ) -> Value {
        let left = Duration::from_millis(question.deadline_ms.saturating_sub(now_ms));
        let id = self.open(session, About::Question(question.clone()), left);
        let mut title = question.text.clone();
        if let Some(plan) = &question.plan {
            title = format!("{title}\n\n{plan}");
        }
        if question.options.is_empty() {
            return json!({
                "type": "extension_ui_request", "id": id, "method": "input", "title": title, "timeout": millis(left),
            });
        }
        let labels: Vec<&str> = question.options.iter().map(|o| o.label.as_str()).collect();
        json!({
            "type": "extension_ui_request", "id": id, "method": "select", "title": title, "options": labels,
            "timeout": millis(left),
        })
    }

    fn open(&mut self, session: SessionHandle, about: About, left: Duration) -> String {
        self.asked += 1;
        let id = format!("ask-{}", self.asked);
        let until = Instant::now() + left;
        self.open.insert(id.clone(), OpenDialog { about, session, until });
        id
    }

    /// What was asked is not asked any more.
    pub(super) fn approved(&mut self, id: &ApprovalId) {
        self.open.retain(|_, open| match &open.about {
            About::Approval(approval) => approval.approval_id != *id,
            About::Question(_) => true,
        });
    }

    /// The same for a question.
    pub(super) fn answered(&mut self, id: &QuestionId) {
        self.open.retain(|_, open| match &open.about {
            About::Approval(_) => true,
            About::Question(question) => question.question_id != *id,
        });
    }

    /// When the next one has been open long enough.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.open.values().map(|open| open.until).min()
    }

    /// Takes the dialogs that have been open long enough, each with a no.
    pub(super) fn overdue(&mut self) -> Vec<(SessionHandle, Answer)> {
        let now = Instant::now();
        let late: Vec<String> = self
            .open
            .iter()
            .filter(|(_, open)| open.until <= now)
            .map(|(id, _)| id.clone())
            .collect();
        let no = |id| UiResponse { id, value: None, confirmed: None, cancelled: true };
        late.into_iter().filter_map(|id| self.take(no(id))).collect()
    }

    /// Takes an answer of the client; one to nothing that is open is none.
    pub(super) fn take(&mut self, response: UiResponse) -> Option<(SessionHandle, Answer)> {
        let UiResponse { id, value, confirmed, cancelled } = response;
        let OpenDialog { about, session, .. } = self.open.remove(&id)?;
        let answer = match about {
            About::Approval(approval) => {
                let is_yes = confirmed == Some(true) && !cancelled;
                let wanted = if is_yes { Decision::Allow } else { Decision::Deny };
                let option = approval
                    .options
                    .iter()
                    .find(|option| option.decision == wanted && option.scope == Scope::Once);
                Answer::Approval {
                    approval_id: approval.approval_id,
                    answer: ApprovalAnswer {
                        option_id: option.map(|option| option.option_id.clone()),
                        feedback: None,
                        dismissed: cancelled,
                    },
                }
            }
            About::Question(question) => {
                let option = question
                    .options
                    .iter()
                    .find(|option| value.as_deref() == Some(option.label.as_str()));
                Answer::Question {
                    question_id: question.question_id,
                    answer: QuestionAnswer {
                        option_ids: option
                            .map(|option| option.option_id.clone())
                            .into_iter()
                            .collect(),
                        text: value.filter(|_| option.is_none()),
                        dismissed: cancelled,
                    },
                }
            }
        };
        Some((session, answer))
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
