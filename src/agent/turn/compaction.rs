//! Makes room in a conversation: prunes old results, or asks the model to summarize.
//!
//! `context::room` decides; this module acts. Invariant: the conversation changes only after the journal records it, and a failed summary
//! leaves the conversation unchanged.

use crate::host::{Activity, TurnHost, uncancelled};
use crate::turn::context::{End, Tally, TurnContext, TurnState, UsableModel};
use crate::turn::hook_points;
use crate::turn::meter::{Meter, sum};
use crate::turn::retry::{self, Failures};
use futures_util::StreamExt;
use pintle_base::text::truncate::{self, Guard, Keep};
use pintle_llm::catalog::Price;
use pintle_llm::{
    Effort, Error, ErrorKind, Message, Messages, ModelRef, Provider, Request, ToolSpec, one_shot,
};
use pintle_protocol::context::ContextUsage;
use pintle_protocol::event::{
    ContextPruned, DeltaField, Event, ItemDelta, Notice, NoticeLevel, TransientEvent, TurnError,
};
use pintle_protocol::ids::ItemId;
use pintle_protocol::item::{Compaction, CompactionReason, Item, ItemBody, ItemStatus};
use pintle_session::context::compact::{Facts, Requests};
use pintle_session::context::compaction::{Marks, Policy, Step, decide};
use pintle_session::context::conversation::Conversation;
use pintle_session::context::{compact, prune};
use pintle_session::history::replay::{KeptMessages, Pruned};
use pintle_tools::{self as tools, Builtin};
use std::sync::Arc;

/// The longest summary.
const MAX_SUMMARY_TOKENS: u32 = 8_192;

/// The assumed window if none is known and room is needed.
const ASSUMED_WINDOW: u64 = 128_000;

/// The window usage that triggers a warning, in percent.
const WARN_AT_PERCENT: u64 = 80;

/// The estimated use of the window from which a conversation may be too long, in percent. Providers count up to twice as many tokens as
/// the estimate, in languages and code that it knows badly.
const MAY_OVERFLOW_PERCENT: u64 = 50;

/// A compaction: its reason, and instructions for the summary.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CompactionRequest<'a> {
    pub(crate) reason: CompactionReason,
    pub(crate) instructions: Option<&'a str>,
}

/// Makes room before a request, if needed. Returns true if that took a request, during which messages may have arrived.
///
/// # Errors
/// The turn was stopped meanwhile.
pub(crate) async fn before_request<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    tools: &[ToolSpec],
    tally: &mut Tally,
) -> Result<bool, End> {
    let Some(window) = ctx.llm.window() else { return Ok(false) };
    if !ctx.llm.compaction.is_automatic {
        let TurnState { conversation, meter, .. } = &mut *state;
        let tokens = meter.tokens(&ctx.system, tools, &conversation.messages);
        warn(host, meter, tokens, window, "compact the conversation: automatic compaction is off");
        return Ok(false);
    }
    let marks = ctx.llm.compaction.marks(window);
    let mut can_prune = true;
    loop {
        let TurnState { conversation, meter, .. } = &mut *state;
        let tokens = meter.tokens(&ctx.system, tools, &conversation.messages);
        match decide(&marks, tokens, can_prune) {
            Step::Send => {
                let hint = "compact the conversation now, or let the engine do it before the window is full";
                warn(host, meter, tokens, window, hint);
                return Ok(false);
            }
            Step::Prune(wanted) => {
                let keep =
                    tokens_to_keep(CompactionReason::Threshold, &marks, conversation, tokens);
                prune(host, ctx, conversation, meter, keep, (tokens, Some(wanted)));
                can_prune = false;
            }
            Step::Compact => {
                let wanted =
                    CompactionRequest { reason: CompactionReason::Threshold, instructions: None };
                // A failure is reported; the provider may still accept the conversation.
                compact(host, ctx, state, tools, tally, wanted).await?;
                return Ok(true);
            }
        }
    }
}

fn warn<H: TurnHost>(host: &mut H, meter: &mut Meter, tokens: u64, window: u64, hint: &str) {
    let is_near = tokens >= window / 100 * WARN_AT_PERCENT;
    if is_near && !std::mem::replace(&mut meter.is_warned, true) {
        let notice = Notice {
            level: NoticeLevel::Warning,
            code: "contextNearlyFull".to_owned(),
            message: format!(
                "the conversation takes about {tokens} of the model's {window} tokens"
            ),
            hint: Some(hint.to_owned()),
        };
        host.record(Event::Notice(notice));
    }
}

