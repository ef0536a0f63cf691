//! Byte order mark and line endings: found once, kept by every edit.

use std::borrow::Cow;

/// The UTF-8 byte order mark.
pub const BOM: &str = "\u{feff}";

/// A line ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
}

impl Ending {
    /// The first line ending of a text; LF when it has none.
    pub fn first_of(text: &str) -> Self {
        match text.split_once('\n') {
            Some((line, _)) if line.ends_with('\r') => Self::CrLf,
            _ => Self::Lf,
        }
    }

    /// A text with LF only with every line ending made this one. A carriage return before an LF is a character
    /// of its line there and stays.
    pub fn applied_to(self, lf: &str) -> Cow<'_, str> {
        match self {
            Self::CrLf if lf.contains('\n') => Cow::Owned(lf.replace('\n', "\r\n")),
            Self::Lf | Self::CrLf => Cow::Borrowed(lf),
        }
    }
}

/// The text with LF only. A carriage return that no line feed follows stays.
pub fn to_lf(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

/// The byte order mark, empty when there is none, and the rest.
pub fn split_bom(text: &str) -> (&str, &str) {
    match text.strip_prefix(BOM) {
        Some(rest) => (BOM, rest),
        None => ("", text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_ending_decides() {
        for (name, text, want) in [
            ("none", "abc", Ending::Lf),
            ("empty", "", Ending::Lf),
            ("lf", "a\nb\r\n", Ending::Lf),
            ("crlf", "a\r\nb\n", Ending::CrLf),
            ("a lone carriage return is no ending", "a\rb\n", Ending::Lf),
        ] {
            assert_eq!(Ending::first_of(text), want, "{name}");
        }
    }

    #[test]
    fn endings_are_applied_once() {
        for (name, ending, text, want) in [
            ("lf to crlf", Ending::CrLf, "a\nb\n", "a\r\nb\r\n"),
            ("lf stays", Ending::Lf, "a\nb\n", "a\nb\n"),
            ("a carriage return stays", Ending::Lf, "a\r\nb\n", "a\r\nb\n"),
            ("no line", Ending::CrLf, "a", "a"),
            ("a lone carriage return stays", Ending::Lf, "a\rb", "a\rb"),
        ] {
            assert_eq!(ending.applied_to(text), want, "{name}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_split_off() {
        assert_eq!(split_bom("\u{feff}a"), (BOM, "a"));
        assert_eq!(split_bom("a\u{feff}"), ("", "a\u{feff}"));
    }
}
