//! The loop: one turn, from a prompt until the model stops by itself, is stopped, or cannot go on.
//!
//! The conversation is moved in and comes back in [`Finished`]. A turn knows its session as a [`Host`] alone: it records events, takes
//! waiting messages, asks for permission. Every await that can wait on the outside races the turn's cancellation.

pub(super) mod approval;
pub(super) mod briefing;
mod call;
mod calls;
mod confine;
pub(super) mod context;
mod continuation;
pub(super) mod diagnostics;
mod edit_checks;
mod hook_context;
mod hook_points;
pub(super) mod inputs;
pub(super) mod limits;
pub(super) mod lint;
mod loop_guard;
pub(super) mod meter;
pub(super) mod mode;
pub(super) mod permit;
mod prompt;
mod provider_calls;
pub(super) mod retry;
mod room;
mod ruling;
mod served;
pub(super) mod servers;
mod step;
pub(super) mod structured_output;

pub use approval::TOOL_LIST;
pub(super) use context::{End, Finished, TurnContext, TurnState, Work};
pub use diagnostics::REPORT_WAIT;
pub use limits::{Budget, Limits};
pub use lint::{LINT_TIMEOUT, Lint};
pub use permit::{Explained, PermissionPolicy, SandboxPolicy};
pub use retry::RetryPolicy;

use crate::host::{Host, uncancelled};
use crate::turn::calls::Batch;
use crate::turn::context::Tally;
use crate::turn::continuation::Continuations;
use crate::turn::edit_checks::EditFeedback;
use crate::turn::hook_points::Begun;
use crate::turn::inputs::Rendered;
use crate::turn::limits::{Used, Warnings, last_words};
use crate::turn::loop_guard::{Behind, Judgement, LoopGuard};
use crate::turn::meter::specs;
use crate::turn::step::StepReply;
use crate::turn::structured_output::{StructuredOutput, Verdict};
use pintle_llm::{Assistant, AssistantBlock, Message, ToolSpec};
use pintle_protocol::event::{
    Event, Notice, NoticeLevel, QueuedInput, StopReason, TransientEvent, TurnError,
};
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{CompactionReason, EngineMessage, ItemBody, ItemStatus, UserMessage};
use pintle_session::context::conversation::{Conversation, engine_message, from_engine};
use pintle_tools::Tool;
use std::path::PathBuf;
use std::sync::Arc;

/// The code of a provider's refusal because the conversation is too long.
const OVERFLOW: &str = "overflow";

/// The code of a refusal of a request as it is.
const INVALID: &str = "invalidRequest";

/// More changed files are counted, not listed.
const MAX_CHANGED_FILES: usize = 20;

/// Runs a turn. It always ends with a conversation that any provider accepts.
pub(super) async fn run<H: Host>(
    host: &mut H,
    mut ctx: TurnContext,
    mut state: TurnState,
    work: Work,
) -> Finished {
    let mut tally = Tally::default();
    state.meter.begin();
    state.grants.begin_turn();
    prompt::begin(host, &mut ctx, &mut state).await;
    servers::begin(host, &mut ctx, &mut state).await;
    provider_calls::begin(host, &mut ctx).await;
    let done = match work {
        Work::Answer(inputs) => {
            let output = StructuredOutput::of(&inputs);
            match open(host, &mut ctx, &mut state, inputs).await {
                // On the heap, since the loop holds the state of everything that a turn may wait for.
                Ok(()) => Box::pin(drive(host, &ctx, &mut state, &mut tally, output)).await,
                Err(end) => Err(end),
            }
        }
        Work::Compact(instructions) => {
            compact_now(host, &ctx, &mut state, instructions.as_deref(), &mut tally).await
        }
        Work::SummarizeBranch(left) => {
            summarize_branch(host, &ctx, &mut state, &left, &mut tally).await
        }
    };
    let end = match done {
        Ok(stop) => End::Completed(stop),
        Err(end) => end,
    };
    Finished { state, end, tally }
}

