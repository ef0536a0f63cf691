//! Approvals and questions as protocol forms, and the user's answers. Pure.
//!
//! A form offers the labels themselves, which every client can show; only an offered label counts as consent.

use crate::client::UserQuestion;
use pintle_agent::Answer;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The field with the chosen label or labels.
const CHOICE: &str = "choice";

/// The field for free text.
const TEXT: &str = "text";

/// One line about a question.
pub(super) fn title(asked: &UserQuestion) -> &str {
    match asked {
        UserQuestion::Approval(approval) => &approval.title,
        UserQuestion::Question(question) => &question.text,
    }
}

/// Returns the text that the user has to read.
pub(super) fn message(asked: &UserQuestion) -> String {
    match asked {
        UserQuestion::Approval(approval) => {
            let mut text = format!("Allow {}?\n{}", approval.title, approval.reason);
            for detail in &approval.details {
                let _ = write!(text, "\n\n{}:\n{}", detail.kind.heading(), detail.text);
            }
            for option in approval.options.iter().filter(|option| !option.rules.is_empty()) {
                let _ = write!(text, "\n\n{} adds: {}", option.label, option.rules.join(" and "));
            }
            text
        }
        UserQuestion::Question(question) => match &question.plan {
            Some(plan) => format!("{}\n\n{plan}", question.text),
            None => question.text.clone(),
        },
    }
}

/// Returns the form's schema.
pub(super) fn schema(asked: &UserQuestion) -> Map<String, Value> {
    let labels = labels(asked);
    let words = json!({"type": "string", "title": "In your own words"});
    let (properties, required) = match asked {
        UserQuestion::Approval(_) => (
            json!({CHOICE: {"type": "string", "title": "Decision", "enum": labels}, TEXT: words}),
            CHOICE,
        ),
        UserQuestion::Question(_) if labels.is_empty() => (json!({TEXT: words}), TEXT),
        UserQuestion::Question(question) if question.multiple => {
            let items = json!({"type": "string", "enum": labels});
            let choice = json!({"type": "array", "title": "Answers", "items": items});
            return object(json!({CHOICE: choice, TEXT: words}), &[]);
        }
        UserQuestion::Question(_) => {
            let choice = json!({"type": "string", "title": "Answer", "enum": labels});
            return object(json!({CHOICE: choice, TEXT: words}), &[]);
        }
    };
    object(properties, &[required])
}

/// Returns the option labels, made unique.
fn labels(asked: &UserQuestion) -> Vec<String> {
    let mut unique: Vec<String> = Vec::new();
    for (_, label) in asked.options() {
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

/// Converts an accepted form to an answer; `None` if the user declined or left.
pub(super) fn answer(asked: &UserQuestion, content: Option<&Value>) -> Answer {
    let (labels, options) = (labels(asked), asked.options());
    let chosen = match content.and_then(|content| content.get(CHOICE)) {
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(one)) => vec![one.as_str()],
        _ => Vec::new(),
    };
    let position = |name: &&str| labels.iter().position(|label| label == name);
    let chosen = chosen.iter().filter_map(position).filter_map(|at| options.get(at));
    let chosen: Vec<String> = chosen.map(|(id, _)| (*id).to_owned()).collect();
    let text = content.and_then(|content| content.get(TEXT)?.as_str());
    let text = text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let says_nothing = match asked {
        UserQuestion::Approval(_) => true,
        UserQuestion::Question(_) => text.is_none(),
    };
    let dismissed = chosen.is_empty() && says_nothing;
    asked.answer(chosen, text, dismissed)
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
