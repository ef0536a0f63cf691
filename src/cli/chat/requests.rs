//! Approvals and questions that wait for the user: their text, and the keys that answer them. Pure.
//!
//! A key always means the same: `y` allows or accepts, `n` denies, `s` allows for the session. Invariant: the request that was shown last is
//! the one that is answered, so the next one is shown after that.

use super::look::{Ink, Look};
use pintle_protocol::approval::{
    Approval, ApprovalAnswer, ApprovalOption, Decision, DetailKind, Scope,
};
use pintle_protocol::question::{Question, QuestionAnswer, QuestionKind};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fmt::Write as _;

/// The open requests, in the order of their arrival.
#[derive(Debug, Default)]
pub(super) struct Requests {
    open: VecDeque<Open>,
}

/// A request that waits.
#[derive(Debug)]
struct Open {
    /// The request's id on the wire.
    id: Value,
    kind: Kind,
    /// The text that was being typed when the request was shown, by its number. That text was not meant as an answer.
    draft: Option<u64>,
}

#[derive(Debug)]
enum Kind {
    Approval(Box<Approval>),
    Question(Box<Question>),
}

/// The meaning of a typed line for the open request.
#[derive(Debug, PartialEq)]
pub(super) enum Typed {
    /// The answer to the request with this id.
    Answer { id: Value, result: Value },
    /// A message, begun before the request was shown.
    Message,
    /// Not an answer, for this reason.
    Unclear(String),
}

impl Requests {
    pub(super) fn approval(&mut self, id: Value, approval: Approval) {
        self.open.push_back(Open { id, kind: Kind::Approval(Box::new(approval)), draft: None });
    }

    pub(super) fn question(&mut self, id: Value, question: Question) {
        self.open.push_back(Open { id, kind: Kind::Question(Box::new(question)), draft: None });
    }

    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Removes a withdrawn request. Returns true if it was shown, `None` if it is unknown.
    pub(super) fn withdraw(&mut self, id: &Value) -> Option<bool> {
        let at = self.open.iter().position(|open| open.id == *id)?;
        self.open.remove(at);
        Some(at == 0)
    }

    /// Returns the first request's text, to be shown now, while the user types the text with this number.
    pub(super) fn show(&mut self, draft: Option<u64>, look: Look) -> Option<String> {
        let first = self.open.front_mut()?;
        first.draft = draft;
        Some(match &first.kind {
            Kind::Approval(approval) => approval_text(approval, look),
            Kind::Question(question) => question_text(question, look),
        })
    }

    /// Returns the keys that answer the request that is shown.
    pub(super) fn keys(&self) -> Option<String> {
        Some(match &self.open.front()?.kind {
            Kind::Approval(approval) => {
                let keys: Vec<String> =
                    keys(&approval.options).into_iter().map(|(key, _)| key).collect();
                keys.join("/")
            }
            Kind::Question(question) if question.options.is_empty() => "text".to_owned(),
            Kind::Question(question) => format!("1-{} or text", question.options.len()),
        })
    }

    /// Takes a typed line, from the draft with this number. An answered request is removed.
    pub(super) fn typed(&mut self, line: &str, draft: Option<u64>) -> Typed {
        let Some(first) = self.open.front() else { return Typed::Message };
        if draft.is_some() && first.draft == draft {
            return Typed::Message;
        }
        let result = match &first.kind {
            Kind::Approval(approval) => approval_answer(approval, line).map(|answer| json!(answer)),
            Kind::Question(question) => question_answer(question, line).map(|answer| json!(answer)),
        };
        match result {
            Ok(result) => {
                let id = self.open.pop_front().map(|open| open.id).unwrap_or_default();
                Typed::Answer { id, result }
            }
            Err(reason) => Typed::Unclear(reason),
        }
    }
}

