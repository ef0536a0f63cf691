//! A single question to a model and its text answer: no tools, no history.
//!
//! Pure: the caller sends the request and feeds the deltas. Reasoning is not part of the answer.

use super::{BlockStart, Delta, Message, ModelRef, Request, Trace};
use pintle_protocol::content::{Content, Usage};
use std::sync::Arc;

/// Returns the request that asks a model `question`.
pub fn request(
    model: &ModelRef,
    instructions: &str,
    question: &str,
    max_output_tokens: u32,
) -> Request {
    let question = Message::User(vec![Content::text(question)]);
    Request {
        model: model.id.clone(),
        origin: model.origin(),
        system: instructions.into(),
        messages: vec![Arc::new(question)].into(),
        tools: Arc::new([]),
        effort: None,
        max_output_tokens: Some(max_output_tokens),
        cache_key: None,
        output_schema: None,
        trace: Trace::default(),
    }
}

/// The answer as far as it has streamed.
#[derive(Debug, Default)]
pub struct Answer {
    /// The text.
    pub text: String,
    /// The provider's count.
    pub usage: Usage,
    /// True if the provider reported the reply's end.
    pub is_whole: bool,
    /// The indexes of text blocks.
    text_blocks: Vec<usize>,
}

impl Answer {
    /// Takes a delta. Returns the text that it adds, if any.
    pub fn push(&mut self, delta: Delta) -> Option<String> {
        match delta {
            Delta::Start { index, block: BlockStart::Text } => self.text_blocks.push(index),
            Delta::Text { index, text } if self.text_blocks.contains(&index) => {
                self.text.push_str(&text);
                return Some(text);
            }
            Delta::Usage(counted) => self.usage = counted,
            Delta::Stop(_) => self.is_whole = true,
            Delta::Start { .. }
            | Delta::Text { .. }
            | Delta::Arguments { .. }
            | Delta::Opaque { .. }
            | Delta::ProviderCall(_)
            | Delta::End { .. }
            | Delta::Tier(_) => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_protocol::event::StopReason;

    #[test]
    fn only_text_is_the_answer() {
        let text = |index, text: &str| Delta::Text { index, text: text.to_owned() };
        let mut answer = Answer::default();
        let added: Vec<Option<String>> = [
            Delta::Start { index: 0, block: BlockStart::Reasoning },
            text(0, "hm"),
            Delta::Start { index: 1, block: BlockStart::Text },
            text(1, "a "),
            text(1, "title"),
            Delta::Stop(StopReason::EndTurn),
        ]
        .map(|delta| answer.push(delta))
        .into();
        assert_eq!(added.iter().flatten().map(String::as_str).collect::<String>(), "a title");
        assert_eq!((answer.text.as_str(), answer.is_whole), ("a title", true));
    }
}
