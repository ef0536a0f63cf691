//! Proposed changes that the user edits before allowing them.

use crate::support::program::{Framing, Place, Program};
use crate::support::shared::{Shared, create, open};
use nix::sys::signal::Signal;
use pintle_testing::waiting::until;
use serde_json::{Value, json};
use std::path::PathBuf;

fn call(tool: &str, arguments: Value) -> Value {
    json!({"blocks": [{"tool": tool, "arguments": arguments}]})
}

fn edit(old: &str, new: &str) -> Value {
    call("edit", json!({"path": "a.txt", "oldText": old, "newText": new}))
}

/// A turn up to its permission request.
fn asked(place: &Place, reply: Value) -> (Program, Value) {
    let script = json!({"replies": [reply, {"blocks": [{"text": "done"}]}]});
    let mut program = Program::on_script(place, &script, Framing::Lines);
    program.prompt("go");
    let request = program.until(|message| message["method"] == "approval/request");
    (program, request)
}

fn answer(program: &mut Program, request: &Value, result: Value) {
    program.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    program.until_event("turn.completed");
}

fn events<'a>(program: &'a Program, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let events = program.seen.iter().map(|message| &message["params"]["event"]);
    events.filter(move |event| event["type"] == kind)
}

/// The files that keep edits until they are applied.
fn kept(place: &Place) -> Vec<PathBuf> {
    let artifacts = place.journal().with_file_name("artifacts");
    let entries = std::fs::read_dir(artifacts).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Checks that a notice names the file that keeps the user's text.
fn assert_kept(place: &Place, notice: &Value, text: &str) {
    assert_eq!(notice["code"], "proposalNotEdited", "{notice}");
    let [file] = &kept(place)[..] else { panic!("one file: {:?}", kept(place)) };
    let hint = notice["hint"].as_str().unwrap();
    assert!(hint.contains(file.to_str().unwrap()), "{hint}");
    assert_eq!(std::fs::read_to_string(file).unwrap(), text);
}

/// What the call told the model.
fn result(program: &Program) -> String {
    let call = events(program, "item.completed").find(|event| event["item"]["type"] == "toolCall");
    let parts = call.unwrap()["item"]["output"]["content"].as_array().unwrap();
    parts.iter().map(|part| part["text"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

/// Rows: the file before the call, the call, the proposed text, the user's text, the file after the call, the difference that the model
/// receives, and the hunk to review.
#[test]
fn the_users_version_is_written_and_the_model_learns_the_difference() {
    let write = |content: &str| call("write", json!({"path": "a.txt", "content": content}));
    for (name, before, reply, proposed, text, after, told, hunk) in [
        (
            "a line of an edit",
            Some("one\ntwo\nthree\n"),
            edit("two", "TWO"),
            "one\nTWO\nthree\n",
            "one\nTwo!\nthree\n",
            "one\nTwo!\nthree\n",
            Some("-TWO\n+Two!\n"),
            r#""two\n" -> "Two!\n""#,
        ),
        (
            "a line elsewhere",
            Some("one\ntwo\nthree\n"),
            edit("two", "TWO"),
            "one\nTWO\nthree\n",
            "one\nTWO\n3\n",
            "one\nTWO\n3\n",
            Some("-three\n+3\n"),
            r#""two\n" -> "TWO\n""#,
        ),
        ("a new file", None, write("a\n"), "a\n", "b\n", "b\n", Some("-a\n+b\n"), r#""" -> "b\n""#),
        (
            "CRLF",
            Some("one\r\ntwo\r\n"),
            edit("two", "TWO"),
            "one\nTWO\n",
            "one\n2\n",
            "one\r\n2\r\n",
            Some("+2"),
            r#""two\r\n" -> "2\r\n""#,
        ),
        (
            "nothing",
            Some("one\n"),
            edit("one", "ONE"),
            "ONE\n",
            "ONE\n",
            "ONE\n",
            None,
            r#""one\n" -> "ONE\n""#,
        ),
    ] {
        let place = Place::new(&[]);
        if let Some(before) = before {
            std::fs::write(place.path("a.txt"), before).unwrap();
        }
        let (mut program, request) = asked(&place, reply);
        assert_eq!(request["params"]["editable"], true, "{name}: {request}");
        let path = place.path("a.txt");
        let edits = json!([{"path": path, "proposed": proposed, "text": text}]);
        answer(&mut program, &request, json!({"optionId": "allow", "edits": edits}));
        assert_eq!(place.read("a.txt"), after, "{name}");
        assert!(kept(&place).is_empty(), "{name}: {:?}", kept(&place));
        let resolved = events(&program, "approval.resolved").next().unwrap();
        assert_eq!(resolved["edited"], json!([path]), "{name}: {resolved}");
        let result = result(&program);
        let is_told = result.contains("the user edited");
        assert_eq!(is_told, told.is_some(), "{name}: {result}");
        assert!(result.contains(told.unwrap_or_default()), "{name}: {result}");
        let authors: Vec<&Value> =
            events(&program, "files.changed").map(|event| &event["by"]["type"]).collect();
        let want: &[&str] = if told.is_some() { &["call", "other"] } else { &["call"] };
        assert_eq!(authors, want, "{name}");
        let listed = program.ask("review/list", json!({}));
        let hunks = listed["hunks"].as_array().unwrap().iter();
        let hunks: Vec<_> =
            hunks.map(|hunk| format!("{} -> {}", hunk["oldText"], hunk["newText"])).collect();
        assert_eq!(hunks, [hunk], "{name}");
    }
}

#[test]
fn every_file_of_a_patch_can_be_edited() {
    let place = Place::new(&[("a.txt", "a1\na2\n"), ("b.txt", "b1\nb2\n")]);
    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-a2\n+A2\n*** Update File: b.txt\n*** Move to: c.txt\n@@\n-b2\n+B2\n\
                 *** Add File: n.txt\n+n1\n*** End Patch";
    let replies =
        [call("apply_patch", json!({"input": patch})), json!({"blocks": [{"text": "done"}]})];
    let script = place.script(&json!({"replies": replies}));
    let args = ["serve", "--permission", "ask", "--profile", "openai", "--script", &script];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    program.prompt("go");
    let request = program.until(|message| message["method"] == "approval/request");
    let edit = |name, proposed, text| json!({"path": place.path(name), "proposed": proposed, "text": text});
    let edits = json!([
        edit("a.txt", "a1\nA2\n", "a1\nA2 mine\n"),
        edit("c.txt", "b1\nB2\n", "b1 mine\nB2\n"),
        edit("n.txt", "n1\n", "n1\nn2\n"),
    ]);
    answer(&mut program, &request, json!({"optionId": "allow", "edits": edits}));
    let texts = ["a.txt", "c.txt", "n.txt"].map(|name| place.read(name));
    assert_eq!(texts, ["a1\nA2 mine\n", "b1 mine\nB2\n", "n1\nn2\n"], "{}", result(&program));
}

#[test]
fn a_file_keeps_its_encoding() {
    let place = Place::new(&[]);
    let utf16 = |text: &str| -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    };
    std::fs::write(place.path("a.txt"), utf16("one\r\ntwo\r\n")).unwrap();
    let (mut program, request) = asked(&place, edit("two", "TWO"));
    let edits = json!([{"path": place.path("a.txt"), "proposed": "one\nTWO\n", "text": "one\nzw\u{f6}lf\n"}]);
    answer(&mut program, &request, json!({"optionId": "allow", "edits": edits}));
    let want = utf16("one\r\nzw\u{f6}lf\r\n");
    assert_eq!(std::fs::read(place.path("a.txt")).unwrap(), want, "{}", result(&program));
}

#[test]
fn edits_that_make_no_sense_are_refused_and_the_request_stays_open() {
    let place = Place::new(&[("a.txt", "one\ntwo\n"), ("b.txt", "b\n")]);
    let (mut program, request) = asked(&place, edit("two", "TWO"));
    let id = &request["params"]["approvalId"];
    let edit =
        |name: &str| json!({"path": place.path(name), "proposed": "one\nTWO\n", "text": "x\n"});
    for (name, option, edits, want) in [
        (
            "a denial",
            "deny",
            json!([edit("a.txt")]),
            "`edits` require an option that allows the call",
        ),
        (
            "another file",
            "allow",
            json!([edit("b.txt")]),
            "`PATH/b.txt` is not a text file that the call would write",
        ),
        (
            "twice",
            "allow",
            json!([edit("a.txt"), edit("a.txt")]),
            "`PATH/a.txt` has more than one edit",
        ),
    ] {
        let params = json!({"approvalId": id, "optionId": option, "edits": edits});
        let error = program.ask("approval/answer", params);
        let message = error["message"].as_str().unwrap();
        assert_eq!(message.replace(place.project().to_str().unwrap(), "PATH"), want, "{name}");
        assert_eq!(error["data"]["path"], "/edits", "{name}: {error}");
    }
    assert_eq!(place.read("a.txt"), "one\ntwo\n");
    // A reply to the request itself cannot be refused: it denies the call.
    let edits = json!([edit("b.txt")]);
    answer(&mut program, &request, json!({"optionId": "allow", "edits": edits}));
    assert_eq!(place.read("a.txt"), "one\ntwo\n");
    let notice = events(&program, "session.notice").next().unwrap();
    assert!(notice["message"].as_str().unwrap().contains("is not a text file"), "{notice}");
}

#[test]
fn an_edit_that_no_longer_fits_leaves_the_calls_version_and_is_reported() {
    let place = Place::new(&[("a.txt", "one\ntwo\n")]);
    let (mut program, request) = asked(&place, edit("two", "TWO"));
    // Another program appends to the last line after the proposal was shown.
    std::fs::write(place.path("a.txt"), "one\ntwo and more\n").unwrap();
    let edits =
        json!([{"path": place.path("a.txt"), "proposed": "one\nTWO\n", "text": "one\n2\n"}]);
    answer(&mut program, &request, json!({"optionId": "allow", "edits": edits}));
    assert_eq!(place.read("a.txt"), "one\nTWO and more\n");
    assert!(result(&program).contains("the edit could not be applied"), "{}", result(&program));
    assert_kept(&place, events(&program, "session.notice").next().unwrap(), "one\n2\n");
}

#[test]
fn edits_of_a_call_that_fails_are_reported() {
    let place = Place::new(&[("a.txt", "one\ntwo\n")]);
    let (mut program, request) = asked(&place, edit("two", "TWO"));
    // The text to replace is gone by the time the call runs.
    std::fs::write(place.path("a.txt"), "something else\n").unwrap();
    let edits =
        json!([{"path": place.path("a.txt"), "proposed": "one\nTWO\n", "text": "one\n2\n"}]);
    answer(&mut program, &request, json!({"optionId": "allow", "edits": edits}));
    assert_eq!(place.read("a.txt"), "something else\n");
    assert_kept(&place, events(&program, "session.notice").next().unwrap(), "one\n2\n");
}

/// The engine is killed after the call has written its own version and before the user's edit is applied.
#[test]
fn an_edit_survives_a_kill_before_it_is_applied() {
    let place = Place::new(&[("a.txt", "one\ntwo\n")]).with_processes();
    std::fs::create_dir_all(place.home()).unwrap();
    let hook = "[[hooks]]\npoint = \"afterToolCall\"\ncommand = \"sleep 1000\"\n";
    std::fs::write(place.home().join("config.toml"), hook).unwrap();
    let script = place.script(&json!({"replies": [edit("two", "TWO")]}));
    let command = || place.command(&["serve", "--script", &script]);
    let mut program = Program::start(command(), Framing::Lines);
    program.initialize();
    let session = program.ask("session/create", json!({}))["sessionId"].clone();
    program.prompt("go");
    let request = program.until(|message| message["method"] == "approval/request");
    let edits =
        json!([{"path": place.path("a.txt"), "proposed": "one\nTWO\n", "text": "one\n2\n"}]);
    let result = json!({"optionId": "allow", "edits": edits});
    program.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    until(|| place.read("a.txt") == "one\nTWO\n");
    program.signal(Signal::SIGKILL);
    program.wait();

    // Reopening the session does not repeat the notice.
    for _ in 0..2 {
        let mut program = Program::start(command(), Framing::Lines);
        program.initialize();
        program.ask("session/open", json!({"sessionId": session}));
        let page = program.ask("session/events", json!({"limit": 1000}));
        let events = page["events"].as_array().unwrap().iter();
        let notices: Vec<_> = events
            .map(|event| &event["event"])
            .filter(|event| event["type"] == "session.notice")
            .collect();
        let [notice] = notices[..] else { panic!("{notices:?}") };
        assert_kept(&place, notice, "one\n2\n");
        assert_eq!(place.read("a.txt"), "one\nTWO\n");
    }
}

#[test]
fn a_sub_agents_proposal_can_be_edited() {
    let place = Place::new(&[("a.txt", "one\ntwo\n")]);
    let of_agent = |mut reply: Value| {
        reply["of"] = json!("capitals");
        reply
    };
    let said = |text: &str| json!({"blocks": [{"text": text}]});
    let script = place.script(&json!({"replies": [
        call("spawn_agent", json!({"task": "capitals"})),
        call("wait", json!({})),
        said("all done"),
        of_agent(edit("two", "TWO")),
        of_agent(said("done")),
    ]}));
    let args = ["serve", "--profile", "pi", "--script", &script];
    let mut program = Program::start(place.engine(&args), Framing::Lines);
    program.initialize();
    program.ask("session/create", json!({}));
    program.prompt("go");
    let request = program.until(|message| message["method"] == "approval/request");
    let edits =
        json!([{"path": place.path("a.txt"), "proposed": "one\nTWO\n", "text": "one\n2\n"}]);
    answer(&mut program, &request, json!({"optionId": "allow", "edits": edits}));
    assert_eq!(place.read("a.txt"), "one\n2\n");
}

#[test]
fn the_edits_of_the_first_answer_count() {
    let shared = Shared::new(json!([edit("two", "TWO"), {"blocks": [{"text": "done"}]}]));
    std::fs::write(shared.place.path("a.txt"), "one\ntwo\n").unwrap();
    let (mut first, mut second) = (shared.attach(), shared.attach());
    let session = create(&mut first);
    open(&mut second, &session);
    first.prompt("go");
    let answer = |program: &mut Program, text: &str| {
        let request = program.until(|message| message["method"] == "approval/request");
        let edits =
            json!([{"path": shared.place.path("a.txt"), "proposed": "one\nTWO\n", "text": text}]);
        let params = json!({"approvalId": request["params"]["approvalId"], "optionId": "allow", "edits": edits});
        program.ask("approval/answer", params)
    };
    assert_eq!(answer(&mut first, "one\nfirst\n")["edited"], json!([shared.place.path("a.txt")]));
    let late = answer(&mut second, "one\nsecond\n");
    assert!(late["message"].as_str().unwrap().contains("no longer open"), "{late}");
    second.until_event("turn.completed");
    assert_eq!(shared.place.read("a.txt"), "one\nfirst\n");
}

#[test]
fn an_edit_whose_text_cannot_be_kept_is_applied() {
    let place = Place::new(&[("a.txt", "one\ntwo\n")]);
    let (mut program, request) = asked(&place, edit("two", "TWO"));
    std::fs::write(place.journal().with_file_name("artifacts"), "in the way").unwrap();
    let edits =
        json!([{"path": place.path("a.txt"), "proposed": "one\nTWO\n", "text": "one\n2\n"}]);
    answer(&mut program, &request, json!({"optionId": "allow", "edits": edits}));
    assert_eq!(place.read("a.txt"), "one\n2\n");
}

#[test]
fn what_cannot_be_edited_is_not_offered() {
    let place = Place::new(&[("a.txt", "one\n")]);
    for (name, reply) in [
        ("a command", call("bash", json!({"command": "rm a.txt"}))),
        ("a binary file", call("write", json!({"path": "b.bin", "content": "\u{0}\u{1}"}))),
    ] {
        let (_program, request) = asked(&place, reply);
        assert!(request["params"].get("editable").is_none(), "{name}: {request}");
    }
}
