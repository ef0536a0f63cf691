//! The cost of a large result of an MCP server, in the real program over pipes, beside a bare client of the same server in the same run:
//!
//! ```text
//! cargo bench -- mcp
//! ```
//!
//! - a result of 20 MB: from the start of the call to its end, when the whole text can be read from the session; the promise is a second
//! - memory: how much the process has grown after these results
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "a benchmark measures real time on real processes"
)]

use crate::report::{self, Aim, row};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// The variable that makes this program the server.
pub(crate) const SERVER: &str = "MCP_SERVER";

const RESULT_BYTES: usize = 20_000_000;
const LINE: &str = "one line of forty characters, or nearly so\n";
const ROUNDS: usize = 9;

pub(crate) fn run() {
    let folder = tempfile::tempdir().unwrap();
    report::head("mcp: a large result");
    let (ours, grown) = through_engine(folder.path());
    let beside = Some(("a bare client", ms(median(bare()))));
    row("a result of 20 MB, median", "ms", ms(median(ours)), Aim::Most(1000.0), beside);
    let what = format!("growth of memory after {ROUNDS} such results");
    row(&what, "MiB", grown, Aim::None, None);
}

/// Serves one tool, whose result is long, on stdin and stdout.
pub(crate) fn serve() {
    let text = json!(LINE.repeat(RESULT_BYTES / LINE.len()));
    let long = format!(r#"{{"content":[{{"type":"text","text":{text}}}]}}"#);
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) else {
            continue;
        };
        let tool = json!({"name": "dump", "inputSchema": {"type": "object"}});
        let answer = match method {
            "initialize" => format!(
                r#""result":{}"#,
                json!({
                    "protocolVersion": message["params"]["protocolVersion"],
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "bench", "version": "1"},
                })
            ),
            "tools/list" => format!(r#""result":{}"#, json!({"tools": [tool]})),
            "tools/call" => format!(r#""result":{long}"#),
            "ping" => r#""result":{}"#.to_owned(),
            _ => r#""error":{"code":-32601,"message":"unknown method"}"#.to_owned(),
        };
        writeln!(out, r#"{{"jsonrpc":"2.0","id":{id},{answer}}}"#).unwrap();
        out.flush().unwrap();
    }
}

struct Process {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Process {
    fn start(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdin, stdout }
    }

    fn send(&mut self, method: &str, params: &Value) {
        let message = json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params});
        writeln!(self.stdin, "{message}").unwrap();
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.stdout.read_line(&mut line).unwrap() > 0, "the process has ended");
        serde_json::from_str(&line).unwrap()
    }

    fn resident_mib(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the time of each call, and the growth of memory in MiB from the first, which warms everything up, to the last.
fn through_engine(folder: &Path) -> (Vec<Duration>, f64) {
    let home = folder.join("home");
    std::fs::create_dir_all(&home).unwrap();
    let program = json!(std::env::current_exe().unwrap());
    let config =
        format!("[mcp_servers.bench]\ncommand = {program}\nenv = {{ {SERVER} = \"1\" }}\n");
    std::fs::write(home.join("config.toml"), config).unwrap();
    let call = json!({"blocks": [{"tool": "mcp__bench__dump", "arguments": {}}]});
    let mut replies = vec![call; ROUNDS + 1];
    replies.push(json!({"blocks": [{"text": "done"}]}));
    let script = folder.join("script.json");
    std::fs::write(&script, json!({ "replies": replies }).to_string()).unwrap();
    let mut engine = Process::start(
        Command::new(env!("CARGO_BIN_EXE_pintle"))
            .args(["serve", "--permission", "full", "--script"])
            .arg(&script)
            .current_dir(folder)
            .env("PINTLE_HOME", &home),
    );
    engine.send("initialize", &json!({"protocol": {"name": "pintle", "versions": ["2.0"]}}));
    engine.send("session/create", &json!({}));
    engine.send("turn/start", &json!({"input": [{"type": "text", "text": "go"}]}));
    let (mut times, mut began, mut before) = (Vec::new(), Instant::now(), 0.0);
    loop {
        let message = engine.read();
        let event = &message["params"]["event"];
        let is_call = event["item"]["type"] == "toolCall";
        match event["type"].as_str() {
            Some("item.started") if is_call => began = Instant::now(),
            Some("item.completed") if is_call => {
                let took = began.elapsed();
                let output = &event["item"]["output"];
                let bytes = output["details"]["fullOutput"]["bytes"].as_u64();
                assert!(bytes >= Some(RESULT_BYTES as u64 - LINE.len() as u64), "{event}");
                if before > 0.0 {
                    times.push(took);
                } else {
                    before = engine.resident_mib();
                }
            }
            Some("turn.completed") => break,
            _ => {}
        }
    }
    assert_eq!(times.len(), ROUNDS);
    (times, engine.resident_mib() - before)
}

/// Returns the times of a client that reads and parses the results, and forgets them.
fn bare() -> Vec<Duration> {
    let mut server =
        Process::start(Command::new(std::env::current_exe().unwrap()).env(SERVER, "1"));
    server.send("initialize", &json!({"protocolVersion": "2025-06-18"}));
    server.read();
    (0..ROUNDS)
        .map(|_| {
            let began = Instant::now();
            server.send("tools/call", &json!({"name": "dump", "arguments": {}}));
            let answer = server.read();
            assert!(answer["result"]["content"].is_array());
            began.elapsed()
        })
        .collect()
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
