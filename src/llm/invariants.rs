//! Invariants of every conversation that is sent to a model, on any wire API.
//!
//! Providers refuse a broken conversation with a 400 that does not identify the culprit. The scripted model checks every request, so a
//! mistake in the loop fails the test that caused it.

use super::message::{AssistantBlock, Message};
use pintle_protocol::content::Content;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// Checks a conversation.
///
/// # Errors
/// The first violated rule, with the message index (from 0): the first message is the user's; no user message is empty; call ids are
/// unique; each call of an assistant message is answered by exactly one result, in call order, before anything else; there is no result
/// without a call.
pub fn check(messages: &[Arc<Message>]) -> Result<(), String> {
    let mut checked = Checked::default();
    checked.go_on(messages.iter())?;
    checked.end()
}

/// A checked conversation, so that only its extension needs checking later.
#[derive(Debug, Default)]
pub(super) struct Checked {
    /// The number of messages.
    count: usize,
    ids: BTreeSet<String>,
    /// Unanswered calls, and the message that contains them.
    open: VecDeque<String>,
    open_from: usize,
}

impl Checked {
    /// Returns the number of checked messages.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns the ids of all calls.
    pub(super) fn ids(&self) -> &BTreeSet<String> {
        &self.ids
    }

    /// Checks the messages after those.
    pub(super) fn go_on<'a>(
        &mut self,
        messages: impl Iterator<Item = &'a Arc<Message>>,
    ) -> Result<(), String> {
        for message in messages {
            self.take(message)?;
            self.count += 1;
        }
        Ok(())
    }

    /// Checks that nothing is open at the end.
    pub(super) fn end(&self) -> Result<(), String> {
        if self.count == 0 {
            return Err("the conversation is empty".to_owned());
        }
        self.unanswered()
    }

    fn take(&mut self, message: &Message) -> Result<(), String> {
        let number = self.count;
        match message {
            Message::ToolResult(result) => match self.open.front() {
                Some(expected) if *expected == result.call_id => {
                    self.open.pop_front();
                }
                Some(expected) => {
                    return Err(format!(
                        "message {number}: expected the result of call `{expected}` (message {}), got one for `{}`",
                        self.open_from, result.call_id
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
                self.unanswered()?;
                let is_empty =
                    |part: &Content| matches!(part, Content::Text { text } if text.is_empty());
                if content.iter().all(is_empty) {
                    return Err(format!("message {number}: an empty user message"));
                }
            }
            Message::Assistant(assistant) => {
                self.unanswered()?;
                if number == 0 {
                    return Err("message 0: the first message must be the user's".to_owned());
                }
                self.open_from = number;
                for block in &assistant.blocks {
                    if let AssistantBlock::ToolCall { id, .. } = block {
                        if !self.ids.insert(id.clone()) {
                            return Err(format!("message {number}: call id `{id}` is used twice"));
                        }
                        self.open.push_back(id.clone());
                    }
                }
            }
        }
        Ok(())
    }

    fn unanswered(&self) -> Result<(), String> {
        match self.open.front() {
            None => Ok(()),
            Some(id) => Err(format!(
                "message {}: call `{id}` (message {}) has no result before this point",
                self.count, self.open_from
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Assistant, ToolResult};
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
            effort: None,
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
            (vec![], "the conversation is empty"),
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
