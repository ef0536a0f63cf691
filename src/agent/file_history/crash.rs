//! File changes that may be interrupted by a kill: announced before they start, and reported when the session is reopened.
//!
//! Completed changes are not covered, since their `files.changed` reports them. Invariant: the effects of an interrupted change are
//! journaled before any other file change, so that a rewind undoes them.
//!
//! A change is announced in one small file in the session's directory, which the next announcement replaces: it has the prior states of the
//! files, for a command those of the whole directory. It is not an event, since it is obsolete once the change has ended. A decision that
//! was not journaled is reverted instead, since its changes would be mistaken for the user's edits.

use crate::file_history::evidence::changes_nothing;
use crate::file_history::{look_at, put_back, record, scanned, state};
use pintle_exec::Environment;
use pintle_exec::scan::Files;
use pintle_protocol::event::Event;
use pintle_protocol::files::{ChangedBy, FileRecord, FileState, FilesChanged};
use pintle_protocol::ids::TurnId;
use pintle_protocol::item::ItemStatus;
use pintle_session::store::announced::{Announced, Announcements};
use pintle_session::store::blobs::Blobs;
use pintle_session::store::moves::Moves;
use pintle_session::store::{Entry, Journal};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Announces a change. A full disk does not block the change: it can still be made, and only a kill would leave it unreported.
pub(crate) async fn announce(announcements: &Announcements, announced: Announced) {
    let announcements = announcements.clone();
    announce_with(move || announcements.put(&announced)).await;
}

/// Writes the states of a directory's files, to which announcements refer. Returns their checksum, unless the disk is full.
pub(super) async fn announce_folder(
    announcements: &Announcements,
    files: Arc<Files>,
) -> Option<u32> {
    let announcements = announcements.clone();
    announce_with(move || {
        let files = files.iter();
        let states = files.map(|(path, seen)| (path.to_string_lossy().into_owned(), &seen.state));
        announcements.put_folder(&states.collect())
    })
    .await
}

async fn announce_with<T: Send + 'static>(
    put: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Option<T> {
    match tokio::task::spawn_blocking(put).await {
        Ok(Ok(put)) => Some(put),
        Ok(Err(error)) => {
            tracing::warn!("failed to announce changed files: {error}");
            None
        }
        Err(_) => None,
    }
}

/// Returns the change that was announced last.
pub(crate) async fn announced(journal: &Journal) -> Option<Announced> {
    let announcements = Announcements::new(journal.folder());
    tokio::task::spawn_blocking(move || announcements.last()).await.ok().flatten()
}

/// Returns the file changes missing from the journal after a kill: an event for them, with its turn.
pub(crate) async fn untold(
    env: &dyn Environment,
    journal: &Journal,
    mut announced: Announced,
    entries: &[Entry],
    moves: &Moves,
) -> Option<(Option<TurnId>, Event)> {
    if !is_open(&announced, entries) {
        return None;
    }
    relocate(&mut announced, entries, moves);
    let blobs = Blobs::new(journal.folder());
    tidy(env, &announced).await;
    let mut by = announced.by.clone();
    if by == (ChangedBy::Review {}) && !is_decided(&announced, entries) {
        take_back(env, &blobs, &announced).await;
        // A change that could not be reverted is not covered by a decision.
        by = ChangedBy::Other {};
    }
    // Changes after the kill are included, so their author is unknown.
    if let ChangedBy::Call { while_ran: Some(command), .. } = &by
        && changes_nothing(command)
    {
        by = ChangedBy::Other {};
    }
    let changes = changes(env, &blobs, &announced).await;
    let event = Event::FilesChanged(FilesChanged { changes: changes.clone(), by });
    (!changes.is_empty()).then_some((announced.turn_id, event))
}

