//! Rebuilds a model's conversation from a journal. Pure, except [`stored`].
//!
//! A journal contains items and, with the end of each step, a private [`Skeleton`]: the block order of the reply, and the parts that its
//! provider requires back verbatim. Items are shown to users; both together give the same messages that the turn had in memory.
//!
//! A summary changes the model's view, never the journal. The event that completes it records in its private part how many messages stay,
//! and `context.pruned` records the pruned results: the same events always give the same conversation.

use crate::context::conversation::{Conversation, engine_message, from_engine};
use crate::context::prune::{self, Plan};
use crate::context::{compact, estimate, input};
use crate::store::{Entry, Error, Store};
use pintle_llm::{Assistant, AssistantBlock, Effort, Message, Opaque, ToolResult};
use pintle_protocol::content::{Content, Input};
use pintle_protocol::event::{Event, StopReason};
use pintle_protocol::ids::{ItemId, SessionId};
use pintle_protocol::item::{Item, ItemBody};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Borrow;
use std::collections::HashMap;
use std::sync::Arc;

/// Replaces a first message that is no longer readable.
const LOST: &str = "the message at this point was lost.";

/// The private part of a reply.
#[derive(Debug, Serialize, Deserialize)]
pub struct Skeleton {
    /// The model, as `provider/model`.
    pub origin: String,
    /// The reason why it stopped.
    pub stop: StopReason,
    /// Its blocks, in order.
    pub blocks: Vec<Bone>,
    /// The effort that was requested, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
}

impl Skeleton {
    /// Parses the private part of a step's end; `None` if it has no skeleton.
    pub fn read(private: &str) -> Option<Self> {
        serde_json::from_str(private).ok()
    }

    /// Returns the reply with its items' content, and its calls in order.
    pub fn fill(self, items: &HashMap<ItemId, impl Borrow<Item>>) -> Replayed {
        let mut calls = Vec::new();
        let blocks = self.blocks.into_iter().filter_map(|bone| block(bone, items, &mut calls));
        let blocks = blocks.collect();
        let Self { origin, stop, effort, .. } = self;
        Replayed { assistant: Assistant { blocks, origin, stop, effort }, calls }
    }
}

/// A reply, rebuilt from the journal.
#[derive(Debug)]
pub struct Replayed {
    /// The message.
    pub assistant: Assistant,
    /// The item of each call, with the provider's id and the tool's name.
    pub calls: Vec<(ItemId, String, String)>,
}

/// The private part of one block.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", try_from = "FlatBone")]
pub enum Bone {
    /// Text, which is in the item.
    Text {
        /// The item.
        item: ItemId,
        /// The part that the provider requires back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Opaque>,
    },
    /// Reasoning, whose text is in the item.
    Reasoning {
        /// The item; `None` if there was no text to show.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<ItemId>,
        /// The part that the provider requires back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Opaque>,
    },
    /// A call, whose name and arguments are in the item.
    #[serde(rename_all = "camelCase")]
    Call {
        /// The item.
        item: ItemId,
        /// The provider's id of the call.
        call_id: String,
        /// The arguments as the model wrote them, if the item's would be serialized differently.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<String>,
        /// The part that the provider requires back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Opaque>,
    },
    /// A block without an item.
    Unknown {
        /// The block.
        opaque: Opaque,
    },
}

/// A [`Bone`] for reading: serde buffers tagged enums in values that cannot represent JSON byte for byte.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FlatBone {
    r#type: String,
    item: Option<ItemId>,
    call_id: Option<String>,
    arguments: Option<String>,
    opaque: Option<Opaque>,
}

impl TryFrom<FlatBone> for Bone {
    type Error = String;

