//! Requests that are refused: the code, the field at fault and the words, by method.

use crate::support::program::{Framing, Place, Program};
use serde_json::{Value, json};

fn after_a_turn(place: &Place) -> Program {
    let script = json!({"replies": [{"blocks": [{"text": "hello"}]}]});
    let mut program = Program::on_script(place, &script, Framing::Lines);
    program.prompt("hi");
    program.until_event("turn.completed");
    program
}

/// A refusal in short: `code path: message`.
fn short(error: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    format!(
        "{} {}: {}",
        text(&error["data"]["code"]),
        text(&error["data"]["path"]),
        text(&error["message"])
    )
}

#[test]
fn a_refusal_names_its_reason_and_its_field() {
    let place = Place::new(&[]);
    let mut program = after_a_turn(&place);
    let one = "a point in the history needs exactly one of `itemId`, `turnId` and `seq`";
    let keep = |target: Value| json!({"action": {"type": "keep", "target": target}});
    for (method, params, want) in [
        ("session/rewind", json!({"to": {}}), format!("invalidParams /to: {one}")),
        (
            "session/rewind",
            json!({"to": {"seq": 1, "turnId": "t"}}),
            format!("invalidParams /to: {one}"),
        ),
        (
            "session/rewind",
            json!({"to": {"seq": 1000}}),
            "notFound /to: event 1000 does not exist; the last one is 9".to_owned(),
        ),
        (
            "shell/run",
            json!({"command": " "}),
            "invalidParams /command: the command is empty".to_owned(),
        ),
        (
            "turn/start",
            json!({"input": [{"type": "text", "text": "x"}], "key": ""}),
            "invalidParams /key: the key is empty".to_owned(),
        ),
        (
            "review/decide",
            keep(json!({"type": "turn", "turnId": "nope"})),
            "notFound /action/target/turnId: no turn nope in this session".to_owned(),
        ),
        (
            "review/list",
            json!({"turnId": "nope"}),
            "notFound /turnId: no turn nope in this session".to_owned(),
        ),
        (
            "session/search",
            json!({"query": "x", "sessionId": "nope"}),
            "notFound -: there is no session nope".to_owned(),
        ),
        (
            "approval/answer",
            json!({"approvalId": "nope", "optionId": "allow"}),
            "notFound /approvalId: no open approval nope".to_owned(),
        ),
        (
            "question/answer",
            json!({"questionId": "nope", "dismissed": true}),
            "notFound /questionId: no open question nope".to_owned(),
        ),
        (
            "document/open",
            json!({"path": "a.txt", "version": 1, "text": "", "dirty": false}),
            "invalidParams /path: `a.txt` is not an absolute path".to_owned(),
        ),
        (
            "hook/register",
            json!({"points": []}),
            "invalidParams /points: `points` is empty".to_owned(),
        ),
        (
            "tool/register",
            json!({"name": "a b", "description": "x", "parameters": {"type": "object"}}),
            "invalidParams /name: invalid tool name `a b`".to_owned(),
        ),
        ("session/note", json!({"text": " "}), "invalidParams /text: `text` is empty".to_owned()),
        (
            "turn/interrupt",
            json!({"expectedTurnId": "nope"}),
            "conflict /expectedTurnId: turn nope is not running; no turn is running".to_owned(),
        ),
    ] {
        let error = program.ask(method, params.clone());
        assert_eq!(short(&error), want, "{method} {params}: {error}");
    }
}

#[test]
fn a_model_that_does_not_exist_is_refused_when_it_is_chosen() {
    let place = Place::new(&[]);
    let mut program = Program::start(place.engine(&["serve"]), Framing::Lines);
    program.initialize();
    for model in ["nope/none", "anthropic/", "gpt"] {
        let error = program.ask("session/create", json!({"config": {"model": model}}));
        assert_eq!(error["data"]["path"], "/config/model", "{model}: {error}");
        assert_eq!(error["data"]["code"], "config", "{model}: {error}");
    }
    assert_eq!(program.ask("session/list", json!({}))["sessions"], json!([]));
    // A script answers for every model.
    let script = place.script(&json!({"replies": []}));
    let command = place.engine(&["serve", "--script", &script]);
    let mut program = Program::start(command, Framing::Lines);
    program.initialize();
    let made = program.ask("session/create", json!({"config": {"model": "nope/none"}}));
    assert_eq!(made["model"], "nope/none", "{made}");
}

