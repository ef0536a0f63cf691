//! The engine beside the floor, the least that a process can do in the same protocol: no journal, no tools but two, no context. Both are
//! driven in turn, in one run:
//!
//! ```text
//! cargo bench -- floor
//! ```
//!
//! The floor is this program itself, started again with `FLOOR` set.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "a benchmark measures real time on the real program"
)]

use crate::least;
use crate::provider;
use crate::report::{self, Aim, row};
use serde_json::json;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The times that each row is measured with each program.
const REPEATS: usize = 9;
const STARTS: usize = 20;
const PROMPTS: usize = 60;
const DELTAS: usize = 1000;
const MANY_DELTAS: usize = 10_000;
const ROUNDS: usize = 50;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":{"name":"pintle","versions":["2.0"]}}}"#;
const CREATE: &str = r#"{"jsonrpc":"2.0","id":2,"method":"session/create","params":{}}"#;
const PROMPT: &str = r#"{"jsonrpc":"2.0","id":3,"method":"turn/start","params":{"input":[{"type":"text","text":"go"}]}}"#;

/// A program under measurement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Program {
    Floor,
    Pintle,
}

const PROGRAMS: [Program; 2] = [Program::Floor, Program::Pintle];

struct Running {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    line: String,
}

impl Running {
    fn start(program: Program, folder: &Path, url: &str) -> Self {
        let mut command = match program {
            Program::Floor => {
                let mut command = Command::new(std::env::current_exe().unwrap());
                command.env("FLOOR", url);
                command
            }
            Program::Pintle => {
                let mut command = Command::new(env!("CARGO_BIN_EXE_pintle"));
                command.args([
                    "serve",
                    "--model",
                    "own/m",
                    "--api",
                    "chat",
                    "--base-url",
                    url,
                    "--permission",
                    "full",
                ]);
                command
            }
        };
        command.current_dir(folder.join("project")).env("PINTLE_HOME", folder.join("home"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdin, stdout, line: String::new() }
    }

    fn send(&mut self, line: &str) {
        self.stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn until(&mut self, text: &str) {
        loop {
            self.line.clear();
            assert!(self.stdout.read_line(&mut self.line).unwrap() > 0, "no line with {text}");
            if self.line.contains(text) {
                return;
            }
        }
    }

    /// Opens a session.
    fn open(&mut self) {
        self.send(INITIALIZE);
        self.send(CREATE);
        self.until("\"id\":2");
    }

    /// Has a turn done, until nothing runs any more.
    fn turn(&mut self) {
        self.send(PROMPT);
        self.until("turn.completed");
        self.until("\"idle\"");
    }

    fn resident_mib(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
    }

    /// Its CPU time so far, with that of its threads, in milliseconds.
    fn cpu_ms(&self) -> f64 {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        let times = tasks.flatten().filter_map(|task| {
            let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse::<f64>().ok()
        });
        times.sum::<f64>() / 1e6
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A provider that answers each request with the next of these replies, over connections that stay, and tells when each request was there and
/// when each answer was out.
struct Provider {
    url: String,
    came: Receiver<(Instant, Instant)>,
    server: JoinHandle<()>,
}

impl Provider {
    fn start(replies: Vec<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (told, came) = channel();
        let server = std::thread::spawn(move || {
            let mut stream: Option<TcpStream> = None;
            for body in replies {
                let connection = stream.get_or_insert_with(|| {
                    let (stream, _) = listener.accept().unwrap();
                    stream.set_nodelay(true).unwrap();
                    stream
                });
                provider::receive(connection);
                let arrived = Instant::now();
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n",
                    body.len()
                );
                connection.write_all(format!("{head}{body}").as_bytes()).unwrap();
                told.send((arrived, Instant::now())).unwrap();
            }
        });
        Self { url, came, server }
    }
}

fn say(text: &str) -> String {
    let delta =
        json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]});
    format!("data: {delta}\n\n{}", provider::END)
}

