//! One step: a model reply as it streams, block by block into items.
//!
//! A request that failed is sent again inside the step, as `retry` decides, so that the loop never sees it. The shown part of a cut
//! reply stays in the journal as cancelled items of a step without a stop; none of it goes back to the model.

use crate::host::{Activity, TurnHost, uncancelled};
use crate::turn::call::{Call, Preparation, parse_arguments, prepare};
use crate::turn::compaction;
use crate::turn::context::{End, Tally, TurnContext};
use crate::turn::provider_calls::ProviderCalls;
use crate::turn::retry::{self, Failures, NoRetry};
use crate::turn::text_tools;
use futures_util::StreamExt;
use pintle_base::text::partial_json::{Growth, PartialJson};
use pintle_base::text::truncate;
use pintle_llm::catalog::Price;
use pintle_llm::delta::Accumulator;
use pintle_llm::{
    Assistant, AssistantBlock, BlockStart, Delta, DeltaStream, Error, ErrorKind, Messages,
    Omission, Opaque, Request, ToolSpec,
};
use pintle_protocol::content::Usage;
use pintle_protocol::event::{
    DeltaField, Event, ItemDelta, Notice, NoticeLevel, RetryScheduled, StepCompleted, StepUsage,
    StopReason, TransientEvent, TurnError,
};
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{Item, ItemBody, ItemStatus, TextBody, ToolCall, ToolKind};
use pintle_session::context::inspect::RequestParts;
use pintle_session::history::replay::{Bone, Skeleton};
use pintle_tools::{ResolvedPaths, Supervision};
use serde_json::Value;
use serde_json::value::to_raw_value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The maximum number of deltas processed without letting other tasks run. Each is a few events, and a subscriber's feed must have room for
/// all of them.
const MAX_BURST: u32 = 64;

/// A complete reply.
#[derive(Debug)]
pub(crate) struct StepReply {
    /// The model's message, as far as it may go back to it.
    pub(crate) assistant: Assistant,
    /// The tools it asked for; none if the reply was cut.
    pub(crate) calls: Vec<Call>,
    /// The provider's count.
    pub(crate) usage: Usage,
    /// The reason why it was cut, if it was.
    pub(crate) cut: Option<End>,
}

/// A block that streams.
struct LiveBlock {
    item: Item,
    field: DeltaField,
    /// The next delta's number.
    n: u64,
    /// For a call: its arguments received so far, and the next delta number of its texts.
    input: (PartialJson, u64),
    is_shown: bool,
    is_open: bool,
    /// For a call with complete arguments.
    prepared: Option<Preparation>,
}

struct Stream<'a, H> {
    host: &'a mut H,
    ctx: &'a TurnContext,
    step: u32,
    blocks: BTreeMap<usize, LiveBlock>,
    provider_calls: ProviderCalls,
    accumulator: Accumulator,
    /// The provider's count not yet sent to subscribers.
    untold: Option<Usage>,
    /// Clients know that nothing comes.
    is_silence_told: bool,
}

/// The outcome of one request.
enum Attempt {
    /// With a reply, whole or cut for good.
    Replied(StepReply),
    /// With a failure that may pass.
    Failed(Error, Duration),
    /// With a failure for good, and no part of a reply.
    GaveUp(Error, NoRetry),
}

/// What a model is asked.
#[derive(Debug)]
pub(crate) struct StepRequest<'a> {
    /// The conversation.
    pub(crate) messages: &'a Messages,
    /// The tools that it may call.
    pub(crate) tools: &'a Arc<[ToolSpec]>,
    /// The reply text's schema, if the provider is to enforce it.
    pub(crate) output_schema: Option<Arc<Value>>,
}

