//! The conversation that a model reads, and how it is rebuilt from a journal.
//!
//! A journal holds items and, with the end of each step, a private [`Skeleton`]: in which order the reply's blocks
//! came and what its provider wants back verbatim. From the two comes the same list of messages that the
//! turn had in memory.

use super::{compact, prune};
use crate::llm::{Assistant, AssistantBlock, Message, Opaque, ToolResult};
use crate::store::Entry;
use pintle_protocol::content::{Content, Input};
use pintle_protocol::event::{Event, StopReason};
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{EngineMessage, Item, ItemBody};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::Arc;

/// What a model has seen and said, in order.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    /// The messages.
    pub messages: Vec<Arc<Message>>,
    /// Results that were pruned and can be brought back.
    pub removed: prune::Removed,
}

/// What the journal keeps of a reply beside its items.
#[derive(Debug, Serialize, Deserialize)]
pub struct Skeleton {
    /// Who said it, as `provider/model`.
    pub origin: String,
    /// Why it stopped.
    pub stop: StopReason,
    /// Its blocks, in order.
    pub blocks: Vec<Bone>,
}

/// What the journal keeps of one block.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Bone {
    /// Text; it stands in the item.
    Text {
        /// The item.
        item: ItemId,
        /// What the provider wants back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Opaque>,
    },
    /// Reasoning; its text stands in the item.
    Reasoning {
        /// The item; none if there was no text to show.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<ItemId>,
        /// What the provider wants back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Opaque>,
    },
    /// A call; its name and arguments stand in the item.
    #[serde(rename_all = "camelCase")]
    Call {
        /// The item.
        item: ItemId,
        /// The provider's id of the call.
        call_id: String,
        /// The arguments as the model wrote them, where the item's would be written differently.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<String>,
        /// What the provider wants back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Opaque>,
    },
    /// A block without an item.
    Unknown {
        /// The block.
        opaque: Opaque,
    },
}

/// What the journal keeps of a person's message where files were read for it, or a prompt was called.
#[derive(Debug, Deserialize)]
struct ReadInput {
    read: Vec<Content>,
}

/// A person's words as the model reads them; `private` is what the journal keeps beside them.
fn user_message(content: &[Input], private: Option<&RawValue>) -> Message {
    let read = private.and_then(|raw| serde_json::from_str::<ReadInput>(raw.get()).ok());
    Message::User(read.map_or_else(|| super::input::plain(content), |read| read.read))
}

/// What the engine tells a model, as the model reads it.
pub fn engine_message(message: &EngineMessage) -> Message {
    Message::User(vec![Content::text(message.text.clone())])
}

impl Conversation {
    /// Adds what was said last.
    pub fn push(&mut self, message: Message) {
        self.messages.push(Arc::new(message));
    }

    /// Lets go of removed results whose calls are summed up: no note names them any more.
    pub fn forget_removed(&mut self) {
        let mut left = prune::Removed::default();
        for message in &self.messages {
            if let Message::ToolResult(result) = &**message
                && let Some(content) = self.removed.get(&result.call_id)
            {
                Arc::make_mut(&mut left).insert(result.call_id.clone(), content.clone());
            }
        }
        self.removed = left;
    }

    /// Rebuilds the conversation from a journal.
    pub fn replay(entries: &[Entry]) -> Self {
        let mut replay = Replay::default();
        for entry in entries {
            let Some(record) = &entry.record else { continue };
            match &record.event {
                Event::ItemUpdated { item } => {
                    replay.items.insert(item.id.clone(), item.clone());
                }
                Event::ItemCompleted { item } => replay.item(item, entry),
                Event::ContextPruned(_) => {
                    replay.settle();
                    if let Some(Pruned { places }) = private(entry) {
                        let Conversation { messages, removed } = &mut replay.conversation;
                        prune::apply(messages, &places, removed);
                    }
                }
                Event::StepCompleted(_) => {
                    if let Some(skeleton) = private(entry) {
                        replay.step(skeleton);
                    }
                }
                Event::SessionCreated(_)
                | Event::SessionClosed {}
                | Event::SessionUpdated(_)
                | Event::InputAccepted(_)
                | Event::InputRemoved { .. }
                | Event::TurnStarted { .. }
                | Event::PromptMade(_)
                | Event::TurnCompleted(_)
                | Event::ItemStarted { .. }
                | Event::ApprovalRequested(_)
                | Event::ApprovalResolved(_)
                | Event::QuestionRequested(_)
                | Event::QuestionResolved(_)
                | Event::PlanUpdated(_)
                | Event::RetryScheduled(_)
                | Event::ConfigChanged(_)
                | Event::FilesChanged(_)
                | Event::ReviewDecided(_)
                | Event::HistoryRewound(_)
                | Event::LabelChanged(_)
                | Event::QueueChanged { .. }
                | Event::Notice(_) => {}
            }
        }
        replay.settle();
        replay.conversation
    }
}

