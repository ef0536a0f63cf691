//! What the tests of all crates share: random seeds, waiting for conditions, files and paths of every system, an ssh server, a writer of PDF documents, and tests that cannot run everywhere.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "tests fail by panicking, print what they skip, and use real files and processes"
)]

pub mod chance;
pub mod files;
pub mod paths;
pub mod pdf;
pub mod skips;
#[cfg(unix)]
pub mod sshd;
pub mod waiting;

pub use skips::{is_superuser, skipped};
#[cfg(unix)]
pub use sshd::Sshd;