/// Sums up the conversation because a person asked for it.
async fn compact_now<H: Host>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    instructions: Option<&str>,
    tally: &mut Tally,
) -> Result<StopReason, End> {
    let tools = specs(&ctx.tools.list, &ctx.tools.settings);
    let wanted = room::CompactionRequest { reason: CompactionReason::Requested, instructions };
    room::compact(host, ctx, state, &tools, tally, wanted).await?;
    let usage = room::usage(ctx, &mut state.meter, &tools, &state.conversation.messages);
    host.transient(TransientEvent::Context(usage));
    Ok(StopReason::EndTurn)
}

/// Sums up what was left behind, and tells the model.
async fn summarize_branch<H: Host>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    left: &[Arc<Message>],
    tally: &mut Tally,
) -> Result<StopReason, End> {
    if let Some(text) = room::summarize_branch(host, ctx, left, tally).await? {
        let message = EngineMessage { text, sums_up_left: true, ..EngineMessage::default() };
        tell_of(host, ctx, &mut state.conversation, message);
        host.check()?;
    }
    Ok(StopReason::EndTurn)
}

/// Reads the messages that begin a turn, as hooks leave them.
///
/// # Errors
/// A hook denied or handled them, or the turn was stopped.
async fn open<H: Host>(
    host: &mut H,
    ctx: &mut TurnContext,
    state: &mut TurnState,
    inputs: Vec<QueuedInput>,
) -> Result<(), End> {
    read_news(host, ctx, &mut state.conversation);
    tell_changed_files(host, ctx, state).await;
    let (mut inputs, end) = hook_points::inputs(host, ctx, inputs).await;
    if let (Some(end), true) = (end, inputs.is_empty()) {
        return Err(end);
    }
    let begun = hook_points::begin(host, ctx, &mut inputs).await;
    let files = read_inputs(host, ctx, &mut state.conversation, inputs).await;
    host.check()?;
    tell_of_places(host, ctx, state, &files).await;
    let Begun { system, context } = begun?;
    if let Some(system) = system {
        ctx.system = system;
    }
    for text in context {
        tell(host, ctx, &mut state.conversation, text);
    }
    Ok(())
}

