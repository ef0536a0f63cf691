//! A temporary copy of the workspace, for `run --no-apply`: the agent works in it, and the tree is never touched, however the run ends.
//!
//! A copy and not a git worktree, since most of the files that a task sees are not committed, directories without git have none, and a
//! worktree shares refs and settings with its repository. A copy and not changes that are undone at the end, since a kill would leave them.
//! Invariant: nothing is written outside the copy's directory.
#![expect(clippy::disallowed_methods, reason = "copies the folder that the command line names")]

use crate::cli::assemble;
use anyhow::{Context, bail, ensure};
use ignore::WalkBuilder;
use pintle_os::file::{self, Facts};
use pintle_os::names;
use std::fs::{self, FileTimes};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// Maximum number of copied files: far more than the largest repositories have, not counting ignored files.
const MAX_FILES: u64 = 500_000;

/// The most bytes that are copied.
const MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// Git's directory, which is copied whole.
const GIT: &str = ".git";

/// A copy of a project, which goes away when it is dropped.
#[derive(Debug)]
pub(crate) struct Copy {
    folder: TempDir,
    /// The directory that was copied: the repository's, else the working directory.
    original: PathBuf,
    root: PathBuf,
}

/// Counts of the copied files.
#[derive(Debug, Default)]
struct Copied {
    files: u64,
    bytes: u64,
}

impl Copy {
    /// Copies the project around a resolved directory, without files that git ignores. Blocking.
    ///
    /// # Errors
    /// Fails if a file cannot be read, the directory is too large, it is ignored itself, or the token has fired.
    pub(crate) fn create(folder: &Path, stop: &CancellationToken) -> anyhow::Result<Self> {
        let original = assemble::project(folder);
        let temporary = pintle_base::private_files::temporary_folder("pintle-copy-")?;
        let name = original.file_name().unwrap_or("root".as_ref());
        let root = names::canonicalize(temporary.path())?.join(name);
        fs::create_dir(&root)?;
        let copy = Self { folder: temporary, original, root };
        copy.fill(stop)
            .with_context(|| format!("--no-apply: failed to copy {}", copy.original.display()))?;
        ensure!(
            copy.inside(folder).is_dir(),
            "--no-apply does not copy files that git ignores, and {} is ignored",
            folder.display()
        );
        Ok(copy)
    }

    /// Returns the copied directory.
    pub(crate) fn original(&self) -> &Path {
        &self.original
    }

    /// Returns the copy's directory, resolved.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns a path's place in the copy; a path that was not copied is returned unchanged.
    pub(crate) fn inside(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.original) {
            Ok(below) if below.as_os_str().is_empty() => self.root.clone(),
            Ok(below) => self.root.join(below),
            Err(_) => path.to_owned(),
        }
    }

    /// Removes the copy.
    pub(crate) fn remove(self) {
        let path = self.folder.path().to_owned();
        if let Err(error) = self.folder.close() {
            tracing::warn!("failed to remove the copy {}: {error}", path.display());
        }
    }

    fn fill(&self, stop: &CancellationToken) -> anyhow::Result<()> {
        let mut copied = Copied::default();
        let walk = WalkBuilder::new(&self.original)
            .hidden(false)
            .ignore(false)
            .git_global(false)
            .parents(false)
            .follow_links(false)
            .filter_entry(|entry| entry.file_name() != GIT)
            .build();
        self.take(walk, &mut copied, stop)?;
        // Ignore rules of the work tree do not apply to git's directory.
        let git = self.original.join(GIT);
        if git.symlink_metadata().is_ok() {
            let walk = WalkBuilder::new(&git).standard_filters(false).follow_links(false).build();
            self.take(walk, &mut copied, stop)?;
        }
        Ok(())
    }

    fn take(
        &self,
        walk: ignore::Walk,
        copied: &mut Copied,
        stop: &CancellationToken,
    ) -> anyhow::Result<()> {
        let mut folders = Vec::new();
        for entry in walk {
            ensure!(!stop.is_cancelled(), "stopped");
            let entry = entry?;
            let (from, to) = (entry.path(), self.inside(entry.path()));
            let facts = entry.metadata()?;
            copied.files += 1;
            copied.bytes += if facts.is_file() { facts.len() } else { 0 };
            if copied.files > MAX_FILES || copied.bytes > MAX_BYTES {
                bail!(
                    "larger than {MAX_FILES} files or {} GB; choose a smaller directory with -C, or make git ignore files that the task does not need",
                    MAX_BYTES >> 30
                );
            }
            let wrong = || from.display().to_string();
            if facts.is_dir() {
                if to != self.root {
                    fs::create_dir(&to).with_context(wrong)?;
                }
                folders.push((to, facts.mode()));
            } else if facts.is_symlink() {
                file::link_to_file(&fs::read_link(from).with_context(wrong)?, &to)
                    .with_context(wrong)?;
            } else if facts.is_file() {
                fs::copy(from, &to).with_context(wrong)?;
                keep_time(&to, &facts);
            }
            // Pipes, sockets and devices hold nothing to copy.
        }
        // Set at the end, since nothing can be written to a read-only directory. Its owner can always remove the copy.
        for (folder, mode) in folders {
            file::set_mode(&folder, mode | 0o700)?;
        }
        Ok(())
    }
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
        let copy = Copy::create(&place.join("sub"), &CancellationToken::new()).unwrap();
        assert_eq!(copy.inside(&place.join("sub")), copy.root().join("sub"));
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
        .assert_eq(&tree(copy.root()).join("\n"));
        let time = |path: &Path| path.metadata().unwrap().modified().unwrap();
        assert_eq!(time(&place.join("run.sh")), time(&copy.root().join("run.sh")));
        let root = copy.root().to_owned();
        copy.remove();
        assert!(!root.exists());
    }

    #[test]
    fn a_copy_that_is_not_wanted_any_more_or_makes_no_sense_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let place = pintle_os::names::canonicalize(folder.path()).unwrap();
        make(&place, &[(".git/HEAD", ""), (".gitignore", "out/\n"), ("out/a", "a")]);
        let error = Copy::create(&place.join("out"), &CancellationToken::new()).unwrap_err();
        assert!(error.to_string().contains("is ignored"), "{error}");
        let stop = CancellationToken::new();
        stop.cancel();
        assert!(Copy::create(&place, &stop).is_err());
    }
}