/// Updates the announced paths if the directory was moved after the kill.
fn relocate(announced: &mut Announced, entries: &[Entry], moves: &Moves) {
    let begun = match &announced.by {
        ChangedBy::Call { item_id, .. } => entries.iter().rev().find_map(|entry| {
            let event = &entry.record.as_ref()?.event;
            let runs = matches!(event, Event::ItemUpdated { item } if item.id == *item_id);
            runs.then_some(entry.seq)
        }),
        ChangedBy::Other {} | ChangedBy::Rewind { .. } | ChangedBy::Review {} => {
            announced.after_seq
        }
    };
    let seq = begun.unwrap_or_default();
    let present = |path: String| {
        let present = moves.path(seq, Path::new(&path));
        present.map_or(path, |present| present.to_string_lossy().into_owned())
    };
    for folder in &mut announced.folders {
        if let Some(present) = moves.path(seq, folder) {
            *folder = present;
        }
    }
    let before = std::mem::take(&mut announced.before).into_iter();
    announced.before = before.map(|(path, state)| (present(path), state)).collect();
    let after = std::mem::take(&mut announced.after).into_iter();
    announced.after = after.map(|(path, hash)| (present(path), hash)).collect();
    announced.unknown = std::mem::take(&mut announced.unknown).into_iter().map(present).collect();
}

/// Returns the last event before the session was opened, which may have moved it.
fn last(entries: &[Entry]) -> Option<&Entry> {
    let is_move = |entry: &&Entry| {
        let event = entry.record.as_ref().map(|record| &record.event);
        matches!(event, Some(Event::SessionMoved(_)))
    };
    entries.iter().rfind(|entry| !is_move(entry))
}

/// Returns true if the announced decision is the journal's last event, so that its file changes are not in it yet.
fn is_decided(announced: &Announced, entries: &[Entry]) -> bool {
    let Some(record) = last(entries).and_then(|entry| entry.record.as_ref()) else { return false };
    announced.by == (ChangedBy::Review {})
        && announced.after_seq == record.seq.checked_sub(1)
        && matches!(record.event, Event::ReviewDecided(_))
}

/// Reverts a decision that is not in the journal: restores its files, except those changed by others since.
async fn take_back(env: &dyn Environment, blobs: &Blobs, announced: &Announced) {
    for (path, then) in &announced.before {
        let at = Path::new(path);
        let Ok(present) = state(env, blobs, at).await else { continue };
        let is_ours = announced.after.get(path)
            == Some(&present.as_ref().map(|present| present.sha256.clone()));
        if is_ours
            && present != *then
            && let Err(why) = put_back(env, blobs, at, then.as_ref(), present.as_ref()).await
        {
            tracing::warn!("failed to restore {path}: {why}");
        }
    }
}

/// Returns true if the journal does not record how the announced change ended.
fn is_open(announced: &Announced, entries: &[Entry]) -> bool {
    let ChangedBy::Call { item_id, .. } = &announced.by else {
        let last = last(entries).map_or(0, |entry| entry.seq);
        return announced.after_seq == Some(last) || is_decided(announced, entries);
    };
    let mut runs = false;
    for event in entries.iter().filter_map(|entry| Some(&entry.record.as_ref()?.event)) {
        if let Event::ItemUpdated { item } = event
            && item.id == *item_id
        {
            runs = item.status == ItemStatus::Running;
        }
        let has_ended = matches!(event, Event::ItemCompleted { item } if item.id == *item_id)
            || matches!(event, Event::FilesChanged(changed)
                if matches!(&changed.by, ChangedBy::Call { item_id: by, .. } if by == item_id));
        if has_ended {
            return false;
        }
    }
    runs
}

/// Removes temporary files with new contents that never replaced their targets.
async fn tidy(env: &dyn Environment, announced: &Announced) {
    // A command makes none.
    let paths = announced.before.keys().filter(|_| announced.folders.is_empty());
    let folders: BTreeSet<&Path> = paths.filter_map(|path| Path::new(path).parent()).collect();
    for folder in folders {
        if let Err(error) = env.tidy(folder).await {
            tracing::debug!("{}: {error}", folder.display());
        }
    }
}

