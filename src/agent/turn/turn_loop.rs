//! The turn loop: sends a request to the model and handles its reply, until the turn ends.
//!
//! Each step ends in one [`Next`] or in the turn's [`End`]; `after_reply` decides the next action after a reply.

use crate::host::TurnHost;
use crate::turn::after_reply::{AfterReply, Ending, Reply, ReplyPolicy};
use crate::turn::calls::{self, Batch};
use crate::turn::context::{End, Tally, TurnContext, TurnState};
use crate::turn::continuation;
use crate::turn::edit_checks::EditFeedback;
use crate::turn::limits::{Used, Warnings, last_words};
use crate::turn::loop_guard::{Behind, Ended, Judgement, LoopGuard};
use crate::turn::messages;
use crate::turn::meter::specs;
use crate::turn::step::{self, StepReply, StepRequest};
use crate::turn::structured_output::{SchemaCheck, StructuredOutput, final_text};
use crate::turn::{compaction, hook_points, lint, served, servers};
use pintle_llm::{Assistant, AssistantBlock, Message, Messages, ToolSpec};
use pintle_protocol::diff::FileChange;
use pintle_protocol::event::{
    Event, Notice, NoticeLevel, QueuedInput, StopReason, TransientEvent, TurnError,
};
use pintle_protocol::item::CompactionReason;
use pintle_session::context::conversation::{Conversation, from_engine};
use pintle_tools::{Builtin, Tool};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::time::Instant;

/// The error code for a conversation that exceeds the model's window.
const OVERFLOW: &str = "overflow";

/// The error code for an invalid request.
const INVALID: &str = "invalidRequest";

/// What a step leads to.
enum Next {
    /// Another step.
    Step,
    /// End the turn.
    Stop(StopReason),
}

/// A turn that answers messages.
pub(super) struct TurnLoop<'a, H> {
    host: &'a mut H,
    ctx: &'a TurnContext,
    state: &'a mut TurnState,
    tally: &'a mut Tally,
    tools: Arc<[ToolSpec]>,
    /// The last request's messages, which the next one continues.
    sent: Messages,
    policy: ReplyPolicy,
    /// A monotonic clock, since the machine's clock may be set in the meantime.
    began: Instant,
    tool_calls: u64,
    loop_guard: LoopGuard,
    warnings: Warnings,
    edit_checks: EditFeedback,
    /// The last output of the lint command.
    linted: String,
    /// True if the conversation was compacted after the provider refused it as too long, and no reply has come since.
    is_shortened: bool,
}

impl<'a, H: TurnHost> TurnLoop<'a, H> {
    /// Prepares the first request of a turn whose messages have been read.
    pub(super) fn new(
        host: &'a mut H,
        ctx: &'a TurnContext,
        state: &'a mut TurnState,
        tally: &'a mut Tally,
        output: Option<StructuredOutput>,
    ) -> Self {
        if let Some(output) = &output {
            messages::add_text(host, ctx, &mut state.conversation, output.instructions());
        }
        Self {
            host,
            ctx,
            state,
            tally,
            tools: specs(&ctx.tools.list, &ctx.tools.settings),
            sent: Messages::default(),
            policy: ReplyPolicy::new(output, ctx.limits.continuations),
            began: Instant::now(),
            tool_calls: 0,
            loop_guard: LoopGuard::new(ctx.limits.loop_window),
            warnings: Warnings::default(),
            edit_checks: EditFeedback::default(),
            linted: String::new(),
            is_shortened: false,
        }
    }

    /// Takes steps until the turn ends.
    ///
    /// # Errors
    /// The turn was stopped or failed.
    pub(super) async fn run(mut self) -> Result<StopReason, End> {
        loop {
            match self.step().await? {
                Next::Step => {}
                Next::Stop(stop) => return Ok(stop),
            }
        }
    }

