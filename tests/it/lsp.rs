//! `pintle lsp` as an editor sees it, over the program: handshake, documents, turns, questions, edits.

use crate::support::acp::{bash, call, said};
use crate::support::lsp::{Client, everything};
use crate::support::program::{Place, is_running};
use pintle_testing::waiting::until;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn code(answer: &Value) -> i64 {
    answer["code"].as_i64().unwrap_or_else(|| panic!("not refused: {answer}"))
}

#[test]
fn requests_are_answered_by_the_rules_of_the_handshake() {
    let place = Place::new(&[]);
    let mut client = Client::new(&place, &[], &["--stdio"]);
    let early = client.ask("shutdown", Value::Null);
    assert_eq!(code(&early), -32002);
    let made = client.ask("initialize", json!({"capabilities": {}, "rootUri": null}));
    assert_eq!(made["serverInfo"]["name"], "pintle");
    assert_eq!(made["capabilities"]["positionEncoding"], "utf-16");
    for (name, method, params, want) in [
        ("initialized twice", "initialize", json!({"capabilities": {}}), -32600),
        ("unknown", "textDocument/hover", json!({}), -32601),
        (
            "an unknown command",
            "workspace/executeCommand",
            json!({"command": "pintle.fly"}),
            -32602,
        ),
        ("no command", "workspace/executeCommand", json!({}), -32602),
        (
            "no message",
            "workspace/executeCommand",
            json!({"command": "pintle.prompt", "arguments": []}),
            -32602,
        ),
        (
            "nothing to steer",
            "workspace/executeCommand",
            json!({"command": "pintle.steer", "arguments": ["x"]}),
            -32803,
        ),
        (
            "no question",
            "workspace/executeCommand",
            json!({"command": "pintle.answer", "arguments": ["x"]}),
            -32803,
        ),
        (
            "no session of that name",
            "workspace/executeCommand",
            json!({"command": "pintle.sessions", "arguments": ["x"]}),
            -32803,
        ),
        ("no place", "textDocument/codeAction", json!({"textDocument": {}}), -32602),
    ] {
        let answer = client.ask(method, params);
        assert_eq!(code(&answer), want, "{name}: {answer}");
    }
    // What cannot be answered is ignored.
    client.notify("textDocument/didOpen", json!({"textDocument": 1}));
    client.notify("textDocument/didChange", json!({"textDocument": {"uri": "file:///never/opened", "version": 1}, "contentChanges": []}));
    client.notify("workspace/didChangeConfiguration", json!({}));
    client.program.send_bytes(b"{");
    let broken = client.until(|message| message["id"].is_null() && message["error"].is_object());
    assert_eq!(code(&broken["error"]), -32700);
    assert_eq!(client.ask("shutdown", Value::Null), Value::Null);
    let late = client.command("pintle.stop", json!([]));
    assert_eq!(code(&late), -32600);
    client.notify("exit", Value::Null);
    assert_eq!(client.program.wait().code(), Some(0));

    let mut client = Client::start(&place, &[], json!({}), &[]);
    client.notify("exit", Value::Null);
    assert_eq!(client.program.wait().code(), Some(1));
}

/// What an editor does with a document before the agent reads it.
type Doing = fn(&mut Client, &Place);

