//! The changes of an isolated session that have not been applied to the user's files. Pure.

use crate::store::Entry;
use pintle_protocol::event::Event;
use pintle_protocol::files::{ChangedBy, FileState};
use pintle_protocol::ids::{ItemId, TurnId};
use pintle_protocol::isolation::ApplyOutcome;
use std::collections::BTreeMap;
use std::path::Path;

/// A file of the agent's in a session's copy that has changed since its changes were last applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingFile {
    /// Its path in the copy.
    pub path: String,
    /// Its state when its changes were last applied, or before the first of them.
    pub base: Option<FileState>,
    /// Its state after the last event.
    pub now: Option<FileState>,
    /// The call that changed it last, and that call's turn.
    pub by: (Option<TurnId>, ItemId),
}

/// Returns the files below `root` with changes that were not applied, by path.
pub fn pending(entries: &[Entry], root: &Path) -> Vec<PendingFile> {
    let mut files: BTreeMap<&str, (Option<FileState>, Option<FileState>)> = BTreeMap::new();
    let mut makers: BTreeMap<&str, (Option<TurnId>, ItemId)> = BTreeMap::new();
    for record in entries.iter().filter_map(|entry| entry.record.as_ref()) {
        if let Event::FilesChanged(changed) = &record.event {
            let inside = |path: &str| Path::new(path).starts_with(root);
            for change in changed.changes.iter().filter(|change| inside(&change.path)) {
                let (_, now) =
                    files.entry(&change.path).or_insert_with(|| (change.before.clone(), None));
                now.clone_from(&change.after);
                if let ChangedBy::Call { item_id, .. } = &changed.by {
                    let maker = (record.turn_id.clone(), item_id.clone());
                    makers.insert(&change.path, maker);
                }
            }
        }
        if let Event::IsolationApplied(applied) = &record.event {
            let taken = applied.files.iter().filter(|file| file.outcome != ApplyOutcome::Kept);
            taken.for_each(|file| drop(files.remove(file.isolated.as_str())));
        }
    }
    let changed = files.into_iter().filter(|(_, (base, now))| base != now);
    // Files that only the user has changed in the copy stay there.
    let by_agent = changed.filter_map(|(path, (base, now))| {
        let by = makers.get(path)?.clone();
        Some(PendingFile { path: path.to_owned(), base, now, by })
    });
    by_agent.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::entry;
    use serde_json::{Value, json};

    fn state(name: &str) -> Option<FileState> {
        let known = || FileState { sha256: name.to_owned(), size: 1, mode: None, is_lost: false };
        (name != "-").then(known)
    }

    /// Builds events from one word each: `a:f:x>y` is a change of `/c/f` by a call, `o:f:x>y` one by others, `applied:f` and `kept:f` the
    /// outcome for a file; `-` is a missing file, and `/` in front of a name is another directory's.
    fn journal(text: &str) -> Vec<Entry> {
        let line = |(at, word): (usize, &str)| {
            let mut parts = word.split(':');
            let (by, name) = (parts.next().unwrap(), parts.next().unwrap());
            let path = if name.starts_with('/') { name.to_owned() } else { format!("/c/{name}") };
            let event: Value = match parts.next() {
                None => {
                    json!({"type": "isolation.applied", "files": [{"path": "/u", "isolated": path, "outcome": by}]})
                }
                Some(change) => {
                    let (before, after) = change.split_once('>').unwrap();
                    let by = match by {
                        "a" => json!({"type": "call", "itemId": format!("i{}", at + 1)}),
                        _ => json!({"type": "other"}),
                    };
                    let change =
                        json!({"path": path, "before": state(before), "after": state(after)});
                    json!({"type": "files.changed", "changes": [change], "by": by})
                }
            };
            let record = json!({"sessionId": "s", "seq": at + 1, "tsMs": 0, "event": event});
            entry::parse(&record.to_string()).unwrap()
        };
        text.split_whitespace().enumerate().map(line).collect()
    }

    #[test]
    fn changes_are_pending_until_they_are_applied() {
        for (name, events, want) in [
            ("nothing", "", ""),
            ("an edit", "a:f:x>y", "f x>y i1"),
            ("two edits", "a:f:x>y a:f:y>z", "f x>z i2"),
            ("undone again", "a:f:x>y a:f:y>x", ""),
            ("a new file, and a deleted one", "a:f:->y a:g:x>-", "f ->y i1, g x>- i2"),
            ("edited by hand after", "a:f:x>y o:f:y>z", "f x>z i1"),
            ("edited by hand alone", "o:f:x>y", ""),
            ("in another directory", "a:/d/f:x>y", ""),
            ("applied", "a:f:x>y applied:f", ""),
            ("applied, then edited", "a:f:x>y applied:f a:f:y>z", "f y>z i3"),
            ("one of two is applied", "a:f:x>y a:g:x>y applied:f", "g x>y i2"),
            ("with conflicts", "a:f:x>y conflict:f", ""),
            ("the user's file was kept", "a:f:x>y kept:f", "f x>y i1"),
            ("applied, then edited by hand", "a:f:x>y applied:f o:f:y>z", "f y>z i1"),
        ] {
            let entries = journal(events);
            let text = |state: &Option<FileState>| {
                state.as_ref().map_or("-".to_owned(), |state| state.sha256.clone())
            };
            let rows = pending(&entries, Path::new("/c")).into_iter().map(|file| {
                let PendingFile { path, base, now, by } = file;
                format!("{} {}>{} {}", &path[3..], text(&base), text(&now), by.1)
            });
            assert_eq!(rows.collect::<Vec<_>>().join(", "), want, "{name}");
        }
    }
}
