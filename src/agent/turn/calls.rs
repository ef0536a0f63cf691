//! A batch of tool calls, prepared by their step: approve → run → finish.
//!
//! Adjacent calls of a reply run in parallel if each of them only reads and needs no approval; all others run sequentially. In every case
//! each call gets exactly one result, in call order.

use crate::full_output::name_full_output;
use crate::host::{ApprovalReply, JournalLost, TurnHost, uncancelled};
use crate::kept_edits::KeptEdit;
use crate::turn::approval;
use crate::turn::call::Call;
use crate::turn::context::{End, Tally, TurnContext, TurnState};
use crate::turn::hook_points;
use crate::turn::permit::Decided;
use crate::turn::proposal;
use crate::turn::ruling::{Ruling, admit, confine, rule};
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use pintle_base::text::truncate::{self, Guard};
use pintle_base::text::visible::visible_line;
use pintle_llm::{Message, ToolResult as ModelResult};
use pintle_os::names;
use pintle_protocol::approval::{Approval, DecidedBy, Decision};
use pintle_protocol::content::Content;
use pintle_protocol::diff::FileChange;
use pintle_protocol::event::{DeltaField, Event, ItemDelta, Notice, QueuedInput, TransientEvent};
use pintle_protocol::ids::{ApprovalId, ItemId};
use pintle_protocol::item::{Denial, FullOutput, ItemStatus, ToolResult};
use pintle_protocol::plan::WorkMode;
use pintle_session::context::conversation::from_engine;
use pintle_session::store::artifacts;
use pintle_tools::permissions;
use pintle_tools::permissions::command::Analysis;
use pintle_tools::{Access, CEILING, Client, Folders, Progress, Pruned, ToolContext};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The channel capacity for output while the session is busy. Further chunks are dropped; the result contains the full output.
const PROGRESS_CAPACITY: usize = 16;

/// The time that a cancelled tool has to stop and clean up before it is dropped, which kills its processes.
const STOP_GRACE: Duration = Duration::from_secs(5);

/// A finished batch, whose results are in the conversation.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// Messages that arrived meanwhile. They were taken out of the queue, so they are to be read whatever comes.
    pub(crate) steers: Vec<QueuedInput>,
    /// The file changes.
    pub(crate) changes: Vec<FileChange>,
    /// How the turn ended, if it ends here.
    pub(crate) ended: Option<End>,
}

/// Runs a reply's calls.
pub(crate) async fn run<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    mut calls: Vec<Call>,
    tally: &mut Tally,
) -> Batch {
    let problems = host.wait(ctx.permissions.begin((&ctx.workspace).into())).await;
    record_all(host, problems);
    let mut steers = Vec::new();
    let mut ended = None;
    let mut changes = Vec::new();
    let mut is_first = true;
    while !calls.is_empty() {
        if ended.is_none() && !is_first && steers.is_empty() {
            steers = host.take_steers().await;
        }
        is_first = false;
        let is_stopped = ended.is_some() || ctx.cancel.is_cancelled();
        if !is_stopped && steers.is_empty() {
            let mode = host.mode();
            state.grants = host.grants();
            let count = host.wait(beside_each_other(ctx, state, mode, &mut calls)).await;
            if count > 1 {
                let behind = calls.split_off(count);
                let together = std::mem::replace(&mut calls, behind);
                run_together(host, ctx, state, together, tally).await;
                continue;
            }
        }
        let mut call = calls.remove(0);
        let outcome = if is_stopped {
            ended.get_or_insert(End::Interrupted);
            Outcome::cancelled()
        } else if !steers.is_empty() {
            Outcome::skipped()
        } else {
            match approve_and_run(host, ctx, state, &mut call, tally).await {
                Ok(outcome) => outcome,
                Err((outcome, end)) => {
                    ended = Some(end);
                    outcome
                }
            }
        };
        changes.extend(outcome.result.details.changes.iter().cloned());
        let result = finish(host, ctx, call, outcome).await;
        state.conversation.push(Message::ToolResult(result));
    }
    take_last(host, ctx, Batch { steers, changes, ended }).await
}

