//! The lines that differ between two texts, and the mapping of lines from one to the other.
//!
//! Deterministic: the same texts always give the same result, because ids are made from it. The search for the
//! shortest result is bounded by counting its work, not by time. For diffs that people read see
//! [`crate::text::diff`].
//!
//! Invariant: changes are in order, and at least one equal line stands between any two of them.

use crate::text::parts;
use similar::DiffOp;
use std::ops::Range;

/// Lines that differ; ranges count lines from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The removed lines.
    pub old: Range<usize>,
    /// The added lines.
    pub new: Range<usize>,
}

/// The side to which an empty range leans when lines are inserted at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lean {
    /// It stays before the inserted lines.
    Before,
    /// It moves after the inserted lines.
    After,
}

/// Splits text into lines with their line endings; only the last may lack one.
pub fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Returns the changes between two texts.
pub fn changes(old: &[&str], new: &[&str]) -> Vec<Change> {
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (old.get(prefix..).unwrap_or_default(), new.get(prefix..).unwrap_or_default());
    let suffix = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let old = old.get(..old.len() - suffix).unwrap_or_default();
    let new = new.get(..new.len() - suffix).unwrap_or_default();
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    if old.is_empty() || new.is_empty() {
        return vec![Change { old: prefix..prefix + old.len(), new: prefix..prefix + new.len() }];
    }
    let (old_numbers, new_numbers) = parts::numbers(old, new);
    let mut found: Vec<Change> = Vec::new();
    for op in parts::shortest(&old_numbers, &new_numbers, None) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (old, new) = (op.old_range(), op.new_range());
        let old = old.start + prefix..old.end + prefix;
        let new = new.start + prefix..new.end + prefix;
        match found.last_mut() {
            Some(last) if last.old.end == old.start && last.new.end == new.start => {
                last.old.end = old.end;
                last.new.end = new.end;
            }
            _ => found.push(Change { old, new }),
        }
    }
    found
}

/// Returns the changes in the other direction.
pub fn inverse(changes: &[Change]) -> Vec<Change> {
    changes.iter().map(|c| Change { old: c.new.clone(), new: c.old.clone() }).collect()
}

/// Returns true if two ranges share lines; an empty range shares none.
pub fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Maps a range of lines from the old text to the new one. Lines inserted right before or after it stay outside;
/// lines inserted within it or replacing its lines are inside. For an empty range `lean` decides.
pub fn carried(changes: &[Change], range: &Range<usize>, lean: Lean) -> Range<usize> {
    if range.is_empty() {
        let at = match lean {
            Lean::Before => end(changes, range.end),
            Lean::After => start(changes, range.start),
        };
        return at..at;
    }
    let (start, end) = (start(changes, range.start), end(changes, range.end));
    // Removed lines may leave the borders crossed: their replacement is outside on both sides.
    start.min(end)..end
}

fn start(changes: &[Change], at: usize) -> usize {
    let passed = changes.partition_point(|change| change.old.end <= at);
    match changes.get(passed) {
        Some(around) if around.old.start < at => around.new.start,
        _ => shifted(changes, passed, at),
    }
}

fn end(changes: &[Change], at: usize) -> usize {
    let passed = changes.partition_point(|change| change.old.start < at);
    match passed.checked_sub(1).and_then(|last| changes.get(last)) {
        Some(around) if around.old.end > at => around.new.end,
        _ => shifted(changes, passed, at),
    }
}

/// Returns a border shifted by that many changes.
fn shifted(changes: &[Change], passed: usize, at: usize) -> usize {
    match passed.checked_sub(1).and_then(|last| changes.get(last)) {
        Some(last) => at - last.old.end + last.new.end,
        None => at,
    }
}

#[cfg(test)]
mod tests;
