//! Files and kept contents for clients to display, under the same rules as for a reading model.

use crate::background::in_background;
use crate::engine::EngineHandle;
use crate::error::{Error, ErrorKind};
use pintle_exec::{Before, Decide, Environment, FileKind, Rewrite, Stat};
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::ids::SessionId;
use pintle_session::store::blobs::Blobs;
use pintle_tools::Access;
use pintle_tools::permissions::Decision;
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

/// The maximum size of a file that is handed to a client in one piece. Base64 of it stays well below a message's limit.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Computes a file's new content from its present one, `None` if the file does not exist. An error is a message for the client.
pub type DecideContent = Box<dyn FnOnce(Option<Vec<u8>>) -> Result<Vec<u8>, String> + Send>;

/// Metadata of a file or directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceStat {
    /// The canonical path.
    pub path: PathBuf,
    /// True if this is a directory.
    pub is_folder: bool,
    /// Its size in bytes.
    pub size: u64,
    /// The modification time, in milliseconds since 1970.
    pub modified_ms: u64,
}

/// A file change requested by a client.
pub enum ResourceChange {
    /// Write a file.
    Write {
        /// The file.
        path: PathBuf,
        /// Its new content.
        decide: DecideContent,
    },
    /// Create a directory, with its parents.
    Folder {
        /// The directory.
        path: PathBuf,
    },
    /// Remove a file, a link or an empty directory.
    Remove {
        /// Its path.
        path: PathBuf,
    },
    /// Give a file another path.
    Move {
        /// The file.
        from: PathBuf,
        /// The new path.
        to: PathBuf,
        /// True if the target must not exist.
        is_new: bool,
    },
    /// Copy a file.
    Copy {
        /// The file.
        from: PathBuf,
        /// The copy's path.
        to: PathBuf,
        /// True if the target must not exist.
        is_new: bool,
    },
}

impl std::fmt::Debug for ResourceChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, path) = match self {
            Self::Write { path, .. } => ("Write", path),
            Self::Folder { path } => ("Folder", path),
            Self::Remove { path } => ("Remove", path),
            Self::Move { to, .. } => ("Move", to),
            Self::Copy { to, .. } => ("Copy", to),
        };
        f.debug_tuple(name).field(path).finish()
    }
}

/// A change's paths.
struct Ends {
    from: PathBuf,
    to: PathBuf,
    /// True if the source stays unchanged.
    reads_source: bool,
    /// True if a link itself is removed or moved; writes follow the link.
    is_link_itself: bool,
}

impl ResourceChange {
    fn ends(&self) -> Ends {
        let (from, to) = match self {
            Self::Write { path, .. } | Self::Folder { path } | Self::Remove { path } => {
                (path, path)
            }
            Self::Move { from, to, .. } | Self::Copy { from, to, .. } => (from, to),
        };
        Ends {
            from: from.clone(),
            to: to.clone(),
            reads_source: matches!(self, Self::Copy { .. }),
            is_link_itself: matches!(self, Self::Remove { .. } | Self::Move { .. }),
        }
    }
}

async fn is_folder(env: &dyn Environment, path: &Path) -> bool {
    env.stat(path).await.is_ok_and(|stat| stat.kind == FileKind::Folder)
}

fn exists(path: &Path) -> Error {
    Error::new(ErrorKind::Conflict, format!("`{}` already exists", path.display()))
}

fn not_found(error: &pintle_exec::Error) -> Error {
    Error::new(ErrorKind::NotFound, error.to_string())
}

