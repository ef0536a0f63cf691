//! Text encodings: detected from a file's bytes, decoded for editing, and written back unchanged.
//!
//! Invariant: [`decode`] succeeds only if encoding the text again yields the same bytes, so an edit changes no byte outside of itself.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{EncoderResult, WINDOWS_1252};
use std::borrow::Cow;
use std::fmt;

/// A file's text encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, with or without a byte order mark.
    Utf8,
    /// UTF-8 with some bytes that are none; they travel as characters of [`raw`].
    DamagedUtf8,
    /// UTF-16, the low byte first.
    Utf16Le,
    /// UTF-16, the high byte first.
    Utf16Be,
    /// An older encoding, such as windows-1252 or Shift_JIS.
    Legacy(&'static encoding_rs::Encoding),
}

/// A text with the encoding it came in. A byte order mark is its first character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// The encoding with which to write it back.
    pub encoding: Encoding,
}

/// The bytes are not text in any encoding that could be written back unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotText;

/// A character that an encoding does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unencodable(pub char);

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Utf8 => "UTF-8",
            Self::DamagedUtf8 => "UTF-8 with damaged bytes",
            Self::Utf16Le => "UTF-16LE",
            Self::Utf16Be => "UTF-16BE",
            Self::Legacy(legacy) => legacy.name(),
        })
    }
}

/// UTF-16 by its byte order mark, or without one by the zero in every other byte that Latin text has.
pub fn utf16(head: &[u8]) -> Option<Encoding> {
    /// The minimum number of bytes to detect an encoding.
    const MIN_BYTES: usize = 8;
    match head {
        // Four bytes that begin alike are UTF-32.
        [0xff, 0xfe, 0, 0, ..] => return None,
        [0xff, 0xfe, ..] => return Some(Encoding::Utf16Le),
        [0xfe, 0xff, ..] => return Some(Encoding::Utf16Be),
        _ => {}
    }
    let pairs = head.chunks_exact(2);
    let count = pairs.len();
    let (mut zero_first, mut zero_second) = (0, 0);
    for pair in pairs {
        zero_first += usize::from(pair.first() == Some(&0));
        zero_second += usize::from(pair.last() == Some(&0));
    }
    let is_most = |zeros: usize| zeros * 10 >= count * 7;
    match (zero_first, zero_second) {
        _ if head.len() < MIN_BYTES => None,
        (0, second) if is_most(second) => Some(Encoding::Utf16Le),
        (first, 0) if is_most(first) => Some(Encoding::Utf16Be),
        _ => None,
    }
}

/// Decodes a whole file.
///
/// # Errors
/// [`NotText`] when no encoding gives the bytes back.
pub fn decode(bytes: &[u8]) -> Result<Decoded<'_>, NotText> {
    if let Some(encoding) = utf16(bytes.get(..4096).unwrap_or(bytes)) {
        let text = decode_utf16(bytes, encoding);
        return lossless(bytes, text, encoding).ok_or(NotText);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok(Decoded { text: Cow::Borrowed(text), encoding: Encoding::Utf8 });
    }
    if memchr::memchr(0, bytes).is_some() {
        return Err(NotText);
    }
    if is_nearly_utf8(bytes) {
        let text = raw::decode(bytes);
        return lossless(bytes, text, Encoding::DamagedUtf8).ok_or(NotText);
    }
    [guess(bytes), WINDOWS_1252]
        .into_iter()
        .find_map(|legacy| {
            let (text, had_errors) = legacy.decode_without_bom_handling(bytes);
            let text = (!had_errors).then(|| text.into_owned())?;
            lossless(bytes, text, Encoding::Legacy(legacy))
        })
        .ok_or(NotText)
}

/// Decodes a part of a file for reading; what cannot be decoded becomes U+FFFD.
pub fn decode_lossy(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) if is_nearly_utf8(bytes) => String::from_utf8_lossy(bytes),
        Err(_) => guess(bytes).decode_without_bom_handling(bytes).0,
    }
}

