//! What follows a model reply: run its calls, ask again, or end the turn. Pure.
//!
//! Invariant: a turn that must produce structured output never completes without a value that satisfies its schema.

use crate::turn::continuation::Continuations;
use crate::turn::structured_output::{SchemaCheck, StructuredOutput, missing};
use pintle_protocol::event::{Notice, StopReason, TurnError};
use pintle_session::context::conversation::from_engine;
use serde_json::Value;

/// A complete reply, reduced to what decides about the turn.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    pub(super) stop: StopReason,
    pub(super) has_calls: bool,
    /// True if the reply has neither text nor a call.
    pub(super) is_blank: bool,
    pub(super) text: String,
}

/// The next action of the turn.
#[derive(Debug, PartialEq)]
pub(super) enum AfterReply {
    /// Run the reply's calls, then send the next request.
    RunCalls,
    /// Send the conversation again unchanged. The provider paused mid-reply, and a message after it would end the paused work.
    Resume,
    /// Add the user's waiting messages, then ask again.
    ReadSteers,
    /// Add this engine message, then ask again.
    Ask(String),
    /// End the turn.
    End(Box<Ending>),
}

/// How a turn ends after its last reply.
#[derive(Debug, PartialEq)]
pub(super) struct Ending {
    /// Shown to clients before the turn ends.
    pub(super) notice: Option<Notice>,
    /// The structured output, if the turn has a schema.
    pub(super) value: Option<Value>,
    pub(super) result: Result<StopReason, TurnError>,
}

/// Decides what follows each reply of a turn.
#[derive(Debug)]
pub(super) struct ReplyPolicy {
    /// The structured output that the turn must produce.
    pub(super) output: Option<StructuredOutput>,
    continuations: Continuations,
    max_continuations: u32,
}

impl Reply {
    /// Returns true if the turn ends with this reply unless a message from the user is waiting.
    pub(super) fn may_end(&self) -> bool {
        !self.has_calls && self.stop != StopReason::Paused
    }

    /// Returns true if the reply's text is the turn's final message, which is checked against the schema.
    fn is_final_message(&self) -> bool {
        !self.is_blank
            && match self.stop {
                StopReason::EndTurn | StopReason::ToolUse | StopReason::Other => true,
                StopReason::MaxTokens
                | StopReason::Refusal
                | StopReason::Paused
                | StopReason::Limit => false,
            }
    }
}

impl ReplyPolicy {
    /// Continues at most `max_continuations` replies that reached their length limit.
    pub(super) fn new(output: Option<StructuredOutput>, max_continuations: u32) -> Self {
        Self { output, continuations: Continuations::default(), max_continuations }
    }