#[test]
fn tools_read_the_text_that_is_on_the_screen() {
    let typed: Doing = |client, place| client.open(place, "a.txt", 1, "😀 typed\n");
    let rows: [(&str, Doing, &str); 6] = [
        ("unsaved when it is opened", typed, "😀 typed"),
        (
            "changed behind an emoji, in UTF-16",
            |client, place| {
                client.open(place, "a.txt", 1, "😀 disk\n");
                client.change("a.txt", 2, Some([0, 3, 0, 7]), "typed");
                client.change("a.txt", 3, Some([0, 2, 0, 3]), " was ");
            },
            "😀 was typed",
        ),
        (
            "saved, and changed on the disk since",
            |client, place| {
                client.open(place, "a.txt", 1, "😀 typed\n");
                client.about("textDocument/didSave", "a.txt");
            },
            "😀 disk",
        ),
        (
            "changed back to the file's text",
            |client, place| {
                client.open(place, "a.txt", 1, "😀 typed\n");
                client.change("a.txt", 2, None, "😀 disk\n");
            },
            "😀 disk",
        ),
        (
            "closed",
            |client, place| {
                client.open(place, "a.txt", 1, "😀 typed\n");
                client.about("textDocument/didClose", "a.txt");
            },
            "😀 disk",
        ),
        (
            "with a version that does not rise",
            |client, place| {
                client.open(place, "a.txt", 5, "😀 typed\n");
                client.change("a.txt", 5, None, "😀 lost\n");
                let shown = client.shown();
                assert!(shown.contains("sent version 5 after version 5"), "{shown}");
            },
            "😀 disk",
        ),
    ];
    for (name, doing, want) in rows {
        let place = Place::new(&[("a.txt", "😀 disk\n")]);
        let replies = [call("read", json!({"path": "a.txt"})), said("done")];
        let mut client = Client::start(&place, &replies, everything(), &[]);
        doing(&mut client, &place);
        client.command("pintle.prompt", json!(["read it"]));
        assert_eq!(client.shown(), "done", "{name}");
        let journal = std::fs::read_to_string(place.journal()).unwrap();
        assert!(journal.contains(want), "{name}: {journal}");
        let other = if want == "😀 disk" { "typed" } else { "disk" };
        assert!(!journal.contains(other), "{name}: {journal}");
    }
}

#[test]
fn a_command_runs_only_if_its_person_says_so() {
    let chosen = |request: &Value, n: usize| request["actions"][n].clone();
    let rows: [(&str, &dyn Fn(&mut Client, &Value, &Value), bool); 4] = [
        ("allowed", &|client, params, request| client.reply(request, chosen(params, 0)), true),
        ("closed", &|client, _, request| client.reply(request, Value::Null), false),
        (
            "an action that was not offered",
            &|client, _, request| client.reply(request, json!({"title": "Allow everything"})),
            false,
        ),
        (
            "an editor that cannot ask",
            &|client, _, request| {
                let error = json!({"code": -32601, "message": "no such method"});
                let refusal = json!({"jsonrpc": "2.0", "id": request["id"], "error": error});
                client.program.send(&refusal);
                let shown = client.shown();
                assert!(shown.contains("did not show a question"), "{shown}");
            },
            false,
        ),
    ];
    for (name, answer, is_run) in rows {
        let place = Place::new(&[]);
        let command = "printf 'x\u{1b}[2K' > made";
        let replies = [bash(command), said("done")];
        let mut client = Client::start(&place, &replies, everything(), &["--permission", "ask"]);
        client.command("pintle.prompt", json!(["make it"]));
        let (params, request) = client.told("window/showMessageRequest");
        let text = params["message"].as_str().unwrap();
        assert!(text.contains("printf 'x␛[2K' > made"), "{name}: {text}");
        let titles: BTreeSet<&str> = params["actions"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|a| a["title"].as_str())
            .collect();
        assert_eq!(titles.len(), params["actions"].as_array().unwrap().len(), "{name}");
        answer(&mut client, &params, &request);
        assert_eq!(client.shown(), "done", "{name}");
        assert_eq!(place.path("made").exists(), is_run, "{name}");
    }
}

