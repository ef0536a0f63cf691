//! The figures that the engine promises, measured on the real program over pipes:
//!
//! ```text
//! cargo bench -- latency
//! ```
//!
//! - start-up: from the spawn to the answered `initialize`, beside the spawn of `/bin/true`
//! - a delta: from the provider's socket to our end of stdout, beside a plain read of the same socket
//! - a tool round: one reply with one call, the engine's part alone and with the tool
//! - a command in a large folder: the first one, whose look at the folder keeps all contents, and those after it, also in an empty
//!   folder; the same with commands that write a file
//! - a long turn: a round among the first hundred of a thousand, and among the last
//! - a prompt: from `turn/start` to the request on the provider's socket, the connection being there
//! - a stop: from `turn/interrupt` to the end of a turn whose provider is silent in the middle of its reply
//! - memory: resident, when idle and after a turn
//! - the engine that clients share: a delta through `pintle attach`, and the engine's CPU time with a second client
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "a benchmark measures real time on the real program"
)]

use crate::provider;
use crate::report::{self, Aim, row};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const STARTS: usize = 60;
const DELTAS: usize = 2000;
const ROUNDS: usize = 180;
const STOPS: usize = 100;
const PROMPTS: usize = 200;
const COMMANDS: usize = 20;
/// The numbers of files of folders in which commands run; over 20,000 no command is tracked.
const FOLDERS: [usize; 3] = [0, 15_000, 100_000];
const LONG_TURN: usize = 1000;
const INITIALIZE: &str =
    r#"{"id":1,"method":"initialize","params":{"protocol":{"name":"pintle","versions":["2.0"]}}}"#;
const CREATE: &str = r#"{"id":2,"method":"session/create"}"#;
const PROMPT: &str =
    r#"{"id":3,"method":"turn/start","params":{"input":[{"type":"text","text":"go"}]}}"#;

struct Engine {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    line: String,
}

impl Engine {
    fn start(folder: &std::path::Path, args: &[&str]) -> Self {
        Self::start_as("serve", folder, &folder.join("home"), args)
    }

