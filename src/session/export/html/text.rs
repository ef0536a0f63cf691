//! Escapes text for a page: pure.

use std::borrow::Cow;

/// Appends a text so that a browser shows it literally.
pub(super) fn push(out: &mut String, text: &str) {
    for c in clean(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
}

/// Returns a text without the characters that HTML and XML forbid; control characters become visible symbols. So do characters that change
/// the direction of text, so that a line of code reads as it runs.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    if text.chars().any(|c| replaced(c).is_some()) {
        Cow::Owned(text.chars().map(|c| replaced(c).unwrap_or(c)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

fn replaced(c: char) -> Option<char> {
    match c {
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}' => {
            Some('\u{fffd}')
        }
        '\r' => Some('\u{240d}'),
        '\u{80}'..='\u{9f}' => Some('\u{fffd}'),
        other => pintle_base::text::terminal::sign(other),
    }
}