    async fn step(&mut self) -> Result<Next, End> {
        let used = self.used();
        if let Some(notice) = self.ctx.limits.reached(used, &self.ctx.budget) {
            return self.stop_at_limit(notice).await;
        }
        self.warn_of_limits(used);
        self.make_room().await?;
        let Some(reply) = self.request().await? else { return Ok(Next::Step) };
        let StepReply { assistant, calls, usage, cut } = reply;
        self.tool_calls += calls.len() as u64;
        hook_points::response(self.host, self.ctx, &assistant).await;
        // A job may end while the calls run.
        let behind = if self.host.has_work_behind() { Behind::Something } else { Behind::Nothing };
        let reply = Reply {
            stop: assistant.stop,
            has_calls: !calls.is_empty(),
            is_blank: continuation::is_blank(&assistant.blocks),
            text: final_text(&assistant.blocks),
        };
        if !assistant.blocks.is_empty() {
            self.state.conversation.push(Message::Assistant(assistant));
            self.state.meter.count(&usage, self.state.conversation.messages.len());
        }
        let begun = self.state.conversation.messages.len();
        self.report_context();
        if let Some(end) = cut {
            return Err(end);
        }
        let touched = calls::touched(&calls, &self.ctx.workspace.folders);
        let steers = if reply.may_end() { self.host.take_steers().await } else { Vec::new() };
        let batch = match self.policy.after(&reply, !steers.is_empty()) {
            AfterReply::RunCalls => {
                self.edit_checks.begin(self.ctx);
                calls::run(self.host, self.ctx, self.state, calls, self.tally).await
            }
            AfterReply::Resume | AfterReply::ReadSteers => Batch { steers, ..Batch::default() },
            AfterReply::Ask(text) => {
                self.add_text(text);
                Batch::default()
            }
            AfterReply::End(ending) => {
                let Ending { notice, value, result } = *ending;
                if let Some(notice) = notice {
                    self.host.record(Event::Notice(notice));
                }
                self.tally.structured = value;
                return result.map(Next::Stop).map_err(End::Failed);
            }
        };
        let judgement = self.judge_calls(begun, behind);
        self.finish_batch(batch, touched).await?;
        self.host.check()?;
        Ok(self.warn_of_repeats(judgement, behind))
    }

    fn used(&self) -> Used {
        let elapsed_ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        Used { steps: self.tally.steps, tool_calls: self.tool_calls, elapsed_ms }
    }

    fn add_text(&mut self, text: String) {
        messages::add_text(self.host, self.ctx, &mut self.state.conversation, text);
    }

    /// Adds the user's messages, and the rules for the files that they mention and for those in `touched`.
    async fn add_inputs(&mut self, inputs: Vec<QueuedInput>) -> Vec<PathBuf> {
        messages::add_inputs(self.host, self.ctx, &mut self.state.conversation, inputs).await
    }

    async fn add_rules_for(&mut self, files: &[PathBuf]) {
        messages::add_rules_for(self.host, self.ctx, self.state, files).await;
    }

    fn warn_of_limits(&mut self, used: Used) {
        let Self { ctx, warnings, .. } = self;
        let due = ctx.limits.are_told.then(|| warnings.next(&ctx.limits, &ctx.budget, used));
        if let Some(text) = due.flatten() {
            self.add_text(text);
        }
    }

    /// Compacts the conversation if the next request would be too long. Messages that arrived during a compaction are read.
    async fn make_room(&mut self) -> Result<(), End> {
        let Self { host, ctx, state, tools, tally, .. } = self;
        if compaction::before_request(*host, ctx, state, tools, tally).await? {
            let steers = self.host.take_steers().await;
            let files = self.add_inputs(steers).await;
            self.add_rules_for(&files).await;
        }
        Ok(())
    }

    /// Sends the conversation. Returns `None` if the request was refused and a changed one may be accepted.
    async fn request(&mut self) -> Result<Option<StepReply>, End> {
        let Self { host, ctx, state, tally, tools, policy, sent, .. } = self;
        let changed = hook_points::context(*host, ctx, &state.conversation.messages).await;
        *sent = sent.continued(changed.as_ref().unwrap_or(&state.conversation.messages));
        hook_points::request(*host, ctx, sent.len()).await?;
        let output = policy.output.as_ref();
        let output_schema = output.and_then(|output| output.for_provider(!tools.is_empty()));
        let is_native = output_schema.is_some();
        let request = StepRequest { messages: sent, tools, output_schema };
        let reply = step::run(*host, ctx, &request, tally).await;
        served::check(*host, ctx, &mut state.served, tools, sent).await;
        match reply {
            // The provider may not support schemas, or not this one. The engine checks the reply itself.
            Err(End::Failed(error)) if error.code == INVALID && is_native => {
                if let Some(output) = &mut policy.output {
                    output.refused();
                }
                Ok(None)
            }
            Err(End::Failed(error)) if error.code == OVERFLOW => {
                self.shorten(error).await?;
                Ok(None)
            }
            reply => {
                let reply = reply?;
                self.is_shortened = false;
                Ok(Some(reply))
            }
        }
    }

