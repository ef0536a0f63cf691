//! The Agent Host Protocol: what VS Code sends, and what clients see.

mod parts;

use crate::support::HANG;
use crate::support::ahp::{CHANGES, CHAT, Mirror, Pipes, SESSION, Window};
use crate::support::launch::Launch;
use crate::support::program::Place;
use crate::support::shared::Shared;
use ahp::{Client, ClientConfig, SubscriptionEvent};
use ahp_types::actions::StateAction;
use ahp_types::commands::DispatchActionParams;
use ahp_types::state::{ResponsePart, SnapshotState, ToolCallState};
use expect_test::expect;
use pintle_testing::waiting::until;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

fn said(text: &str) -> Value {
    json!({"blocks": [{"text": text}]})
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({"blocks": [{"tool": tool, "arguments": arguments}]})
}

/// A client with a session in the folder of the place, subscribed to all of it.
fn begin(shared: &Shared) -> Window {
    begun(shared, shared.command(&["ahp", "--attach"]))
}

/// Like [`begin`], but starts an engine for this client alone.
fn alone(shared: &Shared) -> Window {
    begun(shared, shared.alone(&["ahp"]))
}

fn begun(shared: &Shared, launch: impl Into<Launch>) -> Window {
    let mut window = Window::start(launch, "one");
    window.initialize();
    window.create(&shared.place.project());
    window.subscribe_all();
    window.told.clear();
    window
}

fn other(shared: &Shared, name: &str) -> Window {
    let mut window = Window::start(shared.command(&["ahp", "--attach"]), name);
    window.initialize();
    window.subscribe_all();
    window
}

/// What everybody sees of the session, as a client that comes now is told.
fn fresh(shared: &Shared) -> Mirror {
    other(shared, "fresh").mirror
}

fn confirm(window: &mut Window, ready: &Value, approved: bool) -> u64 {
    let action = json!({
        "type": "chat/toolCallConfirmed", "turnId": ready["action"]["turnId"],
        "toolCallId": ready["action"]["toolCallId"], "approved": approved,
        "confirmed": "user-action", "reason": "denied",
    });
    let mut action = action;
    action.as_object_mut().unwrap().remove(if approved { "reason" } else { "confirmed" });
    window.dispatch(CHAT, &action)
}

fn is_asked(message: &Value) -> bool {
    let action = &message["params"]["action"];
    action["type"] == "chat/toolCallReady" && action["confirmed"].is_null()
}

#[test]
fn a_spare_session_leaves_nothing_behind_and_is_in_no_list() {
    let shared = Shared::new(json!([said("hi")]));
    let mut window = alone(&shared);
    let list = |window: &mut Window| {
        let listed = window.ask("listSessions", json!({"channel": "ahp-root://"}));
        listed["items"].as_array().unwrap().len()
    };
    assert_eq!(list(&mut window), 0);
    assert_eq!(window.ask("disposeSession", json!({"channel": SESSION})), Value::Null);
    assert!(shared.place.journal_if_any().is_none());
    window.create(&shared.place.project());
    window.subscribe_all();
    window.prompt("request_1", "hello");
    window.until_action("chat/turnComplete");
    assert_eq!(list(&mut window), 1);
    assert!(shared.place.journal_if_any().is_some());
    // One that has turns is only taken out of the lists.
    assert_eq!(window.ask("disposeSession", json!({"channel": SESSION})), Value::Null);
    assert_eq!(list(&mut window), 0);
    assert!(shared.place.journal_if_any().is_some());
}

#[test]
fn a_session_whose_folder_is_gone_goes_on_in_the_current_one() {
    let shared = Shared::new(json!([said("hi")]));
    let gone = shared.place.path("gone");
    std::fs::create_dir(&gone).unwrap();
    let turn = |window: &mut Window, id: &str| {
        window.subscribe_all();
        window.prompt(id, "hello");
        window.until_action("chat/turnComplete");
    };
    let mut window = Window::start(shared.alone(&["ahp"]), "one");
    window.initialize();
    window.create(&gone);
    turn(&mut window, "request_1");
    window.program.end_input();
    window.program.rest();
    std::fs::remove_dir(&gone).unwrap();
    let mut window = Window::start(shared.alone(&["ahp"]), "one");
    window.initialize();
    turn(&mut window, "request_2");
    assert_eq!(window.chat().turns.len(), 2);
    let journal = std::fs::read_to_string(shared.place.journal()).unwrap();
    let moved = journal.lines().find(|line| line.contains("\"session.moved\"")).unwrap();
    let moved: Value = serde_json::from_str(moved).unwrap();
    let project = shared.place.project();
    assert_eq!(moved["event"]["from"], json!(gone), "{moved}");
    assert_eq!(moved["event"]["cwd"], json!(project), "{moved}");
}

