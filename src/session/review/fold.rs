//! Folds a user's edit into the baseline, so that hunks show only the agent's work.
//!
//! An edit that shares no lines with a hunk is applied to the baseline too. Any other edit is not, and appears in the hunk; user lines
//! inside a hunk are tracked (`user_lines`), and an undo that would remove them is a conflict. A deletion across a hunk's border is split
//! there, so an undo does not bring back deleted lines outside the hunk. An edit that restores lines removed by the agent
//! inserts them nowhere, since the baseline has them (`restored`). Invariant: the baseline never gets a line that the agent wrote.

use super::content::{Content, lines_of, text_of, whole};
use super::restored::{Edits, restored, touches};
use super::user_lines::Lines;
use pintle_base::text::line_diff::{Change, Lean, carried, changes, inverse, overlap};
use std::ops::Range;

/// How a user's edit affects a baseline.
#[derive(Debug)]
pub(super) struct Folded {
    /// The baseline after it.
    pub(super) content: Option<Content>,
    /// How its lines map.
    pub(super) map: Vec<Change>,
    /// The edits that were not applied.
    pub(super) inside: Vec<Change>,
    /// The file's lines around hunks whose removed lines were restored.
    pub(super) restored: Vec<Range<usize>>,
}

/// Folds a user's edit of `now` into the baseline; `edits` are the changes between `now` and `after`, `own` the user's lines in `now`.
pub(super) fn fold(
    base: Option<&Content>,
    now: Option<&Content>,
    after: Option<&Content>,
    edits: &[Change],
    own: &Lines,
) -> Folded {
    let whole_edit = |content: Option<Content>, map: Vec<Change>| Folded {
        content,
        map,
        inside: Vec::new(),
        restored: Vec::new(),
    };
    if base == now {
        return whole_edit(after.cloned(), edits.to_vec());
    }
    let out = || Folded { inside: edits.to_vec(), ..whole_edit(base.cloned(), Vec::new()) };
    let (Some(base_content), Some(now_content), Some(after_content)) = (base, now, after) else {
        if after.is_none() {
            // Deleting a file discards the agent's changes to it.
            let map = whole(lines_of(base).len(), 0);
            return whole_edit(None, map);
        }
        return out();
    };
    let mode =
        if base_content.mode == now_content.mode { after_content.mode } else { base_content.mode };
    if base_content.bytes == now_content.bytes {
        let content = Content { mode, ..after_content.clone() };
        return whole_edit(Some(content), edits.to_vec());
    }
    let (Some(_), Some(_), Some(_)) = (text_of(base), text_of(now), text_of(after)) else {
        return out();
    };
    let (base_lines, now_lines, after_lines) = (lines_of(base), lines_of(now), lines_of(after));
    let to_base = inverse(&changes(&base_lines, &now_lines));
    let is_inside = |edit: &Change| to_base.iter().any(|hunk| overlap(&hunk.old, &edit.old));
    let (mut inside, beside): (Vec<Change>, Vec<Change>) =
        edits.iter().flat_map(|edit| split(edit, &to_base)).partition(is_inside);
    let found = restored(&Edits {
        base: &base_lines,
        now: &now_lines,
        after: &after_lines,
        to_base: &to_base,
        own,
        beside: &beside,
        inside: &inside,
    });
    let mut splices = Vec::new();
    for edit in beside {
        if found.iter().any(|region| touches(&edit, &region.now)) {
            continue;
        }
        let at = carried(&to_base, &edit.old, Lean::Before);
        let text = after_lines.get(edit.new.clone()).unwrap_or_default().concat();
        if fits(&base_lines, &at, &text) {
            splices.push((at, text));
        } else {
            inside.push(edit);
        }
    }
    inside.sort_by_key(|edit| edit.old.start);
    let mut restored = Vec::new();
    for region in found {
        splices.extend(region.splices);
        restored.push(region.now);
    }
    splices.sort_by_key(|(at, _)| (at.start, at.end));
    let (text, map) = spliced(&base_lines, &splices);
    let content = Content { bytes: text.into_bytes().into(), mode };
    Folded { content: Some(content), map, inside, restored }
}

/// Splits a deletion at hunk borders; any other edit stays whole, since its new lines cannot be assigned to the parts.
fn split(edit: &Change, hunks: &[Change]) -> Vec<Change> {
    if !edit.new.is_empty() {
        return vec![edit.clone()];
    }
    let borders = hunks.iter().flat_map(|hunk| [hunk.old.start, hunk.old.end]);
    let mut parts = Vec::new();
    let mut start = edit.old.start;
    for border in borders.filter(|at| edit.old.start < *at && *at < edit.old.end) {
        if start < border {
            parts.push(Change { old: start..border, new: edit.new.clone() });
        }
        start = border;
    }
    parts.push(Change { old: start..edit.old.end, new: edit.new.clone() });
    parts
}

/// Returns true if a text may be inserted there: only the last line of a file may lack a line end.
pub(super) fn fits(lines: &[&str], at: &Range<usize>, text: &str) -> bool {
    let before = at.start.checked_sub(1).and_then(|last| lines.get(last));
    let is_open = |line: &str| !line.ends_with('\n');
    text.is_empty()
        || ((at.end >= lines.len() || !is_open(text)) && !before.is_some_and(|line| is_open(line)))
}

/// Replaces ranges of lines by texts; the ranges are in order and disjoint. Returns the text, and a change for each.
pub(super) fn spliced(lines: &[&str], splices: &[(Range<usize>, String)]) -> (String, Vec<Change>) {
    let (mut text, mut map) = (String::new(), Vec::new());
    let (mut at, mut new_at) = (0, 0);
    for (range, with) in splices {
        let range = range.start.max(at)..range.end.max(at);
        for line in lines.get(at..range.start).unwrap_or_default() {
            text.push_str(line);
        }
        new_at += range.start - at;
        text.push_str(with);
        let count = with.split_inclusive('\n').count();
        map.push(Change { old: range.clone(), new: new_at..new_at + count });
        (at, new_at) = (range.end, new_at + count);
    }
    for line in lines.get(at..).unwrap_or_default() {
        text.push_str(line);
    }
    (text, map)
}
