//! Runs commands that print keys, such as one of a password manager.
//!
//! Such commands come from the user's own settings files only. They run on this machine, wherever tools run.
//! `llm/credentials` decides when they run.

use crate::ambient::{Secret, Secrets};
use crate::exec::{Command, End, Environment};
use crate::llm::credentials::Printer;
use crate::llm::{Error, ErrorKind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The timeout of such a command, long enough for a person to unlock something.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Runs commands that print keys.
#[derive(Debug)]
pub struct KeyCommands {
    env: Arc<dyn Environment>,
    secrets: Secrets,
    timeout: Duration,
}

impl KeyCommands {
    /// Runs them in this environment, and adds what they print to these secrets.
    pub fn new(env: Arc<dyn Environment>, secrets: &Secrets) -> Self {
        Self { env, secrets: secrets.clone(), timeout: TIMEOUT }
    }
}

#[async_trait::async_trait]
impl Printer for KeyCommands {
    /// The output is never shown or logged, because it may be a key.
    async fn print(&self, line: &str) -> Result<Secret, Error> {
        let failed = |what: String| {
            Error::new(ErrorKind::Auth, format!("the command for the key {what}"))
                .hint(format!("run it by hand and see: {line}"))
        };
        let home = self.env.platform().home.clone();
        let cwd = home.unwrap_or_else(|| PathBuf::from("/"));
        let command = Command {
            timeout: Some(self.timeout),
            // Stderr is not part of the key.
            ..Command::new(format!("{{ {line}\n}} 2>/dev/null"), cwd, "key")
        };
        let ran = self.env.exec(command, &CancellationToken::new(), &mut |_| {}).await;
        let ran = ran.map_err(|error| failed(format!("could not be run: {error}")))?;
        match ran.end {
            End::Exited(0) => {}
            End::Exited(code) => return Err(failed(format!("ended with exit code {code}"))),
            End::TimedOut => {
                return Err(failed(format!("took longer than {:?}", self.timeout)));
            }
            End::Signalled(signal) => return Err(failed(format!("was ended by {signal}"))),
            End::Cancelled => return Err(failed("was stopped".to_owned())),
        }
        let key = ran.tail.lines().map(str::trim).find(|line| !line.is_empty());
        let key = key.ok_or_else(|| failed("printed nothing".to_owned()))?;
        self.secrets.add(key);
        Ok(Secret::new(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ambient::Ambient;
    use crate::exec::local::{Local, Options};

    #[tokio::test]
    async fn the_first_line_is_the_key_and_a_failure_is_told_without_it() {
        for (line, timeout_ms, want) in [
            ("echo k-1", 30_000, Ok("k-1")),
            ("echo; echo ' k-1 '; echo more", 30_000, Ok("k-1")),
            ("echo noise >&2; echo k-1", 30_000, Ok("k-1")),
            ("echo k-1 # a comment", 30_000, Ok("k-1")),
            ("true", 30_000, Err("the command for the key printed nothing")),
            ("echo k-1; exit 3", 30_000, Err("the command for the key ended with exit code 3")),
            ("echo k-1; sleep 60", 50, Err("the command for the key took longer than 50ms")),
        ] {
            let env: Arc<dyn Environment> =
                Arc::new(Local::new(&Ambient::system(), Options::default()));
            let timeout = Duration::from_millis(timeout_ms);
            let got = KeyCommands { env, secrets: Secrets::default(), timeout }.print(line).await;
            let hint = got.as_ref().err().and_then(|error| error.hint.clone());
            assert!(hint.is_none_or(|hint| hint.ends_with(line)), "{line}");
            let got = got.map(|key| key.expose().to_owned()).map_err(|error| error.message);
            assert_eq!(got, want.map(str::to_owned).map_err(str::to_owned), "{line}");
        }
    }
}
