//! The chat's appearance: width and colours. Pure.
//!
//! Invariant: text from models, files and the engine is made visible before it is coloured.

use crate::cli::layout::Layout;
use pintle_base::text::visible::{visible, visible_line};
use std::borrow::Cow;
use std::fmt::Write as _;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The assumed width if the terminal reports none, in columns.
pub(super) const DEFAULT_COLUMNS: usize = 80;

/// The terminal's width and abilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    /// Width in columns.
    pub(crate) columns: usize,
    /// True if SGR sequences may be used.
    pub(crate) is_styled: bool,
}

/// A colour or weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    Plain,
    Bold,
    Dim,
    Added,
    Removed,
    /// A hunk's place.
    Place,
    /// A request that waits for the user, and a warning.
    Attention,
    Error,
}

impl Ink {
    /// Returns a diff line's colour.
    pub(super) fn of_diff(line: &str) -> Self {
        match line.as_bytes().first() {
            Some(b'+') => Self::Added,
            Some(b'-') => Self::Removed,
            Some(b'@') => Self::Place,
            _ => Self::Plain,
        }
    }

    fn sgr(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Bold => Some("1"),
            Self::Dim => Some("2"),
            Self::Added => Some("32"),
            Self::Removed => Some("31"),
            Self::Place => Some("36"),
            Self::Attention => Some("1;33"),
            Self::Error => Some("1;31"),
        }
    }
}

impl Look {
    /// Returns the text in a colour, each line for itself. Characters that a terminal would obey are drawn as signs.
    pub(super) fn paint(self, ink: Ink, text: &str) -> String {
        let text = visible(text);
        let Some(sgr) = ink.sgr().filter(|_| self.is_styled) else { return text.into_owned() };
        let mut out = String::with_capacity(text.len() + 16);
        for line in text.split_inclusive('\n') {
            let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
            if body.is_empty() {
                out.push_str(end);
            } else {
                let _ = write!(out, "\u{1b}[{sgr}m{body}\u{1b}[0m{end}");
            }
        }
        out
    }

    /// Returns at most `max` coloured lines of a diff, each behind `lead`.
    pub(super) fn diff(self, diff: &str, lead: &str, max: usize) -> String {
        let mut out = String::new();
        for line in diff.lines().take(max) {
            let _ = writeln!(out, "{lead}{}", self.paint(Ink::of_diff(line), line));
        }
        out + &self.rest(diff.lines().count().saturating_sub(max), lead)
    }

    /// Returns the line that counts omitted lines; empty if none are.
    pub(super) fn rest(self, omitted: usize, lead: &str) -> String {
        match omitted {
            0 => String::new(),
            1 => format!("{lead}{}\n", self.paint(Ink::Dim, "… 1 more line")),
            _ => format!("{lead}{}\n", self.paint(Ink::Dim, &format!("… {omitted} more lines"))),
        }
    }

    /// Breaks a line to fit behind a lead of this width, so that its rest does not look like another line of the chat.
    pub(super) fn folded(self, line: &str, lead: usize) -> Vec<String> {
        let columns = self.columns.saturating_sub(lead + 1).max(8);
        let mut parts = vec![String::new()];
        let mut used = 0;
        for c in visible_line(line).chars() {
            let width = c.width().unwrap_or_default();
            if used + width > columns {
                parts.push(String::new());
                used = 0;
            }
            used += width;
            if let Some(part) = parts.last_mut() {
                part.push(c);
            }
        }
        parts
    }

    /// Returns the layout for a model's Markdown.
    pub(super) fn layout(self) -> Layout {
        Layout::for_reply(self.columns, self.is_styled)
    }

    /// Returns a text as one line that fits into `columns`, cut with an ellipsis.
    pub(super) fn cut(text: &str, columns: usize) -> String {
        let text = visible_line(text);
        if text.width() <= columns {
            return text.into_owned();
        }
        let mut room = columns.saturating_sub(1);
        let mut kept = String::new();
        for c in text.chars() {
            let width = c.width().unwrap_or_default();
            if width > room {
                break;
            }
            room -= width;
            kept.push(c);
        }
        kept + "…"
    }
}

/// Returns a typed or pasted text with control characters drawn as signs of the width that the editor counts.
pub(super) fn typed(text: &str) -> Cow<'_, str> {
    let is_obeyed = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let sign = |c: char| match u32::from(c) {
        code @ 0..=0x1f if is_obeyed(c) => char::from_u32(0x2400 + code).unwrap_or('?'),
        _ if is_obeyed(c) => '\u{2421}',
        _ => c,
    };
    text.chars().map(sign).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_coloured_line_by_line_and_obeys_nothing() {
        let [plain, styled] = [false, true].map(|is_styled| Look { columns: 80, is_styled });
        for (ink, text, want) in [
            (Ink::Dim, "a\n\nb", "\u{1b}[2ma\u{1b}[0m\n\n\u{1b}[2mb\u{1b}[0m"),
            (Ink::Plain, "a\u{1b}[2J\u{202e}b", "a␛[2J⟨U+202E⟩b"),
            (Ink::Error, "\u{1b}[0mx", "\u{1b}[1;31m␛[0mx\u{1b}[0m"),
        ] {
            assert_eq!(styled.paint(ink, text), want);
        }
        assert_eq!(plain.paint(Ink::Error, "a\u{7}\n"), "a␇\n");
        assert_eq!(
            plain.diff("@@ -1 +1,2 @@\n-a\n+b\n+c\n d", "  ", 3),
            "  @@ -1 +1,2 @@\n  -a\n  +b\n  … 2 more lines\n"
        );
        assert_eq!(styled.diff("-a\n+b", "", 9), "\u{1b}[31m-a\u{1b}[0m\n\u{1b}[32m+b\u{1b}[0m\n");
    }

    #[test]
    fn a_pasted_text_is_not_obeyed_and_keeps_its_width() {
        for (text, want) in [
            ("plain 漢\n\tx", "plain 漢\n\tx"),
            ("a\u{1b}[2Jb\r", "a␛[2Jb␍"),
            ("\u{7f}\u{9b}c", "␡␡c"),
        ] {
            assert_eq!(typed(text), want);
            assert_eq!(typed(text).width(), text.width(), "{text:?}");
        }
    }

    #[test]
    fn long_lines_are_folded_behind_their_lead() {
        let look = Look { columns: 13, is_styled: false };
        assert_eq!(look.folded("", 4), [""]);
        assert_eq!(look.folded("12345678", 4), ["12345678"]);
        assert_eq!(look.folded("1234567890\u{7}", 4), ["12345678", "90␇"]);
        assert_eq!(look.folded("漢字漢字漢", 4), ["漢字漢字", "漢"]);
    }

    #[test]
    fn long_lines_are_cut_by_width() {
        for (text, columns, want) in [
            ("short", 5, "short"),
            ("shorter", 5, "shor…"),
            ("漢字漢字", 5, "漢字…"),
            ("漢字漢字", 6, "漢字…"),
            ("a\nb", 5, "a␊b"),
            ("ab", 0, "…"),
        ] {
            assert_eq!(Look::cut(text, columns), want, "{text} {columns}");
        }
    }
}
