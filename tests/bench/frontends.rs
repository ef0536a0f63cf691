//! What translating costs: CPU time of the real program for a reply of 10,000 deltas, through the native protocol and through the
//! Agent Client Protocol, both in the same run:
//!
//! ```text
//! cargo bench --bench frontends
//! ```
//!
//! - one by one: a millisecond between deltas, so that each is a message of its own; both programs work at the same time, so that the
//!   machine treats them alike
//! - a flood: no pause, so that neighbours are merged
//!
//! CPU time of all threads, from the prompt to its end. The aim is at most 1.5 times the native frontend's, one by one.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark measures real time on the real program"
)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const DELTAS: usize = 10_000;
const ROUNDS: usize = 3;

struct Engine {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Engine {
    fn start(folder: &Path, frontend: &str, script: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pintle"))
            .args([frontend, "--script"])
            .arg(script)
            .current_dir(folder)
            .env("PINTLE_HOME", folder.join(frontend))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdin, stdout }
    }

    fn send(&mut self, id: u64, method: &str, params: &Value) {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.stdin.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    /// Reads up to a line with this text; returns it, and how many lines came before.
    fn until(&mut self, text: &str) -> (String, usize) {
        let mut line = String::new();
        let mut before = 0;
        loop {
            line.clear();
            assert!(self.stdout.read_line(&mut line).unwrap() > 0, "no line with {text}");
            if line.contains(text) {
                return (line, before);
            }
            before += 1;
        }
    }

    /// The CPU time of all threads so far, in milliseconds.
    fn cpu_ms(&self) -> f64 {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        let of_task = |task: std::io::Result<std::fs::DirEntry>| {
            let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse::<f64>().ok()
        };
        tasks.filter_map(of_task).sum::<f64>() / 1e6
    }
}

/// CPU time and messages of one reply.
fn run(folder: &Path, frontend: &str, script: &Path) -> (f64, usize) {
    let mut engine = Engine::start(folder, frontend, script);
    let prompt = json!([{"type": "text", "text": "go"}]);
    if frontend == "serve" {
        let versions = json!({"protocol": {"name": "pintle", "versions": ["1.0"]}});
        engine.send(1, "initialize", &versions);
        engine.send(2, "session/create", &json!({}));
        engine.until("\"id\":2");
        let before = engine.cpu_ms();
        engine.send(3, "turn/start", &json!({"input": prompt}));
        let (_, messages) = engine.until("turn.completed");
        return (engine.cpu_ms() - before, messages);
    }
    engine.send(1, "initialize", &json!({"protocolVersion": 1}));
    engine.send(2, "session/new", &json!({"cwd": folder, "mcpServers": []}));
    let (made, _) = engine.until("\"id\":2");
    let made: Value = serde_json::from_str(&made).unwrap();
    engine.until("available_commands_update");
    let before = engine.cpu_ms();
    let session = made.pointer("/result/sessionId").unwrap();
    engine.send(3, "session/prompt", &json!({"sessionId": session, "prompt": prompt}));
    let (_, messages) = engine.until("\"stopReason\"");
    (engine.cpu_ms() - before, messages)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    *values.get(values.len() / 2).unwrap()
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let folder = std::fs::canonicalize(folder.path()).unwrap();
    let words: Vec<String> = (0..DELTAS).map(|n| format!("word{n} ")).collect();
    let text = words.concat();
    println!("CPU for {DELTAS} deltas, median of {ROUNDS}; messages in brackets\n");
    for (name, delay) in [("one by one", 1), ("a flood", 0)] {
        let script = folder.join(format!("script-{delay}.json"));
        let replies = json!({"replies": [{"blocks": [{"text": text}]}], "delayMs": delay});
        std::fs::write(&script, replies.to_string()).unwrap();
        let (mut native, mut acp, mut messages) = (Vec::new(), Vec::new(), (0, 0));
        for _ in 0..ROUNDS {
            let other = std::thread::scope(|scope| {
                let other = scope.spawn(|| run(&folder, "acp", &script));
                let (cpu, sent) = run(&folder, "serve", &script);
                native.push(cpu);
                messages.0 = sent;
                other.join().unwrap()
            });
            acp.push(other.0);
            messages.1 = other.1;
        }
        let (native, acp) = (median(native), median(acp));
        println!(
            "{name:<11} native {native:>7.1} ms [{}]   acp {acp:>7.1} ms [{}]   {:.2} times   (aim <= 1.5)",
            messages.0,
            messages.1,
            acp / native
        );
    }
}
