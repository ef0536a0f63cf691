//! A selection of lines of a hunk, and the texts if only these lines change.

use pintle_protocol::review::{HunkKind, LineSelection, LineSpan};
use std::ops::Range;

use super::hunk::Tracked;

/// Lines of a hunk, counted within it from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Selection {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
    /// All lines are selected.
    pub(super) is_whole: bool,
}

impl Selection {
    /// Returns the selected lines of a hunk; `None` if it has no such lines.
    pub(super) fn resolve(hunk: &Tracked, lines: Option<LineSelection>) -> Option<Self> {
        let all = (0..count(&hunk.old_text), 0..count(&hunk.new_text));
        let Some(lines) = lines else {
            return Some(Self { old: all.0, new: all.1, is_whole: true });
        };
        if hunk.kind == HunkKind::Mode {
            return None;
        }
        let old = range(lines.old, all.0.end)?;
        let new = range(lines.new, all.1.end)?;
        if old.is_empty() && new.is_empty() {
            return None;
        }
        // An empty side is positioned at the start or the end of the hunk, depending on the other side.
        let old = if old.is_empty() { empty_range(all.0.end, new.start) } else { old };
        let new = if new.is_empty() { empty_range(all.1.end, old.start) } else { new };
        let is_whole = (&old, &new) == (&all.0, &all.1);
        Some(Self { old, new, is_whole })
    }
}

fn empty_range(end: usize, start: usize) -> Range<usize> {
    if start == 0 { 0..0 } else { end..end }
}

fn range(span: Option<LineSpan>, end: usize) -> Option<Range<usize>> {
    let Some(span) = span.filter(|span| span.count > 0) else { return Some(0..0) };
    let start = usize::try_from(span.start.checked_sub(1)?).ok()?;
    let stop = start.checked_add(usize::try_from(span.count).ok()?)?;
    (stop <= end).then_some(start..stop)
}

fn count(text: &str) -> usize {
    text.split_inclusive('\n').count()
}

/// Returns lines of a text.
pub(super) fn cut(text: &str, lines: &Range<usize>) -> String {
    text.split_inclusive('\n').skip(lines.start).take(lines.len()).collect()
}

/// Converts lines within a range to lines of the file.
pub(super) fn within(range: &Range<usize>, lines: &Range<usize>) -> Range<usize> {
    range.start + lines.start..range.start + lines.end
}
