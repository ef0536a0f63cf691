//! Computes a session's usage from its events. Pure.

use crate::store::Entry;
use pintle_protocol::content::add_cost;
use pintle_protocol::event::{Event, EventRecord, TurnCompleted};
use pintle_protocol::usage::{ModelUsage, UsageCount, UsageReadResult};

/// Counts a session's usage. The running turn counts up to its last complete reply; a fork's copied part does not count.
pub fn count(entries: &[Entry]) -> UsageReadResult {
    let mut counted = UsageReadResult::default();
    let mut model = String::new();
    let mut running: Option<UsageCount> = None;
    let (mut copied_seq, mut merged_seq) = (0, 0);
    for record in entries.iter().filter_map(|entry| entry.record.as_ref()) {
        let EventRecord { seq, event, .. } = record;
        if *seq <= merged_seq {
            continue;
        }
        if let Event::SessionCreated(created) = event {
            copied_seq = created.forked_from.as_ref().map_or(0, |from| from.copied_seq);
        } else if let Event::HistoryRewound(rewound) = event {
            merged_seq = rewound.merged.as_ref().map_or(merged_seq, |from| from.copied_seq);
        }
        if *seq <= copied_seq {
            continue;
        }
        if let Event::SessionUpdated(updated) = event {
            counted.titles.usage += updated.usage.unwrap_or_default();
            add_cost(&mut counted.titles.cost_nano_usd, updated.cost_nano_usd);
        } else if let Event::TurnStarted { model: used } = event {
            model.clone_from(used);
            running = Some(UsageCount { turns: 1, ..UsageCount::default() });
        } else if let (Event::StepCompleted(step), Some(running)) = (event, &mut running) {
            running.steps = u64::from(step.step);
            running.usage = step.turn_usage;
            running.cost_nano_usd = step.turn_cost_nano_usd;
        } else if let Event::TurnCompleted(end) = event {
            running = None;
            add_turn(&mut counted, &model, turn(end));
        }
    }
    if let Some(running) = running {
        add_turn(&mut counted, &model, running);
    }
    let titles = counted.titles;
    add(&mut counted.total, titles);
    counted
}

fn turn(end: &TurnCompleted) -> UsageCount {
    UsageCount {
        turns: 1,
        steps: u64::from(end.steps),
        usage: end.usage,
        cost_nano_usd: end.cost_nano_usd,
        uncached_cost_nano_usd: None,
        duration_ms: end.duration_ms,
    }
}

fn add_turn(counted: &mut UsageReadResult, model: &str, turn: UsageCount) {
    add(&mut counted.total, turn);
    match counted.models.iter_mut().find(|known| known.model == model) {
        Some(known) => add(&mut known.count, turn),
        None => counted.models.push(ModelUsage { model: model.to_owned(), count: turn }),
    }
}

/// Adds the cost that the session would have had without provider caches; `uncached` computes it from a model's usage, if the price is
/// known.
pub fn add_uncached(counted: &mut UsageReadResult, uncached: impl Fn(&ModelUsage) -> Option<u64>) {
    for model in &mut counted.models {
        model.count.uncached_cost_nano_usd = uncached(model);
    }
    let all = counted.models.iter().map(|model| model.count.uncached_cost_nano_usd);
    counted.total.uncached_cost_nano_usd = all.sum::<Option<u64>>().filter(|cost| *cost > 0);
}

fn add(total: &mut UsageCount, more: UsageCount) {
    total.turns += more.turns;
    total.steps += more.steps;
    total.usage += more.usage;
    add_cost(&mut total.cost_nano_usd, more.cost_nano_usd);
    total.duration_ms = total.duration_ms.saturating_add(more.duration_ms);
}