/// Returns the key of each option. A second option of a kind gets a number, such as `s2`.
fn keys(options: &[ApprovalOption]) -> Vec<(String, &ApprovalOption)> {
    let key = |option: &ApprovalOption| match (option.decision, option.scope) {
        (Decision::Allow, Scope::Once) => "y",
        (Decision::Allow, Scope::Turn) => "t",
        (Decision::Allow, Scope::Session) => "s",
        (Decision::Allow, Scope::Project) => "p",
        (Decision::Allow, Scope::User) => "u",
        (Decision::Deny, _) => "n",
        (Decision::Abort, _) => "x",
    };
    let count =
        |at: usize, key_of: &str| options.iter().take(at + 1).filter(|o| key(o) == key_of).count();
    let numbered = |(at, option)| {
        let key = key(option);
        match count(at, key) {
            1 => (key.to_owned(), option),
            number => (format!("{key}{number}"), option),
        }
    };
    options.iter().enumerate().map(numbered).collect()
}

fn approval_answer(approval: &Approval, line: &str) -> Result<ApprovalAnswer, String> {
    let keys = keys(&approval.options);
    let line = line.trim();
    let (word, feedback) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let word = match word.to_lowercase().as_str() {
        "yes" => "y".to_owned(),
        "no" => "n".to_owned(),
        word => word.to_owned(),
    };
    let chosen = keys.iter().find(|(key, _)| *key == word).map(|(_, option)| option);
    let takes_feedback = chosen.is_some_and(|option| option.decision == Decision::Deny);
    match chosen {
        Some(option) if feedback.is_empty() || takes_feedback => {
            let feedback = (!feedback.is_empty()).then(|| feedback.trim().to_owned());
            let option_id = Some(option.option_id.clone());
            Ok(ApprovalAnswer { option_id, feedback, ..ApprovalAnswer::default() })
        }
        Some(_) | None => {
            let keys: Vec<&str> = keys.iter().map(|(key, _)| key.as_str()).collect();
            Err(format!(
                "answer the request above with {}; `n TEXT` denies it with a reason",
                keys.join(", ")
            ))
        }
    }
}

fn question_answer(question: &Question, line: &str) -> Result<QuestionAnswer, String> {
    let line = line.trim();
    if line.is_empty() {
        return Err("enter text or an option's number".to_owned());
    }
    let count = question.options.len();
    let numbers: Result<Vec<usize>, _> =
        line.split(',').map(|number| number.trim().parse::<usize>()).collect();
    let numbers = match (line, question.kind) {
        ("y" | "yes", QuestionKind::Plan) if count > 0 => Some(vec![1]),
        _ => numbers.ok().filter(|_| count > 0),
    };
    let Some(numbers) = numbers else {
        return Ok(QuestionAnswer { text: Some(line.to_owned()), ..QuestionAnswer::default() });
    };
    if !numbers.iter().all(|number| (1..=count).contains(number)) {
        return Err(format!("enter a number from 1 to {count}, or text"));
    }
    if numbers.len() > 1 && !question.multiple {
        return Err("enter one number, or text".to_owned());
    }
    let options = numbers.iter().filter_map(|number| question.options.get(number - 1));
    let option_ids = options.map(|option| option.option_id.clone()).collect();
    Ok(QuestionAnswer { option_ids, ..QuestionAnswer::default() })
}

/// Returns an approval's text: everything that is to be approved, in full, and the keys.
fn approval_text(approval: &Approval, look: Look) -> String {
    let title = Look::cut(&format!("? {}", approval.title.trim_end()), look.columns - 1);
    let mut text = format!("{}\n", look.paint(Ink::Attention, &title));
    push(&mut text, "  ", Ink::Plain, &approval.reason, look);
    for detail in &approval.details {
        let _ = writeln!(text, "  {}:", detail.kind.heading());
        for line in detail.text.lines() {
            let ink = match detail.kind {
                DetailKind::Diff => Ink::of_diff(line),
                _ => Ink::Plain,
            };
            push(&mut text, "  | ", ink, line, look);
        }
    }
    for (key, option) in keys(&approval.options) {
        let label = look.paint(Ink::Plain, &option.label);
        let _ = writeln!(text, "  {}  {label}", look.paint(Ink::Bold, &key));
        for rule in &option.rules {
            push(&mut text, "     ", Ink::Dim, rule, look);
        }
    }
    text
}

