//! Decodes Responses stream events to deltas.
//!
//! Items are identified by their `output_index`, since one server sends different ids at the end than at the start. The content of an
//! item's last event counts: ids, encrypted reasoning, and texts that did not arrive in pieces.

use super::search;
use crate::decode::{Broken, Decode, ReplyIds, json, opaque, take_text, text};
use crate::sse::SseEvent;
use crate::{BlockStart, Delta, Tier};
use pintle_protocol::content::Usage;
use pintle_protocol::event::StopReason;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The state of one reply.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    /// Items that have begun and not ended.
    open: BTreeMap<u64, Item>,
    /// The item that began last.
    last: u64,
    /// Number of the next block.
    next: usize,
    ids: ReplyIds,
    has_items: bool,
    /// Number of web searches made.
    searches: u64,
    /// The stop reason that the items imply.
    reason: Option<StopReason>,
    is_done: bool,
}

#[derive(Debug)]
enum Item {
    /// Each part that has begun, and the data to send back with all of them.
    Message { parts: BTreeMap<u64, Part>, phase: Option<String> },
    /// With the part that most recently received text.
    Reasoning { block: usize, part: Option<u64> },
    /// A call that is answered here.
    Call { block: usize, form: Form, has_pieces: bool },
    /// Server-side action, complete in its last event.
    Other { block: usize },
}

/// Message part with text that has arrived.
#[derive(Debug, Clone, Copy)]
struct Part {
    block: usize,
    /// True if its end has arrived.
    is_whole: bool,
}

/// Form of a call's arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// JSON text.
    Json,
    /// Free text, which becomes `{"input": …}`.
    Free,
    /// An object in the item's last event, at this key.
    Object(&'static str),
}

