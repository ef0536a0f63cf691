//! Signals: the first ends the program in order and within a time, a second one at once.
//!
//! One event may deliver a signal several times: `timeout` of coreutils signals its child and then its process group, and closing a terminal
//! sends SIGHUP from the kernel and from the shell. So a signal counts only if it is another one, or comes [`SAME`] after the last.

use pintle_os::signals::Requests;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The time for an orderly end. Commands are killed well within it; work that takes longer does not end by itself.
const END_TIMEOUT: Duration = Duration::from_secs(10);

/// How long the same signal counts once. A user who waits for an orderly end does not repeat the signal so soon.
const SAME: Duration = Duration::from_secs(1);

/// SIGTERM, SIGINT and SIGHUP, and the end that they bring about.
#[derive(Debug)]
pub(crate) struct Signals {
    /// `None` if the process belongs to another program, which keeps its signals.
    received: Option<Requests>,
    stop: CancellationToken,
    code: Arc<AtomicU8>,
    end_timeout: Duration,
}

impl Signals {
    /// Takes the signals over from the system.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { received: Some(Requests::new()?), ..Self::none(CancellationToken::new()) })
    }

    /// Takes over no signal: the caller fires the token.
    pub(crate) fn none(stop: CancellationToken) -> Self {
        Self { received: None, stop, code: Arc::new(AtomicU8::new(143)), end_timeout: END_TIMEOUT }
    }

    /// Fires at the first signal.
    pub(crate) fn token(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Returns the last signal's exit code: 128 plus its number.
    pub(crate) fn code(&self) -> u8 {
        self.code.load(Ordering::Relaxed)
    }

    /// Returns the exit code, for code that reports it once the token has fired.
    pub(crate) fn shared_code(&self) -> Arc<AtomicU8> {
        Arc::clone(&self.code)
    }

    /// Fires the token at the first signal, and returns at the second with its exit code, or when the time for an orderly end has passed.
    pub(crate) async fn run(&mut self) -> u8 {
        let mut deadline = None;
        let mut first = None;
        loop {
            let over = async {
                match deadline {
                    Some(deadline) => tokio::time::sleep_until(deadline).await,
                    None => std::future::pending().await,
                }
            };
            let next = async {
                match &mut self.received {
                    Some(received) => received.next().await,
                    None => std::future::pending().await,
                }
            };
            let code = tokio::select! {
                code = next => code,
                () = over => {
                    tracing::warn!("the engine did not exit within {} s of the signal", self.end_timeout.as_secs());
                    return self.code();
                }
            };
            let now = Instant::now();
            if first.is_some_and(|first| is_repeated(first, (code, now))) {
                continue;
            }
            first = first.or(Some((code, now)));
            self.code.store(code, Ordering::Relaxed);
            if self.stop.is_cancelled() {
                return code;
            }
            self.stop.cancel();
            deadline = Some(now + self.end_timeout);
        }
    }
}

/// Returns true if a signal is the first one, delivered again. Signals are their exit codes here.
fn is_repeated(first: (u8, Instant), next: (u8, Instant)) -> bool {
    first.0 == next.0 && next.1.duration_since(first.1) < SAME
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_signal_that_is_delivered_twice_counts_once() {
        let begin = Instant::now();
        for (first, next, later_ms, want) in [
            (143, 143, 0, true),
            (143, 143, 999, true),
            (143, 143, 1000, false),
            (129, 129, 1, true),
            (130, 130, 1500, false),
            // Another signal is another wish.
            (143, 130, 0, false),
            (130, 143, 1, false),
        ] {
            let at = begin + Duration::from_millis(later_ms);
            assert_eq!(is_repeated((first, begin), (next, at)), want, "{first} {next} {later_ms}");
        }
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn an_engine_that_does_not_end_is_left_when_its_time_is_over() {
        let mut signals =
            Signals { end_timeout: Duration::from_millis(1), ..Signals::new().unwrap() };
        let token = signals.token();
        nix::sys::signal::raise(nix::sys::signal::Signal::SIGTERM).unwrap();
        assert_eq!(signals.run().await, 143);
        assert!(token.is_cancelled());
    }
}
