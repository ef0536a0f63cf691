//! What clients of the Agent Client Protocol need beyond its letter: a row for each quirk that is known of one, and clients that
//! misbehave.

use crate::mcp::SERVER;
use crate::support::acp::{Client, bash, call, everything, said, script};
use crate::support::program::{Place, is_running};
use pintle_testing::waiting::until;
use serde_json::{Value, json};
use std::io::Read;

fn edit(old: &str, new: &str) -> Value {
    call("edit", json!({"path": "a.txt", "edits": [{"oldText": old, "newText": new}]}))
}

/// A session in which a file is changed and a command run, by a client with these capabilities.
fn worked(capabilities: Value) -> (Place, Client) {
    let replies = script(&[edit("two", "TWO"), bash("echo hi | tee /dev/null"), said("done")]);
    let place = Place::new(&[("a.txt", "one\ntwo\nthree\n")]);
    let mut client = Client::start_with(&place, &replies, capabilities, &["--permission", "full"]);
    client.new_session(&place);
    assert_eq!(client.say("go"), "end_turn");
    (place, client)
}

fn updates(client: &Client) -> Vec<Value> {
    let updates = client.program.seen.iter().map(|message| message["params"]["update"].clone());
    updates.filter(Value::is_object).collect()
}

/// The last update of a call of this kind.
fn call_of(client: &Client, kind: &str) -> Value {
    updates(client).into_iter().rfind(|update| update["kind"] == kind).unwrap()
}

#[test]
fn zed_knows_a_session_before_it_hears_of_it_and_follows_edits() {
    let (_place, client) = worked(everything());
    let seen = &client.program.seen;
    let made = seen.iter().position(|message| message["result"]["sessionId"].is_string()).unwrap();
    let told = seen.iter().position(|message| message["method"] == "session/update").unwrap();
    assert!(made < told, "nothing of a session comes before its name");
    let edit = call_of(&client, "edit");
    assert_eq!(edit["locations"][0]["line"], 2, "{edit}");
    assert_eq!(edit["content"][0]["oldText"], "one\ntwo\nthree\n");
    assert_eq!(edit["content"][0]["newText"], "one\nTWO\nthree\n");
}

#[test]
fn zed_draws_terminals_from_what_stands_in_meta() {
    let (_place, client) = worked(everything());
    let all = updates(&client);
    let of = |field: &str| all.iter().find(|update| update["_meta"][field].is_object()).cloned();
    let info = of("terminal_info").unwrap();
    let id = info["toolCallId"].clone();
    assert_eq!(info["_meta"]["terminal_info"]["terminal_id"], id);
    assert_eq!(info["content"], json!([{"type": "terminal", "terminalId": id}]));
    let output =
        all.iter().filter_map(|update| update["_meta"]["terminal_output"]["data"].as_str());
    assert_eq!(output.collect::<String>().trim(), "hi");
    let exit = of("terminal_exit").unwrap();
    assert_eq!(exit["_meta"]["terminal_exit"]["exit_code"], 0);
    assert_eq!(exit["content"], json!([{"type": "terminal", "terminalId": id}]));
}

#[test]
fn jetbrains_and_codecompanion_choose_from_options_alone() {
    let place = Place::new(&[]);
    let mut client = Client::start(&place, &script(&[said("a")]), json!({}));
    let made = client.new_session(&place);
    let options = made["configOptions"].as_array().unwrap();
    let shown: Vec<(&str, &str)> = options
        .iter()
        .map(|option| (option["id"].as_str().unwrap(), option["category"].as_str().unwrap_or("-")))
        .collect();
    assert_eq!(shown[..3], [("mode", "mode"), ("model", "model"), ("effort", "thought_level")]);
    for option in options {
        let values = option["options"].as_array().unwrap();
        assert!(values.iter().any(|value| value["value"] == option["currentValue"]), "{option}");
    }
}

#[test]
fn avante_sets_a_model_by_a_method_that_is_no_more() {
    let place = Place::new(&[]);
    let mut client = Client::open(&place, &script(&[said("a")]), json!({}));
    assert_eq!(client.ask("session/set_model", json!({"modelId": "script/b"})), json!({}));
}

