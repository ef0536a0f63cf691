//! The examples of `protocol/REFERENCE.md`: every method, called at the real program, and what came back.
//!
//! `protocol/examples/methods.json` holds them, and the generator reads it. Ids, times and paths stand for themselves there,
//! and long texts and lists are cut, so that the file is the same in every run. `UPDATE_EXPECT=1` writes it.

use crate::login::{Provider, device};
use crate::mcp_login::{agree, server as guarded};
use crate::support::program::{Framing, Place, Program};
use crate::support::recorder::{Recorder, To};
use crate::support::steady::Steady;
use expect_test::expect_file;
use pintle_protocol::methods::METHODS;
use pintle_protocol::schema::SCHEMA_JSON;
use pintle_testing::waiting::until;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The most characters of a text.
const MAX_CHARS: usize = 120;

/// The most items of a list.
const MAX_ITEMS: usize = 2;

const EXAMPLES: &str = include_str!("../../protocol/examples/methods.json");

/// Answers every request from the engine.
fn answer_all(client: &mut Recorder, message: &Value) -> Option<Value> {
    let params = &message["params"];
    Some(match message["method"].as_str()? {
        "approval/request" => json!({"optionId": "allow"}),
        "question/request" => json!({"optionIds": [params["options"][0]["optionId"]]}),
        _ => return answer_but_questions(client, message),
    })
}

/// Answers requests from the engine, except approvals and questions, which the test answers later.
fn answer_but_questions(client: &mut Recorder, message: &Value) -> Option<Value> {
    let params = &message["params"];
    Some(match message["method"].as_str()? {
        "hook/run" => json!({"decision": "allow"}),
        "tool/call" => json!({"content": [{"type": "text", "text": "opened"}]}),
        "workspace/applyEdit" => {
            let path = &params["edits"][0]["path"];
            let text = "hello world!\n# unsaved\n";
            let change =
                json!({"path": path, "version": 3, "changes": [{"text": text}], "dirty": true});
            client.request("document/change", change);
            json!({"applied": true, "versions": [{"path": path, "version": 3}]})
        }
        "auth/openUrl" if params.get("mcpServer").is_some() => {
            agree(params["url"].as_str().unwrap());
            return None;
        }
        _ => return None,
    })
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({"blocks": [{"tool": tool, "arguments": arguments}]})
}

fn say(text: &str) -> Value {
    json!({"blocks": [{"text": text}]})
}

fn script() -> Value {
    let edit = |old: &str, new: &str| {
        call("edit", json!({"path": "note.txt", "oldText": old, "newText": new}))
    };
    let ask = call("ask_user", json!({"question": "Which color?", "options": ["red", "blue"]}));
    json!({"replies": [
        edit("helo", "hello"),
        call("bash", json!({"command": "seq 20000 | tee /dev/null"})),
        call("open_file", json!({"path": "note.txt"})),
        ask,
        say("Fixed."),
        call("bash", json!({"command": "read -s password; sleep 1000; touch done", "tty": true})),
        say("It runs."),
        call("bash", json!({"command": "sleep 1000; touch done"})),
        say("You cancelled it."),
        call("bash", json!({"command": "sleep 1000; touch done"})),
        ask,
        say("Thank you."),
        edit("hello", "Hello"),
        say("Changed in your editor."),
        say("Said in the fork."),
        say("The user had a typo fixed in note.txt."),
        call("write", json!({"path": "draft.txt", "content": "A draft.\n"})),
        say("Drafted."),
    ]})
}

