//! The difference of two texts, as unified hunks.
//!
//! Parts known to be equal, and equal parts at either end, are set aside first, so edits in a large file cost little;
//! the rest has a deadline, after which the diff is correct but coarser.

mod words;

use crate::text::parts;
use crate::text::splice::Splice;
use pintle_protocol::diff::{Side, WordSpan};
use similar::{ChangeTag, DiffOp, DiffableStr, group_diff_ops};
use std::fmt::Write as _;
use std::ops::Range;
use std::time::Duration;

/// Lines shown around a change.
const CONTEXT: usize = 4;

/// The deadline for a finer diff.
const DEADLINE: Duration = Duration::from_millis(200);

/// Words are compared only in changes of at most this many bytes on either side.
const MAX_WORD_BYTES: usize = 64 * 1024;

/// The maximum number of word spans; beyond it, only lines are marked.
const MAX_WORDS: usize = 1000;

/// The difference of two texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diff {
    /// Hunks, `@@ -a,b +c,d @@` and lines, with four lines of context and without file headers. Empty when
    /// the texts are equal.
    pub text: String,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    /// The first line that differs, 1-based, in the new text.
    pub first_changed_line: Option<u64>,
    /// Returns the differences within changed lines.
    pub words: Vec<WordSpan>,
}

/// Compares two texts.
///
/// # Example
///
/// ```
/// use pintle_base::text::diff::unified;
///
/// let diff = unified("a\nb\nc\n", "a\nB\nc\nd\n");
/// assert_eq!(diff.text, "@@ -1,3 +1,4 @@\n a\n-b\n+B\n c\n+d\n");
/// assert_eq!((diff.added, diff.removed), (2, 1));
/// assert_eq!(diff.first_changed_line, Some(2));
/// ```
pub fn unified(old: &str, new: &str) -> Diff {
    if old == new {
        return Diff::default();
    }
    of_splices(old, &[difference(old, new)])
}

/// The difference that splices make. It costs next to nothing for what stays.
pub fn of_splices(old: &str, splices: &[Splice<'_>]) -> Diff {
    let mut diff = Diff::default();
    let (mut old_at, mut old_line, mut new_line) = (0, 0, 0);
    for region in regions(old, splices) {
        let skipped = newlines(old.get(old_at..region.old.start).unwrap_or_default());
        old_line += skipped;
        new_line += skipped;
        let before = old.get(region.old.clone()).unwrap_or_default();
        let after = region.after(old);
        diff.region(before, &after, old_line, new_line);
        old_at = region.old.end;
        old_line += newlines(before);
        new_line += newlines(&after);
    }
    diff
}

/// Whole lines around splices, with enough of them for context; splices that share lines are in one region.
struct Region<'a> {
    old: Range<usize>,
    splices: &'a [Splice<'a>],
}

fn regions<'a>(old: &str, splices: &'a [Splice<'a>]) -> Vec<Region<'a>> {
    let mut regions: Vec<Region<'a>> = Vec::new();
    let mut first = 0;
    for (at, splice) in splices.iter().enumerate() {
        let start = lines_back(old.as_bytes(), splice.old.start, CONTEXT);
        let end = lines_forward(old.as_bytes(), splice.old.end, CONTEXT);
        let old = match regions.last() {
            Some(last) if last.old.end > start => {
                let start = last.old.start;
                regions.pop();
                start..end
            }
            _ => {
                first = at;
                start..end
            }
        };
        regions.push(Region { old, splices: splices.get(first..=at).unwrap_or_default() });
    }
    regions
}

impl Region<'_> {
    /// The region's text after its splices.
    fn after(&self, old: &str) -> String {
        let mut after = String::new();
        let mut at = self.old.start;
        for splice in self.splices {
            after.push_str(old.get(at..splice.old.start).unwrap_or_default());
            after.push_str(&splice.new);
            at = splice.old.end;
        }
        after.push_str(old.get(at..self.old.end).unwrap_or_default());
        after
    }
}

fn newlines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

