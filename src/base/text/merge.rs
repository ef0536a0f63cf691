//! Three-way merge of texts by lines.
//!
//! Changes of the two sides that share no lines are combined. If they overlap and differ, both versions are kept between conflict markers,
//! with the base version between them. Invariant: no line written by either side is lost.
//!
//! The crate `diffy` does not fit: it reports changes to adjacent lines as conflicts, writes LF markers into CRLF files, does not report
//! which lines conflict, and its diff is unbounded (8 s for 20,000 lines that all differ).

use crate::text::line_diff::{Change, changes, overlap, split};
use std::ops::Range;

/// A merged text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The merged text, with markers around conflicts.
    pub text: String,
    /// The conflicting ranges, as lines of the base, from 0.
    pub conflicts: Vec<Range<usize>>,
}

/// The labels after the conflict markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Labels<'a> {
    /// Behind `<<<<<<<`.
    pub ours: &'a str,
    /// Behind `|||||||`.
    pub base: &'a str,
    /// Behind `>>>>>>>`.
    pub theirs: &'a str,
}

/// Merges the changes of both sides.
///
/// # Example
///
/// ```
/// use pintle_base::text::merge::{Labels, merge};
///
/// let labels = Labels { ours: "editor", base: "before", theirs: "agent" };
/// let base = "one\ntwo\nthree\n";
/// let merged = merge(base, "ONE\ntwo\nthree\n", "one\ntwo\nTHREE\n", labels);
/// assert_eq!(merged.text, "ONE\ntwo\nTHREE\n");
///
/// let merged = merge("one\n", "1\n", "uno\n", labels);
/// assert_eq!(merged.conflicts, [0..1]);
/// assert!(merged.text.starts_with("<<<<<<< editor\n1\n"));
/// ```
pub fn merge(base: &str, ours: &str, theirs: &str, labels: Labels<'_>) -> Merged {
    let base_lines = split(base);
    let (our_lines, their_lines) = (split(ours), split(theirs));
    let our_changes = changes(&base_lines, &our_lines);
    let their_changes = changes(&base_lines, &their_lines);
    let mut merged = Merged { text: String::new(), conflicts: Vec::new() };
    let (mut our_next, mut their_next) = (our_changes.as_slice(), their_changes.as_slice());
    let (mut at, mut our_at, mut their_at) = (0, 0, 0);
    while let Some(group) = Group::next(&mut our_next, &mut their_next) {
        let equal = group.base.start - at;
        push(&mut merged.text, &base_lines, at..group.base.start);
        (our_at, their_at) = (our_at + equal, their_at + equal);
        let our_end = group.end(our_at, group.ours);
        let their_end = group.end(their_at, group.theirs);
        let sides = Sides {
            base: text(&base_lines, group.base.clone()),
            ours: text(&our_lines, our_at..our_end),
            theirs: text(&their_lines, their_at..their_end),
        };
        if let Some(settled) = sides.settled() {
            merged.text.push_str(settled);
        } else {
            merged.text.push_str(&conflict(&sides.base, &sides.ours, &sides.theirs, labels));
            merged.conflicts.push(group.base.clone());
        }
        (at, our_at, their_at) = (group.base.end, our_end, their_end);
    }
    push(&mut merged.text, &base_lines, at..base_lines.len());
    merged
}

/// Renders a conflict: ours, the base, theirs.
pub fn conflict(base: &str, ours: &str, theirs: &str, labels: Labels<'_>) -> String {
    let is_crlf = [ours, theirs, base].iter().any(|text| text.contains("\r\n"));
    let newline = if is_crlf { "\r\n" } else { "\n" };
    let mut out = String::new();
    let parts = [
        (format!("<<<<<<< {}", labels.ours), ours),
        (format!("||||||| {}", labels.base), base),
        ("=======".to_owned(), theirs),
        (format!(">>>>>>> {}", labels.theirs), ""),
    ];
    for (marker, text) in parts {
        out.push_str(&marker);
        out.push_str(newline);
        out.push_str(text);
        if !text.is_empty() && !text.ends_with('\n') {
            out.push_str(newline);
        }
    }
    out
}

/// A group of conflicting changes of both sides.
struct Group<'a> {
    base: Range<usize>,
    ours: &'a [Change],
    theirs: &'a [Change],
}

impl<'a> Group<'a> {
    fn next(ours: &mut &'a [Change], theirs: &mut &'a [Change]) -> Option<Self> {
        let first = match (ours.first(), theirs.first()) {
            (Some(our), Some(their)) if their.old.start < our.old.start => their,
            (Some(our), _) => our,
            (None, Some(their)) => their,
            (None, None) => return None,
        };
        let mut base = first.old.clone();
        let (mut our_count, mut their_count) = (0, 0);
        loop {
            let counts = (our_count, their_count);
            for (side, count) in [(&*ours, &mut our_count), (&*theirs, &mut their_count)] {
                while let Some(change) = side.get(*count).filter(|c| meet(&c.old, &base)) {
                    base = base.start.min(change.old.start)..base.end.max(change.old.end);
                    *count += 1;
                }
            }
            if counts == (our_count, their_count) {
                break;
            }
        }
        let (our_group, our_rest) = ours.split_at(our_count);
        let (their_group, their_rest) = theirs.split_at(their_count);
        (*ours, *theirs) = (our_rest, their_rest);
        Some(Self { base, ours: our_group, theirs: their_group })
    }

    /// Returns the group's end on a side, given its start there.
    fn end(&self, start: usize, side: &[Change]) -> usize {
        let came: usize = side.iter().map(|change| change.new.len()).sum();
        let went: usize = side.iter().map(|change| change.old.len()).sum();
        start + self.base.len() + came - went
    }
}

/// Returns true if two changes conflict: they share lines, or one inserts lines at the other's border, where their order is undefined.
fn meet(a: &Range<usize>, b: &Range<usize>) -> bool {
    let touch = a.start <= b.end && b.start <= a.end;
    overlap(a, b) || a == b || (touch && (a.is_empty() || b.is_empty()))
}

struct Sides {
    base: String,
    ours: String,
    theirs: String,
}

impl Sides {
    /// Returns the text that both sides agree on.
    fn settled(&self) -> Option<&str> {
        if self.ours == self.theirs || self.theirs == self.base {
            Some(&self.ours)
        } else if self.ours == self.base {
            Some(&self.theirs)
        } else {
            None
        }
    }
}

fn text(lines: &[&str], range: Range<usize>) -> String {
    lines.get(range).unwrap_or_default().concat()
}

fn push(out: &mut String, lines: &[&str], range: Range<usize>) {
    for line in lines.get(range).unwrap_or_default() {
        out.push_str(line);
    }
}

#[cfg(test)]
mod tests;
