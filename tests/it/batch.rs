//! `pintle batch`: what is finished stays so through kills and restarts, budgets hold across workers, a worker that dies takes no other with
//! it, and shards that are merged look like one run. The model is a server that answers by what a task says, and may hold its answer.

use crate::support::program::{Place, is_running, wait};
use crate::support::server::{Connection, Received, Server};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use pintle_testing::waiting::until;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// The tokens of an answer.
const TOKENS: u64 = 100;

/// A server that stands in for a model. A prompt is `ID: VERB`, with `say` (answer), `hold` (answer when it is released), `write` (make the
/// file `made.txt`, then answer) or `find` (report a finding about `made.txt`, then answer).
struct Model {
    url: String,
    /// The ids of the tasks, in the order in which their first requests came.
    asked: Arc<Mutex<Vec<String>>>,
    is_released: watch::Sender<bool>,
    _thread: std::thread::JoinHandle<()>,
}

impl Model {
    fn start() -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (is_released, released) = watch::channel(false);
        let (url_tx, url) = std::sync::mpsc::channel();
        let thread = std::thread::spawn({
            let asked = Arc::clone(&asked);
            move || {
                let runtime =
                    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(async {
                    let server = Server::start().await;
                    url_tx.send(server.url.clone()).unwrap();
                    let mut serving = tokio::task::JoinSet::new();
                    loop {
                        let connection = server.accept().await;
                        serving.spawn(answer(connection, Arc::clone(&asked), released.clone()));
                    }
                });
            }
        });
        Self { url: url.recv().unwrap(), asked, is_released, _thread: thread }
    }

    /// Answers what is held, and holds nothing more.
    fn release(&self) {
        self.is_released.send_replace(true);
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// Returns what was asked since the last call.
    fn take_asked(&self) -> BTreeSet<String> {
        let asked = std::mem::take(&mut *self.asked.lock().unwrap());
        let ids: BTreeSet<String> = asked.iter().cloned().collect();
        assert_eq!(ids.len(), asked.len(), "a task ran twice: {asked:?}");
        ids
    }
}

async fn answer(
    mut connection: Connection,
    asked: Arc<Mutex<Vec<String>>>,
    mut released: watch::Receiver<bool>,
) {
    let Some(request) = connection.receive().await else { return };
    let (id, verb, has_called) = prompt(&request);
    if !has_called {
        asked.lock().unwrap().push(id);
    }
    if verb == "hold" {
        released.wait_for(|is_released| *is_released).await.unwrap();
    }
    let call = match verb.as_str() {
        "write" => Some(("write", json!({"path": "made.txt", "content": "made\n"}))),
        "find" => {
            let finding = json!({"path": "made.txt", "line": 1, "severity": "error", "rule": "r", "message": "wrong"});
            Some(("report_finding", finding))
        }
        _ => None,
    };
    let (delta, finish) = match call.filter(|_| !has_called) {
        Some((name, arguments)) => {
            let function = json!({"name": name, "arguments": arguments.to_string()});
            let call =
                json!({"index": 0, "id": "call_1", "type": "function", "function": function});
            (json!({"tool_calls": [call]}), "tool_calls")
        }
        None => (json!({"content": "done"}), "stop"),
    };
    let chunk = json!({
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        "usage": {"prompt_tokens": TOKENS - 10, "completion_tokens": 10, "total_tokens": TOKENS},
    });
    let body = format!("data: {chunk}\n\ndata: [DONE]\n\n");
    connection.respond(200, "text/event-stream", &body).await;
}

/// The id and the verb of a request's task, and whether it is the second request of it.
fn prompt(request: &Received) -> (String, String, bool) {
    let messages = request.json()["messages"].as_array().unwrap().clone();
    let has_called = messages.iter().any(|message| message["role"] == "tool");
    let users = messages.iter().filter(|message| message["role"] == "user");
    let texts = users.map(|message| message["content"].to_string());
    let text = texts.collect::<String>();
    let task = text.split("[[").nth(1).unwrap_or_else(|| panic!("{text}"));
    let (id, verb) = task.split("]]").next().unwrap().split_once(": ").unwrap();
    (id.to_owned(), verb.to_owned(), has_called)
}

/// A batch in a place.
struct Batch {
    place: Place,
    model: Model,
    list: PathBuf,
}

