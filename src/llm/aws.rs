//! What Amazon's cloud asks of whoever calls it: signed requests, and frames of its own around a stream.
//!
//! Not for Bedrock's URLs and bodies, which `cloud` has. Signing and framing are functions on bytes; only `keys` reads a
//! file, the one that Amazon's own tools write.

pub(super) mod frames;
mod keys;
mod sign;

pub use keys::Signing;
pub(super) use keys::{Profile, region_of_host};

/// A model's id as a part of a path. Ids hold colons, and names of resources slashes.
pub(super) fn encode_model(id: &str) -> String {
    sign::encode(id, b"")
}