    fn try_from(flat: FlatBone) -> Result<Self, String> {
        let FlatBone { r#type: kind, item, call_id, arguments, opaque } = flat;
        let missing = |field: &str| format!("missing field {field} in a block of type {kind}");
        Ok(match kind.as_str() {
            "text" => Self::Text { item: item.ok_or_else(|| missing("item"))?, opaque },
            "reasoning" => Self::Reasoning { item, opaque },
            "call" => Self::Call {
                item: item.ok_or_else(|| missing("item"))?,
                call_id: call_id.ok_or_else(|| missing("callId"))?,
                arguments,
                opaque,
            },
            "unknown" => Self::Unknown { opaque: opaque.ok_or_else(|| missing("opaque"))? },
            _ => return Err(format!("unknown block type {kind}")),
        })
    }
}

/// The private part of a user's message that refers to files or calls a prompt.
#[derive(Debug, Deserialize)]
pub struct ExpandedInput {
    read: Vec<Content>,
}

impl ExpandedInput {
    /// Returns a user's message as the model reads it; `private` is the private part of its journal entry.
    pub fn expand(content: &[Input], private: Option<&RawValue>) -> Vec<Content> {
        let read = private.and_then(|raw| serde_json::from_str::<Self>(raw.get()).ok());
        read.map_or_else(|| input::plain(content), |read| read.read)
    }
}

/// Rebuilds the conversation from a journal.
pub fn conversation(entries: &[Entry]) -> Conversation {
    // Items are only looked at: a long session has many, and large ones.
    let mut replay: Replay<&Item> = Replay::default();
    for entry in entries {
        replay.add(entry, |item| item);
    }
    replay.finish()
}

/// Reads a stored session's conversation, on its current path.
///
/// # Errors
/// The session does not exist or cannot be read.
pub fn stored(store: &Store, session: &SessionId) -> Result<Conversation, Error> {
    let mut replay = GrowingConversation::default();
    for entry in super::current_entries(store, session)? {
        replay.add(&entry?);
    }
    Ok(replay.replay.finish())
}

/// A conversation that is rebuilt entry by entry. Its earlier messages may be unknown, except for their size.
#[derive(Debug, Default)]
pub struct GrowingConversation {
    /// The size before [`Self::replay`].
    before: Size,
    replay: Replay<Item>,
}

/// A conversation's size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// The estimated tokens.
    pub tokens: u64,
    /// The message count.
    pub messages: usize,
}

impl Size {
    fn measure(messages: &[Arc<Message>]) -> Self {
        let tokens = messages.iter().map(|message| estimate::message(message)).sum();
        Self { tokens, messages: messages.len() }
    }

    /// Adds a message.
    pub fn add(&mut self, message: &Message) {
        self.tokens += estimate::message(message);
        self.messages += 1;
    }
}

impl GrowingConversation {
    /// Continues a conversation of this size at a point between two turns.
    pub fn after(before: Size) -> Self {
        let mut growing = Self { before, ..Self::default() };
        growing.replay.has_earlier = before.messages > 0;
        growing
    }

    /// Returns true if an entry changes messages that may be unknown.
    pub fn needs_earlier(&self, entry: &Entry) -> bool {
        let Some(record) = &entry.record else { return false };
        let is_pruned = matches!(record.event, Event::ContextPruned(_));
        let is_compaction = matches!(&record.event, Event::ItemCompleted { item } if matches!(item.body, ItemBody::Compaction(_)));
        self.replay.has_earlier && (is_pruned || is_compaction)
    }

    /// Takes in the next entry on the history's current path.
    pub fn add(&mut self, entry: &Entry) {
        if let Some(record) = &entry.record
            && let Event::TurnStarted { .. } = record.event
        {
            // A step refers only to items from the same turn.
            self.replay.items.clear();
        }
        self.replay.add(entry, Item::clone);
    }

    /// Returns the size, including unknown messages. Call it only between two turns.
    pub fn size(&mut self) -> Size {
        self.replay.settle();
        let Size { tokens, messages } = Size::measure(&self.replay.conversation.messages);
        Size { tokens: self.before.tokens + tokens, messages: self.before.messages + messages }
    }

    /// Returns the conversation.
    ///
    /// # Errors
    /// Earlier messages are unknown; the error is the conversation's size.
    pub fn finish(mut self) -> Result<Conversation, Size> {
        if self.replay.has_earlier { Err(self.size()) } else { Ok(self.replay.finish()) }
    }
}

/// Parses an entry's private part.
fn private<T: DeserializeOwned>(entry: &Entry) -> Option<T> {
    serde_json::from_str(entry.private.as_ref()?.get()).ok()
}

/// The pruned results, by their positions in the conversation.
#[derive(Debug, Serialize, Deserialize)]
pub struct Pruned {
    /// The positions.
    places: Vec<usize>,
    /// Those of results that a later result repeats.
    superseded: Option<Vec<usize>>,
}

