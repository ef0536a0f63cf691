//! What telling a reply costs in each protocol, beside the native one: the same engine, the same provider, the same run.
//!
//! ```text
//! cargo bench -- frontends
//! ```
//!
//! CPU time of the whole program for a reply of 10,000 deltas, less that of a run with one. Medians of some rounds, taken in turn.
//!
//! - one by one: a pause between deltas, so that each is a message of its own
//! - a flood: no pause, so that neighbours are merged
//!
//! The aim: one by one at most 1.5 times the native protocol's, Pi's legacy dialect excepted.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "a benchmark measures the real program"
)]

use crate::provider;
use crate::report::{self, Aim, row};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 7;
const DELTAS: usize = 10_000;

/// How deltas come.
const PACES: [(&str, Duration); 2] =
    [("one by one", Duration::from_micros(100)), ("a flood", Duration::ZERO)];

/// A way to speak to the program: its name, arguments, and how a prompt is sent.
type Way = (&'static str, &'static [&'static str], fn(&mut Talk, &Path));

const WAYS: [Way; 4] = [
    ("native", &["serve"], native),
    ("ACP", &["acp"], acp),
    ("Pi, current", &["rpc"], pi),
    ("Pi, legacy", &["rpc", "--pi-dialect", "legacy"], pi_legacy),
];

/// The program's input and output.
struct Talk {
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    bytes: usize,
    messages: usize,
}

impl Talk {
    fn send(&mut self, message: &Value) {
        self.stdin.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    /// Reads up to a line with this text, and returns it.
    fn until(&mut self, text: &str) -> String {
        let mut line = String::new();
        loop {
            line.clear();
            assert!(self.stdout.read_line(&mut line).unwrap() > 0, "no line with {text}");
            self.bytes += line.len();
            self.messages += 1;
            if line.contains(text) {
                return line;
            }
        }
    }
}

fn native(talk: &mut Talk, _: &Path) {
    let versions = json!({"protocol": {"name": "pintle", "versions": ["2.0"]}});
    talk.send(&json!({"id": 1, "method": "initialize", "params": versions}));
    talk.send(&json!({"id": 2, "method": "session/create"}));
    let input = json!([{"type": "text", "text": "go"}]);
    talk.send(&json!({"id": 3, "method": "turn/start", "params": {"input": input}}));
    talk.until("turn.completed");
}

fn acp(talk: &mut Talk, folder: &Path) {
    let request = |id, method, params| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    talk.send(&request(1, "initialize", json!({"protocolVersion": 1})));
    talk.send(&request(2, "session/new", json!({"cwd": folder, "mcpServers": []})));
    let made: Value = serde_json::from_str(&talk.until("\"id\":2")).unwrap();
    let session = made.pointer("/result/sessionId").unwrap();
    let prompt = json!([{"type": "text", "text": "go"}]);
    talk.send(&request(3, "session/prompt", json!({"sessionId": session, "prompt": prompt})));
    talk.until("\"stopReason\"");
}

fn pi(talk: &mut Talk, _: &Path) {
    talk.send(&json!({"id": 1, "type": "prompt", "message": "go"}));
    talk.until("agent_settled");
}

fn pi_legacy(talk: &mut Talk, _: &Path) {
    talk.send(&json!({"id": 1, "type": "prompt", "message": "go"}));
    talk.until("\"agent_end\"");
}

/// Answers one request with so many deltas.
fn answer(listener: &TcpListener, deltas: usize, pause: Duration) {
    let mut stream = provider::begin(listener);
    for _ in 0..deltas {
        let began = Instant::now();
        stream.write_all(b"data: {\"choices\":[{\"delta\":{\"content\":\"word \"}}]}\n\n").unwrap();
        while began.elapsed() < pause {
            std::hint::spin_loop();
        }
    }
    stream.write_all(provider::END.as_bytes()).unwrap();
}

/// CPU time of one run in milliseconds, the bytes that it wrote, and in how many messages.
fn play(folder: &Path, way: Way, deltas: usize, pause: Duration) -> (f64, usize, usize) {
    let (_, args, speak) = way;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let used = || {
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
        usage.user_time().num_microseconds() + usage.system_time().num_microseconds()
    };
    let before = used();
    let mut child = Command::new(env!("CARGO_BIN_EXE_pintle"))
        .args(args)
        .args(["--model", "ollama/none", "--api", "chat", "--base-url", &url])
        .current_dir(folder)
        .env("PINTLE_HOME", folder.join("home"))
        .env("PI_CODING_AGENT_DIR", folder.join("pi"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let server = std::thread::spawn(move || answer(&listener, deltas, pause));
    let mut talk = Talk { stdin, stdout, bytes: 0, messages: 0 };
    speak(&mut talk, folder);
    let (bytes, messages) = (talk.bytes, talk.messages);
    // The program ends with its input.
    drop(talk);
    server.join().unwrap();
    child.wait().unwrap();
    let micros = u32::try_from(used() - before).unwrap();
    (f64::from(micros) / 1000.0, bytes, messages)
}

fn number(of: usize) -> f64 {
    f64::from(u32::try_from(of).unwrap())
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of[of.len() / 2]
}

pub(crate) fn run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = std::fs::canonicalize(folder.path()).unwrap();
    report::head("frontends: telling a reply in each protocol");
    for (pace, pause) in PACES {
        let mut times = vec![Vec::new(); WAYS.len()];
        let mut written = vec![(0, 0); WAYS.len()];
        for _ in 0..ROUNDS {
            for (at, way) in WAYS.into_iter().enumerate() {
                let (bare, ..) = play(&folder, way, 1, pause);
                let (whole, bytes, messages) = play(&folder, way, DELTAS, pause);
                times[at].push(whole - bare);
                written[at] = (bytes, messages);
            }
        }
        let medians: Vec<f64> = times.into_iter().map(median).collect();
        let (native, (native_bytes, native_messages)) = (medians[0], written[0]);
        for (at, (name, ..)) in WAYS.iter().enumerate() {
            let beside = |native: f64| (at > 0).then_some(("native", native));
            let aim = if pause > Duration::ZERO && ["ACP", "Pi, current"].contains(name) {
                Aim::Times(1.5)
            } else {
                Aim::None
            };
            let (bytes, messages) = written[at];
            let told = format!("{DELTAS} deltas in {name}, {pace}");
            let what = format!("{told}, CPU, median");
            row(&what, "ms", medians[at], aim, beside(native));
            let what = format!("{told}, messages");
            row(&what, "", number(messages), Aim::None, beside(number(native_messages)));
            let what = format!("{told}, written");
            let beside = beside(number(native_bytes / 1024));
            row(&what, "KiB", number(bytes / 1024), Aim::None, beside);
        }
    }
}
