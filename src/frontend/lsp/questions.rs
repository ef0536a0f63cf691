//! Approvals and questions as `window/showMessageRequest`: sent once each, and withdrawn when no answer is needed.
//!
//! Invariant: only an action that was offered counts as a consent. A message that is closed, or that a client cannot show, denies.

use super::wire;
use ls_types as lsp;
use pintle_agent::{Answer, SessionHandle};
use pintle_base::text::visible::{visible, visible_line};
use pintle_base::transport::envelope::{self, Id};
use pintle_protocol::approval::{Approval, ApprovalAnswer, DetailKind};
use pintle_protocol::ids::{ApprovalId, QuestionId};
use pintle_protocol::question::{Question, QuestionAnswer};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

/// The maximum number of lines of a change that are shown whole; of a longer one, the files and the counts of lines are.
const MAX_SHOWN_LINES: usize = 30;

/// The action of a question that declines to answer.
const SKIP: &str = "Let the model decide";

/// The action of a permission that shows a long change, and asks again.
const SHOW: &str = "Show the change";

/// The subject of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
enum About {
    Approval(ApprovalId),
    Question(QuestionId),
}

#[derive(Debug)]
struct Pending {
    about: About,
    session: SessionHandle,
    text: String,
    /// The titles of the actions with the ids of the options.
    actions: Vec<(String, String)>,
    /// The change that a further action shows.
    change: Option<String>,
}

/// Requests without a response, by their number.
#[derive(Debug, Default)]
pub(super) struct Questions {
    count: u64,
    open: BTreeMap<u64, Pending>,
    /// The client opens documents that are named to it.
    pub(super) can_show: bool,
}

/// The meaning of a response.
pub(super) enum Responded {
    Answer(Box<Answered>),
    /// Show this change, and ask again by [`Questions::again`].
    Show {
        text: String,
        number: u64,
    },
}

/// The result of a response.
pub(super) struct Answered {
    pub(super) session: SessionHandle,
    pub(super) answer: Answer,
    /// A message for the person.
    pub(super) message: Option<Vec<u8>>,
}

impl Questions {
    /// Returns the request for a permission, unless it is open already.
    pub(super) fn permission(
        &mut self,
        session: SessionHandle,
        approval: &Approval,
    ) -> Option<Vec<u8>> {
        let about = About::Approval(approval.approval_id.clone());
        let options =
            approval.options.iter().map(|option| (&option.label, option.option_id.clone()));
        let change = change_of(approval).filter(|_| self.can_show);
        self.ask(about, session, text_of(approval), change, options)
    }

    /// Returns the request for an answer to a question of the model, unless it is open already.
    pub(super) fn question(
        &mut self,
        session: SessionHandle,
        question: &Question,
    ) -> Option<Vec<u8>> {
        let about = About::Question(question.question_id.clone());
        let mut text = format!("pintle asks: {}", question.text);
        if let Some(plan) = &question.plan {
            let _ = write!(text, "\n\n{plan}");
        }
        let options =
            question.options.iter().map(|option| (&option.label, option.option_id.clone()));
        if question.options.is_empty() {
            text.push_str("\n\nAnswer with the command `pintle.answer`.");
        }
        let skip = SKIP.to_owned();
        let skip = question.options.is_empty().then_some((&skip, String::new()));
        self.ask(about, session, text, None, options.chain(skip))
    }

    fn ask<'a>(
        &mut self,
        about: About,
        session: SessionHandle,
        text: String,
        change: Option<String>,
        options: impl Iterator<Item = (&'a String, String)>,
    ) -> Option<Vec<u8>> {
        if self.open.values().any(|pending| pending.about == about) {
            return None;
        }
        let actions = distinct(options);
        Some(self.send(Pending { about, session, text, actions, change }))
    }

    fn send(&mut self, pending: Pending) -> Vec<u8> {
        let titles = pending.actions.iter().map(|(title, _)| title.as_str());
        let show = pending.change.as_ref().map(|_| SHOW);
        let params = lsp::ShowMessageRequestParams {
            typ: lsp::MessageType::WARNING,
            message: visible(&pending.text).into_owned(),
            actions: Some(titles.chain(show).map(action).collect()),
        };
        self.count += 1;
        self.open.insert(self.count, pending);
        envelope::request(&id(self.count), "window/showMessageRequest", &params)
    }

    /// Asks once more, unless it is decided meanwhile.
    pub(super) fn again(&mut self, number: u64) -> Option<Vec<u8>> {
        let pending = self.open.remove(&number)?;
        Some(self.send(pending))
    }

    /// Withdraws the request for a permission, if it is open.
    pub(super) fn decided(&mut self, approval: &ApprovalId) -> Option<Vec<u8>> {
        self.withdraw(|about| *about == About::Approval(approval.clone()))
    }

    /// Withdraws a question, if it is open.
    pub(super) fn answered(&mut self, question: &QuestionId) -> Option<Vec<u8>> {
        self.withdraw(|about| *about == About::Question(question.clone()))
    }

    fn withdraw(&mut self, is_over: impl Fn(&About) -> bool) -> Option<Vec<u8>> {
        let over = self.open.iter().find(|(_, pending)| is_over(&pending.about));
        let number = *over?.0;
        self.open.remove(&number);
        Some(wire::withdrawal(id(number)))
    }

