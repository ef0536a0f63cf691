//! Every exit code of `pintle run`, through the real program: the result line is as the schema says in each of them, nobody is waited for, and
//! nothing is left running.

use crate::support::program::{Place, is_running};
use crate::tasks::{Task, ended, text, tool};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use pintle_testing::waiting::until;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::net::TcpListener;
use std::process::{Command, Output, Stdio};

/// What happens to a run from outside.
enum Way {
    /// Nothing.
    Alone,
    /// Somebody keeps its stdin open and says nothing.
    SilentStdin,
    /// A signal comes in the middle of a call.
    Signal(Signal),
    /// No file may grow.
    FullDisk,
}

struct Row {
    name: &'static str,
    replies: Value,
    args: Vec<String>,
    way: Way,
    code: i32,
    stop: &'static str,
}

fn row(name: &'static str, replies: Value, args: &[&str], code: i32, stop: &'static str) -> Row {
    let args = args.iter().map(|arg| (*arg).to_owned()).collect();
    Row { name, replies, args, way: Way::Alone, code, stop }
}

impl Row {
    fn way(self, way: Way) -> Self {
        Self { way, ..self }
    }
}

/// A call that does not end by itself; its words are unique, so that what it started can be looked for.
fn endless(word: &str) -> Value {
    tool("bash", json!({"command": format!("echo {word} > begun.txt; exec -a {word} sleep 1000")}))
}

fn rows(url: &str) -> Vec<Row> {
    let write = || tool("write", json!({"path": "made.txt", "content": "x"}));
    let ls = || tool("ls", json!({}));
    let fails = |kind: &str| json!({"error": {"kind": kind, "message": "no"}});
    let long = json!({"blocks": [{"text": "long ".repeat(2000)}, {"tool": "ls", "arguments": {}}]});
    let silent = ["go", "--model", "own/m", "--api", "chat", "--base-url", url];
    let with = |more: &[&'static str]| -> Vec<String> {
        silent.iter().chain(more).map(|arg| (*arg).to_owned()).collect()
    };
    vec![
        row("done", json!([text("yes")]), &["go"], 0, "done"),
        row("nobody speaks on stdin", json!([text("yes")]), &["go"], 0, "done")
            .way(Way::SilentStdin),
        row("a full disk", json!(vec![long; 20]), &["go"], 1, "journal").way(Way::FullDisk),
        row("no such model", json!([]), &["go", "--model", "nobody/x", "--script"], 2, "usage"),
        row("auth", json!([fails("auth")]), &["go"], 3, "auth"),
        row("network", json!([fails("network")]), &["go"], 3, "network"),
        row("rate limit", json!([fails("rateLimit")]), &["go"], 3, "rateLimit"),
        row(
            "denied",
            json!([write(), text("x")]),
            &["go", "--permission", "read-only"],
            4,
            "denied",
        ),
        row("steps", json!([ls(), text("x")]), &["go", "--max-steps", "1"], 5, "stepLimit"),
        row(
            "calls",
            json!([ls(), text("x")]),
            &["go", "--max-tool-calls", "1"],
            5,
            "toolCallLimit",
        ),
        row(
            "silence",
            json!([endless("pintle-row-idle")]),
            &["go", "--permission", "full", "--idle-timeout", "1"],
            5,
            "idleTimeout",
        ),
        row(
            "no JSON",
            json!([text("a"), text("b"), text("c")]),
            &["go", "--output-schema", "schema.json"],
            6,
            "outputInvalid",
        ),
        row("no change", json!([text("x")]), &["go", "--require-changes"], 7, "unchanged"),
        row(
            "time",
            json!([endless("pintle-row-wall")]),
            &["go", "--permission", "full", "--timeout", "1"],
            124,
            "wallClock",
        ),
        Row {
            args: with(&["--timeout", "1"]),
            ..row("a provider that never answers", Value::Null, &[], 124, "wallClock")
        },
        Row {
            args: with(&["--idle-timeout", "1"]),
            ..row("a provider that never answers, by silence", Value::Null, &[], 5, "idleTimeout")
        },
        row(
            "SIGINT",
            json!([endless("pintle-row-int")]),
            &["go", "--permission", "full"],
            130,
            "signal",
        )
        .way(Way::Signal(Signal::SIGINT)),
        row(
            "SIGTERM",
            json!([endless("pintle-row-term")]),
            &["go", "--permission", "full"],
            143,
            "signal",
        )
        .way(Way::Signal(Signal::SIGTERM)),
    ]
}