/// Gives each call of a reply a result that explains why it did not run.
pub(crate) async fn refuse<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    calls: Vec<Call>,
    why: &str,
) {
    for call in calls {
        let outcome = Outcome::error(ItemStatus::Cancelled, why);
        let result = finish(host, ctx, call, outcome).await;
        state.conversation.push(Message::ToolResult(result));
    }
}

/// The maximum number of parallel commands behind a command prefix, where each command occupies a connection.
const MAX_COMMANDS_ELSEWHERE: usize = 2;

/// Returns the number of calls at the start that may run in parallel.
async fn beside_each_other(
    ctx: &TurnContext,
    state: &TurnState,
    mode: WorkMode,
    calls: &mut [Call],
) -> usize {
    let is_one = calls.len() < 2;
    let is_elsewhere = !ctx.workspace.env.is_this_machine();
    let (mut count, mut commands) = (0, 0);
    for call in calls.iter_mut().filter(|_| !is_one) {
        if ctx.tools.withheld(&call.tool_name).is_some() {
            break;
        }
        let access = call.prepared.as_ref().map(|prepared| prepared.access());
        if matches!(access, Ok(Access::Execute(_))) {
            commands += 1;
            if is_elsewhere && commands > MAX_COMMANDS_ELSEWHERE {
                break;
            }
        }
        if call.prepared.is_ok() && admit(ctx, state, mode, call).await.is_err() {
            break;
        }
        count += 1;
    }
    count
}

/// Ends a batch: looks once more whether it was stopped, and whether messages arrived.
async fn take_last<H: TurnHost>(host: &mut H, ctx: &TurnContext, mut batch: Batch) -> Batch {
    if ctx.cancel.is_cancelled() {
        batch.ended.get_or_insert(End::Interrupted);
    }
    if batch.ended.is_none() && batch.steers.is_empty() {
        batch.steers = host.take_steers().await;
    }
    batch
}

/// A call of a parallel batch at a point that the journal records: with its index, and the hooks' problems.
type Staged = (usize, Call, Stage, Vec<Notice>);

/// A point of a call that the journal records.
enum Stage {
    /// Hooks have looked at it; with why it may not run, if one denied it.
    Admitted(Option<String>),
    Ran(Box<Outcome>),
}

/// Runs read-only calls in parallel. Their results are added to the conversation in call order.
async fn run_together<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    calls: Vec<Call>,
    tally: &mut Tally,
) {
    let mode = host.mode();
    state.grants = host.grants();
    let (progress, mut output) = Output::new();
    let pruned = Arc::clone(&state.conversation.removed);
    let mut stages: FuturesUnordered<BoxFuture<'_, Staged>> = FuturesUnordered::new();
    let before_hooks = &*state;
    for (place, mut call) in calls.into_iter().enumerate() {
        stages.push(Box::pin(async move {
            let (mut denial, notices) = hook_points::call(ctx, &mut call).await;
            // A hook may have changed the arguments. Parallel calls never ask for approval.
            if denial.is_none() {
                denial = admit(ctx, before_hooks, mode, &mut call).await.err();
            }
            (place, call, Stage::Admitted(denial), notices)
        }));
    }
    let mut results = BTreeMap::new();
    let (mut commands, mut failed_in_sandbox) = (BTreeMap::new(), Vec::new());
    while let Some(staged) = output.while_running(host, stages.next()).await {
        let (place, mut call, stage, notices) = staged;
        let outcome = match stage {
            Stage::Admitted(denial) => {
                record_all(host, notices);
                let denied = match denial {
                    Some(denial) => Some(Outcome::declined(ctx, denial, tally)),
                    None => begin(host, ctx, &mut call).is_err().then(Outcome::cancelled),
                };
                let Some(denied) = denied else {
                    let (pruned, progress) = (Arc::clone(&pruned), progress.clone());
                    if let Ok(Access::Execute(command)) =
                        call.prepared.as_ref().map(|it| it.access())
                    {
                        commands.insert(place, command);
                    }
                    stages.push(Box::pin(async move {
                        let (outcome, notices) = execute(ctx, pruned, &mut call, progress).await;
                        (place, call, Stage::Ran(Box::new(outcome)), notices)
                    }));
                    continue;
                };
                denied
            }
            Stage::Ran(outcome) => {
                // A call that fails immediately lets the others start before its result is recorded.
                if !stages.is_empty() {
                    host.wait(tokio::task::yield_now()).await;
                }
                record_all(host, notices);
                failed_in_sandbox.extend(commands.remove(&place).filter(|_| outcome.was_denied()));
                *outcome
            }
        };
        results.insert(place, finish(host, ctx, call, outcome).await);
    }
    drop(stages);
    for command in failed_in_sandbox {
        host.grants_mut().note_sandbox_failure(&command);
    }
    for result in results.into_values() {
        state.conversation.push(Message::ToolResult(result));
    }
}

