//! Clients of Pi on an engine that others share, by `pintle rpc --attach`.

use crate::support::pi::{Pi, roles, tell};
use crate::support::program::Program;
use crate::support::shared::{Shared, create, open};
use pintle_testing::waiting::until;
use serde_json::{Value, json};

fn making() -> Value {
    json!([
        {"blocks": [{"tool": "bash", "arguments": {"command": "echo made > made.txt"}}]},
        {"blocks": [{"text": "done"}]},
    ])
}

fn attach(shared: &Shared, more: &[&str]) -> Pi {
    let mut command = shared.command(&[&["rpc", "--attach"], more].concat());
    command.env("PI_CODING_AGENT_DIR", shared.place.home().join("pi"));
    Pi::start(command)
}

/// Ends a client and waits until it has left.
fn leave(mut client: Pi) {
    client.end_input();
    assert!(client.wait().success());
}

fn confirm(client: &mut Pi, request: &Value) {
    client.send(&json!({"type": "extension_ui_response", "id": request["id"], "confirmed": true}));
}

/// The requests for permission among what a client was sent, and the run around them.
fn told(client: &Pi) -> Vec<&str> {
    let told = |line: &Value| {
        let kinds = ["agent_start", "tool_execution_start", "tool_execution_end", "agent_settled"];
        kinds.into_iter().find(|kind| line["type"] == *kind)
    };
    client.seen.iter().filter_map(told).collect()
}

const RUN: [&str; 4] =
    ["agent_start", "tool_execution_start", "tool_execution_end", "agent_settled"];

#[test]
fn a_client_of_pi_and_a_native_one_see_one_session_and_the_first_answer_counts() {
    for answers_first in ["pi", "native"] {
        let shared = Shared::new(making());
        let mut native = shared.attach();
        let session = create(&mut native);
        let mut pi = attach(&shared, &["--session-id", &session]);
        assert_eq!(pi.data(json!({"type": "get_state"}))["sessionId"], session);
        native.prompt("make it");
        let asked = native.until(|message| message["method"] == "approval/request");
        let dialog = pi.until(|line| line["method"] == "confirm");
        // The others may answer later than any client waits, so the dialog has no end of its own.
        assert!(dialog.get("timeout").is_none(), "{dialog}");
        let allow = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"optionId": "allow"}});
        if answers_first == "native" {
            native.send(&allow);
            pi.until_type("agent_settled");
            confirm(&mut pi, &dialog);
        } else {
            confirm(&mut pi, &dialog);
            native.until_event("approval.resolved");
            native.send(&allow);
        }
        native.until_event("turn.completed");
        if answers_first == "pi" {
            pi.until_type("agent_settled");
        }
        assert_eq!(told(&pi), RUN, "{answers_first}: {}", tell(&pi.seen));
        assert_eq!(shared.place.read("made.txt"), "made\n");
        let messages = pi.data(json!({"type": "get_messages"}));
        assert_eq!(roles(&messages), ["system", "user", "assistant", "toolResult", "assistant"]);
    }
}

#[test]
fn a_client_of_pi_that_goes_stops_nothing_and_one_that_comes_is_told_the_run_from_its_beginning() {
    let shared = Shared::new(making());
    let mut first = attach(&shared, &[]);
    let session = first.data(json!({"type": "get_state"}))["sessionId"].clone();
    let session = session.as_str().unwrap();
    first.data(json!({"type": "prompt", "message": "make it"}));
    first.until(|line| line["method"] == "confirm");
    let before: Vec<Value> = first.seen.clone();
    // It is killed, and nobody is left.
    drop(first);
    let mut second = attach(&shared, &["--session-id", session]);
    let dialog = second.until(|line| line["method"] == "confirm");
    // Text that streamed is told whole, and times of messages are those of the journal.
    let run = |lines: &[Value]| {
        let kinds = lines.iter().map(|line| line["type"].as_str().unwrap().to_owned());
        let mut kinds: Vec<String> =
            kinds.filter(|kind| kind != "response" && kind != "message_update").collect();
        kinds.dedup();
        kinds
    };
    assert_eq!(run(&second.seen), run(&before), "{}", tell(&second.seen));
    assert_eq!(second.data(json!({"type": "get_state"}))["isStreaming"], true);
    confirm(&mut second, &dialog);
    second.until_type("agent_settled");
    assert_eq!(told(&second), RUN, "{}", tell(&second.seen));
    leave(second);
    // The engine is there still, and the session, with its file.
    let mut third = attach(&shared, &["--continue"]);
    let state = third.data(json!({"type": "get_state"}));
    assert_eq!(state["sessionId"], session);
    assert_eq!(shared.place.read("made.txt"), "made\n");
}