/// Calls every method but `session/eventsMissed`.
fn record(place: &Place) -> BTreeMap<String, Value> {
    let script = place.script(&script());
    let work = device(vec![(200, json!({"access_token": "tok-of-work"}).to_string())]);
    let work = Provider::start(work);
    let login = format!(
        "[providers.work]\nbase_url = \"{0}\"\napi = \"chat\"\nlogin = {{ client_id = \"app\", \
         device_url = \"{0}/device\", token_url = \"{0}/token\" }}\n",
        work.url
    );
    std::fs::write(place.home().join("config.toml"), login).unwrap();
    let program = Program::start(place.command(&["serve", "--script", &script]), Framing::Lines);
    let mut it = Recorder::new(program, answer_all);
    let note = place.path("note.txt").to_str().unwrap().to_owned();
    it.ask(
        "initialize",
        json!({
            "protocol": {"name": "pintle", "versions": ["2.0"]},
            "client": {"name": "my-editor", "version": "0.1"},
            "capabilities": {"approvals": {}, "questions": {}, "applyEdit": {}},
        }),
    );
    it.ask("ping", json!({}));
    it.ask("models/list", json!({}));
    it.ask("auth/login", json!({"provider": "work"}));
    it.ask("auth/status", json!({}));
    it.ask("auth/logout", json!({"provider": "work"}));
    let docs = guarded(true, true);
    let servers = json!({"docs": {"url": format!("{}/mcp", docs.url)}});
    let create = json!({"cwd": place.project(), "config": {"mcpServers": servers}});
    let created = it.ask("session/create", create);
    it.ask("mcp/list", json!({}));
    it.ask("mcp/login", json!({"server": "docs"}));
    it.ask("mcp/logout", json!({"server": "docs"}));
    it.ask("mcp/update", json!({"server": "docs", "enabled": false}));
    let session = created["sessionId"].clone();
    it.ask("config/list", json!({}));
    it.ask("config/set", json!({"values": {"followUpMode": "all"}}));
    it.ask("prompt/list", json!({}));
    it.ask("skill/list", json!({}));
    it.ask("hook/register", json!({"points": ["beforeToolCall"], "tools": ["bash"]}));
    it.ask(
        "tool/register",
        json!({
            "name": "open_file",
            "description": "Shows a file to the user.",
            "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
        }),
    );
    let spare =
        json!({"name": "spare", "description": "Not needed.", "parameters": {"type": "object"}});
    it.ask("tool/register", spare);
    it.ask("tool/unregister", json!({"name": "spare"}));

    let first = it.prompt("Fix the typo.");
    let blob = it.until(|message| {
        let item = &message["params"]["event"]["item"];
        item["toolName"] == "bash" && item["status"] == "completed"
    });
    it.until_event("turn.completed");
    let details = &blob["params"]["event"]["item"]["output"]["details"];
    it.ask("blob/read", json!({"ref": details["fullOutput"]["ref"], "length": 8}));

    let hunks = it.ask("review/list", json!({}));
    let hunk = &hunks["hunks"][0];
    it.ask("review/baseline", json!({"path": note}));
    it.ask("review/patch", json!({}));
    let target = json!({"type": "hunk", "hunk": hunk["id"], "changedSeq": hunk["changedSeq"]});
    it.ask("review/decide", json!({"action": {"type": "keep", "target": target}}));

    it.ask("session/items", json!({"limit": 1}));
    it.ask("item/read", json!({"itemId": first["itemId"]}));
    it.ask("session/events", json!({"after": 0, "limit": 1}));
    it.ask("checkpoint/list", json!({}));
    it.ask("checkpoint/diff", json!({"from": {"seq": 0}, "to": {"turnId": first["turnId"]}}));
    it.ask("session/label", json!({"at": {"turnId": first["turnId"]}, "label": "works"}));
    it.ask(
        "session/note",
        json!({"text": "The build is green.", "kind": "ci", "data": {"run": 7}, "toModel": true}),
    );
    it.ask("session/tree", json!({}));
    it.ask("session/outline", json!({}));
    it.ask("session/update", json!({"title": "A typo in note.txt"}));
    it.ask("session/list", json!({"limit": 1}));
    it.ask("session/search", json!({"query": "typo", "limit": 1}));
    it.ask("session/export", json!({"format": "md"}));
    it.ask("context/read", json!({"summary": true}));
    it.ask("usage/read", json!({}));
    it.ask("session/archive", json!({"sessionId": session, "archived": false}));
    it.ask("shell/run", json!({"command": "echo hello"}));
    it.ask("trust/read", json!({}));
    it.ask("trust/agree", json!({"files": []}));

    it.prompt("Start the server.");
    it.until_event("turn.completed");
    it.ask("job/list", json!({}));
    it.ask("shell/write", json!({"jobId": "job-2", "text": "a password\n"}));
    it.ask("shell/screen", json!({"jobId": "job-2"}));
    it.ask("job/stop", json!({"jobId": "job-2"}));

    it.prompt("Watch the log.");
    let runs = |message: &Value| {
        let item = &message["params"]["event"]["item"];
        item["type"] == "toolCall" && item["status"] == "running"
    };
    let running = it.until(runs);
    it.ask("item/cancel", json!({"itemId": running["params"]["event"]["item"]["id"]}));
    it.until_event("turn.completed");

    it.answers = answer_but_questions;
    it.prompt("Run the tests.");
    let asked = it.until(|message| message["method"] == "approval/request");
    let approval = asked["params"]["approvalId"].clone();
    it.ask("approval/answer", json!({"approvalId": approval, "optionId": "allow-session"}));
    it.until(|message| message["params"]["event"]["item"]["status"] == "running");
    let listed = it.ask("permission/list", json!({}));
    it.ask("permission/remove", json!({"ruleId": listed["rules"][0]["ruleId"]}));
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    it.ask("turn/steer", json!({"input": text("Only the quick ones.")}));
    let queued = json!({"input": text("Then commit."), "whenBusy": "queue"});
    let queued = it.ask("turn/start", queued);
    it.ask("queue/list", json!({}));
    it.ask("queue/update", json!({"itemId": queued["itemId"], "input": text("Then stop.")}));
    it.ask("queue/remove", json!({"itemIds": [queued["itemId"]]}));
    it.ask("turn/interrupt", json!({}));
    it.until_event("turn.completed");

    it.prompt("Choose a color.");
    let asked = it.until(|message| message["method"] == "question/request");
    let answer = json!({"questionId": asked["params"]["questionId"], "text": "green"});
    it.ask("question/answer", answer);
    it.until_event("turn.completed");
    it.answers = answer_all;

    it.ask(
        "document/open",
        json!({"path": note, "version": 1, "text": "hello world\n", "dirty": false}),
    );
    it.ask(
        "document/change",
        json!({
            "path": note,
            "version": 2,
            "changes": [{"range": {"start": {"line": 0, "character": 11}, "end": {"line": 0, "character": 11}}, "text": "!"}],
            "dirty": true,
        }),
    );
    let problem =
        json!({"range": {"start": 1, "end": 1}, "severity": "warning", "message": "no full stop"});
    it.ask("editor/diagnostics", json!({"path": note, "version": 2, "items": [problem]}));
    it.prompt("Begin with a capital letter.");
    it.until_event("turn.completed");
    it.ask("document/save", json!({"path": note, "version": 3}));
    it.ask("document/close", json!({"path": note}));

    let to = json!({"turnId": first["turnId"]});
    it.ask("session/rewind", json!({"to": to, "scope": "conversation", "dryRun": true}));
    let fork = it.ask("session/fork", json!({"sessionId": session, "at": to}));
    let fork_id = fork["sessionId"].clone();
    let input = json!([{"type": "text", "text": "Another way."}]);
    it.ask("turn/start", json!({"sessionId": fork_id, "input": input}));
    it.until_event("turn.completed");
    it.ask("session/merge", json!({"sessionId": session, "forkId": fork_id}));
    it.ask(
        "session/compact",
        json!({"sessionId": session, "instructions": "Keep the names of files."}),
    );
    it.until_event("turn.completed");

    let isolated = it.ask("session/create", json!({"isolation": {"kind": "copy"}}));
    let isolated = isolated["sessionId"].clone();
    it.ask("turn/start", json!({"sessionId": isolated, "input": text("Draft an answer.")}));
    it.until_event("turn.completed");
    it.ask("isolation/apply", json!({"sessionId": isolated}));
    it.ask("session/close", json!({"sessionId": isolated}));
    it.ask("isolation/discard", json!({"sessionId": isolated}));

    it.ask("session/unsubscribe", json!({"sessionId": session}));
    it.ask(
        "session/subscribe",
        json!({"sessionId": session, "tail": 1, "exclude": ["item.delta"]}),
    );
    it.ask("session/close", json!({"sessionId": fork_id}));
    it.ask("session/open", json!({"sessionId": fork_id, "fromSeq": 0}));
    it.ask("session/close", json!({"sessionId": fork_id}));
    it.ask("session/delete", json!({"sessionId": fork_id}));
    it.notify("$/cancelRequest", json!({"id": 7}));
    it.ask("shutdown", json!({}));
    it.notify("exit", json!({}));
    it.program.end_input();
    it.program.wait();
    it.said.retain(|(to, message)| match message["method"].as_str() {
        // The example event should be short.
        Some("session/event") => message["params"]["event"]["type"] == "turn.started",
        // The engine sends this one too.
        Some("$/cancelRequest") => *to == To::Engine,
        _ => true,
    });
    let kept = serde_json::to_string(&it.exchanges()).unwrap();
    serde_json::from_str(&kept.replace(&docs.url, "http://127.0.0.1:8000")).unwrap()
}