fn record_all<H: TurnHost>(host: &mut H, notices: Vec<Notice>) {
    for notice in notices {
        host.record(Event::Notice(notice));
    }
}

/// The output of running calls, piece by piece.
struct Output {
    pieces: mpsc::Receiver<(ItemId, String)>,
    /// The number of each call's next piece.
    next: BTreeMap<ItemId, u64>,
}

impl Output {
    fn new() -> (mpsc::Sender<(ItemId, String)>, Self) {
        let (progress, pieces) = mpsc::channel(PROGRESS_CAPACITY);
        (progress, Self { pieces, next: BTreeMap::new() })
    }

    /// Awaits `work`, and forwards its output to subscribers meanwhile.
    async fn while_running<H: TurnHost, F>(&mut self, host: &mut H, work: F) -> F::Output
    where
        F: Future + Send,
        F::Output: Send,
    {
        let mut work = std::pin::pin!(work);
        loop {
            let piece = async {
                tokio::select! {
                    biased;
                    done = &mut work => Err(done),
                    // The channel never ends: the batch keeps a sender.
                    Some(piece) = self.pieces.recv() => Ok(piece),
                }
            };
            let (item_id, text) = match host.wait(piece).await {
                Ok(piece) => piece,
                Err(done) => return done,
            };
            let next = self.next.entry(item_id.clone()).or_default();
            let (field, n) = (DeltaField::Output, *next);
            *next += 1;
            let delta = ItemDelta { item_id, field, path: None, n, to: None, text };
            host.transient(TransientEvent::ItemDelta(delta));
        }
    }
}

/// The maximum number of paths that are taken from one command.
const MAX_NAMED_PATHS: usize = 64;

/// Returns the files of calls, including those named in commands.
pub(crate) fn touched(calls: &[Call], folders: &Folders) -> Vec<PathBuf> {
    let (cwd, home) = (&folders.cwd, folders.home.as_deref());
    let prepared = calls.iter().filter_map(|call| call.prepared.as_ref().ok());
    let paths = prepared.flat_map(|prepared| {
        let mut paths: Vec<PathBuf> =
            prepared.locations().into_iter().map(|location| location.path.into()).collect();
        if let Access::Execute(command) = prepared.access() {
            let named = Analysis::parse(&command).paths(cwd, home);
            paths.extend(named.into_iter().filter(|path| path != cwd).take(MAX_NAMED_PATHS));
        }
        paths
    });
    paths.collect()
}

/// A call's outcome.
struct Outcome {
    status: ItemStatus,
    result: ToolResult,
}

impl Outcome {
    fn error(status: ItemStatus, text: impl Into<String>) -> Self {
        let content = vec![Content::text(text)];
        Self { status, result: ToolResult { content, is_error: true, ..ToolResult::default() } }
    }

