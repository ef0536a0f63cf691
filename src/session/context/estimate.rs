//! Token estimates for texts and messages: pure, without any model's vocabulary.
//!
//! Accurate enough to decide when to compact, not for billing. Invariant: longer text never has a lower estimate.

use pintle_llm::{Assistant, AssistantBlock, Message, ToolSpec};
use pintle_protocol::content::{Content, Usage};

/// The number of bytes of most text and code per token.
const BYTES_PER_TOKEN: u64 = 4;

/// Tokens per image, once it is scaled for a model.
const IMAGE_TOKENS: u64 = 1_200;

/// Tokens per page of a document, which models read as text and image. Providers state 1,500 to 3,000.
pub const DOCUMENT_PAGE_TOKENS: u64 = 2_000;

/// Tokens per message envelope.
const MESSAGE_TOKENS: u64 = 4;

/// Estimates a text's tokens: one per about four bytes, and one per Chinese, Japanese or Korean character.
pub fn text(text: &str) -> u64 {
    let mut wide = 0;
    let mut bytes = 0;
    for c in text.chars() {
        if is_wide(c) {
            wide += 1;
        } else {
            bytes += c.len_utf8() as u64;
        }
    }
    wide + bytes.div_ceil(BYTES_PER_TOKEN)
}

fn is_wide(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

/// Estimates the tokens in a user message or a tool result.
pub fn content(blocks: &[Content]) -> u64 {
    let tokens = |block: &Content| match block {
        Content::Text { text: content } => text(content),
        Content::Image { .. } => IMAGE_TOKENS,
        // The document or its text, whichever the model reads.
        Content::Document { pages, text: content, .. } => {
            text(content).max(pages.saturating_mul(DOCUMENT_PAGE_TOKENS))
        }
    };
    blocks.iter().map(tokens).sum()
}

/// Estimates a message's tokens.
pub fn message(message: &Message) -> u64 {
    let tokens = match message {
        Message::User(blocks) => content(blocks),
        Message::ToolResult(result) => content(&result.content),
        Message::Assistant(Assistant { blocks, .. }) => blocks.iter().map(block).sum(),
    };
    tokens + MESSAGE_TOKENS
}

fn block(block: &AssistantBlock) -> u64 {
    let opaque = |opaque: &Option<pintle_llm::Opaque>| {
        opaque.as_ref().map_or(0, |opaque| text(opaque.0.get()))
    };
    match block {
        AssistantBlock::Text { text: reply, opaque: more } => text(reply) + opaque(more),
        AssistantBlock::Reasoning { text: thought, opaque: more } => text(thought) + opaque(more),
        AssistantBlock::ToolCall { name, arguments, opaque: more, .. } => {
            text(name) + text(arguments) + opaque(more)
        }
        AssistantBlock::Unknown(more) => text(more.0.get()),
    }
}

/// Estimates the tokens in tool specifications.
pub fn tools(tools: &[ToolSpec]) -> u64 {
    let tokens = |tool: &ToolSpec| {
        text(&tool.name) + text(&tool.description) + text(&tool.parameters.to_string())
    };
    tools.iter().map(tokens).sum()
}

/// Returns a conversation's tokens at its provider's last count. `None` if the provider counted no input, which some servers report for
/// every request.
pub fn counted(usage: &Usage) -> Option<u64> {
    let input = usage.read_tokens();
    (input > 0).then_some(input + usage.output_tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_four_bytes_a_token_and_wide_characters_one_each() {
        for (said, want) in [
            ("", 0),
            ("a", 1),
            ("four", 1),
            ("fives", 2),
            ("let x = 1;", 3),
            ("你好世界", 4),
            ("日本語 text", 3 + 2),
            ("한국어", 3),
            ("häßlich", 3),
        ] {
            assert_eq!(text(said), want, "{said}");
        }
    }

    #[test]
    fn a_count_without_input_is_not_believed() {
        let usage = |input_tokens, cache_read_tokens, output_tokens| Usage {
            input_tokens,
            cache_read_tokens,
            output_tokens,
            ..Usage::default()
        };
        for (usage, want) in [
            (usage(0, 0, 0), None),
            (usage(0, 0, 9), None),
            (usage(0, 5, 9), Some(14)),
            (usage(3, 0, 0), Some(3)),
        ] {
            assert_eq!(counted(&usage), want);
        }
    }

    #[test]
    fn pictures_and_calls_count_too() {
        let picture =
            Content::Image { mime_type: "image/png".to_owned(), data: "A".repeat(90_000) };
        assert_eq!(content(&[picture, Content::text("four")]), IMAGE_TOKENS + 1);
        let call = AssistantBlock::ToolCall {
            id: "call_1".to_owned(),
            name: "read".to_owned(),
            arguments: "{\"path\":\"a.rs\"}".to_owned(),
            opaque: None,
        };
        assert_eq!(block(&call), 1 + 4);
    }
}