fn prune<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    conversation: &mut Conversation,
    meter: &mut Meter,
    keep: u64,
    (tokens, wanted): (u64, Option<u64>),
) -> bool {
    let shows_files =
        |name: &str| tools::purpose(&ctx.tools.list, name).is_some_and(Builtin::shows_files);
    let plan = prune::plan(&conversation.messages, keep, wanted, shows_files);
    if plan.places.is_empty() {
        return false;
    }
    let before = sum(&conversation.messages);
    let mut pruned = conversation.clone();
    let counts = prune::apply(&mut pruned.messages, &plan, &mut pruned.removed);
    let freed = before.saturating_sub(sum(&pruned.messages));
    let event = ContextPruned {
        results: counts.results,
        calls: counts.calls,
        tokens_before: tokens,
        tokens_after: tokens.saturating_sub(freed),
    };
    let private = serde_json::value::to_raw_value(&Pruned::from(plan)).ok();
    host.record_with(Event::ContextPruned(event), private);
    *conversation = pruned;
    // The provider's count is from before the change.
    meter.counted = meter.counted.map(|(counted, of)| (counted.saturating_sub(freed), of));
    meter.estimated = (0, 0);
    true
}

/// Asks the model to summarize the conversation except for its last messages. Returns true on success; otherwise the reason has been reported.
///
/// # Errors
/// The turn was stopped meanwhile.
pub(crate) async fn compact<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    state: &mut TurnState,
    tools: &[ToolSpec],
    tally: &mut Tally,
    wanted: CompactionRequest<'_>,
) -> Result<bool, End> {
    let TurnState { conversation, meter, prompt_state, .. } = state;
    let marks = marks_of(&ctx.llm.compaction, ctx.llm.window());
    let tokens_before = meter.tokens(&ctx.system, tools, &conversation.messages);
    let keep = tokens_to_keep(wanted.reason, &marks, conversation, tokens_before);
    let cut = compact::plan(&conversation.messages, keep);
    let body = Compaction {
        reason: wanted.reason,
        tokens_before,
        tokens_after: None,
        summary: None,
        files: None,
        error: None,
    };
    let id = ItemId::new(ctx.ambient.new_id());
    let mut item = ctx.item(id, None, ItemStatus::Running, ItemBody::Compaction(Box::new(body)));
    host.record(Event::ItemStarted { item: item.clone() });
    host.set_activity(Activity::Compacting);
    let denied = match cut {
        None => None,
        Some(_) => hook_points::compact(host, ctx, conversation.messages.len()).await,
    };
    let summed = match cut {
        Some(_) if ctx.cancel.is_cancelled() => Err(SummaryFailure::Interrupted),
        Some(_) if denied.is_some() => {
            Err(SummaryFailure::Failed(format!("a hook denied it: {}", denied.unwrap_or_default())))
        }
        None => Err(SummaryFailure::Failed("there is nothing to summarize yet".to_owned())),
        Some(cut) => {
            let requests = compact::requests(&conversation.messages, cut, wanted.instructions);
            summarize(host, ctx, &item, requests, tally).await.map(|said| (cut, said))
        }
    };
    host.set_activity(Activity::Working);
    let (status, outcome) = match summed {
        Ok((cut, said)) => {
            let (todos, files) = (host.open_todos(), host.touched_files());
            let cwd = ctx.workspace.folders.cwd.to_string_lossy();
            let (open_todos, listed) = (todos.as_deref(), files.as_ref());
            let facts = Facts { files: listed, cwd: &cwd, open_todos };
            let summary = compact::summary(&conversation.messages, cut, &said, facts);
            let mut shorter = conversation.clone();
            compact::apply(&mut shorter.messages, cut.kept, &summary);
            shorter.forget_removed();
            let mut fresh = Meter::default();
            let tokens_after = fresh.tokens(&ctx.system, tools, &shorter.messages);
            set(&mut item, |body| {
                body.summary = Some(summary);
                body.files = files;
                body.tokens_after = Some(tokens_after);
            });
            item.end(ItemStatus::Completed, ctx.ambient.now_ms());
            let private = serde_json::value::to_raw_value(&KeptMessages { kept: cut.kept }).ok();
            host.record_with(Event::ItemCompleted { item }, private);
            // What is not in the journal must not be forgotten.
            host.check()?;
            *conversation = shorter;
            *meter = fresh;
            prompt_state.conversation_compacted();
            return Ok(true);
        }
        Err(SummaryFailure::Interrupted) => (ItemStatus::Cancelled, Err(End::Interrupted)),
        Err(SummaryFailure::Failed(why)) => {
            set(&mut item, |body| body.error = Some(why.clone()));
            let outcome = match wanted.reason {
                CompactionReason::Requested => Err(failed(why)),
                CompactionReason::Threshold | CompactionReason::Overflow => Ok(()),
            };
            (ItemStatus::Failed, outcome)
        }
    };
    item.end(status, ctx.ambient.now_ms());
    host.record(Event::ItemCompleted { item });
    outcome?;
    // Pruning all old results is better than nothing.
    let tokens = meter.tokens(&ctx.system, tools, &conversation.messages);
    Ok(prune(host, ctx, conversation, meter, keep, (tokens, None)))
}