/// What a client is told that did not read.
fn lagged() -> Value {
    let place = Place::new(&[("long.txt", &"a line of text\n".repeat(1400))]);
    let read =
        |offset| json!({"tool": "read", "arguments": {"path": "long.txt", "offset": offset}});
    let mut replies: Vec<Value> =
        (0..40).map(|_| json!({"blocks": (1..=12).map(read).collect::<Vec<_>>()})).collect();
    replies.push(say("the end"));
    let script = place.script(&json!({ "replies": replies }));
    let (mut program, stdout) =
        Program::start_unread(place.command(&["serve", "--script", &script]));
    for (id, method, params) in [
        (1, "initialize", json!({"protocol": {"name": "pintle", "versions": ["2.0"]}})),
        (2, "session/create", json!({})),
        (3, "turn/start", json!({"input": [{"type": "text", "text": "Read it."}]})),
    ] {
        program.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }
    until(|| {
        let journal = place.journal_if_any().and_then(|path| std::fs::read_to_string(path).ok());
        journal.is_some_and(|text| text.contains(r#""type":"turn.completed""#))
    });
    program.end_input();
    let lines = std::io::BufRead::lines(std::io::BufReader::new(stdout));
    let messages = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let messages = messages.inspect(|message| program.check(message));
    let lagged = messages.filter(|message| message["method"] == "session/eventsMissed").last();
    json!({"params": lagged.unwrap()["params"]})
}

#[test]
fn the_examples_are_what_the_program_says() {
    let files = [("note.txt", "helo world\n"), (".pintle/prompts/fix.md", "Fix $1.\n")];
    let place = Place::new(&files);
    let mut kept = record(&place);
    kept.insert("session/eventsMissed".to_owned(), lagged());
    let mut examples = Map::new();
    for row in METHODS {
        if let Some(example) = kept.get(row.method) {
            examples.insert(
                row.method.to_owned(),
                Steady::new(&place).cut(MAX_CHARS, MAX_ITEMS).value(example),
            );
        }
    }
    let text = format!("{:#}\n", Value::Object(examples));
    expect_file!["../../protocol/examples/methods.json"].assert_eq(&text);
}

#[test]
fn every_method_has_an_example_that_its_schema_allows() {
    let examples: Value = serde_json::from_str(EXAMPLES).unwrap();
    let schema: Value = serde_json::from_str(SCHEMA_JSON).unwrap();
    for row in METHODS {
        let example = &examples[row.method];
        assert!(example.is_object(), "{} has no example", row.method);
        for part in ["params", "result"] {
            let shape = &schema["methods"][row.method][part];
            assert_eq!(shape.is_null(), example[part].is_null(), "{} {part}", row.method);
            if shape.is_null() {
                continue;
            }
            let mut whole = shape.clone();
            whole["$defs"] = schema["$defs"].clone();
            let validator = jsonschema::validator_for(&whole).unwrap();
            let wrong: Vec<String> =
                validator.iter_errors(&example[part]).map(|error| error.to_string()).collect();
            assert_eq!(wrong, Vec::<String>::new(), "{} {part}", row.method);
        }
    }
}