/// Sends a request and streams the reply, retrying after transient failures.
///
/// # Errors
/// How the turn ends, if there was no reply at all.
pub(crate) async fn run<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    request: &StepRequest<'_>,
    tally: &mut Tally,
) -> Result<StepReply, End> {
    let mut failures = Failures::default();
    tally.steps += 1;
    loop {
        match ask(host, ctx, request, tally, failures).await? {
            Attempt::Replied(reply) => return Ok(reply),
            Attempt::GaveUp(error, why) => {
                let goes_on =
                    fall_back(host, ctx, &error) || text_tools::offer(host, ctx, &error).await;
                if !goes_on {
                    return Err(failed(error, why));
                }
                failures = Failures::default();
            }
            Attempt::Failed(error, wait) => {
                failures.count += 1;
                failures.waited += wait;
                let scheduled = RetryScheduled {
                    attempt: failures.count,
                    of: ctx.llm.retry.retries,
                    delay_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
                    code: error.kind.code().to_owned(),
                    message: error.message,
                };
                host.record(Event::RetryScheduled(scheduled));
                host.set_activity(Activity::Retrying);
                let waited = uncancelled(&ctx.cancel, tokio::time::sleep(wait));
                if host.wait(waited).await.is_none() {
                    return Err(End::Interrupted);
                }
                host.set_activity(Activity::Working);
            }
        }
    }
}

async fn ask<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    asked: &StepRequest<'_>,
    tally: &mut Tally,
    failures: Failures,
) -> Result<Attempt, End> {
    let request = Request {
        model: ctx.llm.current().model.id.clone(),
        origin: ctx.llm.current().model.origin(),
        system: Arc::clone(&ctx.system),
        messages: asked.messages.clone(),
        tools: Arc::clone(asked.tools),
        effort: ctx.llm.current().model.effort,
        max_output_tokens: None,
        cache_key: Some(ctx.session_id.as_str().into()),
        output_schema: asked.output_schema.clone(),
        trace: ctx.llm.trace.clone(),
    };
    let sent = RequestParts {
        system: Arc::clone(&request.system),
        tools: Arc::clone(&request.tools),
        messages: request.messages.clone(),
    };
    host.set_sent(sent);
    let next =
        |error: &Error| retry::next_delay(&ctx.llm.retry, failures, error, ctx.ambient.chance());
    let provider = ctx.llm.provider();
    let mut opening = std::pin::pin!(uncancelled(&ctx.cancel, provider.stream(request)));
    let mut answer =
        host.wait(tokio::time::timeout(ctx.llm.retry.silence, opening.as_mut())).await.ok();
    let is_silence_told = answer.is_none();
    if is_silence_told {
        tell_silence(host, ctx);
        answer = Some(host.wait(opening).await);
    }
    tell_omissions(host, ctx);
    let deltas = match answer.flatten() {
        None => return Err(End::Interrupted),
        Some(Ok(deltas)) => deltas,
        Some(Err(error)) => {
            let error = judged(ctx, asked, error);
            return match next(&error) {
                Ok(wait) => Ok(Attempt::Failed(error, wait)),
                Err(why) => Ok(Attempt::GaveUp(error, why)),
            };
        }
    };
    let mut stream = Stream {
        host,
        ctx,
        step: tally.steps,
        blocks: BTreeMap::new(),
        provider_calls: ProviderCalls::default(),
        accumulator: Accumulator::default(),
        untold: None,
        is_silence_told,
    };
    let followed = stream.follow(deltas).await;
    // A separate task returns the connection to its pool, and must run before the next request needs it.
    tokio::task::yield_now().await;
    let cut = match followed {
        None => None,
        Some(Cut::Interrupted) => Some(End::Interrupted),
        Some(Cut::Failed(error)) => {
            let error = judged(ctx, asked, error);
            // Some servers refuse a long conversation in the stream. Before the reply, that is the same.
            if error.kind == ErrorKind::Overflow && stream.blocks.is_empty() {
                stream.discard(tally);
                return Err(failed(error, NoRetry::Final));
            }
            match next(&error) {
                Ok(wait) => {
                    stream.discard(tally);
                    return Ok(Attempt::Failed(error, wait));
                }
                Err(why) if error.is_unavailable() && has_fallback(ctx) => {
                    stream.discard(tally);
                    return Ok(Attempt::GaveUp(error, why));
                }
                Err(why) => Some(failed(error, why)),
            }
        }
    };
    Ok(Attempt::Replied(stream.finish(cut, tally)))
}

/// Returns true if the turn has a fallback that was not needed yet.
fn has_fallback(ctx: &TurnContext) -> bool {
    ctx.llm.fallback.is_some() && !ctx.llm.fell_back.load(Ordering::Relaxed)
}

