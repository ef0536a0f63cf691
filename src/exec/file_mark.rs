//! Marks by which an unchanged file is recognized without reading it.
//!
//! File clocks advance in ticks: a file that is written again within the tick in which it was read keeps its time. So the mark of a file
//! that changed just before it was read is not trusted, and the file is read again.
#![expect(clippy::disallowed_methods, reason = "a mark compares a file's time with the present")]

use pintle_os::file::Facts;
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hasher};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Returns a mark of the time of change, the size and the number on the disk: equal marks mean equal content, unless the file was fresh.
pub(crate) fn mark(facts: &Metadata) -> u128 {
    let mut hasher = DefaultHasher::new();
    let (modified, changed) = (facts.modified_at(), facts.changed_at());
    for part in [modified.0, modified.1, changed.0, changed.1] {
        hasher.write_i64(part);
    }
    u128::from(hasher.finish()) << 64 | u128::from(facts.len() ^ facts.serial().rotate_left(32))
}

/// Returns true for a file that changed so recently that it may change again without another time.
pub(crate) fn is_fresh(facts: &Metadata) -> bool {
    /// More than a tick of any kernel's clock.
    const TICK: Duration = Duration::from_millis(20);
    /// Where files have times in seconds only, or in two.
    const COARSE_TICK: Duration = Duration::from_secs(2);
    let (seconds, nanos) = facts.changed_at();
    let tick = if nanos == 0 { COARSE_TICK } else { TICK };
    let seconds = u64::try_from(seconds).unwrap_or_default();
    let nanos = u32::try_from(nanos).unwrap_or_default();
    let changed = UNIX_EPOCH + Duration::new(seconds, nanos);
    SystemTime::now().duration_since(changed).is_ok_and(|age| age < tick)
        || changed > SystemTime::now()
}
