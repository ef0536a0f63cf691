//! Opening a long session: 10,000 messages in a file of Pi's, and the same as a session of our own.
//!
//! ```text
//! cargo bench -- opening
//! PI="node node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js" cargo bench -- opening
//! ```
//!
//! - a file of Pi's: from the start of the program to the answer to the first command, where the file is imported and then opened
//! - our own: from the request to the response that says that the session can be worked in
//!
//! `PI` is the command that starts Pi, which then does the first beside us, in turn. Of each the memory that was resident at most is told.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "a benchmark measures real time on the real program"
)]

use crate::report::{self, Aim, row};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Instant;

const MESSAGES: usize = 10_000;
const ROUNDS: usize = 9;

const MODEL: [&str; 4] = ["--model", "own/m", "--base-url", "http://127.0.0.1:9/v1"];

/// A session of Pi's, a question and an answer in turn.
fn session() -> String {
    let at = |n: usize| format!("2026-01-01T{:02}:{:02}:{:02}.000Z", n / 3600, n / 60 % 60, n % 60);
    let head = json!({"type": "session", "version": 3, "id": "00000000-0000-4000-8000-000000000000", "timestamp": at(0), "cwd": "/"});
    let mut text = format!("{head}\n");
    for n in 0..MESSAGES {
        let said = format!("message {n} says what a message says: a sentence or two, no more");
        let content = json!([{"type": "text", "text": said}]);
        let message = if n % 2 == 0 {
            json!({"role": "user", "content": content, "timestamp": n})
        } else {
            let cost =
                json!({"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0});
            let usage = json!({"input": 10, "output": 10, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 20, "cost": cost});
            json!({"role": "assistant", "content": content, "api": "openai-completions", "provider": "own", "model": "m", "usage": usage, "stopReason": "stop", "timestamp": n})
        };
        let parent = n.checked_sub(1).map(|before| format!("{before:08x}"));
        let line = json!({"type": "message", "id": format!("{n:08x}"), "parentId": parent, "timestamp": at(n), "message": message});
        writeln!(text, "{line}").unwrap();
    }
    text
}

struct Running {
    child: Child,
    stdout: BufReader<ChildStdout>,
}

impl Running {
    fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdout }
    }

    /// Sends a line, and returns the first one that comes with this text in it.
    fn ask(&mut self, message: &Value, answer: &str) -> Value {
        writeln!(self.child.stdin.as_mut().unwrap(), "{message}").unwrap();
        let mut line = String::new();
        while !line.contains(answer) {
            line.clear();
            assert!(self.stdout.read_line(&mut line).unwrap() > 0, "no {answer}");
        }
        serde_json::from_str(&line).unwrap()
    }

    /// The memory that was resident at most, in MiB.
    fn most_resident(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
    }

    fn end(mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The medians of times and of memory.
fn medians(all: &[(f64, f64)]) -> (f64, f64) {
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let (times, memory) = all.iter().copied().unzip();
    (median(times), median(memory))
}

/// Opens the file with a program that speaks Pi's RPC. Milliseconds, and the memory.
fn of_pi(folder: &Path, text: &str, mut command: Command) -> (f64, f64) {
    // Each time anew: the program writes on in it, and keeps what it has imported.
    let file = folder.join("session.jsonl");
    let _ = std::fs::remove_dir_all(folder.join("home"));
    std::fs::create_dir_all(folder.join("home")).unwrap();
    std::fs::write(&file, text).unwrap();
    command.args(["--mode", "rpc", "--session"]).arg(&file);
    command.current_dir(folder).env("HOME", folder.join("home"));
    command.env("PINTLE_HOME", folder.join("home")).env("OPENAI_API_KEY", "none");
    let began = Instant::now();
    let mut program = Running::start(&mut command);
    let state = program.ask(&json!({"id": "1", "type": "get_state"}), "get_state");
    let took = began.elapsed().as_secs_f64() * 1000.0;
    assert_eq!(state["data"]["messageCount"], MESSAGES, "{state}");
    let memory = program.most_resident();
    program.end();
    (took, memory)
}

/// Opens the session that was imported last.
fn of_our_own(folder: &Path) -> (f64, f64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pintle"));
    command.arg("serve").args(MODEL).current_dir(folder);
    let mut engine = Running::start(command.env("PINTLE_HOME", folder.join("home")));
    let ask = |engine: &mut Running, id: u64, method: &str, params: &Value| {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        engine.ask(&request, &format!("\"id\":{id}"))
    };
    let protocol = json!({"protocol": {"name": "pintle", "versions": ["2.0"]}});
    ask(&mut engine, 1, "initialize", &protocol);
    let list = ask(&mut engine, 2, "session/list", &json!({}));
    let id = &list["result"]["sessions"][0]["sessionId"];
    let began = Instant::now();
    let opened =
        ask(&mut engine, 3, "session/open", &json!({"sessionId": id, "cwd": folder, "tail": 1}));
    let took = began.elapsed().as_secs_f64() * 1000.0;
    assert!(opened["result"]["seq"].as_u64().unwrap() > MESSAGES as u64, "{opened}");
    let memory = engine.most_resident();
    engine.end();
    (took, memory)
}

pub(crate) fn run() {
    let text = session();
    let folder = tempfile::tempdir().unwrap();
    let pi = std::env::var("PI").ok();
    let (mut ours, mut peers, mut own) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        if let Some(pi) = &pi {
            let mut words = pi.split(' ');
            let mut command = Command::new(words.next().unwrap());
            command.args(words).args(["--provider", "openai", "--model", "gpt-4o"]);
            peers.push(of_pi(folder.path(), &text, command));
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_pintle"));
        command.args(MODEL);
        ours.push(of_pi(folder.path(), &text, command));
        own.push(of_our_own(folder.path()));
    }
    let [(time, memory), (own_time, own_memory)] = [&ours, &own].map(|all| medians(all));
    let peer = pi.map(|_| medians(&peers));
    let beside = |value: fn((f64, f64)) -> f64| peer.map(|peer| ("Pi", value(peer)));
    report::head("opening: a session of 10,000 messages, medians");
    let what = "a file of Pi's, from the start to the first answer";
    row(what, "ms", time, Aim::Most(80.0), beside(|(time, _)| time));
    row(
        "a file of Pi's, memory at most",
        "MiB",
        memory,
        Aim::Most(30.0),
        beside(|(_, memory)| memory),
    );
    row("our own, from the request to the response", "ms", own_time, Aim::Most(50.0), None);
    row("our own, memory at most", "MiB", own_memory, Aim::Most(20.0), None);
}
