//! Matches the previous hunks with the current runs of changed lines. Ids depend on it.
//!
//! A hunk and a run match if they share lines, in the baseline or in the file, or else if they touch. Of several hunks that merged the
//! oldest keeps its id, of several parts of one the first. Invariant: no hunk is assigned twice.

use super::content::{Content, line_changes, lines_of, text_of};
use super::hunk::Tracked;
use pintle_base::text::line_diff::overlap;
use pintle_protocol::review::HunkKind;
use std::ops::Range;

/// A run of lines that differ between baseline and file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) kind: HunkKind,
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// Returns the difference between a baseline and a file.
pub(super) fn runs(baseline: Option<&Content>, now: Option<&Content>) -> Vec<Run> {
    if baseline == now {
        return Vec::new();
    }
    let is_text = text_of(baseline).is_some() && text_of(now).is_some();
    let lines = |content| if is_text { 0..lines_of(content).len() } else { 0..0 };
    let file = || Run { kind: HunkKind::File, old: lines(baseline), new: lines(now) };
    let (Some(before), Some(after)) = (baseline, now) else { return vec![file()] };
    let mut runs = Vec::new();
    if is_text {
        let changes = line_changes(baseline, now);
        runs.extend(changes.into_iter().map(|c| Run {
            kind: HunkKind::Lines,
            old: c.old,
            new: c.new,
        }));
    } else if before.bytes != after.bytes {
        return vec![file()];
    }
    if before.mode != after.mode {
        runs.push(Run { kind: HunkKind::Mode, old: 0..0, new: 0..0 });
    }
    runs
}

/// The result for each previous hunk and for each run, both by index.
#[derive(Debug)]
pub(super) struct Matched {
    /// For each run: the hunk that it is.
    pub(super) identity: Vec<Option<usize>>,
    /// For each run: all hunks of which it has lines, the oldest first.
    pub(super) from: Vec<Vec<usize>>,
    /// For each hunk that is no longer a run: the run that absorbed it.
    pub(super) absorbed: Vec<Option<usize>>,
}

/// Matches hunks with runs. The hunks' ranges already refer to the current texts.
pub(super) fn rematch(hunks: &[Tracked], runs: &[Run]) -> Matched {
    let (mut from, mut touching) = (vec![Vec::new(); runs.len()], vec![Vec::new(); runs.len()]);
    for (hunk_at, hunk) in hunks.iter().enumerate() {
        for run_at in near(hunk, runs) {
            let Some(run) = runs.get(run_at) else { continue };
            let list = if is_shared(hunk, run) { &mut from } else { &mut touching };
            if let Some(list) = list.get_mut(run_at) {
                list.push(hunk_at);
            }
        }
    }
    let mut assigned: Vec<bool> = vec![false; hunks.len()];
    let mut identity: Vec<Option<usize>> = vec![None; runs.len()];
    let is_claimed: Vec<bool> = {
        let mut claimed = vec![false; hunks.len()];
        for at in from.iter().flatten() {
            if let Some(claimed) = claimed.get_mut(*at) {
                *claimed = true;
            }
        }
        claimed
    };
    for (lists, may_be_claimed) in [(&from, true), (&touching, false)] {
        for (identity, list) in identity.iter_mut().zip(lists) {
            if identity.is_some() {
                continue;
            }
            let free = |at: &&usize| {
                assigned.get(**at) == Some(&false)
                    && (may_be_claimed || is_claimed.get(**at) == Some(&false))
            };
            let oldest = list.iter().filter(free).min_by_key(|at| hunks.get(**at).map(|h| h.born));
            if let Some(at) = oldest.copied() {
                *identity = Some(at);
                if let Some(assigned) = assigned.get_mut(at) {
                    *assigned = true;
                }
            }
        }
    }
    for (list, identity) in from.iter_mut().zip(&identity) {
        if let Some(at) = identity.filter(|at| !list.contains(at)) {
            list.push(at);
        }
        list.sort_by_key(|at| hunks.get(*at).map(|hunk| hunk.born));
    }
    let mut absorbed = vec![None; hunks.len()];
    for (run_at, list) in from.iter().enumerate() {
        for at in list.iter().filter(|at| assigned.get(**at) == Some(&false)) {
            if let Some(absorbed) = absorbed.get_mut(*at) {
                absorbed.get_or_insert(run_at);
            }
        }
    }
    Matched { identity, from, absorbed }
}

/// Returns the runs that share lines with a hunk or touch it. Runs are in order, so only a few are examined.
fn near(hunk: &Tracked, runs: &[Run]) -> Vec<usize> {
    let is_about_all =
        hunk.kind == HunkKind::File || runs.iter().take(1).any(|run| run.kind == HunkKind::File);
    if is_about_all {
        return (0..runs.len()).collect();
    }
    if hunk.kind == HunkKind::Mode {
        let last = runs.len().checked_sub(1);
        return last
            .filter(|at| runs.get(*at).is_some_and(|run| run.kind == HunkKind::Mode))
            .into_iter()
            .collect();
    }
    let of_lines = runs.partition_point(|run| run.kind == HunkKind::Lines);
    let runs = runs.get(..of_lines).unwrap_or_default();
    let window = |of: &Range<usize>, side: fn(&Run) -> &Range<usize>| {
        let first = runs.partition_point(|run| side(run).end < of.start);
        let behind = runs.partition_point(|run| side(run).start <= of.end);
        first..behind.max(first)
    };
    let mut indexes: Vec<usize> = window(&hunk.new, |run| &run.new).collect();
    indexes.extend(window(&hunk.old, |run| &run.old));
    indexes.sort_unstable();
    indexes.dedup();
    indexes
}

fn is_shared(hunk: &Tracked, run: &Run) -> bool {
    let same = |a: &Range<usize>, b: &Range<usize>| overlap(a, b) || a == b;
    match (hunk.kind, run.kind) {
        (HunkKind::Mode, kind) | (kind, HunkKind::Mode) => {
            kind == HunkKind::Mode || kind == HunkKind::File
        }
        (HunkKind::File, HunkKind::File | HunkKind::Lines) | (HunkKind::Lines, HunkKind::File) => {
            true
        }
        (HunkKind::Lines, HunkKind::Lines) => {
            same(&hunk.new, &run.new) || same(&hunk.old, &run.old)
        }
    }
}