/// Adds a text's lines behind a lead, which is repeated when a line is folded.
fn push(out: &mut String, lead: &str, ink: Ink, text: &str, look: Look) {
    let lines: Vec<&str> = if text.is_empty() { vec![""] } else { text.lines().collect() };
    for line in lines {
        for part in look.folded(line, lead.len()) {
            let _ = writeln!(out, "{lead}{}", look.paint(ink, &part));
        }
    }
}

/// Returns a question's text. A plan is laid out as Markdown.
fn question_text(question: &Question, look: Look) -> String {
    let mut text = String::new();
    for (at, line) in question.text.trim_end().lines().enumerate() {
        let lead = if at == 0 { "? " } else { "  " };
        for (at, part) in look.folded(line, lead.len()).iter().enumerate() {
            let lead = if at == 0 { lead } else { "  " };
            let _ = writeln!(text, "{}", look.paint(Ink::Attention, &format!("{lead}{part}")));
        }
    }
    if let Some(plan) = &question.plan {
        let plan = pintle_base::text::visible::visible(plan);
        for line in look.layout().page(&plan).lines() {
            let _ = writeln!(text, "  {line}");
        }
    }
    for (at, option) in question.options.iter().enumerate() {
        let number = look.paint(Ink::Bold, &(at + 1).to_string());
        let _ = writeln!(text, "  {number}  {}", look.paint(Ink::Plain, &option.label));
    }
    let how = match (question.options.is_empty(), question.multiple, question.kind) {
        (true, _, _) => "Enter text.",
        (false, _, QuestionKind::Plan) => "Enter y, a number, or what to change.",
        (false, false, QuestionKind::Choice) => "Enter a number or text.",
        (false, true, QuestionKind::Choice) => "Enter numbers (1,3) or text.",
    };
    text + &format!("  {}\n", look.paint(Ink::Dim, how))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOK: Look = Look { columns: 80, is_styled: false };

    fn approval() -> Approval {
        let option = |id: &str, decision: &str, scope: &str, label: &str| json!({"optionId": id, "label": label, "decision": decision, "scope": scope});
        let mut session = option("same", "allow", "session", "Allow this command in this session");
        session["rules"] = json!(["bash make*"]);
        serde_json::from_value(json!({
            "approvalId": "a", "sessionId": "s", "turnId": "t", "itemId": "i", "toolName": "bash", "kind": "execute",
            "title": "bash: make", "reason": "runs a command", "input": {},
            "details": [{"kind": "command", "text": "make\nmake \u{1b}[2Jinstall"}, {"kind": "diff", "text": "@@ -1 +1 @@\n-a\n+b"}],
            "options": [
                option("once", "allow", "once", "Allow once"), session, option("all", "allow", "session", "Allow all commands"),
                option("no", "deny", "once", "Deny"), option("stop", "abort", "once", "Deny and stop"),
            ],
        }))
        .unwrap()
    }

    fn question(more: &Value) -> Question {
        let mut question = json!({"questionId": "q", "sessionId": "s", "turnId": "t", "itemId": "i", "kind": "choice", "text": "Which?", "deadlineMs": 1});
        question.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(question).unwrap()
    }

    #[test]
    fn an_approval_is_shown_in_full_with_its_keys() {
        let mut requests = Requests::default();
        requests.approval(json!("r"), approval());
        assert_eq!(
            requests.show(None, LOOK).unwrap(),
            "? bash: make
  runs a command
  Command:
  | make
  | make ␛[2Jinstall
  Change:
  | @@ -1 +1 @@
  | -a
  | +b
  y  Allow once
  s  Allow this command in this session
     bash make*
  s2  Allow all commands
  n  Deny
  x  Deny and stop
"
        );
        assert_eq!(requests.keys().unwrap(), "y/s/s2/n/x");
    }

    #[test]
    fn keys_answer_approvals_and_nothing_else_does() {
        for (line, want) in [
            ("y", Ok(json!({"optionId": "once"}))),
            (" YES ", Ok(json!({"optionId": "once"}))),
            ("s", Ok(json!({"optionId": "same"}))),
            ("s2", Ok(json!({"optionId": "all"}))),
            ("n", Ok(json!({"optionId": "no"}))),
            ("no use make check", Ok(json!({"optionId": "no", "feedback": "use make check"}))),
            ("x", Ok(json!({"optionId": "stop"}))),
            ("", Err(())),
            ("1", Err(())),
            ("y please", Err(())),
            ("yep", Err(())),
            ("p", Err(())),
        ] {
            let mut requests = Requests::default();
            requests.approval(json!("r"), approval());
            requests.show(Some(1), LOOK);
            match (requests.typed(line, Some(2)), want) {
                (Typed::Answer { id, result }, Ok(want)) => {
                    assert_eq!((id, result), (json!("r"), want), "{line}");
                    assert!(requests.is_empty(), "{line}");
                }
                (Typed::Unclear(reason), Err(())) => {
                    assert!(reason.contains("y, s, s2, n, x"), "{line}: {reason}");
                    assert_eq!(requests.len(), 1, "{line}");
                }
                (got, want) => panic!("{line}: {got:?}, {want:?}"),
            }
        }
    }

    #[test]
    fn questions_take_numbers_and_text() {
        let options =
            json!([{"optionId": "red", "label": "Red"}, {"optionId": "blue", "label": "Blue"}]);
        let one = question(&json!({ "options": options }));
        let many = question(&json!({"options": options, "multiple": true}));
        let plan = question(&json!({"options": options, "kind": "plan", "plan": "# Plan\n\n- a"}));
        let open = question(&json!({}));
        for (asked, line, want) in [
            (&one, "2", Ok(json!({"optionIds": ["blue"]}))),
            (&one, "green", Ok(json!({"text": "green"}))),
            (&one, "y", Ok(json!({"text": "y"}))),
            (&one, "3", Err("enter a number from 1 to 2, or text")),
            (&one, "1,2", Err("enter one number, or text")),
            (&one, " ", Err("enter text or an option's number")),
            (&many, "1, 2", Ok(json!({"optionIds": ["red", "blue"]}))),
            (&plan, "y", Ok(json!({"optionIds": ["red"]}))),
            (&plan, "first write tests", Ok(json!({"text": "first write tests"}))),
            (&open, "7", Ok(json!({"text": "7"}))),
        ] {
            let mut requests = Requests::default();
            requests.question(json!("r"), asked.clone());
            let got = match requests.typed(line, None) {
                Typed::Answer { result, .. } => Ok(result),
                Typed::Unclear(reason) => Err(reason),
                Typed::Message => panic!("{line}"),
            };
            assert_eq!(got, want.map_err(str::to_owned), "{line}");
        }
        let mut requests = Requests::default();
        requests.question(json!("r"), plan);
        assert_eq!(
            requests.show(None, LOOK).unwrap(),
            "? Which?\n  Plan\n  ====\n\n  - a\n  1  Red\n  2  Blue\n  Enter y, a number, or what to change.\n"
                .replace("\n\n", "\n  \n")
        );
    }

    #[test]
    fn text_that_was_begun_before_a_request_does_not_answer_it() {
        let mut requests = Requests::default();
        requests.approval(json!("r"), approval());
        requests.show(Some(4), LOOK);
        assert_eq!(requests.typed("y", Some(4)), Typed::Message);
        assert!(matches!(requests.typed("y", Some(5)), Typed::Answer { .. }));
        assert_eq!(requests.typed("y", Some(6)), Typed::Message, "nothing is open any more");
    }

    #[test]
    fn the_next_request_is_shown_once_the_first_is_gone() {
        let mut requests = Requests::default();
        requests.approval(json!(1), approval());
        requests.question(json!(2), question(&json!({})));
        assert!(requests.show(None, LOOK).unwrap().starts_with("? bash"));
        assert_eq!(requests.withdraw(&json!(2)), Some(false));
        assert_eq!(requests.withdraw(&json!(2)), None);
        requests.question(json!(3), question(&json!({})));
        assert_eq!(requests.withdraw(&json!(1)), Some(true));
        assert!(requests.show(None, LOOK).unwrap().starts_with("? Which?"));
    }
}