    /// Compacts a conversation that the provider refused as too long, once.
    async fn shorten(&mut self, error: TurnError) -> Result<(), End> {
        let Self { host, ctx, state, tally, tools, .. } = self;
        if !std::mem::replace(&mut self.is_shortened, true) {
            let request = compaction::CompactionRequest {
                reason: CompactionReason::Overflow,
                instructions: None,
            };
            if compaction::compact(*host, ctx, state, tools, tally, request).await? {
                return Ok(());
            }
        }
        Err(End::Failed(too_long(error, &state.conversation)))
    }

    /// Checks the last reply's calls for repetitions. `begun` is the message count before their results.
    fn judge_calls(&mut self, begun: usize, behind: Behind) -> Judgement {
        let Some((said, results)) = self.state.conversation.messages.split_at_checked(begun) else {
            return Judgement::Fine;
        };
        let Some(Message::Assistant(assistant)) = said.last().map(Arc::as_ref) else {
            return Judgement::Fine;
        };
        judge(&mut self.loop_guard, behind, &self.ctx.tools.list, assistant, results)
    }

    fn report_context(&mut self) {
        let TurnState { meter, conversation, .. } = &mut *self.state;
        let usage = compaction::usage(self.ctx, meter, &self.tools, &conversation.messages);
        self.host.transient(TransientEvent::Context(usage));
    }

    /// Adds messages that arrived during a batch of calls, check results about its changes, and rules for the files that it touched.
    async fn finish_batch(&mut self, batch: Batch, touched: Vec<PathBuf>) -> Result<(), End> {
        let Batch { steers, changes, ended } = batch;
        let (steers, _) = hook_points::inputs(self.host, self.ctx, steers).await;
        let mentioned = self.add_inputs(steers).await;
        if let Some(end) = ended {
            return Err(end);
        }
        let files: Vec<PathBuf> = touched.into_iter().chain(mentioned).collect();
        self.add_rules_for(&files).await;
        self.check_changes(&changes).await;
        messages::add_news(self.host, self.ctx, &mut self.state.conversation);
        servers::tell_changes(self.host, self.ctx, &mut self.state.conversation);
        Ok(())
    }

    /// Runs the lint command and waits for the editor's diagnostics.
    async fn check_changes(&mut self, changes: &[FileChange]) {
        let Self { host, ctx, linted, edit_checks, .. } = self;
        if let Some(lint) = &ctx.checks.settings.lint {
            let text = lint::run(*host, ctx, lint, changes, linted).await;
            if let Some(text) = text {
                messages::add_text(*host, ctx, &mut self.state.conversation, text);
            }
        }
        if let Some(text) = host.wait(edit_checks.end(ctx, changes)).await {
            self.add_text(text);
        }
    }

    /// Ends the turn at a limit. An unattended task gets one more reply without tools; whatever that contains, the limit ended the turn.
    async fn stop_at_limit(&mut self, notice: Notice) -> Result<Next, End> {
        let reason = notice.message.clone();
        self.host.record(Event::Notice(notice));
        if self.ctx.limits.are_told {
            // On the heap: a turn that reaches no limit needs no space for it.
            Box::pin(self.final_reply(&reason)).await?;
        }
        Ok(Next::Stop(StopReason::Limit))
    }

