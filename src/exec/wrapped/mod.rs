//! An environment behind a command prefix: a container, another machine, anything that can run `sh`.
//!
//! The prefix is started with `sh`, which becomes a helper that answers requests over stdin and stdout (`helper`), so ssh connects once for
//! file accesses and commands that follow each other. The place needs a POSIX shell and `find`, `grep`, `awk`, `sed`, `head -c`,
//! `readlink -f`, `xargs -0`, as busybox, Debian and BSD have them. Not for deciding what may be done there. Invariant: a file is replaced
//! at once or not at all, also when the connection breaks.
//!
//! Why a command prefix and no program to install: ssh, docker and their kin all run a program with stdin and stdout. Each access is a
//! POSIX script of a few lines (`scripts`), content goes over stdin, and matching is done here by the code that serves this machine.
//! Since `sh` is the only argument, it makes no difference if the prefix joins its arguments, as ssh does.
//!
//! A command elsewhere is stopped by closing its connection. The script there watches it: a timeout, a dropped future, a killed engine and a
//! broken connection all look the same to it, and end the command with everything it started.

mod cksum;
mod helper;
mod lines;
mod listing;
mod search;

use crate::process::{self, Drains, Order, Shell};
use crate::shell;
use crate::variables::Policy;
use crate::{
    Before, Command, Decide, End, Environment, Error, Find, FoundPaths, Grep, Grepped, Lines,
    ListEntry, MAX_WHOLE_BYTES, Platform, Ran, Rewrite, Stat, Updated, Version, Window, files,
    local,
};
use helper::Connections;
use pintle_base::ambient::Ambient;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use tokio_util::sync::CancellationToken;

/// The functions that most scripts share.
const COMMON: &str = include_str!("scripts/common.sh");
/// Finds a command's processes.
const FAMILY: &str = include_str!("scripts/family.sh");

/// The maximum length of a path and of its components on common systems.
const MAX_PATH_BYTES: usize = 4095;
const MAX_NAME_BYTES: usize = 255;

/// An environment behind a command prefix.
#[derive(Debug)]
pub struct Wrapped {
    ambient: Ambient,
    prefix: Vec<String>,
    platform: Platform,
    options: local::Options,
    /// The engine's variables, for the prefix itself.
    variables: Vec<(String, String)>,
    /// The local directory for long outputs.
    temporary: PathBuf,
    marks: String,
    connections: Connections,
    /// The place reports every process that can print on a connection, so that one that ran a command is safe for files.
    sees_holders: bool,
    /// Serializes file changes, so that two changes to the same file never mix.
    changes: tokio::sync::Mutex<()>,
    has_run: AtomicBool,
    /// The output of background processes left by commands.
    drains: Drains,
}

impl Wrapped {
    /// Connects to the environment behind a prefix, such as `["ssh", "host"]` or `["docker", "exec", "-i", "box"]`.
    ///
    /// # Errors
    /// The prefix is empty, cannot be started, or runs no `sh`.
    pub async fn connect(
        ambient: &Ambient,
        prefix: Vec<String>,
        options: local::Options,
    ) -> Result<Self, Error> {
        let variables =
            ambient.vars().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let mut wrapped = Self {
            ambient: ambient.clone(),
            prefix,
            platform: Platform {
                os: String::new(),
                shell: PathBuf::new(),
                shell_reason: None,
                home: None,
                search_path: Vec::new(),
            },
            options,
            variables,
            temporary: ambient.temporary(),
            marks: Shell::new_marks(),
            connections: Connections::default(),
            sees_holders: false,
            changes: tokio::sync::Mutex::default(),
            has_run: AtomicBool::new(false),
            drains: Drains::default(),
        };
        wrapped.look_around().await?;
        Ok(wrapped)
    }

    async fn look_around(&mut self) -> Result<(), Error> {
        let answer = self.ask("about", &[], &[]).await?;
        let said = String::from_utf8_lossy(&answer.stdout).into_owned();
        let mut lines = said.lines();
        let mut line = || lines.next().unwrap_or_default();
        let (os, home, shell) = (line(), line(), line());
        let (_temporary, path, holders) = (line(), line(), line());
        if answer.code != Some(0) || shell.is_empty() {
            return Err(Error::unreachable(&self.place(), &answer.stderr));
        }
        self.sees_holders = holders == "proc";
        self.platform = Platform {
            os: os.to_lowercase(),
            shell: self.options.shell.clone().unwrap_or_else(|| PathBuf::from(shell)),
            shell_reason: None,
            home: (!home.is_empty()).then(|| PathBuf::from(home)),
            search_path: if path.is_empty() {
                Vec::new()
            } else {
                path.split(':').map(PathBuf::from).collect()
            },
        };
        Ok(())
    }

