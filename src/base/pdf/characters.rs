//! `ToUnicode` maps: the characters of a font's codes.
//!
//! Read here rather than by the library, which expands each range of codes in memory: one line can name four billion.

use std::collections::BTreeMap;

/// The characters of codes.
#[derive(Debug, Default)]
pub(super) struct Characters {
    /// Ranges by first code: the last code, and the UTF-16 text for the first one, whose last unit increases with the code.
    ranges: BTreeMap<u32, (u32, Vec<u16>)>,
    /// Ranges of codes that exist, with their length in bytes.
    spaces: Vec<(usize, u32, u32)>,
}

/// A token of a map.
#[derive(Debug, PartialEq, Eq)]
enum Token<'a> {
    /// A string in hexadecimal digits.
    Hex(Vec<u8>),
    Open,
    Close,
    /// An operator, a number or a name.
    Word(&'a [u8]),
}

impl Characters {
    /// Reads a map. Anything that is not understood is skipped.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let mut map = Self::default();
        let mut tokens = Tokens(bytes);
        while let Some(token) = tokens.next() {
            match token {
                Token::Word(b"begincodespacerange") => map.spaces(&mut tokens),
                Token::Word(b"beginbfchar") => map.characters(&mut tokens),
                Token::Word(b"beginbfrange") => map.ranges(&mut tokens),
                Token::Hex(_) | Token::Open | Token::Close | Token::Word(_) => {}
            }
        }
        map
    }

    fn spaces(&mut self, tokens: &mut Tokens<'_>) {
        while let Some(Token::Hex(first)) = tokens.next() {
            let Some(Token::Hex(last)) = tokens.next() else { return };
            self.spaces.push((first.len(), number(&first), number(&last)));
        }
    }

    fn characters(&mut self, tokens: &mut Tokens<'_>) {
        while let Some(Token::Hex(code)) = tokens.next() {
            let Some(Token::Hex(text)) = tokens.next() else { return };
            let code = number(&code);
            self.ranges.insert(code, (code, units(&text)));
        }
    }

    fn ranges(&mut self, tokens: &mut Tokens<'_>) {
        while let Some(Token::Hex(first)) = tokens.next() {
            let Some(Token::Hex(last)) = tokens.next() else { return };
            let (first, last) = (number(&first), number(&last));
            match tokens.next() {
                Some(Token::Hex(text)) => {
                    self.ranges.insert(first, (last, units(&text)));
                }
                Some(Token::Open) => {
                    for code in first..=last {
                        let Some(Token::Hex(text)) = tokens.next() else { break };
                        self.ranges.insert(code, (code, units(&text)));
                    }
                }
                Some(Token::Close | Token::Word(_)) | None => return,
            }
            // After the last text of an array.
            while tokens.peek() == Some(Token::Close) {
                tokens.next();
            }
        }
    }

    /// Returns the length of a string's first code, in bytes.
    pub(super) fn code_length(&self, bytes: &[u8]) -> Option<usize> {
        let fits = |&&(length, first, last): &&(usize, u32, u32)| {
            bytes.get(..length).is_some_and(|code| {
                let (first, last) = (first.to_be_bytes(), last.to_be_bytes());
                let (first, last) = (first.iter().rev(), last.iter().rev());
                let mut limits = code.iter().rev().zip(first.zip(last));
                (1..=4).contains(&length)
                    && limits.all(|(byte, (first, last))| (first..=last).contains(&byte))
            })
        };
        self.spaces.iter().find(fits).map(|(length, ..)| *length)
    }

    /// Appends a code's text.
    pub(super) fn write(&self, code: u32, text: &mut String) {
        let Some((first, (last, units))) = self.ranges.range(..=code).next_back() else { return };
        if code > *last {
            return;
        }
        let mut units = units.clone();
        if let Some(unit) = units.last_mut() {
            // The map wraps around after the plane's last code.
            *unit = unit.wrapping_add(u16::try_from((code - first) & 0xffff).unwrap_or_default());
        }
        text.extend(char::decode_utf16(units).flatten());
    }
}

/// Returns the big-endian number in some bytes, of which the last four count.
pub(super) fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, byte| (number << 8) | u32::from(*byte))
}

