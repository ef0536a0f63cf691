//! The helper at the other end, and the connections to it.
//!
//! A connection is one run of the prefix followed by `sh`. The shell receives one script over its stdin, with a function for each kind of
//! access, and then answers requests. Files are read and changed over one connection, and over a second one while the first is busy for
//! long; each running command has a separate one, which the next command reuses. Invariants: a connection on which anything was cut off is
//! never used again; only an idempotent request is resent.

use super::{COMMON, FAMILY, Wrapped, quote};
use crate::Error;
use crate::process::{Connection, Envelope, Launch, Lost};
use pintle_os::family::CONNECTION_PREFIX;
use std::path::PathBuf;
use std::sync::PoisonError;
use std::time::Duration;
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::{sleep, timeout};

/// The helper's functions, by the names in requests.
const FUNCTIONS: [(&str, &str); 16] = [
    ("about", include_str!("scripts/about.sh")),
    ("canonicalize", include_str!("scripts/canonicalize.sh")),
    ("change", include_str!("scripts/change.sh")),
    ("fetch", include_str!("scripts/fetch.sh")),
    ("filter", include_str!("scripts/filter.sh")),
    ("keep", include_str!("scripts/keep.sh")),
    ("lines", include_str!("scripts/lines.sh")),
    ("list", include_str!("scripts/list.sh")),
    ("read", include_str!("scripts/read.sh")),
    ("release", include_str!("scripts/release.sh")),
    ("run", include_str!("scripts/run.sh")),
    ("stat", include_str!("scripts/stat.sh")),
    ("sums", include_str!("scripts/sums.sh")),
    ("times", include_str!("scripts/times.sh")),
    ("tree", include_str!("scripts/tree.sh")),
    ("write", include_str!("scripts/write.sh")),
];

/// The maximum size of the answer to a file access.
pub(super) const MAX_ANSWER_BYTES: u64 = 256 * 1024 * 1024;

/// The time after which a notice reports that the connection is not there yet.
const NOTICE_AFTER: Duration = Duration::from_secs(1);

/// The time for which a busy connection is waited for before a second one is opened.
const PATIENCE: Duration = Duration::from_millis(500);

/// Routers forget connections that are idle. One that was idle for longer is asked for a sign of life before it gets a request.
const TRUSTED_IDLE: Duration = Duration::from_secs(30);

/// The time for that sign.
const SIGN_TIMEOUT: Duration = Duration::from_secs(10);

/// The number of connections that are kept for the next commands.
const MAX_KEPT: usize = 2;

/// The connections that are open.
#[derive(Debug, Default)]
pub(super) struct Connections {
    files: [Mutex<Option<Connection>>; 2],
    commands: std::sync::Mutex<Vec<Connection>>,
}

/// The answer to a file access.
pub(super) struct Answer {
    pub(super) code: Option<i32>,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
    /// The output exceeded the limit.
    pub(super) is_cut: bool,
}

impl Connections {
    /// Returns the first that is free. Waiting for the first a little keeps most sessions at one.
    async fn file(&self) -> MutexGuard<'_, Option<Connection>> {
        let [first, second] = &self.files;
        if let Ok(slot) = timeout(PATIENCE, first.lock()).await {
            return slot;
        }
        tokio::select! {
            slot = first.lock() => slot,
            slot = second.lock() => slot,
        }
    }

    /// Keeps a connection whose command has ended for the next command.
    pub(super) fn put_back(&self, connection: Connection) {
        let mut kept = self.commands.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MAX_KEPT {
            kept.push(connection);
        }
    }

    fn kept(&self) -> Option<Connection> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}

impl Wrapped {
    /// Starts the prefix.
    async fn open(&self) -> Result<Connection, Error> {
        let mark = format!("{}-connection-{}", self.marks, self.ambient.new_id());
        // No command's mark, since background processes outlive the connection.
        let launch = self.launch(format!("{CONNECTION_PREFIX}{mark}"));
        let script = script(&mark);
        let opening = Connection::open(&launch, script.as_bytes(), Envelope::new(&mark));
        let mut opening = std::pin::pin!(opening);
        let opened = tokio::select! {
            opened = &mut opening => opened,
            () = sleep(NOTICE_AFTER) => {
                tracing::warn!("waiting for the connection of `{}`", self.place().display());
                opening.await
            }
        };
        opened.map_err(|lost| Error::unreachable(&self.place(), &lost.said))
    }