    /// Returns the line that takes providers' keys out of a command's variables, should the place have them under the same names.
    fn unset_keys(&self) -> Option<String> {
        let names = self.ambient.secrets().names();
        let is_name =
            |name: &&String| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let names: Vec<&str> = names.iter().filter(is_name).map(String::as_str).collect();
        (!names.is_empty()).then(|| format!("unset {}", names.join(" ")))
    }

    /// Has a function work on a path, which is its first argument, and sorts its failure.
    async fn on_path(
        &self,
        path: &Path,
        function: &str,
        arguments: &[&str],
        input: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let text = text_of(path)?;
        let arguments: Vec<&str> = [text].into_iter().chain(arguments.iter().copied()).collect();
        self.run(path, function, &arguments, input).await
    }

    /// Has a function of the helper do its work and sorts its failure.
    async fn run(
        &self,
        path: &Path,
        function: &str,
        arguments: &[&str],
        input: &[u8],
    ) -> Result<Vec<u8>, Error> {
        self.ask(function, arguments, input).await?.output(path)
    }

    /// Puts a command that is too long for an argument into a temporary file of the place. Returns the command that reads and removes the
    /// file, and then does the same.
    async fn line_in_file(&self, cwd: &Path, line: &str) -> Result<String, Error> {
        let file = self.run(cwd, "keep", &[], line.as_bytes()).await?;
        let file = quote(&String::from_utf8_lossy(&file));
        Ok(format!("set -- \"$(cat {file})\"; rm -f {file}; eval \"set --; $1\""))
    }

    /// Writes a file whose current state must match `expected`: see `scripts/write.sh`.
    async fn put(&self, path: &Path, content: &[u8], expected: &str) -> Result<(), Error> {
        let (size, id) = (content.len().to_string(), self.ambient.new_id());
        let arguments = [size.as_str(), expected, id.as_str()];
        match self.on_path(path, "write", &arguments, content).await {
            // Dots after the existing part: only this side can resolve them.
            Err(Error::Io { message, .. }) if message == DOTS => {
                let real = self.canonicalize(path).await?;
                self.on_path(&real, "write", &arguments, content).await.map(drop)
            }
            done => done.map(drop),
        }
    }
}

/// The output of `write.sh` when a path has dots after its existing part.
const DOTS: &str = "exit code 49";

/// Returns a path as an argument of a script.
fn text_of(path: &Path) -> Result<&str, Error> {
    let is_long = path.as_os_str().len() > MAX_PATH_BYTES
        || path.components().any(|part| part.as_os_str().len() > MAX_NAME_BYTES);
    if is_long {
        return Err(Error::PathTooLong(path.to_path_buf()));
    }
    match path.to_str() {
        Some(text) if !text.contains('\0') => Ok(text),
        Some(_) | None => {
            let message = "a path that is not UTF-8, or has a NUL, cannot be used here".to_owned();
            Err(Error::Io { path: path.to_path_buf(), message })
        }
    }
}

/// Returns a word that a shell reads as it is.
fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Classifies a script failure, by its exit code and its programs' messages.
fn sort(path: &Path, code: Option<i32>, stderr: &str) -> Error {
    let own = || path.to_path_buf();
    let said = |text: &str| stderr.contains(text);
    match code {
        Some(41) => Error::Denied(own()),
        Some(42) => Error::IsFolder(own()),
        Some(43) => Error::NotFolder(own()),
        Some(45) => {
            let size = stderr.lines().last().and_then(|size| size.trim().parse().ok());
            Error::TooLarge { path: own(), size: size.unwrap_or_default(), max: MAX_WHOLE_BYTES }
        }
        Some(46) => Error::Changed(own()),
        Some(47) => Error::NotFile(own()),
        _ if said("Permission denied") => Error::Denied(own()),
        _ if said("Not a directory") => Error::NotFolder(own()),
        _ if said("Is a directory") => Error::IsFolder(own()),
        _ if said("name too long") || said("Filename too long") => Error::PathTooLong(own()),
        _ if said("No such file or directory") => Error::NotFound(own()),
        Some(40) => Error::NotFound(own()),
        // Messages of ssh, docker and shells about themselves.
        Some(125..=127 | 255) | None => Error::unreachable(path, stderr),
        Some(code) if stderr.is_empty() => {
            Error::Io { path: own(), message: format!("exit code {code}") }
        }
        Some(_) => Error::Io { path: own(), message: stderr.to_owned() },
    }
}

