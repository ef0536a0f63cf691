//! Approvals and questions as dialogs of Pi's extensions: a permission by `confirm`, the model's questions by `select` or `input`.
//!
//! Invariant: without an answer, a dialog is denied. Clients without dialogs never answer, so each has a timeout. Where other clients share
//! the session they may answer too, so a dialog without an answer only ends here, and permission has the engine's own deadline.

use super::line::{UiResponse, put};
use crate::connection::Scope as ConnectionScope;
use pintle_agent::{Answer, SessionHandle};
use pintle_protocol::approval::{Approval, ApprovalAnswer, Decision, Scope};
use pintle_protocol::ids::{ApprovalId, QuestionId};
use pintle_protocol::question::{Question, QuestionAnswer};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// The timeout of a request for permission.
pub(super) const ASK_TIMEOUT: Duration = Duration::from_secs(300);

/// The open dialogs.
#[derive(Debug)]
pub(super) struct Dialogs {
    scope: ConnectionScope,
    count: u64,
    /// The client has been told that permissions are asked for.
    is_told: bool,
    open: BTreeMap<String, OpenDialog>,
}

#[derive(Debug)]
struct OpenDialog {
    about: About,
    session: SessionHandle,
    until: Option<Instant>,
}

#[derive(Debug)]
enum About {
    Approval(Approval),
    Question(Question),
}

/// All that a person is asked about, as the text of a dialog.
fn message(approval: &Approval) -> String {
    let mut message = format!("{}\n{}", approval.title, approval.reason);
    for detail in &approval.details {
        message.extend(["\n\n", detail.kind.heading(), ":\n", &detail.text]);
    }
    message
}

impl Dialogs {
    pub(super) fn new(scope: ConnectionScope) -> Self {
        Self { scope, count: 0, is_told: false, open: BTreeMap::new() }
    }

    /// Forgets the open dialogs.
    pub(super) fn clear(&mut self) {
        self.open.clear();
    }

    /// Returns a notice about requests for permission, before the first one: a client without dialogs never answers.
    pub(super) fn notice(&mut self) -> Option<Value> {
        if std::mem::replace(&mut self.is_told, true) {
            return None;
        }
        let until = match self.scope {
            ConnectionScope::Alone => {
                format!("Without an answer within {} s it is denied.", ASK_TIMEOUT.as_secs())
            }
            ConnectionScope::Shared => "Other clients of the session may answer too.".to_owned(),
        };
        Some(json!({
            "type": "extension_ui_request",
            "id": "notice-permission",
            "method": "notify",
            "message": format!(
                "This call needs permission: answer the dialog `confirm` with an extension_ui_response. {until} For a client that answers no \
                 dialogs, start the engine with --permission auto-edit or --permission full."
            ),
            "notifyType": "warning",
        }))
    }

    /// Opens a dialog for permission.
    pub(super) fn approve(&mut self, session: SessionHandle, approval: &Approval) -> Value {
        let timeout = match self.scope {
            ConnectionScope::Alone => Some(ASK_TIMEOUT),
            ConnectionScope::Shared => None,
        };
        let id = self.open(session, About::Approval(approval.clone()), timeout);
        let mut request = json!({
            "type": "extension_ui_request",
            "id": id,
            "method": "confirm",
            "title": format!("Allow {}?", approval.tool_name),
            "message": message(approval),
        });
        if let Some(timeout) = timeout {
            put(&mut request, "timeout", millis(timeout));
        }
        request
    }

    /// Opens a dialog for a question of the model.
    pub(super) fn question(
        &mut self,
        session: SessionHandle,
        question: &Question,
        now_ms: u64,
    ) -> Value {
        let timeout = Duration::from_millis(question.deadline_ms.saturating_sub(now_ms));
        let id = self.open(session, About::Question(question.clone()), Some(timeout));
        let mut title = question.text.clone();
        if let Some(plan) = &question.plan {
            title = format!("{title}\n\n{plan}");
        }
        if question.options.is_empty() {
            return json!({
                "type": "extension_ui_request", "id": id, "method": "input", "title": title, "timeout": millis(timeout),
            });
        }
        let labels: Vec<&str> = question.options.iter().map(|o| o.label.as_str()).collect();
        json!({
            "type": "extension_ui_request", "id": id, "method": "select", "title": title, "options": labels,
            "timeout": millis(timeout),
        })
    }

    fn open(&mut self, session: SessionHandle, about: About, timeout: Option<Duration>) -> String {
        self.count += 1;
        let id = format!("ask-{}", self.count);
        let until = timeout.map(|timeout| Instant::now() + timeout);
        self.open.insert(id.clone(), OpenDialog { about, session, until });
        id
    }

    /// Closes the dialog of an approval that is resolved.
    pub(super) fn approved(&mut self, id: &ApprovalId) {
        self.open.retain(|_, open| match &open.about {
            About::Approval(approval) => approval.approval_id != *id,
            About::Question(_) => true,
        });
    }

    /// Closes the dialog of a question that is resolved.
    pub(super) fn answered(&mut self, id: &QuestionId) {
        self.open.retain(|_, open| match &open.about {
            About::Approval(_) => true,
            About::Question(question) => question.question_id != *id,
        });
    }

    /// The deadline of the next dialog.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.open.values().filter_map(|open| open.until).min()
    }

    /// Takes the dialogs whose deadline has passed, each with a denial.
    pub(super) fn overdue(&mut self) -> Vec<(SessionHandle, Answer)> {
        let now = Instant::now();
        let overdue: Vec<String> = self
            .open
            .iter()
            .filter(|(_, open)| open.until.is_some_and(|until| until <= now))
            .map(|(id, _)| id.clone())
            .collect();
        let denial = |id| UiResponse { id, value: None, confirmed: None, cancelled: true };
        let denied: Vec<_> = overdue.into_iter().filter_map(|id| self.take(denial(id))).collect();
        match self.scope {
            ConnectionScope::Alone => denied,
            ConnectionScope::Shared => Vec::new(),
        }
    }

    /// Takes a response of the client; `None` if no such dialog is open.
    pub(super) fn take(&mut self, response: UiResponse) -> Option<(SessionHandle, Answer)> {
        let UiResponse { id, value, confirmed, cancelled } = response;
        let OpenDialog { about, session, .. } = self.open.remove(&id)?;
        let answer = match about {
            About::Approval(approval) => {
                let is_allowed = confirmed == Some(true) && !cancelled;
                let decision = if is_allowed { Decision::Allow } else { Decision::Deny };
                let option = approval
                    .options
                    .iter()
                    .find(|option| option.decision == decision && option.scope == Scope::Once);
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
