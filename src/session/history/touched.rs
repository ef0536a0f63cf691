//! The files that a session's model has read and changed, for compaction summaries. Pure.
//!
//! The list covers the history's current path from its start, because a summary replaces an earlier one. It is a fold over events, so a
//! reopened session has the same list.

use crate::store::Entry;
use pintle_protocol::event::Event;
use pintle_protocol::files::ChangedBy;
use pintle_protocol::item::{CompactionFiles, Item, ItemBody, ItemStatus, ToolKind};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The maximum number of entries per kind of file in a summary; the latest are listed.
const MAX_FILES: usize = 100;

/// The tools that list directories.
const LIST_TOOLS: [&str; 3] = ["ls", "list_dir", "list_directory"];

/// The files that a model has read and changed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct TouchedFiles {
    /// The number of touches so far, which orders the files.
    count: u64,
    files: HashMap<String, Touch>,
}

/// The last touch of a file.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Touch {
    order: u64,
    is_changed: bool,
}

impl TouchedFiles {
    /// Folds the entries on a journal's current path.
    pub fn replay(entries: &[Entry]) -> Self {
        let mut touched = Self::default();
        for record in entries.iter().filter_map(|entry| entry.record.as_ref()) {
            touched.record(&record.event);
        }
        touched
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Takes note of an event.
    pub fn record(&mut self, event: &Event) {
        if let Event::ItemCompleted { item } = event {
            self.item(item);
        }
        if let Event::FilesChanged(changed) = event
            && let ChangedBy::Call { .. } = changed.by
        {
            for record in &changed.changes {
                self.touch(&record.path, true);
            }
        }
    }

    fn item(&mut self, item: &Item) {
        if let ItemBody::ToolCall(call) = &item.body
            && call.kind == ToolKind::Read
            && !LIST_TOOLS.contains(&call.tool_name.as_str())
            && item.status == ItemStatus::Completed
        {
            for location in &call.locations {
                self.touch(&location.path, false);
            }
        }
        // An imported summary lists files from calls that are not in the journal.
        if let ItemBody::Compaction(body) = &item.body
            && let Some(CompactionFiles { read, changed, .. }) = &body.files
        {
            for path in read {
                self.add(path, false);
            }
            for path in changed {
                self.add(path, true);
            }
        }
    }

    fn touch(&mut self, path: &str, is_changed: bool) {
        self.count += 1;
        let touch = Touch { order: self.count, is_changed };
        let known = self.files.entry(path.to_owned()).or_insert(touch);
        *known = Touch { is_changed: is_changed || known.is_changed, ..touch };
    }

    fn add(&mut self, path: &str, is_changed: bool) {
        if !self.files.contains_key(path) {
            self.touch(path, is_changed);
        }
    }

    /// Returns the list for a summary; `None` if there are no files. A file that was read and changed is in the second list alone.
    pub fn list(&self) -> Option<CompactionFiles> {
        let latest = |is_changed| {
            let of_kind = self.files.iter().filter(|(_, touch)| touch.is_changed == is_changed);
            let mut files: Vec<_> = of_kind.map(|(path, touch)| (touch.order, path)).collect();
            files.sort_unstable();
            let omitted = files.len().saturating_sub(MAX_FILES);
            let mut paths: Vec<String> =
                files.into_iter().skip(omitted).map(|(_, path)| path.clone()).collect();
            paths.sort_unstable();
            (paths, omitted as u64)
        };
        let ((read, more_read), (changed, more_changed)) = (latest(false), latest(true));
        let omitted = more_read + more_changed;
        (!self.files.is_empty()).then_some(CompactionFiles { read, changed, omitted })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(value: serde_json::Value) -> Event {
        serde_json::from_value(value).unwrap()
    }

    /// Builds a completed call of a tool that reads this path.
    fn read(path: &str, status: &str) -> Event {
        event(json!({"type": "item.completed", "item": {
            "id": "1", "status": status, "startedMs": 0, "type": "toolCall", "toolName": "read", "title": "read",
            "kind": "read", "locations": [{"path": path}],
        }}))
    }

    fn changed(path: &str, by: &str) -> Event {
        let change = json!([{"path": path, "before": null, "after": null}]);
        let by = json!({"type": by, "itemId": "1"});
        event(json!({"type": "files.changed", "changes": change, "by": by}))
    }

    #[test]
    fn a_changed_file_is_not_listed_as_read_and_other_peoples_changes_are_not_listed() {
        let mut touched = TouchedFiles::default();
        assert_eq!(touched.list(), None);
        for event in [
            read("/w/b", "completed"),
            read("/w/a", "completed"),
            read("/w/none", "failed"),
            changed("/w/c", "call"),
            changed("/w/a", "call"),
            read("/w/a", "completed"),
            changed("/w/theirs", "other"),
        ] {
            touched.record(&event);
        }
        let paths = |list: &[&str]| list.iter().map(|&path| path.to_owned()).collect();
        let want = CompactionFiles {
            read: paths(&["/w/b"]),
            changed: paths(&["/w/a", "/w/c"]),
            omitted: 0,
        };
        assert_eq!(touched.list(), Some(want));
    }

    #[test]
    fn of_very_many_files_the_latest_are_listed() {
        let mut touched = TouchedFiles::default();
        for number in 0..150 {
            touched.record(&read(&format!("/w/{number:03}"), "completed"));
        }
        touched.record(&read("/w/000", "completed"));
        let list = touched.list().unwrap();
        assert_eq!((list.read.len(), list.omitted), (100, 50));
        assert_eq!(list.read.first().map(String::as_str), Some("/w/000"));
        assert_eq!(list.read.get(1).map(String::as_str), Some("/w/051"));
    }
}