fn run(row: &Row) -> (Place, Output) {
    let task = Task::new(row.replies.clone());
    std::fs::write(task.place.path("schema.json"), r#"{"type": "object"}"#).unwrap();
    let mut args: Vec<&str> = vec!["run", "--quiet", "--format", "json"];
    args.extend(row.args.iter().map(String::as_str).filter(|arg| *arg != "--script"));
    // A model that is named answers by itself.
    if !row.args.iter().any(|arg| arg == "--model") {
        args.extend(["--script", &task.script]);
    }
    let place = &task.place;
    let mut command = match row.way {
        Way::FullDisk => place.limited_command(71, &args),
        Way::Alone | Way::SilentStdin | Way::Signal(_) => place.command(&args),
    };
    command.env("CI", "true").env("NO_COLOR", "1").stdout(Stdio::piped()).stderr(Stdio::piped());
    let silent = matches!(row.way, Way::SilentStdin);
    command.stdin(if silent { Stdio::piped() } else { Stdio::null() });
    let mut child = command.spawn().unwrap();
    let kept = child.stdin.take();
    if let Way::Signal(signal) = row.way {
        until(|| std::fs::read(place.path("begun.txt")).is_ok_and(|text| !text.is_empty()));
        kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
    }
    let out = child.wait_with_output().unwrap();
    drop(kept);
    (task.place, out)
}

#[test]
fn each_exit_code_has_its_result_and_leaves_nothing_running() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let mut codes = BTreeSet::new();
    for row in rows(&url) {
        let (_place, out) = run(&row);
        let (code, result, said) = ended(&out);
        let name = row.name;
        assert!(result.is_object(), "{name}: no result: {said}");
        assert_eq!(
            (code, &result["stop"]),
            (row.code, &json!(row.stop)),
            "{name}: {result} {said}"
        );
        assert!(!said.contains('\u{1b}'), "{name}: {said:?}");
        codes.insert(code);
    }
    assert_eq!(codes, BTreeSet::from([0, 1, 2, 3, 4, 5, 6, 7, 124, 130, 143]));
    for word in ["pintle-row-idle", "pintle-row-wall", "pintle-row-int", "pintle-row-term"] {
        until(|| !is_running(&format!("{word}\0")));
    }
}

#[test]
fn a_stdout_that_nobody_reads_ends_the_run() {
    let task = Task::new(json!([endless("pintle-row-hup"), text("never")]));
    let args = [
        "run",
        "--quiet",
        "--format",
        "events",
        "--script",
        &task.script,
        "go",
        "--permission=full",
    ];
    let mut command = task.place.command(&args);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    until(|| task.place.path("begun.txt").exists());
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(141));
    until(|| !is_running("pintle-row-hup\0"));
    // One that was never open is as good as nobody who reads: what was done is done.
    let task = Task::new(json!([text("done")]));
    let program = task.command(&["go"]);
    let mut command = Command::new("sh");
    command
        .args(["-c", "exec \"$0\" \"$@\" >&-"])
        .arg(program.get_program())
        .args(program.get_args());
    command.current_dir(task.place.project());
    command.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let out = command.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(matches!(out.status.code(), Some(0 | 141)), "{:?} {said}", out.status);
}

#[test]
fn a_task_on_stdin_is_read_to_its_end() {
    let task = Task::new(json!([text("done")]));
    let mut command = task.command(&["-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"do it").unwrap();
    let (code, result, _) = ended(&child.wait_with_output().unwrap());
    assert_eq!(code, 0, "{result}");
    let journal = std::fs::read_to_string(result["journal"].as_str().unwrap()).unwrap();
    assert!(journal.contains("do it"), "{journal}");
}