#[test]
fn a_question_is_answered_by_an_action_or_in_words_and_withdrawn_when_its_turn_stops() {
    let ask = |arguments: Value| call("ask_user", arguments);
    let red = json!({"question": "which?", "options": ["red", "blue"]});
    for (name, question, answer, want) in [
        ("an action", red.clone(), Some("blue"), "The user chose: blue"),
        ("words", json!({"question": "which?"}), None, "green"),
    ] {
        let place = Place::new(&[]);
        let replies = [ask(question), said("done")];
        let mut client = Client::start(&place, &replies, everything(), &[]);
        client.command("pintle.prompt", json!(["paint"]));
        let (_, request) = client.told("window/showMessageRequest");
        match answer {
            Some(title) => client.reply(&request, json!({"title": title})),
            None => {
                client.command("pintle.answer", json!(["green"]));
            }
        }
        assert_eq!(client.shown(), "done", "{name}");
        let journal = std::fs::read_to_string(place.journal()).unwrap();
        assert!(journal.contains(want), "{name}: {journal}");
    }

    let place = Place::new(&[]);
    let mut client = Client::start(&place, &[ask(red)], everything(), &[]);
    client.command("pintle.prompt", json!(["paint"]));
    let (_, request) = client.told("window/showMessageRequest");
    client.command("pintle.stop", json!([]));
    let (params, _) = client.told("$/cancelRequest");
    assert_eq!(params["id"], request["id"]);
}

/// The text after the edits of `workspace/applyEdit`, as an editor makes them.
fn applied(text: &str, edits: &Value) -> String {
    let offset = |at: &Value| {
        let line = usize::try_from(at["line"].as_u64().unwrap()).unwrap();
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let mut units = at["character"].as_u64().unwrap();
        let rest = text[start..].chars().take_while(|c| {
            let is_before = units > 0;
            units = units.saturating_sub(c.len_utf16() as u64);
            is_before
        });
        start + rest.map(char::len_utf8).sum::<usize>()
    };
    let mut edits: Vec<_> = edits
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| {
            (
                offset(&edit["range"]["start"])..offset(&edit["range"]["end"]),
                edit["newText"].as_str().unwrap(),
            )
        })
        .collect();
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut text = text.to_owned();
    for (range, new) in edits {
        text.replace_range(range, new);
    }
    text
}

const SONG: &str = "😀 one\ntwo\n😀 three\n";

fn edit_two() -> [Value; 2] {
    [call("edit", json!({"path": "a.txt", "oldText": "two", "newText": "😀 2"})), said("done")]
}

#[test]
fn an_edit_of_an_open_document_is_made_by_the_editor_at_its_version() {
    for (name, shown, is_told) in
        [("saved before", SONG, true), ("with unsaved text", "😀 one\ntwo\nfour\n", false)]
    {
        let place = Place::new(&[("a.txt", SONG)]);
        let args = ["--permission", "full"];
        let mut client = Client::start(&place, &edit_two(), everything(), &args);
        client.open(&place, "a.txt", 7, shown);
        client.command("pintle.prompt", json!(["edit it"]));
        let (params, request) = client.told("workspace/applyEdit");
        let change = &params["edit"]["documentChanges"][0];
        let document = json!({"uri": client.uri("a.txt"), "version": 7});
        assert_eq!(change["textDocument"], document, "{name}");
        let text = applied(shown, &change["edits"]);
        assert_eq!(text, shown.replace("two", "😀 2"), "{name}");
        client.change("a.txt", 9, None, &text);
        client.reply(&request, json!({"applied": true}));
        let told = client.shown();
        if is_told {
            assert!(told.contains("pintle changed a.txt, which is unsaved"), "{name}: {told}");
            assert_eq!(client.shown(), "done", "{name}");
        } else {
            assert_eq!(told, "done", "{name}");
        }
        assert_eq!(place.read("a.txt"), SONG, "{name}");
    }
}