impl EngineHandle {
    /// Reads a file for a client, if a session in this directory may read it without approval; `None` otherwise.
    ///
    /// # Errors
    /// The file is too large, or cannot be read.
    pub async fn read_resource(&self, cwd: &Path, path: &Path) -> Result<Option<Vec<u8>>, Error> {
        if !self.is_readable(cwd, path).await {
            return Ok(None);
        }
        let env = &self.services().env;
        let stat = env.stat(path).await.map_err(|error| not_found(&error))?;
        if stat.size > MAX_BYTES {
            let message = format!("`{}` exceeds the limit of {MAX_BYTES} bytes", path.display());
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        env.read(path).await.map(Some).map_err(|error| not_found(&error))
    }

    /// Lists a directory for a client, under the same conditions as [`Self::read_resource`]: the names in it, and which of them are
    /// directories.
    ///
    /// # Errors
    /// The directory cannot be listed.
    pub async fn list_resource(
        &self,
        cwd: &Path,
        path: &Path,
    ) -> Result<Option<Vec<(String, bool)>>, Error> {
        if !self.is_readable(cwd, path).await {
            return Ok(None);
        }
        let listed = self.services().env.list(path).await;
        let entries = listed.map_err(|error| not_found(&error))?;
        Ok(Some(entries.into_iter().map(|entry| (entry.name, entry.is_folder)).collect()))
    }

    /// Returns a path's metadata and its canonical path, under the same conditions as [`Self::read_resource`].
    ///
    /// # Errors
    /// The path does not exist.
    pub async fn stat_resource(
        &self,
        cwd: &Path,
        path: &Path,
    ) -> Result<Option<ResourceStat>, Error> {
        if !self.is_readable(cwd, path).await {
            return Ok(None);
        }
        let env = &self.services().env;
        let real = env.canonicalize(path).await.map_err(|error| not_found(&error))?;
        let Stat { kind, size, modified_ms, .. } =
            env.stat(&real).await.map_err(|error| not_found(&error))?;
        let is_folder = kind == FileKind::Folder;
        Ok(Some(ResourceStat { path: real, is_folder, size, modified_ms }))
    }

    /// Changes files for a client that acts for the user: only in one of these directories, and nothing that the engine protects there.
    /// Returns false if the change is not permitted.
    ///
    /// # Errors
    /// The change failed; then nothing was modified.
    pub async fn change_resource(
        &self,
        folders: &[PathBuf],
        change: ResourceChange,
    ) -> Result<bool, Error> {
        let env = &self.services().env;
        let failed = |error: pintle_exec::Error| {
            let kind = match &error {
                pintle_exec::Error::NotFound(_) => ErrorKind::NotFound,
                pintle_exec::Error::Refused(_) => ErrorKind::Conflict,
                _ => ErrorKind::Invalid,
            };
            Error::new(kind, error.to_string())
        };
        let Some((from, to)) = self.places(folders, change.ends()).await else {
            return Ok(false);
        };
        match change {
            ResourceChange::Write { decide, .. } => {
                let rewrite: Decide = Box::new(move |before: Option<Before>| {
                    let content = decide(before.map(|before| before.content))?;
                    Ok(Rewrite { content: content.into(), change: None })
                });
                env.update(&to, rewrite, &CancellationToken::new()).await.map_err(failed)?;
            }
            ResourceChange::Folder { .. } => env.create_folder(&to).await.map_err(failed)?,
            ResourceChange::Remove { .. } => env.remove(&to).await.map_err(failed)?,
            ResourceChange::Move { is_new, .. } | ResourceChange::Copy { is_new, .. }
                if is_new && env.stat(&to).await.is_ok() =>
            {
                return Err(exists(&to));
            }
            ResourceChange::Move { .. } if is_folder(env.as_ref(), &from).await => {
                let message =
                    format!("`{}` is a directory: move its files instead", from.display());
                return Err(Error::new(ErrorKind::Invalid, message));
            }
            ResourceChange::Move { .. } => env.rename(&from, &to).await.map_err(failed)?,
            ResourceChange::Copy { is_new, .. } => {
                let content = env.read(&from).await.map_err(failed)?;
                let rewrite: Decide = Box::new(move |before: Option<Before>| match before {
                    Some(_) if is_new => Err("the file already exists".to_owned()),
                    _ => Ok(Rewrite { content: content.into(), change: None }),
                });
                env.update(&to, rewrite, &CancellationToken::new()).await.map_err(failed)?;
            }
        }
        Ok(true)
    }

    /// Returns a change's canonical paths, the source and the target; `None` if the change is not permitted.
    async fn places(
        &self,
        folders: &[PathBuf],
        Ends { from, to, reads_source, is_link_itself }: Ends,
    ) -> Option<(PathBuf, PathBuf)> {
        let source = if reads_source {
            self.readable(folders, &from).await?
        } else {
            self.writable(folders, &from, is_link_itself).await?
        };
        Some((source, self.writable(folders, &to, is_link_itself).await?))
    }

    async fn readable(&self, folders: &[PathBuf], path: &Path) -> Option<PathBuf> {
        for cwd in folders {
            if self.is_readable(cwd, path).await {
                return self.services().env.canonicalize(path).await.ok();
            }
        }
        None
    }

    /// Returns the canonical path if the write tool may change it without approval in a mode that does not ask about edits.
    async fn writable(
        &self,
        folders: &[PathBuf],
        path: &Path,
        is_link_itself: bool,
    ) -> Option<PathBuf> {
        let env = self.services().env.as_ref();
        let real = if is_link_itself {
            let parent = env.canonicalize(path.parent()?).await.ok()?;
            parent.join(path.file_name()?)
        } else {
            env.canonicalize(path).await.ok()?
        };
        // A directory is judged by the files that it may contain.
        let written = if is_folder(env, &real).await { real.join("entry") } else { real.clone() };
        for cwd in folders {
            let root = env.canonicalize(cwd).await.ok()?;
            let access = Access::Write(vec![written.clone()]);
            if real != root && self.is_allowed(cwd, &written, "write", &access).await {
                return Some(real);
            }
        }
        None
    }

    /// Returns true for a path in this directory that a session there may read without approval.
    async fn is_readable(&self, cwd: &Path, path: &Path) -> bool {
        let Ok(real) = self.services().env.canonicalize(path).await else { return false };
        self.is_allowed(cwd, &real, "read", &Access::Read(vec![path.to_owned()])).await
    }

    /// Returns true for a canonical path in this directory if the tool's access needs no approval.
    async fn is_allowed(&self, cwd: &Path, real: &Path, tool: &str, access: &Access) -> bool {
        let services = self.services();
        let env = services.env.as_ref();
        let Ok(root) = env.canonicalize(cwd).await else { return false };
        if !real.starts_with(root) {
            return false;
        }
        let mode = if access.only_reads() { PermissionMode::Ask } else { PermissionMode::AutoEdit };
        let explained = services.permissions.explain(env, cwd, mode, tool, access).await;
        explained.verdict.decision == Decision::Allow
    }

    /// Reads an earlier version of a file from the contents kept by a session.
    ///
    /// # Errors
    /// The session does not exist, or has not kept this content.
    pub async fn kept_content(
        &self,
        session: &SessionId,
        sha256: String,
    ) -> Result<Vec<u8>, Error> {
        let (store, session) = (self.services().store.clone(), session.clone());
        in_background(move || Blobs::new(&store.folder(&session)?).get(&sha256)).await
    }
}
