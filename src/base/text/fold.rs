//! Normalizes text for comparison and maps offsets back to the original bytes.
//!
//! Folding converts line endings to LF. The full level also drops trailing white space, replaces typographic quotes, dashes and spaces with
//! plain ones, decomposes accented letters, and shows control characters as the read tool does. Invariant: an offset maps back only if it
//! does not split an original character.

use crate::text::terminal;
use std::borrow::Cow;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

/// The level of folding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Line endings only.
    Endings,
    /// Everything.
    Full,
    /// Everything, except white space after the last newline: a fragment of text may continue in the middle of a
    /// line.
    FullOpenEnd,
}

/// A folded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folded<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// The parts that differ from the original, in order. Between them both are the same.
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    folded: Range<usize>,
    original: Range<usize>,
    /// White space dropped from a line's end.
    is_blank: bool,
}

impl<'a> Folded<'a> {
    /// Folds a text.
    pub fn new(original: &'a str, level: Level) -> Self {
        if level == Level::Endings && !original.contains("\r\n") {
            return Self { text: Cow::Borrowed(original), pieces: Vec::new() };
        }
        let mut maker =
            Maker { text: String::with_capacity(original.len()), pieces: Vec::new(), at: 0 };
        for line in original.split_inclusive('\n') {
            let (content, ending) = split_ending(line);
            match level {
                Level::Endings => maker.push(content),
                Level::FullOpenEnd if ending.is_empty() => maker.fold(content),
                Level::Full | Level::FullOpenEnd => {
                    let kept = content.trim_end();
                    maker.fold(kept);
                    maker.replace(content.len() - kept.len(), "", true);
                }
            }
            if ending == "\r\n" {
                maker.replace(1, "", false);
            }
            if !ending.is_empty() {
                maker.push("\n");
            }
        }
        Self { text: Cow::Owned(maker.text), pieces: maker.pieces }
    }

    /// Returns the start in the original of text that starts at this offset.
    pub fn original_start(&self, at: usize) -> Option<usize> {
        let before = self.pieces.partition_point(|piece| piece.folded.start <= at);
        match before.checked_sub(1).and_then(|last| self.pieces.get(last)) {
            None => Some(at),
            Some(piece) if piece.folded.start == at && !piece.folded.is_empty() => {
                Some(piece.original.start)
            }
            Some(piece) => piece.after(at),
        }
    }

    /// Returns the end in the original of text that ends at this offset, without dropped white space after it.
    pub fn original_end(&self, at: usize) -> Option<usize> {
        let before = self.pieces.partition_point(|piece| piece.folded.start < at);
        match before.checked_sub(1).and_then(|last| self.pieces.get(last)) {
            None => Some(at),
            Some(piece) => piece.after(at),
        }
    }

    /// Like [`Folded::original_end`], but includes the trailing white space that was dropped from the line.
    pub fn original_line_end(&self, at: usize) -> Option<usize> {
        let next = self.pieces.partition_point(|piece| piece.folded.start < at);
        match self.pieces.get(next) {
            Some(piece) if piece.folded.start == at && piece.is_blank => Some(piece.original.end),
            _ => self.original_end(at),
        }
    }
}

impl Piece {
    fn after(&self, at: usize) -> Option<usize> {
        at.checked_sub(self.folded.end).map(|rest| self.original.end + rest)
    }
}

struct Maker {
    text: String,
    pieces: Vec<Piece>,
    /// The offset up to which the original is folded.
    at: usize,
}

impl Maker {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.at += text.len();
    }

    fn replace(&mut self, original_len: usize, with: &str, is_blank: bool) {
        if original_len == 0 {
            return;
        }
        let start = self.text.len();
        self.text.push_str(with);
        let original = self.at..self.at + original_len;
        self.at = original.end;
        self.pieces.push(Piece { folded: start..self.text.len(), original, is_blank });
    }

    fn fold(&mut self, text: &str) {
        if text.bytes().all(|byte| byte == b'\t' || byte == b'\r' || matches!(byte, b' '..=b'~')) {
            self.push(text);
            return;
        }
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            // A letter and the marks on it belong together: they may be one character or several.
            let len = rest
                .char_indices()
                .skip(1)
                .find(|(_, mark)| canonical_combining_class(*mark) == 0)
                .map_or(rest.len(), |(at, _)| at);
            let (unit, after) = rest.split_at(len);
            rest = after;
            if unit.is_ascii() && terminal::sign(first).is_none() {
                self.push(unit);
                continue;
            }
            let marks = unit.get(first.len_utf8()..).unwrap_or_default();
            let plain: String = std::iter::once(plain(first)).chain(marks.chars()).nfd().collect();
            if plain == unit {
                self.push(unit);
            } else {
                self.replace(unit.len(), &plain, false);
            }
        }
    }
}

fn split_ending(line: &str) -> (&str, &str) {
    for ending in ["\r\n", "\n"] {
        if let Some(content) = line.strip_suffix(ending) {
            return (content, ending);
        }
    }
    (line, "")
}

/// A character as a keyboard has it.
fn plain(character: char) -> char {
    match character {
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        other => terminal::sign(other).unwrap_or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_folds() {
        use Level::{Endings, Full, FullOpenEnd};
        for (name, level, text, want) in [
            ("plain", Full, "a\nb\n", "a\nb\n"),
            ("endings", Endings, "a \r\nb\n", "a \nb\n"),
            ("blanks at line ends", Full, "a  \nb\t\r\nc ", "a\nb\nc"),
            ("an open end", FullOpenEnd, "a  \nb ", "a\nb "),
            ("quotes", Full, "‘a’ “b” ‚c‛ „d‟", "'a' \"b\" 'c' \"d\""),
            ("dashes", Full, "‐‑‒–—―−", "-------"),
            (
                "spaces",
                Full,
                "a\u{a0}b\u{2002}c\u{200a}d\u{202f}e\u{205f}f\u{3000}g",
                "a b c d e f g",
            ),
            ("composed", Full, "é", "e\u{301}"),
            ("decomposed", Full, "e\u{301}", "e\u{301}"),
            ("marks in another order", Full, "e\u{301}\u{323}", "e\u{323}\u{301}"),
            ("korean", Full, "한", "\u{1112}\u{1161}\u{11ab}"),
            ("chinese", Full, "测试", "测试"),
        ] {
            assert_eq!(Folded::new(text, level).text, want, "{name}");
        }
    }

    #[test]
    fn offsets_map_back() {
        // Folded: a ' b \n c e ´ d
        let folded = Folded::new("a’b  \r\nc\u{e9}d", Level::Full);
        assert_eq!(folded.text, "a'b\nce\u{301}d");
        // Offset, and what begins, ends and ends a line there; 3 is the newline after blanks and CR.
        for (at, start, end, line_end) in [
            (0, Some(0), Some(0), Some(0)),
            (1, Some(1), Some(1), Some(1)),
            (2, Some(4), Some(4), Some(4)),
            (3, Some(8), Some(5), Some(7)),
            (4, Some(9), Some(9), Some(9)),
            (5, Some(10), Some(10), Some(10)),
            (6, None, None, None),
            (8, Some(12), Some(12), Some(12)),
            (9, Some(13), Some(13), Some(13)),
        ] {
            assert_eq!(folded.original_start(at), start, "start at {at}");
            assert_eq!(folded.original_end(at), end, "end at {at}");
            assert_eq!(folded.original_line_end(at), line_end, "line end at {at}");
        }
    }
}
