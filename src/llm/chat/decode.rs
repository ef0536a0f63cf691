//! Decodes Chat Completions stream chunks to deltas.
//!
//! The servers agree on little: names come once or again and empty, arguments complete or in pieces, usage in four places, the finish
//! reason twice or never. This decoder accepts the union of all recorded forms.

use super::think_tags::ThinkTags;
use super::{CONTENT, REASONING_CONTENT};
use crate::decode::{Broken, Decode, ReplyIds, json, opaque, text};
use crate::sse::SseEvent;
use crate::{BlockStart, Delta, Tier};
use pintle_protocol::content::Usage;
use pintle_protocol::event::StopReason;
use serde_json::{Value, json};
use std::collections::VecDeque;

/// The state of one reply.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    /// Growing text or reasoning block.
    current: Option<(Kind, usize)>,
    /// Number of the next block.
    next: usize,
    /// Source field of the current block, if it is reasoning; it may be sent back there.
    field: Option<&'static str>,
    /// Reasoning inside the text.
    think_tags: ThinkTags,
    /// True if the server has separated reasoning: a tag in the text is part of the answer.
    has_parser: bool,
    calls: Vec<Call>,
    ids: ReplyIds,
    /// Reasoning to send back, if the server requires that.
    details: Vec<Value>,
    refused: bool,
    /// Chunks repeat it.
    tier: Tier,
    finish: Option<String>,
    is_done: bool,
}

/// Kind of growing block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Reasoning,
}

#[derive(Debug)]
struct Call {
    /// The wire's number, if it provides one.
    number: Option<u64>,
    /// The wire's id; empty if it provides none.
    id: String,
    block: usize,
    /// True if its name has arrived, so its start was announced.
    is_started: bool,
    /// Arguments that arrived before the name.
    early: String,
}

impl Decode for Decoder {
    fn push(&mut self, event: SseEvent, out: &mut VecDeque<Delta>) -> Result<(), Broken> {
        let data = event.data.trim();
        if self.is_done || data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            self.end(out);
            return Ok(());
        }
        let mut chunk = json(data)?;
        if let Some(usage) = usage(&chunk) {
            out.push_back(Delta::Usage(usage));
        }
        let tier = text(&chunk, "service_tier").map_or(self.tier, Tier::from_name);
        if std::mem::replace(&mut self.tier, tier) != tier {
            out.push_back(Delta::Tier(tier));
        }
        let is_error = event.name == "error"
            || chunk.get("error").is_some_and(|error| !error.is_null())
            || text(&chunk, "object") == Some("error");
        // After a finish reason the reply is usable, whatever error the server reports.
        if is_error && self.finish.is_none() {
            return Err(Broken::Reported(chunk));
        }
        let Some(choice) = chunk.pointer_mut("/choices/0") else { return Ok(()) };
        let whole = if choice.get("delta").is_some() { "delta" } else { "message" };
        match choice.get_mut(whole) {
            Some(delta) => self.delta(delta, out),
            // Legacy completions.
            None => self.say(string(choice.get_mut("text")), out),
        }
        if let Some(reason) = text(choice, "finish_reason") {
            if reason == "error" {
                return Err(Broken::Reported(chunk));
            }
            self.finish.get_or_insert_with(|| reason.to_owned());
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut VecDeque<Delta>) -> Result<(), Broken> {
        if !self.is_done {
            // Some servers send no end marker; with a finish reason the reply is complete.
            if self.finish.is_none() {
                return Err(Broken::cut());
            }
            self.end(out);
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.is_done
    }
}

impl Decoder {
    fn delta(&mut self, delta: &mut Value, out: &mut VecDeque<Delta>) {
        let mut thought = string(delta.get_mut(REASONING_CONTENT));
        let is_in_field = thought.is_some();
        for key in ["reasoning", "reasoning_text"] {
            thought = thought.or_else(|| string(delta.get_mut(key)));
        }
        if let Some(Value::Array(details)) = delta.get_mut("reasoning_details").map(Value::take) {
            let text =
                details.iter().find_map(|detail| text(detail, "text").or(text(detail, "summary")));
            thought = thought.or(text.map(str::to_owned));
            for detail in details {
                self.detail(detail);
            }
        }
        self.think(thought, out);
        if is_in_field {
            self.field = Some(REASONING_CONTENT);
        }
        match delta.get_mut("content").map(Value::take) {
            Some(Value::Array(parts)) => {
                for mut part in parts {
                    self.part(&mut part, out);
                }
            }
            mut content => self.say(string(content.as_mut()), out),
        }
        let refusal = string(delta.get_mut("refusal"));
        self.refused |= refusal.is_some();
        self.say(refusal, out);
        if let Some(Value::Array(pieces)) = delta.get_mut("tool_calls").map(Value::take) {
            for mut piece in pieces {
                self.call(&mut piece, out);
            }
        }
    }

