//! The files in a session's events, and the effect of a rewind on each of them. Pure.
//!
//! The timeline follows journal order rather than the tree, since there is one disk, and its time goes one way.

use crate::store::Entry;
use pintle_protocol::event::Event;
use pintle_protocol::files::{ChangedBy, FileAction, FileOwner, FileRecord, FileState};
use std::collections::{BTreeMap, BTreeSet};

/// A file that a rewind may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewindFile {
    /// The path.
    pub path: String,
    /// The state at the rewind's target.
    pub then: Option<FileState>,
    /// The state after the last event.
    pub now: Option<FileState>,
    /// The model has changed it since the target.
    pub by_agent: bool,
    /// True if another author has changed it since the target.
    pub by_other: bool,
}

/// Returns the file changes in a session's events in order, each with the event's number.
pub fn changes(entries: &[Entry]) -> impl Iterator<Item = (u64, &ChangedBy, &FileRecord)> {
    let events = entries.iter().filter_map(|entry| {
        let Event::FilesChanged(changed) = &entry.record.as_ref()?.event else { return None };
        Some((entry.seq, changed))
    });
    events.flat_map(|(seq, changed)| {
        changed.changes.iter().map(move |record| (seq, &changed.by, record))
    })
}

/// Returns the hashes of all contents that events refer to.
pub fn referenced_hashes(entries: &[Entry]) -> BTreeSet<String> {
    let states = changes(entries).flat_map(|(_, _, record)| [&record.before, &record.after]);
    states.flatten().map(|state| state.sha256.clone()).collect()
}

/// Returns the state of each file at an event, as far as events record it.
pub fn at(entries: &[Entry], seq: u64) -> BTreeMap<String, Option<FileState>> {
    let mut files = BTreeMap::new();
    for (at, _, record) in changes(entries) {
        if at <= seq {
            files.insert(record.path.clone(), record.after.clone());
        } else {
            files.entry(record.path.clone()).or_insert_with(|| record.before.clone());
        }
    }
    files
}

/// Returns the files that were changed after an event, by path.
pub fn since(entries: &[Entry], seq: u64) -> Vec<RewindFile> {
    let mut files: BTreeMap<&str, RewindFile> = BTreeMap::new();
    for (_, by, record) in changes(entries).filter(|(at, ..)| *at > seq) {
        let file = files.entry(&record.path).or_insert_with(|| RewindFile {
            path: record.path.clone(),
            then: record.before.clone(),
            now: None,
            by_agent: false,
            by_other: false,
        });
        file.now.clone_from(&record.after);
        match by {
            // Possibly the user's work, so it stays unless the request lists it.
            ChangedBy::Call { while_ran: Some(_), .. } => {
                (file.by_agent, file.by_other) = (true, true);
            }
            // Rewinds and decisions by the engine count like the model's changes.
            ChangedBy::Call { while_ran: None, .. }
            | ChangedBy::Rewind { .. }
            | ChangedBy::Review {} => file.by_agent = true,
            ChangedBy::Other {} => file.by_other = true,
        }
    }
    files.into_values().collect()
}

/// Returns a rewind's effect on a file whose current state is `present`. Changes by others stay, unless `is_overwritten` is set.
pub fn rewind_effect(
    file: &RewindFile,
    present: Option<&FileState>,
    is_overwritten: bool,
) -> (FileOwner, FileAction) {
    let RewindFile { then, now, by_agent, by_other, .. } = file;
    let same = |a: Option<&FileState>, b: Option<&FileState>| match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => a.sha256 == b.sha256 && a.mode == b.mode,
        (Some(_), None) | (None, Some(_)) => false,
    };
    let is_touched = *by_other || !same(now.as_ref(), present);
    let owner = match (by_agent, is_touched) {
        (true, false) => FileOwner::Agent,
        (true, true) => FileOwner::Conflict,
        (false, _) => FileOwner::Other,
    };
    let action = if same(then.as_ref(), present) {
        FileAction::Leave
    } else if owner == FileOwner::Agent || is_overwritten {
        match then {
            None => FileAction::Remove,
            Some(state) if state.is_lost => FileAction::Lost,
            Some(_) => FileAction::Restore,
        }
    } else {
        FileAction::Leave
    };
    (owner, action)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::entry;
    use serde_json::json;

    fn state(name: &str) -> Option<FileState> {
        let is_lost = name == "lost";
        let known = || FileState { sha256: name.to_owned(), size: 1, mode: None, is_lost };
        (name != "-").then(known)
    }

    /// Builds changes from one word each: `a:x>y` by the model, `u:x>y` unknown while a command ran, `o:x>y` by others, `r:x>y` a rewind;
    /// `-` is a missing file.
    fn journal(text: &str) -> Vec<Entry> {
        let line = |(at, word): (usize, &str)| {
            let (by, change) = word.split_once(':').unwrap();
            let (before, after) = change.split_once('>').unwrap();
            let by = match by {
                "a" => json!({"type": "call", "itemId": "i"}),
                "u" => json!({"type": "call", "itemId": "i", "whileRan": "make"}),
                "o" => json!({"type": "other"}),
                _ => json!({"type": "rewind"}),
            };
            let record = json!([{"path": "/w/f", "before": state(before), "after": state(after)}]);
            let event = json!({"type": "files.changed", "changes": record, "by": by});
            let record = json!({"sessionId": "s", "seq": at + 1, "tsMs": 0, "event": event});
            entry::parse(&record.to_string()).unwrap()
        };
        text.split_whitespace().enumerate().map(line).collect()
    }

    #[test]
    fn going_back_undoes_the_model_s_work_and_nobody_else_s() {
        use FileAction::{Leave, Lost, Remove, Restore};
        use FileOwner::{Agent, Conflict, Other};
        for (name, events, seq, present, overwrite, want) in [
            ("an edit", "a:x>y", 0, "y", false, (Agent, Restore)),
            ("two edits", "a:x>y a:y>z", 1, "z", false, (Agent, Restore)),
            ("a new file", "a:->y", 0, "y", false, (Agent, Remove)),
            ("a file that was deleted", "a:x>-", 0, "-", false, (Agent, Restore)),
            ("a file that is as it was", "a:x>y", 0, "x", false, (Conflict, Leave)),
            ("edited by hand after", "a:x>y", 0, "h", false, (Conflict, Leave)),
            ("edited by hand after, and it goes", "a:x>y", 0, "h", true, (Conflict, Restore)),
            ("edited by hand between", "a:x>y o:y>h a:h>z", 0, "z", false, (Conflict, Leave)),
            ("edited by hand before", "o:x>h a:h>z", 1, "z", false, (Agent, Restore)),
            ("edited by hand alone", "a:x>y o:y>h", 1, "h", false, (Other, Leave)),
            ("deleted by hand", "a:x>y", 0, "-", false, (Conflict, Leave)),
            ("unknown", "u:x>y", 0, "y", false, (Conflict, Leave)),
            ("unknown, and it goes", "u:x>y", 0, "y", true, (Conflict, Restore)),
            ("unknown, then edited", "u:x>y a:y>z", 0, "z", false, (Conflict, Leave)),
            ("not kept", "a:lost>y", 0, "y", false, (Agent, Lost)),
            ("going back is undone", "a:x>y r:y>x", 1, "x", false, (Agent, Restore)),
        ] {
            let entries = journal(events);
            let file = since(&entries, seq);
            let [file] = file.as_slice() else { panic!("{name}: {file:?}") };
            assert_eq!(rewind_effect(file, state(present).as_ref(), overwrite), want, "{name}");
        }
        assert!(since(&journal("a:x>y"), 1).is_empty());
    }
}
