//! Several clients over one engine, by `pintle attach` and `pintle acp --attach`: they see the same session, the first answer counts, and
//! a client that goes stops nothing.

use crate::support::acp;
use crate::support::program::{Framing, Place, Program, until};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::process::Command;

/// A place whose shared engine ends with it.
struct Shared {
    place: Place,
    script: String,
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(pid) = self.engine() {
            let _ = kill(pid, Signal::SIGTERM);
            until(|| self.engine().is_none());
        }
    }
}

impl Shared {
    fn new(replies: Value) -> Self {
        let place = Place::new(&[]);
        let script = place.script(&json!({ "replies": replies }));
        Self { place, script }
    }

    fn command(&self, task: &[&str]) -> Command {
        let engine = ["--script", &self.script, "--permission", "ask"];
        self.place.command(&[task, &engine].concat())
    }

    fn attach(&self) -> Program {
        let mut program = Program::start(self.command(&["attach"]), Framing::Lines);
        program.initialize();
        program
    }

    fn file(&self) -> Option<Value> {
        let text = std::fs::read(self.place.home().join("engine.json")).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// The process of the engine that listens.
    fn engine(&self) -> Option<Pid> {
        let pid = self.file()?["pid"].as_i64()?;
        Some(Pid::from_raw(i32::try_from(pid).unwrap()))
    }
}

fn making() -> Value {
    json!([
        {"blocks": [{"tool": "bash", "arguments": {"command": "echo made > made.txt"}}]},
        {"blocks": [{"text": "done"}]},
    ])
}

fn open(program: &mut Program, session: &str) -> Value {
    program.ask("session/open", json!({"sessionId": session, "fromSeq": 0}))
}

/// Makes a session and returns its id.
fn create(program: &mut Program) -> String {
    let made = program.ask("session/create", json!({}));
    made["sessionId"].as_str().unwrap().to_owned()
}

fn asked(program: &mut Program) -> Value {
    program.until(|message| message["method"] == "approval/request")
}

fn allow(program: &mut Program, request: &Value) {
    let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": {"optionId": "allow"}});
    program.send(&answer);
}

/// The numbers of the durable events that a client was told of.
fn numbers(program: &Program) -> Vec<u64> {
    program.seen.iter().filter_map(|message| message["params"]["seq"].as_u64()).collect()
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
fn a_client_that_goes_stops_nothing_and_its_question_waits() {
    let shared = Shared::new(making());
    let mut first = shared.attach();
    let session = create(&mut first);
    first.prompt("make it");
    let asked_first = asked(&mut first);
    first.child.kill().unwrap();
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
    assert!(!refused.status.success() && said.contains("listens for"), "{said}");
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
        assert!(said.contains("connect by `pintle attach`"), "{said}");
    }
    let other = shared.place.command(&["attach", "--permission", "full"]);
    let refused = Program::start(other, Framing::Lines).wait();
    assert_eq!(refused.code(), Some(2), "options that the engine does not have are refused");
    assert_eq!(client.ask("ping", json!({})), json!({}));
}

#[test]
fn an_engine_that_nobody_needs_ends() {
    let shared = Shared::new(json!([{"blocks": [{"text": "one"}]}]));
    let mut engine = shared.command(&["serve", "--listen", "--linger", "0"]);
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
        json!({"id": 1, "method": "initialize", "params": {"protocol": {"name": "pintle", "versions": ["1.0"]}}}),
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
    let mut engine = shared.command(&["serve", "--listen", "--linger", "0"]);
    let mut engine = engine.stdout(std::process::Stdio::piped()).spawn().unwrap();
    engine.stdout.as_mut().unwrap().read_exact(&mut [0; 9]).unwrap();
    // While this one is there, the engine stays.
    let mut last = Program::start(shared.place.command(&["attach"]), Framing::Lines);
    last.initialize();
    for _ in 0..10 {
        let mut client = Program::start(shared.place.command(&["attach"]), Framing::Lines);
        client.initialize();
        client.request("session/create", json!({}));
        client.child.kill().unwrap();
    }
    last.end_input();
    assert!(last.wait().success());
    assert!(engine.wait().unwrap().success());
}