impl Batch {
    /// Of tasks `t01`, `t02` …, each in a folder of its own, with these verbs.
    fn new(verbs: &[&str]) -> Self {
        let place = Place::new(&[]);
        let list = place.path("tasks.jsonl");
        let batch = Self { place, model: Model::start(), list };
        batch.write_list(verbs);
        batch
    }

    fn write_list(&self, verbs: &[&str]) {
        let mut list = String::new();
        for (at, verb) in verbs.iter().enumerate() {
            let id = format!("t{:02}", at + 1);
            std::fs::create_dir_all(self.place.path(&id)).unwrap();
            let task = json!({"id": id, "dir": id, "prompt": format!("[[{id}: {verb}]]")});
            list.push_str(&task.to_string());
            list.push('\n');
        }
        std::fs::write(&self.list, list).unwrap();
    }

    fn out(&self, name: &str) -> PathBuf {
        self.place.home().parent().unwrap().join(name)
    }

    fn start(&self, out: &Path, args: &[&str]) -> Child {
        let url = format!("{}/v1", self.model.url);
        let first = ["batch", self.list.to_str().unwrap(), "--out", out.to_str().unwrap()];
        let model = ["--model", "own/m", "--api", "chat", "--base-url", &url];
        let is_named = args.iter().any(|arg| ["--untrusted", "--permission"].contains(arg));
        let mode = if is_named { &[][..] } else { &["--permission=full"] };
        let mut command = self.place.command(&[&first[..], &model[..], mode, args].concat());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Runs to the end; returns the exit code, stdout and stderr. No process is left then.
    fn run(&self, out: &Path, args: &[&str]) -> (i32, String, String) {
        Self::ended(self.start(out, args).wait_with_output().unwrap(), out)
    }

    fn ended(output: Output, out: &Path) -> (i32, String, String) {
        until_none_is_left(out);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
    }

    fn merge(&self, folders: &[&Path], out: &Path) -> (i32, String, String) {
        let folders = folders.iter().map(|folder| folder.to_str().unwrap());
        let args: Vec<&str> = ["batch", "merge"]
            .into_iter()
            .chain(folders)
            .chain(["--out", out.to_str().unwrap()])
            .collect();
        Self::ended(self.place.command(&args).output().unwrap(), out)
    }
}

fn until_none_is_left(out: &Path) {
    let shown = out.to_str().unwrap();
    until(|| !is_running(shown));
}

/// The result of a task, if it has one.
fn result(out: &Path, id: &str) -> Option<Value> {
    let text = std::fs::read(out.join(id).join("result.json")).ok()?;
    Some(serde_json::from_slice(&text).unwrap())
}

/// The summary, which is as its schema says.
fn summary(batch: &Batch, out: &Path) -> Value {
    let schema = batch.place.command(&["batch", "schema"]).output().unwrap().stdout;
    let schema: Value = serde_json::from_slice(&schema).unwrap();
    let summary = std::fs::read(out.join("summary.json")).unwrap();
    let summary: Value = serde_json::from_slice(&summary).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(&summary).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}: {summary}");
    summary
}

/// The table without the column of times, which differ.
fn timeless(table: &str) -> Vec<Vec<String>> {
    let is_time =
        |word: &&str| word.ends_with('s') && word.starts_with(|c: char| c.is_ascii_digit());
    let words = |line: &str| {
        line.split_whitespace().filter(|word| !is_time(word)).map(str::to_owned).collect()
    };
    table.lines().map(words).collect()
}

fn ids(range: std::ops::RangeInclusive<u32>) -> BTreeSet<String> {
    range.map(|number| format!("t{number:02}")).collect()
}

/// The processes of workers, by their command lines.
fn workers(out: &Path) -> Vec<i32> {
    let shown = out.to_str().unwrap();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).into_owned();
        (line.contains("\0--worker\0") && line.contains(shown)).then_some(pid)
    });
    pids.collect()
}

fn signal(child: &Child, signal: Signal) {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
}

