//! Times as a person writes and reads them, in the machine's time zone.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// A time in milliseconds since 1970 from a date, a date with a time, or how long ago it was.
pub(super) fn parse(text: &str, now_ms: u64) -> anyhow::Result<u64> {
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
        anyhow::anyhow!("`{text}` is no time: write 2026-11-22, 2026-11-22T08:30, or 12h, 3d, 2w for so long ago")
    })
}

/// A time to the minute.
pub(super) fn shown(ms: u64) -> String {
    let stamp = i64::try_from(ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let local: Option<Zoned> = stamp.map(|stamp| stamp.to_zoned(TimeZone::system()));
    local.map_or_else(|| "?".to_owned(), |local| local.strftime("%Y-%m-%d %H:%M").to_string())
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
            assert_eq!(parse(text, now).ok(), want, "{text}");
        }
        let day = parse("2026-11-22", now).unwrap();
        assert_eq!(shown(day), "2026-11-22 00:00");
        assert_eq!(shown(parse("2026-11-22T08:30", now).unwrap()), "2026-11-22 08:30");
        assert_eq!(shown(u64::MAX), "?");
    }
}
