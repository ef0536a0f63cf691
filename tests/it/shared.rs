//! Several clients over one engine, by `pintle attach` and `pintle acp --attach`: they see the same session, the first answer counts, and
//! a client that goes stops nothing.

use crate::support::acp;
use crate::support::lsp;
use crate::support::person::Person;
use crate::support::program::{Framing, Place, Program};
use crate::support::shared::{Shared, create, numbers, open};
use nix::sys::signal::{Signal, kill};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

fn making() -> Value {
    json!([
        {"blocks": [{"tool": "bash", "arguments": {"command": "echo made > made.txt"}}]},
        {"blocks": [{"text": "done"}]},
    ])
}

fn asked(program: &mut Program) -> Value {
    program.until(|message| message["method"] == "approval/request")
}

fn allow(program: &mut Program, request: &Value) {
    let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": {"optionId": "allow"}});
    program.send(&answer);
}

#[test]
fn the_first_answer_counts_and_clients_of_every_kind_are_told() {
    let shared = Shared::new(making());
    let mut native = shared.attach();
    let session = create(&mut native);
    let mut acp = acp::Client::over(shared.command(&["acp", "--attach"]), json!({}));
    acp.session.clone_from(&session);
    acp.ask("session/load", json!({"cwd": shared.place.project(), "mcpServers": []}));
    native.prompt("make it");
    let (request, other) = (asked(&mut native), acp.asked_for("session/request_permission"));
    acp.choose(&other, "allow");
    let resolved = native.until_event("approval.resolved");
    assert_eq!((&resolved["decision"], &resolved["by"]), (&json!("allow"), &json!("client")));
    // Too late, which changes nothing and ends nothing.
    allow(&mut native, &request);
    assert_eq!(native.until_event("turn.completed")["status"], "completed");
    acp.until(|message| message.to_string().contains("done"));
    assert_eq!(shared.place.read("made.txt"), "made\n");
}

#[test]
fn an_editor_with_a_language_client_sees_the_session_of_a_native_client() {
    let shared = Shared::new(making());
    let mut native = shared.attach();
    let session = create(&mut native);
    let mut editor = lsp::Client::over(shared.command(&["lsp", "--attach", "--stdio"]));
    editor.shake_hands(&shared.place, lsp::everything());
    let listed = editor.command("pintle.sessions", json!([]));
    assert_eq!((&listed[0]["sessionId"], listed.as_array().unwrap().len()), (&json!(session), 1));
    editor.command("pintle.sessions", json!([session]));
    native.prompt("make it");
    let request = asked(&mut native);
    let (params, _) = editor.told("window/showMessageRequest");
    assert!(params["message"].as_str().unwrap().contains("echo made > made.txt"), "{params}");
    allow(&mut native, &request);
    // The question is withdrawn where it is not answered, and the change that was made is shown.
    editor.told("$/cancelRequest");
    assert_eq!(editor.shown(), "done");
    native.until_event("turn.completed");
    editor.command("pintle.prompt", json!(["and again"]));
    let accepted = native.until_event("input.accepted");
    assert_eq!(accepted["content"], json!([{"type": "text", "text": "and again"}]));
    // Leaving the session stops nothing of it.
    editor.command("pintle.stop", json!([]));
    editor.command("pintle.new", json!([]));
    assert_eq!(native.ask("session/list", json!({}))["sessions"][0]["sessionId"], session);
}

#[test]
fn a_client_that_goes_stops_nothing_and_its_question_waits() {
    let shared = Shared::new(making());
    let mut first = shared.attach();
    let session = create(&mut first);
    first.prompt("make it");
    let asked_first = asked(&mut first);
    first.child.kill();
    first.wait();
    let mut second = shared.attach();
    let opened = open(&mut second, &session);
    assert_eq!(opened["state"]["value"], "blocked", "{opened}");
    let again = asked(&mut second);
    assert_eq!(again["params"]["approvalId"], asked_first["params"]["approvalId"]);
    allow(&mut second, &again);
    assert_eq!(second.until_event("turn.completed")["status"], "completed");
    let told = numbers(&second);
    assert_eq!(told, (1..=*told.last().unwrap()).collect::<Vec<_>>(), "each event once");
    // The last client closes the session, and the engine has none.
    assert_eq!(second.ask("session/close", json!({ "sessionId": session })), json!({}));
    assert_eq!(shared.place.read("made.txt"), "made\n");
}