    /// A piece of the reasoning that one gateway requires back; pieces with the same number belong together.
    fn detail(&mut self, detail: Value) {
        let key = |detail: &Value| (detail.get("index").cloned(), detail.get("type").cloned());
        let Value::Object(fields) = &detail else { return };
        let known = self.details.iter_mut().find(|known| key(known) == key(&detail));
        let Some(Value::Object(known)) = known.filter(|known| known.get("index").is_some()) else {
            self.details.push(detail);
            return;
        };
        for (name, value) in fields {
            match (name.as_str(), known.get_mut(name), value) {
                ("text" | "summary" | "data", Some(Value::String(all)), Value::String(more)) => {
                    all.push_str(more);
                }
                (_, Some(_), Value::Null) => {}
                _ => {
                    known.insert(name.clone(), value.clone());
                }
            }
        }
    }

    /// A part of a content list: `{"type":"thinking","thinking":[{"type":"text","text"}]}` or text.
    fn part(&mut self, part: &mut Value, out: &mut VecDeque<Delta>) {
        match part.get_mut("thinking").map(Value::take) {
            Some(Value::Array(thoughts)) => {
                for mut thought in thoughts {
                    self.think(string(thought.get_mut("text")), out);
                }
            }
            Some(mut thought) => self.think(string(Some(&mut thought)), out),
            None => self.say(string(part.get_mut("text")), out),
        }
    }

    /// Reasoning that came by itself.
    fn think(&mut self, piece: Option<String>, out: &mut VecDeque<Delta>) {
        let Some(text) = piece else { return };
        self.has_parser = true;
        self.end_text(out);
        self.extend(Kind::Reasoning, text, out);
    }

    /// Text, which may begin with tagged reasoning.
    fn say(&mut self, piece: Option<String>, out: &mut VecDeque<Delta>) {
        let Some(piece) = piece else { return };
        if self.has_parser {
            return self.extend(Kind::Text, piece, out);
        }
        let mut think_tags = std::mem::take(&mut self.think_tags);
        think_tags.push(piece, |kind, text| self.extend_tagged(kind, text, out));
        self.think_tags = think_tags;
    }

    /// Ends the text: no part of it waits any longer, and the next one may begin with a tag.
    fn end_text(&mut self, out: &mut VecDeque<Delta>) {
        let mut think_tags = std::mem::take(&mut self.think_tags);
        think_tags.end(|kind, text| self.extend_tagged(kind, text, out));
    }

    fn extend_tagged(&mut self, kind: Kind, text: String, out: &mut VecDeque<Delta>) {
        self.extend(kind, text, out);
        if kind == Kind::Reasoning {
            self.field = Some(CONTENT);
        }
    }

    fn extend(&mut self, kind: Kind, text: String, out: &mut VecDeque<Delta>) {
        let index = match self.current {
            Some((current, index)) if current == kind => index,
            Some(_) | None => {
                self.close(out);
                let index = self.begin(
                    match kind {
                        Kind::Text => BlockStart::Text,
                        Kind::Reasoning => BlockStart::Reasoning,
                    },
                    out,
                );
                self.current = Some((kind, index));
                index
            }
        };
        out.push_back(Delta::Text { index, text });
    }

    fn close(&mut self, out: &mut VecDeque<Delta>) {
        let Some((_, index)) = self.current.take() else { return };
        if let Some(field) = self.field.take() {
            out.extend(opaque(index, &json!({ "field": field })));
        }
        out.push_back(Delta::End { index });
    }

    fn begin(&mut self, block: BlockStart, out: &mut VecDeque<Delta>) -> usize {
        let index = self.next;
        self.next += 1;
        out.push_back(Delta::Start { index, block });
        index
    }

