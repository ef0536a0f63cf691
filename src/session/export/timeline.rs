//! An exported session's entries and totals. Pure.
//!
//! Invariant: a finished item appears once, where it ended; an unfinished one appears at the end.

use super::phrases;
use pintle_base::text::money::usd;
use pintle_protocol::content::{Usage, add_cost};
use pintle_protocol::event::{
    Event, EventRecord, NoticeLevel, QueuedInput, SessionCreated, StepCompleted, TurnCompleted,
};
use pintle_protocol::ids::{ItemId, SessionId};
use pintle_protocol::item::Item;
use pintle_protocol::plan::Plan;
use pintle_protocol::question::Question;
use std::collections::BTreeMap;

/// An entry of the timeline.
#[derive(Debug, Clone)]
pub(super) struct TimelineEntry<'a> {
    /// The event's number; `None` for an item that never ended.
    pub(super) seq: Option<u64>,
    /// The event's time, in milliseconds since 1970.
    pub(super) ts_ms: u64,
    /// The subject.
    pub(super) kind: EntryKind<'a>,
}

/// An entry's subject.
#[derive(Debug, Clone)]
pub(super) enum EntryKind<'a> {
    Created(&'a SessionCreated),
    Item(&'a Item),
    Step(&'a StepCompleted),
    HandedBack(&'a [QueuedInput]),
    Asked(&'a Question),
    Plan(&'a Plan),
    /// A phrase about anything else.
    Note {
        text: String,
        is_bad: bool,
    },
    TurnEnded(&'a TurnCompleted),
}

/// Returns an event's entry, if it has one.
pub(super) fn entry(record: &EventRecord) -> Option<TimelineEntry<'_>> {
    let note = |text| EntryKind::Note { text, is_bad: false };
    let kind = match &record.event {
        Event::SessionCreated(created) => EntryKind::Created(created),
        Event::ItemCompleted { item } => EntryKind::Item(item),
        Event::StepCompleted(step) => EntryKind::Step(step),
        Event::InputRemoved { inputs, is_handled: false } => EntryKind::HandedBack(inputs),
        Event::QuestionRequested(question) => EntryKind::Asked(question),
        Event::QuestionResolved(outcome) => note(phrases::answer(outcome)),
        Event::PlanUpdated(plan) => EntryKind::Plan(plan),
        Event::RetryScheduled(retry) => note(phrases::retry(retry)),
        Event::ContextPruned(pruned) => note(phrases::pruned(pruned)),
        Event::ConfigChanged(config) => note(phrases::config(config)),
        Event::Notice(notice) => EntryKind::Note {
            text: phrases::notice(notice),
            is_bad: notice.level != NoticeLevel::Info,
        },
        Event::TurnCompleted(end) => EntryKind::TurnEnded(end),
        // Messages appear where the model reads them; a permission appears in the call's end.
        Event::SessionClosed {}
        | Event::InputRemoved { is_handled: true, .. }
        | Event::InputAccepted(_)
        | Event::QueueChanged { .. }
        | Event::PromptMade(_)
        | Event::TurnStarted { .. }
        | Event::ItemStarted { .. }
        | Event::ItemUpdated { .. }
        | Event::ApprovalRequested(_)
        | Event::ApprovalResolved(_)
        // Calls show their changes; abandoned branches are not shown.
        | Event::FilesChanged(_)
        | Event::IsolationApplied(_)
        | Event::ReviewDecided(_)
        | Event::ReviewQueued(_)
        | Event::SessionMoved(_)
        | Event::SessionUpdated(_)
        | Event::HistoryRewound(_)
        | Event::LabelChanged(_) => return None,
    };
    Some(TimelineEntry { seq: Some(record.seq), ts_ms: record.ts_ms, kind })
}

impl<'a> TimelineEntry<'a> {
    /// Returns the entry for an unfinished item.
    pub(super) fn unfinished(item: &'a Item) -> Self {
        Self { seq: None, ts_ms: item.started_ms, kind: EntryKind::Item(item) }
    }

    /// Returns the sub-agent session that this entry is about.
    pub(super) fn subagent(&self) -> Option<&'a SessionId> {
        let EntryKind::Item(item) = &self.kind else { return None };
        item.body.as_subagent().map(|agent| &agent.session_id)
    }
}

/// A session's totals and its open items.
#[derive(Debug, Default)]
pub(super) struct Totals {
    /// The number of turns that ended.
    pub(super) turns: u64,
    /// Their tokens.
    pub(super) usage: Usage,
    /// Their cost in billionths of a US dollar; `None` if no price is known.
    pub(super) cost_nano_usd: Option<u64>,
    /// The last event's time, in milliseconds since 1970.
    pub(super) last_ms: u64,
    open: BTreeMap<ItemId, Item>,
}

impl Totals {
    /// Adds an event.
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

    /// Returns the items that never ended, in the order of their start.
    pub(super) fn open_items(&self) -> Vec<Item> {
        let mut items: Vec<Item> = self.open.values().cloned().collect();
        items.sort_by_key(|item| item.started_ms);
        items
    }

    /// Returns the totals on one line.
    pub(super) fn counts(&self) -> String {
        let (read, written) = (self.usage.read_tokens(), self.usage.output_tokens);
        let turns = if self.turns == 1 { "turn" } else { "turns" };
        let cost = self.cost_nano_usd.map(|cost| format!(", {}", usd(cost))).unwrap_or_default();
        format!("{} {turns}, {read} tokens read, {written} written{cost}", self.turns)
    }
}

/// Formats a time for a reader, in UTC.
pub(super) fn moment(ms: u64) -> String {
    strftime(ms, "%Y-%m-%d %H:%M:%S UTC")
}

/// Formats a time for a program.
pub(super) fn iso(ms: u64) -> String {
    strftime(ms, "%Y-%m-%dT%H:%M:%SZ")
}

fn strftime(ms: u64, form: &str) -> String {
    let stamp = i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    stamp.map_or_else(|| format!("{ms} ms"), |stamp| stamp.strftime(form).to_string())
}

/// Formats a duration.
pub fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1000),
    }
}