fn call(n: usize, tool: &str, arguments: &serde_json::Value) -> String {
    let function = json!({"name": tool, "arguments": arguments.to_string()});
    let call =
        json!({"index": 0, "id": format!("call{n}"), "type": "function", "function": function});
    let delta =
        json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": null}]});
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]});
    format!("data: {delta}\n\ndata: {end}\n\ndata: [DONE]\n\n")
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn at(values: &[f64], share: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get((sorted.len().saturating_sub(1)) * share / 100).copied().unwrap_or(f64::NAN)
}

/// What was measured of one figure, by program.
#[derive(Default)]
struct Figure {
    floor: Vec<f64>,
    pintle: Vec<f64>,
}

impl Figure {
    fn of(&mut self, program: Program) -> &mut Vec<f64> {
        match program {
            Program::Floor => &mut self.floor,
            Program::Pintle => &mut self.pintle,
        }
    }

    /// Prints the value of each program below which this share of a hundred lies.
    fn print(&self, what: &str, unit: &str, share: usize, aim: Aim) {
        let (floor, pintle) = (at(&self.floor, share), at(&self.pintle, share));
        row(what, unit, pintle, aim, Some(("floor", floor)));
    }
}

/// Start-up and prompts.
fn starts(folder: &Path) {
    let (mut start, mut first, mut later) = <(Figure, Figure, Figure)>::default();
    let (mut idle, mut used) = <(Figure, Figure)>::default();
    for _ in 0..STARTS {
        for program in PROGRAMS {
            let provider = Provider::start(vec![say("ok"); PROMPTS / STARTS + 1]);
            let began = Instant::now();
            let mut it = Running::start(program, folder, &provider.url);
            it.send(INITIALIZE);
            it.until("\"id\":1");
            start.of(program).push(ms(began.elapsed()));
            idle.of(program).push(it.resident_mib());
            it.send(CREATE);
            it.until("\"id\":2");
            for round in 0..=PROMPTS / STARTS {
                let began = Instant::now();
                it.turn();
                let (arrived, _) = provider.came.recv().unwrap();
                let took = ms(arrived.duration_since(began));
                if round == 0 {
                    first.of(program).push(took);
                } else {
                    later.of(program).push(took);
                }
                if round == 0 {
                    used.of(program).push(it.resident_mib());
                }
            }
            provider.server.join().unwrap();
        }
    }
    start.print("start to answered `initialize`, median", "ms", 50, Aim::Most(3.5));
    first.print("first prompt of a process to its request, median", "ms", 50, Aim::Most(4.0));
    later.print("a later prompt to its request, median", "ms", 50, Aim::Most(1.2));
    idle.print("memory resident when idle, median", "MiB", 50, Aim::Most(9.0));
    used.print("memory resident after one prompt, median", "MiB", 50, Aim::Most(12.0));
}

/// Rounds with a tool: from the end of an answer to the next request.
fn rounds(folder: &Path) {
    for (tool, arguments, aim) in [
        ("read", json!({"path": "file.txt", "limit": 1}), 0.4),
        ("bash", json!({"command": "echo"}), 4.0),
    ] {
        let (mut round, mut cpu, mut resident) = <(Figure, Figure, Figure)>::default();
        for _ in 0..REPEATS {
            for program in PROGRAMS {
                let mut replies: Vec<String> = (0..ROUNDS)
                    .map(|n| {
                        let mut arguments = arguments.clone();
                        // The same call over and over would be taken for going in circles.
                        match tool {
                            "read" => arguments["limit"] = json!(n + 1),
                            _ => arguments["command"] = json!(format!("echo {n}")),
                        }
                        call(n, tool, &arguments)
                    })
                    .collect();
                replies.push(say("done"));
                let provider = Provider::start(replies);
                let mut it = Running::start(program, folder, &provider.url);
                it.open();
                let before = it.cpu_ms();
                it.turn();
                let rounds = f64::from(u32::try_from(ROUNDS).unwrap());
                cpu.of(program).push((it.cpu_ms() - before) / rounds);
                resident.of(program).push(it.resident_mib());
                let times: Vec<(Instant, Instant)> =
                    provider.came.iter().take(ROUNDS + 1).collect();
                provider.server.join().unwrap();
                // The first command makes what the others use.
                for pair in times.windows(2).skip(1) {
                    round.of(program).push(ms(pair[1].0.duration_since(pair[0].1)));
                }
            }
        }
        let what = format!("a round with `{tool}`, median");
        round.print(&what, "ms", 50, Aim::Most(aim));
        let what = format!("a round with `{tool}`, CPU of the program itself, median");
        cpu.print(&what, "ms", 50, Aim::Most(3.0));
        let what = format!("memory resident after {ROUNDS} rounds with `{tool}`, median");
        resident.print(&what, "MiB", 50, Aim::Most(13.0));
    }
}