#[test]
fn a_batch_that_is_killed_goes_on_with_what_is_unfinished() {
    let verbs: Vec<&str> = (0..20).map(|at| if at < 7 { "write" } else { "hold" }).collect();
    let batch = Batch::new(&verbs);
    let out = batch.out("out");
    let mut child = batch.start(&out, &["--jobs", "4"]);
    until(|| batch.model.asked().len() == 11);
    until(|| (1..=7).all(|number| out.join(format!("t{number:02}/result.json")).is_file()));
    signal(&child, Signal::SIGKILL);
    wait(&mut child);
    until_none_is_left(&out);
    assert_eq!(batch.model.take_asked(), ids(1..=11));
    assert!(!out.join("summary.json").exists());

    batch.write_list(&["write"; 20]);
    let (code, _, said) = batch.run(&out, &["--jobs", "4"]);
    // The lines of the others have changed as well.
    assert_eq!(batch.model.take_asked(), ids(8..=20), "{said}");
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("7 of 20 tasks are already finished"), "{said}");
    for id in ids(1..=20) {
        let result = result(&out, &id).unwrap();
        assert_eq!((&result["status"], &result["task"]["id"]), (&json!("success"), &json!(id)));
        let folder = out.join(&id);
        let patch = std::fs::read_to_string(folder.join("changes.patch")).unwrap();
        assert!(patch.contains("b/made.txt") && patch.contains("+made"), "{patch}");
        let journal = std::fs::read_to_string(folder.join("journal.jsonl")).unwrap();
        assert!(journal.contains("turn.completed") && journal.contains("session.closed"));
        assert!(folder.join("log.txt").is_file());
    }
    let summary = summary(&batch, &out);
    assert_eq!((&summary["done"], &summary["exitCode"]), (&json!(20), &json!(0)));
    let used = std::fs::read_to_string(out.join("usage.jsonl")).unwrap();
    assert_eq!(used.lines().count(), 40, "each reply once, of both runs");

    let (code, table, _) = batch.run(&out, &["--jobs", "4"]);
    assert_eq!((code, batch.model.take_asked().len()), (0, 0));
    assert_eq!(table.lines().count(), 22, "{table}");
}

#[test]
fn a_result_that_is_cut_or_of_another_line_is_none_and_failures_run_again_when_asked_for() {
    let batch = Batch::new(&["say", "say", "say"]);
    let out = batch.out("out");
    assert_eq!(batch.run(&out, &[]).0, 0);
    assert_eq!(batch.model.take_asked(), ids(1..=3));

    let cut = out.join("t01/result.json");
    let text = std::fs::read(&cut).unwrap();
    std::fs::write(&cut, &text[..text.len() / 2]).unwrap();
    batch.write_list(&["say", "write", "say"]);
    let (code, _, said) = batch.run(&out, &[]);
    assert_eq!((code, batch.model.take_asked()), (0, ids(1..=2)), "{said}");
    assert!(said.contains("t02: rerunning, since its line has changed since its result"), "{said}");

    let list = std::fs::read_to_string(&batch.list).unwrap();
    let with_file = list.replace("\"t03\",\"prompt\"", "\"t03\",\"attach\":[\"a.txt\"],\"prompt\"");
    std::fs::write(&batch.list, with_file).unwrap();
    let (code, table, _) = batch.run(&out, &[]);
    assert_eq!(code, 1, "{table}");
    assert!(table.contains("3 tasks: 2 done, 1 failed"), "{table}");
    let failed = result(&out, "t03").unwrap();
    assert_eq!((&failed["stop"], &failed["exitCode"]), (&json!("usage"), &json!(2)));
    assert_eq!(batch.run(&out, &[]).0, 1);
    assert_eq!(batch.model.take_asked(), BTreeSet::new(), "a failure is finished");
    std::fs::write(batch.place.path("t03/a.txt"), "there\n").unwrap();
    assert_eq!(batch.run(&out, &["--retry-failed"]).0, 0);
    assert_eq!(batch.model.take_asked(), ids(3..=3));
}

