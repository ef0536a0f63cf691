//! What a task of a batch costs beside its turn, on the real program with the scripted model:
//!
//! ```text
//! cargo bench -- batch
//! ```
//!
//! A thousand tasks of one reply each, by eight workers. The cost is the CPU time (user and system) of the batch and all its workers for
//! each task; beside it stands what the same thousand turns cost in one engine, as prompts of one session after another over `pintle serve`,
//! and the aim is of what a task costs more. Below it: the same tasks by `pintle run`, a process for each.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark measures real time on the real program"
)]

use crate::report::{self, Aim, row};
use nix::sys::resource::{UsageWho, getrusage};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const TASKS: u32 = 1000;
const WORKERS: &str = "8";
/// Starting a process takes long enough that fewer give the same figure.
const PROCESSES: u32 = 50;
/// The most that a task may cost beside its turn.
const AIM_MS: f64 = 1.0;

/// The CPU time of all children that have ended and were waited for.
fn of_children() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let duration = |time: nix::sys::time::TimeVal| {
        let seconds = Duration::from_secs(u64::try_from(time.tv_sec()).unwrap());
        seconds + Duration::from_micros(u64::try_from(time.tv_usec()).unwrap())
    };
    duration(usage.user_time()) + duration(usage.system_time())
}

/// The CPU time and the wall time of what runs, for each of a number of tasks, in milliseconds.
fn measured(count: u32, run: impl FnOnce()) -> (f64, f64) {
    let (cpu, began) = (of_children(), Instant::now());
    run();
    let each = |time: Duration| time.as_secs_f64() * 1000.0 / f64::from(count);
    (each(of_children().saturating_sub(cpu)), each(began.elapsed()))
}

fn program(folder: &Path, home: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pintle"));
    command.current_dir(folder).env("PINTLE_HOME", folder.join(home));
    command
}

/// One session after another, each with one turn.
fn turns(folder: &Path, script: &str) {
    let mut child = program(folder, "turns")
        .args(["serve", "--script", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    let mut until = |text: &str| {
        loop {
            line.clear();
            assert!(stdout.read_line(&mut line).unwrap() > 0, "no line with {text}");
            if line.contains(text) {
                break;
            }
        }
    };
    let hello = r#"{"id":1,"method":"initialize","params":{"protocol":{"name":"pintle","versions":["2.0"]}}}"#;
    writeln!(stdin, "{hello}").unwrap();
    until("\"result\"");
    for id in 0..TASKS {
        let (create, start, close) = (3 * id + 10, 3 * id + 11, 3 * id + 12);
        writeln!(stdin, r#"{{"id":{create},"method":"session/create"}}"#).unwrap();
        until(&format!("\"id\":{create}"));
        writeln!(stdin, r#"{{"id":{start},"method":"turn/start","params":{{"input":[{{"type":"text","text":"go"}}]}}}}"#).unwrap();
        until("\"turn.completed\"");
        writeln!(stdin, r#"{{"id":{close},"method":"session/close"}}"#).unwrap();
        until(&format!("\"id\":{close}"));
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

pub(crate) fn run() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let reply = r#"{"blocks":[{"text":"done"}]}"#;
    let replies = vec![reply; TASKS as usize].join(",");
    let script = folder.join("script.json");
    std::fs::write(&script, format!("{{\"replies\":[{replies}]}}")).unwrap();
    let script = script.to_str().unwrap();
    let mut list = String::new();
    for id in 0..TASKS {
        writeln!(list, r#"{{"id":"t{id}","prompt":"go"}}"#).unwrap();
    }
    std::fs::write(folder.join("tasks.jsonl"), list).unwrap();

    let (turn, turn_wall) = measured(TASKS, || turns(folder, script));
    let (task, task_wall) = measured(TASKS, || {
        let args = ["batch", "tasks.jsonl", "--out", "out", "--jobs", WORKERS, "--script", script];
        let status =
            program(folder, "batch").args(args).arg("--quiet").stdout(Stdio::null()).status();
        assert!(status.unwrap().success());
    });
    let one = folder.join("one.json");
    std::fs::write(&one, format!("{{\"replies\":[{reply}]}}")).unwrap();
    let (run, run_wall) = measured(PROCESSES, || {
        for _ in 0..PROCESSES {
            let args = ["run", "--quiet", "--script", one.to_str().unwrap(), "go"];
            let status = program(folder, "run").args(args).stdout(Stdio::null()).status();
            assert!(status.unwrap().success());
        }
    });
    report::head("batch: a task beside its turn, each the mean of many");
    let of_turns = format!("a turn, of {TASKS} sessions in one engine");
    row(&format!("{of_turns}, CPU"), "ms", turn, Aim::None, None);
    row(&format!("{of_turns}, wall"), "ms", turn_wall, Aim::None, None);
    let of_tasks = format!("a task of a batch, of {TASKS} by {WORKERS} workers");
    let (cpu, wall) = (Some(("a turn", turn)), Some(("a turn", turn_wall)));
    row(&format!("{of_tasks}, CPU"), "ms", task, Aim::Added(AIM_MS), cpu);
    row(&format!("{of_tasks}, wall"), "ms", task_wall, Aim::None, wall);
    row("a task by `pintle run`, a process of its own, CPU", "ms", run, Aim::None, cpu);
    row("a task by `pintle run`, a process of its own, wall", "ms", run_wall, Aim::None, wall);
}
