//! Makes text from models, files and servers safe to show: control characters and invisible characters become visible signs.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns the text with control, bidirectional and invisible characters drawn as signs. Line ends and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    draw(text, |c| matches!(c, '\n' | '\t'))
}

/// Returns the text as one line: line ends and tabs are drawn as signs too.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    draw(text, |_| false)
}

fn draw(text: &str, stays: fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(|c| is_hidden(c) && !stays(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if !is_hidden(c) || stays(c) {
            out.push(c);
            continue;
        }
        // The pictures of control characters, U+2400 and on.
        match u32::from(c) {
            code @ 0..=0x1f => out.extend(char::from_u32(0x2400 + code)),
            0x7f => out.push('\u{2421}'),
            code => {
                let _ = write!(out, "\u{27e8}U+{code:04X}\u{27e9}");
            }
        }
    }
    Cow::Owned(out)
}

/// True for characters that a terminal obeys or a reader does not see.
pub(super) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_obeyed_or_not_seen_is_drawn() {
        for (text, whole, line) in [
            ("plain – “text” 文", "plain – “text” 文", "plain – “text” 文"),
            ("a\nb\tc", "a\nb\tc", "a␊b␉c"),
            ("\u{1b}]52;c;eA==\u{7}", "␛]52;c;eA==␇", "␛]52;c;eA==␇"),
            ("a\rb\0c\u{7f}", "a␍b␀c␡", "a␍b␀c␡"),
            ("\u{202e}txt.exe", "⟨U+202E⟩txt.exe", "⟨U+202E⟩txt.exe"),
            ("a\u{200b}b\u{9b}c", "a⟨U+200B⟩b⟨U+009B⟩c", "a⟨U+200B⟩b⟨U+009B⟩c"),
            ("x\u{e0041}", "x⟨U+E0041⟩", "x⟨U+E0041⟩"),
            ("a\u{2800}b\u{2801}", "a⟨U+2800⟩b⠁", "a⟨U+2800⟩b⠁"),
        ] {
            assert_eq!(visible(text), whole, "{text:?}");
            assert_eq!(visible_line(text), line, "{text:?}");
        }
    }
}
