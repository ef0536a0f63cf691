//! Lines that the agent removed and the user restored by hand: the baseline has them already, so they are not inserted into it again.
//!
//! Around each hunk there is a region in which lines have no fixed position: user lines, lines without a letter or digit, and lines equal
//! to removed ones, which a diff may read at several positions. If a user's edit touches a region and brings removed lines back, the
//! region's part of the baseline is rewritten: the file's lines without the agent's, with the lines that are still removed at their
//! positions between them. Invariant: the baseline loses no line that the user did not delete.

use super::user_lines::Lines;
use pintle_base::text::line_diff::{Change, Lean, carried, changes};
use std::collections::BTreeSet;
use std::ops::Range;

/// The user's edits, and the texts that they are about.
pub(super) struct Edits<'a> {
    pub(super) base: &'a [&'a str],
    pub(super) now: &'a [&'a str],
    pub(super) after: &'a [&'a str],
    /// The changes from the file to the baseline.
    pub(super) to_base: &'a [Change],
    /// The user's lines in the file.
    pub(super) own: &'a Lines,
    /// The file's edits that share no line with a hunk.
    pub(super) beside: &'a [Change],
    /// Those that do.
    pub(super) inside: &'a [Change],
}

/// A region whose lines were restored.
#[derive(Debug)]
pub(super) struct Restored {
    /// Its lines in the file before the edits.
    pub(super) now: Range<usize>,
    /// Replacements of baseline lines, instead of the edits that touch the region.
    pub(super) splices: Vec<(Range<usize>, String)>,
}

/// Lines around hunks.
#[derive(Debug, Clone)]
struct Region {
    base: Range<usize>,
    now: Range<usize>,
}

/// Returns true if an edit touches these lines of the file.
pub(super) fn touches(edit: &Change, now: &Range<usize>) -> bool {
    edit.old.start <= now.end && now.start <= edit.old.end
}

/// Returns the regions in which removed lines were restored, in file order.
pub(super) fn restored(edits: &Edits<'_>) -> Vec<Restored> {
    if edits.beside.iter().all(|edit| edit.new.is_empty()) {
        return Vec::new();
    }
    let regions = regions(edits);
    regions.into_iter().filter_map(|region| rewritten(edits, region)).collect()
}

/// Returns the regions that edits touch, together with the lines of those edits.
fn regions(edits: &Edits<'_>) -> Vec<Region> {
    let mut regions: Vec<Region> = Vec::new();
    for (at, hunk) in edits.to_base.iter().enumerate() {
        let removed = edits.base.get(hunk.new.clone()).unwrap_or_default();
        let removed: BTreeSet<&str> = removed.iter().copied().collect();
        let is_loose = |at: usize| {
            edits.own.contains(at)
                || edits.now.get(at).is_some_and(|line| !has_word(line) || removed.contains(line))
        };
        let end =
            at.checked_sub(1).and_then(|last| edits.to_base.get(last)).map_or(0, |c| c.old.end);
        let next = edits.to_base.get(at + 1).map_or(edits.now.len(), |c| c.old.start);
        let before = (end..hunk.old.start).rev().take_while(|at| is_loose(*at)).count();
        let behind = (hunk.old.end..next).take_while(|at| is_loose(*at)).count();
        merge(
            &mut regions,
            Region {
                base: hunk.new.start - before..hunk.new.end + behind,
                now: hunk.old.start - before..hunk.old.end + behind,
            },
        );
    }
    let mut touched = Vec::new();
    for mut region in regions {
        let mut is_touched = false;
        for edit in edits
            .beside
            .iter()
            .filter(|edit| touches(edit, &region.now))
            .cloned()
            .collect::<Vec<_>>()
        {
            is_touched = true;
            if !edit.old.is_empty() {
                let base = carried(edits.to_base, &edit.old, Lean::Before);
                widen(&mut region, &Region { base, now: edit.old });
            }
        }
        if is_touched {
            merge(&mut touched, region);
        }
    }
    touched
}

/// Adds a region, or extends the last one if they meet.
fn merge(regions: &mut Vec<Region>, region: Region) {
    match regions.last_mut() {
        Some(last) if region.now.start <= last.now.end => widen(last, &region),
        _ => regions.push(region),
    }
}

fn widen(region: &mut Region, by: &Region) {
    let union = |a: &Range<usize>, b: &Range<usize>| a.start.min(b.start)..a.end.max(b.end);
    region.base = union(&region.base, &by.base);
    region.now = union(&region.now, &by.now);
}

/// Rewrites a region's part of the baseline, if edits restored lines.
fn rewritten(edits: &Edits<'_>, region: Region) -> Option<Restored> {
    let parts = Parts::split(edits, &region)?;
    let mapped = changes(&texts(&parts.fixed), &texts(&parts.shared));
    if !parts.has_restored(&mapped) {
        return None;
    }
    let lines = parts.merged(&mapped)?;
    let open = lines.iter().position(|line| !line.ends_with('\n'));
    let is_last = |at: usize| at + 1 == lines.len() && region.base.end == edits.base.len();
    if !open.is_none_or(is_last) {
        return None;
    }
    let splices = changes(edits.base.get(region.base.clone())?, &lines).into_iter().map(|change| {
        let old = region.base.start + change.old.start..region.base.start + change.old.end;
        (old, lines.get(change.new).unwrap_or_default().concat())
    });
    Some(Restored { splices: splices.collect(), now: region.now })
}

