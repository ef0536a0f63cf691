//! The chance in tests: one seed for a run, which is printed, and which `PINTLE_SEED` sets.

use proptest::test_runner::{Config, RngSeed};
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

/// The seed of this process.
#[expect(clippy::print_stderr, reason = "a failure shows what stderr has")]
static SEED: LazyLock<u64> = LazyLock::new(|| {
    let seed = variable("PINTLE_SEED").unwrap_or_else(|| RandomState::new().hash_one(()));
    eprintln!("PINTLE_SEED={seed} repeats this run");
    seed
});

/// A number in an environment variable.
///
/// # Panics
/// The variable is set to something else.
#[expect(clippy::disallowed_methods, clippy::panic, reason = "the variables that steer tests")]
fn variable(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`, not a number")))
}

/// Returns the seed: `PINTLE_SEED`, else a random one. Printed at the first call.
pub(crate) fn seed() -> u64 {
    *SEED
}

/// Returns the settings of a property: this many cases, times `PINTLE_CASES`.
pub(crate) fn cases(count: u32) -> Config {
    let times = variable("PINTLE_CASES").and_then(|times| u32::try_from(times).ok()).unwrap_or(1);
    Config {
        cases: count.saturating_mul(times),
        rng_seed: RngSeed::Fixed(seed()),
        // The seed repeats a failure, and the tree stays as it is.
        failure_persistence: None,
        ..Config::default()
    }
}