fn units(bytes: &[u8]) -> Vec<u16> {
    match bytes {
        [single] => vec![u16::from(*single)],
        _ => bytes.as_chunks().0.iter().map(|pair| u16::from_be_bytes(*pair)).collect(),
    }
}

/// The remaining text of a map.
#[derive(Debug, Clone, Copy)]
struct Tokens<'a>(&'a [u8]);

impl<'a> Tokens<'a> {
    fn peek(self) -> Option<Token<'a>> {
        let mut copy = self;
        copy.next()
    }

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            self.0 = self.0.trim_ascii_start();
            let (first, rest) = self.0.split_first()?;
            match first {
                b'%' => {
                    let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
                    self.0 = rest.get(end..)?;
                }
                b'<' if !rest.starts_with(b"<") => {
                    let end = memchr::memchr(b'>', rest).unwrap_or(rest.len());
                    let (digits, after) = rest.split_at(end);
                    self.0 = after.get(1..).unwrap_or_default();
                    return Some(Token::Hex(hex(digits)));
                }
                b'[' | b']' => {
                    self.0 = rest;
                    return Some(if *first == b'[' { Token::Open } else { Token::Close });
                }
                _ => {
                    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"<>[]%/".contains(byte);
                    let end = rest.iter().position(ends).unwrap_or(rest.len());
                    let (word, after) = self.0.split_at(end + 1);
                    self.0 = after;
                    return Some(Token::Word(word));
                }
            }
        }
    }
}

fn hex(digits: &[u8]) -> Vec<u8> {
    let digits = digits.iter().filter_map(|digit| char::from(*digit).to_digit(16));
    let digits: Vec<u8> = digits.filter_map(|digit| u8::try_from(digit).ok()).collect();
    let byte = |pair: &[u8]| pair.iter().fold(0, |byte, digit| (byte << 4) | digit);
    digits
        .chunks(2)
        // A missing last digit is a zero.
        .map(|pair| if pair.len() == 1 { byte(pair) << 4 } else { byte(pair) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_the_characters_of_the_map() {
        for (name, map, code, want) in [
            ("one", "1 beginbfchar <41> <00E4> endbfchar", 0x41, "ä"),
            ("several characters", "beginbfchar <01> <00660069> endbfchar", 1, "fi"),
            ("outside of the basic plane", "beginbfchar <02> <D83DDE00> endbfchar", 2, "😀"),
            ("half a pair", "beginbfchar <02> <D83D> endbfchar", 2, ""),
            ("a range", "beginbfrange <10> <1f> <0061> endbfrange", 0x12, "c"),
            ("after a range", "beginbfrange <10> <1f> <0061> endbfrange", 0x20, ""),
            (
                "an array",
                "beginbfrange <01> <03> [<0061> <0062>] <09> <09> <007a> endbfrange",
                2,
                "b",
            ),
            (
                "after an array",
                "beginbfrange <01> <02> [<61> <62>] <09> <09> <7a> endbfrange",
                9,
                "z",
            ),
            ("all codes", "beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange", u32::MAX, "@"),
            ("all codes in an array", "beginbfrange <00000000> <FFFFFFFF> [<0041>", 0, "A"),
            ("a comment", "% beginbfchar <01> <0041>\nbeginbfchar <01> <0042> endbfchar", 1, "B"),
            ("no map", "garbage ] [ < > << 1 2 3", 1, ""),
        ] {
            let mut text = String::new();
            Characters::parse(map.as_bytes()).write(code, &mut text);
            assert_eq!(text, want, "{name}");
        }
    }

    #[test]
    fn spaces_determine_the_length_of_codes() {
        let map = "begincodespacerange <00> <80> <8140> <9ffc> endcodespacerange";
        let map = Characters::parse(map.as_bytes());
        for (bytes, want) in [
            (&b"\x20\x40"[..], Some(1)),
            (b"\x81\x40", Some(2)),
            (b"\x81\x00", None),
            (b"\x81", None),
            (b"", None),
        ] {
            assert_eq!(map.code_length(bytes), want, "{bytes:?}");
        }
    }
}
