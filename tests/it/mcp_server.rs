//! `pintle mcp`: the engine as a tool of other agents, driven by the program over pipes.

use crate::support::acp::{bash, call, said, script};
use crate::support::program::{Framing, Place, Program, is_running};
use pintle_testing::waiting::until;
use serde_json::{Value, json};

/// The first version of the protocol without calls of the server's.
const STATELESS: &str = "2026-07-28";

struct Client {
    program: Program,
    /// The `_meta` of each request, where the version has no handshake.
    meta: Option<Value>,
}

impl Client {
    /// Starts the program on a script and shakes hands.
    fn start(place: &Place, replies: &[Value], capabilities: Value) -> Self {
        Self::with(place, replies, capabilities, &[])
    }

    fn with(place: &Place, replies: &[Value], capabilities: Value, more: &[&str]) -> Self {
        let mut client = Self::bare(place, replies, more);
        let about = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": about});
        let result = client.program.ask("initialize", params);
        assert_eq!(result["protocolVersion"], "2025-11-25", "{result}");
        assert_eq!(result["serverInfo"]["name"], "pintle");
        client.notify("notifications/initialized", json!({}));
        client
    }

    /// A client of the versions without a handshake.
    fn stateless(place: &Place, replies: &[Value], capabilities: Value) -> Self {
        let mut client = Self::bare(place, replies, &[]);
        client.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": STATELESS,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        }));
        let found = client.ask("server/discover", json!({}));
        assert!(found["supportedVersions"].to_string().contains(STATELESS), "{found}");
        client
    }