fn parse_stat(path: &Path, answer: &[u8]) -> Result<Stat, Error> {
    lines::stat(answer).ok_or_else(|| Error::unreachable(path, "invalid file metadata"))
}

/// Parses the output of `canonicalize.sh`.
fn canonical(answer: &[u8]) -> PathBuf {
    let text = String::from_utf8_lossy(answer);
    let (base, rest) = text.split_once('\0').unwrap_or((&text, ""));
    files::without_dots(&Path::new(base).join(rest.trim_start_matches('/')))
}

#[async_trait::async_trait]
impl Environment for Wrapped {
    fn platform(&self) -> &Platform {
        &self.platform
    }

    fn is_this_machine(&self) -> bool {
        false
    }

    async fn stat(&self, path: &Path) -> Result<Stat, Error> {
        let answer = self.on_path(path, "stat", &[], &[]).await?;
        parse_stat(path, &answer)
    }

    async fn stat_all(&self, paths: &[PathBuf]) -> Vec<Result<Stat, Error>> {
        let answers = paths.iter().zip(self.ask_each("stat", paths).await);
        answers.map(|(path, answer)| parse_stat(path, &answer?)).collect()
    }

    async fn canonicalize(&self, path: &Path) -> Result<PathBuf, Error> {
        Ok(canonical(&self.on_path(path, "canonicalize", &[], &[]).await?))
    }

    async fn canonicalize_all(&self, paths: &[PathBuf]) -> Vec<Result<PathBuf, Error>> {
        let answers = self.ask_each("canonicalize", paths).await;
        answers.into_iter().map(|answer| Ok(canonical(&answer?))).collect()
    }

    async fn read(&self, path: &Path) -> Result<Vec<u8>, Error> {
        let max = MAX_WHOLE_BYTES.to_string();
        self.on_path(path, "read", &[&max], &[]).await
    }

    async fn read_lines(&self, path: &Path, window: Window) -> Result<Lines, Error> {
        let arguments = lines::arguments(window);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let answer = self.on_path(path, "lines", &arguments, &[]).await?;
        let changed =
            || Error::unreachable(path, "the file changed while it was read; read it again");
        lines::parse(path, &answer, window).ok_or_else(changed)
    }

    async fn versions(&self, paths: &[PathBuf]) -> Vec<Result<Version, Error>> {
        if paths.is_empty() {
            return Vec::new();
        }
        let list = paths.iter().try_fold(Vec::new(), |mut list, path| {
            list.extend_from_slice(text_of(path)?.as_bytes());
            list.push(0);
            Ok(list)
        });
        let ask = async |list: Vec<u8>| {
            self.run(Path::new("/"), "sums", &[&lines::max_summed()], &list).await
        };
        let answer = match list {
            Ok(list) => ask(list).await,
            Err(error) => Err(error),
        };
        match answer {
            Ok(answer) => lines::versions(paths, &answer),
            Err(error) => paths.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    async fn list(&self, path: &Path) -> Result<Vec<ListEntry>, Error> {
        let answer = self.on_path(path, "list", &[], &[]).await?;
        let names = answer.split(|&byte| byte == 0).filter_map(|entry| {
            let (kind, name) = entry.split_first()?;
            let name = String::from_utf8_lossy(name).into_owned();
            Some(ListEntry { name, is_folder: *kind == b'd' })
        });
        Ok(names.collect())
    }

    async fn write(&self, path: &Path, content: Vec<u8>) -> Result<(), Error> {
        let _held = self.changes.lock().await;
        self.put(path, &content, "-").await
    }

    async fn update(
        &self,
        path: &Path,
        decide: Decide,
        cancel: &CancellationToken,
    ) -> Result<Updated, Error> {
        let is_cancelled = || if cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) };
        let _held = self.changes.lock().await;
        is_cancelled()?;
        let before = match self.read(path).await {
            Ok(before) => Some(before),
            Err(Error::NotFound(_)) => None,
            Err(error) => return Err(error),
        };
        let expected = before.as_deref().map_or_else(|| "none".to_owned(), cksum::output);
        let before =
            before.map(|content| Before { version: lines::version(path, &content), content });
        let seen = before.as_ref().map(|before| before.version.clone());
        let decided = tokio::task::spawn_blocking(move || decide(before)).await;
        let decided = decided.map_err(|_| Error::Cancelled)?;
        let Rewrite { content, change } = decided.map_err(Error::Refused)?;
        is_cancelled()?;
        let content = content.into_bytes();
        self.put(path, &content, &expected).await?;
        Ok(Updated { change, before: seen, after: lines::version(path, &content) })
    }

