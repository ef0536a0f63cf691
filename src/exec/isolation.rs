//! Copies a project on this machine, without files that git ignores.
//!
//! The caller creates and removes the target directory. Invariant: nothing is written outside of it.
#![expect(clippy::disallowed_methods, reason = "copies the directory that the user names")]

use ignore::WalkBuilder;
use pintle_os::file::{self, Facts};
use std::fs::{self, FileTimes};
use std::io;
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

/// Maximum number of copied files: far more than the largest repositories have, not counting ignored files.
const MAX_FILES: u64 = 500_000;

/// The most bytes that are copied.
const MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// Git's directory.
const GIT: &str = ".git";

/// How to treat the `.git` directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repository {
    /// Copy all of it.
    Copied,
    /// Leave it out: a worktree has its own.
    LeftOut,
}

/// An error while copying a project.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read or written.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file that was copied.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A directory could not be read.
    #[error("{0}")]
    Walk(#[from] ignore::Error),
    /// The project is too large.
    #[error(
        "larger than {MAX_FILES} files or {} GB; choose a smaller directory, or make git ignore files that the task does not need",
        MAX_BYTES >> 30
    )]
    TooLarge,
    /// The token has fired.
    #[error("stopped")]
    Stopped,
}

/// Returns the repository root around a directory, else the directory itself.
pub fn project(folder: &Path) -> PathBuf {
    let has_git = |folder: &&Path| folder.join(GIT).symlink_metadata().is_ok();
    folder.ancestors().find(has_git).unwrap_or(folder).to_owned()
}

/// Copies a project, whose directory is resolved, into an existing directory. Blocking.
///
/// # Errors
/// A file cannot be read or written, the project is too large, or the token has fired.
pub fn copy_project(
    original: &Path,
    root: &Path,
    repository: Repository,
    stop: &CancellationToken,
) -> Result<(), Error> {
    let mut copying = Copying { original, root, stop, files: 0, bytes: 0 };
    let walk = WalkBuilder::new(original)
        .hidden(false)
        .ignore(false)
        .git_global(false)
        .parents(false)
        .follow_links(false)
        .filter_entry(|entry| entry.file_name() != GIT)
        .build();
    copying.take(walk)?;
    // Ignore rules of the work tree do not apply to git's directory.
    let git = original.join(GIT);
    if repository == Repository::Copied && git.symlink_metadata().is_ok() {
        copying.take(WalkBuilder::new(&git).standard_filters(false).follow_links(false).build())?;
    }
    Ok(())
}

/// A copy in progress, with the counts of copied files.
struct Copying<'a> {
    original: &'a Path,
    root: &'a Path,
    stop: &'a CancellationToken,
    files: u64,
    bytes: u64,
}

impl Copying<'_> {
    fn take(&mut self, walk: ignore::Walk) -> Result<(), Error> {
        let mut folders = Vec::new();
        for entry in walk {
            if self.stop.is_cancelled() {
                return Err(Error::Stopped);
            }
            let entry = entry?;
            let from = entry.path();
            let Some(to) = from.strip_prefix(self.original).ok().map(|below| self.root.join(below))
            else {
                continue;
            };
            let facts = entry.metadata()?;
            self.files += 1;
            self.bytes += if facts.is_file() { facts.len() } else { 0 };
            if self.files > MAX_FILES || self.bytes > MAX_BYTES {
                return Err(Error::TooLarge);
            }
            let copied = copy(from, &to, &facts, from == self.original);
            copied.map_err(|source| Error::Io { path: from.to_owned(), source })?;
            if facts.is_dir() {
                folders.push((to, facts.mode()));
            }
        }
        // Set at the end, since nothing can be written to a read-only directory. Its owner can always remove the copy.
        for (folder, mode) in folders {
            let set = file::set_mode(&folder, mode | 0o700);
            set.map_err(|source| Error::Io { path: folder, source })?;
        }
        Ok(())
    }
}

fn copy(from: &Path, to: &Path, facts: &fs::Metadata, is_root: bool) -> io::Result<()> {
    if facts.is_dir() {
        return if is_root { Ok(()) } else { fs::create_dir(to) };
    }
    if facts.is_symlink() {
        return file::link_to_file(&fs::read_link(from)?, to);
    }
    // Pipes, sockets and devices hold nothing to copy.
    if facts.is_file() {
        fs::copy(from, to)?;
        keep_time(to, facts);
    }
    Ok(())
}

