//! Approvals and questions for the client: sent as requests, and withdrawn once no answer is needed.
//!
//! Invariant: only an option that was offered counts as a consent.

use super::{tool, wire};
use agent_client_protocol_schema::v1 as acp;
use pintle_agent::{Answer, SessionHandle};
use pintle_base::transport::envelope::{self, Id};
use pintle_protocol::approval::{Approval, ApprovalAnswer, Decision, Scope};
use pintle_protocol::ids::{ApprovalId, QuestionId};
use pintle_protocol::question::{Question, QuestionAnswer, QuestionKind};
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The option that denies a call and asks for feedback.
const DENY_WITH_FEEDBACK: &str = "_pintle/deny-with-words";

/// The option of a menu that declines to answer.
const SKIP: &str = "_pintle/skip";

/// The field of a form that takes any text.
const TEXT: &str = "text";

/// The field of a form that takes the options of a question.
const CHOICE: &str = "choice";

/// The subject of a request to the client.
#[derive(Debug, Clone)]
enum About {
    Approval(Box<Approval>),
    /// The feedback of a denial.
    Feedback(Box<Approval>),
    Menu(Box<Question>),
    Form(Box<Question>),
}

#[derive(Debug)]
struct Pending {
    about: About,
    /// The session that asks: the client's or a sub-agent's.
    handle: SessionHandle,
    /// The session that the client knows.
    session: acp::SessionId,
}

/// Requests without a response, by id.
#[derive(Debug, Default)]
pub(super) struct Questions {
    count: u64,
    open: BTreeMap<String, Pending>,
    /// The client shows forms.
    pub(super) has_forms: bool,
}

/// The result of a response.
pub(super) enum Answered {
    /// It is an answer for this session.
    Tell(SessionHandle, Answer),
    /// It leads to another request.
    Ask(Vec<u8>),
    /// It responds to no request of these.
    NotOurs,
}

impl Questions {
    /// Returns the request for a permission, unless one is open already.
    pub(super) fn permission(
        &mut self,
        session: &acp::SessionId,
        handle: SessionHandle,
        approval: &Approval,
    ) -> Option<Vec<u8>> {
        let is_same = |open: &Pending| open.about.approval() == Some(&approval.approval_id);
        if self.open.values().any(is_same) {
            return None;
        }
        let mut options: Vec<acp::PermissionOption> = approval
            .options
            .iter()
            .map(|option| {
                let kind = option_kind(option.decision, option.scope);
                acp::PermissionOption::new(option.option_id.clone(), option.label.clone(), kind)
            })
            .collect();
        if self.has_forms {
            let kind = acp::PermissionOptionKind::RejectOnce;
            // Clients choose the first option of a kind where they have one key for it: that one asks nothing more.
            let first = options.iter().position(|option| option.kind == kind);
            options.insert(
                first.map_or(options.len(), |first| first + 1),
                acp::PermissionOption::new(DENY_WITH_FEEDBACK, "Deny with a Reason…", kind),
            );
        }
        let mut fields = acp::ToolCallUpdateFields::new()
            .title(approval.title.clone())
            .kind(tool::kind(approval.kind))
            .status(acp::ToolCallStatus::Pending)
            .name(approval.tool_name.clone())
            .locations(tool::asked_at(approval));
        let mut content = tool::asked(approval);
        // A diff says all that the arguments do.
        if content.is_empty() {
            fields = fields.raw_input(wire::cut_value(&approval.input));
        }
        content.extend(tool::details(&approval.details, !content.is_empty()));
        if !content.is_empty() {
            fields = fields.content(content);
        }
        let call = acp::ToolCallUpdate::new(approval.item_id.as_str().to_owned(), fields);
        let request = acp::RequestPermissionRequest::new(session.clone(), call, options)
            .meta(wire::meta("pintle", json!({"reason": approval.reason})));
        let pending = Pending {
            about: About::Approval(Box::new(approval.clone())),
            handle,
            session: session.clone(),
        };
        Some(self.send("session/request_permission", &request, pending))
    }

    /// Returns the request for an answer to a question of the model, unless one is open already.
    pub(super) fn question(
        &mut self,
        session: &acp::SessionId,
        handle: SessionHandle,
        question: &Question,
    ) -> Option<Vec<u8>> {
        let is_same = |open: &Pending| open.about.question() == Some(&question.question_id);
        if self.open.values().any(is_same) {
            return None;
        }
        let pending_for = |about| Pending { about, handle, session: session.clone() };
        // A plan is accepted in the permission menu, which every client has.
        if self.has_forms && question.kind == QuestionKind::Choice {
            let pending = pending_for(About::Form(Box::new(question.clone())));
            return Some(self.send("elicitation/create", &form(session, question), pending));
        }
        let pending = pending_for(About::Menu(Box::new(question.clone())));
        Some(self.send("session/request_permission", &menu(session, question), pending))
    }