    /// Returns what follows `reply`. `has_steers` is true if messages from the user are waiting.
    pub(super) fn after(&mut self, reply: &Reply, has_steers: bool) -> AfterReply {
        if !reply.is_blank {
            self.continuations.replied();
        }
        if reply.has_calls {
            return AfterReply::RunCalls;
        }
        if !reply.may_end() {
            return AfterReply::Resume;
        }
        if has_steers {
            return AfterReply::ReadSteers;
        }
        let Reply { stop, is_blank, .. } = *reply;
        if let Some(text) = self.continuations.after(stop, is_blank, self.max_continuations) {
            return AfterReply::Ask(from_engine(text));
        }
        let end = |result, value| AfterReply::End(Box::new(Ending { notice: None, value, result }));
        match &mut self.output {
            Some(output) if reply.is_final_message() => match output.check(&reply.text) {
                SchemaCheck::Valid(value) => end(Ok(stop), Some(value)),
                SchemaCheck::Retry(text) => AfterReply::Ask(text),
                SchemaCheck::Failed(error) => end(Err(error), None),
            },
            output => AfterReply::End(Box::new(Ending {
                notice: self.continuations.notice(),
                value: None,
                result: if output.is_some() { Err(missing()) } else { Ok(stop) },
            })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_protocol::event::{Delivery, QueuedInput};
    use pintle_protocol::ids::{ItemId, TurnId};
    use serde_json::json;

    fn reply(stop: StopReason, text: &str) -> Reply {
        Reply { stop, has_calls: false, is_blank: text.is_empty(), text: text.to_owned() }
    }

    fn output() -> Option<StructuredOutput> {
        StructuredOutput::for_inputs(&[QueuedInput {
            item_id: ItemId::new("i"),
            turn_id: TurnId::new("t"),
            delivery: Delivery::Prompt,
            content: Vec::new(),
            limits: None,
            output_schema: Some(json!({"type": "integer"})),
        }])
    }

    fn name(next: &AfterReply) -> String {
        match next {
            AfterReply::RunCalls => "run calls".to_owned(),
            AfterReply::Resume => "resume".to_owned(),
            AfterReply::ReadSteers => "read steers".to_owned(),
            AfterReply::Ask(_) => "ask".to_owned(),
            AfterReply::End(ending) => {
                let Ending { notice, value, result } = &**ending;
                let notice = notice.as_ref().map(|notice| format!(", notice {}", notice.code));
                let value = value.as_ref().map(|value| format!(", value {value}"));
                let result = match result {
                    Ok(stop) => format!("end {stop:?}"),
                    Err(error) => format!("fail {}", error.code),
                };
                format!("{result}{}{}", value.unwrap_or_default(), notice.unwrap_or_default())
            }
        }
    }

    #[test]
    fn each_reply_has_one_successor() {
        use StopReason::{EndTurn, MaxTokens, Other, Paused, Refusal, ToolUse};
        let calls = |stop| Reply { has_calls: true, is_blank: false, ..reply(stop, "") };
        // In turn, with two continuations. `!` marks a waiting message of the user, `?` a schema.
        for (case, replies, want) in [
            ("text", vec![reply(EndTurn, "hi")], "end EndTurn"),
            ("text of another stop", vec![reply(Other, "hi")], "end Other"),
            ("calls", vec![calls(ToolUse)], "run calls"),
            ("calls of a reply that says it ended", vec![calls(EndTurn)], "run calls"),
            ("! calls", vec![calls(ToolUse)], "run calls"),
            ("! text", vec![reply(EndTurn, "hi")], "read steers"),
            ("! cut", vec![reply(MaxTokens, "hi")], "read steers"),
            ("paused", vec![reply(Paused, "hi")], "resume"),
            ("! paused", vec![reply(Paused, "")], "resume"),
            ("refused", vec![reply(Refusal, "no")], "end Refusal"),
            ("cut", vec![reply(MaxTokens, "a")], "ask"),
            ("cut twice", vec![reply(MaxTokens, "a"); 2], "ask"),
            ("cut once too often", vec![reply(MaxTokens, "a"); 3], "end MaxTokens"),
            ("blank", vec![reply(EndTurn, "")], "ask"),
            ("blank again", vec![reply(EndTurn, ""); 2], "end EndTurn, notice emptyReply"),
            (
                "blank, then calls, then blank",
                vec![reply(EndTurn, ""), calls(ToolUse), reply(EndTurn, "")],
                "ask",
            ),
            ("blank refusal", vec![reply(Refusal, "")], "end Refusal"),
            ("? valid", vec![reply(EndTurn, "7")], "end EndTurn, value 7"),
            ("? invalid", vec![reply(EndTurn, "x")], "ask"),
            (
                "? invalid, then valid",
                vec![reply(EndTurn, "x"), reply(EndTurn, "7")],
                "end EndTurn, value 7",
            ),
            ("? invalid three times", vec![reply(EndTurn, "x"); 3], "fail outputInvalid"),
            ("? text beside calls", vec![calls(ToolUse)], "run calls"),
            ("? cut", vec![reply(MaxTokens, "7")], "ask"),
            ("? cut once too often", vec![reply(MaxTokens, "7"); 3], "fail outputInvalid"),
            ("? refused", vec![reply(Refusal, "7")], "fail outputInvalid"),
            ("? blank twice", vec![reply(EndTurn, ""); 2], "fail outputInvalid, notice emptyReply"),
            (
                "? blank, then valid",
                vec![reply(EndTurn, ""), reply(EndTurn, "7")],
                "end EndTurn, value 7",
            ),
        ] {
            let mut policy = ReplyPolicy::new(case.starts_with('?').then(output).flatten(), 2);
            let next = replies.iter().map(|reply| policy.after(reply, case.starts_with('!')));
            assert_eq!(name(&next.last().unwrap()), want, "{case}");
        }
    }

    #[test]
    fn a_message_of_the_user_takes_no_attempt_at_the_schema() {
        let mut policy = ReplyPolicy::new(output(), 2);
        for _ in 0..5 {
            assert_eq!(
                policy.after(&reply(StopReason::EndTurn, "x"), true),
                AfterReply::ReadSteers
            );
        }
        let next = policy.after(&reply(StopReason::EndTurn, "x"), false);
        assert!(matches!(next, AfterReply::Ask(_)), "{next:?}");
    }
}
