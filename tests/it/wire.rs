//! The native protocol through the program: framing, errors, order.

use crate::support::program::{Framing, Place, Program};
use serde_json::{Value, json};

const BOTH: [Framing; 2] = [Framing::Lines, Framing::Headers];

fn hello() -> Value {
    json!({"replies": [{"blocks": [{"text": "hello there"}]}]})
}

/// A message in short: `id code name` for an error, `id ok` for a result.
fn short(message: &Value) -> String {
    match message.get("error") {
        Some(error) => {
            format!(
                "{} {} {}",
                message["id"],
                error["code"],
                error["data"]["code"].as_str().unwrap()
            )
        }
        None => format!("{} ok", message["id"]),
    }
}

#[test]
fn bad_input_gets_its_error_and_the_engine_lives_on() {
    let (open, close) = ("[".repeat(300), "]".repeat(300));
    let too_deep =
        format!(r#"{{"id":5,"method":"session/create","params":{{"title":{open}{close}}}}}"#);
    let rows: &[(&str, &[u8], &str)] = &[
        ("broken JSON", br#"{"id":1,"#, "null -32700 parseError"),
        ("text", b"hello", "null -32700 parseError"),
        ("invalid UTF-8", b"{\"id\":\"\xff\"}", "null -32700 parseError"),
        ("a batch", br#"[{"id":1,"method":"ping"}]"#, "null -32600 invalidRequest"),
        ("null", b"null", "null -32600 invalidRequest"),
        ("a number", b"1", "null -32600 invalidRequest"),
        ("no method", br#"{"id":3}"#, "3 -32600 invalidRequest"),
        ("an object as id", br#"{"id":{},"method":"ping"}"#, "null -32600 invalidRequest"),
        ("params of a wrong kind", br#"{"id":4,"method":"ping","params":"x"}"#, "4 -32600 invalidRequest"),
        ("params by position", br#"{"id":4,"method":"turn/start","params":[1]}"#, "4 -32602 invalidParams"),
        ("nesting without end", too_deep.as_bytes(), "5 -32602 invalidParams"),
        ("an unknown method", br#"{"id":"x","method":"turn/fly"}"#, "\"x\" -32601 methodNotFound"),
        ("a negative id", br#"{"id":-1,"method":"turn/fly"}"#, "-1 -32601 methodNotFound"),
        ("a fraction as id", br#"{"id":1.5,"method":"turn/fly"}"#, "1.5 -32601 methodNotFound"),
        ("id null", br#"{"id":null,"method":"turn/fly"}"#, "null -32601 methodNotFound"),
        ("a wrong type", br#"{"id":6,"method":"turn/start","params":{"input":"hi"}}"#, "6 -32602 invalidParams"),
        ("a missing field", br#"{"id":7,"method":"turn/start","params":{}}"#, "7 -32602 invalidParams"),
        ("an unknown kind of input", br#"{"id":7,"method":"turn/start","params":{"input":[{"type":"smell"}]}}"#, "7 -32602 invalidParams"),
        ("an empty prompt", br#"{"id":8,"method":"turn/start","params":{"input":[]}}"#, "8 -32602 invalidParams"),
        ("a second initialize", br#"{"id":9,"method":"initialize","params":{"protocol":{"name":"pintle","versions":["2.0"]}}}"#, "9 -32600 alreadyInitialized"),
        ("a session that is not there", br#"{"id":10,"method":"session/open","params":{"sessionId":"nope"}}"#, "10 -32002 notFound"),
        ("a path as session", br#"{"id":10,"method":"session/open","params":{"sessionId":"../../etc"}}"#, "10 -32002 notFound"),
        ("a relative folder", br#"{"id":11,"method":"session/create","params":{"cwd":"here"}}"#, "11 -32602 invalidParams"),
        ("a folder that is not there", br#"{"id":11,"method":"session/create","params":{"cwd":"/none/of/this"}}"#, "11 -32602 invalidParams"),
        ("a model that is none", br#"{"id":12,"method":"session/create","params":{"config":{"model":"gpt"}}}"#, "12 -32602 config"),
        ("a page too large", br#"{"id":13,"method":"session/events","params":{"limit":100000}}"#, "13 -32602 invalidParams"),
        ("an unknown notification", br#"{"method":"$/whatever"}"#, ""),
        ("a reply to nothing", br#"{"id":"s99","result":{}}"#, ""),
        ("a failed reply to nothing", br#"{"id":5,"error":{"code":1,"message":"x"}}"#, ""),
        ("a cancellation of nothing", br#"{"method":"$/cancelRequest","params":{"id":77}}"#, ""),
        ("a cancellation without sense", br#"{"method":"$/cancelRequest"}"#, ""),
        ("a diagnostic before the first line", br#"{"id":15,"method":"editor/diagnostics","params":{"path":"a","items":[{"range":{"start":0,"end":1},"severity":"error","message":"x"}]}}"#, "15 -32602 invalidParams"),
        ("diagnostics of no file", br#"{"id":15,"method":"editor/diagnostics","params":{"path":"","items":[]}}"#, "15 -32602 invalidParams"),
        ("diagnostics", br#"{"id":15,"method":"editor/diagnostics","params":{"path":"a","version":3,"items":[{"range":{"start":1,"end":1},"severity":"error","message":"x","code":"E1"}]}}"#, "15 ok"),
        ("the list of models", br#"{"id":14,"method":"models/list"}"#, "14 ok"),
        ("a field nobody knows", br#"{"id":14,"method":"ping","params":{"later":true},"extra":1}"#, "14 ok"),
    ];
    for framing in BOTH {
        let place = Place::new(&[]);
        let mut program = Program::on_script(&place, &hello(), framing);
        for (name, input, want) in rows {
            program.send_bytes(input);
            let ping = program.request("ping", json!({}));
            let mut got = Vec::new();
            loop {
                let message = program.next();
                if message["id"] == ping && message.get("error").is_none() {
                    break;
                }
                if message.get("method").is_none() {
                    got.push(short(&message));
                }
            }
            assert_eq!(got.join(", "), *want, "{name}, {framing:?}");
        }
        // After all that, a turn still works.
        program.prompt("hi");
        assert_eq!(program.until_event("turn.completed")["status"], "completed");
    }
}

#[test]
fn a_wrong_type_is_told_with_its_place() {
    let place = Place::new(&[]);
    let mut program = Program::on_script(&place, &hello(), Framing::Lines);
    let error = program.ask_refused("turn/start", json!({"input": [{"type": "text", "text": 5}]}));
    assert_eq!(error["data"]["path"], "/input/0/text", "{error}");
    assert!(error["message"].as_str().unwrap().contains("expected a string"), "{error}");
    let error = program.ask_refused("config/set", json!({"values": {"a/b~c": 5}}));
    assert_eq!(error["data"]["path"], "/values/a~1b~0c", "{error}");
    let error = program.ask_refused("turn/start", json!({"key": "k"}));
    assert_eq!(error["data"]["path"], "/input", "{error}");
    let error = program.ask_refused("session/create", json!({"config": {"tools": [1]}}));
    assert_eq!(error["data"]["path"], "/config/tools/0", "{error}");
    let error = program.ask_refused("session/list", json!({"cursor": "none"}));
    assert_eq!(error["data"]["code"], "invalidParams", "{error}");
    let error = program.ask_refused("turn/start", json!([]));
    assert_eq!(error["data"]["path"], json!(null), "{error}");
}

#[test]
fn an_unknown_method_names_the_nearest() {
    let place = Place::new(&[]);
    let mut program = Program::on_script(&place, &hello(), Framing::Lines);
    for (method, want) in [
        ("turn/Start", "unknown method `turn/Start`; did you mean `turn/start`?"),
        ("session/lists", "unknown method `session/lists`; did you mean `session/list`?"),
        ("zzz", "unknown method `zzz`"),
    ] {
        assert_eq!(program.ask_refused(method, json!({}))["message"], want);
    }
}

#[test]
fn empty_lines_and_a_byte_order_mark_mean_nothing() {
    let place = Place::new(&[]);
    let script = place.script(&hello());
    let mut program = Program::start(place.engine(&["serve", "--script", &script]), Framing::Lines);
    program.send_bytes(b"\xEF\xBB\xBF\n\r\n  ");
    program.send_bytes(b"{\"id\":1,\"method\":\"ping\"}\r");
    assert_eq!(short(&program.next()), "1 ok");
}

#[test]
fn nothing_works_before_initialize_but_ping() {
    let place = Place::new(&[]);
    let mut program = Program::start(place.engine(&["serve"]), Framing::Lines);
    for (method, want) in [("ping", "ok"), ("session/list", "-32600 notInitialized")] {
        let id = program.request(method, json!({}));
        assert_eq!(short(&program.next()), format!("{id} {want}"));
    }
    let newer = json!({"protocol": {"name": "pintle", "versions": ["9.0"]}});
    let error = program.ask("initialize", newer);
    assert_eq!((&error["code"], &error["data"]["supported"]), (&json!(-32022), &json!(["2.0"])));
    assert_eq!(program.initialize()["protocol"]["version"], "2.0");
    // Without a model there is no session, and the error says what to do.
    let error = program.ask("session/create", json!({}));
    assert!(error["data"]["hint"].as_str().unwrap().contains("--model"), "{error}");
}

#[test]
fn a_message_over_the_limit_is_passed_over_in_little_memory() {
    for framing in BOTH {
        let place = Place::new(&[]).with_processes();
        let mut program = Program::on_script(&place, &hello(), framing);
        program.send_bytes(&vec![b'x'; 100 * 1024 * 1024]);
        let error = program.until(|message| message.get("error").is_some());
        assert_eq!(short(&error), "null -32600 invalidRequest");
        assert!(error["error"]["message"].as_str().unwrap().contains("67108864"), "{error}");
        program.ask("ping", json!({}));
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", program.child.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let peak_kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(peak_kib < 200 * 1024, "{framing:?}: peak {peak_kib} KiB");
    }
}

#[test]
fn ids_in_use_are_refused_and_waiting_requests_can_be_withdrawn() {
    let place = Place::new(&[]);
    // A command that does not heed SIGTERM keeps `session/close` busy until it is killed.
    let stubborn = "trap '' TERM; echo begun; while :; do sleep 1000; done";
    let script =
        json!({"replies": [{"blocks": [{"tool": "bash", "arguments": {"command": stubborn}}]}]});
    let script = place.script(&script);
    let command = place.engine(&["serve", "--permission", "full", "--script", &script]);
    let mut program = Program::start(command, Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    program.prompt("go");
    program.until(|message| message["params"]["event"]["field"] == "output");
    let lines = [
        r#"{"id":"a","method":"session/close"}"#,
        r#"{"id":"a","method":"ping"}"#,
        r#"{"id":"b","method":"ping"}"#,
        r#"{"method":"$/cancelRequest","params":{"id":"b"}}"#,
        r#"{"id":"c","method":"ping"}"#,
    ];
    program.send_bytes(lines.join("\n").as_bytes());
    let mut answers = Vec::new();
    while answers.len() < 4 {
        let message = program.next();
        if message.get("method").is_none() {
            answers.push(short(&message));
        }
    }
    assert_eq!(
        answers,
        ["\"a\" -32600 duplicateId", "\"b\" -32800 cancelled", "\"a\" ok", "\"c\" ok"]
    );
}

#[test]
fn answers_come_before_what_they_cause_and_numbers_have_no_gaps() {
    for framing in BOTH {
        let place = Place::new(&[("a.txt", "one\n")]);
        let script = json!({"replies": [
            {"blocks": [{"reasoning": "hm"}, {"text": "look"}, {"tool": "read", "arguments": {"path": "a.txt"}}]},
            {"blocks": [{"text": "done"}]},
        ]});
        let mut program = Program::on_script(&place, &script, framing);
        program.prompt("go");
        program.until_event("turn.completed");
        program.ask("session/close", json!({}));

        let mut created = false;
        let mut started = false;
        let mut seq = 0;
        for message in &program.seen {
            let result = &message["result"];
            created |= result.get("queue").is_some();
            started |= result.get("disposition").is_some();
            let params = &message["params"];
            if let Some(number) = params["seq"].as_u64() {
                assert!(created, "an event before the answer to session/create");
                assert!(started || number == 1, "an event before the answer to turn/start");
                seq += 1;
                assert_eq!(number, seq);
            } else if let Some(after) = params["after"].as_u64() {
                assert_eq!(after, seq, "a transient event knows the last durable one");
            }
        }
        let kinds: Vec<&str> =
            program.seen.iter().filter_map(|m| m["params"]["event"]["type"].as_str()).collect();
        let last_of_turn = kinds.iter().rposition(|kind| *kind == "turn.completed").unwrap();
        assert_eq!(&kinds[last_of_turn + 1..], ["session.state", "session.closed"]);
    }
}

#[test]
fn a_client_that_reads_misses_nothing_of_a_burst() {
    let long = "word ".repeat(20_000);
    let place = Place::new(&[]);
    let script = json!({"replies": [{"blocks": [{"text": long}]}]});
    let mut program = Program::on_script(&place, &script, Framing::Lines);
    program.prompt("go");
    program.until_event("turn.completed");
    let mut next = 0;
    let mut text = String::new();
    for message in &program.seen {
        assert_ne!(message["method"], "session/eventsMissed");
        let event = &message["params"]["event"];
        if event["type"] == "item.delta" {
            assert_eq!(event["n"], next);
            next = event["to"].as_u64().unwrap_or(next) + 1;
            text.push_str(event["text"].as_str().unwrap());
        }
    }
    assert_eq!(text, long);
}

#[test]
fn what_is_sent_what_is_stored_and_what_is_read_again_are_the_same() {
    let place = Place::new(&[("a.txt", "one\n")]);
    let script = json!({"replies": [
        {"blocks": [{"tool": "edit", "arguments": {"path": "a.txt", "oldText": "one", "newText": "two"}}]},
        {"blocks": [{"text": "done"}]},
    ]});
    let mut program = Program::on_script(&place, &script, Framing::Lines);
    program.prompt("go");
    program.until(|message| message["method"] == "approval/request");
    let id = program.seen.last().unwrap()["id"].clone();
    program.send(&json!({"id": id, "result": {"optionId": "allow"}}));
    program.until_event("turn.completed");
    let sent: Vec<Value> = program
        .seen
        .iter()
        .filter(|message| message["params"].get("seq").is_some())
        .map(|message| message["params"].clone())
        .collect();
    let mut read = Vec::new();
    loop {
        let page = program.ask("session/events", json!({"after": read.len(), "limit": 3}));
        read.extend(page["events"].as_array().unwrap().clone());
        if page["more"] == false {
            break;
        }
    }
    assert_eq!(sent, read);
    let stored: Vec<Value> = std::fs::read_to_string(place.journal())
        .unwrap()
        .lines()
        .skip(1)
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            line.as_object_mut().unwrap().remove("private");
            line
        })
        .collect();
    assert_eq!(sent, stored);
    assert_eq!(place.read("a.txt"), "two\n");
}

#[test]
fn sessions_are_listed_opened_again_and_caught_up_with() {
    let place = Place::new(&[]);
    let script = json!({"replies": [{"blocks": [{"text": "one"}]}, {"blocks": [{"text": "two"}]}]});
    let mut program = Program::on_script(&place, &script, Framing::Lines);
    program.prompt("the first prompt");
    program.until_event("turn.completed");
    program.ask("session/close", json!({}));
    let listed = program.ask("session/list", json!({}));
    let session = &listed["sessions"][0];
    assert_eq!(session["title"], "the first prompt");
    assert_eq!(session["cwd"], place.project().to_str().unwrap());

    let opened =
        program.ask("session/open", json!({"sessionId": session["sessionId"], "fromSeq": 2}));
    let head = opened["seq"].as_u64().unwrap();
    for want in 3..=head {
        let message = program.until(|message| message["params"].get("seq").is_some());
        assert_eq!(message["params"]["seq"], want);
    }
    program.prompt("the second prompt");
    assert_eq!(program.until_event("turn.completed")["status"], "completed");
}

/// The client does not have to wait for the end of the turn that it stopped.
#[test]
fn a_prompt_sent_with_a_stop_starts_when_the_turn_has_ended() {
    let wait = json!({"tool": "bash", "arguments": {"command": "echo begun; until [ -e never ]; do sleep 0.01; done"}});
    for mut params in [json!({}), json!({"whenBusy": "reject"}), json!({"whenBusy": "queue"})] {
        let place = Place::new(&[]);
        let script = json!({"replies": [{"blocks": [wait]}, {"blocks": [{"text": "second"}]}]});
        let script = place.script(&script);
        let args = ["serve", "--permission", "full", "--script", &script];
        let mut program = Program::start(place.engine(&args), Framing::Lines);
        program.initialize();
        program.ask("session/create", json!({}));
        program.prompt("first");
        program.until(|message| message["params"]["event"]["field"] == "output");
        params["input"] = json!([{"type": "text", "text": "second"}]);
        program.request("turn/interrupt", json!({}));
        let started = program.ask("turn/start", params.clone());
        assert!(started["turnId"].is_string(), "{params}: {started}");
        let mut ends = program.seen.iter().map(|message| &message["params"]["event"]);
        if !ends.any(|event| event["type"] == "turn.completed") {
            assert_eq!(program.until_event("turn.completed")["status"], "interrupted");
        }
        let second = program.until_event("turn.completed");
        assert_eq!(second["status"], "completed", "{params}");
    }
}

#[test]
fn a_question_is_asked_answered_and_withdrawn() {
    let place = Place::new(&[]);
    let call =
        json!({"blocks": [{"tool": "bash", "arguments": {"command": "echo made > made.txt"}}]});
    let script = json!({"replies": [call, {"blocks": [{"text": "ok"}]}, call]});
    let mut program = Program::on_script(&place, &script, Framing::Lines);
    program.prompt("go");
    let asked = program.until(|message| message["method"] == "approval/request");
    assert_eq!(asked["params"]["input"]["command"], "echo made > made.txt");
    // Not a known option: that is no yes.
    program.send(&json!({"id": asked["id"], "result": {"optionId": "yes"}}));
    assert_eq!(program.until_event("approval.resolved")["decision"], "deny");
    program.until_event("turn.completed");
    assert!(!place.path("made.txt").exists());

    program.prompt("again");
    let asked = program.until(|message| message["method"] == "approval/request");
    program.ask("turn/interrupt", json!({}));
    let withdrawn = program.until(|message| message["method"] == "$/cancelRequest");
    assert_eq!(withdrawn["params"]["id"], asked["id"]);
    assert_eq!(program.until_event("turn.completed")["status"], "interrupted");
    assert!(!place.path("made.txt").exists());
}

#[test]
fn a_grant_for_the_working_directory_does_not_follow_a_link_out_of_it() {
    let place = Place::new(&[("a.txt", "one\n")]);
    let outside = place.path("../outside");
    std::fs::create_dir_all(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, place.path("link")).unwrap();
    let write = |path: &str| json!({"blocks": [{"tool": "write", "arguments": {"path": path, "content": "x"}}]});
    let script = json!({"replies": [write("b.txt"), write("link/b.txt"), write("link/../../c.txt"), {"blocks": [{"text": "ok"}]}]});
    let mut program = Program::on_script(&place, &script, Framing::Lines);
    program.prompt("go");
    let asked = program.until(|message| message["method"] == "approval/request");
    program.send(&json!({"id": asked["id"], "result": {"optionId": "allow-session"}}));
    for _ in 0..2 {
        let asked = program.until(|message| message["method"] == "approval/request");
        let reason = asked["params"]["reason"].as_str().unwrap();
        assert!(reason.contains("outside the working directory"), "{asked}");
        program.send(&json!({"id": asked["id"], "result": {"optionId": "deny"}}));
    }
    assert_eq!(program.until_event("turn.completed")["denials"], 2);
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
}

/// While a person decides, a command in the background puts a link where the file or its folder was.
#[test]
fn what_was_allowed_is_changed_and_not_where_a_new_link_leads() {
    let write =
        |path: &str| json!({"tool": "write", "arguments": {"path": path, "content": "x\n"}});
    let edit = json!({"tool": "edit", "arguments": {"path": "src/a.txt", "oldText": "old", "newText": "x"}});
    // Name, what is linked, its target, the call.
    for (name, link, target, call) in [
        ("a new file", "src", "outside", write("src/new.txt")),
        ("an edit", "src", "outside", edit.clone()),
        ("an edit of the file", "src/a.txt", "outside/a.txt", edit),
        ("a new folder", "deep", "outside", write("deep/er/new.txt")),
    ] {
        let place = Place::new(&[("src/a.txt", "old\n")]);
        let outside = place.path("../outside");
        std::fs::create_dir_all(&outside).unwrap();
        std::fs::write(outside.join("a.txt"), "old\n").unwrap();
        let script = json!({"replies": [{"blocks": [call]}, {"blocks": [{"text": "ok"}]}]});
        let mut program = Program::on_script(&place, &script, Framing::Lines);
        program.prompt("go");
        let asked = program.until(|message| message["method"] == "approval/request");
        if place.path(link).exists() {
            std::fs::rename(place.path(link), place.path("moved")).unwrap();
        }
        let target = place.path("..").canonicalize().unwrap().join(target);
        std::os::unix::fs::symlink(&target, place.path(link)).unwrap();
        program.send(&json!({"id": asked["id"], "result": {"optionId": "allow"}}));
        let item = program.until_event("turn.completed");
        assert_eq!(item["status"], "completed", "{name}");
        assert!(place.home_contains("now leads elsewhere"), "{name}");
        let left: Vec<_> = std::fs::read_dir(&outside).unwrap().flatten().collect();
        assert_eq!(left.len(), 1, "{name}: {left:?}");
        assert_eq!(std::fs::read_to_string(outside.join("a.txt")).unwrap(), "old\n", "{name}");
    }
}

#[test]
fn shutdown_and_exit_end_the_program_as_in_lsp() {
    for (shuts_down, code) in [(true, 0), (false, 1)] {
        let place = Place::new(&[]);
        let mut program = Program::on_script(&place, &hello(), Framing::Headers);
        if shuts_down {
            program.ask("shutdown", json!({}));
            let error = program.ask("session/list", json!({}));
            assert_eq!(error["data"]["code"], "shutDown");
        }
        program.send(&json!({"method": "exit"}));
        assert_eq!(program.wait().code(), Some(code));
    }
}

#[test]
fn an_exit_right_behind_a_shutdown_waits_for_its_response() {
    let login = json!({"provider": "none"});
    let prompt = json!({"input": [{"type": "text", "text": "hi"}]});
    for (name, before) in [
        ("nothing", vec![]),
        ("a session that is being created", vec![("session/create", json!({}))]),
        ("a turn", vec![("session/create", json!({})), ("turn/start", prompt)]),
        ("a login that is refused", vec![("auth/login", login)]),
        ("a page of sessions", vec![("session/list", json!({})), ("ping", json!({}))]),
    ] {
        let place = Place::new(&[]);
        let mut program = Program::on_script(&place, &hello(), Framing::Lines);
        let mut ids: Vec<u64> =
            before.into_iter().map(|(method, params)| program.request(method, params)).collect();
        ids.push(program.request("shutdown", json!({})));
        program.send(&json!({"method": "exit"}));
        let rest = program.rest();
        for id in ids {
            assert!(rest.iter().any(|message| message["id"] == id), "{name}: {id} in {rest:?}");
        }
        assert_eq!(program.wait().code(), Some(0), "{name}");
    }
}

#[test]
fn skills_are_listed_as_the_files_say_now() {
    let skill = "---\ndescription: Makes PDFs\n---\nSteps.";
    let place = Place::new(&[(".pintle/skills/pdf/SKILL.md", skill)]);
    let mut program = Program::on_script(&place, &json!({"replies": []}), Framing::Lines);
    let listed = program.ask("skill/list", json!({}));
    let skill = &listed["skills"][0];
    assert_eq!(
        (&skill["name"], &skill["description"]),
        (&json!("skill:pdf"), &json!("Makes PDFs"))
    );
}
