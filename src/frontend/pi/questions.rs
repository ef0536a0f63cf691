//! Approvals and questions as dialogs of Pi's extensions: a permission by `confirm`, the model's questions by `select` or `input`.
//!
//! Invariant: without an answer, a dialog is denied. Clients without dialogs never answer, so each has a timeout. If other clients share
//! the session they may answer too, so a dialog without an answer only ends here, and the permission has the engine's deadline.

use super::line::{UiResponse, put};
use crate::client::{Open, Questions, Scope as ConnectionScope, UserQuestion};
use pintle_agent::{Answer, SessionHandle};
use pintle_protocol::approval::{Approval, ApprovalOption, Decision, Scope};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// Time limit of a permission request.
pub(super) const ASK_TIMEOUT: Duration = Duration::from_secs(300);

/// The open dialogs and their deadlines.
#[derive(Debug)]
pub(super) struct Dialogs {
    scope: ConnectionScope,
    /// True if the client has been informed that permissions are asked for.
    is_told: bool,
    pub(super) open: Questions<Option<Instant>>,
}

/// Returns all details of an approval, as a dialog's text.
fn message(approval: &Approval) -> String {
    let mut message = format!("{}\n{}", approval.title, approval.reason);
    for detail in &approval.details {
        message.extend(["\n\n", detail.kind.heading(), ":\n", &detail.text]);
    }
    message
}

impl Dialogs {
    pub(super) fn new(scope: ConnectionScope) -> Self {
        Self { scope, is_told: false, open: Questions::new("ask-") }
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

    /// Opens a dialog.
    pub(super) fn ask(
        &mut self,
        asked: UserQuestion,
        session: SessionHandle,
        now_ms: u64,
    ) -> Value {
        let timeout = match (&asked, self.scope) {
            (UserQuestion::Approval(_), ConnectionScope::Alone) => Some(ASK_TIMEOUT),
            (UserQuestion::Approval(_), ConnectionScope::Shared) => None,
            (UserQuestion::Question(question), _) => {
                Some(Duration::from_millis(question.deadline_ms.saturating_sub(now_ms)))
            }
        };
        let note = timeout.map(|timeout| Instant::now() + timeout);
        let (id, Open { asked, .. }) = self.open.ask(Open { asked, session, note });
        let mut request = match asked {
            UserQuestion::Approval(approval) => json!({
                "type": "extension_ui_request",
                "id": id,
                "method": "confirm",
                "title": format!("Allow {}?", approval.tool_name),
                "message": message(approval),
            }),
            UserQuestion::Question(question) => {
                let mut title = question.text.clone();
                if let Some(plan) = &question.plan {
                    title = format!("{title}\n\n{plan}");
                }
                let method = if question.options.is_empty() { "input" } else { "select" };
                let mut request = json!({
                    "type": "extension_ui_request", "id": id, "method": method, "title": title,
                });
                if !question.options.is_empty() {
                    let labels = question.options.iter().map(|o| o.label.as_str());
                    put(&mut request, "options", labels.collect::<Vec<_>>());
                }
                request
            }
        };
        if let Some(timeout) = timeout {
            put(&mut request, "timeout", millis(timeout));
        }
        request
    }

    /// Returns the next dialog's deadline.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.open.iter().filter_map(|(_, open)| open.note).min()
    }

    /// Takes the dialogs whose deadline has passed, each with a denial.
    pub(super) fn overdue(&mut self) -> Vec<(SessionHandle, Answer)> {
        let now = Instant::now();
        let is_overdue = |open: &Open<Option<Instant>>| open.note.is_some_and(|until| until <= now);
        let overdue = self.open.iter().filter(|(_, open)| is_overdue(open));
        let overdue: Vec<String> = overdue.map(|(id, _)| id).collect();
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
        let Open { asked, session, .. } = self.open.take(&id)?;
        let option = match &asked {
            UserQuestion::Approval(approval) => {
                let is_allowed = confirmed == Some(true) && !cancelled;
                let decision = if is_allowed { Decision::Allow } else { Decision::Deny };
                let is_it = |option: &&ApprovalOption| {
                    option.decision == decision && option.scope == Scope::Once
                };
                approval.options.iter().find(is_it).map(|option| option.option_id.clone())
            }
            UserQuestion::Question(question) => {
                let options = &mut question.options.iter();
                let chosen = options.find(|option| value.as_deref() == Some(option.label.as_str()));
                chosen.map(|option| option.option_id.clone())
            }
        };
        let text = match &asked {
            UserQuestion::Approval(_) => None,
            UserQuestion::Question(_) => value.filter(|_| option.is_none()),
        };
        Some((session, asked.answer(Vec::from_iter(option), text, cancelled)))
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
