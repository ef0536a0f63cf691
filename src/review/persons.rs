//! The lines that a person wrote into the agent's hunks: kept track of, so that no undo takes them unasked.
//!
//! Invariant: ranges are in order, share nothing, and each line in them was last written by a person.

use crate::text::line_diff::{Change, Lean, carried, overlap};
use std::ops::Range;

/// Lines of a text, from 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Persons(Vec<Range<usize>>);

impl Persons {
    /// A person wrote these lines.
    pub(super) fn add(&mut self, lines: impl Iterator<Item = Range<usize>>) {
        self.0.extend(lines.filter(|lines| !lines.is_empty()));
        self.0.sort_unstable_by_key(|lines| lines.start);
    }

    /// The text changes: lines that stay move, the others are forgotten.
    pub(super) fn carry(&mut self, map: &[Change]) {
        let mut kept = Vec::new();
        for lines in &self.0 {
            let mut at = lines.start;
            for edit in map.iter().filter(|edit| overlap(&edit.old, lines)) {
                kept.push(at..edit.old.start.max(at));
                at = edit.old.end;
            }
            kept.push(at..lines.end.max(at));
        }
        kept.retain(|lines| !lines.is_empty());
        self.0 = kept.iter().map(|lines| carried(map, lines, Lean::After)).collect();
    }

    /// Whether there are any among some lines.
    pub(super) fn are_in(&self, lines: &Range<usize>) -> bool {
        self.0.iter().any(|of| overlap(of, lines))
    }

    /// Those among some lines, counted within them.
    pub(super) fn within(&self, lines: &Range<usize>) -> Vec<Range<usize>> {
        let shared = self.0.iter().filter(|of| overlap(of, lines));
        shared
            .map(|of| of.start.max(lines.start) - lines.start..of.end.min(lines.end) - lines.start)
            .collect()
    }
}

/// The edits without a line that only got or lost its line end, as the last line of a file does when lines come behind it:
/// whoever did that did not write it.
pub(super) fn without_line_ends(edits: &[Change], old: &[&str], new: &[&str]) -> Vec<Change> {
    let mut left = edits.to_vec();
    let Some(edit) = edits.last() else { return left };
    let is_open = |line: &str| !line.ends_with('\n');
    let same = |from: &str, to: &str| {
        (is_open(from) || is_open(to)) && from.trim_end_matches('\n') == to.trim_end_matches('\n')
    };
    let pairs = edit.old.clone().flat_map(|from| edit.new.clone().map(move |to| (from, to)));
    let ends = pairs.filter(|(from, to)| from + 1 == old.len() || to + 1 == new.len());
    let found = ends
        .map(|(from, to)| (from, to, old.get(from), new.get(to)))
        .find(|found| matches!(found, (_, _, Some(old), Some(new)) if same(old, new)));
    if let Some((from, to, ..)) = found {
        left.pop();
        left.push(Change { old: edit.old.start..from, new: edit.new.start..to });
        left.push(Change { old: from + 1..edit.old.end, new: to + 1..edit.new.end });
    }
    left
}
