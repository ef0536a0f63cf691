//! Open requests for an answer reach a client that joins late, reads again, or did not read, each once, after the
//! events. So does the last state.

use crate::support::ahp::{Window, submitted};
use crate::support::pi::Pi;
use crate::support::program::{Framing, Place, Program};
use crate::support::shared::{Shared, create};
use crate::support::{acp, lsp};
use pintle_testing::waiting::until;
use serde_json::{Value, json};
use std::any::Any;
use std::io::{BufRead, BufReader};

fn touch(name: &str) -> Value {
    json!({"blocks": [{"tool": "bash", "arguments": {"command": format!("touch {name}")}}]})
}

fn say(text: &str) -> Value {
    json!({"blocks": [{"text": text}]})
}

fn asked(program: &mut Program) -> Value {
    program.until(|message| message["method"] == "approval/request")
}

fn allow(program: &mut Program, request: &Value) {
    program.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": {"optionId": "allow"}}));
}

/// Runs the first turn up to its first permission request.
fn waiting(replies: Value) -> (Place, Program, Value) {
    let place = Place::new(&[]);
    let script = json!({ "replies": replies });
    let mut program = Program::on_script(&place, &script, Framing::Lines);
    program.prompt("go");
    let request = asked(&mut program);
    (place, program, request)
}

/// The requests for an answer, their withdrawals and the durable events, by type.
fn told(messages: &[Value]) -> Vec<String> {
    let each = messages.iter().filter_map(|message| match message["method"].as_str()? {
        "session/event" => {
            message["params"].get("seq")?;
            Some(message["params"]["event"]["type"].as_str()?.to_owned())
        }
        asked @ ("approval/request" | "question/request" | "$/cancelRequest") => {
            Some(asked.to_owned())
        }
        _ => None,
    });
    each.collect()
}

fn requests(messages: &[Value]) -> Vec<String> {
    let mut told = told(messages);
    told.retain(|it| it.contains('/'));
    told
}

/// Sends a request, and returns all messages up to the end of its replay.
fn replayed(program: &mut Program, method: &str, params: Value) -> Vec<Value> {
    program.seen.clear();
    let head = program.ask(method, params)["seq"].as_u64().unwrap();
    program.until(|message| message["params"]["seq"] == head);
    // Requests follow the events, before the next response.
    program.ask("ping", json!({}));
    std::mem::take(&mut program.seen)
}

#[test]
fn a_replay_asks_nothing_that_is_answered() {
    let (_place, mut program, request) = waiting(json!([touch("a"), say("done")]));
    let session = request["params"]["sessionId"].clone();
    allow(&mut program, &request);
    program.until_event("turn.completed");
    let none: [&str; 0] = [];
    for (method, params) in [
        ("session/subscribe", json!({"fromSeq": 0})),
        ("session/subscribe", json!({"tail": 1000})),
        ("session/subscribe", json!({"fromSeq": 0, "include": ["turn.*"]})),
        ("session/open", json!({"sessionId": session, "fromSeq": 0})),
        ("session/fork", json!({"sessionId": session})),
    ] {
        let seen = replayed(&mut program, method, params.clone());
        assert_eq!(requests(&seen), none, "{method} {params}");
    }
    program.ask("session/close", json!({"sessionId": session}));
    let seen = replayed(&mut program, "session/open", json!({"sessionId": session, "fromSeq": 0}));
    assert_eq!(requests(&seen), none);
}

#[test]
fn a_replay_asks_what_is_open_after_its_events() {
    let shared = Shared::new(json!([touch("a"), touch("b"), say("done")]));
    let mut first = shared.attach();
    let session = create(&mut first);
    first.prompt("go");
    let request = asked(&mut first);
    allow(&mut first, &request);
    let open = asked(&mut first);
    for (method, params) in [
        ("session/open", json!({"sessionId": session, "fromSeq": 0})),
        ("session/open", json!({"sessionId": session, "tail": 1})),
        ("session/open", json!({"sessionId": session})),
        ("session/open", json!({"sessionId": session, "fromSeq": 0, "include": ["turn.*"]})),
    ] {
        let mut second = shared.attach();
        second.ask(method, params.clone());
        let again = asked(&mut second);
        assert_eq!(again["params"], open["params"], "{params}");
        second.ask("ping", json!({}));
        let told = told(&second.seen);
        assert_eq!(told.last().unwrap(), "approval/request", "{params}: {told:?}");
        assert_eq!(requests(&second.seen), ["approval/request"], "{params}");
    }
    // The same client is not asked again.
    let params = json!({"sessionId": session, "fromSeq": 0});
    assert_eq!(requests(&replayed(&mut first, "session/subscribe", params)), Vec::<String>::new());
    allow(&mut first, &open);
    assert_eq!(first.until_event("turn.completed")["status"], "completed");
}

