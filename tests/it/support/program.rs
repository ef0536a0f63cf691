//! The program over pipes, in either framing: as a process, or in this one.

use super::frames::Frames;
use super::launch::{Engine, Launch, Running};
use pintle_testing::waiting::{HANG, until};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

/// The user `nobody` of Debian and most others; any number would do that is not root's.
const NOBODY: u32 = 65534;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    Lines,
    Headers,
}

/// A part of every secret that tests plant. No data folder of any test may hold it when the test is over: see [`Place`].
pub(crate) const PLANT: &str = "PLANTED-5f3a9c";

/// A folder to work in, with a home for the program. When it goes, its home is looked through for planted secrets: every program that a
/// test starts has one in its environment.
pub(crate) struct Place {
    folder: tempfile::TempDir,
    /// True if engines run as separate processes, which can be killed.
    has_processes: bool,
}

impl Drop for Place {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let found = files_with(&self.home(), PLANT);
        assert!(found.is_empty(), "a planted secret is left in {found:?}");
    }
}

/// The files of a home that hold a text, without those in which secrets are kept on purpose.
fn files_with(folder: &Path, text: &str) -> Vec<PathBuf> {
    const WRITTEN_BY_PERSONS: [&str; 5] =
        ["config.toml", "models.json", "auth.json", "logins.toml", "mcp-logins.json"];
    /// What a sparse file of a gigabyte would be, no test writes secrets into.
    const MAX_BYTES: u64 = 64 * 1024 * 1024;
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, Ok(facts)) = (entry.path(), entry.metadata()) else { continue };
        if facts.is_dir() {
            found.extend(files_with(&path, text));
        } else if facts.is_file()
            && facts.len() < MAX_BYTES
            && !WRITTEN_BY_PERSONS.iter().any(|name| path.ends_with(name))
            && std::fs::read(&path)
                .is_ok_and(|content| memchr::memmem::find(&content, text.as_bytes()).is_some())
        {
            found.push(path);
        }
    }
    found
}

impl Place {
    /// A project that its person trusts.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let place = Self::untrusted(files);
        std::fs::create_dir_all(place.home()).unwrap();
        let project = place.project();
        let trust = format!("[[trusted]]\npath = '{}'\n", project.display());
        let path = place.home().join("trust.toml");
        std::fs::write(&path, trust).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        place
    }

    pub(crate) fn untrusted(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Self { folder, has_processes: false };
        std::fs::create_dir_all(place.project()).unwrap();
        for (name, text) in files {
            let path = place.path(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        place
    }

    /// Has every engine of this place run as a process, also those that helpers start.
    pub(crate) fn with_processes(mut self) -> Self {
        self.has_processes = true;
        self
    }

    /// The real path, as the engine shows it.
    pub(crate) fn project(&self) -> PathBuf {
        std::fs::canonicalize(self.folder.path()).unwrap().join("project")
    }

    /// The folder around the project and the home, by its real path.
    pub(crate) fn folder(&self) -> PathBuf {
        std::fs::canonicalize(self.folder.path()).unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.project().join(name)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Returns true if the program has kept this text in its home.
    pub(crate) fn home_contains(&self, text: &str) -> bool {
        !files_with(&self.home(), text).is_empty()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Writes a script of replies and returns its path.
    pub(crate) fn script(&self, replies: &Value) -> String {
        let path = self.folder.path().join("script.json");
        std::fs::write(&path, replies.to_string()).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// The only journal there is, if there is one already.
    pub(crate) fn journal_if_any(&self) -> Option<PathBuf> {
        let mut found = Vec::new();
        collect(&self.home().join("sessions"), &mut found);
        assert!(found.len() < 2, "{found:?}");
        found.pop()
    }

    /// The only journal there is.
    pub(crate) fn journal(&self) -> PathBuf {
        self.journal_if_any().unwrap()
    }

    /// The program in this place, as a process, with nothing else of the environment than a path.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.engine(args).command()
    }

    /// Like [`Place::command`], but in this process: for tests of messages and files rather than of the process.
    pub(crate) fn engine(&self, args: &[&str]) -> Engine {
        let mut engine = Engine::new(args, &self.project());
        engine.is_process = self.has_processes;
        engine
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env("PINTLE_HOME", self.home())
            .env("PINTLE_RETRIES", "0")
            .env("AWS_SECRET_ACCESS_KEY", format!("{PLANT}-everywhere"));
        engine
    }

    /// The program in this place, run by somebody who may do no more than the rights of files say.
    pub(crate) fn unprivileged_command(&self, args: &[&str]) -> Command {
        let mut command = self.command(args);
        if nix::unistd::geteuid().is_root() {
            own(self.folder.path());
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    /// The program in this place, where no file may grow over this size: the nearest thing to a full disk.
    pub(crate) fn limited_command(&self, kib: u32, args: &[&str]) -> Command {
        let program = self.command(args);
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -f {}; exec \"$0\" \"$@\"", kib * 2)]);
        command.arg(program.get_program()).args(program.get_args());
        command
            .current_dir(self.project())
            .envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command
    }
}

/// Gives everything below a folder to nobody.
fn own(path: &Path) {
    std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        own(&entry.path());
    }
}

pub(crate) fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.ends_with("journal.jsonl") {
            found.push(path);
        }
    }
}

