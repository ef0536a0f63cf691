//! Starts the program, either as a process or on a thread of the test.

use super::HANG;
use super::program::wait;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use pintle::cli;
use pintle_base::ambient::Ambient;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, Once, PoisonError};
use std::thread::{JoinHandle, ThreadId};
use tokio_util::sync::CancellationToken;

/// The program's path. In-process engines also start it, as the supervisor of their commands.
const PROGRAM: &str = env!("CARGO_BIN_EXE_pintle");

/// Stack of an engine's thread, in bytes: that of a process's first thread.
const STACK_BYTES: usize = 8 * 1024 * 1024;

/// An engine to start in this process.
#[derive(Debug, Clone)]
pub(crate) struct Engine {
    args: Vec<OsString>,
    folder: PathBuf,
    vars: BTreeMap<String, String>,
    /// True if the engine runs as a process after all.
    pub(crate) is_process: bool,
}

impl Engine {
    /// Without any variable.
    pub(crate) fn new(args: &[&str], folder: &Path) -> Self {
        let args = args.iter().map(OsString::from).collect();
        Self { args, folder: folder.to_owned(), vars: BTreeMap::new(), is_process: false }
    }

    pub(crate) fn env(&mut self, name: &str, value: impl AsRef<OsStr>) -> &mut Self {
        let value = value.as_ref().to_str().unwrap().to_owned();
        self.vars.insert(name.to_owned(), value);
        self
    }

    /// The same as a process.
    pub(crate) fn command(&self) -> Command {
        started();
        let mut command = Command::new(PROGRAM);
        command.args(&self.args).current_dir(&self.folder).env_clear().envs(&self.vars);
        command
    }

    fn start(self) -> (Here, File, File) {
        watch_panics();
        let (stdin, input) = UnixStream::pair().unwrap();
        let (stdout, output) = UnixStream::pair().unwrap();
        let streams = Streams { input, output };
        let stop = CancellationToken::new();
        let (tx, ended) = channel();
        let thread = std::thread::Builder::new().name("engine".to_owned()).stack_size(STACK_BYTES);
        let thread = thread.spawn({
            let stop = stop.clone();
            move || {
                let ambient = Ambient::system()
                    .with_vars(self.vars)
                    .with_current_dir(&self.folder)
                    .with_program(Path::new(PROGRAM));
                let args = [OsString::from("pintle")].into_iter().chain(self.args).collect();
                let [input, output] =
                    [&streams.input, &streams.output].map(|end| file(end.try_clone().unwrap()));
                let code = cli::serve(args, ambient, input, output, stop).unwrap_or_else(|error| {
                    let _ = std::io::stderr().write_all(format!("pintle: {error:#}\n").as_bytes());
                    cli::USAGE
                });
                drop(streams);
                let _ = tx.send(code);
            }
        });
        let here = Here { stop, ended, thread: Some(thread.unwrap()), code: None };
        (here, file(stdin), file(stdout))
    }
}

/// The engine's ends of the client's streams. Both are shut down with the engine, just as a process's pipes are closed.
struct Streams {
    input: UnixStream,
    output: UnixStream,
}

impl Drop for Streams {
    fn drop(&mut self) {
        for end in [&self.input, &self.output] {
            let _ = end.shutdown(Shutdown::Both);
        }
    }
}

/// Appends the test's name to the file in `PINTLE_STARTED`, if set, to count tests that start a process.
fn started() {
    let Some(list) = std::env::var_os("PINTLE_STARTED") else { return };
    let test = std::thread::current();
    let line = format!("{}\n", test.name().unwrap_or_default());
    let list = std::fs::OpenOptions::new().append(true).create(true).open(list);
    list.and_then(|mut list| list.write_all(line.as_bytes())).unwrap();
}

fn file(end: impl Into<OwnedFd>) -> File {
    File::from(end.into())
}

/// A program or engine to start.
#[derive(Debug)]
pub(crate) enum Launch {
    Process(Command),
    Here(Engine),
}

impl From<Command> for Launch {
    fn from(command: Command) -> Self {
        Self::Process(command)
    }
}