#[test]
fn closing_for_one_client_leaves_the_session_to_the_others() {
    let shared = Shared::new(json!([{"blocks": [{"text": "still here"}]}]));
    let mut first = shared.attach();
    let session = create(&mut first);
    let mut second = shared.attach();
    open(&mut second, &session);
    assert_eq!(first.ask("session/close", json!({ "sessionId": session })), json!({}));
    let gone = first.ask("turn/start", json!({"sessionId": session, "input": []}));
    assert_eq!(gone["data"]["code"], "notFound", "{gone}");
    second.prompt("are you there?");
    assert_eq!(second.until_event("turn.completed")["status"], "completed");
    // `shutdown` is this client's own.
    assert_eq!(second.ask("shutdown", json!({})), json!({}));
    second.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
    assert!(second.wait().success());
    let mut third = shared.attach();
    assert_eq!(open(&mut third, &session)["sessionId"], json!(session));
}

#[test]
fn clients_that_begin_at_once_share_one_engine() {
    let shared = Shared::new(json!([]));
    let mut clients: Vec<Program> =
        (0..4).map(|_| Program::start(shared.command(&["attach"]), Framing::Lines)).collect();
    for client in &mut clients {
        client.initialize();
    }
    let session = create(&mut clients[0]);
    for client in &mut clients[1..] {
        assert_eq!(open(client, &session)["sessionId"], json!(session));
    }
    let refused = shared.command(&["serve", "--listen"]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("is already listening for"), "{said}");
}

#[test]
fn an_engine_that_was_killed_is_started_anew_and_the_session_is_where_it_was() {
    let shared = Shared::new(json!([{"blocks": [{"text": "one"}]}]));
    let mut clients = [shared.attach(), shared.attach()];
    let session = create(&mut clients[0]);
    clients[0].prompt("go");
    clients[0].until_event("turn.completed");
    open(&mut clients[1], &session);
    kill(shared.engine().unwrap(), Signal::SIGKILL).unwrap();
    for client in &mut clients {
        client.rest();
        assert_eq!(client.wait().code(), Some(1), "the engine went, and not the client");
    }
    let mut clients = [shared.attach(), shared.attach()];
    for client in &mut clients {
        let opened = open(client, &session);
        assert_eq!(opened["state"]["value"], "idle", "{opened}");
        client.until_event("turn.completed");
    }
}