#[test]
fn budgets_hold_across_workers_and_restarts() {
    let batch = Batch::new(&["say"; 20]);
    let out = batch.out("out");
    let (code, table, said) = batch.run(&out, &["--jobs", "4", "--max-tokens", "1000"]);
    assert_eq!(code, 5, "{table}{said}");
    assert!(said.contains("batch budget exhausted"), "{said}");
    let first = summary(&batch, &out);
    let used = first["usage"]["inputTokens"].as_u64().unwrap()
        + first["usage"]["outputTokens"].as_u64().unwrap();
    // One reply for each worker is more than the limit at most.
    assert!((1000..=1000 + 3 * TOKENS).contains(&used), "{first}");
    let asked = batch.model.take_asked();
    assert!((10..=14).contains(&asked.len()), "{asked:?}");

    // What was used before counts.
    let (code, _, _) = batch.run(&out, &["--jobs", "4", "--max-tokens", "1000"]);
    assert_eq!((code, batch.model.take_asked()), (5, BTreeSet::new()));
    let (code, table, said) = batch.run(&out, &["--jobs", "4", "--max-tokens", "100000"]);
    assert_eq!(code, 0, "{table}{said}");

    // A task's own limit ends it, and no other.
    let list = std::fs::read_to_string(&batch.list).unwrap();
    let limited =
        list.replace("\"t02\",\"prompt\"", "\"t02\",\"limits\":{\"maxTokens\":50},\"prompt\"");
    let limited = limited.replace("t02: say", "t02: write");
    std::fs::write(&batch.list, limited).unwrap();
    let (code, table, _) = batch.run(&out, &[]);
    assert_eq!(code, 1, "{table}");
    assert_eq!(result(&out, "t02").unwrap()["stop"], "tokenLimit");
    let (code, table, _) = batch.run(&out, &["--retry-failed", "--max-tokens", "1000000"]);
    assert_eq!((code, &result(&out, "t02").unwrap()["stop"]), (1, &json!("tokenLimit")), "{table}");
}

