//! Announces all directory files before a command: their states are written once, later announcements contain only changes.

use super::{crash, differences};
use crate::background::in_background;
use pintle_exec::scan::Files;
use pintle_protocol::files::FileState;
use pintle_session::store::announced::Announcements;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// With more changes than this, all states are written again.
const MAX_CHANGES: usize = 500;

/// File states, by path; `None` for a missing file.
type States = BTreeMap<String, Option<FileState>>;

/// What has been announced of a directory.
#[derive(Debug, Default)]
pub(super) struct AnnouncedFolder(Option<Written>);

#[derive(Debug)]
struct Written {
    /// Identifies the written states.
    sum: u32,
    /// The files at the last announcement.
    files: Arc<Files>,
    /// What has changed between the two.
    since: States,
}

impl AnnouncedFolder {
    /// Writes the states of these files, unless few have changed since they were last written. Returns a checksum that identifies the
    /// written states, and the changes since; `None` if the disk is full.
    pub(super) async fn announce(
        &mut self,
        announcements: &Announcements,
        files: &Arc<Files>,
    ) -> Option<(u32, States)> {
        let last = self.0.take();
        let now = Arc::clone(files);
        let updated = in_background(move || Ok(last.and_then(|last| last.updated(&now)))).await;
        let written = match updated.ok().flatten() {
            Some(written) => written,
            None => Written {
                sum: crash::announce_folder(announcements, Arc::clone(files)).await?,
                files: Arc::clone(files),
                since: States::new(),
            },
        };
        let Written { sum, since, .. } = self.0.insert(written);
        Some((*sum, since.clone()))
    }
}

impl Written {
    /// Adds the differences to the files of now; `None` if there are too many.
    fn updated(mut self, now: &Arc<Files>) -> Option<Self> {
        if !Arc::ptr_eq(&self.files, now) {
            for (path, _, is) in differences(&self.files, now) {
                self.since.insert(text(path), is.cloned());
            }
            self.files = Arc::clone(now);
        }
        (self.since.len() <= MAX_CHANGES).then_some(self)
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_exec::scan::ScannedFile;
    use pintle_protocol::files::ChangedBy;
    use pintle_session::store::announced::Announced;

    #[tokio::test]
    async fn what_is_read_again_are_the_files_of_the_last_announcement() {
        let folder = tempfile::tempdir().unwrap();
        let announcements = Announcements::new(folder.path());
        let mut announced = AnnouncedFolder::default();
        let mut files: Files = (0..2000).map(|number| file(number, "first")).collect();
        let mut last = None;
        let many: Vec<_> = (100..900).map(|number| (number, Some("second"))).collect();
        // The files that change, with their new contents, and whether all states are written again.
        for (name, changes, is_anew) in [
            ("the first time", &[][..], true),
            ("nothing", &[], false),
            ("one file", &[(7, Some("second"))], false),
            ("the same file", &[(7, Some("third"))], false),
            ("a new one, and a removed one", &[(5000, Some("new")), (8, None)], false),
            ("the new one is removed", &[(5000, None)], false),
            ("many", &many, true),
            ("one again", &[(7, Some("fourth"))], false),
        ] {
            for (number, content) in changes {
                let (path, seen) = file(*number, content.unwrap_or_default());
                files.remove(&path);
                files.extend(content.map(|_| (path, seen)));
            }
            let now = Arc::new(files.clone());
            let (sum, since) = announced.announce(&announcements, &now).await.unwrap();
            assert_eq!(last != Some(sum), is_anew, "{name}");
            last = Some(sum);
            announcements
                .put(&Announced {
                    by: ChangedBy::Other {},
                    turn_id: None,
                    after_seq: None,
                    folders: Vec::new(),
                    before: since,
                    folder_sum: Some(sum),
                    unknown: Vec::new(),
                    after: BTreeMap::new(),
                })
                .unwrap();
            let read = announcements.last().unwrap().before.into_iter();
            let read: BTreeMap<_, _> = read.filter_map(|(path, is)| Some((path, is?))).collect();
            let want = files.iter().map(|(path, seen)| (text(path), seen.state.clone())).collect();
            assert_eq!(read, want, "{name}");
        }
    }

    #[tokio::test]
    #[expect(clippy::disallowed_methods, reason = "the test makes the missing directory")]
    async fn what_could_not_be_written_is_written_the_next_time() {
        let folder = tempfile::tempdir().unwrap();
        let announcements = Announcements::new(&folder.path().join("session"));
        let mut announced = AnnouncedFolder::default();
        let files: Arc<Files> = Arc::new((0..3).map(|number| file(number, "first")).collect());
        assert_eq!(announced.announce(&announcements, &files).await, None);
        std::fs::create_dir(folder.path().join("session")).unwrap();
        let (sum, since) = announced.announce(&announcements, &files).await.unwrap();
        assert!(since.is_empty());
        assert_eq!(announced.announce(&announcements, &files).await, Some((sum, since)));
    }

    fn file(number: usize, sha256: &str) -> (std::path::PathBuf, ScannedFile) {
        let state =
            FileState { sha256: sha256.to_owned(), size: 1, mode: Some(0o644), is_lost: false };
        (format!("/w/{number}").into(), ScannedFile { mark: 1, state })
    }
}