#[test]
fn an_edit_that_comes_too_late_is_merged_with_what_was_typed() {
    let place = Place::new(&[("a.txt", SONG)]);
    let mut client = Client::start(&place, &edit_two(), everything(), &["--permission", "full"]);
    client.open(&place, "a.txt", 1, SONG);
    client.command("pintle.prompt", json!(["edit it"]));
    let (_, request) = client.told("workspace/applyEdit");
    let typed = "typed 😀 one\ntwo\n😀 three\n";
    client.change("a.txt", 2, Some([0, 0, 0, 0]), "typed ");
    client.reply(&request, json!({"applied": false, "failureReason": "another version"}));
    let (params, request) = client.told("workspace/applyEdit");
    let change = &params["edit"]["documentChanges"][0];
    assert_eq!(change["textDocument"]["version"], 2);
    let text = applied(typed, &change["edits"]);
    assert_eq!(text, "typed 😀 one\n😀 2\n😀 three\n");
    client.change("a.txt", 3, None, &text);
    client.reply(&request, json!({"applied": true}));
    assert_eq!(client.shown(), "done");
}

/// Emacs reports no change while it waits for the response to a command.
#[test]
fn a_decision_is_answered_for_an_editor_that_reports_the_change_afterwards() {
    for (name, is_reported) in [("reported", true), ("never reported", false)] {
        let place = Place::new(&[("a.txt", SONG)]);
        let mut client =
            Client::start(&place, &edit_two(), everything(), &["--permission", "full"]);
        client.open(&place, "a.txt", 1, SONG);
        client.command("pintle.prompt", json!(["edit it"]));
        let (_, request) = client.told("workspace/applyEdit");
        let edited = SONG.replace("two", "😀 2");
        client.change("a.txt", 2, None, &edited);
        client.reply(&request, json!({"applied": true}));
        while client.shown() != "done" {}
        std::fs::write(place.path("a.txt"), &edited).unwrap();
        client.about("textDocument/didSave", "a.txt");

        let params = json!({"command": "pintle.undo", "arguments": []});
        let undo = client.program.request("workspace/executeCommand", params);
        let (params, request) = client.told("workspace/applyEdit");
        let undone = applied(&edited, &params["edit"]["documentChanges"][0]["edits"]);
        assert_eq!(undone, SONG, "{name}");
        client.reply(&request, json!({"applied": true}));
        assert_eq!(client.answer_to(undo), json!({"queued": true}), "{name}");
        if !is_reported {
            let error = client.until(|message| message["params"]["type"] == 1);
            let told = error["params"]["message"].as_str().unwrap();
            assert!(told.contains("confirmed the change"), "{told}");
            continue;
        }
        client.change("a.txt", 3, None, &undone);
        std::fs::write(place.path("a.txt"), &undone).unwrap();
        client.about("textDocument/didSave", "a.txt");
        while !client.diagnostics(&place, "a.txt").is_empty() {}
        let nothing = client.command("pintle.undo", json!([]));
        assert!(nothing["message"].as_str().unwrap().contains("no open hunk"), "{nothing}");
        // The decision is the last one, although its request was answered before it was made.
        let params = json!({"command": "pintle.revert", "arguments": []});
        let revert = client.program.request("workspace/executeCommand", params);
        let (params, request) = client.told("workspace/applyEdit");
        let again = applied(&undone, &params["edit"]["documentChanges"][0]["edits"]);
        assert_eq!(again, edited);
        client.change("a.txt", 4, None, &again);
        client.reply(&request, json!({"applied": true}));
        assert_eq!(client.answer_to(revert)["conflicts"], 0);
    }
}

