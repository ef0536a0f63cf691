//! The conformance kit in `protocol/conformance`: what the program says in a few cases, and the state that a client has to make of it.
//!
//! A case is a script for the model and the steps of a client. From a run with the real program come its transcript and its fixture: the
//! events, and the state that the engine itself reports. The Python client of `protocol/clients` folds the same events, and must come to the
//! same state. `UPDATE_EXPECT=1` writes the files.

use crate::support::program::{Framing, Place, Program};
use crate::support::recorder::{Recorder, To};
use crate::support::steady::Steady;
use expect_test::expect_file;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;

/// A client with an open session.
struct Run {
    client: Recorder,
    session: Value,
    /// Dropped after the engine, which still writes there.
    place: Place,
}

impl Run {
    fn start(replies: &Value) -> Self {
        let place = Place::new(&[("note.txt", "helo world\n")]);
        let script = place.script(&json!({ "replies": replies }));
        let engine = place.engine(&["serve", "--script", &script]);
        let mut client = Recorder::new(Program::start(engine, Framing::Lines), |_, _| None);
        client.ask(
            "initialize",
            json!({
                "protocol": {"name": "pintle", "versions": ["2.0"]},
                "capabilities": {"approvals": {}, "questions": {}},
            }),
        );
        let session = client.ask("session/create", json!({}))["sessionId"].clone();
        Self { client, session, place }
    }

    /// The events as a client has to take them, and the state that the engine reports.
    fn fixture(mut self, about: &str) -> (Value, String) {
        let spoken = self.client.said.len();
        let snapshot = self.client.ask("session/subscribe", json!({}));
        let listed = self.client.ask("session/items", json!({"limit": 100}));
        let said = &self.client.said;
        let told: Vec<&Value> = said
            .iter()
            .filter(|(to, message)| *to == To::Client && message["method"] == "session/event")
            .map(|(_, message)| &message["params"])
            .filter(|record| record["sessionId"] == self.session)
            .collect();
        let events = joined(&told);
        let mut state = json!({});
        for key in [
            "seq",
            "title",
            "model",
            "permissionMode",
            "mode",
            "queue",
            "approvals",
            "plan",
            "usage",
            "costNanoUsd",
        ] {
            if !snapshot[key].is_null() {
                state[key] = snapshot[key].clone();
            }
        }
        state["questions"] = snapshot.get("questions").cloned().unwrap_or_else(|| json!([]));
        // In the order in which they appeared.
        let first = |id: &Value| {
            let place = events.iter().position(|record| record["event"]["item"]["id"] == *id);
            place.unwrap_or_else(|| panic!("no event tells of the item {id}"))
        };
        let items = listed["items"].as_array().unwrap().iter().map(|at| at["item"].clone());
        let mut items: Vec<Value> = items.collect();
        items.sort_by_key(|item| first(&item["id"]));
        state["items"] = json!(items);
        let ended = events.iter().rev().find(|record| record["event"]["type"] == "turn.completed");
        let turn = match (&snapshot["activeTurnId"], ended) {
            (Value::String(id), _) => json!({"id": id, "status": "running"}),
            (_, Some(ended)) => json!({"id": ended["turnId"], "status": ended["event"]["status"]}),
            (_, None) => Value::Null,
        };
        if !turn.is_null() {
            state["turn"] = turn;
        }
        let mut steady = Steady::new(&self.place);
        let fixture =
            json!({"about": about, "sessionId": self.session, "events": events, "state": state});
        let fixture = steady.value(&fixture);
        let lines = said[..spoken].iter().filter(|(_, message)| is_certain(message));
        let lines = lines.map(|(to, message)| {
            format!("{}\n", json!({"to": to.name(), "message": steady.value(message)}))
        });
        (fixture, lines.collect())
    }
}

/// Waits for the approval request and allows the call.
fn allow(client: &mut Recorder) {
    client.answer("approval/request", json!({"optionId": "allow"}));
}