impl Decode for Decoder {
    fn push(&mut self, event: SseEvent, out: &mut VecDeque<Delta>) -> Result<(), Broken> {
        let data = event.data.trim();
        if self.is_done || data.is_empty() || data == "[DONE]" {
            return Ok(());
        }
        let mut data = json(data)?;
        let kind = text(&data, "type").unwrap_or(&event.name).to_owned();
        match kind.as_str() {
            "response.output_item.added" => {
                let number = data.get("output_index").and_then(Value::as_u64);
                let number = number.unwrap_or(if self.has_items { self.last + 1 } else { 0 });
                self.begin(number, data.get("item").unwrap_or(&Value::Null), out);
            }
            "response.output_item.done" => {
                let number = self.number(&data);
                let mut item = data.get_mut("item").map(Value::take).unwrap_or_default();
                self.end_item(number, &mut item, out);
            }
            "response.output_text.delta" | "response.refusal.delta" => {
                if kind == "response.refusal.delta" {
                    self.refuse();
                }
                self.text(&mut data, "delta", out);
            }
            "response.output_text.done" if !self.end_part(&data) => {
                self.text(&mut data, "text", out);
            }
            "response.refusal.done" if !self.end_part(&data) => {
                self.refuse();
                self.text(&mut data, "refusal", out);
            }
            "response.reasoning_summary_text.delta" => {
                self.thought(&mut data, "summary_index", out);
            }
            "response.reasoning_text.delta" => self.thought(&mut data, "content_index", out),
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                let number = self.number(&data);
                if let Some(piece) = take_text(&mut data, "delta") {
                    self.arguments(number, &piece, out);
                }
            }
            "response.completed" | "response.incomplete" => {
                let mut response = data.get_mut("response").map(Value::take).unwrap_or_default();
                self.end(&mut response, kind == "response.incomplete", out);
            }
            "response.failed" => {
                let error = data.pointer("/response/error").filter(|error| error.is_object());
                return Err(Broken::Reported(match error {
                    Some(error) => json!({ "error": error }),
                    None => data,
                }));
            }
            "error" => return Err(Broken::Reported(data)),
            _ if data.get("error").is_some_and(|error| !error.is_null()) => {
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
    /// Returns an event's item; servers that do not number items send one after the other.
    fn number(&self, data: &Value) -> u64 {
        data.get("output_index").and_then(Value::as_u64).unwrap_or(self.last)
    }

    /// Calls win over a refusal.
    fn refuse(&mut self) {
        self.reason.get_or_insert(StopReason::Refusal);
    }

    fn begin_block(&mut self, block: BlockStart, out: &mut VecDeque<Delta>) -> usize {
        let index = self.next;
        self.next += 1;
        out.push_back(Delta::Start { index, block });
        index
    }

    fn begin(&mut self, number: u64, item: &Value, out: &mut VecDeque<Delta>) {
        self.has_items = true;
        self.last = number;
        let call = match text(item, "type") {
            Some("message") => {
                let phase = text(item, "phase").map(str::to_owned);
                self.open.insert(number, Item::Message { parts: BTreeMap::new(), phase });
                return;
            }
            Some("reasoning") => {
                let block = self.begin_block(BlockStart::Reasoning, out);
                self.open.insert(number, Item::Reasoning { block, part: None });
                return;
            }
            Some("function_call") => Some((Form::Json, "")),
            Some("custom_tool_call") => Some((Form::Free, "")),
            Some("apply_patch_call") => Some((Form::Object("operation"), "apply_patch")),
            Some("shell_call") => Some((Form::Object("action"), "shell")),
            Some("local_shell_call") => Some((Form::Object("action"), "local_shell")),
            Some(_) | None => None,
        };
        let open = if let Some((form, name)) = call {
            self.reason = Some(StopReason::ToolUse);
            let name = text(item, "name").unwrap_or(name).to_owned();
            let index = self.next;
            let made = format!("call_{index}");
            let wanted = text(item, "call_id").or(text(item, "id")).unwrap_or(&made);
            let id = self.ids.give(wanted, index);
            let block = self.begin_block(BlockStart::ToolCall { id, name }, out);
            Item::Call { block, form, has_pieces: false }
        } else {
            let block = self.begin_block(BlockStart::Unknown, out);
            out.extend(search::begun(item).map(Box::new).map(Delta::ProviderCall));
            Item::Other { block }
        };
        self.open.insert(number, open);
    }

    /// Ends the part that an event refers to; returns true if its text had arrived. If no text of that part arrived, a part that has not
    /// ended takes its place, since a server may number the two events differently.
    fn end_part(&mut self, data: &Value) -> bool {
        let number = self.number(data);
        let part = data.get("content_index").and_then(Value::as_u64).unwrap_or(0);
        let Some(Item::Message { parts, .. }) = self.open.get_mut(&number) else { return false };
        let open = parts.iter().find(|(_, part)| !part.is_whole).map(|(number, _)| *number);
        let number = if parts.contains_key(&part) { Some(part) } else { open };
        let ended = number.and_then(|number| parts.get_mut(&number));
        ended.map(|part| part.is_whole = true).is_some()
    }

    /// Adds text to a message; the message is begun if its first event is missing.
    fn text(&mut self, data: &mut Value, key: &str, out: &mut VecDeque<Delta>) {
        let number = self.number(data);
        let part = data.get("content_index").and_then(Value::as_u64).unwrap_or(0);
        let Some(text) = take_text(data, key) else { return };
        self.extend(number, part, text, out);
    }

    fn extend(&mut self, number: u64, part: u64, text: String, out: &mut VecDeque<Delta>) {
        let next = self.next;
        let message = || Item::Message { parts: BTreeMap::new(), phase: None };
        self.has_items = true;
        let Item::Message { parts, .. } = self.open.entry(number).or_insert_with(message) else {
            return;
        };
        let begun = Part { block: next, is_whole: false };
        let Part { block: index, .. } = *parts.entry(part).or_insert(begun);
        if index == next {
            self.begin_block(BlockStart::Text, out);
        }
        out.push_back(Delta::Text { index, text });
    }

    /// Adds reasoning, with an empty line between its parts.
    fn thought(&mut self, data: &mut Value, key: &str, out: &mut VecDeque<Delta>) {
        let number = self.number(data);
        let new = data.get(key).and_then(Value::as_u64).unwrap_or(0);
        let Some(mut text) = take_text(data, "delta") else { return };
        if !self.open.contains_key(&number) {
            self.begin(number, &json!({ "type": "reasoning" }), out);
        }
        if let Some(Item::Reasoning { block, part }) = self.open.get_mut(&number) {
            if part.replace(new).is_some_and(|old| old != new) {
                text.insert_str(0, "\n\n");
            }
            out.push_back(Delta::Text { index: *block, text });
        }
    }

    fn arguments(&mut self, number: u64, piece: &str, out: &mut VecDeque<Delta>) {
        let Some(Item::Call { block, form, has_pieces }) = self.open.get_mut(&number) else {
            return;
        };
        let json = match form {
            Form::Json => piece.to_owned(),
            Form::Free => {
                let start = if *has_pieces { "" } else { "{\"input\":\"" };
                format!("{start}{}", escaped(piece))
            }
            Form::Object(_) => return,
        };
        *has_pieces = true;
        out.push_back(Delta::Arguments { index: *block, json });
    }

    /// Handles an item's last event, which contains the complete item.
    fn end_item(&mut self, number: u64, item: &mut Value, out: &mut VecDeque<Delta>) {
        if !self.open.contains_key(&number) {
            self.begin(number, item, out);
        }
        if let Some(Item::Message { parts, phase }) = self.open.get_mut(&number) {
            if let Some(last) = text(item, "phase") {
                *phase = Some(last.to_owned());
            }
            let content = item.get_mut("content").map(Value::take).unwrap_or_default();
            let content = content.as_array().cloned().unwrap_or_default();
            let known = streamed(parts, content.len());
            for (part, mut value) in (0..).zip(content) {
                let is_refusal = text(&value, "type") == Some("refusal");
                if is_refusal {
                    self.refuse();
                }
                let key = if is_refusal { "refusal" } else { "text" };
                let missing = take_text(&mut value, key).filter(|_| !known.contains(&part));
                if let Some(text) = missing {
                    self.extend(number, part, text, out);
                }
            }
        }
        match self.open.get(&number) {
            Some(Item::Call { form: Form::Json, has_pieces: false, .. }) => {
                if let Some(arguments) = take_text(item, "arguments") {
                    self.arguments(number, &arguments, out);
                }
            }
            Some(Item::Call { form: Form::Free, has_pieces: false, .. }) => {
                let input = take_text(item, "input").unwrap_or_default();
                self.arguments(number, &input, out);
            }
            Some(_) | None => {}
        }
        let Some(open) = self.open.remove(&number) else { return };
        self.searches += u64::from(search::is_charged(item));
        open.end(Some(item), out);
    }

    fn end(&mut self, response: &mut Value, is_incomplete: bool, out: &mut VecDeque<Delta>) {
        self.is_done = true;
        if !self.has_items {
            // A server that sends no items while streaming.
            let items = response.get_mut("output").map(Value::take).unwrap_or_default();
            for (number, mut item) in (0..).zip(items.as_array().cloned().unwrap_or_default()) {
                self.end_item(number, &mut item, out);
            }
        }
        for (_, item) in std::mem::take(&mut self.open) {
            item.end(None, out);
        }
        let web_searches = self.searches;
        out.extend(usage(response).map(|usage| Delta::Usage(Usage { web_searches, ..usage })));
        let tier = text(response, "service_tier").map_or(Tier::Standard, Tier::from_name);
        if tier != Tier::Standard {
            out.push_back(Delta::Tier(tier));
        }
        let reason = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
        out.push_back(Delta::Stop(match (is_incomplete, reason) {
            (true, Some("max_output_tokens")) => StopReason::MaxTokens,
            (true, Some("content_filter")) => StopReason::Refusal,
            (true, _) => StopReason::Other,
            (false, _) => self.reason.unwrap_or(StopReason::EndTurn),
        }));
    }
}

impl Item {
    /// Ends the item's blocks; without its last event none of it can be kept.
    fn end(self, last: Option<&Value>, out: &mut VecDeque<Delta>) {
        match self {
            Self::Message { parts, phase } => {
                for Part { block: index, .. } in parts.into_values() {
                    let kept = phase.as_ref().map(|phase| json!({ "phase": phase }));
                    out.extend(kept.and_then(|kept| opaque(index, &kept)));
                    out.push_back(Delta::End { index });
                }
            }
            Self::Reasoning { block, part } => {
                if let Some(item) = last {
                    if part.is_none() {
                        let text = thought_of(item);
                        if !text.is_empty() {
                            out.push_back(Delta::Text { index: block, text });
                        }
                    }
                    out.extend(opaque(block, item));
                }
                out.push_back(Delta::End { index: block });
            }
            Self::Call { block, form, has_pieces } => {
                let json = match form {
                    Form::Free if has_pieces => Some("\"}".to_owned()),
                    Form::Object(key) => last.and_then(|item| item.get(key)).map(Value::to_string),
                    Form::Json | Form::Free => None,
                };
                out.extend(json.map(|json| Delta::Arguments { index: block, json }));
                let kept: Map<String, Value> = ["namespace", "caller"]
                    .iter()
                    .filter_map(|key| Some(((*key).to_owned(), last?.get(*key)?.clone())))
                    .collect();
                if !kept.is_empty() {
                    out.extend(opaque(block, &Value::Object(kept)));
                }
                out.push_back(Delta::End { index: block });
            }
            Self::Other { block } => {
                out.extend(last.and_then(search::ended).map(Box::new).map(Delta::ProviderCall));
                out.extend(last.and_then(|item| opaque(block, item)));
                out.push_back(Delta::End { index: block });
            }
        }
    }
}

/// Returns the parts of a complete message whose text has streamed: those with the same number, and, for each other streamed part, the
/// first remaining one, because gpt-oss on Bedrock numbers the pieces from 1 and the complete message from 0.
fn streamed(parts: &BTreeMap<u64, Part>, count: usize) -> BTreeSet<u64> {
    let all = 0..u64::try_from(count).unwrap_or(u64::MAX);
    let (known, others): (BTreeSet<u64>, BTreeSet<u64>) =
        parts.keys().partition(|part| all.contains(part));
    let left = all.filter(|part| !known.contains(part)).take(others.len()).collect::<Vec<_>>();
    known.into_iter().chain(left).collect()
}

/// Returns a complete reasoning item's text.
fn thought_of(item: &Value) -> String {
    let texts = ["summary", "content"]
        .iter()
        .filter_map(|key| item.get(*key).and_then(Value::as_array))
        .flatten()
        .filter_map(|part| text(part, "text"));
    texts.collect::<Vec<_>>().join("\n\n")
}

/// Escapes a piece of text for use inside a JSON string.
fn escaped(piece: &str) -> String {
    let quoted = Value::from(piece).to_string();
    quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default().to_owned()
}

/// Reads the usage. Input excludes tokens read from or written to a cache.
fn usage(response: &Value) -> Option<Usage> {
    let usage = response.get("usage").filter(|usage| usage.is_object())?;
    let count = |path: &str| usage.pointer(path).and_then(Value::as_u64).unwrap_or(0);
    let read = count("/input_tokens_details/cached_tokens");
    let written = count("/input_tokens_details/cache_write_tokens");
    Some(Usage {
        input_tokens: count("/input_tokens").saturating_sub(read).saturating_sub(written),
        output_tokens: count("/output_tokens"),
        cache_read_tokens: read,
        cache_write_tokens: written,
        reasoning_tokens: count("/output_tokens_details/reasoning_tokens"),
        web_searches: 0,
    })
}
