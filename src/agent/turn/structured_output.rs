//! Turns whose final message must be JSON matching a schema. Pure.
//!
//! The model receives the schema, and its final message is checked. An invalid message is requested again, twice; then the turn fails, so
//! that no caller mistakes another text for the result. A provider is asked to enforce the schema only if its reply can only be the final
//! message: on such a repeated request, and in a turn without tools. In other requests it would force every remark between calls into the
//! schema. The engine's check applies regardless of the provider.

use jsonschema::Validator;
use pintle_llm::AssistantBlock;
use pintle_protocol::event::{QueuedInput, TurnError};
use pintle_session::context::conversation::from_engine;
use serde_json::Value;
use std::sync::Arc;

/// The number of repeated requests. A model that fails three times keeps failing.
const MAX_RETRIES: u32 = 2;

/// The maximum number of violations reported to the model at once.
const MAX_VIOLATIONS: usize = 5;

/// A turn's output requirement.
#[derive(Debug)]
pub(super) struct StructuredOutput {
    schema: Arc<Value>,
    validator: Validator,
    retries: u32,
    /// The provider refused the schema.
    is_refused: bool,
}

/// The result of checking a final message against the schema.
#[derive(Debug)]
pub(super) enum SchemaCheck {
    /// The value satisfies the schema.
    Valid(Value),
    /// The message is invalid; this text asks for another one.
    Retry(String),
    /// The message is invalid, and no retries are left.
    Failed(TurnError),
}

/// Refuses a schema that cannot be checked against.
///
/// # Errors
/// The reason.
pub(crate) fn check_schema(schema: &Value) -> Result<(), String> {
    jsonschema::validator_for(schema).map(drop).map_err(|error| error.to_string())
}

impl StructuredOutput {
    /// Returns the output requirement of a turn with these messages; the last one, if several have one.
    pub(super) fn for_inputs(inputs: &[QueuedInput]) -> Option<Self> {
        let schema = inputs.iter().rev().find_map(|input| input.output_schema.clone())?;
        // Checked when the message was accepted.
        let validator = jsonschema::validator_for(&schema).ok()?;
        Some(Self { schema: Arc::new(schema), validator, retries: 0, is_refused: false })
    }

    /// Returns the schema for the provider, if the next reply can only be the final message.
    pub(super) fn for_provider(&self, has_tools: bool) -> Option<Arc<Value>> {
        let is_final = self.retries > 0 || !has_tools;
        (is_final && !self.is_refused).then(|| Arc::clone(&self.schema))
    }

    /// Notes that the provider refused the schema.
    pub(super) fn refused(&mut self) {
        self.is_refused = true;
    }

    /// Returns the instructions for the model.
    pub(super) fn instructions(&self) -> String {
        from_engine(format_args!(
            "when the task is done, end with a message that contains a single JSON value and nothing else: no surrounding text, no code fence. It must satisfy this JSON Schema:\n{}",
            self.schema
        ))
    }

    /// Checks the final message's text.
    pub(super) fn check(&mut self, text: &str) -> SchemaCheck {
        let violations = match serde_json::from_str::<Value>(unfenced(text)) {
            Ok(value) => match self.violations(&value) {
                violations if violations.is_empty() => return SchemaCheck::Valid(value),
                violations => violations,
            },
            Err(error) => vec![format!("it is not JSON: {error}")],
        };
        let violations = violations.join("; ");
        if self.retries == MAX_RETRIES {
            return SchemaCheck::Failed(output_invalid(format!(
                "the final message does not satisfy the output schema after {MAX_RETRIES} retries: {violations}"
            )));
        }
        self.retries += 1;
        SchemaCheck::Retry(from_engine(format_args!(
            "your final message does not satisfy the JSON Schema: {violations}. Answer again with only the JSON value."
        )))
    }

    fn violations(&self, value: &Value) -> Vec<String> {
        let all = self.validator.iter_errors(value);
        let told = all.take(MAX_VIOLATIONS).map(|error| {
            let place = error.instance_path().to_string();
            let place = if place.is_empty() { "the value".to_owned() } else { place };
            format!("{place}: {error}")
        });
        told.collect()
    }
}

/// Returns the text in a reply's blocks.
pub(super) fn final_text(blocks: &[AssistantBlock]) -> String {
    let texts = blocks.iter().filter_map(|block| match block {
        AssistantBlock::Text { text, .. } => Some(text.as_str()),
        AssistantBlock::Reasoning { .. }
        | AssistantBlock::ToolCall { .. }
        | AssistantBlock::Unknown(_) => None,
    });
    texts.collect()
}

/// Returns the error for a turn that ended without a final message to check.
pub(super) fn missing() -> TurnError {
    output_invalid("the model ended the turn without a final message".to_owned())
}

fn output_invalid(message: String) -> TurnError {
    TurnError {
        code: "outputInvalid".to_owned(),
        message,
        hint: Some("simplify the schema, or choose another model".to_owned()),
        retryable: true,
        http_status: None,
    }
}

/// Returns the text without a surrounding code fence, which models like to add.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
    let inner = inner.and_then(|text| text.split_once('\n')).map(|(_, json)| json.trim());
    inner.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_protocol::event::Delivery;
    use pintle_protocol::ids::{ItemId, TurnId};
    use serde_json::json;

    fn output() -> StructuredOutput {
        let schema = json!({
            "type": "object",
            "properties": {"answer": {"type": "integer"}},
            "required": ["answer"],
            "additionalProperties": false,
        });
        let input = QueuedInput {
            item_id: ItemId::new("i"),
            turn_id: TurnId::new("t"),
            delivery: Delivery::Prompt,
            content: Vec::new(),
            limits: None,
            output_schema: Some(schema),
        };
        StructuredOutput::for_inputs(&[input]).unwrap()
    }

    #[test]
    fn a_final_message_is_the_value_or_is_asked_for_again() {
        for (name, said, want) in [
            ("the value", r#"{"answer": 42}"#, Ok(json!({"answer": 42}))),
            ("in a fence", "```json\n{\"answer\": 42}\n```\n", Ok(json!({"answer": 42}))),
            (
                "another type",
                r#"{"answer": "42"}"#,
                Err("/answer: \"42\" is not of type \"integer\""),
            ),
            ("nothing of it", "[]", Err("the value: [] is not of type \"object\"")),
            ("text around it", "Here: {\"answer\": 42}", Err("it is not JSON")),
            ("nothing", "", Err("it is not JSON")),
        ] {
            let text = AssistantBlock::Text { text: said.to_owned(), opaque: None };
            match (output().check(&final_text(&[text])), want) {
                (SchemaCheck::Valid(value), Ok(want)) => assert_eq!(value, want, "{name}"),
                (SchemaCheck::Retry(told), Err(want)) => {
                    assert!(told.contains(want), "{name}: {told}");
                }
                (verdict, _) => panic!("{name}: {verdict:?}"),
            }
        }
    }

    #[test]
    fn after_two_more_tries_the_turn_fails() {
        let mut output = output();
        assert!(matches!(output.check(""), SchemaCheck::Retry(_)));
        assert!(matches!(output.check(""), SchemaCheck::Retry(_)));
        let SchemaCheck::Failed(error) = output.check("") else { panic!("it goes on") };
        assert_eq!(error.code, "outputInvalid");
    }
}
