//! Converts terminal output to plain text.
//!
//! Output arrives in chunks; a character or an escape sequence that is split between two of them is joined.
//!
//! The crate `vte` does not fit: it calls back for each character and hides its state, which rules out the fast path for plain text, and
//! it never reports a trailing incomplete character.

use std::borrow::Cow;

/// A text of a file with each control character as a visible sign, so that it commands no terminal and is not lost.
/// Tab and line ends stay.
pub fn shown(text: &str) -> Cow<'_, str> {
    if text.chars().any(|character| sign(character).is_some()) {
        Cow::Owned(text.chars().map(|character| sign(character).unwrap_or(character)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// The visible sign of a control character.
pub fn sign(control: char) -> Option<char> {
    match control {
        '\t' | '\n' | '\r' => None,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(control)),
        '\u{7f}' => Some('\u{2421}'),
        _ => None,
    }
}

/// Returns the text as a terminal finally shows it: a line that is overwritten repeatedly, such as a progress bar, is reduced to its last
/// state. Control characters other than tab and newline are dropped.
pub fn displayed(text: &str) -> Cow<'_, str> {
    let is_special = |character: char| character.is_control() && !matches!(character, '\n' | '\t');
    if !text.contains(is_special) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        if line.contains(['\r', '\u{8}']) {
            shown.push_str(overwritten(line).trim_end_matches(' '));
        } else {
            shown.extend(line.chars().filter(|character| !is_special(*character)));
        }
        shown.push_str(end);
    }
    Cow::Owned(shown)
}

/// The last state of a line in which the cursor moves.
fn overwritten(line: &str) -> String {
    let (mut cells, mut cursor) = (Vec::new(), 0_usize);
    for character in line.chars() {
        match character {
            '\r' => cursor = 0,
            '\u{8}' => cursor = cursor.saturating_sub(1),
            _ if character.is_control() && character != '\t' => {}
            _ => {
                match cells.get_mut(cursor) {
                    Some(cell) => *cell = character,
                    None => cells.push(character),
                }
                cursor += 1;
            }
        }
    }
    cells.into_iter().collect()
}

/// Decodes UTF-8 and drops terminal escapes and NULs. An escape that erases a part of the line, or moves to its beginning,
/// becomes spaces, backspaces and carriage returns of the same effect.
#[derive(Debug, Default)]
pub struct Cleaner {
    /// An incomplete character.
    partial: Vec<u8>,
    state: State,
    /// The first number of the control sequence that is being read.
    parameter: Option<usize>,
    /// Where the cursor is in its line.
    column: usize,
    /// The number of characters of the line.
    width: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// After ESC.
    Escape,
    /// After ESC and an intermediate byte such as `(`: one more byte.
    Charset,
    /// In `ESC [ …`, ended by a byte from `@` to `~`.
    Control,
    /// In `ESC ] …` and its kin, ended by BEL or ESC `\`.
    String,
    /// After an ESC inside such a string.
    StringEscape,
}

impl Cleaner {
    /// Takes the next bytes and returns the text they make.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        let joined;
        let bytes = if self.partial.is_empty() {
            bytes
        } else {
            joined = [std::mem::take(&mut self.partial).as_slice(), bytes].concat();
            &joined
        };
        let mut text = String::with_capacity(bytes.len());
        // The common case: validating a whole text is much faster than splitting it.
        if let Ok(valid) = std::str::from_utf8(bytes) {
            self.plain(valid, &mut text);
            return text;
        }
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.plain(chunk.valid(), &mut text);
            let invalid = chunk.invalid();
            if invalid.is_empty() {
                continue;
            }
            if chunks.peek().is_none() && may_go_on(invalid) {
                self.partial = invalid.to_vec();
            } else {
                self.plain("\u{fffd}", &mut text);
            }
        }
        text
    }

    /// The end: a character that never became whole.
    pub fn finish(&mut self) -> &'static str {
        if std::mem::take(&mut self.partial).is_empty() { "" } else { "\u{fffd}" }
    }

    fn plain(&mut self, text: &str, out: &mut String) {
        let has_special = memchr::memchr2(0, 0x1b, text.as_bytes()).is_some();
        if self.state == State::Text && !has_special {
            out.push_str(text);
            let line = memchr::memrchr(b'\n', text.as_bytes());
            if line.is_some() {
                (self.column, self.width) = (0, 0);
            }
            let line = line.map_or(text, |end| text.get(end + 1..).unwrap_or_default());
            line.chars().for_each(|character| self.advance(character));
            return;
        }
        for character in text.chars() {
            let before = self.state;
            self.state = before.after(character);
            // A newline is always text.
            let is_text = before == State::Text && self.state == State::Text && character != '\0';
            if is_text || character == '\n' {
                out.push(character);
                self.advance(character);
            } else if before == State::Control {
                self.control(character, out);
            } else {
                self.parameter = None;
            }
        }
    }

    /// Moves the cursor as a character does.
    fn advance(&mut self, character: char) {
        match character {
            '\n' => (self.column, self.width) = (0, 0),
            '\r' => self.column = 0,
            '\u{8}' => self.column = self.column.saturating_sub(1),
            _ if character.is_control() && character != '\t' => {}
            _ => {
                self.column += 1;
                self.width = self.width.max(self.column);
            }
        }
    }

    /// Takes a character of a control sequence.
    fn control(&mut self, character: char, out: &mut String) {
        /// No terminal is wider.
        const MAX_COLUMNS: usize = 1000;
        if let Some(digit) = character.to_digit(10) {
            let digit = usize::try_from(digit).unwrap_or_default();
            let number = self.parameter.unwrap_or_default().saturating_mul(10);
            self.parameter = Some(number.saturating_add(digit).min(MAX_COLUMNS));
            return;
        }
        let parameter = self.parameter.take();
        let (column, behind) = (self.column, self.width.saturating_sub(self.column));
        if self.width > MAX_COLUMNS {
            return;
        }
        let mut repeat = |character: char, count: usize| {
            out.extend(std::iter::repeat_n(character, count));
        };
        match (character, parameter.unwrap_or_default()) {
            // Erase to the line's end, or the whole line.
            ('K' | 'J', 0) => {
                repeat(' ', behind);
                repeat('\u{8}', behind);
                self.width = column;
            }
            ('K', 1) => {
                repeat('\r', 1);
                repeat(' ', column);
            }
            ('K', 2) => {
                repeat('\r', 1);
                repeat(' ', column + behind);
                repeat('\u{8}', behind);
                self.width = column;
            }
            // Moves the cursor to a column.
            ('G', 0 | 1) => {
                repeat('\r', 1);
                self.column = 0;
            }
            ('D', count) => {
                let count = count.max(1).min(column);
                repeat('\u{8}', count);
                self.column -= count;
            }
            _ => {}
        }
    }
}

