//! Working directories, and how one is recognized after it was moved.
//!
//! `place.json` in a slug's directory identifies each working directory there: by its file system, inode and creation time, which survive a
//! rename, and by its git remote with the path below the repository, which survive a copy and a new clone.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use super::{Error, isolated};
use pintle_base::private_files;
use pintle_os::file::Identity;
use pintle_os::{System, replace};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use std::{fs, io};

const FILE: &str = "place.json";

/// The maximum size of the files that are read here.
const MAX_BYTES: u64 = 1024 * 1024;

/// The maximum number of working directories that share a slug.
const MAX_PLACES: usize = 64;

/// A working directory, and the marks by which it is recognized elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    cwd: String,
    device: u64,
    inode: u64,
    /// The creation time in nanoseconds since 1970, if the file system records it: inodes of removed directories are reused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    created: Option<u64>,
    /// The URL of git's `origin`, without a user name or a password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    remote: Option<String>,
    /// The directory's path in its repository.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    below: String,
}

impl Place {
    /// Identifies a directory; `None` if it does not exist.
    fn identify(cwd: &str) -> Option<Self> {
        let facts = fs::metadata(cwd).ok().filter(fs::Metadata::is_dir)?;
        let (remote, below) = match repository(Path::new(cwd)) {
            Some((root, remote)) => {
                let below = Path::new(cwd).strip_prefix(root).unwrap_or(Path::new(""));
                (Some(remote), below.to_string_lossy().into_owned())
            }
            None => (None, String::new()),
        };
        let Identity { device, number } = Identity::at(Path::new(cwd)).ok()?;
        let created = facts.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Some(Self {
            cwd: cwd.to_owned(),
            device,
            inode: number,
            created: created.and_then(|age| u64::try_from(age.as_nanos()).ok()),
            remote,
            below,
        })
    }

    /// Returns true if this directory, which is gone, is probably the other one.
    fn became(&self, other: &Self) -> bool {
        let id = |place: &Self| (place.device, place.inode, place.created);
        let is_renamed = id(self) == id(other);
        let is_cloned = self.remote.is_some() && self.remote == other.remote;
        is_renamed || (is_cloned && self.below == other.below)
    }
}

/// Returns the root and remote of a directory's repository. Starts no process.
fn repository(cwd: &Path) -> Option<(PathBuf, String)> {
    let root = cwd.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())?;
    let git = root.join(".git");
    let git = if git.is_dir() {
        git
    } else {
        // A worktree: its directory refers to the shared one.
        let text = private_files::read_to_string(&git, MAX_BYTES).ok()?;
        let own = root.join(text.strip_prefix("gitdir:")?.trim());
        let common = private_files::read_to_string(&own.join("commondir"), MAX_BYTES);
        common.map_or(own.clone(), |common| own.join(common.trim()))
    };
    let config = private_files::read_to_string(&git.join("config"), MAX_BYTES).ok()?;
    Some((root.to_owned(), origin(&config)?))
}

/// Returns the `origin` remote's URL, without a user name or a password.
fn origin(config: &str) -> Option<String> {
    let mut is_origin = false;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            is_origin = line == "[remote \"origin\"]";
        } else if is_origin
            && let Some((name, value)) = line.split_once('=')
            && name.trim() == "url"
        {
            let url = value.trim().trim_matches('"');
            let plain = match url.split_once("://") {
                Some((scheme, rest)) => {
                    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
                    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
                    format!("{scheme}://{host}/{path}")
                }
                None => url.to_owned(),
            };
            return Some(plain.trim_end_matches('/').trim_end_matches(".git").to_owned());
        }
    }
    None
}

/// Records the working directory of this path's sessions. A failure is not reported: the directory is then found by its path alone.
pub(super) fn remember(slug: &Path, cwd: &str) {
    let Some(place) = Place::identify(cwd) else { return };
    let mut places = read(slug);
    if places.contains(&place) {
        return;
    }
    places.retain(|known| known.cwd != cwd);
    places.push(place);
    let excess = places.len().saturating_sub(MAX_PLACES);
    places.drain(..excess);
    let kept = serde_json::to_vec(&places).map_err(std::io::Error::from);
    if let Err(error) = kept.and_then(|text| replace(&slug.join(FILE), &text)) {
        tracing::debug!("{}: {error}", slug.display());
    }
}

fn read(slug: &Path) -> Vec<Place> {
    let text = private_files::read(&slug.join(FILE), MAX_BYTES);
    text.ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
}