#[test]
fn a_mode_above_the_limit_is_lowered_with_a_notice() {
    let place = Place::new(&[]);
    let script = place.script(&json!({"replies": [{"blocks": [{"text": "hello"}]}]}));
    let command = place.engine(&["serve", "--permission", "ask", "--script", &script]);
    let mut program = Program::start(command, Framing::Lines);
    program.initialize();
    let made = program.ask("session/create", json!({"config": {"permissionMode": "full"}}));
    assert_eq!(made["permissionMode"], "ask", "{made}");
    let notice = program.until_event("session.notice");
    assert_eq!(notice["code"], "permissionModeKept", "{notice}");
    let message = notice["message"].as_str().unwrap();
    assert!(message.contains("full") && message.contains("--permission"), "{notice}");
    let session = made["sessionId"].clone();
    // Also for a client that is not subscribed yet, and for a stored session.
    program.ask("session/close", json!({"sessionId": session}));
    program
        .ask("session/open", json!({"sessionId": session, "config": {"permissionMode": "full"}}));
    assert_eq!(program.until_event("session.notice")["code"], "permissionModeKept");
}

#[test]
fn a_key_belongs_to_one_request() {
    let place = Place::new(&[]);
    let mut program = after_a_turn(&place);
    let made = program.ask("session/create", json!({"title": "one", "key": "k"}));
    let again = program.ask("session/create", json!({"title": "one", "key": "k"}));
    assert_eq!(made["sessionId"], again["sessionId"]);
    for params in [
        json!({"title": "two", "key": "k"}),
        json!({"key": "k"}),
        json!({"title": "one", "config": {"mode": "plan"}, "key": "k"}),
    ] {
        let error = program.ask("session/create", params.clone());
        assert_eq!(error["data"]["code"], "conflict", "{params}: {error}");
        assert_eq!(error["data"]["path"], "/key", "{params}: {error}");
    }
}

#[test]
fn an_answer_that_is_not_understood_denies_with_a_notice() {
    for (response, why) in [
        (json!({"result": {"optionId": "permit"}}), "unknown option `permit`"),
        (json!({"result": {"choice": "allow"}}), "no `optionId`"),
        (json!({"result": {"optionId": 1}}), "expected a string"),
        (json!({"error": {"code": -32601, "message": "unknown method"}}), "unknown method"),
    ] {
        let place = Place::new(&[]);
        let call = json!({"tool": "bash", "arguments": {"command": "touch a"}});
        let script = json!({"replies": [{"blocks": [call]}, {"blocks": [{"text": "well"}]}]});
        let mut program = Program::on_script(&place, &script, Framing::Lines);
        program.prompt("go");
        let request = program.until(|message| message["method"] == "approval/request");
        let mut answer = response.clone();
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = request["id"].clone();
        program.send_bytes(answer.to_string().as_bytes());
        let notice = program.until_event("session.notice");
        assert_eq!(notice["code"], "answerNotUnderstood", "{response}: {notice}");
        assert!(notice["message"].as_str().unwrap().contains(why), "{response}: {notice}");
        assert_eq!(program.until_event("approval.resolved")["decision"], "deny");
        assert_eq!(program.until_event("turn.completed")["status"], "completed");
        assert!(!place.path("a").exists());
    }
}

#[test]
fn a_compaction_that_fails_fails_its_turn() {
    let place = Place::new(&[]);
    let mut program = after_a_turn(&place);
    program.ask("session/compact", json!({}));
    let item = program.until_event("item.completed")["item"].take();
    assert_eq!((&item["type"], &item["status"]), (&json!("compaction"), &json!("failed")));
    let ended = program.until_event("turn.completed");
    assert_eq!(ended["status"], "failed", "{ended}");
    assert_eq!(ended["error"]["message"], item["error"], "{ended}");
}

#[test]
fn a_repeated_steer_gets_its_first_response() {
    let place = Place::new(&[]).with_processes();
    let call = json!({"tool": "bash", "arguments": {"command": "touch a"}});
    let script = json!({"replies": [{"blocks": [call]}]});
    let mut program = Program::on_script(&place, &script, Framing::Lines);
    let steer =
        json!({"input": [{"type": "text", "text": "quick"}], "key": "s", "whenIdle": "hold"});
    program.prompt("go");
    program.until(|message| message["method"] == "approval/request");
    let first = program.ask("turn/steer", steer.clone());
    assert_eq!(first["outcome"], "accepted", "{first}");
    program.child.kill();
    program.wait();
    let command = place.engine(&["serve", "--script", &place.script(&script)]);
    let mut program = Program::start(command, Framing::Lines);
    program.initialize();
    let listed = program.ask("session/list", json!({}));
    program.ask("session/open", json!({"sessionId": listed["sessions"][0]["sessionId"]}));
    assert_eq!(program.ask("turn/steer", steer), first);
}