    fn start_as(
        task: &str,
        folder: &std::path::Path,
        home: &std::path::Path,
        args: &[&str],
    ) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pintle"))
            .arg(task)
            .args(args)
            .current_dir(folder)
            .env("PINTLE_HOME", home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdin, stdout, line: String::new() }
    }

    fn send(&mut self, line: &str) {
        self.stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn until(&mut self, text: &str) -> &str {
        loop {
            self.line.clear();
            assert!(self.stdout.read_line(&mut self.line).unwrap() > 0, "no line with {text}");
            if self.line.contains(text) {
                return &self.line;
            }
        }
    }

    fn resident_mib(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Median and 95th percentile, in milliseconds.
type Spread = (f64, f64);

fn spread(mut times: Vec<Duration>) -> Spread {
    times.sort();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1000.0;
    (at(50), at(95))
}

/// Prints both. The aim is the median's.
fn rows(what: &str, (p50, p95): Spread, aim: Aim, beside: Option<(&str, Spread)>) {
    let medians = beside.map(|(name, (p50, _))| (name, p50));
    row(&format!("{what}, median"), "ms", p50, aim, medians);
    let others = beside.map(|(name, (_, p95))| (name, p95));
    row(&format!("{what}, p95"), "ms", p95, Aim::None, others);
}

fn start_up(folder: &std::path::Path) {
    let mut bare = Vec::new();
    let mut answered = Vec::new();
    let mut idle = 0.0;
    for _ in 0..STARTS {
        let began = Instant::now();
        Command::new("/bin/true").status().unwrap();
        bare.push(began.elapsed());

        let began = Instant::now();
        let mut engine = Engine::start(folder, &["--model", "ollama/none"]);
        engine.send(INITIALIZE);
        engine.until("\"result\"");
        answered.push(began.elapsed());
        idle = engine.resident_mib();
    }
    let (bare, answered) = (spread(bare), spread(answered));
    rows("start to answered `initialize`", answered, Aim::Most(5.0), Some(("/bin/true", bare)));
    row("memory resident when idle", "MiB", idle, Aim::Most(10.0), None);
}

/// A provider that sends its deltas one by one: its address, when each was sent, and where to say that it was seen.
fn one_by_one() -> (String, Receiver<Instant>, Sender<()>, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (sent_tx, sent) = channel();
    let (seen_tx, seen) = channel::<()>();
    let server = std::thread::spawn(move || {
        let mut stream = provider::begin(&listener);
        for n in 0..DELTAS {
            let piece = format!(
                "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"<{n}>\"}},\"finish_reason\":null}}]}}\n\n"
            );
            sent_tx.send(Instant::now()).unwrap();
            stream.write_all(piece.as_bytes()).unwrap();
            // The next one follows when this one was seen, and not at once: as a model would send it.
            seen.recv().unwrap();
            let pause = Instant::now();
            while pause.elapsed() < Duration::from_micros(200) {
                std::thread::yield_now();
            }
        }
        stream.write_all(provider::END.as_bytes()).unwrap();
    });
    (url, sent, seen_tx, server)
}

/// Deltas through `pintle serve`, and what they took.
fn deltas(folder: &std::path::Path) -> Spread {
    let (url, sent, seen_tx, server) = one_by_one();
    let args = ["--model", "own/m", "--api", "chat", "--base-url", &url];
    let mut engine = Engine::start(folder, &args);
    for line in [INITIALIZE, CREATE, PROMPT] {
        engine.send(line);
    }
    let mut times = Vec::new();
    for n in 0..DELTAS {
        engine.until(&format!("<{n}>"));
        times.push(sent.recv().unwrap().elapsed());
        seen_tx.send(()).unwrap();
    }
    engine.until("turn.completed");
    let after = engine.resident_mib();
    server.join().unwrap();
    let (bare, times) = (spread(bare_socket()), spread(times));
    rows("a delta, socket to stdout", times, Aim::Added(0.11), Some(("plain read", bare)));
    row("memory resident after a turn over HTTP", "MiB", after, Aim::Most(10.0), None);
    times
}

/// Deltas through `pintle attach`, with one client and with two, beside those through `pintle serve`.
fn shared(folder: &std::path::Path, serve: Spread) {
    let mut cpu = Vec::new();
    for clients in [1, 2] {
        let (url, sent, seen_tx, server) = one_by_one();
        let args = ["--model", "own/m", "--api", "chat", "--base-url", &url];
        let mut first = Engine::start_as("attach", folder, &folder.join("home"), &args);
        first.send(INITIALIZE);
        first.send(CREATE);
        let made = first.until("sessionId").to_owned();
        let id = made.split("\"sessionId\":\"").nth(1).unwrap().split('"').next().unwrap();
        let others: Vec<Engine> = (1..clients)
            .map(|_| {
                let mut other = Engine::start_as("attach", folder, &folder.join("home"), &[]);
                other.send(INITIALIZE);
                other.send(&format!(
                    r#"{{"id":2,"method":"session/open","params":{{"sessionId":"{id}"}}}}"#
                ));
                other.until("sandbox");
                other
            })
            .collect();
        let file = std::fs::read_to_string(folder.join("home/engine.json")).unwrap();
        let pid = file.split("\"pid\":").nth(1).unwrap().split(',').next().unwrap().to_owned();
        let readers: Vec<_> = others
            .into_iter()
            .map(|mut other| std::thread::spawn(move || other.until("turn.completed").len()))
            .collect();
        let before = cpu_ms(&pid);
        first.send(PROMPT);
        let mut times = Vec::new();
        for n in 0..DELTAS {
            first.until(&format!("<{n}>"));
            times.push(sent.recv().unwrap().elapsed());
            seen_tx.send(()).unwrap();
        }
        first.until("turn.completed");
        cpu.push(cpu_ms(&pid) - before);
        server.join().unwrap();
        for reader in readers {
            reader.join().unwrap();
        }
        if clients == 1 {
            let (what, beside) = ("a delta through `pintle attach`", Some(("serve", serve)));
            rows(what, spread(times), Aim::Added(0.1), beside);
        }
        Command::new("kill").arg(&pid).status().unwrap();
        while folder.join("home/engine.json").exists() {
            std::thread::yield_now();
        }
    }
    let what = format!("CPU of the shared engine for {DELTAS} deltas, two clients");
    row(&what, "ms", cpu[1], Aim::Times(1.1), Some(("one client", cpu[0])));
}

/// The CPU time of all threads of a process, in milliseconds.
fn cpu_ms(pid: &str) -> f64 {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let times = tasks.flatten().filter_map(|task| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    });
    times.sum::<f64>() / 1e6
}

/// The same pieces, read by a plain program.
fn bare_socket() -> Vec<Duration> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    stream.set_nodelay(true).unwrap();
    let (mut reader, _) = listener.accept().unwrap();
    let (sent_tx, sent) = channel();
    let (seen_tx, seen) = channel::<()>();
    let writer = std::thread::spawn(move || {
        for _ in 0..DELTAS {
            sent_tx.send(Instant::now()).unwrap();
            stream.write_all(&[b'x'; 140]).unwrap();
            seen.recv().unwrap();
            let pause = Instant::now();
            while pause.elapsed() < Duration::from_micros(200) {
                std::thread::yield_now();
            }
        }
    });
    let mut times = Vec::new();
    let mut bytes = [0; 140];
    for _ in 0..DELTAS {
        reader.read_exact(&mut bytes).unwrap();
        times.push(sent.recv().unwrap().elapsed());
        seen_tx.send(()).unwrap();
    }
    writer.join().unwrap();
    times
}

