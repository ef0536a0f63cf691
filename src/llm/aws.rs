//! The requirements of Amazon's cloud: signed requests, and its own framing of a stream.
//!
//! `cloud` has Bedrock's URLs and bodies. Signing and framing are functions on bytes; only `keys` reads a file, the
//! one that Amazon's own tools write.

pub(super) mod frames;
mod keys;
mod sign;

pub use keys::Signing;
pub(super) use keys::{Profile, region_of_host};
pub(super) use sign::encode;

/// A model's id as a part of a path. Ids hold colons, and names of resources slashes.
pub(super) fn encode_model(id: &str) -> String {
    sign::encode(id, b"")
}
