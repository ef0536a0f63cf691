//! A session's directories: the working directory, and additional ones that belong to the same work.
//!
//! A client passes the additional ones whenever it creates or opens a session; the journal does not keep them.
//!
//! Each directory is scanned around a command, like the working directory. Changes to the list are reported to the model.

use crate::error::{Error, ErrorKind};
use pintle_exec::variables::ExtraVariables;
use pintle_exec::{Environment, FileKind};
use pintle_session::store::announced::Announcements;
use pintle_session::store::blobs::Blobs;
use pintle_tools::Folders;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Additional directories, absolute. Cheap to clone.
pub type Additional = Arc<[PathBuf]>;

/// Where a session works, and where it keeps earlier file contents.
#[derive(Debug, Clone)]
pub(super) struct Workspace {
    pub(super) env: Arc<dyn Environment>,
    pub(super) folders: Folders,
    pub(super) additional: Additional,
    /// Variables that commands see besides.
    pub(super) variables: ExtraVariables,
    /// Stores file contents.
    pub(super) blobs: Blobs,
    /// Stores announcements of file changes.
    pub(super) announcements: Announcements,
    /// Where long outputs are kept.
    pub(super) artifacts: PathBuf,
}

impl Workspace {
    /// Returns the canonical paths of the directories that the session works in.
    pub(super) async fn roots(&self) -> Vec<PathBuf> {
        roots(self.env.as_ref(), &self.folders.cwd, &self.additional).await
    }
}

/// Rejects a directory that a session cannot work in; `what` identifies it in the message.
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
        Ok(_) => Err(wrong("is not a directory".to_owned())),
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

/// Returns the canonical paths of a session's directories, without those inside another.
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
