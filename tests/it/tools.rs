//! Tools through the real program: what only shows with a session, a connection or a limit of the system around them.

use crate::support::program::{Framing, Place, Program};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use pintle_testing::waiting::until;
use serde_json::{Value, json};
use std::process::Stdio;

/// A script of calls, one a reply, and a last word.
fn calls(calls: &[(&str, Value)]) -> Value {
    let mut replies: Vec<Value> = calls
        .iter()
        .map(|(tool, arguments)| json!({"blocks": [{"tool": tool, "arguments": arguments}]}))
        .collect();
    replies.push(json!({"blocks": [{"text": "done"}]}));
    json!({"replies": replies})
}

/// Runs one turn and returns the finished calls.
fn turn(program: &mut Program) -> Vec<Value> {
    program.initialize();
    program.ask("session/create", json!({}));
    program.prompt("go");
    program.until_event("turn.completed");
    let events = program.seen.iter().map(|message| &message["params"]["event"]);
    let items =
        events.filter(|event| event["type"] == "item.completed").map(|event| &event["item"]);
    items.filter(|item| item["type"] == "toolCall").cloned().collect()
}

fn text(call: &Value) -> &str {
    call["output"]["content"][0]["text"].as_str().unwrap_or_default()
}

#[test]
fn a_long_output_is_cut_for_the_model_and_read_in_pieces_by_a_client() {
    // Profile, tool, arguments, lines that the model sees, how it is told.
    let rows = [
        (
            "pi",
            "bash",
            json!({"command": "seq 5000"}),
            2000,
            "[Showing lines 3001-5000 of 5000. Full output: ",
        ),
        (
            "openai",
            "exec_command",
            json!({"cmd": "seq 5000", "max_output_tokens": 1000}),
            927,
            "[Lines 528-4600 of 5000 are not shown (3.9KB limit). Full output: ",
        ),
    ];
    for (profile, tool, arguments, lines, told) in rows {
        let place = Place::new(&[]);
        let script = place.script(&calls(&[(tool, arguments)]));
        let args = ["serve", "--permission", "full", "--profile", profile, "--script", &script];
        let mut program = Program::start(place.engine(&args), Framing::Lines);
        let call = turn(&mut program).remove(0);
        let shown = text(&call);
        assert!(shown.contains(told), "{profile}: {shown}");
        let numbers = shown.lines().filter(|line| line.parse::<u32>().is_ok()).count();
        assert!((lines - 4..=lines).contains(&numbers), "{profile}: {numbers}");

        let full = &call["output"]["details"]["fullOutput"];
        let (mut whole, mut offset) = (String::new(), 0);
        loop {
            let params = json!({"ref": full["ref"], "offset": offset, "length": 10_000});
            let piece = program.ask("blob/read", params);
            whole.push_str(piece["text"].as_str().unwrap());
            offset = piece["end"].as_u64().unwrap();
            if piece["end"] == piece["size"] {
                break;
            }
        }
        let want: String =
            (1..=5000).flat_map(|number: u32| [number.to_string(), "\n".into()]).collect();
        assert_eq!(whole, want, "{profile}");
        assert_eq!(full["bytes"], want.len(), "{profile}");
    }
}

#[test]
fn the_long_output_of_a_job_is_read_by_a_client() {
    let place = Place::new(&[]);
    let script =
        place.script(&calls(&[("bash", json!({"command": "seq 5000", "background": true}))]));
    let args = ["serve", "--permission", "full", "--script", &script];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    program.prompt("go");
    let ended = program.until(|message| {
        let event = &message["params"]["event"];
        event["type"] == "item.completed" && event["item"]["type"] == "job"
    });
    let full = &ended["params"]["event"]["item"]["details"]["fullOutput"];
    let piece = program.ask("blob/read", json!({"ref": full["ref"], "length": 8}));
    assert_eq!((piece["text"].as_str(), &piece["size"]), (Some("1\n2\n3\n4\n"), &full["bytes"]));
}

#[test]
fn behind_a_prefix_the_work_is_in_the_folder_of_the_same_path() {
    // Also where the prefix itself goes elsewhere first, as ssh does.
    for wrap in ["env", "sh -c 'cd /; exec \"$0\" \"$@\"'"] {
        let place = Place::new(&[]);
        let script = place.script(&calls(&[("bash", json!({"command": "echo here > made.txt"}))]));
        let args =
            ["run", "--quiet", "--permission", "full", "--wrap", wrap, "--script", &script, "go"];
        let out = place.command(&args).output().unwrap();
        assert!(out.status.success(), "{wrap}: {}", String::from_utf8_lossy(&out.stderr));
        assert_eq!(place.read("made.txt"), "here\n", "{wrap}");
    }
}

#[test]
fn a_session_starts_its_prefix_once() {
    let place = Place::new(&[("a.txt", "one\ntwo\n")]);
    let script = place.script(&calls(&[
        ("read", json!({"path": "a.txt"})),
        ("edit", json!({"path": "a.txt", "oldText": "two", "newText": "2"})),
        ("bash", json!({"command": "cat a.txt"})),
        ("bash", json!({"command": "echo second > b.txt"})),
    ]));
    let wrap = "sh -c 'echo start >> starts; exec \"$@\"' sh";
    let args = ["run", "--quiet", "--permission", "full", "--profile", "pi", "--wrap", wrap];
    let out = place.command(&[&args[..], &["--script", &script, "go"]].concat()).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!((&*place.read("a.txt"), &*place.read("b.txt")), ("one\n2\n", "second\n"));
    assert_eq!(place.read("starts").lines().count(), 1);
}