#[test]
fn only_the_user_reaches_the_engine_and_only_with_its_token() {
    let shared = Shared::new(json!([]));
    let mut client = shared.attach();
    let file = shared.file().unwrap();
    let socket = file["socket"].as_str().unwrap();
    for path in [socket, shared.place.home().join("engine.json").to_str().unwrap()] {
        let mode = std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{path}");
    }
    for line in
        [r#"{"id":1,"method":"ping"}"#, r#"{"attach":{"token":"x","speaks":"native","cwd":"/"}}"#]
    {
        let mut stream = UnixStream::connect(socket).unwrap();
        stream.write_all(format!("{line}\n").as_bytes()).unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap();
        assert!(said.contains("connect with `pintle attach`"), "{said}");
    }
    let other = shared.place.command(&["attach", "--permission", "full"]);
    let refused = Program::start(other, Framing::Lines).wait();
    assert_eq!(refused.code(), Some(2), "options that the engine does not have are refused");
    assert_eq!(client.ask("ping", json!({})), json!({}));
}

#[test]
fn an_engine_that_nobody_needs_ends() {
    let shared = Shared::new(json!([{"blocks": [{"text": "one"}]}]));
    let mut engine = shared.command(&["serve", "--listen", "--idle-exit", "0"]);
    let mut engine = engine.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut ready = [0; 9];
    engine.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
    let mut client = Program::start(shared.place.command(&["attach"]), Framing::Lines);
    client.initialize();
    create(&mut client);
    client.prompt("go");
    // What runs is finished, and told, though nothing more is asked.
    client.end_input();
    client.until_event("turn.completed");
    assert!(client.wait().success());
    assert!(engine.wait().unwrap().success());
    assert!(shared.file().is_none());
}

#[test]
fn an_engine_whose_clients_were_killed_ends_though_a_question_is_open() {
    let permission = json!({"tool": "bash", "arguments": {"command": "echo made > made.txt"}});
    let arguments = json!({"question": "which?", "options": ["red", "blue"]});
    let question = json!({"tool": "ask_user", "arguments": arguments});
    for (name, call, method, clients) in [
        ("permission", &permission, "approval/request", 1),
        ("permission, asked of two", &permission, "approval/request", 2),
        ("a question of the model", &question, "question/request", 1),
    ] {
        let shared = Shared::new(json!([{"blocks": [call]}, {"blocks": [{"text": "done"}]}]));
        let mut engine = shared.command(&["serve", "--listen", "--idle-exit", "0"]);
        let mut engine = engine.stdout(Stdio::piped()).spawn().unwrap();
        let mut ready = [0; 9];
        engine.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
        let attach = || {
            let mut client = Program::start(shared.place.command(&["attach"]), Framing::Lines);
            let capabilities = json!({"approvals": {}, "questions": {}});
            let protocol = json!({"name": "pintle", "versions": ["2.0"]});
            client.ask("initialize", json!({"protocol": protocol, "capabilities": capabilities}));
            client
        };
        let mut first = attach();
        let session = create(&mut first);
        let mut all = vec![first];
        for _ in 1..clients {
            let mut other = attach();
            open(&mut other, &session);
            all.push(other);
        }
        all[0].prompt("go");
        for client in &mut all {
            client.until(|message| message["method"] == method);
        }
        for client in &mut all {
            client.child.kill();
            client.wait();
        }
        assert!(engine.wait().unwrap().success(), "{name}");
        assert!(shared.file().is_none(), "{name}");
        let journal = std::fs::read_to_string(shared.place.journal()).unwrap();
        assert!(journal.contains("turn.completed"), "{name}: the turn has an end: {journal}");
        assert!(!shared.place.path("made.txt").exists(), "{name}: nobody allowed it");
    }
}

#[test]
fn a_client_that_comes_in_the_middle_of_a_reply_reads_it_from_the_beginning() {
    let shared = Shared::new(json!([
        {"blocks": [{"text": "It begins here and "}, {"gate": "never"}, {"text": "never ends."}]},
    ]));
    let is_delta = |message: &Value| message["params"]["event"]["type"] == "item.delta";
    let mut first = shared.attach();
    let session = create(&mut first);
    first.prompt("go");
    let mut read = String::new();
    while read != "It begins here and " {
        let delta = first.until(is_delta);
        read.push_str(delta["params"]["event"]["text"].as_str().unwrap());
    }
    let mut second = shared.attach();
    open(&mut second, &session);
    let delta = &second.until(is_delta)["params"]["event"];
    assert_eq!((&delta["n"], &delta["text"]), (&json!(0), &json!(read)), "{delta}");
    // The one that was there before is told it again when it subscribes again: the piece replaces what it has.
    first.ask("session/subscribe", json!({}));
    let delta = &first.until(is_delta)["params"]["event"];
    assert_eq!((&delta["n"], &delta["text"]), (&json!(0), &json!(read)), "{delta}");
    second.ask("turn/interrupt", json!({}));
    first.until_event("turn.completed");
}

#[test]
fn a_client_that_does_not_read_holds_no_other_up() {
    let read = |offset: usize| json!({"tool": "read", "arguments": {"path": "long.txt", "offset": offset}});
    let mut replies: Vec<Value> =
        (0..40).map(|_| json!({"blocks": (1..=12).map(read).collect::<Vec<_>>()})).collect();
    replies.push(json!({"blocks": [{"text": "the end"}]}));
    let shared = Shared::new(json!(replies));
    std::fs::write(shared.place.path("long.txt"), "a line of text\n".repeat(1400)).unwrap();
    let mut first = shared.attach();
    let session = create(&mut first);
    let (mut silent, _unread) = Program::start_unread(shared.command(&["attach"]));
    for message in [
        json!({"id": 1, "method": "initialize", "params": {"protocol": {"name": "pintle", "versions": ["2.0"]}}}),
        json!({"id": 2, "method": "session/open", "params": {"sessionId": session, "fromSeq": 0}}),
    ] {
        silent.send(&message);
    }
    first.prompt("go");
    assert_eq!(first.until_event("turn.completed")["status"], "completed");
    let told = numbers(&first);
    assert_eq!(told, (1..=*told.last().unwrap()).collect::<Vec<_>>(), "each event once");
}

#[test]
fn a_session_whose_client_goes_while_it_is_made_keeps_no_engine() {
    let shared = Shared::new(json!([]));
    let mut engine = shared.command(&["serve", "--listen", "--idle-exit", "0"]);
    let mut engine = engine.stdout(std::process::Stdio::piped()).spawn().unwrap();
    engine.stdout.as_mut().unwrap().read_exact(&mut [0; 9]).unwrap();
    // While this one is there, the engine stays.
    let mut last = Program::start(shared.place.command(&["attach"]), Framing::Lines);
    last.initialize();
    for _ in 0..10 {
        let mut client = Program::start(shared.place.command(&["attach"]), Framing::Lines);
        client.initialize();
        client.request("session/create", json!({}));
        client.child.kill();
    }
    last.end_input();
    assert!(last.wait().success());
    assert!(engine.wait().unwrap().success());
}

#[test]
fn a_client_that_goes_in_the_middle_of_a_message_of_either_side_leaves_nothing_half_done() {
    let shared = Shared::new(json!([{"blocks": [{"text": "long ".repeat(100_000)}]}]));
    let mut other = shared.attach();
    let session = create(&mut other);
    other.prompt("go");
    other.until_event("turn.completed");
    let connect = || {
        let mut socket =
            UnixStream::connect(shared.file().unwrap()["socket"].as_str().unwrap()).unwrap();
        let greeting = json!({"attach": {"token": shared.token(), "speaks": "native", "cwd": "/"}});
        let hello = json!({"id": 1, "method": "initialize", "params": {"protocol": {"name": "pintle", "versions": ["2.0"]}}});
        let open = json!({"id": 2, "method": "session/open", "params": {"sessionId": session}});
        write!(socket, "{greeting}\n{hello}\n{open}\n").unwrap();
        socket
    };
    let start = json!({"id": 3, "method": "turn/start", "params": {"sessionId": session,
        "input": [{"type": "text", "text": "never said"}]}});
    let start = start.to_string();
    for cut in [1, start.len() / 2, start.len() - 1] {
        connect().write_all(&start.as_bytes()[..cut]).unwrap();
    }
    let page = json!({"id": 3, "method": "session/events", "params": {"sessionId": session}});
    for bytes in [0, 1, 100_000] {
        let mut socket = connect();
        writeln!(socket, "{page}").unwrap();
        socket.read_exact(&mut vec![0; bytes]).unwrap();
    }
    // Whoever is left sees the same session as before.
    let turns = other.ask("usage/read", json!({"sessionId": session}))["total"]["turns"].clone();
    assert_eq!(turns, 1);
    assert!(!other.seen.iter().any(|message| message.to_string().contains("never said")));
    assert_eq!(other.ask("session/close", json!({"sessionId": session})), json!({}));
}

#[test]
fn each_client_says_which_project_its_person_trusts() {
    let place = Place::untrusted(&[
        ("AGENTS.md", "Answer in rhymes"),
        ("../other/AGENTS.md", "Answer in verses"),
    ]);
    let replies = vec![json!({"blocks": [{"text": "done"}]}); 5];
    let shared = Shared::at(place, json!(replies));
    let (here, other) = (shared.place.project(), shared.place.project().with_file_name("other"));
    // The engine stays for as long as this one is there.
    let _first = shared.attach();
    let trust_of_other = format!("--trust={}", other.display());
    for (name, folder, task, rule, is_used) in [
        ("without the flag", &here, &["attach"][..], "rhymes", false),
        ("with it", &here, &["attach", "--trust"], "rhymes", true),
        ("another client, as long as the engine runs", &here, &["attach"], "rhymes", true),
        ("another project", &other, &["attach", "--trust"], "verses", false),
        ("the other project by name", &other, &["attach", &trust_of_other], "verses", true),
    ] {
        let mut client = Program::start(shared.command(task), Framing::Lines);
        client.initialize();
        client.ask("session/create", json!({ "cwd": folder }));
        client.prompt("go");
        client.until_event("turn.completed");
        let is_untrusted = |message: &Value| message["params"]["event"]["code"] == "untrusted";
        assert_eq!(!client.seen.iter().any(is_untrusted), is_used, "{name}");
        // The system prompt is in the journal.
        assert_eq!(shared.place.home_contains(&format!("Answer in {rule}")), is_used, "{name}");
    }
}

#[test]
fn who_finds_a_session_open_in_the_shared_engine_is_told_the_way_there() {
    let shared = Shared::new(json!([]));
    let mut client = shared.attach();
    let session = create(&mut client);
    let mut alone = Program::start(shared.command(&["serve"]), Framing::Lines);
    alone.initialize();
    let refused = open(&mut alone, &session);
    assert_eq!(refused["data"]["code"], "openElsewhere", "{refused}");
    assert_eq!(refused["data"]["sharedEngine"], true, "{refused}");
    assert!(refused["data"]["hint"].as_str().unwrap().contains("pintle attach"), "{refused}");
    let command = format!("pintle attach {session}");
    for mut program in [
        shared.place.command(&["sessions", "label", &session, "--to", "1", "x"]),
        shared.command(&["run", "--session", &session, "go"]),
    ] {
        let output = program.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(&command), "{program:?}: {said}");
    }
    // Of an engine that nobody can join, there is no such way.
    let own = create(&mut alone);
    let refused = open(&mut client, &own);
    assert_eq!(refused["data"]["code"], "openElsewhere", "{refused}");
    assert!(refused["data"]["sharedEngine"].is_null(), "{refused}");
    assert!(refused["data"]["hint"].as_str().unwrap().starts_with("close it there first"));
}