#[test]
fn toad_knows_modes_only_and_says_more_than_is_asked() {
    let place = Place::new(&[]);
    let replies = script(&[json!({"blocks": [{"text": "a"}], "hang": true})]);
    let mut client = Client::start(&place, &replies, json!({"terminal": true}));
    let made = client.new_session(&place);
    let modes = made["modes"]["availableModes"].as_array().unwrap();
    let ids: Vec<&str> = modes.iter().map(|mode| mode["id"].as_str().unwrap()).collect();
    assert_eq!(
        (ids, &made["modes"]["currentModeId"]),
        (vec!["read-only", "ask", "auto-edit", "full", "plan"], &json!("ask"))
    );
    let prompt = client.prompt("go");
    client.update("agent_message_chunk");
    let session = client.session.clone();
    client.notify("session/cancel", json!({"sessionId": session, "_meta": {"why": "escape"}}));
    assert_eq!(client.stop_of(prompt), "cancelled");
}

#[test]
fn obsidian_draws_nothing_but_diffs_and_terminals() {
    let (_place, client) = worked(json!({"_meta": {"terminal_output": true}}));
    for (kind, want) in [("edit", "diff"), ("execute", "terminal")] {
        let last = call_of(&client, kind);
        assert_eq!(last["content"][0]["type"], want, "{last}");
    }
    // What is only asked for is drawn as well.
    let replies = script(&[edit("one", "two"), said("a")]);
    let place = Place::new(&[("a.txt", "one\n")]);
    let mut client = Client::open(&place, &replies, json!({}));
    client.prompt("go");
    let asked = client.asked_for("session/request_permission");
    assert_eq!(asked["params"]["toolCall"]["content"][0]["type"], "diff");
}

#[test]
fn agent_shell_hears_of_a_turn_only_in_that_turn() {
    let replies = script(&[
        call("bash", json!({"command": "echo late", "background": true})),
        said("started"),
        call("bash", json!({"command": "true"})),
        said("again"),
    ]);
    let place = Place::new(&[]);
    let mut client = Client::start_with(&place, &replies, everything(), &["--permission", "full"]);
    client.new_session(&place);
    for text in ["one", "two"] {
        client.say(text);
        client.ask("session/list", json!({}));
    }
    let mut in_turn = false;
    let any_time = [
        "available_commands_update",
        "config_option_update",
        "current_mode_update",
        "session_info_update",
        "notice",
    ];
    for line in client.transcript.clone() {
        if line.starts_with("= session/list") {
            in_turn = true;
        } else if line.starts_with("= session/prompt") {
            in_turn = false;
        } else if line.starts_with("= session/new") {
            in_turn = true;
        } else if !line.starts_with("= ") {
            let kind = line.split([' ', ':']).next().unwrap();
            assert!(in_turn || any_time.contains(&kind), "out of turn: {line}");
        }
    }
}

#[test]
fn acpx_gets_no_message_that_is_too_long() {
    let long = "x".repeat(5 * 1024 * 1024);
    let place = Place::new(&[("long.txt", &format!("{long}\n"))]);
    let replies = script(&[
        said(&format!("{} ", "x".repeat(499)).repeat(6_000)),
        call("write", json!({"path": "big.txt", "content": long})),
        said("done"),
    ]);
    let mut client = Client::start_with(&place, &replies, json!({}), &["--permission", "full"]);
    client.new_session(&place);
    assert_eq!(client.say("talk"), "end_turn");
    let texts = updates(&client);
    let texts = texts.iter().filter_map(|update| update["content"]["text"].as_str());
    assert_eq!(texts.map(str::len).sum::<usize>(), 3_000_000);
    // The length of each message is looked at where it is taken.
    assert_eq!(client.say("write"), "end_turn");
    client.ask("session/close", json!({}));
    client.ask("session/load", json!({"cwd": place.project(), "mcpServers": []}));
    assert!(
        client
            .transcript
            .iter()
            .any(|line| line.contains("too long to be shown") || line.contains("bytes not shown"))
    );
}

