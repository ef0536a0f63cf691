//! Approvals and questions as `window/showMessageRequest`: sent once each, and withdrawn when no answer is needed.
//!
//! Invariant: only an action that was offered counts as a consent. A message that is closed, or that a client cannot show, denies.

use super::wire::{self, Reply};
use crate::client::{self, Changes, Open, UserQuestion};
use ls_types as lsp;
use pintle_agent::{Answer, SessionHandle, SessionQuestions};
use pintle_base::text::visible::{visible, visible_line};
use pintle_base::transport::envelope::Id;
use pintle_protocol::approval::{Approval, DetailKind};
use std::fmt::Write as _;

/// The maximum number of lines of a change that are shown whole; of a longer one, the files and the counts of lines are.
const MAX_SHOWN_LINES: usize = 30;

/// The question action that declines to answer.
const SKIP: &str = "Let the model decide";

/// The permission action that shows a long change, and asks again.
const SHOW: &str = "Show the change";

/// Requests without a response.
#[derive(Debug)]
pub(super) struct Questions {
    open: client::Questions,
    /// The client opens documents that are named to it.
    pub(super) can_show: bool,
}

/// What a response means.
pub(super) enum Responded {
    /// An answer for this session, and a message for the user.
    Answer(SessionHandle, Box<Answer>, Option<Vec<u8>>),
    /// Show this change, and ask again by [`Questions::again`].
    Show { text: String, id: String },
}

impl Questions {
    pub(super) fn new() -> Self {
        Self { open: client::Questions::new("ask-"), can_show: false }
    }

    /// Returns the request for an answer, unless it is open already.
    pub(super) fn ask(&mut self, session: SessionHandle, asked: UserQuestion) -> Option<Vec<u8>> {
        if self.open.is_open(&session.id, &asked) {
            return None;
        }
        Some(self.send(Open { asked, session, note: () }))
    }

    fn send(&mut self, open: Open<()>) -> Vec<u8> {
        let show = self.change_of(&open.asked).map(|_| SHOW);
        let (id, Open { asked, .. }) = self.open.ask(open);
        let actions = actions(asked);
        let titles = actions.iter().map(|(title, _)| title.as_str());
        wire::ask(&id, &text_of(asked), titles.chain(show))
    }

    /// Asks once more, unless it is decided meanwhile.
    pub(super) fn again(&mut self, id: &str) -> Option<Vec<u8>> {
        let open = self.open.take(id)?;
        Some(self.send(open))
    }

    /// Returns the messages that withdraw obsolete requests of a session, and the questions to ask.
    pub(super) fn update(&mut self, now: &SessionQuestions) -> (Vec<Vec<u8>>, Vec<UserQuestion>) {
        let Changes { over, new } = self.open.update(now);
        (over.into_iter().map(wire::withdrawal).collect(), new)
    }

    /// Returns the messages that withdraw all requests, since the client leaves the session.
    pub(super) fn leave(&mut self) -> Vec<Vec<u8>> {
        self.open.leave(|_| true).into_iter().map(wire::withdrawal).collect()
    }

    /// Answers the model's oldest question with the user's text. Also returns the withdrawal of its request.
    pub(super) fn answer(&mut self, text: String) -> Option<(SessionHandle, Answer, Vec<u8>)> {
        let is_question = |open: &Open<()>| matches!(open.asked, UserQuestion::Question(_));
        let (id, _) = self.open.iter().find(|(_, open)| is_question(open))?;
        let Open { asked, session, .. } = self.open.take(&id)?;
        let answer = asked.answer(Vec::new(), Some(text), false);
        Some((session, answer, wire::withdrawal(id)))
    }

    /// Consumes a response to one of these requests; returns any other.
    pub(super) fn responded(&mut self, id: &Id, reply: Reply) -> Result<Responded, Reply> {
        let Id::Str(id) = id else { return Err(reply) };
        let Some(open) = self.open.take(id) else { return Err(reply) };
        let message = reply.as_ref().err().map(|error| {
            let text = format!(
                "the editor did not show a question by pintle, so it was denied: {error} (start `pintle lsp` with --permission auto-edit, or allow such calls with a rule in config.toml)"
            );
            wire::show(lsp::MessageType::WARNING, &text)
        });
        let chosen = wire::chosen(reply);
        if chosen.as_deref() == Some(SHOW)
            && let Some(text) = self.change_of(&open.asked)
        {
            self.open.put_back(id, open);
            return Ok(Responded::Show { text, id: id.clone() });
        }
        let Open { asked, session, .. } = open;
        let offered = actions(&asked);
        let option = offered.into_iter().find(|(title, _)| Some(title) == chosen.as_ref());
        let option = option.map(|(_, option)| option).filter(|option| !option.is_empty());
        let dismissed = option.is_none();
        let answer = asked.answer(option.into_iter().collect(), None, dismissed);
        Ok(Responded::Answer(session, Box::new(answer), message))
    }

    /// Returns the change that a further action shows.
    fn change_of(&self, asked: &UserQuestion) -> Option<String> {
        match asked {
            UserQuestion::Approval(approval) if self.can_show => change_of(approval),
            UserQuestion::Approval(_) | UserQuestion::Question(_) => None,
        }
    }
}

/// Returns the action titles with the option ids.
fn actions(asked: &UserQuestion) -> Vec<(String, String)> {
    match asked {
        UserQuestion::Question(question) if question.options.is_empty() => distinct([("", SKIP)]),
        UserQuestion::Question(_) | UserQuestion::Approval(_) => distinct(asked.options()),
    }
}

/// Gives each option a distinct title: clients return nothing but the title.
fn distinct<'a>(options: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<(String, String)> {
    let mut actions: Vec<(String, String)> = Vec::new();
    for (option, label) in options {
        let label = visible_line(label);
        let mut title = label.to_string();
        let mut count = 1;
        while actions.iter().any(|(taken, _)| *taken == title) {
            count += 1;
            title = format!("{label} ({count})");
        }
        actions.push((title, option.to_owned()));
    }
    actions
}

/// Returns the full text of a question to the user: commands, paths, addresses and arguments in full; a long file change as line counts.
fn text_of(asked: &UserQuestion) -> String {
    let approval = match asked {
        UserQuestion::Approval(approval) => approval,
        UserQuestion::Question(question) => {
            let mut text = format!("pintle asks: {}", question.text);
            if let Some(plan) = &question.plan {
                let _ = write!(text, "\n\n{plan}");
            }
            if question.options.is_empty() {
                text.push_str("\n\nAnswer with the command `pintle.answer`.");
            }
            return text;
        }
    };
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

/// Returns the full text of a change whose counts are shown.
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
        let options = [("0", "Allow"), ("1", "Allow"), ("2", "Deny\u{202e}"), ("3", "Allow")];
        let titles: Vec<String> = distinct(options).into_iter().map(|(title, _)| title).collect();
        assert_eq!(titles, ["Allow", "Allow (2)", "Deny⟨U+202E⟩", "Allow (3)"]);
    }
}
