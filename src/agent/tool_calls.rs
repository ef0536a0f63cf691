//! A batch of tool calls, prepared by their step: approve → run → finish.
//!
//! Calls of one reply run side by side where every one of them only reads, else one after the other. Whatever
//! happens, each call gets exactly one result, in the order of the calls.

use super::approval::{self, Place, Verdict};
use super::call::Call;
use super::emit::SessionLost;
use super::hooks::points;
use super::mode;
use super::turn::{End, Moved, Tally, TurnContext};
use crate::llm::{Message, ToolResult as ModelResult};
use crate::store::artifacts;
use crate::text::truncate;
use crate::tools::{Access, Client, Progress, ToolContext};
use futures_util::future::join_all;
use pintle_protocol::approval::{Approval, DecidedBy, Decision, Scope};
use pintle_protocol::content::Content;
use pintle_protocol::diff::FileChange;
use pintle_protocol::event::{DeltaField, Event, ItemDelta, QueuedInput, TransientEvent};
use pintle_protocol::ids::ApprovalId;
use pintle_protocol::item::{
    FullOutput, Item, ItemBody, ItemStatus, ToolCall, ToolDetails, ToolResult,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// How many pieces of output may wait while the session is busy; more are dropped, the result holds all.
const PROGRESS_CAPACITY: usize = 16;

/// How long a cancelled tool may take to stop and clean up before it is dropped, which kills its processes.
const STOP_GRACE: Duration = Duration::from_secs(5);

/// A batch that is over; the results are in the conversation.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Messages that arrived meanwhile. They were taken out of the queue, so they are to be read whatever comes.
    pub(super) steers: Vec<QueuedInput>,
    /// What was changed in files.
    pub(super) changes: Vec<FileChange>,
    /// Why the turn ends, if it does.
    pub(super) ended: Option<End>,
}

/// Runs the calls of a reply.
pub(super) async fn run(
    ctx: &TurnContext,
    moved: &mut Moved,
    calls: Vec<Call>,
    tally: &mut Tally,
) -> Batch {
    let only_reads = calls.iter().all(|call| {
        call.prepared.as_ref().map_or(true, |call| matches!(call.access(), Access::Read(_)))
    });
    if only_reads && calls.len() > 1 {
        return run_together(ctx, moved, calls, tally).await;
    }

    let mut steers = Vec::new();
    let mut ended = None;
    let mut changes = Vec::new();
    for (place, call) in calls.into_iter().enumerate() {
        if ended.is_none() && place > 0 && steers.is_empty() {
            match ctx.session.take_steers().await {
                Ok(waiting) => steers = waiting,
                Err(lost) => ended = Some(lost.into()),
            }
        }
        let (call, outcome) = if ended.is_some() || ctx.cancel.is_cancelled() {
            ended.get_or_insert(End::Interrupted);
            (call, Outcome::cancelled())
        } else if !steers.is_empty() {
            (call, Outcome::skipped())
        } else {
            let mut call = call;
            match approve_and_run(ctx, moved, &mut call, tally).await {
                Ok(outcome) => (call, outcome),
                Err((outcome, end)) => {
                    ended = Some(end);
                    (call, outcome)
                }
            }
        };
        changes.extend(outcome.result.details.changes.iter().cloned());
        let result = finish(ctx, call, outcome).await;
        moved.conversation.push(Message::ToolResult(result));
    }
    take_last(ctx, Batch { steers, changes, ended }).await
}

/// Ends a batch: looks once more whether it was stopped, and whether messages arrived.
async fn take_last(ctx: &TurnContext, mut batch: Batch) -> Batch {
    if ctx.cancel.is_cancelled() {
        batch.ended.get_or_insert(End::Interrupted);
    }
    if batch.ended.is_none() && batch.steers.is_empty() {
        match ctx.session.take_steers().await {
            Ok(waiting) => batch.steers = waiting,
            Err(lost) => batch.ended = Some(lost.into()),
        }
    }
    batch
}

async fn run_together(
    ctx: &TurnContext,
    moved: &mut Moved,
    calls: Vec<Call>,
    tally: &mut Tally,
) -> Batch {
    let running = calls.into_iter().map(|mut call| async {
        let outcome = match points::call(ctx, &mut call).await {
            Some(denial) => Outcome::declined(ctx, denial, &mut Tally::default()),
            None => match begin(ctx, &mut call).await {
                Ok(()) => execute(ctx, &mut call).await,
                Err(_) => Outcome::cancelled(),
            },
        };
        let is_declined = outcome.status == ItemStatus::Declined;
        (finish(ctx, call, outcome).await, is_declined)
    });
    for (result, is_declined) in join_all(running).await {
        tally.denials += u32::from(is_declined);
        moved.conversation.push(Message::ToolResult(result));
    }
    take_last(ctx, Batch::default()).await
}

/// The files that calls are about.
pub(super) fn touched(calls: &[Call]) -> Vec<PathBuf> {
    let paths = calls.iter().filter_map(|call| match &call.prepared {
        Ok(prepared) => Some(prepared.locations()),
        Err(_) => None,
    });
    paths.flatten().map(|location| PathBuf::from(location.path)).collect()
}