/// Continues the turn with the fallback if its model is unavailable; returns true if it does.
fn fall_back<H: TurnHost>(host: &mut H, ctx: &TurnContext, error: &Error) -> bool {
    let Some(fallback) = ctx.llm.fallback.as_ref().filter(|_| has_fallback(ctx)) else {
        return false;
    };
    if !error.is_unavailable() {
        return false;
    }
    ctx.llm.fell_back.store(true, Ordering::Relaxed);
    let model = ctx.llm.session.model.origin();
    host.record(Event::Notice(match fallback {
        Ok(fallback) => Notice {
            level: NoticeLevel::Warning,
            code: "modelFallback".to_owned(),
            message: format!(
                "{model} is unavailable: {} continues the turn: {error}",
                fallback.model.origin()
            ),
            hint: None,
        },
        Err(why) => Notice {
            level: NoticeLevel::Warning,
            code: "modelFallback".to_owned(),
            message: format!("the fallback model cannot be used: {why}"),
            hint: Some("correct `fallback_model` in the config file".to_owned()),
        },
    }));
    fallback.is_ok()
}

/// Corrects an error that was taken for a conversation that is too long, though the conversation is short.
fn judged(ctx: &TurnContext, request: &StepRequest<'_>, error: Error) -> Error {
    if !error.is_guess || compaction::may_overflow(ctx, request.tools, request.messages) {
        return error;
    }
    if error.status.is_none_or(|status| status >= 500) {
        return Error { kind: ErrorKind::Overloaded, is_guess: false, ..error };
    }
    let hint = "check the model's name and the provider's settings, and the server's log";
    Error { kind: ErrorKind::InvalidRequest, is_guess: false, ..error.hint(hint) }
}

/// Notifies clients of parts of requests that the provider refused.
fn tell_omissions<H: TurnHost>(host: &mut H, ctx: &TurnContext) {
    let provider = &ctx.llm.current().model.provider;
    for omission in ctx.llm.current().provider.take_omissions() {
        host.record(Event::Notice(match omission {
            Omission::Field { name, setting } => Notice {
                level: NoticeLevel::Info,
                code: "fieldRefused".to_owned(),
                message: format!(
                    "{provider} refused the request field `{name}`; it is omitted now"
                ),
                hint: setting.map(|setting| {
                    format!("set `{setting}` in [providers.{provider}] to omit it from the start")
                }),
            },
            Omission::Reasoning => Notice {
                level: NoticeLevel::Info,
                code: "reasoningOmitted".to_owned(),
                message: format!(
                    "{provider} could not read its earlier reasoning; the conversation continues without it"
                ),
                hint: None,
            },
            Omission::Tool { name, reason } => Notice {
                level: NoticeLevel::Warning,
                code: "toolRefused".to_owned(),
                message: format!(
                    "{provider} refused the tool `{name}`, which {} cannot use now: {}",
                    ctx.llm.current().model.id,
                    truncate::line(&reason, 300)
                ),
                hint: Some("if it comes from an MCP server, simplify its schema there".to_owned()),
            },
        }));
    }
}

/// Notifies clients that the provider is silent.
fn tell_silence<H: TurnHost>(host: &mut H, ctx: &TurnContext) {
    let provider = &ctx.llm.current().model.provider;
    host.transient(TransientEvent::Notice(Notice {
        level: NoticeLevel::Info,
        code: "modelSilent".to_owned(),
        message: format!(
            "{provider} has sent nothing for {} s",
            ctx.llm.retry.silence.as_secs_f64()
        ),
        hint: Some("the request is sent again after model_idle_timeout_s without data".to_owned()),
    }));
}

/// The reason why a reply was cut.
enum Cut {
    Interrupted,
    Failed(Error),
}

fn failed(error: Error, why: NoRetry) -> End {
    let hint = match why {
        NoRetry::TooLong(wait) => Some(format!(
            "the provider asks to wait {} s, longer than the engine waits; send the prompt again then",
            wait.as_secs_f64().ceil()
        )),
        NoRetry::Final | NoRetry::Tried => None,
    };
    let retryable = error.is_retryable();
    End::Failed(TurnError {
        code: error.kind.code().to_owned(),
        message: error.message,
        hint: error.hint.or(hint),
        retryable,
        http_status: error.status,
    })
}

