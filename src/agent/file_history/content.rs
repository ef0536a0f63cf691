//! The content of a file at an earlier time, from the blobs that were kept.

use pintle_protocol::files::FileState;
use pintle_session::review::Content;
use pintle_session::store::blobs::Blobs;

/// The mode of a file whose place has none.
pub(crate) const PLAIN_MODE: u32 = 0o644;

/// The content of a file in this state, where it was kept.
pub(crate) fn content_of(state: &FileState, blobs: &Blobs) -> Option<Content> {
    let mode = state.mode.unwrap_or(PLAIN_MODE);
    let kept = if state.is_lost { None } else { blobs.get(&state.sha256).ok() };
    kept.map(|bytes| Content { bytes: bytes.into(), mode })
}