#[test]
fn a_fork_leaves_the_open_request_of_the_other_session() {
    let (place, mut program, request) = waiting(json!([touch("a"), say("done")]));
    let session = request["params"]["sessionId"].clone();
    let seen = replayed(&mut program, "session/fork", json!({"sessionId": session}));
    assert_eq!(requests(&seen), Vec::<String>::new());
    let fork = seen.iter().find(|message| message["params"]["seq"] == 1).unwrap();
    let fork = fork["params"]["sessionId"].clone();
    let copied = seen.iter().find(|it| it["params"]["event"]["type"] == "approval.requested");
    assert_eq!(copied.unwrap()["params"]["event"]["sessionId"], fork);
    // Also when the fork is subscribed to once more.
    let params = json!({"sessionId": fork, "fromSeq": 0});
    let seen = replayed(&mut program, "session/subscribe", params);
    assert_eq!(requests(&seen), Vec::<String>::new());
    allow(&mut program, &request);
    let ended = program.until(|message| message["params"]["event"]["type"] == "turn.completed");
    assert_eq!(ended["params"]["sessionId"], session);
    assert!(place.path("a").exists());
}

#[test]
fn a_fork_with_an_answered_request_is_merged_where_it_left() {
    let replies = json!([touch("a"), say("done"), touch("b"), say("forked")]);
    let (_place, mut program, request) = waiting(replies);
    let session = request["params"]["sessionId"].clone();
    allow(&mut program, &request);
    program.until_event("turn.completed");
    let fork = program.ask("session/fork", json!({"sessionId": session}));
    let input = json!([{"type": "text", "text": "on"}]);
    let start = json!({"sessionId": fork["sessionId"], "input": input});
    program.ask("turn/start", start);
    let request = asked(&mut program);
    assert_eq!(request["params"]["sessionId"], fork["sessionId"]);
    allow(&mut program, &request);
    program.until(|message| {
        message["params"]["event"]["type"] == "turn.completed"
            && message["params"]["sessionId"] == fork["sessionId"]
            && message["params"]["event"]["steps"] == 2
            && message["params"]["seq"].as_u64() > fork["seq"].as_u64()
    });
    let merge = json!({"sessionId": session, "forkId": fork["sessionId"]});
    let merged = program.ask("session/merge", merge);
    assert_eq!(merged["dropped"], json!([]), "{merged}");
    let page = program.ask("session/events", json!({"sessionId": session, "limit": 500}));
    let asked = page["events"].as_array().unwrap().iter();
    let asked = asked.filter(|event| event["event"]["type"] == "approval.requested");
    let of: Vec<&Value> = asked.map(|event| &event["event"]["sessionId"]).collect();
    assert_eq!(of, [&session, &session]);
}

#[test]
fn joining_a_session_with_sub_agents_asks_only_what_is_open() {
    let of = |mut reply: Value| {
        reply["of"] = json!("make files");
        reply
    };
    let shared = Shared::new(json!([
        {"blocks": [{"tool": "spawn_agent", "arguments": {"task": "make files"}}]},
        {"blocks": [{"tool": "wait", "arguments": {}}]},
        say("done"),
        of(touch("a")),
        of(touch("b")),
        of(say("made")),
    ]));
    let mut first = shared.attach();
    let session = create(&mut first);
    first.prompt("go");
    let request = asked(&mut first);
    assert_ne!(request["params"]["sessionId"], session);
    allow(&mut first, &request);
    let open = asked(&mut first);
    let mut second = shared.attach();
    second.ask("session/open", json!({"sessionId": session, "fromSeq": 0}));
    let again = asked(&mut second);
    assert_eq!(again["params"], open["params"]);
    allow(&mut second, &again);
    second.until_event("turn.completed");
    assert_eq!(requests(&second.seen), ["approval/request"]);
}