async fn drive<H: Host>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    tally: &mut Tally,
    mut output: Option<StructuredOutput>,
) -> Result<StopReason, End> {
    if let Some(output) = &output {
        tell(host, ctx, &mut state.conversation, output.instructions());
    }
    let tools = specs(&ctx.tools.list, &ctx.tools.settings);
    // The clock of the machine may be set meanwhile.
    let began = tokio::time::Instant::now();
    let mut loop_guard = LoopGuard::new(ctx.limits.loop_window);
    let mut continuations = Continuations::default();
    let mut is_shortened = false;
    let mut tool_calls = 0_u64;
    let mut linted = String::new();
    let mut edit_checks = EditFeedback::default();
    let mut warnings = Warnings::default();
    loop {
        let elapsed_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        if let Some(notice) = ctx.limits.reached(tally.steps, tool_calls, &ctx.budget, elapsed_ms) {
            let reason = notice.message.clone();
            host.record(Event::Notice(notice));
            if ctx.limits.are_told {
                // On the heap: a turn that reaches no limit needs no room for it.
                Box::pin(sum_up(host, ctx, state, tally, &tools, output, &reason)).await?;
            }
            return Ok(StopReason::Limit);
        }
        let used = Used { steps: tally.steps, tool_calls, elapsed_ms };
        let due = ctx.limits.are_told.then(|| warnings.next(&ctx.limits, &ctx.budget, used));
        if let Some(text) = due.flatten() {
            tell(host, ctx, &mut state.conversation, text);
        }
        if room::before_request(host, ctx, state, &tools, tally).await? {
            let steers = host.take_steers().await;
            let files = read_inputs(host, ctx, &mut state.conversation, steers).await;
            tell_of_places(host, ctx, state, &files).await;
        }
        let conversation = &mut state.conversation;
        let changed = hook_points::context(host, ctx, &conversation.messages).await;
        let messages = changed.as_ref().unwrap_or(&conversation.messages);
        hook_points::request(host, ctx, messages.len()).await?;
        let output_schema =
            output.as_ref().and_then(|output| output.for_provider(!tools.is_empty()));
        let is_native = output_schema.is_some();
        let wanted = step::Wanted { messages, tools: &tools, output_schema };
        let reply = step::run(host, ctx, &wanted, tally).await;
        served::check(host, ctx, &mut state.served, &tools, messages).await;
        let reply = match reply {
            // The provider may know no schemas, or refuse this one: the engine's own check is left.
            Err(End::Failed(error)) if error.code == INVALID && is_native => {
                if let Some(output) = &mut output {
                    output.refused();
                }
                continue;
            }
            // The provider finds it too long: make room, and ask once more.
            Err(End::Failed(error)) if error.code == OVERFLOW && !is_shortened => {
                is_shortened = true;
                let wanted = room::CompactionRequest {
                    reason: CompactionReason::Overflow,
                    instructions: None,
                };
                let is_shorter = room::compact(host, ctx, state, &tools, tally, wanted).await?;
                if is_shorter {
                    continue;
                }
                return Err(End::Failed(too_long(error, &state.conversation)));
            }
            Err(End::Failed(error)) if error.code == OVERFLOW => {
                return Err(End::Failed(too_long(error, &state.conversation)));
            }
            reply => reply?,
        };
        is_shortened = false;
        let StepReply { assistant, calls, usage, cut } = reply;
        tool_calls += calls.len() as u64;
        let stop = assistant.stop;
        hook_points::response(host, ctx, &assistant).await;
        let behind = if host.has_work_behind() { Behind::Something } else { Behind::Nothing };
        let judgement = judge(&mut loop_guard, behind, &ctx.tools.list, &assistant);
        let is_blank = continuation::is_blank(&assistant.blocks);
        if !is_blank {
            continuations.replied();
        }
        // A reply that goes on is no final message.
        let verdict = match &mut output {
            Some(output) if calls.is_empty() && cut.is_none() && ends_turn(stop) && !is_blank => {
                Some(output.judge(&assistant.blocks))
            }
            Some(_) | None => None,
        };
        if !assistant.blocks.is_empty() {
            state.conversation.push(Message::Assistant(assistant));
            state.meter.count(&usage, state.conversation.messages.len());
        }
        let usage = room::usage(ctx, &mut state.meter, &tools, &state.conversation.messages);
        host.transient(TransientEvent::Context(usage));
        if let Some(end) = cut {
            return Err(end);
        }
        let touched = calls::touched(&calls, &ctx.workspace.folders);
        let Batch { steers, changes, ended } = if calls.is_empty() && stop == StopReason::Paused {
            // The provider goes on with the reply as it stands; a message behind it would end what it was doing.
            Batch::default()
        } else if calls.is_empty() {
            let steers = host.take_steers().await;
            if steers.is_empty() {
                let next = continuations.after(stop, is_blank, ctx.limits.continuations);
                let text = match (next, verdict) {
                    (Some(text), _) => from_engine(text),
                    (None, Some(Verdict::Again(text))) => text,
                    (None, Some(Verdict::Failed(error))) => return Err(End::Failed(error)),
                    (None, Some(Verdict::Valid(value))) => {
                        tally.structured = Some(value);
                        return Ok(stop);
                    }
                    (None, None) => {
                        if let Some(notice) = continuations.notice() {
                            host.record(Event::Notice(notice));
                        }
                        return match &output {
                            Some(_) => Err(End::Failed(structured_output::missing())),
                            None => Ok(stop),
                        };
                    }
                };
                tell(host, ctx, &mut state.conversation, text);
            }
            Batch { steers, ..Batch::default() }
        } else {
            edit_checks.begin(ctx);
            calls::run(host, ctx, state, calls, tally).await
        };
        let (steers, _) = hook_points::inputs(host, ctx, steers).await;
        let files = read_inputs(host, ctx, &mut state.conversation, steers).await;
        if let Some(end) = ended {
            return Err(end);
        }
        let touched: Vec<PathBuf> = touched.into_iter().chain(files).collect();
        tell_of_places(host, ctx, state, &touched).await;
        if let Some(lint) = &ctx.checks.lint {
            let told = lint::run(host, ctx, lint, &changes, &mut linted);
            if let Some(text) = told.await {
                tell(host, ctx, &mut state.conversation, text);
            }
        }
        if let Some(text) = host.wait(edit_checks.end(ctx, &changes)).await {
            tell(host, ctx, &mut state.conversation, text);
        }
        read_news(host, ctx, &mut state.conversation);
        servers::tell_changes(host, ctx, &mut state.conversation);
        host.check()?;
        if warn_of_repeats(host, ctx, &mut state.conversation, judgement) {
            return Ok(StopReason::Limit);
        }
    }
}