/// Decodes UTF-16; invalid units become U+FFFD.
pub fn decode_utf16(bytes: &[u8], encoding: Encoding) -> String {
    let to_unit = match encoding {
        Encoding::Utf16Be => u16::from_be_bytes,
        Encoding::Utf8 | Encoding::DamagedUtf8 | Encoding::Utf16Le | Encoding::Legacy(_) => {
            u16::from_le_bytes
        }
    };
    let pairs = bytes.chunks(2).map(|pair| match pair {
        [a, b] => to_unit([*a, *b]),
        // Half a unit at the end is no text.
        _ => 0xfffd,
    });
    char::decode_utf16(pairs).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

impl Encoding {
    /// Writes a text in this encoding.
    ///
    /// # Errors
    /// The first character that it does not have.
    pub fn encode(self, text: Cow<'_, str>) -> Result<Vec<u8>, Unencodable> {
        match self {
            Self::Utf8 => Ok(text.into_owned().into_bytes()),
            Self::DamagedUtf8 => Ok(raw::encode(&text)),
            Self::Utf16Le => Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            Self::Utf16Be => Ok(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            Self::Legacy(legacy) => encode_legacy(legacy, &text),
        }
    }
}

fn encode_legacy(
    legacy: &'static encoding_rs::Encoding,
    mut text: &str,
) -> Result<Vec<u8>, Unencodable> {
    let mut encoder = legacy.new_encoder();
    let mut bytes = Vec::with_capacity(text.len());
    loop {
        let wanted = encoder.max_buffer_length_from_utf8_without_replacement(text.len());
        bytes.reserve(wanted.unwrap_or(text.len()));
        let (result, read) =
            encoder.encode_from_utf8_to_vec_without_replacement(text, &mut bytes, true);
        text = text.get(read..).unwrap_or_default();
        match result {
            EncoderResult::InputEmpty => return Ok(bytes),
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(character) => return Err(Unencodable(character)),
        }
    }
}

fn lossless(bytes: &[u8], text: String, encoding: Encoding) -> Option<Decoded<'static>> {
    let is_same = encoding.encode(Cow::Borrowed(&text)).is_ok_and(|again| again == bytes);
    is_same.then_some(Decoded { text: Cow::Owned(text), encoding })
}

fn guess(bytes: &[u8]) -> &'static encoding_rs::Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Deny)
}

/// Returns true if most non-ASCII bytes are valid UTF-8, so that the rest is damage and not another encoding.
fn is_nearly_utf8(bytes: &[u8]) -> bool {
    let (mut valid, mut invalid) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        invalid += chunk.invalid().len();
    }
    valid > invalid
}

/// Maps bytes that are not valid UTF-8 to characters that no real text contains, in the last private use plane.
pub mod raw {
    /// The character of byte 0.
    const BASE: u32 = 0x0010_ff00;

    pub(super) fn decode(bytes: &[u8]) -> String {
        let mut text = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            let raw = chunk.invalid().iter().map(|&byte| char::from_u32(BASE + u32::from(byte)));
            text.extend(raw.flatten());
        }
        text
    }

    pub(super) fn encode(text: &str) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(text.len());
        for character in text.chars() {
            match u32::from(character).checked_sub(BASE).map(u8::try_from) {
                // Only these are never part of valid UTF-8 by themselves.
                Some(Ok(byte)) if !byte.is_ascii() => bytes.push(byte),
                _ => bytes.extend(character.encode_utf8(&mut [0; 4]).bytes()),
            }
        }
        bytes
    }

    /// The text as people see it: U+FFFD for each byte that is none.
    pub fn shown(text: &str) -> String {
        let is_raw = |character: char| u32::from(character) >= BASE + 0x80;
        let to_shown = |character| {
            if is_raw(character) { char::REPLACEMENT_CHARACTER } else { character }
        };
        text.chars().map(to_shown).collect()
    }
}

#[cfg(test)]
mod tests;