#[test]
fn a_client_that_looks_away_and_back_is_asked_again() {
    let shared = Shared::new(making());
    let mut client = shared.attach();
    let session = create(&mut client);
    client.prompt("make it");
    let first = asked(&mut client);
    client.ask("session/unsubscribe", json!({ "sessionId": session }));
    let withdrawn = client.until(|message| message["method"] == "$/cancelRequest");
    assert_eq!(withdrawn["params"]["id"], first["id"]);
    open(&mut client, &session);
    let again = asked(&mut client);
    assert_eq!(again["params"]["approvalId"], first["params"]["approvalId"]);
    allow(&mut client, &again);
    assert_eq!(client.until_event("turn.completed")["status"], "completed");
    assert_eq!(shared.place.read("made.txt"), "made\n");
}

#[test]
fn a_person_looks_at_a_session_in_a_terminal_and_a_program_writes_to_it() {
    let shared = Shared::new(json!([
        {"blocks": [{"text": "I make it."}, {"tool": "bash", "arguments": {"command": "echo made > made.txt"}}]},
        {"blocks": [{"text": "It is made."}]},
        {"blocks": [{"text": "Hello, editor."}]},
        {"blocks": [{"text": "Hello, script."}]},
    ]));
    let mut editor = Program::start(shared.command(&["attach"]), Framing::Lines);
    let protocol = json!({"name": "pintle", "versions": ["2.0"]});
    editor.ask("initialize", json!({"protocol": protocol, "client": {"name": "editor"}}));
    let session = create(&mut editor);
    let mut person = Person::at(shared.command(&["attach", &session]));
    person.sees("/help for commands and keys");
    person.types("make it\r");
    person.sees("  | echo made > made.txt");
    person.sees("waiting for y/n");
    person.types("y\r");
    person.sees("It is made.");
    let prompt = editor.until_event("turn.completed");
    assert_eq!(prompt["status"], "completed");
    let typed = editor.seen.iter().find(|it| it["params"]["event"]["type"] == "input.accepted");
    let typist = typed.unwrap()["params"]["cause"]["clientId"].as_str().unwrap();
    assert!(typist.starts_with("terminal-"), "{typist}");
    assert_eq!(shared.place.read("made.txt"), "made\n");
    // Messages of others are shown with their names.
    editor.prompt("hello");
    person.sees("[editor]");
    person.sees("Hello, editor.");
    editor.until_event("turn.completed");
    person.types("\u{4}");
    assert!(person.left().success());

    let mut script = shared.command(&["attach", session.get(..13).unwrap()]);
    let mut script = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    script.stdin.take().unwrap().write_all(b"hello\n").unwrap();
    let output = script.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "> hello\nHello, script.\n");
    assert!(output.status.success());
    let output = shared.command(&["attach", "nothing"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("pintle sessions list"), "{said}");
}