/// A line with its position in the baseline; `None` for a new line.
#[derive(Debug, Clone, Copy)]
struct Line<'a> {
    text: &'a str,
    base: Option<usize>,
}

fn texts<'a>(lines: &[Line<'a>]) -> Vec<&'a str> {
    lines.iter().map(|line| line.text).collect()
}

/// A region's lines.
#[derive(Debug, Default)]
struct Parts<'a> {
    /// Baseline lines that stay in it, without the user's.
    fixed: Vec<Line<'a>>,
    /// Those of the fixed ones that the file had before.
    common: Vec<&'a str>,
    /// The lines that baseline and file will share, including the user's.
    shared: Vec<Line<'a>>,
    /// The shared lines that the user inserts.
    inserted: Vec<&'a str>,
}

impl<'a> Parts<'a> {
    /// Walks through the file and the baseline; `None` if the region ends within a hunk.
    fn split(edits: &Edits<'a>, region: &Region) -> Option<Self> {
        let touching = edits.beside.iter().filter(|edit| touches(edit, &region.now));
        let mut pending = touching.clone().peekable();
        let is_deleted = |at: usize| touching.clone().any(|edit| edit.old.contains(&at));
        let is_replaced = |at: usize| edits.inside.iter().any(|edit| edit.old.contains(&at));
        let mut parts = Self::default();
        let mut insert = |up_to: usize, parts: &mut Self| {
            while let Some(edit) = pending.next_if(|edit| edit.old.start <= up_to) {
                let lines = edits.after.get(edit.new.clone()).unwrap_or_default();
                parts.inserted.extend(lines);
                parts.shared.extend(lines.iter().map(|text| Line { text, base: None }));
            }
        };
        let hunks = edits.to_base.iter().filter(|hunk| {
            region.now.start <= hunk.old.start
                && hunk.old.start <= region.now.end
                && hunk.new.end <= region.base.end
        });
        let end =
            Change { old: region.now.end..region.now.end, new: region.base.end..region.base.end };
        let (mut at, mut base_at) = (region.now.start, region.base.start);
        for Change { old: now, new: base } in hunks.chain([&end]) {
            while at < now.start {
                insert(at, &mut parts);
                let line = Line { text: edits.now.get(at)?, base: Some(base_at) };
                if is_replaced(at) {
                    parts.fixed.push(line);
                } else if !is_deleted(at) {
                    parts.shared.push(line);
                    if !edits.own.contains(at) {
                        parts.fixed.push(line);
                        parts.common.push(line.text);
                    }
                }
                (at, base_at) = (at + 1, base_at + 1);
            }
            insert(now.start, &mut parts);
            if base_at != base.start {
                return None;
            }
            for (text, at) in edits.base.get(base.clone())?.iter().zip(base.clone()) {
                parts.fixed.push(Line { text, base: Some(at) });
            }
            (at, base_at) = (now.end, base.end);
        }
        Some(parts)
    }

    /// Returns true if more of the baseline's lines are in the file than before. `mapped` are the changes from the fixed lines to the
    /// shared ones.
    fn has_restored(&self, mapped: &[Change]) -> bool {
        // User lines that have only brackets in common with removed ones are another text.
        let has_words = self.inserted.iter().any(|line| has_word(line));
        let is_counted = |line: &str| !has_words || has_word(line);
        let count = |lines: &[Line<'_>]| lines.iter().filter(|line| is_counted(line.text)).count();
        let missing = mapped.iter().filter_map(|change| self.fixed.get(change.old.clone()));
        let matched = count(&self.fixed) - missing.map(count).sum::<usize>();
        matched > self.common.iter().filter(|line| is_counted(line)).count()
    }

    /// Returns the shared lines with the removed ones between them. Where nothing else decides, the order is that of the baseline.
    fn merged(&self, mapped: &[Change]) -> Option<Vec<&'a str>> {
        let mut lines = Vec::new();
        let mut at = 0;
        for change in mapped {
            lines.extend(self.fixed.get(at..change.old.start)?.iter().map(|line| line.text));
            let mut removed = self.fixed.get(change.old.clone())?.iter().peekable();
            for line in self.shared.get(change.new.clone())? {
                if let Some(place) = line.base {
                    while let Some(before) = removed.next_if(|other| other.base < Some(place)) {
                        lines.push(before.text);
                    }
                }
                lines.push(line.text);
            }
            lines.extend(removed.map(|line| line.text));
            at = change.old.end;
        }
        lines.extend(self.fixed.get(at..)?.iter().map(|line| line.text));
        Some(lines)
    }
}

/// Returns true for a line with a letter or digit; others are common.
fn has_word(line: &str) -> bool {
    line.contains(char::is_alphanumeric)
}
