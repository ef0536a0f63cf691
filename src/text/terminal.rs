//! Converts a program's output for a terminal to plain text.
//!
//! Bytes arrive in pieces: a character or an escape sequence that is cut between two of them is put together.

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

/// Decodes UTF-8 and drops terminal escapes and NULs.
#[derive(Debug, Default)]
pub struct Cleaner {
    /// The beginning of a character whose end has not come.
    partial: Vec<u8>,
    state: State,
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
        // Nearly always: checking a whole text is far quicker than taking it apart.
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
            return;
        }
        for character in text.chars() {
            let before = self.state;
            self.state = before.after(character);
            // A newline is always text.
            let is_text = before == State::Text && self.state == State::Text && character != '\0';
            if is_text || character == '\n' {
                out.push(character);
            }
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
