//! Characters beyond U+FFFF whose surrogates arrive in two events.
//!
//! JSON writes such a character, usually an emoji, as two escapes, and some servers cut their text between them. A
//! lone surrogate is not text, so a strict parser rejects the event and the reply with it. Here the first surrogate
//! waits for the second; one without its counterpart becomes `U+FFFD`. Invariant: data without lone surrogates is not
//! changed.

use std::borrow::Cow;

/// Length of an escape such as `\ud83d`.
const ESCAPE: usize = 6;

/// The replacement for a lone surrogate.
const ALONE: &str = "\\ufffd";

/// A pending first surrogate. One for each stream of events.
#[derive(Debug, Default)]
pub(super) struct Halves {
    /// The first surrogate's escape.
    first: Option<String>,
}

impl Halves {
    /// Returns an event's data without lone surrogates.
    pub(super) fn mend<'a>(&mut self, data: &'a str) -> Cow<'a, str> {
        // No escape of a surrogate begins otherwise; most events cost only this search.
        if !data.contains("\\ud") && !data.contains("\\uD") {
            return Cow::Borrowed(data);
        }
        let mut mended = String::new();
        let mut done = 0;
        let mut at = 0;
        while let Some(found) = data.get(at..).and_then(|rest| rest.find('\\')) {
            at += found;
            let (place, half) = (at, half(data, at));
            at += if half.is_some() { ESCAPE } else { 2 };
            let instead = match half {
                None => continue,
                Some(Half::First) if self::half(data, at) == Some(Half::Second) => {
                    at += ESCAPE;
                    continue;
                }
                // Two high surrogates: the pending one has lost its counterpart.
                Some(Half::First) => {
                    let first = data.get(place..at).map(str::to_owned);
                    self.first.replace(first.unwrap_or_default()).map(|_| ALONE.to_owned())
                }
                Some(Half::Second) => Some(self.first.take().map_or_else(
                    || ALONE.to_owned(),
                    |first| first + data.get(place..at).unwrap_or_default(),
                )),
            };
            mended.push_str(data.get(done..place).unwrap_or_default());
            mended.push_str(instead.as_deref().unwrap_or_default());
            done = at;
        }
        if done == 0 {
            return Cow::Borrowed(data);
        }
        mended.push_str(data.get(done..).unwrap_or_default());
        Cow::Owned(mended)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    First,
    Second,
}

/// Returns which surrogate the escape at this position is.
fn half(data: &str, at: usize) -> Option<Half> {
    let digits = data.get(at..at + ESCAPE)?.strip_prefix("\\u")?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xD800..=0xDBFF => Some(Half::First),
        0xDC00..=0xDFFF => Some(Half::Second),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_find_each_other_and_the_rest_stays() {
        for (name, events, want) in [
            ("no half", &[r#"{"a":"\n\u00e9"}"#][..], &[r#"{"a":"\n\u00e9"}"#][..]),
            ("a pair", &[r#""\ud83d\ude00 x""#], &[r#""\ud83d\ude00 x""#]),
            ("in two events", &[r#""a\uD83D""#, r#""\uDE00b""#], &[r#""a""#, r#""\uD83D\uDE00b""#]),
            (
                "others between",
                &[r#""\ud83d""#, "{}", r#""\ude00""#],
                &[r#""""#, "{}", r#""\ud83d\ude00""#],
            ),
            ("a second half alone", &[r#""\ude00""#], &[r#""\ufffd""#]),
            (
                "two first halves",
                &[r#""\ud83d""#, r#""\ud83d""#, r#""\ude00""#],
                &[r#""""#, r#""\ufffd""#, r#""\ud83d\ude00""#],
            ),
            ("a backslash before", &[r#""\\ud83d""#], &[r#""\\ud83d""#]),
            ("a backslash and a half", &[r#""\\\ude00""#], &[r#""\\\ufffd""#]),
            ("cut short", &[r#""\ud8"#], &[r#""\ud8"#]),
            ("no digits", &[r#""\ud8ég""#], &[r#""\ud8ég""#]),
        ] {
            let mut halves = Halves::default();
            let got: Vec<_> = events.iter().map(|event| halves.mend(event)).collect();
            assert_eq!(got, want, "{name}");
        }
    }
}
