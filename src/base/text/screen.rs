//! Terminal output: everything that the program prints for users goes through here.
//!
//! Text from models, files, servers and command lines may contain control sequences or invisible characters. Escaping them at each place
//! that prints is easily forgotten, so these streams do it. A test finds writers that bypass them.

use super::visible::{is_hidden, visible};
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Stderr, Stdout, Write};

/// A stream that draws hidden characters as signs. Line ends and tabs stay.
#[derive(Debug)]
pub struct Screen<W> {
    inner: W,
    /// An incomplete character.
    partial: Vec<u8>,
}

/// Stdout, for text.
pub fn out() -> Screen<Stdout> {
    Screen::new(io::stdout())
}

/// Stderr.
pub fn err() -> Screen<Stderr> {
    Screen::new(io::stderr())
}

/// Stdout for requested file content such as a patch: unchanged for files and pipes, escaped for terminals.
pub fn content() -> Box<dyn Write> {
    let stdout = io::stdout();
    if stdout.is_terminal() { Box::new(Screen::new(stdout)) } else { Box::new(stdout) }
}

/// Returns a line of JSON with the same value in which hidden characters are escaped.
pub fn escaped(json: &str) -> String {
    if !json.chars().any(is_hidden) {
        return json.to_owned();
    }
    let mut text = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        // Outside of strings, JSON has no hidden characters but those between its tokens.
        if !is_hidden(c) || matches!(c, '\n' | '\t' | '\r') {
            text.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(text, "\\u{unit:04x}");
        }
    }
    text
}

impl<W: Write> Screen<W> {
    /// Draws on another stream.
    pub fn new(inner: W) -> Self {
        Self { inner, partial: Vec::new() }
    }

    /// Returns the underlying stream, for the program's control sequences.
    pub fn raw(&mut self) -> &mut W {
        &mut self.inner
    }
}

impl<W: Write> Write for Screen<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.partial.extend_from_slice(bytes);
        let held = std::mem::take(&mut self.partial);
        let mut chunks = held.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.inner.write_all(visible(chunk.valid()).as_bytes())?;
            let (invalid, is_last) = (chunk.invalid(), chunks.peek().is_none());
            let may_go_on = is_last
                && std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
            if may_go_on {
                self.partial = invalid.to_vec();
            } else if !invalid.is_empty() {
                self.inner.write_all("\u{fffd}".as_bytes())?;
            }
        }
        Ok(bytes.len())
    }

    /// Writes all pieces at once, so that a line does not mix with one of another stream.
    fn write_fmt(&mut self, pieces: std::fmt::Arguments<'_>) -> io::Result<()> {
        self.write_all(pieces.to_string().as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_drawn_however_the_text_is_cut() {
        for (text, want) in [
            (&b"plain \xe2\x80\x93 text\n"[..], "plain – text\n"),
            (b"\x1b]52;c;eA==\x07", "␛]52;c;eA==␇"),
            ("a\u{202e}b\u{9b}c\rd".as_bytes(), "a⟨U+202E⟩b⟨U+009B⟩c␍d"),
            (b"a\xff\tb", "a\u{fffd}\tb"),
        ] {
            for size in 1..=text.len() {
                let mut screen = Screen::new(Vec::new());
                for piece in text.chunks(size) {
                    screen.write_all(piece).unwrap();
                }
                assert_eq!(String::from_utf8(screen.inner).unwrap(), want, "{size}");
            }
        }
    }

    #[test]
    fn json_keeps_its_value() {
        let value = serde_json::json!({"a\u{202e}": "x\u{200b}\u{e0041}\u{9b}\u{1b}\n"});
        let json = escaped(&value.to_string());
        assert!(!json.chars().any(is_hidden), "{json}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&json).unwrap(), value);
        assert_eq!(escaped("{\n\t\"a\": 1\n}"), "{\n\t\"a\": 1\n}");
    }
}
