//! Login file: one for all providers, accessible only to its owner, replaced as a whole under a lock. Blocking.
//!
//! A file that others may open, a link, and a file with other content are refused, and never replaced.

use pintle_base::ambient::Secret;
use pintle_base::private_files::{SecretFile, SecretLock};
use pintle_protocol::auth::AuthMethod;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// File name, in the data directory.
pub const FILE_NAME: &str = "logins.toml";

/// The maximum size of the file.
const MAX_BYTES: u64 = 1024 * 1024;

/// The first lines of the file.
const HEADER: &str = "# Written by pintle: provider logins. Anyone who can read this file can use your accounts.\n# `pintle login` lists and changes them.\n\n";

/// A stored login.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stored {
    /// Method by which it was created.
    pub(super) method: AuthMethod,
    /// The key or access token.
    token: String,
    /// The token that renews it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refresh_token: Option<String>,
    /// Expiry time of the token, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) expires_at_ms: Option<u64>,
}

impl std::fmt::Debug for Stored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stored").field("method", &self.method).finish_non_exhaustive()
    }
}

impl Stored {
    pub(super) fn new(
        method: AuthMethod,
        token: &Secret,
        refresh_token: Option<&Secret>,
        expires_at_ms: Option<u64>,
    ) -> Self {
        Self {
            method,
            token: token.expose().to_owned(),
            refresh_token: refresh_token.map(|token| token.expose().to_owned()),
            expires_at_ms,
        }
    }

    pub(super) fn token(&self) -> Secret {
        Secret::new(self.token.clone())
    }

    pub(super) fn refresh_token(&self) -> Option<Secret> {
        self.refresh_token.clone().map(Secret::new)
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    #[serde(default)]
    logins: BTreeMap<String, Stored>,
}

/// The file.
#[derive(Debug, Clone)]
pub(super) struct LoginFile(SecretFile);

/// Permission to change the file, until it is dropped.
#[derive(Debug)]
pub(super) struct Locked {
    file: LoginFile,
    lock: SecretLock,
}

impl LoginFile {
    /// Returns the file in this directory, which need not exist.
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self(SecretFile::new(folder.join(FILE_NAME)))
    }

    /// Reads all logins, by provider.
    pub(super) fn read(&self) -> io::Result<BTreeMap<String, Stored>> {
        let Some(content) = self.0.read(MAX_BYTES)? else { return Ok(BTreeMap::new()) };
        let content = String::from_utf8(content).ok();
        // The parser's message may quote a line, which may contain a token.
        let content = content.and_then(|text| toml::from_str::<Content>(&text).ok());
        let wrong = || self.0.error(io::ErrorKind::InvalidData, "not a login file");
        Ok(content.ok_or_else(wrong)?.logins)
    }

    /// Waits until no other process changes the file.
    pub(super) fn lock(&self) -> io::Result<Locked> {
        Ok(Locked { file: self.clone(), lock: self.0.lock()? })
    }
}

impl Locked {
    pub(super) fn read(&self) -> io::Result<BTreeMap<String, Stored>> {
        self.file.read()
    }

    /// Stores or removes a provider's login. Returns true if there was one.
    pub(super) fn set(&self, provider: &str, login: Option<Stored>) -> io::Result<bool> {
        let mut logins = self.read()?;
        let before = match login {
            Some(login) => logins.insert(provider.to_owned(), login),
            None => logins.remove(provider),
        };
        let text = toml::to_string(&Content { logins }).map_err(io::Error::other)?;
        self.lock.replace(format!("{HEADER}{text}").as_bytes())?;
        Ok(before.is_some())
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make the files that they need")]
mod tests {
    use super::*;
    use pintle_testing::files;

    fn login(token: &str) -> Stored {
        Stored::new(AuthMethod::Key, &Secret::new(token), None, None)
    }

    #[test]
    fn logins_are_kept_for_their_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("data");
        let file = LoginFile::in_folder(&place);
        assert_eq!(file.read().unwrap(), BTreeMap::new());
        assert!(!file.lock().unwrap().set("a", Some(login("t-1"))).unwrap());
        assert!(!file.lock().unwrap().set("b", Some(login("t-\"2'\n"))).unwrap());
        assert!(file.lock().unwrap().set("a", Some(login("t-3"))).unwrap());
        let logins = file.read().unwrap();
        assert_eq!(logins["a"].token().expose(), "t-3");
        assert_eq!(logins["b"].token().expose(), "t-\"2'\n");
        assert!(!format!("{logins:?}").contains("t-3"));
        for entry in std::fs::read_dir(&place).unwrap() {
            let entry = entry.unwrap();
            assert_eq!(files::mode(entry.path()), 0o600, "{entry:?}");
        }
        assert!(file.lock().unwrap().set("a", None).unwrap());
        assert!(!file.lock().unwrap().set("a", None).unwrap());
        assert_eq!(file.read().unwrap().len(), 1);
    }

    #[test]
    fn a_file_that_others_may_open_and_one_that_is_something_else_is_refused_and_kept() {
        let text = "[logins.a]\nmethod = \"key\"\ntoken = \"tok-99\"\n";
        for (name, mode, text, want) in [
            ("readable", 0o640, text, "other users may open it; `chmod 600"),
            ("writable", 0o602, text, "other users may open it"),
            ("damaged", 0o600, "token = tok-99", "not a login file"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(FILE_NAME);
            std::fs::write(&path, text).unwrap();
            files::set_mode(&path, mode);
            let file = LoginFile::in_folder(folder.path());
            let error = file.read().unwrap_err().to_string();
            assert!(error.contains(want) && !error.contains("tok-99"), "{name}: {error}");
            assert!(file.lock().unwrap().set("b", Some(login("t"))).is_err(), "{name}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{name}");
        }
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = folder.path().join("elsewhere");
        std::fs::write(&elsewhere, text).unwrap();
        files::set_mode(&elsewhere, 0o600);
        files::symlink(&elsewhere, folder.path().join(FILE_NAME));
        let file = LoginFile::in_folder(folder.path());
        assert!(file.read().is_err() && file.lock().unwrap().set("b", Some(login("t"))).is_err());
    }
}
