//! Settings of tools that hold for every session.

use super::ReadFirst;
use crate::image;

/// Settings of tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// The changes that require that the file was read before.
    pub read_first: ReadFirst,
    /// Pictures are not read; the model is told so.
    pub block_images: bool,
    /// The limits of an image.
    pub image_limits: image::Limits,
    /// Pages may be fetched from this machine and from private networks.
    pub web_fetch_private: bool,
}
