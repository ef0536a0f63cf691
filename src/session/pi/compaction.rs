//! Converts a compaction's files between Pi's `details` and the engine's item.

use pintle_protocol::item::CompactionFiles;
use serde::Deserialize;
use serde_json::{Value, json};

/// Pi's `details` of a compaction.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Details {
    read_files: Vec<String>,
    modified_files: Vec<String>,
}

/// Returns a compaction's files as Pi's `details`.
pub fn compaction_details(files: Option<&CompactionFiles>) -> Value {
    let (read, changed) = files.map(|files| (&files.read, &files.changed)).unzip();
    json!({ "readFiles": read.cloned().unwrap_or_default(), "modifiedFiles": changed.cloned().unwrap_or_default() })
}

/// Returns the files that Pi's `details` name; those of extensions have other fields.
pub(super) fn files_of(details: Option<&Value>) -> Option<CompactionFiles> {
    let Details { read_files: read, modified_files: changed } =
        Details::deserialize(details?).ok()?;
    let is_empty = read.is_empty() && changed.is_empty();
    (!is_empty).then_some(CompactionFiles { read, changed, omitted: 0 })
}
