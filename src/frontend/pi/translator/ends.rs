//! The ends of calls, turns, runs and compactions in Pi's events. Pure.

use super::{Calls, Translator, is_kind, message_by, message_of, push, reason};
use crate::pi::Dialect;
use crate::pi::line::put;
use crate::pi::message;
use pintle_protocol::event::{EventRecord, RetryScheduled, TurnCompleted, TurnStatus};
use pintle_protocol::item::{Compaction, CompactionReason, Item, ItemStatus, ToolCall};
use pintle_session::pi::{ABORTED, compaction_details};
use serde_json::{Value, json};

impl Translator {
    pub(super) fn call_completed(
        &mut self,
        item: &Item,
        call: &ToolCall,
        entries: &[Value],
        out: &mut Vec<Vec<u8>>,
    ) {
        self.start_call(&item.id, out);
        let Some(calls) = &mut self.calls else { return };
        let is_error = call.output.as_ref().is_some_and(|output| output.is_error);
        let mut event = json!({
            "type": "tool_execution_end",
            "toolCallId": item.id,
            "toolName": call.tool_name,
            "result": message::result(call),
            "isError": is_error || item.status != ItemStatus::Completed,
        });
        let has_run = matches!(item.status, ItemStatus::Completed | ItemStatus::Failed);
        if let (Dialect::Current, true, Some(ms)) = (self.dialect, has_run, item.duration_ms) {
            put(&mut event, "durationMs", ms);
        }
        push(out, &event);
        calls.open.retain(|id| *id != item.id);
        calls.results.extend(entries.iter().filter_map(|entry| message_of(entry, "toolResult")));
        self.end_turn_if_done(out);
    }

    /// When each call has its result, the results are sent as messages in the order of the calls, and the turn ends.
    pub(super) fn end_turn_if_done(&mut self, out: &mut Vec<Vec<u8>>) {
        let Some(calls) = self.calls.take_if(|calls| calls.open.is_empty()) else { return };
        for result in &calls.results {
            self.complete_message(result, out);
        }
        self.end_turn(&calls.message, &calls.results, out);
    }

    fn end_turn(&mut self, message: &Value, results: &[Value], out: &mut Vec<Vec<u8>>) {
        if let Some(run) = &mut self.run
            && std::mem::take(&mut run.is_turn_open)
        {
            push(out, &json!({ "type": "turn_end", "message": message, "toolResults": results }));
        }
    }

    /// Ends the open or cut reply, or creates one, with the reason for which the run ended.
    fn end_with_error(
        &mut self,
        (stop, error): (&str, &str),
        record: &EventRecord,
        entries: &[Value],
        out: &mut Vec<Vec<u8>>,
    ) {
        // Results of calls precede it.
        if let Some(calls) = self.calls.take() {
            self.calls = Some(Calls { open: Vec::new(), ..calls });
            self.end_turn_if_done(out);
        }
        let open = self.reply.as_mut().map(|reply| {
            reply.end(out);
            reply.message(stop)
        });
        let partial = self.cut.take().or(open);
        let has_started = partial.is_some();
        let message = message_by(entries, "assistant").unwrap_or_else(|| {
            let empty =
                || message::reply(&self.voice, &[], &message::no_usage(), stop, record.ts_ms);
            let mut message = partial.unwrap_or_else(empty);
            message::cut(&mut message, stop, error);
            message
        });
        if has_started {
            self.reply_ended(&message, out);
        } else {
            self.open_turn(out);
            self.complete_message(&message, out);
        }
        self.end_turn(&message, &[], out);
    }

    fn end_run(&mut self, will_retry: bool, out: &mut Vec<Vec<u8>>) {
        let Some(run) = self.run.take() else { return };
        let mut event = json!({ "type": "agent_end", "messages": run.messages });
        if self.dialect == Dialect::Current {
            put(&mut event, "willRetry", will_retry);
        }
        push(out, &event);
    }

    pub(super) fn retry_scheduled(
        &mut self,
        retry: &RetryScheduled,
        record: &EventRecord,
        entries: &[Value],
        out: &mut Vec<Vec<u8>>,
    ) {
        // The compaction retries by itself.
        if record.turn_id == self.quiet {
            return;
        }
        if self.given_up.is_some() {
            self.cut = message_by(entries, "assistant").or(self.cut.take());
            return;
        }
        self.end_with_error(("error", &retry.message), record, entries, out);
        self.end_run(true, out);
        self.retry = Some(retry.attempt);
        push(
            out,
            &json!({
                "type": "auto_retry_start",
                "attempt": retry.attempt,
                "maxAttempts": retry.of,
                "delayMs": retry.delay_ms,
                "errorMessage": retry.message,
            }),
        );
    }

    pub(super) fn turn_completed(
        &mut self,
        end: &TurnCompleted,
        record: &EventRecord,
        entries: &[Value],
        out: &mut Vec<Vec<u8>>,
    ) {
        if record.turn_id.is_some() && record.turn_id == self.quiet {
            self.quiet = None;
            return;
        }
        let error = end.error.as_ref().map(|error| error.message.clone());
        let error = self.given_up.take().or(error);
        let is_aborted = end.status == TurnStatus::Interrupted && error.is_none();
        let retried = self.retry.take();
        if let Some(error) = &error {
            self.end_with_error(("error", error), record, entries, out);
        } else if is_aborted && retried.is_some() && self.run.is_none() {
            // The failure that was to be retried has ended the run already.
        } else if is_aborted {
            self.end_with_error(("aborted", ABORTED), record, entries, out);
        } else if self.queue.has_waiting() {
            return;
        }
        self.end_run(false, out);
        if let Some(attempt) = retried {
            let error = error.unwrap_or_else(|| "Retry cancelled".to_owned());
            push(
                out,
                &json!({
                    "type": "auto_retry_end", "success": false, "attempt": attempt, "finalError": error,
                }),
            );
        }
        if self.dialect == Dialect::Current {
            push(out, &json!({ "type": "agent_settled", "aborted": is_aborted }));
        }
    }

    pub(super) fn compaction_completed(
        &mut self,
        item: &Item,
        compaction: &Compaction,
        entries: &[Value],
        out: &mut Vec<Vec<u8>>,
    ) {
        let is_aborted = item.status == ItemStatus::Cancelled;
        let entry = entries.iter().find(|entry| is_kind(entry, "compaction"));
        let result = entry.map(|entry| {
            let mut result = json!({});
            for key in ["summary", "firstKeptEntryId", "tokensBefore"] {
                put(&mut result, key, entry.get(key).cloned().unwrap_or_default());
            }
            put(&mut result, "details", compaction_details(compaction.files.as_ref()));
            if let (Dialect::Current, Some(tokens)) = (self.dialect, compaction.tokens_after) {
                put(&mut result, "estimatedTokensAfter", tokens);
            }
            result
        });
        let mut event = json!({ "type": "compaction_end", "reason": reason(compaction) });
        if let Some(result) = &result {
            put(&mut event, "result", result.clone());
        }
        put(&mut event, "aborted", is_aborted);
        let is_overflow = compaction.reason == CompactionReason::Overflow;
        put(&mut event, "willRetry", is_overflow && result.is_some());
        let error = compaction.error.clone().filter(|_| !is_aborted);
        if let Some(error) = &error {
            put(&mut event, "errorMessage", error.as_str());
        }
        push(out, &event);
        self.compacted =
            Some(result.ok_or_else(|| error.unwrap_or_else(|| "Compaction cancelled".to_owned())));
    }
}
