//! Paths in a session's events after its working directory was moved: those below the old directory refer to the files in the new one.
//!
//! The journal stays unchanged. Code that compares its paths with files reads them through [`relocate`], so that nothing is restored or
//! searched in a directory that is gone.

use super::Entry;
use pintle_os::names;
use pintle_protocol::event::Event;
use pintle_protocol::item::ItemBody;
use pintle_protocol::review::{ReviewAction, ReviewTarget};
use pintle_protocol::session::SessionMoved;
use std::path::{Path, PathBuf};

/// Moves from one working directory to the next, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moves(Vec<Move>);

/// A move: the paths under which files of the old directory are known, and the new directory.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Move {
    seq: u64,
    from: [PathBuf; 2],
    to: PathBuf,
}

/// Returns a path without symbolic links, as far as it exists: a directory that was moved away is known by its parent.
fn real(path: &Path) -> PathBuf {
    for folder in path.ancestors() {
        if let Ok(real) = names::canonicalize(folder) {
            return path.strip_prefix(folder).map_or(real.clone(), |rest| {
                if rest.as_os_str().is_empty() { real } else { real.join(rest) }
            });
        }
    }
    path.to_owned()
}

/// Returns the parent directories that moved with a directory, or the directory itself: if `/a/src` became `/b/src` and `/a` is gone, `/a`
/// became `/b`.
fn moved_above<'p>(mut from: &'p Path, mut to: &'p Path) -> (&'p Path, &'p Path) {
    while from.file_name().is_some()
        && from.file_name() == to.file_name()
        && let (Some(old), Some(new)) = (from.parent(), to.parent())
        && !old.exists()
        && new.is_dir()
    {
        (from, to) = (old, new);
    }
    (from, to)
}

impl Moves {
    /// Finds the moves in a session's events.
    pub fn find(entries: &[Entry]) -> Self {
        Self::from_events(entries.iter().filter_map(|entry| {
            let Event::SessionMoved(moved) = &entry.record.as_ref()?.event else { return None };
            Some((entry.seq, moved))
        }))
    }

    /// Returns the moves recorded by these events, given with their numbers. A discarded copy did not move anywhere.
    pub fn from_events<'a>(moves: impl IntoIterator<Item = (u64, &'a SessionMoved)>) -> Self {
        let moves = moves.into_iter().filter(|(_, moved)| !moved.is_discarded);
        let moves = moves.map(|(seq, moved)| {
            let (from, to) = (Path::new(&moved.from), Path::new(&moved.cwd));
            let (from, to) = moved_above(from, to);
            Move { seq, from: [real(from), from.to_owned()], to: real(to) }
        });
        Self(moves.collect())
    }

    /// Returns the current path of a file in the event with this number; `None` if it was not moved.
    pub fn path(&self, seq: u64, path: &Path) -> Option<PathBuf> {
        let mut present: Option<PathBuf> = None;
        for moved in self.0.iter().filter(|moved| moved.seq > seq) {
            let path = present.as_deref().unwrap_or(path);
            let below = moved.from.iter().find_map(|from| path.strip_prefix(from).ok());
            present = below
                .map(|rest| {
                    let is_folder = rest.as_os_str().is_empty();
                    if is_folder { moved.to.clone() } else { moved.to.join(rest) }
                })
                .or(present);
        }
        present
    }

    fn change(&self, seq: u64, path: &mut String) {
        if let Some(present) = self.path(seq, Path::new(path)) {
            // With the same separator everywhere.
            let present: PathBuf = present.components().collect();
            *path = present.to_string_lossy().into_owned();
        }
    }
}