    fn send(&mut self, method: &str, request: &impl serde::Serialize, pending: Pending) -> Vec<u8> {
        self.count += 1;
        let id = format!("a{}", self.count);
        let message = envelope::request(&id, method, request);
        self.open.insert(id, pending);
        message
    }

    /// Withdraws the request for a permission, if it is open.
    pub(super) fn resolved(&mut self, approval: &ApprovalId) -> Option<Vec<u8>> {
        self.withdraw(|about| about.approval() == Some(approval))
    }

    /// Withdraws the request for an answer, if it is open.
    pub(super) fn answered(&mut self, question: &QuestionId) -> Option<Vec<u8>> {
        self.withdraw(|about| about.question() == Some(question))
    }

    fn withdraw(&mut self, is_it: impl Fn(&About) -> bool) -> Option<Vec<u8>> {
        let id = self.open.iter().find(|(_, open)| is_it(&open.about)).map(|(id, _)| id.clone())?;
        self.open.remove(&id);
        let params = acp::CancelRequestNotification::new(acp::RequestId::Str(id));
        Some(wire::notification("$/cancel_request", &params))
    }

    /// Takes a response of the client.
    pub(super) fn take(&mut self, id: &Id, outcome: Result<Box<RawValue>, String>) -> Answered {
        let pending = match id {
            Id::Str(id) => self.open.remove(id),
            Id::Null | Id::Number(_) => None,
        };
        let Some(Pending { about, handle, session }) = pending else { return Answered::NotOurs };
        match about {
            About::Approval(approval) => {
                let chosen = chosen(outcome);
                if chosen.as_deref() == Some(DENY_WITH_FEEDBACK) {
                    let request = feedback_form(&session, &approval);
                    let pending = Pending { about: About::Feedback(approval), handle, session };
                    return Answered::Ask(self.send("elicitation/create", &request, pending));
                }
                let answer = ApprovalAnswer {
                    dismissed: chosen.is_none(),
                    option_id: chosen,
                    feedback: None,
                };
                let approval_id = approval.approval_id.clone();
                Answered::Tell(handle, Answer::Approval { approval_id, answer })
            }
            About::Feedback(approval) => {
                let text = accepted(outcome).and_then(|content| match content.get(TEXT) {
                    Some(acp::ElicitationContentValue::String(text)) => Some(text.clone()),
                    _ => None,
                });
                let deny = |option: &&pintle_protocol::approval::ApprovalOption| {
                    option.decision == Decision::Deny && option.scope == Scope::Once
                };
                let option_id =
                    approval.options.iter().find(deny).map(|option| option.option_id.clone());
                let answer =
                    ApprovalAnswer { dismissed: option_id.is_none(), option_id, feedback: text };
                let approval_id = approval.approval_id.clone();
                Answered::Tell(handle, Answer::Approval { approval_id, answer })
            }
            About::Menu(question) => {
                let chosen = chosen(outcome).filter(|id| id != SKIP);
                let answer = QuestionAnswer {
                    dismissed: chosen.is_none(),
                    option_ids: chosen.into_iter().collect(),
                    text: None,
                };
                let question_id = question.question_id.clone();
                Answered::Tell(handle, Answer::Question { question_id, answer })
            }
            About::Form(question) => {
                let question_id = question.question_id.clone();
                let answer = filled(accepted(outcome));
                Answered::Tell(handle, Answer::Question { question_id, answer })
            }
        }
    }
}

impl About {
    fn approval(&self) -> Option<&ApprovalId> {
        match self {
            Self::Approval(approval) | Self::Feedback(approval) => Some(&approval.approval_id),
            Self::Menu(_) | Self::Form(_) => None,
        }
    }

    fn question(&self) -> Option<&QuestionId> {
        match self {
            Self::Menu(question) | Self::Form(question) => Some(&question.question_id),
            Self::Approval(_) | Self::Feedback(_) => None,
        }
    }
}

/// Maps an option's kind. Denying and stopping the turn has no kind of its own in this protocol: it holds once, and its label says the
/// rest.
fn option_kind(decision: Decision, scope: Scope) -> acp::PermissionOptionKind {
    match (decision, scope) {
        (Decision::Allow, Scope::Once) => acp::PermissionOptionKind::AllowOnce,
        (Decision::Allow, Scope::Turn | Scope::Session | Scope::Project | Scope::User) => {
            acp::PermissionOptionKind::AllowAlways
        }
        (Decision::Deny, Scope::Once) | (Decision::Abort, _) => {
            acp::PermissionOptionKind::RejectOnce
        }
        (Decision::Deny, Scope::Turn | Scope::Session | Scope::Project | Scope::User) => {
            acp::PermissionOptionKind::RejectAlways
        }
    }
}

/// Returns the chosen option, if any.
fn chosen(outcome: Result<Box<RawValue>, String>) -> Option<String> {
    let raw = outcome.ok()?;
    let response: acp::RequestPermissionResponse = serde_json::from_str(raw.get()).ok()?;
    match response.outcome {
        acp::RequestPermissionOutcome::Selected(selected) => Some(selected.option_id.to_string()),
        acp::RequestPermissionOutcome::Cancelled | _ => None,
    }
}