    /// Answers the oldest question of the model in a person's own words. Returns its request's withdrawal too.
    pub(super) fn answer(&mut self, text: String) -> Option<(SessionHandle, Answer, Vec<u8>)> {
        let oldest = self.open.iter().find_map(|(number, pending)| match &pending.about {
            About::Question(question) => Some((*number, question.clone())),
            About::Approval(_) => None,
        });
        let (number, question_id) = oldest?;
        let pending = self.open.remove(&number)?;
        let answer = QuestionAnswer { text: Some(text), ..QuestionAnswer::default() };
        let answer = Answer::Question { question_id, answer };
        Some((pending.session, answer, wire::withdrawal(id(number))))
    }

    /// Consumes a response to one of these requests; returns any other.
    pub(super) fn responded(
        &mut self,
        id: &Id,
        outcome: Result<Box<RawValue>, String>,
    ) -> Result<Responded, Result<Box<RawValue>, String>> {
        let number = match id {
            Id::Str(id) => id.strip_prefix("ask-").and_then(|number| number.parse().ok()),
            Id::Null | Id::Number(_) => None,
        };
        let Some((number, pending)) =
            number.and_then(|number: u64| Some((number, self.open.remove(&number)?)))
        else {
            return Err(outcome);
        };
        let message = outcome.as_ref().err().map(|error| {
            let text = format!(
                "the editor did not show a question by pintle, so it was denied: {error} (start `pintle lsp` with --permission auto-edit, or allow such calls with a rule in config.toml)"
            );
            wire::show(lsp::MessageType::WARNING, &text)
        });
        let chosen = outcome.ok().and_then(|raw| {
            serde_json::from_str::<Option<lsp::MessageActionItem>>(raw.get()).ok().flatten()
        });
        if chosen.as_ref().is_some_and(|chosen| chosen.title == SHOW)
            && let Some(text) = pending.change.clone()
        {
            self.open.insert(number, pending);
            return Ok(Responded::Show { text, number });
        }
        let Pending { about, session, actions, .. } = pending;
        let option = chosen.and_then(|chosen| {
            let offered = actions.into_iter().find(|(title, _)| *title == chosen.title);
            offered.map(|(_, option)| option).filter(|option| !option.is_empty())
        });
        let dismissed = option.is_none();
        let answer = match about {
            About::Approval(approval_id) => {
                let answer = ApprovalAnswer { option_id: option, feedback: None, dismissed };
                Answer::Approval { approval_id, answer }
            }
            About::Question(question_id) => {
                let option_ids = option.into_iter().collect();
                let answer = QuestionAnswer { option_ids, text: None, dismissed };
                Answer::Question { question_id, answer }
            }
        };
        Ok(Responded::Answer(Box::new(Answered { session, answer, message })))
    }
}

fn id(number: u64) -> String {
    format!("ask-{number}")
}

fn action(title: &str) -> lsp::MessageActionItem {
    lsp::MessageActionItem { title: title.to_owned(), properties: HashMap::new() }
}

/// Gives each option a title of its own: clients return nothing but the title.
fn distinct<'a>(options: impl Iterator<Item = (&'a String, String)>) -> Vec<(String, String)> {
    let mut actions: Vec<(String, String)> = Vec::new();
    for (label, option) in options {
        let label = visible_line(label);
        let mut title = label.to_string();
        let mut count = 1;
        while actions.iter().any(|(taken, _)| *taken == title) {
            count += 1;
            title = format!("{label} ({count})");
        }
        actions.push((title, option));
    }
    actions
}

/// All that a person is asked about: commands, paths, addresses and arguments whole; a long change of files as counts of lines.
fn text_of(approval: &Approval) -> String {
    let mut text = format!("pintle asks: {}\n{}", visible_line(&approval.title), approval.reason);
    let is_long = is_long(approval);
    for detail in &approval.details {
        if is_content(detail.kind) && is_long {
            let count = detail.text.lines().count();
            let _ = write!(text, "\n\n{}: {count} lines", detail.kind.heading());
        } else {
            let _ = write!(text, "\n\n{}:\n{}", detail.kind.heading(), detail.text.trim_end());
        }
    }
    if is_long {
        for change in &approval.changes {
            let path = visible_line(&change.path);
            let _ = write!(text, "\n{path}: +{} \u{2212}{} lines", change.added, change.removed);
        }
    }
    text
}

fn is_long(approval: &Approval) -> bool {
    let lines = approval.details.iter().filter(|detail| is_content(detail.kind));
    lines.map(|detail| detail.text.lines().count()).sum::<usize>() > MAX_SHOWN_LINES
}

/// The whole of a change of which a person is shown the counts.
fn change_of(approval: &Approval) -> Option<String> {
    let content = approval.details.iter().filter(|detail| is_content(detail.kind));
    is_long(approval)
        .then(|| content.map(|detail| visible(&detail.text)).collect::<Vec<_>>().join("\n"))
}

fn is_content(kind: DetailKind) -> bool {
    match kind {
        DetailKind::Content | DetailKind::Diff => true,
        DetailKind::Command
        | DetailKind::Path
        | DetailKind::Address
        | DetailKind::Arguments
        | DetailKind::ModelText => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_distinct_and_show_what_is_hidden() {
        let labels = ["Allow", "Allow", "Deny\u{202e}", "Allow"].map(str::to_owned);
        let options = labels.iter().enumerate().map(|(n, label)| (label, n.to_string()));
        let titles: Vec<String> = distinct(options).into_iter().map(|(title, _)| title).collect();
        assert_eq!(titles, ["Allow", "Allow (2)", "Deny⟨U+202E⟩", "Allow (3)"]);
    }
}