    /// Returns a declined call's outcome: denied, unless the turn was ending.
    fn declined(ctx: &TurnContext, reason: String, tally: &mut Tally) -> Self {
        if ctx.cancel.is_cancelled() {
            return Self::cancelled();
        }
        tally.denials += 1;
        Self::error(ItemStatus::Declined, reason)
    }

    /// Adds what would have allowed the call.
    fn denied(mut self, denial: Option<Denial>) -> Self {
        if self.status == ItemStatus::Declined {
            self.result.details.denial = denial;
        }
        self
    }

    /// Returns true if the sandbox denied an operation of the command.
    fn was_denied(&self) -> bool {
        self.result.details.sandbox.as_ref().is_some_and(|report| report.denied)
    }

    fn cancelled() -> Self {
        Self::error(ItemStatus::Cancelled, "Operation aborted")
    }

    fn skipped() -> Self {
        Self::error(ItemStatus::Cancelled, "Skipped due to queued user message")
    }
}

async fn approve_and_run<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    call: &mut Call,
    tally: &mut Tally,
) -> Result<Outcome, (Outcome, End)> {
    let (denial, notices) = host.wait(hook_points::call(ctx, call)).await;
    record_all(host, notices);
    if let Some(denial) = denial {
        return Ok(Outcome::declined(ctx, denial, tally));
    }
    let mode = host.mode();
    state.grants = host.grants();
    let mut edits = Vec::new();
    let (access, verdict) = match host.wait(rule(ctx, state, mode, call)).await {
        Ruling::Invalid => return Ok(run_one(host, ctx, state, call).await),
        Ruling::Refused(reason, denial) => {
            return Ok(Outcome::declined(ctx, reason, tally).denied(denial));
        }
        Ruling::Allowed(access, verdict) => (access, verdict),
        Ruling::Ask(access, decided) => {
            let verdict = decided.verdict.clone();
            match ask(host, ctx, state, call, &access, *decided, tally).await? {
                Ok(allowed) => edits = allowed,
                Err(outcome) => return Ok(outcome),
            }
            (access, verdict)
        }
    };
    // An answer may just have allowed a host.
    confine(ctx, state, call, &verdict);
    let before = state.files.before(host, &ctx.workspace, &access).await;
    host.wait(state.files.announce(&ctx.workspace, &ctx.turn_id, &before, &call.item.id)).await;
    if let Err(lost) = begin(host, ctx, call) {
        return Err((Outcome::cancelled(), lost.into()));
    }
    let mut outcome = run_one(host, ctx, state, call).await;
    if let Access::Execute(command) = &access
        && outcome.was_denied()
    {
        host.grants_mut().note_sandbox_failure(command);
    }
    let own = (&call.item.id, &call.supervision.writes);
    state.files.after(host, &ctx.workspace, before, own, &outcome.result.details.jobs).await;
    if outcome.status != ItemStatus::Completed {
        proposal::drop_edits(host, &edits);
    } else if !edits.is_empty() {
        let pruned = Arc::clone(&state.conversation.removed);
        let tool_ctx = tool_context(ctx, pruned, call, Progress::none(), &ctx.cancel);
        proposal::apply_edits(host, ctx, state, &tool_ctx, edits, &mut outcome.result).await;
    }
    Ok(outcome)
}

