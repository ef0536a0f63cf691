//! Requests of the native protocol that begin, cancel and count: keys, causes, calls cancelled one by one, a person's own commands, final messages of a
//! given schema, usage.

use crate::support::program::{Framing, PLANT, Place, Program};
use expect_test::expect;
use pintle_testing::waiting::until;
use serde_json::{Value, json};

fn text(words: &str) -> Value {
    json!([{"type": "text", "text": words}])
}

struct Scene {
    place: Place,
    script: String,
    permission: &'static str,
}

impl Scene {
    fn new(replies: Value) -> Self {
        Self::at(Place::new(&[]), replies)
    }

    /// With engines that can be killed.
    fn with_processes(replies: Value) -> Self {
        Self::at(Place::new(&[]).with_processes(), replies)
    }

    fn at(place: Place, replies: Value) -> Self {
        let script = place.script(&json!({ "replies": replies }));
        Self { place, script, permission: "full" }
    }

    fn start(&self) -> Program {
        let args = ["serve", "--permission", self.permission, "--script", &self.script];
        let mut program = Program::start(self.place.engine(&args), Framing::Lines);
        program.ask(
            "initialize",
            json!({
                "protocol": {"name": "pintle", "versions": ["2.0"]},
                "client": {"name": "tests", "id": "tests-1"},
                "capabilities": {"approvals": {}},
            }),
        );
        program
    }
}

/// The types of events that came, of those that follow from a request, with who sent it.
fn causes(program: &Program) -> Vec<String> {
    let params = program.seen.iter().map(|message| &message["params"]);
    let caused = params.filter(|params| params["cause"].is_object());
    caused.map(|params| format!("{} {}", params["event"]["type"], params["cause"])).collect()
}

