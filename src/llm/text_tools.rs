//! Tool calls as text, for models and servers without tool calling: the system prompt describes the tools, and calls are blocks in the
//! reply's text.
//!
//! Chosen by `text_tools` of a provider or model, or by the user for a session ([`through`]). The conversation keeps ordinary calls and results, so any model can continue it.

mod parser;

use super::delta::{BlockStart, Delta};
use super::error::Error;
use super::message::{Assistant, AssistantBlock, Message, ToolResult};
use super::request::{Request, ToolSpec};
use super::{DeltaStream, Omission, Provider, ServedWindow};
use futures_util::stream::{Stream, StreamExt};
use parser::{Parser, Piece};
use pintle_protocol::content::Content;
use pintle_protocol::event::StopReason;
use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Write as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

/// Explains to the model how to call a tool.
const FORM: &str = "# Tools

You can use the tools below. To call one, write a block in exactly this form:

<tool_call>
{\"name\": \"TOOL\", \"arguments\": {\"KEY\": \"VALUE\"}}
</tool_call>

The arguments are a JSON object that matches the tool's schema; write a line break in a string as \\n. You can write several blocks. End your message after the last one: the results are in the next message, in `tool_result` blocks, which you never write yourself. If no tool is needed, answer without a block.
";

/// Moves a request's tools, calls and results into its texts; returns the tools. Built-in tools stay.
pub(super) fn into_text(request: &mut Request) -> Arc<[ToolSpec]> {
    let tools = Arc::clone(&request.tools);
    let (built_in, functions): (Vec<_>, Vec<_>) =
        tools.iter().cloned().partition(|tool| tool.built_in.is_some());
    if !functions.is_empty() {
        request.system = format!("{}\n\n{}", request.system, described(&functions)).into();
    }
    request.tools = built_in.into();
    let mut messages: Vec<Message> = Vec::with_capacity(request.messages.len());
    for message in request.messages.iter() {
        let message = match &**message {
            Message::User(content) => Message::User(content.clone()),
            Message::Assistant(reply) => Message::Assistant(reply_as_text(reply)),
            Message::ToolResult(result) => Message::User(result_as_text(result)),
        };
        // Templates of such models want the roles to alternate.
        match (messages.last_mut(), message) {
            (Some(Message::User(last)), Message::User(content)) => last.extend(content),
            (_, message) => messages.push(message),
        }
    }
    request.messages = messages.into_iter().map(Arc::new).collect();
    tools
}

fn described(tools: &[ToolSpec]) -> String {
    let mut text = FORM.to_owned();
    for ToolSpec { name, description, parameters, .. } in tools {
        let _ = write!(text, "\n## {name}\n\n{description}\n\nSchema: {parameters}\n");
    }
    text
}

fn reply_as_text(reply: &Assistant) -> Assistant {
    let mut blocks: Vec<AssistantBlock> = Vec::new();
    for block in &reply.blocks {
        let text = match block {
            AssistantBlock::Text { text, .. } => text.clone(),
            AssistantBlock::ToolCall { name, arguments, .. } => {
                let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
                let name = serde_json::Value::from(name.as_str());
                format!(
                    "<tool_call>\n{{\"name\": {name}, \"arguments\": {arguments}}}\n</tool_call>"
                )
            }
            AssistantBlock::Reasoning { .. } | AssistantBlock::Unknown(_) => {
                blocks.push(block.clone());
                continue;
            }
        };
        match blocks.last_mut() {
            Some(AssistantBlock::Text { text: last, .. }) => {
                last.push('\n');
                last.push_str(&text);
            }
            _ => blocks.push(AssistantBlock::Text { text, opaque: None }),
        }
    }
    Assistant { blocks, ..reply.clone() }
}

fn result_as_text(result: &ToolResult) -> Vec<Content> {
    let outcome = if result.is_error { " status=\"failed\"" } else { "" };
    let mut text = format!("<tool_result name=\"{}\"{outcome}>\n", result.tool_name);
    let mut others = Vec::new();
    for content in &result.content {
        match content {
            Content::Text { text: part } => {
                text.push_str(part);
                text.push('\n');
            }
            Content::Image { .. } | Content::Document { .. } => others.push(content.clone()),
        }
    }
    text.push_str("</tool_result>");
    std::iter::once(Content::text(text)).chain(others).collect()
}

/// Wraps a provider so that its models get tools as text.
pub fn through(provider: Arc<dyn Provider>) -> Arc<dyn Provider> {
    Arc::new(AsText(provider))
}

/// Provider returned by [`through`].
#[derive(Debug)]
struct AsText(Arc<dyn Provider>);

#[async_trait::async_trait]
impl Provider for AsText {
    async fn stream(&self, mut request: Request) -> Result<DeltaStream, Error> {
        let tools = into_text(&mut request);
        Ok(with_calls(self.0.stream(request).await?, tools))
    }

    fn take_omissions(&self) -> Vec<Omission> {
        self.0.take_omissions()
    }

    async fn served_window(&self, model: &str) -> Option<ServedWindow> {
        self.0.served_window(model).await
    }
}

/// Turns the blocks in a reply's text into calls of these tools.
pub(super) fn with_calls(deltas: DeltaStream, tools: Arc<[ToolSpec]>) -> DeltaStream {
    TextCalls {
        deltas,
        parser: Parser::new(tools),
        texts: HashSet::new(),
        blocks: HashMap::new(),
        open_text: None,
        count: 0,
        has_calls: false,
        ready: VecDeque::new(),
    }
    .boxed()
}

/// Stream returned by [`with_calls`].
struct TextCalls {
    deltas: DeltaStream,
    parser: Parser,
    /// The numbers of text blocks.
    texts: HashSet<usize>,
    /// The other blocks: their numbers, and their new ones.
    blocks: HashMap<usize, usize>,
    open_text: Option<usize>,
    /// The number of blocks so far.
    count: usize,
    has_calls: bool,
    ready: VecDeque<Delta>,
}

impl TextCalls {
    fn receive(&mut self, delta: Delta) {
        let moved = |index: usize| self.blocks.get(&index).copied();
        match delta {
            Delta::Start { index, block: BlockStart::Text } => {
                self.texts.insert(index);
            }
            Delta::Text { index, text } if self.texts.contains(&index) => {
                let pieces = self.parser.push(&text);
                self.add(pieces);
            }
            Delta::Opaque { index, .. } | Delta::End { index } if self.texts.contains(&index) => {}
            Delta::Start { index, block } => {
                self.close_text();
                self.has_calls |= matches!(block, BlockStart::ToolCall { .. });
                self.blocks.insert(index, self.count);
                self.ready.push_back(Delta::Start { index: self.count, block });
                self.count += 1;
            }
            Delta::Text { index, text } => {
                self.ready.extend(moved(index).map(|index| Delta::Text { index, text }));
            }
            Delta::Arguments { index, json } => {
                self.ready.extend(moved(index).map(|index| Delta::Arguments { index, json }));
            }
            Delta::Opaque { index, raw } => {
                self.ready.extend(moved(index).map(|index| Delta::Opaque { index, raw }));
            }
            Delta::End { index } => {
                self.ready.extend(moved(index).map(|index| Delta::End { index }));
            }
            Delta::Stop(reason) => {
                let pieces = self.parser.end();
                self.add(pieces);
                self.close_text();
                let is_call = self.has_calls && reason == StopReason::EndTurn;
                let reason = if is_call { StopReason::ToolUse } else { reason };
                self.ready.push_back(Delta::Stop(reason));
            }
            Delta::ProviderCall(_) | Delta::Usage(_) | Delta::Tier(_) => {
                self.ready.push_back(delta);
            }
        }
    }

    fn add(&mut self, pieces: Vec<Piece>) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => {
                    let index = self.open_text.unwrap_or(self.count);
                    if self.open_text.replace(index).is_none() {
                        self.count += 1;
                        let block = BlockStart::Text;
                        self.ready.push_back(Delta::Start { index, block });
                    }
                    self.ready.push_back(Delta::Text { index, text });
                }
                Piece::Call { name, arguments } => {
                    self.close_text();
                    let index = self.count;
                    self.count += 1;
                    self.has_calls = true;
                    let block = BlockStart::ToolCall { id: format!("call_{index}"), name };
                    self.ready.push_back(Delta::Start { index, block });
                    if !arguments.is_empty() {
                        self.ready.push_back(Delta::Arguments { index, json: arguments });
                    }
                    self.ready.push_back(Delta::End { index });
                }
            }
        }
    }

    fn close_text(&mut self) {
        let end = self.open_text.take().map(|index| Delta::End { index });
        self.ready.extend(end);
    }
}

impl Stream for TextCalls {
    type Item = Result<Delta, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(delta) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(delta)));
            }
            match ready!(self.deltas.poll_next_unpin(cx)) {
                Some(Ok(delta)) => self.receive(delta),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}

#[cfg(test)]
mod tests;