impl Pruned {
    fn plan(self, messages: &[Arc<Message>]) -> Plan {
        let Self { places, superseded } = self;
        // In journals that do not list them, the tools are those whose names start with `read`.
        let superseded = superseded.unwrap_or_else(|| {
            let read = |name: &str| name.starts_with("read");
            prune::superseded(messages, read).into_iter().collect()
        });
        Plan { places, superseded }
    }
}

impl From<Plan> for Pruned {
    fn from(Plan { places, superseded }: Plan) -> Self {
        Self { places, superseded: Some(superseded) }
    }
}

/// The messages that a compaction kept.
#[derive(Debug, Serialize, Deserialize)]
pub struct KeptMessages {
    /// The number of messages at its end.
    pub kept: usize,
}

impl KeptMessages {
    /// Reads the private part of a compaction.
    pub fn read(private: &str) -> Option<usize> {
        serde_json::from_str::<Self>(private).ok().map(|kept| kept.kept)
    }
}

/// A journal replay with owned or borrowed items.
#[derive(Debug)]
struct Replay<I> {
    conversation: Conversation,
    /// There are messages before those in the conversation.
    has_earlier: bool,
    items: HashMap<ItemId, I>,
    /// Calls of the last reply, in order, with the results received so far.
    calls: Vec<(ItemId, ToolResult)>,
}

impl<I> Default for Replay<I> {
    fn default() -> Self {
        Self {
            conversation: Conversation::default(),
            has_earlier: false,
            items: HashMap::new(),
            calls: Vec::new(),
        }
    }
}

impl<I: Borrow<Item>> Replay<I> {
    fn add<'e>(&mut self, entry: &'e Entry, keep: fn(&'e Item) -> I) {
        let Some(record) = &entry.record else { return };
        match &record.event {
            Event::ItemUpdated { item } => {
                self.items.insert(item.id.clone(), keep(item));
            }
            Event::ItemCompleted { item } => self.item(item, entry, keep),
            Event::ContextPruned(_) => {
                self.settle();
                if let Some(pruned) = private::<Pruned>(entry) {
                    let Conversation { messages, removed } = &mut self.conversation;
                    let plan = pruned.plan(messages);
                    prune::apply(messages, &plan, removed);
                }
            }
            Event::StepCompleted(_) => {
                if let Some(skeleton) = private(entry) {
                    self.step(skeleton);
                }
            }
            Event::SessionCreated(_)
            | Event::SessionClosed {}
            | Event::SessionMoved(_)
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
            | Event::IsolationApplied(_)
            | Event::ReviewDecided(_)
            | Event::ReviewQueued(_)
            | Event::HistoryRewound(_)
            | Event::LabelChanged(_)
            | Event::QueueChanged { .. }
            | Event::Notice(_) => {}
        }
    }

    fn finish(mut self) -> Conversation {
        self.settle();
        self.conversation
    }

    fn item<'e>(&mut self, item: &'e Item, entry: &Entry, keep: fn(&'e Item) -> I) {
        match &item.body {
            // A compaction that did not complete changed nothing.
            ItemBody::Compaction(body) => {
                if let (Some(summary), Some(KeptMessages { kept })) =
                    (&body.summary, private(entry))
                {
                    self.settle();
                    compact::apply(&mut self.conversation.messages, kept, summary);
                    self.conversation.forget_removed();
                }
            }
            ItemBody::UserMessage(message) => {
                self.settle();
                let read = ExpandedInput::expand(&message.content, entry.private.as_deref());
                self.conversation.push(Message::User(read));
            }
            ItemBody::EngineMessage(message)
                if message.note.as_ref().is_some_and(|note| note.is_unread) => {}
            ItemBody::EngineMessage(message) => {
                self.settle();
                self.conversation.push(engine_message(message));
            }
            // Calls and messages report jobs and sub-agents to the model.
            ItemBody::Job(_) | ItemBody::Subagent(_) => {}
            ItemBody::AgentMessage(_) | ItemBody::Reasoning(_) => {
                self.items.insert(item.id.clone(), keep(item));
            }
            ItemBody::ToolCall(call) => {
                self.items.insert(item.id.clone(), keep(item));
                let pending = self.calls.iter_mut().find(|(id, _)| *id == item.id);
                if let (Some((_, result)), Some(output)) = (pending, &call.output) {
                    result.content.clone_from(&output.content);
                    result.is_error = output.is_error;
                }
            }
        }
    }

