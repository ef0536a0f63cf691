//! Links long outputs in a session's directory, for clients.

use pintle_exec::MAX_KEPT_BYTES;
use pintle_protocol::item::{FullOutput, ToolDetails};
use std::path::Path;

/// Records under which name in the session's directory an output is kept, so that clients can read it.
pub(super) fn name_full_output(details: &mut ToolDetails, artifacts: &Path) {
    if let (Some(path), Some(record)) = (&details.full_output_path, &details.truncation)
        && let Ok(name) = Path::new(path).strip_prefix(artifacts)
    {
        let r#ref = name.to_string_lossy().into_owned();
        details.full_output =
            Some(FullOutput { r#ref, bytes: record.total_bytes.min(MAX_KEPT_BYTES) });
    }
}
