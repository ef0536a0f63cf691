//! A temporary copy of the workspace, for `run --no-apply`: the agent works in it, and the tree is never touched, however the run ends.
//!
//! A copy and not a git worktree, since most of the files that a task sees are not committed, directories without git have none, and a
//! worktree shares refs and settings with its repository. A copy and not changes that are undone at the end, since a kill would leave them.
//! Invariant: nothing is written outside the copy's directory.
#![expect(clippy::disallowed_methods, reason = "makes the copy's directory")]

use anyhow::{Context, ensure};
use pintle_exec::isolation::{Repository, copy_project, project};
use pintle_os::names;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A copy of a project, which goes away when it is dropped.
#[derive(Debug)]
pub(crate) struct Copy {
    folder: TempDir,
    /// The directory that was copied: the repository's, else the working directory.
    original: PathBuf,
    root: PathBuf,
}

impl Copy {
    /// Copies the project around a resolved directory, without files that git ignores. Blocking.
    ///
    /// # Errors
    /// Fails if a file cannot be read, the directory is too large, it is ignored itself, or the token has fired.
    pub(crate) fn create(folder: &Path, stop: &CancellationToken) -> anyhow::Result<Self> {
        let original = project(folder);
        let temporary = pintle_base::private_files::temporary_folder("pintle-copy-")?;
        let name = original.file_name().unwrap_or("root".as_ref());
        let root = names::canonicalize(temporary.path())?.join(name);
        fs::create_dir(&root)?;
        let copy = Self { folder: temporary, original, root };
        copy_project(&copy.original, &copy.root, Repository::Copied, stop)
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(folder: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    #[test]
    fn a_copy_that_is_not_wanted_any_more_or_makes_no_sense_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let place = pintle_os::names::canonicalize(folder.path()).unwrap();
        make(
            &place,
            &[(".git/HEAD", ""), (".gitignore", "out/\n"), ("out/a", "a"), ("sub/a", "a")],
        );
        let error = Copy::create(&place.join("out"), &CancellationToken::new()).unwrap_err();
        assert!(error.to_string().contains("is ignored"), "{error}");
        let stop = CancellationToken::new();
        let copy = Copy::create(&place, &stop).unwrap();
        assert_eq!(copy.inside(&place.join("sub")), copy.root().join("sub"));
        let root = copy.root().to_owned();
        copy.remove();
        assert!(!root.exists());
        stop.cancel();
        assert!(Copy::create(&place, &stop).is_err());
    }
}