#[test]
fn two_clients_of_pi_keep_one_file() {
    let replies = (1..=4).map(|number| json!({"blocks": [{"text": format!("reply {number}")}]}));
    let shared = Shared::new(replies.collect());
    let mut first = attach(&shared, &[]);
    let state = first.data(json!({"type": "get_state"}));
    let file = state["sessionFile"].as_str().unwrap().to_owned();
    let session = state["sessionId"].as_str().unwrap().to_owned();
    let texts = || {
        let content = std::fs::read_to_string(&file).unwrap();
        let lines = content.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let of = |line: Value| {
            let text = line.pointer("/message/content/0/text")?.as_str()?.to_owned();
            (line["message"]["role"] != "system").then_some(text)
        };
        lines.filter_map(of).collect::<Vec<_>>()
    };
    first.prompt("one");
    let mut second = attach(&shared, &["--session-id", &session]);
    assert_eq!(second.data(json!({"type": "get_state"}))["sessionFile"], json!(file));
    second.prompt("two");
    first.until_type("agent_settled");
    assert_eq!(texts(), ["one", "reply 1", "two", "reply 2"]);
    // Whoever is left writes it.
    leave(first);
    second.prompt("three");
    assert_eq!(texts(), ["one", "reply 1", "two", "reply 2", "three", "reply 3"]);
    leave(second);
    let mut third = attach(&shared, &["--session", &file]);
    assert_eq!(third.data(json!({"type": "get_state"}))["sessionId"], json!(session));
    third.prompt("four");
    assert_eq!(texts()[6..], ["four", "reply 4"]);
}

#[test]
fn a_client_of_pi_that_aborts_takes_back_its_own_messages_alone() {
    let shared = Shared::new(making());
    let mut native = shared.attach();
    let session = create(&mut native);
    let mut pi = attach(&shared, &["--session-id", &session]);
    pi.data(json!({"type": "prompt", "message": "make it"}));
    pi.until(|line| line["method"] == "confirm");
    let queue = json!({"sessionId": session, "whenBusy": "queue", "input": [{"type": "text", "text": "mine"}]});
    native.ask("turn/start", queue);
    pi.until(|line| line["type"] == "queue_update" && line["followUp"] == json!(["mine"]));
    pi.data(json!({"type": "follow_up", "message": "of pi"}));
    pi.data(json!({"type": "abort"}));
    let returned = native.until_event("input.removed");
    assert_eq!(returned["inputs"].as_array().unwrap().len(), 2, "{returned}");
    let state = pi.data(json!({"type": "get_state"}));
    assert_eq!(state["pendingMessageCount"], 1, "{state}");
    assert_eq!(pi.data(json!({"type": "clear_queue"}))["followUp"], json!(["of pi"]));
}

#[test]
fn a_client_of_pi_changes_no_modes_of_a_session_that_it_finds_and_sees_those_of_others() {
    let shared = Shared::new(making());
    let mut native = shared.attach();
    let session = create(&mut native);
    let set = json!({"sessionId": session, "values": {"steerMode": "all", "followUpMode": "all"}});
    native.ask("config/set", set);
    let mut pi = attach(&shared, &["--session-id", &session]);
    let modes = |state: Value| (state["steeringMode"].clone(), state["followUpMode"].clone());
    assert_eq!(modes(pi.data(json!({"type": "get_state"}))), (json!("all"), json!("all")));
    pi.data(json!({"type": "set_follow_up_mode", "mode": "one-at-a-time"}));
    assert_eq!(
        modes(pi.data(json!({"type": "get_state"}))),
        (json!("all"), json!("one-at-a-time"))
    );
    // Its own next session has what it chose itself.
    pi.data(json!({"type": "new_session"}));
    assert_eq!(
        modes(pi.data(json!({"type": "get_state"}))),
        (json!("one-at-a-time"), json!("one-at-a-time"))
    );
    // The session that it left is the others' still, though nothing was said in it.
    assert_eq!(open(&mut native, &session)["sessionId"], json!(session));
}

#[test]
fn an_empty_session_of_a_client_of_pi_goes_with_it() {
    let shared = Shared::new(making());
    let pi = attach(&shared, &[]);
    let mut native = shared.attach();
    leave(pi);
    until(|| native.ask("session/list", json!({}))["sessions"] == json!([]));
}

#[test]
fn a_client_of_pi_is_told_why_it_is_not_served() {
    let shared = Shared::new(making());
    let mut native: Program = shared.attach();
    for (more, error) in [
        (&["--session", "nowhere"][..], "No session found matching 'nowhere'"),
        (&["--session-id", "no good"], "Invalid session id: no good"),
    ] {
        let mut pi = attach(&shared, more);
        let told = pi.until_type("response");
        let said = told["error"].as_str().unwrap();
        assert!(told["success"] == false && said.starts_with(error), "{told}");
        assert_eq!(pi.wait().code(), Some(1));
    }
    for option in ["--no-session", "--no-tools", "--no-skills", "--api-key=x", "--tools=read"] {
        let refused = shared.command(&["rpc", "--attach", option]).output().unwrap();
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains("cannot be used with"), "{said}");
    }
    assert_eq!(native.ask("ping", json!({})), json!({}));
}