impl State {
    fn after(self, character: char) -> Self {
        // A newline never belongs to a sequence: what looked like one was cut off.
        if character == '\n' {
            return Self::Text;
        }
        match (self, character) {
            (Self::Text, '\u{1b}') => Self::Escape,
            (Self::Escape, '[') => Self::Control,
            (Self::Escape, ']' | 'P' | 'X' | '^' | '_') => Self::String,
            (Self::Escape, ' '..='/') => Self::Charset,
            (Self::String, '\u{1b}') => Self::StringEscape,
            (Self::Control, '@'..='~')
            | (Self::String, '\u{7}')
            | (Self::Text | Self::StringEscape | Self::Escape | Self::Charset, _) => Self::Text,
            (Self::Control | Self::String, _) => self,
        }
    }
}

/// Returns true if bytes that are not a character could become one with more bytes.
fn may_go_on(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => false,
        Err(error) => error.error_len().is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_state_of_a_line_is_shown() {
        let bar = (0..=200).map(|step| format!("\r[{step:>3}/200]")).collect::<Vec<_>>().concat();
        let rows: [(&str, &str, &str); 14] = [
            ("plain", "a\tb\nc\n", "a\tb\nc\n"),
            ("CRLF", "a\r\nb\r\n", "a\nb\n"),
            ("a progress bar", &format!("begin\n{bar}\nend\n"), "begin\n[200/200]\nend\n"),
            ("a shorter text over a longer one", "abc\rX\n", "Xbc\n"),
            ("the rest erased", "Downloading 100%\r\x1b[KDone\n", "Done\n"),
            ("erased after it was written", "Downloading 100%\rDone\x1b[K\n", "Done\n"),
            ("the whole line erased", "Downloading\x1b[2K\rDone\n", "Done\n"),
            ("to the first column", "Downloading\x1b[1G\x1b[0KDone\n", "Done\n"),
            ("a backspace", "abx\u{8}c\n", "abc\n"),
            ("a word underlined by a printer", "a\u{8}_b\u{8}_\n", "__\n"),
            ("back", "abX\x1b[1Dc\n", "abc\n"),
            ("bells and others", "a\u{7}b\u{1}\u{7f}c\u{b}\n", "abc\n"),
            ("colours in a bar", "\x1b[32m10%\x1b[0m\r\x1b[32m20%\x1b[0m", "20%"),
            ("spaces at an end stay", "a  \nb\n", "a  \nb\n"),
        ];
        for (name, printed, want) in rows {
            // In one piece, and byte by byte.
            for size in [printed.len(), 1] {
                let mut cleaner = Cleaner::default();
                let pieces = printed.as_bytes().chunks(size);
                let text: String = pieces.map(|piece| cleaner.push(piece)).collect();
                assert!(!text.contains('\u{1b}'), "{name}");
                assert_eq!(displayed(&text), want, "{name}");
            }
        }
    }

    #[test]
    fn pieces_become_plain_text() {
        let rows: [(&str, &[&[u8]], &str); 13] = [
            ("plain", &[b"a\n", b"b"], "a\nb"),
            ("an emoji cut in two", &[b"\xf0\x9f", b"\x98\x80!"], "😀!"),
            ("cut in four", &[b"\xf0", b"\x9f", b"\x98", b"\x80"], "😀"),
            ("never whole", &[b"a\xf0\x9f"], "a\u{fffd}"),
            ("other bytes", &[b"a\xffb"], "a\u{fffd}b"),
            ("NULs", &[b"a\0b"], "ab"),
            ("colours", &[b"\x1b[1;31mred\x1b[0m"], "red"),
            ("a colour cut in two", &[b"a\x1b[3", b"1mred"], "ared"),
            ("a title", &[b"\x1b]0;title\x07text"], "text"),
            ("a link", &[b"\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\"], "text"),
            ("a character set", &[b"\x1b(Btext"], "text"),
            ("a sequence cut off by a newline", &[b"\x1b[12\nnext"], "\nnext"),
            ("a string that never ends", &[b"\x1b]0;tit\nnext"], "\nnext"),
        ];
        for (name, pieces, want) in rows {
            let mut cleaner = Cleaner::default();
            let mut text: String = pieces.iter().map(|piece| cleaner.push(piece)).collect();
            text.push_str(cleaner.finish());
            assert_eq!(text, want, "{name}");
        }
    }
}
