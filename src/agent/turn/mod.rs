//! One turn, from its prompt until the model stops, the turn is stopped, or it fails.
//!
//! The conversation is moved in and returned in [`Finished`]. A turn sees its session only as a [`TurnHost`], which records events, hands out
//! waiting messages and asks for permission. Every await that can wait for the outside races the turn's cancellation.

mod action;
mod after_reply;
pub(super) mod approval;
mod call;
mod calls;
pub(super) mod check_settings;
mod compaction;
pub(super) mod context;
mod continuation;
pub(super) mod diagnostics;
mod edit_checks;
mod hook_context;
mod hook_points;
pub(super) mod inputs;
pub(super) mod limits;
mod lint;
mod loop_guard;
mod messages;
pub(super) mod meter;
pub(super) mod mode;
pub(super) mod permit;
mod prompt;
mod proposal;
mod provider_calls;
pub(super) mod retry;
mod ruling;
mod served;
pub(super) mod servers;
mod step;
pub(super) mod structured_output;
pub(super) mod system_prompt;
mod text_tools;
mod turn_loop;

pub use approval::TOOL_LIST;
pub use check_settings::{CheckSettings, LINT_TIMEOUT, Lint};
pub(super) use context::{End, Finished, TurnContext, TurnState, Work};
pub use diagnostics::REPORT_WAIT;
pub use limits::{Budget, Limits};
pub(super) use permit::RuleFiles;
pub use permit::{Explained, PermissionPolicy, SandboxPolicy};
pub use retry::RetryPolicy;

use crate::host::TurnHost;
use crate::turn::context::Tally;
use crate::turn::hook_points::Begun;
use crate::turn::meter::specs;
use crate::turn::structured_output::StructuredOutput;
use crate::turn::turn_loop::TurnLoop;
use pintle_llm::Message;
use pintle_protocol::event::{QueuedInput, StopReason, TransientEvent};
use pintle_protocol::item::{CompactionReason, EngineMessage};
use std::sync::Arc;

/// Runs a turn. It always ends with a conversation that any provider accepts.
pub(super) async fn run<H: TurnHost>(
    host: &mut H,
    mut ctx: TurnContext,
    mut state: TurnState,
    work: Work,
) -> Finished {
    let mut tally = Tally::default();
    state.meter.begin();
    host.grants_mut().begin_turn();
    prompt::begin(host, &mut ctx, &mut state).await;
    servers::begin(host, &mut ctx, &mut state, &work).await;
    served::begin(&ctx, &state.served);
    provider_calls::begin(host, &mut ctx).await;
    let done = match work {
        Work::Answer(inputs) => {
            let output = StructuredOutput::for_inputs(&inputs);
            match open(host, &mut ctx, &mut state, inputs).await {
                // On the heap, since the loop's future contains the state of everything that a turn may wait for.
                Ok(()) => {
                    let turn = TurnLoop::new(host, &ctx, &mut state, &mut tally, output);
                    Box::pin(turn.run()).await
                }
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

/// Compacts the conversation at the user's request.
async fn compact_now<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    instructions: Option<&str>,
    tally: &mut Tally,
) -> Result<StopReason, End> {
    let tools = specs(&ctx.tools.list, &ctx.tools.settings);
    let request =
        compaction::CompactionRequest { reason: CompactionReason::Requested, instructions };
    compaction::compact(host, ctx, state, &tools, tally, request).await?;
    let usage = compaction::usage(ctx, &mut state.meter, &tools, &state.conversation.messages);
    host.transient(TransientEvent::Context(usage));
    Ok(StopReason::EndTurn)
}

/// Summarizes an abandoned branch for the model.
async fn summarize_branch<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    left: &[Arc<Message>],
    tally: &mut Tally,
) -> Result<StopReason, End> {
    if let Some(text) = compaction::summarize_branch(host, ctx, left, tally).await? {
        let message = EngineMessage { text, summarizes_rewound: true, ..EngineMessage::default() };
        messages::add(host, ctx, &mut state.conversation, message);
        host.check()?;
    }
    Ok(StopReason::EndTurn)
}

/// Reads the messages that start a turn, as changed by hooks.
///
/// # Errors
/// A hook denied or handled them, or the turn was stopped.
async fn open<H: TurnHost>(
    host: &mut H,
    ctx: &mut TurnContext,
    state: &mut TurnState,
    inputs: Vec<QueuedInput>,
) -> Result<(), End> {
    messages::add_news(host, ctx, &mut state.conversation);
    messages::add_changed_files(host, ctx, state).await;
    let (mut inputs, end) = hook_points::inputs(host, ctx, inputs).await;
    if let (Some(end), true) = (end, inputs.is_empty()) {
        return Err(end);
    }
    let begun = hook_points::begin(host, ctx, &mut inputs).await;
    let files = messages::add_inputs(host, ctx, &mut state.conversation, inputs).await;
    host.check()?;
    messages::add_rules_for(host, ctx, state, &files).await;
    let Begun { system, context } = begun?;
    if let Some(system) = system {
        ctx.system = system;
    }
    for text in context {
        messages::add_text(host, ctx, &mut state.conversation, text);
    }
    Ok(())
}