    async fn create_folder(&self, path: &Path) -> Result<(), Error> {
        let arguments = ["create", text_of(path)?];
        self.run(path, "change", &arguments, &[]).await.map(drop)
    }

    async fn remove(&self, path: &Path) -> Result<(), Error> {
        let arguments = ["remove", text_of(path)?];
        self.run(path, "change", &arguments, &[]).await.map(drop)
    }

    async fn rename(&self, from: &Path, to: &Path) -> Result<(), Error> {
        let arguments = ["rename", text_of(from)?, text_of(to)?];
        self.run(from, "change", &arguments, &[]).await.map(drop)
    }

    async fn find(&self, find: Find, cancel: &CancellationToken) -> Result<FoundPaths, Error> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Error::Cancelled),
            found = self.find_paths(&find) => found,
        }
    }

    async fn grep(&self, grep: Grep, cancel: &CancellationToken) -> Result<Grepped, Error> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Error::Cancelled),
            found = self.grep_lines(&grep) => found,
        }
    }

    async fn exec(
        &self,
        command: Command,
        cancel: &CancellationToken,
        output: &mut (dyn for<'a> FnMut(&'a str) + Send),
    ) -> Result<Ran, Error> {
        if command.confinement.is_some() {
            let place = self.place();
            let reason = format!("commands run behind `{}`, without a sandbox", place.display());
            return Err(Error::NotConfined(reason));
        }
        if command.terminal.is_some() {
            return Err(Error::NoTerminal(self.place().display().to_string()));
        }
        self.has_run.store(true, Ordering::Relaxed);
        let mark = format!("{}-{}-{}", self.marks, command.owner, self.ambient.new_id());
        let prefix = self.options.command_prefix.iter().map(String::as_str);
        let given = command.variables.iter();
        let given = given.map(|(name, value)| format!("export {name}={}", quote(value)));
        let given: Vec<String> = given.collect();
        let given = given.iter().map(String::as_str);
        let unset = self.unset_keys();
        let given = unset.iter().map(String::as_str).chain(given);
        let line =
            given.chain(prefix).chain([command.line.as_str()]).collect::<Vec<_>>().join("\n");
        let line = if line.len() > shell::MAX_ARGUMENT_BYTES {
            self.line_in_file(&command.cwd, &line).await?
        } else {
            line
        };
        let policy = match self.options.variables {
            Policy::Filtered => "filtered",
            Policy::All => "all",
            Policy::Core => "core",
            Policy::Nothing => "none",
        };
        let (cwd, shell) = (text_of(&command.cwd)?, self.platform.shell.to_string_lossy());
        let request = self.request(&mark, "run", &[&mark, cwd, &shell, policy, &line], 0)?;
        command.output.set_secrets(self.ambient.secrets());
        let never_run = |end| process::never_run(&command, &self.temporary, end);
        let patience = command.timeout.map(|timeout| timeout + process::START_TIMEOUT);
        let connection = tokio::select! {
            biased;
            () = cancel.cancelled() => return Ok(never_run(End::Cancelled).await),
            () = process::after(patience) => return Ok(never_run(End::TimedOut).await),
            connection = self.for_command() => connection?,
        };
        let order = Order { command: &command, request, mark, temporary: &self.temporary };
        let (ran, connection) = connection.run(order, &self.drains, cancel, output).await;
        if let Some(connection) = connection {
            self.connections.put_back(connection);
        }
        ran
    }

    async fn release(&self, owner: &str) {
        if self.has_run.load(Ordering::Relaxed) {
            // There is no recipient: the session is being closed.
            let _ = self.ask("release", &[&format!("{}-{owner}-", self.marks)], &[]).await;
            self.drains.release(owner).await;
        }
    }

    /// Nothing is left: the other side ends a command when its connection is closed.
    async fn end_abandoned(&self, _owner: &str) -> Vec<String> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
