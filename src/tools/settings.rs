//! What a person can set about tools, whatever the session.

use super::ReadFirst;
use crate::image;

/// What is set about tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Which changes of files need that they were read before.
    pub read_first: ReadFirst,
    /// Pictures are not read; the model is told so.
    pub block_images: bool,
    /// What a picture is made to fit into.
    pub image_limits: image::Limits,
    /// Pages may be fetched from this machine and from private networks.
    pub web_fetch_private: bool,
}