impl From<Engine> for Launch {
    fn from(engine: Engine) -> Self {
        if engine.is_process { Self::Process(engine.command()) } else { Self::Here(engine) }
    }
}

impl Launch {
    pub(crate) fn has_argument(&self, wanted: &str) -> bool {
        match self {
            Self::Process(command) => command.get_args().any(|arg| arg == wanted),
            Self::Here(engine) => engine.args.iter().any(|arg| arg == wanted),
        }
    }

    /// Starts the program; returns its stdin and its stdout, too.
    pub(crate) fn start(self) -> (Running, File, File) {
        match self {
            Self::Process(mut command) => {
                let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
                let mut child = piped.spawn().unwrap();
                let stdin = file(OwnedFd::from(child.stdin.take().unwrap()));
                let stdout = file(OwnedFd::from(child.stdout.take().unwrap()));
                (Running::Process(child), stdin, stdout)
            }
            Self::Here(engine) => {
                let (here, stdin, stdout) = engine.start();
                (Running::Here(here), stdin, stdout)
            }
        }
    }
}

/// A running program or engine.
#[derive(Debug)]
pub(crate) enum Running {
    Process(Child),
    Here(Here),
}

impl Running {
    fn process(&self) -> &Child {
        match self {
            Self::Process(child) => child,
            Self::Here(_) => panic!("a test of the process starts one: `Place::command`"),
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.process().id()
    }

    /// What the process says on stderr, if that is piped.
    pub(crate) fn stderr(&mut self) -> ChildStderr {
        match self {
            Self::Process(child) => child.stderr.take().unwrap(),
            Self::Here(_) => panic!("in this process, stderr is the test's"),
        }
    }

    /// Sends a signal. An in-process engine supports only SIGTERM, which ends it in order.
    pub(crate) fn signal(&self, signal: Signal) {
        match self {
            Self::Here(here) if signal == Signal::SIGTERM => here.stop.cancel(),
            Self::Here(_) | Self::Process(_) => {
                let pid = Pid::from_raw(i32::try_from(self.id()).unwrap());
                kill(pid, signal).unwrap();
            }
        }
    }

    /// Waits for the end, which must come.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        match self {
            Self::Process(child) => wait(child),
            Self::Here(here) => here.wait(),
        }
    }

    /// Kills the process.
    pub(crate) fn kill(&self) {
        self.signal(Signal::SIGKILL);
    }

    /// Kills a process; an engine in this process ends as by a signal.
    pub(crate) fn end(&mut self) {
        match self {
            Self::Process(child) => {
                let _ = child.kill();
                let _ = child.wait();
            }
            Self::Here(here) => here.stop.cancel(),
        }
    }
}

/// An engine in this process.
#[derive(Debug)]
pub(crate) struct Here {
    stop: CancellationToken,
    ended: Receiver<u8>,
    thread: Option<JoinHandle<()>>,
    code: Option<u8>,
}

impl Here {
    /// Waits for the end of the engine, in whose thread nothing may have panicked.
    fn wait(&mut self) -> ExitStatus {
        if let Some(thread) = self.thread.take() {
            let ended = self.ended.recv_timeout(HANG);
            assert!(
                ended != Err(std::sync::mpsc::RecvTimeoutError::Timeout),
                "no end of the engine"
            );
            let id = thread.thread().id();
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
            assert!(!panicked().contains(&id), "something in the engine panicked");
            self.code = ended.ok();
        }
        ExitStatus::from_raw(i32::from(self.code.unwrap()) << 8)
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        self.stop.cancel();
        if std::thread::panicking() {
            return;
        }
        self.wait();
    }
}

/// Threads that panicked, including those whose panic ended only a task.
static PANICKED: Mutex<Vec<ThreadId>> = Mutex::new(Vec::new());

fn panicked() -> Vec<ThreadId> {
    PANICKED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn watch_panics() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let mut panicked = PANICKED.lock().unwrap_or_else(PoisonError::into_inner);
            panicked.push(std::thread::current().id());
            drop(panicked);
            usual(panic);
        }));
    });
}
