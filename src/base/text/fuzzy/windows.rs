//! Finds the parts of a large text that may contain a piece, folded or not.
//!
//! Folding a whole file costs far more than reading it. A piece nearly always contains a run of plain characters that folding neither
//! produces nor removes, so only the text around that run's occurrences is folded. Invariant: every match in the folded text lies in one
//! window.

use crate::text::fold::{Folded, Level};
use crate::text::truncate::border_before;
use memchr::memmem;
use std::ops::Range;

/// The number of occurrences beyond which a run of characters is not selective.
const MAX_PLACES: usize = 1000;

/// A smaller text is one window: looking for places costs as much as folding.
const MIN_BYTES: usize = 4096;

/// A part of a text, folded both ways. It begins and ends with a line.
pub(super) struct Window<'a> {
    start: usize,
    lf: Folded<'a>,
    full: Folded<'a>,
}

/// Returns the windows for a piece with LF line endings, in order and disjoint.
pub(super) fn find<'a>(text: &'a str, piece: &str) -> Vec<Window<'a>> {
    let parts = if text.len() < MIN_BYTES { None } else { parts(text, piece) };
    let whole = || std::iter::once(0..text.len()).collect();
    let parts: Vec<Range<usize>> = parts.unwrap_or_else(whole);
    parts
        .into_iter()
        .map(|part| {
            let slice = text.get(part.clone()).unwrap_or_default();
            Window {
                start: part.start,
                lf: Folded::new(slice, Level::Endings),
                full: Folded::new(slice, Level::Full),
            }
        })
        .collect()
}

impl Window<'_> {
    pub(super) fn folded(&self, level: Level) -> &str {
        match level {
            Level::Endings => &self.lf.text,
            Level::Full | Level::FullOpenEnd => &self.full.text,
        }
    }

    /// Maps a range of the folded window to the original text.
    pub(super) fn original(&self, folded: &Range<usize>, level: Level) -> Option<Range<usize>> {
        let (start, end) = match level {
            Level::Endings => {
                (self.lf.original_start(folded.start)?, self.lf.original_end(folded.end)?)
            }
            Level::FullOpenEnd => {
                (self.full.original_start(folded.start)?, self.full.original_end(folded.end)?)
            }
            Level::Full => {
                (self.full.original_start(folded.start)?, self.full.original_line_end(folded.end)?)
            }
        };
        (start <= end).then_some(self.start + start..self.start + end)
    }
}

/// Returns the ranges that may contain the piece; `None` without a selective run.
fn parts(text: &str, piece: &str) -> Option<Vec<Range<usize>>> {
    let run = longest_run(piece)?;
    let lines = |part: &str| memchr::memchr_iter(b'\n', part.as_bytes()).count();
    let before = lines(piece.get(..run.start)?);
    let after = lines(piece.get(run.start..)?);
    let needle = piece.get(run)?.as_bytes();
    let bytes = text.as_bytes();
    let mut parts: Vec<Range<usize>> = Vec::new();
    for (count, place) in memmem::find_iter(bytes, needle).enumerate() {
        if count == MAX_PLACES {
            return None;
        }
        let start = memchr::memrchr_iter(b'\n', bytes.get(..place)?).nth(before);
        let start = start.map_or(0, |newline| newline + 1);
        let end = memchr::memchr_iter(b'\n', bytes.get(place..)?).nth(after);
        let end = end.map_or(text.len(), |newline| place + newline + 1);
        match parts.last_mut() {
            Some(last) if last.end >= start => last.end = last.end.max(end),
            _ => parts.push(start..end),
        }
    }
    Some(parts)
}

/// Returns the longest run of characters that folding keeps as they are.
fn longest_run(piece: &str) -> Option<Range<usize>> {
    let mut best = 0..0;
    let mut start = 0;
    for (at, character) in piece.char_indices().chain([(piece.len(), ' ')]) {
        if is_rigid(character) {
            continue;
        }
        // A combining mark after a letter may form one character with it in the text.
        let end =
            if character.is_ascii() { at } else { border_before(piece, at.saturating_sub(1)) };
        if end.saturating_sub(start) > best.len() {
            best = start..end;
        }
        start = at + character.len_utf8();
    }
    (!best.is_empty()).then_some(best)
}

/// Returns true if folding neither produces nor removes this character. `K`, `;` and `` ` `` are the result of
/// decomposing others.
fn is_rigid(character: char) -> bool {
    character.is_ascii_graphic() && !matches!(character, '\'' | '"' | '-' | 'K' | ';' | '`')
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_normalization::UnicodeNormalization;

    #[test]
    fn the_longest_run_tells_where_to_look() {
        for (name, piece, want) in [
            ("a word", "let total = 1", Some("total")),
            ("quotes end it", "say('hello')", Some("hello")),
            ("a letter with a mark is left out", "abcde\u{301}", Some("abcd")),
            ("nothing rigid", "  '-' \n", None),
            ("the kelvin sign folds to K", "KK", None),
            ("empty", "", None),
        ] {
            assert_eq!(longest_run(piece).map(|run| &piece[run]), want, "{name}");
        }
    }

    #[test]
    fn no_other_character_folds_to_a_rigid_one_alone() {
        for character in ('\u{80}'..=char::MAX).filter(|character| !character.is_ascii()) {
            let folded: Vec<char> =
                Folded::new(&character.to_string(), Level::Full).text.nfd().collect();
            assert!(
                !matches!(folded.as_slice(), [only] if is_rigid(*only)),
                "{character} folds to {folded:?}"
            );
        }
    }
}