/// Returns the end for a turn that failed to compact the conversation.
fn failed(why: String) -> End {
    End::Failed(TurnError {
        code: "compaction".to_owned(),
        message: why,
        hint: None,
        retryable: true,
        http_status: None,
    })
}

/// Asks a model to summarize the conversation and, if it is separate, the first part of the turn.
async fn summarize<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    item: &Item,
    requests: Requests,
    tally: &mut Tally,
) -> Result<String, SummaryFailure> {
    let summarizer = summarizer(host, ctx);
    let mut shown = Shown { item: Some(item), n: 0 };
    let Requests { conversation, turn } = requests;
    let asked = (compact::INSTRUCTIONS, conversation);
    let conversation = ask(host, ctx, &summarizer, &mut shown, asked, tally).await?;
    let Some(turn) = turn else { return Ok(conversation) };
    shown.delta(host, format!("\n\n{}\n", compact::TURN));
    let asked = (compact::TURN_INSTRUCTIONS, turn);
    let turn = ask(host, ctx, &summarizer, &mut shown, asked, tally).await?;
    Ok(compact::joined(&conversation, &turn))
}

/// The model that writes summaries.
struct Summarizer<'a> {
    provider: &'a Arc<dyn Provider>,
    model: &'a ModelRef,
    effort: Option<Effort>,
    price: Option<Price>,
    window: Option<u64>,
}

/// Returns the model that writes summaries: the configured one if it is usable, else the session's model.
fn summarizer<'a, H: TurnHost>(host: &mut H, ctx: &'a TurnContext) -> Summarizer<'a> {
    match &ctx.llm.summary {
        Some(Ok(UsableModel { provider, model, price, window })) => {
            let (price, window) = (*price, *window);
            return Summarizer { provider, model, effort: model.effort, price, window };
        }
        Some(Err(why)) => host.record(Event::Notice(Notice {
            level: NoticeLevel::Warning,
            code: "summaryModelUnavailable".to_owned(),
            message: format!("the session's model writes the summary instead: {why}"),
            hint: Some("correct `context.summary_model` in the config file".to_owned()),
        })),
        None => {}
    }
    let UsableModel { provider, model, price, window } = ctx.llm.current();
    Summarizer { provider, model, effort: None, price: *price, window: *window }
}

/// The item that shows a summary while it streams.
struct Shown<'a> {
    item: Option<&'a Item>,
    /// The next delta's number.
    n: u64,
}

impl Shown<'_> {
    fn delta<H: TurnHost>(&mut self, host: &mut H, text: String) {
        let Some(item) = self.item else { return };
        let (item_id, field) = (item.id.clone(), DeltaField::Text);
        let delta = ItemDelta { item_id, field, path: None, n: self.n, to: None, text };
        self.n += 1;
        host.transient(TransientEvent::ItemDelta(delta));
    }
}

/// Returns the text to summarize, cut to fit the window: its start and its end matter most.
fn fitting(marks: &Marks, text: String) -> String {
    let room = marks.compact_at.saturating_sub(u64::from(MAX_SUMMARY_TOKENS)) * 3;
    let max_chars = usize::try_from(room).unwrap_or(usize::MAX);
    let guard = Guard { max_chars, max_lines: None, keep: Keep::HeadAndTail };
    truncate::guard(&text, guard, "").unwrap_or(text)
}

/// Asks the model to summarize the abandoned branch. Returns `None` on failure, which is reported.
///
/// # Errors
/// The turn was stopped meanwhile.
pub(crate) async fn summarize_branch<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    left: &[Arc<Message>],
    tally: &mut Tally,
) -> Result<Option<String>, End> {
    host.set_activity(Activity::Compacting);
    let summarizer = summarizer(host, ctx);
    let asked = (compact::BRANCH_INSTRUCTIONS, compact::branch_request(left));
    let mut shown = Shown { item: None, n: 0 };
    let asked = ask(host, ctx, &summarizer, &mut shown, asked, tally).await;
    host.set_activity(Activity::Working);
    match asked {
        Ok(summary) => Ok(Some(compact::titled_branch(&summary))),
        Err(SummaryFailure::Interrupted) => Err(End::Interrupted),
        Err(SummaryFailure::Failed(why)) => {
            let notice = Notice {
                level: NoticeLevel::Warning,
                code: "notSummedUp".to_owned(),
                message: format!("the abandoned branch was not summarized: {why}"),
                hint: Some("the session continues without the summary; the history tree still contains the branch".to_owned()),
            };
            host.record(Event::Notice(notice));
            Ok(None)
        }
    }
}