fn tool_call(item: &mut Item) -> Option<&mut ToolCall> {
    match &mut item.body {
        ItemBody::ToolCall(call) => Some(call),
        ItemBody::UserMessage(_)
        | ItemBody::AgentMessage(_)
        | ItemBody::Reasoning(_)
        | ItemBody::Job(_)
        | ItemBody::Subagent(_)
        | ItemBody::Compaction(_)
        | ItemBody::EngineMessage(_) => None,
    }
}

/// How a call ended.
struct Outcome {
    status: ItemStatus,
    result: ToolResult,
}

impl Outcome {
    fn error(status: ItemStatus, text: impl Into<String>) -> Self {
        let content = vec![Content::text(text)];
        Self { status, result: ToolResult { content, is_error: true, ..ToolResult::default() } }
    }

    /// Somebody said no, unless it was the end of the turn.
    fn declined(ctx: &TurnContext, reason: String, tally: &mut Tally) -> Self {
        if ctx.cancel.is_cancelled() {
            return Self::cancelled();
        }
        tally.denials += 1;
        Self::error(ItemStatus::Declined, reason)
    }

    fn cancelled() -> Self {
        Self::error(ItemStatus::Cancelled, "Operation aborted")
    }

    fn skipped() -> Self {
        Self::error(ItemStatus::Cancelled, "Skipped due to queued user message")
    }
}

async fn approve_and_run(
    ctx: &TurnContext,
    Moved { grants, files, .. }: &mut Moved,
    call: &mut Call,
    tally: &mut Tally,
) -> Result<Outcome, (Outcome, End)> {
    if let Some(denial) = points::call(ctx, call).await {
        return Ok(Outcome::declined(ctx, denial, tally));
    }
    let Ok(prepared) = &call.prepared else { return Ok(execute(ctx, call).await) };
    let access = prepared.access();
    if let Some(reason) = mode::denial(ctx.mode.get(), &access) {
        return Ok(Outcome::declined(ctx, reason, tally));
    }
    let place = place_of(ctx, &access).await;
    let verdict = approval::decide(ctx.permission_mode, &access, place, grants);
    if let Verdict::Ask(reason) = verdict {
        let question = question(ctx, call, &access, place, reason);
        let outcome = match ctx.session.ask(question).await {
            Ok(outcome) => outcome,
            Err(lost) => return Err((Outcome::cancelled(), lost.into())),
        };
        let status = match outcome.by {
            DecidedBy::Interrupt => ItemStatus::Cancelled,
            DecidedBy::Client | DecidedBy::NoApprover => ItemStatus::Declined,
        };
        let denied = || Outcome::error(status, approval::denial_text(&outcome));
        match (outcome.decision, outcome.scope) {
            (Decision::Allow, Scope::Session) => approval::grant(grants, &access, place),
            (Decision::Allow, Scope::Once) => {}
            (Decision::Deny, _) => {
                tally.denials += u32::from(status == ItemStatus::Declined);
                return Ok(denied());
            }
            (Decision::Abort, _) => {
                tally.denials += 1;
                return Err((denied(), End::Interrupted));
            }
        }
    }
    let before = files.before(ctx, &access).await;
    files.announce(ctx, &before, &call.item.id).await;
    if let Err(lost) = begin(ctx, call).await {
        return Err((Outcome::cancelled(), lost.into()));
    }
    let outcome = execute(ctx, call).await;
    files.after(ctx, before, &call.item.id).await;
    Ok(outcome)
}

/// Says in the journal that a call runs, before it does, so that no call ever runs twice.
async fn begin(ctx: &TurnContext, call: &mut Call) -> Result<(), SessionLost> {
    if call.prepared.is_err() {
        return Ok(());
    }
    call.item.status = ItemStatus::Running;
    ctx.session.event(Event::ItemUpdated { item: call.item.clone() }).await;
    ctx.session.barrier().await
}

/// Where a call acts, symbolic links followed.
async fn place_of(ctx: &TurnContext, access: &Access) -> Place {
    let paths = match access {
        Access::Execute(_) | Access::Fetch { .. } | Access::Other(_) => return Place::Inside,
        Access::Read(paths) | Access::Write(paths) => paths,
    };
    let roots = ctx.roots().await;
    for path in paths {
        match ctx.env.canonicalize(path).await {
            Ok(path) if roots.iter().any(|root| path.starts_with(root)) => {}
            Ok(_) | Err(_) => return Place::Outside,
        }
    }
    Place::Inside
}

fn question(
    ctx: &TurnContext,
    call: &Call,
    access: &Access,
    place: Place,
    reason: String,
) -> Approval {
    let (title, kind, locations, input) = match &call.item.body {
        ItemBody::ToolCall(body) => {
            let input = body.changed_input.as_ref().or(body.input.as_ref());
            (body.title.clone(), body.kind, body.locations.clone(), input.cloned())
        }
        ItemBody::UserMessage(_)
        | ItemBody::AgentMessage(_)
        | ItemBody::Reasoning(_)
        | ItemBody::Job(_)
        | ItemBody::Subagent(_)
        | ItemBody::Compaction(_)
        | ItemBody::EngineMessage(_) => {
            (call.tool_name.clone(), pintle_protocol::item::ToolKind::Other, Vec::new(), None)
        }
    };
    Approval {
        approval_id: ApprovalId::new(ctx.ambient.new_id()),
        session_id: ctx.session_id.clone(),
        turn_id: ctx.turn_id.clone(),
        item_id: call.item.id.clone(),
        tool_name: call.tool_name.clone(),
        kind,
        title,
        reason,
        input: input.unwrap_or_default(),
        locations,
        options: approval::options(access, place),
    }
}

