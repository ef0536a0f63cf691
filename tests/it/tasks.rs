//! `pintle run` for scripts: each end by its exit code and its word, answers of a given form, patches, and the time for the whole task.

use crate::login::Provider;
use crate::providers::{chat, messages};
use crate::support::program::Place;
use crate::support::server::Received;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use pintle_protocol::schema::SCHEMA_JSON;
use pintle_testing::waiting::until;
use serde_json::{Value, json};
use std::process::{Command, Output, Stdio};

pub(crate) fn text(words: &str) -> Value {
    json!({"blocks": [{"text": words}]})
}

pub(crate) fn tool(name: &str, arguments: Value) -> Value {
    json!({"blocks": [{"tool": name, "arguments": arguments}]})
}

/// A task, run with a script of replies.
pub(crate) struct Task {
    pub(crate) place: Place,
    pub(crate) script: String,
}

impl Task {
    pub(crate) fn new(replies: Value) -> Self {
        let place = Place::new(&[("notes.txt", "one\ntwo\nthree")]);
        let script = place.script(&json!({ "replies": replies }));
        Self { place, script }
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let args =
            [&["run", "--quiet", "--format", "json", "--script", &self.script], args].concat();
        let mut command = self.place.command(&args);
        command.stdin(Stdio::null());
        command
    }

    /// Returns the exit code, the result and what stderr said.
    pub(crate) fn run(&self, args: &[&str]) -> (i32, Value, String) {
        ended(&self.command(args).output().unwrap())
    }