/// One tool call in each of many replies; the median time of a round.
fn rounds(folder: &std::path::Path, call: impl Fn(usize) -> String) -> f64 {
    let mut replies: Vec<String> =
        (0..ROUNDS).map(|n| format!(r#"{{"blocks":[{}]}}"#, call(n))).collect();
    replies.push(r#"{"blocks":[{"text":"done"}]}"#.to_owned());
    let script = folder.join("script.json");
    std::fs::write(&script, format!(r#"{{"replies":[{}]}}"#, replies.join(","))).unwrap();
    let lines = "a line of a file of usual length\n".repeat(200);
    let mut times = Vec::new();
    for _ in 0..10 {
        std::fs::write(folder.join("file.txt"), format!("{lines}number 0\n")).unwrap();
        let args = ["--permission", "full", "--script", script.to_str().unwrap()];
        let mut engine = Engine::start(folder, &args);
        engine.send(INITIALIZE);
        engine.send(CREATE);
        engine.until("session.created");
        let began = Instant::now();
        engine.send(PROMPT);
        engine.until("turn.completed");
        times.push(began.elapsed() / u32::try_from(ROUNDS).unwrap());
    }
    spread(times).0
}

fn tool_rounds(folder: &std::path::Path) {
    // A call that is refused for its arguments runs through everything but a tool. Each is another one: the same call over
    // and over would be taken for going in circles.
    let engine = rounds(folder, |n| format!(r#"{{"tool":"read","arguments":{{"path":{n}}}}}"#));
    let ls = rounds(folder, |n| format!(r#"{{"tool":"ls","arguments":{{"limit":{}}}}}"#, n + 9));
    let read = rounds(folder, small_read);
    let edit = rounds(folder, |n| {
        let next = n + 1;
        format!(
            r#"{{"tool":"edit","arguments":{{"path":"file.txt","oldText":"number {n}\n","newText":"number {next}\n"}}}}"#
        )
    });
    // What a change of a file costs on the disk without an engine.
    let path = folder.join("file.txt");
    let mut bare = Vec::new();
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(folder.join("other.txt"), &text).unwrap();
        std::fs::rename(folder.join("other.txt"), &path).unwrap();
        bare.push(began.elapsed());
    }
    let (bare, _) = spread(bare);
    for (what, took, aim, beside) in [
        ("the engine's part", engine, Aim::Most(0.3), None),
        ("with `ls`", ls, Aim::None, None),
        ("with `read`", read, Aim::None, None),
        ("with `edit`", edit, Aim::None, Some(("read, write, rename", bare))),
    ] {
        row(&format!("a tool round, {what}, median of turns"), "ms", took, aim, beside);
    }
}

fn small_read(n: usize) -> String {
    format!(r#"{{"tool":"read","arguments":{{"path":"file.txt","limit":{}}}}}"#, n + 1)
}

/// Commands in folders of many files, each after a look at the folder and before another one: such that change nothing, and such that write
/// a file.
fn commands(folder: &std::path::Path) {
    commands_like(folder, "a command", &|n| format!("true {n}"), Aim::Most(8.0));
    commands_like(folder, "a writing command", &|n| format!("echo {n} > made.txt"), Aim::None);
}

fn commands_like(
    folder: &std::path::Path,
    name: &str,
    command: &dyn Fn(usize) -> String,
    aim: Aim,
) {
    let mut replies: Vec<String> = (0..COMMANDS)
        .map(|n| {
            let command = command(n);
            format!(r#"{{"blocks":[{{"tool":"bash","arguments":{{"command":"{command}"}}}}]}}"#)
        })
        .collect();
    replies.push(r#"{"blocks":[{"text":"done"}]}"#.to_owned());
    let script = folder.join("script.json");
    std::fs::write(&script, format!(r#"{{"replies":[{}]}}"#, replies.join(","))).unwrap();
    for count in FOLDERS {
        let project = tempfile::tempdir().unwrap();
        for n in 0..count {
            let within = project.path().join(format!("{}/{}", n / 1000, n / 50));
            if n % 50 == 0 {
                std::fs::create_dir_all(&within).unwrap();
            }
            std::fs::write(within.join(format!("{n}.txt")), format!("{n}\n").repeat(50)).unwrap();
        }
        let args = ["--permission", "full", "--script", script.to_str().unwrap()];
        // What the engine writes is no file of the project.
        let mut engine = Engine::start_as("serve", project.path(), &folder.join("home"), &args);
        engine.send(INITIALIZE);
        engine.send(CREATE);
        engine.until("session.created");
        engine.send(PROMPT);
        engine.until("turn.started");
        let mut times = Vec::new();
        for _ in 0..COMMANDS {
            let began = Instant::now();
            engine.until("step.completed");
            times.push(began.elapsed());
        }
        engine.until("turn.completed");
        let first = times.remove(0).as_secs_f64() * 1000.0;
        let what = format!("{name} among {count} files");
        row(&format!("{what}, the first"), "ms", first, Aim::None, None);
        rows(&format!("{what}, later ones"), spread(times), aim, None);
    }
}

/// A thousand small reads in one turn: what a round takes at its beginning and at its end.
fn growth(folder: &std::path::Path) {
    let mut replies: Vec<String> = (0..LONG_TURN)
        .map(|n| format!(r#"{{"blocks":[{}]}}"#, small_read(n % 50 + n / 50 * 50)))
        .collect();
    replies.push(r#"{"blocks":[{"text":"done"}]}"#.to_owned());
    let script = folder.join("script.json");
    std::fs::write(&script, format!(r#"{{"replies":[{}]}}"#, replies.join(","))).unwrap();
    std::fs::write(folder.join("file.txt"), "a line\n".repeat(50)).unwrap();
    // The user's own limits end at 200 replies.
    let home = folder.join("home");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join("config.toml"), format!("[limits]\nsteps = {}\n", LONG_TURN + 9))
        .unwrap();
    let (mut first, mut last) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        let args = ["--permission", "full", "--script", script.to_str().unwrap()];
        let mut engine = Engine::start(folder, &args);
        engine.send(INITIALIZE);
        engine.send(CREATE);
        engine.until("session.created");
        engine.send(PROMPT);
        let mut began = Instant::now();
        for round in 0..LONG_TURN {
            engine.until("step.completed");
            let now = Instant::now();
            let took = std::mem::replace(&mut began, now).elapsed();
            match round {
                1..=100 => first.push(took),
                _ if round >= LONG_TURN - 100 => last.push(took),
                _ => {}
            }
        }
        engine.until("turn.completed");
    }
    std::fs::remove_file(home.join("config.toml")).unwrap();
    let ((first, _), (last, _)) = (spread(first), spread(last));
    let what = format!("a round among the last 100 of a turn of {LONG_TURN}, median");
    row(&what, "ms", last, Aim::Times(1.1), Some(("the first 100", first)));
}

/// From `turn/start` to the request on the provider's socket.
fn prompts(folder: &std::path::Path) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (came, arrivals) = channel();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        for _ in 0..=PROMPTS {
            provider::receive(&mut stream);
            came.send(Instant::now()).unwrap();
            let body = "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        }
    });
    let args = ["--model", "own/m", "--api", "chat", "--base-url", &url];
    let mut engine = Engine::start(folder, &args);
    engine.send(INITIALIZE);
    engine.send(CREATE);
    let mut times = Vec::new();
    for round in 0..=PROMPTS {
        let began = Instant::now();
        engine.send(PROMPT);
        let arrived = arrivals.recv().unwrap();
        engine.until("turn.completed");
        engine.until("\"idle\"");
        // The first one connects, and makes the session's prompt.
        if round > 0 {
            times.push(arrived.duration_since(began));
        }
    }
    server.join().unwrap();
    rows("a prompt to its request", spread(times), Aim::Most(1.0), None);
}

fn stops(folder: &std::path::Path) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        for _ in 0..STOPS {
            let mut stream = provider::begin(&listener);
            let delta = "data: {\"choices\":[{\"delta\":{\"content\":\"<go>\"}}]}\n\n";
            stream.write_all(delta.as_bytes()).unwrap();
            // Until the engine leaves.
            let _ = stream.read(&mut [0]);
        }
    });
    let args = ["--model", "own/m", "--api", "chat", "--base-url", &url];
    let mut engine = Engine::start(folder, &args);
    engine.send(INITIALIZE);
    engine.send(CREATE);
    let mut times = Vec::new();
    for _ in 0..STOPS {
        engine.send(PROMPT);
        engine.until("<go>");
        let began = Instant::now();
        engine.send(r#"{"id":4,"method":"turn/interrupt"}"#);
        engine.until("turn.completed");
        times.push(began.elapsed());
    }
    server.join().unwrap();
    rows("a stop, to the end of the turn", spread(times), Aim::Most(100.0), None);
}

pub(crate) fn run() {
    let folder = tempfile::tempdir().unwrap();
    report::head("latency: what the engine promises");
    start_up(folder.path());
    let serve = deltas(folder.path());
    shared(folder.path(), serve);
    tool_rounds(folder.path());
    commands(folder.path());
    growth(folder.path());
    prompts(folder.path());
    stops(folder.path());
}
