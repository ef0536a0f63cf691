//! Text for a user at a terminal, and from one: confirmations, single lines, times, sizes, counts and amounts.
//!
//! Times are in the machine's time zone.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use pintle_base::text::screen;
use pintle_base::text::visible::visible_line;
use std::io::{self, IsTerminal, Write};

/// Asks a yes-or-no question and blocks until it is answered.
///
/// # Errors
///
/// Fails if stdin is not a terminal, since the user cannot be asked then; the message begins with `otherwise`, which describes the action
/// that was not done.
pub(super) fn confirm(question: &str, otherwise: &str) -> anyhow::Result<bool> {
    anyhow::ensure!(
        io::stdin().is_terminal(),
        "{otherwise}: cannot ask for confirmation; pass --yes"
    );
    write!(screen::err(), "{question} [y/N] ")?;
    screen::err().flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Joins a text's words to one line, with control and invisible characters drawn as signs.
pub(crate) fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    visible_line(&text).into_owned()
}

/// Parses a date, a date with a time, or a span before now (`12h`, `3d`) into milliseconds since 1970.
pub(super) fn parse_time(text: &str, now_ms: u64) -> anyhow::Result<u64> {
    let ago = text.char_indices().next_back().and_then(|(at, unit)| {
        let count: u64 = text.get(..at)?.parse().ok()?;
        let unit_ms: u64 = match unit {
            'm' => 60_000,
            'h' => 3_600_000,
            'd' => 86_400_000,
            'w' => 604_800_000,
            _ => return None,
        };
        Some(now_ms.saturating_sub(count.saturating_mul(unit_ms)))
    });
    if let Some(ms) = ago {
        return Ok(ms);
    }
    let local =
        text.parse::<DateTime>().ok().and_then(|local| local.to_zoned(TimeZone::system()).ok());
    let stamp = text.parse::<Timestamp>().ok().or_else(|| Some(local?.timestamp()));
    let stamp = stamp.and_then(|stamp| u64::try_from(stamp.as_millisecond()).ok());
    stamp.ok_or_else(|| {
        anyhow::anyhow!(
            "invalid time `{text}`: expected 2026-11-22, 2026-11-22T08:30, or 12h, 3d, 2w (ago)"
        )
    })
}

/// Formats milliseconds since 1970 to the minute.
pub(super) fn time(ms: u64) -> String {
    let stamp = i64::try_from(ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let local: Option<Zoned> = stamp.map(|stamp| stamp.to_zoned(TimeZone::system()));
    local.map_or_else(|| "?".to_owned(), |local| local.strftime("%Y-%m-%d %H:%M").to_string())
}

/// Formats a size in bytes, KiB or MiB.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{} KiB", bytes / 1024),
        _ => format!("{}.{} MiB", bytes / 1_048_576, bytes % 1_048_576 * 10 / 1_048_576),
    }
}

/// Formats a count with its noun; `entr` means entry.
pub(super) fn plural(count: u64, noun: &str) -> String {
    match (count, noun) {
        (1, "entr") => "1 entry".to_owned(),
        (_, "entr") => format!("{count} entries"),
        (1, _) => format!("1 {noun}"),
        (_, _) => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates_moments_and_spans() {
        let now = 1_763_800_000_000;
        for (text, want) in [
            ("90m", Some(now - 5_400_000)),
            ("12h", Some(now - 43_200_000)),
            ("3d", Some(now - 259_200_000)),
            ("2w", Some(now - 1_209_600_000)),
            ("9999999999999999999d", Some(0)),
            ("99999999999999999999d", None),
            ("1970-01-01T00:00:01Z", Some(1000)),
            ("1970-01-01T01:00:01+01:00", Some(1000)),
            ("yesterday", None),
            ("", None),
            ("d", None),
            ("1960-01-01", None),
        ] {
            assert_eq!(parse_time(text, now).ok(), want, "{text}");
        }
        let day = parse_time("2026-11-22", now).unwrap();
        assert_eq!(time(day), "2026-11-22 00:00");
        assert_eq!(time(parse_time("2026-11-22T08:30", now).unwrap()), "2026-11-22 08:30");
        assert_eq!(time(u64::MAX), "?");
    }
}
