//! Earlier contents of a file, from the kept blobs.

use pintle_protocol::files::FileState;
use pintle_session::review::Content;
use pintle_session::store::blobs::Blobs;

/// The default mode for a file whose state has none, as on systems without permission bits.
pub(crate) const PLAIN_MODE: u32 = 0o644;

/// Returns a file's content in this state, if it was kept.
pub(crate) fn content_of(state: &FileState, blobs: &Blobs) -> Option<Content> {
    let mode = state.mode.unwrap_or(PLAIN_MODE);
    let kept = if state.is_lost { None } else { blobs.get(&state.sha256).ok() };
    kept.map(|bytes| Content { bytes: bytes.into(), mode })
}
