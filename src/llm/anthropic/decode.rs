//! Decodes Messages stream events to deltas.

use super::search;
use crate::decode::{Broken, Decode, ReplyIds, json, opaque, take_text, text};
use crate::sse::SseEvent;
use crate::{BlockStart, Delta};
use pintle_protocol::content::Usage;
use pintle_protocol::event::StopReason;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};

/// The state of one reply.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    /// Blocks that have begun and not ended, by the wire's number.
    open: BTreeMap<u64, OpenBlock>,
    /// The text that the next text block continues.
    run: Option<TextRun>,
    /// The next block's index.
    next: usize,
    ids: ReplyIds,
    usage: Usage,
    stop: Option<StopReason>,
    is_done: bool,
}

#[derive(Debug)]
struct OpenBlock {
    index: usize,
    kind: Kind,
}

/// Text blocks without another block between them, which the user reads as one: with citations the server begins a block for each cited
/// sentence.
#[derive(Debug)]
struct TextRun {
    index: usize,
    bytes: usize,
    /// The completed blocks: the text length so far, and the citations.
    parts: Vec<Value>,
}

#[derive(Debug)]
enum Kind {
    /// With the citations so far.
    Text(Vec<Value>),
    /// With the signature so far.
    Thinking(String),
    /// Complete in its start event.
    Redacted,
    /// With the input from its start event, which counts if no chunk follows.
    Call(Option<String>),
    /// The block as it began, and the JSON pieces of its input.
    Unknown(Value, String),
}