/// Returns the file changes since the announcement.
async fn changes(env: &dyn Environment, blobs: &Blobs, announced: &Announced) -> Vec<FileRecord> {
    let mut now: BTreeMap<String, Option<FileState>> = BTreeMap::new();
    if announced.folders.is_empty() {
        for path in announced.before.keys() {
            match state(env, blobs, Path::new(path)).await {
                Ok(state) => drop(now.insert(path.clone(), state)),
                Err(error) => tracing::warn!("{path}: {error}"),
            }
        }
    } else {
        match scanned(env, blobs, announced.folders.clone()).await {
            Ok(mut files) => {
                let known = announced.before.keys().map(PathBuf::from).collect();
                look_at(env, blobs, &mut files, known).await;
                let seen = files.iter().map(|(path, seen)| {
                    (path.to_string_lossy().into_owned(), Some(seen.state.clone()))
                });
                now.extend(seen);
                for path in announced.before.keys() {
                    now.entry(path.clone()).or_insert(None);
                }
            }
            Err(error) => tracing::warn!(
                "failed to determine which files an interrupted command changed: {error}"
            ),
        }
    }
    let changed = now.iter().filter_map(|(path, now)| {
        let before = announced.before.get(path).and_then(Option::as_ref);
        record(Path::new(path), before, now.as_ref())
    });
    changed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_protocol::ids::ItemId;
    use serde_json::{Value, json};

    /// Builds events from one word each: `keep` for a decision, `files` for changes by others, `runs` and `ends` for a call, anything else
    /// for a notice.
    fn journal(words: &str) -> Vec<Entry> {
        let item = |status| json!({"id": "c", "type": "toolCall", "status": status, "startedMs": 0, "title": "t", "toolName": "edit", "kind": "edit"});
        let entry = |(at, word): (usize, &str)| {
            let event: Value = match word {
                "keep" => {
                    json!({"type": "review.decided", "action": {"type": "keep", "target": {"type": "all"}}, "parts": []})
                }
                "files" => {
                    json!({"type": "files.changed", "changes": [], "by": {"type": "call", "itemId": "c"}})
                }
                "runs" => json!({"type": "item.updated", "item": item("running")}),
                "moved" => json!({"type": "session.moved", "from": "/a", "cwd": "/b"}),
                "ends" => json!({"type": "item.completed", "item": item("completed")}),
                _ => json!({"type": "session.closed"}),
            };
            let seq = at as u64 + 1;
            let record = json!({"sessionId": "s", "seq": seq, "tsMs": 0, "event": event});
            let record = Some(serde_json::from_value(record).unwrap());
            Entry { seq, record, private: None }
        };
        words.split_whitespace().enumerate().map(entry).collect()
    }

    #[test]
    fn what_was_announced_is_open_until_the_journal_says_how_it_ended() {
        let call = ChangedBy::Call { item_id: ItemId::new("c"), while_ran: None };
        let (rewind, review) = (ChangedBy::Rewind { to_seq: Some(1) }, ChangedBy::Review {});
        for (name, by, after_seq, words, want) in [
            ("a call that has not begun", &call, None, "x", (false, false)),
            ("a call that runs", &call, None, "x runs", (true, false)),
            ("a call whose files are told", &call, None, "x runs files", (false, false)),
            ("a call that has ended", &call, None, "x runs ends", (false, false)),
            ("going back has begun", &rewind, Some(1), "x", (true, false)),
            ("going back has ended", &rewind, Some(1), "x files", (false, false)),
            ("going back after a decision", &rewind, Some(2), "x keep", (true, false)),
            ("a decision has begun", &review, Some(1), "x", (true, false)),
            ("a decision has begun after another", &review, Some(2), "x keep", (true, false)),
            ("a decision stands, its files do not", &review, Some(1), "x keep", (true, true)),
            (
                "a decision stands, and the session has moved",
                &review,
                Some(1),
                "x keep moved",
                (true, true),
            ),
            (
                "going back has begun, and the session has moved",
                &rewind,
                Some(1),
                "x moved",
                (true, false),
            ),
            ("a decision has ended", &review, Some(1), "x keep files", (false, false)),
        ] {
            let (by, after_seq) = (by.clone(), after_seq);
            let announced = Announced {
                by,
                turn_id: None,
                after_seq,
                folders: Vec::new(),
                before: BTreeMap::new(),
                folder_sum: None,
                unknown: Vec::new(),
                after: BTreeMap::new(),
            };
            let entries = journal(words);
            let is = (is_open(&announced, &entries), is_decided(&announced, &entries));
            assert_eq!(is, want, "{name}");
        }
    }
}
