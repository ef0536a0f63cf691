//! Decodes Gemini stream chunks to deltas.
//!
//! A signature belongs to one part and must be sent back on exactly that part, while the user reads one text. So parts of one kind become
//! one block, whose opaque data records which bytes were separate parts. The stream has no end mark: a finish reason completes it, and more
//! may follow.

use super::partial_args::PartialArgs;
use super::search::Searches;
use crate::decode::{Broken, Decode, ReplyIds, json, opaque, text};
use crate::sse::SseEvent;
use crate::{BlockStart, Delta};
use pintle_protocol::content::Usage;
use pintle_protocol::event::StopReason;
use serde_json::{Map, Value, json};
use std::collections::VecDeque;

/// The state of one reply.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    /// Growing text or reasoning block.
    run: Option<Run>,
    /// Call whose arguments arrive in pieces.
    partial: Option<Partial>,
    /// Number of the next block.
    next: usize,
    ids: ReplyIds,
    has_calls: bool,
    searches: Searches,
    counts: Counts,
    finish: Option<String>,
    finish_message: String,
    is_done: bool,
}

#[derive(Debug)]
struct Run {
    is_thought: bool,
    index: usize,
    bytes: usize,
    /// The parts with a signature, as JSON.
    signed: Vec<Value>,
}

#[derive(Debug)]
struct Partial {
    index: usize,
    args: PartialArgs,
}

/// Token counts as sent on the wire; each chunk has some.
#[derive(Debug, Default)]
struct Counts {
    prompt: u64,
    cached: u64,
    tools: u64,
    answer: u64,
    thoughts: u64,
}

impl Decode for Decoder {
    fn push(&mut self, event: SseEvent, out: &mut VecDeque<Delta>) -> Result<(), Broken> {
        let data = event.data.trim();
        if self.is_done || data.is_empty() || data == "[DONE]" {
            return Ok(());
        }
        let mut chunk = json(data)?;
        let has_error = |value: &Value| value.get("error").is_some_and(Value::is_object);
        if has_error(&chunk) || chunk.get(0).is_some_and(has_error) {
            return Err(Broken::Reported(chunk));
        }
        self.usage(chunk.get("usageMetadata"), out);
        if let Some(feedback) = chunk.get("promptFeedback").filter(|_| self.next == 0)
            && let Some(reason) = text(feedback, "blockReason")
        {
            let words = text(feedback, "blockReasonMessage").unwrap_or("no further word");
            let message = format!("the prompt was blocked ({reason}): {words}");
            return Err(Broken::Reported(
                json!({ "error": { "code": "content_filter", "message": message } }),
            ));
        }
        let response = text(&chunk, "responseId").unwrap_or_default().to_owned();
        let Some(candidate) = chunk.pointer_mut("/candidates/0") else { return Ok(()) };
        if let Some(metadata) = candidate.get("groundingMetadata") {
            self.searches.grounding(metadata);
        }
        if let Some(Value::Array(parts)) = candidate.pointer_mut("/content/parts").map(Value::take)
        {
            for part in parts {
                self.part(&part, &response, out);
            }
        }
        if let Some(reason) = text(candidate, "finishReason") {
            self.finish = Some(reason.to_owned());
            text(candidate, "finishMessage")
                .unwrap_or_default()
                .clone_into(&mut self.finish_message);
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut VecDeque<Delta>) -> Result<(), Broken> {
        if self.is_done {
            return Ok(());
        }
        let Some(reason) = self.finish.take() else { return Err(Broken::cut()) };
        self.end_call(out);
        self.end_run(out);
        let stop = match reason.as_str() {
            "STOP" | "FINISH_REASON_UNSPECIFIED" if self.has_calls => StopReason::ToolUse,
            "STOP" | "FINISH_REASON_UNSPECIFIED" => StopReason::EndTurn,
            "MAX_TOKENS" => StopReason::MaxTokens,
            "SAFETY"
            | "RECITATION"
            | "LANGUAGE"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "MODEL_ARMOR"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION" => StopReason::Refusal,
            // The model wrote a malformed call; a retry usually succeeds.
            "MALFORMED_FUNCTION_CALL" | "MALFORMED_RESPONSE" | "UNEXPECTED_TOOL_CALL" => {
                let words = &self.finish_message;
                let words = if words.is_empty() { "no further word" } else { words };
                return Err(Broken::Wire(format!(
                    "the model's reply is invalid ({reason}): {words}"
                )));
            }
            _ => StopReason::Other,
        };
        self.is_done = true;
        let searches = std::mem::take(&mut self.searches);
        if searches.count() > 0 {
            out.push_back(Delta::Usage(self.counts.usage(searches.count())));
        }
        out.extend(searches.end().into_iter().map(Box::new).map(Delta::ProviderCall));
        out.push_back(Delta::Stop(stop));
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.is_done
    }
}

impl Decoder {
    fn begin(&mut self, block: BlockStart, out: &mut VecDeque<Delta>) -> usize {
        let index = self.next;
        self.next += 1;
        out.push_back(Delta::Start { index, block });
        index
    }