/// What only this engine needs of an entry.
fn private<T: DeserializeOwned>(entry: &Entry) -> Option<T> {
    serde_json::from_str(entry.private.as_ref()?.get()).ok()
}

/// Which results were pruned, by their places in the conversation.
#[derive(Debug, Serialize, Deserialize)]
pub struct Pruned {
    /// The places.
    pub places: Vec<usize>,
}

/// How much of a conversation stayed when the rest was summed up.
#[derive(Debug, Serialize, Deserialize)]
pub struct Kept {
    /// How many messages at its end.
    pub kept: usize,
}

#[derive(Default)]
struct Replay {
    conversation: Conversation,
    items: HashMap<ItemId, Item>,
    /// The calls of the last reply, in order, with their results as far as they have come.
    calls: Vec<(ItemId, ToolResult)>,
}

impl Replay {
    fn item(&mut self, item: &Item, entry: &Entry) {
        match &item.body {
            // One that was not completed changed nothing.
            ItemBody::Compaction(body) => {
                if let (Some(summary), Some(Kept { kept })) = (&body.summary, private(entry)) {
                    self.settle();
                    compact::apply(&mut self.conversation.messages, kept, summary);
                    self.conversation.forget_removed();
                }
            }
            ItemBody::UserMessage(message) => {
                self.settle();
                self.conversation.push(user_message(&message.content, entry.private.as_deref()));
            }
            ItemBody::EngineMessage(message) => {
                self.settle();
                self.conversation.push(engine_message(message));
            }
            // A model learns of jobs and sub-agents by calls and messages.
            ItemBody::Job(_) | ItemBody::Subagent(_) => {}
            ItemBody::AgentMessage(_) | ItemBody::Reasoning(_) => {
                self.items.insert(item.id.clone(), item.clone());
            }
            ItemBody::ToolCall(call) => {
                self.items.insert(item.id.clone(), item.clone());
                let waiting = self.calls.iter_mut().find(|(id, _)| *id == item.id);
                if let (Some((_, result)), Some(output)) = (waiting, &call.output) {
                    result.content.clone_from(&output.content);
                    result.is_error = output.is_error;
                }
            }
        }
    }

    fn step(&mut self, skeleton: Skeleton) {
        self.settle();
        let Skeleton { origin, stop, blocks } = skeleton;
        let blocks = blocks.into_iter().filter_map(|bone| self.block(bone)).collect();
        self.conversation.push(Message::Assistant(Assistant { blocks, origin, stop }));
    }

    fn block(&mut self, bone: Bone) -> Option<AssistantBlock> {
        Some(match bone {
            Bone::Text { item, opaque } => AssistantBlock::Text { text: self.text(&item)?, opaque },
            Bone::Reasoning { item, opaque } => AssistantBlock::Reasoning {
                text: item.and_then(|item| self.text(&item)).unwrap_or_default(),
                opaque,
            },
            Bone::Call { item, call_id, arguments, opaque } => {
                let Some(ItemBody::ToolCall(call)) = self.items.get(&item).map(|item| &item.body)
                else {
                    return None;
                };
                let name = call.tool_name.clone();
                let arguments = arguments
                    .or_else(|| call.input.as_ref().map(ToString::to_string))
                    .unwrap_or_default();
                self.calls.push((item, unanswered(&call_id, &name)));
                AssistantBlock::ToolCall { id: call_id, name, arguments, opaque }
            }
            Bone::Unknown { opaque } => AssistantBlock::Unknown(opaque),
        })
    }

    fn text(&self, item: &ItemId) -> Option<String> {
        match &self.items.get(item)?.body {
            ItemBody::AgentMessage(body) | ItemBody::Reasoning(body) => Some(body.text.clone()),
            ItemBody::UserMessage(_)
            | ItemBody::ToolCall(_)
            | ItemBody::Job(_)
            | ItemBody::Subagent(_)
            | ItemBody::Compaction(_)
            | ItemBody::EngineMessage(_) => None,
        }
    }

    /// Puts the results of the last reply's calls behind it, in the order of the calls.
    fn settle(&mut self) {
        for (_, result) in self.calls.drain(..) {
            self.conversation.push(Message::ToolResult(result));
        }
    }
}

/// The result of a call that has none: no provider accepts a call without one.
pub fn unanswered(call_id: &str, tool_name: &str) -> ToolResult {
    ToolResult {
        call_id: call_id.to_owned(),
        tool_name: tool_name.to_owned(),
        content: vec![Content::text("No result provided")],
        is_error: true,
    }
}
