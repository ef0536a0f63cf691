//! GPT models' commands: one that takes long continues as a session, which is waited for, typed into and stopped.

use crate::support::program::{Framing, Place, Program};
use nix::sys::stat::Mode;
use serde_json::{Value, json};
use std::process::Stdio;

fn call(tool: &str, arguments: Value) -> Value {
    json!({"blocks": [{"tool": tool, "arguments": arguments}]})
}

fn exec(command: &str) -> Value {
    call("exec_command", json!({"cmd": command, "yield_time_ms": 250}))
}

fn in_terminal(command: &str) -> Value {
    call("exec_command", json!({"cmd": command, "tty": true}))
}

fn stdin(chars: &str) -> Value {
    call("write_stdin", json!({"session_id": 1, "chars": chars}))
}

/// Waits for the command's end.
fn wait() -> Value {
    call("write_stdin", json!({"session_id": 1, "yield_time_ms": 300_000}))
}

fn serve(place: &Place, permission: &str, turns: &[&[Value]]) -> Program {
    let done = json!({"blocks": [{"text": "done"}]});
    let turn = |calls: &&[Value]| calls.iter().cloned().chain([done.clone()]).collect::<Vec<_>>();
    let replies: Vec<Value> = turns.iter().flat_map(turn).collect();
    let script = place.script(&json!({"replies": replies}));
    let args = ["serve", "--permission", permission, "--profile", "openai", "--script", &script];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    program
}

fn turn(program: &mut Program) {
    program.prompt("go");
    program.until_event("turn.completed");
}

/// The calls' results.
fn results(program: &Program) -> Vec<String> {
    let events = program.seen.iter().map(|message| &message["params"]["event"]);
    let items =
        events.filter(|event| event["type"] == "item.completed").map(|event| &event["item"]);
    let calls = items.filter(|item| item["type"] == "toolCall");
    let text = |item: &Value| {
        let parts = item["output"]["content"].as_array().unwrap().iter();
        parts.map(|part| part["text"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
    };
    calls.map(text).collect()
}

#[test]
fn a_command_that_takes_long_continues_and_its_changes_are_the_calls() {
    let place = Place::new(&[("a.txt", "one\n")]);
    nix::unistd::mkfifo(&place.path("gate"), Mode::S_IRWXU).unwrap();
    let command = "echo begun; cat gate; echo two >> a.txt; echo over; exit 3";
    let mut program = serve(&place, "auto-edit", &[&[exec(command)], &[wait(), wait()]]);
    turn(&mut program);
    let begun = "Process running with session ID 1\nOriginal token count: 2\nOutput:\nbegun\n";
    assert_eq!(results(&program), [begun]);
    program.prompt("go");
    program.until(|message| message["params"]["event"]["item"]["toolName"] == "write_stdin");
    std::fs::write(place.path("gate"), "").unwrap();
    program.until_event("turn.completed");
    let over = "Process exited with code 3\nOriginal token count: 2\nOutput:\nover\n";
    let again = "Process exited with code 3\nOriginal token count: 0\nOutput:\n";
    assert_eq!(results(&program)[1..], [over, again]);

    let events = || program.seen.iter().map(|message| &message["params"]["event"]);
    let called = events().find(|event| event["item"]["toolName"] == "exec_command").unwrap();
    let changed = events().find(|event| event["type"] == "files.changed").unwrap();
    assert_eq!(changed["by"], json!({"type": "call", "itemId": called["item"]["id"]}));
    assert_eq!(place.read("a.txt"), "one\ntwo\n");
    let news = events().filter(|event| event["item"]["type"] == "engineMessage");
    assert_eq!(news.count(), 0, "the model has read the end");
}

#[test]
fn a_session_is_typed_into_and_stopped() {
    let place = Place::new(&[]);
    for (name, calls, want) in [
        (
            "a program that asks",
            vec![in_terminal("python3 -q"), stdin("print(6 * 7)\n"), stdin("exit()\n")],
            ["session ID 1", "42", "Process exited with code 0"],
        ),
        (
            "interrupted in its terminal",
            vec![in_terminal("echo up; cat"), stdin("word\n"), stdin("\u{3}")],
            ["up", "word", "Process "],
        ),
        (
            "stopped without one",
            vec![exec("echo up; sleep 1000"), stdin("\u{3}"), wait()],
            ["session ID 1", "Process stopped", "Process stopped"],
        ),
        (
            "typed into without one",
            vec![exec("sleep 1000"), stdin("y\n"), stdin("\u{3}")],
            ["session ID 1", "call exec_command again with `tty`", "Process stopped"],
        ),
        (
            "ended at once",
            vec![exec("echo said"), wait(), exec("echo more")],
            [
                "Process exited with code 0\nOriginal token count: 2\nOutput:\nsaid\n",
                "No command has the session ID 1",
                "Process exited with code 0\nOriginal token count: 2\nOutput:\nmore\n",
            ],
        ),
    ] {
        let mut program = serve(&place, "full", &[&calls]);
        turn(&mut program);
        for (result, want) in results(&program).iter().zip(want) {
            assert!(result.contains(want), "{name}: {want:?} in {:?}", results(&program));
        }
        assert_eq!(results(&program).len(), 3, "{name}");
        program.end_input();
        program.rest();
    }
}

#[test]
fn an_interrupt_ends_a_command_before_it_becomes_a_session() {
    let place = Place::new(&[]);
    let command =
        call("exec_command", json!({"cmd": "echo up; sleep 1000", "yield_time_ms": 30_000}));
    let mut program = serve(&place, "full", &[&[command]]);
    program.prompt("go");
    program.until(|message| message["params"]["event"]["text"] == "up\n");
    program.ask("turn/interrupt", json!({}));
    program.until_event("turn.completed");
    assert_eq!(results(&program), ["up\n\nCommand aborted"]);
    assert_eq!(program.ask("job/list", json!({}))["jobs"], json!([]));
}

#[test]
fn a_hook_and_a_report_know_the_command_whatever_the_model_calls_it() {
    let place = Place::new(&[]);
    let hook = r#"
        [[hooks]]
        point = "beforeToolCall"
        tools = ["bash"]
        command = "! grep -q '\"command\":\"echo forbidden' || echo '{\"decision\": \"deny\", \"reason\": \"no\"}'"
    "#;
    std::fs::write(place.home().join("config.toml"), hook).unwrap();
    let mut calls = Vec::new();
    for command in ["echo forbidden", "echo fine"] {
        calls.push(call("exec_command", json!({ "cmd": command })));
        calls.push(call("exec_command", json!({ "command": command })));
    }
    calls.push(json!({"blocks": [{"text": "done"}]}));
    let script = place.script(&json!({ "replies": calls }));
    let args = ["run", "go", "--permission", "full", "--profile", "openai", "--script", &script];
    let mut program = place.command(&args);
    let out = program.args(["--format", "json"]).stdin(Stdio::null()).output().unwrap();
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    let ran = json!({"command": "echo fine", "status": "completed", "exitCode": 0});
    assert_eq!(report["commands"], json!([ran, ran]), "{report:#}");
    assert_eq!(report["denials"].as_array().unwrap().len(), 2, "{report:#}");
}