/// `pintle serve`, spoken to. Frames of the native protocol are held against its schema, in both directions.
pub(crate) struct Program {
    pub(crate) child: Running,
    stdin: Option<File>,
    messages: Receiver<Value>,
    framing: Framing,
    ids: u64,
    /// The frames, where the program speaks the native protocol.
    frames: Option<Frames>,
    pub(crate) seen: Vec<Value>,
}

impl Drop for Program {
    fn drop(&mut self) {
        self.child.end();
        // What nobody took is held against the schema too.
        while let Ok(message) = self.messages.recv_timeout(HANG) {
            self.check(&message);
        }
    }
}

impl Program {
    pub(crate) fn start(launch: impl Into<Launch>, framing: Framing) -> Self {
        let (tx, messages) = channel();
        let (program, stdout) = Self::over(launch.into(), framing, messages);
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            while let Some(message) = read_message(&mut stdout, framing) {
                if tx.send(message).is_err() {
                    break;
                }
            }
        });
        program
    }

    /// As [`Program::start`], but nobody reads: the caller has stdout, and gives what it reads to [`Program::check`].
    pub(crate) fn start_unread(launch: impl Into<Launch>) -> (Self, impl Read) {
        let (_, messages) = channel();
        Self::over(launch.into(), Framing::Lines, messages)
    }

    fn over(launch: Launch, framing: Framing, messages: Receiver<Value>) -> (Self, File) {
        let is_native = launch.has_argument("serve") || launch.has_argument("attach");
        let frames = is_native.then(Frames::default);
        let (child, stdin, stdout) = launch.start();
        let stdin = Some(stdin);
        (Self { child, stdin, messages, framing, ids: 0, frames, seen: Vec::new() }, stdout)
    }

    /// Starts `serve` on a script and opens the connection and a session.
    pub(crate) fn on_script(place: &Place, script: &Value, framing: Framing) -> Self {
        let script = place.script(script);
        let mut program = Self::start(place.engine(&["serve", "--script", &script]), framing);
        program.initialize();
        program.ask("session/create", json!({}));
        program
    }

    pub(crate) fn initialize(&mut self) -> Value {
        self.ask(
            "initialize",
            json!({"protocol": {"name": "pintle", "versions": ["2.0"]}, "capabilities": {"approvals": {}}}),
        )
    }

    /// Sends bytes, which may be no frame at all; the answers to them are checked.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        if let Some(frames) = &mut self.frames {
            frames.sent_bytes(bytes);
        }
        self.write(bytes);
    }

    fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        let sent = match self.framing {
            Framing::Lines => stdin.write_all(bytes).and_then(|()| stdin.write_all(b"\n")),
            Framing::Headers => write!(stdin, "Content-Length: {}\r\n\r\n", bytes.len())
                .and_then(|()| stdin.write_all(bytes)),
        };
        sent.and_then(|()| stdin.flush()).unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        if let Some(frames) = &mut self.frames {
            frames.sent(message);
        }
        self.write(message.to_string().as_bytes());
    }

    /// Holds a message of the engine against the schema.
    pub(crate) fn check(&mut self, message: &Value) {
        if let Some(frames) = &mut self.frames {
            frames.received(message);
        }
    }

    /// Sends a request and returns its id.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> u64 {
        let message = self.next_request(method, params);
        self.send(&message);
        self.ids
    }

    fn next_request(&mut self, method: &str, params: Value) -> Value {
        self.ids += 1;
        json!({"jsonrpc": "2.0", "id": self.ids, "method": method, "params": params})
    }

    /// Sends a request that is wrong on purpose, also by the schema, and returns its error.
    pub(crate) fn ask_refused(&mut self, method: &str, params: Value) -> Value {
        let message = self.next_request(method, params);
        self.send_bytes(message.to_string().as_bytes());
        let id = self.ids;
        let answer = self.until(|message| message["id"] == id && message.get("method").is_none());
        assert!(answer.get("error").is_some(), "{message} was not refused: {answer}");
        answer["error"].clone()
    }

    /// Sends a request and returns its result or error.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer_to(id)
    }

    pub(crate) fn answer_to(&mut self, id: u64) -> Value {
        let mut answer =
            self.until(|message| message["id"] == id && message.get("method").is_none());
        let key = if answer.get("error").is_some() { "error" } else { "result" };
        answer[key].take()
    }

    pub(crate) fn prompt(&mut self, text: &str) -> Value {
        self.ask("turn/start", json!({"input": [{"type": "text", "text": text}]}))
    }

    /// The next message.
    pub(crate) fn next(&mut self) -> Value {
        match self.messages.recv_timeout(HANG) {
            Ok(message) => {
                self.check(&message);
                self.seen.push(message.clone());
                message
            }
            Err(RecvTimeoutError::Timeout) => panic!("nothing came; seen: {:#?}", self.seen),
            Err(RecvTimeoutError::Disconnected) => {
                panic!("the program ended; seen: {:#?}", self.seen)
            }
        }
    }

    /// Takes messages until one is as wanted, and returns that.
    pub(crate) fn until(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next();
            if is_wanted(&message) {
                return message;
            }
        }
    }

    /// Takes messages until an event of this type, and returns the event.
    pub(crate) fn until_event(&mut self, kind: &str) -> Value {
        let mut message = self.until(|message| message["params"]["event"]["type"] == kind);
        message["params"]["event"].take()
    }

    pub(crate) fn end_input(&mut self) {
        drop(self.stdin.take());
    }

    /// Takes what is left to read.
    pub(crate) fn rest(&mut self) -> Vec<Value> {
        let mut rest = Vec::new();
        loop {
            match self.messages.recv_timeout(HANG) {
                Ok(message) => {
                    self.check(&message);
                    rest.push(message);
                }
                Err(RecvTimeoutError::Disconnected) => return rest,
                Err(RecvTimeoutError::Timeout) => panic!("the program does not end; {rest:#?}"),
            }
        }
    }

    pub(crate) fn wait(&mut self) -> ExitStatus {
        self.child.wait()
    }

    pub(crate) fn signal(&self, signal: nix::sys::signal::Signal) {
        self.child.signal(signal);
    }
}

/// Waits for the end of a process, which must come.
pub(crate) fn wait(child: &mut Child) -> ExitStatus {
    until(|| child.try_wait().unwrap().is_some());
    child.wait().unwrap()
}

fn read_message(stdout: &mut impl BufRead, framing: Framing) -> Option<Value> {
    let mut line = String::new();
    let bytes = match framing {
        Framing::Lines => {
            stdout.read_line(&mut line).ok().filter(|count| *count > 0)?;
            line.into_bytes()
        }
        Framing::Headers => {
            stdout.read_line(&mut line).ok().filter(|count| *count > 0)?;
            let length = line.trim().strip_prefix("Content-Length: ").unwrap().parse().unwrap();
            let mut blank = String::new();
            stdout.read_line(&mut blank).unwrap();
            assert_eq!(blank, "\r\n");
            let mut body = vec![0; length];
            stdout.read_exact(&mut body).unwrap();
            body
        }
    };
    let message: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(message["jsonrpc"], "2.0", "{message}");
    Some(message)
}

/// Whether a process with this text in its command line, whose words are divided by zero bytes, runs.
pub(crate) fn is_running(text: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(text)
    })
}
