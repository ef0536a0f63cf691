//! Random seeds: one per run, printed, and set with `PINTLE_SEED`.

use proptest::test_runner::{Config, RngSeed};
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

/// The seed for this process.
static SEED: LazyLock<u64> = LazyLock::new(|| {
    let seed = variable("PINTLE_SEED").unwrap_or_else(|| RandomState::new().hash_one(()));
    eprintln!("random seed: set PINTLE_SEED={seed} to repeat this run");
    seed
});

/// Parses an environment variable as a number.
///
/// # Panics
/// If the variable is not a number.
fn variable(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`, not a number")))
}

/// Returns the seed: `PINTLE_SEED` if set, otherwise a random one. Prints it on the first call.
pub fn seed() -> u64 {
    *SEED
}

/// Returns a property-test config with `count` cases, multiplied by `PINTLE_CASES`.
pub fn cases(count: u32) -> Config {
    let times = variable("PINTLE_CASES").and_then(|times| u32::try_from(times).ok()).unwrap_or(1);
    let defaults = Config::default();
    Config {
        cases: count.saturating_mul(times),
        max_global_rejects: defaults.max_global_rejects.saturating_mul(times),
        rng_seed: RngSeed::Fixed(seed()),
        // The printed seed is enough to repeat a failure.
        failure_persistence: None,
        ..defaults
    }
}
