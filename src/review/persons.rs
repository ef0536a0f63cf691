//! The lines that a person wrote into the agent's hunks: kept track of, so that no undo takes them unasked.
//!
//! A line that others take away and that comes back, at its place or another, is still the person's; so is one that only gets
//! or loses its line end. Lines without a letter or digit stand everywhere and are followed by their place alone.
//! Invariant: ranges are in order and share nothing.

use crate::text::line_diff::{Change, Lean, carried, overlap};
use std::collections::BTreeMap;
use std::ops::Range;

/// Lines of a text, from 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Persons {
    lines: Vec<Range<usize>>,
    /// Lines that others took away, and how often.
    taken: BTreeMap<String, usize>,
}

impl Persons {
    /// A person changes the text, and writes these lines into hunks.
    pub(super) fn write(&mut self, edits: &[Change], lines: impl Iterator<Item = Range<usize>>) {
        self.carry(edits);
        self.add(lines);
    }

    /// Somebody else changes the text.
    pub(super) fn follow(&mut self, edits: &[Change], old: &[&str], new: &[&str]) {
        for lines in edits.iter().flat_map(|edit| self.among(&edit.old)).collect::<Vec<_>>() {
            for line in old.get(lines).unwrap_or_default() {
                if line.contains(char::is_alphanumeric) {
                    *self.taken.entry(line.trim_end_matches('\n').to_owned()).or_default() += 1;
                }
            }
        }
        self.carry(edits);
        let mut back = Vec::new();
        for at in edits.iter().flat_map(|edit| edit.new.clone()) {
            let Some(line) = new.get(at).map(|line| line.trim_end_matches('\n')) else { continue };
            let Some(count) = self.taken.get_mut(line) else { continue };
            *count -= 1;
            if *count == 0 {
                self.taken.remove(line);
            }
            back.push(at..at + 1);
        }
        self.add(back.into_iter());
    }

    /// True when there are any among some lines.
    pub(super) fn are_in(&self, lines: &Range<usize>) -> bool {
        self.lines.iter().any(|of| overlap(of, lines))
    }

    /// Those among some lines.
    fn among(&self, lines: &Range<usize>) -> Vec<Range<usize>> {
        let shared = self.lines.iter().filter(|of| overlap(of, lines));
        shared.map(|of| of.start.max(lines.start)..of.end.min(lines.end)).collect()
    }

    fn add(&mut self, lines: impl Iterator<Item = Range<usize>>) {
        self.lines.extend(lines.filter(|lines| !lines.is_empty()));
        self.lines.sort_unstable_by_key(|lines| lines.start);
    }

    /// Lines that stay move, the others are forgotten.
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