#[test]
fn a_cost_that_is_not_known_is_told_and_blocks_nothing() {
    let batch = Batch::new(&["say", "say"]);
    let (code, _, said) = batch.run(&batch.out("out"), &["--max-cost", "0.01"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(said.matches("a model has no known price").count(), 1, "{said}");
}

#[test]
fn a_worker_that_dies_takes_no_other_task_with_it() {
    let batch = Batch::new(&["hold", "hold", "hold", "say", "say", "say"]);
    let out = batch.out("out");
    let child = batch.start(&out, &["--jobs", "3"]);
    until(|| batch.model.asked().len() == 3);
    let pids = workers(&out);
    assert_eq!(pids.len(), 3);
    kill(Pid::from_raw(pids[0]), Signal::SIGKILL).unwrap();
    // Another takes its place.
    until(|| (4..=6).all(|number| out.join(format!("t{number:02}/result.json")).is_file()));
    let died = |id: &String| result(&out, id).is_some_and(|result| result["stop"] == "workerDied");
    let dead: Vec<String> = ids(1..=3).into_iter().filter(died).collect();
    assert_eq!(dead.len(), 1);
    let result = result(&out, &dead[0]).unwrap();
    assert_eq!((&result["status"], &result["exitCode"]), (&json!("failed"), &json!(1)));
    assert!(result["sessionId"].is_string(), "{result}");
    let why = result["error"]["message"].as_str().unwrap();
    assert!(why.contains("killed by signal 9"), "{why}");
    signal(&child, Signal::SIGTERM);
    let (code, table, said) = Batch::ended(child.wait_with_output().unwrap(), &out);
    assert_eq!(code, 143, "{said}");
    assert!(table.contains("6 tasks: 3 done, 3 unfinished"), "{table}");
    batch.model.take_asked();

    batch.model.release();
    let list = std::fs::read_to_string(&batch.list).unwrap();
    std::fs::write(&batch.list, list.replace("hold", "say")).unwrap();
    let (code, table, _) = batch.run(&out, &[]);
    assert_eq!((code, batch.model.take_asked()), (0, ids(1..=3)), "{table}");
}

#[test]
fn signals_end_a_batch_in_order_and_a_second_one_at_once() {
    for (name, signals, code, stop) in [
        ("one", &[Signal::SIGINT][..], 130, "signal"),
        // As `timeout` of coreutils does: to its child, and to the group.
        ("delivered twice", &[Signal::SIGTERM, Signal::SIGTERM], 143, "signal"),
        ("two", &[Signal::SIGTERM, Signal::SIGINT], 130, "signal"),
    ] {
        let batch = Batch::new(&["hold", "hold", "say"]);
        let out = batch.out("out");
        let mut child = batch.start(&out, &["--jobs", "2"]);
        until(|| batch.model.asked().len() == 2);
        for (number, each) in signals.iter().enumerate() {
            // Of different signals that arrive at once, either may count as the first.
            if number > 0 && signals[number - 1] != *each {
                until_said(&mut child, "send a second signal to kill them\n");
            }
            signal(&child, *each);
        }
        let (got, table, said) = Batch::ended(child.wait_with_output().unwrap(), &out);
        assert_eq!(got, code, "{name}: {table}{said}");
        is_cut_in_the_middle(&batch, &out, code, stop, &table);
    }
}

#[test]
fn the_time_for_the_whole_ends_the_tasks_that_run() {
    // A busy machine may need longer than a limit until both tasks run; then the next one shows it.
    let shown = ["1", "4", "16", "64"].into_iter().any(|wall| {
        let batch = Batch::new(&["hold", "hold", "say"]);
        let out = batch.out("out");
        let (code, table, said) = batch.run(&out, &["--jobs", "2", "--timeout", wall]);
        assert_eq!(code, 124, "{wall}: {table}{said}");
        let have_begun = batch.model.asked().len() == 2;
        if have_begun {
            is_cut_in_the_middle(&batch, &out, code, "batchWall", &table);
        }
        have_begun
    });
    assert!(shown, "two tasks do not begin within a minute");
}

/// Reads a program's error output up to a text, and no byte further.
fn until_said(child: &mut Child, text: &str) {
    let (mut said, mut byte) = (Vec::new(), [0]);
    let stderr = child.stderr.as_mut().unwrap();
    while !said.ends_with(text.as_bytes()) {
        stderr.read_exact(&mut byte).unwrap();
        said.extend(byte);
    }
}

/// The first two tasks of three were cut short for this reason; the third has not begun.
fn is_cut_in_the_middle(batch: &Batch, out: &Path, code: i32, stop: &str, table: &str) {
    assert_eq!(result(out, "t03"), None, "{table}");
    let summary = summary(batch, out);
    assert_eq!((&summary["exitCode"], &summary["done"]), (&json!(code), &json!(0)), "{table}");
    assert_eq!(result(out, "t01").unwrap()["stop"], stop, "{table}");
    assert!(table.contains("2 unfinished, 1 not run"), "{table}");
}

#[test]
fn four_shards_of_which_one_was_killed_merge_into_the_table_of_one_run() {
    let mut verbs = ["write", "say", "say", "write", "say", "say"].repeat(2);
    verbs.push("hold");
    // The last of the first shard is held, so that it can be killed in the middle.
    let batch = Batch::new(&verbs);
    let shards: Vec<PathBuf> = (1..=4).map(|index| batch.out(&format!("shard-{index}"))).collect();
    let mut child = batch.start(&shards[0], &["--shard", "1/4"]);
    until(|| batch.model.asked().contains(&"t13".to_owned()));
    until(|| ["t01", "t05", "t09"].iter().all(|id| result(&shards[0], id).is_some()));
    signal(&child, Signal::SIGKILL);
    wait(&mut child);
    until_none_is_left(&shards[0]);
    batch.model.take_asked();

    let others: Vec<(i32, String, String)> = (2..=4)
        .map(|index| batch.run(&shards[index - 1], &["--shard", &format!("{index}/4")]))
        .collect();
    assert!(others.iter().all(|(code, ..)| *code == 0), "{others:?}");
    batch.model.take_asked();
    let partly = batch.out("partly");
    let refs: Vec<&Path> = shards.iter().map(PathBuf::as_path).collect();
    let (code, table, _) = batch.merge(&refs, &partly);
    assert_eq!(code, 1, "{table}");
    assert!(table.contains("13 tasks: ") && table.contains(" not run;"), "{table}");

    batch.model.release();
    let (_, _, said) = batch.run(&shards[0], &["--shard", "1/4"]);
    assert_eq!(batch.model.take_asked(), ids(13..=13), "{said}");

    for id in ids(1..=13) {
        let _ = std::fs::remove_file(batch.place.path(&format!("{id}/made.txt")));
    }
    let whole = batch.out("whole");
    let merged = batch.out("merged");
    let (code_of_one, one, _) = batch.run(&whole, &[]);
    let (code, table, said) = batch.merge(&refs, &merged);
    assert_eq!((code, timeless(&table)), (code_of_one, timeless(&one)), "{table}{one}{said}");
    let mut summaries = [summary(&batch, &whole), summary(&batch, &merged)];
    for row in summaries.iter_mut().flat_map(|summary| summary["rows"].as_array_mut().unwrap()) {
        row["durationMs"] = json!(0);
        row["sessionId"] = json!("");
    }
    assert_eq!(summaries[0], summaries[1]);

    // What is merged can be gone on with: nothing is left to do.
    batch.model.take_asked();
    let (code, ..) = batch.run(&merged, &["--jobs", "1"]);
    assert_eq!((code, batch.model.take_asked().len()), (code_of_one, 0));
}

#[test]
fn conflicts_of_merged_folders_are_named_and_nothing_is_written() {
    let batch = Batch::new(&["say", "say", "say", "say"]);
    let [all, one, merged] = ["all", "one", "merged"].map(|name| batch.out(name));
    batch.run(&all, &[]);
    batch.run(&one, &["--shard", "1/3"]);
    let (code, _, said) = batch.merge(&[&all, &one], &merged);
    assert_eq!(code, 2, "{said}");
    for id in ["t01", "t04"] {
        assert!(said.contains(&format!("{id} has different results in ")), "{said}");
    }
    assert!(!said.contains("t02") && !merged.exists(), "{said}");

    // One shard alone: the others are missing, and their tasks are there.
    let (code, table, said) = batch.merge(&[&one], &merged);
    assert_eq!(code, 1);
    assert!(table.contains("4 tasks: 2 done, 2 not run"), "{table}");
    assert!(said.contains("shard 2/3 is missing") && said.contains("3/3"), "{said}");
    let (code, _, said) = batch.merge(&[&one], &merged);
    assert!(code == 2 && said.contains("already exists"), "{said}");

    batch.write_list(&["say", "say"]);
    let other = batch.out("other");
    batch.run(&other, &[]);
    let (code, _, said) = batch.merge(&[&all, &other], &batch.out("two"));
    assert!(code == 2 && said.contains("belong to different lists"), "{said}");
    let (code, _, said) = batch.merge(&[&batch.place.home()], &batch.out("two"));
    assert!(code == 2 && said.contains("not a results directory"), "{said}");
}

#[test]
fn tasks_for_strangers_code_only_read_and_report_findings() {
    let batch = Batch::new(&["find", "write", "find"]);
    for id in ["t01", "t03"] {
        std::fs::write(batch.place.path(id).join("made.txt"), "made\n").unwrap();
    }
    let out = batch.out("out");
    let args = ["--untrusted", "--jobs", "1", "--report", "sarif", "--report", "junit"];
    let (code, table, said) = batch.run(&out, &args);
    assert_eq!(code, 1, "{table}{said}");
    for (id, findings, code) in [("t01", 1, 0), ("t02", 0, 4), ("t03", 1, 0)] {
        let result = result(&out, id).unwrap();
        let count = result["findings"].as_array().map_or(0, Vec::len);
        assert_eq!((count, &result["exitCode"]), (findings, &json!(code)), "{id}: {result}");
        let sarif = std::fs::read(out.join(id).join("findings.sarif")).unwrap();
        let sarif: Value = serde_json::from_slice(&sarif).unwrap();
        assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), findings, "{id}");
        let junit = std::fs::read_to_string(out.join(id).join("findings.xml")).unwrap();
        assert!(junit.contains(&format!("failures=\"{findings}\"")), "{id}: {junit}");
        assert!(!out.join(id).join("findings.md").exists());
    }
    assert!(!batch.place.path("t02").join("made.txt").exists());
}

