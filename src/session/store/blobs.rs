//! File contents, stored in a session's directory under their hashes.
//!
//! Invariant: a blob whose content does not match its name is not read.
#![expect(clippy::disallowed_methods, reason = "the store is one of the places that touch files")]

use super::Error;
use pintle_base::private_files;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The maximum size of a content that is read back; what tools read and write is smaller.
const MAX_WHOLE_BYTES: u64 = 1024 * 1024 * 1024;

/// The blobs' directory name in a session's directory.
pub(super) const FOLDER: &str = "blobs";

/// The blobs of one session. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Blobs {
    folder: PathBuf,
}

impl Blobs {
    /// Returns the blobs for the session in this directory.
    pub fn new(session: &Path) -> Self {
        Self { folder: session.join(FOLDER) }
    }

    /// Stores a content; returns its hash.
    ///
    /// # Errors
    /// The disk failed.
    pub fn put(&self, content: &[u8]) -> io::Result<String> {
        let sha256 = hash(content);
        let path = self.folder.join(&sha256);
        if fs::metadata(&path).is_ok_and(|facts| facts.len() == content.len() as u64) {
            return Ok(sha256);
        }
        // Written under its final name: a partial file is too short, so it is written again or not read.
        let written = match private_files::write_private(&path, content) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                private_files::create_private_folder(&self.folder)?;
                private_files::write_private(&path, content)
            }
            written => written,
        };
        if written.is_err() {
            let _ = fs::remove_file(&path);
        }
        written.map(|()| sha256)
    }

    /// Returns the content with this hash.
    ///
    /// # Errors
    /// The content is not stored, or is damaged.
    pub fn get(&self, sha256: &str) -> Result<Vec<u8>, Error> {
        let is_name = sha256.len() == 64 && sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
        let path = self.folder.join(sha256);
        if !is_name {
            return Err(Error::NoOutput(sha256.to_owned()));
        }
        let content = private_files::read(&path, MAX_WHOLE_BYTES).map_err(Error::io(&path))?;
        if hash(&content) != sha256 {
            let damaged = io::Error::new(io::ErrorKind::InvalidData, "the content is damaged");
            return Err(Error::io(&path)(damaged));
        }
        Ok(content)
    }

    /// Returns true if there are any.
    pub fn is_used(&self) -> bool {
        self.folder.is_dir()
    }

    /// Removes blobs that are not named.
    pub fn keep_only(&self, named: &BTreeSet<String>) {
        let Ok(blobs) = fs::read_dir(&self.folder) else { return };
        for blob in blobs.flatten() {
            if blob.file_name().to_str().is_none_or(|name| !named.contains(name)) {
                let _ = fs::remove_file(blob.path());
            }
        }
    }
}

/// SHA-256 in hex.
pub fn hash(content: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, content);
    digest.as_ref().iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_is_kept_once_and_read_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::new(folder.path());
        let sha = blobs.put(b"hello").unwrap();
        assert_eq!(sha, "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
        assert_eq!(blobs.put(b"hello").unwrap(), sha);
        assert_eq!(blobs.get(&sha).unwrap(), b"hello");
        for (name, sha) in [("no name", "../journal.jsonl"), ("nobody's", &"0".repeat(64))] {
            assert!(blobs.get(sha).is_err(), "{name}");
        }
        let other = blobs.put(b"other").unwrap();
        blobs.keep_only(&BTreeSet::from([sha.clone()]));
        assert!(blobs.get(&other).is_err() && blobs.get(&sha).is_ok());
        fs::write(folder.path().join(FOLDER).join(&sha), "hullo").unwrap();
        assert!(blobs.get(&sha).unwrap_err().to_string().contains("damaged"));
    }
}
