//! The model's context as a hook sees and replaces it: pure.
//!
//! A hook sees text, images, calls and results. What only the provider understands stays with the messages that a hook leaves unchanged.

use pintle_llm::{Assistant, AssistantBlock, Message, ToolResult, invariants};
use pintle_protocol::event::StopReason;
use pintle_protocol::hook::{HookMessage, HookMessageCall};
use std::sync::Arc;

/// Returns the messages as a hook sees them.
pub(super) fn shown(messages: &[Arc<Message>]) -> Vec<HookMessage> {
    messages.iter().zip(0..).map(|(message, index)| show(message, index)).collect()
}

fn show(message: &Message, index: u64) -> HookMessage {
    let index = Some(index);
    match message {
        Message::User(content) => HookMessage::User { index, content: content.clone() },
        Message::ToolResult(result) => {
            let ToolResult { call_id, tool_name, content, is_error } = result.clone();
            HookMessage::ToolResult { index, call_id, tool_name, content, is_error }
        }
        Message::Assistant(assistant) => {
            let (mut text, mut calls) = (String::new(), Vec::new());
            for block in &assistant.blocks {
                match block {
                    AssistantBlock::Text { text: part, .. } => text.push_str(part),
                    AssistantBlock::ToolCall { id, name, arguments, .. } => {
                        let (id, name) = (id.clone(), name.clone());
                        let arguments = arguments.clone();
                        calls.push(HookMessageCall { id, name, arguments });
                    }
                    AssistantBlock::Reasoning { .. } | AssistantBlock::Unknown(_) => {}
                }
            }
            HookMessage::Assistant { index, text, calls }
        }
    }
}

/// Returns the messages with which a hook replaces the given ones.
///
/// # Errors
/// No provider would accept the messages; the error explains why.
pub(super) fn replaced(
    messages: &[Arc<Message>],
    wanted: Vec<HookMessage>,
    origin: &str,
) -> Result<Vec<Arc<Message>>, String> {
    let unchanged = |wanted: &HookMessage| {
        let index = wanted.index()?;
        let message = messages.get(usize::try_from(index).ok()?)?;
        (show(message, index) == *wanted).then(|| Arc::clone(message))
    };
    let message =
        |wanted: HookMessage| unchanged(&wanted).unwrap_or_else(|| Arc::new(made(wanted, origin)));
    let list: Vec<_> = wanted.into_iter().map(message).collect();
    invariants::check(&list)?;
    Ok(list)
}

fn made(wanted: HookMessage, origin: &str) -> Message {
    match wanted {
        HookMessage::User { content, .. } => Message::User(content),
        HookMessage::ToolResult { call_id, tool_name, content, is_error, .. } => {
            Message::ToolResult(ToolResult { call_id, tool_name, content, is_error })
        }
        HookMessage::Assistant { text, calls, .. } => {
            let stop = if calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolUse };
            let text = (!text.is_empty()).then_some(AssistantBlock::Text { text, opaque: None });
            let calls = calls.into_iter().map(|HookMessageCall { id, name, arguments }| {
                AssistantBlock::ToolCall { id, name, arguments, opaque: None }
            });
            let blocks = text.into_iter().chain(calls).collect();
            Message::Assistant(Assistant { blocks, origin: origin.to_owned(), stop, effort: None })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_llm::Opaque;
    use pintle_protocol::content::Content;
    use serde_json::value::RawValue;

    fn messages() -> Vec<Arc<Message>> {
        let opaque =
            || Some(Opaque(RawValue::from_string("{\"signature\":\"s\"}".into()).unwrap()));
        let reply = Assistant {
            effort: None,
            blocks: vec![
                AssistantBlock::Reasoning { text: "hm".into(), opaque: opaque() },
                AssistantBlock::Text { text: "I look".into(), opaque: None },
                AssistantBlock::ToolCall {
                    id: "c".into(),
                    name: "read".into(),
                    arguments: "{}".into(),
                    opaque: None,
                },
            ],
            origin: "x/y".into(),
            stop: StopReason::ToolUse,
        };
        let result = ToolResult {
            call_id: "c".into(),
            tool_name: "read".into(),
            content: vec![Content::text("one")],
            is_error: false,
        };
        let user = Message::User(vec![Content::text("go")]);
        [user, Message::Assistant(reply), Message::ToolResult(result)].map(Arc::new).into()
    }

    #[test]
    fn unchanged_messages_stay_whole_and_others_are_made_anew() {
        let before = messages();
        let mut wanted = shown(&before);
        let HookMessage::ToolResult { content, .. } = &mut wanted[2] else { panic!() };
        *content = vec![Content::text("two")];
        wanted.push(HookMessage::User { index: None, content: vec![Content::text("more")] });
        let after = replaced(&before, wanted, "x/y").unwrap();
        assert!(Arc::ptr_eq(&after[0], &before[0]) && Arc::ptr_eq(&after[1], &before[1]));
        let Message::ToolResult(result) = &*after[2] else { panic!() };
        assert_eq!(result.content, [Content::text("two")]);
        assert_eq!(after.len(), 4);
    }

    #[test]
    fn a_list_that_no_provider_accepts_is_refused() {
        let before = messages();
        for (name, left_out) in [("a call without its result", 2), ("a result without its call", 1)]
        {
            let mut wanted = shown(&before);
            wanted.remove(left_out);
            assert!(replaced(&before, wanted, "x/y").is_err(), "{name}");
        }
        assert!(replaced(&before, Vec::new(), "x/y").is_err());
    }
}
