//! The part of a session's events that a reader is shown, and the counts on the way: pure.
//!
//! Invariant: whatever ended stands in the story once, at the place where it ended; what never ended stands at its end.

use pintle_protocol::content::{Usage, add_cost};
use pintle_protocol::event::{
    ConfigChanged, Event, EventRecord, Notice, QueuedInput, RetryScheduled, SessionCreated,
    StepCompleted, TurnCompleted,
};
use pintle_protocol::ids::{ItemId, SessionId};
use pintle_protocol::item::{Item, ItemBody};
use pintle_protocol::plan::Plan;
use pintle_protocol::question::{Question, QuestionOutcome};
use std::collections::BTreeMap;

/// Something a reader is told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Told<'a> {
    /// The event's number; of what never ended, none.
    pub(super) seq: Option<u64>,
    /// When it happened, in milliseconds since 1970.
    pub(super) ts_ms: u64,
    /// The subject.
    pub(super) what: What<'a>,
}

/// Something that a reader is shown.
#[derive(Debug, Clone, Copy)]
pub(super) enum What<'a> {
    Made(&'a SessionCreated),
    Item(&'a Item),
    Step(&'a StepCompleted),
    Handed(&'a [QueuedInput]),
    Asked(&'a Question),
    Answered(&'a QuestionOutcome),
    Plan(&'a Plan),
    Retry(&'a RetryScheduled),
    Pruned { results: u64 },
    Config(&'a ConfigChanged),
    Notice(&'a Notice),
    TurnEnded(&'a TurnCompleted),
}

/// The lines for an event, if there are any.
pub(super) fn told(record: &EventRecord) -> Option<Told<'_>> {
    let what = match &record.event {
        Event::SessionCreated(created) => What::Made(created),
        Event::ItemCompleted { item } => What::Item(item),
        Event::StepCompleted(step) => What::Step(step),
        Event::InputRemoved { inputs } => What::Handed(inputs),
        Event::QuestionRequested(question) => What::Asked(question),
        Event::QuestionResolved(outcome) => What::Answered(outcome),
        Event::PlanUpdated(plan) => What::Plan(plan),
        Event::RetryScheduled(retry) => What::Retry(retry),
        Event::ContextPruned(pruned) => What::Pruned { results: pruned.results },
        Event::ConfigChanged(config) => What::Config(config),
        Event::Notice(notice) => What::Notice(notice),
        Event::TurnCompleted(end) => What::TurnEnded(end),
        // Messages are told where the model reads them; permission shows in the call's end.
        Event::SessionClosed {}
        | Event::InputAccepted(_)
        | Event::QueueChanged { .. }
        | Event::PromptMade(_)
        | Event::TurnStarted { .. }
        | Event::ItemStarted { .. }
        | Event::ItemUpdated { .. }
        | Event::ApprovalRequested(_)
        | Event::ApprovalResolved(_)
        // Calls show what they changed; what history has left is not shown.
        | Event::FilesChanged(_)
        | Event::ReviewDecided(_)
        | Event::ReviewQueued(_)
        | Event::SessionUpdated(_)
        | Event::HistoryRewound(_)
        | Event::LabelChanged(_) => return None,
    };
    Some(Told { seq: Some(record.seq), ts_ms: record.ts_ms, what })
}

impl<'a> Told<'a> {
    /// An item that never ended.
    pub(super) fn unfinished(item: &'a Item) -> Self {
        Self { seq: None, ts_ms: item.started_ms, what: What::Item(item) }
    }

    /// The session of the sub-agent that this is about.
    pub(super) fn subagent(&self) -> Option<&'a SessionId> {
        if let What::Item(Item { body: ItemBody::Subagent(agent), .. }) = self.what {
            return Some(&agent.session_id);
        }
        None
    }
}

/// The counts, and the open items.
#[derive(Debug, Default)]
pub(super) struct Story {
    /// The turns that ended.
    pub(super) turns: u64,
    /// Their tokens.
    pub(super) usage: Usage,
    /// What they cost, in billionths of a US dollar; `None` where no price is known.
    pub(super) cost_nano_usd: Option<u64>,
    /// When something happened last, in milliseconds since 1970.
    pub(super) last_ms: u64,
    open: BTreeMap<ItemId, Item>,
}

impl Story {
    /// Takes note of an event.
    pub(super) fn take(&mut self, record: &EventRecord) {
        self.last_ms = self.last_ms.max(record.ts_ms);
        if let Event::ItemStarted { item } | Event::ItemUpdated { item } = &record.event {
            self.open.insert(item.id.clone(), item.clone());
        }
        if let Event::ItemCompleted { item } = &record.event {
            self.open.remove(&item.id);
        }
        if let Event::TurnCompleted(end) = &record.event {
            self.turns += 1;
            self.usage += end.usage;
            add_cost(&mut self.cost_nano_usd, end.cost_nano_usd);
        }
    }

    /// Items that began and never ended, in order of their beginning.
    pub(super) fn open_items(&self) -> Vec<Item> {
        let mut items: Vec<Item> = self.open.values().cloned().collect();
        items.sort_by_key(|item| item.started_ms);
        items
    }

    /// The counts in a line.
    pub(super) fn counts(&self) -> String {
        let Usage { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, .. } =
            self.usage;
        let read = input_tokens + cache_read_tokens + cache_write_tokens;
        let turns = if self.turns == 1 { "turn" } else { "turns" };
        let cost = self.cost_nano_usd.map(|cost| format!(", {}", usd(cost))).unwrap_or_default();
        format!("{} {turns}, {read} tokens read, {output_tokens} written{cost}", self.turns)
    }
}

/// An amount of money; a small one with more digits.
pub(super) fn usd(nano: u64) -> String {
    let (whole, rest) = (nano / 1_000_000_000, nano % 1_000_000_000);
    if whole == 0 && rest < 100_000_000 {
        format!("$0.{:05}", rest / 10_000)
    } else {
        format!("${whole}.{:02}", rest / 10_000_000)
    }
}

/// A moment for a reader, in UTC.
pub(super) fn moment(ms: u64) -> String {
    strftime(ms, "%Y-%m-%d %H:%M:%S UTC")
}

/// A moment for a program.
pub(super) fn iso(ms: u64) -> String {
    strftime(ms, "%Y-%m-%dT%H:%M:%SZ")
}

fn strftime(ms: u64, form: &str) -> String {
    let stamp = i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    stamp.map_or_else(|| format!("{ms} ms"), |stamp| stamp.strftime(form).to_string())
}

/// A duration.
pub(super) fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1000),
    }
}