    fn write(&self, name: &str, content: &str) -> String {
        let path = self.place.path(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

/// The exit code, the result, which is as the schema says, and what stderr said.
pub(crate) fn ended(out: &Output) -> (i32, Value, String) {
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    let code = out.status.code().unwrap();
    let result: Value = serde_json::from_slice(&out.stdout).unwrap_or_default();
    if result.is_object() {
        let mut schema: Value = serde_json::from_str(SCHEMA_JSON).unwrap();
        schema["$ref"] = json!("#/$defs/RunLine");
        let validator = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&result).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}: {result}");
        assert_eq!((&result["type"], &result["exitCode"]), (&json!("result"), &json!(code)));
    }
    (code, result, said)
}

const FULL: &str = "--permission=full";
const READ_ONLY: &str = "--permission=read-only";

#[test]
fn every_end_has_one_exit_code_and_one_word_for_it() {
    let edit = || tool("write", json!({"path": "made.txt", "content": "made\n"}));
    let ls = || tool("ls", json!({}));
    let fails = || json!({"error": {"kind": "auth", "message": "who are you?"}});
    for (name, replies, args, code, status, stop) in [
        ("done", json!([text("yes")]), &["go"][..], 0, "success", "done"),
        ("provider", json!([fails()]), &["go"], 3, "failed", "auth"),
        ("denied", json!([edit(), text("done")]), &["go", READ_ONLY], 4, "denied", "denied"),
        (
            "denied, which does not matter",
            json!([edit(), text("done")]),
            &["go", READ_ONLY, "--fail-on-denied", "false"],
            0,
            "success",
            "done",
        ),
        ("steps", json!([ls(), ls()]), &["go", "--max-steps", "1"], 5, "limit", "stepLimit"),
        (
            "unchanged",
            json!([text("done")]),
            &["go", "--require-changes"],
            7,
            "unchanged",
            "unchanged",
        ),
        (
            "changed",
            json!([edit(), text("done")]),
            &["go", "--require-changes", FULL],
            0,
            "success",
            "done",
        ),
        ("no schema", json!([]), &["go", "--output-schema", "nowhere.json"], 2, "", ""),
        ("no file", json!([]), &["go", "--file", "nowhere.png"], 2, "", ""),
        ("no session", json!([]), &["go", "--session", "last"], 2, "", ""),
    ] {
        let task = Task::new(replies);
        let (got, result, said) = task.run(args);
        let word = |key: &str| result[key].as_str().unwrap_or_default().to_owned();
        assert_eq!(
            (got, word("status").as_str(), word("stop").as_str()),
            (code, status, stop),
            "{name}: {result} {said}"
        );
        if !status.is_empty() {
            assert_eq!(result["exitCode"], code, "{name}");
            let journal = result["journal"].as_str().unwrap();
            assert!(std::path::Path::new(journal).is_file(), "{name}: {journal}");
        }
    }
}

#[test]
fn an_answer_satisfies_the_schema_or_the_task_failed() {
    let schema = json!({"type": "object", "required": ["count"], "properties": {"count": {"type": "integer"}}});
    for (replies, code, structured, asked) in [
        (json!([text(r#"{"count": 3}"#)]), 0, json!({"count": 3}), 1),
        (
            json!([text("three"), text(r#"{"count": "3"}"#), text(r#"{"count": 3}"#)]),
            0,
            json!({"count": 3}),
            3,
        ),
        (json!([text("a"), text("b"), text("c"), text(r#"{"count": 3}"#)]), 6, Value::Null, 3),
    ] {
        let task = Task::new(replies);
        let path = task.write("schema.json", &schema.to_string());
        let (got, result, said) = task.run(&["how many?", "--output-schema", &path]);
        assert_eq!((got, &result["structured"]), (code, &structured), "{result} {said}");
        assert_eq!(result["steps"], asked, "{result}");
        if code == 6 {
            assert_eq!(result["stop"], "outputInvalid");
        }
    }
    let task = Task::new(json!([]));
    for (content, said) in [("{", "is not JSON"), (r#"{"type": 7}"#, "7")] {
        let path = task.write("schema.json", content);
        let (code, result, told) = task.run(&["go", "--output-schema", &path]);
        let told = told + &result.to_string();
        assert!(code == 2 && told.contains(said), "{code} {told}");
    }
}

/// A reply of a few words over an API.
fn reply(api: &str, words: &'static str) -> String {
    match api {
        "chat" => chat(&(words, None)),
        "messages" => messages(&(words, None)),
        "responses" => {
            let item = json!({"type": "message", "id": "m1", "role": "assistant", "content": []});
            let lines = [
                json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
                json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "item_id": "m1", "delta": words}),
                json!({"type": "response.output_item.done", "output_index": 0, "item": {"type": "message", "id": "m1", "role": "assistant",
                    "content": [{"type": "output_text", "text": words}]}}),
                json!({"type": "response.completed", "response": {"status": "completed", "usage": {"input_tokens": 1, "output_tokens": 1}}}),
            ];
            lines.iter().map(|line| format!("data: {line}\n\n")).collect()
        }
        _ => {
            let candidate = json!({"content": {"role": "model", "parts": [{"text": words}]}, "finishReason": "STOP"});
            format!("data: {}\n\n", json!({"candidates": [candidate]}))
        }
    }
}

#[test]
fn a_provider_sees_to_the_schema_of_a_reply_that_can_only_be_the_answer() {
    let schema = json!({"type": "object", "required": ["count"], "properties": {"count": {"type": "integer"}},
        "additionalProperties": false});
    // The APIs, and where each takes the schema.
    let apis = [
        ("chat", "m", "/response_format/json_schema/schema"),
        ("responses", "m", "/text/format/schema"),
        ("messages", "m", "/output_config/format/schema"),
        ("gemini", "gemini-3-pro", "/generationConfig/responseSchema"),
    ];
    for (api, model, place_of_schema) in apis {
        for (name, args, refuses, want) in [
            ("asked for again", &[][..], false, &[false, true][..]),
            ("a provider without schemas", &[][..], true, &[false, true, false][..]),
            ("no tools", &["--tools", "mcp_*"][..], false, &[true, true][..]),
            (
                "no tools, and no schemas",
                &["--tools", "mcp_*"][..],
                true,
                &[true, false, false][..],
            ),
        ] {
            let (mut answers, of) = (0, api.to_owned());
            let provider = Provider::start(move |request| {
                if refuses && request.json().pointer(place_of_schema).is_some() {
                    let error = json!({"error": {"message": "response_format: not supported", "type": "invalid_request_error"}});
                    return (400, error.to_string());
                }
                answers += 1;
                let words = if answers == 1 { "three" } else { r#"{"count": 3}"# };
                (200, reply(&of, words))
            });
            let task = Task::new(json!([]));
            let path = task.write("schema.json", &schema.to_string());
            std::fs::create_dir_all(task.place.home()).unwrap();
            let settings =
                format!("[providers.own]\nbase_url = \"{}/v1\"\napi = \"{api}\"\n", provider.url);
            std::fs::write(task.place.home().join("config.toml"), settings).unwrap();
            let model = format!("own/{model}");
            let args = [
                &[
                    "run",
                    "--quiet",
                    "--format",
                    "json",
                    "--model",
                    &model,
                    "go",
                    "--output-schema",
                    &path,
                ],
                args,
            ]
            .concat();
            let out = task.place.command(&args).stdin(Stdio::null()).output().unwrap();
            let (code, result, said) = ended(&out);
            assert_eq!(
                (code, &result["structured"]),
                (0, &json!({"count": 3})),
                "{api}, {name}: {result} {said}"
            );
            let has_schema = |request: &Received| request.json().pointer(place_of_schema).is_some();
            let got: Vec<bool> = provider.received().iter().map(has_schema).collect();
            assert_eq!(got, want, "{api}, {name}");
        }
    }
}

#[test]
fn the_patch_applies_to_a_clean_checkout() {
    let task = Task::new(json!([
        tool("write", json!({"path": "new/made.txt", "content": "made\r\nwithout an end"})),
        tool("edit", json!({"path": "notes.txt", "oldText": "three", "newText": "drei"})),
        tool("bash", json!({"command": "printf 'by a command\\n' > said.txt; exit 3"})),
        text("done"),
    ]));
    let git = |folder: &std::path::Path, args: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(folder).args(["-c", "user.name=t", "-c", "user.email=t@t"]).args(args);
        let out = git.output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    };
    let project = task.place.project();
    git(&project, &["init", "-q"]);
    git(&project, &["add", "."]);
    git(&project, &["commit", "-qm", "before"]);
    let elsewhere = tempfile::tempdir().unwrap();
    git(elsewhere.path(), &["clone", "-q", project.to_str().unwrap(), "clean"]);
    let patch = elsewhere.path().join("agent.patch");
    let (code, result, said) = task.run(&["go", FULL, "--patch", patch.to_str().unwrap()]);
    assert_eq!(code, 0, "{result} {said}");
    let clean = elsewhere.path().join("clean");
    git(&clean, &["apply", patch.to_str().unwrap()]);
    for name in ["new/made.txt", "notes.txt", "said.txt"] {
        let [before, after] =
            [&clean, &project].map(|folder| std::fs::read(folder.join(name)).unwrap());
        assert_eq!(before, after, "{name}");
    }
    assert_eq!(
        result["commands"],
        json!([{"command": "printf 'by a command\\n' > said.txt; exit 3", "status": "failed", "exitCode": 3}])
    );
    let mut files: Vec<&str> = result["changes"]["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file.as_str().unwrap())
        .collect();
    files.sort_unstable();
    assert_eq!(files.len(), 3, "{files:?}");
    assert_eq!(
        (&result["changes"]["added"], &result["changes"]["removed"]),
        (&json!(4), &json!(1))
    );
}

#[test]
fn a_patch_that_cannot_be_written_is_an_error() {
    let task = Task::new(json!([text("done")]));
    let folder = task.place.project().to_str().unwrap().to_owned();
    let (code, result, said) = task.run(&["go", "--patch", &folder]);
    assert!(code != 0 && result["status"] == "failed", "{code} {result} {said}");
    assert!(result["error"]["message"].as_str().unwrap().contains(&folder), "{result}");
    // Nothing was changed: the patch is there, and empty.
    let patch = task.place.path("empty.patch");
    assert_eq!(task.run(&["go", "--patch", patch.to_str().unwrap()]).0, 0);
    assert_eq!(std::fs::read_to_string(patch).unwrap(), "");
}

#[test]
fn the_time_for_the_whole_task_ends_it_in_the_middle_of_a_call() {
    let task = Task::new(json!([
        tool("bash", json!({"command": "echo begun > begun.txt; sleep 1000"})),
        text("never"),
    ]));
    let patch = task.place.path("agent.patch");
    let (code, result, _) =
        task.run(&["go", FULL, "--timeout", "5", "--patch", patch.to_str().unwrap()]);
    assert_eq!((code, &result["stop"]), (124, &json!("wallClock")), "{result}");
    assert!(result["error"]["hint"].as_str().unwrap().contains("--session"), "{result}");
    // What was done until then is kept.
    assert!(std::fs::read_to_string(patch).unwrap().contains("+begun"));
    assert_eq!(result["commands"][0]["status"], "cancelled", "{result}");
    let task = Task { script: task.place.script(&json!({"replies": [text("going on")]})), ..task };
    let (code, result, _) = task.run(&["and now?", "--session", "last"]);
    assert_eq!((code, &result["text"]), (0, &json!("going on")), "{result}");
}

#[test]
fn files_go_with_the_task() {
    let task = Task::new(json!([text("read")]));
    let (code, result, said) = task.run(&["look", "--file", "notes.txt"]);
    assert_eq!(code, 0, "{result} {said}");
    let journal = std::fs::read_to_string(result["journal"].as_str().unwrap()).unwrap();
    assert!(journal.contains("one\\ntwo\\nthree"), "{journal}");
}

#[test]
fn an_open_silent_stdin_is_not_read() {
    let task = Task::new(json!([text("done")]));
    let mut child =
        task.command(&["go"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let kept = child.stdin.take();
    let out = child.wait_with_output().unwrap();
    drop(kept);
    assert_eq!(out.status.code(), Some(0));
}

#[test]
fn a_signal_in_the_middle_of_a_call_ends_it_with_its_result() {
    for (signal, code) in [(Signal::SIGTERM, 143), (Signal::SIGINT, 130)] {
        let task = Task::new(json!([tool(
            "bash",
            json!({"command": "echo begun > begun.txt; sleep 1000"})
        ),]));
        let mut command = task.command(&["go", FULL]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        until(|| task.place.path("begun.txt").exists());
        kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
        let (got, result, said) = ended(&child.wait_with_output().unwrap());
        assert_eq!((got, &result["stop"]), (code, &json!("signal")), "{result} {said}");
        assert_eq!(result["commands"][0]["status"], "cancelled", "{result}");
    }
}

#[test]
fn a_full_disk_ends_it_with_its_result() {
    let long = json!({"blocks": [{"text": "long ".repeat(2000)}, {"tool": "ls", "arguments": {}}]});
    let task = Task::new(json!(vec![long; 20]));
    let args = ["run", "go", "--quiet", "--format", "json", "--script", &task.script];
    let out = task.place.limited_command(71, &args).stdin(Stdio::null()).output().unwrap();
    let (code, result, said) = ended(&out);
    assert_eq!((code, &result["stop"]), (1, &json!("journal")), "{result} {said}");
    assert!(result["error"]["hint"].as_str().unwrap().contains("free disk space"), "{result}");
}

#[test]
fn a_provider_that_never_answers_is_left_when_the_time_is_over() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let place = Place::new(&[]);
    let args = [
        "run",
        "go",
        "--quiet",
        "--format",
        "json",
        "--model",
        "own/m",
        "--api",
        "chat",
        "--timeout",
        "1",
    ];
    let out = place
        .command(&[&args[..], &["--base-url", &url]].concat())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let (code, result, said) = ended(&out);
    assert_eq!((code, &result["stop"]), (124, &json!("wallClock")), "{result} {said}");
}

#[test]
fn calls_of_tools_and_silence_have_limits() {
    let ls = || tool("ls", json!({}));
    let task = Task::new(json!([ls(), ls(), text("so far"), text("never")]));
    let (code, result, said) = task.run(&["go", "--max-tool-calls", "2"]);
    assert_eq!((code, &result["stop"]), (5, &json!("toolCallLimit")), "{result} {said}");
    // The last reply has no tools.
    assert_eq!((&result["steps"], &result["text"]), (&json!(3), &json!("so far")), "{result}");
    let task = Task::new(json!([tool("bash", json!({"command": "sleep 1000"})), text("never")]));
    let (code, result, said) = task.run(&["go", FULL, "--idle-timeout", "1"]);
    assert_eq!(
        (code, &result["status"], &result["stop"]),
        (5, &json!("limit"), &json!("idleTimeout")),
        "{result} {said}"
    );
    assert!(result["error"]["hint"].as_str().unwrap().contains("--session"), "{result}");
}

/// The lines that a command of this place prints.
fn lines(place: &Place, args: &[&str]) -> Vec<String> {
    let out = place.command(args).stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{args:?}: {said}");
    String::from_utf8(out.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn a_session_is_replayed_byte_for_byte() {
    let task = Task::new(json!([
        tool("write", json!({"path": "made.txt", "content": "m\u{e4}de\n"})),
        text("done"),
    ]));
    let args = ["run", "--quiet", "--format", "events", "--script", &task.script, FULL, "go"];
    let mut printed = lines(&task.place, &args);
    let result: Value = serde_json::from_str(&printed.pop().unwrap()).unwrap();
    assert_eq!(result["type"], "result");
    assert!(printed.len() > 3, "{printed:?}");
    let id = result["sessionId"].as_str().unwrap();
    for named in [id, &id[..id.len() - 2], "last"] {
        assert_eq!(lines(&task.place, &["replay", named]), printed, "{named}");
    }
    let ends: Vec<_> = printed
        .iter()
        .filter(|line| line.contains(r#""type":"header""#) || line.contains("turn.completed"))
        .cloned()
        .collect();
    assert_eq!(lines(&task.place, &["replay", "last", "--events", "turn.completed"]), ends);
    let out = task.place.command(&["replay", "nothing"]).output().unwrap();
    assert_eq!(out.status.code(), Some(2));
}

#[test]
fn events_are_printed_as_their_patterns_say_between_header_and_result() {
    let task = Task::new(json!([tool("ls", json!({})), text("done")]));
    let run = |args: &[&str]| {
        let all = [&["run", "--quiet", "--script", &task.script, "go", "--format", "events"], args];
        let kinds = lines(&task.place, &all.concat()).into_iter().map(|line| {
            let line: Value = serde_json::from_str(&line).unwrap();
            let kind = line["event"]["type"].as_str().or(line["type"].as_str());
            kind.unwrap().to_owned()
        });
        kinds.collect::<Vec<_>>()
    };
    let kinds = run(&["--events", "turn.*"]);
    assert_eq!(kinds, ["header", "turn.started", "turn.completed", "result"]);
    let kinds = run(&["--events", "!item.*"]);
    assert!(kinds.len() > 4 && !kinds.iter().any(|kind| kind.starts_with("item")), "{kinds:?}");
    for (args, said) in [
        (&["--events", "item.*"][..], "--format events"),
        (&["--format", "events", "--events", "["], "--events"),
    ] {
        let all = [&["run", "--script", &task.script, "go"], args].concat();
        let out = task.place.command(&all).stdin(Stdio::null()).output().unwrap();
        let told = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.code() == Some(2) && told.contains(said), "{told}");
    }
}
