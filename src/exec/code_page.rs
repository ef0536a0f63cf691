//! Output that is not UTF-8: console programs on Windows print in its code page.
//!
//! Each line is decoded as a whole, because a character of a code page may consist of bytes that also occur in UTF-8: a line that is valid
//! UTF-8 is treated as UTF-8. Pure.

use pintle_os::terminal;
use std::borrow::Cow;

/// The longest part of a line that is held back until its end is seen, in bytes.
const MAX_HELD_BYTES: usize = 16 * 1024;

/// Decodes output as it arrives.
#[derive(Debug)]
pub(crate) struct Decoder {
    /// Decodes a line that is not UTF-8; `None` if all output is passed on unchanged.
    code_page: Option<fn(&[u8]) -> String>,
    /// The unfinished last line, from its first non-ASCII byte.
    held: Vec<u8>,
}

impl Default for Decoder {
    /// Returns the decoder for programs of this system.
    fn default() -> Self {
        Self { code_page: terminal::code_page(), held: Vec::new() }
    }
}

impl Decoder {
    /// Takes the next bytes and returns decoded output. Bytes of an unfinished line are kept for the next call.
    pub(crate) fn push<'a>(&mut self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let Some(code_page) = self.code_page else { return Cow::Borrowed(bytes) };
        if self.held.is_empty() && bytes.is_ascii() {
            return Cow::Borrowed(bytes);
        }
        let mut waiting = std::mem::take(&mut self.held);
        waiting.extend_from_slice(bytes);
        let mut decided = Vec::with_capacity(waiting.len());
        for line in waiting.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            if line.ends_with(b"\n") || line.ends_with(b"\r") {
                decide(line, code_page, &mut decided);
            } else if line.len() > MAX_HELD_BYTES {
                let (complete, rest) = line.split_at(complete_bytes(line));
                decide(complete, code_page, &mut decided);
                self.held = rest.to_vec();
            } else {
                let plain = line.iter().take_while(|byte| byte.is_ascii()).count();
                let (plain, rest) = line.split_at(plain);
                decided.extend_from_slice(plain);
                self.held = rest.to_vec();
            }
        }
        Cow::Owned(decided)
    }

    /// Returns the rest when no more output will come.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        let mut decided = Vec::new();
        if let Some(code_page) = self.code_page {
            decide(&std::mem::take(&mut self.held), code_page, &mut decided);
        }
        decided
    }
}

/// Returns how many bytes precede an incomplete UTF-8 character at the end.
fn complete_bytes(piece: &[u8]) -> usize {
    match std::str::from_utf8(piece) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Ok(_) | Err(_) => piece.len(),
    }
}

fn decide(line: &[u8], code_page: fn(&[u8]) -> String, decided: &mut Vec<u8>) {
    if std::str::from_utf8(line).is_ok() {
        decided.extend_from_slice(line);
    } else {
        decided.extend_from_slice(code_page(line).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A code page of one byte for each character, and one in which `0x83` begins a character of two bytes.
    fn code_page(bytes: &[u8]) -> String {
        let mut text = String::new();
        let mut bytes = bytes.iter();
        while let Some(&byte) = bytes.next() {
            match byte {
                0x83 => text.extend(
                    bytes
                        .next()
                        .map(|&second| char::from(second).to_ascii_uppercase())
                        .map(|c| format!("<{c}>")),
                ),
                0x81 => text.push('ü'),
                0xc3 => text.push('├'),
                _ => text.push(char::from(byte)),
            }
        }
        text
    }

    #[test]
    fn lines_are_utf8_or_in_the_code_page_however_they_are_cut() {
        for (bytes, want) in [
            (&b"plain\nlines\r\n"[..], "plain\nlines\r\n"),
            (b"f\x81r\n", "für\n"),
            ("für\n".as_bytes(), "für\n"),
            (b"f\x81r\nf\xc3\xbcr\n", "für\nfür\n"),
            (b"50 %\rf\x81r\rdone", "50 %\rfür\rdone"),
            // `\\` is the second byte of a character here.
            (b"a\x83\x5cb\n", "a<\\>b\n"),
            (b"no end: \x81", "no end: ü"),
            (b"no end: \xc3\xbc", "no end: ü"),
            (b"half a character: \xc3", "half a character: ├"),
        ] {
            for size in 1..=bytes.len() {
                let mut decoder = Decoder { code_page: Some(code_page), held: Vec::new() };
                let mut got: Vec<u8> =
                    bytes.chunks(size).flat_map(|piece| decoder.push(piece).into_owned()).collect();
                got.extend(decoder.finish());
                assert_eq!(String::from_utf8(got).as_deref(), Ok(want), "{size}: {bytes:?}");
            }
        }
    }

    #[test]
    fn nothing_waits_without_a_reason_or_without_a_limit() {
        let mut decoder = Decoder { code_page: Some(code_page), held: Vec::new() };
        assert_eq!(decoder.push(b"password: ").as_ref(), b"password: ");
        assert_eq!(decoder.push(b"ready \x81").as_ref(), b"ready ");
        let long = vec![b'x'; MAX_HELD_BYTES];
        assert_eq!(decoder.push(&long).len(), MAX_HELD_BYTES + "ü".len());
        // Long lines of UTF-8 are cut between characters.
        let mut decoder = Decoder { code_page: Some(code_page), held: Vec::new() };
        let text = "\u{6d4b}".repeat(MAX_HELD_BYTES);
        let mut got: Vec<u8> = text
            .as_bytes()
            .chunks(4096)
            .flat_map(|piece| decoder.push(piece).into_owned())
            .collect();
        got.extend(decoder.finish());
        assert!(got == text.as_bytes());
        let mut transparent = Decoder { code_page: None, held: Vec::new() };
        assert_eq!(transparent.push(b"\x81\xff").as_ref(), b"\x81\xff");
        assert!(transparent.finish().is_empty());
    }
}