    fn bare(place: &Place, replies: &[Value], more: &[&str]) -> Self {
        let script = place.script(&script(replies));
        let args = [&["mcp", "--script", &script], more].concat();
        Self { program: Program::start(place.engine(&args), Framing::Lines), meta: None }
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.program.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn send(&mut self, method: &str, mut params: Value) -> u64 {
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        self.program.request(method, params)
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.program.answer_to(id)
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    fn begin(&mut self, tool: &str, arguments: Value) -> u64 {
        self.send("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The next form that a person is shown, with its id.
    fn form(&mut self) -> (Value, Value) {
        let asked = self.program.until(|message| message["method"] == "elicitation/create");
        (asked["id"].clone(), asked["params"].clone())
    }

    fn answer(&mut self, id: &Value, result: Value) {
        self.program.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }
}

fn asks() -> Value {
    json!({"elicitation": {"form": {}}})
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}"))
}

fn session(result: &Value) -> String {
    result["structuredContent"]["sessionId"]
        .as_str()
        .unwrap_or_else(|| panic!("{result}"))
        .to_owned()
}

fn write_and_say() -> Vec<Value> {
    vec![call("write", json!({"path": "made.txt", "content": "one\ntwo\n"})), said("It is made.")]
}

#[test]
fn a_task_asks_a_person_and_returns_its_answer_and_its_changes() {
    let place = Place::new(&[]);
    let mut client = Client::start(&place, &write_and_say(), asks());
    let listed = client.ask("tools/list", json!({}));
    let names: Vec<&str> = listed["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["start_task", "task_result", "steer_task", "stop_task", "task_patch"]);
    let params = json!({"name": "start_task", "arguments": {"prompt": "make it"}, "_meta": {"progressToken": "p"}});
    let running = client.send("tools/call", params);
    let (id, form) = client.form();
    let message = form["message"].as_str().unwrap();
    for part in
        ["Allow write: made.txt?", "changes files", "File:\n", "made.txt", "Content:\none\ntwo\n"]
    {
        assert!(message.contains(part), "{message}");
    }
    let schema = &form["requestedSchema"];
    assert_eq!(schema["properties"]["choice"]["enum"][0], "Allow", "{schema}");
    assert_eq!(schema["required"], json!(["choice"]));
    client.answer(&id, json!({"action": "accept", "content": {"choice": "Allow"}}));
    let progress = client.program.until(|message| message["method"] == "notifications/progress");
    assert_eq!(progress["params"]["message"], "> write: made.txt");
    let result = client.program.answer_to(running);
    assert_eq!(result["structuredContent"]["state"], "ended", "{result}");
    assert_eq!(result["structuredContent"]["changes"]["added"], 2);
    let said = text(&result);
    assert!(said.starts_with("It is made.\n[Changed, +2 -0 lines: "), "{said}");
    assert!(said.ends_with(&format!("[Session {}]", session(&result))), "{said}");
    assert_eq!(place.read("made.txt"), "one\ntwo\n");
    let patch = client.call("task_patch", json!({"session": session(&result)}));
    assert!(text(&patch).contains("+++ b/made.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n"), "{patch}");
}

#[test]
fn what_nobody_agrees_to_does_not_run() {
    let ok = |content: Value| json!({"action": "accept", "content": content});
    for (name, capabilities, answer) in [
        ("declined", asks(), Some(json!({"action": "decline"}))),
        ("dismissed", asks(), Some(json!({"action": "cancel"}))),
        ("denied", asks(), Some(ok(json!({"choice": "Deny", "text": "not like this"})))),
        ("a label that was not offered", asks(), Some(ok(json!({"choice": "allow"})))),
        ("no choice", asks(), Some(ok(json!({"text": "Allow"})))),
        ("nonsense", asks(), Some(json!(7))),
        ("a client that cannot ask", json!({}), None),
    ] {
        let place = Place::new(&[]);
        let mut client = Client::start(&place, &write_and_say(), capabilities);
        let running = client.begin("start_task", json!({"prompt": "make it"}));
        if let Some(answer) = answer {
            let (id, _) = client.form();
            client.answer(&id, answer);
        }
        let result = client.program.answer_to(running);
        assert!(text(&result).contains("[Denied: write: made.txt]"), "{name}: {result}");
        assert!(!place.project().join("made.txt").exists(), "{name}");
    }
}

#[test]
fn a_cancelled_call_stops_its_task() {
    let place = Place::new(&[]);
    let replies = [bash("sleep 54321"), said("never")];
    let mut client = Client::with(&place, &replies, json!({}), &["--permission", "full"]);
    let running = client.begin("start_task", json!({"prompt": "wait"}));
    until(|| is_running("54321"));
    client.notify("notifications/cancelled", json!({"requestId": running}));
    until(|| !is_running("54321"));
    // The connection goes on.
    assert!(client.ask("tools/list", json!({}))["tools"].is_array());
}

#[test]
fn a_task_in_the_background_is_steered_followed_and_stopped() {
    let place = Place::new(&[]);
    let replies = [bash("sleep 54322"), said("Never."), said("And now?")];
    let mut client = Client::with(&place, &replies, json!({}), &["--permission", "full"]);
    let begun = client.call("start_task", json!({"prompt": "wait", "background": true}));
    assert_eq!(begun["structuredContent"]["state"], "running", "{begun}");
    let session = session(&begun);
    until(|| is_running("54322"));
    let seen = client.call("task_result", json!({"session": session}));
    assert_eq!(seen["structuredContent"]["progress"], "> bash: sleep 54322", "{seen}");
    let busy = client.call("start_task", json!({"prompt": "more", "session": session}));
    assert_eq!(busy["isError"], true, "{busy}");
    let steered = client.call("steer_task", json!({"session": session, "message": "stop soon"}));
    assert_eq!(text(&steered), "The task reads it before its next step.");
    let stopped = client.call("stop_task", json!({"session": session}));
    assert!(text(&stopped).starts_with("The task was stopped."), "{stopped}");
    assert!(!is_running("54322"));
    let ended = client.call("task_result", json!({"session": session, "waitSeconds": 60}));
    assert_eq!(
        (&ended["isError"], &ended["structuredContent"]["status"]),
        (&json!(true), &json!("interrupted")),
        "{ended}"
    );
    assert_eq!(
        text(&client.call("stop_task", json!({"session": session}))),
        "The task has already ended."
    );
    let steered = client.call("steer_task", json!({"session": session, "message": "x"}));
    assert!(text(&steered).contains("continue with start_task"), "{steered}");
    // The session is gone on with.
    let next = client.call("start_task", json!({"prompt": "go on", "session": session}));
    assert!(text(&next).starts_with("Never."), "{next}");
}

#[test]
fn a_version_without_calls_of_the_server_is_asked_by_results() {
    let place = Place::new(&[]);
    let mut client = Client::stateless(&place, &write_and_say(), asks());
    let asked = client.call("start_task", json!({"prompt": "make it"}));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let requests = asked["inputRequests"].as_object().unwrap();
    let (key, request) = requests.iter().next().unwrap();
    assert!(request["params"]["message"].as_str().unwrap().contains("Allow write: made.txt?"));
    let responses = json!({key: {"action": "accept", "content": {"choice": "Allow"}}});
    let result = client.ask(
        "tools/call",
        json!({"name": "start_task", "arguments": {"prompt": "make it"},
            "requestState": asked["requestState"], "inputResponses": responses}),
    );
    assert!(text(&result).starts_with("It is made."), "{result}");
    // Nothing was begun a second time.
    let forged = client.ask(
        "tools/call",
        json!({"name": "start_task", "arguments": {"prompt": "x"}, "requestState": "other", "inputResponses": {}}),
    );
    assert!(text(&forged).contains("no task of this connection"), "{forged}");
}

#[test]
fn a_client_that_follows_tasks_gets_one_at_once() {
    let capabilities =
        json!({"elicitation": {"form": {}}, "extensions": {"io.modelcontextprotocol/tasks": {}}});
    let place = Place::new(&[]);
    let replies = [write_and_say(), vec![bash("touch x && sleep 54323")]].concat();
    let mut client = Client::stateless(&place, &replies, capabilities);
    let follow = |client: &mut Client, task: &Value, wanted: &str| loop {
        let seen = client.ask("tasks/get", json!({"taskId": task}));
        if seen["status"] == wanted {
            break seen;
        }
        assert_eq!(seen["status"], "working", "{seen}");
    };
    let task = client.call("start_task", json!({"prompt": "make it"}));
    assert_eq!(task["resultType"], "task", "{task}");
    let id = task["taskId"].clone();
    let seen = follow(&mut client, &id, "input_required");
    let key = seen["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    let responses = json!({key: {"action": "accept", "content": {"choice": "Allow"}}});
    client.ask("tasks/update", json!({"taskId": id, "inputResponses": responses}));
    let seen = follow(&mut client, &id, "completed");
    assert!(text(&seen["result"]).starts_with("It is made."), "{seen}");
    let task = client.call("start_task", json!({"prompt": "wait"}));
    let id = task["taskId"].clone();
    follow(&mut client, &id, "input_required");
    client.ask("tasks/cancel", json!({"taskId": id}));
    loop {
        let seen = client.ask("tasks/get", json!({"taskId": id}));
        if seen["status"] == "cancelled" {
            break;
        }
    }
    let unknown = client.ask("tasks/get", json!({"taskId": "x"}));
    assert!(
        unknown["message"].as_str().unwrap().contains("no task of this connection"),
        "{unknown}"
    );
}

#[test]
fn a_sub_agent_asks_through_its_task() {
    let place = Place::new(&[]);
    let of = |mut reply: Value| {
        reply["of"] = json!("touch it");
        reply
    };
    let replies = [
        call("spawn_agent", json!({"task": "touch it"})),
        call("wait", json!({})),
        said("All done."),
        of(call("bash", json!({"command": "touch ran"}))),
        of(said("touched")),
    ];
    let mut client = Client::with(&place, &replies, asks(), &["--profile", "pi"]);
    let running = client.begin("start_task", json!({"prompt": "go"}));
    let (id, form) = client.form();
    assert!(form["message"].as_str().unwrap().contains("touch ran"), "{form}");
    client.answer(&id, json!({"action": "accept", "content": {"choice": "Allow"}}));
    let result = client.program.answer_to(running);
    assert!(text(&result).starts_with("All done."), "{result}");
    assert!(place.project().join("ran").exists());
}

#[test]
fn tasks_stay_in_the_servers_directory() {
    let place = Place::new(&[("sub/a.txt", "a")]);
    std::os::unix::fs::symlink("/etc", place.project().join("out")).unwrap();
    // A session of another folder, which is nobody's business here.
    let other = place.project().parent().unwrap().join("other");
    std::fs::create_dir(&other).unwrap();
    let replies = place.script(&script(&[said("elsewhere")]));
    let run = place
        .command(&["run", "--quiet", "--format", "json", "--script", &replies, "hi"])
        .current_dir(&other)
        .output()
        .unwrap();
    let run: Value = serde_json::from_slice(&run.stdout).unwrap();
    let mut client = Client::start(&place, &[said("Here.")], json!({}));
    for (arguments, want) in [
        (json!({"prompt": "x", "directory": "/etc"}), "outside the server's directory"),
        (json!({"prompt": "x", "directory": "out"}), "outside the server's directory"),
        (json!({"prompt": "x", "directory": ".."}), "outside the server's directory"),
        (json!({"prompt": "x", "directory": "none"}), "none"),
        (json!({"prompt": "x", "session": run["sessionId"]}), "outside the server's directory"),
        (json!({"prompt": "x", "session": "../../x"}), "session"),
        (json!({"prompt": "x", "session": "s", "directory": "sub"}), "omit `directory`"),
        (json!({"prompt": 1}), "prompt: invalid type"),
    ] {
        let refused = client.call("start_task", arguments.clone());
        assert_eq!(refused["isError"], true, "{arguments}: {refused}");
        assert!(text(&refused).contains(want), "{arguments}: {refused}");
    }
    let fine = client.call("start_task", json!({"prompt": "x", "directory": "sub"}));
    assert!(text(&fine).starts_with("Here."), "{fine}");
}

#[test]
fn bad_messages_are_answered_and_the_end_of_input_ends_what_runs() {
    let place = Place::new(&[]);
    let replies = [bash("sleep 54324")];
    let mut client = Client::with(&place, &replies, json!({}), &["--permission", "full"]);
    client.program.send_bytes(b"{\"jsonrpc\": nonsense");
    assert_eq!(client.program.next()["error"]["code"], -32700);
    client.program.send_bytes(b"[1, 2]");
    assert_eq!(client.program.next()["error"]["code"], -32600);
    assert_eq!(client.ask("tools/paint", json!({}))["code"], -32601);
    let unknown = client.call("shell", json!({}));
    assert!(
        unknown["message"]
            .as_str()
            .unwrap()
            .contains("unknown tool `shell`; expected one of start_task"),
        "{unknown}"
    );
    let _running = client.begin("start_task", json!({"prompt": "wait"}));
    until(|| is_running("54324"));
    client.program.end_input();
    assert!(client.program.wait().success());
    assert!(!is_running("54324"));
}

#[test]
fn a_session_whose_folder_is_gone_continues_in_the_folder_of_the_server() {
    let place = Place::new(&[("a/x.txt", "x\n")]);
    let replies = place.script(&script(&[said("one")]));
    let mut command = place.command(&["run", "first", "--format", "json", "--script", &replies]);
    let made = command.current_dir(place.path("a")).output().unwrap();
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    std::fs::rename(place.path("a"), place.path("b")).unwrap();
    let mut client = Client::start(&place, &[said("two")], json!({}));
    let task = json!({"prompt": "more", "session": made["sessionId"]});
    let done = client.call("start_task", task);
    assert!(text(&done).contains("two"), "{done}");
    let journal = std::fs::read_to_string(made["journal"].as_str().unwrap()).unwrap();
    assert!(journal.contains("session.moved"), "{journal}");
}
