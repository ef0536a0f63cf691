//! Finds and discards the copies of isolated sessions.

use crate::background::in_background;
use crate::command::{NewFolder, OpenConfig};
use crate::engine::{Engine, EngineHandle};
use crate::error::{Error, ErrorKind};
use pintle_protocol::ids::SessionId;
use pintle_session::store::Isolated;
use std::path::PathBuf;
use std::sync::Arc;

impl EngineHandle {
    /// Removes an isolated session's copy, with all unapplied changes.
    ///
    /// # Errors
    /// The session does not exist, is not isolated or is open, another session works in its copy, or a file cannot be removed.
    pub async fn discard_isolation(&self, id: SessionId) -> Result<(), Error> {
        let store = self.services().store.clone();
        let found = in_background(move || Ok((store.isolation_users(&id)?, store, id)));
        let (users, store, id) = found.await?;
        let Some(users) = users else {
            let what = "the session works on the user's files: there is no copy to discard";
            return Err(Error::new(ErrorKind::Invalid, what));
        };
        if let Some(other) = users.first() {
            let what = format!("session {other} works in the same copy");
            return Err(Error::new(ErrorKind::Conflict, what).hint("delete that session first"));
        }
        in_background(move || store.discard_isolated(&id)).await
    }
}

impl Engine {
    /// Returns the copy that contains a working directory. From now on, it is trusted like the original.
    pub(super) async fn isolation_at(&self, cwd: &str) -> Result<Option<Arc<Isolated>>, Error> {
        let found = self.find_isolated(cwd).await?;
        if let Some(Isolated { root, original, .. }) = &found {
            self.services.permissions.answers.take_for(root.clone(), original.clone());
        }
        Ok(found.map(Arc::new))
    }

    async fn find_isolated(&self, cwd: &str) -> Result<Option<Isolated>, Error> {
        let (store, folder) = (self.services.store.clone(), PathBuf::from(cwd));
        if !store.may_be_isolated(&folder) {
            return Ok(None);
        }
        in_background(move || Ok(store.isolated_at(&folder))).await
    }

    /// Moves a session whose copy was discarded to the original directory, unless the configuration specifies another one. Returns true if
    /// the copy was discarded.
    pub(super) async fn leave_discarded(
        &self,
        cwd: &str,
        config: &mut OpenConfig,
    ) -> Result<bool, Error> {
        let found = self.find_isolated(cwd).await?;
        let Some(found) = found.filter(|found| !found.root.exists()) else { return Ok(false) };
        if !matches!(config.cwd, Some(NewFolder::Move(_))) {
            config.cwd = Some(NewFolder::Move(found.cwd.into()));
        }
        Ok(true)
    }
}