#[test]
fn servers_of_mcp_serve_the_session_that_names_them() {
    let python = "/usr/bin/env";
    let servers = json!([
        {"name": "notes", "command": python, "args": ["python3", "-c", SERVER], "env": [{"name": "GIVEN", "value": "$x"}]},
        {"type": "sse", "name": "old", "url": "http://x", "headers": []},
    ]);
    for (offers, is_notice) in [(everything(), true), (json!({}), false)] {
        let place = Place::new(&[]);
        let asks = || call("mcp__notes__variables", json!({}));
        let replies = [asks(), said("a"), asks(), said("b")];
        let path = place.script(&script(&replies));
        let command = place.engine(&["acp", "--permission", "full", "--script", &path]);
        let mut client = Client::over(command, offers);
        let made =
            client.ask("session/new", json!({"cwd": place.project(), "mcpServers": servers}));
        client.session = made["sessionId"].as_str().unwrap().to_owned();
        client.ask("session/list", json!({}));
        assert_eq!(client.told().contains("ignored the server `old`"), is_notice);
        assert_eq!(client.say("go"), "end_turn");
        let told = client.told();
        assert_eq!(told.contains("ignored the server `old`"), !is_notice);
        assert!(told.contains("/ $x"), "{told}");
        // Another session does not have them.
        let made = client.ask("session/new", json!({"cwd": place.project(), "mcpServers": []}));
        client.session = made["sessionId"].as_str().unwrap().to_owned();
        assert_eq!(client.say("go"), "end_turn");
        let told = client.told();
        assert!(!told.contains("/ $x") && told.contains("mcp__notes__variables"), "{told}");
    }
    // A client that leaves the list out means that there are none.
    let place = Place::new(&[]);
    let mut client = Client::start(&place, &script(&[said("a")]), json!({}));
    assert!(client.ask("session/new", json!({"cwd": place.project()}))["sessionId"].is_string());
}

#[test]
fn a_client_that_does_not_read_loses_nothing_but_time() {
    let replies: Vec<Value> = (0..40)
        .map(|n| call("bash", json!({"command": format!("seq {n}0000 {n}3000")})))
        .chain([said(&"word ".repeat(200_000))])
        .collect();
    let place = Place::new(&[]);
    let path = place.script(&script(&replies));
    let command = place.engine(&["acp", "--permission", "full", "--script", &path]);
    let (mut program, mut stdout) = crate::support::program::Program::start_unread(command);
    program.request("initialize", json!({"protocolVersion": 1}));
    program.request("session/new", json!({"cwd": place.project(), "mcpServers": []}));
    let session = {
        let mut text = String::new();
        let mut byte = [0];
        while !text.contains("\"modes\"") {
            stdout.read_exact(&mut byte).unwrap();
            text.push(char::from(byte[0]));
        }
        text.split("\"sessionId\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    program.request(
        "session/prompt",
        json!({"sessionId": session, "prompt": [{"type": "text", "text": "go"}]}),
    );
    // The turn ends although nobody reads.
    until(|| std::fs::read_to_string(place.journal()).unwrap().contains("turn.completed"));
    program.end_input();
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    // What came before was read in the middle of a line.
    let messages: Vec<Value> =
        rest.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    let told = messages.iter().map(|message| &message["params"]["update"]);
    let ended = told.clone().filter(|update| update["status"] == "completed").count();
    assert_eq!(ended, 40);
    let texts = told.filter(|update| update["sessionUpdate"] == "agent_message_chunk");
    let text: String = texts.filter_map(|update| update["content"]["text"].as_str()).collect();
    assert_eq!(text, "word ".repeat(200_000));
    assert_eq!(messages.last().unwrap()["result"]["stopReason"], "end_turn");
}

#[test]
fn a_client_that_dies_leaves_no_process() {
    let place = Place::new(&[]).with_processes();
    let replies = script(&[bash("sleep 87654.5; true")]);
    let mut client = Client::start_with(&place, &replies, everything(), &["--permission", "full"]);
    client.new_session(&place);
    client.prompt("go");
    until(|| is_running("sleep 87654.5; true"));
    client.program.signal(nix::sys::signal::Signal::SIGTERM);
    client.program.wait();
    assert!(!is_running("sleep 87654.5; true"));
}
