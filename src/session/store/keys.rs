//! The keys with which clients created sessions: a request repeated by the same client after it lost the response, or sent to another
//! engine, finds the session that it created.
//!
//! Each key has a file in `DATA/keys`, named after the key's digest, with the session's id. A file whose session is gone has no effect.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use super::{Error, Store};
use pintle_base::private_files;
use pintle_protocol::ids::SessionId;
use ring::digest::{SHA256, digest};
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

/// The age after which a key is forgotten: no client repeats a request from last month.
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 3600);

/// The maximum size of a file: an id takes a fraction.
const MAX_BYTES: u64 = 1024;

impl Store {
    fn keys(&self) -> PathBuf {
        self.sessions.with_file_name("keys")
    }

    fn key_file(&self, key: &str) -> PathBuf {
        let mut name = String::new();
        for byte in digest(&SHA256, key.as_bytes()).as_ref() {
            let _ = write!(name, "{byte:02x}");
        }
        self.keys().join(name)
    }

    /// Finds the session that was made with a key, if there still is one.
    pub fn made_with(&self, key: &str) -> Option<SessionId> {
        let text = private_files::read(&self.key_file(key), MAX_BYTES).ok()?;
        let id = SessionId::new(String::from_utf8(text).ok()?);
        self.folder(&id).is_ok().then_some(id)
    }

    /// Keeps the key with which a session was made.
    ///
    /// # Errors
    /// The disk failed.
    pub fn keep_key(&self, key: &str, session: &SessionId) -> Result<(), Error> {
        let path = self.key_file(key);
        let write = || -> io::Result<()> {
            private_files::create_private_folder(&self.keys())?;
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(true);
            let mut file = private_files::open_private(&path, &mut options)?;
            file.write_all(session.as_str().as_bytes())
        };
        write().map_err(Error::io(&path))?;
        self.forget_old_keys();
        Ok(())
    }

    fn forget_old_keys(&self) {
        for entry in fs::read_dir(self.keys()).into_iter().flatten().flatten() {
            let age =
                entry.metadata().and_then(|facts| facts.modified()).map(|made| made.elapsed());
            if age.is_ok_and(|age| age.is_ok_and(|age| age > MAX_AGE)) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}