/// Returns how many tokens to keep, by the estimate. If the provider counts more than the estimate, proportionally less is kept, so that
/// there is always something to summarize.
fn tokens_to_keep(
    reason: CompactionReason,
    marks: &Marks,
    conversation: &Conversation,
    tokens: u64,
) -> u64 {
    let estimated = sum(&conversation.messages);
    let measured = match estimated.checked_mul(marks.keep) {
        Some(product) if estimated < tokens => product / tokens.max(1),
        Some(_) | None => marks.keep,
    };
    match reason {
        CompactionReason::Threshold => measured,
        // The count was wrong, or there is none; and a compaction requested by the user always runs, even if everything would fit.
        CompactionReason::Overflow | CompactionReason::Requested => measured.min(estimated / 2),
    }
}

fn marks_of(policy: &Policy, window: Option<u64>) -> Marks {
    policy.marks(window.unwrap_or(ASSUMED_WINDOW))
}

fn set(item: &mut Item, change: impl FnOnce(&mut Compaction)) {
    if let ItemBody::Compaction(body) = &mut item.body {
        change(body);
    }
}

/// The reason why there is no summary.
enum SummaryFailure {
    Interrupted,
    Failed(String),
}

/// Requests a summary, retrying after transient failures.
async fn ask<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    summarizer: &Summarizer<'_>,
    shown: &mut Shown<'_>,
    (instructions, text): (&str, String),
    tally: &mut Tally,
) -> Result<String, SummaryFailure> {
    let mut failures = Failures::default();
    let text = fitting(&marks_of(&ctx.llm.compaction, summarizer.window), text);
    loop {
        let request = one_shot::request(summarizer.model, instructions, &text, MAX_SUMMARY_TOKENS);
        let (effort, trace) = (summarizer.effort, ctx.llm.trace.clone());
        let request = Request { effort, trace, ..request };
        let error = match read(host, ctx, summarizer, shown, request, tally).await {
            None => return Err(SummaryFailure::Interrupted),
            Some(Ok(said)) if !said.trim().is_empty() => return Ok(said),
            // An empty text is not a summary: better to keep the conversation.
            Some(Ok(_)) => {
                return Err(SummaryFailure::Failed("the model's summary was empty".to_owned()));
            }
            Some(Err(error)) => error,
        };
        let next = retry::next_delay(&ctx.llm.retry, failures, &error, ctx.ambient.chance());
        let Ok(wait) = next else { return Err(SummaryFailure::Failed(error.message)) };
        failures.count += 1;
        failures.waited += wait;
        let waited = uncancelled(&ctx.cancel, tokio::time::sleep(wait));
        host.wait(waited).await.ok_or(SummaryFailure::Interrupted)?;
    }
}

/// Returns a reply's text, or `None` if the turn was cancelled first.
async fn read<H: TurnHost>(
    host: &mut H,
    ctx: &TurnContext,
    summarizer: &Summarizer<'_>,
    shown: &mut Shown<'_>,
    request: Request,
    tally: &mut Tally,
) -> Option<Result<String, Error>> {
    let mut deltas =
        match host.wait(uncancelled(&ctx.cancel, summarizer.provider.stream(request))).await? {
            Ok(deltas) => deltas,
            Err(error) => return Some(Err(error)),
        };
    let mut answer = one_shot::Answer::default();
    while let Some(delta) = host.wait(uncancelled(&ctx.cancel, deltas.next())).await? {
        let delta = match delta {
            Ok(delta) => delta,
            Err(error) => return Some(Err(error)),
        };
        if let Some(text) = answer.push(delta) {
            shown.delta(host, text);
        }
    }
    ctx.count(tally, answer.usage, summarizer.price);
    if !answer.is_whole {
        return Some(Err(Error::new(ErrorKind::Network, "the summary was cut off")));
    }
    Some(Ok(answer.text))
}

/// The assumed window in tokens if the actual one is unknown: tools and system prompt alone fill smaller ones.
const SMALLEST_WINDOW: u64 = 10_000;

/// Returns true if the estimated size is near the window.
pub(crate) fn may_overflow(ctx: &TurnContext, tools: &[ToolSpec], messages: &Messages) -> bool {
    let tokens = Meter::default().tokens(&ctx.system, tools, &messages.to_vec());
    let window = ctx.llm.window().unwrap_or(SMALLEST_WINDOW);
    tokens >= window / 100 * MAY_OVERFLOW_PERCENT
}

/// Returns the window usage.
pub(crate) fn usage(
    ctx: &TurnContext,
    meter: &mut Meter,
    tools: &[ToolSpec],
    messages: &[Arc<Message>],
) -> ContextUsage {
    ContextUsage { tokens: meter.tokens(&ctx.system, tools, messages), window: ctx.llm.window() }
}
