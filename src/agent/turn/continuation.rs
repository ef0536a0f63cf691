//! Follow-up prompts from the engine after a reply that stopped too early: cut at its length limit, or empty. Pure.

use pintle_llm::AssistantBlock;
use pintle_protocol::event::{Notice, NoticeLevel, StopReason};

/// The message after a reply that reached its length limit.
const CONTINUE: &str = "your reply was cut off at its length limit. Continue exactly where it stopped, without repeating anything.";

/// The message after a reply with nothing in it.
const ANSWER: &str =
    "your reply contained neither text nor a tool call. Answer now, or make the next tool call.";

/// The continuations that a turn has asked for.
#[derive(Debug, Default)]
pub(crate) struct Continuations {
    /// The number of replies that were cut.
    cut: u32,
    /// The last reply was blank, and the model was asked once more.
    was_asked_again: bool,
}

impl Continuations {
    /// Returns the message that makes the model continue after a reply without calls. `None` ends the turn.
    pub(crate) fn after(
        &mut self,
        stop: StopReason,
        is_blank: bool,
        max_cut: u32,
    ) -> Option<&'static str> {
        match stop {
            StopReason::MaxTokens if self.cut < max_cut => {
                self.cut += 1;
                Some(CONTINUE)
            }
            StopReason::EndTurn | StopReason::ToolUse | StopReason::Other
                if is_blank && !self.was_asked_again =>
            {
                self.was_asked_again = true;
                Some(ANSWER)
            }
            StopReason::EndTurn
            | StopReason::ToolUse
            | StopReason::Other
            | StopReason::MaxTokens
            | StopReason::Refusal
            | StopReason::Paused
            | StopReason::Limit => None,
        }
    }

    /// Records a reply with content.
    pub(crate) fn replied(&mut self) {
        self.was_asked_again = false;
    }

    /// Returns the notice that ends a turn whose model returned nothing after a second request.
    pub(crate) fn notice(&self) -> Option<Notice> {
        self.was_asked_again.then(|| Notice {
            level: NoticeLevel::Warning,
            code: "emptyReply".to_owned(),
            message: "the model returned neither text nor a tool call, twice in a row".to_owned(),
            hint: Some(
                "send a prompt that explains how to continue, or choose another model".to_owned(),
            ),
        })
    }
}

/// Returns true if a reply has neither text nor calls: reasoning alone is blank.
pub(crate) fn is_blank(blocks: &[AssistantBlock]) -> bool {
    blocks.iter().all(|block| match block {
        AssistantBlock::Text { text, .. } => text.trim().is_empty(),
        AssistantBlock::Reasoning { .. } | AssistantBlock::Unknown(_) => true,
        AssistantBlock::ToolCall { .. } => false,
    })
}
