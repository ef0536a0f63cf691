//! Approvals and questions for the client: sent as requests, and withdrawn once no answer is needed.
//!
//! Invariant: only an option that was offered counts as a consent.

use super::{tool, wire};
use crate::client::{self, Changes, Open, UserQuestion};
use agent_client_protocol_schema::v1 as acp;
use pintle_agent::{Answer, SessionHandle, SessionQuestions};
use pintle_base::transport::envelope::{self, Id};
use pintle_protocol::approval::{Approval, Decision, Scope};
use pintle_protocol::ids::SessionId;
use pintle_protocol::question::{Question, QuestionKind};
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The option that denies a call and asks for feedback.
const DENY_WITH_FEEDBACK: &str = "_pintle/deny-with-words";

/// The menu option that declines to answer.
const SKIP: &str = "_pintle/skip";

/// The form field that takes any text.
const TEXT: &str = "text";

/// The form field that takes a question's options.
const CHOICE: &str = "choice";

/// A request to the client.
#[derive(Debug, Clone)]
struct Shown {
    /// The session that the client knows.
    session: acp::SessionId,
    /// True if this asks for feedback on a denial.
    is_feedback: bool,
}

/// The questions without an answer.
#[derive(Debug)]
pub(super) struct Questions {
    open: client::Questions<Shown>,
    /// The client shows forms.
    pub(super) has_forms: bool,
}

/// A response's result.
pub(super) enum Answered {
    /// An answer for this session.
    Tell(SessionHandle, Answer),
    /// The response leads to another request.
    Ask(Vec<u8>),
    /// The response belongs to none of these requests.
    NotOurs,
}

impl Questions {
    pub(super) fn new() -> Self {
        Self { open: client::Questions::new("a"), has_forms: false }
    }

    /// Returns the request for an answer, unless one is open already.
    pub(super) fn ask(
        &mut self,
        session: acp::SessionId,
        handle: SessionHandle,
        asked: UserQuestion,
    ) -> Option<Vec<u8>> {
        let note = Shown { session, is_feedback: false };
        let is_open = self.open.is_open(&handle.id, &asked);
        (!is_open).then(|| self.send(Open { asked, session: handle, note }))
    }

    fn send(&mut self, open: Open<Shown>) -> Vec<u8> {
        let has_forms = self.has_forms;
        let (id, Open { asked, note: Shown { session, is_feedback }, .. }) = self.open.ask(open);
        let form = |request| envelope::request(&id, "elicitation/create", &request);
        let menu = |request| envelope::request(&id, "session/request_permission", &request);
        match asked {
            UserQuestion::Approval(approval) if *is_feedback => {
                form(feedback_form(session, approval))
            }
            UserQuestion::Approval(approval) => menu(permission(session, approval, has_forms)),
            UserQuestion::Question(question) if is_form(question, has_forms) => {
                form(self::form(session, question))
            }
            UserQuestion::Question(question) => menu(self::menu(session, question)),
        }
    }

    /// Returns the messages that withdraw obsolete requests of a session, and the questions to ask.
    pub(super) fn update(&mut self, now: &SessionQuestions) -> (Vec<Vec<u8>>, Vec<UserQuestion>) {
        let Changes { over, new } = self.open.update(now);
        (over.into_iter().map(withdrawal).collect(), new)
    }

    /// Returns messages that withdraw requests from sessions that the client has left.
    pub(super) fn leave(&mut self, is_left: impl Fn(&SessionId) -> bool) -> Vec<Vec<u8>> {
        self.open.leave(is_left).into_iter().map(withdrawal).collect()
    }

    /// Takes a response of the client.
    pub(super) fn take(&mut self, id: &Id, outcome: Result<Box<RawValue>, String>) -> Answered {
        let open = match id {
            Id::Str(id) => self.open.take(id),
            Id::Null | Id::Number(_) => None,
        };
        let Some(open) = open else { return Answered::NotOurs };
        let (options, text) = match &open.asked {
            UserQuestion::Approval(approval) if open.note.is_feedback => {
                let (_, text) = filled(accepted(outcome));
                let deny = approval.options.iter().find(|option| {
                    option.decision == Decision::Deny && option.scope == Scope::Once
                });
                (Vec::from_iter(deny.map(|option| option.option_id.clone())), text)
            }
            UserQuestion::Approval(_) => {
                let chosen = chosen(outcome);
                if chosen.as_deref() == Some(DENY_WITH_FEEDBACK) {
                    let note = Shown { is_feedback: true, ..open.note };
                    return Answered::Ask(self.send(Open { note, ..open }));
                }
                (Vec::from_iter(chosen), None)
            }
            UserQuestion::Question(question) if is_form(question, self.has_forms) => {
                let (options, text) = filled(accepted(outcome));
                (options, text.filter(|text| !text.trim().is_empty()))
            }
            UserQuestion::Question(_) => {
                (Vec::from_iter(chosen(outcome).filter(|id| id != SKIP)), None)
            }
        };
        let says_nothing = match &open.asked {
            UserQuestion::Approval(_) => true,
            UserQuestion::Question(_) => text.is_none(),
        };
        let dismissed = options.is_empty() && says_nothing;
        Answered::Tell(open.session, open.asked.answer(options, text, dismissed))
    }
}

fn withdrawal(id: String) -> Vec<u8> {
    let params = acp::CancelRequestNotification::new(acp::RequestId::Str(id));
    wire::notification("$/cancel_request", &params)
}

/// Returns true if a question is sent as a form. Plans use the permission menu, which every client has.
fn is_form(question: &Question, has_forms: bool) -> bool {
    has_forms && question.kind == QuestionKind::Choice
}

/// Returns the permission request.
fn permission(
    session: &acp::SessionId,
    approval: &Approval,
    has_forms: bool,
) -> acp::RequestPermissionRequest {
    let mut options: Vec<acp::PermissionOption> = approval
        .options
        .iter()
        .map(|option| {
            let kind = option_kind(option.decision, option.scope);
            acp::PermissionOption::new(option.option_id.clone(), option.label.clone(), kind)
        })
        .collect();
    if has_forms {
        let kind = acp::PermissionOptionKind::RejectOnce;
        // Clients with one key per kind choose the first option of that kind, so that option asks nothing more.
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
    // A diff shows the arguments already.
    if content.is_empty() {
        fields = fields.raw_input(wire::cut_value(&approval.input));
    }
    content.extend(tool::details(&approval.details, !content.is_empty()));
    if !content.is_empty() {
        fields = fields.content(content);
    }
    let call = acp::ToolCallUpdate::new(approval.item_id.as_str().to_owned(), fields);
    acp::RequestPermissionRequest::new(session.clone(), call, options)
        .meta(wire::meta("pintle", json!({"reason": approval.reason})))
}

/// Maps an option's kind. This protocol has no kind for denying and stopping the turn: it applies once, and its label describes the rest.
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

/// Returns a completed form's values.
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

/// Reads a form's options and text.
fn filled(content: Option<Content>) -> (Vec<String>, Option<String>) {
    let (mut options, mut text) = (Vec::new(), None);
    for (field, value) in content.unwrap_or_default() {
        match (field.as_str(), value) {
            (CHOICE, acp::ElicitationContentValue::String(option)) => options.push(option),
            (CHOICE, acp::ElicitationContentValue::StringArray(several)) => options.extend(several),
            (TEXT, acp::ElicitationContentValue::String(own)) => text = Some(own),
            _ => {}
        }
    }
    (options, text)
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