async fn execute(ctx: &TurnContext, call: &mut Call) -> Outcome {
    let refused = Err("The call was already run.".to_owned());
    let prepared = match std::mem::replace(&mut call.prepared, refused) {
        Ok(prepared) => prepared,
        Err(message) => return Outcome::error(ItemStatus::Failed, message),
    };
    let (progress, mut pieces) = mpsc::channel(PROGRESS_CAPACITY);
    let cancel = ctx.cancel.child_token();
    let tool_ctx = ToolContext {
        env: ctx.env.clone(),
        cwd: ctx.folders.cwd.clone(),
        artifacts: Some(ctx.artifacts.clone()),
        ledger: ctx.ledger.clone(),
        owner: ctx.session_id.to_string(),
        variables: ctx.variables.clone(),
        jobs: ctx.jobs.clone(),
        agents: ctx.agents.clone(),
        client: Client::new(ctx.client.clone(), call.item.id.clone()),
        pruned: Arc::clone(&ctx.pruned.borrow()),
        cancel: cancel.clone(),
        progress: Progress::new(progress),
        settings: Arc::clone(&ctx.tool_settings),
    };
    let mut running = std::pin::pin!(prepared.run(&tool_ctx));
    let out_of_patience = async {
        cancel.cancelled().await;
        tokio::time::sleep(STOP_GRACE).await;
    };
    let mut out_of_patience = std::pin::pin!(out_of_patience);
    let mut n = 0;
    let mut result = loop {
        tokio::select! {
            biased;
            result = &mut running => break result,
            () = &mut out_of_patience => return Outcome::cancelled(),
            Some(text) = pieces.recv() => {
                let item_id = call.item.id.clone();
                let delta = ItemDelta { item_id, field: DeltaField::Output, path: None, n, to: None, text };
                n += 1;
                ctx.session.transient(TransientEvent::ItemDelta(delta)).await;
            }
        }
    };
    points::result(ctx, call, &mut result).await;
    let status = match (result.is_error, ctx.cancel.is_cancelled()) {
        (false, _) => ItemStatus::Completed,
        (true, true) => ItemStatus::Cancelled,
        (true, false) => ItemStatus::Failed,
    };
    Outcome { status, result }
}

async fn finish(ctx: &TurnContext, call: Call, outcome: Outcome) -> ModelResult {
    let Call { mut item, provider_id: call_id, tool_name, .. } = call;
    let Outcome { status, mut result } = outcome;
    limit(ctx, &tool_name, &mut result).await;
    let model_result = ModelResult {
        call_id,
        tool_name,
        content: result.content.clone(),
        is_error: result.is_error,
    };
    if let Some(call) = tool_call(&mut item) {
        call.output = Some(result);
    }
    ctx.complete(&mut item, status);
    ctx.session.event(Event::ItemCompleted { item }).await;
    model_result
}

/// Lets no more through to the model than the tool's guard allows; what is cut is kept for clients.
async fn limit(ctx: &TurnContext, tool_name: &str, result: &mut ToolResult) {
    let guard = ctx.tools.iter().find(|tool| tool.name() == tool_name).map(|tool| tool.guard());
    for content in &mut result.content {
        let (Content::Text { text }, Some(guard)) = (content, guard) else { continue };
        let Some(cut) = truncate::guard(text, guard) else { continue };
        let full = std::mem::replace(text, cut);
        if result.details.full_output_path.is_none() {
            result.details.full_output = keep(ctx, full).await;
        }
    }
    name_full_output(&mut result.details, &ctx.artifacts);
}

/// What was written into the session's folder can be read from there.
pub(super) fn name_full_output(details: &mut ToolDetails, artifacts: &Path) {
    if let (Some(path), Some(record)) = (&details.full_output_path, &details.truncation)
        && let Ok(name) = Path::new(path).strip_prefix(artifacts)
    {
        let r#ref = name.to_string_lossy().into_owned();
        details.full_output = Some(FullOutput { r#ref, bytes: record.total_bytes });
    }
}

async fn keep(ctx: &TurnContext, text: String) -> Option<FullOutput> {
    let artifacts = ctx.artifacts.clone();
    let bytes = text.len() as u64;
    let kept = tokio::task::spawn_blocking(move || artifacts::keep(&artifacts, &text)).await;
    match kept {
        Ok(Ok(r#ref)) => Some(FullOutput { r#ref, bytes }),
        Ok(Err(error)) => {
            tracing::warn!("a long output could not be kept: {error}");
            None
        }
        Err(_) => None,
    }
}
