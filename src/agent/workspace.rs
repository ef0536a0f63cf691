//! The directories that a session works in: the working directory, and those beside it that belong to the same work.
//!
//! A client says the others whenever it makes or opens a session; no journal keeps them.
//!
//! Each directory is scanned around a command, like the working directory. The model is told when they change.

use crate::error::{Error, ErrorKind};
use pintle_exec::variables::ExtraVariables;
use pintle_exec::{Environment, FileKind};
use pintle_session::store::announced::Announcements;
use pintle_session::store::blobs::Blobs;
use pintle_tools::Folders;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Directories beside the working directory, absolute. Cheap to clone.
pub type Additional = Arc<[PathBuf]>;

/// Where a session works, and where it keeps what files were.
#[derive(Debug, Clone)]
pub(super) struct Workspace {
    pub(super) env: Arc<dyn Environment>,
    pub(super) folders: Folders,
    pub(super) additional: Additional,
    /// Variables that commands see besides.
    pub(super) variables: ExtraVariables,
    /// Where the contents of files are kept.
    pub(super) blobs: Blobs,
    /// Where changes of files are announced.
    pub(super) announcements: Announcements,
    /// Where long outputs are kept.
    pub(super) artifacts: PathBuf,
}

impl Workspace {
    /// The canonical paths of the directories that the session works in.
    pub(super) async fn roots(&self) -> Vec<PathBuf> {
        roots(self.env.as_ref(), &self.folders.cwd, &self.additional).await
    }
}

/// Refuses a directory that a session cannot work in; `what` says which one it is.
pub(super) async fn check(env: &dyn Environment, what: &str, folder: &Path) -> Result<(), Error> {
    let wrong = |why: String| {
        let message = format!("the {what} `{}` {why}", folder.display());
        Error::new(ErrorKind::Invalid, message)
            .hint("specify an existing directory by its absolute path")
    };
    if !folder.is_absolute() {
        return Err(wrong("is not absolute".to_owned()));
    }
    match env.stat(folder).await {
        Ok(stat) if stat.kind == FileKind::Folder => Ok(()),
        Ok(_) => Err(wrong("is not a folder".to_owned())),
        Err(error) => Err(wrong(format!("cannot be used: {error}"))),
    }
}

/// Refuses additional directories of which one cannot be worked in.
pub(super) async fn check_all(
    env: &dyn Environment,
    additional: Option<&Additional>,
) -> Result<(), Error> {
    for folder in additional.into_iter().flat_map(|all| all.iter()) {
        check(env, "additional directory", folder).await?;
    }
    Ok(())
}

/// The canonical paths of all directories of a session, without those that lie in another.
pub(super) async fn roots(
    env: &dyn Environment,
    cwd: &Path,
    additional: &[PathBuf],
) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = Vec::new();
    for folder in [cwd].into_iter().chain(additional.iter().map(PathBuf::as_path)) {
        let folder = env.canonicalize(folder).await.unwrap_or_else(|_| folder.to_owned());
        if all.iter().any(|root| folder.starts_with(root)) {
            continue;
        }
        all.retain(|root| !root.starts_with(&folder));
        all.push(folder);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use pintle_exec::memory::Memory;

    #[tokio::test]
    async fn a_directory_in_another_is_that_one() {
        let memory = Memory::new([("/w/a/x", ""), ("/w/b/x", ""), ("/v/x", "")]);
        let rows: [(&str, &[&str], &[&str]); 5] = [
            ("/w/a", &[], &["/w/a"]),
            ("/w/a", &["/v", "/w/b"], &["/w/a", "/v", "/w/b"]),
            ("/w", &["/w/b", "/v"], &["/w", "/v"]),
            ("/w/a", &["/w"], &["/w"]),
            ("/w/a", &["/w/a", "/w/a"], &["/w/a"]),
        ];
        for (cwd, additional, want) in rows {
            let additional: Vec<PathBuf> = additional.iter().map(PathBuf::from).collect();
            let got = roots(&memory, Path::new(cwd), &additional).await;
            let want: Vec<PathBuf> = want.iter().map(PathBuf::from).collect();
            assert_eq!(got, want, "{cwd} {additional:?}");
        }
    }
}