#[test]
fn a_decision_made_during_a_call_is_followed_to_its_end() {
    for (name, is_made) in [("made", true), ("refused by the editor", false)] {
        let place = Place::new(&[("a.txt", SONG)]);
        let [edit, done] = edit_two();
        let waits = bash("while [ ! -e go ]; do sleep 0.01; done");
        let mut client =
            Client::start(&place, &[edit, waits, done], everything(), &["--permission", "full"]);
        client.open(&place, "a.txt", 1, SONG);
        client.command("pintle.prompt", json!(["edit it"]));
        let (_, request) = client.told("workspace/applyEdit");
        let edited = SONG.replace("two", "😀 2");
        client.change("a.txt", 2, None, &edited);
        client.reply(&request, json!({"applied": true}));
        client.until(|message| {
            message["params"]["value"]["message"].as_str().is_some_and(|it| it.contains("while"))
        });
        let queued = client.command("pintle.undo", json!([]));
        assert_eq!(queued["queued"], true, "{name}: {queued}");
        std::fs::write(place.path("go"), "").unwrap();
        let (params, request) = client.told("workspace/applyEdit");
        let undone = applied(&edited, &params["edit"]["documentChanges"][0]["edits"]);
        assert_eq!(undone, SONG, "{name}");
        if !is_made {
            client.reply(&request, json!({"applied": false, "failureReason": "read-only"}));
            let error = client.until(|message| message["params"]["type"] == 1);
            let told = error["params"]["message"].as_str().unwrap();
            assert!(told.starts_with("pintle did not carry out the decision: "), "{told}");
            assert!(told.contains("read-only"), "{told}");
            continue;
        }
        client.change("a.txt", 3, None, &undone);
        client.reply(&request, json!({"applied": true}));
        while client.shown() != "done" {}
        let params = json!({"command": "pintle.revert", "arguments": []});
        let revert = client.program.request("workspace/executeCommand", params);
        let (params, request) = client.told("workspace/applyEdit");
        let again = applied(&undone, &params["edit"]["documentChanges"][0]["edits"]);
        assert_eq!(again, edited, "{name}");
        client.change("a.txt", 4, None, &again);
        client.reply(&request, json!({"applied": true}));
        assert_eq!(client.answer_to(revert)["conflicts"], 0, "{name}");
    }
}

#[test]
fn an_editor_without_versioned_edits_keeps_its_unsaved_text() {
    for (name, shown, want) in [
        ("with unsaved text", "😀 one\ntwo\nfour\n", SONG.to_owned()),
        ("saved", SONG, SONG.replace("two", "😀 2")),
    ] {
        let place = Place::new(&[("a.txt", SONG)]);
        let args = ["--permission", "full"];
        let mut client = Client::start(&place, &edit_two(), json!({}), &args);
        client.open(&place, "a.txt", 1, shown);
        client.command("pintle.prompt", json!(["edit it"]));
        assert_eq!(client.shown(), "done", "{name}");
        assert_eq!(place.read("a.txt"), want, "{name}");
    }
}

#[test]
fn a_turn_is_shown_as_progress_and_stopped_by_cancelling_it() {
    let place = Place::new(&[]);
    let replies = [bash("sleep 81234.5; true")];
    let args = ["--permission", "full"];
    let mut client = Client::start(&place, &replies, everything(), &args);
    let begun = client.command("pintle.prompt", json!(["sleep well"]));
    assert_eq!(begun["disposition"], "started");
    let (token, value) = client.progress("begin");
    assert_eq!((&value["title"], &value["cancellable"]), (&json!("pintle"), &json!(true)));
    until(|| is_running("sleep 81234.5; true"));
    client.notify("window/workDoneProgress/cancel", json!({"token": token}));
    let (ended, value) = client.progress("end");
    assert_eq!((ended, &value["message"]), (token, &json!("stopped")));
    assert!(!is_running("sleep 81234.5; true"));
}

