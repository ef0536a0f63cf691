//! Saves which files the model has seen next to the journal, so that a reopened session still knows them.

use super::Session;
use pintle_exec::{Digest, Version};
use pintle_session::store::seen::{self, ReportedState, Seen, SeenFiles, SeenVersion};
use pintle_tools::{Compared, Known, ReadTracker};
use std::path::PathBuf;

impl Session {
    /// Saves the files that the model has seen. A failure is not reported: changes are then not reported to the model in the session's next
    /// run.
    pub(super) fn save_seen(&mut self) {
        let files: Vec<Seen> = self.view.read_tracker.files().into_iter().map(of_known).collect();
        let has_saved = std::mem::replace(&mut self.view.has_saved, !files.is_empty());
        if files.is_empty() && !has_saved {
            return;
        }
        let folder = self.log.journal.folder();
        let saved = seen::put(folder, &SeenFiles { seq: self.log.journal.last_seq(), files });
        if let Err(error) = saved {
            tracing::debug!("{}: {error}", folder.display());
        }
    }
}

/// Restores the read tracker from a previous run of the session.
pub(super) fn restore(seen: Vec<Seen>) -> ReadTracker {
    ReadTracker::from_known(seen.into_iter().filter_map(to_known))
}

fn of_known(known: Known) -> Seen {
    let version =
        |version: &Version| SeenVersion { size: version.size, mark: format!("{:x}", version.mark) };
    Seen {
        version: version(&known.version),
        digest: known.digest.map(|digest| digest.to_string()),
        told: match &known.compared {
            Compared::Never => None,
            Compared::Gone => Some(ReportedState::Gone),
            Compared::Present(present) => Some(ReportedState::Version(version(present))),
        },
        path: known.version.path,
    }
}

/// Returns `None` if a number cannot be parsed.
fn to_known(seen: Seen) -> Option<Known> {
    let version = |version: SeenVersion, path: PathBuf| {
        let mark = u128::from_str_radix(&version.mark, 16).ok()?;
        Some(Version { path, size: version.size, mark })
    };
    Some(Known {
        digest: match &seen.digest {
            Some(text) => Some(Digest::parse(text)?),
            None => None,
        },
        compared: match seen.told {
            None => Compared::Never,
            Some(ReportedState::Gone) => Compared::Gone,
            Some(ReportedState::Version(present)) => {
                Compared::Present(version(present, seen.path.clone())?)
            }
        },
        version: version(seen.version, seen.path)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_is_read_as_it_was() {
        let version = |mark| Version { path: "/a".into(), size: 9, mark };
        for digest in [None, Some(Digest::compute(b"x"))] {
            for compared in [Compared::Never, Compared::Gone, Compared::Present(version(0))] {
                let known = Known { version: version(u128::MAX), digest, compared };
                assert_eq!(to_known(of_known(known.clone())), Some(known));
            }
        }
        let damaged = SeenVersion { size: 1, mark: "no number".to_owned() };
        let seen = Seen { path: "/a".into(), version: damaged, digest: None, told: None };
        assert_eq!(to_known(seen), None);
    }
}
