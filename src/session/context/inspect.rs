//! A request to a model in the form that clients read: pure.

use super::{compact, estimate};
use pintle_llm::{AssistantBlock, Message, Messages, Opaque, ToolSpec};
use pintle_protocol::content::Content;
use pintle_protocol::context::{ContextBlock, ContextMessage, ContextSource, ContextTool};
use std::sync::Arc;

/// A request's parts.
#[derive(Debug, Clone)]
pub struct RequestParts {
    /// The system prompt.
    pub system: Arc<str>,
    /// The tools.
    pub tools: Arc<[ToolSpec]>,
    /// The messages.
    pub messages: Messages,
}

impl RequestParts {
    /// Returns its parts by source, in the order in which a model reads them.
    pub fn sources(&self) -> Vec<ContextSource> {
        let mut sources: Vec<ContextSource> = Vec::new();
        let mut add = |source: &str, count: u64, tokens: u64| match sources
            .iter_mut()
            .find(|entry| entry.source == source)
        {
            Some(entry) => {
                entry.count += count;
                entry.tokens += tokens;
            }
            None => sources.push(ContextSource { source: source.to_owned(), count, tokens }),
        };
        add("system", 1, estimate::text(&self.system));
        add("tools", self.tools.len() as u64, estimate::tools(&self.tools));
        for message in self.messages.iter() {
            let tokens = estimate::message(message);
            match &**message {
                Message::User(_) if compact::is_summary(message) => add("summary", 1, tokens),
                Message::User(_) => add("user", 1, tokens),
                Message::Assistant(_) => add("assistant", 1, tokens),
                Message::ToolResult(result) => {
                    add(&format!("result of {}", result.tool_name), 1, tokens);
                }
            }
        }
        sources
    }

    /// Returns the tools in the protocol's form.
    pub fn tools(&self) -> Vec<ContextTool> {
        let tool = |tool: &ToolSpec| ContextTool {
            name: tool.name.clone(),
            description: tool.description.clone(),
            parameters: tool.parameters.clone(),
        };
        self.tools.iter().map(tool).collect()
    }

    /// Returns the messages in the protocol's form.
    pub fn messages(&self) -> Vec<ContextMessage> {
        self.messages.iter().map(|sent| message(sent)).collect()
    }
}

fn message(message: &Message) -> ContextMessage {
    let (role, call_id, is_error, blocks) = match message {
        Message::User(content) => ("user", None, false, content.iter().map(block).collect()),
        Message::ToolResult(result) => {
            let blocks = result.content.iter().map(block).collect();
            ("result", Some(result.call_id.clone()), result.is_error, blocks)
        }
        Message::Assistant(assistant) => {
            ("assistant", None, false, assistant.blocks.iter().flat_map(assistant_block).collect())
        }
    };
    ContextMessage { role: role.to_owned(), call_id, is_error, blocks }
}

fn block(content: &Content) -> ContextBlock {
    match content {
        Content::Text { text } | Content::Document { text, .. } => {
            ContextBlock::Text { text: text.clone() }
        }
        Content::Image { mime_type, data } => {
            ContextBlock::Image { mime_type: mime_type.clone(), bytes: data.len() as u64 }
        }
    }
}

fn assistant_block(block: &AssistantBlock) -> Vec<ContextBlock> {
    let sealed = |opaque: &Opaque| ContextBlock::Opaque { bytes: opaque.0.get().len() as u64 };
    let (shown, opaque) = match block {
        AssistantBlock::Text { text, opaque } => {
            (ContextBlock::Text { text: text.clone() }, opaque.as_ref())
        }
        AssistantBlock::Reasoning { text, opaque } => {
            (ContextBlock::Reasoning { text: text.clone() }, opaque.as_ref())
        }
        AssistantBlock::ToolCall { id, name, arguments, opaque } => (
            ContextBlock::ToolCall {
                call_id: id.clone(),
                name: name.clone(),
                arguments: arguments.clone(),
            },
            opaque.as_ref(),
        ),
        AssistantBlock::Unknown(opaque) => return vec![sealed(opaque)],
    };
    [shown].into_iter().chain(opaque.map(sealed)).collect()
}