#[test]
fn a_batch_is_recorded_and_replayed_without_a_model() {
    let batch = Batch::new(&["write", "say", "write", "say"]);
    let tapes = format!("{}/", batch.out("tapes").display());
    let out = batch.out("first");
    let (code, table, said) = batch.run(&out, &["--jobs", "3", "--record", &tapes]);
    assert_eq!(code, 0, "{table}{said}");
    assert_eq!(batch.model.take_asked().len(), 4);
    for id in ["t01", "t03"] {
        std::fs::remove_file(batch.place.path(id).join("made.txt")).unwrap();
    }
    let again = batch.out("again");
    let (code, replayed, said) = batch.run(&again, &["--jobs", "2", "--replay", &tapes]);
    assert_eq!((code, timeless(&replayed)), (0, timeless(&table)), "{said}");
    assert_eq!(batch.model.take_asked(), BTreeSet::new());
    assert!(batch.place.path("t03").join("made.txt").exists());
}

#[test]
fn wrong_lists_and_options_are_told_before_anything_runs() {
    let batch = Batch::new(&["say"]);
    let out = batch.out("out");
    for (list, args, want) in [
        (
            "{\"prompt\":\"a\"}\n{\"prompt\":\"b\",\"x\":1}\n",
            &[][..],
            "tasks.jsonl:2:17: unknown field `x`",
        ),
        ("", &[], "no tasks in the list"),
        ("{\"prompt\":\"a\",\"id\":\"a/b\"}", &[], "ids are directory names"),
        ("{\"prompt\":\"a\"}", &["--shard", "0/4"], "add 1 to indexes that start at 0"),
        ("{\"prompt\":\"a\"}", &["--record", "x"], "cannot write one file"),
        (
            "{\"prompt\":\"a\"}",
            &["--profile", "nothing"],
            "invalid value 'nothing' for '--profile <PROFILE>'",
        ),
        ("{\"prompt\":\"a\"}", &["--jobs", "0"], "--jobs"),
    ] {
        std::fs::write(&batch.list, list).unwrap();
        let (code, stdout, said) = batch.run(&out, args);
        assert_eq!((code, stdout.as_str()), (2, ""), "{list} {said}");
        assert!(said.contains(want), "{list}: {said}");
    }
    assert_eq!(batch.model.take_asked(), BTreeSet::new());
}