type Content = BTreeMap<String, acp::ElicitationContentValue>;

/// Returns the values of a form that was filled in.
fn accepted(outcome: Result<Box<RawValue>, String>) -> Option<Content> {
    let raw = outcome.ok()?;
    let response: acp::CreateElicitationResponse = serde_json::from_str(raw.get()).ok()?;
    match response.action {
        acp::ElicitationAction::Accept(accept) => Some(accept.content.unwrap_or_default()),
        acp::ElicitationAction::Decline
        | acp::ElicitationAction::Cancel
        | acp::ElicitationAction::Other(_)
        | _ => None,
    }
}

fn filled(content: Option<Content>) -> QuestionAnswer {
    let mut answer = QuestionAnswer::default();
    for (field, value) in content.unwrap_or_default() {
        match (field.as_str(), value) {
            (CHOICE, acp::ElicitationContentValue::String(option)) => {
                answer.option_ids.push(option);
            }
            (CHOICE, acp::ElicitationContentValue::StringArray(options)) => {
                answer.option_ids.extend(options);
            }
            (TEXT, acp::ElicitationContentValue::String(text)) if !text.trim().is_empty() => {
                answer.text = Some(text);
            }
            _ => {}
        }
    }
    answer.dismissed = answer.option_ids.is_empty() && answer.text.is_none();
    answer
}

fn scope(session: &acp::SessionId, call: &str) -> acp::ElicitationSessionScope {
    acp::ElicitationSessionScope::new(session.clone())
        .tool_call_id(acp::ToolCallId::new(call.to_owned()))
}

fn form(session: &acp::SessionId, question: &Question) -> acp::CreateElicitationRequest {
    let mut schema = acp::ElicitationSchema::new();
    let choices: Vec<acp::EnumOption> = question
        .options
        .iter()
        .map(|option| acp::EnumOption::new(option.option_id.clone(), option.label.clone()))
        .collect();
    let words = acp::StringPropertySchema::new().title("In your own words".to_owned());
    if choices.is_empty() {
        schema = schema.property(TEXT, words.title("Answer".to_owned()), true);
    } else {
        schema = if question.multiple {
            let items = acp::MultiSelectPropertySchema::titled(choices).title("Answers".to_owned());
            schema.property(CHOICE, items, false)
        } else {
            let choice =
                acp::StringPropertySchema::new().title("Answer".to_owned()).one_of(choices);
            schema.property(CHOICE, choice, false)
        };
        schema = schema.property(TEXT, words, false);
    }
    let mode = acp::ElicitationFormMode::new(scope(session, question.item_id.as_str()), schema);
    acp::CreateElicitationRequest::new(mode, wire::cut(&question.text))
}

fn feedback_form(session: &acp::SessionId, approval: &Approval) -> acp::CreateElicitationRequest {
    let text = acp::StringPropertySchema::new().title("Your message to the model".to_owned());
    let schema = acp::ElicitationSchema::new().property(TEXT, text, false);
    let mode = acp::ElicitationFormMode::new(scope(session, approval.item_id.as_str()), schema);
    acp::CreateElicitationRequest::new(mode, format!("Denied: {}", approval.title))
}

/// Shows a question as a permission menu.
fn menu(session: &acp::SessionId, question: &Question) -> acp::RequestPermissionRequest {
    let is_plan = question.kind == QuestionKind::Plan;
    let mut options: Vec<acp::PermissionOption> = question
        .options
        .iter()
        .enumerate()
        .map(|(n, option)| {
            let kind = match n {
                _ if !is_plan => acp::PermissionOptionKind::AllowOnce,
                0 => acp::PermissionOptionKind::AllowOnce,
                _ => acp::PermissionOptionKind::RejectOnce,
            };
            acp::PermissionOption::new(option.option_id.clone(), option.label.clone(), kind)
        })
        .collect();
    if !is_plan {
        let kind = acp::PermissionOptionKind::RejectOnce;
        options.push(acp::PermissionOption::new(SKIP, "Let the model decide", kind));
    }
    let text = question.plan.as_deref().unwrap_or(&question.text);
    let block = acp::ContentBlock::Text(acp::TextContent::new(wire::cut(text)));
    let kind = if is_plan { acp::ToolKind::SwitchMode } else { acp::ToolKind::Other };
    let fields = acp::ToolCallUpdateFields::new()
        .title(wire::cut(&question.text))
        .kind(kind)
        .status(acp::ToolCallStatus::Pending)
        .content(vec![acp::ToolCallContent::Content(acp::Content::new(block))]);
    let call = acp::ToolCallUpdate::new(question.item_id.as_str().to_owned(), fields);
    acp::RequestPermissionRequest::new(session.clone(), call, options)
}