/// Replaces the paths in events with their current ones.
///
/// Call this only once: a second call would move them again if the new directory is inside the old one.
pub fn relocate(entries: &mut [Entry]) {
    let moves = Moves::find(entries);
    if moves.0.is_empty() {
        return;
    }
    for entry in entries {
        let Some(record) = &mut entry.record else { continue };
        let change = |path: &mut String| moves.change(entry.seq, path);
        match &mut record.event {
            Event::FilesChanged(changed) => {
                changed.changes.iter_mut().for_each(|record| change(&mut record.path));
            }
            Event::ReviewDecided(decided) => {
                decided.parts.iter_mut().for_each(|part| change(&mut part.path));
                if let ReviewAction::Keep { target } | ReviewAction::Undo { target, .. } =
                    &mut decided.action
                    && let ReviewTarget::File { path } = target
                {
                    change(path);
                }
            }
            Event::ItemStarted { item }
            | Event::ItemUpdated { item }
            | Event::ItemCompleted { item } => match &mut item.body {
                ItemBody::ToolCall(call) => {
                    call.locations.iter_mut().for_each(|location| change(&mut location.path));
                }
                ItemBody::Compaction(body) => {
                    let files = body.files.iter_mut();
                    files
                        .flat_map(|files| files.read.iter_mut().chain(&mut files.changed))
                        .for_each(change);
                }
                _ => {}
            },
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "makes directories and moves them")]

    use super::*;
    use crate::store::entry;
    use pintle_testing::paths::absolute;
    use serde_json::{Value, json};
    use std::fs;

    /// Events in a word each: `PATH` is a change of a file, `A>B` a move.
    fn journal(words: &str) -> Vec<Entry> {
        let by = json!({"type": "other"});
        let line = |(at, word): (usize, &str)| {
            let event: Value = match word.split_once('>') {
                Some((from, to)) => json!({"type": "session.moved", "from": from, "cwd": to}),
                None => json!({"type": "files.changed", "changes": [{"path": word}], "by": by}),
            };
            let record = json!({"sessionId": "s", "seq": at + 1, "tsMs": 0, "event": event});
            entry::parse(&record.to_string()).unwrap()
        };
        words.split_whitespace().enumerate().map(line).collect()
    }

    #[test]
    fn a_path_below_an_old_folder_is_that_of_the_new_one() {
        for (name, words, want) in [
            ("not moved", "/o/a/f", "/o/a/f"),
            ("moved", "/o/a/f /o/a>/o/b /o/b/g", "/o/b/f /o/b/g"),
            ("another folder with the same beginning", "/o/ab/f /o/a>/o/b", "/o/ab/f"),
            ("outside", "/x/f /o/a>/o/b", "/x/f"),
            ("moved twice", "/o/a/f /o/a>/o/b /o/b/g /o/b>/o/c", "/o/c/f /o/c/g"),
            ("there and back", "/o/a/f /o/a>/o/b /o/b/g /o/b>/o/a", "/o/a/f /o/a/g"),
            ("into itself", "/o/a/f /o/a>/o/a/in /o/a/in/g", "/o/a/in/f /o/a/in/g"),
            ("out of itself", "/o/a/in/f /o/a/in>/o/a", "/o/a/f"),
            ("another file in the old folder afterwards", "/o/a>/o/b /o/a/f", "/o/a/f"),
        ] {
            let mut entries = journal(&absolute(words));
            relocate(&mut entries);
            let paths = entries.iter().filter_map(|entry| {
                let Event::FilesChanged(changed) = &entry.record.as_ref()?.event else {
                    return None;
                };
                Some(names::shown(Path::new(&changed.changes[0].path)).into_owned())
            });
            assert_eq!(paths.collect::<Vec<_>>().join(" "), absolute(want), "{name}");
        }
    }

    #[test]
    fn files_next_to_a_folder_moved_with_it_if_the_folder_above_is_gone() {
        for (name, made, moved, path, want) in [
            ("next to it", "new/b/sub", "a/b/sub>new/b/sub", "a/b/f", Some("new/b/f")),
            ("at the top", "new/b/sub", "a/b/sub>new/b/sub", "a/f", Some("new/f")),
            ("in it", "new/b/sub", "a/b/sub>new/b/sub", "a/b/sub/f", Some("new/b/sub/f")),
            ("above the top", "new/b/sub", "a/b/sub>new/b/sub", "f", None),
            ("the folder above is there", "a/b new/b/sub", "a/b/sub>new/b/sub", "a/b/f", None),
            ("one above it is gone", "a new/b/sub", "a/b/sub>new/b/sub", "a/f", None),
            ("another name", "new/b/other", "a/b/sub>new/b/other", "a/b/f", None),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let root = pintle_os::names::canonicalize(folder.path()).unwrap();
            made.split(' ').for_each(|made| fs::create_dir_all(root.join(made)).unwrap());
            let (from, to) = moved.split_once('>').unwrap();
            let at = |path: &str| root.join(path).to_string_lossy().into_owned();
            let moves = Moves::find(&journal(&format!("{} {}>{}", at("x"), at(from), at(to))));
            let want = want.map(|want| root.join(want));
            assert_eq!(moves.path(1, &root.join(path)), want, "{name}");
        }
    }

    #[test]
    fn files_of_a_folder_behind_a_link_are_found_by_both_paths() {
        let folder = tempfile::tempdir().unwrap();
        let root = pintle_os::names::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(root.join("real/new")).unwrap();
        pintle_testing::files::symlink(root.join("real"), root.join("link"));
        let at = |path: &str| root.join(path).to_string_lossy().into_owned();
        let moved = format!("{}>{}", at("link/old"), at("link/new"));
        for path in ["real/old/f", "link/old/f"] {
            let mut entries = journal(&format!("{} {moved}", at(path)));
            let moves = Moves::find(&entries);
            assert_eq!(moves.path(1, &root.join(path)), Some(root.join("real/new/f")), "{path}");
            relocate(&mut entries);
        }
    }
}