/// Asks the user for approval. Returns the user's edits to the proposed files, or an outcome if the call does not run. A call that would fail is
/// not asked about.
async fn ask<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    call: &Call,
    access: &Access,
    decided: Decided,
    tally: &mut Tally,
) -> Result<Result<Vec<KeptEdit>, Outcome>, (Outcome, End)> {
    let changes = match host.wait(preview(ctx, state, call, access)).await {
        _ if ctx.cancel.is_cancelled() => return Err((Outcome::cancelled(), End::Interrupted)),
        Ok(changes) => changes,
        Err(message) => return Ok(Err(Outcome::error(ItemStatus::Failed, message))),
    };
    let answer = host.ask(question(ctx, call, access, &decided, changes));
    let Ok(ApprovalReply { outcome, edits }) = host.wait(answer).await else {
        return Err((Outcome::cancelled(), End::Interrupted));
    };
    let status = match outcome.by {
        DecidedBy::Interrupt => ItemStatus::Cancelled,
        DecidedBy::Client | DecidedBy::NoApprover | DecidedBy::Deadline => ItemStatus::Declined,
    };
    let by_person = outcome.by == DecidedBy::Client;
    let denial = decided.denial.filter(|_| !by_person);
    let text = approval::denial_text(&outcome, &decided.proposed);
    let denied = || Outcome::error(status, text).denied(denial);
    match outcome.decision {
        Decision::Allow => {
            let Some(origin) = approval::origin(outcome.scope) else { return Ok(Ok(edits)) };
            let rules = &decided.proposed;
            let (origin, problem) = host.wait(ctx.permissions.save_rules(origin, rules)).await;
            host.grants_mut().add(ctx.permissions.compile(rules, origin));
            state.grants = host.grants();
            if let Some(notice) = problem {
                host.record(Event::Notice(notice));
            }
            Ok(Ok(edits))
        }
        Decision::Deny => {
            tally.denials += u32::from(status == ItemStatus::Declined);
            Ok(Err(denied()))
        }
        Decision::Abort => {
            tally.denials += 1;
            Err((denied(), End::Interrupted))
        }
    }
}

/// Returns the file changes that a call would make, for its approval; an error if the call would fail, unless the error reveals files that
/// the model may not read.
async fn preview(
    ctx: &TurnContext,
    state: &TurnState,
    call: &Call,
    access: &Access,
) -> Result<Vec<FileChange>, String> {
    let (Access::Write(paths), Ok(prepared)) = (access, &call.prepared) else {
        return Ok(Vec::new());
    };
    let (site, reads) = ((&ctx.workspace).into(), Access::Read(paths.clone()));
    let reading = ctx.permissions.decide(site, &state.grants, &call.tool_name, &reads).await;
    let is_hidden = reading.verdict.decision == permissions::Decision::Deny;
    if is_hidden || !ctx.permissions.may_look_at(site, paths).await {
        return Ok(Vec::new());
    }
    let pruned = Arc::clone(&state.conversation.removed);
    let tool_ctx = tool_context(ctx, pruned, call, Progress::none(), &ctx.cancel);
    let previewed = tokio::select! {
        biased;
        // An editor may take a while to report its unsaved text.
        () = ctx.cancel.cancelled() => return Ok(Vec::new()),
        previewed = prepared.preview(&tool_ctx) => previewed,
    };
    match reading.verdict.decision {
        permissions::Decision::Allow => previewed,
        permissions::Decision::Ask | permissions::Decision::Deny => {
            Ok(previewed.unwrap_or_default())
        }
    }
}

/// Runs a call while nothing else of its reply runs.
async fn run_one<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    state: &TurnState,
    call: &mut Call,
) -> Outcome {
    let (progress, mut output) = Output::new();
    let pruned = Arc::clone(&state.conversation.removed);
    let run = execute(ctx, pruned, call, progress.clone());
    let (outcome, notices) = output.while_running(host, run).await;
    record_all(host, notices);
    outcome
}

/// Journals that a call runs, before it does, so that no call ever runs twice. Its time starts now, not when it asked.
fn begin<H: TurnHost>(host: &mut H, ctx: &TurnContext, call: &mut Call) -> Result<(), JournalLost> {
    if call.prepared.is_err() {
        return Ok(());
    }
    host.check()?;
    call.item.status = ItemStatus::Running;
    call.item.started_ms = ctx.ambient.now_ms();
    host.record(Event::ItemUpdated { item: call.item.clone() });
    host.check()?;
    call.cancel = host.call_begins(&call.item.id);
    Ok(())
}