#[test]
fn two_batches_never_write_to_one_folder() {
    let batch = Batch::new(&["hold"]);
    let out = batch.out("out");
    let child = batch.start(&out, &[]);
    until(|| batch.model.asked().len() == 1);
    let second = batch.start(&out, &[]).wait_with_output().unwrap();
    let said = String::from_utf8(second.stderr).unwrap();
    assert_eq!(second.status.code(), Some(2), "{said}");
    assert!(said.contains("in use by another batch"), "{said}");
    let folders = [out.as_path()];
    let args = ["batch", "merge", folders[0].to_str().unwrap(), "--out", "elsewhere"];
    let merge = batch.place.command(&args).output().unwrap();
    assert_eq!(merge.status.code(), Some(2));
    signal(&child, Signal::SIGTERM);
    Batch::ended(child.wait_with_output().unwrap(), &out);
}

#[test]
fn progress_is_a_line_a_task_off_a_terminal_and_nothing_when_quiet() {
    let batch = Batch::new(&["say", "say"]);
    let (_, table, said) = batch.run(&batch.out("out"), &["--jobs", "1"]);
    assert_eq!(said, "[1/2] t01: done\n[2/2] t02: done\n");
    assert!(!format!("{table}{said}").contains('\u{1b}'), "{table}{said}");
    let (code, stdout, said) = batch.run(&batch.out("quiet"), &["--quiet", "--format", "json"]);
    assert_eq!((code, said.as_str()), (0, ""));
    let shown: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(shown, summary(&batch, &batch.out("quiet")));
}

#[test]
fn progress_is_one_line_on_a_terminal_and_plain_lines_in_ci() {
    let batch = Batch::new(&["say", "say"]);
    for (name, variable, is_live) in [
        ("a", ("TERM", "xterm"), true),
        ("b", ("CI", "true"), false),
        ("c", ("TERM", "dumb"), false),
    ] {
        let pty = nix::pty::openpty(None, None).unwrap();
        let out = batch.out(name);
        let url = format!("{}/v1", batch.model.url);
        let args = ["batch", batch.list.to_str().unwrap(), "--out", out.to_str().unwrap()];
        let model = ["--model", "own/m", "--api", "chat", "--base-url", &url];
        let mut command = batch.place.command(&[&args[..], &model[..]].concat());
        command.env("TERM", "xterm").env(variable.0, variable.1).stdin(Stdio::null());
        let child = command.stdout(Stdio::piped()).stderr(pty.slave).spawn().unwrap();
        drop(command);
        let mut shown = Vec::new();
        // Nobody holds the terminal any more: an error on Linux.
        let _ = std::io::Read::read_to_end(&mut std::fs::File::from(pty.master), &mut shown);
        child.wait_with_output().unwrap();
        let shown = String::from_utf8(shown).unwrap();
        assert_eq!(shown.contains("\r[2/2] 0 running, 200 tokens"), is_live, "{name}: {shown:?}");
        assert_eq!(shown.contains("t02: done\r\n"), !is_live, "{name}: {shown:?}");
    }
}