impl Diff {
    /// Adds the hunks that begin after `old_skipped` and `new_skipped` lines.
    fn region(&mut self, old: &str, new: &str, old_skipped: usize, new_skipped: usize) {
        let (old_lines, new_lines) = (old.tokenize_lines(), new.tokenize_lines());
        let (old_numbers, new_numbers) = parts::numbers(&old_lines, &new_lines);
        let ops = parts::shortest(&old_numbers, &new_numbers, Some(DEADLINE));
        for group in group_diff_ops(ops.clone(), CONTEXT) {
            self.header(&group, old_skipped, new_skipped);
            for change in group.iter().flat_map(|op| op.iter_changes(&old_lines, &new_lines)) {
                let sign = match change.tag() {
                    ChangeTag::Equal => ' ',
                    ChangeTag::Delete => {
                        self.removed += 1;
                        '-'
                    }
                    ChangeTag::Insert => {
                        self.added += 1;
                        '+'
                    }
                };
                self.line(sign, change.value());
            }
        }
        if old.len().max(new.len()) <= MAX_WORD_BYTES {
            for op in ops.iter().filter(|op| matches!(op, DiffOp::Replace { .. })) {
                let (old, new) = (op.old_range(), op.new_range());
                let (old_first, new_first) = (old_skipped + old.start, new_skipped + new.start);
                let old = old_lines.get(old).unwrap_or_default();
                let new = new_lines.get(new).unwrap_or_default();
                let [old, new] = words::differing(old, new);
                self.add_words(Side::Old, old_first, old);
                self.add_words(Side::New, new_first, new);
            }
        }
    }

    fn header(&mut self, group: &[DiffOp], old_skipped: usize, new_skipped: usize) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
        let old = first.old_range().start..last.old_range().end;
        let new = first.new_range().start..last.new_range().end;
        if self.first_changed_line.is_none() {
            let changed = group.iter().find(|op| !matches!(op, DiffOp::Equal { .. }));
            let at = changed.map_or(new.start, |op| op.new_range().start);
            self.first_changed_line = Some((new_skipped + at + 1) as u64);
        }
        let _ = writeln!(
            self.text,
            "@@ -{} +{} @@",
            span(old_skipped + old.start, old.len()),
            span(new_skipped + new.start, new.len())
        );
    }

    fn line(&mut self, sign: char, line: &str) {
        self.text.push(sign);
        self.text.push_str(line);
        if !line.ends_with('\n') {
            self.text.push_str("\n\\ No newline at end of file\n");
        }
    }

    /// Adds words; lines are counted from `first`.
    fn add_words(&mut self, side: Side, first: usize, words: Vec<(usize, Range<usize>)>) {
        let room = MAX_WORDS.saturating_sub(self.words.len());
        self.words.extend(words.into_iter().take(room).map(|(line, bytes)| WordSpan {
            side,
            line: (first + line) as u64 + 1,
            start: bytes.start as u64,
            end: bytes.end as u64,
        }));
    }
}

/// A range as unified diffs write it: 1-based, and for no lines the line before.
fn span(start: usize, len: usize) -> String {
    match len {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        _ => format!("{},{len}", start + 1),
    }
}

/// Returns the differing part of two texts, between their common prefix and suffix.
fn difference<'a>(old: &str, new: &'a str) -> Splice<'a> {
    let mut start = shared_prefix(old.as_bytes(), new.as_bytes());
    // Bytes may be shared within a character.
    while !(old.is_char_boundary(start) && new.is_char_boundary(start)) {
        start -= 1;
    }
    let old_rest = old.as_bytes().get(start..).unwrap_or_default();
    let new_rest = new.as_bytes().get(start..).unwrap_or_default();
    let mut shared = shared_suffix(old_rest, new_rest);
    while !(old.is_char_boundary(old.len() - shared) && new.is_char_boundary(new.len() - shared)) {
        shared -= 1;
    }
    let new = new.get(start..new.len() - shared).unwrap_or_default();
    Splice { old: start..old.len() - shared, new: new.into() }
}

fn shared_prefix(old: &[u8], new: &[u8]) -> usize {
    const BLOCK: usize = 4096;
    let blocks =
        old.chunks_exact(BLOCK).zip(new.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count()
            * BLOCK;
    let old_rest = old.get(blocks..).unwrap_or_default();
    let new_rest = new.get(blocks..).unwrap_or_default();
    blocks + old_rest.iter().zip(new_rest).take_while(|(a, b)| a == b).count()
}

fn shared_suffix(old: &[u8], new: &[u8]) -> usize {
    const BLOCK: usize = 4096;
    let blocks =
        old.rchunks_exact(BLOCK).zip(new.rchunks_exact(BLOCK)).take_while(|(a, b)| a == b).count()
            * BLOCK;
    let old_rest = old.get(..old.len() - blocks).unwrap_or_default();
    let new_rest = new.get(..new.len() - blocks).unwrap_or_default();
    blocks + old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// Returns the start of the line `count` lines before the line at an offset.
fn lines_back(text: &[u8], at: usize, count: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    memchr::memrchr_iter(b'\n', before).nth(count).map_or(0, |newline| newline + 1)
}

/// Returns the offset where a line ends, `count` lines after the one at an offset.
fn lines_forward(text: &[u8], at: usize, count: usize) -> usize {
    let after = text.get(at..).unwrap_or_default();
    memchr::memchr_iter(b'\n', after).nth(count).map_or(text.len(), |newline| at + newline + 1)
}

#[cfg(test)]
mod tests;
