//! What must hold of every conversation that is sent to a model, whichever the wire.
//!
//! Providers refuse a broken conversation with a 400 that names no culprit; the script checks it on every request,
//! so that a mistake of the loop fails in the test that made it.

use super::message::{AssistantBlock, Message};
use pintle_protocol::content::Content;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Checks a conversation.
///
/// # Errors
/// The first rule that is broken, with the number of the message (from 0):
/// the first message is the user's; no message of the user is empty; ids of calls are unique; each call of an
/// assistant message is answered by exactly one result, in order of the calls, before anything else is said; there is
/// no result without a call.
pub fn check(messages: &[Arc<Message>]) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&str> = Vec::new();
    let mut open_from = 0;
    for (number, message) in messages.iter().enumerate() {
        match &**message {
            Message::ToolResult(result) => match open.first() {
                Some(expected) if *expected == result.call_id => {
                    open.remove(0);
                }
                Some(expected) => {
                    return Err(format!(
                        "message {number}: expected the result of call `{expected}` (message {open_from}), got one for `{}`",
                        result.call_id
                    ));
                }
                None => {
                    return Err(format!(
                        "message {number}: a tool result for `{}`, which no call before it waits for",
                        result.call_id
                    ));
                }
            },
            Message::User(content) => {
                unanswered(number, &open, open_from)?;
                let is_empty =
                    |part: &Content| matches!(part, Content::Text { text } if text.is_empty());
                if content.iter().all(is_empty) {
                    return Err(format!("message {number}: an empty user message"));
                }
            }
            Message::Assistant(assistant) => {
                unanswered(number, &open, open_from)?;
                if number == 0 {
                    return Err("message 0: the first message must be the user's".to_owned());
                }
                open_from = number;
                for block in &assistant.blocks {
                    if let AssistantBlock::ToolCall { id, .. } = block {
                        if !seen.insert(id.as_str()) {
                            return Err(format!("message {number}: call id `{id}` is used twice"));
                        }
                        open.push(id);
                    }
                }
            }
        }
    }
    if messages.is_empty() {
        return Err("there is no message".to_owned());
    }
    unanswered(messages.len(), &open, open_from)
}

fn unanswered(number: usize, open: &[&str], from: usize) -> Result<(), String> {
    match open.first() {
        None => Ok(()),
        Some(id) => Err(format!(
            "message {number}: call `{id}` (message {from}) has no result before this point"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{Assistant, ToolResult};
    use pintle_protocol::event::StopReason;

    fn user(text: &str) -> Message {
        Message::User(vec![Content::text(text)])
    }

    fn calls(ids: &[&str]) -> Message {
        let call = |id: &&str| AssistantBlock::ToolCall {
            id: (*id).to_owned(),
            name: "read".to_owned(),
            arguments: String::new(),
            opaque: None,
        };
        Message::Assistant(Assistant {
            blocks: ids.iter().map(call).collect(),
            origin: "a/b".to_owned(),
            stop: StopReason::ToolUse,
        })
    }

    fn result(id: &str) -> Message {
        Message::ToolResult(ToolResult {
            call_id: id.to_owned(),
            tool_name: "read".to_owned(),
            content: Vec::new(),
            is_error: false,
        })
    }

    #[test]
    fn broken_conversations_are_named() {
        for (messages, want) in [
            (vec![user("hi")], ""),
            (vec![user("hi"), calls(&["a", "b"]), result("a"), result("b"), user("more")], ""),
            (vec![], "there is no message"),
            (vec![calls(&[])], "the first message must be the user's"),
            (vec![user("")], "an empty user message"),
            (vec![Message::User(Vec::new())], "an empty user message"),
            (vec![user("hi"), result("a")], "no call before it waits for"),
            (vec![user("hi"), calls(&["a"])], "message 2: call `a` (message 1) has no result"),
            (vec![user("hi"), calls(&["a"]), user("steer"), result("a")], "message 2: call `a`"),
            (
                vec![user("hi"), calls(&["a", "b"]), result("b"), result("a")],
                "expected the result of call `a`",
            ),
            (
                vec![user("hi"), calls(&["a"]), result("a"), calls(&["a"]), result("a")],
                "message 3: call id `a` is used twice",
            ),
            (vec![user("hi"), calls(&["a"]), result("a"), result("a")], "message 3: a tool result"),
        ] {
            let messages: Vec<_> = messages.into_iter().map(Arc::new).collect();
            let got = check(&messages).err().unwrap_or_default();
            assert!(got.contains(want) && got.is_empty() == want.is_empty(), "{got:?} ≠ {want:?}");
        }
    }
}
