//! Amazon's cloud: request signing and stream framing.
//!
//! `cloud` has Bedrock's URLs and bodies. Signing and framing work on bytes; only `keys` reads a file, which Amazon's tools write.

pub(super) mod frames;
mod keys;
mod sign;

pub use keys::Signing;
pub(super) use keys::{Profile, region_of_host};
pub(super) use sign::encode;

/// Encodes a model id as a path segment. Ids contain colons, and resource names slashes.
pub(super) fn encode_model(id: &str) -> String {
    sign::encode(id, b"")
}
