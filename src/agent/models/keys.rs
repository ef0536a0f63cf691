//! Fetches keys: runs commands that print them, such as a password manager, and reads files and the system's keyring.
//!
//! All sources are defined in the user's settings files only, and are read on this machine, wherever tools run. `llm/credentials` decides
//! when.

use crate::config::{self, KEY_FILE, KEYRING};
use pintle_base::ambient::{Secret, Secrets};
use pintle_base::private_files;
use pintle_exec::{Command, End, Environment};
use pintle_llm::credentials::Printer;
use pintle_llm::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The maximum size of a key file.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// The timeout of such a command, long enough for the user to unlock something.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Fetches keys.
#[derive(Debug)]
pub struct KeyFetcher {
    env: Arc<dyn Environment>,
    secrets: Secrets,
    timeout: Duration,
}

impl KeyFetcher {
    /// Returns a fetcher that runs commands in this environment, and registers fetched keys as secrets.
    pub fn new(env: Arc<dyn Environment>, secrets: &Secrets) -> Self {
        Self { env, secrets: secrets.clone(), timeout: TIMEOUT }
    }
}

#[async_trait::async_trait]
impl Printer for KeyFetcher {
    async fn print(&self, source: &str) -> Result<Secret, Error> {
        let home = self.env.platform().home.clone();
        let key = if let Some(path) = source.strip_prefix(KEY_FILE) {
            let path = config::in_home(path, home.as_deref());
            blocking(move || of_file(&path)).await?
        } else if let Some(entry) = source.strip_prefix(KEYRING) {
            let entry = entry.to_owned();
            blocking(move || of_keyring(&entry)).await?
        } else {
            self.of_command(source).await?
        };
        self.secrets.add(&key);
        Ok(Secret::new(key))
    }
}

async fn blocking(
    fetch: impl FnOnce() -> Result<String, Error> + Send + 'static,
) -> Result<String, Error> {
    let fetched = tokio::task::spawn_blocking(fetch).await;
    fetched.unwrap_or_else(|error| Err(Error::new(ErrorKind::Auth, error.to_string())))
}

/// Returns the first non-empty line of a file that only its owner may read.
fn of_file(path: &Path) -> Result<String, Error> {
    let shown = path.display();
    let failed = |message: String| Error::new(ErrorKind::Auth, message);
    if private_files::is_readable_by_others(path) {
        return Err(failed(format!("the key file {shown} is readable by other users")).hint(
            format!(
                "run `chmod 600 {shown}`, and create a new key if another user may have read it"
            ),
        ));
    }
    let text = private_files::read_to_string(path, MAX_FILE_BYTES).map_err(|error| {
        Error::of_key(&error, format!("the key file {shown} cannot be read: {error}"))
    })?;
    let key = text.lines().map(str::trim).find(|line| !line.is_empty());
    Ok(key.ok_or_else(|| failed(format!("the key file {shown} is empty")))?.to_owned())
}

/// Returns the keyring's password for an entry, `SERVICE/USER`.
#[cfg(feature = "keyring")]
fn of_keyring(entry: &str) -> Result<String, Error> {
    let (service, user) = entry.split_once('/').unwrap_or((entry, ""));
    let found = keyring::Entry::new(service, user).and_then(|entry| entry.get_password());
    found.map_err(|error| {
        Error::new(ErrorKind::Auth, format!("no key for {entry} in the keyring: {error}")).hint(
            format!(
                "store it with `secret-tool store --label pintle service {service} username {user}`"
            ),
        )
    })
}

#[cfg(not(feature = "keyring"))]
fn of_keyring(entry: &str) -> Result<String, Error> {
    let (service, user) = entry.split_once('/').unwrap_or((entry, ""));
    let message = "this pintle was built without the feature `keyring`";
    Err(Error::new(ErrorKind::Auth, message).hint(format!(
        "build it with `cargo install --features keyring`, or use `key = \"!secret-tool lookup service {service} username {user}\"`"
    )))
}