impl<H: TurnHost> Stream<'_, H> {
    /// Processes deltas until the reply is complete; returns the reason if it was cut off.
    async fn follow(&mut self, mut deltas: DeltaStream) -> Option<Cut> {
        for count in 1_u32.. {
            let Some(next) = self.next(&mut deltas).await else { return Some(Cut::Interrupted) };
            match next {
                Some(Ok(delta)) => {
                    self.accumulator.push(&delta);
                    self.show(delta);
                }
                Some(Err(error)) => return Some(Cut::Failed(error)),
                None => return None,
            }
            // Where a provider is fast, the connections to clients get their turn, so that feeds do not overflow.
            if count % MAX_BURST == 0 {
                tokio::task::yield_now().await;
            }
        }
        None
    }

    /// Returns the next delta, or `None` if the turn was cancelled first.
    async fn next(&mut self, deltas: &mut DeltaStream) -> Option<Option<Result<Delta, Error>>> {
        if !self.is_silence_told {
            let next = uncancelled(&self.ctx.cancel, deltas.next());
            if let Ok(next) =
                self.host.wait(tokio::time::timeout(self.ctx.llm.retry.silence, next)).await
            {
                return next;
            }
            tell_silence(self.host, self.ctx);
            self.is_silence_told = true;
        }
        self.host.wait(uncancelled(&self.ctx.cancel, deltas.next())).await
    }

    fn show(&mut self, delta: Delta) {
        match delta {
            Delta::Start { index, block } => self.start(index, block),
            Delta::Text { index, text } => self.grow(index, text),
            Delta::Arguments { index, json } => self.grow(index, json),
            Delta::End { index } => self.end(index),
            Delta::ProviderCall(news) => {
                self.tell_usage();
                self.provider_calls.take(self.host, self.ctx, self.step, *news);
            }
            Delta::Usage(usage) => self.untold = Some(usage),
            Delta::Opaque { .. } | Delta::Tier(_) | Delta::Stop(_) => {}
        }
    }

    /// Reports the reply's usage so far. The final count comes with the step's event.
    fn tell_usage(&mut self) {
        let Some(usage) = self.untold.take() else { return };
        let cost_nano_usd = self.price().map(|price| price.nano_usd(&usage));
        let told = StepUsage { step: self.step, usage, cost_nano_usd };
        self.host.transient(TransientEvent::StepUsage(told));
    }

    fn start(&mut self, index: usize, block: BlockStart) {
        self.tell_usage();
        let (body, field) = match block {
            BlockStart::Text => (ItemBody::AgentMessage(TextBody::default()), DeltaField::Text),
            BlockStart::Reasoning => (ItemBody::Reasoning(TextBody::default()), DeltaField::Text),
            BlockStart::ToolCall { name, .. } => {
                let tool = self.ctx.tools.find(&name);
                let kind = tool.map_or(ToolKind::Other, |tool| tool.kind());
                let call = ToolCall::new(name, kind);
                (ItemBody::ToolCall(Box::new(call)), DeltaField::Args)
            }
            BlockStart::Unknown => return,
        };
        let id = ItemId::new(self.ctx.ambient.new_id());
        let status = match field {
            DeltaField::Args => ItemStatus::Pending,
            DeltaField::Text | DeltaField::Input | DeltaField::Output => ItemStatus::Running,
        };
        let item = self.ctx.item(id, Some(self.step), status, body);
        let mut live = LiveBlock {
            item,
            field,
            n: 0,
            input: Default::default(),
            is_shown: false,
            is_open: true,
            prepared: None,
        };
        // Text is announced with its first piece, so that an empty block draws nothing.
        if field == DeltaField::Args {
            live.announce(self.host);
        }
        self.blocks.insert(index, live);
    }

    fn grow(&mut self, index: usize, text: String) {
        self.tell_usage();
        let Some(live) = self.blocks.get_mut(&index) else { return };
        live.announce(self.host);
        let grown = match live.field {
            DeltaField::Args => live.input.0.push(&text),
            DeltaField::Text | DeltaField::Input | DeltaField::Output => Vec::new(),
        };
        let delta = |field, path, n, text| {
            let item_id = live.item.id.clone();
            TransientEvent::ItemDelta(ItemDelta { item_id, field, path, n, to: None, text })
        };
        self.host.transient(delta(live.field, None, live.n, text));
        for Growth { path, text, .. } in grown.into_iter().filter(|growth| !growth.text.is_empty())
        {
            let n = live.input.1;
            self.host.transient(delta(DeltaField::Input, Some(path), n, text));
            live.input.1 += 1;
        }
        live.n += 1;
    }

    fn end(&mut self, index: usize) {
        let Some(live) = self.blocks.get_mut(&index) else { return };
        if !std::mem::take(&mut live.is_open) {
            return;
        }
        let block = self.accumulator.get(index);
        live.take_value(block);
        match live.item.body.as_tool_call_mut() {
            Some(call) => {
                let arguments = match block {
                    Some(AssistantBlock::ToolCall { arguments, .. }) => arguments.as_str(),
                    _ => "",
                };
                live.prepared = Some(prepare(self.ctx, call, arguments));
                let item = live.item.clone();
                self.host.record(Event::ItemUpdated { item });
            }
            None => live.close(self.host, self.ctx, ItemStatus::Completed),
        }
    }

    /// Closes the open parts of a reply that is requested again. None of it is sent back to the model; it counts as a step only if part of
    /// it was shown.
    fn discard(mut self, tally: &mut Tally) {
        let mut is_shown = false;
        self.provider_calls.close(self.host, self.ctx, ItemStatus::Cancelled);
        for (index, live) in &mut self.blocks {
            is_shown |= live.is_shown;
            let is_call = matches!(live.item.body, ItemBody::ToolCall(_));
            if live.is_open || is_call {
                live.take_value(self.accumulator.get(*index));
                live.close(self.host, self.ctx, ItemStatus::Cancelled);
            }
        }
        let usage = self.accumulator.usage();
        let cost_nano_usd = self.ctx.count(tally, usage, self.price());
        if is_shown {
            let completed = self.completed(None, usage, cost_nano_usd, tally);
            self.host.record(Event::StepCompleted(completed));
            tally.steps += 1;
        }
    }

    /// Returns the model's price in the tier that served the reply.
    fn price(&self) -> Option<Price> {
        self.ctx.llm.current().price.map(|price| price.in_tier(self.accumulator.tier()))
    }

    fn completed(
        &self,
        stop: Option<StopReason>,
        usage: Usage,
        cost_nano_usd: Option<u64>,
        tally: &Tally,
    ) -> StepCompleted {
        StepCompleted {
            step: self.step,
            stop,
            usage,
            turn_usage: tally.usage,
            cost_nano_usd,
            turn_cost_nano_usd: tally.cost_nano_usd,
        }
    }

    /// Closes the open parts, journals the reply's structure, and returns its calls.
    fn finish(mut self, cut: Option<End>, tally: &mut Tally) -> StepReply {
        if cut.is_none() {
            let open: Vec<usize> = self.blocks.keys().copied().collect();
            for index in open {
                self.end(index);
            }
        }
        for (index, live) in &mut self.blocks {
            let is_call = matches!(live.item.body, ItemBody::ToolCall(_));
            if cut.is_some() && (live.is_open || is_call) {
                live.take_value(self.accumulator.get(*index));
                live.close(self.host, self.ctx, ItemStatus::Cancelled);
            }
        }
        let ended = if cut.is_some() { ItemStatus::Cancelled } else { ItemStatus::Completed };
        self.provider_calls.close(self.host, self.ctx, ended);
        let usage = self.accumulator.usage();
        let stop = self.accumulator.stop();
        let cost_nano_usd = self.ctx.count(tally, usage, self.price());

        let is_cut = cut.is_some();
        let completed = self.completed(stop.filter(|_| !is_cut), usage, cost_nano_usd, tally);
        let mut calls: Vec<Call> = Vec::new();
        let mut bones = Vec::new();
        let mut blocks = Vec::new();
        let mut ends_with_call = false;
        for (index, block) in self.accumulator.finish_blocks() {
            let live = self.blocks.remove(&index);
            let Some((bone, mut call)) = bone(&block, live, is_cut) else { continue };
            if let (Some(StopReason::MaxTokens), Some(call)) = (stop, &mut call) {
                call.cut_by_limit();
            }
            match &block {
                AssistantBlock::ToolCall { .. } => ends_with_call = true,
                AssistantBlock::Text { .. } | AssistantBlock::Reasoning { .. } => {
                    ends_with_call = false;
                }
                AssistantBlock::Unknown(_) => {}
            }
            calls.extend(call);
            bones.push(bone);
            blocks.push(block);
        }
        // Some servers complete a truncated call's JSON: it looks whole, and half a file would be written.
        let last = calls.last_mut().filter(|_| ends_with_call);
        if let (Some(StopReason::MaxTokens), Some(call)) = (stop, last) {
            call.refuse_as_cut();
        }
        let assistant = Assistant {
            blocks,
            origin: self.ctx.llm.current().model.origin(),
            stop: stop.unwrap_or(StopReason::Other),
            effort: self.ctx.llm.current().model.effort,
        };
        let skeleton = Skeleton {
            origin: assistant.origin.clone(),
            stop: assistant.stop,
            blocks: bones,
            effort: assistant.effort,
        };
        let private = (!skeleton.blocks.is_empty()).then(|| to_raw_value(&skeleton).ok()).flatten();
        self.host.record_with(Event::StepCompleted(completed), private);
        StepReply { assistant, calls, usage, cut }
    }
}