    async fn final_reply(&mut self, reason: &str) -> Result<(), End> {
        self.add_text(last_words(reason));
        let Self { host, ctx, state, tally, tools, policy, sent, .. } = self;
        *sent = sent.continued(&state.conversation.messages);
        let request = StepRequest { messages: sent, tools, output_schema: None };
        let reply = match step::run(*host, ctx, &request, tally).await {
            Ok(reply) => reply,
            Err(End::Interrupted) => return Err(End::Interrupted),
            Err(End::Completed(_) | End::Failed(_)) => return Ok(()),
        };
        let StepReply { assistant, calls, cut, .. } = reply;
        if let Some(output) = &mut policy.output
            && cut.is_none()
            && let SchemaCheck::Valid(value) = output.check(&final_text(&assistant.blocks))
        {
            tally.structured = Some(value);
        }
        if !assistant.blocks.is_empty() {
            state.conversation.push(Message::Assistant(assistant));
        }
        let refusal = "The task reached a limit. This call did not run.";
        calls::refuse(*host, ctx, state, calls, refusal).await;
        match cut {
            Some(End::Interrupted) => Err(End::Interrupted),
            Some(End::Completed(_) | End::Failed(_)) | None => Ok(()),
        }
    }

    /// Warns the model and the clients of repeated calls, and ends the turn after two warnings.
    fn warn_of_repeats(&mut self, judgement: Judgement, behind: Behind) -> Next {
        let (message, hint) = match judgement {
            Judgement::Fine => return Next::Step,
            Judgement::Warn(1) => ("the model is repeating the same call", None),
            Judgement::Warn(_) => ("the model is repeating the same calls", None),
            Judgement::Stop => (
                "the turn was stopped: the model kept repeating the same calls after two warnings",
                Some("send a prompt with other instructions"),
            ),
        };
        self.host.record(Event::Notice(Notice {
            level: NoticeLevel::Warning,
            code: "loopDetected".to_owned(),
            message: message.to_owned(),
            hint: hint.map(str::to_owned),
        }));
        if judgement == Judgement::Stop {
            return Next::Stop(StopReason::Limit);
        }
        let calls = if judgement == Judgement::Warn(1) { "call" } else { "calls" };
        let waits = |tool: &&Arc<dyn Tool>| tool.does().is_some_and(Builtin::waits);
        let waiting = self.ctx.tools.list.iter().find(waits);
        self.add_text(match waiting.filter(|_| behind == Behind::Something) {
            None => from_engine(format_args!(
                "you keep making the same {calls} with the same arguments. The results will not change. Try something else, or explain what is blocking you.",
            )),
            Some(tool) => from_engine(format_args!(
                "you keep making the same {calls} and getting the same results. To wait for what runs in the background, call `{}`, which returns when there is something new.",
                tool.name(),
            )),
        });
        Next::Step
    }
}

fn judge(
    loop_guard: &mut LoopGuard,
    behind: Behind,
    tools: &[Arc<dyn Tool>],
    assistant: &Assistant,
    results: &[Arc<Message>],
) -> Judgement {
    let result_of = |call: &str| {
        results.iter().find_map(|message| match &**message {
            Message::ToolResult(result) if result.call_id == call => Some(result),
            Message::ToolResult(_) | Message::User(_) | Message::Assistant(_) => None,
        })
    };
    let calls = assistant.blocks.iter().filter_map(|block| match block {
        AssistantBlock::ToolCall { id, name, arguments, .. } => {
            let tool = tools.iter().find(|tool| tool.name() == name);
            let does = tool.and_then(|tool| tool.does());
            let result = result_of(id);
            let is_error = result.is_some_and(|result| result.is_error);
            let result = result.map(|result| &*result.content).unwrap_or_default();
            let ended = Ended { tool: name, does, arguments, result, is_error };
            Some(loop_guard.judge(ended, behind))
        }
        AssistantBlock::Text { .. }
        | AssistantBlock::Reasoning { .. }
        | AssistantBlock::Unknown(_) => None,
    });
    calls.fold(Judgement::Fine, |all, one| if one == Judgement::Fine { all } else { one })
}

/// Adds a hint to the error about a conversation that is too long and cannot be compacted further.
fn too_long(error: TurnError, conversation: &Conversation) -> TurnError {
    let is_first = !conversation.messages.iter().any(|message| match &**message {
        Message::Assistant(_) => true,
        Message::User(_) | Message::ToolResult(_) => false,
    });
    let hint = if is_first {
        "this message alone exceeds the model's context window: attach less, or choose a model with a larger one"
    } else {
        "choose a model with a larger context window, or start a new session"
    };
    TurnError { hint: error.hint.or_else(|| Some(hint.to_owned())), ..error }
}
