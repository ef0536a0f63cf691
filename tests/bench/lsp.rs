//! What an editor waits for while `pintle lsp` works: a turn runs a command, seven more commands are queued behind it.
//!
//! ```text
//! cargo bench -- lsp
//! ```
//!
//! - a request: code actions of a place, from the request to the response
//! - a cancellation: from the progress that a person cancels to its end, the command killed
//!
//! The aim: a median under 50 ms each. Beside them stands the way of a message through a pipe and back, by `cat`.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "a benchmark measures real time on the real program"
)]

use crate::report::{self, Aim, row};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 30;
const REQUESTS: usize = 50;

struct Editor {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    id: u64,
}

impl Editor {
    fn start(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, stdin, stdout: BufReader::new(stdout), id: 0 }
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.stdin, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.stdin.flush().unwrap();
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn request(&mut self, method: &str, params: &Value) -> u64 {
        self.id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}));
        self.id
    }

    fn next(&mut self) -> Value {
        let mut length = 0;
        let mut line = String::new();
        loop {
            line.clear();
            assert!(self.stdout.read_line(&mut line).unwrap() > 0, "the server has ended");
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("Content-Length: ") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        self.stdout.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// Reads up to a message, accepting each progress.
    fn until(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next();
            if message["method"] == "window/workDoneProgress/create" {
                self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": null}));
            }
            if is_wanted(&message) {
                return message;
            }
        }
    }

    fn answer(&mut self, id: u64) {
        self.until(|message| message["id"] == id && message.get("method").is_none());
    }

    /// A progress that says this, whether it begins, goes on or ends with it.
    fn progress(&mut self, text: &str) -> Value {
        self.until(|message| {
            let said = &message["params"]["value"]["message"];
            message["method"] == "$/progress" && said.as_str().is_some_and(|it| it.contains(text))
        })
    }
}

fn command(name: &str, argument: &str) -> Value {
    json!({"command": name, "arguments": [argument]})
}

/// The times of the requests, and that of the cancellation.
fn round(folder: &std::path::Path) -> (Vec<Duration>, Duration) {
    let call = json!({"tool": "bash", "arguments": {"command": "sleep 300; true"}});
    let (project, script) = (folder.join("project"), folder.join("script.json"));
    std::fs::create_dir(&project).unwrap();
    std::fs::write(&script, json!({"replies": [{"blocks": [call]}]}).to_string()).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_pintle"));
    program.args(["lsp", "--permission", "full", "--script"]).arg(&script);
    program.current_dir(&project).env("PINTLE_HOME", folder.join("home"));
    let mut editor = Editor::start(program);
    let capabilities = json!({"window": {"workDoneProgress": true}});
    let hello = editor.request("initialize", &json!({"capabilities": capabilities}));
    editor.answer(hello);
    let queued: Vec<u64> = (0..8)
        .map(|n| {
            editor
                .request("workspace/executeCommand", &command("pintle.queue", &format!("task {n}")))
        })
        .collect();
    let last = queued[7];
    let running = editor.progress("sleep 300");
    editor.notify("$/cancelRequest", &json!({"id": last}));
    let at = |line: u32| json!({"line": line, "character": 0});
    let place = json!({"textDocument": {"uri": "file:///x"}, "range": {"start": at(0), "end": at(1)},
        "context": {"diagnostics": []}});
    let mut requests = Vec::new();
    for _ in 0..REQUESTS {
        let began = Instant::now();
        let id = editor.request("textDocument/codeAction", &place);
        editor.answer(id);
        requests.push(began.elapsed());
    }
    let began = Instant::now();
    let token = running["params"]["token"].clone();
    editor.notify("window/workDoneProgress/cancel", &json!({"token": token}));
    editor.progress("stopped");
    let cancelled = began.elapsed();
    let id = editor.request("workspace/executeCommand", &command("pintle.stop", ""));
    editor.answer(id);
    let _ = editor.child.kill();
    let _ = editor.child.wait();
    (requests, cancelled)
}

/// The way of a message through a pipe and back.
fn pipes() -> Vec<Duration> {
    let mut cat = Editor::start(Command::new("cat"));
    let times = (0..REQUESTS).map(|_| {
        let began = Instant::now();
        cat.notify("echo", &json!({}));
        cat.next();
        began.elapsed()
    });
    let times = times.collect();
    let _ = cat.child.kill();
    let _ = cat.child.wait();
    times
}

/// Median and slowest, in milliseconds.
fn spread(mut times: Vec<Duration>) -> (f64, f64) {
    times.sort();
    let ms = |at: usize| times[at].as_secs_f64() * 1000.0;
    (ms(times.len() / 2), ms(times.len() - 1))
}

pub(crate) fn run() {
    let (mut requests, mut cancelled, mut echoed) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let folder = tempfile::tempdir().unwrap();
        let (times, time) = round(folder.path());
        requests.extend(times);
        cancelled.push(time);
        echoed.extend(pipes());
    }
    report::head("lsp: what an editor waits for");
    let (echo, slowest_echo) = spread(echoed);
    for (what, times) in [
        ("a request, with eight commands open", requests),
        ("a cancellation, to the end of the progress", cancelled),
    ] {
        let count = times.len();
        let (median, slowest) = spread(times);
        let (median_of, slowest_of) =
            (format!("{what}, median"), format!("{what}, slowest of {count}"));
        row(&median_of, "ms", median, Aim::Most(50.0), Some(("cat", echo)));
        row(&slowest_of, "ms", slowest, Aim::None, Some(("cat", slowest_echo)));
    }
}
