//! The retry policy: whether to send a request again, and when. Pure.
//!
//! The requests themselves are sent by `step`. A wait requested by the provider is respected; if it is longer than a user would wait, it is
//! reported instead.

use pintle_llm::Error;
use std::time::Duration;

/// When to resend a failed provider request, and when to notify clients of a slow one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The most times that a request is sent again.
    pub retries: u32,
    /// The wait before the first retry.
    pub first: Duration,
    /// Each next wait is so many times as long.
    pub growth: u32,
    /// The maximum share of a wait that jitter removes, in percent, so that clients that failed together do not retry together.
    pub jitter_percent: u32,
    /// The longest single wait.
    pub longest: Duration,
    /// The most that a request waits in all.
    pub total: Duration,
    /// The time without reply data after which clients are notified, once per request.
    pub silence: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            retries: 3,
            first: Duration::from_secs(2),
            growth: 4,
            jitter_percent: 25,
            longest: Duration::from_secs(60),
            total: Duration::from_secs(150),
            silence: Duration::from_secs(30),
        }
    }
}

/// The failures of one request so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Failures {
    /// Their number.
    pub(crate) count: u32,
    /// The time that was waited after them.
    pub(crate) waited: Duration,
}

/// The reason why a request is not sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoRetry {
    /// A retry would fail the same way.
    Final,
    /// The attempts are used up.
    Tried,
    /// The provider asks for a wait of this length.
    TooLong(Duration),
}

/// Returns the time to wait after this failure. `chance` is from 0 to 1 and shortens a wait that was not requested by the provider, as far
/// as the policy allows.
pub(crate) fn next_delay(
    retry_policy: &RetryPolicy,
    failures: Failures,
    error: &Error,
    chance: f64,
) -> Result<Duration, NoRetry> {
    if !error.is_retryable() {
        return Err(NoRetry::Final);
    }
    if failures.count >= retry_policy.retries {
        return Err(NoRetry::Tried);
    }
    let left = retry_policy.total.saturating_sub(failures.waited);
    match error.retry_after {
        Some(wait) if wait > retry_policy.longest.min(left) => Err(NoRetry::TooLong(wait)),
        Some(wait) => Ok(wait),
        None => {
            let growth = retry_policy.growth.saturating_pow(failures.count);
            let grown = retry_policy.first.saturating_mul(growth).min(retry_policy.longest);
            let jitter = f64::from(retry_policy.jitter_percent.min(100)) / 100.0;
            let wait = grown.mul_f64(1.0 - chance.clamp(0.0, 1.0) * jitter);
            if wait > left { Err(NoRetry::Tried) } else { Ok(wait) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_llm::ErrorKind;

    #[test]
    fn waits_grow_and_end() {
        let retry_policy = RetryPolicy { retries: 20, ..RetryPolicy::default() };
        let secs = Duration::from_secs;
        let error = Error::new(ErrorKind::Overloaded, "x");
        for (count, waited, chance, want) in [
            (0, 0, 0.0, Ok(secs(2))),
            (1, 2, 0.0, Ok(secs(8))),
            (2, 10, 0.0, Ok(secs(32))),
            (0, 0, 1.0, Ok(Duration::from_millis(1500))),
            (0, 0, 7.0, Ok(Duration::from_millis(1500))),
            (3, 42, 0.0, Ok(secs(60))),
            (19, 0, 0.0, Ok(secs(60))),
            (4, 102, 0.0, Err(NoRetry::Tried)),
            (20, 0, 0.0, Err(NoRetry::Tried)),
        ] {
            let failures = Failures { count, waited: secs(waited) };
            assert_eq!(next_delay(&retry_policy, failures, &error, chance), want, "{failures:?}");
        }
    }

    #[test]
    fn waits_grow_as_the_policy_says() {
        let millis = Duration::from_millis;
        let retry_policy = RetryPolicy {
            retries: 40,
            first: millis(100),
            growth: 2,
            jitter_percent: 0,
            total: Duration::MAX,
            ..RetryPolicy::default()
        };
        let error = Error::new(ErrorKind::Overloaded, "x");
        for (count, want) in [(0, 100), (1, 200), (3, 800), (39, 60_000)] {
            let failures = Failures { count, waited: Duration::from_secs(3600) };
            assert_eq!(next_delay(&retry_policy, failures, &error, 1.0), Ok(millis(want)));
        }
    }

    #[test]
    fn what_the_provider_asks_for_is_kept_or_told() {
        let secs = Duration::from_secs;
        for (asked, waited, want) in [
            (0, 0, Ok(secs(0))),
            (7, 0, Ok(secs(7))),
            (60, 0, Ok(secs(60))),
            (61, 0, Err(NoRetry::TooLong(secs(61)))),
            (60, 100, Err(NoRetry::TooLong(secs(60)))),
        ] {
            let mut error = Error::new(ErrorKind::RateLimit, "x");
            error.retry_after = Some(secs(asked));
            let failures = Failures { count: 1, waited: secs(waited) };
            let got = next_delay(&RetryPolicy::default(), failures, &error, 0.5);
            assert_eq!(got, want, "{asked} s after {waited} s");
        }
    }

    #[test]
    fn only_what_may_pass_is_asked_again() {
        for (kind, is_final) in [
            (ErrorKind::RateLimit, false),
            (ErrorKind::Overloaded, false),
            (ErrorKind::Network, false),
            (ErrorKind::Timeout, false),
            (ErrorKind::Protocol, false),
            (ErrorKind::Auth, true),
            (ErrorKind::Billing, true),
            (ErrorKind::Overflow, true),
            (ErrorKind::InvalidRequest, true),
            (ErrorKind::ContentFilter, true),
            (ErrorKind::Replay, true),
        ] {
            let error = Error::new(kind, "x");
            let got = next_delay(&RetryPolicy::default(), Failures::default(), &error, 0.0);
            assert_eq!(got == Err(NoRetry::Final), is_final, "{kind:?}");
        }
        for (kind, says, is_final) in [
            (ErrorKind::Overloaded, Some(false), true),
            (ErrorKind::RateLimit, Some(false), true),
            (ErrorKind::InvalidRequest, Some(true), false),
            (ErrorKind::Overloaded, Some(true), false),
        ] {
            let mut error = Error::new(kind, "x");
            error.should_retry = says;
            let got = next_delay(&RetryPolicy::default(), Failures::default(), &error, 0.0);
            assert_eq!(
                got == Err(NoRetry::Final),
                is_final,
                "{kind:?}, the provider says {says:?}"
            );
        }
        let never = RetryPolicy { retries: 0, ..RetryPolicy::default() };
        let error = Error::new(ErrorKind::Network, "x");
        let got = next_delay(&never, Failures::default(), &error, 0.0);
        assert_eq!(got, Err(NoRetry::Tried));
    }
}
