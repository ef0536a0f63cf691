//! The difference of two texts, as unified hunks.
//!
//! What both texts begin and end with is set aside first, so that one edit in a large file costs little; the
//! rest has a deadline, after which the diff is correct but coarser.

use similar::{Algorithm, ChangeTag, DiffOp, TextDiff, group_diff_ops};
use std::fmt::Write as _;
use std::time::Duration;

/// Lines shown around a change.
const CONTEXT: usize = 4;

/// Longer than this nobody waits for a finer diff.
const DEADLINE: Duration = Duration::from_millis(200);

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
}

/// Compares two texts.
pub fn unified(old: &str, new: &str) -> Diff {
    if old == new {
        return Diff::default();
    }
    let middle = Middle::of(old, new);
    let lines = TextDiff::configure()
        .algorithm(Algorithm::Myers)
        .timeout(DEADLINE)
        .diff_lines(middle.old, middle.new);
    let mut diff = Diff::default();
    for group in group_diff_ops(lines.ops().to_vec(), CONTEXT) {
        diff.header(&group, middle.skipped_lines);
        for change in group.iter().flat_map(|op| lines.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => {
                    diff.removed += 1;
                    '-'
                }
                ChangeTag::Insert => {
                    diff.added += 1;
                    '+'
                }
            };
            diff.line(sign, change.value());
        }
    }
    diff
}

impl Diff {
    fn header(&mut self, group: &[DiffOp], skipped: usize) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
        let old = first.old_range().start..last.old_range().end;
        let new = first.new_range().start..last.new_range().end;
        if self.first_changed_line.is_none() {
            let changed = group.iter().find(|op| !matches!(op, DiffOp::Equal { .. }));
            let at = changed.map_or(new.start, |op| op.new_range().start);
            self.first_changed_line = Some((skipped + at + 1) as u64);
        }
        let _ = writeln!(
            self.text,
            "@@ -{} +{} @@",
            span(skipped + old.start, old.len()),
            span(skipped + new.start, new.len())
        );
    }

    fn line(&mut self, sign: char, line: &str) {
        self.text.push(sign);
        self.text.push_str(line);
        if !line.ends_with('\n') {
            self.text.push_str("\n\\ No newline at end of file\n");
        }
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

/// Both texts without what they share at either end, but for enough lines of it to show as context.
struct Middle<'a> {
    old: &'a str,
    new: &'a str,
    /// Lines before both that are left out.
    skipped_lines: usize,
}

impl<'a> Middle<'a> {
    fn of(old: &'a str, new: &'a str) -> Self {
        let shared = shared_prefix(old.as_bytes(), new.as_bytes());
        let (prefix, _) = old.as_bytes().split_at_checked(shared).unwrap_or_default();
        let start = lines_back(prefix, CONTEXT);
        let skipped_lines = prefix.iter().take(start).filter(|&&byte| byte == b'\n').count();

        // `shared` may lie inside a character, so the rests are bytes; the cuts are at line ends again.
        let old_rest = old.as_bytes().get(shared..).unwrap_or_default();
        let new_rest = new.as_bytes().get(shared..).unwrap_or_default();
        let suffix = shared_suffix(old_rest, new_rest);
        let keep =
            lines_forward(old.as_bytes().get(old.len() - suffix..).unwrap_or_default(), CONTEXT);
        let drop = suffix - keep;
        Self {
            old: old.get(start..old.len() - drop).unwrap_or_default(),
            new: new.get(start..new.len() - drop).unwrap_or_default(),
            skipped_lines,
        }
    }
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

/// Where the last `count` lines of a text begin that may end within a line; that line does not count.
fn lines_back(text: &[u8], count: usize) -> usize {
    let ends = text.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n');
    ends.map(|(at, _)| at + 1).nth(count).unwrap_or(0)
}

/// Where the first `count` lines of a text end that may begin within a line; that line does not count.
fn lines_forward(text: &[u8], count: usize) -> usize {
    let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    ends.map(|(at, _)| at + 1).nth(count).unwrap_or(text.len())
}

#[cfg(test)]
mod tests;
