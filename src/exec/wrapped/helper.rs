//! The helper at the other end, and the connections to it.
//!
//! A connection is one run of the prefix followed by `sh`. The shell receives one script over its stdin, with a function for each kind of
//! access, and then answers requests. Files are read and changed over one connection, and over a second one while the first is busy for
//! long. A command takes over a connection that is idle and returns it at its end, so that a session whose calls follow each other needs
//! only one, or two if the place cannot report which processes could still print on it. Invariants: a connection on which anything was cut
//! off is never used again; only an idempotent request is resent.

use super::{COMMON, FAMILY, Wrapped, quote, sort, text_of};
use crate::Error;
use crate::process::{Connection, Envelope, Launch, Lost};
use pintle_os::family::CONNECTION_PREFIX;
use std::path::{Path, PathBuf};
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

/// The number of connections that are kept after their commands.
const MAX_KEPT: usize = 2;

/// The number of paths about which the helper is asked at once.
pub(super) const MAX_ASKED: usize = 64;

/// The connections that are open.
#[derive(Debug, Default)]
pub(super) struct Connections {
    /// Those that were last used for files. Each lock is held during a file access.
    files: [Mutex<Option<Connection>>; 2],
    /// Those that were last used for commands.
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

impl Answer {
    /// Returns the output, or the error that explains why there is none.
    pub(super) fn output(self, path: &Path) -> Result<Vec<u8>, Error> {
        if self.is_cut {
            let (path, max) = (path.to_path_buf(), MAX_ANSWER_BYTES);
            return Err(Error::TooLarge { path, size: max + 1, max });
        }
        match self.code {
            Some(0) => Ok(self.stdout),
            code => Err(sort(path, code, &self.stderr)),
        }
    }
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

    /// Keeps a connection whose command has ended.
    pub(super) fn put_back(&self, connection: Connection) {
        let mut kept = self.commands.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MAX_KEPT {
            kept.push(connection);
        }
    }

    /// Takes a connection that was kept after its command.
    fn kept(&self) -> Option<Connection> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Takes a connection that no file access is using.
    fn idle_file(&self) -> Option<Connection> {
        self.files.iter().find_map(|slot| slot.try_lock().ok()?.take())
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
        let mark = self.file_mark();
        let mut request = self.request(&mark, function, arguments, input.len())?;
        request.extend_from_slice(input);
        // Twice done, a rename or a removal fails. A write is the same, or finds its own change and does nothing.
        let may_repeat = function != "change";
        let mut answers = self.exchange(&request, &[mark], may_repeat).await?;
        answers.pop().ok_or_else(|| Error::unreachable(&self.place(), ""))
    }

    /// Has a function of the helper do its work on each of these paths, which it does not change. One round trip serves many of them.
    pub(super) async fn ask_each(
        &self,
        function: &str,
        paths: &[PathBuf],
    ) -> Vec<Result<Vec<u8>, Error>> {
        let mut all = Vec::with_capacity(paths.len());
        for some in paths.chunks(MAX_ASKED) {
            let (mut marks, mut requests) = (Vec::new(), Vec::new());
            let mut asked = Vec::with_capacity(some.len());
            for path in some {
                let mark = self.file_mark();
                let request = text_of(path)
                    .and_then(|text| self.request(&mark, function, &[text], 0))
                    .map(|request| {
                        requests.extend(request);
                        marks.push(mark);
                    });
                asked.push(request);
            }
            let answers = if marks.is_empty() {
                Ok(Vec::new())
            } else {
                self.exchange(&requests, &marks, true).await
            };
            let mut answers = answers.map(Vec::into_iter);
            all.extend(some.iter().zip(asked).map(|(path, asked)| {
                asked?;
                let answers = answers.as_mut().map_err(|error| error.clone())?;
                answers.next().ok_or_else(|| Error::unreachable(path, ""))?.output(path)
            }));
        }
        all
    }

    fn file_mark(&self) -> String {
        format!("{}-file-{}", self.marks, self.ambient.new_id())
    }

    /// Sends requests with these marks, and returns their answers. Only requests that may be repeated are sent again over another connection.
    async fn exchange(
        &self,
        requests: &[u8],
        marks: &[String],
        may_repeat: bool,
    ) -> Result<Vec<Answer>, Error> {
        let mut slot = self.connections.file().await;
        let after_command = || self.sees_holders.then(|| self.connections.kept()).flatten();
        let mut kept = match slot.take().or_else(after_command) {
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
            let envelopes = marks.iter().map(|mark| Envelope::new(mark)).collect();
            match connection.exchange(requests, envelopes, MAX_ANSWER_BYTES).await {
                Ok(done) => {
                    *slot = done.connection;
                    let answer = |(envelope, stdout): (Envelope, Vec<u8>)| Answer {
                        code: envelope.code(),
                        stderr: envelope.complaint(),
                        is_cut: stdout.len() as u64 > MAX_ANSWER_BYTES,
                        stdout,
                    };
                    return Ok(done.answers.into_iter().map(answer).collect());
                }
                // The connection ended while it was idle.
                Err(Lost { has_begun: false, .. }) if was_kept && may_repeat => {}
                Err(lost) => return Err(Error::unreachable(&self.place(), &lost.said)),
            }
        }
    }

    /// Returns a connection for a command. One that was idle has just given a sign of life, so that no command has to be sent twice.
    pub(super) async fn for_command(&self) -> Result<Connection, Error> {
        let idle = || self.connections.kept().or_else(|| self.connections.idle_file());
        while let Some(connection) = idle() {
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
        let sign = connection.exchange(request.as_bytes(), vec![Envelope::new(&mark)], 0);
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