impl KeyFetcher {
    /// Returns the first line that a command prints. It is never shown or logged, because it may be a key.
    async fn of_command(&self, line: &str) -> Result<String, Error> {
        let failed = |what: String| {
            Error::new(ErrorKind::Auth, format!("the key command {what}"))
                .hint(format!("run it yourself to see why: {line}"))
        };
        let home = self.env.platform().home.clone();
        let cwd = home.unwrap_or_else(|| PathBuf::from("/"));
        let command = Command {
            timeout: Some(self.timeout),
            // Stderr is not part of the key.
            ..Command::new(format!("{{ {line}\n}} 2>/dev/null"), cwd, "key")
        };
        let ran = self.env.exec(command, &CancellationToken::new(), &mut |_| {}).await;
        let ran = ran.map_err(|error| {
            let failed = Error::of_key(&error, format!("failed to run the key command: {error}"));
            let hint = failed
                .hint
                .clone()
                .unwrap_or_else(|| format!("run it yourself to see why: {line}"));
            failed.hint(hint)
        })?;
        match ran.end {
            End::Exited(0) => {}
            End::Exited(code) => return Err(failed(format!("failed with exit code {code}"))),
            End::TimedOut => {
                return Err(failed(format!("took longer than {:?}", self.timeout)));
            }
            End::Signalled(signal) => return Err(failed(format!("was killed by {signal}"))),
            End::Cancelled => return Err(failed("was stopped".to_owned())),
        }
        let key = ran.tail.lines().map(str::trim).find(|line| !line.is_empty());
        Ok(key.ok_or_else(|| failed("printed nothing".to_owned()))?.to_owned())
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make the files that they need")]
mod tests {
    use super::*;
    use pintle_base::ambient::Ambient;
    use pintle_exec::local::{Local, Options};

    #[tokio::test]
    async fn the_first_line_is_the_key_and_a_failure_is_told_without_it() {
        for (line, timeout_ms, want) in [
            ("echo k-1", 30_000, Ok("k-1")),
            ("echo; echo ' k-1 '; echo more", 30_000, Ok("k-1")),
            ("echo noise >&2; echo k-1", 30_000, Ok("k-1")),
            ("echo k-1 # a comment", 30_000, Ok("k-1")),
            ("true", 30_000, Err("the key command printed nothing")),
            ("echo k-1; exit 3", 30_000, Err("the key command failed with exit code 3")),
            ("echo k-1; sleep 60", 50, Err("the key command took longer than 50ms")),
        ] {
            let env: Arc<dyn Environment> =
                Arc::new(Local::new(&Ambient::system(), Options::default()));
            let timeout = Duration::from_millis(timeout_ms);
            let got = KeyFetcher { env, secrets: Secrets::default(), timeout }.print(line).await;
            let hint = got.as_ref().err().and_then(|error| error.hint.clone());
            assert!(hint.is_none_or(|hint| hint.ends_with(line)), "{line}");
            let got = got.map(|key| key.expose().to_owned()).map_err(|error| error.message);
            assert_eq!(got, want.map(str::to_owned).map_err(str::to_owned), "{line}");
        }
    }

    #[tokio::test]
    async fn a_key_file_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let env = Arc::new(Local::new(&Ambient::fixed(Vec::new()), Options::default()));
        let fetcher = KeyFetcher::new(env, &Secrets::default());
        for (name, text, mode, want) in [
            ("key", "\n k-1 \nmore\n", 0o600, Ok("k-1")),
            ("open", "k-1", 0o644, Err("is readable by other users")),
            ("group", "k-1", 0o640, Err("is readable by other users")),
            ("empty", "\n", 0o600, Err("is empty")),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            pintle_testing::files::set_mode(&path, mode);
            let got = fetcher.print(&format!("file:{}", path.display())).await;
            match want {
                Ok(key) => assert_eq!(got.unwrap().expose(), key),
                Err(words) => {
                    let error = got.unwrap_err();
                    assert!(error.message.contains(words), "{name}: {}", error.message);
                }
            }
        }
        let missing = format!("file:{}", folder.path().join("none").display());
        assert!(fetcher.print(&missing).await.unwrap_err().message.contains("cannot be read"));
    }

    #[tokio::test]
    async fn an_entry_that_no_keyring_has_is_told_with_a_way_out() {
        let env = Arc::new(Local::new(&Ambient::fixed(Vec::new()), Options::default()));
        let fetcher = KeyFetcher::new(env, &Secrets::default());
        let error = fetcher.print("keyring:pintle-no-such-service/nobody").await.unwrap_err();
        let want = if cfg!(feature = "keyring") { "in the keyring" } else { "built without" };
        assert!(error.message.contains(want), "{}", error.message);
        assert!(error.hint.unwrap().contains("secret-tool"));
    }
}