/// Lets the model reply once more after a limit, without tools. Whatever comes of it, the limit ended the turn.
///
/// # Errors
/// The turn was stopped meanwhile.
async fn sum_up<H: Host>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    tally: &mut Tally,
    tools: &Arc<[ToolSpec]>,
    output: Option<StructuredOutput>,
    reason: &str,
) -> Result<(), End> {
    tell(host, ctx, &mut state.conversation, last_words(reason));
    let messages = &state.conversation.messages;
    let wanted = step::Wanted { messages, tools, output_schema: None };
    let StepReply { assistant, calls, cut, .. } = match step::run(host, ctx, &wanted, tally).await {
        Ok(reply) => reply,
        Err(End::Interrupted) => return Err(End::Interrupted),
        Err(End::Completed(_) | End::Failed(_)) => return Ok(()),
    };
    if let Some(mut output) = output
        && cut.is_none()
        && let Verdict::Valid(value) = output.judge(&assistant.blocks)
    {
        tally.structured = Some(value);
    }
    if !assistant.blocks.is_empty() {
        state.conversation.push(Message::Assistant(assistant));
    }
    calls::refuse(
        host,
        ctx,
        state,
        calls,
        "A limit of the task is reached. This call did not run.",
    )
    .await;
    match cut {
        Some(End::Interrupted) => Err(End::Interrupted),
        Some(End::Completed(_) | End::Failed(_)) | None => Ok(()),
    }
}

/// Returns true where a reply without calls is the last one of a turn.
fn ends_turn(stop: StopReason) -> bool {
    match stop {
        StopReason::EndTurn | StopReason::ToolUse | StopReason::Other => true,
        StopReason::MaxTokens | StopReason::Refusal | StopReason::Paused | StopReason::Limit => {
            false
        }
    }
}

/// Says what to do about a conversation that its provider finds too long, and that could not be made shorter.
fn too_long(error: TurnError, conversation: &Conversation) -> TurnError {
    let is_first = !conversation.messages.iter().any(|message| match &**message {
        Message::Assistant(_) => true,
        Message::User(_) | Message::ToolResult(_) => false,
    });
    let hint = if is_first {
        "the message alone is too long for this model: attach less, or choose a model with a larger context window"
    } else {
        "choose a model with a larger context window, or begin a new session"
    };
    TurnError { hint: error.hint.or_else(|| Some(hint.to_owned())), ..error }
}

/// Takes note of a reply's calls.
fn judge(
    loop_guard: &mut LoopGuard,
    behind: Behind,
    tools: &[Arc<dyn Tool>],
    assistant: &Assistant,
) -> Judgement {
    let calls = assistant.blocks.iter().filter_map(|block| match block {
        AssistantBlock::ToolCall { name, arguments, .. } => {
            let tool = tools.iter().find(|tool| tool.name() == name);
            Some(loop_guard.judge(name, tool.and_then(|tool| tool.does()), arguments, behind))
        }
        AssistantBlock::Text { .. }
        | AssistantBlock::Reasoning { .. }
        | AssistantBlock::Unknown(_) => None,
    });
    calls.fold(Judgement::Fine, |all, one| if one == Judgement::Fine { all } else { one })
}

