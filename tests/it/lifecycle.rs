//! How the program ends, is ended, and goes on afterwards. Nothing may be left running, nothing be lost.

use crate::support::program::{Framing, Place, Program, is_running, wait};
use expect_test::expect;
use nix::sys::signal::Signal;
use pintle_testing::waiting::until;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

/// A script whose first reply runs a command.
fn running(command: &str) -> Value {
    json!({"replies": [
        {"blocks": [{"text": "I run it"}, {"tool": "bash", "arguments": {"command": command}}]},
        {"blocks": [{"text": "it has run"}]},
    ]})
}

const INITIALIZE: &str =
    r#"{"id":1,"method":"initialize","params":{"protocol":{"name":"pintle","versions":["2.0"]}}}"#;
const CREATE: &str = r#"{"id":2,"method":"session/create"}"#;
const PROMPT: &str =
    r#"{"id":3,"method":"turn/start","params":{"input":[{"type":"text","text":"go"}]}}"#;

/// Starts `serve` with full permission on a script, with a turn whose command runs and carries this mark.
fn busy(place: &Place, mark: &str) -> Program {
    let script = place.script(&running(&format!("echo begun; exec -a {mark} sleep 1000")));
    let command = place.command(&["serve", "--permission", "full", "--script", &script]);
    let mut program = Program::start(command, Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    program.prompt("go");
    program.until(|message| message["params"]["event"]["field"] == "output");
    // The shell says so just before it becomes the command.
    until(|| is_running(mark));
    program
}

/// The events in the journal, each as its type.
fn journalled(place: &Place) -> Vec<Value> {
    let text = std::fs::read_to_string(place.journal()).unwrap();
    text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn last_turn(place: &Place) -> Value {
    let events = journalled(place);
    let end = events.iter().rev().find(|line| line["event"]["type"] == "turn.completed");
    end.map(|line| line["event"].clone()).unwrap_or_default()
}

fn is_closed(place: &Place) -> bool {
    journalled(place).last().is_some_and(|line| line["event"]["type"] == "session.closed")
}

#[test]
fn piped_lines_are_answered_to_the_end_of_the_turn() {
    let place = Place::new(&[]);
    let script = place.script(&running("echo made"));
    let mut command = place.command(&["serve", "--permission", "full", "--script", &script]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = [INITIALIZE, CREATE, PROMPT].join("\n") + "\n";
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!(wait(&mut child).code(), Some(0));
    assert!(out.contains(r#""text":"it has run""#), "{out}");
    let last = out.lines().last().unwrap();
    assert!(last.contains("session.closed"), "{last}");
    assert_eq!(last_turn(&place)["status"], "completed");
}

#[test]
fn at_the_end_of_input_what_would_ask_is_denied() {
    let place = Place::new(&[]);
    let script = place.script(&running("echo made > made.txt"));
    let mut program = Program::start(place.engine(&["serve", "--script", &script]), Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    program.prompt("go");
    program.until(|message| message["method"] == "approval/request");
    program.end_input();
    let resolved = program.until_event("approval.resolved");
    assert_eq!((&resolved["decision"], &resolved["by"]), (&json!("deny"), &json!("noApprover")));
    assert_eq!(program.until_event("turn.completed")["denials"], 1);
    assert_eq!(program.wait().code(), Some(0));
    assert!(!place.path("made.txt").exists());
}

#[test]
fn a_signal_interrupts_what_runs_and_leaves_nothing_behind() {
    for (signal, code) in [(Signal::SIGTERM, 143), (Signal::SIGINT, 130), (Signal::SIGHUP, 129)] {
        let place = Place::new(&[]);
        let mark = format!("mark-{signal}-{}", std::process::id());
        let mut program = busy(&place, &mark);
        program.signal(signal);
        assert_eq!(program.wait().code(), Some(code), "{signal}");
        let said = program.rest();
        assert!(said.iter().any(|m| m["params"]["event"]["status"] == "interrupted"), "{said:?}");
        assert!(!is_running(&mark), "{signal}");
        assert_eq!(last_turn(&place)["status"], "interrupted", "{signal}");
        assert!(is_closed(&place), "{signal}");
    }
}

#[test]
fn a_hang_up_of_stdout_interrupts_what_runs_and_leaves_nothing_behind() {
    let place = Place::new(&[]);
    let mark = format!("mark-hangup-{}", std::process::id());
    let script = place.script(&running(&format!("echo begun; exec -a {mark} sleep 1000")));
    let command = place.engine(&["serve", "--permission", "full", "--script", &script]);
    let (mut program, stdout) = Program::start_unread(command);
    for line in [INITIALIZE, CREATE, PROMPT] {
        program.send_bytes(line.as_bytes());
    }
    let mut stdout = BufReader::new(stdout);
    let mut line = String::new();
    while !line.contains(r#""field":"output""#) {
        line.clear();
        assert!(stdout.read_line(&mut line).unwrap() > 0, "it ended early");
    }
    // Stdin stays open: the closed stdout alone is noticed, without a write.
    drop(stdout);
    assert_eq!(program.wait().code(), Some(0));
    assert!(!is_running(&mark));
    assert_eq!(last_turn(&place)["status"], "interrupted");
    assert!(is_closed(&place));
}

#[test]
fn a_client_that_closes_stdout_at_once_causes_no_panic() {
    let place = Place::new(&[]);
    let mut command = place.command(&["demo", "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.contains("initialize"));
    wait(&mut child);
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert!(!errors.contains("panicked"), "{errors}");
}

#[test]
fn after_a_kill_the_turn_is_closed_and_no_call_runs_twice() {
    let place = Place::new(&[]);
    let mark = format!("mark-kill-{}", std::process::id());
    let command = format!("echo x >> ran.txt; echo begun; exec -a {mark} sleep 1000");
    let script = place.script(&running(&command));
    let args = ["serve", "--permission", "full", "--script", &script];
    let mut program = Program::start(place.command(&args), Framing::Lines);
    program.initialize();
    let session = program.ask("session/create", json!({}))["sessionId"].clone();
    program.prompt("go");
    program.until(|message| message["params"]["event"]["field"] == "output");
    program.ask(
        "turn/start",
        json!({"input": [{"type": "text", "text": "unread"}], "whenBusy": "queue"}),
    );
    program.signal(Signal::SIGKILL);
    program.wait();

    // The one reply that is left answers the next prompt.
    let script = place.script(&json!({"replies": [{"blocks": [{"text": "going on"}]}]}));
    let args = ["serve", "--permission", "full", "--script", &script];
    let mut program = Program::start(place.command(&args), Framing::Lines);
    program.initialize();
    let opened = program.ask("session/open", json!({"sessionId": session, "fromSeq": 0}));
    let unread = json!([{"type": "text", "text": "unread"}]);
    assert_eq!(opened["queue"][0]["content"], unread, "{opened}");
    let item = program.until(|m| m["params"]["event"]["item"]["output"]["failed"] == true);
    let text = item["params"]["event"]["item"]["output"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("Interrupted, outcome unknown"), "{text}");
    let end = program.until_event("turn.completed");
    assert_eq!(
        (&end["status"], &end["error"]["code"]),
        (&json!("failed"), &json!("engineRestarted"))
    );
    let notice = program.until_event("session.notice");
    assert_eq!(notice["code"], "messagesHeld");
    assert!(notice["message"].as_str().unwrap().ends_with("engine exited: \u{201c}unread\u{201d}"));
    // It begins nothing by itself, and is read before the next prompt.
    assert_eq!(program.ask("queue/list", json!({}))["queue"][0]["content"], unread);
    program.prompt("go on");
    let mut read = Vec::new();
    while read.len() < 2 {
        let item = program.until(|m| m["params"]["event"]["item"]["type"] == "userMessage");
        read.push(item["params"]["event"]["item"]["content"][0]["text"].clone());
    }
    assert_eq!(read, ["unread", "go on"]);
    assert_eq!(program.until_event("turn.completed")["status"], "completed");
    assert_eq!(place.read("ran.txt"), "x\n");
    until(|| !is_running(&mark));
}

/// The processes whose parent this one is.
#[cfg(target_os = "linux")]
fn children(parent: i32) -> Vec<i32> {
    let pids = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let parent_of = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1));
        parent_of == Some(&parent.to_string())
    })
    .collect()
}

/// The items of a session that have this type, with their text or the first text of their result.
fn shown(items: &Value, kind: &str) -> Vec<String> {
    let of_kind = items["items"].as_array().unwrap().iter().map(|at| &at["item"]);
    let text = |item: &Value| {
        let text = item["text"].as_str().or(item["output"]["content"][0]["text"].as_str());
        format!("{}: {}", item["status"].as_str().unwrap(), text.unwrap_or_default())
    };
    of_kind.filter(|item| item["type"] == kind).map(text).collect()
}

#[test]
fn text_that_people_have_read_survives_a_kill() {
    let command = "echo one line; echo another; sleep 1000";
    let cases = [
        (
            json!({"blocks": [{"reasoning": "First I look."}, {"text": "The answer is "}, {"gate": "never"}, {"text": "42."}]}),
            "The answer is ",
        ),
        (json!({"blocks": [{"tool": "bash", "arguments": {"command": command}}]}), "another"),
    ];
    let mut told = Vec::new();
    for (reply, streamed) in cases {
        let place = Place::new(&[]);
        let script = place.script(&json!({"replies": [reply]}));
        let args = ["serve", "--permission", "full", "--script", &script];
        let mut program = Program::start(place.command(&args), Framing::Lines);
        program.initialize();
        let session = program.ask("session/create", json!({}))["sessionId"].clone();
        program.prompt("go");
        let saved = place.journal().with_file_name("streaming.json");
        until(|| std::fs::read_to_string(&saved).is_ok_and(|text| text.contains(streamed)));
        program.signal(Signal::SIGKILL);
        program.wait();

        let mut program = Program::start(place.command(&args), Framing::Lines);
        program.initialize();
        program.ask("session/open", json!({"sessionId": session}));
        assert!(!saved.exists(), "the journal holds it now");
        let items = program.ask("session/items", json!({}));
        for kind in ["reasoning", "agentMessage", "toolCall"] {
            told.extend(shown(&items, kind));
        }
    }
    expect![[r#"
        [
            "completed: First I look.",
            "cancelled: The answer is ",
            "cancelled: Interrupted, outcome unknown: the engine ended while this call ran. Check its effects before you continue.\nIts output until then:\none line\nanother\n",
        ]
    "#]]
    .assert_debug_eq(&told);
}

/// Kills a program and the supervisor of its commands at the same moment, so that nobody ends what runs.
#[cfg(target_os = "linux")]
fn kill_with_supervisor(program: &mut Program) {
    let engine = i32::try_from(program.child.id()).unwrap();
    let [supervisor] = children(engine)[..] else { panic!("one supervisor") };
    let supervisor = nix::unistd::Pid::from_raw(supervisor);
    nix::sys::signal::kill(supervisor, Signal::SIGSTOP).unwrap();
    program.signal(Signal::SIGKILL);
    program.wait();
    nix::sys::signal::kill(supervisor, Signal::SIGKILL).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_killed_engine_left_running_ends_when_its_session_is_opened() {
    let place = Place::new(&[]);
    let mark = |name: &str| format!("mark-left-{name}-{}", std::process::id());
    let start = |place: &Place, name: &str| {
        // The shell ends with the supervisor, its child does not.
        let command = format!("(exec -a {} sleep 1000) & echo begun; wait", mark(name));
        let script = place.script(&running(&command));
        let serve = place.command(&["serve", "--permission", "full", "--script", &script]);
        let mut program = Program::start(serve, Framing::Lines);
        program.initialize();
        let session = program.ask("session/create", json!({}))["sessionId"].clone();
        program.prompt("go");
        until(|| is_running(&mark(name)));
        (program, session)
    };
    let (mut killed, session) = start(&place, "killed");
    // Neither the commands of a living engine nor those of another session.
    let (living, _) = start(&place, "living");
    let (mut other, other_session) = start(&place, "other");
    kill_with_supervisor(&mut killed);
    kill_with_supervisor(&mut other);
    assert!(is_running(&mark("killed")));

    let script = place.script(&json!({"replies": []}));
    let args = ["serve", "--permission", "full", "--script", &script];
    let mut program = Program::start(place.command(&args), Framing::Lines);
    program.initialize();
    program.ask("session/open", json!({"sessionId": session}));
    assert!(!is_running(&mark("killed")), "it is ended before the session is there");
    let notice = program.until_event("session.notice");
    assert_eq!(notice["code"], "commandsEnded");
    let message = notice["message"].as_str().unwrap();
    assert!(message.contains(&mark("killed")), "{message}");
    assert!(is_running(&mark("living")) && is_running(&mark("other")));

    program.ask("session/open", json!({"sessionId": other_session}));
    assert!(is_running(&mark("living")) && !is_running(&mark("other")));
    drop(living);
    // What was ended is told once.
    program.ask("session/close", json!({"sessionId": session}));
    program.ask("session/open", json!({"sessionId": session, "fromSeq": 0}));
    program.end_input();
    let notices = program.rest();
    let told = notices.iter().filter(|message| {
        let event = &message["params"]["event"];
        event["code"] == "commandsEnded" && message["params"]["sessionId"] == session
    });
    assert_eq!(told.count(), 1, "the one in the journal");
}

#[test]
fn a_journal_that_cannot_be_written_stops_the_turn_and_not_the_engine() {
    let long = "long ".repeat(2000);
    let call = json!({"tool": "bash", "arguments": {"command": "echo run >> ran.txt"}});
    let replies = vec![json!({"blocks": [{"text": long}, call]}); 10];
    // Wherever the disk is full: in the middle of a long line or between two short ones. The log may be on the same disk.
    for (kib, log) in
        [(56, "null"), (59, "null"), (62, "full"), (64, "null"), (65, "full"), (68, "null")]
    {
        let place = Place::new(&[]);
        let script = place.script(&json!({"replies": replies}));
        let args = ["serve", "--permission", "full", "--script", &script];
        let mut command = place.limited_command(kib, &args);
        let log = std::fs::OpenOptions::new().write(true).open(format!("/dev/{log}"));
        command.stderr(log.unwrap());
        let mut program = Program::start(command, Framing::Lines);
        program.initialize();
        let session = program.ask("session/create", json!({}))["sessionId"].clone();
        program.prompt("go");
        let notice = program.until_event("session.notice");
        assert_eq!((&notice["level"], &notice["code"]), (&json!("error"), &json!("journal")));
        let end = program.until_event("turn.completed");
        assert_eq!(end["status"], "failed", "{kib} KiB: {end}");
        program.until(|message| message["params"]["event"]["value"] == "idle");
        program.ask("ping", json!({}));
        // A prompt is refused, or its turn ends like the one before.
        let next = program.ask("turn/start", json!({"input": [{"type": "text", "text": "on"}]}));
        if next["disposition"] == "started" {
            assert_eq!(program.until_event("turn.completed")["status"], "failed", "{kib} KiB");
        }
        // What is there is whole, and every call that ran stands in it.
        let events = journalled(&place);
        let ran = events.iter().filter(|line| line["event"]["item"]["status"] == "running");
        let ran = ran.filter(|line| line["event"]["item"]["type"] == "toolCall").count();
        assert_eq!(place.read("ran.txt").lines().count(), ran, "{kib} KiB");
        // With room again, the turn has its end.
        program.end_input();
        program.rest();
        let mut next = Program::start(place.engine(&args), Framing::Lines);
        next.initialize();
        let opened = next.ask("session/open", json!({"sessionId": session}));
        assert_eq!(opened["state"]["value"], "idle", "{kib} KiB: {opened}");
        let events = journalled(&place);
        let count = |kind: &str| events.iter().filter(|line| line["event"]["type"] == kind).count();
        assert_eq!(count("turn.completed"), count("input.accepted"), "{kib} KiB");
    }

    let place = Place::new(&[]);
    let script = place.script(&json!({"replies": replies}));
    let args = ["run", "go", "--permission", "full", "--script", &script];
    let out = place.limited_command(64, &args).output().unwrap();
    assert_eq!(out.status.code(), Some(1), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(String::from_utf8_lossy(&out.stderr).contains("free disk space"));
}

#[test]
fn a_session_is_open_for_writing_in_one_program_at_a_time() {
    let place = Place::new(&[]).with_processes();
    let mut first = Program::on_script(&place, &running("true"), Framing::Lines);
    let session = first.seen.last().unwrap()["params"]["sessionId"].clone();
    let session = if session.is_null() {
        first.until(|m| !m["params"]["sessionId"].is_null())["params"]["sessionId"].clone()
    } else {
        session
    };
    let mut second = Program::start(
        place.engine(&["serve", "--script", &place.script(&running("true"))]),
        Framing::Lines,
    );
    second.initialize();
    let error = second.ask("session/open", json!({"sessionId": session}));
    assert_eq!((&error["code"], &error["data"]["code"]), (&json!(-32041), &json!("openElsewhere")));
    assert!(error["message"].as_str().unwrap().contains("another process"), "{error}");
    // Reading needs no lock.
    let page = second.ask("session/events", json!({"sessionId": session}));
    assert_eq!(page["events"][0]["event"]["type"], "session.created");
    first.ask("session/close", json!({}));
    assert_eq!(second.ask("session/open", json!({"sessionId": session}))["state"]["value"], "idle");
}

#[test]
fn a_client_that_does_not_read_holds_nothing_up_and_is_told_what_it_missed() {
    // Far more durable events, and far more bytes, than pipe and queues hold.
    let place = Place::new(&[("long.txt", &"a line of text\n".repeat(1400))]);
    let read =
        |offset| json!({"tool": "read", "arguments": {"path": "long.txt", "offset": offset}});
    let mut replies: Vec<Value> =
        (0..40).map(|_| json!({"blocks": (1..=12).map(read).collect::<Vec<_>>()})).collect();
    replies.push(json!({"blocks": [{"text": "the end"}]}));
    let script = place.script(&json!({"replies": replies}));
    let command = place.engine(&["serve", "--permission", "full", "--script", &script]);
    let (mut program, stdout) = Program::start_unread(command);
    for line in [INITIALIZE, CREATE, PROMPT] {
        program.send_bytes(line.as_bytes());
    }
    // Nobody reads, and the turn ends all the same.
    until(|| has_ended(&place));
    assert_eq!(last_turn(&place)["status"], "completed", "{}", last_turn(&place));
    program.end_input();
    let mut lines = BufReader::new(stdout).lines();
    let mut next = 1;
    let mut missed = 0;
    for line in lines.by_ref() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        program.check(&message);
        let params = &message["params"];
        if message["method"] == "session/eventsMissed" {
            assert_eq!(params["lastSentSeq"], next - 1);
            let head = params["headSeq"].as_u64().unwrap();
            missed += head + 1 - next;
            next = head + 1;
        } else if let Some(seq) = params["seq"].as_u64() {
            assert_eq!(seq, next, "told of every gap");
            next += 1;
        }
    }
    assert!(missed > 0, "the client was too slow to see everything");
    assert_eq!(program.wait().code(), Some(0));
    assert_eq!(next, journalled(&place).len() as u64 + 1);
}

#[test]
fn the_response_to_close_follows_the_last_event_also_for_a_client_that_is_slow() {
    // More bytes than pipe and queue hold, and fewer events than the connection lets wait.
    let place = Place::new(&[("long.txt", &"a line of text\n".repeat(1400))]);
    let read =
        |offset| json!({"tool": "read", "arguments": {"path": "long.txt", "offset": offset}});
    let mut replies: Vec<Value> =
        (0..8).map(|_| json!({"blocks": (1..=12).map(read).collect::<Vec<_>>()})).collect();
    replies.push(json!({"blocks": [{"text": "the end"}]}));
    let script = place.script(&json!({"replies": replies}));
    let command = place.command(&["serve", "--permission", "full", "--script", &script]);
    let (mut program, stdout) = Program::start_unread(command);
    for line in [INITIALIZE, CREATE, PROMPT] {
        program.send_bytes(line.as_bytes());
    }
    until(|| has_ended(&place));
    program.send_bytes(b"{\"id\":\"closed\",\"method\":\"session/close\"}\n");
    until(|| journal_contains(&place, r#""type":"session.closed""#));
    // Once all threads sleep, the response is queued behind output that the client has not read.
    until(|| is_at_rest(program.child.id()));
    program.end_input();
    let mut order = Vec::new();
    for line in BufReader::new(stdout).lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        program.check(&message);
        assert_ne!(
            message["method"], "session/eventsMissed",
            "fewer events than a connection holds"
        );
        if message["params"]["event"]["type"] == "session.closed" {
            order.push("session.closed");
        } else if message["id"] == "closed" {
            order.push("response");
        }
    }
    assert_eq!(order, ["session.closed", "response"]);
    assert_eq!(program.wait().code(), Some(0));
}

/// Returns true if every thread of the process is asleep.
fn is_at_rest(pid: u32) -> bool {
    std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten().all(|thread| {
        let facts = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        // The state follows the name, which is in parentheses.
        facts.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('S'))
    })
}

/// Whether the journal tells of a turn's end.
fn has_ended(place: &Place) -> bool {
    journal_contains(place, r#""type":"turn.completed""#)
}

fn journal_contains(place: &Place, wanted: &str) -> bool {
    let journal = place.journal_if_any();
    let text = journal.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    text.contains(wanted)
}
