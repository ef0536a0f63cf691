//! Reasoning that cannot be sent back verbatim: another model's, or reasoning that a server refuses.
//!
//! The encoders decide which reasoning is sent back verbatim. Messages without such reasoning are not copied.

use super::message::{Assistant, AssistantBlock, Message};
use super::request::Request;
use std::borrow::Cow;
use std::sync::Arc;

/// Converts another model's reasoning to text before its answer: signatures and encrypted parts are meaningless to this model, but words
/// are not. Reasoning without words is left to the encoders, which drop it.
pub(super) fn as_text_for_others(request: &Request) -> Cow<'_, Request> {
    let is_foreign = |message: &Message| match message {
        Message::Assistant(said) => {
            said.origin != request.origin && said.blocks.iter().any(is_worded)
        }
        Message::User(_) | Message::ToolResult(_) => false,
    };
    if !request.messages.iter().any(|message| is_foreign(message)) {
        return Cow::Borrowed(request);
    }
    let mut changed = request.clone();
    let mut messages = changed.messages.to_vec();
    for message in messages.iter_mut().filter(|message| is_foreign(message)) {
        change(message, |block| {
            let AssistantBlock::Reasoning { text, .. } = block else { return None };
            let said = AssistantBlock::Text { text: text.clone(), opaque: None };
            is_worded(block).then_some(said)
        });
    }
    changed.messages = messages.into();
    Cow::Owned(changed)
}

fn is_worded(block: &AssistantBlock) -> bool {
    matches!(block, AssistantBlock::Reasoning { text, .. } if !text.trim().is_empty())
}

/// Removes encrypted reasoning from the first messages; returns true if there was any. The history stays valid: reasoning may be omitted,
/// the calls that follow it may not.
pub(super) fn without_sealed(request: &mut Request, messages: usize) -> bool {
    let is_sealed =
        |block: &AssistantBlock| matches!(block, AssistantBlock::Reasoning { opaque: Some(_), .. });
    let has_sealed = |message: &Message| match message {
        Message::Assistant(said) => {
            said.origin == request.origin && said.blocks.iter().any(is_sealed)
        }
        Message::User(_) | Message::ToolResult(_) => false,
    };
    if !request.messages.iter().take(messages).any(|message| has_sealed(message)) {
        return false;
    }
    let mut changed = request.messages.to_vec();
    for message in changed.iter_mut().take(messages).filter(|message| has_sealed(message)) {
        change(message, |block| {
            let AssistantBlock::Reasoning { text, .. } = block else { return None };
            Some(AssistantBlock::Reasoning { text: text.clone(), opaque: None })
        });
    }
    request.messages = changed.into();
    true
}

/// Replaces some blocks of a reply.
fn change(message: &mut Arc<Message>, other: impl Fn(&AssistantBlock) -> Option<AssistantBlock>) {
    let Message::Assistant(said) = &**message else { return };
    let blocks = said.blocks.iter().map(|block| other(block).unwrap_or_else(|| block.clone()));
    *message = Arc::new(Message::Assistant(Assistant {
        blocks: blocks.collect(),
        origin: said.origin.clone(),
        stop: said.stop,
        effort: said.effort,
    }));
}

#[cfg(test)]
mod tests;