    fn part(&mut self, part: &Value, response: &str, out: &mut VecDeque<Delta>) {
        if let Some(call) = part.get("functionCall") {
            self.end_run(out);
            self.call(call, part.get("thoughtSignature"), response, out);
            return;
        }
        let Some(Value::String(piece)) = part.get("text") else {
            if part.as_object().is_some_and(|fields| !fields.is_empty()) {
                self.unknown(part, out);
            }
            return;
        };
        let is_thought = part.get("thought").and_then(Value::as_bool).unwrap_or(false);
        let signature = part.get("thoughtSignature").filter(|signature| signature.is_string());
        let continues = self.run.as_ref().is_some_and(|run| run.is_thought == is_thought);
        match (piece.is_empty(), signature) {
            (true, None) => return,
            (true, Some(_)) if !continues => {
                self.unknown(part, out);
                return;
            }
            (true | false, _) => {}
        }
        if !continues {
            self.end_run(out);
            let block = if is_thought { BlockStart::Reasoning } else { BlockStart::Text };
            let index = self.begin(block, out);
            self.run = Some(Run { is_thought, index, bytes: 0, signed: Vec::new() });
        }
        let Some(run) = &mut self.run else { return };
        let from = run.bytes;
        run.bytes += piece.len();
        if let Some(signature) = signature {
            let to = run.bytes;
            run.signed.push(json!({ "from": from, "to": to, "thoughtSignature": signature }));
        }
        if !piece.is_empty() {
            out.push_back(Delta::Text { index: run.index, text: piece.clone() });
        }
    }

    fn unknown(&mut self, part: &Value, out: &mut VecDeque<Delta>) {
        self.end_run(out);
        let index = self.begin(BlockStart::Unknown, out);
        out.extend(self.searches.part(part).map(Box::new).map(Delta::ProviderCall));
        out.extend(opaque(index, part));
        out.push_back(Delta::End { index });
    }

    fn call(
        &mut self,
        call: &Value,
        signature: Option<&Value>,
        response: &str,
        out: &mut VecDeque<Delta>,
    ) {
        let continues = call.get("willContinue").and_then(Value::as_bool).unwrap_or(false);
        let pieces = call.get("partialArgs").and_then(Value::as_array);
        if let Some(name) = text(call, "name") {
            self.end_call(out);
            self.has_calls = true;
            let index = self.next;
            let given = text(call, "id");
            // Without an id from the server, one that is unique in the conversation.
            let made = || match response {
                "" => format!("call_{index}"),
                response => format!("call_{response}_{index}"),
            };
            let id = self.ids.give(&given.map_or_else(made, str::to_owned), index);
            self.begin(BlockStart::ToolCall { id, name: name.to_owned() }, out);
            let mut kept = Map::new();
            kept.extend(given.map(|id| ("id".to_owned(), Value::from(id))));
            kept.extend(signature.map(|value| ("thoughtSignature".to_owned(), value.clone())));
            if !kept.is_empty() {
                out.extend(opaque(index, &Value::Object(kept)));
            }
            self.partial = Some(Partial { index, args: PartialArgs::new(call.get("args")) });
        }
        let Some(partial) = &mut self.partial else { return };
        for piece in pieces.into_iter().flatten() {
            partial.args.push(piece);
        }
        if !continues {
            self.end_call(out);
        }
    }

    fn end_call(&mut self, out: &mut VecDeque<Delta>) {
        let Some(Partial { index, args }) = self.partial.take() else { return };
        out.extend(args.into_json().map(|json| Delta::Arguments { index, json }));
        out.push_back(Delta::End { index });
    }

    fn end_run(&mut self, out: &mut VecDeque<Delta>) {
        let Some(Run { index, signed, .. }) = self.run.take() else { return };
        if !signed.is_empty() {
            out.extend(opaque(index, &json!({ "signed": signed })));
        }
        out.push_back(Delta::End { index });
    }

    /// Missing fields keep their value. Input excludes tokens read from a cache.
    fn usage(&mut self, usage: Option<&Value>, out: &mut VecDeque<Delta>) {
        let counts = &mut self.counts;
        let mut is_told = false;
        for (key, field) in [
            ("promptTokenCount", &mut counts.prompt),
            ("cachedContentTokenCount", &mut counts.cached),
            ("toolUsePromptTokenCount", &mut counts.tools),
            ("candidatesTokenCount", &mut counts.answer),
            ("thoughtsTokenCount", &mut counts.thoughts),
        ] {
            if let Some(tokens) = usage.and_then(|usage| usage.get(key)).and_then(Value::as_u64) {
                *field = tokens;
                is_told = true;
            }
        }
        if is_told {
            out.push_back(Delta::Usage(counts.usage(0)));
        }
    }
}

impl Counts {
    fn usage(&self, web_searches: u64) -> Usage {
        Usage {
            input_tokens: (self.prompt + self.tools).saturating_sub(self.cached),
            output_tokens: self.answer + self.thoughts,
            cache_read_tokens: self.cached,
            cache_write_tokens: 0,
            reasoning_tokens: self.thoughts,
            web_searches,
        }
    }
}