#[test]
fn a_request_that_is_repeated_with_its_key_has_no_second_effect() {
    let scene = Scene::with_processes(json!([
        {"blocks": [{"text": "first"}]},
        {"blocks": [{"text": "a summary"}]},
    ]));
    let mut program = scene.start();
    let made = program.ask("session/create", json!({"key": "make"}));
    let again = program.ask("session/create", json!({"key": "make"}));
    assert_eq!(made["sessionId"], again["sessionId"]);
    // A known key in it, which the journal does not have, makes no other request of it.
    let words = format!("go, with {PLANT}-everywhere");
    let start = json!({"input": text(&words), "key": "go"});
    let began = program.ask("turn/start", start.clone());
    program.until_event("turn.completed");
    assert_eq!(program.ask("turn/start", start.clone()), began);
    let other = program.ask_refused("turn/start", json!({"input": text("else"), "key": "go"}));
    assert_eq!(other["data"]["code"], "conflict", "{other}");
    let compact = json!({"key": "sum up"});
    let summed = program.ask("session/compact", compact.clone());
    program.until_event("turn.completed");
    assert_eq!(program.ask("session/compact", compact.clone()), summed);
    let fork = json!({"sessionId": made["sessionId"], "key": "fork", "subscribe": false});
    let forked = program.ask("session/fork", fork.clone());
    assert_eq!(program.ask("session/fork", fork.clone())["sessionId"], forked["sessionId"]);
    let session = json!({"sessionId": made["sessionId"]});
    program.ask("session/close", json!({"sessionId": forked["sessionId"]}));
    expect![[r#"
        [
            "\"session.created\" {\"clientId\":\"tests-1\",\"key\":\"make\"}",
            "\"session.created\" {\"clientId\":\"tests-1\",\"key\":\"make\"}",
            "\"input.accepted\" {\"clientId\":\"tests-1\",\"key\":\"go\"}",
            "\"turn.started\" {\"clientId\":\"tests-1\",\"key\":\"go\"}",
            "\"turn.started\" {\"clientId\":\"tests-1\",\"key\":\"sum up\"}",
        ]
    "#]]
    .assert_debug_eq(&causes(&program));
    program.signal(nix::sys::signal::Signal::SIGKILL);
    program.wait();

    // All of it holds for the next engine too.
    let mut program = scene.start();
    assert_eq!(
        program.ask("session/create", json!({"key": "make"}))["sessionId"],
        made["sessionId"]
    );
    assert_eq!(program.ask("turn/start", start), began);
    assert_eq!(program.ask("session/compact", compact), summed);
    assert_eq!(program.ask("session/fork", fork)["sessionId"], forked["sessionId"]);
    let turns = program.ask("usage/read", session)["total"]["turns"].clone();
    assert_eq!(turns, 2, "one of the prompt, one of the summary");
    for (key, path) in [("", "/key"), (&*"x".repeat(201), "/key")] {
        let error = program.ask_refused("session/create", json!({"key": key}));
        assert_eq!(error["data"]["path"], path, "{error}");
    }
}

/// Wherever the disk is full, a request with a key has had its effect and holds in the next engine, or it was refused and can be repeated.
#[test]
fn a_key_on_a_full_disk_has_one_effect_or_none() {
    for kib in [4, 5, 6, 7, 8] {
        let scene = Scene::with_processes(json!([{"blocks": [{"text": "fine"}]}]));
        let args = ["serve", "--permission", "full", "--script", &scene.script];
        let mut program = Program::start(scene.place.limited_command(kib, &args), Framing::Lines);
        program.initialize();
        let session = program.ask("session/create", json!({}))["sessionId"].clone();
        let note = |key: &str| json!({"sessionId": session, "kind": "mark", "text": "n".repeat(300), "key": key});
        let run = |key: &str| json!({"sessionId": session, "command": format!("echo {key} >> ran.txt"), "key": key});
        let requests: Vec<(&str, Value)> = (0..12)
            .map(|number| match number % 2 {
                0 => ("session/note", note(&format!("key{number}"))),
                _ => ("shell/run", run(&format!("key{number}"))),
            })
            .collect();
        let mut had_effect = Vec::new();
        for (method, params) in &requests {
            had_effect.push(program.ask(method, params.clone()).get("code").is_none());
        }
        assert!(had_effect[0] && !had_effect[11], "{kib} KiB: {had_effect:?}");
        program.signal(nix::sys::signal::Signal::SIGKILL);
        program.wait();

        // There is room again. Each is sent once more.
        let mut program = scene.start();
        program.ask("session/open", json!({"sessionId": session}));
        for (method, params) in &requests {
            program.ask(method, params.clone());
        }
        let ran = scene.place.read("ran.txt");
        let mut ran: Vec<&str> = ran.lines().collect();
        ran.sort_unstable();
        assert_eq!(ran, ["key1", "key11", "key3", "key5", "key7", "key9"], "{kib} KiB");
        let events = program.ask("session/events", json!({"sessionId": session}));
        let notes = events["events"].as_array().unwrap().iter().filter(|record| {
            record["event"]["type"] == "item.completed"
                && record["event"]["item"]["text"] == "n".repeat(300)
        });
        assert_eq!(notes.count(), 6, "{kib} KiB");
    }
}

#[test]
fn a_steer_while_nothing_runs_is_kept_where_the_client_wants_it() {
    let scene = Scene::new(json!([{"blocks": [{"text": "done"}]}]));
    let mut program = scene.start();
    program.ask("session/create", json!({}));
    let steer =
        |when: &str, key: &str| json!({"input": text("be brief"), "whenIdle": when, "key": key});
    assert_eq!(program.ask("turn/steer", steer("reject", "a"))["data"]["code"], "noActiveTurn");
    let guarded = program.ask("turn/interrupt", json!({"expectedTurnId": "t1"}));
    assert_eq!(guarded["data"]["code"], "conflict");
    assert_eq!(guarded["data"]["hint"], json!(null), "starting a turn is no remedy: {guarded}");
    let held = program.ask("turn/steer", steer("hold", "b"));
    assert_eq!(held["outcome"], "held");
    assert_eq!(program.ask("turn/steer", steer("hold", "b")), held);
    let queue = program.ask("queue/list", json!({}))["queue"].clone();
    assert_eq!(queue.as_array().unwrap().len(), 1, "{queue}");
    program.prompt("go");
    program.until_event("turn.completed");
    let items = program.ask("session/items", json!({}));
    let said = items["items"].as_array().unwrap().iter().map(|at| &at["item"]);
    let said: Vec<&Value> = said
        .filter(|item| item["type"] == "userMessage")
        .map(|item| &item["content"][0]["text"])
        .collect();
    assert_eq!(said, ["be brief", "go"]);
}

#[test]
fn one_call_is_cancelled_and_the_turn_goes_on() {
    let mut scene = Scene::new(json!([
        {"blocks": [{"tool": "bash", "arguments": {"command": "echo begun; sleep 1000"}}]},
        {"blocks": [
            {"tool": "bash", "arguments": {"command": "echo made > made.txt"}},
        ]},
        {"blocks": [{"text": "done"}]},
    ]));
    scene.permission = "ask";
    let mut program = scene.start();
    program.ask("session/create", json!({}));
    program.prompt("go");
    let printed = program.until(|message| message["params"]["event"]["field"] == "output");
    let item = json!({"itemId": printed["params"]["event"]["itemId"]});
    program.ask("item/cancel", item.clone());
    // The next one waits for permission, which cancelling denies.
    let asked = program.until(|message| message["method"] == "approval/request");
    program.ask("item/cancel", json!({"itemId": asked["params"]["itemId"]}));
    let end = program.until_event("turn.completed");
    assert_eq!((&end["status"], &end["denials"]), (&json!("completed"), &json!(1)), "{end}");
    let gone = program.ask_refused("item/cancel", item);
    assert_eq!(gone["data"]["code"], "notFound", "{gone}");
    let items = program.ask("session/items", json!({}));
    let calls = items["items"].as_array().unwrap().iter().map(|at| &at["item"]);
    let calls: Vec<String> = calls
        .filter(|item| item["type"] == "toolCall")
        .map(|item| format!("{} {}", item["status"], item["output"]["content"]))
        .collect();
    expect![[r#"
        [
            "\"cancelled\" [{\"type\":\"text\",\"text\":\"begun\\n\\nCommand aborted\"},{\"type\":\"text\",\"text\":\"From the engine, not from the user: the user cancelled only this call. Anything it had already done stays.\"}]",
            "\"declined\" [{\"type\":\"text\",\"text\":\"The user declined this call. It did not run.\"}]",
        ]
    "#]]
    .assert_debug_eq(&calls);
}

#[test]
fn a_command_of_a_person_runs_beside_the_agent_and_is_kept() {
    let scene = Scene::new(json!([{"of": "echo hello", "blocks": [{"text": "I see"}]}]));
    let mut program = scene.start();
    program.ask("session/create", json!({}));
    let ran = program.ask("shell/run", json!({"command": "echo hello; exit 3"}));
    assert_eq!(ran, json!({"jobId": "job-1", "output": "hello\n", "exitCode": 3}));
    program.ask("shell/run", json!({"command": "echo secret", "toModel": false}));
    let id = program.request(
        "shell/run",
        json!({"command": "echo one; touch begun; sleep 1000", "toModel": false}),
    );
    // Its output comes while it runs, and other requests do not wait for it.
    program.until(|message| message["params"]["event"]["text"] == "one\n");
    program.ask("queue/list", json!({}));
    until(|| scene.place.path("begun").exists());
    program.send(&json!({"method": "$/cancelRequest", "params": {"id": id}}));
    assert_eq!(program.answer_to(id)["cancelled"], true);
    // A client stays below the engine's ceiling.
    let mut reading = Scene::new(json!([]));
    reading.permission = "read-only";
    let mut below = reading.start();
    below.ask("session/create", json!({}));
    let refused = below.ask_refused("shell/run", json!({"command": "touch made"}));
    assert_eq!(refused["data"]["code"], "conflict", "{refused}");
    assert!(!reading.place.path("made").exists());
    let empty = program.ask_refused("shell/run", json!({"command": " "}));
    assert_eq!(empty["data"]["path"], "/command");
    program.prompt("what did I run?");
    assert_eq!(program.until_event("turn.completed")["status"], "completed");
    let items = program.ask("session/items", json!({}));
    let items = items["items"].as_array().unwrap().iter().map(|at| &at["item"]);
    let shown = items.filter_map(|item| match item["type"].as_str() {
        Some("job") => Some(format!(
            "{} by {}: {} {} {}",
            item["status"], item["byUser"], item["command"], item["output"], item["end"]
        )),
        Some("engineMessage") if item["note"]["kind"] == "shell" => {
            Some(format!("for the model: {}", item["text"]))
        }
        _ => None,
    });
    expect![[r#"
        [
            "\"failed\" by true: \"echo hello; exit 3\" \"hello\\n\" \"exited\"",
            "for the model: \"From the engine, not from the user: a note from the user's client.\\n\\nThe user ran a command:\\n$ echo hello; exit 3\\nhello\\n(exited with code 3)\"",
            "\"completed\" by true: \"echo secret\" \"secret\\n\" \"exited\"",
            "\"cancelled\" by true: \"echo one; touch begun; sleep 1000\" \"one\\n\" \"stopped\"",
        ]
    "#]]
    .assert_debug_eq(&shown.collect::<Vec<_>>());
}

#[test]
fn a_command_or_a_note_that_is_repeated_with_its_key_is_there_once() {
    let scene = Scene::with_processes(json!([{"blocks": [{"text": "done"}]}]));
    let mut program = scene.start();
    let made = program.ask("session/create", json!({}));
    let run = json!({"command": "echo ran >> runs; cat runs", "key": "run"});
    let ran = program.ask("shell/run", run.clone());
    assert_eq!(program.ask("shell/run", run.clone()), ran);
    // While it runs, the second request waits for the same end.
    let long = json!({"command": "echo ran >> runs; until [ -e over ]; do sleep .01; done", "key": "long"});
    let first = program.request("shell/run", long.clone());
    let second = program.request("shell/run", long);
    until(|| scene.place.read("runs").lines().count() == 2);
    std::fs::write(scene.place.path("over"), "").unwrap();
    assert_eq!(program.answer_to(first), program.answer_to(second));
    let note =
        json!({"text": format!("remember {PLANT}-everywhere"), "toModel": true, "key": "note"});
    program.ask("session/note", note.clone());
    program.ask("session/note", note.clone());
    for (method, other) in [
        ("shell/run", json!({"command": "true", "key": "run"})),
        ("shell/run", json!({"command": "true", "key": "note"})),
        ("session/note", json!({"text": "remember", "key": "note"})),
        ("session/note", json!({"text": "remember", "key": "run"})),
        ("turn/start", json!({"input": text("go"), "key": "run"})),
        ("session/compact", json!({"key": "note"})),
    ] {
        let refused = program.ask_refused(method, other);
        assert_eq!(refused["data"]["code"], "conflict", "{refused}");
    }
    // A kill ends this one.
    let killed = json!({"command": "echo begun; touch begun; sleep 1000", "toModel": false, "key": "killed"});
    program.request("shell/run", killed.clone());
    until(|| scene.place.path("begun").exists());
    program.signal(nix::sys::signal::Signal::SIGKILL);
    program.wait();

    // All of it holds for the next engine too.
    let mut program = scene.start();
    program.ask("session/open", json!({"sessionId": made["sessionId"]}));
    assert_eq!(program.ask("shell/run", run), ran);
    assert_eq!(program.ask("shell/run", killed)["cancelled"], true);
    program.ask("session/note", note);
    assert_eq!(scene.place.read("runs"), "ran\nran\n");
    let items = program.ask("session/items", json!({}));
    let items = items["items"].as_array().unwrap().iter().map(|at| &at["item"]);
    let kinds: Vec<&Value> = items.map(|item| &item["type"]).collect();
    assert_eq!(kinds, ["job", "engineMessage", "job", "engineMessage", "engineMessage", "job"]);
}

#[test]
fn a_note_in_the_middle_of_a_turn_keeps_the_key_of_its_request() {
    let scene = Scene::new(json!([
        {"blocks": [{"tool": "bash", "arguments": {"command": "echo begun; until [ -e over ]; do sleep .01; done"}}]},
        {"blocks": [{"text": "done"}]},
    ]));
    let mut program = scene.start();
    program.ask("session/create", json!({}));
    program.prompt("go");
    program.until(|message| message["params"]["event"]["field"] == "output");
    let note = json!({"text": "a note", "key": "note"});
    program.ask("session/note", note.clone());
    // It is not written yet, and the second request adds none.
    program.ask("session/note", note.clone());
    let other = program.ask_refused("session/note", json!({"text": "another", "key": "note"}));
    assert_eq!(other["data"]["code"], "conflict", "{other}");
    std::fs::write(scene.place.path("over"), "").unwrap();
    program.until_event("turn.completed");
    program.ask("session/note", note);
    program.ask("session/close", json!({}));
    let caused = causes(&program).into_iter().filter(|line| line.contains("note"));
    assert_eq!(
        caused.collect::<Vec<_>>(),
        [r#""item.completed" {"clientId":"tests-1","key":"note"}"#]
    );
}

#[test]
fn a_turn_with_a_schema_ends_with_a_value_or_fails() {
    let schema = json!({"type": "object", "properties": {"answer": {"type": "integer"}}, "required": ["answer"]});
    for (name, said, want) in [
        ("at once", vec![r#"{"answer": 42}"#], json!(["completed", {"answer": 42}, null])),
        (
            "after a word",
            vec!["forty-two", r#"{"answer": 42}"#],
            json!(["completed", {"answer": 42}, null]),
        ),
        ("never", vec!["no", "no", "no"], json!(["failed", null, "outputInvalid"])),
    ] {
        let replies: Vec<Value> =
            said.iter().map(|said| json!({"blocks": [{"text": said}]})).collect();
        let scene = Scene::new(json!(replies));
        let mut program = scene.start();
        program.ask("session/create", json!({}));
        program.ask("turn/start", json!({"input": text("what is it?"), "outputSchema": schema}));
        let end = program.until_event("turn.completed");
        assert_eq!(json!([end["status"], end["structured"], end["error"]["code"]]), want, "{name}");
    }
    let scene = Scene::new(json!([]));
    let mut program = scene.start();
    program.ask("session/create", json!({}));
    let bad = json!({"input": text("go"), "outputSchema": {"type": "number or so"}});
    let error = program.ask_refused("turn/start", bad);
    assert_eq!(error["data"]["code"], "invalidParams", "{error}");
    assert!(
        error["message"].as_str().unwrap().starts_with("the output schema is invalid"),
        "{error}"
    );
}

#[test]
fn lists_leave_archived_sessions_out_unless_they_are_asked_for() {
    let scene = Scene::new(json!([]));
    let mut program = scene.start();
    let first = program.ask("session/create", json!({"title": "first"}))["sessionId"].clone();
    let closed = json!({"sessionId": first});
    program.ask("session/close", closed);
    let second = program.ask("session/create", json!({"title": "second"}))["sessionId"].clone();
    let titles = |program: &mut Program, archived: bool| -> Vec<String> {
        let listed = program.ask("session/list", json!({"archived": archived}));
        let listed = listed["sessions"].as_array().unwrap().clone();
        assert!(
            listed.iter().all(|session| session["archived"].as_bool().unwrap_or(false) == archived)
        );
        listed.iter().map(|session| session["title"].as_str().unwrap().to_owned()).collect()
    };
    // One that is closed and one that is open.
    for session in [&first, &second] {
        program.ask("session/archive", json!({"sessionId": session}));
        program.ask("session/archive", json!({"sessionId": session}));
    }
    assert!(titles(&mut program, false).is_empty());
    assert_eq!(titles(&mut program, true), ["second", "first"]);
    let back = json!({"sessionId": first, "archived": false});
    program.ask("session/archive", back.clone());
    program.ask("session/archive", back);
    assert_eq!(titles(&mut program, false), ["first"]);
    assert_eq!(titles(&mut program, true), ["second"]);
    let list = |args: &[&str]| {
        let listed = scene.place.command(&[&["sessions", "list"], args].concat()).output().unwrap();
        String::from_utf8(listed.stdout).unwrap()
    };
    assert!(list(&[]).contains("first") && !list(&[]).contains("second"));
    assert!(list(&["--archived"]).contains("second") && !list(&["--archived"]).contains("first"));
    let unknown = program.ask_refused("session/archive", json!({"sessionId": "none"}));
    assert_eq!(unknown["data"]["code"], "notFound", "{unknown}");
}

#[test]
fn usage_is_counted_by_model() {
    let usage = json!({"inputTokens": 10, "outputTokens": 5, "cacheReadTokens": 0, "cacheWriteTokens": 0, "reasoningTokens": 0});
    let scene = Scene::new(json!([
        {"blocks": [{"text": "one"}], "usage": usage},
        {"blocks": [{"text": "two"}], "usage": usage},
    ]));
    let mut program = scene.start();
    let session = program.ask("session/create", json!({}))["sessionId"].clone();
    for prompt in ["a", "b"] {
        program.prompt(prompt);
        program.until_event("turn.completed");
    }
    program.ask("session/close", json!({}));
    let mut used = program.ask("usage/read", json!({"sessionId": session}));
    for at in ["/total/durationMs", "/models/0/durationMs"] {
        assert!(used.pointer_mut(at).unwrap().take().is_u64());
    }
    expect![[r#"
        {
          "total": {
            "turns": 2,
            "steps": 2,
            "usage": {
              "inputTokens": 20,
              "outputTokens": 10,
              "cacheReadTokens": 0,
              "cacheWriteTokens": 0,
              "reasoningTokens": 0
            },
            "durationMs": null
          },
          "models": [
            {
              "model": "script/script",
              "turns": 2,
              "steps": 2,
              "usage": {
                "inputTokens": 20,
                "outputTokens": 10,
                "cacheReadTokens": 0,
                "cacheWriteTokens": 0,
                "reasoningTokens": 0
              },
              "durationMs": null
            }
          ],
          "titles": {
            "turns": 0,
            "steps": 0,
            "usage": {
              "inputTokens": 0,
              "outputTokens": 0,
              "cacheReadTokens": 0,
              "cacheWriteTokens": 0,
              "reasoningTokens": 0
            },
            "durationMs": 0
          }
        }
    "#]]
    .assert_eq(&format!("{used:#}\n"));
}
