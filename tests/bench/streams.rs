//! Many sessions at once, and an engine with nothing to do, measured on the real program that clients share:
//!
//! ```text
//! cargo bench -- streams
//! ```
//!
//! - 50 sessions that stream at once, each 100 deltas a second: from the provider's socket to our end of the client's stdout
//! - CPU time of the engine while a client is attached and nothing happens
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "a benchmark measures real time on the real program"
)]

use crate::provider;
use crate::report::{self, Aim, row};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

const SESSIONS: usize = 50;
/// Of each session.
const DELTAS: usize = 500;
/// 100 deltas a second.
const PACE: Duration = Duration::from_millis(10);
const IDLE: Duration = Duration::from_secs(5);
const INITIALIZE: &str = r#"{"id":"i","method":"initialize","params":{"protocol":{"name":"pintle","versions":["2.0"]}}}"#;

struct Client {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Client {
    fn attach(folder: &Path, args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pintle"))
            .arg("attach")
            .args(args)
            .current_dir(folder)
            .env("PINTLE_HOME", folder.join("home"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut client = Self { child, stdin, stdout };
        client.send(INITIALIZE);
        client.until("\"result\"");
        client
    }

    fn send(&mut self, line: &str) {
        self.stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.stdout.read_line(&mut line).unwrap() > 0, "the engine is gone");
        line
    }

    fn until(&mut self, text: &str) -> String {
        loop {
            let line = self.line();
            if line.contains(text) {
                return line;
            }
        }
    }
}

/// Ends the engine of a folder, and waits until it has.
fn end(folder: &Path, mut client: Client) {
    Command::new("kill").arg(pid(folder)).status().unwrap();
    while folder.join("home/engine.json").exists() {
        std::thread::yield_now();
    }
    client.child.wait().unwrap();
}

fn pid(folder: &Path) -> String {
    let file = std::fs::read_to_string(folder.join("home/engine.json")).unwrap();
    file.split("\"pid\":").nth(1).unwrap().split(',').next().unwrap().to_owned()
}

/// Streams one reply in pieces `<number of the stream:number of the piece>`, and says when each was sent.
fn stream(listener: &TcpListener, number: usize, sent: &Sender<(usize, usize, Instant)>) {
    let mut stream = provider::begin(listener);
    let began = Instant::now();
    for n in 0..DELTAS {
        let due = PACE * u32::try_from(n).unwrap();
        std::thread::sleep(due.saturating_sub(began.elapsed()));
        let piece = format!(
            "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"<{number}:{n}>\"}},\"finish_reason\":null}}]}}\n\n"
        );
        sent.send((number, n, Instant::now())).unwrap();
        stream.write_all(piece.as_bytes()).unwrap();
    }
    stream.write_all(provider::END.as_bytes()).unwrap();
}

fn many_streams(folder: &Path) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (sent_tx, sent) = channel();
    let streams: Vec<_> = (0..SESSIONS)
        .map(|number| {
            let (listener, sent) = (listener.try_clone().unwrap(), sent_tx.clone());
            std::thread::spawn(move || stream(&listener, number, &sent))
        })
        .collect();
    let mut client =
        Client::attach(folder, &["--model", "own/m", "--api", "chat", "--base-url", &url]);
    let mut sessions = Vec::new();
    for number in 0..SESSIONS {
        client.send(&format!(r#"{{"id":"c{number}","method":"session/create"}}"#));
        let made = client.until(&format!("\"id\":\"c{number}\""));
        let id = made.split("\"sessionId\":\"").nth(1).unwrap().split('"').next().unwrap();
        sessions.push(id.to_owned());
    }
    for id in &sessions {
        client.send(&format!(
            r#"{{"id":"t","method":"turn/start","params":{{"sessionId":"{id}","input":[{{"type":"text","text":"go"}}]}}}}"#
        ).replace("\"t\"", &format!("\"t{id}\"")));
    }
    let mut seen = vec![vec![None; DELTAS]; SESSIONS];
    let (mut ended, mut messages) = (0, 0);
    while ended < SESSIONS {
        let line = client.line();
        let now = Instant::now();
        ended += usize::from(line.contains("\"turn.completed\""));
        if !line.contains("\"item.delta\"") {
            continue;
        }
        messages += 1;
        for piece in line.split('<').skip(1) {
            let (stream, rest) = piece.split_once(':').unwrap();
            let n = rest.split('>').next().unwrap();
            seen[stream.parse::<usize>().unwrap()][n.parse::<usize>().unwrap()] = Some(now);
        }
    }
    drop(sent_tx);
    for stream in streams {
        stream.join().unwrap();
    }
    let mut times: Vec<Duration> =
        sent.iter().map(|(stream, n, at)| seen[stream][n].unwrap().duration_since(at)).collect();
    times.sort();
    let at = |share: usize| times[(times.len() - 1) * share / 1000].as_secs_f64() * 1000.0;
    let what = format!("a delta of {SESSIONS} sessions at once, socket to stdout");
    for (name, share, aim) in [
        ("median", 500, Aim::None),
        ("p95", 950, Aim::None),
        ("p99", 990, Aim::Most(20.0)),
        ("p99.9", 999, Aim::None),
        ("slowest", 1000, Aim::None),
    ] {
        row(&format!("{what}, {name}"), "ms", at(share), aim, None);
    }
    let count = |of: usize| f64::from(u32::try_from(of).unwrap());
    let beside = Some(("deltas", count(times.len())));
    row("messages for all of these deltas", "", count(messages), Aim::None, beside);
    end(folder, client);
}

/// The CPU time of a process in ticks, of user and system together.
fn ticks(pid: &str) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    // The fields behind the name, which is in parentheses; 14 and 15 of all.
    let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

fn idle(folder: &Path) {
    let mut client = Client::attach(folder, &["--model", "ollama/none"]);
    client.send(r#"{"id":"c","method":"session/create"}"#);
    client.until("session.created");
    let pid = pid(folder);
    // What the engine does after the beginning, such as filling its index, has an end.
    std::thread::sleep(Duration::from_secs(1));
    let before = ticks(&pid);
    std::thread::sleep(IDLE);
    let what = format!("idle with a client, ticks of CPU time in {} s", IDLE.as_secs());
    let spent = f64::from(u32::try_from(ticks(&pid) - before).unwrap());
    row(&what, "", spent, Aim::Most(0.0), None);
    end(folder, client);
}

pub(crate) fn run() {
    let folder = tempfile::tempdir().unwrap();
    report::head("streams: many sessions at once, and none that does anything");
    many_streams(folder.path());
    idle(folder.path());
}