fn input(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

/// Returns false for what may be merged or dropped on its way.
fn is_certain(message: &Value) -> bool {
    message["params"].get("after").is_none()
}

/// The durable events and the texts that streamed; how a text is cut into pieces differs from run to run, so each is in one.
fn joined(records: &[&Value]) -> Vec<Value> {
    let mut events: Vec<Value> = Vec::new();
    for record in records {
        let is_text = record["event"]["type"] == "item.delta" && record["event"]["field"] == "text";
        if record.get("after").is_some() && !is_text {
            continue;
        }
        match events.last_mut() {
            Some(last) if is_text && last["event"]["itemId"] == record["event"]["itemId"] => {
                let more = record["event"]["text"].as_str().unwrap();
                let text = format!("{}{more}", last["event"]["text"].as_str().unwrap());
                last["event"]["text"] = json!(text);
            }
            _ => events.push((*record).clone()),
        }
    }
    for event in &mut events {
        if let Some(members) =
            event["event"].as_object_mut().filter(|event| event.contains_key("n"))
        {
            members.insert("n".to_owned(), json!(0));
            members.shift_remove("to");
        }
    }
    events
}

fn say(text: &str) -> Value {
    json!({"blocks": [{"text": text}], "usage": {"inputTokens": 100, "outputTokens": 10}})
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({"blocks": [{"tool": tool, "arguments": arguments}]})
}

fn edit() -> Value {
    call("edit", json!({"path": "note.txt", "oldText": "helo", "newText": "hello"}))
}

fn long() -> Value {
    call("bash", json!({"command": "sleep 1000; touch done"}))
}

fn ask() -> Value {
    call("ask_user", json!({"question": "Which color?", "options": ["red", "blue"]}))
}

/// Runs a case, and compares its files and what the Python client makes of its events.
fn case(name: &str, about: &str, replies: &[Value], steps: impl Fn(&mut Recorder)) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("protocol/conformance");
    let script = json!({ "replies": replies });
    expect_file![folder.join(format!("scripts/{name}.json"))].assert_eq(&format!("{script:#}\n"));
    let mut run = Run::start(&script["replies"]);
    steps(&mut run.client);
    let (fixture, transcript) = run.fixture(about);
    expect_file![folder.join(format!("transcripts/{name}.jsonl"))].assert_eq(&transcript);
    let path = folder.join(format!("reducer/{name}.json"));
    expect_file![path].assert_eq(&format!("{fixture:#}\n"));

    let place = Place::new(&[("fixture.json", &fixture.to_string())]);
    let out = Command::new("python3")
        .arg(folder.join("reduce.py"))
        .arg(place.path("fixture.json"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    assert!(out.status.success(), "{name}: {}", String::from_utf8_lossy(&out.stderr));
    let folded: Value = serde_json::from_slice(&out.stdout).unwrap();
    for (key, want) in fixture["state"].as_object().unwrap() {
        assert_eq!(folded[key], *want, "{name}: {key}");
    }
    assert_eq!(folded.as_object().unwrap().len(), fixture["state"].as_object().unwrap().len());
}

#[test]
fn a_text() {
    case("text", "A prompt and a reply of words.", &[say("Hello there.")], |run| {
        run.prompt("Hello?");
        run.until_event("turn.completed");
    });
}

#[test]
fn reasoning_before_a_text() {
    let reply = json!({"blocks": [{"reasoning": "A greeting."}, {"text": "Hello there."}]});
    case("reasoning", "The model reasons before it speaks.", &[reply], |run| {
        run.prompt("Hello?");
        run.until_event("turn.completed");
    });
}

#[test]
fn a_model_that_fails() {
    let reply = json!({"blocks": [{"text": "I was about to"}], "error": {"kind": "auth", "message": "the key is refused"}});
    case("failed", "The provider fails in the middle of a reply.", &[reply], |run| {
        run.prompt("Hello?");
        run.until_event("turn.completed");
    });
}

#[test]
fn an_approved_edit() {
    let replies = [edit(), say("Fixed.")];
    case("approved-edit", "The model edits a file, and the client allows it.", &replies, |run| {
        run.prompt("Fix the typo.");
        allow(run);
        run.until_event("turn.completed");
    });
}

#[test]
fn a_denied_edit() {
    let replies = [edit(), say("As you wish.")];
    case(
        "denied-edit",
        "The client denies an edit, with a reason that the model reads.",
        &replies,
        |run| {
            run.prompt("Fix the typo.");
            let answer = json!({"optionId": "deny", "feedback": "Leave it."});
            run.answer("approval/request", answer);
            run.until_event("turn.completed");
        },
    );
}

#[test]
fn an_open_approval() {
    case("open-approval", "A turn waits for permission.", &[edit()], |run| {
        run.prompt("Fix the typo.");
        run.until(|message| message["method"] == "approval/request");
    });
}

#[test]
fn an_open_question() {
    case("open-question", "A turn waits for the answer to a question.", &[ask()], |run| {
        run.prompt("Choose a color.");
        run.until(|message| message["method"] == "question/request");
    });
}

#[test]
fn an_answered_question() {
    let replies = [ask(), say("Blue it is.")];
    case("answered-question", "A question is answered with one of its options.", &replies, |run| {
        run.prompt("Choose a color.");
        let asked = run.until(|message| message["method"] == "question/request");
        let chosen = asked["params"]["options"][1]["optionId"].clone();
        let answer = json!({"optionIds": [chosen]});
        run.reply(&asked, answer);
        run.until_event("turn.completed");
    });
}

#[test]
fn a_queue() {
    let about = "While a command runs, messages are queued, edited, moved and removed; a steer goes before follow-ups.";
    case("queue", about, &[long()], |run| {
        run.prompt("Run the tests.");
        allow(run);
        run.until(|message| message["params"]["event"]["item"]["status"] == "running");
        let mut queued = Vec::new();
        for text in ["Then commit.", "Then push.", "Then rest."] {
            let params = json!({"input": input(text), "whenBusy": "queue"});
            queued.push(run.ask("turn/start", params)["itemId"].clone());
        }
        run.ask("turn/steer", json!({"input": input("Only the quick ones.")}));
        run.ask("queue/update", json!({"itemId": queued[1], "input": input("Then tag.")}));
        run.ask("queue/update", json!({"itemId": queued[2], "before": queued[1]}));
        run.ask("queue/remove", json!({"itemIds": [queued[0]]}));
        // Its events follow the response.
        run.until(|message| message["params"]["event"]["type"] == "input.removed");
    });
}

#[test]
fn an_interrupted_turn() {
    let about = "A turn is interrupted; the steer that the model has not read is handed back.";
    case("interrupted", about, &[long()], |run| {
        run.prompt("Run the tests.");
        allow(run);
        run.until(|message| message["params"]["event"]["item"]["status"] == "running");
        run.ask("turn/steer", json!({"input": input("Only the quick ones.")}));
        run.ask("turn/interrupt", json!({}));
        run.until_event("turn.completed");
    });
}

#[test]
fn a_plan() {
    let plan = |first: &str| {
        let items =
            json!([{"content": "look", "status": first}, {"content": "fix", "status": "pending"}]);
        call("todo_write", json!({ "items": items }))
    };
    let replies = [plan("in_progress"), plan("completed"), say("One is left.")];
    case("plan", "The model writes a plan and changes it.", &replies, |run| {
        run.prompt("Go.");
        run.until_event("turn.completed");
    });
}

/// Two turns, and back to before the second. Returns the params of the way forward again.
fn back(run: &mut Recorder) -> Value {
    run.prompt("First.");
    run.until_event("turn.completed");
    let second = run.prompt("Second.");
    run.until_event("turn.completed");
    let to = json!({"to": {"itemId": second["itemId"]}, "scope": "conversation"});
    let gone = run.ask("session/rewind", to);
    run.until_event("history.rewound");
    json!({"to": {"seq": gone["fromSeq"]}, "scope": "conversation"})
}

#[test]
fn going_back() {
    let replies = [say("One."), say("Two."), say("Another two.")];
    let about = "The session goes back to before the second message, and on from there.";
    case("rewound", about, &replies, |run| {
        back(run);
        run.prompt("Another second.");
        run.until_event("turn.completed");
    });
}

#[test]
fn going_back_and_forward() {
    let replies = [say("One."), say("Two.")];
    let about = "The session goes back to before the second message, and forward again: what was hidden is there.";
    case("forward", about, &replies, |run| {
        let forward = back(run);
        run.ask("session/rewind", forward);
        run.until_event("history.rewound");
    });
}

#[test]
fn a_steer_before_a_follow_up() {
    let about = "While a command runs, a follow-up is queued, then a steer: the model reads the steer first.";
    case("steer-and-follow-up", about, &[long()], |run| {
        run.prompt("Run the tests.");
        allow(run);
        run.until(|message| message["params"]["event"]["item"]["status"] == "running");
        run.ask("turn/start", json!({"input": input("Then commit."), "whenBusy": "queue"}));
        run.ask("turn/steer", json!({"input": input("Only the quick ones.")}));
        run.until(|message| message["params"]["event"]["delivery"] == "steer");
    });
}

#[test]
fn settings_and_a_title() {
    case(
        "settings",
        "Settings change, and the session gets a title and loses it again.",
        &[],
        |run| {
            run.ask("config/set", json!({"values": {"permissionMode": "full", "mode": "plan"}}));
            run.ask("session/update", json!({"title": "A typo"}));
            run.ask("session/update", json!({"title": null}));
            run.ask("session/update", json!({"title": "Another typo"}));
            run.until(|message| message["params"]["event"]["title"] == "Another typo");
        },
    );
}

#[test]
fn a_connection_that_was_lost() {
    let replies = [say("One."), say("Two.")];
    let about = "The client reconnects in the middle of what it has seen: events come twice, and count once.";
    case("reconnected", about, &replies, |run| {
        run.prompt("First.");
        run.until_event("turn.completed");
        run.ask("session/unsubscribe", json!({}));
        run.ask("session/subscribe", json!({"fromSeq": 3}));
        run.until_event("turn.completed");
        run.prompt("Second.");
        run.until_event("turn.completed");
    });
}