fn question(
    ctx: &TurnContext,
    call: &Call,
    access: &Access,
    decided: &Decided,
    changes: Vec<FileChange>,
) -> Approval {
    let (title, kind, locations, input) = match call.item.body.as_tool_call() {
        Some(body) => {
            (body.title.clone(), body.kind, body.locations.clone(), body.arguments().cloned())
        }
        None => (call.tool_name.clone(), pintle_protocol::item::ToolKind::Other, Vec::new(), None),
    };
    Approval {
        approval_id: ApprovalId::new(ctx.ambient.new_id()),
        session_id: ctx.session_id.clone(),
        turn_id: ctx.turn_id.clone(),
        item_id: call.item.id.clone(),
        tool_name: call.acting_tool().to_owned(),
        kind,
        title,
        reason: visible_line(&decided.verdict.reason).into_owned(),
        decided_by: visible_line(&decided.verdict.by).into_owned(),
        details: approval::details(
            access,
            &decided.paths,
            input.as_ref().unwrap_or_default(),
            &changes,
        ),
        editable: changes.iter().any(FileChange::is_editable),
        changes,
        input: input.unwrap_or_default(),
        locations,
        options: approval::options(access, &decided.proposed),
        deadline_ms: 0,
    }
}

fn tool_context(
    ctx: &TurnContext,
    pruned: Pruned,
    call: &Call,
    progress: Progress,
    cancel: &CancellationToken,
) -> ToolContext {
    ToolContext {
        env: ctx.workspace.env.clone(),
        cwd: ctx.workspace.folders.cwd.clone(),
        supervision: call.supervision.clone(),
        resolved: call.resolved.clone(),
        artifacts: Some(ctx.workspace.artifacts.clone()),
        read_tracker: ctx.tools.read_tracker.clone(),
        owner: ctx.session_id.to_string(),
        variables: ctx.workspace.variables.clone(),
        jobs: ctx.tools.jobs.clone(),
        agents: ctx.tools.agents.clone(),
        client: Client::new(ctx.tools.client.clone(), call.item.id.clone()),
        pruned,
        cancel: cancel.clone(),
        progress,
        settings: Arc::clone(&ctx.tools.settings),
    }
}

/// Runs a call, and then the hooks that look at its result. Returns what went wrong with these as well.
async fn execute(
    ctx: &TurnContext,
    pruned: Pruned,
    call: &mut Call,
    progress: mpsc::Sender<(ItemId, String)>,
) -> (Outcome, Vec<Notice>) {
    let refused = Err("The call was already run.".to_owned());
    let prepared = match std::mem::replace(&mut call.prepared, refused) {
        Ok(prepared) => prepared,
        Err(message) => return (Outcome::error(ItemStatus::Failed, message), Vec::new()),
    };
    let is_command = matches!(prepared.access(), Access::Execute(_));
    let cancel = call.cancel.clone();
    let progress = Progress::new(progress, call.item.id.clone());
    let tool_ctx = tool_context(ctx, pruned, call, progress, &cancel);
    let stop_grace_is_over = async {
        cancel.cancelled().await;
        tokio::time::sleep(STOP_GRACE).await;
    };
    let mut result = tokio::select! {
        biased;
        result = prepared.run(&tool_ctx) => result,
        () = stop_grace_is_over => Outcome::cancelled().result,
    };
    if result.is_error && cancel.is_cancelled() && !ctx.cancel.is_cancelled() {
        result.content.push(Content::text(from_engine(
            "the user cancelled only this call. Anything it had already done stays.",
        )));
    }
    // Writes of a remote command are not reported, so every change made while it runs is attributed to it.
    if is_command && !ctx.workspace.env.is_this_machine() {
        let look = ctx.tools.read_tracker.changed(ctx.workspace.env.as_ref());
        uncancelled(&cancel, look).await;
    }
    let notices = hook_points::result(ctx, call, &mut result).await;
    let status = match (result.is_error, cancel.is_cancelled()) {
        (false, _) => ItemStatus::Completed,
        (true, true) => ItemStatus::Cancelled,
        (true, false) => ItemStatus::Failed,
    };
    (Outcome { status, result }, notices)
}

