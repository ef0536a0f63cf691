//! Places in a text as editors name them: a line and units of UTF-16, from 0.
//!
//! Invariant: any position, also one beyond the end, names a place between two characters.

use crate::text::line_diff::{changes, split};
use pintle_protocol::document::{Position, TextEdit, TextRange};
use std::ops::Range;

/// Returns the byte offset of a position. A position after a line's end or the text's end becomes that end; one inside a character becomes
/// its start.
pub fn offset(text: &str, position: Position) -> usize {
    let Ok(line) = usize::try_from(position.line) else { return text.len() };
    let start = match line.checked_sub(1) {
        None => 0,
        Some(before) => match memchr::memchr_iter(b'\n', text.as_bytes()).nth(before) {
            Some(newline) => newline + 1,
            None => return text.len(),
        },
    };
    let rest = text.get(start..).unwrap_or_default();
    let line = rest.split('\n').next().unwrap_or_default();
    let line = line.strip_suffix('\r').unwrap_or(line);
    let mut units = 0;
    for (at, character) in line.char_indices() {
        units += character.len_utf16() as u64;
        if units > position.character {
            return start + at;
        }
    }
    start + line.len()
}

/// The bytes that a range names; one that is backwards names nothing, at its start.
pub fn bytes(text: &str, range: TextRange) -> Range<usize> {
    let start = offset(text, range.start);
    start..offset(text, range.end).max(start)
}

/// The whole lines that must change to make one text of another.
pub fn edits(old: &str, new: &str) -> Vec<TextEdit> {
    let (old_lines, new_lines) = (split(old), split(new));
    let edit = |change: crate::text::line_diff::Change| TextEdit {
        range: TextRange {
            start: line_start(&old_lines, change.old.start),
            end: line_start(&old_lines, change.old.end),
        },
        text: new_lines.get(change.new).unwrap_or_default().concat(),
    };
    changes(&old_lines, &new_lines).into_iter().map(edit).collect()
}

/// Returns a line's start, or the text's end if there is no such line.
fn line_start(lines: &[&str], line: usize) -> Position {
    match lines.last() {
        Some(last) if line >= lines.len() && !last.ends_with('\n') => {
            Position { line: lines.len() as u64 - 1, character: last.encode_utf16().count() as u64 }
        }
        _ => Position { line: line as u64, character: 0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_position_names_a_place_between_two_characters() {
        let text = "ab\r\nc😀d\n\nlast";
        for (name, line, character, want) in [
            ("the beginning", 0, 0, 0),
            ("in a line", 0, 1, 1),
            ("the end of a line", 0, 2, 2),
            ("beyond the end of a line, before its ends", 0, 9, 2),
            ("the next line", 1, 0, 4),
            ("before an emoji", 1, 1, 5),
            ("within an emoji: before it", 1, 2, 5),
            ("behind an emoji", 1, 3, 9),
            ("an empty line", 2, 0, 11),
            ("beyond an empty line", 2, 1, 11),
            ("the last line", 3, 4, 16),
            ("beyond the last line", 4, 0, 16),
            ("far beyond", u64::MAX, u64::MAX, 16),
        ] {
            assert_eq!(offset(text, Position { line, character }), want, "{name}");
        }
    }

    #[test]
    fn a_range_that_is_backwards_is_empty() {
        let [start, end] = [2, 1].map(|character| Position { line: 0, character });
        assert_eq!(bytes("abc", TextRange { start, end }), 2..2);
    }

    /// Makes edits as a client does: from the last to the first.
    fn apply(text: &str, edits: &[TextEdit]) -> String {
        let mut text = text.to_owned();
        for edit in edits.iter().rev() {
            text.replace_range(bytes(&text, edit.range), &edit.text);
        }
        text
    }

    proptest! {
        #![proptest_config(pintle_testing::chance::cases(256))]

        #[test]
        fn edits_make_one_text_of_another(old in "([ab😀]{0,3}(\n|\r\n)){0,8}[ab]{0,3}", new in "([ab😀]{0,3}(\n|\r\n)){0,8}[ab]{0,3}") {
            prop_assert_eq!(apply(&old, &edits(&old, &new)), new);
        }

        #[test]
        fn no_position_splits_a_character(text in "[a😀é\r\n]{0,20}", line in 0..8_u64, character in 0..8_u64) {
            let position = Position { line, character };
            prop_assert!(text.is_char_boundary(offset(&text, position)));
        }
    }
}
