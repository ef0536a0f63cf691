//! Waiting for what no event tells. The pauses between looks grow, so that waiting takes no processor.

use std::time::{Duration, Instant};

/// A test that waits so long fails instead of waiting for ever. Nothing takes a tenth of it, also on a machine that does many other things.
pub(crate) const HANG: Duration = Duration::from_secs(300);

const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// The pauses between looks, until it is time to give up.
#[expect(clippy::disallowed_methods, reason = "processes know no virtual clock")]
fn pauses() -> impl Iterator<Item = Duration> {
    let began = Instant::now();
    let growing =
        std::iter::successors(Some(FIRST_PAUSE), |pause| Some((*pause * 5 / 4).min(LONGEST_PAUSE)));
    growing.inspect(move |_| {
        assert!(began.elapsed() < HANG, "waited for {} s in vain", HANG.as_secs());
    })
}

/// Waits until a condition is true, which it must become.
pub(crate) fn until(mut is_true: impl FnMut() -> bool) {
    let mut pauses = pauses();
    while !is_true() {
        std::thread::sleep(pauses.next().unwrap_or(LONGEST_PAUSE));
    }
}

/// Waits until a condition is true, which it must become, while other tasks go on.
pub(crate) async fn until_async(mut is_true: impl FnMut() -> bool) {
    let mut pauses = pauses();
    while !is_true() {
        tokio::time::sleep(pauses.next().unwrap_or(LONGEST_PAUSE)).await;
    }
}