impl Decode for Decoder {
    fn push(&mut self, event: SseEvent, out: &mut VecDeque<Delta>) -> Result<(), Broken> {
        if self.is_done || event.data.trim().is_empty() {
            return Ok(());
        }
        let mut data = json(&event.data)?;
        let kind = text(&data, "type").unwrap_or(&event.name).to_owned();
        match kind.as_str() {
            "message_start" => {
                self.usage(data.pointer("/message/usage"), out);
                // Calls of server-side programs arrive complete with the start event.
                let blocks = data.pointer("/message/content").and_then(Value::as_array);
                for block in blocks.into_iter().flatten() {
                    self.start(u64::MAX, block, out);
                    self.stop(u64::MAX, out);
                }
                self.stop =
                    text(data.get("message").unwrap_or(&Value::Null), "stop_reason").map(stop);
            }
            "content_block_start" => {
                let block = data.get_mut("content_block").map(Value::take).unwrap_or_default();
                self.start(number(&data), &block, out);
            }
            "content_block_delta" => self.delta(&mut data, out),
            "content_block_stop" => self.stop(number(&data), out),
            "message_delta" => {
                self.usage(data.get("usage"), out);
                if let Some(reason) = data.pointer("/delta/stop_reason").and_then(Value::as_str) {
                    self.stop = Some(stop(reason));
                }
            }
            "message_stop" => {
                self.is_done = true;
                self.end_run(out);
                out.push_back(Delta::Stop(self.stop.unwrap_or(StopReason::Other)));
            }
            "error" => return Err(Broken::Reported(data)),
            _ if data.get("error").is_some_and(Value::is_object) => {
                return Err(Broken::Reported(data));
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(&mut self, _out: &mut VecDeque<Delta>) -> Result<(), Broken> {
        if self.is_done { Ok(()) } else { Err(Broken::cut()) }
    }

    fn is_done(&self) -> bool {
        self.is_done
    }
}

impl Decoder {
    fn start(&mut self, number: u64, block: &Value, out: &mut VecDeque<Delta>) {
        if text(block, "type") == Some("text") {
            return self.start_text(number, block, out);
        }
        self.end_run(out);
        let index = self.next;
        self.next += 1;
        let mut first = None;
        let (start, kind) = match text(block, "type") {
            Some("thinking") => {
                first = text(block, "thinking").map(str::to_owned);
                let signature = text(block, "signature").unwrap_or_default().to_owned();
                (BlockStart::Reasoning, Kind::Thinking(signature))
            }
            Some("redacted_thinking") => (BlockStart::Reasoning, Kind::Redacted),
            Some("tool_use") => {
                let wanted =
                    text(block, "id").map_or_else(|| format!("call_{index}"), str::to_owned);
                let id = self.ids.give(&wanted, index);
                let name = text(block, "name").unwrap_or_default().to_owned();
                let input = block
                    .get("input")
                    .filter(|input| input.as_object().is_some_and(|fields| !fields.is_empty()));
                (BlockStart::ToolCall { id, name }, Kind::Call(input.map(Value::to_string)))
            }
            Some(_) | None => (BlockStart::Unknown, Kind::Unknown(block.clone(), String::new())),
        };
        out.push_back(Delta::Start { index, block: start });
        out.extend(first.map(|text| Delta::Text { index, text }));
        if matches!(kind, Kind::Unknown(..)) {
            out.extend(search::begun(block).map(Box::new).map(Delta::ProviderCall));
        }
        if matches!(kind, Kind::Redacted) {
            out.extend(opaque(index, block));
        }
        if let (Kind::Call(_), Some(caller)) = (&kind, block.get("caller"))
            && text(caller, "type").is_some_and(|kind| kind != "direct")
        {
            out.extend(opaque(index, &json!({ "caller": caller })));
        }
        self.open.insert(number, OpenBlock { index, kind });
    }

    fn start_text(&mut self, number: u64, block: &Value, out: &mut VecDeque<Delta>) {
        let next = self.next;
        let begun = TextRun { index: next, bytes: 0, parts: Vec::new() };
        let index = self.run.get_or_insert(begun).index;
        if index == next {
            self.next += 1;
            out.push_back(Delta::Start { index, block: BlockStart::Text });
        }
        let cited = block.get("citations").and_then(Value::as_array).cloned().unwrap_or_default();
        self.open.insert(number, OpenBlock { index, kind: Kind::Text(cited) });
        if let Some(text) = text(block, "text").filter(|text| !text.is_empty()) {
            self.grow_run(text.to_owned(), out);
        }
    }

    fn grow_run(&mut self, text: String, out: &mut VecDeque<Delta>) {
        let Some(run) = &mut self.run else { return };
        run.bytes += text.len();
        out.push_back(Delta::Text { index: run.index, text });
    }

    fn stop(&mut self, number: u64, out: &mut VecDeque<Delta>) {
        let Some(open) = self.open.remove(&number) else { return };
        let Kind::Text(citations) = open.kind else { return open.end(out) };
        let Some(run) = &mut self.run else { return };
        run.parts.push(json!({ "to": run.bytes, "citations": citations }));
    }

    /// Ends the text. If it arrived in several blocks or with citations, these are kept: the server requires them back unchanged.
    fn end_run(&mut self, out: &mut VecDeque<Delta>) {
        let Some(TextRun { index, parts, .. }) = self.run.take() else { return };
        let is_plain = matches!(parts.as_slice(), [part] if part["citations"] == json!([]));
        if !parts.is_empty() && !is_plain {
            out.extend(opaque(index, &json!({ "parts": parts })));
        }
        out.push_back(Delta::End { index });
    }

    fn delta(&mut self, data: &mut Value, out: &mut VecDeque<Delta>) {
        let Some(open) = self.open.get_mut(&number(data)) else { return };
        let Some(delta) = data.get_mut("delta") else { return };
        let index = open.index;
        match &mut open.kind {
            Kind::Text(citations) => {
                citations.extend(delta.get_mut("citation").map(Value::take));
                if let Some(text) = take_text(delta, "text") {
                    self.grow_run(text, out);
                }
            }
            Kind::Thinking(signature) => {
                out.extend(take_text(delta, "thinking").map(|text| Delta::Text { index, text }));
                signature.push_str(text(delta, "signature").unwrap_or_default());
            }
            Kind::Call(given) => {
                if let Some(json) = take_text(delta, "partial_json") {
                    *given = None;
                    out.push_back(Delta::Arguments { index, json });
                }
            }
            Kind::Unknown(block, input) => match delta.get("partial_json") {
                Some(json) => input.push_str(json.as_str().unwrap_or_default()),
                None => merge(block, delta),
            },
            Kind::Redacted => {}
        }
    }

    /// Missing fields keep their value: some servers send the input side only once.
    fn usage(&mut self, usage: Option<&Value>, out: &mut VecDeque<Delta>) {
        let Some(usage) = usage.filter(|usage| usage.is_object()) else { return };
        let reasoning = "/output_tokens_details/thinking_tokens";
        for (path, field) in [
            ("/input_tokens", &mut self.usage.input_tokens),
            ("/output_tokens", &mut self.usage.output_tokens),
            ("/cache_read_input_tokens", &mut self.usage.cache_read_tokens),
            ("/cache_creation_input_tokens", &mut self.usage.cache_write_tokens),
            (reasoning, &mut self.usage.reasoning_tokens),
        ] {
            if let Some(tokens) = usage.pointer(path).and_then(Value::as_u64) {
                *field = tokens;
            }
        }
        let searches = "/server_tool_use/web_search_requests";
        if let Some(count) = usage.pointer(searches).and_then(Value::as_u64) {
            self.usage.web_searches = count;
        }
        out.push_back(Delta::Usage(self.usage));
    }
}

impl OpenBlock {
    fn end(self, out: &mut VecDeque<Delta>) {
        let index = self.index;
        match self.kind {
            Kind::Thinking(signature) => {
                out.extend(opaque(index, &json!({ "signature": signature })));
            }
            Kind::Call(Some(json)) => out.push_back(Delta::Arguments { index, json }),
            Kind::Unknown(mut block, input) => {
                if let (Ok(input), Value::Object(fields)) =
                    (serde_json::from_str::<Value>(&input), &mut block)
                {
                    fields.insert("input".to_owned(), input);
                }
                out.extend(search::ended(&block).map(Box::new).map(Delta::ProviderCall));
                out.extend(opaque(index, &block));
            }
            Kind::Text(_) | Kind::Redacted | Kind::Call(None) => {}
        }
        out.push_back(Delta::End { index });
    }
}

fn number(data: &Value) -> u64 {
    data.get("index").and_then(Value::as_u64).unwrap_or(0)
}

/// Fields of an unknown block's delta replace those of the block.
fn merge(block: &mut Value, delta: &mut Value) {
    if let (Value::Object(block), Value::Object(delta)) = (block, delta) {
        for (key, value) in delta.iter_mut().filter(|(key, _)| *key != "type") {
            block.insert(key.clone(), value.take());
        }
    }
}

fn stop(reason: &str) -> StopReason {
    match reason {
        "end_turn" | "stop_sequence" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" | "model_context_window_exceeded" => StopReason::MaxTokens,
        "refusal" => StopReason::Refusal,
        "pause_turn" => StopReason::Paused,
        _ => StopReason::Other,
    }
}
