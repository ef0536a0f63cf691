//! Changes of files that a kill may cut: announced before they begin, and told when the session is opened again.
//!
//! Not for changes that end, whose `files.changed` tells them. Invariant: what a cut change did stands in the journal before anything
//! else happens to files, so that going back undoes it.

use super::engine::Services;
use super::files::{put_back, record, scanned, state};
use crate::exec::Environment;
use crate::store::announced::{Announced, Announcements};
use crate::store::blobs::Blobs;
use crate::store::{Entry, Journal};
use pintle_protocol::event::Event;
use pintle_protocol::files::{ChangedBy, FileRecord, FileState, FilesChanged};
use pintle_protocol::ids::TurnId;
use pintle_protocol::item::ItemStatus;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Announces a change. That the disk is full does not hold it up: it can still be made, and only a kill would leave it untold.
pub(super) async fn announce(announcements: &Announcements, announced: Announced) {
    let announcements = announcements.clone();
    let put = tokio::task::spawn_blocking(move || announcements.put(&announced)).await;
    if let Ok(Err(error)) = put {
        tracing::warn!("a change of files is not announced: {error}");
    }
}

/// What a kill left untold: an event for the journal, with its turn.
pub(super) async fn untold(
    services: &Services,
    journal: &Journal,
    entries: &[Entry],
) -> Option<(Option<TurnId>, Event)> {
    let announcements = Announcements::of(journal.folder());
    let found = tokio::task::spawn_blocking(move || announcements.last()).await;
    let announced = found.ok().flatten().filter(|announced| is_open(announced, entries))?;
    let (env, blobs) = (services.env.as_ref(), Blobs::of(journal.folder()));
    tidy(env, &announced).await;
    let mut by = announced.by.clone();
    if by == (ChangedBy::Review {}) && announced.after_seq == Some(last(entries)) {
        take_back(env, &blobs, &announced).await;
        // What could not be taken back no verdict tells.
        by = ChangedBy::Other {};
    }
    let changes = changes(env, &blobs, &announced).await;
    let event = Event::FilesChanged(FilesChanged { changes: changes.clone(), by });
    (!changes.is_empty()).then_some((announced.turn_id, event))
}

/// The number of the last event.
fn last(entries: &[Entry]) -> u64 {
    entries.last().map_or(0, |entry| entry.seq)
}

/// Whether a verdict was the last thing that happened.
fn is_decided(entries: &[Entry]) -> bool {
    let last = entries.last().and_then(|entry| entry.record.as_ref());
    last.is_some_and(|record| matches!(record.event, Event::ReviewDecided(_)))
}

/// A verdict that does not stand in the journal was not made: its files are what they were, but for those that somebody changed since.
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
            tracing::warn!("{path} could not be put back: {why}");
        }
    }
}

/// Whether the journal does not say how it ended.
fn is_open(announced: &Announced, entries: &[Entry]) -> bool {
    let ChangedBy::Call { item_id } = &announced.by else {
        let Some(after) = announced.after_seq else { return false };
        // A verdict stands before what it does.
        let is_own = announced.by == ChangedBy::Review {} && is_decided(entries);
        return after == last(entries) || (is_own && after + 1 == last(entries));
    };
    let mut runs = false;
    for event in entries.iter().filter_map(|entry| Some(&entry.record.as_ref()?.event)) {
        if let Event::ItemUpdated { item } = event
            && item.id == *item_id
        {
            runs = item.status == ItemStatus::Running;
        }
        let has_ended = matches!(event, Event::ItemCompleted { item } if item.id == *item_id)
            || matches!(event, Event::FilesChanged(changed) if changed.by == announced.by);
        if has_ended {
            return false;
        }
    }
    runs
}

/// Takes away new contents that lie beside files and never took their place.
async fn tidy(env: &dyn Environment, announced: &Announced) {
    // A command makes none.
    let paths = announced.before.keys().filter(|_| announced.folder.is_none());
    let folders: BTreeSet<&Path> = paths.filter_map(|path| Path::new(path).parent()).collect();
    for folder in folders {
        if let Err(error) = env.tidy(folder).await {
            tracing::debug!("{}: {error}", folder.display());
        }
    }
}

/// What files are now that were something else.
async fn changes(env: &dyn Environment, blobs: &Blobs, announced: &Announced) -> Vec<FileRecord> {
    let mut now: BTreeMap<String, Option<FileState>> = BTreeMap::new();
    if let Some(folder) = &announced.folder {
        match scanned(env, blobs, folder).await {
            Ok(files) => {
                let seen = files.iter().map(|(path, seen)| {
                    (path.to_string_lossy().into_owned(), Some(seen.state.clone()))
                });
                now.extend(seen);
                for path in announced.before.keys() {
                    now.entry(path.clone()).or_insert(None);
                }
            }
            Err(error) => tracing::warn!("what a cut command did to files is not known: {error}"),
        }
    } else {
        for path in announced.before.keys() {
            match state(env, blobs, Path::new(path)).await {
                Ok(state) => drop(now.insert(path.clone(), state)),
                Err(error) => tracing::warn!("{path}: {error}"),
            }
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
    use serde_json::{Value, json};

    /// Whether what was announced after an event is open, and whether it was decided, when these are the journal's last events.
    #[test]
    fn a_verdict_is_told_apart_from_the_one_before() {
        let action = json!({"action": "keep", "target": {"of": "all"}});
        let decided = json!({"type": "review.decided", "action": action, "parts": []});
        let other = json!({"type": "label.changed", "seq": 1, "label": "x"});
        let record = |event: &Value| {
            let record = json!({"sessionId": "s", "seq": 7, "tsMs": 0, "event": event});
            serde_json::from_value(record).unwrap()
        };
        for (name, last, after, want) in [
            ("nothing came of it", &other, 7, true),
            ("nothing came of it, and a verdict was before", &decided, 7, true),
            ("it was decided", &decided, 6, true),
            ("it has ended long ago", &decided, 5, false),
            ("it has ended, and something else came", &other, 6, false),
        ] {
            let entries = [Entry::written(record(last), "{}")];
            let announced = Announced {
                by: ChangedBy::Review {},
                turn_id: None,
                after_seq: Some(after),
                folder: None,
                before: BTreeMap::new(),
                after: BTreeMap::new(),
            };
            assert_eq!(is_open(&announced, &entries), want, "{name}");
        }
    }
}
