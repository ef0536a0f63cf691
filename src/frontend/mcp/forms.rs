//! Approvals and questions as forms of the protocol, and what a person answers. Pure.
//!
//! A form offers the labels themselves, which every client can show; only a label that was offered counts as a consent.

use pintle_agent::Answer;
use pintle_protocol::approval::{Approval, ApprovalAnswer};
use pintle_protocol::question::{Question, QuestionAnswer};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The field with the chosen label or labels.
const CHOICE: &str = "choice";

/// The field with a person's own words.
const TEXT: &str = "text";

/// Something that a task asks a person.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Asked {
    /// For permission.
    Approval(Box<Approval>),
    /// For an answer.
    Question(Box<Question>),
}

impl Asked {
    /// Its id, unique in its engine.
    pub(super) fn id(&self) -> &str {
        match self {
            Self::Approval(approval) => approval.approval_id.as_str(),
            Self::Question(question) => question.question_id.as_str(),
        }
    }

    /// One line about it.
    pub(super) fn title(&self) -> &str {
        match self {
            Self::Approval(approval) => &approval.title,
            Self::Question(question) => &question.text,
        }
    }

    /// All that a person has to read.
    pub(super) fn message(&self) -> String {
        match self {
            Self::Approval(approval) => {
                let mut text = format!("Allow {}?\n{}", approval.title, approval.reason);
                for detail in &approval.details {
                    let _ = write!(text, "\n\n{}:\n{}", detail.kind.heading(), detail.text);
                }
                for option in approval.options.iter().filter(|option| !option.rules.is_empty()) {
                    let _ =
                        write!(text, "\n\n{} adds: {}", option.label, option.rules.join(" and "));
                }
                text
            }
            Self::Question(question) => match &question.plan {
                Some(plan) => format!("{}\n\n{plan}", question.text),
                None => question.text.clone(),
            },
        }
    }

    /// The schema of the form.
    pub(super) fn schema(&self) -> Map<String, Value> {
        let labels = self.labels();
        let words = json!({"type": "string", "title": "In your own words"});
        let (properties, required) = match self {
            Self::Approval(_) => (
                json!({CHOICE: {"type": "string", "title": "Decision", "enum": labels}, TEXT: words}),
                CHOICE,
            ),
            Self::Question(_) if labels.is_empty() => (json!({TEXT: words}), TEXT),
            Self::Question(question) if question.multiple => {
                let items = json!({"type": "string", "enum": labels});
                let choice = json!({"type": "array", "title": "Answers", "items": items});
                return object(json!({CHOICE: choice, TEXT: words}), &[]);
            }
            Self::Question(_) => {
                let choice = json!({"type": "string", "title": "Answer", "enum": labels});
                return object(json!({CHOICE: choice, TEXT: words}), &[]);
            }
        };
        object(properties, &[required])
    }

    /// The labels, each of them once.
    fn labels(&self) -> Vec<String> {
        let labels: Vec<&str> = match self {
            Self::Approval(approval) => {
                approval.options.iter().map(|option| option.label.as_str()).collect()
            }
            Self::Question(question) => {
                question.options.iter().map(|option| option.label.as_str()).collect()
            }
        };
        let mut unique: Vec<String> = Vec::new();
        for label in labels {
            let mut name = label.to_owned();
            let mut number = 2;
            while unique.contains(&name) {
                name = format!("{label} ({number})");
                number += 1;
            }
            unique.push(name);
        }
        unique
    }

    /// Reads the values of a form that was accepted; `None` where the person declined or went.
    pub(super) fn answer(&self, content: Option<&Value>) -> Answer {
        let chosen = self.chosen(content);
        let text = content.and_then(|content| content.get(TEXT)?.as_str());
        let text = text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        match self {
            Self::Approval(approval) => {
                let options = chosen.iter().filter_map(|index| approval.options.get(*index));
                let option_id = options.map(|option| option.option_id.clone()).next();
                let answer =
                    ApprovalAnswer { dismissed: option_id.is_none(), option_id, feedback: text };
                Answer::Approval { approval_id: approval.approval_id.clone(), answer }
            }
            Self::Question(question) => {
                let options = chosen.iter().filter_map(|index| question.options.get(*index));
                let option_ids: Vec<String> =
                    options.map(|option| option.option_id.clone()).collect();
                let dismissed = option_ids.is_empty() && text.is_none();
                let answer = QuestionAnswer { option_ids, text, dismissed };
                Answer::Question { question_id: question.question_id.clone(), answer }
            }
        }
    }

    /// The positions of the labels that were chosen.
    fn chosen(&self, content: Option<&Value>) -> Vec<usize> {
        let labels = self.labels();
        let chosen = content.and_then(|content| content.get(CHOICE));
        let chosen = match chosen {
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(one)) => vec![one.as_str()],
            _ => Vec::new(),
        };
        let position = |name: &&str| labels.iter().position(|label| label == name);
        chosen.iter().filter_map(position).collect()
    }
}

fn object(properties: Value, required: &[&str]) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), properties);
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}