    /// The prefix gets no key of a provider, but those of Amazon's cloud, with which it may reach the place.
    fn launch(&self, mark: String) -> Launch {
        let secrets = self.ambient.secrets();
        let is_passed = |(name, value): &&(String, String)| {
            name.starts_with("AWS_") || !secrets.hides(name, value)
        };
        Launch {
            argv: self.prefix.iter().cloned().chain(["sh".to_owned()]).collect(),
            cwd: None,
            variables: self.variables.iter().filter(is_passed).cloned().collect(),
            mark,
            temporary: self.temporary.clone(),
            supervisor: None,
            confinement: None,
            programs: crate::sandbox::Names::default(),
            writes: None,
        }
    }

    /// Returns the prefix as the user wrote it, for messages.
    pub(super) fn place(&self) -> PathBuf {
        PathBuf::from(self.prefix.join(" "))
    }

    /// Has a function of the helper do its work.
    pub(super) async fn ask(
        &self,
        function: &str,
        arguments: &[&str],
        input: &[u8],
    ) -> Result<Answer, Error> {
        let mark = format!("{}-file-{}", self.marks, self.ambient.new_id());
        let mut request = self.request(&mark, function, arguments, input.len())?;
        request.extend_from_slice(input);
        let mut slot = self.connections.file().await;
        // Twice done, a rename or a removal fails. A write is the same, or finds its own change and does nothing.
        let may_repeat = function != "change";
        let mut kept = match slot.take() {
            Some(connection) if !may_repeat || connection.idle() > TRUSTED_IDLE => {
                self.tried(connection).await
            }
            other => other.filter(Connection::is_open),
        };
        loop {
            let was_kept = kept.is_some();
            let connection = match kept.take() {
                Some(connection) => connection,
                None => self.open().await?,
            };
            let envelope = Envelope::new(&mark);
            match connection.exchange(&request, envelope, MAX_ANSWER_BYTES).await {
                Ok(done) => {
                    let is_cut = done.output.len() as u64 > MAX_ANSWER_BYTES;
                    *slot = done.connection;
                    return Ok(Answer {
                        code: done.envelope.code(),
                        stderr: done.envelope.complaint(),
                        stdout: done.output,
                        is_cut,
                    });
                }
                // The connection ended while it was idle.
                Err(Lost { has_begun: false, .. }) if was_kept && may_repeat => {}
                Err(lost) => return Err(Error::unreachable(&self.place(), &lost.said)),
            }
        }
    }

    /// Returns a connection for a command. One that was kept has just given a sign of life, so that no command has to be sent twice.
    pub(super) async fn for_command(&self) -> Result<Connection, Error> {
        while let Some(connection) = self.connections.kept() {
            if let Some(connection) = self.tried(connection).await {
                return Ok(connection);
            }
        }
        self.open().await
    }

    /// Returns the connection, if it gives a sign of life.
    async fn tried(&self, connection: Connection) -> Option<Connection> {
        let mark = format!("{}-sign-{}", self.marks, self.ambient.new_id());
        let request = format!("{mark} 0 :\n");
        let sign = connection.exchange(request.as_bytes(), Envelope::new(&mark), 0);
        let sign = timeout(SIGN_TIMEOUT, sign).await;
        sign.ok()?.ok()?.connection
    }

    /// Returns a request for a function of the helper, without its input.
    pub(super) fn request(
        &self,
        mark: &str,
        function: &str,
        arguments: &[&str],
        input_bytes: usize,
    ) -> Result<Vec<u8>, Error> {
        let mut request = format!("{mark} {input_bytes} do_{function}");
        for argument in arguments {
            if argument.contains('\0') {
                let message = "text with a NUL character cannot be sent".to_owned();
                return Err(Error::Io { path: self.place(), message });
            }
            request.push(' ');
            request.push_str(&quote(argument).replace('\n', "'\"$_nl\"'"));
        }
        request.push('\n');
        Ok(request.into_bytes())
    }
}

/// Returns the first input of the shell at the other end, which prints a line with this mark when it is ready.
fn script(mark: &str) -> String {
    let mut script = String::new();
    let mut add = |text: &str| {
        let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        lines.for_each(|line| {
            script.push_str(line);
            script.push('\n');
        });
    };
    for shared in [COMMON, FAMILY, include_str!("scripts/holders.sh")] {
        add(shared);
    }
    for (name, body) in FUNCTIONS {
        add(&format!("do_{name}() {{"));
        add(body);
        add("}");
    }
    add(include_str!("scripts/serve.sh"));
    // One line, so that the shell has read all of the script before it reads the first request.
    add(&format!("serve '{mark}'; exit"));
    script
}