    /// A piece of a call. The first one with its number begins a call, as does one with another id and a name. A piece that has only
    /// another id belongs to the call with its number: some servers invent an id for each piece.
    fn call(&mut self, piece: &mut Value, out: &mut VecDeque<Delta>) {
        let number = piece.get("index").and_then(Value::as_u64);
        let id = string(piece.get_mut("id")).unwrap_or_default();
        let mut function = piece.get_mut("function").map(Value::take).unwrap_or_default();
        let name = string(function.get_mut("name"));
        let known = self.calls.iter().rposition(|call| {
            (number.is_none() || call.number == number) && (id.is_empty() || call.id == id)
        });
        let of_number = || self.calls.iter().rposition(|call| call.number == number);
        let known = known.or_else(|| of_number().filter(|_| number.is_some() && name.is_none()));
        // Without number and id, a name separates the next call from the last one's remaining pieces.
        let is_new = number.is_none() && id.is_empty() && name.is_some();
        let at = match known {
            Some(at) if !is_new => at,
            Some(_) | None => {
                self.end_text(out);
                self.close(out);
                self.calls.push(Call {
                    number,
                    id,
                    block: 0,
                    is_started: false,
                    early: String::new(),
                });
                self.calls.len() - 1
            }
        };
        let arguments = match function.get_mut("arguments").map(Value::take) {
            // Complete arguments as an object: not allowed, but observed.
            Some(object @ Value::Object(_)) => Some(object.to_string()),
            mut other => string(other.as_mut()),
        };
        if let Some(name) = name {
            self.announce(at, name, out);
        }
        let Some(call) = self.calls.get_mut(at) else { return };
        match arguments {
            Some(json) if call.is_started => {
                out.push_back(Delta::Arguments { index: call.block, json });
            }
            Some(json) => call.early.push_str(&json),
            None => {}
        }
    }

    fn announce(&mut self, at: usize, name: String, out: &mut VecDeque<Delta>) {
        let Some(call) = self.calls.get_mut(at).filter(|call| !call.is_started) else { return };
        call.is_started = true;
        call.block = self.next;
        let index = call.block;
        let wanted = if call.id.is_empty() { format!("call_{index}") } else { call.id.clone() };
        let json = std::mem::take(&mut call.early);
        let id = self.ids.give(&wanted, index);
        self.begin(BlockStart::ToolCall { id, name }, out);
        if !json.is_empty() {
            out.push_back(Delta::Arguments { index, json });
        }
    }

    fn end(&mut self, out: &mut VecDeque<Delta>) {
        self.is_done = true;
        self.end_text(out);
        self.close(out);
        if !self.details.is_empty() {
            let details = std::mem::take(&mut self.details);
            let index = self.begin(BlockStart::Unknown, out);
            out.extend(opaque(index, &json!({ "reasoning_details": details })));
            out.push_back(Delta::End { index });
        }
        for at in 0..self.calls.len() {
            // A call without a name: the turn reports it to the model.
            self.announce(at, String::new(), out);
        }
        out.extend(self.calls.iter().map(|call| Delta::End { index: call.block }));
        let natural = match (self.calls.is_empty(), self.refused) {
            (false, _) => StopReason::ToolUse,
            (true, true) => StopReason::Refusal,
            (true, false) => StopReason::EndTurn,
        };
        let stop = match self.finish.as_deref() {
            Some("length" | "model_length" | "model_context_window_exceeded") => {
                StopReason::MaxTokens
            }
            Some("content_filter" | "sensitive") => StopReason::Refusal,
            // Some servers send `stop` although there are calls: the calls take precedence.
            Some("stop" | "tool_calls" | "function_call") | None => natural,
            Some(_) if self.calls.is_empty() => StopReason::Other,
            Some(_) => StopReason::ToolUse,
        };
        out.push_back(Delta::Stop(stop));
    }
}

/// Takes a non-empty text.
fn string(value: Option<&mut Value>) -> Option<String> {
    match value.map(Value::take) {
        Some(Value::String(text)) if !text.is_empty() => Some(text),
        _ => None,
    }
}

/// Returns the usage from any of its places. Input excludes tokens read from or written to a cache.
fn usage(chunk: &Value) -> Option<Usage> {
    let usage = ["/usage", "/choices/0/usage", "/x_groq/usage"]
        .iter()
        .filter_map(|path| chunk.pointer(path))
        .find(|usage| usage.is_object())?;
    let count = |paths: &[&str]| {
        paths.iter().find_map(|path| usage.pointer(path).and_then(Value::as_u64)).unwrap_or(0)
    };
    let prompt = count(&["/prompt_tokens"]);
    let completion = count(&["/completion_tokens"]);
    let reasoning = count(&["/completion_tokens_details/reasoning_tokens"]);
    let read = count(&["/prompt_tokens_details/cached_tokens", "/prompt_cache_hit_tokens"]);
    let written = count(&["/prompt_tokens_details/cache_write_tokens"]);
    // One server counts reasoning separately from the completion; only the total shows it.
    let is_outside = reasoning > 0 && count(&["/total_tokens"]) == prompt + completion + reasoning;
    Some(Usage {
        input_tokens: prompt.saturating_sub(read).saturating_sub(written),
        output_tokens: if is_outside { completion + reasoning } else { completion },
        cache_read_tokens: read,
        cache_write_tokens: written,
        reasoning_tokens: reasoning,
        web_searches: 0,
    })
}