/// A delta from the provider's socket to our end of stdout, one after the other.
fn deltas(folder: &Path) {
    let mut all = Figure::default();
    for _ in 0..REPEATS {
        for program in PROGRAMS {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let url = format!("http://{}/v1", listener.local_addr().unwrap());
            let (sent_tx, sent) = channel();
            let (seen_tx, seen) = channel::<()>();
            let server = std::thread::spawn(move || {
                let mut stream = provider::begin(&listener);
                for n in 0..DELTAS {
                    let delta = json!({"choices": [{"index": 0, "delta": {"content": format!("<{n}>")}, "finish_reason": null}]});
                    sent_tx.send(Instant::now()).unwrap();
                    stream.write_all(format!("data: {delta}\n\n").as_bytes()).unwrap();
                    seen.recv().unwrap();
                    // The next one does not follow at once, as no model's does.
                    let pause = Instant::now();
                    while pause.elapsed() < Duration::from_micros(200) {
                        std::thread::yield_now();
                    }
                }
                stream.write_all(provider::END.as_bytes()).unwrap();
            });
            let mut it = Running::start(program, folder, &url);
            it.open();
            it.send(PROMPT);
            for n in 0..DELTAS {
                it.until(&format!("<{n}>"));
                let took = sent.recv().unwrap().elapsed();
                if n > 10 {
                    all.of(program).push(ms(took));
                }
                seen_tx.send(()).unwrap();
            }
            it.until("turn.completed");
            server.join().unwrap();
        }
    }
    all.print("a delta, socket to stdout, median", "ms", 50, Aim::Added(0.08));
    all.print("a delta, socket to stdout, p99", "ms", 99, Aim::Added(0.15));
}

/// Ten thousand deltas as fast as they go.
fn flood(folder: &Path) {
    let (mut resident, mut cpu) = <(Figure, Figure)>::default();
    for _ in 0..REPEATS {
        for program in PROGRAMS {
            let mut body = String::new();
            for n in 0..MANY_DELTAS {
                let delta = json!({"choices": [{"index": 0, "delta": {"content": format!("word{n} ")}, "finish_reason": null}]});
                writeln!(body, "data: {delta}\n").unwrap();
            }
            body.push_str(provider::END);
            let provider = Provider::start(vec![body]);
            let mut it = Running::start(program, folder, &provider.url);
            it.open();
            let before = it.cpu_ms();
            it.turn();
            cpu.of(program).push((it.cpu_ms() - before) / 1000.0);
            resident.of(program).push(it.resident_mib());
            provider.server.join().unwrap();
        }
    }
    resident.print("memory resident after 10,000 deltas, median", "MiB", 50, Aim::Most(13.0));
    cpu.print("10,000 deltas as fast as they go, CPU, median", "s", 50, Aim::Most(0.03));
}

pub(crate) fn run() {
    if let Some(url) = std::env::var_os("FLOOR") {
        return least::run(url.to_str().unwrap());
    }
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    std::fs::create_dir(&project).unwrap();
    std::fs::write(project.join("file.txt"), "a line of a file of usual length\n".repeat(200))
        .unwrap();
    report::head("floor: the engine beside the least that a process can do");
    starts(folder.path());
    deltas(folder.path());
    flood(folder.path());
    rounds(folder.path());
    let bytes = std::fs::metadata(env!("CARGO_BIN_EXE_pintle")).unwrap().len();
    let mb = f64::from(u32::try_from(bytes / 1000).unwrap()) / 1000.0;
    row("the program, its file", "MB", mb, Aim::Most(20.0), None);
}