#[test]
fn a_turn_is_told_with_the_names_that_the_client_gave() {
    let shared = Shared::new(json!([{"blocks": [{"reasoning": "hm"}, {"text": "Hello."}]}]));
    let mut window = begin(&shared);
    window.prompt("request_1", "hello there");
    window.until_action("chat/turnComplete");
    expect![[r"
        session/titleChanged
        chat/turnStarted (own)
        session/chatUpdated
        root/sessionAdded
        root/activeSessionsChanged
        chat/responsePart
        chat/reasoning
        chat/responsePart
        chat/delta
        chat/usage
        chat/turnComplete"]]
    .assert_eq(&window.told.join("\n"));
    let turn = &window.chat().turns[0];
    assert_eq!((turn.id.as_str(), turn.message.text.as_str()), ("request_1", "hello there"));
    assert_eq!(window.chat().title, "hello there");
    assert_eq!(fresh(&shared).0[CHAT], window.mirror.0[CHAT]);
}

#[test]
fn requests_that_are_wrong_say_why() {
    let shared = Shared::new(json!([]));
    let mut window = Window::start(shared.alone(&["ahp"]), "one");
    let early = window.ask("listSessions", json!({"channel": "ahp-root://"}));
    assert_eq!(early["code"], -32600);
    let versions =
        json!({"channel": "ahp-root://", "protocolVersions": ["0.5.1"], "clientId": "x"});
    let old = window.ask("initialize", versions);
    assert_eq!(
        (&old["code"], &old["data"]["supportedVersions"]),
        (&json!(-32005), &json!(["1.0.0", "0.9.0"]))
    );
    assert_eq!(window.initialize()["protocolVersion"], "0.9.0");
    window.create(&shared.place.project());
    let rows = [
        ("nope/nope", json!({}), -32601),
        ("createAutomation", json!({}), -32601),
        ("subscribe", json!({}), -32602),
        ("subscribe", json!({"channel": "pintle:/none-of-these"}), -32001),
        ("subscribe", json!({"channel": "other:/x"}), -32001),
        ("createSession", json!({"channel": SESSION, "provider": "pintle"}), -32003),
        ("createSession", json!({"channel": "pintle:/a", "provider": "copilot"}), -32002),
        ("createSession", json!({"channel": "pintle:/a/../b"}), -32602),
        ("createSession", json!({"channel": "pintle:/b", "config": {"mode": "autopilot"}}), -32602),
        (
            "createSession",
            json!({"channel": "pintle:/b", "workingDirectories": ["https://x/y"]}),
            -32602,
        ),
        ("resourceRead", json!({"channel": "ahp-root://", "uri": "file:///etc/passwd"}), -32009),
        ("resourceRead", json!({"channel": "ahp-root://", "uri": "pintle-before://x/y"}), -32008),
        ("resourceRead", json!({"channel": "ahp-root://", "uri": "https://example.org/"}), -32008),
        ("resourceList", json!({"channel": "ahp-root://", "uri": "file:///etc"}), -32009),
        ("disposeSession", json!({"channel": CHAT}), -32001),
    ];
    for (method, params, code) in rows {
        let answer = window.ask(method, params.clone());
        assert_eq!(answer["code"], code, "{method} {params}: {answer}");
        assert!(answer["message"].is_string());
    }
}

#[test]
fn only_files_of_a_session_that_no_rule_hides_are_read() {
    let shared = Shared::new(json!([]));
    let project = shared.place.project();
    for (name, text) in [("a.txt", "alpha"), ("id_rsa", "secret"), ("sub/b.txt", "beta")] {
        let path = project.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    std::os::unix::fs::symlink("/etc/hostname", project.join("link")).unwrap();
    let mut window = alone(&shared);
    let read = |window: &mut Window, name: &str, scheme: &str| {
        let uri = format!("{scheme}{}/{name}", project.display());
        let params = json!({"channel": "ahp-root://", "uri": uri, "encoding": "utf-8"});
        let answer = window.ask("resourceRead", params);
        answer["data"].as_str().map_or_else(|| answer["code"].to_string(), str::to_owned)
    };
    for (name, scheme, want) in [
        ("a.txt", "file://", "alpha"),
        ("a.txt", "vscode-remote://127.0.0.1%3A80", "alpha"),
        ("sub/b.txt", "file://", "beta"),
        ("id_rsa", "file://", "-32009"),
        ("link", "file://", "-32009"),
        ("../home/trust.toml", "file://", "-32009"),
        ("a.txt", "file://elsewhere", "-32008"),
    ] {
        assert_eq!(read(&mut window, name, scheme), want, "{scheme} {name}");
    }
    let uri = format!("file://{}", project.display());
    let listed = window.ask("resourceList", json!({"channel": "ahp-root://", "uri": uri}));
    let sub = json!({"name": "sub", "type": "directory"});
    assert!(listed["entries"].as_array().unwrap().contains(&sub), "{listed}");
}

#[test]
fn a_change_is_asked_about_with_its_difference_and_is_in_the_changeset() {
    let edit = json!({"path": "a.txt", "edits": [{"oldText": "helo", "newText": "hello"}]});
    let shared = Shared::new(json!([call("edit", edit), said("done"), said("more")]));
    std::fs::write(shared.place.path("a.txt"), "helo\nworld\n").unwrap();
    let mut window = alone(&shared);
    window.prompt("request_1", "fix it");
    let ready = window.until(is_asked)["params"].take();
    let content = |window: &mut Window, side: &Value| {
        let params = json!({"channel": "ahp-root://", "uri": side["content"]["uri"]});
        window.ask("resourceRead", params)["data"].as_str().unwrap().to_owned()
    };
    let proposed = &ready["action"]["edits"]["items"][0];
    assert_eq!(proposed["diff"], json!({"added": 1, "removed": 1}));
    assert_eq!(content(&mut window, &proposed["before"]), "helo\nworld\n");
    assert_eq!(content(&mut window, &proposed["after"]), "hello\nworld\n");
    assert_eq!(window.chat().status, 24);
    confirm(&mut window, &ready, true);
    let done = window.until_action("chat/toolCallComplete");
    let made = done["action"]["result"]["content"][0].clone();
    assert_eq!(made["type"], "fileEdit");
    let changed = window.until_action("changeset/contentChanged");
    let file = changed["action"]["files"][0].clone();
    for edit in [&made, &file["edit"]] {
        assert_eq!(content(&mut window, &edit["before"]), "helo\nworld\n", "{edit}");
        assert_eq!(content(&mut window, &edit["after"]), "hello\nworld\n", "{edit}");
        let path = |side: &str| {
            edit[side]["content"]["uri"]
                .as_str()
                .unwrap()
                .rsplit("//")
                .next()
                .unwrap()
                .split_once('/')
                .unwrap()
                .1
                .to_owned()
        };
        assert_eq!(path("before"), path("after"), "another path is drawn as a rename");
    }
    // Undone by its operation, the file is as it was, and the changeset is empty.
    let params = json!({"channel": CHANGES, "operationId": "undo", "target": {"kind": "resource", "resource": file["edit"]["after"]["uri"]}});
    let id = window.request("invokeChangesetOperation", params);
    let (mut is_answered, mut is_empty) = (false, false);
    while !(is_answered && is_empty) {
        let message = window.next();
        is_answered |= message["id"] == id && message.get("result").is_some();
        is_empty |= message["params"]["action"]["type"] == "changeset/contentChanged"
            && message["params"]["action"]["files"] == json!([]);
    }
    assert_eq!(shared.place.read("a.txt"), "helo\nworld\n");
}

#[test]
fn the_first_answer_of_two_windows_counts() {
    let shared =
        Shared::new(json!([call("bash", json!({"command": "curl example.org"})), said("ok")]));
    let mut one = begin(&shared);
    let mut two = other(&shared, "two");
    one.prompt("request_1", "go");
    let ready = two.until(is_asked)["params"].take();
    one.until(is_asked);
    confirm(&mut two, &ready, false);
    let told = one.until_action("chat/toolCallConfirmed");
    assert_eq!(told["origin"], json!({"clientId": "two", "clientSeq": 1}));
    confirm(&mut one, &ready, true);
    let refused = one.until(|message| message["params"]["rejectionReason"].is_string());
    assert_eq!(refused["params"]["rejectionReason"], "the call has already been decided");
    // The turn may have ended before the refusal came.
    one.until_told("chat/turnComplete");
    two.until_told("chat/turnComplete");
    one.catch_up(&mut two);
    let part = one.chat().turns[0].response_parts.iter().find_map(|part| match part {
        ResponsePart::ToolCall(call) => Some(&call.tool_call),
        _ => None,
    });
    assert!(matches!(part, Some(ToolCallState::Cancelled(_))), "{part:?}");
    assert_eq!(one.mirror, two.mirror);
}

#[test]
fn a_message_steers_waits_or_is_taken_back_and_a_turn_is_stopped() {
    let wait = call("bash", json!({"command": "while [ ! -e go ]; do sleep 0.01; done"}));
    let hang = call("bash", json!({"command": "while [ ! -e never ]; do sleep 0.01; done"}));
    let shared = Shared::new(json!([wait, said("steered"), said("queued"), hang, said("rest")]));
    let mut window = begin(&shared);
    let message = |text: &str| json!({"text": text, "origin": {"kind": "user"}});
    let pending = |kind: &str, id: &str| json!({"type": "chat/pendingMessageSet", "kind": kind, "id": id, "message": message(id)});
    window.prompt("request_1", "go");
    window.until_action("chat/toolCallContentChanged");
    window.dispatch(CHAT, &pending("steering", "m1"));
    window.until_action("chat/pendingMessageSet");
    assert_eq!(window.chat().steering_message.as_ref().unwrap().id, "m1");
    for id in ["m2", "m3"] {
        window.dispatch(CHAT, &pending("queued", id));
        window.until_action("chat/pendingMessageSet");
    }
    window.dispatch(
        CHAT,
        &json!({"type": "chat/pendingMessageRemoved", "kind": "queued", "id": "m3"}),
    );
    window.until_action("chat/pendingMessageRemoved");
    std::fs::write(shared.place.path("go"), "").unwrap();
    window.until_action("chat/pendingMessageRemoved");
    assert!(window.chat().steering_message.is_none());
    let second = window.until_action("chat/turnStarted");
    assert_eq!(second["action"]["queuedMessageId"], "m2");
    window.until_action("chat/turnComplete");
    let names: Vec<&str> = window.chat().turns.iter().map(|turn| turn.id.as_str()).collect();
    assert_eq!(names, ["request_1", "m2"]);

    window.prompt("request_3", "hang");
    window.until_action("chat/toolCallContentChanged");
    window.dispatch(
        CHAT,
        &json!({"type": "chat/turnCancelled", "turnId": "request_3", "duration": 5}),
    );
    let stopped = window.until_action("chat/turnCancelled");
    assert_eq!(stopped["origin"]["clientId"], "one");
    window.dispatch(
        CHAT,
        &json!({"type": "chat/turnCancelled", "turnId": "request_3", "duration": 5}),
    );
    let refused = window.until(|message| message["params"]["rejectionReason"].is_string());
    assert_eq!(refused["params"]["rejectionReason"], "this turn is not running");
    assert_eq!(fresh(&shared).0[CHAT], window.mirror.0[CHAT]);
}

/// VS Code sends the next prompt with the stop, and an edited prompt as a stop, a truncation and a prompt.
#[test]
fn what_follows_a_stop_waits_for_the_end_of_the_turn() {
    let hang = call("bash", json!({"command": "while [ ! -e never ]; do sleep 0.01; done"}));
    let shared = Shared::new(json!([said("one"), hang, said("two"), hang, said("three")]));
    let mut window = begin(&shared);
    window.prompt("request_1", "one");
    window.until_action("chat/turnComplete");
    for (hanging, truncated, next, names) in [
        ("request_2", None, "request_3", &["request_1", "request_2", "request_3"][..]),
        ("request_4", Some("request_1"), "request_5", &["request_1", "request_5"]),
    ] {
        window.prompt(hanging, "hang");
        window.until_action("chat/toolCallContentChanged");
        let stop = json!({"type": "chat/turnCancelled", "turnId": hanging, "duration": 5});
        window.dispatch(CHAT, &stop);
        if let Some(turn) = truncated {
            window.dispatch(CHAT, &json!({"type": "chat/truncated", "turnId": turn}));
        }
        let number = window.prompt(next, "go on");
        let started = window.until(|message| message["params"]["origin"]["clientSeq"] == number);
        assert_eq!(started["params"]["rejectionReason"], Value::Null, "{next}");
        window.until_action("chat/turnComplete");
        let turns = window.chat().turns.iter();
        assert_eq!(turns.map(|turn| turn.id.as_str()).collect::<Vec<_>>(), names);
    }
    assert_eq!(fresh(&shared).0[CHAT], window.mirror.0[CHAT]);
}

#[test]
fn settings_and_titles_are_changed_for_everybody_or_refused() {
    let shared = Shared::new(json!([said("hi")]));
    let mut window = begin(&shared);
    window.dispatch(SESSION, &json!({"type": "session/configChanged", "config": {"mode": "plan"}}));
    window.until_action("session/configChanged");
    window.prompt("request_1", "hello");
    window.until_action("chat/turnComplete");
    let rows = [
        (
            SESSION,
            json!({"type": "session/configChanged", "config": {"mode": "interactive"}}),
            "session/configChanged (own)",
        ),
        // The engine was started with a ceiling.
        (
            SESSION,
            json!({"type": "session/configChanged", "config": {"autoApprove": "autoApprove"}}),
            "session/configChanged (own) refused",
        ),
        (
            SESSION,
            json!({"type": "session/configChanged", "config": {"mode": "autopilot"}}),
            "session/configChanged (own) refused",
        ),
        (
            SESSION,
            json!({"type": "session/titleChanged", "title": "By one"}),
            "session/titleChanged (own)",
        ),
        // As VS Code renames.
        (
            CHAT,
            json!({"type": "session/titleChanged", "title": "By another"}),
            "session/titleChanged (own)",
        ),
        (
            SESSION,
            json!({"type": "session/isReadChanged", "isRead": true}),
            "session/isReadChanged (own)",
        ),
        (
            CHAT,
            json!({"type": "chat/delta", "turnId": "request_1", "partId": "x", "content": "forged"}),
            "chat/delta (own) refused",
        ),
        (CHANGES, json!({"type": "changeset/cleared"}), "changeset/cleared (own) refused"),
        (
            "ahp-terminal:/a/b",
            json!({"type": "terminal/input", "data": "ls"}),
            "terminal/input (own) refused",
        ),
    ];
    for (channel, action, want) in rows {
        window.told.clear();
        window.dispatch(channel, &action);
        window.until(|message| message["params"]["origin"]["clientId"] == "one");
        let told = window.told.last().unwrap();
        assert!(
            told.starts_with(want) && told.contains("refused") == want.contains("refused"),
            "{action}: {told}"
        );
    }
    let mut native = shared.attach();
    let id = SESSION.strip_prefix("pintle:/").unwrap();
    let opened = native.ask("session/open", json!({"sessionId": id}));
    assert_eq!((&opened["title"], &opened["mode"]), (&json!("By another"), &json!("act")));
}

#[test]
fn the_tools_of_a_client_are_called_by_the_model() {
    let shared =
        Shared::new(json!([call("usages", json!({"symbol": "greet"})), said("two places")]));
    let mut window = alone(&shared);
    let tool = json!({"name": "usages", "description": "Finds usages", "inputSchema": {"type": "object", "properties": {"symbol": {"type": "string"}}}});
    let client = json!({"clientId": "one", "tools": [tool], "customizations": []});
    window.dispatch(SESSION, &json!({"type": "session/activeClientSet", "activeClient": client}));
    window.until_action("session/activeClientSet");
    window.prompt("request_1", "where?");
    let start = window.until_action("chat/toolCallStart");
    assert_eq!(start["action"]["contributor"], json!({"kind": "client", "clientId": "one"}));
    let ready = window.until(is_asked)["params"].take();
    confirm(&mut window, &ready, true);
    let needed = window
        .until(|message| message["params"]["action"]["request"]["kind"] == "toolClientExecution");
    let call = &needed["params"]["action"]["request"]["toolCall"];
    assert_eq!(
        (&call["status"], &call["toolInput"]),
        (&json!("running"), &json!("{\"symbol\":\"greet\"}"))
    );
    // VS Code confirms its own tool once more, which is no answer.
    confirm(&mut window, &ready, true);
    window.until_action("chat/toolCallConfirmed");
    let result = json!({"success": true, "pastTenseMessage": "Found 2", "content": [{"type": "text", "text": "a.rs:1, b.rs:2"}]});
    let complete = json!({"type": "chat/toolCallComplete", "turnId": "request_1", "toolCallId": ready["action"]["toolCallId"], "result": result});
    window.dispatch(CHAT, &complete);
    let told = window.until_action("chat/toolCallComplete");
    assert_eq!(told["origin"]["clientId"], "one");
    window.until_action("chat/turnComplete");
    assert!(std::fs::read_to_string(shared.place.journal()).unwrap().contains("a.rs:1, b.rs:2"));
}

#[test]
fn the_model_asks_and_a_native_client_shares_the_session() {
    let question = json!({"question": "Which one?", "options": ["red", "blue"]});
    let shared =
        Shared::new(json!([call("ask_user", question), said("blue it is"), said("again")]));
    let mut window = begin(&shared);
    window.prompt("request_1", "choose");
    let asked = window.until_action("chat/inputRequested");
    let request = &asked["action"]["request"];
    let options = request["questions"][0]["options"].as_array().unwrap();
    let blue = options.iter().find(|option| option["label"] == "blue").unwrap();
    let answers = json!({"answer": {"state": "submitted", "value": {"kind": "selected", "value": blue["id"]}}});
    window.dispatch(CHAT, &json!({"type": "chat/inputCompleted", "requestId": request["id"], "response": "accept", "answers": answers}));
    window.until_action("chat/turnComplete");
    assert!(std::fs::read_to_string(shared.place.journal()).unwrap().contains("blue"));
    // Neovim, or any other native client, at the same time.
    let mut native = shared.attach();
    let id = SESSION.strip_prefix("pintle:/").unwrap();
    native.ask("session/open", json!({"sessionId": id}));
    native.ask("turn/start", json!({"input": [{"type": "text", "text": "from a native client"}]}));
    let started = window.until_action("chat/turnStarted");
    assert_eq!(started["action"]["message"]["text"], "from a native client");
    window.until_action("chat/turnComplete");
    assert_eq!(fresh(&shared).0[CHAT], window.mirror.0[CHAT]);
}

#[test]
fn a_session_is_the_same_after_its_engine_has_ended() {
    let shared = Shared::new(json!([
        call("write", json!({"path": "b.txt", "content": "x\n"})),
        said("made"),
        said("later")
    ]));
    let mut window = begin(&shared);
    window.prompt("request_1", "make it");
    let ready = window.until(is_asked)["params"].take();
    confirm(&mut window, &ready, true);
    window.until_action("chat/turnComplete");
    let before = window.chat().turns.clone();
    let engine = shared.engine().unwrap();
    nix::sys::signal::kill(engine, nix::sys::signal::Signal::SIGTERM).unwrap();
    until(|| shared.engine().is_none());
    let mut back = Window::start(shared.command(&["ahp", "--attach"]), "one");
    // Its number is of another host: it gets snapshots.
    assert_eq!(back.reconnect(&window), "snapshot");
    let after = &back.chat().turns;
    assert_eq!(before.len(), after.len());
    for (before, after) in before.iter().zip(after) {
        assert_eq!(
            (&before.id, &before.message.text, &before.state),
            (&after.id, &after.message.text, &after.state)
        );
        assert_eq!(before.response_parts.len(), after.response_parts.len());
    }
    // The script begins again; its `write` may replace the file, which the model wrote before.
    back.prompt("request_2", "and on");
    let ready = back.until(is_asked)["params"].take();
    confirm(&mut back, &ready, true);
    back.until_action("chat/turnComplete");
    assert_eq!(back.chat().turns.len(), 2);
}

/// A step of a run in which two windows work on a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Prompt(usize),
    Steer(usize),
    Queue(usize),
    Stop(usize),
    /// Loses its connection, and is back.
    Drop(usize),
    /// Takes so many messages.
    Read(usize, u8),
}

fn step() -> impl Strategy<Value = Step> {
    let window = 0..2_usize;
    prop_oneof![
        3 => window.clone().prop_map(Step::Prompt),
        1 => window.clone().prop_map(Step::Steer),
        1 => window.clone().prop_map(Step::Queue),
        1 => window.clone().prop_map(Step::Stop),
        2 => window.clone().prop_map(Step::Drop),
        3 => (window, 1..12_u8).prop_map(|(window, count)| Step::Read(window, count)),
    ]
}

/// Whatever two windows do in whatever order, and wherever their connections break, each has in the end what one has that comes then.
#[test]
fn snapshots_and_the_actions_after_them_agree() {
    let mut runner = TestRunner::new(pintle_testing::chance::cases(10));
    let run = proptest::collection::vec(step(), 4..24);
    runner.run(&run, |steps| {
        let replies: Vec<Value> = (0..120)
            .map(|n| match n % 4 {
                0 => json!({"blocks": [{"reasoning": format!("thought {n}")}, {"text": format!("words {n}")}]}),
                1 => call("bash", json!({"command": format!("echo out {n}")})),
                2 => call("read", json!({"path": "a.txt"})),
                _ => said(&format!("end {n}")),
            })
            .collect();
        let shared = Shared::new(json!(replies));
        std::fs::write(shared.place.path("a.txt"), "text\n").unwrap();
        let first = begin(&shared);
        let mut windows = [first, other(&shared, "two")];
        for (n, step) in steps.iter().enumerate() {
            match *step {
                Step::Prompt(at) => {
                    windows[at].prompt(&format!("request_{n}"), &format!("prompt {n}"));
                }
                Step::Steer(at) | Step::Queue(at) => {
                    let kind = if matches!(step, Step::Steer(_)) { "steering" } else { "queued" };
                    let message = json!({"text": format!("message {n}"), "origin": {"kind": "user"}});
                    let action = json!({"type": "chat/pendingMessageSet", "kind": kind, "id": format!("message_{n}"), "message": message});
                    windows[at].dispatch(CHAT, &action);
                }
                Step::Stop(at) => {
                    let running = windows[at].chat().active_turn.as_ref().map(|turn| turn.id.clone());
                    let action = json!({"type": "chat/turnCancelled", "turnId": running.unwrap_or_default(), "duration": 1});
                    windows[at].dispatch(CHAT, &action);
                }
                Step::Drop(at) => {
                    let name = windows[at].name.clone();
                    let command = shared.command(&["ahp", "--attach"]);
                    let before = std::mem::replace(&mut windows[at], Window::start(command, &name));
                    windows[at].reconnect(&before);
                }
                Step::Read(at, count) => {
                    // The answer to a ping comes in any case.
                    let id = windows[at].request("ping", json!({"channel": "ahp-root://"}));
                    for _ in 0..count {
                        if windows[at].next()["id"] == id {
                            break;
                        }
                    }
                }
            }
        }
        // A rename is carried out behind everything that a window asked for before.
        for window in &mut windows {
            let title = format!("of {}", window.name);
            let number = window.dispatch(SESSION, &json!({"type": "session/titleChanged", "title": title}));
            let name = window.name.clone();
            window.until(|message| message["params"]["origin"] == json!({"clientId": name, "clientSeq": number}));
        }
        // A last prompt ends behind all others.
        let id = SESSION.strip_prefix("pintle:/").unwrap();
        if shared.place.journal_if_any().is_some() {
            let mut native = shared.attach();
            native.ask("session/open", json!({"sessionId": id, "subscribe": false}));
            native.ask("turn/start", json!({"input": [{"type": "text", "text": "the last"}], "whenBusy": "queue"}));
            for window in &mut windows {
                while window.chat().turns.last().is_none_or(|turn| turn.message.text != "the last") {
                    window.next();
                }
            }
        }
        let fresh = fresh(&shared);
        for window in &mut windows {
            // What follows from the end of the turn comes before this.
            window.ask("ping", json!({"channel": "ahp-root://"}));
            for channel in [SESSION, CHAT, CHANGES] {
                assert_eq!(window.mirror.0[channel], fresh.0[channel], "{} of {}", channel, window.name);
            }
        }
        Ok(())
    })
    .unwrap();
}

/// The protocol's own client, which nobody here wrote, drives the real program.
#[test]
fn the_client_of_the_protocol_prompts_and_reduces() {
    let shared = Shared::new(
        json!([{"blocks": [{"text": "Hello."}, {"tool": "ls", "arguments": {"path": "."}}]}, said("Done.")]),
    );
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let work = async {
        let pipes = Pipes::start(shared.command(&["ahp"]));
        let client = Client::connect(pipes, ClientConfig::default()).await.unwrap();
        let versions = vec!["1.0.0".to_owned(), "0.9.0".to_owned()];
        let roots = vec!["ahp-root://".to_owned()];
        let hello = client.initialize("sdk".to_owned(), versions, roots).await.unwrap();
        assert_eq!(hello.protocol_version, "1.0.0");
        let create = json!({"channel": SESSION, "provider": "pintle"});
        let _: Value = client.request("createSession", create).await.unwrap();
        let (subscribed, mut chat) = client.subscribe(CHAT.to_owned()).await.unwrap();
        let Some(SnapshotState::Chat(mut state)) = subscribed.snapshot.map(|found| found.state)
        else {
            panic!("no chat")
        };
        let action = json!({"type": "chat/turnStarted", "turnId": "t1", "startedAt": "2026-11-22T23:26:07.581Z", "message": {"text": "hi", "origin": {"kind": "user"}}});
        let action: StateAction = serde_json::from_value(action).unwrap();
        client.dispatch(CHAT.to_owned(), action).await.unwrap();
        while let Some(SubscriptionEvent::Action(envelope)) = chat.recv().await {
            ahp::reducers::apply_action_to_chat(&mut state, &envelope.action);
            if matches!(envelope.action, StateAction::ChatTurnComplete(_)) {
                break;
            }
        }
        let (again, _) = client.subscribe(CHAT.to_owned()).await.unwrap();
        let Some(SnapshotState::Chat(mut now)) = again.snapshot.map(|found| found.state) else {
            panic!("no chat")
        };
        // No action on this channel tells the title.
        now.title.clone_from(&state.title);
        assert_eq!(*state, *now);
        assert_eq!(state.turns.len(), 1);
    };
    runtime.block_on(async { tokio::time::timeout(HANG, work).await }).unwrap();
}

/// What VS Code 1.139 was seen to send, line by line.
#[test]
fn every_recorded_message_of_vs_code_is_decoded_and_answered() {
    let recorded = include_str!("../fixtures/ahp/vscode-1.139-client.jsonl");
    let shared = Shared::new(json!([]));
    let mut window = Window::start(shared.alone(&["ahp"]), "recorded");
    let mut asked = 0;
    for line in recorded.lines() {
        let mut message: Value = serde_json::from_str(line).unwrap();
        if message["method"] == "dispatchAction" {
            let params: DispatchActionParams =
                serde_json::from_value(message["params"].clone()).unwrap();
            assert!(!matches!(params.action, StateAction::Unknown(_)), "{line}");
        }
        let Some(_) = message.get("id") else {
            window.program.send(&message);
            continue;
        };
        asked += 1;
        let id = 10_000 + asked;
        message["id"] = json!(id);
        window.program.send(&message);
        let answer = loop {
            let message = window.program.next();
            if message["id"] == id {
                break message;
            }
        };
        let code = answer["error"]["code"].as_i64();
        // Sessions of that run are not there, and neither are its contents; nothing is unknown or malformed.
        assert!(matches!(code, None | Some(-32001 | -32003 | -32008)), "{line}\n{answer}");
    }
    assert!(asked > 25);
}

#[test]
fn the_token_of_vs_code_opens_the_websocket() {
    let shared = Shared::new(json!([said("hi")]));
    let port = shared.listen(&[]);
    let refused = crate::support::websocket::Web::try_ahp(port, "wrong");
    assert!(refused.is_err());
    let mut web = crate::support::websocket::Web::try_ahp(port, &shared.token()).unwrap();
    let hello = json!({"channel": "ahp-root://", "protocolVersions": ["0.9.0"], "clientId": "w", "initialSubscriptions": ["ahp-root://"]});
    let result = web.ask("initialize", hello);
    assert_eq!(result["snapshots"][0]["state"]["agents"][0]["provider"], "pintle");
    assert_eq!(web.ask("ping", json!({})), json!({}));
}

/// On stdio, the engine is the client's alone: the end of its input ends it, after what runs.
#[test]
fn the_end_of_input_waits_for_the_turn() {
    let place = Place::new(&[]);
    let script = place.script(&json!({"replies": [said("Hello.")]}));
    let command = place.engine(&["ahp", "--permission", "ask", "--script", &script]);
    let mut window = Window::start(command, "one");
    window.initialize();
    window.create(&place.project());
    window.subscribe_all();
    window.prompt("request_1", "hello");
    window.program.end_input();
    let rest: Vec<Value> = window.program.rest();
    let is_end = |message: &&Value| message["params"]["action"]["type"] == "chat/turnComplete";
    assert_eq!(rest.iter().filter(is_end).count(), 1, "{rest:#?}");
}