/// A client that leaves a session is asked nothing more, and again when it returns: about the session itself and about a sub-agent.
#[test]
fn requests_are_withdrawn_from_a_client_that_leaves_and_sent_again_when_it_returns() {
    let of = |mut reply: Value| {
        reply["of"] = json!("make a file");
        reply
    };
    let own = vec![touch("a"), say("done")];
    let subagent = vec![
        json!({"blocks": [{"tool": "spawn_agent", "arguments": {"task": "make a file"}}]}),
        json!({"blocks": [{"tool": "wait", "arguments": {}}]}),
        say("done"),
        of(touch("a")),
        of(say("made")),
    ];
    for (name, replies, leave, enter) in [
        ("its own, unsubscribed", &own, "session/unsubscribe", "session/subscribe"),
        ("its own, closed", &own, "session/close", "session/open"),
        ("a sub-agent's, unsubscribed", &subagent, "session/unsubscribe", "session/subscribe"),
        ("a sub-agent's, closed", &subagent, "session/close", "session/open"),
    ] {
        let shared = Shared::new(json!(replies));
        let mut stays = shared.attach();
        let session = create(&mut stays);
        let mut leaves = shared.attach();
        leaves.ask("session/open", json!({"sessionId": session}));
        stays.prompt("go");
        asked(&mut stays);
        let request = asked(&mut leaves);
        leaves.ask(leave, json!({"sessionId": session}));
        let withdrawn = leaves.until(|message| message["method"] == "$/cancelRequest");
        assert_eq!(withdrawn["params"]["id"], request["id"], "{name}");
        leaves.ask(enter, json!({"sessionId": session}));
        let again = asked(&mut leaves);
        assert_eq!(again["params"], request["params"], "{name}");
        allow(&mut leaves, &again);
        stays.until_event("turn.completed");
        assert!(shared.place.path("a").exists(), "{name}");
    }
}

/// The same for editors. In LSP, a session with a running turn cannot be left: a sub-agent asks after its end.
#[test]
fn requests_are_withdrawn_when_an_editor_leaves_a_session() {
    let of = |mut reply: Value| {
        reply["of"] = json!("make a file");
        reply
    };
    for kind in ["acp", "lsp"] {
        let shared = Shared::new(json!([
            {"blocks": [{"tool": "spawn_agent", "arguments": {"task": "make a file"}}]},
            say("done"),
            of(touch("a")),
            of(say("made")),
        ]));
        let mut stays = shared.attach();
        let session = create(&mut stays);
        if kind == "acp" {
            let mut client = acp::Client::over(shared.command(&["acp", "--attach"]), json!({}));
            client.session.clone_from(&session);
            let cwd = json!({"cwd": shared.place.project(), "mcpServers": []});
            client.ask("session/load", cwd.clone());
            stays.prompt("go");
            let request = client.asked_for("session/request_permission");
            let close = client.send("session/close", json!({}));
            let gone = client.until(|message| message["method"] == "$/cancel_request");
            assert_eq!(gone["params"]["requestId"], request["id"]);
            client.answer_to(close);
            client.ask("session/load", cwd);
            let again = client.asked_for("session/request_permission");
            client.choose(&again, "allow");
            until(|| shared.place.path("a").exists());
        } else {
            let mut client = lsp::Client::over(shared.command(&["lsp", "--attach", "--stdio"]));
            client.shake_hands(&shared.place, lsp::everything());
            client.command("pintle.sessions", json!([session]));
            stays.prompt("go");
            let (_, request) = client.told("window/showMessageRequest");
            stays.until_event("turn.completed");
            let new = json!({"command": "pintle.new", "arguments": []});
            let new = client.program.request("workspace/executeCommand", new);
            let (params, _) = client.told("$/cancelRequest");
            assert_eq!(params["id"], request["id"]);
            client.answer_to(new);
            client.command("pintle.sessions", json!([session]));
            let (_, again) = client.told("window/showMessageRequest");
            client.reply(&again, json!({"title": "Allow"}));
            until(|| shared.place.path("a").exists());
        }
    }
}

/// Returns the request for input somewhere in a message.
fn question(message: &Value) -> Option<Value> {
    match message {
        Value::Object(fields) if fields.contains_key("questions") => Some(message.clone()),
        Value::Object(fields) => fields.values().find_map(question),
        Value::Array(items) => items.iter().find_map(question),
        _ => None,
    }
}