#[test]
fn commands_of_one_reply_share_the_connections_behind_a_prefix() {
    let place = Place::new(&[("a.txt", "one\n")]);
    let call = json!({"tool": "bash", "arguments": {"command": "cat a.txt"}});
    let calls = 8;
    let replies = json!([{ "blocks": vec![call; calls] }, {"blocks": [{"text": "done"}]}]);
    let script = place.script(&json!({ "replies": replies }));
    let wrap = "sh -c 'echo start >> starts; exec \"$@\"' sh";
    let args = ["run", "--permission", "full", "--profile", "pi", "--wrap", wrap];
    let out = place.command(&[&args[..], &["--script", &script, "go"]].concat()).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let starts = place.read("starts").lines().count();
    // Usually 2. A loaded machine may add some, since a connection that stays busy or is slow to end is not waited for.
    assert!(starts < calls, "{starts} starts");
}

#[test]
fn a_signal_ends_the_wait_for_a_prefix_that_does_not_answer() {
    for task in [&["run", "go"][..], &["serve"], &["acp"], &["rpc"]] {
        let place = Place::new(&[]);
        let script = place.script(&json!({ "replies": [] }));
        let more = ["--script", &script, "--wrap", "sh -c 'touch began; exec sleep 1000' sh"];
        let mut command = place.command(&[task, &more].concat());
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        until(|| place.project().join("began").exists());
        kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGTERM).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(143), "{task:?}");
    }
}

#[test]
fn an_output_that_is_not_there_is_told_so() {
    let place = Place::new(&[]);
    let mut program = Program::on_script(&place, &calls(&[]), Framing::Lines);
    let rows = [
        ("no such name", json!({"ref": "gone"}), "notFound"),
        ("a way out", json!({"ref": "../journal.jsonl"}), "notFound"),
        ("no such session", json!({"sessionId": "gone", "ref": "x"}), "notFound"),
        ("too much at once", json!({"ref": "x", "length": 10_000_000}), "invalidParams"),
    ];
    for (name, params, code) in rows {
        let error = program.ask("blob/read", params);
        assert_eq!(error["data"]["code"], code, "{name}: {error}");
    }
}

/// A file-size limit stands for a full disk.
#[test]
fn a_full_disk_leaves_files_as_they_were() {
    let large = "a line of a large file\n".repeat(50_000) + "the last\n";
    let place = Place::new(&[("large", &large), ("other", "other\n")]);
    let edit = json!({"path": "large", "oldText": "the last", "newText": "changed"});
    let patch = "*** Begin Patch\n*** Update File: other\n@@\n-other\n+changed\n*** Add File: new\n+new\n\
        *** Update File: large\n@@\n-the last\n+changed\n*** End Patch";
    for (profile, tool, arguments) in
        [("pi", "edit", edit), ("openai", "apply_patch", json!({"patch": patch}))]
    {
        let script = place.script(&calls(&[(tool, arguments)]));
        let args = ["serve", "--permission", "full", "--profile", profile, "--script", &script];
        let mut program = Program::start(place.limited_command(512, &args), Framing::Lines);
        let call = turn(&mut program).remove(0);
        assert_eq!(call["status"], "failed", "{}", text(&call));
        assert!(text(&call).contains("File too large"), "{}", text(&call));
        assert!(place.read("large") == large && place.read("other") == "other\n", "{tool}");
        let entries = std::fs::read_dir(place.project()).unwrap().flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.sort();
        assert_eq!(names, ["large", "other"], "{tool}: nothing half-written is left");
    }
}

#[test]
fn a_call_that_was_cut_off_never_runs() {
    let half = json!({"tool": "write", "arguments": r#"{"path": "made.txt", "content": "half"#});
    let bare = json!({"tool": "ls", "arguments": ""});
    // Some servers close the braces of a call that they cut.
    let whole = json!({"tool": "write", "arguments": {"path": "made.txt", "content": "half"}});
    let last = json!({"blocks": [{"text": "done"}]});
    let rows = [
        ("completed by the server", json!({"blocks": [whole], "stop": "maxTokens"}), "failed"),
        ("by the length limit", json!({"blocks": [half], "stop": "maxTokens"}), "failed"),
        ("by the model", json!({"blocks": [half]}), "failed"),
        ("before its arguments", json!({"blocks": [bare], "stop": "maxTokens"}), "failed"),
        (
            "by a broken connection",
            json!({"blocks": [half], "error": {"kind": "network", "message": "broken"}}),
            "cancelled",
        ),
    ];
    for (name, reply, status) in rows {
        let place = Place::new(&[]);
        let script = place.script(&json!({"replies": [reply, last]}));
        let args = ["serve", "--permission", "full", "--script", &script];
        let mut program = Program::start(place.engine(&args), Framing::Lines);
        let call = turn(&mut program).remove(0);
        assert_eq!(call["status"], status, "{name}: {call}");
        assert!(!place.path("made.txt").exists(), "{name}");
        let is_told =
            text(&call).starts_with("The reply reached its length limit inside this call");
        let is_limit =
            name.contains("server") || name.contains("limit") || name.starts_with("before");
        assert_eq!(is_told, is_limit, "{name}: {}", text(&call));
    }
}