#[test]
fn eight_commands_at_once_hold_no_request_up() {
    let place = Place::new(&[]);
    let replies = [bash("sleep 81235.5; true")];
    let args = ["--permission", "full"];
    let mut client = Client::start(&place, &replies, everything(), &args);
    let mut sent = Vec::new();
    for n in 0..8 {
        let params = json!({"command": "pintle.queue", "arguments": [format!("task {n}")]});
        sent.push(client.program.request("workspace/executeCommand", params));
    }
    client.notify("$/cancelRequest", json!({"id": sent[7]}));
    let place_of =
        json!({"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}});
    let params = json!({"textDocument": {"uri": "file:///x"}, "range": place_of, "context": {"diagnostics": []}});
    let quick = client.program.request("textDocument/codeAction", params);
    let mut answers = std::collections::BTreeMap::new();
    while answers.len() < 9 {
        let message =
            client.until(|message| message["id"].is_u64() && message.get("method").is_none());
        answers.insert(message["id"].as_u64().unwrap(), message);
    }
    assert_eq!(answers[&quick]["result"].as_array().unwrap().len(), 4);
    assert_eq!(answers[&sent[0]]["result"]["disposition"], "started");
    for id in &sent[1..7] {
        assert_eq!(answers[id]["result"]["disposition"], "queued");
    }
    // The cancellation finds the last one before it began, or too late.
    let last = &answers[&sent[7]];
    let is_cancelled = last["error"]["code"] == -32800;
    assert!(is_cancelled || last["result"]["disposition"] == "queued", "{last}");
    until(|| is_running("sleep 81235.5; true"));
    let stopped = client.command("pintle.stop", json!([]));
    assert_eq!(stopped, json!({"stopped": true}));
    let shown = client.shown();
    assert_eq!(shown.contains("task 7"), !is_cancelled, "{shown}");
    assert!(shown.contains("task 1\ntask 2\ntask 3\ntask 4\ntask 5\ntask 6"), "{shown}");
}

#[test]
fn a_code_action_sends_its_place_to_the_agent() {
    let place = Place::new(&[("a.rs", "let 😀 = 1;\n")]);
    let mut client = Client::start(&place, &[said("fixed")], everything(), &[]);
    client.open(&place, "a.rs", 1, "let 😀 = two;\n");
    let at = json!({"start": {"line": 0, "character": 9}, "end": {"line": 0, "character": 12}});
    let problem = json!({"range": at, "severity": 1, "source": "rustc", "message": "cannot find value `two`"});
    let uri = client.uri("a.rs").to_owned();
    let params =
        json!({"textDocument": {"uri": uri}, "range": at, "context": {"diagnostics": [problem]}});
    let actions = client.ask("textDocument/codeAction", params);
    let titles: Vec<&str> = actions
        .as_array()
        .unwrap()
        .iter()
        .map(|action| action["title"].as_str().unwrap())
        .collect();
    assert_eq!(
        titles,
        [
            "Fix with pintle",
            "Explain with pintle",
            "Refactor with pintle",
            "Add a test with pintle",
            "Ask pintle about this…",
        ]
    );
    let fix = &actions[0]["command"];
    client.ask("workspace/executeCommand", fix.clone());
    assert_eq!(client.shown(), "fixed");
    let journal = std::fs::read_to_string(place.journal()).unwrap();
    for part in ["Fix this problem.", "cannot find value `two`", "\"text\":\"two\"", "rustc"] {
        assert!(journal.contains(part), "no {part} in {journal}");
    }
}

#[test]
fn stored_sessions_are_listed_and_gone_on_with() {
    let place = Place::new(&[]);
    let replies = [said("one"), said("two")];
    let mut client = Client::start(&place, &replies, everything(), &[]);
    assert_eq!(client.command("pintle.sessions", json!([])), json!([]));
    let first = client.command("pintle.prompt", json!(["first"]))["sessionId"].clone();
    assert_eq!(client.shown(), "one");
    client.command("pintle.new", json!([]));
    let second = client.command("pintle.prompt", json!(["second"]))["sessionId"].clone();
    assert_ne!(first, second);
    assert_eq!(client.shown(), "two");
    let listed = client.command("pintle.sessions", json!([]));
    let listed: BTreeSet<&str> =
        listed.as_array().unwrap().iter().filter_map(|row| row["sessionId"].as_str()).collect();
    assert_eq!(listed, BTreeSet::from([first.as_str().unwrap(), second.as_str().unwrap()]));
    assert_eq!(client.command("pintle.sessions", json!([first])), json!({"sessionId": first}));
}