/// A client of each kind joins while a sub-agent waits for permission, and answers it.
#[test]
fn a_sub_agents_open_request_reaches_clients_of_every_kind_that_join() {
    let of = |mut reply: Value| {
        reply["of"] = json!("make a file");
        reply
    };
    for kind in ["native", "acp", "acp, which resumes", "lsp", "pi", "ahp"] {
        let shared = Shared::new(json!([
            {"blocks": [{"tool": "spawn_agent", "arguments": {"task": "make a file"}}]},
            {"blocks": [{"tool": "wait", "arguments": {}}]},
            say("done"),
            of(touch("a")),
            of(say("made")),
        ]));
        let mut first = shared.attach();
        let session = create(&mut first);
        first.prompt("go");
        asked(&mut first);
        // An answer is lost with a client that goes at once.
        let _client: Box<dyn Any> = match kind {
            "acp" | "acp, which resumes" => {
                let mut client = acp::Client::over(shared.command(&["acp", "--attach"]), json!({}));
                client.session.clone_from(&session);
                let params = json!({"cwd": shared.place.project(), "mcpServers": []});
                let method = if kind == "acp" { "session/load" } else { "session/resume" };
                client.ask(method, params);
                let request = client.asked_for("session/request_permission");
                assert_eq!(request["params"]["sessionId"], session);
                client.choose(&request, "allow");
                Box::new(client)
            }
            "lsp" => {
                let mut client = lsp::Client::over(shared.command(&["lsp", "--attach", "--stdio"]));
                client.shake_hands(&shared.place, lsp::everything());
                client.command("pintle.sessions", json!([session]));
                let (params, request) = client.told("window/showMessageRequest");
                assert!(params["message"].as_str().unwrap().contains("touch a"), "{params}");
                client.reply(&request, json!({"title": "Allow"}));
                Box::new(client)
            }
            "pi" => {
                let mut command = shared.command(&["rpc", "--attach", "--session-id", &session]);
                command.env("PI_CODING_AGENT_DIR", shared.place.home().join("pi"));
                let mut client = Pi::start(command);
                let dialog = client.until(|line| line["method"] == "confirm");
                let answer =
                    json!({"type": "extension_ui_response", "id": dialog["id"], "confirmed": true});
                client.send(&answer);
                Box::new(client)
            }
            "ahp" => {
                let mut client = Window::start(shared.command(&["ahp", "--attach"]), "one");
                client.initialize();
                let chat = format!("ahp-chat:/{session}/default");
                client.subscribe(&chat);
                // In the snapshot, or in an action right after it.
                let shown = client.program.seen.iter().find_map(question);
                let request = shown.unwrap_or_else(|| {
                    question(&client.until_action("chat/inputRequested")).unwrap()
                });
                let text = request["questions"][0]["message"].as_str().unwrap();
                assert!(text.starts_with("A sub-agent asks: bash: touch a"), "{text}");
                let answer = submitted(&request, "Allow");
                client.dispatch(&chat, &answer);
                Box::new(client)
            }
            _ => {
                let mut client = shared.attach();
                client.ask("session/open", json!({"sessionId": session}));
                let request = asked(&mut client);
                allow(&mut client, &request);
                Box::new(client)
            }
        };
        first.until_event("turn.completed");
        assert!(shared.place.path("a").exists(), "{kind}");
    }
}

/// Has a turn run for a client that does not read before it has ended; returns what it reads then.
fn read_late(replies: &Value) -> Vec<Value> {
    let place = Place::new(&[("long.txt", &"a line of text\n".repeat(1400))]);
    let script = place.script(&json!({ "replies": replies }));
    let command = place.engine(&["serve", "--permission", "full", "--script", &script]);
    let (mut program, stdout) = Program::start_unread(command);
    for (id, method, params) in [
        (1, "initialize", json!({"protocol": {"name": "pintle", "versions": ["2.0"]}})),
        (2, "session/create", json!({})),
        (3, "turn/start", json!({"input": [{"type": "text", "text": "go"}]})),
    ] {
        program.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }
    until(|| {
        let journal = place.journal_if_any().and_then(|path| std::fs::read_to_string(path).ok());
        journal.is_some_and(|text| text.contains(r#""type":"turn.completed""#))
    });
    program.send(&json!({"id": 4, "method": "context/read", "params": {"summary": true}}));
    program.end_input();
    let lines = BufReader::new(stdout).lines();
    let messages = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    messages.inspect(|message| program.check(message)).collect()
}

#[test]
fn a_client_that_reads_late_learns_the_last_state() {
    let read =
        |offset| json!({"tool": "read", "arguments": {"path": "long.txt", "offset": offset}});
    let mut steps: Vec<Value> =
        (0..40).map(|_| json!({"blocks": (1..=12).map(read).collect::<Vec<_>>()})).collect();
    steps.push(say("the end"));
    for (name, replies, is_told) in [
        ("durable events are missed", json!(steps), true),
        ("only deltas are dropped", json!([say(&"word ".repeat(40_000))]), false),
    ] {
        let messages = read_late(&replies);
        let missed = messages.iter().filter(|it| it["method"] == "session/eventsMissed").count();
        assert_eq!(missed > 0, is_told, "{name}");
        let mut seq = 0;
        let (mut state, mut context, mut last_context) = (Value::Null, 0, 0);
        for message in &messages {
            let params = &message["params"];
            if let Some(number) = params["seq"].as_u64().or(params["headSeq"].as_u64()) {
                seq = number;
            } else if let Some(after) = params["after"].as_u64() {
                assert_eq!(after, seq, "{name}: {message}");
            }
            let event = &params["event"];
            if event["type"] == "session.state" {
                state = event["value"].clone();
            } else if event["type"] == "session.context" {
                context = event["tokens"].as_u64().unwrap();
            } else if message["id"] == 4 {
                last_context = message["result"]["usage"]["tokens"].as_u64().unwrap();
            }
        }
        assert_eq!(state, "idle", "{name}");
        assert_eq!(context, last_context, "{name}");
    }
}
