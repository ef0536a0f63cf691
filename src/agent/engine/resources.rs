//! Files and kept contents for clients that show them, by the rules that hold for a model that reads.

use crate::agent::background::in_background;
use crate::agent::engine::EngineHandle;
use crate::agent::error::{Error, ErrorKind};
use crate::permissions::Decision;
use crate::store::blobs::Blobs;
use crate::tools::Access;
use pintle_protocol::approval::PermissionMode;
use pintle_protocol::ids::SessionId;
use std::path::Path;

/// The maximum size of a file that is handed to a client in one piece. Base64 of it stays well below a message's limit.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

impl EngineHandle {
    /// Reads a file for a client: one that a session in this folder may read without asking anybody; `None` for any other.
    ///
    /// # Errors
    /// The file is too large, or cannot be read.
    pub async fn read_resource(&self, cwd: &Path, path: &Path) -> Result<Option<Vec<u8>>, Error> {
        if !self.is_readable(cwd, path).await {
            return Ok(None);
        }
        let env = &self.services().env;
        let failed = |error: crate::exec::Error| Error::new(ErrorKind::NotFound, error.to_string());
        let stat = env.stat(path).await.map_err(failed)?;
        if stat.size > MAX_BYTES {
            let message = format!("`{}` is over the limit of {MAX_BYTES} bytes", path.display());
            return Err(Error::new(ErrorKind::Invalid, message));
        }
        env.read(path).await.map(Some).map_err(failed)
    }

    /// Lists a folder for a client as [`Self::read_resource`] reads: the names in it, and which of them are folders.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub async fn list_resource(
        &self,
        cwd: &Path,
        path: &Path,
    ) -> Result<Option<Vec<(String, bool)>>, Error> {
        if !self.is_readable(cwd, path).await {
            return Ok(None);
        }
        let listed = self.services().env.list(path).await;
        let entries = listed.map_err(|error| Error::new(ErrorKind::NotFound, error.to_string()))?;
        Ok(Some(entries.into_iter().map(|entry| (entry.name, entry.is_folder)).collect()))
    }

    /// Returns true for a path in this folder that the read tool may read unasked in a session there.
    async fn is_readable(&self, cwd: &Path, path: &Path) -> bool {
        let services = self.services();
        let (env, mode) = (services.env.as_ref(), PermissionMode::Ask);
        let (Ok(real), Ok(root)) = (env.canonicalize(path).await, env.canonicalize(cwd).await)
        else {
            return false;
        };
        if !real.starts_with(root) {
            return false;
        }
        let access = Access::Read(vec![path.to_owned()]);
        let explained = services.permissions.explain(env, cwd, mode, "read", &access).await;
        explained.verdict.decision == Decision::Allow
    }

    /// Reads what a file of a session was, from the contents that the session keeps.
    ///
    /// # Errors
    /// The session is not there, or has not kept this content.
    pub async fn kept_content(
        &self,
        session: &SessionId,
        sha256: String,
    ) -> Result<Vec<u8>, Error> {
        let (store, session) = (self.services().store.clone(), session.clone());
        in_background(move || Blobs::of(&store.folder(&session)?).get(&sha256)).await
    }
}
