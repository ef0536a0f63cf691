//! Lines written by the user, tracked so that no undo removes them without consent.
//!
//! An undo removes those inside the agent's hunks. It keeps those outside, unless a later change makes the diff align differently, so that
//! an unmoved line counts as moved; then it depends on the other lines that the undo brings back.
//!
//! A line that is removed by another author and returns, at its position or another one, is still the user's; so is one that only gains or
//! loses its line ending. Lines without a letter or digit are common and are tracked by position only. Invariant: ranges are in order and
//! disjoint.

use pintle_base::text::line_diff::{Change, Lean, carried, overlap};
use std::collections::BTreeMap;
use std::ops::Range;

/// The user's lines in a file's text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct UserLines {
    /// Those that were written into hunks.
    pub(super) inside: Lines,
    /// All of them.
    pub(super) all: Lines,
}

impl UserLines {
    /// Records the user's change of the text, which inserts some of its lines into hunks.
    pub(super) fn write(&mut self, edits: &[Change], inside: impl Iterator<Item = Range<usize>>) {
        self.inside.write(edits, inside);
        self.all.write(edits, edits.iter().map(|edit| edit.new.clone()));
    }

    /// Records another author's change to the text.
    pub(super) fn follow(&mut self, edits: &[Change], old: &[&str], new: &[&str]) {
        self.inside.follow(edits, old, new);
        self.all.follow(edits, old, new);
    }
}

/// Lines of a text, from 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Lines {
    lines: Vec<Range<usize>>,
    /// Lines that others removed, with their number.
    removed: BTreeMap<String, usize>,
}

impl Lines {
    fn write(&mut self, edits: &[Change], lines: impl Iterator<Item = Range<usize>>) {
        self.carry(edits);
        self.add(lines);
    }

    fn follow(&mut self, edits: &[Change], old: &[&str], new: &[&str]) {
        for lines in edits.iter().flat_map(|edit| self.among(&edit.old)).collect::<Vec<_>>() {
            for line in old.get(lines).unwrap_or_default() {
                if line.contains(char::is_alphanumeric) {
                    *self.removed.entry(line.trim_end_matches('\n').to_owned()).or_default() += 1;
                }
            }
        }
        self.carry(edits);
        let mut back = Vec::new();
        for at in edits.iter().flat_map(|edit| edit.new.clone()) {
            let Some(line) = new.get(at).map(|line| line.trim_end_matches('\n')) else { continue };
            let Some(count) = self.removed.get_mut(line) else { continue };
            *count -= 1;
            if *count == 0 {
                self.removed.remove(line);
            }
            back.push(at..at + 1);
        }
        self.add(back.into_iter());
    }

    /// Returns true if any of these lines is the user's.
    pub(super) fn overlap_with(&self, lines: &Range<usize>) -> bool {
        self.lines.iter().any(|own| overlap(own, lines))
    }

    /// Returns true if this line is the user's.
    pub(super) fn contains(&self, at: usize) -> bool {
        let passed = self.lines.partition_point(|lines| lines.end <= at);
        self.lines.get(passed).is_some_and(|lines| lines.contains(&at))
    }

    /// Returns the user's lines among these.
    pub(super) fn among(&self, lines: &Range<usize>) -> Vec<Range<usize>> {
        let shared = self.lines.iter().filter(|own| overlap(own, lines));
        shared.map(|own| own.start.max(lines.start)..own.end.min(lines.end)).collect()
    }

    fn add(&mut self, lines: impl Iterator<Item = Range<usize>>) {
        self.lines.extend(lines.filter(|lines| !lines.is_empty()));
        self.lines.sort_unstable_by_key(|lines| lines.start);
    }

    /// Moves the lines that stay, and drops the others.
    fn carry(&mut self, map: &[Change]) {
        let mut kept = Vec::new();
        for lines in &self.lines {
            let mut at = lines.start;
            for edit in map.iter().filter(|edit| overlap(&edit.old, lines)) {
                kept.push(at..edit.old.start.max(at));
                at = edit.old.end;
            }
            kept.push(at..lines.end.max(at));
        }
        kept.retain(|lines| !lines.is_empty());
        self.lines = kept.iter().map(|lines| carried(map, lines, Lean::After)).collect();
    }
}