async fn finish<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    call: Call,
    outcome: Outcome,
) -> ModelResult {
    let Call { mut item, provider_id: call_id, tool_name, .. } = call;
    let Outcome { status, mut result } = outcome;
    host.call_ends(&item.id);
    redact(ctx, &mut result);
    host.wait(limit(ctx, &tool_name, &mut result)).await;
    let model_result = ModelResult {
        call_id,
        tool_name,
        content: result.content.clone(),
        is_error: result.is_error,
    };
    if let Some(call) = item.body.as_tool_call_mut() {
        call.output = Some(result);
    }
    item.end(status, ctx.ambient.now_ms());
    host.record(Event::ItemCompleted { item });
    model_result
}

/// Redacts provider keys in the text that the model reads. Other credentials stay: an edit must find a project's files unchanged.
fn redact(ctx: &TurnContext, result: &mut ToolResult) {
    for content in &mut result.content {
        if let Some(text) = content.as_text()
            && let Cow::Owned(redacted) = ctx.ambient.secrets().redact(text)
        {
            // A document with a key is only shown as text.
            *content = Content::text(redacted);
        }
    }
}

/// Lets no more through to the model than the tool's guard allows; all of it is kept. Tools that limit themselves stay below it.
async fn limit(ctx: &TurnContext, tool_name: &str, result: &mut ToolResult) {
    let guard = ctx.tools.find(tool_name).map(|tool| tool.guard());
    join_texts(&mut result.content, guard.unwrap_or(CEILING));
    for content in &mut result.content {
        let (Content::Text { text }, Some(guard)) = (content, guard) else { continue };
        if !truncate::exceeds(text, guard) {
            continue;
        }
        if result.details.full_output_path.is_none() {
            result.details.full_output = save_output(ctx, text.clone()).await;
        }
        let named = result.details.full_output_path.clone().or_else(|| {
            let kept = result.details.full_output.as_ref()?;
            Some(names::shown(&ctx.workspace.artifacts.join(&kept.r#ref)).into_owned())
        });
        let rest = match named.filter(|_| ctx.workspace.env.is_this_machine()) {
            Some(path) => format!("full output: {path}"),
            None => "request less output; the rest cannot be read here".to_owned(),
        };
        if let Some(cut) = truncate::guard(text, guard, &rest) {
            *text = cut;
        }
    }
    name_full_output(&mut result.details, &ctx.workspace.artifacts);
}

/// Joins a result's texts if they are too long together, so that thousands of short texts are truncated like a single long one.
fn join_texts(content: &mut Vec<Content>, guard: Guard) {
    let max_bytes = guard.max_chars.max(CEILING.max_chars);
    let of_block = |block: &Content| match block {
        Content::Text { text } => text.len().min(max_bytes),
        // A document's text is limited by the tool.
        Content::Image { .. } | Content::Document { .. } => 0,
    };
    // Twice as much leaves room for the remarks that tools add to a long text.
    if content.iter().map(of_block).sum::<usize>() <= 2 * max_bytes {
        return;
    }
    let (mut texts, mut others) = (Vec::new(), Vec::new());
    for block in content.drain(..) {
        match block {
            Content::Text { text } => texts.push(text),
            Content::Image { .. } | Content::Document { .. } => others.push(block),
        }
    }
    content.push(Content::text(texts.join("\n")));
    content.append(&mut others);
}

async fn save_output(ctx: &TurnContext, text: String) -> Option<FullOutput> {
    let artifacts = ctx.workspace.artifacts.clone();
    let bytes = text.len() as u64;
    let kept = tokio::task::spawn_blocking(move || artifacts::save(&artifacts, &text)).await;
    match kept {
        Ok(Ok(r#ref)) => Some(FullOutput { r#ref, bytes }),
        Ok(Err(error)) => {
            tracing::warn!("failed to store a long output: {error}");
            None
        }
        Err(_) => None,
    }
}
