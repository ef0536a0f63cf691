//! An engine that several clients share, and the ways to it.

use crate::support::launch::Engine;
use crate::support::program::{Framing, Place, Program};
use crate::support::websocket::Web;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use pintle_testing::waiting::until;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// A place whose shared engine ends with it.
pub(crate) struct Shared {
    pub(crate) place: Place,
    script: String,
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(pid) = self.engine() {
            let _ = kill(pid, Signal::SIGTERM);
            until(|| self.engine().is_none());
        }
    }
}

impl Shared {
    pub(crate) fn new(replies: Value) -> Self {
        Self::at(Place::new(&[]), replies)
    }

    pub(crate) fn at(place: Place, replies: Value) -> Self {
        let script = place.script(&json!({ "replies": replies }));
        Self { place, script }
    }

    pub(crate) fn command(&self, task: &[&str]) -> Command {
        self.alone(task).command()
    }

    /// The same engine in this process, for one client alone.
    pub(crate) fn alone(&self, task: &[&str]) -> Engine {
        let engine = ["--script", &self.script, "--permission", "ask"];
        self.place.engine(&[task, &engine].concat())
    }

    /// Starts an engine that also listens for WebSockets, and returns its port.
    pub(crate) fn listen(&self, more: &[&str]) -> u16 {
        let task = ["serve", "--listen", "ws://127.0.0.1:0"];
        let mut command = self.command(&[&task, more].concat());
        let mut engine = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(engine.stdout.take().unwrap()).lines();
        let said: Vec<String> = lines.map_while(Result::ok).collect();
        // It ends with its place.
        std::thread::spawn(move || engine.wait());
        let [unix, web] = &said[..] else { panic!("{said:?}") };
        assert!(unix.starts_with("listening on unix:"), "{unix}");
        let address = web.strip_prefix("listening on ws://127.0.0.1:").unwrap();
        address.split(' ').next().unwrap().parse().unwrap()
    }

    pub(crate) fn token(&self) -> String {
        self.file().unwrap()["token"].as_str().unwrap().to_owned()
    }

    /// Connects a WebSocket to the engine that listens on this port.
    pub(crate) fn web(&self, port: u16) -> Web {
        let mut web = Web::connect(port, &self.token());
        web.initialize();
        web
    }

    pub(crate) fn attach(&self) -> Program {
        let mut program = Program::start(self.command(&["attach"]), Framing::Lines);
        program.initialize();
        program
    }

    pub(crate) fn file(&self) -> Option<Value> {
        let text = std::fs::read(self.place.home().join("engine.json")).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// The process of the engine that listens.
    pub(crate) fn engine(&self) -> Option<Pid> {
        let pid = self.file()?["pid"].as_i64()?;
        Some(Pid::from_raw(i32::try_from(pid).unwrap()))
    }
}

pub(crate) fn open(program: &mut Program, session: &str) -> Value {
    program.ask("session/open", json!({"sessionId": session, "fromSeq": 0}))
}

/// Makes a session and returns its id.
pub(crate) fn create(program: &mut Program) -> String {
    let made = program.ask("session/create", json!({}));
    made["sessionId"].as_str().unwrap().to_owned()
}

/// The numbers of the durable events that a client was told of.
pub(crate) fn numbers(program: &Program) -> Vec<u64> {
    program.seen.iter().filter_map(|message| message["params"]["seq"].as_u64()).collect()
}