    fn step(&mut self, skeleton: Skeleton) {
        self.settle();
        // No provider accepts a conversation that starts with a reply; the previous message's entry is damaged.
        if self.conversation.messages.is_empty() && !self.has_earlier {
            self.conversation.push(Message::User(vec![Content::text(from_engine(LOST))]));
        }
        let Replayed { assistant, calls } = skeleton.fill(&self.items);
        self.conversation.push(Message::Assistant(assistant));
        let open =
            |(item, call_id, name): (ItemId, String, String)| (item, unanswered(&call_id, &name));
        self.calls = calls.into_iter().map(open).collect();
    }

    /// Appends results for the last reply's calls, in call order.
    fn settle(&mut self) {
        for (_, result) in self.calls.drain(..) {
            self.conversation.push(Message::ToolResult(result));
        }
    }
}

fn block(
    bone: Bone,
    items: &HashMap<ItemId, impl Borrow<Item>>,
    calls: &mut Vec<(ItemId, String, String)>,
) -> Option<AssistantBlock> {
    Some(match bone {
        Bone::Text { item, opaque } => AssistantBlock::Text { text: text(items, &item)?, opaque },
        Bone::Reasoning { item, opaque } => AssistantBlock::Reasoning {
            text: item.and_then(|item| text(items, &item)).unwrap_or_default(),
            opaque,
        },
        Bone::Call { item, call_id, arguments, opaque } => {
            let call = items.get(&item)?.borrow().body.as_tool_call()?;
            let name = call.tool_name.clone();
            let arguments = arguments
                .or_else(|| call.input.as_ref().map(ToString::to_string))
                .unwrap_or_default();
            calls.push((item, call_id.clone(), name.clone()));
            AssistantBlock::ToolCall { id: call_id, name, arguments, opaque }
        }
        Bone::Unknown { opaque } => AssistantBlock::Unknown(opaque),
    })
}

fn text(items: &HashMap<ItemId, impl Borrow<Item>>, item: &ItemId) -> Option<String> {
    items.get(item)?.borrow().body.as_text().map(|body| body.text.clone())
}

/// Returns a result for a call without one: every provider requires a result for each call.
pub fn unanswered(call_id: &str, tool_name: &str) -> ToolResult {
    ToolResult {
        call_id: call_id.to_owned(),
        tool_name: tool_name.to_owned(),
        content: vec![Content::text("No result provided")],
        is_error: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_provider_wants_back_is_read_again_byte_for_byte() {
        for bone in [
            r#"{"type":"text","item":"1"}"#,
            r#"{"type":"text","item":"1","opaque":{"signed":[{"from":0,"to":1}]}}"#,
            r#"{"type":"reasoning","item":"1","opaque":{"signature":"s" , "n":1.50}}"#,
            r#"{"type":"reasoning","opaque":{"type":"redacted_thinking","data":"d"}}"#,
            r#"{"type":"call","item":"1","callId":"c","arguments":"{ }","opaque":{"caller":null}}"#,
            r#"{"type":"call","item":"1","callId":"c"}"#,
            r#"{"type":"unknown","opaque":{"type":"new","data":[1]}}"#,
        ] {
            let read: Bone = serde_json::from_str(bone).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), bone);
        }
        for broken in [
            "{}",
            r#"{"type":"text"}"#,
            r#"{"type":"call","item":"1"}"#,
            r#"{"type":"unknown"}"#,
            r#"{"type":"later","item":"1"}"#,
        ] {
            assert!(serde_json::from_str::<Bone>(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn a_reply_has_the_effort_that_was_requested() {
        for (fields, want) in [("", None), (", \"effort\": \"low\"", Some(Effort::Low))] {
            let private =
                format!("{{\"origin\": \"p/m\", \"stop\": \"endTurn\", \"blocks\": []{fields}}}");
            let skeleton = Skeleton::read(&private).unwrap();
            assert_eq!(
                serde_json::to_string(&skeleton).unwrap().contains("effort"),
                want.is_some()
            );
            let replayed = skeleton.fill(&HashMap::<ItemId, Item>::new());
            assert_eq!(replayed.assistant.effort, want);
        }
    }
}