/// Tells a model that goes in loop_guard, and whoever watches. True when the turn is to end.
fn warn_of_repeats<H: Host>(
    host: &mut H,
    ctx: &TurnContext,
    conversation: &mut Conversation,
    judgement: Judgement,
) -> bool {
    let (message, hint, is_over) = match judgement {
        Judgement::Fine => return false,
        Judgement::Warn(1) => ("the model makes the same call again and again", None, false),
        Judgement::Warn(_) => ("the model makes the same calls over and over", None, false),
        Judgement::Stop => (
            "the turn was ended: the model went on with the same calls after two warnings",
            Some("send a prompt that says what it is to do instead"),
            true,
        ),
    };
    host.record(Event::Notice(Notice {
        level: NoticeLevel::Warning,
        code: "loopDetected".to_owned(),
        message: message.to_owned(),
        hint: hint.map(str::to_owned),
    }));
    if !is_over {
        let text = from_engine(format_args!(
            "you make the same {} over and over, with the same arguments. \
            Their results will not change. Try something else, or say what keeps you from going on.",
            if judgement == Judgement::Warn(1) { "call" } else { "calls" }
        ));
        tell(host, ctx, conversation, text);
    }
    is_over
}

/// Tells the model something by itself.
fn tell<H: Host>(host: &mut H, ctx: &TurnContext, conversation: &mut Conversation, text: String) {
    tell_of(host, ctx, conversation, EngineMessage { text, ..EngineMessage::default() });
}

/// Tells the model which of the files that it knows somebody else has changed since, each change once.
async fn tell_changed_files<H: Host>(host: &mut H, ctx: &TurnContext, state: &mut TurnState) {
    let look = ctx.tools.ledger.changed(ctx.workspace.env.as_ref(), &ctx.cancel);
    let Some(mut changed) = host.wait(uncancelled(&ctx.cancel, look)).await else { return };
    changed.retain(|file| !state.files.is_of_session(file));
    if changed.is_empty() {
        return;
    }
    let named = changed.iter().take(MAX_CHANGED_FILES).map(|file| {
        let gone = if file.digest.is_none() { " (removed)" } else { "" };
        format!("{}{gone}", file.path.display())
    });
    let mut lines: Vec<String> = named.collect();
    if changed.len() > MAX_CHANGED_FILES {
        lines.push(format!("and {} more", changed.len() - MAX_CHANGED_FILES));
    }
    let text = from_engine(format_args!(
        "these files were changed by the user or another program since you last read or wrote them. Read them again before you \
        rely on their content.\n{}",
        lines.join("\n")
    ));
    tell(host, ctx, &mut state.conversation, text);
}

/// Tells the model what happened beside its calls.
fn read_news<H: Host>(host: &mut H, ctx: &TurnContext, conversation: &mut Conversation) {
    if let Some(message) = host.take_news() {
        tell_of(host, ctx, conversation, message);
    }
}

fn tell_of<H: Host>(
    host: &mut H,
    ctx: &TurnContext,
    conversation: &mut Conversation,
    message: EngineMessage,
) {
    conversation.push(engine_message(&message));
    let id = ItemId::new(ctx.ambient.new_id());
    let mut item = ctx.item(id, None, ItemStatus::Completed, ItemBody::EngineMessage(message));
    ctx.complete(&mut item, ItemStatus::Completed);
    host.record(Event::ItemCompleted { item });
}

/// Gives the model the rules and documents for these files.
async fn tell_of_places<H: Host>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    files: &[PathBuf],
) {
    if !files.is_empty() {
        prompt::tell_rules(host, ctx, state, files).await;
        prompt::tell_documents_below(host, ctx, state, files).await;
    }
}

/// Puts messages of a person into the conversation; from here on they are read. Returns the files that they name.
async fn read_inputs<H: Host>(
    host: &mut H,
    ctx: &TurnContext,
    conversation: &mut Conversation,
    inputs: Vec<QueuedInput>,
) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for QueuedInput { item_id, content, .. } in inputs {
        let rendered = inputs::render(ctx, &content);
        let rendered = host.wait(rendered).await;
        let notice = rendered.notice();
        let Rendered { content: read, private, files: named, .. } = rendered;
        files.extend(named);
        conversation.push(Message::User(read));
        let body = ItemBody::UserMessage(UserMessage { content });
        let mut item = ctx.item(item_id, None, ItemStatus::Completed, body);
        ctx.complete(&mut item, ItemStatus::Completed);
        host.record_with(Event::ItemCompleted { item }, private);
        if let Some(notice) = notice {
            host.record(Event::Notice(notice));
        }
    }
    files
}
