//! A reply as it arrives, piece by piece, and the accumulator that makes a message of the pieces.

use super::message::{Assistant, AssistantBlock, Opaque};
use pintle_protocol::content::Usage;
use pintle_protocol::event::StopReason;
use serde_json::Value;

/// A piece of a reply. Blocks are numbered by the provider's decoder from 0 in the order in which they
/// begin; pieces of different blocks may interleave.
#[derive(Debug, Clone)]
pub enum Delta {
    /// A block begins.
    Start {
        /// The block's number.
        index: usize,
        /// The kind of block.
        block: BlockStart,
    },
    /// Text for the end of a text or reasoning block.
    Text {
        /// The block's number.
        index: usize,
        /// The piece; never empty.
        text: String,
    },
    /// JSON text for the end of a tool call's arguments.
    Arguments {
        /// The block's number.
        index: usize,
        /// The piece; never empty.
        json: String,
    },
    /// Opaque data to send back verbatim with this block; replaces earlier data.
    Opaque {
        /// The block's number.
        index: usize,
        /// The JSON.
        raw: Opaque,
    },
    /// News of a call of a tool that the provider runs itself, for people to see. What goes back to the provider is in opaque blocks.
    ProviderCall(Box<ProviderCall>),
    /// A block is complete.
    End {
        /// The block's number.
        index: usize,
    },
    /// Tokens so far: cumulative, the last one wins.
    Usage(Usage),
    /// The tier that serves the request, where it is not the standard one; the last one wins.
    Tier(Tier),
    /// The reply is over; nothing follows but perhaps [`Delta::Usage`].
    Stop(StopReason),
}

/// A call of a tool that the provider runs itself, as far as it is known.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderCall {
    /// The call's id, the same in all news of it and unique within the reply.
    pub id: String,
    /// The tool's name.
    pub tool: String,
    /// The arguments, once they are whole.
    pub input: Option<Value>,
    /// The outcome in words for people, once the call is over; an error if it failed.
    pub outcome: Option<Result<String, String>>,
}

/// The service tier of a request, which affects its price.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tier {
    /// The standard tier.
    #[default]
    Standard,
    /// Deferred, at a lower price.
    Flex,
    /// Preferred, at a higher price.
    Priority,
}

impl Tier {
    /// Returns the tier of this name; unknown names are standard.
    pub(super) fn from_name(name: &str) -> Self {
        match name {
            "flex" => Self::Flex,
            "priority" => Self::Priority,
            _ => Self::Standard,
        }
    }
}

/// The kind of a block that begins.
#[derive(Debug, Clone)]
pub enum BlockStart {
    /// Text for the person.
    Text,
    /// Reasoning.
    Reasoning,
    /// A call of a tool.
    ToolCall {
        /// The call's id; made by the decoder where the wire has none, unique within the reply.
        id: String,
        /// The tool's name.
        name: String,
    },
    /// A block this engine does not know; its content comes as [`Delta::Opaque`].
    Unknown,
}

/// Makes a message of deltas.
#[derive(Debug, Default)]
pub struct Accumulator {
    blocks: Vec<Option<AssistantBlock>>,
    usage: Usage,
    tier: Tier,
    stop: Option<StopReason>,
}

impl Accumulator {
    /// Takes the next piece. A piece for a block that never began is ignored.
    pub fn push(&mut self, delta: &Delta) {
        match delta {
            Delta::Start { index, block } => {
                if self.blocks.len() <= *index {
                    self.blocks.resize_with(index + 1, || None);
                }
                if let Some(slot) = self.blocks.get_mut(*index) {
                    *slot = Some(match block.clone() {
                        BlockStart::Text => {
                            AssistantBlock::Text { text: String::new(), opaque: None }
                        }
                        BlockStart::Reasoning => {
                            AssistantBlock::Reasoning { text: String::new(), opaque: None }
                        }
                        BlockStart::ToolCall { id, name } => AssistantBlock::ToolCall {
                            id,
                            name,
                            arguments: String::new(),
                            opaque: None,
                        },
                        BlockStart::Unknown => return,
                    });
                }
            }
            Delta::Text { index, text: piece } => match self.block(*index) {
                Some(
                    AssistantBlock::Text { text, .. } | AssistantBlock::Reasoning { text, .. },
                ) => {
                    text.push_str(piece);
                }
                Some(AssistantBlock::ToolCall { .. } | AssistantBlock::Unknown(_)) | None => {}
            },
            Delta::Arguments { index, json } => {
                if let Some(AssistantBlock::ToolCall { arguments, .. }) = self.block(*index) {
                    arguments.push_str(json);
                }
            }
            Delta::Opaque { index, raw } => match self.blocks.get_mut(*index) {
                Some(Some(
                    AssistantBlock::Text { opaque, .. }
                    | AssistantBlock::Reasoning { opaque, .. }
                    | AssistantBlock::ToolCall { opaque, .. },
                )) => *opaque = Some(raw.clone()),
                None => {}
                Some(slot) => *slot = Some(AssistantBlock::Unknown(raw.clone())),
            },
            Delta::ProviderCall(_) | Delta::End { .. } => {}
            Delta::Usage(usage) => self.usage = *usage,
            Delta::Tier(tier) => self.tier = *tier,
            Delta::Stop(stop) => self.stop = Some(*stop),
        }
    }

    fn block(&mut self, index: usize) -> Option<&mut AssistantBlock> {
        self.blocks.get_mut(index)?.as_mut()
    }

    /// Returns the block with this number as received so far.
    pub fn get(&self, index: usize) -> Option<&AssistantBlock> {
        self.blocks.get(index)?.as_ref()
    }

    /// The tokens so far.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// The tier that serves it.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// The stop reason; `None` while the reply continues.
    pub fn stop(&self) -> Option<StopReason> {
        self.stop
    }

    /// The blocks with their numbers. Complete only after [`Delta::Stop`]; before that the last may be cut.
    pub fn finish_blocks(self) -> impl Iterator<Item = (usize, AssistantBlock)> {
        let numbered = self.blocks.into_iter().enumerate();
        numbered.filter_map(|(index, block)| Some((index, block?)))
    }

    /// The message. Complete only after [`Delta::Stop`]; before that the last block may be cut.
    pub fn finish(self, origin: String) -> Assistant {
        Assistant {
            blocks: self.blocks.into_iter().flatten().collect(),
            origin,
            stop: self.stop.unwrap_or(StopReason::Other),
        }
    }
}