impl LiveBlock {
    fn announce<H: TurnHost>(&mut self, host: &mut H) {
        if !std::mem::replace(&mut self.is_shown, true) {
            host.record(Event::ItemStarted { item: self.item.clone() });
        }
    }

    /// Takes the block's value as far as it has come.
    fn take_value(&mut self, block: Option<&AssistantBlock>) {
        match (&mut self.item.body, block) {
            (
                ItemBody::AgentMessage(body) | ItemBody::Reasoning(body),
                Some(AssistantBlock::Text { text, .. } | AssistantBlock::Reasoning { text, .. }),
            ) => body.text.clone_from(text),
            (ItemBody::ToolCall(call), Some(AssistantBlock::ToolCall { arguments, .. })) => {
                call.input = parse_arguments(arguments).ok();
            }
            _ => {}
        }
    }

    fn close<H: TurnHost>(&mut self, host: &mut H, ctx: &TurnContext, status: ItemStatus) {
        self.is_open = false;
        if self.is_shown {
            self.item.end(status, ctx.ambient.now_ms());
            host.record(Event::ItemCompleted { item: self.item.clone() });
        }
    }
}

/// Returns the part of a block that the journal keeps, and its call, if any. `None` for a block that cannot be sent back to a model.
fn bone(
    block: &AssistantBlock,
    live: Option<LiveBlock>,
    is_cut: bool,
) -> Option<(Bone, Option<Call>)> {
    match block {
        AssistantBlock::Text { text, opaque } => {
            let item = live.filter(|_| !text.is_empty())?.item.id;
            Some((Bone::Text { item, opaque: opaque.clone() }, None))
        }
        AssistantBlock::Reasoning { opaque, .. } => {
            // Cut reasoning has no signature, and no provider takes it back without one.
            let item = live.filter(|live| live.is_shown).map(|live| live.item.id);
            let keep = !is_cut || opaque.is_some();
            keep.then(|| (Bone::Reasoning { item, opaque: opaque.clone() }, None))
        }
        AssistantBlock::ToolCall { id, name, arguments, opaque } => {
            let live = live.filter(|_| !is_cut)?;
            Some(call(live, id, name, arguments, opaque.as_ref()))
        }
        AssistantBlock::Unknown(opaque) => {
            (!is_cut).then(|| (Bone::Unknown { opaque: opaque.clone() }, None))
        }
    }
}

fn call(
    live: LiveBlock,
    id: &str,
    name: &str,
    arguments: &str,
    opaque: Option<&Opaque>,
) -> (Bone, Option<Call>) {
    let input = live.item.body.as_tool_call().and_then(|call| call.input.as_ref());
    let is_same = input.map(ToString::to_string).as_deref() == Some(arguments);
    let bone = Bone::Call {
        item: live.item.id.clone(),
        call_id: id.to_owned(),
        arguments: (!is_same).then(|| arguments.to_owned()),
        opaque: opaque.cloned(),
    };
    let prepared = live.prepared.unwrap_or_else(|| Err("The call was not finished.".to_owned()));
    let call = Call {
        item: live.item,
        provider_id: id.to_owned(),
        tool_name: name.to_owned(),
        acting: prepared.as_ref().ok().and_then(|prepared| prepared.acting()),
        prepared,
        supervision: Supervision::default(),
        resolved: ResolvedPaths::default(),
        cancel: CancellationToken::new(),
    };
    (bone, Some(call))
}
