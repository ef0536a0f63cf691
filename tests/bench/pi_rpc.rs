//! What telling a reply costs in Pi's RPC, beside the native protocol: the same engine, the same provider, the same run.
//!
//! ```text
//! cargo bench --bench pi_rpc
//! ```
//!
//! CPU time of the whole program for 10,000 deltas that come one at a time, less that of a run without them. Medians of some
//! rounds, taken in turn. The aim: at most 1.5 times the native protocol's, the legacy dialect excepted.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "a benchmark measures the real program"
)]

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 7;
const DELTAS: usize = 10_000;
/// Long enough that each delta is one of its own.
const PAUSE: Duration = Duration::from_micros(100);

const NATIVE: &str = r#"{"id":1,"method":"initialize","params":{"protocol":{"name":"pintle","versions":["1.0"]}}}
{"id":2,"method":"session/create"}
{"id":3,"method":"turn/start","params":{"input":[{"type":"text","text":"go"}]}}
"#;
const PI: &str = "{\"id\":1,\"type\":\"prompt\",\"message\":\"go\"}\n";

/// A way to speak to the program: its name, arguments, what is sent, and what the last line has in it.
type Way = (&'static str, &'static [&'static str], &'static str, &'static str);

const WAYS: [Way; 3] = [
    ("native", &["serve"], NATIVE, "turn.completed"),
    ("pi, current", &["rpc"], PI, "agent_settled"),
    ("pi, legacy", &["rpc", "--pi-dialect", "legacy"], PI, "\"agent_end\""),
];

/// Answers one request with so many deltas.
fn answer(listener: &TcpListener, deltas: usize) {
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line == "\r\n" {
            break;
        }
    }
    reader.read_exact(&mut vec![0; length]).unwrap();
    stream
        .write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
        )
        .unwrap();
    for _ in 0..deltas {
        let began = Instant::now();
        stream.write_all(b"data: {\"choices\":[{\"delta\":{\"content\":\"word \"}}]}\n\n").unwrap();
        while began.elapsed() < PAUSE {
            std::hint::spin_loop();
        }
    }
    stream
        .write_all(
            b"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
        )
        .unwrap();
}

/// CPU time of one run, in milliseconds, and the bytes that it wrote.
fn run(folder: &Path, (_, args, input, last): Way, deltas: usize) -> (f64, usize) {
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
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    let server = std::thread::spawn(move || answer(&listener, deltas));
    let mut bytes = 0;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        bytes += line.len();
        if line.contains(last) {
            break;
        }
    }
    drop(stdin);
    server.join().unwrap();
    child.wait().unwrap();
    let micros = u32::try_from(used() - before).unwrap();
    (f64::from(micros) / 1000.0, bytes)
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of[of.len() / 2]
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let mut times = vec![Vec::new(); WAYS.len()];
    let mut sizes = vec![0; WAYS.len()];
    for _ in 0..ROUNDS {
        for (at, way) in WAYS.into_iter().enumerate() {
            let (bare, _) = run(folder.path(), way, 1);
            let (whole, bytes) = run(folder.path(), way, DELTAS);
            times[at].push(whole - bare);
            sizes[at] = bytes;
        }
    }
    let medians: Vec<f64> = times.into_iter().map(median).collect();
    for ((way, time), bytes) in WAYS.iter().zip(&medians).zip(sizes) {
        let kib = bytes / 1024;
        let times = time / medians[0];
        println!(
            "{:<12} {time:>7.1} ms CPU for {DELTAS} deltas   {times:.2} × native   {kib} KiB",
            way.0
        );
    }
}