/// Replaces a small file.
pub(super) fn replace(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let fresh = path.with_extension(format!("{}.new", std::process::id()));
    private_files::write_private(&fresh, content)?;
    replace::rename(fresh, path)
}

/// Lists subdirectories; none if the directory does not exist.
pub(super) fn subfolders(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io(folder)(error)),
    };
    let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    Ok(entries.flatten().filter(is_folder).map(|entry| entry.path()).collect())
}

/// Returns the paths under which a directory's sessions know it: those of [`moved_names`], and its copies.
pub(super) fn names(sessions: &Path, cwd: &str) -> Vec<String> {
    let mut names = moved_names(sessions, cwd);
    names.extend(isolated::copies(sessions, cwd));
    names
}

/// Returns a directory's current path in all spellings, and those from before it was moved.
pub(super) fn moved_names(sessions: &Path, cwd: &str) -> Vec<String> {
    let mut names = vec![cwd.to_owned()];
    let here = Place::identify(cwd);
    for slug in subfolders(sessions).unwrap_or_default() {
        for place in read(&slug) {
            // Another directory may be at its path now.
            let is_gone = || !Place::identify(&place.cwd).is_some_and(|now| place.became(&now));
            let is_here = System::CURRENT.is_same_path(&place.cwd, cwd);
            let was_here = || here.as_ref().is_some_and(|here| place.became(here)) && is_gone();
            if place.cwd != cwd && (is_here || was_here()) {
                names.push(place.cwd);
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remote_is_that_of_origin_without_its_user() {
        for (config, want) in [
            ("", None),
            ("[remote \"origin\"]\n\turl = https://h.test/a/b.git\n", Some("https://h.test/a/b")),
            ("[remote \"origin\"]\n url=https://u:p@h.test/a/b/\n", Some("https://h.test/a/b")),
            ("[remote \"origin\"]\n\turl = git@h.test:a/b.git\n", Some("git@h.test:a/b")),
            ("[remote \"other\"]\n\turl = https://h.test/a\n", None),
            ("[core]\n\turl = x\n[remote \"origin\"]\n\tfetch = y\n", None),
        ] {
            assert_eq!(origin(config).as_deref(), want, "{config}");
        }
    }

    #[test]
    fn a_new_folder_with_the_inode_of_a_removed_one_is_another_folder() {
        let folder = tempfile::tempdir().unwrap();
        let cwd = folder.path().to_str().unwrap();
        let place = |created| Place { created, ..Place::identify(cwd).unwrap() };
        assert!(place(Some(1)).became(&place(Some(1))));
        assert!(!place(Some(1)).became(&place(Some(2))));
    }

    #[test]
    fn a_folder_is_found_after_a_rename_and_in_another_clone() {
        let folder = tempfile::tempdir().unwrap();
        let root = pintle_os::names::canonicalize(folder.path()).unwrap();
        let path = |name: &str| root.join(name).to_string_lossy().into_owned();
        let make = |name: &str, remote: Option<&str>| {
            fs::create_dir_all(root.join(name).join("src")).unwrap();
            if let Some(remote) = remote {
                fs::create_dir_all(root.join(name).join(".git")).unwrap();
                let config = format!("[remote \"origin\"]\n\turl = {remote}\n");
                fs::write(root.join(name).join(".git/config"), config).unwrap();
            }
        };
        let sessions = root.join("sessions");
        let slug = sessions.join("any");
        fs::create_dir_all(&slug).unwrap();
        make("plain", None);
        make("clone", Some("https://h.test/x"));
        make("kept", Some("https://h.test/x"));
        for cwd in ["plain", "plain/src", "clone", "clone/src", "kept"] {
            remember(&slug, &path(cwd));
        }
        assert_eq!(names(&sessions, &path("plain")), [path("plain")], "nothing was moved");
        fs::rename(root.join("plain"), root.join("renamed")).unwrap();
        fs::remove_dir_all(root.join("clone")).unwrap();
        make("again", Some("https://h.test/x.git"));
        for (cwd, also) in [
            ("renamed", vec!["plain"]),
            ("renamed/src", vec!["plain/src"]),
            ("again", vec!["clone"]),
            ("again/src", vec!["clone/src"]),
            // Without regard to case only where files are found so.
            ("KEPT", if System::CURRENT == System::Linux { vec![] } else { vec!["clone", "kept"] }),
            // A directory that still exists is never recognized as another one.
            ("kept", vec!["clone"]),
            ("nowhere", vec![]),
        ] {
            let want: Vec<String> = [cwd].into_iter().chain(also).map(path).collect();
            assert_eq!(names(&sessions, &path(cwd)), want, "{cwd}");
        }
    }
}
