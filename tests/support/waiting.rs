//! Polling for conditions that produce no event, with growing pauses to keep the CPU idle.

use std::time::{Duration, Instant};

/// How long a test waits before it fails. Generous enough for a heavily loaded machine.
pub const HANG: Duration = Duration::from_secs(300);

const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Pauses between polls. Panics after [`HANG`].
fn pauses() -> impl Iterator<Item = Duration> {
    let began = Instant::now();
    let growing =
        std::iter::successors(Some(FIRST_PAUSE), |pause| Some((*pause * 5 / 4).min(LONGEST_PAUSE)));
    growing.inspect(move |_| {
        assert!(began.elapsed() < HANG, "condition not met within {} s", HANG.as_secs());
    })
}

/// Blocks until the condition is true.
pub fn until(mut is_true: impl FnMut() -> bool) {
    let mut pauses = pauses();
    while !is_true() {
        std::thread::sleep(pauses.next().unwrap_or(LONGEST_PAUSE));
    }
}

/// Waits until the condition is true; other tasks keep running.
pub async fn until_async(mut is_true: impl FnMut() -> bool) {
    let mut pauses = pauses();
    while !is_true() {
        tokio::time::sleep(pauses.next().unwrap_or(LONGEST_PAUSE)).await;
    }
}