/// Gives a copy its file's modification time, so that build tools do not treat every file as changed. A file whose time cannot be set keeps
/// the copy's time.
fn keep_time(copy: &Path, facts: &fs::Metadata) {
    let set = || -> io::Result<()> {
        let times = FileTimes::new().set_modified(facts.modified()?);
        fs::OpenOptions::new().write(true).open(copy)?.set_times(times)
    };
    if let Err(error) = set() {
        tracing::debug!("failed to preserve the time of {}: {error}", copy.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_testing::files::{fifo, mode, set_mode, symlink};

    /// Returns the paths below a directory, with their kinds.
    fn tree(folder: &Path) -> Vec<String> {
        let mut walk = WalkBuilder::new(folder);
        walk.standard_filters(false).sort_by_file_path(Path::cmp);
        let entries = walk.build().flatten().filter(|entry| entry.path() != folder);
        let rows = entries.map(|entry| {
            let path = entry.path();
            let name = path.strip_prefix(folder).unwrap().display();
            let facts = path.symlink_metadata().unwrap();
            if facts.is_symlink() {
                format!("{name} -> {}", fs::read_link(path).unwrap().display())
            } else if facts.is_dir() {
                format!("{name}/")
            } else {
                let mode = mode(path);
                format!("{name} {mode:o} {:?}", fs::read_to_string(path).unwrap())
            }
        });
        rows.collect()
    }

    fn make(folder: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    #[test]
    fn a_copy_has_what_git_does_not_ignore_and_all_of_git_itself() {
        let folder = tempfile::tempdir().unwrap();
        let place = pintle_os::names::canonicalize(folder.path()).unwrap();
        make(
            &place,
            &[
                (".git/HEAD", "ref: refs/heads/main\n"),
                (".git/logs/x.log", "log"),
                (".gitignore", "*.log\ntarget/\n"),
                (".hidden/a", "a"),
                ("run.sh", "#!/bin/sh\n"),
                ("noise.log", "noise"),
                ("target/big", "big"),
                ("sub/kept.txt", "kept"),
            ],
        );
        set_mode(place.join("run.sh"), 0o755);
        set_mode(place.join("sub/kept.txt"), 0o444);
        symlink("sub/kept.txt", place.join("link"));
        symlink("/nowhere", place.join("dangling"));
        fifo(place.join("pipe"));
        let target = tempfile::tempdir().unwrap();
        let stop = CancellationToken::new();
        assert_eq!(project(&place.join("sub")), place);
        copy_project(&place, target.path(), Repository::Copied, &stop).unwrap();
        expect_test::expect![[r##"
            .git/
            .git/HEAD 644 "ref: refs/heads/main\n"
            .git/logs/
            .git/logs/x.log 644 "log"
            .gitignore 644 "*.log\ntarget/\n"
            .hidden/
            .hidden/a 644 "a"
            dangling -> /nowhere
            link -> sub/kept.txt
            run.sh 755 "#!/bin/sh\n"
            sub/
            sub/kept.txt 444 "kept""##]]
        .assert_eq(&tree(target.path()).join("\n"));
        let time = |path: &Path| path.metadata().unwrap().modified().unwrap();
        assert_eq!(time(&place.join("run.sh")), time(&target.path().join("run.sh")));
    }

    #[test]
    fn a_worktree_has_its_own_repository_and_a_stopped_copy_fails() {
        let folder = tempfile::tempdir().unwrap();
        let place = pintle_os::names::canonicalize(folder.path()).unwrap();
        make(&place, &[(".git/HEAD", ""), ("sub/.git", "gitdir: x"), ("sub/a", "a")]);
        let target = tempfile::tempdir().unwrap();
        let stop = CancellationToken::new();
        copy_project(&place, target.path(), Repository::LeftOut, &stop).unwrap();
        let copied = tree(target.path());
        let names: Vec<&str> = copied.iter().filter_map(|row| row.split(' ').next()).collect();
        assert_eq!(names, ["sub/".to_owned(), Path::new("sub").join("a").display().to_string()]);
        stop.cancel();
        let target = tempfile::tempdir().unwrap();
        let stopped = copy_project(&place, target.path(), Repository::LeftOut, &stop);
        assert!(matches!(stopped, Err(Error::Stopped)), "{stopped:?}");
    }
}
